"""Eligibility rules as contracts and profiles write them: `model: equals`, `firmware: {version_in: {scheme: pep440}}`."""

from __future__ import annotations

from datetime import tzinfo
from typing import Annotated, get_args

from pydantic import BeforeValidator, Field

from toulmin.domain.corpus.versions import Scheme
from toulmin.domain.errors import InputError
from toulmin.domain.question.eligibility import Rule, RuleName, Rules
from toulmin.wire.model import Strict, located
from toulmin.wire.node import Node
from toulmin.wire.scalars import Identifier, Name, choice, fault, nearest, shown, wrong_type

_RULES = tuple(str(rule) for rule in RuleName)


class _NoOptions(Strict):
    pass


class _Versions(Strict):
    scheme: Annotated[Scheme, choice(*get_args(Scheme))] = "dotted"


class _Levels(Strict):
    levels: tuple[Identifier, ...]


class _RuleForm(Strict):
    """Exactly one rule with its options."""

    equals: _NoOptions | None = None
    one_of: _NoOptions | None = None
    version_in: _Versions | None = None
    at_least: _Levels | None = None

    def rule(self) -> Rule:
        if self.version_in is not None:
            return Rule(name=RuleName.VERSION_IN, scheme=self.version_in.scheme)
        if self.at_least is not None:
            return Rule(name=RuleName.AT_LEAST, levels=self.at_least.levels)
        return Rule(name=RuleName.EQUALS if self.equals is not None else RuleName.ONE_OF)


def _long_form(value: object) -> dict[str, object]:
    """`equals` and `{equals: {}}` alike as `{equals: {}}`."""
    form = {str(value): {}} if isinstance(value, str) else value
    if not isinstance(form, dict) or len(form) != 1:
        raise wrong_type(value, "one rule", f"write one of {', '.join(_RULES)}")
    rule, options = next(iter(form.items()))
    if rule not in _RULES:
        raise fault(
            "unknown_rule", f"unknown rule {shown(rule)}; the rules are {', '.join(_RULES)}", nearest(rule, _RULES)
        )
    return {rule: {} if options is None else options}


class RulesForm(Strict):
    """`rules`, `missing` and `ignore` of a contract's `eligibility` or of a named profile."""

    rules: dict[Name, Annotated[_RuleForm, BeforeValidator(_long_form)]] = Field(default_factory=dict)
    missing: tuple[Name, ...] = ()
    ignore: tuple[Name, ...] = ()

    def value(self, node: Node, source: str, path: tuple[str, ...], zone: tzinfo) -> Rules:
        """The domain's rules; `path` leads to them in `node`; documents' dates begin in `zone`. Raises `InputError` for what does not fit together."""
        for attribute in self.missing:
            if attribute not in self.rules:
                advice = "add a rule for it, or remove it: a document need not state what no rule names"
                error = InputError("bad_rule", f"{attribute} is in missing, and no rule judges it", remedy=advice)
                raise located(error, node, source, (*path, "missing"))
        for attribute in self.ignore:
            if attribute in self.rules:
                error = InputError(
                    "bad_rule", f"{attribute} is in ignore, and a rule judges it", remedy="keep one of the two"
                )
                raise located(error, node, source, (*path, "ignore"))
        rules = tuple((name, self._rule(name, node, source, path)) for name in self.rules)
        return Rules(rules, missing=frozenset(self.missing), ignore=frozenset(self.ignore), zone=zone)

    def _rule(self, name: str, node: Node, source: str, path: tuple[str, ...]) -> Rule:
        try:
            return self.rules[name].rule()
        except InputError as error:
            raise located(error, node, source, (*path, "rules", name)) from None
