"""Measurement: the numbers of reports, drawn and in words, what two of them differ by, and files that are no reports."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.api.conftest import Running
from tests.web import measured
from tests.web.conftest import Browser, Read, browsing
from toulmin.evaluation.intervals import Measure, in_words
from toulmin.evaluation.results import lines
from toulmin.surfaces.web.figures import calibration_figure, reliability_figure, tradeoff_figure
from toulmin.surfaces.web.measurement import LENGTH, MOST_PARTS
from toulmin.surfaces.web.plots import BOTTOM, FEWEST, LEFT, RIGHT, TOP, axis, steps
from toulmin.surfaces.web.reports import CalibrationForm, Evaluation, NoReport, Report, Reports

ONLY = {"value": 0.5, "low": 0.4, "high": 0.6}


@pytest.fixture
def reviewer(running: Running) -> Iterator[Browser]:
    """The browser of a reviewer."""
    with browsing(running, "reviewer") as browser:
        yield browser


@pytest.fixture
def reports(folder: Path) -> Path:
    """The folder of reports, without any."""
    place = folder / "reports"
    place.mkdir()
    return place


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with reports of every kind."""
    place = tmp_path_factory.mktemp("known") / "reports"
    measured.made(place)
    return place


@pytest.fixture
def linked(folder: Path, known: Path) -> None:
    """That folder as the one of the workspace."""
    (folder / "reports").symlink_to(known)


def claims(n: int = 9, **more: object) -> dict[str, Any]:
    """A small report of claims."""
    metrics = {"accuracy": ONLY}
    return {"schema": "toulmin.eval/1", "kind": "claims", "n": n, "metrics": metrics, "by": {}, **more}


def said(measure: Mapping[str, float]) -> str:
    return in_words(Measure(value=measure["value"], low=measure["low"], high=measure["high"]))


def evaluation(folder: Path, name: str) -> Evaluation:
    looked = Reports(folder=folder).look(name)
    assert isinstance(looked, Report)
    assert isinstance(looked.says, Evaluation)
    return looked.says


def circles(page: Read) -> list[dict[str, str | None]]:
    return [given for tag, given in page.tags if tag == "circle"]


class TestTheList:
    def test_says_how_to_make_a_report_where_there_is_no_folder(self, reviewer: Browser) -> None:
        text = reviewer.see("/measurement").text
        assert "no folder of reports yet" in text
        assert "toulmin eval claims claims.jsonl --rows reports/first.jsonl --json > reports/first.json" in text

    def test_says_that_the_folder_is_empty(self, reviewer: Browser, reports: Path) -> None:
        (reports / "notes.txt").write_text("no report", encoding="utf-8")
        text = reviewer.see("/measurement").text
        assert "no report in the folder" in text
        assert "notes.txt" not in text

    def test_has_each_report_with_its_main_figures_and_their_intervals(self, reviewer: Browser, reports: Path) -> None:
        measured.write(reports, "search", measured.search())
        page = reviewer.see("/measurement")
        assert "/measurement/search.json" in page.links
        assert "ndcg@10 0.810 (0.74–0.86)" in page.text

    def test_has_pages(self, reviewer: Browser, reports: Path) -> None:
        for number in range(LENGTH + 1):
            measured.write(reports, f"run-{number}", claims())
        first = reviewer.see("/measurement")
        (later,) = [link for link in first.links if "first=" in link]
        assert len([link for link in first.links if link.endswith(".json")]) == LENGTH
        assert len([link for link in reviewer.see(f"/measurement{later}").links if link.endswith(".json")]) == 1

    def test_is_not_for_readers_and_not_in_their_menu(self, visitor: Browser) -> None:
        assert visitor.get("/measurement", accept="text/html").status_code == 403
        assert "/measurement" not in visitor.see("/ask").links


