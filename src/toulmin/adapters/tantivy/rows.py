"""Rows: what the index holds for a passage, and the query that finds it.

Beside the passages there is one marker: a row without words whose `sequence` and `mark` say how far the index has come, and in whose
history. It is replaced in the commit of the changes that it counts.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import lru_cache

from tantivy import Document, FieldType, Occur, Query, Schema, SchemaBuilder

from toulmin.adapters.tantivy.words import ANALYZER, Word, of_passage, reading_of
from toulmin.domain.corpus.document import Passage, Standing
from toulmin.domain.corpus.validity import FOREVER, microseconds
from toulmin.domain.errors import StoreFault
from toulmin.domain.question.eligibility import Filter
from toulmin.ports.store import Change, Changes, PassageKey

_ORDINAL_BITS = 20
_MAX_ORDINAL = 2**_ORDINAL_BITS - 1
_MAX_REVISION = 2 ** (63 - _ORDINAL_BITS) - 1

READING = "reading"
"""The field that says how a passage's words were read: by which language's stemmer."""

_MARKER = _MAX_REVISION + 1
"""The revision number of the marker: one that no revision has."""

SHARES = {"body": 1.0, "context": 0.4}
"""How much a word counts in the passage, and in its title or headings: these stand above many passages. Of 0.2, 0.4, 0.7 and 1 the one that does
well on the Flask questions, SciFact and Cranfield alike; at 1, headings crowd out passages that hold the answer."""

_REMEMBERED = 64
"""Clauses of filters: a case's eligible scopes are the same set from one search to the next."""

_FEW = 16
"""Up to so many values are cheaper as a union of terms, which skips; more, as a set, which is read into one bitmap."""


def _schema() -> Schema:
    """The fields of a row. No text is stored; times and runs of scopes are read as columns, the rest is looked up."""
    builder = SchemaBuilder()
    for field in SHARES:
        builder.add_text_field(field, tokenizer_name=ANALYZER, index_option="freq")
    for field in ("readers", READING):
        builder.add_text_field(field, tokenizer_name="raw", index_option="basic")
    builder.add_unsigned_field("scope", indexed=True, fast=True)
    builder.add_unsigned_field("revision", indexed=True)
    builder.add_integer_field("valid_from", fast=True)
    builder.add_integer_field("valid_to", fast=True)
    builder.add_unsigned_field("key", indexed=True, fast=True)
    builder.add_unsigned_field("sequence", fast=True)
    builder.add_unsigned_field("mark", fast=True)
    return builder.build()


SCHEMA = _schema()


def of_changes(changes: Changes) -> Iterator[Document]:
    """The rows to add for changes: the passages of each revision, and the marker of what they reach."""
    for change in changes.changes:
        yield from _passages(change)
    yield Document.from_dict({"revision": _MARKER, "sequence": changes.sequence, "mark": changes.mark}, SCHEMA)


def replaced_query(changes: Changes) -> Query:
    """The rows that `of_changes` replaces, for a deletion by query: one by term deletes nothing in a field of unsigned numbers (0.27)."""
    return Query.term_set_query(SCHEMA, "revision", [_MARKER, *(change.revision for change in changes.changes)])


def marker_query() -> Query:
    """The marker, where there is one."""
    return Query.term_query(SCHEMA, "revision", _MARKER)


def passages_query() -> Query:
    """Every passage."""
    return Query.boolean_query([(Occur.Must, Query.all_query()), (Occur.MustNot, marker_query())])


def held_query(keys: Collection[PassageKey]) -> Query:
    """The passages with these keys, which may not be empty; silent."""
    return _any_of("key", frozenset(map(pack, keys)))


def scored_query(words: Collection[Word], keys: Collection[PassageKey]) -> Query:
    """The passages with these keys, scored by those of the words that they have; neither may be empty."""
    return Query.boolean_query([(Occur.Must, held_query(keys)), (Occur.Should, text_query(words))])


