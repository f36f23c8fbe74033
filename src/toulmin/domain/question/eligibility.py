"""THE eligibility evaluator: rule x scope x case -> verdict with every reason.

No engine re-implements a rule. The evaluator judges the distinct scopes of a corpus once per case, and every engine gets the
same fixed-shape filter: `scope IN eligible AND readers overlap AND valid at the instant`.

Eligibility fails closed in both directions: an attribute that a rule names must be stated by the document (or be in
`missing`), and an attribute that the document states must be judged by a rule (or be in `ignore`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from enum import StrEnum

from toulmin.domain.canonical import canonical_json
from toulmin.domain.corpus.document import Standing, Status
from toulmin.domain.corpus.scope import ANY, AttributeValue, Scope
from toulmin.domain.corpus.validity import instant_text
from toulmin.domain.corpus.versions import Scheme, UnreadableVersion, check_version, contains
from toulmin.domain.errors import InputError
from toulmin.domain.question.case import Case, Kind, Value, read_value


class RuleName(StrEnum):
    """The four rules."""

    EQUALS = "equals"
    ONE_OF = "one_of"
    VERSION_IN = "version_in"
    AT_LEAST = "at_least"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """How one attribute is judged. `scheme` is used by `version_in`; `levels`, from low to high, by `at_least`."""

    name: RuleName
    scheme: Scheme = "dotted"
    levels: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if (self.name is RuleName.AT_LEAST) != bool(self.levels) or len(set(self.levels)) != len(self.levels):
            raise InputError(
                "bad_rule",
                f"rule {self.name} with levels {list(self.levels)}",
                remedy="at_least, and no other rule, takes levels: a list from low to high without repeats",
            )

    def check(self, value: Value) -> None:
        """Raises `InputError` for a case value that the rule cannot judge, whatever the document says."""
        if self.name is RuleName.AT_LEAST and value.text not in self.levels:
            raise InputError(
                "wrong_type", f"{value.text!r} is not one of the levels", remedy=f"give one of {', '.join(self.levels)}"
            )
        if self.name is RuleName.VERSION_IN:
            try:
                check_version(value.text, self.scheme)
            except UnreadableVersion as error:
                raise InputError("wrong_type", str(error), remedy="give one version, not a range") from None


@dataclass(frozen=True)
class Rules:
    """The rules of a contract or profile: attribute -> rule, and the attributes exempt in either direction.

    A document's instant without an offset, or date, is read in `zone`, as the case's is.
    """

    rules: tuple[tuple[str, Rule], ...] = ()
    missing: frozenset[str] = frozenset()
    ignore: frozenset[str] = frozenset()
    zone: tzinfo = UTC

    def get(self, attribute: str) -> Rule | None:
        return next((rule for name, rule in self.rules if name == attribute), None)

    @property
    def attributes(self) -> tuple[str, ...]:
        return tuple(name for name, _ in self.rules)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    """Why a document is not eligible: one attribute, the rule that judged it, and both values.

    `rule` is None where no rule judges a stated attribute; `document_value` is None where the document does not state
    the attribute, `case_value` where the case does not. `note` says in words what could not be read.
    """

    attribute: str
    rule: str | None
    document_value: AttributeValue | None
    case_value: str | None
    note: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """What every engine filters by. An empty set of scopes or readers lets nothing through; it never means everything."""

    scopes: frozenset[int]
    readers: frozenset[str]
    at: datetime

    @property
    def lets_nothing_through(self) -> bool:
        return not self.scopes or not self.readers


def judge(rules: Rules, case: Case, scope: Scope) -> tuple[Reason, ...]:
    """Every reason why a scope is not eligible for a case; none: it is eligible.

    Rules come in their order, then stated attributes that no rule judges in the scope's order.
    """
    ruled = [_judge_attribute(name, rule, rules, case, scope) for name, rule in rules.rules]
    unjudged = [_judge_unruled(name, value, rules) for name, value in scope.attributes if rules.get(name) is None]
    return tuple(reason for reason in (*ruled, *unjudged) if reason is not None)


def never_eligible(rules: Rules, scope: Scope) -> tuple[Reason, ...]:
    """The reasons that exclude a scope whatever the case says: it does not state a ruled attribute, or states one that no rule judges."""
    reasons = judge(rules, Case(), scope)
    return tuple(reason for reason in reasons if reason.rule is None or reason.document_value is None)


def eligible_scopes(rules: Rules, case: Case, scopes: Iterable[tuple[int, Scope]]) -> frozenset[int]:
    """The keys of the scopes that are eligible for a case."""
    return frozenset(key for key, scope in scopes if not judge(rules, case, scope))


def judge_standing(rules: Rules, case: Case, standing: Standing, at: datetime) -> tuple[Reason, ...]:
    """Every reason why a revision is not eligible at an instant: its scope, its validity, its status.

    Readers are no reason here: a document that the caller may not see is not explained at all.
    """
    reasons = list(judge(rules, case, standing.descriptor.scope))
    moment, validity = instant_text(at), standing.validity
    if standing.status is not Status.LIVE:
        reasons.append(Reason(attribute="status", rule="status", document_value=standing.status, case_value=None))
    if at < validity.start:
        start = instant_text(validity.start)
        reasons.append(Reason(attribute="valid_from", rule="validity", document_value=start, case_value=moment))
    if validity.end is not None and validity.end <= at:
        end = instant_text(validity.end)
        note = "superseded" if standing.superseded else None
        reasons.append(Reason(attribute="valid_to", rule="validity", document_value=end, case_value=moment, note=note))
    return tuple(reasons)


def _judge_unruled(name: str, stated: AttributeValue, rules: Rules) -> Reason | None:
    if stated == ANY or name in rules.ignore:
        return None
    note = f"no rule judges {name}: add a rule for it, or add it to ignore"
    return Reason(attribute=name, rule=None, document_value=stated, case_value=None, note=note)


def _judge_attribute(name: str, rule: Rule, rules: Rules, case: Case, scope: Scope) -> Reason | None:
    stated, given = scope.get(name), case.get(name)
    case_text = given.text if given else None
    if stated is None:
        if name in rules.missing:
            return None
        note = f"the document does not state {name}"
        return Reason(attribute=name, rule=rule.name, document_value=None, case_value=case_text, note=note)
    if stated == ANY:
        return None
    if given is None:
        note = f"the case does not state {name}"
        return Reason(attribute=name, rule=rule.name, document_value=stated, case_value=None, note=note)
    unreadable: str | None = None
    try:
        if _TESTS[rule.name](rule, stated, given, rules.zone):
            return None
    except (UnreadableVersion, _Unreadable) as error:
        unreadable = str(error)
    return Reason(attribute=name, rule=rule.name, document_value=stated, case_value=case_text, note=unreadable)


class _Unreadable(ValueError):
    """A document's value that its rule cannot read; the document is not eligible, and the reason says so."""


