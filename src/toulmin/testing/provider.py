"""A model provider for tests: a real HTTP server on this host that does what its script says, as a drafter, a judge and an embedder.

It speaks OpenAI's interfaces for chat and for embeddings, and that of typed decisions.

```python
with Provider("rate_limited", "ok") as provider:        # the second behaviour answers all requests from the second on
    drafter = openai_drafter(base_url=provider.base_url, model="any", deadline_s=5)
    ...
    assert CANARY not in provider.received
```

`BEHAVIOURS` names what it can do, as a drafter or as a judge; `JUDGEMENTS` are those of a judge alone, of which some are for one of the two
interfaces; `EMBEDDINGS` are those of an embedder alone. `says`, `rate_limited`, `waits` and `judges` make more, and any function from a `Received` request and an `Author` to a
`Response` is a behaviour too.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import re
import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from types import TracebackType
from typing import Any, Self

from toulmin.testing.decisions import Decide, by_words, chat_choice, decisions, position, state_of
from toulmin.testing.embeddings import Entries, embeddings

_MEGABYTE = 1024 * 1024
_MAX_REQUEST = 64 * _MEGABYTE
_CHUNK = 64 * 1024
_FOR_EVER = 24 * 3600.0

_CHAT, _DECISIONS, _EMBEDDINGS = "/v1/chat/completions", "/v1/systemone", "/v1/embeddings"
_HOOK = "/v1/hook"
"""Where a behaviour answers a webhook."""

_ORDERED = re.compile(r"answer only (\{[^{}]*\})")


@dataclass(frozen=True, slots=True, kw_only=True)
class Received:
    """A request as it came in; header names in lower case."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes
    raw: bytes

    def json(self) -> dict[str, Any]:
        """The body's JSON object."""
        content: dict[str, Any] = json.loads(self.body)
        return content

    @property
    def question(self) -> dict[str, Any]:
        """The JSON object that the user message is: question, case and evidence; of a judge what it is asked about."""
        return state_of(self.json())

    @property
    def is_typed(self) -> bool:
        """Whether typed decisions are asked for, and not a chat completion."""
        return self.path == _DECISIONS

    @property
    def asks_for_vectors(self) -> bool:
        """Whether vectors of texts are asked for."""
        return self.path == _EMBEDDINGS

    @property
    def asks_a_judge(self) -> bool:
        """Whether it asks for a judgement, and not for a draft."""
        return self.is_typed or "logprobs" in self.json()

    @property
    def json_mode(self) -> bool:
        """Whether a JSON object is asked for, and not the two-line form."""
        return "response_format" in self.json()


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    """What goes back, and how: after `pause_s` of silence, with `drip_s` after each byte of the body, without its last `missing` bytes.

    `announced`: the body's length is said in advance; else it ends where the connection does.
    """

    status: int = 200
    headers: Mapping[str, str] = field(default_factory=lambda: {"Content-Type": "application/json"})
    body: bytes = b"{}"
    pause_s: float = 0.0
    drip_s: float = 0.0
    missing: int = 0
    announced: bool = True

    def head(self) -> bytes:
        """Status line and headers."""
        length = {"Content-Length": str(len(self.body))} if self.announced else {}
        fields = {"Connection": "close", **length, **self.headers}
        lines = (f"HTTP/1.1 {self.status} Status", *(f"{name}: {value}" for name, value in fields.items()), "", "")
        return "\r\n".join(lines).encode("latin-1")


Author = Callable[[Mapping[str, Any]], Mapping[str, Any]]
"""Writes the reply object for a question object (see "What a model gets and gives")."""

Behaviour = Callable[[Received, Author], Response]


def faithful(question: Mapping[str, Any]) -> Mapping[str, Any]:
    """A reply without fault: the licensed clauses with their facts, else a sentence on each of the first two pieces of evidence."""
    if "licensed" in question:
        return {
            "segments": [
                {"text": item["clause"], "evidence_ids": [item["evidence_id"]], "fact": item["fact"]}
                for item in question["licensed"]
            ]
        }
    return {
        "segments": [
            {"text": f"Statement {number} rests on its source.", "evidence_ids": [item["evidence_id"]]}
            for number, item in enumerate(question["evidence"][:2], 1)
        ]
    }


