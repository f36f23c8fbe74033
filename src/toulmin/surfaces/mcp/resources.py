"""What agents can read by address: passages, and the questions that can be asked."""

from __future__ import annotations

import json
from collections.abc import Iterable

from mcp import UriTemplate
from mcp.types import ReadResourceResult, Resource, ResourceLink, ResourceTemplate, TextResourceContents

from toulmin.application.packets import PacketView
from toulmin.domain.claims.report import ReviewReport, SourceState
from toulmin.domain.corpus.document import RevisionId
from toulmin.domain.errors import NotFound
from toulmin.domain.outcome import Answered, Item, Outcome, UnsupportedQuestion
from toulmin.domain.question.case import Principal
from toulmin.domain.question.contract import Contract
from toulmin.surfaces.desk import Desk
from toulmin.surfaces.mcp.rendering import QUOTED, passage_text
from toulmin.surfaces.shapes import contracts_json, passage_json

_PASSAGE = UriTemplate.parse("toulmin://passages/{document}/{version}/{passage}")
_CONTRACT = UriTemplate.parse("toulmin://contracts/{id}")
_TEXT, _JSON = "text/plain", "application/json"
_SERVED = frozenset((SourceState.CURRENT, SourceState.SUPERSEDED, SourceState.NOT_IN_FORCE))

TEMPLATES = [
    ResourceTemplate(
        uri_template=str(_PASSAGE),
        name="passage",
        title="Words of a document",
        description=f"A passage or curated span, as search results and citations name them: for reading, and as JSON with the exact words. {QUOTED}",
    ),
    ResourceTemplate(
        uri_template=str(_CONTRACT),
        name="contract",
        title="A question that can be asked",
        description="A contract's id, its mode, the fields of its case with their types, and its facts.",
        mime_type=_JSON,
    ),
]


async def listed(desk: Desk) -> list[Resource]:
    """The questions that can be asked; passages are too many to list, and found by a search."""
    return [_contract(each) for each in await desk.contracts()]


async def read_resource(uri: str, desk: Desk, who: Principal) -> ReadResourceResult:
    """What is at an address. Raises `NotFound` where there is nothing that the principal may read."""
    if (named := _PASSAGE.match(uri)) is not None:
        source = RevisionId(str(named["document"]), str(named["version"]))
        view = await desk.passage(source, str(named["passage"]), who)
        exact = json.dumps(passage_json(view), ensure_ascii=False)
        return ReadResourceResult(
            contents=[
                TextResourceContents(uri=uri, mime_type=_TEXT, text=passage_text(view)),
                TextResourceContents(uri=uri, mime_type=_JSON, text=exact),
            ]
        )
    if (named := _CONTRACT.match(uri)) is not None:
        contract = next((each for each in await desk.contracts() if each.id == named["id"]), None)
        if contract is not None:
            shape = json.dumps(contracts_json([contract]), ensure_ascii=False)
            return ReadResourceResult(contents=[TextResourceContents(uri=uri, mime_type=_JSON, text=shape)])
    raise NotFound(
        "no_such_resource",
        f"there is nothing at {uri[:200]!r}",
        remedy="use an address from a result, or a template from the list of resource templates",
    )


def found_links(items: Iterable[Item]) -> list[ResourceLink]:
    """Links to passages that were found."""
    return _links((item.found.id, item.found.passage.id) for item in items)


def outcome_links(outcome: Outcome) -> list[ResourceLink]:
    """Links to what an outcome cites, then to what was found for it."""
    if isinstance(outcome, UnsupportedQuestion):
        return []
    claims = outcome.claims if isinstance(outcome, Answered) else ()
    cited = [(each.source, each.span) for claim in claims for each in claim.citations if each.words is not None]
    return _links([*cited, *((item.found.id, item.found.passage.id) for item in outcome.search)])


def review_links(report: ReviewReport) -> list[ResourceLink]:
    """Links to what the reviewed claims cite, as far as it is served."""
    citations = (each for item in report.claims for each in item.citations)
    return _links((each.source, each.span) for each in citations if each.state in _SERVED)


def packet_links(view: PacketView) -> list[ResourceLink]:
    """Links to the selected passages of a packet, as far as they are served."""
    served = {source.id for source in view.sources if source.state in _SERVED}
    passages = ((RevisionId(each["document"], each["version"]), each["passage"]) for each in view.body["passages"])
    return _links((source, passage) for source, passage in passages if source in served)


def _links(named: Iterable[tuple[RevisionId, str]]) -> list[ResourceLink]:
    return [_link(source, passage) for source, passage in dict.fromkeys(named)]


def _link(source: RevisionId, passage: str) -> ResourceLink:
    address = _PASSAGE.expand({"document": source.document, "version": source.version, "passage": passage})
    return ResourceLink(uri=address, name=f"{source}, {passage}")


def _contract(contract: Contract) -> Resource:
    fields = ", ".join(field.name for field in contract.schema) or "none"
    return Resource(
        uri=_CONTRACT.expand({"id": contract.id}),
        name=contract.id,
        description=f"A question that can be asked ({contract.mode}); fields of its case: {fields}.",
        mime_type=_JSON,
    )
