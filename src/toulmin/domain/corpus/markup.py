"""Inline markup: how a marked word reads on the rendered page, as a fold, so that a quotation may leave the marks out."""

from __future__ import annotations

import re

from toulmin.domain.corpus.folds import Fold, Folded

MARKS = "`*["
"""Characters of which every inline mark has one."""

_ROLE = r"(?::[\w+-]+(?::[\w+-]+)*:)"
_MARKED = re.compile(
    rf"""
    (
      (?<![\w`*\\:])
      (?: {_ROLE}? `` (?![\s`]) (?: [^`] | `(?!`) )+ (?<!\s) ``
        | {_ROLE}? ` (?![\s`]) [^`]+ (?<!\s) ` _{{0,2}}
        | \*\* (?![\s*]) [^*]+ (?<!\s) \*\*
        | \* (?![\s*]) [^*]+ (?<!\s) \*
        | \[ [^\[\]]+ \] \( [^()\s]+ \)
      )
      (?![\w`*])
    )
    """,
    re.VERBOSE,
)
_TARGET = re.compile(r"\s*<[^<>]*>$")
_TRACES = re.compile(r"`|\]\s?[(\[]|</?[a-zA-Z!]|\w://|\bwww\.", re.IGNORECASE)


def _unmarked(marked: str) -> str:
    """The words that a reader of the rendered page sees."""
    if marked[0] == "*":
        return Folded.of(marked.strip("*"), (MARKUP,)).text
    if marked[0] == "[":
        return marked[1 : marked.rindex("](")]
    words = marked[marked.index("`") :]
    if words[:2] == "``":
        return words[2:-2]
    refers = marked[0] == ":" or words[-1] == "_"
    words = words.rstrip("_")[1:-1]
    if not refers:
        return words
    title = _TARGET.sub("", words)
    return title.rpartition(".")[2] if title[0] == "~" else title.removeprefix("!")


MARKUP = Fold(name="markup", split=_MARKED.split, replace=_unmarked)
"""Inline marks of reStructuredText and Markdown, references among them, are read as the page shows them: a claim is plain text."""


def holds_markup(words: str) -> bool:
    """Whether the words hold marks, a link, an address or a tag. What such words say depends on them, so that none may be changed."""
    return _TRACES.search(words) is not None or MARKUP.changes(words)
