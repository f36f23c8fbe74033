"""Dates: days, years and times of day that the evidence does not state, or states otherwise."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from toulmin.domain.claims.objection import Objection, Strength
from toulmin.domain.claims.oracles.figures.moments import Moment
from toulmin.domain.claims.oracles.figures.relations import Relation
from toulmin.domain.claims.oracles.matching import is_best, said
from toulmin.domain.claims.oracles.statement import Pair, Statement

NAME: Final = "dates"

_STRICT = frozenset({Relation.LESS, Relation.MORE})
_DAY = 24 * 60
_ABOUT = 10
"""Of minutes, the most that "about" leaves room for."""
_OF_A_NAME = re.compile(r"\(\d{4}\s[^\W\d]+\)")


def objections(pair: Pair) -> Iterator[Objection]:
    """An objection for each date or time of the claim that the evidence does not state.

    It denies the claim where the best sentence has exactly one date of that kind, and another one.
    """
    if not pair.evidence or not pair.claim.figures.moments:
        return
    for moment in pair.claim.figures.moments:
        if not _is_context(pair, moment) and not any(_states(pair, item, moment) for item in pair.in_order):
            yield _objection(pair, moment)


def _is_context(pair: Pair, moment: Moment) -> bool:
    """Whether a year is one of the titles and sections, or a part of a name such as "Hush (2016 film)"."""
    if moment.month is not None or moment.minute is not None:
        return False
    return str(moment.year) in pair.context or _OF_A_NAME.match(pair.claim.text, max(0, moment.start - 1)) is not None


def _states(pair: Pair, statement: Statement, moment: Moment) -> bool:
    """Whether a sentence states all the parts of a date, in one date or in several that do not gainsay each other.

    A date without a year may be in any year that the evidence names.
    """
    agreeing = [item for item in statement.figures.moments if _agrees(moment, item) and _settles(moment, item)]
    parts = [part for part, value in enumerate(moment.parts) if value is not None]
    missing = [part for part in parts if all(item.parts[part] is None for item in agreeing)]
    if not missing or (missing == [0] and len(parts) > 1 and _is_named(pair, moment.year)):
        return True
    if moment.relation is not Relation.IS and any(_implies(moment, item) for item in statement.figures.moments):
        return True
    return (
        moment.month is None
        and moment.year is not None
        and any(
            moment.year <= quantity.value < moment.year + moment.years and quantity.measure is None
            for quantity in statement.figures.quantities
        )
    )


def _is_named(pair: Pair, year: int | None) -> bool:
    return any(item.year == year for statement in pair.evidence for item in statement.figures.moments)


def _agrees(claim: Moment, evidence: Moment) -> bool:
    """Whether all parts that both name are equal; instants with a zone on both sides are compared as instants."""
    if claim.instant is not None and evidence.instant is not None:
        return claim.instant == evidence.instant
    if claim.years > 1 and evidence.year is not None and claim.year is not None:
        return claim.year <= evidence.year and evidence.year + evidence.years <= claim.year + claim.years
    if evidence.years > claim.years:
        return False
    return all(
        a == b for a, b in zip(claim.parts[:3], evidence.parts[:3], strict=True) if a is not None and b is not None
    ) and _same_time(claim, evidence)


def _same_time(claim: Moment, evidence: Moment) -> bool:
    if claim.minute is None or evidence.minute is None:
        return True
    if claim.zone is None or claim.zone == evidence.zone:
        return claim.minute == evidence.minute
    if isinstance(claim.zone, int) and isinstance(evidence.zone, int):
        return (claim.minute - claim.zone) % _DAY == (evidence.minute - evidence.zone) % _DAY
    return False


def _settles(claim: Moment, evidence: Moment) -> bool:
    """Whether a date with the same parts says as much: its day and month are in a known order, and it is no stricter bound."""
    if evidence.swapped and claim.day is not None and not claim.swapped:
        return False
    if claim.relation in _STRICT or evidence.relation in _STRICT:
        return claim.relation is evidence.relation
    return True


def _implies(claim: Moment, evidence: Moment) -> bool:
    """Whether the evidence's date or time lies on the side of the claim's on which the claim says that it does, or about there."""
    spans = _spans(claim, evidence)
    if spans is None:
        return False
    (mine_first, mine_last), (first, last) = spans
    match claim.relation:
        case Relation.LESS:
            return last < mine_first and evidence.relation not in {Relation.MORE, Relation.AT_LEAST, Relation.SINCE}
        case Relation.MORE:
            return first > mine_last and evidence.relation not in {Relation.LESS, Relation.AT_MOST}
        case Relation.AT_MOST:
            return last <= mine_last and evidence.relation in {Relation.IS, Relation.LESS, Relation.AT_MOST}
        case Relation.AT_LEAST:
            return first >= mine_first and evidence.relation in {Relation.IS, Relation.MORE, Relation.AT_LEAST}
        case Relation.ABOUT:
            return claim.minute is not None and abs(first[-1] - mine_first[-1]) <= _ABOUT
        case _:
            return False


_Point = tuple[int, ...]


def _spans(claim: Moment, evidence: Moment) -> tuple[tuple[_Point, _Point], tuple[_Point, _Point]] | None:
    """From when to when both are, in the same terms: days, or minutes of the same day; None where they have none in common."""
    if claim.minute is not None:
        is_same_day = claim.parts[:3] in {evidence.parts[:3], (None, None, None)}
        if evidence.minute is None or claim.zone != evidence.zone or not is_same_day:
            return None
        mine, other = (claim.minute,), (evidence.minute,)
        return (mine, mine), (other, other)
    if claim.first_day is None or claim.last_day is None or evidence.first_day is None or evidence.last_day is None:
        return None
    return (claim.first_day, claim.last_day), (evidence.first_day, evidence.last_day)


def _objection(pair: Pair, moment: Moment) -> Objection:
    span = moment.start, moment.end
    claimed = said(pair.claim, *span)
    for statement in pair.in_order:
        rivals = [item for item in statement.figures.moments if _is_rival(moment, item)]
        if not rivals:
            continue
        rival = max(rivals, key=lambda item: _likeness(pair, moment, item))
        stated = said(statement, rival.start, rival.end)
        says = f"the claim says {claimed}; the source says {stated}"
        if rival.swapped and _agrees(moment, rival):
            says += ", where the order of day and month is not known"
        strength = Strength.CONTRADICTS if _denies(pair, moment, rival, rivals, statement) else Strength.UNSETTLES
        return pair.objection(NAME, strength, says, claim=span, against=statement, evidence=(rival.start, rival.end))
    against = pair.in_order[0]
    says = f"the claim says {claimed}; the source has no such date or time"
    return pair.objection(
        NAME, Strength.UNSETTLES, says, claim=span, against=against, evidence=(against.start, against.end)
    )


def _likeness(pair: Pair, claim: Moment, evidence: Moment) -> tuple[bool, int]:
    """How much a date of the evidence seems to stand in the place of the claim's: no other one of the claim has it, and equal parts."""
    elsewhere = any(
        item is not claim and _is_rival(item, evidence) and _agrees(item, evidence)
        for item in pair.claim.figures.moments
    )
    return not elsewhere, sum(a == b is not None for a, b in zip(claim.parts, evidence.parts, strict=True))


