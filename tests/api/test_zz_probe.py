from __future__ import annotations
import pytest, schemathesis
from hypothesis import settings, HealthCheck, Phase
from tests.api.conftest import *
from tests.api.drafting import opened

@pytest.fixture(scope="module")
def desk(tmp_path_factory):
    place = tmp_path_factory.mktemp("d") / "desk"
    write_sample(place)
    with Workspace.open(place) as w:
        list(w.ingest(e for e in w.entries([place / "documents"]) if isinstance(e, Entry)))
    with served(create_app(opened(place, per_minute=1e9))) as running:
        yield running

@pytest.fixture(scope="module")
def description(desk):
    return schemathesis.openapi.from_url(f"{desk.url}/openapi.json")

schema = schemathesis.pytest.from_fixture("description")

@schema.parametrize()
@settings(max_examples=10, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck), database=None)
def test_api(case):
    case.call_and_validate(headers={"Authorization": "Bearer other"})
