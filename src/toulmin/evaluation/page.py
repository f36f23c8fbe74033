"""Reports as one HTML page each, that of `eval claims` first: it holds all that it shows, and asks nothing of any other place."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from toulmin.evaluation.charts import Bar, bars, confusion_matrix, reliability_diagram
from toulmin.evaluation.claims import by_oracle, calibration_error, confusion
from toulmin.evaluation.intervals import in_words
from toulmin.evaluation.labels import CLASSES, Label
from toulmin.evaluation.markup import Markup, element, together
from toulmin.evaluation.report import Slice
from toulmin.evaluation.results import Assessed, Results
from toulmin.evaluation.rulings import BASELINES

MEANINGS = {
    "accuracy": "share of verdicts that are the label, of claims labelled with one of the three classes",
    "macro_f1": "mean F1 of the classes that occur among the labels",
    "balanced_accuracy": "mean of the shares of supported claims delivered and of others not delivered",
    "unsupported_claim_rate": "false accepts, of the claims delivered",
    "false_accept_rate": "claims delivered, of those not labelled supported",
    "false_rejection_rate": "claims not delivered, of those labelled supported; 1 minus it is how complete an answer is",
    "coverage": "share of verdicts that are not unresolved",
    "auroc": "chance that of a supported and another claim the supported one is given the higher probability",
    "brier": "mean squared distance of the probability from what is labelled; lower is better",
    "objected_supported": "claims that an oracle objects to, of those labelled supported",
    "objected_not_supported": "claims that an oracle objects to, of those not labelled supported",
    "objected_contradicted": "claims that an oracle objects to, of those labelled contradicted",
    "objected_unresolved": "claims that an oracle objects to, of those labelled unresolved",
}
"""What each metric says, in words."""

_DRAWN = ("accuracy", "false_accept_rate", "false_rejection_rate", "objected_not_supported", "objected_supported")
_COLOURS = 6
_STYLE = """
:root { color-scheme: light dark; --ink: #1c1f24; --paper: #fff; --soft: #6b7280; --rule: #d6d9de; --right: #0072b2; --wrong: #d55e00; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8eaed; --paper: #16181c; --soft: #9aa0a8; --rule: #3a3f47; --right: #56b4e9; --wrong: #e69f00; } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 72rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.2rem; margin-top: 2.5rem; border-top: 1px solid var(--rule); padding-top: 1rem; } h3 { font-size: 1rem; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; margin: 1rem 0; }
caption { text-align: left; color: var(--soft); padding-bottom: .3rem; }
th, td { text-align: left; padding: .2rem .9rem .2rem 0; border-bottom: 1px solid var(--rule); vertical-align: top; }
td { white-space: nowrap; } td:last-child { white-space: normal; min-width: 9rem; }
.scroll { overflow-x: auto; } .soft { color: var(--soft); }
.figures { display: flex; flex-wrap: wrap; gap: 1.5rem; } figure { margin: 0 0 1rem; break-inside: avoid; } figcaption { color: var(--soft); }
svg { max-width: 100%; height: auto; } text { font: 12px system-ui, sans-serif; fill: var(--ink); }
.axis { fill: var(--soft); } .grid { stroke: var(--rule); } .ideal { stroke: var(--soft); stroke-dasharray: 4 4; }
.whisker { stroke: var(--ink); stroke-width: 1.5; } .right { fill: var(--right); } .wrong { fill: var(--wrong); }
.count { font-size: 16px; } .strong { font-size: 16px; fill: var(--paper); } .small { font-size: 11px; }
.c0 { fill: #56b4e9; } .c1 { fill: #e69f00; } .c2 { fill: #009e73; } .c3 { fill: #cc79a7; } .c4 { fill: #8c8c8c; } .c5 { fill: #b8b8b8; }
@media print { :root { color-scheme: light; --ink: #000; --paper: #fff; --soft: #444; --rule: #bbb; --right: #0072b2; --wrong: #d55e00; }
  body { margin: 0; max-width: none; font-size: 10pt; } h2 { break-after: avoid; } tr { break-inside: avoid; }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; } }
"""


def page(results: Results, datasets: Sequence[str]) -> str:
    """The whole page; the same for the same results. `datasets` are the names of the files that were read."""
    title = f"Claims: {', '.join(item.name for item in results.judges)}"
    return whole_page(title, _introduction(results, datasets), _overview(results), *_of_each(results), *_parts(results))


def whole_page(title: str, *content: Markup) -> str:
    """A page that holds its style, and lets a browser load nothing."""
    body = element("body", element("main", element("h1", title), *content))
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", http_equiv="Content-Security-Policy", content="default-src 'none'; style-src 'unsafe-inline'"),
        element("title", title),
        element("style", Markup(_STYLE)),
    )
    return f"<!DOCTYPE html>\n{element('html', head, body, lang='en')}\n"


def table(caption: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> Markup:
    """A table whose rows begin with their names."""
    head = element("thead", element("tr", *(element("th", column, scope="col") for column in columns)))
    lines = [
        element("tr", element("th", row[0], scope="row"), *(element("td", cell) for cell in row[1:])) for row in rows
    ]
    grid = element("table", element("caption", caption), head, element("tbody", *lines))
    return element("div", grid, class_="scroll")


def _introduction(results: Results, datasets: Sequence[str]) -> Markup:
    claims = results.claims
    labels = ", ".join(f"{sum(claim.label is label for claim in claims)} {label}" for label in Label)
    unclear = sum(claim.label is Label.NOT_SUPPORTED for claim in claims)
    left_out = (
        f" Labelled only not_supported: {unclear}, left out of accuracy, macro F1 and confusion matrices."
        if unclear
        else ""
    )
    groups = len({claim.group for claim in claims})
    told = f"{len(claims)} labelled claims ({labels}) in {groups} groups, from {', '.join(datasets)}; policy {results.policy}.{left_out}"
    reading = "Every value has its 95 % interval; a dash is a rate over nothing. Claims of one group do not count as independent."
    return together(element("p", told), element("p", reading, class_="soft"))


def _overview(results: Results) -> Markup:
    rows = [
        [name, *(in_words(item.report.whole.metrics[name]) for item in results.all), meaning]
        for name, meaning in MEANINGS.items()
    ]
    counts = [
        [name, *(str(item.report.whole.counts[name]) for item in results.all), "count"]
        for name in ("delivered", "false_accepts", "with_probability")
    ]
    rules = [element("li", element("strong", item.name), f": {BASELINES[item.name]}") for item in results.baselines]
    return together(
        element("h2", "All claims"),
        table("Judges and baselines", ["", *(item.name for item in results.all), "what it is"], [*rows, *counts]),
        element("p", "A judge that does not clearly beat these rules is not reading:"),
        element("ul", *rules),
    )


def _of_each(results: Results) -> Iterator[Markup]:
    for item in results.judges:
        figures = [confusion_matrix(item.name, CLASSES, confusion(item.rows))]
        error = calibration_error(item.reliability)
        told = "It gives no probabilities: there is no reliability diagram."
        if error is not None:
            figures.append(reliability_diagram(item.name, item.reliability))
            told = f"Expected calibration error {error:.3f} over {item.report.whole.counts['with_probability']} claims with a probability."
        yield together(
            element("h2", item.name), element("div", *figures, class_="figures"), element("p", told, class_="soft")
        )
        oracles = by_oracle(item.rows)
        if oracles:
            columns = list(next(iter(oracles.values())))
            rows = [[name, *(in_words(found[column]) for column in columns)] for name, found in oracles.items()]
            yield table(f"{item.name}: objections by oracle", ["oracle", *columns], rows)


def _parts(results: Results) -> Iterator[Markup]:
    for attribute in results.judges[0].report.by:
        values = results.judges[0].report.by[attribute]
        if values:
            yield element("h2", f"By {attribute.replace('_', ' ')}")
            yield element("div", *(_drawn(results.judges, attribute, metric) for metric in _DRAWN), class_="figures")
            yield from (_detailed(item, attribute) for item in results.judges)


def _drawn(judges: Sequence[Assessed], attribute: str, metric: str) -> Markup:
    groups = [
        (value, [_bar(item, at, item.report.by[attribute][value], metric) for at, item in enumerate(judges)])
        for value in judges[0].report.by[attribute]
    ]
    whose = f" ({', '.join(item.name for item in judges)}, from top to bottom)" if len(judges) > 1 else ""
    return bars(f"{metric} by {attribute}{whose}", groups)


def _bar(item: Assessed, at: int, part: Slice, metric: str) -> Bar:
    return Bar(name=item.name, measure=part.metrics[metric], colour=at % _COLOURS)


def _detailed(item: Assessed, attribute: str) -> Markup:
    shown = [name for name in MEANINGS if item.report.whole.metrics[name].value is not None]
    rows = [
        [value, str(part.n), *(in_words(part.metrics[name]) for name in shown)]
        for value, part in item.report.by[attribute].items()
    ]
    return table(f"{item.name} by {attribute}", [attribute, "n", *shown], rows)
