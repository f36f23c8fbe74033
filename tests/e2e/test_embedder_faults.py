"""What the commands say where an embedder does not answer: nothing is lost, and nothing goes on in silence."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.cli import called
from toulmin.testing.embeddings import DIMENSION
from toulmin.testing.provider import Provider

SETTINGS = '[open_question]\nmode = "cited"\n[embedder]\nkind = "openai"\ndimension = {dimension}\nbase_url = "{url}"\n'


@pytest.fixture
def provider() -> Iterator[Provider]:
    with Provider() as server:
        yield server


@pytest.fixture
def workspace(tmp_path: Path, provider: Provider) -> Path:
    """Two documents that are not ingested yet."""
    (tmp_path / "toulmin.toml").write_text(SETTINGS.format(dimension=DIMENSION, url=provider.base_url))
    (tmp_path / "contracts").mkdir()
    (tmp_path / "documents").mkdir()
    for name, text in {"gate": "The gate code is 4410.", "pump": "The pump stops at night."}.items():
        (tmp_path / "documents" / f"{name}.txt").write_text(text)
    return tmp_path


def test_an_ingest_keeps_the_documents_and_says_what_has_no_vectors(workspace: Path, provider: Provider) -> None:
    provider.script("http_401")
    run = called("ingest", "documents", "--readers", "public", "--json", at=workspace)
    assert (run.code, [file["outcome"] for file in run.json["files"]]) == (0, ["ingested", "ingested"])
    assert "note: 2 passages without vectors yet" in run.err
    embedding = called("index", "embed", "--json", at=workspace)
    assert embedding.code != 0
    assert embedding.json["schema"] == "toulmin.error/1"

    provider.script("ok")
    found = called("search", "gate code", at=workspace)  # so little is brought up by any command
    assert (found.code, found.err) == (0, "")


def test_a_search_and_a_question_go_on_by_words_and_say_so(workspace: Path, provider: Provider) -> None:
    assert called("ingest", "documents", "--readers", "public", at=workspace).code == 0
    provider.script("http_401")
    found = called("search", "the gate code", "--json", at=workspace)
    assert found.code == 0
    assert found.json["results"][0]["document"] == "gate.txt"
    assert "note: found by words alone" in found.err
    asked = called("ask", "--text", "the gate code", "--json", at=workspace)
    assert asked.json["outcome"] == "SearchOnly"
    assert "note: found by words alone" in asked.err
    kept = called("packet", "show", asked.json["packet"]["id"], "--json", at=workspace)
    assert '"left_out"' in kept.out
