"""Random plain inputs of digests, in the shape of `digest_vectors.json`."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta, timezone

from hypothesis import strategies as st

from tests.golden.second_digests import Plain

EXACT = 2**53 - 1
"""The largest integer up to which every one is a double of its own."""

LETTERS = st.one_of(st.sampled_from("aAzé🜁\uffee\ufb33<>=,*"), st.characters(categories=["L", "N", "P", "S"]))
WORDS = st.text(LETTERS, min_size=1, max_size=8)
TEXTS = st.text(max_size=20)
NAMES = st.from_regex(r"[a-zA-Z_][a-zA-Z0-9_.-]{0,5}", fullmatch=True)
VERSIONS = st.from_regex(r"[0-9A-Za-z][0-9A-Za-z.+!_-]{0,5}", fullmatch=True)
NUMBERS = st.one_of(st.integers(-EXACT, EXACT), st.floats(allow_nan=False, allow_infinity=False))


def clauses() -> st.SearchStrategy[str]:
    operators = st.sampled_from(["===", "==", "!=", "~=", ">=", "<=", ">", "<"])
    clause = st.tuples(st.sampled_from(["", " "]), operators, st.sampled_from(["", " "]), VERSIONS).map("".join)
    return st.lists(clause, min_size=1, max_size=3).map(",".join)


def scopes() -> st.SearchStrategy[dict[str, object]]:
    items = st.one_of(WORDS, clauses()).filter(lambda text: text != "*")
    stated = st.one_of(st.just("*"), items, st.lists(items, min_size=1, max_size=4))
    return st.dictionaries(NAMES, stated, max_size=3)


def reader_lists() -> st.SearchStrategy[list[str]]:
    tokens = ["public", "tenant:acme", "tenant:ж", "tenant:🜁", "tenant:\uffee", "group:acme/a", "group:acme/B"]
    return st.lists(st.sampled_from(tokens), max_size=5)


def values() -> st.SearchStrategy[Plain]:
    zones = st.integers(-14, 14).map(lambda hours: timezone(timedelta(hours=hours)))
    by_type: Mapping[str, st.SearchStrategy[object]] = {
        "string": WORDS,
        "version": VERSIONS,
        "boolean": st.booleans(),
        "number": NUMBERS,
        "date": st.dates().map(str),
        "instant": st.datetimes(timezones=zones).filter(lambda t: 1 < t.year < 9999).map(lambda t: t.isoformat()),
    }
    return st.one_of([st.fixed_dictionaries({"type": st.just(name), "value": each}) for name, each in by_type.items()])


def span_lists(text: str, ids: st.SearchStrategy[str]) -> st.SearchStrategy[list[Plain]]:
    places = st.tuples(st.integers(0, len(text)), st.integers(0, len(text))).map(sorted)
    parts = st.tuples(places, ids, st.none() | WORDS)
    spans = parts.map(lambda it: {"start": it[0][0], "end": it[0][1], "id": it[1], "fact": it[2]})
    return st.lists(spans, max_size=4, unique_by=lambda span: span["id"])


def passage_lists(text: str) -> st.SearchStrategy[list[Plain]]:
    places = st.tuples(st.integers(0, len(text)), st.integers(0, len(text))).map(lambda it: (min(it), max(it)))
    return st.lists(places, min_size=1, max_size=4, unique=True).map(
        lambda found: [{"start": start, "end": end, "id": f"p{start}-{end}"} for start, end in found]
    )


@st.composite
def descriptors(draw: st.DrawFn) -> Plain:
    instants = st.datetimes(timezones=st.just(timezone(timedelta(hours=1)))).filter(lambda t: t.year > 1)
    full = {
        "title": draw(TEXTS),
        "author": draw(WORDS),
        "language": draw(WORDS),
        "source_type": draw(WORDS),
        "egress": draw(st.sampled_from(["any", "local"])),
        "scope": draw(scopes()),
        "readers": draw(reader_lists()),
        "valid_from": draw(instants).isoformat(),
        "valid_to": draw(instants).isoformat(),
        "supersedes": draw(st.lists(WORDS, max_size=3)),
        "spans": draw(span_lists("x" * 200, WORDS)),
    }
    return {name: full[name] for name in draw(st.sets(st.sampled_from(sorted(full))))}


def rules() -> st.SearchStrategy[Plain]:
    levels = st.lists(WORDS, min_size=1, max_size=3, unique=True)
    return st.one_of(
        st.sampled_from([{"rule": "equals"}, {"rule": "one_of"}]),
        st.sampled_from(["dotted", "pep440"]).map(lambda scheme: {"rule": "version_in", "scheme": scheme}),
        levels.map(lambda ordered: {"rule": "at_least", "levels": ordered}),
    )


@st.composite
def contracts(draw: st.DrawFn) -> Plain:
    fields = st.fixed_dictionaries(
        {"type": st.sampled_from(["string", "version", "boolean", "number", "date", "instant"])},
        optional={"optional": st.booleans(), "trusted": st.booleans()},
    )
    schema = draw(st.dictionaries(NAMES, fields, min_size=1, max_size=4))
    named = st.sampled_from(sorted(schema))
    mode = draw(st.sampled_from(["licensed", "reviewed", "cited"]))
    fact = st.fixed_dictionaries(
        {"id": WORDS, "proposition": WORDS, "clause": WORDS}
        | ({"required": st.just(False)} if mode == "cited" else {}),
        optional={"applies": st.dictionaries(named, values(), max_size=2)}
        | ({"required": st.booleans()} if mode != "cited" else {}),
    )
    drafters = ["model", "template"] if mode == "licensed" else ["model"]
    return {
        "id": draw(WORDS),
        "version": draw(WORDS),
        "case": schema,
        "query": draw(WORDS),
        "k": draw(st.integers(1, 100)),
        "min_score": draw(st.floats(0, 1e9)),
        "eligibility": {
            "rules": draw(st.dictionaries(named, rules(), max_size=3)),
            "missing": draw(st.lists(WORDS, max_size=3)),
            "ignore": draw(st.lists(WORDS, max_size=3)),
        },
        "facts": draw(st.lists(fact, min_size=1 if mode == "licensed" else 0, max_size=3)),
        "answer": {"mode": mode, "drafter": draw(st.sampled_from(drafters))},
    }


@st.composite
def documents(draw: st.DrawFn, mode: str) -> Plain:
    text = draw(TEXTS)
    return {
        "id": draw(WORDS),
        "version": draw(WORDS),
        "scope": draw(scopes()),
        "readers": draw(reader_lists()),
        "text": text,
        "spans": draw(span_lists(text, WORDS) if mode == "licensed" else passage_lists(text)),
    }


@st.composite
def selected_evidence(draw: st.DrawFn) -> Plain:
    contract = draw(contracts())
    chosen = st.lists(documents(contract["answer"]["mode"]), max_size=3, unique_by=lambda it: (it["id"], it["version"]))
    return {
        "contract": contract,
        "question": draw(TEXTS),
        "case": draw(st.dictionaries(WORDS, values(), max_size=4)),
        "documents": draw(chosen),
    }


def corpora() -> st.SearchStrategy[list[Plain]]:
    described = st.fixed_dictionaries({}, optional={"title": TEXTS, "readers": reader_lists()})
    revision = st.fixed_dictionaries({"id": WORDS, "version": WORDS, "text": TEXTS, "descriptor": described})
    return st.lists(revision, max_size=4, unique_by=lambda it: (it["id"], it["version"]))


SCALARS = st.one_of(st.none(), st.booleans(), NUMBERS, TEXTS)
JSON = st.recursive(SCALARS, lambda inner: st.one_of(st.lists(inner), st.dictionaries(TEXTS, inner)), max_leaves=20)
BODIES = st.dictionaries(TEXTS, SCALARS | st.lists(SCALARS, max_size=3), max_size=5)


OPERATIONS = st.fixed_dictionaries(
    {"name": WORDS, "instance": TEXTS, "evidence": TEXTS, "policy": TEXTS, "answer": TEXTS},
    optional={"params": st.dictionaries(WORDS, TEXTS, max_size=4)},
)
