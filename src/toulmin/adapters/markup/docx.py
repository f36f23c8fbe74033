"""DOCX: the body of a Word document with its headings, lists and tables, then its notes, headers and footers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from xml.etree.ElementTree import Element

from toulmin.adapters.markup.archive import Archive
from toulmin.adapters.markup.office import main_part, read_properties, witness
from toulmin.adapters.markup.writer import Writer
from toulmin.domain.corpus.passages import BlockKind

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
_HEADING_NAME = re.compile(r"heading ([1-9])")
_BESIDE = ("footnotes", "endnotes", "header", "footer")
_COMMENTS = "comments"
_OFF = ("0", "false", "off", "none")

_SIGNS = {f"{_W}tab": "\t", f"{_W}br": "\n", f"{_W}cr": "\n", f"{_W}noBreakHyphen": "-", f"{_W}ptab": "\t"}
_NOTES = (f"{_W}footnote", f"{_W}endnote")
_OWN_MARKS = (f"{_W}footnoteRef", f"{_W}endnoteRef")
_MARKS = (f"{_W}footnoteReference", f"{_W}endnoteReference", *_OWN_MARKS)
_UNREAD = frozenset({_FALLBACK, f"{_W}del", f"{_W}moveFrom"})
"""The other form of what stands beside it already, and what a tracked change took out."""


def read_docx(archive: Archive, writer: Writer) -> str:
    """Writes a document; returns the words of its markup. Comments are about the text and no part of it, which a warning says."""
    read_properties(archive, writer)
    main = main_part(archive)
    relations = archive.relations(main)
    document = _Document(writer, _heading_levels(archive, relations))
    body = archive.xml(main)
    if body.tag != f"{_W}document":
        raise archive.malformed("its main part is no Word document in the usual form")
    document.write(body)
    beside = sorted({part for kind, part in relations.values() if kind in _BESIDE}, key=_reading_order)
    for part in beside:
        writer.chapter()
        root = archive.xml(part)
        _number_notes(root)
        document.write(root)
    if any(kind == _COMMENTS for kind, _ in relations.values()):
        writer.warnings.append("the comments in the margin are not in the text")
    return witness(archive, (main, *beside))


def _number_notes(root: Element) -> None:
    """Gives the mark at the start of each note the number that the text refers to it by."""
    for note in root:
        if note.tag in _NOTES:
            for tag in _OWN_MARKS:
                for mark in note.iter(tag):
                    mark.set(f"{_W}id", note.get(f"{_W}id", ""))


def _reading_order(part: str) -> tuple[int, str]:
    file = part.rpartition("/")[2]
    return next((at for at, kind in enumerate(_BESIDE) if file.startswith(kind)), len(_BESIDE)), part


def _heading_levels(archive: Archive, relations: Mapping[str, tuple[str, str]]) -> Mapping[str, int]:
    """Style id to heading level, for the styles that make headings: by their outline level or name, or by the style they are based on."""
    styles = next((part for kind, part in relations.values() if kind == "styles"), None)
    root = None if styles is None else archive.optional_xml(styles)
    levels: dict[str, int] = {}
    based: dict[str, str] = {}
    for style in () if root is None else root.iter(f"{_W}style"):
        style_id = style.get(f"{_W}styleId", "")
        based[style_id] = _value(style.find(f"{_W}basedOn"))
        if level := _own_level(style):
            levels[style_id] = level
    inherited = {style: _inherited(style, levels, based) for style in based}
    return {style: level for style, level in inherited.items() if level is not None}


def _inherited(style: str, levels: Mapping[str, int], based: Mapping[str, str]) -> int | None:
    """The level of a style, or of the nearest one that it is based on."""
    seen: set[str] = set()
    while (
        style not in levels and style in based and style not in seen
    ):  # a damaged file may base two styles on each other
        seen.add(style)
        style = based[style]
    return levels.get(style)


def _own_level(style: Element) -> int | None:
    name = _value(style.find(f"{_W}name")).lower()
    if name == "title":
        return 1
    if found := _HEADING_NAME.fullmatch(name):
        return int(found[1])
    return _outline_level(style.find(f"{_W}pPr"))


def _outline_level(properties: Element | None) -> int | None:
    """The heading level of an outline level (0 to 8; 9 is body text)."""
    level = "" if properties is None else _value(properties.find(f"{_W}outlineLvl"))
    return int(level) + 1 if level in tuple("012345678") else None


def _value(element: Element | None) -> str:
    return "" if element is None else element.get(f"{_W}val", "")


@dataclass(slots=True)
class _Document:
    """Writes the parts of a document, one after the other."""

    writer: Writer
    levels: Mapping[str, int]

    def write(self, root: Element) -> None:
        """Writes the paragraphs and tables of a part, in order; neighbouring list items become one list."""
        items: list[str] = []
        for element in _blocks(root):
            item = self._item(element)
            if item is None:
                self._end_list(items)
                self._block(element)
            else:
                items.append(item)
        self._end_list(items)

    def _end_list(self, items: list[str]) -> None:
        self.writer.block("\n".join(items), BlockKind.LIST)
        items.clear()

    def _item(self, element: Element) -> str | None:
        """The line of a list item; None for what is none."""
        properties = element.find(f"{_W}pPr")
        numbering = None if properties is None else properties.find(f"{_W}numPr")
        if element.tag != f"{_W}p" or numbering is None or self._level(element) is not None:
            return None
        depth = _value(numbering.find(f"{_W}ilvl"))
        words = _line(_words(element))
        return "  " * (int(depth) if depth in tuple("12345678") else 0) + f"- {words}" if words else ""

    def _block(self, element: Element) -> None:
        if element.tag == f"{_W}tbl":
            self.writer.table(
                [[_cell(cell) for cell in _children(row, f"{_W}tc")] for row in _children(element, f"{_W}tr")]
            )
        elif (level := self._level(element)) is not None:
            self.writer.heading(level, _words(element))
        else:
            self.writer.block(_words(element).strip())

    def _level(self, paragraph: Element) -> int | None:
        properties = paragraph.find(f"{_W}pPr")
        if properties is None:
            return None
        return _outline_level(properties) or self.levels.get(_value(properties.find(f"{_W}pStyle")))


def _blocks(element: Element) -> Iterator[Element]:
    """The outermost paragraphs and tables below an element; text boxes follow the paragraph that they hang on."""
    for child in element:
        if child.tag == f"{_W}p":
            yield child
            for box in _boxes(child):
                yield from _blocks(box)
        elif child.tag == f"{_W}tbl":
            yield child
        elif child.tag not in _UNREAD:
            yield from _blocks(child)


def _boxes(element: Element) -> Iterator[Element]:
    for child in element:
        if child.tag == f"{_W}txbxContent":
            yield child
        elif child.tag not in _UNREAD:
            yield from _boxes(child)


def _children(element: Element, tag: str) -> Iterator[Element]:
    """The nearest elements of a tag below, whatever wraps them, but not those of a table inside."""
    for child in element:
        if child.tag == tag:
            yield child
        elif child.tag != f"{_W}tbl" and child.tag not in _UNREAD:
            yield from _children(child, tag)


def _cell(cell: Element) -> str:
    """The words of a cell; those of a table inside of it are kept apart by spaces."""
    return " ".join(_words(paragraph) for block in _blocks(cell) for paragraph in block.iter(f"{_W}p"))


def _words(paragraph: Element) -> str:
    """The words of a paragraph that a reader sees, without those of its text boxes."""
    parts: list[str] = []
    _collect(paragraph, parts)
    return "".join(parts)


def _collect(element: Element, parts: list[str]) -> None:
    for child in element:
        if child.tag == f"{_W}t":
            parts.append(child.text or "")
        elif child.tag in _SIGNS:
            parts.append(_SIGNS[child.tag])
        elif child.tag in _MARKS:
            parts.append(f"[{child.get(f'{_W}id', '')}]")
        elif child.tag == f"{_W}r":
            _collect_run(child, parts)
        elif child.tag != f"{_W}txbxContent" and child.tag not in _UNREAD:
            _collect(child, parts)


def _collect_run(run: Element, parts: list[str]) -> None:
    """The words of a run; raised ones get a sign before them, or ten to the sixth would read as a hundred and six."""
    properties = run.find(f"{_W}rPr")
    if properties is not None:
        hidden = properties.find(f"{_W}vanish")
        if hidden is not None and _value(hidden) not in _OFF:
            return
        raised = _value(properties.find(f"{_W}vertAlign")) == "superscript" and run.find(f"{_W}t") is not None
        if raised and parts and parts[-1][-1:].isalnum():
            parts.append("^")
    _collect(run, parts)


def _line(words: str) -> str:
    return " ".join(words.split())
