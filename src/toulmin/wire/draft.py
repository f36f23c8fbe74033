"""The exchange with a model: the JSON object that it is given, and the strict reading of what it gives back.

A reply is taken whole or not at all. What stands around its one JSON object may be stripped (reasoning in `<think>` tags in front, a code
fence, words in front); nothing inside is changed, and nothing is repaired. Codes of a reply that is not taken, in the order of the checks:

```text
truncated         cut off: by the provider's word, or the JSON or the reasoning ends early
refused           by the provider's word, or words that only say that the model will not or can not answer
not_utf8          a lone surrogate, in the text or escaped in a string
empty_output      nothing but white space and reasoning
duplicate_key     at any depth
not_finite        NaN, an infinity, or a number beyond all floats
malformed         JSON that cannot be read; a two-line form that is not exactly that
no_object         no JSON object at all, no two-line form, no refusal
trailing_data     anything after the object
unknown_field     at any depth
missing_field     `segments`, `text` or `evidence_ids`
wrong_type        anything that is not of its field's type, a fact that can be no id too; nothing is taken for something else
fact_not_named    a two-line reply in licensed mode, where a sentence has to name its fact
```

What the sentences, ids and limits are is `toulmin.domain.claims.draft.validate`'s to judge.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from typing import Never

from pydantic_core import PydanticCustomError

from toulmin.domain.claims.draft import DraftRequest, EvidenceItem, Rejected, Segment
from toulmin.wire.scalars import identifier

_CUT_OFF = frozenset({"length", "max_tokens", "model_length"})
_REFUSALS = frozenset({"content_filter", "refusal"})
"""Finish reasons as servers spell them; every other one, and none, is an ordinary end."""

_REASONING = re.compile(r"(?:<(think|thinking|reasoning)>.*?</\1>\s*)*", re.DOTALL)
_OPEN_REASONING = re.compile(r"<(?:think|thinking|reasoning)>")
_OPEN_FENCE = re.compile(r"```[A-Za-z]*\s*$")
_OPENING = re.compile(r"[{\[]")
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*+"|["{}\[\]]', re.DOTALL)
"""What gives JSON its shape: a whole string, a quotation mark whose string has no end, a bracket."""

_TWO_LINES = re.compile(r"Citations:(?P<ids>[^\r\n]*)\r?\nAnswer:(?P<answer>[^\r\n]*)")
_REFUSAL = re.compile(
    r"(?:(?:I['\u2019]m|I am) (?:very |really )?sorry|Sorry|I apologi[sz]e|Unfortunately|As an AI(?: language)? model)?[,.;:]?\s*"
    r"(?:but )?I (?:can(?:['\u2019]t|not| not)|won['\u2019]t|will not|am (?:unable|not able) to|must decline)\b",
    re.IGNORECASE,
)
_LONGEST_REFUSAL = 600


class _Fault(Exception):
    """Ends the reading of a reply where its first fault is found."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


def request_json(request: DraftRequest) -> str:
    """What a model is given, as one JSON object: evidence is escaped as JSON strings are, so that no text of it can end them."""
    licensed = (
        {}
        if request.licensed is None
        else {
            "licensed": [
                {"fact": item.fact, "clause": item.clause, "evidence_id": item.evidence_id} for item in request.licensed
            ]
        }
    )
    content = {
        "question": request.question,
        "case": dict(request.case),
        "evidence": [_evidence(item) for item in request.evidence],
        "conflicting": [_evidence(item) for item in request.conflicting],
        **licensed,
    }
    return json.dumps(content, ensure_ascii=False, allow_nan=False)


def _evidence(item: EvidenceItem) -> Mapping[str, object]:
    return {
        "evidence_id": item.id,
        "passage": item.passage,
        "title": item.title,
        "author": item.author,
        "section": item.section,
        "pages": item.pages,
        "version": item.version,
    }


def parse_reply(text: str, *, finish_reason: str | None, licensed: bool) -> tuple[Segment, ...] | Rejected:
    """The segments of a model's reply, ids unresolved; or the first fault, which rejects all of it.

    Without a JSON object the reply may have the two-line form `Citations: id, id` / `Answer: sentence`: exactly these two lines, one
    segment. Or it may be a refusal: at most 600 characters that begin with one of the common English ways of saying so.
    """
    try:
        return _segments(text, finish_reason, licensed=licensed)
    except _Fault as fault:
        return Rejected(code=fault.code)


def strict_object(text: str) -> Mapping[str, object]:
    """The JSON object that a text is, as strict about keys and numbers as `parse_reply`; raises `ValueError` for all else."""
    try:
        return _mapping(_decoded(text))
    except _Fault as fault:
        raise ValueError(fault.code) from None