def completion(content: str | None, *, finish_reason: str = "stop", **message: object) -> dict[str, Any]:
    """A chat completion as a provider writes it; `message` adds fields to the message."""
    choice = {
        "index": 0,
        "message": {"role": "assistant", "content": content, **message},
        "finish_reason": finish_reason,
    }
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 0,
        "model": "any",
        "choices": [choice],
        "usage": {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120},
    }


def responding(content: Mapping[str, Any], *, status: int = 200) -> Response:
    """A response with a JSON body."""
    return Response(status=status, body=json.dumps(content).encode())


def says(content: str | None, *, finish_reason: str = "stop", **message: object) -> Behaviour:
    """The model writes exactly this, whatever it was asked."""
    return lambda _request, _author: responding(completion(content, finish_reason=finish_reason, **message))


def fails(status: int) -> Behaviour:
    """The provider answers with this status and an error object, whose message repeats what it was sent."""
    return lambda request, _author: responding({"error": {"message": request.body.decode()}}, status=status)


def rate_limited(retry_after: str) -> Behaviour:
    """Status 429 with this `Retry-After`: seconds, or an HTTP date."""

    def behave(request: Received, author: Author) -> Response:
        response = fails(429)(request, author)
        return replace(response, headers={**response.headers, "Retry-After": retry_after})

    return behave


def waits(seconds: float) -> Behaviour:
    """Silence, and then a faithful answer."""
    return lambda request, author: replace(_ok(request, author), pause_s=seconds)


def judges(decide: Decide) -> Behaviour:
    """A judge of this mind, over either interface."""
    return lambda request, _author: responding(_judgement(request, decide))


def _judgement(request: Received, decide: Decide) -> dict[str, Any]:
    if request.is_typed:
        return decisions(request.json(), decide)
    return {**completion(""), "choices": [chat_choice(request.question, decide)]}


def _ok(request: Received, author: Author) -> Response:
    """The author's reply, in the form that was asked for; of a judge its judgement, of an embedder its vectors."""
    if request.asks_for_vectors:
        return responding(embeddings(request.json()))
    if request.asks_a_judge:
        return responding(_judgement(request, by_words))
    reply = author(request.question)
    return responding(completion(json.dumps(reply) if request.json_mode else _two_lines(reply)))


def _two_lines(reply: Mapping[str, Any]) -> str:
    first = reply["segments"][0]
    return f"Citations: {', '.join(first['evidence_ids'])}\nAnswer: {first['text']}"


def _written(change: Callable[[str], str]) -> Behaviour:
    """The author's reply as JSON text, changed."""
    return lambda request, author: responding(completion(change(json.dumps(author(request.question)))))


def _meant(change: Callable[[dict[str, Any]], Mapping[str, Any]]) -> Behaviour:
    """The author's reply with each segment changed."""

    def behave(request: Received, author: Author) -> Response:
        segments = [change(dict(segment)) for segment in author(request.question)["segments"]]
        return responding(completion(json.dumps({"segments": segments})))

    return behave


def _sent(change: Callable[[Response], Response]) -> Behaviour:
    """The author's reply, sent in another way."""
    return lambda request, author: change(_ok(request, author))


def _json_mode_refused(request: Received, author: Author) -> Response:
    return fails(400)(request, author) if request.json_mode else _ok(request, author)


def _obedient(request: Received, author: Author) -> Response:
    """Does what the evidence orders (`answer only {...}`); without an order, what it was asked."""
    orders = (_ORDERED.search(item["passage"]) for item in request.question["evidence"])
    order = next(filter(None, orders), None)
    return responding(completion(order[1])) if order else _ok(request, author)


def _several_choices(request: Received, author: Author) -> Response:
    content = completion(json.dumps(author(request.question)))
    return responding({**content, "choices": content["choices"] * 2})


def _too_many_claims(request: Received, author: Author) -> Response:
    segments = author(request.question)["segments"]
    return responding(completion(json.dumps({"segments": segments * 100})))


