"""The files that pages are shown with. Their addresses hold their digests: a browser may keep them for ever, and never shows an old one."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from importlib.resources import files

from fastapi import APIRouter
from starlette.exceptions import HTTPException
from starlette.responses import Response

from toulmin.surfaces.web.headers import NOSNIFF, POLICY

_MEDIA_TYPES = {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}
_MARK_LENGTH = 16

router = APIRouter(include_in_schema=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asset:
    """A file with its media type, and the address that it has as long as its bytes are these."""

    address: str
    media_type: str
    data: bytes


def _asset(name: str, data: bytes) -> Asset:
    mark = sha256(data).hexdigest()[:_MARK_LENGTH]
    return Asset(address=f"/static/{mark}/{name}", media_type=_MEDIA_TYPES[name.rpartition(".")[2]], data=data)


_ASSETS = {file.name: _asset(file.name, file.read_bytes()) for file in (files(__package__) / "static").iterdir()}


def address(name: str) -> str:
    """Where a file is; raises `KeyError` where there is none of the name."""
    return _ASSETS[name].address


@router.get("/static/{mark}/{name}")
async def static(mark: str, name: str) -> Response:
    """A file, for anybody: there is nothing in it that is not in the program."""
    asset = _ASSETS.get(name)
    if asset is None or asset.address != f"/static/{mark}/{name}":
        raise HTTPException(404)
    headers = {"Cache-Control": "public, max-age=31536000, immutable", **NOSNIFF, **POLICY}
    return Response(asset.data, media_type=asset.media_type, headers=headers)
