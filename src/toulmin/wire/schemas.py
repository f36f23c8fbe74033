"""JSON Schemas of the public shapes, generated from the types that write them.

`python -m toulmin.wire.schemas FOLDER` writes one file a shape.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from toulmin.wire.api_key import ApiKeyJson, ApiKeysJson
from toulmin.wire.approval import ApprovalJson, ApprovalsJson
from toulmin.wire.chat import ExtensionJson
from toulmin.wire.error import ErrorJson
from toulmin.wire.ledger import AuditJson, CheckpointJson, EntryJson
from toulmin.wire.order import OrderJson
from toulmin.wire.outcome import OutcomeJson, SearchJson
from toulmin.wire.packet import PacketFileJson, PacketJson
from toulmin.wire.replay import ReplayJson
from toulmin.wire.review import ReviewJson
from toulmin.wire.shapes import (
    DocumentJson,
    EditedJson,
    ImpactJson,
    IngestJson,
    MetadataJson,
    PacketViewJson,
    PassageJson,
)
from toulmin.wire.stage import StageJson
from toulmin.wire.verification import VerificationJson

_SHAPES: Mapping[str, Any] = {
    "toulmin.api-key/1": ApiKeyJson,
    "toulmin.api-keys/1": ApiKeysJson,
    "toulmin.approval/1": ApprovalJson,
    "toulmin.approvals/1": ApprovalsJson,
    "toulmin.chat/1": ExtensionJson,
    "toulmin.checkpoint/1": CheckpointJson,
    "toulmin.document/1": DocumentJson,
    "toulmin.edited/1": EditedJson,
    "toulmin.error/1": ErrorJson,
    "toulmin.impact/1": ImpactJson,
    "toulmin.ingest/1": IngestJson,
    "toulmin.ledger-check/1": AuditJson,
    "toulmin.ledger-entry/1": EntryJson,
    "toulmin.metadata/1": MetadataJson,
    "toulmin.order/1": OrderJson,
    "toulmin.outcome/1": OutcomeJson,
    "toulmin.packet/1": PacketJson,
    "toulmin.packet-file/1": PacketFileJson,
    "toulmin.packet-view/1": PacketViewJson,
    "toulmin.passage/1": PassageJson,
    "toulmin.replay/1": ReplayJson,
    "toulmin.review/1": ReviewJson,
    "toulmin.search/1": SearchJson,
    "toulmin.stage/1": StageJson,
    "toulmin.verification/1": VerificationJson,
}


def schemas() -> dict[str, str]:
    """The JSON Schema of each public shape as text, by its file name; unknown keys are not allowed."""
    return {
        f"{name.replace('/', '-')}.json": json.dumps(_closed(TypeAdapter(shape).json_schema()), indent=2) + "\n"
        for name, shape in _SHAPES.items()
    }


def _closed(schema: dict[str, Any]) -> dict[str, Any]:
    for part in (schema, *schema.get("$defs", {}).values()):
        part["additionalProperties"] = False
    return schema


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for file, text in schemas().items():
        (folder / file).write_text(text, encoding="utf-8")
