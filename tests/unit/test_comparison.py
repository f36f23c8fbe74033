from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from toulmin.domain.claims.unit import Cited, ReviewUnit
from toulmin.domain.errors import InputError
from toulmin.evaluation import retrieval
from toulmin.evaluation.comparison import Comparison, compared, compared_by_phenomenon, comparison_json, read_side
from toulmin.evaluation.labels import Label, LabelledClaim
from toulmin.evaluation.relevance import Ranking
from toulmin.evaluation.results import Assessed, Results, lines, results_json
from toulmin.evaluation.rulings import Ruling, majority

S, C, U, N = Label.SUPPORTED, Label.CONTRADICTED, Label.UNRESOLVED, Label.NOT_SUPPORTED
UNIT = ReviewUnit(claim="C.", passages=(Cited(words="P."),))


def results(verdicts: Sequence[Label], *, judge: str = "llm", first: int = 0, label: Label = C) -> Results:
    """Claims `first`, `first + 1`, ... with these verdicts, labelled supported and otherwise in turns."""
    claims = tuple(
        LabelledClaim(id=f"c{at}", unit=UNIT, label=S if at % 2 else label, group=f"g{at}")
        for at in range(first, first + len(verdicts))
    )
    judges = (Assessed.of(judge, claims, [Ruling(verdict=verdict, objections=()) for verdict in verdicts]),)
    baselines = (Assessed.of("majority", claims, majority(claims)),)
    return Results(claims=claims, policy="p", threshold=0.79, judges=judges, baselines=baselines)


def as_json(path: Path, found: Results) -> Path:
    path.write_text(json.dumps(results_json(found)), encoding="utf-8")
    return path


def as_lines(path: Path, found: Results) -> Path:
    data = "".join(f"{json.dumps(line)}\n" for line in lines(found)).encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


def difference(a: Path, b: Path, *, judges: tuple[str | None, str | None] = (None, None)) -> Comparison:
    return compared(read_side(a, judges[0]), read_side(b, judges[1]))


def values(found: Comparison, name: str) -> tuple[float | None, float | None, float | None]:
    item = found.metrics[name]
    return item.a.value, item.b.value, item.difference.value


def test_two_files_of_verdicts_are_compared_claim_by_claim(tmp_path: Path) -> None:
    a = as_lines(tmp_path / "a.jsonl", results([U] * 40))
    b = as_lines(tmp_path / "b.jsonl.gz", results([U, S] * 10 + [U, U] * 10))
    found = difference(a, b)
    assert (found.paired, found.only_a, found.only_b) == (40, 0, 0)
    assert (found.a, found.b) == ("a.jsonl: llm", "b.jsonl.gz: llm")
    assert values(found, "false_rejection_rate") == (1.0, 0.5, -0.5)
    assert found.metrics["false_rejection_rate"].claimed is True
    assert found.metrics["false_accept_rate"].claimed is False


def test_the_same_difference_is_claimed_of_the_same_claims_and_not_of_two_samples(tmp_path: Path) -> None:
    one, other = results([S, U] * 15 + [U, S] * 15), results([S, U] * 11 + [U, S] * 19)
    paired = difference(as_lines(tmp_path / "a.jsonl", one), as_lines(tmp_path / "b.jsonl", other))
    apart = difference(as_json(tmp_path / "a.json", one), as_json(tmp_path / "b.json", other))
    assert apart.paired is None
    assert values(paired, "balanced_accuracy") == pytest.approx(values(apart, "balanced_accuracy"))
    assert (paired.metrics["balanced_accuracy"].claimed, apart.metrics["balanced_accuracy"].claimed) == (True, False)


