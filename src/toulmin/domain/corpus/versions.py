"""Version values and version ranges, in two schemes.

`dotted` compares any number of numeric parts (`2.4` equals `2.4.0`); `pep440` follows the Python packaging standard, with
pre-releases always included: a controlled document says itself which versions it is for.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from packaging.specifiers import SpecifierSet
from packaging.version import Version

Scheme = Literal["dotted", "pep440"]

_CLAUSE = re.compile(r"(===|==|!=|~=|>=|<=|>|<)\s*([0-9A-Za-z][0-9A-Za-z.+!_-]*(?:\.\*)?)")
_DOTTED = re.compile(r"\d{1,100}(?:\.\d{1,100})*", re.ASCII)  # bounded: Python refuses to read numbers of many digits


class UnreadableVersion(ValueError):
    """A text that is no version, or no version range, in the scheme asked for; `text` is the part that could not be read."""

    def __init__(self, text: str, scheme: Scheme) -> None:
        super().__init__(f"{text!r} is not a version in the scheme {scheme}")
        self.text = text


def is_specifier(text: str) -> bool:
    """Whether the text is a version range such as `>=2.4.1,<2.4.2`."""
    return all(_CLAUSE.fullmatch(clause.strip()) for clause in text.split(","))


def normalise_specifier(text: str) -> str:
    """A version range with its clauses stripped, sorted and without repeats; the text must be one (`is_specifier`)."""
    return ",".join(sorted({re.sub(r"\s+", "", clause) for clause in text.split(",")}))


def check_version(text: str, scheme: Scheme) -> None:
    """Raises `UnreadableVersion` unless the text is one version (not a range) in the scheme."""
    _pep440(text) if scheme == "pep440" else _dotted(text)


def contains(stated: str, version: str, scheme: Scheme) -> bool:
    """Whether a document's stated version, or version range, contains one version.

    Raises `UnreadableVersion` for whichever of the two cannot be read.
    """
    if scheme == "pep440":
        return _pep440_contains(stated, version)
    clauses = stated.split(",") if is_specifier(stated) else [stated]
    return all(_dotted_holds(clause, version) for clause in clauses)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """The interval that encloses a dotted version range; None: open on that side."""

    low: tuple[int, ...] | None = None
    low_included: bool = True
    high: tuple[int, ...] | None = None
    high_included: bool = True


def bounds(stated: str) -> Bounds:
    """The interval that encloses a dotted version or range; wider than the range where it has holes or wildcards.

    Raises `UnreadableVersion` where a part is not dotted.
    """
    result = Bounds()
    for clause in stated.split(","):
        result = _narrowed(result, _clause_bounds(clause.strip()))
    return result


def _clause_bounds(clause: str) -> Bounds:
    found = _CLAUSE.fullmatch(clause)
    operator, text = (found[1], found[2]) if found else ("==", clause)
    if operator == "!=" or text.endswith(".*") or operator == "~=":
        low = _dotted(text.removesuffix(".*")) if operator != "!=" else None
        return Bounds(low=low)
    bound = _dotted(text)
    match operator:
        case ">" | ">=":
            return Bounds(low=bound, low_included=operator == ">=")
        case "<" | "<=":
            return Bounds(high=bound, high_included=operator == "<=")
        case _:
            return Bounds(low=bound, high=bound)


def _narrowed(one: Bounds, other: Bounds) -> Bounds:
    lows = [(b.low, not b.low_included) for b in (one, other) if b.low is not None]
    highs = [(b.high, b.high_included) for b in (one, other) if b.high is not None]
    low, excluded = max(lows, default=(None, False))
    high, included = min(highs, default=(None, True))
    return Bounds(low=low, low_included=not excluded, high=high, high_included=included)


def _pep440(text: str) -> Version:
    try:
        return Version(text)
    except ValueError:  # not a version, or a number with too many digits
        raise UnreadableVersion(text, "pep440") from None


def _pep440_contains(stated: str, version: str) -> bool:
    parsed = _pep440(version)
    if not is_specifier(stated):
        return _pep440(stated) == parsed
    try:
        return SpecifierSet(stated).contains(parsed, prereleases=True)
    except ValueError:  # no specifier, or a number with too many digits
        raise UnreadableVersion(stated, "pep440") from None


def _dotted(text: str) -> tuple[int, ...]:
    """The numeric parts without trailing zeros, so that 2.4 and 2.4.0 are one version."""
    if not _DOTTED.fullmatch(text):
        raise UnreadableVersion(text, "dotted")
    parts = [int(part) for part in text.split(".")]
    while len(parts) > 1 and parts[-1] == 0:
        parts.pop()
    return tuple(parts)


def _dotted_holds(clause: str, version: str) -> bool:
    found = _CLAUSE.fullmatch(clause.strip())
    operator, bound_text = (found[1], found[2]) if found else ("==", clause.strip())
    given = _dotted(version)
    if bound_text.endswith(".*"):
        if operator not in ("==", "!="):
            raise UnreadableVersion(clause, "dotted")
        return _has_prefix(version, bound_text[:-2]) == (operator == "==")
    bound = _dotted(bound_text)
    match operator:
        case "==" | "===":
            return given == bound
        case "!=":
            return given != bound
        case ">=":
            return given >= bound
        case "<=":
            return given <= bound
        case ">":
            return given > bound
        case "<":
            return given < bound
        case _:  # "~=": at least the bound, and the same in all parts but the last one written
            parts = bound_text.split(".")
            if len(parts) < 2:
                raise UnreadableVersion(clause, "dotted")
            return given >= bound and _has_prefix(version, ".".join(parts[:-1]))


def _has_prefix(version: str, prefix: str) -> bool:
    _dotted(version), _dotted(prefix)
    wanted = [int(part) for part in prefix.split(".")]
    given = [int(part) for part in version.split(".")]
    given += [0] * (len(wanted) - len(given))
    return given[: len(wanted)] == wanted
