"""Rule-made pairs out of technical text, made so that neither the edit nor the rewording gives the label away.

Of a sentence and its change both may be the claim and both may stand in the passage; a sentence that is not changed is
mostly reworded, and so is one that is.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from judge.edits import Edit, changes, same
from judge.pairs import NOT_SUPPORTED, Pair
from judge.text import sentences, words


@dataclass(frozen=True, slots=True, kw_only=True)
class Paragraph:
    """A clean paragraph and the document that it stands in."""

    document: str
    text: str


def minimal_pairs(paragraphs: Sequence[Paragraph], chance: random.Random) -> Iterator[Pair]:
    """At most three pairs a paragraph, no kind of change much more often than another."""
    told: dict[str, int] = {}
    for before, here in pairwise(paragraphs):
        parts = [part for part in sentences(here.text) if 6 <= len(words(part)) <= 45 and part[-1] == "."]
        if not parts:
            continue
        sentence = chance.choice(parts)
        edits = changes(sentence, here.text, chance)
        if edits:
            rarest = min(edits, key=lambda edit: (told.get(edit.phenomenon, 0), chance.random()))
            told[rarest.phenomenon] = told.get(rarest.phenomenon, 0) + 1
            yield from _of_edit(here, sentence, rarest, chance)
        yield from _of_neighbours(before, here, parts, chance)


def _of_edit(here: Paragraph, sentence: str, edit: Edit, chance: random.Random) -> Iterator[Pair]:
    """The two sentences beside the passage as it is, or as it is with the change: one pair that holds, one that does not."""
    changed_passage = here.text.replace(sentence, edit.text)
    if edit.back is not None and chance.random() < 0.5:
        yield _pair(same(edit.text, chance), changed_passage, "supported", here, edit.phenomenon)
        yield _pair(_at_times_same(sentence, chance), changed_passage, edit.back, here, edit.phenomenon)
    else:
        yield _pair(same(sentence, chance), here.text, "supported", here, edit.phenomenon)
        yield _pair(_at_times_same(edit.text, chance), here.text, edit.label, here, edit.phenomenon)


def _of_neighbours(before: Paragraph, here: Paragraph, parts: list[str], chance: random.Random) -> Iterator[Pair]:
    """A sentence beside a passage of the same document that does not state it, alone or joined to one that it states."""
    if before.document != here.document or chance.random() < 0.6:
        return
    elsewhere = chance.choice(parts)
    theirs = [part for part in sentences(before.text) if 6 <= len(words(part)) <= 30 and part[-1] == "."]
    if theirs and chance.random() < 0.5:
        stated = chance.choice(theirs)
        yield _pair(f"{same(stated, chance)} {elsewhere}", before.text, "unresolved", before, "partial")
    elif len(words(before.text)) >= 8:
        yield _pair(_at_times_same(elsewhere, chance), before.text, "unresolved", before, "elsewhere")


def _at_times_same(sentence: str, chance: random.Random) -> str:
    return same(sentence, chance) if chance.random() < 0.7 else sentence


def _pair(claim: str, evidence: str, label: str, paragraph: Paragraph, phenomenon: str) -> Pair:
    assert label in {"supported", "contradicted", "unresolved", NOT_SUPPORTED}
    return Pair(
        claim=claim, evidence=evidence, label=label, source="edits", group=paragraph.document, phenomenon=phenomenon
    )
