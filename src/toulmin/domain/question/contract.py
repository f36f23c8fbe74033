"""Contracts: question types as values. What a question needs, what may answer it, and which sentences are licensed."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, tzinfo
from enum import StrEnum
from functools import cached_property
from typing import Any

from toulmin.domain.canonical import Json, canonical_json, digest, fields
from toulmin.domain.errors import InputError
from toulmin.domain.question.case import Case, Kind, Value, unlettered
from toulmin.domain.question.eligibility import Rule, RuleName, Rules

OPEN_QUESTION = "open-question-v1"
"""The id of the built-in contract of open questions."""

_PLACEHOLDER = re.compile(r"\{([^{}]*)\}")


class Mode(StrEnum):
    """The three answer modes; they are also the assurance that an outcome carries."""

    LICENSED = "licensed"
    REVIEWED = "reviewed"
    CITED = "cited"


class DrafterKind(StrEnum):
    """Who writes the draft."""

    TEMPLATE = "template"
    MODEL = "model"


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseField:
    """One field of a case schema. `trusted`: over HTTP only a service role may set it, never the asking user."""

    name: str
    kind: Kind
    optional: bool = False
    trusted: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """A fact that an answer rests on: its curated proposition (an exact quote) and its licensed clause.

    `applies` lists case values under which the fact holds at all; elsewhere it is neither required nor licensed.
    """

    id: str
    proposition: str
    clause: str
    required: bool = True
    applies: tuple[tuple[str, Value], ...] = ()

    def applies_to(self, case: Case) -> bool:
        return all(case.get(name) == value for name, value in self.applies)


@dataclass(frozen=True, kw_only=True)
class Contract:
    """A question type: id, case schema, required facts, eligibility rules and answer mode.

    Raises `InputError` where its parts do not fit together: a rule, a condition or a placeholder that names no field of the case
    schema, a licensed contract without facts, a template drafter outside licensed mode, or a required fact in cited mode.
    """

    id: str
    version: str
    schema: tuple[CaseField, ...]
    query: str
    k: int
    rules: Rules
    facts: tuple[Fact, ...]
    mode: Mode
    drafter: DrafterKind
    min_score: float = 0.0
    open_question: bool = False

    def __post_init__(self) -> None:
        for complaint in self._complaints():
            raise complaint

    def applicable(self, case: Case) -> tuple[Fact, ...]:
        """The facts that apply to the case, in the contract's order."""
        return tuple(fact for fact in self.facts if fact.applies_to(case))

    def recorded_case(self, lettered: Mapping[str, str]) -> Case:
        """The case whose values a packet has in their lettered form. Raises `ValueError` for a field that the contract does not have."""
        kinds = {item.name: item.kind for item in self.schema}
        if unknown := sorted(set(lettered) - set(kinds)):
            raise ValueError(f"the contract has no case field {', '.join(unknown)}")
        return Case.of({name: unlettered(kinds[name], value) for name, value in lettered.items()})

    def search_text(self, case: Case) -> str:
        """The words for the ranker: the query with each `{field}` replaced by the case's value (nothing where it is left out)."""
        return _PLACEHOLDER.sub(lambda found: _text_of(case.get(found[1])), self.query)

    def case_field(self, name: str) -> CaseField | None:
        return next((item for item in self.schema if item.name == name), None)

    @cached_property
    def canonical(self) -> str:
        """The contract as canonical JSON with every default filled in: the snapshot that packets keep."""
        return canonical_json(_snapshot(self))

    @cached_property
    def digest(self) -> str:
        """Hex SHA-256: tag `toulmin.contract/1`, then the canonical contract."""
        return contract_digest(self.canonical)

    def _complaints(self) -> Iterator[InputError]:
        names = {item.name for item in self.schema}
        for attribute in self.rules.attributes:
            if attribute not in names:
                yield _complaint(
                    f"eligibility.rules.{attribute}",
                    f"rule {attribute} judges no field of the case",
                    f"add `{attribute}: {{type: string}}` to case",
                )
        for placeholder in _PLACEHOLDER.findall(self.query):
            if placeholder not in names:
                yield _complaint(
                    "query",
                    f"{{{placeholder}}} names no field of the case",
                    f"add `{placeholder}: {{type: string}}` to case",
                )
        for fact in self.facts:
            yield from self._fact_complaints(fact, names)
        yield from self._mode_complaints()
        if self.k < 1:
            yield _complaint("k", f"k is {self.k}", "k is at least 1")
        if not self.query.strip() and not self.open_question:
            yield _complaint("query", "the query is empty", "give the words that the ranker looks for")

    def _mode_complaints(self) -> Iterator[InputError]:
        if self.mode is Mode.LICENSED and not self.facts:
            yield _complaint(
                "facts", "a licensed contract without facts licenses nothing", "add a fact, or change answer.mode"
            )
        if self.mode is not Mode.LICENSED and self.drafter is DrafterKind.TEMPLATE:
            yield _complaint(
                "answer.drafter",
                f"the template drafter writes licensed clauses only, not {self.mode} answers",
                "use drafter: model",
            )
        for fact in self.facts:
            if fact.required and self.mode is Mode.CITED:
                yield _complaint(
                    f"facts.{fact.id}.required",
                    "a cited contract can require no fact: nobody judges whether its claims state one",
                    "write answer.mode: licensed or reviewed, or `required: false`",
                )

    def _fact_complaints(self, fact: Fact, names: set[str]) -> Iterator[InputError]:
        for name, text in (("proposition", fact.proposition), ("clause", fact.clause)):
            if not text.strip():
                yield _complaint(f"facts.{fact.id}.{name}", f"the {name} is empty", f"give the {name}'s words")
        for name, _ in fact.applies:
            if name not in names:
                yield _complaint(
                    f"facts.{fact.id}.applies.{name}",
                    f"{name} is no field of the case",
                    f"add `{name}: {{type: string}}` to case",
                )


