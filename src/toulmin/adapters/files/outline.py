"""Outline: the sections of a text, collected while a reader goes through it from top to bottom."""

from __future__ import annotations

from dataclasses import dataclass, field

from toulmin.domain.corpus.passages import Block, Section


@dataclass(kw_only=True)
class Outline:
    """Sections under their heading paths, built in reading order.

    Headings open sections by their level; what is described between them (a function, a setting) opens one of its own below the current
    heading, and the section around it goes on afterwards under its own path.
    """

    title: str | None = None
    _sections: list[Section] = field(default_factory=list)
    _headings: list[tuple[int, str]] = field(default_factory=list)
    _objects: list[str] = field(default_factory=list)
    _blocks: list[Block] = field(default_factory=list)
    _start: int = 0
    _after_heading: bool = False

    def heading(self, level: int, words: str, start: int) -> None:
        """A heading at `start`: what follows is below it; a smaller level is further out. Without words it only ends what it ends."""
        self._close(start)
        self._headings = [outer for outer in self._headings if outer[0] < level]
        if words:
            self._headings.append((level, words))
            self.title = self.title or words
        self._after_heading = True

    def enter(self, name: str, start: int) -> None:
        """What follows describes the named object."""
        self._close(start)
        self._objects.append(name)

    def leave(self, end: int) -> None:
        """The description of the innermost object ends."""
        self._close(end)
        self._objects.pop()

    def add(self, block: Block) -> None:
        """A block of the current section."""
        self._blocks.append(block)

    def sections(self, end: int) -> tuple[Section, ...]:
        """All sections of a text that ends at `end`."""
        self._close(end)
        return tuple(self._sections)

    def _close(self, end: int) -> None:
        if self._blocks or self._after_heading:
            path = (*(words for _, words in self._headings), *self._objects)
            self._sections.append(Section(start=self._start, end=end, heading=path, blocks=tuple(self._blocks)))
        self._start, self._blocks, self._after_heading = end, [], False
