"""Rules that change one thing in a sentence, and rules that change nothing but its words.

An `Edit` tells what the changed sentence is when the first one is the evidence (`label`), and what the first one is when
the changed sentence is the evidence (`back`); None where that direction decides nothing safe.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

SUPPORTED, CONTRADICTED, UNRESOLVED = "supported", "contradicted", "unresolved"


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """A changed sentence, its label against the first one, and the first one's label against it."""

    text: str
    phenomenon: str
    label: str
    back: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Swap:
    """One wording for another: `pattern` → `replacement`; with what it does to the meaning, in both directions."""

    phenomenon: str
    pattern: re.Pattern[str]
    replacement: str
    label: str
    back: str | None


def _swaps(phenomenon: str, label: str, back: str | None, *wordings: tuple[str, str]) -> tuple[_Swap, ...]:
    return tuple(
        _Swap(phenomenon=phenomenon, pattern=re.compile(rf"\b{old}\b"), replacement=new, label=label, back=back)
        for old, new in wordings
    )


_SWAPS = (
    *_swaps(
        "negation", CONTRADICTED, CONTRADICTED,
        ("is not", "is"), ("are not", "are"), ("was not", "was"), ("cannot", "can"), ("can't", "can"), ("does not", "does"),
        ("must not", "must"), ("should not", "should"), ("will not", "will"), ("isn't", "is"), ("aren't", "are"),
        ("is (?!not\\b)(?=[a-z]+(?:ed|able|en)\\b)", "is not "), ("are (?!not\\b)(?=[a-z]+(?:ed|able|en)\\b)", "are not "),
        ("can(?! not\\b)", "cannot"), ("will(?! not\\b)", "will not"), ("must(?! not\\b)", "must not"),
        ("should(?! not\\b)", "should not"), ("has been", "has not been"), ("have been", "have not been"),
    ),
    *_swaps(
        "modality", UNRESOLVED, CONTRADICTED,
        ("may(?! not\\b| be\\b)", "must"), ("may be", "is always"), ("might be", "is"), ("can be", "must be"),
        ("is usually", "is always"), ("are usually", "are always"), ("is recommended", "is required"), ("should be", "must be"),
        ("are often", "are always"), ("is often", "is always"),
    ),
    *_swaps(
        "modality", CONTRADICTED, UNRESOLVED,
        ("must be", "may be"), ("is required", "is optional"), ("are required", "are optional"), ("must(?! not\\b| be\\b)", "may"),
        ("never", "sometimes"), ("need to", "may"), ("needs to", "may"),
    ),
    *_swaps(
        "quantity", UNRESOLVED, CONTRADICTED,
        ("some", "all"), ("most", "all"), ("many", "all"), ("sometimes", "always"), ("usually", "always"), ("often", "always"),
    ),
    *_swaps(
        "quantity", CONTRADICTED, CONTRADICTED,
        ("always", "never"), ("all", "none of the"), ("every", "no"), ("any", "no"), ("both", "neither"), ("no longer", "still"),
    ),
    *_swaps("default", UNRESOLVED, None, ("[Bb]y default,? ", ""), (" by default(?=[.,;])", "")),
    *_swaps("default", UNRESOLVED, CONTRADICTED, ("by default", "in every case"), ("By default", "In every case")),
    *_swaps("only", CONTRADICTED, UNRESOLVED, ("only", "not only"), ("only if", "even if not"), ("only when", "also when not")),
    *_swaps(
        "bounds", CONTRADICTED, CONTRADICTED,
        ("at least", "at most"), ("at most", "at least"), ("more than", "less than"), ("less than", "more than"),
        ("greater than", "smaller than"), ("or newer", "or older"), ("or later", "or earlier"), ("minimum", "maximum"),
        ("maximum", "minimum"), ("up to", "at least"), ("fewer than", "more than"),
    ),
    *_swaps("bounds", UNRESOLVED, UNRESOLVED, ("at least(?= \\d)", "exactly"), ("up to(?= \\d)", "exactly"), ("about(?= \\d)", "exactly")),
    *_swaps(
        "units", CONTRADICTED, CONTRADICTED,
        ("seconds", "minutes"), ("minutes", "seconds"), ("hours", "days"), ("days", "hours"), ("milliseconds", "seconds"),
        ("bytes", "bits"), ("KB", "MB"), ("MB", "GB"), ("GB", "MB"), ("ms", "s"), ("second", "minute"), ("weeks", "months"),
        ("month", "year"), ("percent", "percentage points"), ("megabytes", "kilobytes"),
    ),
    *_swaps(
        "opposites", CONTRADICTED, CONTRADICTED,
        ("enabled", "disabled"), ("disabled", "enabled"), ("enable", "disable"), ("disable", "enable"), ("before", "after"),
        ("after", "before"), ("True", "False"), ("False", "True"), ("true", "false"), ("false", "true"), ("first", "last"),
        ("last", "first"), ("include", "exclude"), ("includes", "excludes"), ("included", "excluded"), ("allow", "forbid"),
        ("allows", "forbids"), ("allowed", "forbidden"), ("optional", "required"), ("deprecated", "recommended"),
        ("removed", "added"), ("added", "removed"), ("supported", "unsupported"), ("same", "different"), ("faster", "slower"),
        ("increase", "decrease"), ("increases", "decreases"), ("input", "output"), ("client", "server"), ("server", "client"),
        ("read", "write"), ("public", "private"), ("with", "without"), ("without", "with"), ("older", "newer"),
        ("safe", "unsafe"), ("possible", "impossible"), ("valid", "invalid"), ("empty", "full"), ("start", "stop"),
        ("success", "failure"), ("local", "remote"), ("mutable", "immutable"), ("relative", "absolute"),
        ("case-insensitive", "case-sensitive"), ("synchronous", "asynchronous"), ("higher", "lower"), ("lower", "higher"),
        ("default to", "never use"), ("automatically", "manually"), ("global", "per-request"), ("accept", "reject"),
        ("raises", "suppresses"), ("open", "closed"), ("succeeds", "fails"), ("fails", "succeeds"), ("larger", "smaller"),
    ),
)  # fmt: skip