class TestWhatIsNoReport:
    @pytest.mark.parametrize(
        ("text", "why"),
        [
            ('{"schema": "toulmin.eval/1", "kind": "claims", "n": NaN}', "NaN is no JSON number"),
            ("[]", "mapping"),
            ('{"schema": "toulmin.search/1"}', "toulmin.search/1"),
            (json.dumps(claims(n=-1)), "-1"),
            (json.dumps(claims(kind="odd")), "odd"),
            (json.dumps(claims(metrics={"accuracy": {"value": 0.9, "low": 0.1, "high": 0.5}})), "interval"),
            (json.dumps(claims(metrics={"accuracy": {"value": None, "low": 0.1, "high": 0.5}})), "interval"),
            (" " * (1024 * 1024 + 1), "more than"),
            ('{"schema": "toulmin.eval/1", "kind": "claims", "n": 1}', "metrics"),
        ],
    )
    def test_is_listed_with_the_reason_and_a_page_of_it_is_refused(
        self, reviewer: Browser, reports: Path, text: str, why: str
    ) -> None:
        (reports / "odd.json").write_text(text, encoding="utf-8")
        listed = reviewer.see("/measurement").text
        assert "No report." in listed
        assert why in listed
        assert reviewer.get("/measurement/odd.json", accept="text/html").status_code in (400, 413, 422)

    def test_a_link_is_not_followed(self, reviewer: Browser, reports: Path, tmp_path: Path) -> None:
        measured.write(tmp_path, "secret", claims(judge="secret-judge"))
        (reports / "link.json").symlink_to(tmp_path / "secret.json")
        listed = reviewer.see("/measurement").text
        assert "cannot be read" in listed
        assert "secret-judge" not in listed

    @pytest.mark.parametrize("name", ["fold.json", "pipe.json"])
    def test_what_is_no_file_is_not_waited_for(self, reviewer: Browser, reports: Path, name: str) -> None:
        (reports / name).mkdir() if name == "fold.json" else os.mkfifo(reports / name)
        assert "no regular file" in reviewer.see("/measurement").text

    @pytest.mark.parametrize("name", ["sp ace.json", "-x.json", "<b>.json", "ü.json", os.fsdecode(b"\xff.json")])
    def test_a_name_that_no_address_holds_is_told(self, reviewer: Browser, reports: Path, name: str) -> None:
        measured.write(reports, name.removesuffix(".json"), claims())
        page = reviewer.see("/measurement")
        assert "the name cannot stand in an address" in page.text
        assert not [tag for tag, _ in page.tags if tag == "b"]

    @pytest.mark.parametrize("name", ["gone.json", "..%2Ftoulmin.toml", "toulmin.toml", "a%00.json"])
    @pytest.mark.usefixtures("reports")
    def test_what_is_not_there_is_not_found(self, reviewer: Browser, name: str) -> None:
        assert reviewer.get(f"/measurement/{name}", accept="text/html").status_code == 404


