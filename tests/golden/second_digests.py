"""A second implementation of docs/reference/digests.md, written from that page alone.

It shares nothing with the product: the standard library only, plain dicts and lists in, digests out. Where it and the
product differ, one of them (or the page) is wrong. Each function takes the shape that `digest_vectors.json` stores.

To add a vector, give it a kind, a name and an input in `digest_vectors.json`, and run `python -m tests.golden.second_digests` in
the project's folder; a result that changes for a vector of old is a change of a public format.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

Plain = Mapping[str, Any]

_EMPTY = bytes(32)
_USUAL_DRAFTER = {"licensed": "template", "reviewed": "model", "cited": "model"}
_CLAUSE = re.compile(r"\s*(===|==|!=|~=|>=|<=|>|<)\s*[0-9A-Za-z][0-9A-Za-z.+!_-]*(\.\*)?\s*")
_SHORT_ESCAPES = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


# -- building blocks -----------------------------------------------------------------------------------------------


def sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def count(number: int) -> bytes:
    return number.to_bytes(8, "big")


def field(text: str | bytes) -> bytes:
    data = text.encode() if isinstance(text, str) else text
    return count(len(data)) + data


def listing(items: Sequence[bytes]) -> bytes:
    return count(len(items)) + b"".join(items)


def by_bytes(texts: Iterable[str]) -> list[str]:
    return sorted(texts, key=str.encode)


def distinct(texts: Iterable[str]) -> list[str]:
    return by_bytes(set(texts))


def number_text(value: float) -> str:
    """The number as ECMAScript's `Number.prototype.toString` prints it."""
    double = float(value)
    if not math.isfinite(double):
        raise ValueError(f"{value!r} is no finite number")
    if double == 0:
        return "0"
    shortest = Decimal(repr(abs(double))).normalize().as_tuple()
    assert isinstance(shortest.exponent, int)
    digits, exponent = "".join(map(str, shortest.digits)), shortest.exponent
    point = len(digits) + exponent
    if 0 < point <= 21:
        whole, fraction = digits[:point].ljust(point, "0"), digits[point:]
        text = whole + ("." + fraction if fraction else "")
    elif -6 < point <= 0:
        text = "0." + "0" * -point + digits
    else:
        mantissa = digits[0] + ("." + digits[1:] if digits[1:] else "")
        text = f"{mantissa}e{point - 1:+d}"
    return "-" + text if double < 0 else text


def canonical_json(value: object) -> str:
    """RFC 8785: no white space, keys in the order of their UTF-16 units, shortest numbers, few escapes."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case int() | float():
            return number_text(value)
        case str():
            return '"' + "".join(map(_escaped, value)) + '"'
        case list() | tuple():
            return "[" + ",".join(map(canonical_json, value)) + "]"
        case dict():
            names = sorted(value, key=lambda name: name.encode("utf-16-be"))
            return "{" + ",".join(f"{canonical_json(name)}:{canonical_json(value[name])}" for name in names) + "}"
        case _:
            raise TypeError(f"{type(value).__name__} is no JSON value")


def _escaped(character: str) -> str:
    if character in _SHORT_ESCAPES:
        return _SHORT_ESCAPES[character]
    return f"\\u{ord(character):04x}" if character < " " else character


def instant_text(text: str) -> str:
    moment = datetime.fromisoformat(text).astimezone(UTC).replace(tzinfo=None)
    return moment.isoformat(timespec="microseconds" if moment.microsecond else "seconds") + "Z"


def value_text(type: str, value: Any) -> str:  # noqa: A002  # the key that the vectors use
    """A case's value with its type letter."""
    match type:
        case "string":
            return f"s{value}"
        case "version":
            return f"v{value}"
        case "boolean":
            return "b" + ("true" if value else "false")
        case "number":
            return "n" + number_text(value)
        case "date":
            return f"d{value}"
        case "instant":
            return "d" + instant_text(value)
        case _:
            raise ValueError(f"unknown type {type!r}")


