"""The judge behind a server: one request a unit, so that a judgement does not hang on what else is asked."""

from __future__ import annotations

import asyncio
import random
import ssl
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import reduce
from typing import Generic, TypeVar

import httpx2

from toulmin.adapters.provider.calls import Caller, Meter, http_client
from toulmin.adapters.provider.failure import Failure
from toulmin.adapters.provider.faults import DEADLINE, HTTP_FAULTS, failure_of, failure_of_status
from toulmin.adapters.provider.form import Body, Form
from toulmin.adapters.provider.options import Endpoint, Limits
from toulmin.adapters.provider.reply import Envelope, read_envelope
from toulmin.domain.claims.opinion import Opinion
from toulmin.domain.claims.unit import ReviewUnit
from toulmin.ports.drafter import Usage
from toulmin.ports.judge import Answers, NotJudged, Opinions, Query

T = TypeVar("T")

NOTHING_TO_JUDGE = Opinion(probabilities=None, why="there is no claim, or no passage to judge it by")
TOO_LONG = "the claim and its passages are longer than the judge takes"

_TOO_LONG = frozenset({"request_too_large", "http_413"})
_OF_ONE_REQUEST = _TOO_LONG | {
    "bad_request", "http_400", "http_422", "too_large", "encoded", "bad_content_type", "bad_json", "not_utf8", "bad_reply", "no_choices",
    "several_candidates",
}  # fmt: skip
"""Faults that one request or its reply may have while others succeed; after every other one, asking on would be in vain."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Task(Generic[T]):
    """One request: how its reply is read, and what it comes to without one, for a reason in words."""

    body: Body
    read: Callable[[Envelope], T | Failure]
    without: Callable[[str], T]


class _Ended(Exception):
    """Ends all requests of a judgement."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.code)
        self.failure = failure


