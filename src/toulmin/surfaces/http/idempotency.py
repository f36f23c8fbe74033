"""Idempotency keys: a write that is sent again, after a connection broke say, is answered like the first time and not repeated.

The header is optional. Its key belongs to the caller, and to one request: method, path, query and body.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from hashlib import sha256

from fastapi import Request

from toulmin.domain.errors import Conflict, InputError
from toulmin.domain.question.case import Principal
from toulmin.ports.replies import Begun, OtherRequest, Reply, Run, UnderWay
from toulmin.surfaces.http.service import Service, service_of

HEADER = "Idempotency-Key"

_KEY = re.compile(r"[\x21-\x7e]{1,255}")


async def once(request: Request, who: Principal, body: Iterable[bytes], write: Callable[[], Reply]) -> Reply:
    """What the write comes to, or came to before under the request's key. A write that fails is forgotten, and may be sent again.

    `write` blocks, and runs in a thread. Where it takes longer than a request may it goes on, and its reply is kept for who asks again.

    Raises `InputError` for a key that was given with another request (`idempotency_key_reused`), and `Conflict` where the same is under
    way (`under_way`).
    """
    key = _key(request)
    if key is None:
        return await service_of(request).run(write)
    return await once_under(key, request, who, body, write)


async def once_under(
    key: str, request: Request, who: Principal, body: Iterable[bytes], write: Callable[[], Reply]
) -> Reply:
    """The same under a key that comes with the request otherwise than in its header: in the field of a form."""
    service = service_of(request)
    begun = await service.run(_begin, service, who, key, _fingerprint(request, body))
    match begun:
        case Reply():
            return begun
        case UnderWay():
            raise Conflict("under_way", f"the request with the key {key} is under way", remedy="ask again in a while")
        case OtherRequest():
            raise InputError(
                "idempotency_key_reused",
                f"the key {key} was given with another request",
                where=f"headers: {HEADER}",
                remedy="draw a new key for each write",
            )
        case Run():
            return await service.run(_run, service, who, begun, write)


def _run(service: Service, who: Principal, run: Run, write: Callable[[], Reply]) -> Reply:
    try:
        reply = write()
    except BaseException:
        _end(service, who, run, None)
        raise
    _end(service, who, run, reply)
    return reply


def _key(request: Request) -> str | None:
    given = request.headers.getlist(HEADER)
    if not given:
        return None
    if len(given) > 1 or not _KEY.fullmatch(given[0]):
        raise InputError(
            "bad_idempotency_key",
            "this is no idempotency key",
            where=f"headers: {HEADER}",
            remedy="send one, of 1 to 255 printable characters without white space",
        )
    return given[0]


def _fingerprint(request: Request, body: Iterable[bytes]) -> str:
    digest = sha256()
    for part in (request.method.encode(), request.url.path.encode(), request.url.query.encode(), *body):
        digest.update(len(part).to_bytes(8) + part)
    return digest.hexdigest()


def _begin(service: Service, who: Principal, key: str, fingerprint: str) -> Begun:
    at = service.parts.clock.now()
    with service.parts.store.begin(who, write=True) as session:
        return session.replies.begin(key, fingerprint, at, _overdue(service, at))


def _overdue(service: Service, at: datetime) -> datetime:
    """When a write is taken for dead: some time after its caller was told that it is late, since it may still be at work."""
    return at + timedelta(seconds=2 * service.limits.request_s)


def _end(service: Service, who: Principal, run: Run, reply: Reply | None) -> None:
    with service.parts.store.begin(who, write=True) as session:
        if reply is None:
            session.replies.abandon(run)
        else:
            session.replies.finish(run, reply)
