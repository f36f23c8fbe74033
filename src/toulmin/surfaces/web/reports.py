"""Reports of evaluations that lie in a folder of the workspace: which there are, and what each of them says.

A file is read as one from a stranger: bounded, never through a link, and one that is no report says why it is none.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Final, Literal, Self

from pydantic import Field, model_validator

from toulmin.domain.errors import InputError, NotFound
from toulmin.evaluation.intervals import Measure
from toulmin.wire import strict_json
from toulmin.wire.model import Strict, read
from toulmin.wire.node import Node
from toulmin.wire.scalars import Identifier, Number, Score, Truth, Whole, Words, choice, fault, not_below
from toulmin.wire.source import MAX_SOURCE_BYTES

EVALUATION: Final = "toulmin.eval/1"
CALIBRATION: Final = "toulmin.calibration/1"
SUFFIX: Final = ".json"

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}\.json", re.ASCII)
_Amount = Annotated[Whole, not_below(0)]


class MeasureForm(Strict):
    """A value within its 95 % interval; all three null where there was nothing to measure."""

    value: Number | None
    low: Number | None
    high: Number | None

    @model_validator(mode="after")
    def _lies_in_its_interval(self) -> Self:
        ends = (self.low, self.value, self.high)
        known = [end for end in ends if end is not None]
        if len(known) not in (0, len(ends)) or known != sorted(known):
            raise fault(
                "wrong_type", "the value does not lie in its interval", "write low, value and high in this order"
            )
        return self

    @property
    def measure(self) -> Measure:
        return Measure(value=self.value, low=self.low, high=self.high)


class _Share(MeasureForm):
    @model_validator(mode="after")
    def _is_between_0_and_1(self) -> Self:
        if self.low is not None and self.high is not None and not 0 <= self.low <= self.high <= 1:
            raise fault("wrong_type", "this is no share", "write numbers from 0 to 1")
        return self


class SliceForm(Strict, extra="ignore"):
    """What was measured over `n` rows."""

    n: _Amount
    metrics: dict[Identifier, MeasureForm]


class BinForm(Strict, extra="ignore"):
    """Claims that are said to be supported with about the same probability, and the share that is."""

    n: _Amount
    mean: Score | None
    share: _Share


class ReliabilityForm(Strict, extra="ignore"):
    """The bins of a reliability diagram, and the expected calibration error over them."""

    ece: Score | None
    bins: tuple[BinForm, ...]


class OperatingForm(Strict, extra="ignore"):
    """What a threshold would do."""

    threshold: Score
    delivered: _Amount
    false_accepts: _Amount
    metrics: dict[Identifier, _Share]


class TradeoffForm(Strict, extra="ignore"):
    """What thresholds would do, strictest first, and the one that holds."""

    threshold: Score
    points: tuple[OperatingForm, ...]

    @property
    def acting(self) -> OperatingForm | None:
        """What the threshold that holds does: of thresholds that do the same, the highest is stated."""
        return min(
            (point for point in self.points if point.threshold >= self.threshold),
            key=lambda point: point.threshold,
            default=None,
        )


class RunForm(SliceForm):
    """What one judge, or baseline, is worth; of another kind of evaluation, what was measured."""

    by: dict[Identifier, dict[Words, SliceForm]] = Field(default_factory=dict)
    reliability: ReliabilityForm | None = None
    tradeoff: TradeoffForm | None = None


class _Origin(Strict, extra="ignore"):
    datasets: tuple[Words, ...] = ()
    groups: Words | None = None
    policy: Words | None = None


class _Evaluation(_Origin):
    version: Annotated[str, choice(EVALUATION)] = Field(alias="schema")
    kind: Annotated[Literal["claims", "answers", "retrieval"], choice("claims", "answers", "retrieval")]
    n: _Amount
    judge: Identifier | None = None
    judges: dict[Identifier, RunForm] = Field(default_factory=dict)
    baselines: dict[Identifier, RunForm] = Field(default_factory=dict)


class PointForm(Strict, extra="ignore"):
    """What a threshold does to labelled claims, as `toulmin calibrate` counts: `n` independent claims that are not supported."""

    threshold: Score
    false_accepts: _Amount
    n: _Amount
    upper: Score
    passes: Truth
    completeness: Score | None
    coverage: Score

    @model_validator(mode="after")
    def _has_no_more_errors_than_claims(self) -> Self:
        if self.false_accepts > self.n:
            raise fault(
                "wrong_type", f"{self.false_accepts} of {self.n} is no share", "write no more errors than claims"
            )
        return self

    @property
    def rate(self) -> float:
        return self.false_accepts / self.n if self.n else 0.0


class CalibrationForm(Strict, extra="ignore"):
    """`toulmin.calibration/1`."""

    version: Annotated[str, choice(CALIBRATION)] = Field(alias="schema")
    judge: Identifier
    max_false_accept: Score
    confidence: Score
    claims: _Amount
    needed: _Amount
    curve: tuple[PointForm, ...]
    chosen: PointForm | None
    policy: Words | None


class _Versioned(Strict, extra="ignore"):
    version: Annotated[str, choice(EVALUATION, CALIBRATION)] = Field(alias="schema")


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """What `toulmin eval` measured: `runs` by the names of those who were measured, `baselines` last."""

    kind: Literal["claims", "answers", "retrieval"]
    n: int
    policy: str | None
    datasets: tuple[str, ...]
    groups: str | None
    runs: Mapping[str, RunForm]
    baselines: frozenset[str]

    @property
    def measured(self) -> Mapping[str, RunForm]:
        """The runs without baselines."""
        return {name: run for name, run in self.runs.items() if name not in self.baselines}


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """A file of the folder; its time is that of its last change."""

    name: str
    written: datetime
    says: Evaluation | CalibrationForm


@dataclass(frozen=True, slots=True, kw_only=True)
class NoReport:
    """A file that was to be a report, and why it is none."""

    name: str
    written: datetime
    fault: InputError


@dataclass(frozen=True, slots=True, kw_only=True)
class Reports:
    """The reports in a folder, which need not be there."""

    folder: Path

    @property
    def is_there(self) -> bool:
        return self.folder.is_dir()

    def names(self) -> tuple[str, ...]:
        """The names of all files that may be reports, those that were written last first; none where there is no folder."""
        if not self.is_there:
            return ()
        with os.scandir(self.folder) as entries:
            known = [(-entry.stat(follow_symlinks=False).st_mtime, entry.name) for entry in entries]
        return tuple(name for _, name in sorted(known) if name.endswith(SUFFIX))

    def look(self, name: str) -> Report | NoReport:
        """What the file of that name is. Raises `NotFound` where there is none in the folder itself."""
        path = self.folder / name
        try:
            changed = os.lstat(path).st_mtime if path.parent == self.folder and name.endswith(SUFFIX) else None
        except (OSError, ValueError):  # ValueError: no file can have this name
            changed = None
        if changed is None:
            raise NotFound("no_such_report", "there is no report of this name", remedy="choose one of the list")
        written = datetime.fromtimestamp(changed, UTC)
        try:
            return Report(name=name, written=written, says=_says(self._bytes(name), name))
        except InputError as wrong:
            told = os.fsencode(name).decode("utf-8", "replace")  # what is no UTF-8 can be on no page
            return NoReport(name=told, written=written, fault=wrong)

    def rows(self, name: str) -> Path | None:
        """The file of the rows that a report is over: it lies beside it, and ends in `.jsonl`. None where there is no such file."""
        path = self.folder / f"{name.removesuffix(SUFFIX)}.jsonl"
        try:
            return path if stat.S_ISREG(os.lstat(path).st_mode) else None
        except OSError:
            return None

    def _bytes(self, name: str) -> bytes:
        """The first bytes of the file, one more than a report may have."""
        if not _NAME.fullmatch(name):
            raise InputError(
                "bad_name",
                "the name cannot stand in an address",
                remedy="rename it: at most 100 letters, digits, '.', '_' and '-', and .json",
            )
        try:
            opened = os.open(self.folder / name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError as error:
            raise _unreadable(error.strerror or "") from None
        try:
            if not stat.S_ISREG(os.fstat(opened).st_mode):
                raise _unreadable("it is no regular file")
            with os.fdopen(opened, "rb", closefd=False) as file:
                return file.read(MAX_SOURCE_BYTES + 1)
        finally:
            os.close(opened)


def _unreadable(why: str) -> InputError:
    remedy = "put the file itself there, and no link to it; let the service read it"
    return InputError("unreadable_file", f"the file cannot be read: {why}", remedy=remedy)


def _says(data: bytes, name: str) -> Evaluation | CalibrationForm:
    node = strict_json.parse(data, name)
    if read(_Versioned, node, name).version == CALIBRATION:
        return read(CalibrationForm, node, name)
    stated = read(_Evaluation, node, name)
    measured = dict(_measured(stated, node, name))
    return Evaluation(
        kind=stated.kind,
        n=stated.n,
        policy=stated.policy,
        datasets=stated.datasets,
        groups=stated.groups,
        runs={**measured, **stated.baselines},
        baselines=frozenset(stated.baselines.keys() - measured.keys()),
    )


def _measured(stated: _Evaluation, node: Node, name: str) -> Iterator[tuple[str, RunForm]]:
    """Those who were measured, in the order of the file: one alone has its part of it at the top."""
    yield from stated.judges.items()
    if not stated.judges:
        yield stated.judge or stated.kind, read(RunForm, node, name)
