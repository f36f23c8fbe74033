"""Every page is reached from the index of the documentation, and every link between pages leads somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[2]
DOCS = PROJECT / "docs"
PAGES = [PROJECT / "README.md", *sorted(DOCS.rglob("*.md"))]


def links(page: Path) -> list[tuple[Path, str]]:
    """File and anchor of each link to another place of the project, outside of code."""
    prose = re.sub(r"^```.*?^```$|`[^`\n]*`", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    targets = re.findall(r"\]\((?!https?:)([^)#\s]*)(?:#([^)\s]*))?\)", prose)
    return [((page.parent / file).resolve() if file else page, anchor) for file, anchor in targets]


def anchors(page: Path) -> set[str]:
    """The headings of a page, as links name them."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(PROJECT)))
def test_every_link_of_a_page_leads_somewhere(page: Path) -> None:
    assert [str(file) for file, _ in links(page) if not file.exists()] == []
    assert [f"{file}#{anchor}" for file, anchor in links(page) if anchor and anchor not in anchors(file)] == []


def test_every_page_is_in_the_index() -> None:
    listed = {file for file, _ in links(DOCS / "README.md")}
    assert {page for page in PAGES if page.is_relative_to(DOCS)} - listed == {DOCS / "README.md"}


def test_the_project_leads_to_tutorial_and_index() -> None:
    assert {DOCS / "README.md", DOCS / "tutorial.md"} <= {file for file, _ in links(PROJECT / "README.md")}
