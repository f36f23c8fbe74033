"""What Word and PowerPoint files have in common: their properties and the words of their markup."""

from __future__ import annotations

import re
from collections.abc import Iterable

from toulmin.adapters.markup.archive import Archive
from toulmin.adapters.markup.writer import Writer, one_line

_PROPERTIES = "docProps/core.xml"


def read_properties(archive: Archive, writer: Writer) -> None:
    """Title, author and language, where the file states them."""
    root = archive.optional_xml(_PROPERTIES)
    if root is not None:
        stated = {element.tag.rpartition("}")[2]: one_line(element.text or "") for element in root}
        writer.title = stated.get("title") or None
        writer.author = stated.get("creator") or None
        writer.language = stated.get("language") or None


def main_part(archive: Archive) -> str:
    """The part that the package begins with."""
    parts = (part for kind, part in archive.relations("").values() if kind == "officeDocument")
    found = next(parts, None)
    if found is None:
        raise archive.malformed("it names no main part")
    return found


_SAID_TWICE = re.compile(r"<mc:Fallback>.*?</mc:Fallback>|<a:fld\b.*?</a:fld>", re.DOTALL)
"""The other form of what stands beside it, and fields that number and date the slides."""
_WORD_END = re.compile(r"</(?:\w+:)?(?:p|tc)>|<(?:\w+:)?(?:br|tab|cr)\b[^>]*/>|<w:vertAlign\b[^>]*>|\bbaseline=")
"""Where a word ends: with its paragraph, at a break, and where the next letters stand higher."""
_RUN_OF_TEXT = re.compile(r"<((?:\w+:)?t)(?:\s[^>]*)?>([^<]*)</\1>")
_ENTITIES = {"&lt;": "<", "&gt;": ">", "&quot;": '"', "&apos;": "'", "&amp;": "&"}
_ENTITY = re.compile("|".join(_ENTITIES))


def witness(archive: Archive, parts: Iterable[str]) -> str:
    """The words of the markup by another way: what stands in text elements, without regard to anything around them."""
    return "\n".join(_words(archive.read(part).decode("utf-8", errors="replace")) for part in parts)


def _words(markup: str) -> str:
    pieces = (_RUN_OF_TEXT.findall(piece) for piece in _WORD_END.split(_SAID_TWICE.sub("", markup)))
    joined = "\n".join("".join(words for _, words in runs) for runs in pieces)
    return _ENTITY.sub(lambda entity: _ENTITIES[entity[0]], joined)
