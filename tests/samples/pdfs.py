"""Small PDF files, written by hand."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain


def pdf(
    pages: Sequence[str],
    *,
    labels: str = "",
    more: str = "",
    outline: Sequence[tuple[str, int, int]] = (),
    annotations: Sequence[str] = (),
    sheet: str = "/MediaBox [0 0 612 792]",
) -> bytes:
    """A file with a text a page, a line for each of its lines, the first 700 points above the lower edge, and each 20 below the one before.

    `labels` is the number tree of page labels (`0 << /S /r >>`), `more` stands in the catalogue, and `outline` has title, page
    index and height of each bookmark. `annotations` are what the dictionaries of annotations of the first page say beside
    their type and place; those of fields are in the form. `sheet` is what every page says of its size.
    """
    first = 4
    kids = " ".join(f"{first + 2 * at} 0 R" for at in range(len(pages)))
    tree = f"/PageLabels << /Nums [{labels}] >>" if labels else ""
    marks = first + 2 * len(pages)
    outlines = f"/Outlines {marks} 0 R" if outline else ""
    bookmarks = _outline(marks, first, outline)
    notes = [f"{marks + len(bookmarks) + at} 0 R" for at in range(len(annotations))]
    fields = " ".join(note for note, said in zip(notes, annotations, strict=True) if "/FT" in said)
    form = f"/AcroForm << /Fields [{fields}] >>" if fields else ""
    objects = [
        f"<< /Type /Catalog /Pages 2 0 R {tree} {outlines} {form} {more} >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
        *chain.from_iterable(_page(first + 2 * at, text, () if at else notes, sheet) for at, text in enumerate(pages)),
        *bookmarks,
        *(f"<< /Type /Annot /Rect [72 100 300 140] {said} >>" for said in annotations),
    ]
    body = b"%PDF-1.7\n"
    offsets = []
    for number, content in enumerate(objects, 1):
        offsets.append(len(body))
        body += f"{number} 0 obj\n{content}\nendobj\n".encode("latin-1")
    table = "".join(f"{offset:010} 00000 n \n" for offset in offsets)
    trailer = f"trailer << /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{len(body)}\n%%EOF\n"
    return body + f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}{trailer}".encode("latin-1")


def _page(number: int, text: str, annotations: Sequence[str], sheet: str) -> tuple[str, str]:
    lines = "".join(f"({line}) Tj 0 -20 Td " for line in text.split("\n")) if text else ""
    content = f"BT /F1 12 Tf 72 700 Td {lines}ET"
    notes = f"/Annots [{' '.join(annotations)}]" if annotations else ""
    resources = "/Resources << /Font << /F1 3 0 R >> >>"
    page = f"<< /Type /Page /Parent 2 0 R {sheet} /Contents {number + 1} 0 R {resources} {notes} >>"
    return page, f"<< /Length {len(content)} >>\nstream\n{content}\nendstream"


def _outline(number: int, first_page: int, entries: Sequence[tuple[str, int, int]]) -> list[str]:
    if not entries:
        return []
    last = number + len(entries)
    root = f"<< /Type /Outlines /First {number + 1} 0 R /Last {last} 0 R /Count {len(entries)} >>"
    marks = []
    for at, (title, page, height) in enumerate(entries, number + 1):
        neighbours = (f"/Prev {at - 1} 0 R " if at > number + 1 else "") + (f"/Next {at + 1} 0 R" if at < last else "")
        marks.append(
            f"<< /Title ({title}) /Parent {number} 0 R {neighbours} /Dest [{first_page + 2 * page} 0 R /XYZ 72 {height} 0] >>"
        )
    return [root, *marks]
