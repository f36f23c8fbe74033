"""What a contract would find in a corpus: the checks that a curator runs after changing either."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations, groupby

from toulmin.domain.claims.draft import answer_text, text_fault
from toulmin.domain.corpus.document import RevisionId, Standing
from toulmin.domain.corpus.overlap import provably_disjoint
from toulmin.domain.evidence.coverage import qualifies
from toulmin.domain.evidence.selection import Quote
from toulmin.domain.policy import Policy
from toulmin.domain.question.case import Value
from toulmin.domain.question.contract import Contract, Fact
from toulmin.domain.question.eligibility import Reason, RuleName, never_eligible


class FindingCode(StrEnum):
    """What a check found."""

    NO_WITNESS = "no_witness"
    SEVERAL_WITNESSES = "several_witnesses"
    LABEL_WITHOUT_PROPOSITION = "label_without_proposition"
    OVERLAP = "overlap"
    UNREACHABLE_RULE = "unreachable_rule"
    UNSAYABLE_CLAUSE = "unsayable_clause"
    TOO_MANY_FACTS = "too_many_facts"


FATAL = frozenset(FindingCode) - {FindingCode.SEVERAL_WITNESSES, FindingCode.OVERLAP}
"""Findings that keep a contract from answering; the others may be meant."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One finding about a contract, and about one of its facts where it names one."""

    code: FindingCode
    contract: str
    fact: str | None
    message: str
    remedy: str

    @property
    def fatal(self) -> bool:
        return self.code in FATAL


@dataclass(frozen=True, slots=True, kw_only=True)
class Curated:
    """A revision in force, with its curated quotes."""

    standing: Standing
    quotes: tuple[Quote, ...]


def findings(contract: Contract, corpus: Sequence[Curated], policy: Policy) -> tuple[Finding, ...]:
    """Everything worth knowing about a contract over the revisions in force: facts in the contract's order, then rules, then overlaps."""
    return (
        *(finding for fact in contract.facts for finding in _fact(contract, fact, corpus)),
        *_sayable(contract, policy),
        *_rules(contract, corpus),
        *_overlaps(contract, corpus),
    )


Labelled = tuple[Curated, Quote]
"""A curated quote in its revision."""


def witnessing(contract: Contract, fact: Fact, corpus: Sequence[Curated]) -> tuple[Labelled, ...]:
    """What may witness a fact for some case of the contract, in the order of the corpus."""
    witnesses, _ = _qualifying(contract, fact, _labelled(fact, corpus))
    return witnesses


def _labelled(fact: Fact, corpus: Sequence[Curated]) -> Sequence[Labelled]:
    return [(item, quote) for item in corpus for quote in item.quotes if quote.span.fact == fact.id]


def _qualifying(
    contract: Contract, fact: Fact, labelled: Sequence[Labelled]
) -> tuple[tuple[Labelled, ...], Mapping[RevisionId, Sequence[Reason]]]:
    """Those of a fact's labelled quotes that may witness it; and the revisions whose quotes qualify, with what keeps each from every case."""
    qualifying = [(item, quote) for item, quote in labelled if qualifies(quote, fact)]
    excluded = {
        item.standing.id: never_eligible(contract.rules, item.standing.descriptor.scope) for item, _ in qualifying
    }
    return tuple((item, quote) for item, quote in qualifying if not excluded[item.standing.id]), excluded


def _fact(contract: Contract, fact: Fact, corpus: Sequence[Curated]) -> Iterator[Finding]:
    labelled = _labelled(fact, corpus)
    witnesses, excluded = _qualifying(contract, fact, labelled)
    for item, quote in labelled:
        if not qualifies(quote, fact):
            yield Finding(
                code=FindingCode.LABEL_WITHOUT_PROPOSITION,
                contract=contract.id,
                fact=fact.id,
                message=f"span {quote.span.id} of {item.standing.id} carries the label, but its words are not the proposition",
                remedy="curate the span anew, or change the proposition",
            )
    if not witnesses:
        yield Finding(
            code=FindingCode.NO_WITNESS,
            contract=contract.id,
            fact=fact.id,
            message="no revision in force holds a span with this label and the proposition's words" + _but(excluded),
            remedy="mend the scope or the rules" if excluded else "add a document that states it, and label the span",
        )
    rivals = {
        rid
        for (one, _), (other, _) in combinations(witnesses, 2)
        if not _apart(contract, one.standing, other.standing)
        for rid in (one.standing.id, other.standing.id)
    }
    if rivals:
        yield Finding(
            code=FindingCode.SEVERAL_WITNESSES,
            contract=contract.id,
            fact=fact.id,
            message=f"several revisions may witness it for one case: {', '.join(map(str, sorted(rivals)))}",
            remedy="the first by (document, span) is cited; drop a label where that is not meant",
        )


