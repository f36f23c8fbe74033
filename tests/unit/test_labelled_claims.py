from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

import pytest

from toulmin.domain.claims.unit import Cited, ReviewUnit
from toulmin.domain.errors import InputError
from toulmin.evaluation.labels import Label, LabelledClaim, hashed_into, read_labelled
from toulmin.evaluation.rulings import Ruling, majority, overlap

ROW: dict[str, object] = {
    "id": "c-1",
    "claim": "The pump stops at 80 degrees.",
    "evidence": "Above 80 degrees the pump stops.",
    "label": "supported",
}
OTHER = ROW | {"id": "c-2"}


def written(folder: Path, *rows: object, name: str = "claims.jsonl") -> Path:
    path = folder / name
    text = "".join(row if isinstance(row, str) else f"{json.dumps(row)}\n" for row in rows)
    path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
    return path


def without(row: dict[str, object], *keys: str) -> dict[str, object]:
    return {key: value for key, value in row.items() if key not in keys}


def refusal(*paths: Path) -> InputError:
    with pytest.raises(InputError) as caught:
        read_labelled(paths)
    return caught.value


def claims(*labels: str, claim: str = "The pump stops.", passage: str = "The pump stops.") -> Sequence[LabelledClaim]:
    unit = ReviewUnit(claim=claim, passages=(Cited(words=passage),))
    return [LabelledClaim(id=str(at), unit=unit, label=Label(label), group=str(at)) for at, label in enumerate(labels)]


def test_a_row_becomes_a_claim_beside_its_passage_with_what_qualifies_it(tmp_path: Path) -> None:
    row = without(ROW, "evidence") | {
        "passage": "Above 80 degrees the pump stops.",
        "phenomenon": "number",
        "version": "2.1",
        "source_type": "manual",
        "group": "pump/stop",
        "quotes": ["80 degrees"],
        "section": ["Pump", "Heat"],
        "title": "The pump",
        "language": "en",
        "path": "docs/pump.md",
        "orig_label": "entailment",
    }
    cited = Cited(
        words="Above 80 degrees the pump stops.",
        title="The pump",
        version="2.1",
        section=("Pump", "Heat"),
        language="en",
    )
    assert read_labelled([written(tmp_path, row)]) == (
        LabelledClaim(
            id="c-1",
            unit=ReviewUnit(claim="The pump stops at 80 degrees.", passages=(cited,), quotes=("80 degrees",)),
            label=Label.SUPPORTED,
            group="pump/stop",
            phenomenon="number",
            version="2.1",
            source_type="manual",
        ),
    )


def test_a_row_without_an_id_is_named_by_file_and_line_and_is_a_group_of_its_own(tmp_path: Path) -> None:
    (found,) = read_labelled([written(tmp_path, "\n", without(ROW, "id"))])
    assert (found.id, found.group) == ("claims.jsonl:2", "claims.jsonl:2")


def test_the_source_is_the_source_type_unless_the_row_says_another(tmp_path: Path) -> None:
    one, other = ROW | {"source": "wiki"}, OTHER | {"source": "wiki", "source_type": "manual"}
    assert [claim.source_type for claim in read_labelled([written(tmp_path, one, other)])] == ["wiki", "manual"]


def test_several_files_are_read_in_their_order_compressed_ones_too(tmp_path: Path) -> None:
    files = [written(tmp_path, OTHER, name="b.jsonl.gz"), written(tmp_path, ROW, name="a.jsonl")]
    assert [claim.id for claim in read_labelled(files)] == ["c-2", "c-1"]


@pytest.mark.parametrize(
    ("row", "code", "place"),
    [
        (OTHER | {"note": "new"}, "unknown_key", ": note"),
        (OTHER | {"label": "entailed"}, "wrong_type", ": label"),
        (OTHER | {"label": "Supported"}, "wrong_type", ": label"),
        (without(OTHER, "label"), "missing_key", ": label"),
        (without(OTHER, "claim"), "missing_key", ": claim"),
        (OTHER | {"claim": " "}, "wrong_type", ": claim"),
        (OTHER | {"evidence": ""}, "wrong_type", ": evidence"),
        (OTHER | {"passage": "Words."}, "bad_evidence", ": passage"),
        (without(OTHER, "evidence"), "bad_evidence", ""),
        (OTHER | {"quotes": "80 degrees"}, "wrong_type", ": quotes"),
        (OTHER | {"version": 2}, "wrong_type", ": version"),
        ('{"id": "c-2", "id": "c-3"}', "duplicate_key", ""),
        (ROW, "duplicate_id", ": id"),
    ],
)
def test_a_row_that_is_wrong_is_refused_with_its_file_and_line(
    tmp_path: Path, row: object, code: str, place: str
) -> None:
    path = written(tmp_path, ROW, row)
    fault = refusal(path)
    assert (fault.code, fault.where) == (code, f"{path}:2{place}")
    assert fault.remedy


def test_an_id_may_occur_once_in_all_files_together(tmp_path: Path) -> None:
    one, other = written(tmp_path, ROW, name="a.jsonl"), written(tmp_path, ROW, name="b.jsonl")
    fault = refusal(one, other)
    assert (fault.code, fault.where) == ("duplicate_id", f"{other}:1: id")
    assert fault.message == f"id 'c-1' occurs in {one} already"
    assert refusal(one, one).code == "duplicate_id"


@pytest.mark.parametrize("content", [b"", b"plain text", gzip.compress(b"{}")[:-4]], ids=["empty", "plain", "cut off"])
def test_a_file_that_is_no_whole_gzip_file_is_named(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "claims.jsonl.gz"
    path.write_bytes(content)
    fault = refusal(path)
    assert fault.code == ("unreadable_file" if content else "empty_dataset")
    assert fault.where == str(path)


def test_the_split_by_groups_parts_no_group_and_hangs_on_nothing_else() -> None:
    (claim,) = claims("supported")
    first = sha256(claim.group.encode()).hexdigest()[0]
    assert hashed_into(claim, first)
    assert not hashed_into(claim, "0123456789abcdef".replace(first, ""))


def test_the_majority_is_the_most_frequent_label_and_says_how_frequent_supported_is() -> None:
    found = majority(claims("supported", "not_supported", "unresolved", "contradicted"))
    assert found == (Ruling(verdict=Label.UNRESOLVED, supported=0.25),) * 4


def test_of_equally_frequent_labels_the_majority_is_the_first() -> None:
    assert majority(claims("contradicted", "supported"))[0].verdict is Label.SUPPORTED


@pytest.mark.parametrize(
    ("claim", "passage", "share", "verdict"),
    [
        ("The pump stops.", "the PUMP, it stops", 1.0, Label.SUPPORTED),
        ("a b c d e", "a b c", 0.6, Label.SUPPORTED),
        ("a b c d e", "a b", 0.4, Label.UNRESOLVED),
        ("a a a b", "a", 0.5, Label.UNRESOLVED),
        ("pump", "pumps", 0.0, Label.UNRESOLVED),
        ("?!", "?!", 0.0, Label.UNRESOLVED),
    ],
)
def test_overlap_counts_the_different_words_of_the_claim_that_stand_in_the_passage(
    claim: str, passage: str, share: float, verdict: Label
) -> None:
    assert overlap(claims("supported", claim=claim, passage=passage)) == (Ruling(verdict=verdict, supported=share),)
