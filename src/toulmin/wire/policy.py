"""The policy file: versioned limits and thresholds."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated

from pydantic import Field

from toulmin.domain.canonical import number_text
from toulmin.domain.errors import InputError
from toulmin.domain.policy import Policy, Repair
from toulmin.wire import strict_yaml
from toulmin.wire.model import Strict, located, read
from toulmin.wire.scalars import Count, Identifier, Number, Truth, Whole, choice

_BUILT_IN = Policy()


class _Policy(Strict):
    """Every limit has the built-in default; the version has none, since limits that differ are another version."""

    version: Identifier
    passages: Count = _BUILT_IN.passages
    passage_bytes: Count = _BUILT_IN.passage_bytes
    context_bytes: Count = _BUILT_IN.context_bytes
    claims: Count = _BUILT_IN.claims
    citations: Count = _BUILT_IN.citations
    answer_bytes: Count = _BUILT_IN.answer_bytes
    results: Count = _BUILT_IN.results
    max_results: Count = _BUILT_IN.max_results
    output_tokens: Count = _BUILT_IN.output_tokens
    concurrent_drafts: Count = _BUILT_IN.concurrent_drafts
    request_deadline_s: Count = _BUILT_IN.request_deadline_s
    retrieval_deadline_s: Count = _BUILT_IN.retrieval_deadline_s
    provider_deadline_s: Count = _BUILT_IN.provider_deadline_s
    repair_rounds: Whole = _BUILT_IN.repair_rounds
    repairs: tuple[Annotated[Repair, choice(*Repair)], ...] = _BUILT_IN.repairs
    supported: Number = _BUILT_IN.supported
    contradicted: Number = _BUILT_IN.contradicted
    sufficiency: Number | None = _BUILT_IN.sufficiency
    routing: Number | None = _BUILT_IN.routing
    self_approval: Truth = _BUILT_IN.self_approval
    approve_cited: Truth = _BUILT_IN.approve_cited
    approval_days: Count = _BUILT_IN.approval_days
    retention_days: dict[Identifier, Count] = Field(default_factory=dict)


def read_policy(data: str | bytes, source: str) -> Policy:
    """The policy that a `policy.yaml` states; raises `InputError` with file, line and key path."""
    node = strict_yaml.parse(data, source)
    form = read(_Policy, node, source)
    try:
        return Policy(**{**form.model_dump(), "retention_days": tuple(sorted(form.retention_days.items()))})
    except InputError as error:
        raise located(error, node, source) from None


def policy_yaml(policy: Policy, note: Sequence[str] = ()) -> str:
    """A policy as the file that states it, every limit with its value; `read_policy` gives it back. `note` are lines of comment above it."""
    comment = [f"# {' '.join(line.split())}\n" for line in note]
    return "".join((*comment, *(f"{name}: {_written(value)}\n" for name, value in _stated(policy).items())))


def _stated(policy: Policy) -> dict[str, object]:
    return {**asdict(policy), "retention_days": dict(policy.retention_days)}


def _written(value: object) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case int() | float():
            return number_text(value)
        case dict():
            return f"{{{', '.join(f'{_written(name)}: {_written(days)}' for name, days in value.items())}}}"
        case tuple():
            return f"[{', '.join(map(str, value))}]"
        case _:
            return json.dumps(value, ensure_ascii=False)
