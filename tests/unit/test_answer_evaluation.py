from __future__ import annotations

import json
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest

from toulmin.domain.claims.objection import Objection, Strength
from toulmin.domain.claims.opinion import Probabilities
from toulmin.domain.claims.review import NO_JUDGE
from toulmin.domain.claims.verdict import Verdict, VerdictStatus
from toulmin.domain.corpus.document import Passage, Place, RevisionId, Standing, Status
from toulmin.domain.errors import InputError
from toulmin.domain.evidence.ranking import Ranked
from toulmin.domain.outcome import (
    Answered,
    AskForEvidence,
    Basis,
    CitedQuote,
    EvidenceReason,
    Item,
    Recorded,
    SearchOnly,
    SearchOnlyReason,
    ShownClaim,
    Withheld,
)
from toulmin.domain.question.contract import Mode
from toulmin.evaluation.answers import Asked, Located, cause, endings, estimates, judged, names, report, withheld
from toulmin.evaluation.answers_page import MEANINGS, page
from toulmin.evaluation.answers_results import Results, lines, results_json
from toulmin.evaluation.comparison import compared, read_side
from toulmin.evaluation.intervals import mean
from toulmin.evaluation.labels import Label, hashed_into
from toulmin.evaluation.questions import ClaimLabel, Gold, Question, read_questions
from toulmin.testing.builders import ALWAYS, NOW, descriptor

BASIS = Basis(question="open-question-v1", assurance=Mode.REVIEWED, as_of=NOW, search=())
SUPPORTED = Verdict(status=VerdictStatus.SUPPORTED, reason="verbatim", checks=())
OPEN = Verdict(status=VerdictStatus.UNRESOLVED, reason=NO_JUDGE, checks=("evidence", "oracles"))
DENIED = Verdict(status=VerdictStatus.CONTRADICTED, reason="80 is not 90", checks=("evidence",))
NUMBERS = Objection(
    oracle="numbers", strength=Strength.CONTRADICTS, claim=(0, 2), passage=0, evidence=(0, 2), says="80 is not 90"
)
IDS = count()
ROW: dict[str, object] = {
    "id": "q-1",
    "question": "When does it stop?",
    "version": "2",
    "gold": [{"path": "pump.md", "quote": "stops at 80"}],
    "answerable": True,
    "kind": "fact",
    "group": "g",
}


def cites(
    start: int, end: int, *, document: str = "pump.md", version: str = "2", words: str = "The pump stops."
) -> CitedQuote:
    return CitedQuote(
        source=RevisionId(document, version),
        span=f"p{start}-{end}",
        words=words,
        place=Place(start=start, end=end, utf16=(start, end)),
    )


def passage(document: str) -> Ranked:
    standing = Standing(
        key=1,
        id=RevisionId(document, "2"),
        text_sha256="0" * 64,
        bytes_sha256="0" * 64,
        descriptor=descriptor(),
        validity=ALWAYS,
        superseded=False,
        status=Status.LIVE,
        since=1,
        ingested_at=NOW,
    )
    return Ranked(standing=standing, passage=Passage(start=0, end=15), text="The pump stops.", score=1.0)


def claim(text: str, *citations: CitedQuote, verdict: Verdict = SUPPORTED) -> ShownClaim:
    return ShownClaim(text=text, fact=None, citations=citations, verdict=verdict)


def answer(*claims: ShownClaim, held: tuple[ShownClaim, ...] = (), basis: Basis = BASIS) -> Answered:
    return Answered(text=" ".join(item.text for item in claims), claims=claims, withheld=held, basis=basis)


def nothing() -> AskForEvidence:
    return AskForEvidence(missing=(), reason=EvidenceReason.NO_ELIGIBLE_EVIDENCE, basis=BASIS)


def silence(reason: SearchOnlyReason) -> SearchOnly:
    return SearchOnly(reason=reason, basis=BASIS)


