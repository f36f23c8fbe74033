"""Reading uploads: the parts of a multipart body, within limits from the first byte on, and large ones on disk."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, AsyncIterator, Collection, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from fastapi import Request
from python_multipart.multipart import parse_options_header
from starlette.datastructures import FormData, Headers, UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser

from toulmin.domain.corpus.metadata import Metadata
from toulmin.domain.errors import InputError
from toulmin.ports.source import Upload
from toulmin.surfaces.http.bodies import bounded_stream
from toulmin.surfaces.http.service import service_of
from toulmin.wire import strict_json, strict_yaml
from toulmin.wire.metadata import read_metadata
from toulmin.wire.source import MAX_SOURCE_BYTES

MEDIA_TYPE = "multipart/form-data"
MAX_FILES = 200
"""Files of one request, sidecars among them."""

_FILE, _METADATA, _BODY = "file", "metadata", "body"
_BOUNDARY = re.compile(rb"[0-9A-Za-z'()+_,./:=? -]{1,70}")

BODY: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            MEDIA_TYPE: {
                "schema": {
                    "type": "object",
                    "required": [_FILE],
                    "additionalProperties": False,
                    "properties": {
                        _FILE: {
                            "type": "array",
                            "items": {"type": "string", "format": "binary"},
                            "minItems": 1,
                            "maxItems": MAX_FILES,
                            "description": "Documents, and beside them sidecars that are named FILE.EXT.meta.yaml. A file's name, or "
                            "relative path, is its document's default id, and its ending tells its format.",
                        },
                        _METADATA: {
                            "type": "string",
                            "description": "Defaults for what neither sidecar nor document states, as YAML, or as a JSON object.",
                        },
                    },
                },
            }
        },
    }
}
"""What a description says of an endpoint that reads uploads."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """The parts of a multipart form: files, and texts by name."""

    files: tuple[Upload, ...]
    texts: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Received:
    """What a request brought: files, and the metadata that holds for all of them where they state nothing else."""

    files: tuple[Upload, ...]
    options: Metadata


@asynccontextmanager
async def received(request: Request) -> AsyncIterator[Received]:
    """The parts of a request's body; their files are gone at the end of the block.

    Raises `InputError` for a body that is none of this kind, or of more bytes or parts than allowed, and for parts that are not asked for.
    """
    async with received_parts(request, {_METADATA}) as parts:
        if not parts.files:
            raise InputError("missing_key", "there is no file", where=_BODY, remedy=f"send a part named {_FILE}")
        stated = parts.texts.get(_METADATA)
        yield Received(files=parts.files, options=Metadata() if stated is None else _options(stated, request))


@asynccontextmanager
async def received_parts(request: Request, texts: Collection[str]) -> AsyncIterator[Parts]:
    """The files of a form, and its texts, each of which has one of the names; the files are gone at the end of the block. Raises the same."""
    form = await _parsed(request, most_texts=len(texts))
    try:
        yield _read(form, texts)
    finally:
        await form.close()


class _Parser(MultiPartParser):
    """The library's parser, which takes no body for whole that breaks off: it would leave out the part that was under way."""

    spool_max_size = 64 * 1024  # of each file; the rest is on disk, and what a request holds in memory is little

    def __init__(self, headers: Headers, stream: AsyncGenerator[bytes, None], most_texts: int) -> None:
        self._ended = False
        whole = self._whole(stream)
        super().__init__(headers, whole, max_files=MAX_FILES, max_fields=most_texts, max_part_size=MAX_SOURCE_BYTES)

    def on_end(self) -> None:
        self._ended = True

    async def _whole(self, stream: AsyncGenerator[bytes, None]) -> AsyncGenerator[bytes, None]:
        async for data in stream:
            yield data
        if not self._ended:
            raise MultiPartException("the form ends before its last boundary")


async def _parsed(request: Request, *, most_texts: int) -> FormData:
    """The parts, with their texts as bytes in Latin-1: the library would take what is not UTF-8 for that, and tell nobody."""
    headers = Headers({"content-type": f'{MEDIA_TYPE}; boundary="{_boundary(request)}"; charset=latin-1'})
    parser = _Parser(headers, bounded_stream(request, service_of(request).limits.upload_bytes), most_texts)
    try:
        return await parser.parse()
    except MultiPartException as error:
        advice = f"send one to {MAX_FILES} parts named {_FILE}, and at most one named {_METADATA}"
        raise InputError("bad_multipart", error.message.rstrip("."), where=_BODY, remedy=advice) from None


def _boundary(request: Request) -> str:
    media_type, options = parse_options_header(request.headers.get("content-type"))
    boundary, charset = options.get(b"boundary", b""), options.get(b"charset", b"utf-8")
    if media_type != MEDIA_TYPE.encode() or not _BOUNDARY.fullmatch(boundary) or charset.lower() != b"utf-8":
        raise InputError(
            "unsupported_media_type",
            "the body is no multipart form in UTF-8",
            where="headers: Content-Type",
            remedy=f"send {MEDIA_TYPE} with a boundary, as every HTTP client does for files",
        )
    return boundary.decode()


def _read(form: FormData, texts: Collection[str]) -> Parts:
    files: list[Upload] = []
    found: dict[str, str] = {}
    for name, value in form.multi_items():
        match value:
            case UploadFile() if name == _FILE:
                files.append(Upload(name=_utf8(value.filename or "", _FILE), file=value.file))
            case str() if name in texts and name not in found:
                found[name] = _utf8(value, name)
            case _:
                message = (
                    f"a part {name[:80]!r}, {'as a file' if isinstance(value, UploadFile) else 'without a file name'}"
                )
                advice = f"name files {_FILE}, with a file name, and a text that holds for all of them {_METADATA}"
                raise InputError("unknown_part", message, where=_BODY, remedy=advice)
    return Parts(files=tuple(files), texts=found)


def _options(stated: str, request: Request) -> Metadata:
    """What the metadata part states; a text that begins like a JSON object is one."""
    read = strict_json.parse if stated.lstrip().startswith("{") else strict_yaml.parse
    return read_metadata(read(stated, _METADATA), _METADATA, service_of(request).zone)


def _utf8(latin: str, part: str) -> str:
    try:
        return latin.encode("latin-1").decode()
    except UnicodeDecodeError:
        raise InputError(
            "wrong_encoding", "the text is not UTF-8", where=f"{_BODY}: {part}", remedy="send names and texts in UTF-8"
        ) from None
