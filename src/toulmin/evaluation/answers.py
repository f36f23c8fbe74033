"""Answers: what a reader is given for questions whose gold quotes are known, from search to delivery.

Correctness and the quality of citations are measured apart, as by ALCE (Gao, Yen, Yu and Chen 2023, "Enabling large language models to
generate text with citations"). There a model of entailment says what a citation supports. Here each citation is a stored passage, so that
the gold quote's own place can be compared with it; what a claim rests on is what the review of it found.

Every metric is a share over points, each of which belongs to one question: the question itself, a gold quote, a citation, or a claim.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from toulmin.domain.claims.verdict import Verdict, VerdictStatus
from toulmin.domain.corpus.document import Place, RevisionId
from toulmin.domain.corpus.quotes import find
from toulmin.domain.outcome import (
    NAMES,
    Answered,
    AskForEvidence,
    CitedQuote,
    Recorded,
    SearchOnly,
    SearchOnlyReason,
    ShownClaim,
    Withheld,
)
from toulmin.domain.question.contract import Mode
from toulmin.evaluation.intervals import Estimate, share
from toulmin.evaluation.labels import Label
from toulmin.evaluation.questions import Gold, Question
from toulmin.evaluation.report import Report, Slice, compiled

KIND = "answers"

FAULTS = frozenset(
    {
        SearchOnlyReason.NO_DRAFTER,
        SearchOnlyReason.NO_JUDGE,
        SearchOnlyReason.PROVIDER_ERROR,
        SearchOnlyReason.RATE_LIMITED,
        SearchOnlyReason.TIMEOUT,
        SearchOnlyReason.SATURATED,
        SearchOnlyReason.EGRESS_DENIED,
    }
)
"""Why a question ends in `SearchOnly` without a drafter or judge having said anything about it."""

_REVIEWED = (VerdictStatus.SUPPORTED, VerdictStatus.CONTRADICTED, VerdictStatus.UNRESOLVED)
_ENDINGS = (Answered, AskForEvidence, Withheld, SearchOnly)
_CAPITAL = re.compile(r"(?<!^)(?=[A-Z])")


@dataclass(frozen=True, slots=True, kw_only=True)
class Located:
    """A gold quote with every place (start and end, in code points) where its revision has it; none: it is not in the corpus."""

    gold: Gold
    places: tuple[tuple[int, int], ...]
    source_type: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question, what it ended in, and where its gold quotes stand."""

    question: Question
    outcome: Recorded
    gold: tuple[Located, ...]

    @property
    def delivered(self) -> tuple[ShownClaim, ...]:
        """The claims that the answer has."""
        return self.outcome.claims if isinstance(self.outcome, Answered) else ()

    @property
    def claims(self) -> tuple[ShownClaim, ...]:
        """All claims that have a verdict, those that were delivered first: drafted ones, and quotations that a repair made of them."""
        return (*self.delivered, *self.withheld)

    @property
    def withheld(self) -> tuple[ShownClaim, ...]:
        """The claims that were judged and not delivered."""
        return self.outcome.withheld if isinstance(self.outcome, Answered | Withheld) else ()

    @property
    def answered(self) -> bool:
        return isinstance(self.outcome, Answered)

    @property
    def right(self) -> bool:
        """Whether a question with an answer was answered, and one without was not."""
        return self.answered is self.question.answerable

    @property
    def source_type(self) -> str | None:
        """The types of the documents that the gold quotes stand in."""
        return ", ".join(sorted({item.source_type for item in self.gold if item.source_type})) or None

    @property
    def citations(self) -> Iterator[tuple[ShownClaim, int, CitedQuote]]:
        """Every citation of the delivered claims, with its claim and its number there."""
        return ((claim, number, cited) for claim in self.delivered for number, cited in enumerate(claim.citations))

    def covered(self, located: Located) -> bool:
        """Whether a citation of a delivered claim holds a gold quote."""
        return any(self._holds(cited.source, cited.place, located) for _, _, cited in self.citations)

    def selected(self, located: Located) -> bool:
        """Whether a passage of the evidence holds a gold quote, in the round that counts, so that it could be cited."""
        return any(self._holds(item.found.id, item.place, located) for item in self.outcome.search)

    def holds_gold(self, cited: CitedQuote) -> bool:
        """Whether a citation holds any gold quote."""
        return any(self._holds(cited.source, cited.place, located) for located in self.gold)

    def is_said(self, words: str) -> bool:
        """Whether the words stand, after the folds of quotes, in what a delivered claim cites of the question's version."""
        return any(
            cited.source.version == self.question.version and cited.words is not None and find(cited.words, words)
            for _, _, cited in self.citations
        )

    def _holds(self, source: RevisionId, place: Place | None, located: Located) -> bool:
        """Whether words of a revision are at least half of a gold quote, in the place where its document and version have it."""
        if place is None or (source.document, source.version) != (located.gold.path, self.question.version):
            return False
        return any(2 * (min(place.end, end) - max(place.start, start)) >= end - start for start, end in located.places)


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """What a question adds to each metric, and to each count."""

    id: str
    group: str
    points: Mapping[str, tuple[bool, ...]]
    counts: Mapping[str, int] = field(default_factory=dict)
    kind: str | None = None
    version: str | None = None
    source_type: str | None = None

    @property
    def sort(self) -> tuple[int, ...]:
        """What kind of a question it was: whether it has an answer, how many gold quotes, and how many facts."""
        return tuple(len(self.points.get(name, ())) for name in ("answered", "citation_recall", "answer_completeness"))


