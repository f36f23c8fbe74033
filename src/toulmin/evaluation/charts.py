"""Charts as SVG: a confusion matrix, a reliability diagram, and bars with their intervals. Each says in words what it shows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from toulmin.evaluation.claims import Bin
from toulmin.evaluation.intervals import Measure, in_words
from toulmin.evaluation.markup import Markup, element, together

_CELL = 84
_SQUARE = 300
_MARGIN = 56
_TICKS = (0.0, 0.25, 0.5, 0.75, 1.0)
_BAR = 14
_NAMES = 160
_LONGEST_NAME = 24
_WIDE = 250
_VALUES = 130


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """One bar: whose it is, and how long. `colour` is a number of the page's palette."""

    name: str
    measure: Measure
    colour: int


def confusion_matrix(name: str, classes: Sequence[str], counts: Sequence[Sequence[int]]) -> Markup:
    """Labels downwards, verdicts across; the darker a cell, the larger its share of the claims with that label."""
    parts = []
    for row, (label, line) in enumerate(zip(classes, counts, strict=True)):
        y, total = _MARGIN + row * _CELL, sum(line)
        parts.append(_words(label, _MARGIN + 42, y + _CELL / 2 + 4, anchor="end"))
        for column, count in enumerate(line):
            share = count / total if total else 0.0
            parts.append(_cell(_MARGIN + 50 + column * _CELL, y, count, share, right=row == column))
    heads = [
        _words(label, _MARGIN + 50 + (column + 0.5) * _CELL, _MARGIN - 10, anchor="middle")
        for column, label in enumerate(classes)
    ]
    told = "; ".join(
        f"labelled {label}: " + ", ".join(f"{count} {verdict}" for count, verdict in zip(line, classes, strict=True))
        for label, line in zip(classes, counts, strict=True)
    )
    side = len(classes) * _CELL
    captions = [
        _words("verdict", _MARGIN + 50 + side / 2, 16, anchor="middle", kind="axis"),
        _words("label", 4, 40, kind="axis"),
    ]
    return _figure(
        f"Confusion matrix of {name}", told, _MARGIN + 56 + side, _MARGIN + side + 6, [*captions, *heads, *parts]
    )


def reliability_diagram(name: str, bins: Sequence[Bin]) -> Markup:
    """Mean probability across, share labelled supported upwards, with its interval; a judge that keeps its word is on the diagonal."""
    points = [part for part in bins if part.mean is not None]
    most = max(part.n for part in bins)
    shown = [mark for part in points for mark in _point(part, most)]
    told = "; ".join(f"said {part.mean:.2f}: {part.share.value:.2f} of {part.n}" for part in points)
    x0, y0 = _MARGIN, 10 + _SQUARE
    frame = [
        element("line", x1=x0, y1=y0, x2=x0 + _SQUARE, y2=y0 - _SQUARE, class_="ideal"),
        *(_words(f"{tick:g}", x0 + tick * _SQUARE, y0 + 16, anchor="middle") for tick in _TICKS),
        *(_words(f"{tick:g}", x0 - 6, y0 - tick * _SQUARE + 4, anchor="end") for tick in _TICKS),
        *(
            element("line", x1=x0, y1=y0 - tick * _SQUARE, x2=x0 + _SQUARE, y2=y0 - tick * _SQUARE, class_="grid")
            for tick in _TICKS
        ),
        _words("P(supported), mean of the bin", x0 + _SQUARE / 2, y0 + 36, anchor="middle", kind="axis"),
        _words("share labelled supported", 0, 0, anchor="middle", kind="axis", turned=(14, y0 - _SQUARE / 2)),
    ]
    return _figure(f"Reliability of {name}", told, x0 + _SQUARE + 14, y0 + 46, [*frame, *shown])