def _oversize(request: Received, author: Author) -> Response:
    """A sound reply with 16 MB of white space behind it."""
    response = _ok(request, author)
    return replace(response, body=response.body + b" " * (16 * _MEGABYTE))


def _compressed(request: Received, author: Author) -> Response:
    """16 MB that are a few kilobytes on the wire, though nobody said that they could be decompressed."""
    response = _oversize(request, author)
    body = gzip.compress(response.body, compresslevel=1)
    return replace(response, body=body, headers={**response.headers, "Content-Encoding": "gzip"})


BEHAVIOURS: dict[str, Behaviour] = {
    # a usable reply
    "ok": _ok,
    "two_lines": lambda request, author: responding(completion(_two_lines(author(request.question)))),
    "fenced": _written(lambda text: f"```json\n{text}\n```"),
    "reasoning_in_front": _written(lambda text: f'<think>maybe {{"segments": []}}</think>\n{text}'),
    "words_in_front": _written(lambda text: f"Here is the {{draft}}: {text}"),
    "unknown_response_fields": lambda request, author: responding(
        {**completion(json.dumps(author(request.question)), annotations=[]), "timings": {"ms": 1.5}, "seed": 2**64 - 1}
    ),
    "json_mode_refused": _json_mode_refused,
    "obedient": _obedient,
    # a reply that must not be used
    "empty": says(""),
    "no_content": says(None),
    "prose": says("The valve opens at 3 bar [1]."),
    "refusal": says(None, refusal="I can't help with that."),
    "refusal_in_words": says("I'm sorry, but I can't help with that."),
    "content_filter": says("", finish_reason="content_filter"),
    "truncated": lambda request, author: responding(
        completion(json.dumps(author(request.question))[:-20], finish_reason="length")
    ),
    "ends_early": _written(lambda text: text[:-2]),
    "duplicate_key": _written(lambda text: text.replace('"text"', '"text": "No.", "text"', 1)),
    "unknown_field": _meant(lambda segment: {**segment, "confidence": 1}),
    "not_finite": _meant(lambda segment: {**segment, "confidence": float("nan")}),
    "wrong_type": _meant(lambda segment: {**segment, "text": True}),
    "trailing_data": _written(lambda text: f"{text}\nI hope that this helps."),
    "malformed": _written(lambda text: text.replace("]", ",]", 1)),
    "no_claims": says('{"segments": []}'),
    "too_many_claims": _too_many_claims,
    "empty_text": _meant(lambda segment: {**segment, "text": " "}),
    "no_citation": _meant(lambda segment: {**segment, "evidence_ids": []}),
    "too_many_citations": _meant(lambda segment: {**segment, "evidence_ids": segment["evidence_ids"] * 100}),
    "unknown_id": _meant(lambda segment: {**segment, "evidence_ids": ["e999"]}),
    "invented_id": _meant(lambda segment: {**segment, "evidence_ids": [segment["evidence_ids"][0] + "0"]}),
    "repeated_id": _meant(lambda segment: {**segment, "evidence_ids": segment["evidence_ids"] * 2}),
    "citation_marker": _meant(lambda segment: {**segment, "text": f"{segment['text']} [1]"}),
    "answer_too_long": _meant(lambda segment: {**segment, "text": f"{segment['text']}{' So it is.' * 5_000}"}),
    "control_character": _meant(lambda segment: {**segment, "text": f"{segment['text']}\x07"}),
    "bidi_control": _meant(lambda segment: {**segment, "text": f"\u202e{segment['text']}"}),
    "line_separator": _meant(lambda segment: {**segment, "text": f"{segment['text']}\u2028"}),
    "replacement_character": _meant(lambda segment: {**segment, "text": f"{segment['text']}\ufffd"}),
    "half_a_character": _meant(lambda segment: {**segment, "text": "\ud83d"}),
    "several_choices": _several_choices,
    # no reply at all
    "no_choices": lambda _request, _author: responding({**completion(""), "choices": []}),
    "error_with_status_200": lambda _request, _author: responding({"error": {"message": "overloaded"}}),
    "rate_limited": fails(429),
    "rate_limited_for_an_hour": rate_limited("3600"),
    **{f"http_{status}": fails(status) for status in (400, 401, 403, 404, 413, 422, 500, 502, 503, 504)},
    "redirect": lambda _request, _author: Response(status=307, headers={"Location": "/v1/elsewhere"}, body=b""),
    "not_utf8": _sent(
        lambda response: replace(response, body=response.body.replace(b'"model": "', b'"model": "\xff', 1))
    ),
    "not_json": lambda _request, _author: Response(body=b"<html>Busy</html>"),
    "not_one_json": _sent(lambda response: replace(response, body=response.body * 2)),
    "wrong_content_type": _sent(lambda response: replace(response, headers={"Content-Type": "text/html"})),
    "oversize": _oversize,
    "oversize_unannounced": lambda request, author: replace(_oversize(request, author), announced=False),
    "compressed": _compressed,
    "disconnect": _sent(lambda response: replace(response, missing=_MAX_REQUEST)),
    "disconnect_in_the_body": _sent(lambda response: replace(response, missing=20)),
    "hang": waits(_FOR_EVER),
    "slow_drip": _sent(lambda response: replace(response, drip_s=0.05)),
}
"""What the server can do, by name."""


