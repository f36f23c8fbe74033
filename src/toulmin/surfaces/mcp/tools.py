"""The tools: what each is called and takes, and how a call of it is answered."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, TypeVar

from mcp.types import CallToolResult, ResourceLink, TextContent, Tool, ToolAnnotations
from pydantic import Field, TypeAdapter

from toulmin.application.ask import ClaimJudged, Drafting, Event, Finished, Searched
from toulmin.domain.errors import ToulminError
from toulmin.domain.question.case import Principal
from toulmin.surfaces.cli.terminal import counted
from toulmin.surfaces.desk import Desk
from toulmin.surfaces.mcp.rendering import QUOTED, fault_text, outcome_text, packet_text, review_text, search_text
from toulmin.surfaces.mcp.resources import found_links, outcome_links, packet_links, review_links
from toulmin.surfaces.shapes import packet_view_json
from toulmin.wire.error import error_json
from toulmin.wire.model import Strict, read
from toulmin.wire.node import node_of
from toulmin.wire.outcome import OutcomeJson, SearchJson, outcome_json, search_json
from toulmin.wire.requests import AskBody, ReviewBody, SearchBody
from toulmin.wire.review import ReviewJson, review_json
from toulmin.wire.scalars import Identifier
from toulmin.wire.shapes import PacketViewJson

M = TypeVar("M", bound=Strict)

Progress = Callable[[str], Awaitable[None]]
"""Tells the caller, in words, how far a call is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One call of a tool, on behalf of a principal."""

    desk: Desk
    who: Principal
    arguments: Mapping[str, Any]
    progress: Progress

    def read(self, model: type[M]) -> M:
        """The arguments, strictly; raises `InputError` for all that is wrong with them."""
        source = "arguments"
        return read(model, node_of(self.arguments, source), source, zone=self.desk.zone)


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentTool:
    """A tool: its definition, and what answers a call of it."""

    definition: Tool
    answer: Callable[[Call], Awaitable[CallToolResult]]


class PacketBody(Strict):
    """Which packet to show."""

    packet: Annotated[Identifier, Field(description="The packet's id, pk-...")]


async def _search(call: Call) -> CallToolResult:
    body = call.read(SearchBody)
    found = await call.desk.search(body, call.who)
    return _result(search_json(found, explain=body.explain), search_text(found), found_links(found.items))


async def _ask(call: Call) -> CallToolResult:
    async def tell(event: Event) -> None:
        if (words := _how_far(event)) is not None:
            await call.progress(words)

    outcome = await call.desk.ask(call.read(AskBody), call.who, tell)
    return _result(outcome_json(outcome), outcome_text(outcome), outcome_links(outcome))


def _how_far(event: Event) -> str | None:
    """An event in words; of a claim its place and verdict, never its text. None for the end, which is the result."""
    match event:
        case Searched():
            return f"{counted(len(event.items), 'passage')} selected"
        case Drafting():
            return "drafting"
        case ClaimJudged():
            return f"claim {event.index + 1}: {event.status}"
        case Finished():
            return None


async def _review(call: Call) -> CallToolResult:
    report = await call.desk.review(call.read(ReviewBody), call.who)
    return _result(review_json(report), review_text(report), review_links(report))


async def _get_packet(call: Call) -> CallToolResult:
    view = await call.desk.packet(call.read(PacketBody).packet, call.who)
    return _result(packet_view_json(view), packet_text(view), packet_links(view))


def _result(shape: Mapping[str, Any], text: str, links: Sequence[ResourceLink] = ()) -> CallToolResult:
    return CallToolResult(content=[TextContent(text=text), *links], structured_content=dict(shape))


def failed(fault: ToulminError) -> CallToolResult:
    """A fault as the result of the call that it ended, for the agent to read and mend."""
    return CallToolResult(
        content=[TextContent(text=fault_text(fault))], structured_content=dict(error_json(fault)), is_error=True
    )


_CASE = 'The facts of the matter at hand by field, such as {"model": "G2", "firmware": "2.4.1"}; versions as text.'
_AS_OF = "As of this instant or date, such as 2026-01-31 or 2026-01-31T12:00:00Z; left out: now."
_MIN_SCORE = "Leave out passages that score less, from 0 to 1."
_READ_ONLY = ToolAnnotations(read_only_hint=True, open_world_hint=False)
_RECORDS = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=False)


def _tool(
    name: str,
    answer: Callable[[Call], Awaitable[CallToolResult]],
    description: str,
    *,
    takes: type[Strict],
    gives: Any,
    hints: ToolAnnotations,
    **fields: str,
) -> AgentTool:
    """A tool; `fields` describes what it takes, field by field."""
    schema = takes.model_json_schema()
    for field, says in fields.items():
        schema["properties"][field]["description"] = says
    definition = Tool(
        name=name,
        description=f"{description} {QUOTED}",
        input_schema=schema,
        output_schema=TypeAdapter(gives).json_schema(),
        annotations=hints,
    )
    return AgentTool(definition=definition, answer=answer)


TOOLS: Mapping[str, AgentTool] = {
    tool.definition.name: tool
    for tool in (
        _tool(
            "search",
            _search,
            "Finds the passages of controlled documents that may be used for a case, best first; only what you may read.",
            takes=SearchBody,
            gives=SearchJson,
            hints=_READ_ONLY,
            text="What to look for, in words.",
            case=_CASE,
            profile="The eligibility profile that documents are judged by.",
            k="How many passages, at most 20; left out: as many as the policy says.",
            min_score=_MIN_SCORE,
            as_of=_AS_OF,
            explain="Say also why other documents that you may read are not eligible.",
        ),
        _tool(
            "ask",
            _ask,
            "Answers from controlled documents, or says why not; every delivered sentence was checked against what it cites. "
            "Give question (the id of a contract, see the resources toulmin://contracts/...) with its case, or text. "
            "Pass an answer on as it is, with its citations; an outcome other than Answered has no answer, and you must not make one up.",
            takes=AskBody,
            gives=OutcomeJson,
            hints=_RECORDS,
            question="A contract's id; or give text.",
            text="An open question in words; or give question.",
            case=_CASE,
            profile="With text only: the eligibility profile that documents are judged by.",
            k="How much evidence to select; left out: as much as the contract says.",
            min_score=_MIN_SCORE + " It may only raise a contract's minimum.",
            as_of=_AS_OF,
        ),
        _tool(
            "review",
            _review,
            "Says of each claim whether the stored words that it cites support it, contradict it, or leave it open. "
            "Give pairs (a claim with what it cites, by span or by a quote of exact words), or text with the packet that it answers from. "
            "Evidence is what is stored; there is no way to hand in your own.",
            takes=ReviewBody,
            gives=ReviewJson,
            hints=_READ_ONLY,
            pairs="Claims beside what they cite, at most 100.",
            text="With packet: sentences with markers such as [1], as the packet's answer has them.",
            packet="With text: the id of the packet that it answers from, pk-...",
        ),
        _tool(
            "get_packet",
            _get_packet,
            "Shows the record of one decision: what was asked and answered, what it rests on, and what has become of these sources since.",
            takes=PacketBody,
            gives=PacketViewJson,
            hints=_READ_ONLY,
        ),
    )
}
"""By name, in the order in which they are listed."""
