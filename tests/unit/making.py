"""Small made-up values for the tests of the pure rules: standings, passages, cases, contracts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from toulmin.domain.canonical import text_digest
from toulmin.domain.corpus.document import Descriptor, Passage, RevisionId, Span, Standing, Status
from toulmin.domain.corpus.validity import Validity
from toulmin.domain.evidence.ranking import Ranked
from toulmin.domain.evidence.selection import EvidenceSet, Quote, evidence_set
from toulmin.domain.question.case import Case, Kind, Value
from toulmin.domain.question.contract import CaseField, Contract, DrafterKind, Fact, Mode
from toulmin.domain.question.eligibility import Rule, RuleName, Rules
from toulmin.testing.builders import ALWAYS, NOW, descriptor


def standing(
    document: str = "DOC",
    version: str = "1",
    described: Descriptor | None = None,
    *,
    key: int = 1,
    text: str = "",
    validity: Validity = ALWAYS,
    superseded: bool = False,
    status: Status = Status.LIVE,
    ingested_at: datetime = NOW,
) -> Standing:
    return Standing(
        key=key,
        id=RevisionId(document, version),
        text_sha256=text_digest(text),
        bytes_sha256=text_digest(text),
        descriptor=described or descriptor(),
        validity=validity,
        superseded=superseded,
        status=status,
        since=1,
        ingested_at=ingested_at,
    )


def found(
    document: str,
    text: str = "",
    *,
    score: float = 1.0,
    version: str = "1",
    start: int = 0,
    heading: tuple[str, ...] = (),
) -> Ranked:
    """A passage that was found; without a text of its own, its words are its document's name."""
    words = text or document
    return Ranked(
        standing=standing(document, version),
        passage=Passage(start=start, end=start + len(words), heading=heading),
        text=words,
        score=score,
    )


def quote(words: str, *, span: str = "s1", label: str | None = None, start: int = 0) -> Quote:
    return Quote(span=Span(start=start, end=start + len(words), id=span, fact=label), words=words)


def closed(**sources: Sequence[Quote]) -> EvidenceSet:
    """The evidence set of documents named by keyword, each with its curated quotes."""
    quotes = {RevisionId(name, "1"): listed for name, listed in sources.items()}
    return evidence_set([found(name) for name in sources], quotes)


def case(**values: str | bool) -> Case:
    """A case of texts and truths."""
    return Case.of(
        {
            name: Value(Kind.BOOLEAN, str(value).lower()) if isinstance(value, bool) else Value(Kind.STRING, value)
            for name, value in values.items()
        }
    )


def rules(missing: Iterable[str] = (), ignore: Iterable[str] = (), **named: RuleName | Rule) -> Rules:
    """Rules by attribute."""
    full = tuple((name, rule if isinstance(rule, Rule) else Rule(name=rule)) for name, rule in named.items())
    return Rules(full, missing=frozenset(missing), ignore=frozenset(ignore))


def fact(
    name: str, proposition: str = "", *, required: bool = True, applies: Mapping[str, str | bool] | None = None
) -> Fact:
    """A fact whose proposition and clause are made of its name where they are not given."""
    return Fact(
        id=name,
        proposition=proposition or f"It is {name}.",
        clause=f"We say {name}.",
        required=required,
        applies=case(**(applies or {})).facts,
    )


def contract(
    *facts: Fact,
    judged: Rules | None = None,
    fields: Iterable[CaseField] = (),
    query: str = "words",
    k: int = 2,
    mode: Mode = Mode.LICENSED,
    min_score: float = 0.0,
) -> Contract:
    """A contract whose case has the fields given, and an optional text for every other attribute that a rule judges."""
    own = tuple(fields)
    known = {item.name for item in own}
    judged = judged or Rules()
    ruled = tuple(
        CaseField(name=name, kind=Kind.STRING, optional=True) for name in judged.attributes if name not in known
    )
    return Contract(
        id="made-up-v1",
        version="1",
        schema=(*own, *ruled),
        query=query,
        k=k,
        rules=judged,
        facts=facts,
        mode=mode,
        drafter=DrafterKind.TEMPLATE if mode is Mode.LICENSED else DrafterKind.MODEL,
        min_score=min_score,
    )
