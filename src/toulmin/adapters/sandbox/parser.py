"""A parser in a process of its own: what goes wrong in there is one refused file."""

from __future__ import annotations

from dataclasses import dataclass
from types import TracebackType
from typing import Self

from toulmin.adapters.sandbox.frames import ProcessLimits
from toulmin.adapters.sandbox.process import Broken, End, Sandbox
from toulmin.domain.errors import InputError
from toulmin.ports.parser import Parsed, Parser, ParsingLimits

_REPLY_BYTES_PER_CHAR = 32
_LEAST_REPLY = 1 << 16


@dataclass(frozen=True, slots=True)
class _Parsing:
    """The task of a worker; a request is a file's name."""

    parser: Parser
    limits: ParsingLimits

    @property
    def answers(self) -> type[Parsed]:
        return Parsed

    def run(self, request: str, data: bytes) -> Parsed:
        parsed = self.parser.parse(data, name=request)
        if len(parsed.text) > self.limits.max_text_chars:
            raise _output_too_large(request, self.limits)
        return parsed


class SandboxedParser:
    """Any parser, run in worker processes that are limited in time and memory, and whose output is limited; see `Sandbox`.

    A crash, hang or over-use is an `InputError` that concerns the one file: `parser_crashed`, `parser_timeout`,
    `parser_out_of_memory`, `output_too_large`; a file of more than `max_bytes` is not sent at all (`too_large`). The parser must be picklable.
    """

    def __init__(self, parser: Parser, limits: ParsingLimits, *, workers: int = 1) -> None:
        self._parser = parser
        self._limits = limits
        within = ProcessLimits(
            timeout_s=limits.timeout_s,
            memory_mb=limits.memory_mb,
            reply_bytes=_LEAST_REPLY + _REPLY_BYTES_PER_CHAR * limits.max_text_chars,  # sections and pages included
        )
        self._sandbox = Sandbox(_Parsing(parser, limits), within, workers=workers)

    @property
    def name(self) -> str:
        return self._parser.name

    @property
    def suffixes(self) -> frozenset[str]:
        return self._parser.suffixes

    def parse(self, data: bytes, *, name: str) -> Parsed:
        if len(data) > self._limits.max_bytes:
            raise InputError(
                "too_large",
                f"the file has {len(data)} bytes; at most {self._limits.max_bytes} are read",
                where=name,
                remedy="split it, or raise max_bytes under [parsing] in toulmin.toml",
            )
        try:
            return self._sandbox.ask(name, data)
        except Broken as broken:
            raise _fault(broken, name, self._limits) from None

    def close(self) -> None:
        """Ends the workers; the next file would start a new one."""
        self._sandbox.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()


def _fault(broken: Broken, name: str, limits: ParsingLimits) -> InputError:
    """What a process that broke down says about the file."""
    match broken.end:
        case End.TIMEOUT:
            return InputError(
                "parser_timeout",
                f"reading the file took longer than {limits.timeout_s:g} seconds",
                where=name,
                remedy="save it anew or split it, or raise timeout_s under [parsing] in toulmin.toml",
            )
        case End.MEMORY:
            return InputError(
                "parser_out_of_memory",
                f"reading the file took more than {limits.memory_mb} MiB of memory",
                where=name,
                remedy="save it anew or split it, or raise memory_mb under [parsing] in toulmin.toml",
            )
        case End.REPLY_TOO_LARGE:
            return _output_too_large(name, limits)
        case End.CRASH:
            return InputError(
                "parser_crashed",
                f"the parser's process broke down over the file ({broken.detail})",
                where=name,
                remedy="save the file anew in the program that made it, or raise memory_mb under [parsing] in toulmin.toml: it may lack memory",
            )


def _output_too_large(name: str, limits: ParsingLimits) -> InputError:
    """The fault of a file that becomes more text, or more structure, than the limits allow."""
    return InputError(
        "output_too_large",
        f"the file holds more than {limits.max_text_chars} characters of text, or too much structure for it",
        where=name,
        remedy="split it, or raise max_text_chars under [parsing] in toulmin.toml",
    )