def asked(
    outcome: Recorded,
    *places: tuple[int, int],
    group: str | None = None,
    facts: tuple[str, ...] = (),
    labels: tuple[ClaimLabel, ...] = (),
    source_type: str | None = None,
    kind: str = "fact",
    absent: bool = False,
) -> Asked:
    """A question after it was asked; each place is where a gold quote of `pump.md` stands."""
    name = f"q{next(IDS)}"
    gold = tuple(Gold(path="pump.md", quote=f"gold of {place}") for place in places)
    question = Question(
        id=name,
        question="When does the pump stop?",
        version="2",
        gold=gold,
        kind=kind,
        group=group or name,
        facts=facts,
        labels=labels,
    )
    located = (
        Located(gold=item, places=() if absent else (place,), source_type=source_type)
        for item, place in zip(gold, places, strict=True)
    )
    return Asked(question=question, outcome=outcome, gold=tuple(located))


def points(row: Asked, name: str) -> list[bool]:
    return list(judged(row).points[name])


def value(name: str, *rows: Asked) -> float | None:
    return report([judged(row) for row in rows]).whole.value(name)


class TestEndings:
    def test_the_shares_of_the_outcomes_are_of_all_questions(self) -> None:
        rows = (
            asked(answer(claim("A.", cites(0, 9))), (0, 9)),
            asked(Withheld(withheld=(), basis=BASIS), (0, 9)),
            asked(nothing()),
            asked(silence(SearchOnlyReason.TRUNCATED)),
        )
        shares = {name: value(name, *rows) for name in names() if name.startswith("share_")}
        assert shares == dict.fromkeys(
            ("share_answered", "share_ask_for_evidence", "share_withheld", "share_search_only"), 1 / 4
        )

    @pytest.mark.parametrize(
        "outcome", [nothing(), Withheld(withheld=(), basis=BASIS), silence(SearchOnlyReason.INVALID_OUTPUT)]
    )
    def test_a_question_without_an_answer_that_is_not_answered_is_right(self, outcome: Recorded) -> None:
        assert points(asked(outcome), "right_abstentions") == [True]
        assert points(asked(outcome), "right_outcomes") == [True]
        assert points(asked(outcome), "answered") == []

    def test_an_answer_to_a_question_without_one_is_wrong(self) -> None:
        row = asked(answer(claim("A.", cites(0, 9))))
        assert (points(row, "right_abstentions"), value("failures", row)) == ([False], 1)

    def test_a_question_with_an_answer_that_is_not_answered_is_a_failure(self) -> None:
        row = asked(nothing(), (0, 9))
        assert (points(row, "answered"), points(row, "right_outcomes"), value("failures", row)) == ([False], [False], 1)

    def test_a_fault_of_a_provider_is_counted_and_a_bad_draft_is_none(self) -> None:
        rows = [asked(silence(reason)) for reason in SearchOnlyReason]
        assert value("provider_faults", *rows) == len(SearchOnlyReason) - 3  # refused, truncated, invalid output

    def test_endings_are_counted_by_their_reasons(self) -> None:
        rows = (
            asked(nothing()),
            asked(nothing()),
            asked(silence(SearchOnlyReason.TIMEOUT)),
            asked(answer(claim("A.", cites(0, 9)))),
        )
        assert endings(rows) == {"AskForEvidence": {"no_eligible_evidence": 2}, "SearchOnly": {"timeout": 1}}


