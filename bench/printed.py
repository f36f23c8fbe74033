"""Whether words that are marked on a printed page are those of the text, in PDFs of many makers, and how long a page takes."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from common import milliseconds, report

from toulmin.adapters.kreuzberg.pdf import PdfParser
from toulmin.adapters.pdfium.pages import PdfPages
from toulmin.domain.corpus.document import Page
from toulmin.domain.corpus.printed import Box, PrintedPage, letters
from toulmin.domain.errors import InputError
from toulmin.ports.parser import Parsed

_FILES = Path(__file__).parents[1] / ".." / "shared" / "data" / "pdf"
_SPANS = 20
_LENGTHS = (5, 20, 60, 200, 600)


def main() -> None:
    rows = [row for file in sorted(_FILES.glob("*.pdf")) if (row := _row(file)) is not None]
    total = {name: sum(row[name] for row in rows) for name in ("pages", "spans", "marked", "right")}
    notes = [
        f"of {total['spans']} spans {total['marked']} are marked, {total['right']} of them right",
        "right: the characters whose middle lies in the marks spell the span, white space and hyphens aside",
        "a span is made of whole words",
    ]
    report("printed", rows, notes=notes, spans_a_page=_SPANS)


def _row(file: Path) -> dict[str, Any] | None:
    """What became of the spans of a file; None for one that cannot be ingested."""
    data = file.read_bytes()
    try:
        parsed = PdfParser().parse(data, name=file.name)
    except InputError:
        return None
    pages, random_ = PdfPages(), random.Random(7)
    seconds: dict[str, list[float]] = {"places": [], "image": [], "marks": []}
    spans = marked = right = 0
    for page in parsed.pages:
        began = time.perf_counter()
        printed = pages.printed(data, page.index)
        placed = time.perf_counter()
        pages.image(data, page.index)
        seconds["places"].append(placed - began)
        seconds["image"].append(time.perf_counter() - placed)
        text = parsed.text[page.start : page.end]
        for start, end in _spans(parsed, page, random_):
            began = time.perf_counter()
            boxes = printed.marks(text, start, end)
            seconds["marks"].append(time.perf_counter() - began)
            spans += 1
            marked += bool(boxes)
            right += bool(boxes) and _spelled(printed, boxes) == letters(text[start:end])
    return {
        "file": file.name,
        "pages": len(parsed.pages),
        "spans": spans,
        "marked": marked,
        "right": right,
        **{f"{name} p50 ms": milliseconds(times) for name, times in seconds.items()},
    }


def _spans(parsed: Parsed, page: Page, random_: random.Random) -> Iterator[tuple[int, int]]:
    """Spans of whole words, counted from the page's first character on."""
    text = parsed.text[page.start : page.end]
    if not letters(text):
        return
    for _ in range(_SPANS):
        start = random_.randrange(len(text))
        end = min(len(text), start + random_.choice(_LENGTHS))
        while start and not text[start - 1].isspace():
            start -= 1
        while end < len(text) and not text[end].isspace():
            end += 1
        if letters(text[start:end]):
            yield start, end


def _spelled(printed: PrintedPage, boxes: tuple[Box, ...]) -> str:
    """The letters of the characters whose middle is in one of the boxes."""
    inside = (
        character
        for character, box in zip(printed.characters, printed.boxes, strict=True)
        if box.width > 0 and box.height > 0 and any(_holds(mark, box) for mark in boxes)
    )
    return "".join(map(letters, inside))


def _holds(mark: Box, box: Box) -> bool:
    across, down = (box.left + box.right) / 2, (box.top + box.bottom) / 2
    return mark.left <= across <= mark.right and mark.top <= down <= mark.bottom


if __name__ == "__main__":
    main()
