"""What commands over labelled claims share: which claims and judges they are about, and files of results."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from toulmin.domain.errors import InputError
from toulmin.surfaces.cli.terminal import counted

if TYPE_CHECKING:
    from toulmin.application.parts import Parts
    from toulmin.domain.policy import Policy
    from toulmin.evaluation.labels import LabelledClaim
    from toulmin.evaluation.questions import Question
    from toulmin.ports.judge import Judge

ORACLES = "oracles"

GroupsOption = Annotated[
    str | None,
    typer.Option(
        "--groups",
        metavar="RANGE",
        help="Only groups whose SHA-256 begins with one of these hex digits, as 0-7: a lasting split.",
    ),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """Judges by the names that they were asked for by, None for the deterministic checks alone, and the policy of their verdicts."""

    judges: dict[str, Judge | None]
    policy: Policy


def digits_of(groups: str | None) -> str | None:
    """The hex digits of a range such as `0-7`, or of a single one; None where no range is given."""
    if groups is None:
        return None
    digits = "0123456789abcdef"
    found = re.fullmatch(r"([0-9a-f])(?:-([0-9a-f]))?", groups)
    chosen = digits[digits.index(found[1]) : digits.index(found[2] or found[1]) + 1] if found else ""
    if not chosen:
        raise InputError("usage", f"--groups {groups!r} is no range of hex digits", remedy="write for instance 0-7")
    return chosen


def chosen_claims(
    read: Sequence[LabelledClaim], phenomena: Sequence[str] | None, digits: str | None
) -> tuple[LabelledClaim, ...]:
    """The claims that the options ask for, those left out counted on stderr; raises `InputError` where none is left."""
    from toulmin.evaluation.labels import hashed_into

    known = {claim.phenomenon for claim in read}
    for name in phenomena or ():
        if name not in known:
            there = ", ".join(sorted(filter(None, known))) or "none"
            raise InputError("usage", f"--phenomenon {name}: no claim has it", remedy=f"the dataset has: {there}")
    chosen = tuple(
        claim
        for claim in read
        if (not phenomena or claim.phenomenon in phenomena) and (digits is None or hashed_into(claim, digits))
    )
    if not chosen:
        raise InputError("empty_dataset", "no claim is left to measure", remedy="ask for more groups or phenomena")
    if len(chosen) < len(read):
        typer.echo(f"note: {len(chosen)} of {counted(len(read), 'claim')}, as --phenomenon and --groups say", err=True)
    return chosen


def chosen_questions(read: Sequence[Question], digits: str | None) -> Sequence[Question]:
    """The questions of the groups that are asked for, the others counted on stderr; raises `InputError` where none is left."""
    from toulmin.evaluation.labels import hashed_into

    chosen = [question for question in read if digits is None or hashed_into(question, digits)]
    if not chosen:
        raise InputError("empty_dataset", "no question is left to ask", remedy="ask for more groups")
    if len(chosen) < len(read):
        typer.echo(f"note: {len(chosen)} of {counted(len(read), 'question')}, as --groups says", err=True)
    return chosen


def bench(folder: Path | None, names: Sequence[str] | None) -> Bench:
    """The judges by their kinds, in the order in which they were asked for; outside a workspace there are only the oracles."""
    from toulmin.domain.policy import Policy
    from toulmin.surfaces.settings import find_workspace

    wanted = list(dict.fromkeys(names)) if names else None
    try:
        place = folder or find_workspace(Path())
    except InputError:
        if wanted not in (None, [ORACLES]):
            raise
        return Bench(judges={ORACLES: None}, policy=Policy())
    return _configured(place, wanted)


def _configured(place: Path, wanted: Sequence[str] | None) -> Bench:
    from toulmin.surfaces.sync import Workspace

    with Workspace.open(place) as workspace:
        kind, parts = workspace.settings.judge.kind, workspace.parts
        found: dict[str, Judge | None] = {}
        for name in wanted or [kind]:
            if name not in (ORACLES, kind):
                advice = f"use {ORACLES}, or set kind in [judge] of toulmin.toml"
                raise InputError("usage", f"--judge {name} is not configured", remedy=advice)
            found[name] = None if name == ORACLES else _ready(parts, kind)
        return Bench(judges=found, policy=parts.policy)


def _ready(parts: Parts, kind: str) -> Judge:
    """The judge, if the claims of a dataset, which no label protects, may be sent to where it is."""
    judge = parts.judge
    assert judge is not None  # every kind but oracles has one, or says why not when the workspace is opened
    if not (judge.on_this_host or parts.judge_approved):
        message = f"the judge {kind} is not on this host, and nobody approved that text is sent to it"
        raise InputError(
            "egress_denied", message, remedy="set external = true in [judge] once a person has approved it"
        )
    return judge


def write(path: Path, parts: Iterable[str], *, anew: bool = False) -> None:
    """Writes a file of results; raises `InputError` where it cannot be written, with `anew` also where it exists."""
    try:
        with path.open("x" if anew else "w", encoding="utf-8") as file:
            file.writelines(parts)
    except OSError as error:
        message = f"the file cannot be written: {error.strerror}"
        raise InputError("unwritable_file", message, where=str(path), remedy="name a file that you may write") from None