def contract_digest(canonical: str) -> str:
    """The digest of a contract in its canonical form."""
    return digest(fields("toulmin.contract/1", canonical))


def contract_of(snapshot: str, zone: tzinfo = UTC) -> Contract:
    """The contract of its canonical form, as packets keep it; documents' dates begin in `zone`.

    Raises `ValueError` for a text that is none, and for one of another version of the program.
    """
    stated = json.loads(snapshot)
    try:
        contract = _from_snapshot(stated, zone)
    except (KeyError, TypeError, AttributeError, InputError) as error:
        raise ValueError(f"no contract of this version: {error}") from None
    if contract.canonical != snapshot:
        raise ValueError("no contract of this version: it is written otherwise")
    return contract


def open_question(rules: Rules, *, mode: Mode, min_score: float, k: int) -> Contract:
    """The built-in contract of questions in free text: no required facts, the rules of a profile, every ruled field optional."""
    return Contract(
        id=OPEN_QUESTION,
        version="1",
        schema=ruled_fields(rules),
        query="",
        k=k,
        rules=rules,
        facts=(),
        mode=mode,
        drafter=DrafterKind.MODEL,
        min_score=min_score,
        open_question=True,
    )


def under_rules(contract: Contract, rules: Rules) -> Contract:
    """The open-question contract under another profile."""
    return replace(contract, rules=rules, schema=ruled_fields(rules))


def ruled_fields(rules: Rules) -> tuple[CaseField, ...]:
    """The case of questions under a profile's rules: every ruled attribute, which may be left out."""
    return tuple(
        CaseField(name=name, kind=Kind.VERSION if rule.name is RuleName.VERSION_IN else Kind.STRING, optional=True)
        for name, rule in rules.rules
    )


def _complaint(where: str, message: str, remedy: str) -> InputError:
    return InputError("bad_contract", message, where=where, remedy=remedy)


def _text_of(value: Value | None) -> str:
    return value.text if value else ""


def _from_snapshot(stated: Mapping[str, Any], zone: tzinfo) -> Contract:
    eligibility, answer = stated["eligibility"], stated["answer"]
    kinds = {name: Kind(field["type"]) for name, field in stated["case"].items()}
    rules = tuple(
        (name, Rule(name=RuleName(rule["rule"]), scheme=rule["scheme"], levels=tuple(rule["levels"])))
        for name, rule in eligibility["rules"].items()
    )
    return Contract(
        id=stated["id"],
        version=stated["version"],
        schema=tuple(
            CaseField(name=name, kind=kinds[name], optional=field["optional"], trusted=field["trusted"])
            for name, field in stated["case"].items()
        ),
        query=stated["query"],
        k=stated["k"],
        rules=Rules(
            rules, missing=frozenset(eligibility["missing"]), ignore=frozenset(eligibility["ignore"]), zone=zone
        ),
        facts=tuple(
            Fact(
                id=fact["id"],
                proposition=fact["proposition"],
                clause=fact["clause"],
                required=fact["required"],
                applies=tuple((name, unlettered(kinds[name], value)) for name, value in fact["applies"].items()),
            )
            for fact in stated["facts"]
        ),
        mode=Mode(answer["mode"]),
        drafter=DrafterKind(answer["drafter"]),
        min_score=stated["min_score"],
        open_question=stated["id"] == OPEN_QUESTION,
    )


def _snapshot(contract: Contract) -> dict[str, Json]:
    rules = {
        name: {"rule": rule.name.value, "scheme": rule.scheme, "levels": rule.levels}
        for name, rule in contract.rules.rules
    }
    return {
        "id": contract.id,
        "version": contract.version,
        "case": {f.name: {"type": f.kind.value, "optional": f.optional, "trusted": f.trusted} for f in contract.schema},
        "query": contract.query,
        "k": contract.k,
        "min_score": contract.min_score,
        "eligibility": {
            "rules": rules,
            "missing": sorted(contract.rules.missing),
            "ignore": sorted(contract.rules.ignore),
        },
        "facts": [
            {
                "id": fact.id,
                "proposition": fact.proposition,
                "clause": fact.clause,
                "required": fact.required,
                "applies": {name: value.lettered for name, value in fact.applies},
            }
            for fact in contract.facts
        ],
        "answer": {"mode": contract.mode.value, "drafter": contract.drafter.value},
    }