def judged(asked: Asked) -> Judged:
    """A question's part of all metrics and counts."""
    question = asked.question
    return Judged(
        id=question.id,
        group=question.group,
        kind=question.kind,
        version=question.version,
        source_type=asked.source_type,
        points={name: tuple(points(asked)) for name, points in _POINTS.items()},
        counts={name: count(asked) for name, count in _COUNTS.items()},
    )


def report(rows: Sequence[Judged]) -> Report:
    """What is delivered, also by what the questions test (their kind), by version, by the type of the gold's documents, and by group."""
    return compiled(KIND, rows, _measured, by=_ATTRIBUTES)


def names() -> tuple[str, ...]:
    """The names of all metrics and counts that a report has."""
    return (*_POINTS, *_COUNTS)


def estimates(rows: Sequence[Judged]) -> dict[str, Estimate]:
    """Every metric over the rows, with what each group adds to its error."""
    return {
        name: share([(row.group, float(point)) for row in rows for point in row.points.get(name, ())])
        for name in _POINTS
    }


def endings(rows: Sequence[Asked]) -> dict[str, dict[str, int]]:
    """Of the questions that were not answered: how many ended in what, and why."""
    found: dict[str, Counter[str]] = {}
    for row in rows:
        if not row.answered:
            found.setdefault(NAMES[type(row.outcome)], Counter())[_why(row.outcome)] += 1
    return {name: dict(sorted(reasons.items())) for name, reasons in sorted(found.items())}


def withheld(rows: Sequence[Asked]) -> dict[str, dict[str, int]]:
    """Of the claims that were not delivered: how many for which cause, and with which verdict."""
    found: dict[str, Counter[str]] = {}
    for verdict in (claim.verdict for row in rows for claim in row.withheld):
        found.setdefault(cause(verdict), Counter())[verdict.status.value] += 1
    return {name: dict(sorted(statuses.items())) for name, statuses in sorted(found.items())}


def cause(verdict: Verdict) -> str:
    """What held a claim back, without words of it: an oracle by its name, the judge, the want of one, or the reason of a check."""
    if verdict.delivered:
        return "the rest of the answer was held back"
    if verdict.objections:
        return f"oracle: {verdict.objections[0].oracle}"
    if verdict.probabilities is not None:
        return "judge"
    if "oracles" in verdict.checks:
        return "no opinion of a judge"
    return verdict.reason or verdict.status.value


def _why(outcome: Recorded) -> str:
    if isinstance(outcome, AskForEvidence | SearchOnly) and outcome.reason is not None:
        return outcome.reason.value
    return "no claim was delivered"


