"""The dashboard asks for metrics, labels and values that the service has."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from toulmin.adapters.telemetry import TelemetryOptions, service_telemetry
from toulmin.domain.claims.ground import Ground
from toulmin.domain.claims.verdict import VerdictStatus
from toulmin.domain.outcome import NAMES, SearchOnlyReason
from toulmin.ports.telemetry import Handled, Incoming

HOW_TO = Path(__file__).resolve().parents[2] / "docs" / "how-to"
_METRIC = re.compile(r"\b(?:toulmin|process)_\w+")
_GROUPED = re.compile(r"by \(([^)]*)\)")
_VALUE = re.compile(r'(\w+)=~?"([^"]*)"')

Samples = dict[str, set[str]]


def expressions() -> list[str]:
    board = json.loads((HOW_TO / "grafana-toulmin.json").read_text())
    return [target["expr"] for panel in board["panels"] for target in panel["targets"]]


@pytest.fixture(scope="module")
def samples() -> Samples:
    """The labels of every sample that a service exposes once everything has happened in it."""
    telemetry = service_telemetry(TelemetryOptions(version="9.9", log_level="error"))
    with telemetry.request(Incoming(id="r", method="GET")) as handled, telemetry.observer.step("search"):
        handled(Handled(route="/v1/ask", status=200))
    telemetry.observer.draft("fresh")
    telemetry.observer.verdict(VerdictStatus.CITED, Ground.NOT_JUDGED)
    telemetry.observer.outcome("SearchOnly", SearchOnlyReason.TIMEOUT)
    telemetry.observer.lag("words", 0, 0)
    page = telemetry.exposition("").body.decode()
    telemetry.close()
    return {
        sample.name: {*sample.labels} for family in text_string_to_metric_families(page) for sample in family.samples
    }


def test_every_metric_that_it_asks_for_is_exposed(samples: Samples) -> None:
    asked = {name for expression in expressions() for name in _METRIC.findall(expression)}
    assert asked - samples.keys() == set()


def test_every_metric_of_ours_is_on_it(samples: Samples) -> None:
    everything = " ".join(expressions())
    ours = {re.sub(r"_(bucket|sum|count|total|created)$", "", name) for name in samples if name.startswith("toulmin_")}
    assert {name for name in ours if name not in everything} == set()


@pytest.mark.parametrize("expression", expressions())
def test_it_groups_by_labels_that_the_metric_has(samples: Samples, expression: str) -> None:
    labels = set().union(*(samples[name] for name in _METRIC.findall(expression)))
    grouped = {label.strip() for group in _GROUPED.findall(expression) for label in group.split(",")}
    assert grouped <= labels
    assert {label for label, _ in _VALUE.findall(expression)} <= labels


def test_it_asks_for_values_that_exist() -> None:
    known = {*NAMES.values(), *VerdictStatus, "5.."}
    asked = {
        value for expression in expressions() for _, values in _VALUE.findall(expression) for value in values.split("|")
    }
    assert asked <= known


def test_the_page_about_it_names_every_metric_of_ours_and_no_other(samples: Samples) -> None:
    page = (HOW_TO / "observe.md").read_text()
    exposed = {
        name for name in samples if name.startswith("toulmin_") and not name.endswith(("_created", "_bucket", "_sum"))
    }
    named = {*re.findall(r"`(toulmin_\w+)", page)}
    assert named == {name.removesuffix("_count") for name in exposed}
