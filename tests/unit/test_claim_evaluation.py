from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from math import sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toulmin.evaluation.claims import (
    TRADED,
    Judged,
    by_oracle,
    calibration_error,
    confusion,
    estimates,
    names,
    reliability,
    report,
    tradeoff,
)
from toulmin.evaluation.intervals import NOTHING
from toulmin.evaluation.labels import CLASSES, Label
from toulmin.evaluation.report import Bound, Slice, report_json

S, C, U, N = Label.SUPPORTED, Label.CONTRADICTED, Label.UNRESOLVED, Label.NOT_SUPPORTED


def row(
    label: Label,
    verdict: Label = U,
    supported: float | None = None,
    *,
    group: str | None = None,
    objected: tuple[str, ...] | None = (),
    phenomenon: str | None = None,
    version: str | None = None,
    source_type: str | None = None,
) -> Judged:
    name = f"{label}-{verdict}-{supported}-{objected}"
    return Judged(
        id=name,
        group=name if group is None else group,
        label=label,
        verdict=verdict,
        objected=None if objected is None else frozenset(objected),
        supported=supported,
        phenomenon=phenomenon,
        version=version,
        source_type=source_type,
    )


def rows(*pairs: tuple[Label, Label]) -> list[Judged]:
    """Claims with their labels and verdicts, each a group of its own."""
    return [row(label, verdict, group=str(at)) for at, (label, verdict) in enumerate(pairs)]


def whole(found: Sequence[Judged]) -> Slice:
    return report(found).whole


def scored(*pairs: tuple[Label, float]) -> list[Judged]:
    return [row(label, U, supported, group=str(at)) for at, (label, supported) in enumerate(pairs)]


JUDGED = st.lists(
    st.builds(
        row,
        st.sampled_from(Label),
        st.sampled_from(CLASSES),
        st.none() | st.floats(0, 1),
        group=st.sampled_from("abcdefgh"),
        objected=st.sampled_from([None, (), ("numbers",), ("names", "numbers")]),
        phenomenon=st.none() | st.sampled_from(["number", "negation"]),
    ),
    min_size=1,
    max_size=40,
)


def test_the_rates_are_over_what_they_say_they_are_over() -> None:
    found = whole(rows((S, S), (S, S), (S, U), (S, C), (C, S), (C, C), (U, U), (N, S), (N, U), (N, C)))
    assert found.counts["delivered"] == 4
    assert found.counts["false_accepts"] == 2
    assert found.value("unsupported_claim_rate") == 2 / 4
    assert found.value("false_accept_rate") == 2 / 6
    assert found.value("false_rejection_rate") == 2 / 4
    assert found.value("coverage") == 7 / 10
    assert found.value("balanced_accuracy") == pytest.approx((2 / 4 + 4 / 6) / 2)


def test_labels_that_only_say_not_supported_are_left_out_of_what_needs_three_classes() -> None:
    clear = rows((S, S), (C, C), (U, S), (S, U))
    unclear = [*clear, *[row(N, U, group=f"n{at}") for at in range(3)]]
    for name in ("accuracy", "macro_f1"):
        assert whole(unclear).metrics[name] == whole(clear).metrics[name]
    assert whole(unclear).value("accuracy") == 2 / 4
    assert confusion(unclear) == confusion(clear) == ((1, 0, 1), (0, 1, 0), (1, 0, 0))
    assert whole(unclear).counts["labelled_not_supported"] == 3


def test_macro_f1_is_the_mean_over_the_classes_that_are_labelled() -> None:
    found = rows((S, S), (S, S), (S, C), (C, C), (C, U))
    assert whole(found).value("macro_f1") == pytest.approx((2 * 2 / 5 + 2 * 1 / 4) / 2)
    assert whole(rows((S, S), (C, U))).value("macro_f1") == pytest.approx((1 + 0) / 2)


def test_an_undefined_rate_has_no_value_and_is_neither_0_nor_1() -> None:
    found = whole(rows((S, U), (S, C)))
    assert found.metrics["unsupported_claim_rate"] == NOTHING
    assert found.metrics["false_accept_rate"] == NOTHING
    assert found.metrics["balanced_accuracy"] == NOTHING
    assert found.metrics["objected_contradicted"] == NOTHING
    assert found.metrics["auroc"] == NOTHING
    assert found.metrics["brier"] == NOTHING
    assert found.value("false_rejection_rate") == 1
    assert whole(rows((N, U))).metrics["accuracy"] == NOTHING
    assert whole(rows((N, U))).metrics["macro_f1"] == NOTHING


@pytest.mark.parametrize("upper", [True, False])
def test_a_bound_on_an_undefined_rate_is_missed_in_words(upper: bool) -> None:
    bound = Bound(name="unsupported_claim_rate", limit=0.02, upper=upper)
    fault = bound.fault(report(rows((S, U), (C, U))))
    assert fault == "unsupported_claim_rate could not be measured: it is over no row of the dataset, 0 of 0"


