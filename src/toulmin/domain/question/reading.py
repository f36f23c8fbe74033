"""Reading a case: from named texts to typed values, by a contract's schema or a profile's rules."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import tzinfo

from toulmin.domain.errors import Forbidden, InputError
from toulmin.domain.question.case import Case, Kind, Value, read_value
from toulmin.domain.question.contract import Contract
from toulmin.domain.question.eligibility import Rule, RuleName, Rules


def contract_case(contract: Contract, given: Mapping[str, str], zone: tzinfo, *, trusted: bool = True) -> Case:
    """The case of a contract's question. `trusted`: whoever gives it may state the fields that the contract trusts.

    Raises `InputError` naming the field that is unknown, missing or ill-typed, and the line that would mend it; `Forbidden` for a trusted
    field from somebody who is not.
    """
    for name in given:
        if contract.case_field(name) is None:
            raise InputError(
                "unknown_case_field",
                f"contract {contract.id} has no case field {name}",
                where=f"case.{name}",
                remedy=f"add {_schema_line(contract, name)}, or leave it out",
            )
    values = {}
    for item in contract.schema:
        text = given.get(item.name)
        if text is not None and item.trusted and not trusted:
            raise Forbidden(
                "trusted_field",
                f"contract {contract.id} takes the case field {item.name} from a service alone",
                where=f"case.{item.name}",
                remedy="leave it out, or have a service with the role service ask",
            )
        if text is not None:
            values[item.name] = _value(item.name, item.kind, text, contract.rules.get(item.name), zone)
        elif not item.optional:
            raise InputError(
                "missing_case_field",
                f"contract {contract.id} needs the case field {item.name} ({item.kind})",
                where=f"case.{item.name}",
                remedy=f"state {item.name} in the case",
            )
    return Case.of(values)


def _schema_line(contract: Contract, name: str) -> str:
    """The line that would make a name a field of the contract's case; an open question has the fields of its profile's rules."""
    if contract.open_question:
        return f'`{name} = "equals"` (or another rule) to the rules of its profile in toulmin.toml'
    return f"`{name}: {{type: string}}` under case: in the contract"


def profile_case(profile: str, rules: Rules, given: Mapping[str, str], zone: tzinfo) -> Case:
    """The case of a search under a profile: every ruled attribute may be left out, and then matches only `"*"`."""
    values = {}
    for name, text in given.items():
        rule = rules.get(name)
        if rule is None:
            raise InputError(
                "unknown_case_field",
                f"no rule of profile {profile} judges {name}",
                where=f"case.{name}",
                remedy=f'add `{name} = "equals"` (or another rule) to rules under [eligibility.{profile}] in toulmin.toml',
            )
        kind = Kind.VERSION if rule.name is RuleName.VERSION_IN else Kind.STRING
        values[name] = _value(name, kind, text, rule, zone)
    return Case.of(values)


def _value(name: str, kind: Kind, text: str, rule: Rule | None, zone: tzinfo) -> Value:
    try:
        value = read_value(kind, text, zone)
        if rule is not None:
            rule.check(value)
    except InputError as error:
        raise error.at(f"case.{name}") from None
    return value
