from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import threading
from collections.abc import Sequence
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.cli import Run, called, workspace, write
from tests.samples.tiny_models import CLASSES, classifier, digest, folder, tokenizer
from toulmin.adapters.onnx import LocalJudge, Stated, onnx_judge
from toulmin.adapters.onnx.judge import CLAIM_TOO_LONG, EVIDENCE_TOO_LONG, OTHER_LANGUAGE
from toulmin.domain.claims.opinion import Opinion, Probabilities
from toulmin.domain.claims.unit import Cited, ReviewUnit
from toulmin.domain.errors import InputError, ToulminError
from toulmin.domain.outcome import SearchOnlyReason
from toulmin.ports.judge import Matter, NotJudged, Query
from toulmin.testing.judge import answers, unit_of
from toulmin.testing.judge import opinions as told

CLAIM = "The pump is blue."


def judge_in(place: Path, *, deadline_s: float = 30, threads: int | None = None, **stated: Any) -> LocalJudge:
    return onnx_judge(Stated(folder=place, **stated), deadline_s=deadline_s, threads=threads)


def opinions(judge: LocalJudge, units: Sequence[ReviewUnit]) -> tuple[Opinion, ...]:
    return told(asyncio.run(judge.support(units)))


def given(judge: LocalJudge, *passages: str, claim: str = CLAIM) -> Probabilities:
    (opinion,) = opinions(judge, [unit_of(claim, *passages)])
    assert opinion.probabilities is not None, opinion.why
    return opinion.probabilities


@pytest.fixture
def judge(tmp_path: Path) -> LocalJudge:
    return judge_in(folder(tmp_path / "tiny"))


class TestVerdicts:
    def test_it_gives_the_models_probabilities_by_class(self, judge: LocalJudge) -> None:
        assert given(judge, "It is granted.").supported == pytest.approx(0.99897, abs=1e-5)
        assert given(judge, "It is denied.").contradicted == pytest.approx(0.99897, abs=1e-5)
        assert given(judge, "It is here.").unresolved == pytest.approx(0.78699, abs=1e-5)

    def test_the_claim_is_not_taken_for_evidence(self, judge: LocalJudge) -> None:
        assert given(judge, "It is here.", claim="The pump is granted.").unresolved > 0.7

    @pytest.mark.parametrize("labels", list(permutations(CLASSES)))
    def test_the_order_of_the_outputs_is_what_is_stated(self, tmp_path: Path, labels: tuple[str, ...]) -> None:
        judge = judge_in(folder(tmp_path, classifier(labels), labels=labels))
        assert given(judge, "It is granted.").supported > 0.99
        assert given(judge, "It is denied.").contradicted > 0.99

    def test_which_text_it_reads_first_is_what_is_stated(self, tmp_path: Path) -> None:
        place, claim = folder(tmp_path), "The pump is granted."
        by_manifest = judge_in(folder(tmp_path / "other", first="claim"))
        assert given(judge_in(place, first="claim"), "It is here.", claim=claim).supported > 0.99
        assert given(by_manifest, "It is here.", claim=claim).supported > 0.99
        assert given(judge_in(tmp_path / "other", first="evidence"), "It is here.", claim=claim).unresolved > 0.7

    def test_no_order_of_evidence_beside_it_and_no_padding_changes_an_opinion(self, tmp_path: Path) -> None:
        padded = judge_in(folder(tmp_path / "padded", tokens=tokenizer(max_length=48)))
        units = [unit_of(CLAIM, f"It is {'very ' * at}likely.") for at in range(40)]
        alone = [opinions(padded, [unit])[0] for unit in units]
        assert list(opinions(padded, units)) == list(opinions(padded, units[::-1]))[::-1] == alone
        plain = judge_in(folder(tmp_path / "plain"))
        assert list(opinions(plain, units)) == alone

    def test_a_model_without_token_types_judges_too(self, tmp_path: Path) -> None:
        model = classifier(inputs=("input_ids", "attention_mask"))
        assert given(judge_in(folder(tmp_path, model)), "It is granted.").supported > 0.99

    def test_it_answers_no_other_questions(self, judge: LocalJudge) -> None:
        query = Query(matter=Matter.SUFFICIENT, question="Is it?", passages=("It is granted.",))
        assert answers(asyncio.run(judge.answer([query, query]))) == (None, None)


FILLER = "Something else stands in this sentence of the manual. "