class TestAReport:
    def test_draws_the_numbers_that_it_has(self, reviewer: Browser, folder: Path, known: Path) -> None:
        known_as = json.loads((known / "good.json").read_text(encoding="utf-8"))
        (folder / "reports").symlink_to(known)
        page = reviewer.see("/measurement/good.json")
        for measure in (known_as["metrics"][name] for name in ("accuracy", "false_accept_rate", "auroc")):
            assert said(measure) in page.text
            assert {"cx": f"{6 + 128 * measure['value']:.2f}".rstrip("0")}.items() <= next(
                each for each in circles(page) if abs(float(each["cx"] or 0) - 6 - 128 * measure["value"]) < 0.006
            ).items()
        for part in known_as["by"]["phenomenon"].values():
            assert said(part["metrics"]["false_accept_rate"]) in page.text
        assert "lamps.jsonl" in page.text

    def test_escapes_what_its_parts_are_called(self, reviewer: Browser, folder: Path, known: Path) -> None:
        (folder / "reports").symlink_to(known)
        page = reviewer.see("/measurement/good.json")
        assert measured.PHENOMENA[-1] in page.text
        assert not [tag for tag, _ in page.tags if tag == "b"]

    def test_of_nothing_says_so(self, reviewer: Browser, folder: Path, known: Path) -> None:
        (folder / "reports").symlink_to(known)
        text = reviewer.see("/measurement/none.json").text
        assert "nothing was measured" in text
        assert "Nothing to measure: accuracy" in text

    def test_shows_numbers_that_are_no_shares_without_drawing_them(self, reviewer: Browser, reports: Path) -> None:
        huge = {"accuracy": {"value": 1e300, "low": -1e300, "high": 1e308}, "delivered": dict.fromkeys(ONLY, 1e20)}
        measured.write(reports, "huge", claims(metrics=huge))
        page = reviewer.see("/measurement/huge.json")
        assert "1e+20" in page.text
        assert not circles(page)

    def test_of_many_parts_shows_some_and_leads_to_all(self, reviewer: Browser, reports: Path) -> None:
        parts = {f"part {number}": {"n": 1, "metrics": {"accuracy": ONLY}} for number in range(MOST_PARTS + 1)}
        measured.write(reports, "wide", claims(by={"group": parts}))
        page = reviewer.see("/measurement/wide.json")
        assert f"The first {MOST_PARTS} of {MOST_PARTS + 1}." in page.text
        assert f"part {MOST_PARTS}" not in page.text
        assert f"part {MOST_PARTS}" in reviewer.see("/measurement/wide.json?by=group").text
        assert "Nothing in this report" in reviewer.see("/measurement/wide.json?by=odd").text

    def test_of_several_judges_shows_each(self, reviewer: Browser, reports: Path) -> None:
        many = measured.claims(40)
        found = measured.results(many, {"one": measured.rulings(many, 0.9), "two": measured.rulings(many, 0.6)})
        measured.write(reports, "both", measured.report(found))
        text = reviewer.see("/measurement/both.json").text
        assert "one, by phenomenon" in text
        assert "Reliability of two" in text

    def test_of_a_calibration_states_what_is_promised(self, reviewer: Browser, folder: Path, known: Path) -> None:
        chosen = json.loads((known / "threshold.json").read_text(encoding="utf-8"))["chosen"]
        (folder / "reports").symlink_to(known)
        text = reviewer.see("/measurement/threshold.json").text
        assert f"From the threshold {chosen['threshold']:g} on, at most 5 %" in text
        assert f"{chosen['false_accepts']} of {chosen['n']} were" in text
        assert f"threshold {chosen['threshold']:g}, false accepts at most 0.05" in reviewer.see("/measurement").text

    def test_of_a_calibration_without_a_threshold_says_what_it_takes(self, reviewer: Browser, reports: Path) -> None:
        many = measured.claims(480)
        says = {**measured.calibration(many, measured.rulings(many, 0.2)), "chosen": None, "policy": None}
        measured.write(reports, "bad", says)
        assert f"It takes at least {says['needed']} independent claims" in reviewer.see("/measurement/bad.json").text
        assert "no threshold keeps the promise" in reviewer.see("/measurement").text


