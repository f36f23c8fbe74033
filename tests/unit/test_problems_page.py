"""The page of problems has every code that a caller of the service can meet, under its status, and no other."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import grimp
import pytest

from toulmin.domain import errors
from toulmin.domain.errors import InputError, Overloaded, ToulminError
from toulmin.ports.index import OtherEmbedder
from toulmin.surfaces.http.problems import _STATUSES, status_of

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "reference" / "problems.md").read_text(encoding="utf-8")
PROBLEMS, FILES = PAGE.split("## Of a file that is ingested")

KINDS = {
    name: kind
    for name, kind in (*vars(errors).items(), ("OtherEmbedder", OtherEmbedder))
    if isinstance(kind, type) and issubclass(kind, ToulminError)
}

ELSEWHERE = (
    "adapters.effects", "adapters.files.contracts", "adapters.files.folder", "adapters.jwt.keys", "adapters.memory",
    "adapters.onnx", "adapters.postgres.rights", "adapters.provider", "adapters.signing", "adapters.sql.transfer",
    "adapters.telemetry", "application.api_keys", "application.erasure", "application.hybrid", "application.stages",
    "domain.policy", "domain.question.contract", "domain.question.eligibility", "evaluation", "surfaces.http.checking",
    "surfaces.http.server", "surfaces.http.workers", "surfaces.mcp", "surfaces.settings", "surfaces.wiring",
    "wire.contract", "wire.judge_manifest", "wire.packet", "wire.rules", "wire.strict_toml",
)  # fmt: skip
"""Modules whose faults no caller meets.

They read what the service is started with, do what the command line alone asks for, or turn faults into outcomes.
"""

NEVER = {
    "api_key_exists", "bad_limit", "bad_limits", "bare_group", "duplicate_evidence", "missing_extra", "no_embedder",
}  # fmt: skip
"""Codes that only a mistake of ours could raise over HTTP, or that are told before the service listens."""

OF_FILES = (
    "adapters.files", "adapters.kreuzberg", "adapters.markup", "adapters.sandbox", "application.describing", "application.ingest", "domain.corpus",
    "surfaces.http.routes.documents", "wire.front_matter", "wire.metadata", "wire.source", "wire.strict_yaml",
)  # fmt: skip
"""Modules whose faults are told of one file among others, in the result of an ingest."""

Code = tuple[int, str]


def on_the_page(table: str) -> set[Code]:
    """Status and code of each row; a row may have several codes of one status."""
    rows = re.findall(r"^\| (\d{3}) \| (`.+?) \| .+ \|$", table, re.MULTILINE)
    return {(int(status), code) for status, codes in rows for code in re.findall(r"`(\w+)`", codes)}


def of_files(table: str) -> set[str]:
    """The codes of each row of the table that has no statuses."""
    rows = re.findall(r"^\| (`.+?) \| .+ \|$", table, re.MULTILINE)
    return {code for codes in rows for code in re.findall(r"`(\w+)`", codes)}


def raised(tree: ast.AST) -> Iterator[Code]:
    """Status and code of each fault that a module raises, as far as it names the code where it does."""
    for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
        name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
        match [*call.args[:2], *(each.value for each in call.keywords if each.arg == "code")]:
            case [ast.Constant(value=int(status)), ast.Constant(value=str(code)), *_] if name == "plain":
                yield status, code
            case [ast.Constant(value=str(code)), *_] if name in KINDS:
                yield status_of(_fault(KINDS[name], code, own=any(each.arg == "own" for each in call.keywords))), code
            case [ast.Constant(value=str(code)), *_] if name == "fault":
                yield status_of(InputError(code, "")), code


def _fault(kind: type[ToulminError], code: str, *, own: bool) -> ToulminError:
    return Overloaded(code, "", retry_after_s=1, own=own) if kind is Overloaded else kind(code, "")


@pytest.fixture(scope="module")
def codes() -> dict[str, set[Code]]:
    """What each module raises that the service imports."""
    graph = grimp.build_graph("toulmin", cache_dir=None)
    service = graph.find_descendants("toulmin.surfaces.http")
    modules = service.union(*map(graph.find_upstream_modules, service))
    return {
        name.removeprefix("toulmin."): {code for code in raised(_tree(name)) if code[1] not in NEVER}
        for name in sorted(modules)
        if not name.removeprefix("toulmin.").startswith(ELSEWHERE)
    }


def _tree(module: str) -> ast.AST:
    spec = find_spec(module)
    assert spec is not None
    assert spec.origin is not None
    return ast.parse(Path(spec.origin).read_text(encoding="utf-8"))


def test_every_code_that_a_caller_can_meet_stands_under_its_status(codes: dict[str, set[Code]]) -> None:
    met = set().union(*(found for name, found in codes.items() if not name.startswith(OF_FILES)))
    assert met - on_the_page(PROBLEMS) == set()


def test_every_code_that_a_file_can_be_refused_with_is_on_the_page(codes: dict[str, set[Code]]) -> None:
    met = {code for name, found in codes.items() if name.startswith(OF_FILES) for _, code in found}
    assert met - of_files(FILES) - {code for _, code in on_the_page(PROBLEMS)} == set()


def test_no_code_is_on_the_page_that_nothing_raises(codes: dict[str, set[Code]]) -> None:
    known = set().union(*codes.values()) | {(404, "not_found"), (422, "unknown_key")}
    assert on_the_page(PROBLEMS) - known == set()
    assert of_files(FILES) - {code for _, code in known} == set()


def test_every_status_of_a_fault_is_on_the_page() -> None:
    assert {status for _, status in _STATUSES} <= {status for status, _ in on_the_page(PROBLEMS)}
