"""What the service says that it takes and gives, held against what it does: by schemathesis, with everything the description allows and much that it does not."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.api.drafting import OPEN, drafting
from tests.api.processes import configured

WHO = "other"
"""Has every role but that of a service, and sees what is public."""

SETTINGS = """\
seed = 20260101
warnings = false
request-timeout = 30
base-url = "{url}"
headers = {{ Authorization = "Bearer {token}" }}
parameters = {{ "path.packet" = "{packet}", "path.approval" = "{approval}" }}

[generation]
database = "none"
max-examples = 5

# what is valid by more than its shape is not in the description: an id without white space, one of two keys
[checks.positive_data_acceptance]
enabled = false

[phases]
examples.enabled = false
stateful.enabled = false

# a document may be called `a/withdraw` or `a/metadata`, so that GET is allowed there
[[operations]]
include-path = "/v1/documents/{{document}}/withdraw"
checks.allow_header_conformance.enabled = false
[[operations]]
include-path = "/v1/documents/{{document}}/metadata"
checks.allow_header_conformance.enabled = false
checks.unsupported_method.enabled = false
"""
EFFECT = """
[effects.reply]
kind = "command"
argv = ["true"]
"""
FACT = "G2 firmware 2.4.1 may stop sending telemetry after a reconnect."


def verbatim(question: Mapping[str, Any]) -> Mapping[str, Any]:
    """A draft of one claim, which its passage states."""
    (known,) = (item["evidence_id"] for item in question["evidence"] if FACT in item["passage"])
    return {"segments": [{"text": FACT, "evidence_ids": [known]}]}


def test_the_service_does_what_its_description_says_and_nothing_brings_it_down(folder: Path, tmp_path: Path) -> None:
    with drafting(configured(folder, EFFECT), author=verbatim, mode="reviewed", per_minute=10**9) as desk:
        with desk.running.client(WHO) as client:
            paths = client.get("/openapi.json").json()["paths"]
            packet = client.post("/v1/ask", json=OPEN).json()["packet"]["id"]
            approval = client.post("/v1/approvals", json={"packet": packet, "operation": "reply"}).json()["id"]
        settings = SETTINGS.format(url=desk.running.url, token=WHO, packet=packet, approval=approval)
        (tmp_path / "schemathesis.toml").write_text(settings, encoding="utf-8")
        command = [sys.executable, "-m", "schemathesis.cli", "run", f"{desk.running.url}/openapi.json", "--no-color"]
        tried = subprocess.run(command, cwd=tmp_path, capture_output=True, encoding="utf-8", check=False)
    assert tried.returncode == 0, tried.stdout + tried.stderr
    assert f"{sum(map(len, paths.values()))} passed" in tried.stdout
