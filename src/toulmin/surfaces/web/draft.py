"""Edits of descriptors as forms: what is stated of a version so far, with words that were attached and let go again, nothing of it saved."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, tzinfo
from hashlib import sha256
from typing import Annotated, Final, Literal

from toulmin.application.curating import Curatable, Edit
from toulmin.application.describing import described
from toulmin.domain.corpus.document import Span
from toulmin.domain.corpus.metadata import CuratedQuote, Metadata, stated_metadata
from toulmin.domain.corpus.scope import Scope
from toulmin.domain.corpus.selector import selector
from toulmin.domain.corpus.text import same_words
from toulmin.domain.corpus.validity import instant_text
from toulmin.domain.errors import InputError
from toulmin.domain.question.contract import Contract
from toulmin.surfaces.web.scopes import scope_text, stated_scope
from toulmin.wire import strict_json
from toulmin.wire.metadata import read_metadata
from toulmin.wire.model import Strict
from toulmin.wire.node import node_of
from toulmin.wire.scalars import Identifier, Text, Whole, choice, not_below

FORM: Final = "form"

Offset = Annotated[Whole, not_below(0)]
"""A place in a text, in code points, as a form sends it."""

_TEXTS: Final = ("title", "author", "language", "source_type", "egress")
_INSTANTS: Final = ("valid_from", "valid_to")
_LISTS: Final = ("readers", "scope")


class CurationForm(Strict):
    """What the form sends.

    `kept` is what a draft holds that no field shows; `seen` the digest of what was last previewed; `here` the place from which the text is
    shown, unless another one is wanted (`offset`). Words are attached that stand from `start` to `end`, or by the `quote` alone.
    """

    version: Identifier
    replaces: Identifier
    kept: Text
    act: Annotated[Literal["attach", "preview", "save"], choice("attach", "preview", "save")] | None = None
    seen: Text = ""
    here: Offset = 0
    offset: Offset | None = None
    title: Text | None = None
    author: Text | None = None
    language: Text | None = None
    source_type: Text | None = None
    egress: Text | None = None
    valid_from: Text | None = None
    valid_to: Text | None = None
    readers: Text | None = None
    scope: Text | None = None
    quote: Text | None = None
    prefix: Text | None = None
    suffix: Text | None = None
    start: Offset | None = None
    end: Offset | None = None
    fact: Identifier | None = None
    id: Identifier | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """An edit that is being made: fields as they were entered, the curated quotes, and the versions that it supersedes.

    `replaces` is the digest of the descriptor that it was begun from.
    """

    replaces: str
    fields: Mapping[str, str]
    quotes: tuple[CuratedQuote, ...]
    supersedes: tuple[str, ...] | None

    @classmethod
    def of(cls, known: Curatable) -> Draft:
        """The draft that states what there is."""
        metadata = known.metadata
        texts = {name: getattr(metadata, name) for name in _TEXTS}
        instants = {name: getattr(metadata, name) for name in _INSTANTS}
        return cls(
            replaces=known.standing.descriptor.digest,
            fields={
                **{name: str(value) for name, value in texts.items() if value},
                **{name: instant_text(at) for name, at in instants.items() if at},
                "readers": " ".join(metadata.readers or ()),
                "scope": scope_text(metadata.scope or Scope()),
            },
            quotes=metadata.spans or (),
            supersedes=metadata.supersedes,
        )

    @classmethod
    def sent(cls, form: CurationForm, removed: Collection[int]) -> Draft:
        """The draft that a form states, without the quotes at the places that were ticked. Raises `InputError` for what no page of ours sends."""
        kept = read_metadata(strict_json.parse(form.kept, FORM, line=None), FORM, UTC)
        return cls(
            replaces=form.replaces,
            fields={name: value for name in (*_TEXTS, *_INSTANTS, *_LISTS) if (value := getattr(form, name))},
            quotes=tuple(quote for place, quote in enumerate(kept.spans or ()) if place not in removed),
            supersedes=kept.supersedes,
        )

    @property
    def kept(self) -> str:
        """What no field shows, as JSON."""
        return json.dumps({"spans": self._spans, "supersedes": self.supersedes}, ensure_ascii=False)

    @property
    def _spans(self) -> list[dict[str, str | None]]:
        return [
            {"id": each.id, "fact": each.fact, "quote": each.quote, "prefix": each.prefix, "suffix": each.suffix}
            for each in self.quotes
        ]

    def metadata(self, zone: tzinfo) -> Metadata:
        """What the draft states, every key of it. Raises `InputError` with the field that is wrong."""
        stated = {
            **{name: self.fields.get(name) for name in (*_TEXTS, *_INSTANTS)},
            "egress": self.fields.get("egress", "any"),
            "readers": self.fields.get("readers", "").replace(",", " ").split(),
            "scope": stated_scope(self.fields.get("scope", "")),
            "supersedes": self.supersedes,
            "spans": self._spans,
        }
        return read_metadata(node_of(stated, FORM), FORM, zone)

    def edit(self, known: Curatable, zone: tzinfo) -> Edit:
        """The edit that it comes to."""
        return Edit(revision=known.standing.id, metadata=self.metadata(zone), replaces=self.replaces)

    def placed(self, known: Curatable) -> tuple[tuple[CuratedQuote, Span], ...]:
        """The quotes, each with its place in the text, in the order of the text. Raises `InputError` for one that has not one place."""
        alone = stated_metadata({"spans": self.quotes})
        descriptor = described(alone, known.revision.text, body=known.body, where=FORM)
        quotes = {quote.id: quote for quote in self.quotes}
        return tuple((quotes[span.id], span) for span in descriptor.spans)

    def attached(self, form: CurationForm, known: Curatable, contracts: Sequence[Contract]) -> Draft:
        """The draft with the words of the form attached to a fact; as it is, where the form has none.

        Raises `InputError` for words that have not one place in the text, and where it is not said, and not plain, which fact they are for.
        """
        if form.quote is None:
            return self
        words = _selected(form, known) or CuratedQuote(
            id="", fact="", quote=form.quote, prefix=form.prefix, suffix=form.suffix
        )
        quote = replace(words, id=form.id or self._free_id(), fact=form.fact or _fact_of(words.quote, contracts))
        if quote.id in {each.id for each in self.quotes}:
            message, advice = f"a span is called {quote.id} already", "give another name, or remove that span first"
            raise InputError("duplicate_span", message, where="id", remedy=advice)
        more = replace(self, quotes=(*self.quotes, quote))
        more.placed(known)
        return more

    def _free_id(self) -> str:
        taken = {quote.id for quote in self.quotes}
        return next(name for number in range(1, len(taken) + 2) if (name := f"s{number}") not in taken)


def digest_of(metadata: Metadata) -> str:
    """A name for what is stated, to be told again from what was previewed."""
    return sha256(metadata.canonical.encode()).hexdigest()


def stating(words: str, contracts: Sequence[Contract]) -> Iterator[tuple[str, str]]:
    """The contracts and facts whose proposition the words are."""
    for contract in contracts:
        for fact in contract.facts:
            if same_words(words, fact.proposition):
                yield contract.id, fact.id


def _selected(form: CurationForm, known: Curatable) -> CuratedQuote | None:
    """The words at the place that a script says; None where it says none. Raises `InputError` where the form shows other words than those."""
    if form.start is None or form.end is None:
        return None
    found = selector(known.revision.text, form.start, form.end, body=known.body)
    if found is None:
        message, advice = "no words of the document's own were selected", "select words below its front matter"
        raise InputError("bad_range", message, where="quote", remedy=advice)
    if not same_words(found.quote, form.quote or ""):
        message, advice = "other words stand at the place that was selected", "select them again"
        raise InputError("bad_range", message, where="quote", remedy=advice)
    return CuratedQuote(id="", fact="", quote=found.quote, prefix=found.prefix, suffix=found.suffix)


def _fact_of(words: str, contracts: Sequence[Contract]) -> str:
    """The one fact whose proposition the words are."""
    facts = sorted({fact for _, fact in stating(words, contracts)})
    if len(facts) != 1:
        message = (
            f"the words are the proposition of {', '.join(facts)}" if facts else "the words are no fact's proposition"
        )
        raise InputError("missing_key", message, where="fact", remedy="say which fact they are for")
    return facts[0]
