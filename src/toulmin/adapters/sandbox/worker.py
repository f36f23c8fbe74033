"""The process in which a parser runs: it limits itself, and then answers one file after the other until its parent is gone."""

from __future__ import annotations

import os
import pickle
import resource
import signal
import sys
from typing import IO

from toulmin.adapters.sandbox.frames import Refusal, largest_reply, output_too_large, read_frame, replies, write_frame
from toulmin.domain.errors import InputError
from toulmin.ports.parser import Parser, ParsingLimits

_MIB = 1 << 20


def main() -> None:
    """Reads the parser and its limits, then name and bytes of each file, from standard input; writes the replies to what was standard output.

    The kernel ends the process (SIGALRM) when it takes longer than it may, wherever it hangs and whether or not its parent still lives.
    A fault that is not the file's is not caught: the process ends, and its parent sees that it did.
    """
    requests, answers = sys.stdin.buffer, _answers()
    setup = read_frame(requests)
    if setup is None:
        return
    parser, limits = _unpacked(setup)
    replies()  # made here, since making it is no part of any file's time
    while (name := read_frame(requests)) is not None:
        signal.setitimer(signal.ITIMER_REAL, limits.timeout_s)
        data = read_frame(requests)
        if data is None:
            return
        write_frame(answers, _reply(parser, name.decode(), data, limits))
        signal.setitimer(signal.ITIMER_REAL, 0)


def _answers() -> IO[bytes]:
    """The pipe to the parent, out of reach of anything that prints."""
    pipe = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return pipe


def _unpacked(setup: bytes) -> tuple[Parser, ParsingLimits]:
    parser, limits = pickle.loads(setup)  # noqa: S301  it comes from the parent, which started this process
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # a core would leave the document's text on the disk
    resource.setrlimit(resource.RLIMIT_AS, (limits.memory_mb * _MIB, limits.memory_mb * _MIB))
    return parser, limits


def _reply(parser: Parser, name: str, data: bytes, limits: ParsingLimits) -> bytes:
    try:
        parsed = parser.parse(data, name=name)
    except InputError as fault:
        return replies().dump_json(Refusal.of(fault))
    if len(parsed.text) <= limits.max_text_chars:
        reply = replies().dump_json(parsed)
        if len(reply) <= largest_reply(limits):
            return reply
    return replies().dump_json(Refusal.of(output_too_large(name, limits)))