class TestCitations:
    @pytest.mark.parametrize(
        ("cited", "covered"),
        [
            (cites(10, 20), True),
            (cites(0, 100), True),
            (cites(0, 15), True),
            (cites(0, 14), False),
            (cites(20, 30), False),
            (cites(10, 20, document="other.md"), False),
            (cites(10, 20, version="1"), False),
        ],
        ids=["whole", "around", "half", "less than half", "beside", "other document", "other version"],
    )
    def test_a_citation_covers_a_gold_quote_where_it_holds_half_of_it_in_its_own_place(
        self, cited: CitedQuote, covered: bool
    ) -> None:
        row = asked(answer(claim("A.", cited)), (10, 20))
        assert points(row, "citation_recall") == [covered]
        assert points(row, "gold_citations") == [covered]
        assert points(row, "answered_from_gold") == [covered]

    def test_any_place_of_a_quote_that_occurs_twice_will_do(self) -> None:
        row = asked(answer(claim("A.", cites(50, 60))), (10, 20))
        (located,) = row.gold
        twice = replace(row, gold=(replace(located, places=((10, 20), (50, 60))),))
        assert (points(row, "citation_recall"), points(twice, "citation_recall")) == ([False], [True])

    def test_only_delivered_claims_cite(self) -> None:
        held = claim("B.", cites(10, 20), verdict=OPEN)
        row = asked(answer(claim("A.", cites(50, 60)), held=(held,)), (10, 20))
        assert points(row, "citation_recall") == [False]
        assert points(asked(Withheld(withheld=(held,), basis=BASIS), (10, 20)), "citation_recall") == [False]

    def test_a_gold_quote_that_was_selected_and_not_cited_shows_where_it_was_lost(self) -> None:
        place = cites(0, 15).place
        assert place is not None
        basis = replace(BASIS, search=(Item(found=passage("pump.md"), place=place),))
        row = asked(answer(claim("A.", cites(50, 60)), basis=basis), (10, 20), (30, 40))
        assert points(row, "evidence_recall") == [True, False]
        assert points(row, "citation_recall") == [False, False]
        other = replace(basis, search=(Item(found=passage("other.md"), place=place),))
        assert points(asked(AskForEvidence(missing=(), basis=other), (10, 20)), "evidence_recall") == [False]

    def test_recall_is_over_all_gold_quotes_also_those_that_are_not_in_the_corpus(self) -> None:
        cited = answer(claim("A.", cites(0, 10)))
        rows = asked(cited, (0, 10), (40, 50)), asked(nothing(), (0, 10)), asked(cited, (0, 10), absent=True)
        assert value("citation_recall", *rows) == 1 / 4
        assert value("gold_absent", *rows) == 1

    def test_a_citation_is_precise_where_it_holds_gold_or_what_its_claim_rests_on(self) -> None:
        rests = replace(SUPPORTED, rests_on=((1, 0, 5),))
        row = asked(answer(claim("A.", cites(0, 9), cites(20, 29), cites(40, 49), verdict=rests)), (0, 9))
        assert points(row, "citation_precision") == [True, True, False]
        assert points(row, "gold_citations") == [True, False, False]
        assert value("citations", row) == 3

    def test_citations_of_answers_to_questions_without_an_answer_are_not_measured(self) -> None:
        row = asked(answer(claim("A.", cites(0, 9, version="1"))))
        assert points(row, "citation_precision") == points(row, "gold_citations") == []
        assert value("other_version_citations", row) == 1


class TestCompleteness:
    def test_a_quote_is_said_where_its_words_stand_in_a_citation_wherever_that_is(self) -> None:
        elsewhere = cites(900, 950, document="other.md", words="It is said: “gold of\n(0, 9)”.")
        row = asked(answer(claim("A.", elsewhere)), (0, 9), (20, 29))
        assert points(row, "answer_completeness") == [True, False]
        assert points(row, "citation_recall") == [False, False]

    def test_words_of_another_version_do_not_count(self) -> None:
        row = asked(answer(claim("A.", cites(0, 9, version="1", words="gold of (0, 9)"))), (0, 9))
        assert points(row, "answer_completeness") == [False]

    def test_facts_stand_in_place_of_the_gold_quotes(self) -> None:
        row = asked(
            answer(claim("A.", cites(0, 9, words="It stops at 80\N{NO-BREAK SPACE}degrees, at once."))),
            (0, 9),
            facts=("stops at 80 degrees", "at once", "It starts"),
        )
        assert points(row, "answer_completeness") == [True, True, False]


