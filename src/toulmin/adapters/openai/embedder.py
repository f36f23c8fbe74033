"""The embedder behind a server that speaks OpenAI's interface for embeddings."""

from __future__ import annotations

import asyncio
import random
import ssl
from array import array
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from math import fsum, sqrt
from sys import byteorder

import httpx2

from toulmin.adapters.openai.embeddings import EmbeddingForm, Row, read_rows, windows
from toulmin.adapters.provider.calls import Caller, Meter, http_client
from toulmin.adapters.provider.failure import Failure
from toulmin.adapters.provider.faults import DEADLINE, HTTP_FAULTS, failure_of, failure_of_status
from toulmin.adapters.provider.options import Endpoint, Limits
from toulmin.adapters.provider.reply import Envelope, read_envelope
from toulmin.domain.evidence.embedding import EmbeddingProfile
from toulmin.domain.outcome import SearchOnlyReason
from toulmin.ports.embedder import EmbedderFault, Vectors

_TEXTS = 32
"""Texts of one request: servers have limits of their own, the lowest known is this."""

_NUMBER_BYTES = 32
"""What a number takes in a reply, at most, with what stands between."""


class _Ended(Exception):
    """Ends all requests."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.code)
        self.failure = failure


class RemoteEmbedder:
    """Embeds by asking one model. It keeps no connection between calls, so that it needs no closing and serves any thread.

    `Limits.calls` and `Limits.deadline_s` bound each request, `Limits.at_once` how many are under way. One that fails ends all others:
    half of the vectors are of no use.
    """

    def __init__(
        self, endpoint: Endpoint, limits: Limits, form: EmbeddingForm, *, jitter: Callable[[], float] = random.random
    ) -> None:
        self._endpoint = endpoint
        self._form = form
        room = limits.reply_bytes + _TEXTS * form.dimension * _NUMBER_BYTES
        self._limits = replace(limits, reply_bytes=room)
        self._url = f"{endpoint.base_url.rstrip('/')}/embeddings"
        self._caller = Caller(limits, jitter=jitter)
        self._tls = endpoint.tls or ssl.create_default_context()

    @property
    def profile(self) -> EmbeddingProfile:
        return self._form.profile(self._endpoint.model)

    @property
    def on_this_host(self) -> bool:
        return self._endpoint.on_this_host

    def passages(self, texts: Sequence[str]) -> Vectors:
        return self._vectors(texts, self._form.passage_prefix)

    def queries(self, texts: Sequence[str]) -> Vectors:
        return self._vectors(texts, self._form.query_prefix)

    def _vectors(self, texts: Sequence[str], prefix: str) -> Vectors:
        """The vectors of texts, each the mean of its windows' by their length; what says nothing is not sent."""
        parts = [[prefix + part for part in windows(text, self._form.max_chars)] for text in texts]
        sent = [part for of_text in parts for part in of_text]
        rows = iter(asyncio.run(self._rows(sent)) if sent else ())
        vectors = (_mean([(len(part), next(rows)) for part in of_text], self._form.dimension) for of_text in parts)
        return Vectors(dimension=self._form.dimension, data=b"".join(vectors))

    async def _rows(self, texts: Sequence[str]) -> Sequence[Row]:
        """A vector for each text, as the server gives it."""
        places = asyncio.Semaphore(self._limits.at_once)
        batches = [texts[at : at + _TEXTS] for at in range(0, len(texts), _TEXTS)]

        async def one(client: httpx2.AsyncClient, batch: Sequence[str]) -> Sequence[Row]:
            async with places:
                rows = await self._asked(client, batch)
            if isinstance(rows, Failure):
                raise _Ended(rows)
            return rows

        try:
            async with http_client(self._endpoint, self._limits, self._tls) as client, asyncio.TaskGroup() as group:
                under_way = [group.create_task(one(client, batch)) for batch in batches]
        except* _Ended as ended:
            failure = next(each.failure for each in ended.exceptions if isinstance(each, _Ended))
            raise _fault(failure) from None
        return [row for done in under_way for row in done.result()]

    async def _asked(self, client: httpx2.AsyncClient, texts: Sequence[str]) -> Sequence[Row] | Failure:
        meter = Meter(self._limits)
        try:
            async with asyncio.timeout(self._limits.deadline_s):
                reply = await self._caller.asked(lambda: self._posted(client, texts), meter)
        except TimeoutError:
            return DEADLINE
        return reply if isinstance(reply, Failure) else read_rows(reply, len(texts), self._form.dimension)

    async def _posted(self, client: httpx2.AsyncClient, texts: Sequence[str]) -> Envelope | Failure:
        body = {"model": self._endpoint.model, "input": list(texts), "encoding_format": "float"}
        try:
            response = await client.post(self._url, json=body)
        except HTTP_FAULTS as error:
            return failure_of(error)
        if not response.is_success:
            return failure_of_status(response.status_code, response.headers.get("retry-after"), datetime.now(UTC))
        return read_envelope(response)


def _mean(parts: Sequence[tuple[int, Row]], dimension: int) -> bytes:
    """One vector of the length 1, in bytes, of those of a text's parts; zeros where there are none."""
    if not parts:
        return bytes(4 * dimension)
    weighted = [(size / sqrt(fsum(number * number for number in row)), row) for size, row in parts]
    total = [fsum(weight * row[at] for weight, row in weighted) for at in range(dimension)]
    length = sqrt(fsum(number * number for number in total))
    if length == 0:
        raise _fault(Failure(reason=SearchOnlyReason.INVALID_OUTPUT, code="no_direction"))
    numbers = array("f", (number / length for number in total))
    if byteorder == "big":
        numbers.byteswap()
    return numbers.tobytes()


def _fault(failure: Failure) -> EmbedderFault:
    return EmbedderFault(
        failure.reason,
        f"the embedder's server gave no vectors: {failure.code}",
        remedy="see that the server runs and knows the model, then try again",
    )
