"""Approvals: what waits for whom, what exactly would be carried out on which answer, and the steps that people take."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Annotated, Any, Final, Literal, get_args
from urllib.parse import urlencode

from fastapi import APIRouter, Request
from starlette.responses import Response

from toulmin.application.approvals import check_approvable
from toulmin.application.packets import PacketView
from toulmin.application.queue import Act, Listed
from toulmin.domain.claims.report import SourceState
from toulmin.domain.corpus.document import RevisionId, Status
from toulmin.domain.corpus.validity import instant_text
from toulmin.domain.errors import Conflict, InputError, NotFound, Overdue, Refused, ToulminError
from toulmin.domain.proof.approval import Approval, State
from toulmin.domain.proof.recorded import Recorded
from toulmin.domain.proof.verification import Verification
from toulmin.domain.question.case import Principal
from toulmin.ports.approvals import Wanted
from toulmin.ports.replies import Reply
from toulmin.surfaces.http.idempotency import once_under
from toulmin.surfaces.http.problems import problem, status_of
from toulmin.surfaces.http.rights import OPERATOR, REVIEWER
from toulmin.surfaces.http.service import Service, service_of
from toulmin.surfaces.http.telemetry import facts
from toulmin.surfaces.sync import Workspace, verify_packet
from toulmin.surfaces.web.forms import fields, sent_form
from toulmin.surfaces.web.pages import PageRoute, diff_address, page, see
from toulmin.surfaces.web.record import Record, open_sources
from toulmin.surfaces.web.session import Decider, Looker
from toulmin.wire.approval import StateName
from toulmin.wire.model import Strict, read
from toulmin.wire.node import Plain, node_of
from toulmin.wire.requests import ApprovalBody
from toulmin.wire.scalars import Count, Identifier, Text, choice

PAGE_SIZE: Final = 50
"""Approvals of one page of the queue."""

_PARAMS = 4
"""Empty rows for parameters that a form begins with, and gets more of at once."""
_MOST_PARAMS = 64

Show = Literal["all", "decide", "carry_out"]
Order = Literal["newest", "deadline"]
StepName = Literal["approve", "reject", "revoke", "execute", "resolve_executed", "resolve_failed"]

_STEPS: Mapping[StepName, Callable[[Workspace, str, Principal, str | None], Approval]] = {
    "approve": lambda place, known, who, comment: place.approve(known, principal=who, comment=comment),
    "reject": lambda place, known, who, comment: place.reject(known, principal=who, comment=comment),
    "revoke": lambda place, known, who, comment: place.revoke(known, principal=who, comment=comment),
    "execute": lambda place, known, who, comment: place.execute(known, principal=who, comment=comment),
    "resolve_executed": lambda place, known, who, comment: place.resolve(
        known, State.EXECUTED, principal=who, comment=comment or ""
    ),
    "resolve_failed": lambda place, known, who, comment: place.resolve(
        known, State.FAILED, principal=who, comment=comment or ""
    ),
}

router = APIRouter(route_class=PageRoute, include_in_schema=False)


class QueueQuery(Strict):
    """A part of the queue: what waits for a decision or for being carried out, or all; in a state, of an operation, of a person's requests."""

    show: Annotated[Show, choice(*get_args(Show))] = "all"
    state: Annotated[StateName, choice(*get_args(StateName))] | None = None
    operation: Identifier | None = None
    requester: Identifier | None = None
    order: Annotated[Order, choice(*get_args(Order))] = "newest"
    page: Count = 1

    def states(self) -> frozenset[State]:
        """The states that are shown."""
        if self.show == "decide":
            return frozenset({State.REQUESTED})
        if self.show == "carry_out":
            return frozenset({State.APPROVED, State.IN_DOUBT})
        return frozenset(State) if self.state is None else frozenset({State(self.state)})

    def wanted(self, who: Principal, at: datetime, *, own: bool) -> Wanted:
        """What is asked of the store. `own`: the visitor's requests wait for the visitor too."""
        return Wanted(
            at=at,
            states=self.states(),
            operation=self.operation,
            requester=self.requester,
            but=who if self.show == "decide" and not own else None,
            by_deadline=self.order == "deadline",
            skip=(self.page - 1) * PAGE_SIZE,
            limit=PAGE_SIZE,
        )

    def address(self, **changes: object) -> str:
        """The page of the same part with something else; without its page number, where that is not stated."""
        stated = {**self.model_dump(exclude_defaults=True, exclude={"page"}), **changes}
        kept = {name: value for name, value in stated.items() if value is not None}
        return f"/approvals?{urlencode(kept)}" if kept else "/approvals"


