from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from toulmin.application.inputs import input_digest
from toulmin.domain.corpus.metadata import CuratedQuote, Metadata, stated_metadata
from toulmin.domain.corpus.scope import Scope
from toulmin.ports.source import Submitted

STATED = stated_metadata(
    {
        "id": "A",
        "author": None,
        "readers": ("public", "tenant:t"),
        "scope": Scope.of({"model": ("G1", "G2"), "firmware": ">=2"}),
        "valid_from": datetime(2026, 1, 1, tzinfo=UTC),
        "spans": (CuratedQuote(id="s", fact="f", quote="q", where="a.md.meta.yaml:3"),),
    }
)
OPTIONS = stated_metadata({"version": "1"})
SUBMITTED = Submitted(default_id="a.md", data=b"Pump.", before=(STATED,), after=(OPTIONS,))


def digest(submitted: Submitted = SUBMITTED, name: str = "a.md", zone: str = "UTC") -> str:
    return input_digest(name, submitted, ZoneInfo(zone))


def without(key: str) -> Metadata:
    return replace(STATED, stated=STATED.stated - {key})


def test_each_thing_that_an_ingest_depends_on_changes_the_digest() -> None:
    others = [
        digest(name="b.md"),
        digest(zone="Europe/Berlin"),
        digest(replace(SUBMITTED, data=b"Pump!")),
        digest(replace(SUBMITTED, default_id="b.md")),
        digest(replace(SUBMITTED, namesake="b/a.md")),
        digest(replace(SUBMITTED, before=(STATED, OPTIONS), after=())),
        digest(replace(SUBMITTED, before=(), after=(STATED, OPTIONS))),
        digest(replace(SUBMITTED, after=())),
        digest(replace(SUBMITTED, after=(OPTIONS, OPTIONS))),
        *(digest(replace(SUBMITTED, before=(without(key),))) for key in sorted(STATED.stated)),
        digest(replace(SUBMITTED, before=(replace(STATED, spans=(CuratedQuote(id="s", fact="f", quote="r"),)),))),
        digest(replace(SUBMITTED, before=(replace(STATED, readers=("public",)),))),
    ]
    assert len({digest(), *others}) == len(others) + 1


def test_the_line_on_which_a_span_stands_changes_nothing() -> None:
    moved = replace(STATED, spans=(CuratedQuote(id="s", fact="f", quote="q", where="a.md.meta.yaml:9"),))
    assert digest(replace(SUBMITTED, before=(moved,))) == digest()


def test_every_process_finds_the_same_digest() -> None:
    program = "from tests.unit.test_inputs import digest; print(digest())"
    found = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        for seed in ("1", "2")
    }
    assert found == {digest()}
