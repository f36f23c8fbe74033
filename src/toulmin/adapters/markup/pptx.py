"""PPTX: the slides of a presentation, each a page below its title, with its tables and the speaker's notes."""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree.ElementTree import Element

from toulmin.adapters.markup.archive import Archive
from toulmin.adapters.markup.office import main_part, read_properties, witness
from toulmin.adapters.markup.writer import Writer

_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
_ID = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
_TITLES = frozenset({"title", "ctrTitle"})
_SEPARATE = ("notesSlide", "diagramData")


def read_pptx(archive: Archive, writer: Writer) -> str:
    """Writes a presentation; returns the words of its slides' markup."""
    read_properties(archive, writer)
    main = main_part(archive)
    relations = archive.relations(main)
    presentation = archive.xml(main)
    if presentation.tag != f"{_P}presentation":
        raise archive.malformed("its main part is no presentation in the usual form")
    read = []
    for entry in presentation.iter(f"{_P}sldId"):
        kind, slide = relations.get(entry.get(_ID, ""), ("", ""))
        if kind != "slide":
            raise archive.malformed("its list of slides names one that is not there")
        read.append(slide)
        writer.chapter()
        _write_slide(archive.xml(slide), writer)
        for kind, part in sorted(archive.relations(slide).values()):
            if kind in _SEPARATE:
                read.append(part)
                _write_shapes(archive.xml(part), writer)
        writer.end_page()
    return witness(archive, read)


def _write_slide(slide: Element, writer: Writer) -> None:
    """The title first, wherever it stands among the shapes."""
    for title in (shape for shape in _shapes(slide) if _placeholder(shape) in _TITLES):
        writer.heading(1, _words(title))
    _write_shapes(slide, writer)


def _write_shapes(slide: Element, writer: Writer) -> None:
    for shape in _shapes(slide):
        if shape.tag == f"{_A}tbl":
            writer.table([[_words(cell) for cell in row.iter(f"{_A}tc")] for row in shape.iter(f"{_A}tr")])
        elif _placeholder(shape) not in _TITLES:
            writer.block(_words(shape))


def _shapes(element: Element) -> Iterator[Element]:
    """Shapes with text of their own, tables, and the points of a diagram, in order, those in groups as well."""
    for child in element:
        if child.tag == f"{_P}sp" or child.tag in (
            f"{_A}tbl",
            "{http://schemas.openxmlformats.org/drawingml/2006/diagram}pt",
        ):
            yield child
        elif child.tag != _FALLBACK:
            yield from _shapes(child)


def _placeholder(shape: Element) -> str | None:
    found = next(shape.iter(f"{_P}ph"), None)
    return None if found is None else found.get("type", "body")


def _words(element: Element) -> str:
    """The paragraphs of a shape or cell, a line each."""
    paragraphs = ("".join(_pieces(paragraph)) for paragraph in element.iter(f"{_A}p"))
    return "\n".join(paragraph for paragraph in paragraphs if paragraph.strip())


def _pieces(paragraph: Element) -> Iterator[str]:
    """The words of a paragraph, without the fields that number and date a slide; raised ones after a sign, lest 10^6 read as 106."""
    before = ""
    for run in paragraph:
        if run.tag == f"{_A}br":
            yield "\n"
            before = ""
        elif run.tag == f"{_A}r":
            words = "".join(text.text or "" for text in run.iter(f"{_A}t"))
            if words and before[-1:].isalnum() and _is_raised(run):
                yield "^"
            yield words
            before = words or before


def _is_raised(run: Element) -> bool:
    properties = run.find(f"{_A}rPr")
    baseline = "0" if properties is None else properties.get("baseline", "0")
    return baseline[:1] not in ("0", "-")
