"""Looking again: whether an answer still rests on what it rested on, before anything is done with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from toulmin.application.catchup import EMBEDDED, catch_up, embed
from toulmin.application.parts import Parts
from toulmin.application.replay import Replay, replay
from toulmin.domain.errors import Conflict, NotFound
from toulmin.domain.proof.recorded import Recorded, WordsErased
from toulmin.domain.proof.replay import OF_A_SOURCE, Kind
from toulmin.domain.proof.rerun import Result
from toulmin.domain.question.case import Principal
from toulmin.domain.question.contract import Mode
from toulmin.domain.question.eligibility import Rules

_FATAL = OF_A_SOURCE | {Kind.CONTRACT_GONE, Kind.CONTRACT_CHANGED, Kind.CASE_REFUSED, Kind.POLICY_CHANGED}
"""Differences that no answer outlives, whatever is selected now. Of the others, a licensed answer outlives none that changes its `ev-`."""

_HIDDEN = "not all of its sources may be read any more by whoever requested it"


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """What came of looking again, in the corpus as of `sequence`.

    `changes` say why the answer would not be given any more; empty: it would. `notes` are differences that do not matter to it. Both are for
    everybody who may see the packet: they name no revision that the packet does not.
    """

    changes: tuple[str, ...]
    notes: tuple[str, ...]
    sequence: int


def look_again(recorded: Recorded, principal: Principal, parts: Parts, profiles: Sequence[Rules]) -> Look:
    """Makes an answer's decision again, as of then from its record and as of now from the corpus, with a principal's rights.

    Licensed: the evidence that is selected now must be the same. In the other modes every selected source must be live, unchanged and
    eligible; what else is ranked now does not matter. Contract and policy must be the same. Raises `Conflict` where the index lags behind, and
    where only a search with a part of the index says that the evidence is another: an answer does not die of a model that is not there.
    """
    with parts.store.begin(principal) as session:
        sequence = session.corpus.sequence()
    incomplete = _brought_up(parts)
    try:
        found = replay(recorded.packet.id, principal, parts, profiles=profiles)
    except NotFound:
        return Look(changes=(_HIDDEN,), notes=(), sequence=sequence)
    except (ValueError, WordsErased) as fault:
        return Look(changes=(f"its record cannot be read: {fault}",), notes=(), sequence=sequence)
    says = tuple(dict.fromkeys(each.for_all for each in found.now.differences))
    broken = tuple(f"{step.name}: {step.says}" for step in found.steps if step.result is not Result.REPRODUCED)
    if not broken and _by_search_alone(found, recorded.mode) and (why := incomplete or found.now.left_out):
        raise Conflict(
            "index_incomplete",
            f"other evidence is selected now, and a part of the index could not be asked ({why})",
            remedy="try again when it can be",
        )
    if broken or _fatal(found) or _by_search_alone(found, recorded.mode):
        return Look(changes=(*broken, *says) or (f"the evidence is {found.now.evidence}",), notes=(), sequence=sequence)
    return Look(changes=(), notes=says, sequence=sequence)


def _brought_up(parts: Parts) -> str | None:
    """Brings the indexes up; why that by meaning still lags, None where it does not. Raises `Conflict` where that by words does."""
    if catch_up(parts.store, parts.index, observer=parts.observer).lag:
        raise Conflict("index_behind", "the index is behind the corpus", remedy="try again when it has caught up")
    if parts.meaning is None:
        return None
    reached = embed(parts.store, parts.meaning, most=EMBEDDED, observer=parts.observer)
    if not reached.lag:
        return None
    return reached.fault.code if reached.fault else "index_behind"


def _fatal(found: Replay) -> bool:
    return any(each.kind in _FATAL for each in found.now.differences)


def _by_search_alone(found: Replay, mode: Mode) -> bool:
    """Whether a licensed answer rests on other evidence now for no other reason than what a search selects."""
    return mode is Mode.LICENSED and not found.unchanged and not _fatal(found)