class RemoteJudge:
    """Judges by asking one model. It keeps no connection between judgements, so that it needs no closing and serves any event loop.

    `Limits.calls` bound the calls for one unit, `Limits.at_once` how many are under way, `Limits.deadline_s` everything together. A fault
    that only one of several requests has leaves its unit without opinion; any other, and one that all have, is why there is no judgement.
    """

    def __init__(
        self, endpoint: Endpoint, limits: Limits, form: Form, *, jitter: Callable[[], float] = random.random
    ) -> None:
        self._endpoint = endpoint
        self._limits = limits
        self._form = form
        self._url = form.url(endpoint.base_url)
        self._caller = Caller(limits, jitter=jitter)
        self._tls = endpoint.tls or ssl.create_default_context()

    @property
    def profile(self) -> str:
        return f"{self._form.name} {self._endpoint.model}"

    @property
    def on_this_host(self) -> bool:
        return self._endpoint.on_this_host

    async def support(self, units: Sequence[ReviewUnit]) -> Opinions | NotJudged:
        asked = [unit for unit in units if _can_be_judged(unit)]
        results, usage = await self._results(
            [
                _Task(
                    body=self._form.support_request(unit, self._endpoint.model),
                    read=self._form.opinion,
                    without=lambda why: Opinion(probabilities=None, why=why),
                )
                for unit in asked
            ]
        )
        if isinstance(results, Failure):
            return _not_judged(results, usage)
        given = iter(results)
        opinions = tuple(next(given) if _can_be_judged(unit) else NOTHING_TO_JUDGE for unit in units)
        return Opinions(opinions=opinions, usage=usage)

    async def answer(self, queries: Sequence[Query]) -> Answers | NotJudged:
        groups = _groups(queries, several=self._form.several)
        results, usage = await self._results([self._matters(group) for group in groups])
        if isinstance(results, Failure):
            return _not_judged(results, usage)
        yes = {
            query: told
            for group, answers in zip(groups, results, strict=True)
            for query, told in zip(group, answers, strict=True)
        }
        return Answers(yes=tuple(yes[query] for query in queries), usage=usage)

    def _matters(self, queries: Sequence[Query]) -> _Task[tuple[float | None, ...]]:
        return _Task(
            body=self._form.matters_request(queries, self._endpoint.model),
            read=lambda reply: self._form.answers(reply, queries),
            without=lambda _why: (None,) * len(queries),
        )

    async def _results(self, tasks: Sequence[_Task[T]]) -> tuple[Sequence[T] | Failure, Usage]:
        """What all tasks come to, and what that took."""
        start = time.monotonic()
        meters = [Meter(self._limits, start=start) for _ in tasks]
        results = await self._within_deadline(tasks, meters) if tasks else ()
        taken = reduce(Usage.plus, (meter.usage() for meter in meters), Usage())
        usage = Usage(
            calls=taken.calls,
            seconds=time.monotonic() - start,
            prompt_tokens=taken.prompt_tokens,
            completion_tokens=taken.completion_tokens,
        )
        return results, usage

    async def _within_deadline(self, tasks: Sequence[_Task[T]], meters: Sequence[Meter]) -> Sequence[T] | Failure:
        try:
            async with (
                asyncio.timeout(self._limits.deadline_s),
                http_client(self._endpoint, self._limits, self._tls) as client,
            ):
                return await self._all(client, tasks, meters)
        except TimeoutError:
            return DEADLINE

    async def _all(
        self, client: httpx2.AsyncClient, tasks: Sequence[_Task[T]], meters: Sequence[Meter]
    ) -> Sequence[T] | Failure:
        """What each task comes to; the first failure after which going on would be in vain ends all of them."""
        places = asyncio.Semaphore(self._limits.at_once)

        async def one(task: _Task[T], meter: Meter) -> T | Failure:
            async with places:
                reply = await self._caller.asked(lambda: self._posted(client, task.body), meter)
            result = reply if isinstance(reply, Failure) else task.read(reply)
            if isinstance(result, Failure) and result.code not in _OF_ONE_REQUEST:
                raise _Ended(result)
            return result

        try:
            async with asyncio.TaskGroup() as group:
                under_way = [group.create_task(one(task, meter)) for task, meter in zip(tasks, meters, strict=True)]
        except* _Ended as ended:
            failure = next(each.failure for each in ended.exceptions if isinstance(each, _Ended))
        else:
            return _together(tasks, [done.result() for done in under_way])
        return failure

    async def _posted(self, client: httpx2.AsyncClient, body: Body) -> Envelope | Failure:
        try:
            response = await client.post(self._url, json=body)
        except HTTP_FAULTS as error:
            return failure_of(error)
        if not response.is_success:
            return failure_of_status(response.status_code, response.headers.get("retry-after"), datetime.now(UTC))
        return read_envelope(response)


def _together(tasks: Sequence[_Task[T]], results: Sequence[T | Failure]) -> Sequence[T] | Failure:
    """The results, with those that failed in words; the first failure, where there is nothing else and it is not one of length."""
    failures = [result for result in results if isinstance(result, Failure) and result.code not in _TOO_LONG]
    if len(failures) == len(results):
        return failures[0]
    return [
        task.without(_why(result)) if isinstance(result, Failure) else result
        for task, result in zip(tasks, results, strict=True)
    ]


def _why(failure: Failure) -> str:
    return TOO_LONG if failure.code in _TOO_LONG else f"the judge's server gave no usable reply: {failure.code}"


def _can_be_judged(unit: ReviewUnit) -> bool:
    return bool(unit.claim.strip()) and any(cited.words.strip() for cited in unit.passages)


def _groups(queries: Sequence[Query], *, several: bool) -> Sequence[Sequence[Query]]:
    """The distinct queries, one by one, or together where they have question and passages in common."""
    distinct = dict.fromkeys(queries)
    if not several:
        return [[query] for query in distinct]
    groups: dict[tuple[str, tuple[str, ...]], list[Query]] = {}
    for query in distinct:
        groups.setdefault((query.question, query.passages), []).append(query)
    return list(groups.values())


def _not_judged(failure: Failure, usage: Usage) -> NotJudged:
    return NotJudged(reason=failure.reason, detail=failure.code, retry_after_s=failure.retry_after_s, usage=usage)