def _certain(state: Mapping[str, Any]) -> tuple[float, ...]:
    """Supports, or yes, whatever is asked."""
    return (1.0, 0.0, 0.0) if "claim" in state else (1.0, 0.0)


def _chosen(change: Callable[[dict[str, Any]], Mapping[str, Any]]) -> Behaviour:
    """A chat judge that is certain, with its one choice changed."""
    return lambda request, _author: responding(
        {**completion(""), "choices": [change(chat_choice(request.question, _certain))]}
    )


def _likely(tokens: Mapping[str, float]) -> Behaviour:
    """A chat judge that supports, and that found these first tokens likely."""
    return _chosen(lambda choice: {**choice, "logprobs": {"content": [position(next(iter(tokens)), tokens)]}})


def _with_logprob(logprob: object) -> Behaviour:
    """A chat judge that supports, with something else for the logarithm of a probability."""
    entry = {"token": "supports", "logprob": logprob, "bytes": None}
    return _chosen(lambda choice: {**choice, "logprobs": {"content": [{**entry, "top_logprobs": [entry]}]}})


def _answered(answer: Mapping[str, Any]) -> Behaviour:
    """A typed judge that gives this answer to every question."""
    return lambda request, _author: responding(
        {"model": "any", "answers": dict.fromkeys(request.json()["questions"], answer)}
    )


def _choice(**probabilities: object) -> Behaviour:
    """A typed judge that says these probabilities, and that it is sure of its support."""
    return _answered({"type": "choice", "choice": "supports", "probabilities": probabilities, "confidence": 1.0})


def _numbered(text: str) -> Behaviour:
    """A judge that is certain, where each 1.0 (of a typed judge) or 0.0 (of a chat, where it is a logarithm) is written like this."""

    def behave(request: Received, author: Author) -> Response:
        response = judges(_certain)(request, author)
        certain = b": 1.0" if request.is_typed else b": 0.0"
        return replace(response, body=response.body.replace(certain, f": {text}".encode()))

    return behave


def _twice(request: Received, author: Author) -> Response:
    """A judge that is certain of no and then of yes, under the same key."""
    response = judges(_certain)(request, author)
    body = response.body
    for key, no in ((b"choice", b'"contradicts"'), (b"noul", b"0.0"), (b"content", b'"no"')):
        body = body.replace(b'"%s": ' % key, b'"%s": %s, "%s": ' % (key, no, key))
    return replace(response, body=body)


def _unasked(request: Received, author: Author) -> Response:
    content = json.loads(judges(_certain)(request, author).body)
    return responding({**content, "answers": {**content["answers"], "unasked": {"type": "noul", "noul": 1.0}}})


