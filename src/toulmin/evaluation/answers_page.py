"""The report of `eval answers` as one HTML page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from toulmin.evaluation.answers_results import Results
from toulmin.evaluation.answers_shadow import Shadow
from toulmin.evaluation.charts import Bar, bars
from toulmin.evaluation.intervals import in_words
from toulmin.evaluation.markup import Markup, element, together
from toulmin.evaluation.page import table, whole_page
from toulmin.evaluation.report import Slice

MEANINGS = {
    "share_answered": "questions that ended in Answered, of all",
    "share_ask_for_evidence": "in AskForEvidence",
    "share_withheld": "in Withheld",
    "share_search_only": "in SearchOnly",
    "right_outcomes": "questions with an answer that were answered and others that were not, of all; 1 minus it is failures",
    "answered": "questions answered, of those with an answer",
    "answered_from_gold": "questions answered by a claim that cites a gold quote, of those with an answer",
    "right_abstentions": "questions not answered, of those without an answer",
    "evidence_recall": "gold quotes of which a passage of the evidence holds at least half, in the round that counts",
    "citation_recall": "gold quotes of which a citation of a delivered claim holds at least half, in their document and version",
    "citation_precision": "citations of delivered claims that hold a gold quote, or words that the claim was found to rest on",
    "gold_citations": "citations of delivered claims that hold a gold quote",
    "answer_completeness": "facts of the rows, or else gold quotes, whose words stand in what a delivered claim cites",
    "unsupported_claim_rate": "claims not labelled supported, of the labelled claims that were delivered",
    "false_rejection_rate": "claims not delivered, of those that are labelled supported",
    "coverage": "claims whose verdict is not unresolved, of those that were reviewed",
}
"""What each metric says, in words."""

_DRAWN = ("answered", "right_abstentions", "citation_recall", "citation_precision", "answer_completeness", "coverage")


def page(results: Results, dataset: str) -> str:
    """The whole page; the same for the same results. `dataset` is the name of the file that was read."""
    return whole_page(
        f"Answers: {dataset}", _introduction(results, dataset), _overview(results), *_endings(results), *_parts(results)
    )


def _introduction(results: Results, dataset: str) -> Markup:
    counts = results.report.whole.counts
    groups = len({asked.question.group for asked in results.asked})
    told = (
        f"{len(results.asked)} questions ({counts['answerable']} with an answer) in {groups} groups, from {dataset}; "
        f"policy {results.policy}, judge {results.judge}."
    )
    reading = (
        "Every value has its 95 % interval; a dash is a share of nothing. Questions of one group do not count as independent. "
        "A gold quote is sufficient evidence, and not the only one: what is measured by it is a lower bound."
    )
    return together(element("p", told), element("p", reading, class_="soft"))


def _overview(results: Results) -> Markup:
    whole = results.report.whole
    rows = [[name, in_words(whole.metrics[name]), meaning] for name, meaning in MEANINGS.items()]
    counts = [[name, str(count), "count"] for name, count in whole.counts.items()]
    return together(element("h2", "All questions"), table("Answers", ["", "", "what it is"], [*rows, *counts]))


def _endings(results: Results) -> Iterator[Markup]:
    shape = (("ending", "reason", results.endings), ("cause", "verdict", results.withheld))
    titles = ("Questions that were not answered", "Claims that were not delivered")
    for title, (outer, inner, counted) in zip(titles, shape, strict=True):
        if counted:
            yield together(element("h2", title), table(title, [outer, inner, "n"], _flat(counted)))
    if results.shadow is not None:
        yield _shadow(results.shadow)


def _shadow(shadow: Shadow) -> Markup:
    told = (
        f"{len(shadow.judged)} claims have two verdicts, {shadow.disagreements} of them two different ones. "
        f"Equal, of those that a judge has to decide: {in_words(shadow.agreement)}. Nothing acted on the second."
    )
    pairs = table("Verdicts, and those of the second judge", ["first", "second", "claims"], _flat(shadow.verdicts))
    missing = "".join(f" Not judged: {count} ({reason})." for reason, count in shadow.not_judged.items())
    return together(element("h2", f"Beside it: {shadow.judge}"), element("p", told + missing), pairs)


def _flat(counted: Mapping[str, Mapping[str, int]]) -> list[list[str]]:
    return [[outer, inner, str(count)] for outer, part in counted.items() for inner, count in part.items()]


def _parts(results: Results) -> Iterator[Markup]:
    for attribute, values in results.report.by.items():
        if values:
            name = attribute.replace("_", " ")
            yield element("h2", f"By {name}")
            if attribute != "group":  # they are too many for a chart
                yield element("div", *(_drawn(values, attribute, metric) for metric in _DRAWN), class_="figures")
            yield _detailed(values, attribute)


def _drawn(values: Mapping[str, Slice], attribute: str, metric: str) -> Markup:
    groups = [(value, [Bar(name=metric, measure=part.metrics[metric], colour=0)]) for value, part in values.items()]
    return bars(f"{metric} by {attribute}", groups)


def _detailed(values: Mapping[str, Slice], attribute: str) -> Markup:
    rows = [
        [value, str(part.n), str(part.counts["failures"]), *(in_words(part.metrics[name]) for name in _DRAWN)]
        for value, part in values.items()
    ]
    return table(f"Answers by {attribute}", [attribute, "n", "failures", *_DRAWN], rows)
