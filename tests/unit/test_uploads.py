from __future__ import annotations

from datetime import UTC, datetime
from io import BytesIO

import pytest

from toulmin.adapters.files.uploads import UploadSource
from toulmin.domain.corpus.metadata import Metadata, stated_metadata
from toulmin.domain.errors import InputError
from toulmin.ports.source import Submitted, Upload

NOTHING = Metadata()


def source(*files: tuple[str, bytes], options: Metadata = NOTHING, max_bytes: int = 100) -> UploadSource:
    uploads = tuple(Upload(name=name, file=BytesIO(data)) for name, data in files)
    return UploadSource(files=uploads, zone=UTC, options=options, max_bytes=max_bytes)


def loaded(given: UploadSource) -> dict[str, Submitted | str]:
    """What each entry loads, or the code of its fault."""

    def result(load: object) -> Submitted | str:
        assert callable(load)
        try:
            submitted = load()
        except InputError as fault:
            return fault.code
        assert isinstance(submitted, Submitted)
        return submitted

    return {entry.name: result(entry.load) for entry in given.entries()}


def test_documents_come_in_their_order_each_with_its_sidecar_before_and_the_options_after() -> None:
    options = stated_metadata({"version": "1"})
    found = loaded(
        source(("b.md", b"B"), ("b.md.meta.yaml", b"valid_from: 2026-01-01"), ("a/a.md", b"A"), options=options)
    )
    stated = stated_metadata({"valid_from": datetime(2026, 1, 1, tzinfo=UTC)})
    assert list(found.items()) == [
        ("b.md", Submitted(default_id="b.md", data=b"B", before=(stated,), after=(options,))),
        ("a/a.md", Submitted(default_id="a/a.md", data=b"A", after=(options,))),
    ]


@pytest.mark.parametrize(
    "name",
    [
        "", ".", "..", "../a.md", "a/../../b.md", "/etc/passwd", "a//b.md", "a/", "./a.md", "a\\b.md", "a\nb.md", "a\x00.md",
        "a\x1b[2Jb.md", "\u202egpj.md", "a\u2028.md", "a\ud800.md", " a.md", "a /b.md", "a" * 600,
    ],
)  # fmt: skip
def test_a_name_that_is_no_plain_relative_path_is_refused_with_all_of_the_request(name: str) -> None:
    with pytest.raises(InputError, match="cannot be named") as caught:
        list(source(("good.md", b"A"), (name, b"A")).entries())
    assert caught.value.code == "bad_name"
    assert caught.value.message.isprintable()


def test_two_files_of_one_name_are_refused_since_nobody_knows_which_is_meant() -> None:
    with pytest.raises(InputError, match=r"2 files are named a\.md"):
        list(source(("a.md", b"A"), ("a.md", b"B")).entries())


def test_one_id_for_several_documents_is_refused_and_for_one_is_taken() -> None:
    options = stated_metadata({"id": "A"})
    with pytest.raises(InputError, match="all 2 documents"):
        list(source(("a.md", b"A"), ("b.md", b"B"), options=options).entries())
    assert list(loaded(source(("a.md", b"A"), ("a.md.meta.yaml", b"title: T"), options=options))) == ["a.md"]


def test_what_looks_like_a_sidecar_and_is_none_stops_the_document_beside_it_and_no_other() -> None:
    found = loaded(source(("a.md", b"A"), ("a.md.meta.yml", b"readers: []"), ("c.md.meta.yaml", b""), ("b.md", b"B")))
    assert isinstance(found.pop("b.md"), Submitted)
    assert found == {"a.md": "misnamed_sidecar", "a.md.meta.yml": "misnamed_sidecar", "c.md.meta.yaml": "no_such_file"}


def test_what_is_too_large_or_wrong_is_refused_by_itself() -> None:
    found = loaded(
        source(("a.md", b"A" * 101), ("b.md", b"B"), ("b.md.meta.yaml", b"reader: [x]"), ("c.md", b"C" * 100))
    )
    assert isinstance(found.pop("c.md"), Submitted)
    assert found == {"a.md": "too_large", "b.md": "unknown_key"}