def _but(excluded: Mapping[RevisionId, Sequence[Reason]]) -> str:
    """Which revisions do, and why none of them is ever eligible."""
    causes = (
        f"{rid} does, and is eligible for no case: {reasons[0].note}" for rid, reasons in excluded.items() if reasons
    )
    return "".join(f"; {cause}" for cause in causes)


def _sayable(contract: Contract, policy: Policy) -> Iterator[Finding]:
    """Clauses that structural validation would refuse, one by one or together."""
    for fact in contract.facts:
        fault = text_fault(fact.clause)
        if fault is not None:
            yield Finding(
                code=FindingCode.UNSAYABLE_CLAUSE,
                contract=contract.id,
                fact=fact.id,
                message=f"its clause would be refused in every draft: {fault}",
                remedy="write the clause as one line of plain text, without citation markers",
            )
    together = _applying_together(contract.facts)
    if len(together) > policy.claims:
        yield Finding(
            code=FindingCode.TOO_MANY_FACTS,
            contract=contract.id,
            fact=None,
            message=f"{len(together)} facts may apply to one case, and a draft has at most {policy.claims} claims",
            remedy="split the question, or raise claims in the policy",
        )
    size = len(answer_text([fact.clause for fact in together]).encode())
    if size > policy.answer_bytes:
        yield Finding(
            code=FindingCode.UNSAYABLE_CLAUSE,
            contract=contract.id,
            fact=None,
            message=f"the clauses that may apply to one case have {size} bytes, and an answer at most {policy.answer_bytes}",
            remedy="shorten the clauses, or raise answer_bytes in the policy",
        )


def _applying_together(facts: Sequence[Fact]) -> list[Fact]:
    """Facts that some case makes apply all at once: each next one that fits those before it."""
    together: list[Fact] = []
    case: dict[str, Value] = {}
    for fact in facts:
        if all(case.get(name, value) == value for name, value in fact.applies):
            together.append(fact)
            case.update(fact.applies)
    return together


def _rules(contract: Contract, corpus: Sequence[Curated]) -> Iterator[Finding]:
    for name in contract.rules.attributes:
        stated = any(item.standing.descriptor.scope.get(name) is not None for item in corpus)
        if not stated and name not in contract.rules.missing:
            yield Finding(
                code=FindingCode.UNREACHABLE_RULE,
                contract=contract.id,
                fact=None,
                message=f"no revision in force states {name}, so that the rule on it lets nothing through",
                remedy=f"state {name} in the documents' scope, or add it to eligibility.missing",
            )


def _overlaps(contract: Contract, corpus: Sequence[Curated]) -> Iterator[Finding]:
    for one, other in _of_one_document([item.standing for item in corpus]):
        together = one.validity.overlaps(other.validity)
        if together and not _apart(contract, one, other):
            yield Finding(
                code=FindingCode.OVERLAP,
                contract=contract.id,
                fact=None,
                message=f"{one.id} and {other.id} are in force together, and their scopes may overlap",
                remedy="name the older one in supersedes, or make the scopes disjoint",
            )


def _apart(contract: Contract, one: Standing, other: Standing) -> bool:
    """Whether no case of the contract makes both eligible."""
    ordered = [name for name, rule in contract.rules.rules if rule.name is RuleName.AT_LEAST]
    return provably_disjoint(one.descriptor.scope, other.descriptor.scope, ordered=ordered)


def _of_one_document(standings: Sequence[Standing]) -> Iterator[tuple[Standing, Standing]]:
    """Every pair of revisions that belong to one document."""
    ordered = sorted(standings, key=lambda standing: standing.id)
    for _, revisions in groupby(ordered, key=lambda standing: standing.id.document):
        yield from combinations(revisions, 2)
