"""How the questions of a real documentation end with a given model: the share of each outcome, and why there was no answer.

Usage: model.py BASE_URL [QUESTIONS]   (an OpenAI-compatible server, for instance of llama.cpp; default: 30 questions)
Every third question of `flask-eval/questions_open.jsonl` is asked in cited mode, under its own version.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from common import report, say

from toulmin import Answered, SearchOnly, Workspace
from toulmin.domain.corpus.metadata import stated_metadata
from toulmin.domain.corpus.scope import Scope
from toulmin.domain.outcome import NAMES, Outcome
from toulmin.ports.source import Entry

_DATA = Path(__file__).parents[1] / ".." / "shared" / "data"
_SETTINGS = """
[eligibility.default]
rules = {{ flask = "version_in" }}
[open_question]
mode = "cited"
[drafter]
kind = "openai"
base_url = "{base_url}"
model = "any"
[policy]
file = "policy.yaml"
"""
_POLICY = "version: small-model/1\npassages: 4\npassage_bytes: 2048\ncontext_bytes: 6144\noutput_tokens: 256\n"


def main() -> None:
    base_url, wanted = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 30
    lines = (_DATA / "flask-eval" / "questions_open.jsonl").read_text(encoding="utf-8").splitlines()
    questions = [json.loads(line) for line in lines[:: max(1, len(lines) // wanted)]][:wanted]
    ends: Counter[str] = Counter()
    start = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        desk = Path(folder)
        (desk / "toulmin.toml").write_text(_SETTINGS.format(base_url=base_url), encoding="utf-8")
        (desk / "policy.yaml").write_text(_POLICY, encoding="utf-8")
        with Workspace.open(desk) as place:
            _fill(place, {question["version"] for question in questions})
            for number, question in enumerate(questions, start=1):
                outcome = place.ask_text(question["question"], case={"flask": question["version"]})
                ends[_end(outcome)] += 1
                say(f"  {number}/{len(questions)} {_end(outcome)}")
    seconds = (time.perf_counter() - start) / len(questions)
    rows = [{"outcome": end, "questions": count, "share": count / len(questions)} for end, count in ends.most_common()]
    report("model", rows, notes=(f"{seconds:.1f} s a question",), questions=len(questions))


def _fill(place: Workspace, versions: set[str]) -> None:
    for version in sorted(versions):
        stated = {"readers": ("public",), "scope": Scope.of({"flask": version}), "version": version}
        entries = place.entries([_DATA / "flask-docs" / version], options=stated_metadata(stated))
        list(place.ingest(entry for entry in entries if isinstance(entry, Entry)))


def _end(outcome: Outcome) -> str:
    name = NAMES[type(outcome)]
    if isinstance(outcome, SearchOnly):
        return f"{name}({outcome.reason}{f', {outcome.detail}' if outcome.detail else ''})"
    return f"{name}({outcome.assurance})" if isinstance(outcome, Answered) else name


if __name__ == "__main__":
    main()