class RequestForm(ApprovalBody):
    """An operation that is requested, and a key that makes it one request however often the form is sent."""

    key: Identifier


class StepForm(Strict):
    """A step on an approval, why it is taken, and a key that makes it one step however often the form is sent."""

    step: Annotated[StepName, choice(*get_args(StepName))]
    key: Identifier
    comment: Text | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Changed:
    """A source that is not what it was, and the version in force of its document that the visitor may read, where that is another one."""

    source: RevisionId
    state: SourceState
    newer: RevisionId | None

    @property
    def address(self) -> str | None:
        """The page that compares both versions."""
        if self.newer is None:
            return None
        return diff_address(self.source.document, self.source.version, self.newer.version)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """An approval as its page shows it: with its packet, what of its sources has changed, and what the visitor may make of it."""

    approval: Approval
    record: Record
    verified: Verification
    changed: tuple[Changed, ...]
    choices: Mapping[Act, ToulminError | None]

    def may(self, act: str) -> bool:
        """Whether the visitor may take a step now."""
        return act in self.choices and self.choices[Act(act)] is None

    @property
    def refusals(self) -> tuple[ToulminError, ...]:
        """What keeps the visitor from deciding, where the decision is due."""
        return tuple({fault.code: fault for fault in self.choices.values() if fault is not None}.values())


