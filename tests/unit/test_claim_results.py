from __future__ import annotations

import json
import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from toulmin.domain.claims.objection import Objection, Strength
from toulmin.domain.claims.unit import Cited, ReviewUnit
from toulmin.evaluation.charts import Bar, bars, confusion_matrix, reliability_diagram
from toulmin.evaluation.claims import names
from toulmin.evaluation.intervals import NOTHING, mean
from toulmin.evaluation.labels import Label, LabelledClaim
from toulmin.evaluation.markup import Markup, element
from toulmin.evaluation.page import MEANINGS, page
from toulmin.evaluation.results import Assessed, Results, lines, results_json
from toulmin.evaluation.rulings import Ruling, majority, overlap

S, C, U, N = Label.SUPPORTED, Label.CONTRADICTED, Label.UNRESOLVED, Label.NOT_SUPPORTED
OBJECTION = Objection(
    oracle="numbers", strength=Strength.CONTRADICTS, claim=(4, 6), passage=0, evidence=(7, 9), says="80 is not <90>"
)


def claim(name: str, label: Label, phenomenon: str | None = "number", group: str | None = None) -> LabelledClaim:
    unit = ReviewUnit(claim=f"Claim of {name} & others.", passages=(Cited(words="The passage.", version="1"),))
    return LabelledClaim(id=name, unit=unit, label=label, group=group or name, phenomenon=phenomenon, version="1")


CLAIMS = (claim("a", S), claim("b", C), claim("c", U, "<script>alert(1)</script>"), claim("d", N, None))
SAID = (
    Ruling(verdict=S, reason="verbatim", objections=(), supported=None),
    Ruling(verdict=C, reason="80 is not <90>", objections=(OBJECTION,), supported=None),
    Ruling(verdict=S, objections=(), supported=0.95),
    Ruling(verdict=U, objections=(), supported=0.4),
)


def results(*names: str, claims: tuple[LabelledClaim, ...] = CLAIMS) -> Results:
    return Results(
        claims=claims,
        policy="built-in/4",
        threshold=0.79,
        judges=tuple(Assessed.of(name, claims, SAID[: len(claims)]) for name in names),
        baselines=(
            Assessed.of("majority", claims, majority(claims)),
            Assessed.of("overlap", claims, overlap(claims)),
        ),
    )


