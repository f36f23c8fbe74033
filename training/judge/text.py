"""What the judge is shown of a text: no markup, and of a long passage the sentences nearest to the claim.

The product has to give the model its texts in this very form; a change here asks for a new model.
"""

from __future__ import annotations

import re

_FOLDS: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"-LRB-|-lrb-"), "("),
    (re.compile(r"-RRB-|-rrb-"), ")"),
    (re.compile(r"!?\[([^\]\n]*)\]\([^)\s]*\)"), r"\1"),  # Markdown link: its words
    (re.compile(r":[\w:.+-]+:`~?!?\.?([^`<]*?)(?:\s*<[^`>]*>)?`"), r"\1"),  # reStructuredText role: its words
    (re.compile(r"`([^`<]*?)\s*<[^`>]*>`__?"), r"\1"),  # reStructuredText link
    (re.compile(r"`+([^`]*)`+_{0,2}"), r"\1"),  # code and references
    (re.compile(r"^\s*\.\. ([\w-]+)::\s*", re.MULTILINE), r"\1: "),  # directive: its name qualifies what follows
    (re.compile(r"^\s*:([\w -]+):\s+", re.MULTILINE), r"\1: "),  # field
    (re.compile(r"^\s*(?:[-*+]|#+)\s+", re.MULTILINE), ""),  # list mark, Markdown heading
    (re.compile(r"^\s*[=\-~^\"'*#]{3,}\s*$", re.MULTILINE), ""),  # underline of a heading
    (re.compile(r"(\*\*|__)(?=\S)(.+?)(?<=\S)\1"), r"\2"),  # strong
    (re.compile(r"(?<![\w*])\*(?=[^\s*])([^*\n]+?)(?<=\S)\*(?![\w*])"), r"\1"),  # emphasis
    (re.compile(r"``|''"), '"'),  # quotation marks of tokenised text
    (re.compile(r"\s+"), " "),
    (re.compile(r" ([.,;:?!%)\]]|'s\b|n't\b)(?=\s|$)"), r"\1"),  # tokenised text: no space before these
    (re.compile(r"([(\[]) "), r"\1"),
)

_SENTENCE_END = re.compile(r"(?:(?<=[.!?])|(?<=[.!?][\"')\]]))\s+(?=[\"'(\[]?[A-Z0-9])")
_WORD = re.compile(r"\w+")


def clean(text: str) -> str:
    """The words of `text` without markup and without line breaks."""
    for pattern, replacement in _FOLDS:
        text = pattern.sub(replacement, text)
    return text.strip()


def sentences(text: str) -> list[str]:
    """The sentences of a clean text, in order; joined by a space they are the text."""
    return [part for part in _SENTENCE_END.split(text) if part]


def words(text: str) -> list[str]:
    """Its words in lower case."""
    return _WORD.findall(text.lower())


def focus(claim: str, evidence: str, most: int) -> str:
    """Of a passage of more than `most` words the sentences nearest to the claim, in their order, up to so many words.

    Nearness is the share of the claim's words that a sentence has, rare words of the passage counting more; of equals
    the first wins. A sentence that alone is too long is left to the tokenizer's limit.
    """
    parts = sentences(evidence)
    if len(words(evidence)) <= most or len(parts) == 1:
        return evidence
    bags = [set(words(part)) for part in parts]
    asked = set(words(claim))
    rarity = {word: 1 / sum(word in bag for bag in bags) for word in asked if any(word in bag for bag in bags)}
    by_nearness = sorted(range(len(parts)), key=lambda at: (-sum(rarity.get(word, 0) for word in bags[at]), at))
    chosen: list[int] = []
    room = most
    for at in by_nearness:
        length = len(words(parts[at]))
        if not chosen or length <= room:
            chosen.append(at)
            room -= length
    return " ".join(parts[at] for at in sorted(chosen))