def scope_object(scope: Plain) -> dict[str, object]:
    """The scope with lists sorted and without repeats, and the clauses of a version range sorted, without white space."""
    return {
        name: _scope_text(stated) if isinstance(stated, str) else distinct(map(_scope_text, stated))
        for name, stated in scope.items()
    }


def _scope_text(text: str) -> str:
    clauses = text.split(",")
    if not all(map(_CLAUSE.fullmatch, clauses)):
        return text.strip()
    return ",".join(distinct("".join(clause.split()) for clause in clauses))


# -- digests -------------------------------------------------------------------------------------------------------


def evidence_digest(evidence: Plain) -> str:
    """`ev-…` of {contract, question, case: {name: {type, value}}, documents: [{id, version, scope, readers, text, spans}]}."""
    facts = [field(name) + field(value_text(**evidence["case"][name])) for name in by_bytes(evidence["case"])]
    documents = sorted(evidence["documents"], key=lambda each: (each["id"].encode(), each["version"].encode()))
    return "ev-" + sha(
        field("toulmin.evidence/1")
        + field(evidence["contract"]["id"])
        + field(contract_digest(evidence["contract"]))
        + field(evidence["question"])
        + listing(facts)
        + listing([_document_bytes(each) for each in documents])
    )


def _document_bytes(document: Plain) -> bytes:
    text = document["text"]
    spans = sorted(document["spans"], key=_span_order)
    return (
        field(document["id"])
        + field(document["version"])
        + field(canonical_json(scope_object(document["scope"])))
        + listing([field(reader) for reader in distinct(document["readers"])])
        + field(sha(text.encode()))
        + listing([_span_bytes(each, text) for each in spans])
    )


def _span_order(span: Plain) -> tuple[int, int, bytes]:
    return span["start"], span["end"], span["id"].encode()


def _span_bytes(span: Plain, text: str) -> bytes:
    words = text[span["start"] : span["end"]]
    return (
        field(span["id"])
        + field(span.get("fact") or "")
        + field(str(span["start"]))
        + field(str(span["end"]))
        + field(sha(words.encode()))
    )


def contract_digest(contract: Plain) -> str:
    """Of a contract in the page's layout, where a key with a default may be absent and an applies value is {type, value}."""
    eligibility, answer = contract.get("eligibility", {}), contract["answer"]
    layout = {
        "answer": {"drafter": answer.get("drafter", _USUAL_DRAFTER[answer["mode"]]), "mode": answer["mode"]},
        "case": {
            name: {"optional": False, "trusted": False, **each} for name, each in contract.get("case", {}).items()
        },
        "eligibility": {
            "ignore": distinct(eligibility.get("ignore", [])),
            "missing": distinct(eligibility.get("missing", [])),
            "rules": {
                attribute: {"levels": [], "scheme": "dotted", **rule}
                for attribute, rule in eligibility.get("rules", {}).items()
            },
        },
        "facts": [
            {
                "required": True,
                **fact,
                "applies": {name: value_text(**value) for name, value in fact.get("applies", {}).items()},
            }
            for fact in contract.get("facts", [])
        ],
        "id": contract["id"],
        "k": contract.get("k", 5),
        "min_score": contract.get("min_score", 0),
        "query": contract["query"],
        "version": contract.get("version", "1"),
    }
    return sha(field("toulmin.contract/1") + field(canonical_json(layout)))


def descriptor_digest(descriptor: Plain) -> str:
    """Of a descriptor in the page's layout, where a key that the metadata does not state may be absent."""
    layout: dict[str, object] = {
        name: descriptor.get(name) for name in ("author", "language", "source_type", "supersedes", "title")
    }
    layout |= {
        bound: instant_text(descriptor[bound]) if descriptor.get(bound) else None
        for bound in ("valid_from", "valid_to")
    }
    layout["egress"] = descriptor.get("egress", "any")
    layout["readers"] = distinct(descriptor.get("readers", []))
    layout["scope"] = scope_object(descriptor.get("scope", {}))
    layout["spans"] = [{"fact": None, **span} for span in sorted(descriptor.get("spans", []), key=_span_order)]
    return sha(field("toulmin.descriptor/1") + field(canonical_json(layout)))


