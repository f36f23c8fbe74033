"""Verifies an exported packet: an implementation of packet.md that shares nothing with the product. Needs Python 3.11 and `cryptography`.

usage: python verify_packet.py FILE [PUBLIC_KEY.pem ...]     (exit code 0: it verifies, 8: it does not)
"""

import json
import sys
from base64 import b64decode, b64encode
from decimal import Decimal
from hashlib import sha256
from pathlib import Path

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_pem_public_key

TYPE = "application/vnd.toulmin.packet+json"
KEYS = """answer budget candidates case claims contract corpus documents evidence k left_out missing outcome passages policy question request
    requester schema trace versions withheld""".split()


class Wrong(Exception):
    """A statement that does not hold."""


def check(holds, what):
    if not holds:
        raise Wrong(what)


def canonical(value):
    """RFC 8785."""
    if isinstance(value, dict):
        keys = sorted(value, key=lambda key: key.encode("utf-16-be"))
        return "{" + ",".join(canonical(key) + ":" + canonical(value[key]) for key in keys) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(canonical, value)) + "]"
    if isinstance(value, float):
        if value == int(value) and abs(value) < 1e21:
            return str(int(value))
        if 1e-6 <= abs(value) < 1e21:
            return format(Decimal(repr(value)), "f")
        mantissa, _, exponent = repr(value).partition("e")
        return f"{mantissa}e{int(exponent):+d}"
    return json.dumps(value, ensure_ascii=False)


def hashed(*parts):
    return sha256(b"".join(parts)).hexdigest()


def fields(*values):
    return b"".join(len(value.encode()).to_bytes(8, "big") + value.encode() for value in values)


def listed(items):
    items = list(items)
    return len(items).to_bytes(8, "big") + b"".join(items)


def unbased(text):
    data = b64decode(text, validate=True)
    check(b64encode(data).decode() == text, "base64 in another form")
    return data


def read(text):
    value = json.loads(text)
    check(canonical(value) == text, "not in canonical form")
    return value


def check_signatures(envelope, payload, pems):
    check(envelope["payloadType"] == TYPE, "another payload type")
    keys = {}
    for pem in pems:
        key = load_pem_public_key(pem)
        keys[sha256(key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)).hexdigest()] = key
    check(envelope["signatures"] or not keys, "not signed")
    for made in envelope["signatures"]:
        signature = unbased(made["sig"])
        if keys:
            check(made["keyid"] in keys, "signed by another key")
            signed = b"DSSEv1 %d %b %d %b" % (len(TYPE), TYPE.encode(), len(payload), payload)
            keys[made["keyid"]].verify(signature, signed)


def document(d):
    spans = (fields(s["id"], s["fact"] or "", str(s["start"]), str(s["end"]), s["sha256"]) for s in d["spans"])
    readers = listed(map(fields, d["readers"]))
    return fields(d["document"], d["version"], d["scope"]) + readers + fields(d["text_sha256"]) + listed(spans)


def named_texts(body):
    claims = body["claims"] + body["withheld"]
    yield from (body["contract"]["snapshot"], body["policy"]["snapshot"], body["question"], body["answer"])
    yield from (span["sha256"] for document in body["documents"] for span in document["spans"])
    yield from (passage["sha256"] for passage in body["passages"])
    yield from (digest for claim in claims for digest in (claim["text"], *claim["quotes"], claim["verdict"]["reason"]))
    yield from (objection["says"] for claim in claims for objection in claim["verdict"]["objections"])


def check_snapshots(body, texts):
    for name in ("contract", "policy"):
        stated, snapshot = body[name], texts.get(body[name]["snapshot"])
        if snapshot is not None:
            said = json.loads(snapshot)
            check(hashed(fields(f"toulmin.{name}/1", snapshot)) == stated["digest"], f"{name} digest")
            check(all(said[key] == stated[key] for key in ("id", "version") if key in stated), name)