def test_phenomena_are_compared_row_by_row_each_on_its_own(tmp_path: Path) -> None:
    def some(verdicts: Sequence[Label], phenomena: Sequence[str | None]) -> Results:
        found = results(verdicts)
        named = tuple(
            replace(claim, phenomenon=phenomenon) for claim, phenomenon in zip(found.claims, phenomena, strict=True)
        )
        return replace(found, claims=named)

    phenomena = ["number"] * 20 + ["negation"] * 20 + [None, None]
    a = as_lines(tmp_path / "a.jsonl", some([U] * 42, phenomena))
    b = as_lines(tmp_path / "b.jsonl", some([U, S] * 10 + [U, U] * 11, phenomena))
    found = compared_by_phenomenon(read_side(a, None), read_side(b, None))
    assert {name: part.paired for name, part in found.items()} == {"negation": 20, "not stated": 2, "number": 20}
    assert values(found["number"], "false_rejection_rate") == (1.0, 0.0, -1.0)
    assert values(found["negation"], "false_rejection_rate") == (1.0, 1.0, 0.0)
    claimed = {name: part.metrics["false_rejection_rate"].claimed for name, part in found.items()}
    assert claimed == {"negation": False, "not stated": False, "number": True}


def test_without_phenomena_or_shared_rows_there_is_none_to_compare_by(tmp_path: Path) -> None:
    a = as_lines(tmp_path / "a.jsonl", results([S, U]))
    other = as_lines(tmp_path / "b.jsonl", results([S, U], first=10))
    for b in (a, other):
        assert compared_by_phenomenon(read_side(a, None), read_side(b, None)) == {}


def test_a_result_has_no_difference_from_itself(tmp_path: Path) -> None:
    a = as_lines(tmp_path / "a.jsonl", results([S, U, U, S, C, S] * 5))
    assert {item.claimed for item in difference(a, a).metrics.values()} <= {False, None}


def test_claims_that_one_side_has_alone_are_left_out_and_counted(tmp_path: Path) -> None:
    a, b = as_lines(tmp_path / "a.jsonl", results([S] * 10)), as_lines(tmp_path / "b.jsonl", results([S] * 10, first=4))
    found = difference(a, b)
    assert (found.paired, found.only_a, found.only_b) == (6, 4, 4)


def test_files_without_a_claim_in_common_are_two_samples(tmp_path: Path) -> None:
    a, b = as_lines(tmp_path / "a.jsonl", results([S] * 4)), as_lines(tmp_path / "b.jsonl", results([U] * 4, first=4))
    assert difference(a, b).paired is None


def test_metrics_and_verdicts_can_be_compared_as_two_samples(tmp_path: Path) -> None:
    a, b = as_lines(tmp_path / "a.jsonl", results([U, S] * 4)), as_json(tmp_path / "b.json", results([U, U] * 4))
    assert values(difference(a, b), "false_rejection_rate") == (0.0, 1.0, 1.0)


def test_counts_are_exact_and_nothing_is_claimed_of_them(tmp_path: Path) -> None:
    a, b = as_json(tmp_path / "a.json", results([S, S])), as_json(tmp_path / "b.json", results([U, S]))
    item = difference(a, b).metrics["delivered"]
    assert (item.difference.value, item.claimed) == (-1, None)


def test_what_one_side_has_no_value_for_has_no_difference(tmp_path: Path) -> None:
    a, b = as_lines(tmp_path / "a.jsonl", results([U] * 4)), as_lines(tmp_path / "b.jsonl", results([S] * 4))
    item = difference(a, b).metrics["unsupported_claim_rate"]
    assert (item.a.value, item.b.value, item.difference.value, item.claimed) == (None, 0.5, None, None)


def test_a_judge_can_be_compared_with_a_baseline_of_the_same_file(tmp_path: Path) -> None:
    for name, write in (("a.jsonl", as_lines), ("a.json", as_json)):
        path = write(tmp_path / name, results([U, S] * 10))
        found = difference(path, path, judges=("majority", "llm"))
        assert (found.a, found.b) == (f"{name}: majority", f"{name}: llm")
        assert found.metrics["accuracy"].difference.value == pytest.approx(0.0)


def test_the_json_of_a_comparison_has_both_sides_and_their_difference(tmp_path: Path) -> None:
    a = as_json(tmp_path / "a.json", results([U, S] * 10))
    shape = json.loads(json.dumps(comparison_json(difference(a, a))))
    assert shape["schema"] == "toulmin.eval-comparison/1"
    assert (shape["kind"], shape["paired"]) == ("claims", None)
    assert shape["metrics"]["accuracy"]["difference"]["value"] == 0
    assert shape["metrics"]["accuracy"]["claimed"] is False