def _passages(change: Change) -> Iterator[Document]:
    standing = change.standing
    if standing is None:
        return
    reading = reading_of(standing.descriptor.language)
    shared = {
        "readers": list(standing.descriptor.readers),
        "scope": change.scope,
        "revision": change.revision,
        READING: reading,
        "valid_from": microseconds(standing.validity.start),
        "valid_to": microseconds(standing.validity.end) if standing.validity.end else FOREVER,
    }
    for ordinal, (passage, text) in enumerate(change.passages):
        words = {"body": of_passage(text, reading), "context": of_passage(_context(standing, passage), reading)}
        yield Document.from_dict({**shared, **words, "key": pack(PassageKey(change.revision, ordinal))}, SCHEMA)


def _context(standing: Standing, passage: Passage) -> str:
    """Title and heading path; mostly the outermost heading is the title, which then counts once."""
    return " ".join(dict.fromkeys((standing.descriptor.title or "", *passage.heading)))


def pack(key: PassageKey) -> int:
    """A passage key as one number that sorts as the key does; raises `StoreFault` for one that does not fit."""
    if key.ordinal > _MAX_ORDINAL or key.revision > _MAX_REVISION:
        raise StoreFault(
            "index_limit",
            f"{key} is beyond what the index can number",
            remedy=f"split documents of more than {_MAX_ORDINAL + 1} passages",
        )
    return key.revision << _ORDINAL_BITS | key.ordinal


def unpack(number: int) -> PassageKey:
    """The passage key that `pack` made the number of."""
    return PassageKey(number >> _ORDINAL_BITS, number & _MAX_ORDINAL)


def query(words: Collection[Word], wanted: Filter) -> Query:
    """Passages with any of the words, scored by BM25, of those that the filter lets through.

    Built from terms, never parsed: what would be an operator in a query language is a word or nothing. The filter's clauses score 0, so
    that it changes no score. Neither words nor the filter may be empty.
    """
    at = microseconds(wanted.at)
    scopes = _of_scopes(wanted.scopes)
    return scopes.and_must_match(  # every other way to say so copies a set of scopes more often
        text_query(words),
        _any_of("readers", wanted.readers),
        _silent(Query.range_query(SCHEMA, "valid_from", FieldType.Integer, upper_bound=at)),
        _silent(Query.range_query(SCHEMA, "valid_to", FieldType.Integer, lower_bound=at, include_lower=False)),
    )


def _silent(clause: Query) -> Query:
    """The same clause, adding nothing to a score."""
    return Query.const_score_query(clause, 0.0)


def text_query(words: Collection[Word]) -> Query:
    """Passages with any of the words, scored by BM25, each word by its weight."""
    clauses = [_word(field, word, share * word.weight) for field, share in SHARES.items() for word in words]
    return Query.boolean_query([(Occur.Should, clause) for clause in clauses])


def _word(field: str, word: Word, share: float) -> Query:
    """A word in a field; of its stems the one counts that scores best, so that languages which cut it differently do not count it twice."""
    stems = [Query.term_query(SCHEMA, field, stem, index_option="freq") for stem in word.stems]
    one = stems[0] if len(stems) == 1 else Query.disjunction_max_query(stems)
    return one if share == 1 else Query.boost_query(one, share)


@lru_cache(maxsize=_REMEMBERED)
def _of_scopes(keys: frozenset[int]) -> Query:
    """The rows of any of the scopes, silent.

    Scopes without a gap between their keys, such as all that there are, are one range, which is read from a column only where the text
    matches; a set is read whole before that, and costs more than all the rest of a search.
    """
    first, last = min(keys), max(keys)
    if len(keys) > _FEW and last - first < len(keys):
        return _silent(Query.range_query(SCHEMA, "scope", FieldType.Unsigned, first, last))
    return _any_of("scope", keys)


@lru_cache(maxsize=_REMEMBERED)
def _any_of(field: str, values: frozenset[int] | frozenset[str]) -> Query:
    """The rows with any of the values, silent. Remembered: to write ten thousand scopes into a query takes longer than to answer it."""
    if len(values) > _FEW:
        return _silent(Query.term_set_query(SCHEMA, field, list(values)))
    terms = (Query.term_query(SCHEMA, field, value, index_option="basic") for value in values)
    return _silent(Query.boolean_query([(Occur.Should, term) for term in terms]))