class Page(HTMLParser):
    """What a browser would see: the elements, their attributes, and their words."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag != "meta":
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def test_the_json_of_one_judge_has_the_public_shape_with_what_belongs_to_claims_beside_it() -> None:
    shape = json.loads(json.dumps(results_json(results("oracles"))))
    assert {key: shape[key] for key in ("schema", "kind", "policy", "judge", "n")} == {
        "schema": "toulmin.eval/1",
        "kind": "claims",
        "policy": "built-in/4",
        "judge": "oracles",
        "n": 4,
    }
    assert shape["metrics"]["unsupported_claim_rate"]["value"] == 1 / 2
    assert shape["by"]["version"]["1"]["n"] == 4
    assert shape["confusion"] == {
        "classes": ["supported", "contradicted", "unresolved"],
        "counts": [[1, 0, 0], [0, 1, 0], [1, 0, 0]],
    }
    assert [part["n"] for part in shape["reliability"]["bins"]] == [0, 0, 0, 0, 1, 0, 0, 0, 0, 1]
    assert shape["reliability"]["ece"] == pytest.approx((0.4 + 0.95) / 2)
    assert shape["oracles"]["numbers"]["objected_contradicted"]["value"] == 1
    assert sorted(shape["baselines"]) == ["majority", "overlap"]
    assert tuple(shape["baselines"]["majority"]["metrics"]) == names()
    assert "judges" not in shape


def test_the_json_of_several_judges_has_them_side_by_side() -> None:
    one, several = results_json(results("oracles")), results_json(results("oracles", "llm"))
    assert list(several["judges"]) == ["oracles", "llm"]
    assert several["judges"]["llm"]["metrics"] == one["metrics"]
    assert "metrics" not in several
    assert "judge" not in several


def test_the_tradeoff_is_written_beside_the_threshold_that_holds_and_null_where_none_was_tried() -> None:
    said = tuple(replace(ruling, until=0.9 if ruling.verdict is S else 0.0) for ruling in SAID)
    found = replace(results(), judges=(Assessed.of("j", CLAIMS, said),))
    shape = json.loads(json.dumps(results_json(found)))
    assert shape["tradeoff"]["threshold"] == 0.79
    points = shape["tradeoff"]["points"]
    assert [(point["threshold"], point["delivered"], point["false_accepts"]) for point in points] == [
        (1.0, 0, 0), (0.9, 2, 1),
    ]  # fmt: skip
    assert points[1]["metrics"]["false_accept_rate"] == shape["metrics"]["false_accept_rate"]
    assert shape["baselines"]["overlap"]["tradeoff"] is None
    assert results_json(results("untried"))["tradeoff"] is None


def test_a_judge_without_probabilities_has_no_reliability() -> None:
    shape = results_json(results("oracles", claims=CLAIMS[:2]))
    assert shape["reliability"] is None


def test_a_line_tells_all_that_was_said_of_a_claim() -> None:
    written = list(lines(results("oracles")))
    assert len(written) == 4
    said = written[1]["verdicts"]
    assert (written[1]["id"], written[1]["label"], written[1]["claim"]) == ("b", "contradicted", "Claim of b & others.")
    assert said["oracles"] == {
        "verdict": "contradicted",
        "reason": "80 is not <90>",
        "supported": None,
        "objections": [
            {
                "oracle": "numbers",
                "strength": "contradicts",
                "claim_span": [4, 6],
                "evidence_span": [7, 9],
                "says": "80 is not <90>",
            }
        ],
    }
    assert said["majority"]["objections"] is None


def test_the_page_is_well_formed_and_escapes_what_datasets_say() -> None:
    text = page(results("oracles", "llm"), ["<b>claims</b>.jsonl"])
    found = Page(text)
    assert found.open == []
    assert "script" not in {tag for tag, _ in found.elements}
    assert "b" not in {tag for tag, _ in found.elements}
    assert any("<script>alert(1)</script>" in words for words in found.words)
    assert any("<b>claims</b>.jsonl" in words for words in found.words)


def test_the_page_asks_nothing_of_any_other_place() -> None:
    text = page(results("oracles"), ["claims.jsonl"])
    attributes = {name for _, given in Page(text).elements for name in given}
    assert attributes.isdisjoint({"src", "href", "srcset", "data", "action", "background", "onload", "style"})
    assert not re.search(r"url\(|@import|https?:", text)
    policies = [given["content"] for tag, given in Page(text).elements if "http-equiv" in given]
    assert policies == ["default-src 'none'; style-src 'unsafe-inline'"]


def test_every_chart_of_the_page_says_in_words_what_it_shows() -> None:
    charts = [given for tag, given in Page(page(results("oracles"), ["a"])).elements if tag == "svg"]
    assert len(charts) == 2 + 5 * 2
    assert all(given["role"] == "img" and given["aria-label"] for given in charts)
    assert any("labelled contradicted: 0 supported, 1 contradicted" in (given["aria-label"] or "") for given in charts)


def test_the_page_says_which_labels_are_left_out_and_explains_every_metric() -> None:
    text = " ".join(Page(page(results("oracles"), ["a"])).words)
    assert "Labelled only not_supported: 1, left out of accuracy, macro F1 and confusion matrices." in text
    assert [name for name in results("oracles").judges[0].report.whole.metrics if name not in MEANINGS] == []


def test_the_same_results_give_the_same_page() -> None:
    assert page(results("oracles"), ["a"]) == page(results("oracles"), ["a"])


def test_a_bar_without_a_value_is_a_dash_and_not_a_bar_of_no_length() -> None:
    drawn = bars(
        "T", [("x", [Bar(name="j", measure=NOTHING, colour=0)]), ("y", [Bar(name="j", measure=mean([0.0]), colour=0)])]
    )
    found = Page(drawn)
    assert [tag for tag, _ in found.elements].count("rect") == 1
    assert "-" in found.words


def test_a_confusion_matrix_of_nothing_and_a_diagram_of_one_point_are_drawn() -> None:
    assert "0%" in confusion_matrix("j", ["a", "b"], [[0, 0], [0, 0]])
    (judge,) = results("j").judges
    assert [tag for tag, _ in Page(reliability_diagram("j", judge.reliability)).elements].count("circle") == 2


def test_texts_are_escaped_in_content_and_attributes_unless_they_are_markup() -> None:
    made = element("p", "<&>", Markup("<b></b>"), title='"<', class_="x")
    assert made == '<p title="&quot;&lt;" class="x">&lt;&amp;&gt;<b></b></p>'