_SAME: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(rf"\b{old}\b"), new)
    for old, new in (
        ("cannot", "is not able to"), ("can be used to", "lets you"), ("does not", "doesn't"), ("do not", "don't"),
        ("is not", "isn't"), ("must be", "has to be"), ("need to", "have to"), ("needs to", "has to"), ("in order to", "to"),
        ("allows you to", "lets you"), ("make sure", "ensure"), ("ensures?", "makes sure"), ("because", "since"),
        ("may be", "might be"), ("however,? ", ""), ("However, ", ""), ("Additionally, ", ""), ("In addition, ", ""),
        ("Note that ", ""), ("Also, ", ""), ("Therefore, ", ""), ("such as", "like"), ("for example", "for instance"),
        ("For example, ", "For instance, "), ("utilize", "use"), ("a number of", "several"), ("via", "through"),
        ("provides", "offers"), ("provide", "offer"), ("contains", "has"), ("create", "make"), ("created", "made"),
        ("creates", "makes"), ("returns", "gives back"), ("called", "named"), ("execute", "run"), ("executed", "run"),
        ("executes", "runs"), ("specify", "give"), ("specified", "given"), ("method", "function"), ("obtain", "get"),
        ("deprecated", "marked as deprecated"), ("remove", "delete"), ("removed", "deleted"), ("parameter", "argument"),
        ("parameters", "arguments"), ("directory", "folder"), ("modify", "change"), ("modified", "changed"),
        ("required", "needed"), ("requires", "needs"), ("require", "need"), ("also", "in addition"), ("begin", "start"),
        ("a single", "one"), ("by using", "with"), ("whether or not", "whether"), ("at least", "no fewer than"),
        ("immediately", "at once"), ("currently", "at present"), ("prior to", "before"), ("automatically", "by itself"),
        ("multiple", "several"), ("large", "big"), ("entire", "whole"), ("choose", "select"), ("similar to", "much like"),
    )
)  # fmt: skip

_NUMBER_WORDS: Mapping[str, str] = {
    "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8", "ten": "10",
}  # fmt: skip

_NUMBER = re.compile(r"(?<![\w.])(\d{1,6})(?![\w]|\.\d)")
_VERSION = re.compile(r"(?<![\w.])(\d+)\.(\d+)(\.\d+)?(?![\w.]*\d)")
_IF_FIRST = re.compile(r"^(If|When|While|Unless|Once) ([^,]{8,120}), (?:then )?([a-zA-Z].{12,})$")
_IF_LAST = re.compile(r"^(.{12,}?),? (if|when|unless|while|only if|only when|except when) ([^,]{6,120})\.$")
_NAME = re.compile(
    r"(?<=[a-z,] )(?:[A-Z]{3,}|[A-Z][a-z]+[A-Z]\w*|\w+_\w+|[a-z]+(?=\(\))|\.[a-z]{2,5}|[A-Z][a-z]{3,})\b(?:\(\))?"
)


def changes(sentence: str, passage: str, chance: random.Random) -> list[Edit]:
    """Every way that the rules find to change the meaning of `sentence`, which stands in `passage`; each changes one thing."""
    found = [
        *_by_swap(sentence),
        *_numbers(sentence, chance),
        *_conditions(sentence),
        *_names(sentence, passage, chance),
    ]
    return [edit for edit in found if edit.text != sentence]


