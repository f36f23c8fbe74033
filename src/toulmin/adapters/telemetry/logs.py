"""Structured logs: one JSON object a line."""

from __future__ import annotations

import logging
import os
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, TextIO

import structlog

from toulmin.adapters.telemetry.keys import allowed
from toulmin.adapters.telemetry.options import LogLevel
from toulmin.domain.errors import InputError, ToulminError

_LEVELS: Final = {"debug": 10, "info": 20, "warning": 30, "error": 40}
_FRAMES: Final = 12
"""Places in the code that are told of a fault: those nearest to it."""


class Log:
    """The log of this process: a file that lines are added to, or standard error. `lost` is told of each line that could not be written."""

    def __init__(self, level: LogLevel, file: Path | None, *, lost: Callable[[], None]) -> None:
        self._lost = lost
        self._file = None if file is None else _opened(file)
        self._logger = structlog.wrap_logger(
            structlog.WriteLogger(self._file or sys.stderr),
            processors=[
                structlog.contextvars.merge_contextvars,
                structlog.processors.add_log_level,
                structlog.processors.TimeStamper(fmt="iso", utc=True, key="at"),
                allowed,
                structlog.processors.JSONRenderer(sort_keys=True),
            ],
            wrapper_class=structlog.make_filtering_bound_logger(_LEVELS[level]),
            worker=os.getpid(),
        ).bind()

    def write(self, level: LogLevel, event: str, **fields: Any) -> None:
        """Writes a line, where the level is wanted; what it may hold, `keys` says. A log that cannot be written stops nothing."""
        try:
            self._logger.log(_LEVELS[level], event, **fields)
        except (OSError, ValueError):  # a full disk, a closed pipe, a stream that was closed
            self._lost()

    def close(self) -> None:
        if self._file is not None:
            self._file.close()


class LibraryLog(logging.Handler):
    """What libraries log, without their words, which may be anybody's: who said it, from which place in the code, and what class of fault."""

    def __init__(self, log: Log) -> None:
        super().__init__(logging.WARNING)
        self._log = log

    def emit(self, record: logging.LogRecord) -> None:
        error = record.exc_info[1] if record.exc_info else None
        place = f"{record.module}:{record.funcName}:{record.lineno}"
        fields = {"frames": (place,)} if error is None else fault_fields(error)
        self._log.write(_level(record.levelno), "library", logger=record.name, **fields)


def fault_fields(error: BaseException) -> dict[str, Any]:
    """What is told of a fault: its code, its class and that of its cause, and the places in the code, the innermost last."""
    cause = error.__cause__ or error.__context__
    frames = [*traceback.walk_tb(error.__traceback__)][-_FRAMES:]
    return {
        "code": fault_code(error),
        "kind": type(error).__qualname__,
        "cause": type(cause).__qualname__ if cause else None,
        "frames": tuple(f"{f.f_globals.get('__name__')}:{f.f_code.co_name}:{line}" for f, line in frames),
    }


def fault_code(error: BaseException) -> str:
    """The stable code of a fault; `unexpected` for one that nobody thought of."""
    match error:
        case ToulminError():
            return error.code
        case TimeoutError():
            return "timeout"
        case Exception():
            return "unexpected"
        case _:  # whoever waited for it has gone, or the process ends
            return "cancelled"


def _level(number: int) -> LogLevel:
    return "error" if number >= logging.ERROR else "warning"


def _opened(file: Path) -> TextIO:
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        return file.open("a", encoding="utf-8")
    except OSError as fault:
        raise InputError(
            "unwritable_file",
            f"the log cannot be written: {file} ({fault.strerror})",
            where="toulmin.toml: telemetry.log_file",
            remedy="name a file that may be written, or leave log_file out: then standard error has it",
        ) from None
