"""How long it takes to find a quotation in a document of a megabyte that nothing has read before."""

from __future__ import annotations

import random
import textwrap
from functools import partial

from common import Words, in_turns, milliseconds, percentile, report

from toulmin.domain.corpus.quotes import find

_CHARACTERS = 1_000_000
_RUNS = 21
_GOAL_MS = 20.0
_PARAGRAPH_WORDS = 120
_SENTENCE_WORDS = 15
_SIGNS = {"fi": "\ufb01", "fl": "\ufb02", "'": "\u2019", " and ": "\u00a0and ", " - ": " \u2014 "}
_BROKEN = 0.025
_SOFT = 0.01
_MARKED_EVERY = 20
_MARKS = ("*{}*", "`{}`", "**{}**")


def main() -> None:
    typed = _typed(Words())
    plain, printed = textwrap.fill(typed, 90, replace_whitespace=False, drop_whitespace=False), _printed(typed)
    quote = typed[-600:-300].strip()
    shortened = f"{quote[:100].rpartition(' ')[0]} ... {quote[-100:].partition(' ')[2]}"
    work = {
        f"{document}, {kind}": partial(find, text, wanted)
        for document, text in (("plain", plain), ("printed", printed), ("marked", _marked(plain)))
        for kind, wanted in (
            ("exact", text[-550:-350].strip()),
            ("folded", quote),
            ("shortened", shortened),
            ("not found", f"{quote} in vain"),
            ("shortened, not found", f"{shortened} in vain"),
        )
    }
    times = in_turns({name: [call] * _RUNS for name, call in work.items()})
    rows = [
        {
            "document, quotation": name,
            "found": len(call()),
            "p50 ms": milliseconds(times[name]),
            "p90 ms": percentile(times[name], 0.9),
            "goal ms": _GOAL_MS,
        }
        for name, call in work.items()
    ]
    notes = [
        "printed: ligatures, typographic marks, no-break spaces, soft hyphens, one long word in forty broken at a line end",
        "marked: one word in twenty is code or stressed",
    ]
    report("quotes", rows, notes=notes, runs=_RUNS, characters=len(plain))


def _typed(words: Words) -> str:
    """Paragraphs of sentences as someone would type them, without line ends inside."""
    paragraphs: list[str] = []
    length = 0
    while length < _CHARACTERS:
        made = words.passage(_PARAGRAPH_WORDS).split()
        sentences = (made[at : at + _SENTENCE_WORDS] for at in range(0, len(made), _SENTENCE_WORDS))
        paragraphs.append(" ".join(_sentence(sentence) for sentence in sentences))
        length += len(paragraphs[-1]) + 2
    return "\n\n".join(paragraphs)


def _sentence(words: list[str]) -> str:
    first, second, third, *others = words
    return f"{first.capitalize()}'s {second}-{third} and {' '.join(others)} - fi {len(first)}."


def _printed(typed: str) -> str:
    """The same as a printed page gives it."""
    chance = random.Random(7)
    for plain, printed in _SIGNS.items():
        typed = typed.replace(plain, printed)
    return "\n\n".join(
        " ".join(_set(word, chance) for word in paragraph.split(" ")) for paragraph in typed.split("\n\n")
    )


def _marked(typed: str) -> str:
    """The same with inline markup."""
    words = typed.split(" ")
    for at in range(0, len(words), _MARKED_EVERY):
        words[at] = _MARKS[at // _MARKED_EVERY % len(_MARKS)].format(words[at])
    return " ".join(words)


def _set(word: str, chance: random.Random) -> str:
    if len(word) < 7 or not word.isalpha():
        return word
    if chance.random() < _SOFT:
        return f"{word[:3]}\u00ad{word[3:]}"
    return f"{word[:3]}-\n{word[3:]}" if chance.random() < _BROKEN else word


if __name__ == "__main__":
    main()
