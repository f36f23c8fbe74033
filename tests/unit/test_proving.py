"""Packets that leave the house, by the product's verifier and by the second one, which agree about every one of them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from importlib import util
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.unit.drafters import Writer
from tests.unit.judges import Scripted, opinion
from tests.unit.making import contract, fact
from tests.unit.test_reviewing import LOGS, writes
from tests.unit.test_reviewing import world as reviewed_world
from tests.unit.world import asked, ingest, parts
from toulmin.adapters.signing import new_key, public_keys
from toulmin.application.documents import retire
from toulmin.application.parts import Parts
from toulmin.application.proving import export_packet, verify_file
from toulmin.domain.canonical import canonical_json, digest, fields, text_digest
from toulmin.domain.corpus.document import Status
from toulmin.domain.outcome import UnsupportedQuestion
from toulmin.domain.proof.audit import Signature
from toulmin.domain.proof.envelope import EnvelopeSignature, Exported
from toulmin.domain.proof.verification import Verification
from toulmin.domain.question.case import ANONYMOUS, Kind
from toulmin.domain.question.contract import CaseField, Mode
from toulmin.ports.signer import MadeKey
from toulmin.testing.builders import NOW
from toulmin.wire.packet import read_packet_file

WORDS = "Water is 🜁 wet."
MORE = "Water is more."
SECOND_VERIFIER = Path(__file__).parents[2] / "docs" / "reference" / "verify_packet.py"

Body = dict[str, Any]


def _load() -> ModuleType:
    spec = util.spec_from_file_location("verify_packet", SECOND_VERIFIER)
    assert spec is not None
    assert spec.loader is not None
    module = util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


second = _load()


@dataclass(frozen=True)
class Keys:
    """A key that signs, and its public half in a file."""

    private: MadeKey
    public: Path

    def verified(self, data: bytes) -> Verification:
        """What both verifiers say of a file, which is the same."""
        found = verify_file(data, keyring=public_keys([self.public]))
        assert agrees(found, data, [self.public.read_bytes()])
        return found

    def sign(self, exported: Exported) -> Exported:
        made = EnvelopeSignature(key=self.private.key_id, signature=self.private.sign(exported.signed))
        return replace(exported, signatures=(made,))


def agrees(found: Verification, data: bytes, pems: list[bytes]) -> bool:
    try:
        packet, erased = second.verify(data, pems)
    except second.Wrong:
        return not found.valid
    return found.valid and (packet, erased) == (found.packet, len(found.erased))


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Keys:
    return made_keys(tmp_path_factory.mktemp("keys"))


def made_keys(folder: Path) -> Keys:
    private = new_key(folder / "signing.pem")
    public = folder / "public.pem"
    public.write_text(private.public_pem, encoding="utf-8")
    return Keys(private, public)


def licensed() -> tuple[Parts, str]:
    field = CaseField(name="limit", kind=Kind.NUMBER)
    made = parts(contract(fact("wet", WORDS), query="water", fields=[field]))
    ingest(made, "A", f"{WORDS}\n{MORE}\n", labels={"wet": WORDS})
    ingest(made, "B", "Water is in B.\n")
    return made, packet_of(made, case={"limit": "1e-7"})


def reviewed() -> tuple[Parts, str]:
    """An answer with one claim that is supported and one that the oracles contradict."""
    judge = Scripted(lambda _: opinion(0.99))
    made = reviewed_world(Writer(writes(LOGS, "Audit logs are kept for at least 90 days.")), judge)
    return made, packet_of(made)


def unanswered() -> tuple[Parts, str]:
    made = parts(contract(fact("wet", WORDS), query="water"))
    return made, packet_of(made)


def packet_of(made: Parts, **question: Any) -> str:
    outcome = asked(made, **question)
    assert not isinstance(outcome, UnsupportedQuestion)
    assert outcome.receipt is not None
    return outcome.receipt.packet


MAKERS = (licensed, reviewed, unanswered)


@pytest.fixture(params=MAKERS)
def made(request: pytest.FixtureRequest) -> tuple[Parts, str]:
    return request.param()  # type: ignore[no-any-return]


def exported(made: tuple[Parts, str], key: Keys | None = None) -> Exported:
    world, packet = made
    return export_packet(world.store, packet, ANONYMOUS, NOW, key.private if key else None)


def file_of(made: tuple[Parts, str], key: Keys | None = None) -> bytes:
    return exported(made, key).file.encode()


def failing(found: Verification) -> list[str]:
    return [statement.name for statement in found.statements if not statement.holds]


def test_a_signed_packet_verifies_with_its_key(made: tuple[Parts, str], keys: Keys) -> None:
    found = keys.verified(file_of(made, keys))
    assert (failing(found), found.valid) == ([], True)
    assert (found.packet, found.signature, found.keys) == (made[1], Signature.VALID, (keys.private.key_id,))
    assert found.erased == ()
    assert len(found.statements) == 12


def test_the_reviewed_packet_has_a_claim_of_each_kind() -> None:
    body = json.loads(exported(reviewed()).body)
    assert (len(body["claims"]), len(body["withheld"])) == (1, 1)
    assert body["withheld"][0]["verdict"]["objections"]
    assert body["claims"][0]["verdict"]["rests_on"]


def test_an_unsigned_packet_says_so_and_fails_where_a_key_is_given(made: tuple[Parts, str], keys: Keys) -> None:
    data = file_of(made)
    found = verify_file(data)
    assert (found.valid, found.signature, found.keys) == (True, Signature.UNSIGNED, ())
    assert agrees(found, data, [])
    found = keys.verified(data)
    assert (failing(found), found.signature) == (["signature"], Signature.UNSIGNED)


def test_without_a_key_a_signature_is_told_and_not_checked(keys: Keys) -> None:
    data = file_of(licensed(), keys)
    found = verify_file(data)
    assert (found.valid, found.signature) == (True, Signature.UNCHECKED)
    assert agrees(found, data, [])


def test_another_key_does_not_verify(keys: Keys, tmp_path: Path) -> None:
    found = made_keys(tmp_path).verified(file_of(licensed(), keys))
    assert (failing(found), found.signature) == (["signature"], Signature.UNKNOWN_KEY)


def test_after_a_rotation_both_keys_verify_what_each_has_signed(keys: Keys, tmp_path: Path) -> None:
    new = made_keys(tmp_path)
    ring = public_keys([keys.public, new.public])
    assert all(verify_file(file_of(licensed(), key), keyring=ring).valid for key in (keys, new))


def test_a_packet_must_be_the_one_that_was_asked_for(keys: Keys) -> None:
    made = licensed()
    data = file_of(made, keys)
    assert verify_file(data, expected=made[1]).valid
    found = verify_file(data, expected="pk-" + "0" * 64)
    assert failing(found) == ["id"]


def test_exporting_twice_gives_the_same_bytes(keys: Keys) -> None:
    made = licensed()
    assert file_of(made, keys) == file_of(made, keys)


def test_what_is_read_back_is_what_was_written(made: tuple[Parts, str], keys: Keys) -> None:
    assert read_packet_file(file_of(made, keys)) == replace(
        exported(made, keys), signatures=list(exported(made, keys).signatures)
    )


# Tampering


def test_one_changed_byte_anywhere_fails(keys: Keys) -> None:
    data = file_of(licensed(), keys)
    ring = public_keys([keys.public])
    for place in range(len(data)):
        changed = data[:place] + bytes([data[place] ^ 1 << place % 8]) + data[place + 1 :]
        assert not verify_file(changed, keyring=ring).valid, place


def test_the_second_verifier_fails_with_the_first_wherever_a_byte_is_changed(keys: Keys) -> None:
    data = file_of(reviewed(), keys)
    for place in range(0, len(data), 11):
        changed = data[:place] + bytes([data[place] ^ 1 << place % 7]) + data[place + 1 :]
        assert not keys.verified(changed).valid, place


@pytest.mark.parametrize(
    "change",
    [
        lambda data: data + b"\n",
        lambda data: data[:-1],
        lambda data: b"\xef\xbb\xbf" + data,
        lambda data: data.replace(b'"texts":', b'"texts": '),
        lambda data: data.replace(b'{"envelope"', b'{"also":1,"envelope"'),
        lambda data: data.replace(b'"signatures"', b'"Signatures"'),
        lambda data: data.replace(b"vnd.toulmin.packet", b"vnd.toulmin.pocket"),
        lambda _: b"",
        lambda _: b"[]\n",
        lambda _: b"\xff\n",
        lambda _: b'{"envelope":' * 10_000,
    ],
)
def test_a_file_in_another_form_fails(change: Callable[[bytes], bytes], keys: Keys) -> None:
    found = keys.verified(change(file_of(licensed(), keys)))
    assert failing(found) == ["file"]
    assert (found.packet, found.evidence) == (None, None)


@pytest.mark.parametrize("payload", ["", "e30=", "e30", "e31=", "/w==", "!"])
def test_a_payload_that_is_no_packet_fails(payload: str, keys: Keys) -> None:
    file = json.loads(file_of(licensed(), keys))
    file["envelope"]["payload"] = payload
    assert failing(keys.verified((canonical_json(file) + "\n").encode()))[0] in {"file", "signature"}


def test_a_signature_of_other_bytes_fails(keys: Keys) -> None:
    one = exported(licensed(), keys)
    other = replace(exported(unanswered(), keys), signatures=one.signatures)
    found = keys.verified(other.file.encode())
    assert (failing(found), found.signature) == (["signature"], Signature.WRONG)


def test_a_signature_over_the_bare_payload_is_none(keys: Keys) -> None:
    one = exported(licensed())
    made = EnvelopeSignature(key=keys.private.key_id, signature=keys.private.sign(one.body.encode()))
    assert failing(keys.verified(replace(one, signatures=(made,)).file.encode())) == ["signature"]


def test_each_of_several_signatures_has_to_hold(keys: Keys, tmp_path: Path) -> None:
    one, other = exported(licensed(), keys), made_keys(tmp_path)
    both = replace(one, signatures=(*one.signatures, *other.sign(one).signatures))
    assert failing(keys.verified(both.file.encode())) == ["signature"]
    assert verify_file(both.file.encode(), keyring=public_keys([keys.public, other.public])).valid


# What a signer who lies may state


def put(body: Body, path: str, value: object) -> Body:
    """The body with one value replaced."""
    *steps, last = [int(step) if step.isdigit() else step for step in path.split(".")]
    part: Any = body
    for step in steps:
        part = part[step]
    part[last] = value
    return body


LIES: list[tuple[Callable[[], tuple[Parts, str]], str, object, str]] = [
    (licensed, "schema", "toulmin.packet/2", "body"),
    (licensed, "also", None, "body"),
    (licensed, "contract.digest", "0" * 64, "contract"),
    (licensed, "contract.version", "2", "contract"),
    (licensed, "contract.id", "another-v1", "contract"),
    (licensed, "policy.digest", "0" * 64, "policy"),
    (licensed, "policy.version", "mine/1", "policy"),
    (licensed, "evidence", "ev-" + "0" * 64, "evidence"),
    (licensed, "case.0.value", "n2", "evidence"),
    (licensed, "documents.0.readers", ["public", "tenant:a"], "evidence"),
    (licensed, "documents.0.text_sha256", "0" * 64, "evidence"),
    (licensed, "documents.0.spans.0.fact", None, "evidence"),
    (licensed, "documents.0.spans.0.end", 99, "evidence"),
    (licensed, "passages.0.document", "Z", "passages"),
    (licensed, "passages.0.end", 99, "passages"),
    (licensed, "passages.0.start", -1, "passages"),
    (licensed, "claims.0.citations", [], "citations"),
    (licensed, "claims.0.citations.0.span", "s9", "citations"),
    (licensed, "claims.0.citations.0.sha256", "0" * 64, "citations"),
    (licensed, "claims.0.verdict.status", "not_licensed", "verdicts"),
    (licensed, "answer", None, "answer"),
    (licensed, "outcome.name", "Withheld", "answer"),
    (unanswered, "outcome.name", "Answered", "answer"),
    (reviewed, "claims.0.verdict.rests_on", [[1, 0, 3]], "verdicts"),
    (reviewed, "claims.0.verdict.rests_on", [[-1, 0, 3]], "verdicts"),
    (reviewed, "claims.0.verdict.rests_on", [[0, 0, 999]], "verdicts"),
    (reviewed, "claims.0.verdict.rests_on", [[0, 5, 3]], "verdicts"),
    (reviewed, "withheld.0.verdict.objections.0.passage", 7, "verdicts"),
    (reviewed, "withheld.0.verdict.objections.0.claim", [0, 999], "verdicts"),
    (reviewed, "withheld.0.citations.0.sha256", None, "citations"),
]


@pytest.mark.parametrize(("maker", "path", "value", "statement"), LIES, ids=[lie[1] + str(lie[2])[:9] for lie in LIES])
def test_a_signed_lie_fails_at_its_statement(
    maker: Callable[[], tuple[Parts, str]], path: str, value: object, statement: str, keys: Keys
) -> None:
    honest = exported(maker())
    body = canonical_json(put(json.loads(honest.body), path, value))
    assert body != honest.body
    found = keys.verified(keys.sign(replace(honest, body=body)).file.encode())
    assert failing(found)[0] == statement
    assert found.signature is Signature.VALID


@pytest.mark.parametrize("value", ["2", True, 2.5, None])
def test_a_value_of_another_type_fails(value: object, keys: Keys) -> None:
    honest = exported(licensed())
    body = canonical_json(put(json.loads(honest.body), "k", value))
    found = verify_file(keys.sign(replace(honest, body=body)).file.encode())
    assert failing(found) == ["body"]
    assert found.statements[-1].says.startswith("k: ")


def test_a_body_that_is_signed_in_another_form_fails(keys: Keys) -> None:
    honest = exported(licensed())
    spaced = replace(honest, body=json.dumps(json.loads(honest.body)))
    assert failing(keys.verified(keys.sign(spaced).file.encode())) == ["body"]


def test_words_of_another_digest_and_words_that_nothing_names_fail(keys: Keys) -> None:
    honest = exported(licensed(), keys)
    answer = json.loads(honest.body)["answer"]
    other = replace(honest, texts={**honest.texts, answer: "We say dry."})
    assert failing(keys.verified(other.file.encode())) == ["texts"]
    stray = replace(honest, texts={**honest.texts, text_digest("Stray."): "Stray."})
    assert failing(keys.verified(stray.file.encode())) == ["texts"]


def test_an_answer_that_is_not_its_claims_fails(keys: Keys) -> None:
    honest = exported(licensed())
    other = "We say it is not wet."
    body = canonical_json(put(json.loads(honest.body), "answer", text_digest(other)))
    texts = {key: text for key, text in honest.texts.items() if key in body}
    lie = replace(honest, body=body, texts={**texts, text_digest(other): other})
    assert "answer" in failing(keys.verified(keys.sign(lie).file.encode()))


def test_a_snapshot_that_is_no_json_object_fails_at_its_statement(keys: Keys) -> None:
    honest = exported(licensed())
    for name in ("contract", "policy"):
        for text in ("no JSON", "[]"):
            body = json.loads(honest.body)
            texts = {key: value for key, value in honest.texts.items() if key != body[name]["snapshot"]}
            body[name] |= {"snapshot": text_digest(text), "digest": digest(fields(f"toulmin.{name}/1", text))}
            lie = replace(honest, body=canonical_json(body), texts={**texts, text_digest(text): text})
            assert failing(keys.verified(keys.sign(lie).file.encode()))[0] == name


# Erasure


def each_without_one_text(made: Exported) -> Iterator[tuple[str, Exported]]:
    for gone in made.texts:
        yield gone, replace(made, texts={key: text for key, text in made.texts.items() if key != gone})


def test_a_packet_without_some_of_its_words_verifies_and_says_which(made: tuple[Parts, str], keys: Keys) -> None:
    for gone, left in each_without_one_text(exported(made, keys)):
        found = keys.verified(left.file.encode())
        assert (failing(found), found.erased) == ([], (gone,))


def test_a_packet_without_any_words_verifies(made: tuple[Parts, str], keys: Keys) -> None:
    whole = exported(made, keys)
    found = keys.verified(replace(whole, texts={}).file.encode())
    assert found.valid
    assert found.erased == tuple(sorted(whole.texts))


def test_a_packet_exported_after_its_source_was_deleted_verifies_without_its_words(keys: Keys) -> None:
    world, packet = licensed()
    retire(world.store, "A", None, Status.DELETED, at=NOW)
    file = file_of((world, packet), keys)
    assert MORE.encode() not in file
    found = keys.verified(file)
    assert found.valid
    assert text_digest(MORE) in found.erased


def test_cited_mode_verifies(keys: Keys) -> None:
    made = reviewed_world(Writer(writes(LOGS)))
    contracts = made.contracts.all()
    cited = replace(made, contracts=type(made.contracts)((replace(contracts[0], mode=Mode.CITED),)))  # type: ignore[call-arg]
    assert keys.verified(file_of((cited, packet_of(cited)), keys)).valid
