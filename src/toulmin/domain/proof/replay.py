"""Replay as of now: what has become of a decision's grounds, as differences that a person can read.

The same differences say why an approval is stale.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from toulmin.domain.corpus.document import RevisionId, Standing, Status
from toulmin.domain.corpus.scope import AttributeValue, Scope
from toulmin.domain.corpus.validity import instant_text
from toulmin.domain.evidence.coverage import Witness
from toulmin.domain.evidence.selection import EvidenceSet
from toulmin.domain.policy import Policy
from toulmin.domain.proof.recorded import PassageName, Recorded, WordsErased, recorded_scope
from toulmin.domain.question.case import Case
from toulmin.domain.question.contract import Contract
from toulmin.domain.question.eligibility import Reason, judge


class Kind(StrEnum):
    """What kind of thing is otherwise than it was; the order is that in which differences are told."""

    CONTRACT_GONE = "contract_gone"
    CONTRACT_CHANGED = "contract_changed"
    CASE_REFUSED = "case_refused"
    POLICY_CHANGED = "policy_changed"
    SOURCE_GONE = "source_gone"
    SUPERSEDED = "superseded"
    NOT_IN_FORCE = "not_in_force"
    WORDS_CHANGED = "words_changed"
    SPANS_CHANGED = "spans_changed"
    SCOPE_CHANGED = "scope_changed"
    READERS_CHANGED = "readers_changed"
    ELIGIBILITY_CHANGED = "eligibility_changed"
    WITNESS_LOST = "witness_lost"
    NEW_WITNESS = "new_witness"
    RANKING_CHANGED = "ranking_changed"


OF_A_SOURCE = frozenset(
    (
        Kind.SOURCE_GONE,
        Kind.SUPERSEDED,
        Kind.NOT_IN_FORCE,
        Kind.WORDS_CHANGED,
        Kind.SPANS_CHANGED,
        Kind.SCOPE_CHANGED,
        Kind.READERS_CHANGED,
        Kind.ELIGIBILITY_CHANGED,
    )
)
"""Differences of a selected source itself: after any of them an answer does not rest on what it rested on, whatever is ranked now."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One thing that is otherwise than it was, in words. `source`, `fact` and `attribute` name what it is about, where it is about one.

    `says` is for who looked, and may name a revision that others may not read; then `unnamed` says the same without that name.
    """

    kind: Kind
    says: str
    source: RevisionId | None = None
    fact: str | None = None
    attribute: str | None = None
    unnamed: str | None = None

    @property
    def for_all(self) -> str:
        """What may be told to everybody who may see the packet: of revisions it names those of the packet alone."""
        return self.unnamed or self.says


@dataclass(frozen=True, kw_only=True)
class Present:
    """What the same question comes to at an instant, by the contract, policy and corpus of then.

    `contract` is None where there is none with its id any more, `case` where it does not fit it (`refusal` says why); then nothing was
    searched, and `evidence`, `taken` and `witnesses` are empty. `standings` are those of every revision of the recorded documents.
    """

    at: datetime
    policy: Policy
    standings: Mapping[RevisionId, Standing]
    contract: Contract | None
    case: Case | None = None
    refusal: str | None = None
    evidence: EvidenceSet = field(default_factory=EvidenceSet)
    taken: tuple[PassageName, ...] = ()
    witnesses: tuple[Witness, ...] = ()


def differences(recorded: Recorded, present: Present) -> tuple[Difference, ...]:
    """Everything that is otherwise, by kind, then in the order of the packet. None: what the answer rests on is as it was."""
    found = [
        *_of_contract(recorded, present),
        *_of_policy(recorded, present.policy),
        *(each for source in recorded.sources for each in _of_source(source, recorded, present)),
    ]
    if present.case is not None:
        found += [*_of_witnesses(recorded, present), *_of_ranking(recorded, present)]
    order = list(Kind)
    return tuple(sorted(found, key=lambda each: order.index(each.kind)))


def of_sources(recorded: Recorded, standings: Mapping[RevisionId, Standing], at: datetime) -> tuple[Difference, ...]:
    """What is otherwise about the selected sources themselves, by their standings and nothing else."""
    return tuple(each for source in recorded.sources for each in _of_standing(source, recorded, standings, at))


def _of_contract(recorded: Recorded, present: Present) -> Iterator[Difference]:
    said = recorded.body["contract"]
    if present.contract is None:
        yield Difference(kind=Kind.CONTRACT_GONE, says=f"there is no contract {said['id']} any more")
        return
    if present.contract.digest != said["digest"]:
        changed = _changed(recorded, said["snapshot"], present.contract.canonical)
        yield Difference(kind=Kind.CONTRACT_CHANGED, says=f"contract {said['id']} is another: {changed}")
    if present.refusal is not None:
        yield Difference(
            kind=Kind.CASE_REFUSED, says=f"the case does not fit contract {said['id']} any more: {present.refusal}"
        )


def _of_policy(recorded: Recorded, policy: Policy) -> Iterator[Difference]:
    said = recorded.body["policy"]
    if policy.digest != said["digest"]:
        changed = _changed(recorded, said["snapshot"], policy.canonical)
        yield Difference(kind=Kind.POLICY_CHANGED, says=f"the policy is another: {changed}")


def _changed(recorded: Recorded, snapshot: str, canonical: str) -> str:
    """Which keys of two canonical objects differ, with both values where they are short."""
    try:
        then = json.loads(recorded.words(snapshot))
    except WordsErased:
        return "what it was is not kept any more"
    return "; ".join(_paths(then, json.loads(canonical), ""))


_SHORT = 40
_WORDS = ("clause", "proposition")
"""Keys of a contract whose values may be words of documents: they are not repeated where they would outlive an erasure."""


def _paths(then: Any, now: Any, path: str) -> Iterator[str]:
    if isinstance(then, list) and isinstance(now, list) and all(isinstance(each, dict) for each in (*then, *now)):
        then, now = ({each.get("id", str(at)): each for at, each in enumerate(items)} for items in (then, now))
    if isinstance(then, dict) and isinstance(now, dict):
        for key in sorted(then.keys() | now.keys()):
            yield from _paths(then.get(key), now.get(key), f"{path}.{key}" if path else key)
    elif then != now:
        was, becomes = (json.dumps(value, ensure_ascii=False, sort_keys=True) for value in (then, now))
        short = len(was) + len(becomes) <= _SHORT and not path.endswith(_WORDS)
        yield f"{path} {was} → {becomes}" if short else f"{path} has changed"


def _of_source(source: RevisionId, recorded: Recorded, present: Present) -> Iterator[Difference]:
    """What has become of one selected source, and whether it would be selected; of one that is gone, nothing more is said."""
    yield from _of_standing(source, recorded, present.standings, present.at)
    standing = present.standings.get(source)
    if standing is None or standing.status is not Status.LIVE:
        return
    if present.contract is not None and present.case is not None:
        for reason in judge(present.contract.rules, present.case, standing.descriptor.scope):
            yield Difference(
                kind=Kind.ELIGIBILITY_CHANGED,
                source=source,
                attribute=reason.attribute,
                says=f"{source} is not eligible any more: {_why(reason)}",
            )


def _of_standing(
    source: RevisionId, recorded: Recorded, standings: Mapping[RevisionId, Standing], at: datetime
) -> Iterator[Difference]:
    standing = standings.get(source)
    if standing is None or standing.status is not Status.LIVE:
        how = "is not there any more" if standing is None else f"was {standing.status.value}"
        yield Difference(kind=Kind.SOURCE_GONE, source=source, says=f"{source} {how}")
        return
    yield from _of_validity(standing, standings, at)
    said = recorded.sources[source]
    if standing.text_sha256 != said["text_sha256"]:
        yield Difference(kind=Kind.WORDS_CHANGED, source=source, says=f"{source} was read again, and has another text")
    else:
        yield from _of_spans(source, recorded, standing)
    yield from _of_scope(source, recorded_scope(said), standing.descriptor.scope)
    was, now = tuple(said["readers"]), standing.descriptor.readers
    if was != now:
        yield Difference(
            kind=Kind.READERS_CHANGED, source=source, says=f"readers of {source}: {_list(was)} → {_list(now)}"
        )


def _of_validity(standing: Standing, standings: Mapping[RevisionId, Standing], at: datetime) -> Iterator[Difference]:
    validity, source = standing.validity, standing.id
    if validity.holds_at(at):
        return
    if standing.superseded:
        successor = _successor(standing, standings)
        by = f" by {successor}" if successor else ""
        since = f" since {instant_text(validity.end)}" if validity.end else ""
        yield Difference(
            kind=Kind.SUPERSEDED,
            source=source,
            says=f"{source} is superseded{by}{since}",
            unnamed=f"{source} is superseded{since}",
        )
        return
    end = f", until {instant_text(validity.end)}" if validity.end else ""
    yield Difference(
        kind=Kind.NOT_IN_FORCE,
        source=source,
        says=f"{source} is not in force: it is from {instant_text(validity.start)} on{end}",
    )


def _successor(standing: Standing, standings: Mapping[RevisionId, Standing]) -> RevisionId | None:
    """The revision of the same document that begins where this one ends."""
    begins = (
        other.id
        for other in standings.values()
        if other.id.document == standing.id.document
        and other.id != standing.id
        and other.status is Status.LIVE
        and other.validity.start == standing.validity.end
    )
    return min(begins, default=None)


def _of_spans(source: RevisionId, recorded: Recorded, standing: Standing) -> Iterator[Difference]:
    """Curated spans that witness facts of the question, in the text that they were put on: labels say what the answer may say."""
    were = {span.id: span for span in recorded.labelled(source)}
    are = {span.id: span for span in recorded.counted(source, standing.descriptor.spans)}
    for name in sorted(were.keys() | are.keys()):
        if were.get(name) != are.get(name):
            fact = (were.get(name) or are[name]).fact
            how = "is gone" if name not in are else "is new" if name not in were else "has other words or another label"
            yield Difference(
                kind=Kind.SPANS_CHANGED, source=source, fact=fact, says=f"span {name} ({fact}) of {source} {how}"
            )


def _of_scope(source: RevisionId, was: Scope, now: Scope) -> Iterator[Difference]:
    for name in sorted({*was.names, *now.names}):
        if was.get(name) != now.get(name):
            yield Difference(
                kind=Kind.SCOPE_CHANGED,
                source=source,
                attribute=name,
                says=f"{name} of {source}: {_value(was.get(name))} → {_value(now.get(name))}",
            )


def _of_witnesses(recorded: Recorded, present: Present) -> Iterator[Difference]:
    """Facts that have lost every witness, and witnesses in sources that were not selected then."""
    try:
        had = {witness.fact for witness in recorded.witnesses}
    except WordsErased:
        had = {span["fact"] for document in recorded.sources.values() for span in document["spans"] if span["fact"]}
    have = {witness.fact for witness in present.witnesses}
    for fact in sorted(had - have):
        yield Difference(kind=Kind.WITNESS_LOST, fact=fact, says=f"no selected source witnesses {fact} any more")
    for witness in present.witnesses:
        if witness.source not in recorded.sources:
            yield Difference(
                kind=Kind.NEW_WITNESS,
                source=witness.source,
                fact=witness.fact,
                says=f"{witness.source} now witnesses {witness.fact}",
                unnamed=_unless_named(witness.source, recorded, f"another source now witnesses {witness.fact}"),
            )


def _of_ranking(recorded: Recorded, present: Present) -> Iterator[Difference]:
    """Passages that are selected only then, or only now, or in another order."""
    then, now = recorded.taken, present.taken
    for source, passage in (name for name in then if name not in now):
        yield Difference(
            kind=Kind.RANKING_CHANGED,
            source=source,
            says=f"{source} {passage} is not among the selected passages any more",
        )
    for source, passage in (name for name in now if name not in then):
        yield Difference(
            kind=Kind.RANKING_CHANGED,
            source=source,
            says=f"{source} {passage} is selected now",
            unnamed=_unless_named(source, recorded, "a passage of another source is selected now"),
        )
    if then != now and set(then) == set(now):
        yield Difference(kind=Kind.RANKING_CHANGED, says="the selected passages come in another order")


def _unless_named(source: RevisionId, recorded: Recorded, says: str) -> str | None:
    """The words without the source's name, unless the packet has it too: who may see the packet may read all that it names."""
    return None if source in recorded.packet.sources else says


def _why(reason: Reason) -> str:
    if reason.note is not None:
        return reason.note
    return f"its {reason.attribute} is {_value(reason.document_value)}, the case's {reason.case_value}"


def _value(value: AttributeValue | None) -> str:
    if value is None:
        return "not stated"
    return value if isinstance(value, str) else ", ".join(value)


def _list(values: Sequence[str]) -> str:
    return ", ".join(values) or "nobody"