def check_evidence(body, texts):
    question = "" if body["question"] is None else texts.get(body["question"])
    if question is not None:
        tag = fields("toulmin.evidence/1", body["contract"]["id"], body["contract"]["digest"], question)
        case = listed(fields(fact["name"], fact["value"]) for fact in body["case"])
        check("ev-" + hashed(tag, case, listed(map(document, body["documents"]))) == body["evidence"], "evidence")
    sources = {(d["document"], d["version"]) for d in body["documents"]}
    for item in body["passages"]:
        check((item["document"], item["version"]) in sources, "passage of no selected document")
    for item in (*body["passages"], *(span for d in body["documents"] for span in d["spans"])):
        length = item["end"] - item["start"]
        check(item["start"] >= 0 and length >= 0 and len(texts.get(item["sha256"], length * " ")) == length, "length")


def check_claim(claim, spans, texts, delivered):
    verdict, citations = claim["verdict"], claim["citations"]
    cited = [spans.get((c["document"], c["version"], c["span"])) for c in citations]
    check(not delivered or (cited and all(cited)), "a delivered claim without evidence")
    check(not delivered or verdict["status"] in ("licensed", "supported", "cited"), "a claim that was not accepted")
    check([span and span["sha256"] for span in cited] == [c["sha256"] for c in citations], "citation")
    for place, start, end in (*verdict["rests_on"], *((o["passage"], *o["evidence"]) for o in verdict["objections"])):
        check(0 <= place < len(cited), "verdict")
        check(0 <= start <= end <= (cited[place]["end"] - cited[place]["start"] if cited[place] else 0), "verdict")
    for start, end in (o["claim"] for o in verdict["objections"]):
        check(0 <= start <= end <= len(texts.get(claim["text"], end * " ")), "objection")


def check_body(body, texts):
    check(body["schema"] == "toulmin.packet/1" and sorted(body) == KEYS, "not a packet of version 1")
    named = set(named_texts(body)) - {None}
    for digest, text in texts.items():
        check(hashed(text.encode()) == digest and digest in named, f"text {digest}")
    check_snapshots(body, texts)
    check_evidence(body, texts)
    spans = {(d["document"], d["version"], s["id"]): s for d in body["documents"] for s in d["spans"]}
    for number, claim in enumerate(body["claims"] + body["withheld"]):
        check_claim(claim, spans, texts, number < len(body["claims"]))
    answered = body["answer"] is not None
    check(answered == bool(body["claims"]) == (body["outcome"]["name"] == "Answered"), "outcome")
    said = [texts.get(claim["text"]) for claim in body["claims"]]
    if body["answer"] in texts and None not in said:
        check(" ".join(said) == texts[body["answer"]], "answer")
    return len(named - set(texts))


def verify(data, pems=()):
    """The packet's id, and how many of its words are erased; raises `Wrong` for one that does not verify."""
    try:
        text = data.decode()
        check(text.endswith("\n"), "not in canonical form")
        file = read(text[:-1])
        check(sorted(file) == ["envelope", "texts"], "another file")
        check(sorted(file["envelope"]) == ["payload", "payloadType", "signatures"], "another envelope")
        payload = unbased(file["envelope"]["payload"])
        check_signatures(file["envelope"], payload, pems)
        erased = check_body(read(payload.decode()), file["texts"])
    except (ValueError, KeyError, TypeError, AttributeError, InvalidSignature, RecursionError) as error:
        raise Wrong(f"{type(error).__name__}: {error}") from None
    return "pk-" + hashed(fields("toulmin.packet/1", payload.decode())), erased


if __name__ == "__main__":
    try:
        packet, erased = verify(Path(sys.argv[1]).read_bytes(), [Path(name).read_bytes() for name in sys.argv[2:]])
    except Wrong as wrong:
        print(f"does not verify: {wrong}")
        sys.exit(8)
    print(f"{packet} verifies" + (", signed" if sys.argv[2:] else "") + (f", {erased} texts erased" if erased else ""))
