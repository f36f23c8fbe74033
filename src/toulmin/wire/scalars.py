"""Scalar types of wire models: a field's type reads the text of an unquoted YAML scalar, and takes nothing for something else.

`version: 3.10` is the text "3.10" for a text field; a truth is `true` or `false` and not `yes` or 1; a number is decimal and
finite. Typed sources (TOML, JSON) give their own types, and none is turned into another.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from datetime import UTC, datetime, tzinfo
from difflib import get_close_matches
from typing import Annotated, TypeVar

from pydantic import AfterValidator, BeforeValidator, ValidationInfo
from pydantic_core import PydanticCustomError

from toulmin.domain.canonical import number_text
from toulmin.domain.corpus.document import MAX_ID_LENGTH
from toulmin.domain.errors import InputError
from toulmin.domain.question.case import Kind, read_instant, read_value
from toulmin.wire.node import Plain

N = TypeVar("N", int, float)

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]{0,99}")
_WHOLE = re.compile(r"-?[0-9]{1,15}")


def fault(code: str, message: str, remedy: str) -> PydanticCustomError:
    """What a validator raises: `model.read` makes it an `InputError` with file, line and key path."""
    return PydanticCustomError(code, "{message}", {"message": message, "remedy": remedy})


def nearest(word: str, known: tuple[str, ...]) -> str:
    """The advice for a word that is none of the known ones: the nearest one, or all of them; to leave it out where there are none."""
    if not known:
        return "leave it out: nothing can stand there"
    close = get_close_matches(word, known, n=1)
    return f"write {close[0]}" if close else f"write one of {', '.join(known)}"


def shown(value: object) -> str:
    """A wrong value as a message shows it: short, and never a whole text."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case Mapping():
            return "a mapping"
        case list() | tuple():
            return "a list"
        case str() if len(value) > 60:
            return f"a text of {len(value)} characters"
        case str():
            return repr(str(value))
        case int() | float():
            return number_text(value) if math.isfinite(value) else str(value)
        case _:
            return f"a {type(value).__name__}"


def wrong_type(value: object, wanted: str, remedy: str) -> PydanticCustomError:
    """What a validator raises for a value that is not of its type."""
    return fault("wrong_type", f"{shown(value)} is not {wanted}", remedy)


def text(value: object) -> str:
    """Any text."""
    if isinstance(value, str):
        return str(value)
    raise wrong_type(value, "a text", 'write it as text, in "quotes" where it is a number, true, false or null')


def words(value: object) -> str:
    """A text that is not blank."""
    given = text(value)
    if not given.strip():
        raise fault("wrong_type", "the text is empty", "give some text, or leave the key out")
    return given


def identifier(value: object) -> str:
    """A text that can be an id or label: printable, of bounded length, without white space at either end."""
    given = text(value)
    if not given or len(given) > MAX_ID_LENGTH or given != given.strip() or not given.isprintable():
        advice = f"give 1 to {MAX_ID_LENGTH} printable characters without white space at either end"
        raise fault("bad_id", f"{shown(given)} is no id or label", advice)
    return given


def name(value: object) -> str:
    """An attribute's or case field's name, as it is written in `--case name=value`."""
    given = text(value)
    if not _NAME.fullmatch(given):
        advice = "use at most 100 letters, digits, '_', '-' and '.', and begin with a letter or '_'"
        raise fault("bad_name", f"{shown(given)} is not a name", advice)
    return given


def truth(value: object) -> bool:
    """`true` or `false`, unquoted."""
    if isinstance(value, bool):
        return value
    if isinstance(value, Plain) and value in ("true", "false"):
        return value == "true"
    raise wrong_type(value, "true or false", "write true or false, without quotes")


def number(value: object) -> float:
    """A finite decimal number, unquoted."""
    if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
        return float(value)
    if isinstance(value, Plain):
        try:
            return float(read_value(Kind.NUMBER, value, UTC).text)
        except InputError:
            pass
    raise wrong_type(value, "a number", "write a decimal number such as 12 or 0.5, without quotes")


def whole(value: object) -> int:
    """A whole number of at most 15 digits, unquoted."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, Plain) and _WHOLE.fullmatch(value):
        return int(value)
    raise wrong_type(value, "a whole number", "write a whole number such as 8, without quotes")


def instant(value: object, info: ValidationInfo) -> datetime:
    """An instant in UTC; a date is its first moment, a time without offset is read, in the zone of the reading context."""
    zone = (info.context or {}).get("zone", UTC)
    assert isinstance(zone, tzinfo)
    found = read_instant(value, zone) if isinstance(value, str) else None
    if found is None:
        advice = "write a date such as 2026-01-31 or an instant such as 2026-01-31T12:00:00Z"
        raise wrong_type(value, "a date or an instant", advice)
    return found


def choice(*options: str) -> BeforeValidator:
    """A validator for one of a few words; for members of an enumeration it gives the member."""
    members = {str(option): option for option in options}

    def choose(value: object) -> str:
        if isinstance(value, str) and value in members:
            return members[value]
        known = tuple(members)
        raise wrong_type(value, f"one of {', '.join(known)}", nearest(value if isinstance(value, str) else "", known))

    return BeforeValidator(choose)


def not_below(least: N) -> AfterValidator:
    """A validator for a number with a lower bound."""

    def check(value: N) -> N:
        if value < least:
            raise fault(
                "wrong_type",
                f"{number_text(value)} is below {number_text(least)}",
                f"give at least {number_text(least)}",
            )
        return value

    return AfterValidator(check)


def not_above(most: N) -> AfterValidator:
    """A validator for a number with an upper bound."""

    def check(value: N) -> N:
        if value > most:
            raise fault(
                "wrong_type", f"{number_text(value)} is above {number_text(most)}", f"give at most {number_text(most)}"
            )
        return value

    return AfterValidator(check)


def _not_null(value: object) -> object:
    if value is None:
        raise wrong_type(value, "a value for this key", "give it a value, or leave the key out")
    return value


NotNull = BeforeValidator(_not_null)
"""For a field whose None means that the key was left out: writing null is something else, and refused."""

Text = Annotated[str, BeforeValidator(text)]
Words = Annotated[str, BeforeValidator(words)]
Identifier = Annotated[str, BeforeValidator(identifier)]
Name = Annotated[str, BeforeValidator(name)]
Truth = Annotated[bool, BeforeValidator(truth)]
Number = Annotated[float, BeforeValidator(number)]
Score = Annotated[Number, not_below(0.0), not_above(1.0)]
Whole = Annotated[int, BeforeValidator(whole)]
Count = Annotated[Whole, not_below(1)]
Instant = Annotated[datetime, BeforeValidator(instant)]