def test_objections_are_counted_by_label() -> None:
    found = whole(
        [
            row(S, U, objected=("numbers",), group="1"),
            row(S, U, group="2"),
            row(C, C, objected=("numbers",), group="3"),
            row(C, U, group="4"),
            row(U, U, objected=("numbers",), group="5"),
            row(N, U, objected=("numbers",), group="6"),
        ]
    )
    values = {
        name: found.value(f"objected_{name}") for name in ("supported", "contradicted", "unresolved", "not_supported")
    }
    assert values == {"supported": 1 / 2, "contradicted": 1 / 2, "unresolved": 1, "not_supported": 3 / 4}


def test_each_oracle_has_its_own_share_of_supported_and_other_claims() -> None:
    found = by_oracle(
        [
            row(S, U, objected=("names",), group="1"),
            row(S, U, objected=(), group="2"),
            row(C, U, objected=("names", "numbers"), group="3"),
            row(U, U, objected=("numbers",), group="4"),
            row(N, U, objected=None, group="5"),
        ]
    )
    assert {name: [measure.value for measure in measures.values()] for name, measures in found.items()} == {
        "names": [1 / 2, 1 / 2, 1.0, 0.0],
        "numbers": [0.0, 1.0, 1.0, 1.0],
    }
    assert list(found["names"])[:2] == ["objected_supported", "objected_not_supported"]
    assert by_oracle([row(S, U)]) == {}


def test_where_nobody_looked_for_objections_there_is_no_rate_of_them() -> None:
    found = whole([row(S, S, objected=None, group="1"), row(C, U, objected=None, group="2")])
    assert found.metrics["objected_supported"] == found.metrics["objected_not_supported"] == NOTHING


def test_auroc_is_the_share_of_pairs_in_the_right_order_and_ties_count_half() -> None:
    found = whole(scored((S, 0.9), (S, 0.5), (C, 0.5), (U, 0.1), (N, 0.7)))
    pairs = [(0.9, other) for other in (0.5, 0.1, 0.7)] + [(0.5, other) for other in (0.5, 0.1, 0.7)]
    right = sum(1.0 if one > other else 0.5 if one == other else 0.0 for one, other in pairs)
    assert found.value("auroc") == pytest.approx(right / 6)


def test_auroc_has_delongs_standard_error() -> None:
    yes, no = [0.9, 0.8, 0.4, 0.35, 0.6], [0.5, 0.3, 0.2, 0.45]
    found = estimates(scored(*((S, score) for score in yes), *((C, score) for score in no)))["auroc"]
    wins = {(one, other): float(one > other) for one, other in product(yes, no)}
    area = sum(wins.values()) / 20
    of_yes = sum((sum(wins[one, other] for other in no) / 4 - area) ** 2 for one in yes) / 25
    of_no = sum((sum(wins[one, other] for one in yes) / 5 - area) ** 2 for other in no) / 16
    assert found.measure.value == pytest.approx(area)
    assert sqrt(sum(pull**2 for pull in found.pulls.values())) == pytest.approx(sqrt(of_yes + of_no))


def test_claims_without_a_probability_are_not_in_auroc_and_brier() -> None:
    given = scored((S, 0.9), (C, 0.2))
    found = whole([*given, row(S, U, None, group="x"), row(C, S, None, group="y")])
    assert found.counts["with_probability"] == 2
    assert found.value("auroc") == 1
    assert found.value("brier") == pytest.approx((0.1**2 + 0.2**2) / 2)


def test_reliability_sets_what_was_said_beside_what_is_labelled() -> None:
    bins = reliability(scored((S, 0.95), (S, 1.0), (C, 0.92), (U, 0.05), (N, 0.0), (S, 0.3)))
    assert [(part.n, part.share.value) for part in bins] == [
        (2, 0.0), (0, None), (0, None), (1, 1.0), (0, None), (0, None), (0, None), (0, None), (0, None), (3, 2 / 3),
    ]  # fmt: skip
    assert bins[9].mean == pytest.approx((0.95 + 1.0 + 0.92) / 3)
    assert (bins[3].low, bins[3].high) == (0.3, 0.4)
    gaps = 2 * 0.025 + 1 * 0.7 + 3 * abs((0.95 + 1.0 + 0.92) / 3 - 2 / 3)
    assert calibration_error(bins) == pytest.approx(gaps / 6)


def test_claims_of_one_group_make_no_bin_surer() -> None:
    apart = [Judged(id=str(at), group=str(at), label=S if at % 2 else C, verdict=U, supported=0.55) for at in range(20)]
    together = [replace(row, group=row.label.value) for row in apart]
    wide, narrow = (reliability(part)[5].share for part in (together, apart))
    assert wide.value == narrow.value == 0.5
    assert wide.low is not None
    assert narrow.low is not None
    assert wide.low < narrow.low


def tried(*given: tuple[Label, Label, float]) -> list[Judged]:
    """Rows with label, verdict, and up to which threshold they are delivered."""
    return [
        Judged(id=str(at), group=str(at), label=label, verdict=verdict, supported=0.5, until=until)
        for at, (label, verdict, until) in enumerate(given)
    ]


