"""The verdict on one claim: what is settled without a judge, what a judge decides, and by which threshold."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from tests.unit.judges import Scripted, convinced, opinion
from toulmin.application.review import review_all
from toulmin.domain.claims.opinion import Opinion, Probabilities
from toulmin.domain.claims.unit import Cited, ReviewUnit
from toulmin.domain.claims.verdict import Verdict, VerdictStatus
from toulmin.domain.outcome import SearchOnlyReason
from toulmin.domain.policy import Policy
from toulmin.ports.judge import Judge, NotJudged

SUPPORTED, CONTRADICTED, UNRESOLVED = (
    VerdictStatus.SUPPORTED,
    VerdictStatus.CONTRADICTED,
    VerdictStatus.UNRESOLVED,
)
POLICY = Policy(supported=0.9, contradicted=0.7)
LOGS = "Audit logs are kept for at least 30 days. Backups are made every night."


def unit(claim: str, *evidence: str, quotes: tuple[str, ...] = ()) -> ReviewUnit:
    return ReviewUnit(claim=claim, passages=tuple(Cited(words=words) for words in evidence), quotes=quotes)


def verdict(asked: ReviewUnit, judge: Judge | None = None, policy: Policy | None = None) -> Verdict:
    return asyncio.run(review_all([asked], judge, policy or POLICY)).verdicts[0]


class TestWithoutAJudge:
    def test_a_complete_sentence_of_the_evidence_is_supported_as_it_stands(self) -> None:
        judged = verdict(unit("Backups are made every night.", LOGS))
        assert (judged.status, judged.reason) == (SUPPORTED, "verbatim")

    def test_the_source_s_words_in_their_frame_are_supported(self) -> None:
        assert verdict(unit('The source says: "Backups are made every night."', LOGS)).status is SUPPORTED

    def test_words_in_a_frame_that_the_source_does_not_have_are_not(self) -> None:
        assert verdict(unit('The source says: "Backups are made every day."', LOGS), Scripted()).status is UNRESOLVED

    def test_anything_else_that_nothing_speaks_against_is_unresolved(self) -> None:
        judged = verdict(unit("Every night there is a backup.", LOGS))
        assert (judged.status, judged.reason) == (UNRESOLVED, "no judge confirmed it")

    def test_an_objection_leaves_it_unresolved_and_says_why(self) -> None:
        judged = verdict(unit("Audit logs are kept for 90 days.", LOGS))
        assert judged.status is UNRESOLVED
        assert judged.objections
        assert judged.reason == judged.objections[0].says

    def test_what_the_evidence_denies_is_contradicted(self) -> None:
        judged = verdict(unit("Audit logs are kept for fewer than 30 days.", LOGS))
        assert judged.status is CONTRADICTED


class TestWithAJudge:
    def test_no_objection_and_a_probability_at_the_threshold_support_it(self) -> None:
        asked = unit("Every night there is a backup.", LOGS)
        assert verdict(asked, Scripted(says=lambda _: opinion(0.9))).status is SUPPORTED
        assert verdict(asked, Scripted(says=lambda _: opinion(0.899))).status is UNRESOLVED

    def test_a_probability_of_contradiction_at_the_threshold_contradicts_it(self) -> None:
        asked = unit("Every night there is a backup.", LOGS)
        assert verdict(asked, Scripted(says=lambda _: opinion(0.1, 0.7))).status is CONTRADICTED
        assert verdict(asked, Scripted(says=lambda _: opinion(0.1, 0.6))).status is UNRESOLVED

    def test_the_policy_has_the_thresholds(self) -> None:
        asked = unit("Every night there is a backup.", LOGS)
        strict = replace(Policy(), supported=0.999)
        assert verdict(asked, Scripted(), strict).status is UNRESOLVED

    def test_a_judge_never_outvotes_an_objection(self) -> None:
        judged = verdict(unit("Backups are made by Bacula.", LOGS), Scripted(says=lambda _: opinion(1.0)))
        assert judged.status is UNRESOLVED
        assert judged.reason == judged.objections[0].says
        assert (judged.probabilities, judged.rests_on) == (opinion(1.0).probabilities, ())

    def test_it_may_find_contradicted_what_an_oracle_found_nothing_for(self) -> None:
        asked = unit("Backups are made by Bacula.", LOGS)
        judged = verdict(asked, Scripted(says=lambda _: opinion(0.1, 0.7)))
        assert judged.status is CONTRADICTED
        assert judged.reason == f"{judged.objections[0].says}; the judge finds it contradicted (0.70)"
        assert verdict(asked, Scripted(says=lambda _: opinion(0.1, 0.69))).status is UNRESOLVED

    @pytest.mark.parametrize(
        ("claim", "evidence", "oracle"),
        [
            ("Audit logs are kept for 90 days.", LOGS, "bounds"),
            ("The pump stops above 80 degrees.", "The pump may stop above 80 degrees.", "modality"),
            ("All pumps are painted blue.", "Most pumps are painted blue.", "quantifiers"),
            ("The pump is painted.", "If the customer orders it, the pump is painted.", "conditions"),
        ],
    )
    def test_it_is_not_asked_where_an_oracle_knows_that_the_evidence_leaves_it_open(
        self, claim: str, evidence: str, oracle: str
    ) -> None:
        judge = Scripted(says=lambda _: opinion(0.0, 1.0))
        judged = verdict(unit(claim, evidence), judge)
        assert (judged.status, judge.units) == (UNRESOLVED, [])
        assert {item.oracle for item in judged.objections} == {oracle}

    def test_it_is_not_asked_about_a_claim_that_the_evidence_denies(self) -> None:
        judge = Scripted()
        denied = "Audit logs are kept for fewer than 30 days."
        for claim in (denied, f"{denied} Every night there is a backup."):
            judged = verdict(unit(claim, LOGS), judge)
            assert (judged.status, judged.probabilities) == (CONTRADICTED, None)
        assert judge.units == []

    def test_nor_about_one_that_misquotes_its_source(self) -> None:
        judge = Scripted(says=lambda _: opinion(0.0, 1.0))
        asked = unit("There are backups at night.", LOGS, quotes=("Backups are made every day.",))
        assert (verdict(asked, judge).status, judge.units) == (UNRESOLVED, [])

    def test_a_word_without_probabilities_decides_nothing(self) -> None:
        word = Opinion(probabilities=None, why="it gives only a word")
        judged = verdict(unit("Every night there is a backup.", LOGS), Scripted(says=lambda _: word))
        assert (judged.status, judged.reason) == (UNRESOLVED, "it gives only a word")

    def test_a_judge_that_fails_leaves_the_claim_unresolved_and_is_named(self) -> None:
        fault = NotJudged(reason=SearchOnlyReason.RATE_LIMITED)
        judged = verdict(unit("Every night there is a backup.", LOGS), Scripted(fault=fault))
        assert (judged.status, judged.reason) == (UNRESOLVED, "the judge gave no opinion: rate_limited")

    def test_a_claim_is_unheard_only_if_an_opinion_could_have_had_it_delivered(self) -> None:
        fault = NotJudged(reason=SearchOnlyReason.RATE_LIMITED)
        waiting, objected = "Every night there is a backup.", "Backups are made by Bacula."
        for claim, unheard in ((waiting, 1), (objected, 0), (f"{waiting} {objected}", 0)):
            reviewed = asyncio.run(review_all([unit(claim, LOGS)], Scripted(fault=fault), POLICY))
            assert (reviewed.fault, reviewed.unheard) == (fault, unheard)
            assert reviewed.verdicts[0].status is UNRESOLVED
        assert asyncio.run(review_all([unit(waiting, LOGS)], Scripted(), POLICY)).unheard == 0

    def test_a_judge_elsewhere_is_not_asked_where_the_evidence_may_not_leave(self) -> None:
        judge = Scripted(on_this_host=False)
        asked = unit("Every night there is a backup.", LOGS)
        reviewed = asyncio.run(review_all([asked], judge, Policy(), may_leave=False))
        assert reviewed.verdicts[0].status is UNRESOLVED
        assert reviewed.fault == NotJudged(reason=SearchOnlyReason.EGRESS_DENIED)
        assert judge.units == []

    def test_a_verbatim_claim_needs_no_judge(self) -> None:
        judge = Scripted()
        verdict(unit("Backups are made every night.", LOGS), judge)
        assert judge.units == []


class TestNothingToReview:
    @pytest.mark.parametrize(
        ("claim", "evidence", "reason"),
        [
            ("", (LOGS,), "the claim is empty"),
            (" . ", (LOGS,), "the claim is empty"),
            ("# Audit logs", (LOGS,), "the claim is a bare heading"),
            ("Overview.", (LOGS,), "the claim is a bare heading"),
            ("Note:", (LOGS,), "the claim is a bare heading"),
            ("Yes.", (LOGS,), "the claim is a bare heading"),
            ("Keeping Audit Logs", (LOGS,), "the claim is a bare heading"),
            ("Are backups made every night?", (LOGS,), "the claim is a question"),
            ("Backups are made.", (), "the claim cites nothing"),
            ("Backups are made.", ("",), "the cited evidence is empty"),
            ("Backups are made.", (" \n\t",), "the cited evidence is empty"),
            ("Backups are made.", ("Backups\n=======\n",), "the cited evidence is a bare heading"),
        ],
    )
    def test_is_unresolved_whatever_a_judge_would_say(self, claim: str, evidence: tuple[str, ...], reason: str) -> None:
        judged = verdict(unit(claim, *evidence), Scripted())
        assert (judged.status, judged.reason) == (UNRESOLVED, reason)

    def test_a_claim_that_is_the_title_of_its_source_is_a_bare_heading(self) -> None:
        cited = Cited(words=LOGS, title="Nightly backups", section=("Operations",))
        for heading in ("Nightly backups", "Operations"):
            assert verdict(ReviewUnit(claim=heading, passages=(cited,)), Scripted()).status is UNRESOLVED

    def test_a_claim_in_a_language_that_the_oracles_do_not_read_is_unresolved(self) -> None:
        judged = verdict(unit("Die Sicherungen werden nicht jede Nacht gemacht.", LOGS), Scripted())
        assert judged.status is UNRESOLVED

    @pytest.mark.parametrize(
        ("claim", "evidence"),
        [
            ("Audit-lokeja ei säilytetä kolmeakymmentä päivää.", "Audit-lokit säilytetään kolmekymmentä päivää."),
            ("Lokit säilytetään päivän.", "Lokit säilytetään päivän."),
            ("Pompa nie wymaga wody.", "Pompa wymaga wody."),
            (
                "Cadangan audit tidak disimpan selama tiga puluh hari kerja penuh by default.",
                "Cadangan audit disimpan selama tiga puluh hari kerja penuh by default.",
            ),
        ],
    )
    def test_so_is_one_beside_evidence_in_its_own_language(self, claim: str, evidence: str) -> None:
        assert verdict(unit(claim, evidence), Scripted()).status is UNRESOLVED

    def test_a_few_words_that_might_be_any_language_s_are_read_beside_english(self) -> None:
        assert verdict(unit("Backups run nightly.", LOGS), Scripted()).status is SUPPORTED


class TestQuotes:
    def test_a_quote_that_the_source_does_not_have_is_a_finding_of_its_own(self) -> None:
        asked = unit("There are backups at night.", LOGS, quotes=("Backups are made every day.",))
        judged = verdict(asked, Scripted())
        assert judged.status is UNRESOLVED
        assert [item.oracle for item in judged.objections] == ["quotes"]

    def test_a_quote_narrows_the_evidence_to_its_sentence_and_its_neighbours(self) -> None:
        words = "One. Two two. Three three three. Four four. Five."
        judge = Scripted()
        verdict(unit("There is a third.", words, quotes=("Three three three.",)), judge)
        (asked,) = judge.units
        assert [cited.words for cited in asked.passages] == ["Two two. Three three three. Four four."]
        assert asked.passages[0].before == "One. "

    def test_objections_over_narrowed_evidence_point_into_the_whole_passage(self) -> None:
        words = "One. Two two. Audit logs are kept for at least 30 days. Four four. Five."
        asked = unit("Audit logs are kept for 90 days.", words, quotes=("Audit logs are kept for at least 30 days.",))
        held = verdict(asked).objections
        assert held
        assert all("30 days" in words[slice(*item.evidence)] for item in held)
        assert all("90" in asked.claim[slice(*item.claim)] for item in held)

    @pytest.mark.parametrize(
        "claim",
        [
            "The manual says “reset the breaker twice”.",
            'It says "open the panel" is fine.',
            "It warns: «Open the panel».",
        ],
    )
    def test_words_in_quotation_marks_must_be_the_source_s(self, claim: str) -> None:
        judged = verdict(unit(claim, "Reset the breaker once, then wait. Don't open the panel."), Scripted())
        assert judged.status is not SUPPORTED
        assert judged.objections[0].oracle == "quotes"

    @pytest.mark.parametrize("claim", ["It warns: “Don’t open the panel”.", "It warns: «Don't open the panel»."])
    def test_words_in_quotation_marks_that_are_the_source_s_are_no_objection(self, claim: str) -> None:
        judged = verdict(unit(claim, "Reset the breaker once, then wait. Don't open the panel."), Scripted())
        assert judged.status is SUPPORTED
        assert "quotes" in judged.checks

    def test_a_quote_cannot_hide_what_denies_the_claim_elsewhere_in_what_it_cites(self) -> None:
        words = (
            "Refunds are paid to customers. They take five days. Ask support for the form. "
            "Refunds are not paid to resellers."
        )
        asked = unit("Refunds are paid to resellers.", words, quotes=("Refunds are paid to customers.",))
        assert verdict(asked, Scripted()).status is CONTRADICTED
        elsewhere = unit("Refunds are paid to resellers.", "Refunds are paid.", words, quotes=("Refunds are paid.",))
        assert verdict(elsewhere, Scripted()).status is CONTRADICTED

    def test_a_passage_without_a_quote_of_its_own_stays_evidence(self) -> None:
        judge = Scripted()
        verdict(
            unit("There is a third.", "Three three three.", "Four four four.", quotes=("Three three three.",)), judge
        )
        assert [cited.words for cited in judge.units[0].passages] == ["Three three three.", "Four four four."]

    def test_a_misquotation_is_told_even_where_the_claim_is_verbatim(self) -> None:
        judged = verdict(unit("Backups are made every night.", LOGS, quotes=("Backups are made every day.",)))
        assert judged.status is SUPPORTED
        assert [item.oracle for item in judged.objections] == ["quotes"]

    def test_a_verbatim_claim_that_another_cited_source_denies_is_unresolved(self) -> None:
        denial = "Audit logs are not kept for at least 30 days."
        judged = verdict(unit("Audit logs are kept for at least 30 days.", LOGS, denial), Scripted())
        assert judged.status is UNRESOLVED
        assert judged.objections


class TestSeveralFacts:
    PUMP = ("The pump weighs 12 kg.", "The pump needs a 16 A fuse.")

    def test_each_part_is_asked_about_on_its_own(self) -> None:
        judge = Scripted()
        verdict(unit("The pump has 12 kg of weight and will need a 16 A fuse.", *self.PUMP), judge)
        assert len(judge.units) == 2

    def test_each_sentence_of_a_claim_is_a_fact_of_its_own(self) -> None:
        both = unit("The pump needs a 16 A fuse. The pump weighs 12 kg.", *self.PUMP)
        judged = verdict(both)
        assert (judged.status, judged.reason, judged.rests_on) == (SUPPORTED, "verbatim", ((0, 0, 22), (1, 0, 27)))
        judge = Scripted()
        verdict(unit("The pump weighs 12 kg. The moon is made of cheese.", *self.PUMP), judge)
        assert [asked.claim for asked in judge.units] == ["The moon is made of cheese."]

    def test_a_claim_is_supported_only_if_each_part_is(self) -> None:
        def doubts_fuses(asked: ReviewUnit) -> Opinion:
            return opinion(0.2) if "fuse" in asked.claim else convinced(asked)

        judged = verdict(
            unit("The pump has 12 kg of weight and will need a 16 A fuse.", *self.PUMP), Scripted(says=doubts_fuses)
        )
        assert judged.status is UNRESOLVED
        assert judged.reason is not None
        assert "fuse" in judged.reason

    def test_an_objection_to_one_part_leaves_the_judge_to_deny_the_other(self) -> None:
        def denies_backups(asked: ReviewUnit) -> Opinion:
            return opinion(0.1, 0.9) if "backup" in asked.claim else convinced(asked)

        judge = Scripted(says=denies_backups)
        judged = verdict(unit("Audit logs are kept for 90 days. Every night there is a backup.", LOGS), judge)
        assert [asked.claim for asked in judge.units] == ["Every night there is a backup."]
        assert judged.status is CONTRADICTED
        assert judged.objections


@pytest.mark.parametrize("parts", [(0.5, 0.5, 0.5), (float("nan"), 0.5, 0.5), (1.5, -0.5, 0.0), (float("inf"), 0, 0)])
def test_what_is_no_distribution_is_refused(parts: tuple[float, float, float]) -> None:
    supported, contradicted, unresolved = parts
    with pytest.raises(ValueError, match="no distribution"):
        Probabilities(supported=supported, contradicted=contradicted, unresolved=unresolved)
