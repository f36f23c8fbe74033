from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toulmin.adapters.files.text import TextParser
from toulmin.domain.corpus.boilerplate import COUNTS, Boilerplate, boilerplate, weight
from toulmin.domain.corpus.passages import cut

DOTTED = """\
1.2 Metric spaces . . . . . . . . . . . . . . . . 6
1.3 Continuity . . . . . . . . . . . . . . . . . . 9
1.4 Connected spaces ............................ 11
Exercises ……………………… xii
2 Manifolds 24
"""
UNDOTTED = """\
Contents
1 Foo 2
2 Bar 2
3 Baz iv
2
"""
INDEX = """\
113 Index
Abelian group, 10, 12
boundary, 47
connected
  locally, 12-14
  path, 11
cross, see product
"""
PARTS = """\
This part leads through all of the framework.

.. toctree::
   :maxdepth: 2

   installation
   quickstart
   tutorial/index
"""
BSD = """\
Copyright 2010 Pallets

Redistribution and use in source and binary forms, with or without modification, are permitted provided that the following
conditions are met: ...
"""
PROSE = "The pump stops at 80 degrees. It starts again below 60 degrees, unless the valve is shut."


@pytest.mark.parametrize(
    ("heading", "text", "kind"),
    [
        ((), DOTTED, Boilerplate.CONTENTS),
        (("Handbook", "Overview"), DOTTED, Boilerplate.CONTENTS),
        ((), UNDOTTED, Boilerplate.CONTENTS),
        (("Inhaltsverzeichnis",), "1 Erstes 3\n2 Zweites 7\n3 Drittes 12\n", Boilerplate.CONTENTS),
        (("Manual", "12 Index"), INDEX, Boilerplate.INDEX),
        ((), INDEX, Boilerplate.INDEX),
        (("Stichwortverzeichnis",), "Abstand, 86\nAtlas, 24\nKarte, 24, 30\n", Boilerplate.INDEX),
        (("Welcome", "User's Guide"), PARTS, Boilerplate.NAVIGATION),
        (("Changes",), ".. include:: ../CHANGES.rst", Boilerplate.NAVIGATION),
        (("Manual",), "- [Install](#install)\n- [Run](run.md)\n- [Stop](run.md#stop)\n", Boilerplate.NAVIGATION),
        (("Indices and tables",), "* :ref:`genindex`\n* :ref:`modindex`\n* :ref:`search`\n", Boilerplate.NAVIGATION),
        ((), BSD, Boilerplate.LICENCE),
        (("BSD-3-Clause License",), ".. literalinclude:: ../LICENSE.txt\n   :language: text", Boilerplate.LICENCE),
        (("License",), "Pump is licensed under the Apache License, version 2.0.", Boilerplate.LICENCE),
        (
            ("Copyright notice",),
            "© 2024 Pumps Ltd. " + "No part of this handbook may be copied. " * 3,
            Boilerplate.LICENCE,
        ),
    ],
)
def test_what_is_no_content_is_marked_as_what_it_is(heading: tuple[str, ...], text: str, kind: Boilerplate) -> None:
    assert boilerplate(heading, text) is kind


@pytest.mark.parametrize(
    ("heading", "text"),
    [
        (("Pumps",), PROSE),
        ((), ""),
        (("Streaming Contents",), "Large answers are sent in parts.\nThe server keeps none of them."),
        (("Contents",), "The box holds a pump, a valve and two screws.\nKeep the screws.\nThe pump is tested."),
        (
            ("Blog", "Index"),
            "The index shows all posts, the newest first. Its view is called index.\nIt needs no user.",
        ),
        (("Index",), "def index():\n    return [1, 2, 3]\n"),
        (
            ("License", "Activation"),
            "To activate the license, enter the key that came with the pump. It holds for one year.",
        ),
        (
            ("License",),
            "Enter the licence key that came with the pump before it is used for the first time. It holds for a year.",
        ),
        (("Results",), "Pump A 12\nPump B 17\nPump C 21\n"),
        (("Prices",), "Pump A, 12\nPump B, 17\nPump C, 21\n"),
        (
            ("Hosting",),
            "- [Cloud A](https://a.example)\n- [Cloud B](https://b.example)\n- [Cloud C](https://c.example)\n",
        ),
        (("Steps",), "- [Install](#install) the pump first\n- shut the valve\n- open the valve\n"),
        (("Guide",), PARTS + "\n" + f"{PROSE}\n" * 9),
        (("Guide",), ".. note::\n   Shut the valve.\n\nThen open it.\n"),
        (("Waiting",), "He waited. . . . and waited.\nThen the pump stopped.\nNobody knew why."),
        (
            ("Copyright",),
            "The field holds the name of whoever made the picture and may be empty. It is shown below each picture.",
        ),
    ],
)
def test_content_is_not_marked_whatever_its_heading_says(heading: tuple[str, ...], text: str) -> None:
    assert boilerplate(heading, text) is None


@pytest.mark.parametrize(
    ("heading", "text", "question"),
    [
        (("License",), BSD, "Which licence is the pump's software under?"),
        (("License",), BSD, "May I redistribute it?"),
        ((), DOTTED, "What are the contents of the handbook?"),
        (("Index",), INDEX, "Is there an index?"),
        (("Guide",), PARTS, "Which chapters are there?"),
    ],
)
def test_boilerplate_that_the_question_is_about_counts_whole(
    heading: tuple[str, ...], text: str, question: str
) -> None:
    assert weight(heading, text, question) == 1
    assert weight(heading, text, "When does the pump stop?") == COUNTS < 1


def test_content_counts_whole_for_every_question() -> None:
    assert weight(("Pumps",), PROSE, "When does the pump stop?") == 1


@given(st.lists(st.text(), max_size=3), st.text(), st.text())
def test_any_text_is_judged_and_the_same_every_time(heading: list[str], text: str, question: str) -> None:
    assert boilerplate(heading, text) == boilerplate(tuple(heading), text)
    assert weight(heading, text, question) in (COUNTS, 1)


def test_in_real_documentation_little_is_marked_and_that_is_right(shared_data: Path) -> None:
    marked = set()
    total = 0
    root = shared_data / "flask-docs" / "3.1.2"
    for file in sorted(root.rglob("*.rst")):
        parsed = TextParser().parse(file.read_bytes(), name=file.name)
        for passage in cut(parsed.text, parsed.sections):
            total += 1
            kind = boilerplate(passage.heading, parsed.text[passage.start : passage.end])
            if kind:
                marked.add((str(file.relative_to(root / "docs")), passage.heading[-1], kind.value))
    assert marked == {
        ("changes.rst", "Changes", "navigation"),
        ("index.rst", "API Reference", "navigation"),
        ("index.rst", "Additional Notes", "navigation"),
        ("index.rst", "User's Guide", "navigation"),
        ("license.rst", "BSD-3-Clause License", "licence"),
        ("patterns/index.rst", "Patterns for Flask", "navigation"),
    }
    assert total > 500