class TestTheTradeoff:
    ROWS = ((S, S, 1.0), (S, U, 0.6), (C, S, 0.9), (U, U, 0.0), (C, C, 0.0))

    def test_has_what_each_threshold_would_deliver_strictest_first(self) -> None:
        points = tradeoff(tried(*self.ROWS))
        assert [(point.threshold, point.delivered, point.false_accepts) for point in points] == [
            (1.0, 1, 0), (0.9, 2, 1), (0.6, 3, 1),
        ]  # fmt: skip
        rates = [point.metrics["false_accept_rate"].value for point in points]
        assert rates == [0.0, pytest.approx(1 / 3), pytest.approx(1 / 3)]
        assert [point.metrics["false_rejection_rate"].value for point in points] == [0.5, 0.5, 0.0]

    def test_counts_as_covered_what_is_delivered_or_contradicted(self) -> None:
        coverage = [point.metrics["coverage"].value for point in tradeoff(tried(*self.ROWS))]
        assert coverage == [pytest.approx(2 / 5), pytest.approx(3 / 5), pytest.approx(4 / 5)]

    def test_under_the_thresholds_that_hold_is_what_the_verdicts_come_to(self) -> None:
        rows = tried(*self.ROWS)
        holds = tradeoff(rows)[1]
        whole = report(rows).whole
        assert holds.metrics == {name: whole.metrics[name] for name in TRADED}
        assert (holds.delivered, holds.false_accepts) == (whole.counts["delivered"], whole.counts["false_accepts"])

    def test_begins_at_the_strictest_even_where_that_delivers_nothing(self) -> None:
        points = tradeoff(tried((S, U, 0.7), (C, U, 0.0)))
        assert [(point.threshold, point.delivered) for point in points] == [(1.0, 0), (0.7, 1)]
        assert points[0].metrics["unsupported_claim_rate"].value is None

    def test_is_empty_where_no_threshold_was_tried_or_none_matters(self) -> None:
        assert tradeoff(scored((S, 0.9))) == ()
        assert tradeoff([replace(row, supported=None) for row in tried((S, S, 1.0))]) == ()
        assert tradeoff([]) == ()


def test_without_probabilities_there_is_no_reliability() -> None:
    assert reliability(rows((S, S), (C, C))) == ()
    assert calibration_error(()) is None


def test_a_report_is_broken_down_by_what_rows_say_and_rows_that_do_not_say_are_a_part() -> None:
    found = report(
        [
            row(S, S, phenomenon="number", version="1", group="a"),
            row(C, S, phenomenon="number", version="2", group="b"),
            row(C, C, version="2", group="c"),
        ]
    )
    assert {name: {value: part.n for value, part in parts.items()} for name, parts in found.by.items()} == {
        "phenomenon": {"not stated": 1, "number": 2},
        "source_type": {},
        "version": {"1": 1, "2": 2},
    }
    assert found.by["phenomenon"]["number"].value("false_accept_rate") == 1


def test_the_json_has_the_names_of_the_public_format() -> None:
    shape = json.loads(json.dumps(report_json(report(rows((S, S), (C, U))))))
    assert (shape["schema"], shape["kind"], shape["n"]) == ("toulmin.eval/1", "claims", 2)
    assert list(shape["metrics"])[:7] == [
        "accuracy", "macro_f1", "balanced_accuracy", "unsupported_claim_rate", "false_accept_rate", "false_rejection_rate", "coverage",
    ]  # fmt: skip
    assert list(shape["by"]) == ["phenomenon", "source_type", "version"]
    assert tuple(shape["metrics"]) == names()


@given(JUDGED)
def test_every_metric_lies_in_its_interval_and_both_between_0_and_1(found: list[Judged]) -> None:
    for name, measure in whole(found).metrics.items():
        if measure.value is None:
            assert (measure.low, measure.high) == (None, None), name
            continue
        assert measure.low is not None
        assert measure.high is not None
        assert 0 <= measure.low <= measure.value <= measure.high <= 1, name


@given(JUDGED)
def test_the_order_of_the_rows_changes_no_value(found: list[Judged]) -> None:
    one, other = whole(found), whole(found[::-1])
    assert one.counts == other.counts
    for name, measure in one.metrics.items():
        assert measure.value == pytest.approx(other.metrics[name].value, abs=1e-9)


@given(JUDGED)
def test_the_verdicts_of_the_labels_themselves_are_perfect(found: list[Judged]) -> None:
    right = [row(item.label, item.label, group=item.group) for item in found if item.label is not N]
    metrics = whole(right).metrics
    assert metrics["accuracy"].value in {None, 1.0}
    assert metrics["macro_f1"].value in {None, 1.0}
    assert metrics["false_accept_rate"].value in {None, 0.0}
    assert metrics["false_rejection_rate"].value in {None, 0.0}
