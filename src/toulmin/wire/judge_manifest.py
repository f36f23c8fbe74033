"""The manifest of a local judge (`toulmin.judge/1`): what stands beside its files, and the words that settings share with it."""

from __future__ import annotations

import re
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from toulmin.wire import strict_json
from toulmin.wire.model import Strict, read
from toulmin.wire.scalars import Count, Identifier, Score, Words, choice, fault

SCHEMA = "toulmin.judge/1"

Kind = Literal["supported", "contradicted", "unresolved"]
KINDS: tuple[Kind, ...] = ("supported", "contradicted", "unresolved")

_SHA256 = re.compile("[0-9a-f]{64}")


def _sha256(value: str) -> str:
    if not _SHA256.fullmatch(value):
        raise fault("wrong_type", "this is no SHA-256", "write the 64 hex digits that `sha256sum FILE` prints")
    return value


def _each_once(labels: tuple[Kind, ...]) -> tuple[Kind, ...]:
    if sorted(labels) != sorted(KINDS):
        advice = f"name each of {', '.join(KINDS)} once, in the order of the model's outputs"
        raise fault("bad_labels", "the labels are not the three classes", advice)
    return labels


First = Literal["evidence", "claim"]
"""Which of the two texts a model reads first."""

FIRSTS: tuple[First, ...] = ("evidence", "claim")

Sha256 = Annotated[Words, AfterValidator(_sha256)]
Labels = Annotated[tuple[Annotated[Kind, choice(*KINDS)], ...], AfterValidator(_each_once)]
"""The three classes in the order of a model's outputs."""


class Rate(Strict):
    """A share with its 95 % interval."""

    value: Score
    low: Score
    high: Score


class Worth(Strict):
    """What the model was measured to be worth beside the oracles: on which labelled claims, with `supported` from which threshold on."""

    on: Words
    claims: Count
    supported: Score
    unsupported_claim_rate: Rate
    false_rejection_rate: Rate


class Manifest(Strict):
    """What a model is: its name and version, the order of its outputs, how many tokens it reads at most, the SHA-256 of its files by name.

    `first`: which text it reads first; premise and hypothesis are evidence and claim. `languages` are those that it judges, as first parts of BCP 47 tags; none: it does not say.
    `worth`: what it was measured to be worth, where it was.
    """

    version_of_form: Annotated[str, choice(SCHEMA)] = Field(alias="schema")
    name: Identifier
    version: Identifier
    labels: Labels
    max_tokens: Count
    first: Annotated[First, choice(*FIRSTS)] = "evidence"
    languages: tuple[Identifier, ...] = ()
    sha256: dict[Identifier, Sha256]
    worth: Worth | None = None


def read_manifest(data: bytes, source: str) -> Manifest:
    """The manifest that a `manifest.json` states; raises `InputError` with file and key path."""
    return read(Manifest, strict_json.parse(data, source), source)