def _segments(text: str, finish_reason: str | None, *, licensed: bool) -> tuple[Segment, ...]:
    if finish_reason in _CUT_OFF:
        raise _Fault("truncated")
    if finish_reason in _REFUSALS:
        raise _Fault("refused")
    body = _without_reasoning(_utf8(text).strip())
    if not body:
        raise _Fault("empty_output")
    if body.startswith("Citations:"):
        return (_two_lines(body, licensed=licensed),)
    reply = _fields(_container(body), required=("segments",))
    return tuple(_segment(item, licensed=licensed) for item in _list(reply["segments"]))


def _without_reasoning(text: str) -> str:
    """The text after the reasoning in front of it; tags anywhere else are text."""
    rest = _REASONING.sub("", text, count=1)  # it always matches, at the beginning
    if _OPEN_REASONING.match(rest):
        raise _Fault("truncated")
    return rest


def _container(text: str) -> object:
    """The first JSON value with an object in it, which has to be the last thing in the text.

    Brackets without an object are words, such as `[1]`. Those that hold no JSON are passed over whole: an object that stands inside of
    something that cannot be read is a part of it.
    """
    place, last, broken = 0, text.rfind("{"), False
    while (opening := _OPENING.search(text, place)) is not None and opening.start() <= last:
        start, place = opening.start(), _closed(text, opening.start())
        if text.find("{", start, place) < 0:
            continue
        try:
            value = _decoded(text[start:place])
        except json.JSONDecodeError:
            broken = True
            continue
        fence = "```" if _OPEN_FENCE.search(text, 0, start) else ""
        if text[place:].strip() not in {"", fence}:
            raise _Fault("trailing_data")
        return value
    if broken:
        raise _Fault("malformed")
    raise _Fault("refused" if len(text) <= _LONGEST_REFUSAL and _REFUSAL.match(text) else "no_object")


def _closed(text: str, start: int) -> int:
    """Where the bracket at `start` is closed, behind its partner."""
    depth = 0
    for token in _TOKEN.finditer(text, start):
        match token[0]:
            case "{" | "[":
                depth += 1
            case "}" | "]":
                depth -= 1
            case '"':
                break
        if depth == 0:
            return token.end()
    raise _Fault("truncated")


def _decoded(text: str) -> object:
    """The value of a JSON text. Not `strict_json`, which tells a person what to mend: these faults have codes of their own."""
    try:
        return json.loads(
            text, object_pairs_hook=_object, parse_constant=_not_finite, parse_float=_finite, parse_int=_whole
        )
    except RecursionError:
        raise _Fault("malformed") from None


def _object(pairs: Sequence[tuple[str, object]]) -> dict[str, object]:
    entries = dict(pairs)
    if len(entries) < len(pairs):
        raise _Fault("duplicate_key")
    return entries


def _not_finite(_name: str) -> Never:
    raise _Fault("not_finite")


def _finite(text: str) -> float:
    value = float(text)
    return value if math.isfinite(value) else _not_finite(text)


def _whole(text: str) -> float:
    """A whole number; beyond 64 bits as a float, since Python refuses to read thousands of digits."""
    return int(text) if len(text) < 20 else _finite(text)


def _two_lines(text: str, *, licensed: bool) -> Segment:
    form = _TWO_LINES.fullmatch(text)
    if form is None:
        raise _Fault("malformed")
    if licensed:
        raise _Fault("fact_not_named")
    ids = tuple(word.strip() for word in form["ids"].split(",")) if form["ids"].strip() else ()
    return Segment(text=form["answer"].strip(), evidence_ids=ids)


def _segment(value: object, *, licensed: bool) -> Segment:
    optional = ("quotes", "fact") if licensed else ("quotes",)
    fields = _fields(value, required=("text", "evidence_ids"), optional=optional)
    return Segment(
        text=_text(fields["text"]),
        evidence_ids=_texts(fields["evidence_ids"]),
        quotes=_texts(fields.get("quotes", [])),
        fact=_fact(fields["fact"]) if "fact" in fields else None,
    )


def _fields(value: object, *, required: Sequence[str], optional: Sequence[str] = ()) -> Mapping[str, object]:
    given = _mapping(value)
    if not given.keys() <= {*required, *optional}:
        raise _Fault("unknown_field")
    if not given.keys() >= {*required}:
        raise _Fault("missing_field")
    return given


def _mapping(value: object) -> Mapping[str, object]:
    if not isinstance(value, dict):
        raise _Fault("wrong_type")
    return value


def _list(value: object) -> list[object]:
    if not isinstance(value, list):
        raise _Fault("wrong_type")
    return value


def _texts(value: object) -> tuple[str, ...]:
    return tuple(map(_text, _list(value)))


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise _Fault("wrong_type")
    return _utf8(value)


def _fact(value: object) -> str:
    """A fact's id: whatever else a model writes there must not be shown or kept as one."""
    try:
        return identifier(value)
    except PydanticCustomError:
        raise _Fault("wrong_type") from None


def _utf8(text: str) -> str:
    """The same text, which UTF-8 can say: JSON's escapes can write halves of characters."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise _Fault("not_utf8") from None
    return text