def refusal(a: Path, b: Path, judge: str | None = None) -> InputError:
    with pytest.raises(InputError) as caught:
        difference(a, b, judges=(judge, judge))
    return caught.value


def test_a_claim_with_two_labels_is_refused(tmp_path: Path) -> None:
    a, b = as_lines(tmp_path / "a.jsonl", results([S] * 4)), as_lines(tmp_path / "b.jsonl", results([S] * 4, label=U))
    fault = refusal(a, b)
    assert fault.code == "labels_differ"
    assert "'c0'" in fault.message


def test_results_of_two_kinds_are_refused(tmp_path: Path) -> None:
    other = {"schema": "toulmin.eval/1", "kind": "retrieval", "n": 0, "metrics": {}, "by": {}}
    b = tmp_path / "b.json"
    b.write_text(json.dumps(other), encoding="utf-8")
    assert (
        refusal(as_json(tmp_path / "a.json", results([S])), b).message
        == "a.json: llm is about claims, b.json: retrieval about retrieval"
    )


def test_an_unknown_judge_names_the_nearest_and_several_ask_for_one(tmp_path: Path) -> None:
    one = results([S, U])
    several = Results(
        claims=one.claims,
        policy="p",
        threshold=0.79,
        judges=(*one.judges, *results([S, U], judge="oracles").judges),
        baselines=(),
    )
    for path in (as_json(tmp_path / "a.json", several), as_lines(tmp_path / "a.jsonl", several)):
        assert refusal(path, path, "oracle").remedy == "write oracles"
        fault = refusal(path, path)
        assert fault.message == f"{path} holds 2 judges: llm, oracles"
        assert fault.remedy == "name one with --judge"


@pytest.mark.parametrize(
    ("content", "code"),
    [
        ('{"schema": "toulmin.eval/2", "kind": "claims"}', "wrong_type"),
        ('{"kind": "claims"}', "missing_key"),
        (
            '{"schema": "toulmin.eval/1", "kind": "claims", "metrics": {"a": {"value": "1", "low": 0, "high": 1}}}',
            "wrong_type",
        ),
        ("[]", "wrong_type"),
        ("", "bad_json"),
    ],
)
def test_a_file_that_is_no_result_is_refused(tmp_path: Path, content: str, code: str) -> None:
    path = tmp_path / "a.json"
    path.write_text(content, encoding="utf-8")
    fault = refusal(path, path)
    assert fault.code == code
    assert str(path) in (fault.where or "")


def searched(path: Path, ranks: Sequence[int | None], *, ideal: tuple[float, ...] = (1.0,)) -> Path:
    """Rows of `eval retrieval`: questions with a relevant thing at these ranks, None where there is nothing to be found."""
    judged = tuple(
        retrieval.Judged(
            id=f"q{at}",
            question="Which?",
            group=f"g{at}",
            ranking=None if rank is None else Ranking(gains=(*[0.0] * (rank - 1), 1.0), ideal=ideal),
        )
        for at, rank in enumerate(ranks)
    )
    found = retrieval.Results(dataset="d", rows=judged, k=5)
    path.write_text("".join(f"{json.dumps(line)}\n" for line in retrieval.lines(found)), encoding="utf-8")
    return path


def test_two_files_of_searches_are_compared_question_by_question(tmp_path: Path) -> None:
    a = searched(tmp_path / "a.jsonl", [2] * 20 + [7] * 20 + [None])
    b = searched(tmp_path / "b.jsonl", [1] * 20 + [7] * 20 + [None])
    found = difference(a, b)
    assert (found.kind, found.paired, found.a) == ("retrieval", 41, "a.jsonl: retrieval")
    assert values(found, "mrr@10")[2] == pytest.approx(0.25)
    assert found.metrics["mrr@10"].claimed is True
    assert values(found, "recall@5") == (0.5, 0.5, 0.0)
    assert found.metrics["recall@5"].claimed is False


def test_searches_for_other_relevant_things_are_not_compared(tmp_path: Path) -> None:
    a, b = searched(tmp_path / "a.jsonl", [1]), searched(tmp_path / "b.jsonl", [1], ideal=(2.0, 1.0))
    assert refusal(a, b).code == "labels_differ"