def corpus_fingerprint(revisions: Sequence[Plain]) -> str:
    """`co-…` of live revisions [{id, version, text, descriptor}]."""
    buckets: dict[int, list[bytes]] = {}
    for each in revisions:
        key = field(each["id"]) + field(each["version"])
        covered = key + field(sha(each["text"].encode())) + field(descriptor_digest(each["descriptor"]))
        number = int.from_bytes(hashlib.sha256(key).digest()[:2], "big")
        buckets.setdefault(number, []).append(hashlib.sha256(b"\0" + covered).digest())
    row = {number: hashlib.sha256(b"\1" + listing(sorted(leaves))).digest() for number, leaves in buckets.items()}
    for _level in range(16):
        row = {
            parent: hashlib.sha256(b"\1" + row.get(2 * parent, _EMPTY) + row.get(2 * parent + 1, _EMPTY)).digest()
            for parent in {number // 2 for number in row}
        }
    return "co-" + row.get(0, _EMPTY).hex()


def numbered_corpus_fingerprint(count_of_documents: int) -> str:
    """`co-…` of `DOC-0`, `DOC-1`, …: too many to write out."""
    return corpus_fingerprint(numbered_revisions(count_of_documents))


def numbered_revisions(count_of_documents: int) -> list[Plain]:
    return [
        {"id": f"DOC-{number}", "version": "1", "text": f"Text {number}.", "descriptor": {}}
        for number in range(count_of_documents)
    ]


def operation_digest(operation: Plain) -> str:
    """`op-…` of {name, params, instance, evidence, policy, answer}, the last as its text; without params there are none."""
    return "op-" + sha(
        field(operation["name"])
        + field(canonical_json(dict(operation.get("params", {}))))
        + field(operation["instance"])
        + field(operation["evidence"])
        + field(operation["policy"])
        + field(sha(operation["answer"].encode()))
    )


def packet_digest(body: Plain) -> str:
    """`pk-…` of a packet's body."""
    return "pk-" + sha(field("toulmin.packet/1") + field(canonical_json(dict(body))))


def policy_digest(policy: Plain) -> str:
    """Of an object from each limit's name to its number, and `version`."""
    return sha(field("toulmin.policy/1") + field(canonical_json(dict(policy))))


def principal_digest(principal: Plain) -> str:
    """Of {id, tenant, groups, roles}; all but the id may be absent."""
    return sha(
        field("toulmin.principal/1")
        + field(principal["id"])
        + field(principal.get("tenant") or "")
        + listing([field(each) for each in by_bytes(principal.get("groups", []))])
        + listing([field(each) for each in by_bytes(principal.get("roles", []))])
    )


# -- vectors -------------------------------------------------------------------------------------------------------

VECTORS = Path(__file__).with_name("digest_vectors.json")

RESULTS: Mapping[str, Callable[[Any], str]] = {
    "canonical json": canonical_json,
    "contract": contract_digest,
    "corpus": corpus_fingerprint,
    "descriptor": descriptor_digest,
    "evidence": evidence_digest,
    "numbered corpus": numbered_corpus_fingerprint,
    "operation": operation_digest,
    "packet": packet_digest,
    "policy": policy_digest,
    "principal": principal_digest,
}
"""What a vector's kind is computed with."""


def regenerate() -> None:
    """Writes into every vector what this module makes of its input: `python -m tests.golden.second_digests`."""
    vectors = json.loads(VECTORS.read_text(encoding="utf-8"))
    for vector in vectors:
        vector["result"] = RESULTS[vector["kind"]](vector["input"])
    VECTORS.write_text(json.dumps(vectors, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    regenerate()
