"""Makes the project's pairs out of the shared sets: `python -m judge.prepare --data ../../shared/data --work FOLDER`.

Writes `data/train.jsonl`, `data/edits.jsonl` (rule-made, judge.augment), `data/unlabelled.jsonl` (for the student), and one
file for each set to choose on (`data/dev`) and to measure on at the very end (`data/final`).
"""

from __future__ import annotations

import argparse
import json
import random
from collections import Counter
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

from judge import augment
from judge.pairs import Pair, opened, write
from judge.text import clean, sentences, words

SEED = 20261130

_DEV = (
    "scifact_validation",
    "feversymmetric_v02_dev",
    "rte_dev",
    "begin_wow_dev",
    "begin_topicalchat_dev",
    "begin_cmudog_dev",
)
_FINAL = ("anli_dev_r1", "anli_dev_r2", "anli_dev_r3", "citint_dev")
_OPEN_HALF = "01234567"
_HELD_OUT_EVERY = 20
"""Every so many documents of the technical text make edits that are never trained on."""


def labelled(path: Path) -> Iterator[Pair]:
    """The rows of one of the shared sets, cleaned. FEVER's `not_supported` is its class REFUTES (claims/train/README.md)."""
    with opened(path) as lines:
        for line in lines:
            row = json.loads(line)
            label = row["label"]
            if row["source"] == "fever_dev" and label == "not_supported":
                label = "contradicted"
            yield Pair(
                claim=clean(row["claim"]),
                evidence=clean(row["evidence"]),
                label=label,
                source=row["source"],
                group=row["group"],
            )


def flask(path: Path) -> Iterator[Pair]:
    """The open claims on the Flask documentation: to measure on; of their open half settings may hang."""
    with opened(path) as lines:
        for line in lines:
            row = json.loads(line)
            yield Pair(
                claim=clean(row["claim"]),
                evidence=clean(row["passage"]),
                label=row["label"],
                source="flask_open",
                group=row["group"],
                phenomenon=row["phenomenon"],
            )


def in_open_half(pair: Pair) -> bool:
    """Whether the pair's group is in the half that settings may be chosen on."""
    return sha256(pair.group.encode()).hexdigest()[0] in _OPEN_HALF


def paragraphs(path: Path) -> list[augment.Paragraph]:
    """The technical text, cleaned, in the order of its documents."""
    with opened(path) as lines:
        rows = [json.loads(line) for line in lines]
    return [augment.Paragraph(document=f"{row['source']}/{row['path']}", text=clean(row["text"])) for row in rows]


def unlabelled(abstracts: Iterator[str], chance: random.Random) -> Iterator[Pair]:
    """A sentence of an abstract beside the abstract without it, and beside another one; the teacher says what they are."""
    before: list[str] = []
    for number, text in enumerate(abstracts):
        parts = sentences(clean(text))
        if len(parts) < 3:
            continue
        at = chance.randrange(len(parts))
        if 6 <= len(words(parts[at])) <= 40:
            rest = " ".join(parts[:at] + parts[at + 1 :])
            yield _unlabelled(parts[at], rest, number)
            if before:
                yield _unlabelled(chance.choice(before), " ".join(parts), number)
        before = parts


def _unlabelled(claim: str, evidence: str, number: int) -> Pair:
    return Pair(claim=claim, evidence=evidence, label="unresolved", source="abstracts", group=f"abstract-{number}")


def _abstracts(retrieval: Path) -> Iterator[str]:
    for path in sorted(retrieval.glob("*/corpus.jsonl.gz")):
        with opened(path) as lines:
            yield from (json.loads(line)["text"] for line in lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="the folder shared/data")
    parser.add_argument("--work", type=Path, required=True)
    given = parser.parse_args()
    data, made = given.data, given.work / "data"
    train = [pair for path in sorted((data / "claims/train").glob("*.gz")) for pair in labelled(path)]
    random.Random(SEED).shuffle(train)
    _told(made / "train.jsonl", train)
    for name in _DEV:
        _told(made / "dev" / f"{name}.jsonl", list(labelled(data / "claims/dev" / f"{name}.jsonl")))
    for name in _FINAL:
        _told(made / "final" / f"{name}.jsonl", list(labelled(data / "claims/dev" / f"{name}.jsonl")))
    claims = list(flask(data / "flask-eval/claims_open.jsonl"))
    _told(made / "dev/flask_open_half.jsonl", [pair for pair in claims if in_open_half(pair)])
    _told(made / "final/flask_open.jsonl", claims)

    text = paragraphs(data / "text/technical-docs.jsonl.gz")
    documents = sorted({paragraph.document for paragraph in text})
    held_out = set(documents[::_HELD_OUT_EVERY])
    for name, theirs in (("edits.jsonl", False), ("dev/edits_dev.jsonl", True)):
        part = [paragraph for paragraph in text if (paragraph.document in held_out) == theirs]
        edits = list(augment.minimal_pairs(part, random.Random(SEED)))
        random.Random(SEED).shuffle(edits)
        _told(made / name, edits)
    _told(made / "unlabelled.jsonl", list(unlabelled(_abstracts(data / "retrieval"), random.Random(SEED))))


def _told(path: Path, pairs: list[Pair]) -> None:
    print(write(path, pairs), path.name, dict(Counter(pair.label for pair in pairs)))


if __name__ == "__main__":
    main()