class TestLongEvidence:
    def test_the_window_that_supports_most_decides_wherever_it_is(self, judge: LocalJudge) -> None:
        for before, after in ((0, 30), (15, 15), (30, 0)):
            words = FILLER * before + "It is granted. " + FILLER * after
            assert given(judge, words).supported > 0.99

    def test_no_file_of_the_tokenizer_cuts_it(self, tmp_path: Path) -> None:
        judge = judge_in(folder(tmp_path, tokens=tokenizer(max_length=16)))
        assert given(judge, FILLER * 3 + "It is granted.").supported > 0.99

    def test_a_contradiction_elsewhere_counts_where_it_speaks_about_the_same(self, judge: LocalJudge) -> None:
        about = given(judge, "It is granted. " + FILLER * 20 + "The pump is not blue, it is denied.")
        assert about.contradicted > 0.99
        assert about.supported < 0.01
        aside = given(judge, "The blue pump is granted. " + FILLER * 20 + "The tank is denied.")
        assert aside.supported > 0.99

    def test_passages_are_never_joined_and_any_may_support(self, judge: LocalJudge) -> None:
        alone = given(judge, "It is likely.").supported
        assert given(judge, "It is likely.", "It is likely.").supported == pytest.approx(alone)
        assert given(judge, "It is likely. It is likely.").supported > alone + 0.1
        assert given(judge, "It is here.", "It is granted.").supported > 0.99

    def test_a_claim_that_is_too_long_is_not_judged(self, judge: LocalJudge) -> None:
        long = unit_of("The pump is very " + "old and " * 40 + "blue.", "It is granted.")
        assert opinions(judge, [long]) == (CLAIM_TOO_LONG,)

    def test_a_sentence_that_is_too_long_is_not_cut_and_leaves_a_claim_about_it_open(self, judge: LocalJudge) -> None:
        long = "The blue pump is granted " + "and so on " * 40 + "but it is not so."
        assert opinions(judge, [unit_of(CLAIM, long)]) == (EVIDENCE_TOO_LONG,)
        assert opinions(judge, [unit_of(CLAIM, f"{long} It is granted.")]) == (EVIDENCE_TOO_LONG,)
        aside = "Something else " + "and so on " * 40 + "stands here."
        assert given(judge, f"{aside} The blue pump is granted.").supported > 0.99

    def test_a_passage_in_a_language_that_the_model_does_not_read_is_left_out(self, tmp_path: Path) -> None:
        judge = judge_in(folder(tmp_path, languages=["en"]))
        german, english = (Cited(words="It is granted.", language=tag) for tag in ("de-DE", "en-GB"))
        unknown = Cited(words="It is granted.")
        only, both, open_ = opinions(
            judge, [ReviewUnit(claim=CLAIM, passages=cited) for cited in ((german,), (german, english), (unknown,))]
        )
        assert only == OTHER_LANGUAGE
        assert both.probabilities == open_.probabilities
        assert both.probabilities is not None


class TestThreads:
    def test_no_more_are_used_than_is_stated(self, tmp_path: Path) -> None:
        judge = judge_in(folder(tmp_path), threads=1)
        before = threads()
        opinions(judge, [unit_of(CLAIM, "It is likely.")] * 300)
        assert len(threads() - before) == 1

    def test_it_is_loaded_once_and_only_when_it_is_needed(self, tmp_path: Path) -> None:
        place = folder(tmp_path)
        judge = judge_in(place)
        profile = judge.profile
        given(judge, "It is granted.")
        (place / "model.onnx").write_bytes(b"")
        assert given(judge, "It is granted.").supported > 0.99
        assert judge.profile == profile

    def test_a_judgement_ends_at_its_deadline(self, tmp_path: Path) -> None:
        judge = judge_in(folder(tmp_path), deadline_s=0.001)
        found = asyncio.run(judge.support([unit_of(CLAIM, FILLER * 200)] * 64))
        assert isinstance(found, NotJudged)
        assert (found.reason, found.detail) == (SearchOnlyReason.TIMEOUT, "deadline")

    def test_the_engine_is_imported_with_the_first_judgement(self) -> None:
        script = "import sys, toulmin.surfaces.wiring; print(sorted({'numpy', 'onnxruntime', 'tokenizers'} & sys.modules.keys()))"
        done = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True, timeout=60)
        assert done.stdout.strip() == "[]"


def threads() -> set[int | None]:
    return {thread.ident for thread in threading.enumerate() if thread.name.startswith("toulmin-judge")}


