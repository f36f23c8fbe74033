"""Frames: what goes through the pipes between a worker's process and its parent."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import IO, Any, Protocol, TypeVar

from pydantic import TypeAdapter

from toulmin.domain.errors import InputError

A = TypeVar("A")
A_co = TypeVar("A_co", covariant=True)

_LENGTH = struct.Struct(">Q")


class Task(Protocol[A_co]):
    """Work on files, which is sent to a process once, pickled."""

    @property
    def answers(self) -> type[A_co]:
        """What it gives: a dataclass that can be told as JSON."""
        ...

    def run(self, request: str, data: bytes) -> A_co:
        """What is asked of a file; raises `InputError` where that is the file's fault."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessLimits:
    """What one request may take: seconds, address space in MiB, and the bytes of its reply."""

    timeout_s: float
    memory_mb: int
    reply_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """An `InputError` on its way to the parent."""

    code: str
    message: str
    where: str | None
    remedy: str | None

    @classmethod
    def of(cls, fault: InputError) -> Refusal:
        return cls(code=fault.code, message=fault.message, where=fault.where, remedy=fault.remedy)

    def fault(self) -> InputError:
        return InputError(self.code, self.message, where=self.where, remedy=self.remedy)


def replies(task: Task[A]) -> TypeAdapter[A | Refusal]:
    """The form of a task's replies.

    They travel as JSON and are checked on arrival: a process that reads hostile files is not trusted, and a pickle from it could do anything.
    """
    form: Any = task.answers | Refusal
    return TypeAdapter(form)


def write_frame(pipe: IO[bytes], payload: bytes) -> None:
    """Writes a length and so many bytes."""
    pipe.write(_LENGTH.pack(len(payload)))
    pipe.write(payload)
    pipe.flush()


def read_frame(pipe: IO[bytes], *, at_most: int | None = None) -> bytes | None:
    """The next frame; None where the other side has ended. Raises `FrameTooLarge` for one of more bytes than `at_most`."""
    header = pipe.read(_LENGTH.size)
    if len(header) < _LENGTH.size:
        return None
    (length,) = _LENGTH.unpack(header)
    if at_most is not None and length > at_most:
        raise FrameTooLarge
    payload = pipe.read(length)
    return payload if len(payload) == length else None


class FrameTooLarge(Exception):
    """The other side wants to send more than it may."""