def same(sentence: str, chance: random.Random) -> str:
    """`sentence` in other words: a few of the rewordings that fit, and its condition moved to the other end at times."""
    for pattern, replacement in chance.sample(_SAME, len(_SAME)):
        if chance.random() < 0.6:
            sentence = pattern.sub(replacement, sentence, count=1)
    for word, digits in _NUMBER_WORDS.items():
        if chance.random() < 0.5:
            sentence = re.sub(rf"\b{word}\b", digits, sentence)
    if chance.random() < 0.5:
        sentence = _turned(sentence)
    return sentence[:1].upper() + sentence[1:]


def _by_swap(sentence: str) -> Iterator[Edit]:
    for swap in _SWAPS:
        text = swap.pattern.sub(swap.replacement, sentence, count=1)
        text = re.sub(r"  +", " ", text).strip()
        yield Edit(text=text[:1].upper() + text[1:], phenomenon=swap.phenomenon, label=swap.label, back=swap.back)


def _numbers(sentence: str, chance: random.Random) -> Iterator[Edit]:
    for pattern, phenomenon, other in ((_VERSION, "version", _other_version), (_NUMBER, "number", _other_number)):
        matches = list(pattern.finditer(sentence))
        if matches:
            at = chance.choice(matches)
            text = sentence[: at.start()] + other(at, chance) + sentence[at.end() :]
            yield Edit(text=text, phenomenon=phenomenon, label=CONTRADICTED, back=CONTRADICTED)


def _other_number(match: re.Match[str], chance: random.Random) -> str:
    value = int(match[1])
    ways: list[Callable[[int], int]] = [
        lambda v: v + 1,
        lambda v: v * 2,
        lambda v: v * 10,
        lambda v: max(v // 2, 0),
        lambda v: v + 5,
    ]
    return str(next(other for other in (chance.choice(ways)(value) for _ in range(50)) if other != value))


def _other_version(match: re.Match[str], chance: random.Random) -> str:
    major, minor, rest = int(match[1]), int(match[2]), match[3] or ""
    minor = minor + chance.choice((1, 2, -1)) if minor else minor + 1
    return f"{major}.{minor}{rest}"


def _conditions(sentence: str) -> Iterator[Edit]:
    parts = _parts(sentence)
    if parts is None:
        return
    word, condition, rest = parts
    alone = rest[:1].upper() + rest[1:]
    yield Edit(text=f"{alone}.", phenomenon="condition dropped", label=UNRESOLVED, back=None)
    yield Edit(text=f"{alone} in every case.", phenomenon="condition dropped", label=UNRESOLVED, back=None)
    reverse = {
        "if": "unless",
        "when": "except when",
        "while": "except while",
        "unless": "if",
        "once": "until",
        "only if": "even if not",
    }
    if word in reverse:
        yield Edit(
            text=f"{alone} {reverse[word]} {condition}.",
            phenomenon="condition reversed",
            label=CONTRADICTED,
            back=CONTRADICTED,
        )


def _turned(sentence: str) -> str:
    """The same condition at the other end of the sentence."""
    parts = _parts(sentence)
    if parts is None:
        return sentence
    word, condition, rest = parts
    if _IF_FIRST.match(sentence):
        return f"{rest[:1].upper()}{rest[1:]} {word} {condition}."
    return f"{word.capitalize()} {condition}, {rest[:1].lower() if rest[1:2].islower() else rest[:1]}{rest[1:]}."


def _parts(sentence: str) -> tuple[str, str, str] | None:
    """The word of a condition, the condition, and what holds under it; None where the sentence has no such plain form."""
    first = _IF_FIRST.match(sentence)
    if first:
        return first[1].lower(), first[2], first[3].rstrip(".")
    last = _IF_LAST.match(sentence)
    return (last[2], last[3], last[1]) if last else None


def _names(sentence: str, passage: str, chance: random.Random) -> Iterator[Edit]:
    """One name of the sentence changed for another of the passage that looks alike."""
    mine = list(_NAME.finditer(sentence))
    others = sorted(set(_NAME.findall(passage)) - set(_NAME.findall(sentence)))
    if mine and others:
        at = chance.choice(mine)
        alike = [name for name in others if _looks(name) == _looks(at[0])]
        if alike:
            text = sentence[: at.start()] + chance.choice(alike) + sentence[at.end() :]
            yield Edit(text=text, phenomenon="entity", label="not_supported", back="not_supported")


def _looks(name: str) -> tuple[bool, bool, bool, bool]:
    return name.isupper(), "_" in name, "(" in name, name[:1].isupper()