def refused(place: Path, **stated: Any) -> InputError:
    """Why there is no judge for a folder."""
    with pytest.raises(InputError) as caught:
        judge_in(place, **stated)
    return caught.value


def unusable(place: Path, **stated: Any) -> ToulminError:
    """Why a model cannot be used; a judgement says the same by its code."""
    judge = judge_in(place, **stated)
    found = asyncio.run(judge.support([unit_of(CLAIM, "It is granted.")]))
    with pytest.raises(ToulminError) as caught:
        judge.load()
    assert isinstance(found, NotJudged)
    assert (found.reason, found.detail) == (SearchOnlyReason.PROVIDER_ERROR, caught.value.code)
    return caught.value


class TestWhatIsWrong:
    def test_without_the_extra_the_error_names_the_command_that_installs_it(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("toulmin.adapters.onnx.find_spec", lambda _name: None)
        fault = refused(folder(tmp_path))
        assert fault.code == "missing_extra"
        assert 'pip install "toulmin[models]"' in str(fault)

    @pytest.mark.parametrize("file", ["model.onnx", "tokenizer.json"])
    def test_a_file_that_is_not_there_is_named(self, tmp_path: Path, file: str) -> None:
        (folder(tmp_path) / file).unlink()
        fault = refused(tmp_path)
        assert (fault.code, fault.message, fault.where) == ("missing_file", f"there is no {file}", str(tmp_path))

    @pytest.mark.parametrize("file", ["model.onnx", "tokenizer.json"])
    def test_a_file_with_another_digest_is_not_used(self, tmp_path: Path, file: str) -> None:
        place = folder(tmp_path)
        with (place / file).open("ab") as out:
            out.write(b"\n")
        fault = unusable(place)
        assert (fault.code, fault.where) == ("wrong_digest", str(place / file))

    def test_a_digest_in_the_settings_goes_before_that_of_the_manifest(self, tmp_path: Path) -> None:
        place = folder(tmp_path)
        assert unusable(place, model_sha256="0" * 64).code == "wrong_digest"
        (place / "model.onnx").write_bytes(classifier(weight=2.0))
        assert given(judge_in(place, model_sha256=digest(classifier(weight=2.0))), "It is granted.").supported > 0.999

    def test_a_digest_that_nobody_states_is_asked_for(self, tmp_path: Path) -> None:
        (folder(tmp_path) / "manifest.json").unlink()
        fault = refused(tmp_path, labels=CLASSES)
        assert fault.code == "missing_key"
        assert "model_sha256" in str(fault)

    def test_labels_that_nobody_states_are_asked_for(self, tmp_path: Path) -> None:
        (folder(tmp_path) / "manifest.json").unlink()
        fault = refused(tmp_path, model_sha256=digest(classifier()))
        assert fault.code == "missing_key"
        assert "labels = [" in str(fault)

    def test_without_a_manifest_all_can_be_stated(self, tmp_path: Path) -> None:
        labels = ("contradicted", "unresolved", "supported")
        place = folder(tmp_path / "other", classifier(labels))
        (place / "manifest.json").unlink()
        judge = judge_in(place, labels=labels, model_sha256=digest(classifier(labels)), max_tokens=40)
        assert judge.profile.startswith("onnx/1 other ")
        assert given(judge, "It is granted.").supported > 0.99

    def test_labels_in_another_order_than_the_manifests_are_refused(self, tmp_path: Path) -> None:
        fault = refused(folder(tmp_path), labels=CLASSES[::-1])
        assert fault.code == "bad_labels"
        assert "manifest.json says supported, contradicted, unresolved" in fault.message

    @pytest.mark.parametrize(
        ("named", "said"),
        [
            ({"0": "ENTAILMENT", "1": "neutral", "2": "contradiction"}, "output 1 'neutral'"),
            ({"0": "entailment", "1": "contradiction", "2": "neutral", "3": "other"}, "output 3 'other'"),
        ],
    )
    def test_labels_in_another_order_than_the_models_own_are_refused(
        self, tmp_path: Path, named: dict[str, str], said: str
    ) -> None:
        config = folder(tmp_path) / "config.json"
        config.write_text(json.dumps({"id2label": named}), encoding="utf-8")
        fault = refused(tmp_path)
        assert (fault.code, said in fault.message) == ("bad_labels", True)

    @pytest.mark.parametrize(
        "config",
        [
            {"id2label": {"0": "entailment", "1": "contradiction", "2": "neutral"}},
            {"id2label": {"0": "LABEL_0"}},
            {},
            [],
        ],
    )
    def test_a_configuration_that_agrees_or_does_not_say_is_no_trouble(self, tmp_path: Path, config: object) -> None:
        (folder(tmp_path) / "config.json").write_text(json.dumps(config), encoding="utf-8")
        assert given(judge_in(tmp_path), "It is granted.").supported > 0.99

    @pytest.mark.parametrize(
        ("change", "code", "said"),
        [
            ({"labels": ["supported", "contradicted"]}, "bad_labels", "manifest.json:1: labels"),
            ({"labels": ["supported"] * 3}, "bad_labels", "name each of supported, contradicted, unresolved once"),
            ({"labels": ["entailment", "contradicted", "unresolved"]}, "wrong_type", "labels[0]"),
            ({"sha256": {"model.onnx": "A" * 64}}, "wrong_type", "64 hex digits"),
            ({"max_tokens": 0}, "wrong_type", "max_tokens"),
            ({"first": "premise"}, "wrong_type", "evidence, claim"),
            ({"schema": "toulmin.judge/2"}, "wrong_type", "toulmin.judge/1"),
            ({"name": None}, "missing_key", "key name is missing"),
            ({"lables": CLASSES}, "unknown_key", "write labels"),
        ],
    )
    def test_a_wrong_manifest_is_refused_with_its_place(
        self, tmp_path: Path, change: dict[str, Any], code: str, said: str
    ) -> None:
        fault = refused(folder(tmp_path, **change))
        assert fault.code == code
        assert said in str(fault)

    @pytest.mark.parametrize(
        ("model", "said"),
        [
            (b"no model", "it cannot be loaded"),
            (classifier(inputs=("input_ids", "pixel_values")), "its inputs are input_ids, pixel_values"),
            (classifier(outputs=("scores", "hidden")), "its outputs are scores, hidden, and none is called logits"),
            (classifier(("supported", "contradicted")), "its output has the shape (1, 2) and not (1, 3)"),
            (classifier((*CLASSES, "other")), "its output has the shape (1, 4) and not (1, 3)"),
        ],
    )
    def test_a_model_of_another_shape_is_refused(self, tmp_path: Path, model: bytes, said: str) -> None:
        fault = unusable(folder(tmp_path, model))
        assert fault.code == "bad_model"
        assert said in fault.message

    def test_an_output_by_another_name_is_taken_where_it_is_the_only_one(self, tmp_path: Path) -> None:
        assert given(judge_in(folder(tmp_path, classifier(outputs=("scores",)))), "It is granted.").supported > 0.99

    def test_a_tokenizer_that_is_none_is_refused(self, tmp_path: Path) -> None:
        assert unusable(folder(tmp_path, tokens=b"{}")).code == "bad_tokenizer"

    def test_a_model_that_gives_no_numbers_is_refused(self, tmp_path: Path) -> None:
        assert unusable(folder(tmp_path, classifier(weight=float("nan")))).code == "model_failed"

    def test_a_model_that_reads_less_than_is_stated_has_no_opinion_on_what_it_fails_on(self, tmp_path: Path) -> None:
        judge = judge_in(folder(tmp_path, classifier(positions=20), max_tokens=64))
        short, long = opinions(judge, [unit_of(CLAIM, "It is granted."), unit_of(CLAIM, FILLER * 4)])
        assert short.probabilities is not None
        assert long.probabilities is None
        assert "the model fails" in (long.why or "")


def test_the_profile_names_all_that_an_opinion_hangs_on(tmp_path: Path) -> None:
    first = judge_in(folder(tmp_path / "a")).profile
    assert first == judge_in(folder(tmp_path / "b")).profile
    others = [
        judge_in(folder(tmp_path / "c", classifier(weight=2.0))).profile,
        judge_in(folder(tmp_path / "d", tokens=tokenizer(max_length=9))).profile,
        judge_in(folder(tmp_path / "e", classifier(CLASSES[::-1]), labels=CLASSES[::-1])).profile,
        judge_in(folder(tmp_path / "a"), max_tokens=32).profile,
        judge_in(folder(tmp_path / "a"), first="claim").profile,
    ]
    assert len({first, *others}) == 6
    assert first.startswith("onnx/1 tiny 1 ")


class TestInAWorkspace:
    """By the commands that a user has."""

    def desk(self, tmp_path: Path, judge: str = 'model_dir = "models/tiny"') -> Path:
        place = workspace(tmp_path / "desk", settings=f'[judge]\nkind = "onnx"\n{judge}\n')
        folder(place / "models" / "tiny")
        return place

    def doctor(self, place: Path) -> tuple[int, Any]:
        run = called("doctor", "--json", at=place)
        (found,) = (check for check in run.json["checks"] if check["name"] == "judge")
        return run.code, found

    def reviewed(self, place: Path, *arguments: str) -> Run:
        row = {"id": "r", "claim": "The pump is painted blue.", "evidence": "The painted pump is blue and granted."}
        write(place, {"pairs.jsonl": json.dumps(row) + "\n"})
        return called("review", "pairs.jsonl", *arguments, "--json", at=place)

    def test_claims_are_judged_on_this_host(self, tmp_path: Path) -> None:
        (result,) = self.reviewed(self.desk(tmp_path)).json["results"]
        assert result["verdict"] == "supported"
        assert result["probabilities"]["supported"] == pytest.approx(0.99, abs=0.01)

    def test_doctor_says_whether_it_works(self, tmp_path: Path) -> None:
        code, found = self.doctor(self.desk(tmp_path))
        assert (code, found["grade"]) == (0, "warning")
        assert found["message"].startswith("onnx/1 tiny 1 ")
        assert "gives probabilities, and is right about" in found["message"]

    def test_doctor_tells_what_the_manifest_says_of_its_worth_as_long_as_it_is_used_in_that_way(
        self, tmp_path: Path
    ) -> None:
        rate = {"value": 0.1, "low": 0.05, "high": 0.2}
        worth = {"on": "w", "claims": 9, "supported": 0.8, "unsupported_claim_rate": rate, "false_rejection_rate": rate}
        for at, (setting, grade) in enumerate((("", "well"), ("max_tokens = 32", "warning"))):
            place = self.desk(tmp_path / str(at), f'model_dir = "models/tiny"\n{setting}')
            folder(place / "models" / "tiny", worth=worth)
            _, found = self.doctor(place)
            assert found["grade"] == grade
            assert ("on 9 labelled claims (w)" in found["message"]) == (grade == "well")

    def test_doctor_says_in_words_what_is_wrong_with_the_files(self, tmp_path: Path) -> None:
        place = self.desk(tmp_path)
        (place / "models" / "tiny" / "model.onnx").write_bytes(b"changed")
        code, found = self.doctor(place)
        assert (code, found["grade"], found["facts"]["code"]) == (8, "wrong", "wrong_digest")
        assert "model.onnx" in found["message"]
        assert self.reviewed(place).json["results"][0]["verdict"] == "unresolved"

    def test_a_wrong_setting_is_named_with_its_key(self, tmp_path: Path) -> None:
        for setting, said in (
            ('labels = ["supported", "contradicted"]', "judge.labels"),
            ('model_sha256 = "abc"', "judge.model_sha256"),
            ("max_tokens = 8", "judge.max_tokens"),
            ("threads = 0", "judge.threads"),
        ):
            run = self.reviewed(self.desk(tmp_path / said, f'model_dir = "models/tiny"\n{setting}'))
            assert (run.code, said in run.json["where"]) == (2, True), run.json

    def test_without_a_folder_the_installed_package_judges(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        place = self.desk(tmp_path, "")
        with monkeypatch.context() as without:
            without.setitem(sys.modules, "toulmin_judge", None)  # as if it were not installed
            run = self.reviewed(place)
        assert (run.code, run.json["code"]) == (2, "missing_judge")
        assert "pip install toulmin-judge" in run.json["remedy"]
        write(folder(tmp_path / "site" / "toulmin_judge"), {"__init__.py": "raise ImportError"})
        monkeypatch.syspath_prepend(tmp_path / "site")
        assert self.reviewed(place).json["results"][0]["verdict"] == "supported"

    def test_it_is_measured_like_any_other(self, tmp_path: Path) -> None:
        place = self.desk(tmp_path)
        rows = [
            {"claim": "The pump is painted blue.", "passage": f"The painted pump is blue and {word}.", "label": label}
            for word, label in (("granted", "supported"), ("denied", "contradicted"))
        ]
        write(place, {"claims.jsonl": "".join(json.dumps(row) + "\n" for row in rows)})
        run = called("eval", "claims", "claims.jsonl", "--judge", "onnx", "--json", at=place)
        assert run.json["metrics"]["accuracy"]["value"] == 1
