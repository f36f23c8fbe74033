"""Asking: choose a question type, state its case, and see what comes of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from fastapi import APIRouter, Request
from starlette.responses import Response

from toulmin.domain.errors import Forbidden, InputError, NotFound, ToulminError
from toulmin.domain.outcome import Outcome, UnsupportedQuestion
from toulmin.domain.question.case import Principal
from toulmin.domain.question.contract import OPEN_QUESTION, Contract, under_rules
from toulmin.surfaces.desk import outcome_of
from toulmin.surfaces.http.problems import status_of
from toulmin.surfaces.http.rights import SERVICE
from toulmin.surfaces.http.service import Service, service_of
from toulmin.surfaces.http.streaming import stream, wanted
from toulmin.surfaces.http.telemetry import facts
from toulmin.surfaces.web.forms import fields, sent_form, stated
from toulmin.surfaces.web.packets import again_after_s, packet_address
from toulmin.surfaces.web.pages import PageRoute, page, see
from toulmin.surfaces.web.record import Record
from toulmin.surfaces.web.session import Asker
from toulmin.wire.model import read
from toulmin.wire.node import node_of
from toulmin.wire.requests import AskBody

router = APIRouter(route_class=PageRoute, include_in_schema=False)


@dataclass(frozen=True, slots=True)
class Filled:
    """What a form is filled in with, what is wrong with that, and the digest of the contract that it was filled in for, where that may be another one by now."""

    given: Mapping[str, str]
    fault: ToulminError | None = None
    of_then: str | None = None


@router.get("/ask")
async def questions(request: Request, who: Asker) -> Response:  # noqa: ARG001  # the visitor has to have the role
    """The questions that can be asked."""
    service = service_of(request)
    contracts = await service.run(service.parts.contracts.all)
    return page(request, "questions.html", contracts=contracts, open_question=service.parts.open_question)


@router.get("/ask/open")
async def open_form(request: Request, who: Asker) -> Response:
    """The form of a question in the visitor's own words, under a profile."""
    return await _open_form(request, who, Filled(fields(request.query_params.multi_items())))


@router.get("/ask/types/{contract:path}")
async def form(request: Request, contract: str, who: Asker) -> Response:
    """The form of a question type: its case, as the contract has it, with what the address states filled in."""
    stated_there = fields(request.query_params.multi_items())
    return await _typed_form(request, who, Filled({**stated_there, "question": contract}))


@router.get("/ask/again/{packet}")
async def again(request: Request, packet: str, who: Asker) -> Response:
    """The form of a question that was asked before, filled in as it was then; it would be answered as of now."""
    service = service_of(request)
    record = Record(view=await service.run(service.workspace.packet, packet, principal=who))
    contract, case = record.view.body["contract"], {f"case.{name}": value for name, value in record.case}
    if contract["id"] != OPEN_QUESTION:
        return await _typed_form(request, who, Filled({**case, "question": contract["id"]}, of_then=contract["digest"]))
    given = {**case, **_profile_of(service, contract["digest"]), "text": record.question or ""}
    return await _open_form(request, who, Filled(given, of_then=contract["digest"]))


@router.post("/ask")
async def asked(request: Request, who: Asker) -> Response:
    """Leads to the packet of the outcome; with a script, the events on the way there. What is wrong in the form is told beside it."""
    service, sent = service_of(request), await sent_form(request)
    try:
        body = read(AskBody, node_of(stated(sent), "form"), "form", zone=service.zone)
        events = service.desk.events(body, who)
        if wanted(request):
            return stream(request, await anext(events), events)
        outcome = await outcome_of(events)
    except (InputError, Forbidden) as fault:
        facts(request).code = fault.code
        return await (_typed_form if "question" in sent else _open_form)(request, who, Filled(sent, fault=fault))
    return _led_to(request, outcome)


def _led_to(request: Request, outcome: Outcome) -> Response:
    if isinstance(outcome, UnsupportedQuestion):
        return page(request, "unsupported.html", question=outcome.question)
    assert outcome.receipt is not None  # it is recorded
    return see(packet_address(outcome.receipt.packet, again_after_s(outcome)))


def _profile_of(service: Service, digest: str) -> dict[str, str]:
    """The profile under which open questions have a contract of a digest; nothing, where there is none any more."""
    known = service.parts.open_question
    named = sorted(service.workspace.settings.profiles.items())
    return next(
        ({"profile": name} for name, rules in named if known and under_rules(known, rules).digest == digest), {}
    )


async def _typed_form(request: Request, who: Principal, filled: Filled) -> Response:
    service, question = service_of(request), filled.given["question"]
    contract = await service.run(service.parts.contracts.find, question)
    if contract is None:
        return page(request, "unsupported.html", status=404, question=question)
    return _form(request, who, contract, filled)


async def _open_form(request: Request, who: Principal, filled: Filled) -> Response:
    service = service_of(request)
    profile = filled.given.get("profile", service.workspace.settings.open_question.profile)
    given = {**filled.given, "profile": profile}
    return _form(request, who, _open_question(service, profile), replace(filled, given=given))


def _open_question(service: Service, profile: str) -> Contract:
    known = service.parts.open_question
    if known is None:
        raise NotFound("no_open_questions", "questions in your own words are not answered here")
    return under_rules(known, service.workspace.profile(profile))


def _form(request: Request, who: Principal, contract: Contract, filled: Filled) -> Response:
    """The form of a contract with what is filled in, and what is wrong with that."""
    is_service = SERVICE in who.roles
    return page(
        request,
        "ask.html",
        status=status_of(filled.fault) if filled.fault else 200,
        contract=contract,
        given=filled.given,
        fault=filled.fault,
        is_changed=filled.of_then is not None and filled.of_then != contract.digest,
        is_service=is_service,
        askable=is_service or not any(each.trusted and not each.optional for each in contract.schema),
        profiles=sorted(service_of(request).workspace.settings.profiles),
    )
