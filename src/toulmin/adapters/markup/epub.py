"""EPUB: the chapters of a book in the order of its spine, each read as the page that it is."""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree.ElementTree import Element

from toulmin.adapters.markup.archive import Archive, resolved
from toulmin.adapters.markup.html import decoded, witness, write_page
from toulmin.adapters.markup.writer import Writer, one_line

_CONTAINER = "META-INF/container.xml"
_ENCRYPTION = "META-INF/encryption.xml"
_PAGES = frozenset({"application/xhtml+xml", "text/html", "image/svg+xml", "application/x-dtbook+xml"})


def read_epub(archive: Archive, name: str, writer: Writer) -> str:
    """Writes a book; returns the words of its pages' markup. What is not in the spine (a table of contents, say) is not read."""
    package_part = _package_part(archive)
    package = archive.xml(package_part)
    writer.title = _stated(package, "title")
    writer.author = _stated(package, "creator")
    writer.language = _stated(package, "language")
    witnesses = []
    for part in _spine(archive, package, package_part):
        markup, _ = decoded(archive.read(part), f"{name}: {part}")
        writer.chapter()
        write_page(markup, writer)
        witnesses.append(witness(markup))
    return "\n".join(witnesses)


def _package_part(archive: Archive) -> str:
    root = archive.xml(_CONTAINER)
    path = next((element.get("full-path") for element in root.iterfind(".//{*}rootfile")), None)
    if not path:
        raise archive.malformed(f"{_CONTAINER} names no package")
    return path


def _stated(package: Element, name: str) -> str | None:
    """The first non-empty value of a Dublin Core element: EPUB ranks several by their order."""
    values = (
        one_line("".join(element.itertext())) for element in package.iter(f"{{http://purl.org/dc/elements/1.1/}}{name}")
    )
    return next(filter(None, values), None)


def _spine(archive: Archive, package: Element, package_part: str) -> Iterator[str]:
    """The parts in reading order, those that are reached by a link only where the spine has them."""
    items = {item.get("id"): item for item in package.iterfind(".//{*}item")}
    locked = _locked(archive)
    for reference in package.iterfind(".//{*}itemref"):
        item = items.get(reference.get("idref"))
        if item is None:
            raise archive.malformed("its spine names an item that the manifest does not have")
        part = resolved(package_part, item.get("href", ""))
        if part in locked:
            raise archive.encrypted()
        if item.get("media-type") in _PAGES:
            yield part


def _locked(archive: Archive) -> frozenset[str]:
    root = archive.optional_xml(_ENCRYPTION)
    references = () if root is None else root.iterfind(".//{*}CipherReference")
    return frozenset(resolved("", reference.get("URI", "")) for reference in references)
