"""Frames: what goes through the pipes between a parser's process and its parent."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from functools import cache
from typing import IO

from pydantic import TypeAdapter

from toulmin.domain.errors import InputError
from toulmin.ports.parser import Parsed, ParsingLimits

_LENGTH = struct.Struct(">Q")
_REPLY_BYTES_PER_CHAR = 32
_LEAST_REPLY = 1 << 16


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


Reply = Parsed | Refusal


@cache
def replies() -> TypeAdapter[Reply]:
    """The form of replies, made when it is first needed.

    They travel as JSON and are checked on arrival: a process that reads hostile files is not trusted, and a pickle from it could do anything.
    """
    return TypeAdapter(Reply)


def largest_reply(limits: ParsingLimits) -> int:
    """The bytes that a reply may have, its sections and pages included."""
    return _LEAST_REPLY + _REPLY_BYTES_PER_CHAR * limits.max_text_chars


def output_too_large(name: str, limits: ParsingLimits) -> InputError:
    """The fault of a file that becomes more text, or more structure, than the limits allow."""
    return InputError(
        "output_too_large",
        f"the file holds more than {limits.max_text_chars} characters of text, or too much structure for it",
        where=name,
        remedy="split it, or raise max_text_chars under [parsing] in toulmin.toml",
    )


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
