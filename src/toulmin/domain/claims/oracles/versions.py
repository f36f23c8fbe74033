"""Versions: a release that the evidence does not speak of, or of which it says something else."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toulmin.domain.claims.objection import Objection, Strength
from toulmin.domain.claims.oracles.figures.relations import Relation
from toulmin.domain.claims.oracles.figures.releases import Release
from toulmin.domain.claims.oracles.matching import is_version, said
from toulmin.domain.claims.oracles.statement import Pair

NAME: Final = "versions"

_UPWARD = frozenset({Relation.AT_LEAST, Relation.MORE, Relation.SINCE})
_DOWNWARD = frozenset({Relation.AT_MOST, Relation.LESS})


def objections(pair: Pair) -> Iterator[Objection]:
    """An objection for each version of the claim that the evidence does not cover.

    A stated bound is read as complete: "3.9 and newer" denies that 3.8 is enough. What happened in a version belongs to it:
    "deprecated in 2.2, removed in 2.3" denies a removal in 2.2.
    """
    if not pair.evidence or not pair.claim.figures.releases:
        return
    for release in pair.claim.figures.releases:
        if not _is_context(pair, release) and is_version(pair, release) and not _is_covered(pair, release):
            yield _objection(pair, release)


def _is_covered(pair: Pair, release: Release) -> bool:
    """Whether a sentence of the evidence covers a version, with no more of them read than it takes."""
    return any(
        _same_product(release, other) and _covers(release, other)
        for statement in pair.in_order
        for other in statement.figures.releases
    )


def _is_context(pair: Pair, release: Release) -> bool:
    """Whether the sources' own version is meant."""
    return str(release.version) in pair.context or any(cited.version == str(release.version) for cited in pair.passages)


def _same_product(claim: Release, evidence: Release) -> bool:
    return claim.name is None or evidence.name is None or claim.name == evidence.name


def _covers(claim: Release, evidence: Release) -> bool:
    """Whether what the evidence says of a version holds what the claim says of one."""
    if claim.event and evidence.event and claim.event != evidence.event:
        return False
    if claim.upper is not None:
        return claim.version == evidence.version and claim.upper == evidence.upper
    if claim.version == evidence.version and evidence.upper is None:
        return _same_bound(claim.relation, evidence.relation)
    if claim.relation not in {Relation.IS, Relation.EXACTLY} or (claim.event and evidence.relation is Relation.SINCE):
        return False
    return claim.event is None and _allows(evidence, claim)


def _same_bound(claim: Relation, evidence: Relation) -> bool:
    """Whether two bounds by the same version say the same, as far as a version can tell: that it is in or out."""
    if claim in _UPWARD and evidence in _DOWNWARD:
        return claim is Relation.SINCE or evidence is Relation.LESS
    if claim in _DOWNWARD and evidence in _UPWARD:
        return claim is Relation.LESS
    strict = {Relation.MORE, Relation.LESS}
    return claim is evidence or not ({claim, evidence} & strict) or claim is Relation.LESS


def _allows(bound: Release, release: Release) -> bool:
    """Whether a version lies within the bound that another one is stated with."""
    match bound.relation:
        case _ if bound.upper is not None:
            return bound.version <= release.version <= bound.upper
        case Relation.AT_LEAST | Relation.SINCE:
            return release.version >= bound.version
        case Relation.MORE:
            return release.version > bound.version
        case Relation.AT_MOST:
            return release.version <= bound.version
        case Relation.LESS:
            return release.version < bound.version
        case _:
            return release.version == bound.version


def _objection(pair: Pair, release: Release) -> Objection:
    rivals = [
        (statement, other)
        for statement in pair.in_order
        for other in statement.figures.releases
        if _same_product(release, other)
    ]
    span = release.start, release.end
    claimed = said(pair.claim, *span)
    if not rivals:
        against = pair.in_order[0]
        says = f"the claim says {claimed}; the source names no such version"
        return pair.objection(
            NAME, Strength.UNSETTLES, says, claim=span, against=against, evidence=(against.start, against.end)
        )
    same_event = [(item, other) for item, other in rivals if release.event and other.event == release.event]
    same_version = [(item, other) for item, other in rivals if other.version == release.version]
    statement, rival = (same_event or same_version or rivals)[0]
    strength = Strength.CONTRADICTS if _denies(release, rival, len(same_event or rivals)) else Strength.UNSETTLES
    stated = said(statement, rival.start, rival.end)
    says = f"the claim says {_verb(release)}{claimed}; the source says {_verb(rival)}{stated}"
    return pair.objection(NAME, strength, says, claim=span, against=statement, evidence=(rival.start, rival.end))


def _verb(release: Release) -> str:
    return f"{release.event} in " if release.event and release.relation is Relation.IS else ""


def _denies(claim: Release, evidence: Release, among: int) -> bool:
    """Whether the evidence's version surely stands where the claim's stands, and rules it out."""
    if among > 1:
        return False
    if claim.event and claim.event == evidence.event:
        return claim.version != evidence.version
    if claim.event and evidence.event:
        return False
    if claim.relation is Relation.SINCE and evidence.relation is Relation.SINCE:
        return claim.version != evidence.version
    if claim.relation in {Relation.IS, Relation.EXACTLY} and (
        evidence.relation in _UPWARD | _DOWNWARD or evidence.upper
    ):
        return not _allows(evidence, claim)
    if claim.relation in _UPWARD and evidence.relation in _UPWARD:
        return claim.version < evidence.version
    if claim.relation in _DOWNWARD and evidence.relation in _DOWNWARD:
        return claim.version > evidence.version
    return False
