"""`toulmin index embed`, and what the other commands say of vectors, with the model that the extra `models` brings."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.cli import called
from toulmin.surfaces.wiring import has_local_embedder

pytestmark = pytest.mark.skipif(not has_local_embedder(), reason="the extra models is not installed")

EMBEDDER = '\n[embedder]\nkind = "onnx"\n'


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """The sample, ingested, without an embedder."""
    assert called("init", "workspace", at=tmp_path).code == 0
    folder = tmp_path / "workspace"
    settings = (folder / "toulmin.toml").read_text()
    assert "[embedder]" in settings  # init sets the model that is installed
    (folder / "toulmin.toml").write_text(settings.partition("[embedder]")[0])
    assert called("ingest", "documents", at=folder).code == 0
    return folder


def test_without_an_embedder_index_embed_says_what_to_write(workspace: Path) -> None:
    run = called("index", "embed", at=workspace)
    assert run.code == 2
    assert "[embedder]" in run.err


def test_vectors_are_made_doctor_tells_of_them_and_meaning_finds(workspace: Path) -> None:
    with (workspace / "toulmin.toml").open("a") as settings:
        settings.write(EMBEDDER)
    doctor = called("doctor", "--json", at=workspace)
    checks = {check["name"]: check for check in doctor.json["checks"]}
    assert checks["embedder"]["facts"]["profile"].startswith("cosine/all-MiniLM-L6-v2")
    assert (checks["vectors lag"]["grade"], checks["vectors lag"]["remedy"]) == ("warning", "toulmin index embed")

    run = called("index", "embed", "--json", at=workspace)
    assert (run.code, run.json) == (0, {"schema": "toulmin.index/1", "sequence": 6})
    doctor = called("doctor", "--json", at=workspace)
    checks = {check["name"]: check for check in doctor.json["checks"]}
    assert [checks[f"vectors{what}"]["grade"] for what in ("", " lag", " drift")] == ["well"] * 3

    words = ("search", "gadgets go silent when the link comes back", "--case", "model=G2", "--case", "firmware=2.4.1")
    found = called(*words, "--json", at=workspace)
    assert (found.code, found.err) == (0, "")
    assert found.json["results"][0]["document"] == "GW-241"
    assert all(0 < item["score"] <= 1 for item in found.json["results"])


def test_what_has_no_vectors_yet_is_said_once_it_is_much(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with (workspace / "toulmin.toml").open("a") as settings:
        settings.write(EMBEDDER)
    monkeypatch.setattr("toulmin.application.catchup.EMBEDDED", 5)
    run = called("search", "telemetry", at=workspace)
    assert run.code == 0
    assert "6 passages without vectors yet" in run.err
    assert "toulmin index embed" in run.err