def _scalar(rule: Rule, stated: AttributeValue) -> str:
    if isinstance(stated, str):
        return stated
    raise _Unreadable(f"the document states the list {canonical_json(stated)}; {rule.name} takes one value")


def _same(stated: str, given: Value, zone: tzinfo) -> bool:
    """Equality in the case value's kind, so that a document's `5.0` is the number 5."""
    if given.kind in (Kind.STRING, Kind.VERSION):
        return stated == given.text
    try:
        return read_value(given.kind, stated, zone) == given
    except InputError as error:
        raise _Unreadable(error.message) from None


def _equals(rule: Rule, stated: AttributeValue, given: Value, zone: tzinfo) -> bool:
    return _same(_scalar(rule, stated), given, zone)


def _one_of(_: Rule, stated: AttributeValue, given: Value, zone: tzinfo) -> bool:
    return any(_same(item, given, zone) for item in ((stated,) if isinstance(stated, str) else stated))


def _version_in(rule: Rule, stated: AttributeValue, given: Value, _: tzinfo) -> bool:
    items = (stated,) if isinstance(stated, str) else stated
    verdicts = [contains(item, given.text, rule.scheme) for item in items]  # all: an unreadable item is always named
    return any(verdicts)


def _at_least(rule: Rule, stated: AttributeValue, given: Value, _: tzinfo) -> bool:
    needed = _scalar(rule, stated)
    if needed not in rule.levels:
        raise _Unreadable(f"{needed!r} is not one of the levels {', '.join(rule.levels)}")
    return rule.levels.index(given.text) >= rule.levels.index(needed)


_TESTS: dict[RuleName, Callable[[Rule, AttributeValue, Value, tzinfo], bool]] = {
    RuleName.EQUALS: _equals,
    RuleName.ONE_OF: _one_of,
    RuleName.VERSION_IN: _version_in,
    RuleName.AT_LEAST: _at_least,
}


def admits(wanted: Filter, scope: int, standing: Standing) -> bool:
    """The filter, as the truth judges it: what every hit is re-checked with. `scope` is the key of the standing's scope."""
    return (
        standing.status is Status.LIVE
        and scope in wanted.scopes
        and not wanted.readers.isdisjoint(standing.descriptor.readers)
        and standing.validity.holds_at(wanted.at)
    )