@router.get("/approvals")
async def queue(request: Request, who: Looker) -> Response:
    """The approvals that the visitor may see: in parts, with how many there are in each state."""
    service = service_of(request)
    given = {name: Plain(value) for name, value in fields(request.query_params.multi_items()).items()}
    wanted = read(QueueQuery, node_of(given, "query"), "query")
    now, own = service.parts.clock.now(), service.parts.policy.self_approval
    listed = await service.run(service.workspace.approval_queue, wanted.wanted(who, now, own=own), principal=who)
    total = sum(number for state, number in listed.counts.items() if state in wanted.states())
    return page(
        request,
        "approvals.html",
        wanted=wanted,
        rows=listed.rows,
        counts=_counts(listed),
        total=total,
        pages=max(1, -(-total // PAGE_SIZE)),
        first=(wanted.page - 1) * PAGE_SIZE + 1,
        operations=_operations(service, wanted),
        decides=REVIEWER in who.roles,
        carries_out=OPERATOR in who.roles,
        now=now,
        **_HELP,
    )


def _counts(listed: Listed) -> list[tuple[State, int]]:
    return [(state, listed.counts[state]) for state in State if listed.counts.get(state)]


def _operations(service: Service, wanted: QueueQuery) -> list[str]:
    """The names to choose from: those that are configured, and the chosen one."""
    return sorted({*service.workspace.desk.effects, *([wanted.operation] if wanted.operation else [])})


@router.get("/approvals/new")
async def request_form(request: Request, who: Decider) -> Response:
    """The form that requests an operation on the answer of a packet."""
    return await _request_page(request, who, fields(request.query_params.multi_items()))


@router.post("/approvals/new")
async def requested(request: Request, who: Decider) -> Response:
    """Leads to the approval that the operation now waits in. What is wrong in the form is told beside it."""
    sent = await sent_form(request)
    if "more" in sent:
        return await _request_page(request, who, {**sent, "rows": str(_rows(sent) + _PARAMS)})
    try:
        form = read(RequestForm, node_of(_stated(sent), "form"), "form")
        approval = await _once(request, who, form.key, form, lambda place: _requested(place, form, who))
    except (Refused, InputError, Conflict) as fault:
        if isinstance(fault, NotFound):
            raise
        facts(request).code = fault.code
        return await _request_page(request, who, sent, fault)
    return see(f"/approvals/{approval}")


def _requested(place: Workspace, form: RequestForm, who: Principal) -> Approval:
    return place.request_approval(
        form.packet,
        form.operation,
        params=form.params,
        instance=form.instance,
        comment=form.comment,
        principal=who,
    )


def _rows(sent: Mapping[str, str]) -> int:
    """How many rows for parameters a form has."""
    given = sent.get("rows", "")
    return min(int(given), _MOST_PARAMS) if given.isascii() and given.isdigit() and len(given) < 4 else _PARAMS


def _pairs(sent: Mapping[str, str]) -> list[tuple[str, str]]:
    """The rows for parameters as they were filled in."""
    return [(sent.get(f"name.{row}", ""), sent.get(f"value.{row}", "")) for row in range(_rows(sent))]


def _stated(sent: Mapping[str, str]) -> dict[str, object]:
    """The shape of a request's body. Raises `InputError` for a value without a name, and for a name that occurs twice."""
    pairs = [pair for pair in _pairs(sent) if any(pair)]
    names = [name.strip() for name, _ in pairs]
    if not all(names) or len(set(names)) < len(names):
        message = "a parameter has no name, or two have the same"
        raise InputError("bad_params", message, where="form: params", remedy="give each value a name of its own")
    stated = {name: sent[name] for name in ("key", "packet", "operation", "instance", "comment") if name in sent}
    return {**stated, "params": dict(zip(names, (value for _, value in pairs), strict=True))}


async def _request_page(
    request: Request, who: Principal, given: Mapping[str, str], fault: ToulminError | None = None
) -> Response:
    service = service_of(request)
    packet = given.get("packet")
    view = None if packet is None else await service.run(service.workspace.packet, packet, principal=who)
    return page(
        request,
        "approval_new.html",
        status=status_of(fault) if fault else 200,
        view=view,
        record=None if view is None else await service.run(_record, service, view, who),
        changed=() if view is None else await service.run(_changed, service, view, who),
        unfit=None if view is None else _unfit(service, view),
        given=given,
        pairs=_pairs(given),
        has_room=_rows(given) < _MOST_PARAMS,
        operations=sorted(service.workspace.desk.effects),
        key=_new_key(),
        fault=_told(fault),
        **_HELP,
    )


def _unfit(service: Service, view: PacketView) -> ToulminError | None:
    """Why nothing can be requested on a packet."""
    try:
        check_approvable(Recorded(packet=view.packet, body=view.body), service.parts.policy)
    except Refused as refusal:
        return refusal
    return None


@router.get("/approvals/{approval}")
async def shown(request: Request, approval: str, who: Looker) -> Response:
    """What is to be carried out, on which answer and evidence, what became of it, and what the visitor may make of it."""
    return await _approval_page(request, who, approval)


@router.get("/approvals/{approval}/execute")
async def confirmation(request: Request, approval: str, who: Decider) -> Response:
    """Asks once more before an operation is carried out."""
    service = service_of(request)
    known = await service.run(_shown, service, approval, who)
    if not known.may(Act.EXECUTE):
        return see(f"/approvals/{approval}")
    return _page_of(request, "approval_execute.html", known)


@router.post("/approvals/{approval}")
async def stepped(request: Request, approval: str, who: Decider) -> Response:
    """Takes a step, once, and leads back to the approval. What speaks against it is told beside the form, with what was entered."""
    sent = await sent_form(request)
    try:
        form = read(StepForm, node_of(sent, "form"), "form")
        await _once(request, who, form.key, form, lambda place: _STEPS[form.step](place, approval, who, form.comment))
    except Overdue:  # it goes on, and the approval tells how it ends
        return see(f"/approvals/{approval}")
    except (Refused, InputError, Conflict) as fault:
        if isinstance(fault, NotFound):
            raise
        if fault.code == "under_way":  # a second click
            return see(f"/approvals/{approval}")
        facts(request).code = fault.code
        return await _approval_page(request, who, approval, sent.get("comment", ""), fault)
    return see(f"/approvals/{approval}")


async def _once(
    request: Request, who: Principal, key: str, body: Strict, write: Callable[[Workspace], Approval]
) -> str:
    """The id of the approval after a write, which is made once for the key of the form."""
    place = service_of(request).workspace
    data = [body.model_dump_json().encode()]
    reply = await once_under(key, request, who, data, lambda: Reply(status=200, body=write(place).id.encode()))
    return reply.body.decode()


async def _approval_page(
    request: Request, who: Principal, approval: str, comment: str = "", fault: ToulminError | None = None
) -> Response:
    service = service_of(request)
    known = await service.run(_shown, service, approval, who)
    return _page_of(request, "approval.html", known, comment, fault)


def _page_of(
    request: Request, template: str, known: Shown, comment: str = "", fault: ToulminError | None = None
) -> Response:
    service = service_of(request)
    effect = service.workspace.settings.effects.get(known.approval.operation.name)
    return page(
        request,
        template,
        status=status_of(fault) if fault else 200,
        known=known,
        approval=known.approval,
        view=known.record.view,
        record=known.record,
        effect=effect,
        policy_changed=known.approval.operation.policy != service.parts.policy.digest,
        key=_new_key(),
        comment=comment,
        fault=_told(fault),
        now=service.parts.clock.now(),
        **_HELP,
    )


def _shown(service: Service, approval: str, who: Principal) -> Shown:
    known = service.workspace.approval(approval, principal=who)
    view = service.workspace.packet(known.packet, principal=who)
    exported = service.workspace.export_packet(known.packet, principal=who, sign=False)
    return Shown(
        approval=known,
        record=_record(service, view, who),
        verified=verify_packet(exported.file.encode(), expected=known.packet),
        changed=_changed(service, view, who),
        choices=service.workspace.choices(known, principal=who),
    )


def _record(service: Service, view: PacketView, who: Principal) -> Record:
    with service.parts.store.begin(who) as session:
        return Record(view=view, opened=open_sources(view, session.catalogue, who))


def _changed(service: Service, view: PacketView, who: Principal) -> tuple[Changed, ...]:
    return tuple(
        Changed(source=source.id, state=source.state, newer=_in_force(service, source.id, who))
        for source in view.sources
        if source.state is not SourceState.CURRENT
    )


def _in_force(service: Service, old: RevisionId, who: Principal) -> RevisionId | None:
    """The version of the same document that is in force now; the latest, where there are several."""
    at = service.parts.clock.now()
    others = (
        standing
        for standing in service.workspace.documents(principal=who, document=old.document)
        if standing.id != old and standing.status is Status.LIVE and standing.validity.holds_at(at)
    )
    latest = max(others, key=lambda each: (each.validity.start, each.id), default=None)
    return None if latest is None else latest.id


def _new_key() -> str:
    return secrets.token_urlsafe(16)


def _told(fault: ToulminError | None) -> Mapping[str, object] | None:
    """A fault as a page tells it: no words of what stands in the service's own files."""
    return None if fault is None else {**problem(fault)}


def _moment(at: datetime) -> str:
    """An instant to the minute."""
    return instant_text(at)[:16].replace("T", " ") + " UTC"


def _remaining(until: datetime, now: datetime) -> str:
    """How long it is until then, in words."""
    left = until - now
    if left <= timedelta(0):
        return "now"
    for unit, name in ((timedelta(days=1), "day"), (timedelta(hours=1), "hour"), (timedelta(minutes=1), "minute")):
        if left >= unit:
            number = left // unit
            return f"in {number} {name}{'' if number == 1 else 's'}"
    return "in less than a minute"


_LONG = 200
"""Characters of a text that the queue shows; what is longer is on the approval's own page."""


def _brief(text: str) -> str:
    """A text, or its beginning with a sign that there is more."""
    return text if len(text) <= _LONG else f"{text[:_LONG]}…"


_HELP: Final[Mapping[str, Any]] = {
    "moment": _moment,
    "iso": instant_text,
    "remaining": _remaining,
    "brief": _brief,
    "record_of": lambda waiting: Record(view=waiting.view),
    "changed_since": lambda waiting: [each for each in waiting.view.sources if each.state is not SourceState.CURRENT],
}
"""What templates of this part are helped by."""
