"""Questions: from what a caller sends to a typed question under its contract."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from toulmin.application.parts import Parts
from toulmin.domain.errors import InputError
from toulmin.domain.evidence.ranking import positive
from toulmin.domain.question.case import Case, Principal
from toulmin.domain.question.contract import OPEN_QUESTION, Contract, Fact, under_rules
from toulmin.domain.question.eligibility import Rules
from toulmin.domain.question.reading import contract_case


@dataclass(frozen=True, slots=True, kw_only=True)
class AskRequest:
    """A question by its contract's id, with its case as texts by field.

    `text` holds an open question's own words, `rules` a profile to judge it by in place of the workspace's. `k` replaces the contract's; `min_score` may only raise it; `as_of` None means now. `trusted`: the caller may state the case fields that a contract trusts.
    """

    question: str
    principal: Principal
    case: Mapping[str, str] = field(default_factory=dict)
    text: str = ""
    rules: Rules | None = None
    as_of: datetime | None = None
    k: int | None = None
    min_score: float = 0.0
    trusted: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question that a contract supports, read and typed.

    `text` is an open question's own words, empty for a contract's; `k` and `min_score` are the effective ones.
    """

    contract: Contract
    text: str
    case: Case
    principal: Principal
    at: datetime
    k: int
    min_score: float

    @property
    def facts(self) -> tuple[Fact, ...]:
        """The facts that apply to the case."""
        return self.contract.applicable(self.case)

    @property
    def search_text(self) -> str:
        return self.text or self.contract.search_text(self.case)


def typed_question(request: AskRequest, parts: Parts) -> Question | None:
    """The question of a request, read and typed; None where no contract supports it."""
    contract = _contract(request, parts)
    return None if contract is None else _question(request, contract, parts)


def _contract(request: AskRequest, parts: Parts) -> Contract | None:
    """The contract of a question; the built-in one for an open question, where the workspace allows them."""
    if request.question == OPEN_QUESTION:
        known = parts.open_question
        return known if known is None or request.rules is None else under_rules(known, request.rules)
    return parts.contracts.find(request.question)


def _question(request: AskRequest, contract: Contract, parts: Parts) -> Question:
    if contract.open_question and not request.text.strip():
        raise InputError("empty_question", "the question has no words", remedy="give the question's text")
    if not 0 <= request.min_score <= 1:  # every comparison with NaN is false, so that it would read as no minimum
        raise InputError(
            "bad_min_score", f"the minimum score is {request.min_score}", remedy="give a number from 0 to 1"
        )
    return Question(
        contract=contract,
        text=request.text.strip() if contract.open_question else "",
        case=contract_case(contract, request.case, parts.zone, trusted=request.trusted),
        principal=request.principal,
        at=request.as_of or parts.clock.now(),
        k=contract.k if request.k is None else positive(request.k),
        min_score=max(contract.min_score, request.min_score),
    )