def bars(title: str, groups: Sequence[tuple[str, Sequence[Bar]]]) -> Markup:
    """Groups of bars from 0 to 1, each with its interval and its value in words."""
    parts, y = [], 24.0
    for name, group in groups:
        parts.append(_words(_fitting(name), _NAMES - 8, y + len(group) * _BAR / 2 + 4, anchor="end"))
        for at, bar in enumerate(group):
            parts += _bar(bar, y + at * _BAR)
        y += len(group) * _BAR + 8
    ticks = [
        together(
            element("line", x1=_NAMES + tick * _WIDE, y1=18, x2=_NAMES + tick * _WIDE, y2=y, class_="grid"),
            _words(f"{tick:g}", _NAMES + tick * _WIDE, 12, anchor="middle"),
        )
        for tick in _TICKS
    ]
    told = "; ".join(
        f"{name}: {', '.join(f'{bar.name} {in_words(bar.measure)}' for bar in group)}" for name, group in groups
    )
    return _figure(title, told, _NAMES + _WIDE + _VALUES, y + 4, [*ticks, *parts])


def _fitting(name: str) -> str:
    return name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 1]}…"


def _figure(title: str, told: str, width: float, height: float, content: Iterable[Markup]) -> Markup:
    picture = element(
        "svg",
        element("title", title),
        element("desc", told),
        *content,
        role="img",
        aria_label=f"{title}. {told}",
        viewBox=f"0 0 {width:.0f} {height:.0f}",
        width=f"{width:.0f}",
    )
    return element("figure", picture, element("figcaption", title))


def _words(
    text: str,
    x: float,
    y: float,
    *,
    anchor: str = "start",
    kind: str = "tick",
    turned: tuple[float, float] | None = None,
) -> Markup:
    place = {"transform": f"translate({turned[0]:.1f} {turned[1]:.1f}) rotate(-90)"} if turned else {}
    return element("text", text, x=float(x), y=float(y), text_anchor=anchor, class_=kind, **place)


def _cell(x: float, y: float, count: int, share: float, *, right: bool) -> Markup:
    size = _CELL - 4
    return together(
        element(
            "rect",
            x=x,
            y=y,
            width=size,
            height=size,
            class_="right" if right else "wrong",
            fill_opacity=f"{0.08 + 0.82 * share:.2f}",
        ),
        element(
            "text",
            str(count),
            x=x + size / 2,
            y=y + size / 2,
            text_anchor="middle",
            class_="strong" if share > 0.5 else "count",
        ),
        element(
            "text",
            f"{share:.0%}",
            x=x + size / 2,
            y=y + size / 2 + 17,
            text_anchor="middle",
            class_="strong small" if share > 0.5 else "count small",
        ),
    )


def _point(part: Bin, most: int) -> Iterable[Markup]:
    assert part.mean is not None
    assert part.share.value is not None
    assert part.share.low is not None
    assert part.share.high is not None
    x, bottom = _MARGIN + part.mean * _SQUARE, 10 + _SQUARE
    yield element(
        "line",
        x1=x,
        y1=bottom - part.share.low * _SQUARE,
        x2=x,
        y2=bottom - part.share.high * _SQUARE,
        class_="whisker",
    )
    yield element(
        "circle",
        element("title", f"{part.n} claims, mean {part.mean:.2f}, supported {in_words(part.share)}"),
        cx=x,
        cy=bottom - part.share.value * _SQUARE,
        r=3.0 + 7.0 * (part.n / most) ** 0.5,
        class_="c0",
    )


def _bar(bar: Bar, y: float) -> list[Markup]:
    told = _words(in_words(bar.measure), _NAMES + _WIDE + 8, y + _BAR - 3)
    value, low, high = bar.measure.value, bar.measure.low, bar.measure.high
    if value is None or low is None or high is None:
        return [told]
    middle = y + _BAR / 2
    return [
        element("rect", x=_NAMES, y=y + 1, width=value * _WIDE, height=_BAR - 3, class_=f"c{bar.colour}"),
        element("line", x1=_NAMES + low * _WIDE, y1=middle, x2=_NAMES + high * _WIDE, y2=middle, class_="whisker"),
        told,
    ]
