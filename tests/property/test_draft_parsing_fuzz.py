"""Whatever a model writes, reading it ends in segments or in one of the published codes; and what is taken was there."""

from __future__ import annotations

import json
import re

from hypothesis import given
from hypothesis import strategies as st

from toulmin.domain.claims.draft import Rejected, Segment
from toulmin.wire import draft
from toulmin.wire.draft import parse_reply

CODES = frozenset(re.findall(r"^([a-z_0-9]+)  ", draft.__doc__ or "", re.MULTILINE))

texts = st.text(max_size=40)
segments = st.builds(
    Segment,
    text=texts,
    evidence_ids=st.lists(texts, max_size=3).map(tuple),
    quotes=st.lists(texts, max_size=2).map(tuple),
    fact=st.none() | st.text(st.characters(categories=["L", "N"]), min_size=1),
)
replies = st.lists(segments, max_size=3).map(tuple)

SIGNS = (
    *'{}[]",:\\`', "```json\n", "```", "<think>", "</think>", "\\u0000", "\\ud800", "\ud800", "\ufffd", "NaN", "1e999", "-", "9" * 5000,
    '"segments"', '"segments": []', '{"segments": []}', '"text"', '"evidence_ids"', '"fact": "f"', "Citations: e1\n", "Answer: A.",
    "I cannot help.", "null", "true", "\n", " ", "// x", "\u2028",
)  # fmt: skip


def written(reply: tuple[Segment, ...], *, ascii_only: bool) -> str:
    """A reply as a model would write it."""
    content = {
        "segments": [
            {"text": s.text, "evidence_ids": s.evidence_ids, "quotes": s.quotes}
            | ({} if s.fact is None else {"fact": s.fact})
            for s in reply
        ]
    }
    return json.dumps(content, ensure_ascii=ascii_only)


def check(text: str, finish_reason: str | None, *, licensed: bool) -> None:
    result = parse_reply(text, finish_reason=finish_reason, licensed=licensed)
    if isinstance(result, Rejected):
        assert result.code in CODES
    else:
        for segment in result:
            assert licensed or segment.fact is None
            for found in (segment.text, *segment.evidence_ids, *segment.quotes, segment.fact or ""):
                assert found.encode().decode() == found


finish_reasons = st.none() | st.sampled_from(["stop", "length", "content_filter", "tool_calls"]) | texts


def test_the_published_codes_are_found() -> None:
    assert {"truncated", "malformed", "not_utf8", "fact_not_named"} < CODES


@given(st.text(st.characters()) | st.lists(st.sampled_from(SIGNS)).map("".join), finish_reasons, st.booleans())
def test_any_text_ends_in_segments_or_in_a_published_code(text: str, finish_reason: str | None, licensed: bool) -> None:
    check(text, finish_reason, licensed=licensed)


@given(replies, st.booleans(), st.booleans(), st.data())
def test_a_sound_reply_that_was_tampered_with_does_too(
    reply: tuple[Segment, ...], ascii_only: bool, licensed: bool, data: st.DataObject
) -> None:
    text = written(reply, ascii_only=ascii_only)
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, min(len(text), start + 8)))
    check(text[:start] + data.draw(st.sampled_from(SIGNS) | texts) + text[end:], "stop", licensed=licensed)


@given(
    replies,
    st.booleans(),
    st.sampled_from(["{}", "```json\n{}\n```", "```{}```", "<think>{{ or [</think>{}", "Here: {}\n"]),
)
def test_a_sound_reply_is_taken_exactly_as_it_was_meant(
    reply: tuple[Segment, ...], ascii_only: bool, around: str
) -> None:
    text = around.format(written(reply, ascii_only=ascii_only))
    assert parse_reply(text, finish_reason="stop", licensed=True) == reply


@given(replies, st.booleans(), st.data())
def test_no_beginning_of_a_reply_is_ever_taken(
    reply: tuple[Segment, ...], ascii_only: bool, data: st.DataObject
) -> None:
    text = written(reply, ascii_only=ascii_only)
    cut = text[: data.draw(st.integers(1, len(text) - 1))]
    assert parse_reply(cut, finish_reason="stop", licensed=True) == Rejected(code="truncated")