def _is_rival(claim: Moment, evidence: Moment) -> bool:
    """Whether both name at least one part of the same kind."""
    return any(a is not None and b is not None for a, b in zip(claim.parts, evidence.parts, strict=True))


def _denies(pair: Pair, moment: Moment, rival: Moment, rivals: list[Moment], statement: Statement) -> bool:
    """Whether the best sentence has one date where the claim has one, and it is surely another."""
    if len(rivals) > 1 or rival.swapped or moment.swapped or not is_best(pair, statement):
        return False
    if sum(_is_rival(item, moment) for item in pair.claim.figures.moments) > 1:
        return False
    if (
        rival.minute is not None
        and moment.minute is not None
        and isinstance(moment.zone, int) != isinstance(rival.zone, int)
    ):
        return moment.minute != rival.minute and moment.zone is None
    if _agrees(moment, rival):
        return {moment.relation, rival.relation} == _STRICT
    if moment.relation is Relation.IS and rival.relation is Relation.IS and rival.years == 1:
        return True
    return not _overlap(moment, rival)


def _overlap(claim: Moment, evidence: Moment) -> bool:
    """Whether there may be a day, or a time of day, that both speak of."""
    spans = _spans(claim, evidence)
    if spans is None or Relation.ABOUT in {claim.relation, evidence.relation}:
        return True
    (mine_first, mine_last), (first, last) = spans
    upward = {Relation.MORE, Relation.AT_LEAST, Relation.SINCE}
    downward = {Relation.LESS, Relation.AT_MOST}
    if mine_first > last:
        return evidence.relation in upward or claim.relation in downward
    if mine_last < first:
        return evidence.relation in downward or claim.relation in upward
    return True