class TestClaims:
    LABELS = (
        ClaimLabel(claim="It stops.", label=Label.SUPPORTED),
        ClaimLabel(claim="It starts.", label=Label.NOT_SUPPORTED),
        ClaimLabel(claim="It sings.", label=Label.SUPPORTED),
    )

    def test_labelled_claims_are_found_by_their_words_after_the_folds(self) -> None:
        outcome = answer(
            claim("It  stops.", cites(0, 9)),
            claim("It starts.", cites(0, 9)),
            claim("It hums.", cites(0, 9)),
            held=(claim("It sings.", cites(0, 9), verdict=OPEN),),
        )
        row = asked(outcome, (0, 9), labels=self.LABELS)
        assert points(row, "unsupported_claim_rate") == [False, True]
        assert points(row, "false_rejection_rate") == [False, True]
        assert (value("labels", row), value("labelled", row)) == (3, 3)

    def test_without_labels_the_rates_that_need_them_have_no_value(self) -> None:
        row = asked(answer(claim("It stops.", cites(0, 9))), (0, 9))
        assert value("unsupported_claim_rate", row) is None
        assert value("false_rejection_rate", row) is None

    def test_coverage_is_over_reviewed_claims_delivered_or_not(self) -> None:
        held = (claim("B.", cites(0, 9), verdict=OPEN), claim("C.", cites(0, 9), verdict=DENIED))
        assert value("coverage", asked(answer(claim("A.", cites(0, 9)), held=held), (0, 9))) == 2 / 3

    def test_in_cited_mode_there_is_no_coverage(self) -> None:
        cited = Verdict(status=VerdictStatus.CITED, reason=None, checks=())
        unknown = Verdict(status=VerdictStatus.UNRESOLVED, reason=None, checks=())
        outcome = answer(
            claim("A.", cites(0, 9), verdict=cited),
            held=(claim("B.", verdict=unknown),),
            basis=replace(BASIS, assurance=Mode.CITED),
        )
        assert value("coverage", asked(outcome, (0, 9))) is None

    @pytest.mark.parametrize(
        ("verdict", "told"),
        [
            (replace(DENIED, objections=(NUMBERS,)), "oracle: numbers"),
            (OPEN, "no opinion of a judge"),
            (
                replace(OPEN, probabilities=Probabilities(supported=0.4, contradicted=0.1, unresolved=0.5)),
                "judge",
            ),
            (Verdict(status=VerdictStatus.UNRESOLVED, reason="the claim is empty", checks=()), "the claim is empty"),
            (SUPPORTED, "the rest of the answer was held back"),
        ],
    )
    def test_the_cause_that_holds_a_claim_back_is_told_without_its_words(self, verdict: Verdict, told: str) -> None:
        assert cause(verdict) == told

    def test_withheld_claims_are_counted_by_cause_and_verdict(self) -> None:
        held = tuple(
            claim("B.", cites(0, 9), verdict=verdict)
            for verdict in (OPEN, OPEN, replace(DENIED, objections=(NUMBERS,)))
        )
        rows = asked(Withheld(withheld=held, basis=BASIS), (0, 9)), asked(nothing())
        assert withheld(rows) == {
            "no opinion of a judge": {"unresolved": 2},
            "oracle: numbers": {"contradicted": 1},
        }


class TestReport:
    def test_questions_of_one_group_do_not_count_as_independent(self) -> None:
        alone = [judged(asked(nothing(), (0, 9))) for _ in range(4)]
        alone += [judged(asked(answer(claim("A.", cites(0, 9))), (0, 9))) for _ in range(4)]
        alike = [replace(row, group="one" if at < 4 else "other") for at, row in enumerate(alone)]
        wide, narrow = (report(rows).whole.metrics["answered"] for rows in (alike, alone))
        assert wide.value == narrow.value == 1 / 2
        assert narrow == mean([1.0] * 4 + [0.0] * 4)
        assert narrow.low is not None
        assert wide.low is not None
        assert wide.low < narrow.low

    def test_parts_are_by_kind_version_source_type_and_group(self) -> None:
        rows = (
            asked(nothing(), (0, 9), group="g", source_type="manual"),
            asked(nothing(), kind="silent", group="h"),
        )
        by = report([judged(row) for row in rows]).by
        assert {name: list(parts) for name, parts in by.items()} == {
            "phenomenon": ["fact", "silent"],
            "source_type": ["manual", "not stated"],
            "version": ["2"],
            "group": ["g", "h"],
        }

    def test_every_metric_is_told_in_words(self) -> None:
        assert list(MEANINGS) == list(estimates(()))

    def test_the_page_is_the_same_for_the_same_results_and_escapes_what_datasets_say(self) -> None:
        rows = (asked(nothing(), kind="<script>"), asked(answer(claim("A.", cites(0, 9))), (0, 9)))
        text = page(Results(asked=rows, policy="p", judge="oracles"), "<b>.jsonl")
        assert text == page(Results(asked=rows, policy="p", judge="oracles"), "<b>.jsonl")
        assert "<script>" not in text
        assert "&lt;b&gt;.jsonl" in text

    def test_the_json_has_no_shadow_where_none_was_asked_for(self) -> None:
        shape = results_json(Results(asked=(asked(nothing()),), policy="p", judge="oracles"))
        assert list(shape) == ["schema", "kind", "n", "metrics", "by", "policy", "judge", "endings", "withheld"]