def _measured(rows: Sequence[Judged]) -> Slice:
    return Slice(
        n=len(rows),
        metrics={name: found.measure for name, found in estimates(rows).items()},
        counts={name: sum(row.counts[name] for row in rows) for name in _COUNTS},
    )


def _labelled(asked: Asked) -> Iterator[tuple[bool, bool]]:
    """Of each claim with a label: whether it is labelled supported, and whether it was delivered."""
    for delivered, claims in ((True, asked.delivered), (False, asked.withheld)):
        for claim in claims:
            label = asked.question.label_of(claim.text)
            if label is not None:
                yield label is Label.SUPPORTED, delivered


def _if(condition: bool, *points: bool) -> tuple[bool, ...]:
    """Points that count only under a condition."""
    return points if condition else ()


def _share_name(ending: type[Recorded]) -> str:
    return f"share_{_CAPITAL.sub('_', NAMES[ending]).lower()}"


def _ends_in(ending: type[Recorded]) -> Callable[[Asked], tuple[bool, ...]]:
    return lambda asked: (isinstance(asked.outcome, ending),)


def _precise(asked: Asked) -> Iterator[bool]:
    """Whether each citation holds a gold quote, or words that the review found its claim to rest on."""
    for claim, number, cited in asked.citations:
        yield asked.holds_gold(cited) or any(at == number for at, _, _ in claim.verdict.rests_on)


_POINTS: Mapping[str, Callable[[Asked], Sequence[bool] | Iterator[bool]]] = {
    **{_share_name(ending): _ends_in(ending) for ending in _ENDINGS},
    "right_outcomes": lambda it: (it.right,),
    "answered": lambda it: _if(it.question.answerable, it.answered),
    "answered_from_gold": lambda it: _if(it.question.answerable, any(map(it.covered, it.gold))),
    "right_abstentions": lambda it: _if(not it.question.answerable, not it.answered),
    "evidence_recall": lambda it: (it.selected(located) for located in it.gold),
    "citation_recall": lambda it: (it.covered(located) for located in it.gold),
    "citation_precision": lambda it: _if(it.question.answerable, *_precise(it)),
    "gold_citations": lambda it: _if(it.question.answerable, *(it.holds_gold(cited) for _, _, cited in it.citations)),
    "answer_completeness": lambda it: (it.is_said(words) for words in it.question.wanted),
    "unsupported_claim_rate": lambda it: (not supported for supported, delivered in _labelled(it) if delivered),
    "false_rejection_rate": lambda it: (not delivered for supported, delivered in _labelled(it) if supported),
    "coverage": lambda it: (
        claim.verdict.status is not VerdictStatus.UNRESOLVED
        for claim in it.claims
        if claim.verdict.status in _REVIEWED and it.outcome.assurance is Mode.REVIEWED
    ),
}
"""What a question adds to each metric, in the order in which they are shown."""

_COUNTS: Mapping[str, Callable[[Asked], int]] = {
    "answerable": lambda it: it.question.answerable,
    "failures": lambda it: not it.right,
    "provider_faults": lambda it: isinstance(it.outcome, SearchOnly) and it.outcome.reason in FAULTS,
    "gold": lambda it: len(it.gold),
    "gold_absent": lambda it: sum(not located.places for located in it.gold),
    "claims": lambda it: len(it.claims),
    "delivered": lambda it: len(it.delivered),
    "withheld": lambda it: len(it.withheld),
    "citations": lambda it: sum(1 for _ in it.citations),
    "other_version_citations": lambda it: sum(
        cited.source.version != it.question.version for _, _, cited in it.citations
    ),
    "labels": lambda it: len(it.question.labels),
    "labelled": lambda it: sum(1 for _ in _labelled(it)),
}

_ATTRIBUTES: Mapping[str, Callable[[Judged], str | None]] = {
    "phenomenon": lambda row: row.kind,
    "source_type": lambda row: row.source_type,
    "version": lambda row: row.version,
    "group": lambda row: row.group,
}