JUDGEMENTS: dict[str, Behaviour] = {
    "certain": judges(_certain),
    # of either interface
    "nan": _numbered("NaN"),
    "nan_as_text": _numbered('"nan"'),
    "beyond_all_numbers": _numbered("1e999"),
    "true_for_a_number": _numbered("true"),
    "verdict_twice": _twice,
    "overloaded": fails(529),
    # of a chat
    "only_a_word": _chosen(lambda choice: {**choice, "logprobs": None}),
    "no_alternatives": _chosen(
        lambda choice: {**choice, "logprobs": {"content": [{"token": "supports", "logprob": 0.0, "top_logprobs": []}]}}
    ),
    "another_word": _chosen(lambda choice: {**choice, "message": {"role": "assistant", "content": "supported"}}),
    "word_and_more": _chosen(
        lambda choice: {**choice, "message": {"role": "assistant", "content": "supports, it seems"}}
    ),
    "word_as_json": _chosen(
        lambda choice: {**choice, "message": {"role": "assistant", "content": '{"verdict": "supports"}'}}
    ),
    "refuses_to_judge": _chosen(lambda choice: {**choice, "message": {"content": None, "refusal": "I can't."}}),
    "judgement_filtered": _chosen(lambda choice: {**choice, "finish_reason": "content_filter"}),
    "judgement_cut_off": _chosen(lambda choice: {**choice, "finish_reason": "length"}),
    "other_words_likelier": _likely({"The": 0.6, "supports": 0.3}),
    "more_than_all": _likely({"supports": 0.9, "Supports": 0.9}),
    "positive_logprob": _with_logprob(3.0),
    "no_logprob": _with_logprob(None),
    # of typed decisions
    "class_missing": _choice(supports=1.0, contradicts=0.0),
    "class_unknown": _choice(supports=0.9, contradicts=0.0, says_nothing=0.0, proves=0.1),
    "sum_below_one": _choice(supports=0.95, contradicts=0.0, says_nothing=0.0),
    "sum_above_one": _choice(supports=1.0, contradicts=0.0, says_nothing=0.5),
    "below_zero": _choice(supports=1.5, contradicts=-0.5, says_nothing=0.0),
    "confidence_alone": _answered({"type": "choice", "choice": "supports", "confidence": 1.0}),
    "another_type": _answered({"type": "score", "score": 1.0, "probabilities": {"0": 0.0, "1": 1.0}}),
    "not_answered": lambda _request, _author: responding({"model": "any", "answers": {}}),
    "answer_unasked": _unasked,
    "no_answers": lambda _request, _author: responding({"model": "any"}),
}
"""What a judge can do beside, by name; from `nan` on, none of it is an opinion."""


def _with_entries(change: Callable[[Entries], Sequence[Mapping[str, Any]]]) -> Behaviour:
    """An embedder's reply with its entries changed."""
    return lambda request, _author: responding(embeddings(request.json(), change))


def _first_embedding(change: Callable[[list[Any]], object]) -> Behaviour:
    """An embedder's reply with the first vector changed."""
    return _with_entries(lambda entries: [{**entries[0], "embedding": change(entries[0]["embedding"])}, *entries[1:]])


EMBEDDINGS: dict[str, Behaviour] = {
    "in_another_order": _with_entries(lambda entries: entries[::-1]),
    # none of these are vectors that can be used
    "one_missing": _with_entries(lambda entries: entries[1:]),
    "one_too_many": _with_entries(lambda entries: [*entries, {**entries[0], "index": len(entries)}]),
    "one_twice": _with_entries(lambda entries: [*entries, entries[0]]),
    "no_index": _with_entries(lambda entries: [{"embedding": entry["embedding"]} for entry in entries]),
    "no_data": lambda _request, _author: responding({"object": "list"}),
    "other_dimension": _first_embedding(lambda numbers: [*numbers, 0.5]),
    "only_zeros": _first_embedding(lambda numbers: [0.0] * len(numbers)),
    "beyond_floats": _first_embedding(lambda numbers: [1e308] * len(numbers)),
    "words_for_numbers": _first_embedding(lambda numbers: ["0.5"] * len(numbers)),
    "as_base64": _first_embedding(lambda _numbers: "AAAAPwAAAD8="),
}
"""What an embedder can do beside, by name; from `one_missing` on, none of it is of use."""