class TestComparing:
    def test_two_runs_with_their_rows_goes_row_by_row(self, reviewer: Browser, folder: Path, known: Path) -> None:
        (folder / "reports").symlink_to(known)
        text = reviewer.see("/measurement/compare?a=worse.json:onnx&b=good.json:onnx").text
        assert "row by row, over 480 that both have" in text
        assert re.search(r"B differs from A in \d of \d shares", text)
        assert "cannot be told apart" in text
        assert "false accept rate by phenomenon" in text

    def test_a_run_with_itself_claims_nothing(self, reviewer: Browser, folder: Path, known: Path) -> None:
        (folder / "reports").symlink_to(known)
        text = reviewer.see("/measurement/compare?a=good.json:onnx&b=good.json:onnx").text
        assert "A and B cannot be told apart" in text
        assert not re.search(r"B is (higher|lower)", text)

    def test_without_rows_takes_independent_samples_and_says_so(self, reviewer: Browser, reports: Path) -> None:
        measured.write(reports, "a", claims())
        measured.write(reports, "b", claims(datasets=["other.jsonl"]))
        text = reviewer.see("/measurement/compare?a=a.json:claims&b=b.json:claims").text
        assert "as two independent samples" in text
        assert "There are no rows beside a.json" in text
        assert "They were measured on different data" in text

    def test_what_a_phenomenon_has_no_figure_of_is_left_out(self, reviewer: Browser, reports: Path) -> None:
        half = {"value": 0.5, "low": 0.1, "high": 0.9}
        says = {"schema": "toulmin.eval/1", "kind": "retrieval", "n": 3, "by": {}, "metrics": {"mrr@10": half}}
        rows = [
            {"id": "1", "group": "1", "phenomenon": "fact", "relevant": [1], "scores": {"mrr@10": 1}},
            {"id": "2", "group": "2", "phenomenon": "fact", "relevant": [1], "scores": {"mrr@10": 0}},
            {"id": "3", "group": "3", "phenomenon": "absent", "relevant": [], "scores": {}},
        ]
        measured.write(reports, "a", says)
        measured.write_rows(reports, "a", rows)
        page = reviewer.see("/measurement/compare?a=a.json:retrieval&b=a.json:retrieval")
        assert "row by row, over 3 that both have" in page.text
        assert "mrr@10 by phenomenon" in page.text
        assert "fact" in page.text
        assert "absent" not in page.text

    def test_rows_of_another_run_are_not_used(self, reviewer: Browser, reports: Path) -> None:
        many = measured.claims(40)
        one, other = (measured.results(many, {"onnx": measured.rulings(many, skill)}) for skill in (0.9, 0.3))
        measured.write(reports, "one", measured.report(one))
        measured.write_rows(reports, "one", lines(other))
        measured.write(reports, "other", measured.report(other))
        measured.write_rows(reports, "other", ["no row"])
        text = reviewer.see("/measurement/compare?a=one.json:onnx&b=other.json:onnx").text
        assert "as two independent samples" in text
        assert "one.jsonl comes to other figures than one.json" in text
        assert "other.jsonl cannot be used" in text
        assert str(reports) not in text

    def test_rows_that_are_too_many_are_not_read(
        self, reviewer: Browser, reports: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("toulmin.surfaces.web.measurement.MOST_ROWS_BYTES", 3)
        measured.write(reports, "a", claims())
        measured.write_rows(reports, "a", ["many"])
        assert "a.jsonl is too large" in reviewer.see("/measurement/compare?a=a.json:claims&b=a.json:claims").text

    @pytest.mark.parametrize(
        ("b", "why", "status"),
        [
            ("search.json:retrieval", "is about claims", 422),
            ("threshold.json:onnx", "is a calibration", 422),
            ("broken.json:onnx", "NaN is no JSON number", 400),
            ("good.json:nobody", "has no run of", 422),
            ("gone.json:onnx", "no report of this name", 404),
            ("../toulmin.json:onnx", "no report of this name", 404),
        ],
    )
    @pytest.mark.usefixtures("linked")
    def test_what_cannot_be_compared_is_told_in_words_and_the_choice_kept(
        self, reviewer: Browser, b: str, why: str, status: int
    ) -> None:
        page = reviewer.see(f"/measurement/compare?a=good.json:onnx&b={b}", status)
        assert "These cannot be compared." in page.text
        assert why in page.text
        chosen = {given["value"] for tag, given in page.tags if tag == "option" and "selected" in given}
        assert chosen == {"good.json:onnx", b}

    def test_begins_with_a_choice_among_runs_and_baselines(self, reviewer: Browser, folder: Path, known: Path) -> None:
        assert "There is no report to choose from" in reviewer.see("/measurement/compare").text
        (folder / "reports").symlink_to(known)
        page = reviewer.see("/measurement/compare")
        offered = {given["value"] for tag, given in page.tags if tag == "option"}
        assert {"good.json:onnx", "good.json:majority", "search.json:retrieval"} <= offered
        assert not [each for each in offered if each and each.startswith(("threshold", "broken"))]


class TestFigures:
    def test_the_reliability_plot_has_each_bin_where_its_numbers_are(self, known: Path) -> None:
        form = evaluation(known, "good.json").runs["onnx"].reliability
        assert form is not None
        plot = reliability_figure("onnx", form).plot
        assert plot is not None
        filled = [each for each in form.bins if each.n]
        assert len(plot.dots) == len(filled)
        for dot, each in zip(plot.dots, filled, strict=True):
            assert dot.x == pytest.approx(LEFT + (each.mean or 0) * (RIGHT - LEFT), abs=0.006)
            places = ((dot.y, each.share.value), (dot.low, each.share.low), (dot.high, each.share.high))
            for place, value in places:
                assert place == pytest.approx(BOTTOM - (value or 0) * (BOTTOM - TOP), abs=0.006)

    def test_the_trade_off_rings_what_the_policy_s_threshold_does(self, known: Path) -> None:
        run = evaluation(known, "good.json").runs["onnx"]
        assert run.tradeoff is not None
        figure = tradeoff_figure("onnx", run, run.tradeoff)
        acting = run.tradeoff.acting
        assert acting is not None
        assert acting.threshold >= measured.THRESHOLD
        assert acting.metrics["coverage"].measure == run.metrics["coverage"].measure
        assert figure.plot is not None
        assert figure.plot.chosen is not None
        assert f"threshold {acting.threshold:g}:" in figure.plot.chosen.told
        assert len(figure.plot.dots) == len(figure.rows) == len(run.tradeoff.points)

    def test_the_calibration_draws_what_lies_near_its_promise_and_says_what_not(self, known: Path) -> None:
        looked = Reports(folder=known).look("threshold.json")
        assert isinstance(looked, Report)
        assert isinstance(looked.says, CalibrationForm)
        figure = calibration_figure(looked.says)
        assert figure.plot is not None
        assert figure.plot.chosen is not None
        assert figure.plot.limit == figure.plot.y.at(0.05)
        assert figure.plot.chosen.high >= figure.plot.limit  # upwards is less
        tight = looked.says.model_copy(update={"max_false_accept": 0.006})
        far = sum(point.upper > 0.03 for point in tight.curve)
        assert 0 < far < len(tight.curve)
        assert f"{far} thresholds whose bound is above 0.03" in calibration_figure(tight).told

    def test_too_few_rows_are_not_drawn(self, known: Path) -> None:
        run = evaluation(known, "few.json").runs["onnx"]
        assert run.reliability is not None
        assert run.tradeoff is not None
        for figure in (reliability_figure("onnx", run.reliability), tradeoff_figure("onnx", run, run.tradeoff)):
            assert figure.plot is None
            assert f"fewer than {FEWEST}" in figure.told
            assert figure.rows

    @pytest.mark.parametrize(
        ("low", "high", "ticks"),
        [
            (0, 1, (0, 0.2, 0.4, 0.6, 0.8, 1)),
            (0, 0.053, (0, 0.02, 0.04, 0.06)),
            (0.31, 0.68, (0.3, 0.4, 0.5, 0.6, 0.7)),
            (0.5, 0.5, (0.5, 0.5002)),
            (0, 0, (0, 0.0002)),
        ],
    )
    def test_ticks_are_round_and_hold_both_ends(self, low: float, high: float, ticks: tuple[float, ...]) -> None:
        assert axis(low, high, 0, 100).ticks == ticks

    def test_a_curve_without_points_is_no_path(self) -> None:
        assert steps(()) == ""


def test_a_file_that_is_none_says_what_it_is_not(known: Path) -> None:
    looked = Reports(folder=known).look("broken.json")
    assert isinstance(looked, NoReport)
    assert looked.fault.code == "bad_json"
