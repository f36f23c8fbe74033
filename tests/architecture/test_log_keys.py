"""Everything that is logged or traced goes through one place, and under a key that somebody allowed there."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import grimp

from toulmin.adapters.telemetry.keys import KEYS
from toulmin.ports.observer import Told

SOURCE = Path(__file__).resolve().parents[2] / "src" / "toulmin"
VENDORS = {"structlog", "opentelemetry", "prometheus_client"}


def calls(name: str, tree: ast.AST) -> Iterator[ast.Call]:
    """Every call of a function or method of this name."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and getattr(node.func, "attr", getattr(node.func, "id", "")) == name:
            yield node


def keys_of(source: str) -> set[str]:
    """The keys under which a module logs, and what it tells an observer."""
    tree = ast.parse(source)
    written = [node for name in ("write", "tell", "bound_contextvars", "observed") for node in calls(name, tree)]
    return {keyword.arg for call in written for keyword in call.keywords if keyword.arg is not None}


def test_no_key_is_logged_or_told_that_is_not_on_the_list() -> None:
    telemetry = {path: keys_of(path.read_text()) for path in (SOURCE / "adapters" / "telemetry").glob("*.py")}
    assert set().union(*telemetry.values()) > {"route", "status", "outcome", "step"}
    assert {path.name: keys - KEYS for path, keys in telemetry.items() if keys - KEYS} == {}


def test_a_new_key_is_noticed() -> None:
    assert keys_of('self._log.write("info", "x", question=text)') - KEYS == {"question"}


def test_what_a_step_may_tell_are_counts_and_one_code() -> None:
    kinds = {name: str(kind.__forward_arg__) for name, kind in Told.__annotations__.items()}
    assert kinds.pop("fault") == "SearchOnlyReason"
    assert {*kinds.values()} == {"int", "int | None"}
    assert kinds.keys() <= KEYS


def importers(graph: grimp.ImportGraph, package: str) -> set[str]:
    """The modules outside of telemetry that import a package."""
    found = graph.find_modules_that_directly_import(package) if package in graph.modules else set()
    return {module for module in found if not module.startswith("toulmin.adapters.telemetry")}


def test_no_other_part_of_the_program_has_a_logger_tracer_or_metric_of_its_own() -> None:
    graph = grimp.build_graph("toulmin", include_external_packages=True, cache_dir=None)
    assert {package for package in VENDORS if importers(graph, package)} == set()


def test_what_is_logged_as_libraries_do_is_known_and_loses_its_words_in_the_service() -> None:
    graph = grimp.build_graph("toulmin", include_external_packages=True, cache_dir=None)
    assert importers(graph, "logging") == {
        "toulmin.adapters.jwt.sources",
        "toulmin.surfaces.http.server",
        "toulmin.surfaces.mcp.server",
    }
