"""What ingest costs: the Flask documentation in seven versions, the sample PDFs and EPUBs, and synthetic passages; then the same again, unchanged.

Peers that install here do the same work on the same files in the same run, each in an environment of its own; see PEERS below.
Usage: ingest.py [--passages N] [--no-peers] [--model]
--model: only the Flask documentation, searched by words alone and with the vectors of the model that the extra `models` brings; passages that
say the same share one.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from common import Words, report, say

from toulmin import Workspace
from toulmin.application.ingest import FileReport
from toulmin.domain.corpus.metadata import stated_metadata
from toulmin.domain.corpus.scope import Scope
from toulmin.ports.source import Entry

_DATA = Path(__file__).parents[1] / ".." / "shared" / "data"
_VERSIONS = ("1.1.4", "2.0.3", "2.1.3", "2.2.5", "2.3.3", "3.0.3", "3.1.2")
_RUNS = 3
_SETTINGS = '[eligibility.default]\nrules = { flask = "version_in" }\nmissing = ["flask"]\n'
_KINDS = {"flask docs, by words": "", "flask docs, by words and meaning": '[embedder]\nkind = "onnx"\n'}
_PARAGRAPHS_PER_FILE = 100
_PEER_PYTHON = "import sys, time\nfrom pathlib import Path\nfolders = [Path(p) for p in sys.argv[1:]]\n"
PEERS = {
    "llama-index + its local store": (
        ["llama-index-core", "llama-index-retrievers-bm25"],
        _PEER_PYTHON
        + """
from llama_index.core import Document
from llama_index.core.node_parser import SentenceSplitter
from llama_index.core.storage.docstore import SimpleDocumentStore
from llama_index.retrievers.bm25 import BM25Retriever
start = time.perf_counter()
files = [f for folder in folders for f in sorted(folder.rglob("*")) if f.suffix in (".rst", ".txt")]
documents = [Document(text=f.read_text(errors="replace"), doc_id=str(f)) for f in files]
nodes = SentenceSplitter(chunk_size=256, chunk_overlap=0).get_nodes_from_documents(documents)
store = SimpleDocumentStore()
store.add_documents(nodes)
store.persist("store.json")
BM25Retriever.from_defaults(nodes=nodes, similarity_top_k=5).persist("bm25")
print(time.perf_counter() - start, len(files), len(nodes))
""",
    ),
}
"""Name -> (packages, program that ingests the folders given to it and prints seconds, files, passages)."""


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--passages", type=int, default=200_000)
    options.add_argument("--no-peers", action="store_true")
    options.add_argument("--model", action="store_true")
    chosen = options.parse_args()
    rows: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        flask = [_DATA / "flask-docs" / version for version in _VERSIONS]
        if chosen.model:
            rows = [_ours(name, flask, work, runs=1, more=more) for name, more in _KINDS.items()]
            report("ingest-model", rows)
            return
        synthetic = _synthetic(work / "synthetic", chosen.passages)
        for name, folders in {
            "flask docs, 7 versions": flask,
            "sample PDFs and EPUBs": [_DATA / "pdf", _DATA / "epub"],
            f"{chosen.passages} synthetic passages": [synthetic],
        }.items():
            if all(place.is_dir() for place in folders):
                rows.append(_ours(name, folders, work, runs=1 if synthetic in folders else _RUNS))
        if not chosen.no_peers:
            rows += [row for peer in PEERS if (row := _peer(peer, flask, work)) is not None]
    report("ingest", rows, runs=_RUNS)


def _synthetic(folder: Path, passages: int) -> Path:
    """Text files of 100 paragraphs of 180 words each: every paragraph is a passage of its own."""
    words = Words()
    folder.mkdir()
    for number in range(passages // _PARAGRAPHS_PER_FILE):
        text = "\n\n".join(words.passage(180) for _ in range(_PARAGRAPHS_PER_FILE))
        (folder / f"{number}.txt").write_text(text, encoding="utf-8")
    return folder


def _ours(name: str, folders: Sequence[Path], work: Path, *, runs: int, more: str = "") -> dict[str, Any]:
    """Through the public facade, from the first file to a durable corpus with its index caught up; best of the runs."""
    first, again = [], []
    for run in range(runs):
        desk = work / f"{name}-{run}"
        desk.mkdir()
        (desk / "toulmin.toml").write_text(_SETTINGS + more, encoding="utf-8")
        with Workspace.open(desk) as place:
            seconds, reports = _ingest(place, folders)
            first.append(seconds)
            again.append(_ingest(place, folders)[0])
        say(f"  {name}: {first[-1]:.2f} s, again {again[-1]:.3f} s")
    best, repeated = min(first), min(again)
    passages = sum(report.passages for report in reports)
    return {
        "what": name,
        "by": "toulmin",
        "files": sum(report.fault is None for report in reports),
        "passages": passages,
        "first s": best,
        "again s": repeated,
        "first / again": best / repeated,
        "passages/s": passages / best,
    }


def _ingest(place: Workspace, folders: Sequence[Path]) -> tuple[float, list[FileReport]]:
    start = time.perf_counter()
    reports = []
    for folder in folders:
        stated: dict[str, Any] = {"readers": ("public",)}
        if folder.name in _VERSIONS:
            stated |= {"scope": Scope.of({"flask": folder.name}), "version": folder.name}
        entries = place.entries([folder], options=stated_metadata(stated))
        reports += place.ingest(entry for entry in entries if isinstance(entry, Entry))
    return time.perf_counter() - start, reports


def _peer(name: str, folders: Sequence[Path], work: Path) -> dict[str, Any] | None:
    """A peer over the same text files, lexical only; None where it does not install here."""
    packages, program = PEERS[name]
    place = work / name.replace(" ", "-")
    try:
        subprocess.run([sys.executable, "-m", "venv", place], check=True, capture_output=True)
        python = place / "bin" / "python"
        subprocess.run([python, "-m", "pip", "install", "-q", *packages], check=True, capture_output=True, timeout=600)
        taken = []
        for _ in range(_RUNS):
            ran = subprocess.run(
                [python, "-c", program, *folders], cwd=place, capture_output=True, text=True, check=True, timeout=600
            )
            taken.append(ran.stdout.split()[-3:])
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as fault:
        say(f"  {name} does not run here: {str(getattr(fault, 'stderr', '') or fault)[-300:]}")
        return None
    seconds = min(float(item[0]) for item in taken)
    passages = int(taken[0][2])
    return {
        "what": "flask docs, 7 versions",
        "by": name,
        "files": int(taken[0][1]),
        "passages": passages,
        "first s": seconds,
        "again s": "-",
        "first / again": "-",
        "passages/s": passages / seconds,
    }


if __name__ == "__main__":
    main()
