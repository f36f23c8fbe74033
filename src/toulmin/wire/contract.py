"""The contract file: YAML, one file per question type."""

from __future__ import annotations

from datetime import tzinfo
from typing import Annotated

from pydantic import Field

from toulmin.domain.errors import InputError
from toulmin.domain.question.case import Kind, Value, read_value
from toulmin.domain.question.contract import OPEN_QUESTION, CaseField, Contract, DrafterKind, Fact, Mode
from toulmin.wire import strict_yaml
from toulmin.wire.model import Strict, located, read
from toulmin.wire.node import Node
from toulmin.wire.rules import RulesForm
from toulmin.wire.scalars import Identifier, Name, NotNull, Score, Text, Truth, Whole, choice


class _CaseField(Strict):
    type: Annotated[Kind, choice(*Kind)]
    optional: Truth = False
    trusted: Truth = False


class _Fact(Strict):
    proposition: Text
    clause: Text
    required: Truth = True
    applies: dict[Name, Text] = Field(default_factory=dict)


class _Answer(Strict):
    mode: Annotated[Mode, choice(*Mode)]
    drafter: Annotated[DrafterKind | None, NotNull, choice(*DrafterKind)] = None

    @property
    def chosen_drafter(self) -> DrafterKind:
        """The drafter named, else the usual one: the template writes licensed clauses, and nothing else."""
        return self.drafter or (DrafterKind.TEMPLATE if self.mode is Mode.LICENSED else DrafterKind.MODEL)


class _Contract(Strict):
    id: Identifier
    version: Identifier = "1"
    case: dict[Name, _CaseField] = Field(default_factory=dict)
    query: Text
    k: Whole = 5
    min_score: Score = 0.0
    eligibility: RulesForm = RulesForm()
    facts: dict[Identifier, _Fact] = Field(default_factory=dict)
    answer: _Answer


def read_contract(data: str | bytes, source: str, zone: tzinfo) -> Contract:
    """The contract that a file states; `source` names the file in errors, dates in conditions begin in `zone`.

    Raises `InputError` with file, line and key path.
    """
    node = strict_yaml.parse(data, source)
    form = read(_Contract, node, source, zone=zone)
    if form.id == OPEN_QUESTION:
        error = InputError("bad_contract", f"{form.id} is the built-in contract", remedy="give this one another id")
        raise located(error, node, source, ("id",))
    rules = form.eligibility.value(node, source, ("eligibility",), zone)
    facts = tuple(_fact(fact_id, form, node, source, zone) for fact_id in form.facts)
    try:
        return Contract(
            id=form.id,
            version=form.version,
            schema=tuple(
                CaseField(name=name, kind=field.type, optional=field.optional, trusted=field.trusted)
                for name, field in form.case.items()
            ),
            query=form.query,
            k=form.k,
            min_score=form.min_score,
            rules=rules,
            facts=facts,
            mode=form.answer.mode,
            drafter=form.answer.chosen_drafter,
        )
    except InputError as error:
        raise located(error, node, source) from None


def _fact(fact_id: str, form: _Contract, node: Node, source: str, zone: tzinfo) -> Fact:
    fact = form.facts[fact_id]

    def condition(name: str, text: str) -> Value:
        # A condition on no field of the case is the contract's own complaint: here it is as good as text.
        kind = form.case[name].type if name in form.case else Kind.STRING
        try:
            return read_value(kind, text, zone)
        except InputError as error:
            raise located(error, node, source, ("facts", fact_id, "applies", name)) from None

    return Fact(
        id=fact_id,
        proposition=fact.proposition.strip(),
        clause=fact.clause.strip(),
        required=fact.required,
        applies=tuple((name, condition(name, text)) for name, text in fact.applies.items()),
    )