class TestComparison:
    def written(self, path: Path, *rows: Asked) -> Path:
        found = lines(Results(asked=rows, policy="p", judge="oracles"))
        path.write_text("".join(f"{json.dumps(line)}\n" for line in found), encoding="utf-8")
        return path

    def test_rows_are_compared_question_by_question(self, tmp_path: Path) -> None:
        before = [asked(nothing(), (0, 9)) for _ in range(12)]
        after = [replace(row, outcome=answer(claim("A.", cites(0, 9)))) for row in before]
        extra = asked(nothing(), (0, 9))
        found = compared(
            read_side(self.written(tmp_path / "a.jsonl", *before, extra), None),
            read_side(self.written(tmp_path / "b.jsonl", *after), None),
        )
        assert (found.kind, found.paired, found.only_a, found.only_b) == ("answers", 12, 1, 0)
        assert (found.metrics["answered"].difference.value, found.metrics["answered"].claimed) == (1, True)
        assert found.metrics["right_abstentions"].difference.value is None

    def test_the_same_question_with_other_gold_is_refused(self, tmp_path: Path) -> None:
        row = asked(nothing(), (0, 9))
        other = replace(row, question=replace(row.question, gold=()), gold=())
        sides = [
            read_side(self.written(tmp_path / name, each), None)
            for name, each in (("a.jsonl", row), ("b.jsonl", other))
        ]
        with pytest.raises(InputError) as caught:
            compared(*sides)
        assert caught.value.code == "labels_differ"

    def test_the_intervals_of_rows_that_were_read_back_are_those_of_the_report(self, tmp_path: Path) -> None:
        rows = [asked(nothing(), (0, 9), group=f"g{at % 3}") for at in range(6)]
        side = read_side(self.written(tmp_path / "a.jsonl", *rows), None)
        whole = report([judged(row) for row in rows]).whole
        assert {name: found.measure for name, found in side.metrics.items()} == whole.metrics


class TestDataset:
    def read(self, folder: Path, **more: object) -> Question:
        path = folder / "questions.jsonl"
        path.write_text(json.dumps({**ROW, **more}), encoding="utf-8")
        (question,) = read_questions(path)
        return question

    def test_facts_and_labels_are_read_where_a_row_has_them(self, tmp_path: Path) -> None:
        labels = [{"claim": "It stops.", "label": "supported"}]
        question = self.read(tmp_path, facts=["at 80 degrees"], labels=labels)
        assert question.wanted == ("at 80 degrees",)
        assert question.label_of("It\nstops.") is Label.SUPPORTED
        assert question.label_of("It starts.") is None
        assert self.read(tmp_path).wanted == ("stops at 80",)

    @pytest.mark.parametrize(
        ("more", "code", "place"),
        [
            ({"facts": [" "]}, "wrong_type", "facts[0]"),
            ({"facts": ["A."], "gold": [], "answerable": False}, "bad_facts", "facts"),
            ({"labels": [{"claim": "It stops.", "label": "yes"}]}, "wrong_type", "labels[0].label"),
            (
                {"labels": [{"claim": "It stops.", "label": each} for each in ("supported", "unresolved")]},
                "duplicate_label",
                "labels[1]",
            ),
        ],
    )
    def test_what_is_wrong_with_them_is_told_with_its_place(
        self, tmp_path: Path, more: dict[str, object], code: str, place: str
    ) -> None:
        with pytest.raises(InputError) as caught:
            self.read(tmp_path, **more)
        assert (caught.value.code, caught.value.where) == (code, f"{tmp_path / 'questions.jsonl'}:1: {place}")

    def test_a_group_of_questions_is_hashed_as_one_of_claims_is(self, tmp_path: Path) -> None:
        question = self.read(tmp_path)
        assert hashed_into(question, "c")  # SHA-256 of "g": cd0aa985...
        assert not hashed_into(question, "0123456789abdef")