class Provider:
    """The server; it runs in a thread of its own from entering the `with` block to leaving it, on a free port.

    The script's behaviours answer one request each, in order; the last one answers all that follow. Every request is kept until `forget`.
    """

    def __init__(self, *script: str | Behaviour, author: Author = faithful) -> None:
        self._author = author
        self._requests: list[Received] = []
        self._left = 0
        self._connections: set[asyncio.Task[None]] = set()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()), name="provider", daemon=True)
        self._port = 0
        self.script(*script)

    def script(self, *script: str | Behaviour) -> None:
        """What answers the requests from now on; without an argument: `ok`."""
        known = BEHAVIOURS | JUDGEMENTS | EMBEDDINGS
        self._script = deque(known[step] if isinstance(step, str) else step for step in script or ("ok",))

    @property
    def base_url(self) -> str:
        """What a client is configured with, without a slash at the end."""
        return f"http://127.0.0.1:{self._port}/v1"

    @property
    def requests(self) -> tuple[Received, ...]:
        """All requests so far, in order."""
        return tuple(self._requests)

    def forget(self) -> None:
        """Keeps none of the requests so far any longer: a long run would fill the memory with them."""
        self._requests.clear()

    @property
    def received(self) -> bytes:
        """All bytes that ever came in, heads and bodies: what must not leave must not stand here."""
        return b"\n".join(request.raw for request in self._requests)

    @property
    def left(self) -> int:
        """How many clients went away in the silence before their response."""
        return self._left

    def __enter__(self) -> Self:
        self._thread.start()
        self._ready.wait()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._loop.call_soon_threadsafe(self._stopped.set)
        self._thread.join()

    async def _serve(self) -> None:
        self._loop, self._stopped = asyncio.get_running_loop(), asyncio.Event()
        server = await asyncio.start_server(self._connected, "127.0.0.1", 0, limit=_CHUNK)
        self._port = server.sockets[0].getsockname()[1]
        self._ready.set()
        await self._stopped.wait()
        server.close()
        for connection in tuple(self._connections):
            connection.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)  # asyncio has told of what a behaviour raised

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answers one client; ends only when its socket is closed, since the loop may not live long enough to close it."""
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        try:
            with suppress(ConnectionError, asyncio.IncompleteReadError):  # a client may leave at any time
                await self._exchange(reader, writer)
        except asyncio.CancelledError:
            writer.transport.abort()  # the server stops: asyncio would report a handler that was cancelled
        finally:
            writer.close()
            with suppress(ConnectionError, asyncio.CancelledError):
                await writer.wait_closed()
            self._connections.discard(task)

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        request = await _read(reader)
        self._requests.append(request)
        behave = self._script.popleft() if len(self._script) > 1 else self._script[0]
        known = request.method == "POST" and request.path in {_CHAT, _DECISIONS, _EMBEDDINGS, _HOOK}
        response = behave(request, self._author) if known else Response(status=404)
        if response.pause_s and await _goes_away(reader, response.pause_s):
            self._left += 1
            await asyncio.sleep(response.pause_s)  # as a server that has not noticed yet
        whole = response.head() + response.body
        await _write(writer, whole[: max(0, len(whole) - response.missing)], len(response.head()), response.drip_s)


async def _read(reader: asyncio.StreamReader) -> Received:
    head = await reader.readuntil(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").rstrip().split("\r\n")
    method, path, _ = first.split(" ", 2)
    headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    length = int(headers.get("content-length", "0"))
    body = await reader.readexactly(min(length, _MAX_REQUEST))
    return Received(method=method, path=path, headers=headers, body=body, raw=head + body)


async def _goes_away(reader: asyncio.StreamReader, within_s: float) -> bool:
    """Whether a client that has nothing more to say closes its connection within so many seconds; ends as soon as it does."""
    try:
        async with asyncio.timeout(within_s):
            return not await reader.read(1)
    except TimeoutError:
        return False


async def _write(writer: asyncio.StreamWriter, data: bytes, head: int, drip_s: float) -> None:
    """Sends the head at once, and the body in chunks, or byte by byte with a pause after each."""
    step = 1 if drip_s else _CHUNK
    for chunk in (data[:head], *(data[place : place + step] for place in range(head, len(data), step))):
        writer.write(chunk)
        await writer.drain()
        if drip_s:
            await asyncio.sleep(drip_s)
