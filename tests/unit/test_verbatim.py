from __future__ import annotations

import time

import pytest

from toulmin.domain.claims.unit import Cited
from toulmin.domain.claims.verbatim import Proof, proof

_MOMENT = 0.04
"""Seconds of processor time."""

PUMP = "The pump weighs 12 kg."
TABLE = "Model | Voltage | Colour\nG2 | 12 V | red\nG3 | 9 V | blue"
FILLER = "\n\n".join(f"The hall number {number} has many lamps of all colours on its walls." for number in range(700))
ITEMS = "\n".join(f"- The hall number {number} has many lamps of all colours." for number in range(300))
LIST = "- Port A is an input.\n- Port B is an output.\n"


def proven(
    claim: str,
    words: str,
    before: str = "",
    section: tuple[str, ...] = (),
    *,
    after: str = "",
    title: str | None = None,
) -> str | None:
    """The words of the passage that prove the claim."""
    found = proof(claim, [Cited(words=words, before=before, after=after, section=section, title=title)])
    return words[found.start : found.end] if found else None


def test_a_complete_sentence_is_proven_where_it_stands() -> None:
    passages = [
        Cited(words="The lamp is blue."),
        Cited(words=f"The lamp is red. {PUMP} It is new.", before="Some lamps.\n\n"),
    ]
    assert proof(PUMP, passages) == Proof(passage=1, start=17, end=39)


def test_a_proof_names_the_folds_that_it_took() -> None:
    found = proof(
        "The scientific office keeps ten files", [Cited(words="The scienti\ufb01c  office keeps\nten files.")]
    )
    assert found == Proof(passage=0, start=0, end=38, folds=("ligature", "white-space"))


@pytest.mark.parametrize(
    ("claim", "words"),
    [
        (PUMP, PUMP),
        (PUMP.removesuffix("."), PUMP),
        (PUMP, f"{PUMP} The lamp is blue."),
        (PUMP, f"The lamp is blue. {PUMP}"),
        (PUMP, f"The pump\n========\n\n{PUMP}"),
        (PUMP, f"# The pump\n\n{PUMP}"),
        (PUMP, f".. note::\n   {PUMP}"),
        (PUMP, f".. py:data:: PUMP\n\n    {PUMP} The lamp is blue."),
        (PUMP, f"If it is dry, wait.\n\n{PUMP}"),
        ("The operator is not allowed to open it.", "The operator is not allowed to open it."),
        ("If the pump is dry, it stops.", "The lamp is blue. If the pump is dry, it stops."),
        ("Don't open the panel.", "Don\u2019t open the panel."),
        ("uWSGI is a fast server.", "uWSGI is a fast server."),
        ("\u30dd\u30f3\u30d7\u306f 12 kg\u3067\u3042\u308b\u3002 \u8d64\u3044\u3002"[:14], "\u30dd\u30f3\u30d7\u306f 12 kg\u3067\u3042\u308b\u3002\u8d64\u3044\u3002"),
        ("The limit is 10 000 km per renewal period.", "The limit is 10\u00a0000\u202fkm per re\u200bnewal\u2060 period."),
        ("Port A is an input.", f"The unit has two ports.\n\n{LIST}"),
        ("Port B is an output.", f"The following facts apply:\n\n{LIST}"),
        ("Port A is an input.", LIST),
        ("Port B is an output", "1. Port A is an input\n2. Port B is an output\n\nThe rest is free."),
        ("G3 | 9 V | blue", TABLE),
    ],
)  # fmt: skip
def test_a_sentence_item_or_row_that_stands_alone_proves_a_claim(claim: str, words: str) -> None:
    assert proven(claim, words)


@pytest.mark.parametrize(
    ("claim", "words"),
    [
        ("The debug mode maps to DEBUG.", "The **debug mode** maps to ``DEBUG``."),
        ("The debug attribute maps to DEBUG.", "The :attr:`~flask.Flask.debug` attribute maps to :py:data:`DEBUG`."),
        ("The debug flag maps to DEBUG.", "The :attr:`debug flag <flask.Flask.debug>` maps to `DEBUG`."),
        ("Gunicorn is easy to install.", "`Gunicorn`_ is *easy* to install."),
        ("Gunicorn is easy to install.", "[Gunicorn](https://example.org/x) is **easy** to `install`."),
        ("The manual is in the shelf.", "The `manual <https://example.org>`__ is in the shelf."),
        ("flask run starts the server.", "``flask run`` starts the server."),
        ("Set ``DEBUG`` to 1 now.", "Set ``DEBUG`` to 1 now."),
        ("The product is 2 * 3 * 4 units.", "The product is 2 * 3 * 4 units."),
    ],
)
def test_a_claim_reads_inline_markup_as_the_page_shows_it(claim: str, words: str) -> None:
    assert proven(claim, words) == words


@pytest.mark.parametrize(
    ("claim", "words"),
    [
        ("The pump weighs 12 kg.", "The pump weighs \u221212 kg."),
        ("The pump weighs 12 kg.", "The pump weighs 1.2 kg."),
        ("The pump weighs 12 kg.", "The Pump weighs 12 kg."),
        ("The pump weighs 12 kg.", "The pump weighs 12 kg and more."),
        ("The pump weighs 12 kg.", "The red pump weighs 12 kg."),
        ("The limit is 10 km per renewal period.", "The limit is 10\u00a0000\u202fkm per re\u200bnewal\u2060 period."),
        (
            "The limit is 10000 km per renewal period.",
            "The limit is 10\u00a0000\u202fkm per re\u200bnewal\u2060 period.",
        ),
        ("The product is 2 3 4 units.", "The product is 2 * 3 * 4 units."),
    ],
)
def test_other_words_prove_nothing(claim: str, words: str) -> None:
    assert proven(claim, words) is None


@pytest.mark.parametrize(
    ("claim", "words"),
    [
        ("The pump weighs 12 kg", "The pump weighs 12 kg\n=====================\n\nThe lamp is blue."),
        ("The pump weighs 12 kg", "# The pump weighs 12 kg\n\nThe lamp is blue."),
        ("The pump weighs 12 kg", "The pump weighs 12 kg"),
        ("The pump weighs 12 kg:", "The pump weighs 12 kg:\n\n- The lamp is blue."),
        ("Does the pump weigh 12 kg?", "Does the pump weigh 12 kg? The lamp is blue."),
        ("The pump weighs 12 kg...", "The pump weighs 12 kg..."),
        ("weighs 12 kg and more.", "weighs 12 kg and more. The lamp is blue."),
        ("Not allowed.", "Not allowed. The lamp is blue."),
        ("print the pump. now", "```\nprint the pump. now\n```"),
        ("Print the pump now.", "Use it so::\n\n    Print the pump now.\n"),
        (">>> The pump weighs 12 kg.", ">>> The pump weighs 12 kg."),
        (".. note:: The pump is new.", ".. note:: The pump is new."),
        ("Model | Voltage | Colour", TABLE),
        ("https://example.org/a/b/c", "- https://example.org/a/b/c\n- The lamp is blue."),
    ],
)
def test_what_is_no_complete_statement_proves_nothing(claim: str, words: str) -> None:
    assert proven(claim, words) is None


@pytest.mark.parametrize(
    "sentence",
    [
        *("This pump weighs 12 kg.", "It weighs 12 kg.", "These are red pumps.", "There it stays red."),
        *("However, the pump weighs 12 kg.", "Then the pump weighs 12 kg.", "Otherwise the pump stops.", "Here the pump stops."),
        *("The following pumps are red.", "Such pumps are red.", "The former weighs 12 kg.", "The pumps above are red."),
        *("For example, the pump is red.", "In this case the pump stops.", "When dry, it stops at once.", "Set this value to 5."),
        *("The most important one is red.", "The same goes for pumps.", "Is always red and new.", "Myth: the pump is red."),
        *("See the second manual instead.", "Another pump weighs 12 kg.", "And the pump is red."),
    ],
)  # fmt: skip
def test_a_sentence_that_points_at_another_does_not_stand_alone(sentence: str) -> None:
    assert proven(sentence, f"The lamp is blue. {sentence} The fuse is new.") is None


@pytest.mark.parametrize(
    "before",
    [
        *("The following is false: ", "The following is false:\n\n", "None of the following is right.\n\n", "It is a myth. "),
        *("If the valve is open, wait. ", "When in test mode, look. ", "Unless told, wait. ", "While testing, wait. "),
        *("A vendor claims a lot. ", "According to a rumour there is news. ", "Suppose we have a pump. ", "Is it heavy? "),
        *("Here is an example. ", "In earlier versions:\n\n", "What is said here is not true. ", "For example:\n\n"),
        *("In old models:\n\n- ", "Do not rely on any of these:\n\n- The lamp is red.\n- ", "Operators may:\n\n1. "),
        *("Which is right?\n\n- The pump weighs 10 kg.\n- ", "- In test mode:\n\n  - "),
    ],
)  # fmt: skip
def test_an_introduction_condition_or_attribution_before_it_takes_the_proof(before: str) -> None:
    assert proven(PUMP, f"The lamp is blue.\n\n{before}{PUMP}\n") is None
    assert proven(PUMP, f"{PUMP}\n", before=f"The lamp is blue.\n\n{before}") is None


@pytest.mark.parametrize(
    "after",
    [
        *("However, that has changed.", "Except in the north.", "Unless it is a G2.", "But the G2 does not.", "Not in the north."),
        *("This does not apply to the G2.", "That is no longer so.", "It does not hold for the G2.", "The G2 is an exception."),
        *("Only the G2 does.", "If it is a G2, it weighs more.", "This is wrong.", "These apply only in the north.", "Otherwise it is 9 kg."),
    ],
)  # fmt: skip
@pytest.mark.parametrize("gap", [" ", "\n\n"])
def test_a_sentence_after_it_that_takes_it_back_takes_the_proof(after: str, gap: str) -> None:
    assert proven(PUMP, f"{PUMP}{gap}{after}") is None


@pytest.mark.parametrize(
    "after",
    ["The G2 weighs more.", "It is made of steel.", "This makes it easy to carry.", "In May, it is red.", "Example:"],
)
def test_any_other_sentence_after_it_does_not(after: str) -> None:
    assert proven(PUMP, f"{PUMP} {after}") == PUMP


def test_the_next_item_of_a_list_takes_nothing_back() -> None:
    assert proven("Port A is an input.", "- Port A is an input.\n- If it is dry, port B stops.\n")


@pytest.mark.parametrize(
    "words",
    [
        f'She wrote: "Listen. {PUMP} Go."',
        f"She wrote \u201cListen. {PUMP} Go.\u201d",
        f"The lamp is new (see there. {PUMP} Go).",
        f"> {PUMP}",
        f"> Listen.\n{PUMP}",
        f"~~The lamp is new. {PUMP} Go.~~",
        f"<!-- The lamp is new.\n\n{PUMP} -->",
        f"<del>The lamp is new. {PUMP}</del>",
        f".. {PUMP}",
        f"..\n   {PUMP}",
        f".. [1] {PUMP}",
        f".. versionchanged:: 2.0\n   {PUMP}",
        f".. deprecated:: 2.0\n\n   - The lamp is new.\n   - {PUMP}\n\nThe end.",
        f"({PUMP})",
    ],
)
def test_a_sentence_inside_of_something_that_may_qualify_it_proves_nothing(words: str) -> None:
    assert proven(PUMP, words) is None


def test_what_was_closed_before_it_does_not_matter() -> None:
    words = f'The "lamp" (see <del>there</del> <!-- x -->) is new. {PUMP}'
    assert proven(PUMP, words) == PUMP


def test_a_passage_that_begins_in_the_middle_of_a_sentence_proves_only_the_next() -> None:
    words = "The pump weighs 12 kg. The lamp is blue."
    assert proven(PUMP, words, before="Nobody says that the vendor knows. He denies ") is None
    assert proven("The lamp is blue.", words, before="He denies ") == "The lamp is blue."
    assert proven(PUMP, words, before="The fuse is new.\n\n") == PUMP


@pytest.mark.parametrize(
    "heading", ["Common myths", "Not supported", "Example", "Deprecated settings", "Without a fuse"]
)
def test_a_heading_that_may_deny_it_takes_the_proof(heading: str) -> None:
    assert proven(PUMP, PUMP, section=("Pumps", heading)) is None
    assert proven(PUMP, f"{heading}\n{'=' * len(heading)}\n\n{PUMP}") is None


def test_an_ordinary_heading_takes_nothing() -> None:
    assert proven(PUMP, PUMP, section=("Pumps", "Weights"))


def test_the_first_place_that_proves_it_counts() -> None:
    words = f"If it is dry, wait. {PUMP}\n\nThe lamp is blue. {PUMP}"
    found = proof(PUMP, [Cited(words=words)])
    assert found is not None
    assert found.start == words.rindex(PUMP)


def test_nothing_is_proven_by_nothing() -> None:
    assert proof(PUMP, []) is None
    assert proof("", [Cited(words=PUMP)]) is None
    assert proof(PUMP, [Cited(words="")]) is None


@pytest.mark.parametrize(
    ("claim", "words"),
    [
        ("The [logs](http://evil.example) are safe.", "The logs are safe."),
        ("The [logs](http://evil.example) are safe.", "The [logs](http://good.example) are safe."),
        ("The [logs](http://evil.example) use `zstd` and are safe.", "The logs use `zstd` and are safe."),
        ("Call :func:`~os.unlink.run` to start.", "Call :func:`~app.run` to start."),
        ("The `manual <http://evil.example>`__ is old.", "The `manual <http://good.example>`__ is old."),
        ("The ``pump`` weighs 12 kg.", "The *pump* weighs 12 kg."),
        ("Write <b>it</b> in capitals.", "Write ``<b>it</b>`` in capitals."),
        ("Write [x](http://evil.example) in capitals.", "Write ``[x](http://evil.example)`` in capitals."),
        ("See https://a-b.example for the manual.", "See https://a\u2013b.example for the manual."),
    ],
)
def test_marks_and_targets_in_a_claim_are_the_source_s_own(claim: str, words: str) -> None:
    assert proven(claim, words) is None
    assert proven(words, words) == words


def test_marked_words_may_be_broken_at_another_place() -> None:
    found = proof(
        "Use [the manual](http://a.example) of it.", [Cited(words="Use [the\nmanual](http://a.example) of it.")]
    )
    assert found == Proof(passage=0, start=0, end=41, folds=("white-space",))


ENCLOSURES = [
    ("<!-- old text, do not use", "-->"),
    ("~~~text", "~~~"),
    ("```` python", "````"),
    ("<del>", "</del>"),
    ('<s class="x">', "</s>"),
    ("<div hidden>", "</div>"),
    ('<div><div style="display: none">', "</div></div>"),
    ('<p class="deprecated">', "</p>"),
    ("<details><summary>Myths</summary>", "</details>"),
    ("<dl><dt>False</dt><dd>", "</dd></dl>"),
    (":::danger{.x} Only for G1", ":::"),
    ("::: spoiler", ":::"),
]


@pytest.mark.parametrize(("opening", "closing"), ENCLOSURES)
@pytest.mark.parametrize("filler", ["", FILLER])
def test_what_was_opened_long_before_still_holds_a_sentence(opening: str, closing: str, filler: str) -> None:
    before = f"# Relays\n\n{opening}\n\n{filler}\n\n"
    assert proven(PUMP, PUMP, before=before, after=f"\n\n{closing}\n") is None
    assert proven(PUMP, PUMP, before=f"{before}{closing}\n\n{filler}\n\n") == PUMP


@pytest.mark.parametrize(
    "before",
    [
        "Use `<!--` and ``<del>`` with care.\n\n",
        "The lamp<br> is <b>new</b> <img src=x>.\n\n<div><p>Look.</p>\n\n",
        "Pumps\n~~~~~\n\nThe lamp is new.\n\n",
        "```\n<!-- <del>\n```\n\n",
        ":::note\n\n",
        "!!! note\n\n    The lamp is new.\n\n",
        "---\ntitle: Pumps\n---\n\n",
    ],
)
def test_marks_that_open_nothing_take_nothing(before: str) -> None:
    assert proven(PUMP, PUMP, before=before) == PUMP


@pytest.mark.parametrize("kind", ["failure", "bug", "example", 'note "Only for G1"', ""])
@pytest.mark.parametrize("mark", ["!!!", "???", "???+"])
def test_an_admonition_that_says_no_more_than_note_is_needed(mark: str, kind: str) -> None:
    filler = "".join(f"    {line}\n" for line in FILLER.splitlines()[:400])
    assert proven(PUMP, PUMP, before=f"# Pumps\n\n{mark} {kind}\n{filler}\n    ") is None
    assert proven(PUMP, PUMP, before="# Pumps\n\n!!! warning\n\n    ") == PUMP


def test_front_matter_is_no_text() -> None:
    assert proven(PUMP, PUMP, before="---\ntitle: x\nold: |\n  ") is None


@pytest.mark.parametrize(
    "lead",
    [
        *(
            "The following statements were refuted:",
            "Exactly one of the items below is correct.",
            "One of these holds.",
        ),
        *("Things to disprove.", "What users get told by mistake.", "Do not assume any of these."),
        *("Which of these is true?\n\nChoose one.",),
    ],
)
@pytest.mark.parametrize("items", ["- The lamp is red.", ITEMS])
def test_the_lead_of_a_list_says_what_its_items_are_however_long_it_is(lead: str, items: str) -> None:
    words = f"- {PUMP}\n- The fuse is new.\n"
    assert proven(PUMP, words, before=f"{FILLER}\n\n{lead}\n\n{items}\n") is None
    assert proven(PUMP, words, before=f"{FILLER}\n\nThe unit has a pump.\n\n{items}\n") == PUMP


def test_where_a_list_begins_too_far_above_nothing_is_proven() -> None:
    items = "\n".join([ITEMS] * 4)
    assert proven(PUMP, f"- {PUMP}\n", before=f"The unit has a pump.\n\n{items}\n") is None


def test_a_text_without_blank_lines_is_read_by_its_lines() -> None:
    lines = FILLER.replace("\n\n", "\n")
    assert proven(PUMP, PUMP, before=f"{lines}\n") == PUMP
    assert proven(PUMP, f"- {PUMP}\n", before=f"{lines}\nThese are wrong:\n{ITEMS}\n") is None


def test_a_quoted_block_is_a_quotation_however_long_it_is() -> None:
    quoted = "".join(f"> {line}\n" for line in FILLER.splitlines()[:200] if line)
    assert proven(PUMP, PUMP, before=f"The troll wrote.\n\n{quoted}> ") is None


@pytest.mark.parametrize("directive", ["versionremoved:: 2.0", "only:: draft", "tab:: Linux"])
def test_a_directive_far_above_still_says_when_its_words_hold(directive: str) -> None:
    filler = "".join(f"   {line}\n" for line in FILLER.splitlines()[:250])
    assert proven(PUMP, PUMP, before=f"Pumps\n=====\n\n.. {directive}\n\n{filler}\n   ") is None


@pytest.mark.parametrize(
    "heading",
    [
        *("When the power is off", "With the power off", "Before version 2.0", "Before the test", "On Windows", "During tests"),
        *("G1 models", "Model G1", "For G1", "Relays of the CX-200", "Older models", "Version 2", "Firmware 2.4", "Rules of 2019", "2.0"),
        *("Retired rules", "Roadmap", "Future work", "Known bugs", "Common errors", "Jokes", "OBSOLETE - Manual", "Myths about pumps"),
        *("Emergency mode", "Special cases", "Low voltage variants", "Model X", "Premium plan", "Rejected proposals", "Bad practice", "2.0 and later"),
        *("What competitors promise", "Withdrawn", "Linux", "Operation in test mode", "Pumps only", "Changelog", "Behaviour while frozen"),
    ],
)  # fmt: skip
def test_a_heading_or_title_that_states_a_condition_a_status_or_a_version_takes_the_proof(heading: str) -> None:
    assert proven(PUMP, PUMP, section=("Pumps", heading)) is None
    assert proven(PUMP, PUMP, section=(heading, "Pumps")) is None
    assert proven(PUMP, PUMP, title=heading) is None
    assert proven(PUMP, PUMP, before=f"# {heading}\n\n{FILLER[:2000]}\n\n") is None


@pytest.mark.parametrize(
    "heading",
    [
        *("Telemetry stops", "Payment", "Changes during an audit hold", "Gateway telemetry after reconnect", "Frozen systems"),
        *("Console access over USB", "Working with pumps", "How to start it", "When to use it", "2.1 Installation", "IV. Pumps"),
        *("Error handling", "Command line interface", "Security considerations", "Using the pump with lamps", "Agreement on changes"),
    ],
)  # fmt: skip
def test_a_heading_that_names_a_topic_takes_nothing(heading: str) -> None:
    assert proven(PUMP, PUMP, section=("Manual", heading), title=heading) == PUMP
    assert proven(PUMP, f"# {heading}\n\n{PUMP}") == PUMP


def test_a_sentence_that_says_itself_what_its_heading_says_needs_no_heading() -> None:
    claim = "When the power is off, the G1 pump weighs 12 kg."
    assert proven(claim, claim, section=("G1 pump", "When the power is off")) == claim
    assert proven(claim, claim, section=("G2 pump", "When the power is off")) is None
    assert proven("Firmware 2.4.0 of the pump is new.", "Firmware 2.4.0 of the pump is new.", title="Firmware 2.4.0")


@pytest.mark.parametrize(
    "line",
    [
        *("**G1 only.**", "**G1 only**", "Model G1 only.", "Applies to: G1", "Applies to G1.", "Valid until 2020.", "Status: draft"),
        *("Only G1.", "<b>G1 only</b>", "Since 2.0.", "Added in version 2.0.", "Available on: Pro", "Requires power off."),
        *("**When the power is off**", "__Obsolete:__", "Version: 1", "For G1 the following holds.", "Only for pumps", "Retired in May."),
    ],
)  # fmt: skip
def test_a_line_above_that_limits_all_that_follows_takes_the_proof(line: str) -> None:
    for between in ("\n\n", "\n\nThe lamp is new.\n\n"):
        assert proven(PUMP, PUMP, before=f"# Pumps\n\n{line}{between}") is None
    assert proven(PUMP, f"{line}\n\n{PUMP}") is None
    assert proven(PUMP, PUMP, before=f"# Lamps\n\n{line}\n\n# Pumps\n\n") == PUMP


@pytest.mark.parametrize(
    "line", ["**Note.**", "**The pump**", "The lamp is new.", "It only starts then.", "All of the lamps:"]
)
def test_any_other_line_above_does_not(line: str) -> None:
    assert proven(PUMP, f"{line}\n\nThe hall is new.\n\n{PUMP}") == PUMP


@pytest.mark.parametrize(
    "before",
    [
        *("In simulation mode, no current flows. ", "Turn it off. Then wait a while. ", "Many people hold this view. "),
        *(
            "In May the manual read as follows. ",
            "Never write sentences like the next one. ",
            "One of two things holds. ",
        ),
        *("A lie. ", "Consider this. ", "Option A. ", "Rejected answer. "),
        *("Bob wrote.\n\n", "- G1\n  - ", "G1\n  ", "The lamp is new.\n\n    "),
    ],
)
def test_words_before_it_that_frame_it_take_the_proof(before: str) -> None:
    assert proven(PUMP, f"{before}{PUMP}\n") is None


def test_an_item_goes_on_over_its_lines_and_paragraphs() -> None:
    assert proven(PUMP, f"- The lamp is new and\n  quite red. {PUMP}\n- The fuse is new.\n") == PUMP
    assert proven(PUMP, f"1. The lamp is new.\n\n   {PUMP}\n\n2. The fuse is new.\n") == PUMP
    assert proven(PUMP, f"1. If it is dry, wait.\n\n   {PUMP}\n\n2. The fuse is new.\n") is None


@pytest.mark.parametrize(
    "after",
    [
        *("This statement has been retracted.", "Withdrawn in 2024.", "All of this requires the power to be off.", "Or is it?"),
        *("The power must be off for this.", "Applies to model G1.", "None of the above is guaranteed.", "In version 3 that changed."),
        *("G2 pumps are excluded from this.", "At least, that is what the vendor says.", "It is a common belief.", "Just kidding."),
        *("For G1.", "With the power off.", "According to Bob.", "Allegedly.", "Assuming it is off.", "Conditions apply.", "Ignore this."),
        *("This holds for G1.", "Do not rely on this.", "Some disagree.", "The opposite is the case.", "Correction: it weighs 9 kg."),
        *("Since 2020 this has changed.", "It is red. The first sentence is no longer true.", "It is red.\n\nThe rule was revoked in May."),
    ],
)  # fmt: skip
def test_what_retracts_or_limits_it_afterwards_takes_the_proof(after: str) -> None:
    assert proven(PUMP, f"{PUMP} {after}") is None
    assert proven(PUMP, PUMP, after=f"\n\n{after}\n") is None


def test_a_retraction_below_the_next_heading_is_of_something_else() -> None:
    assert proven(PUMP, f"{PUMP}\n\n# Lamps\n\nThis statement has been retracted.") == PUMP


def test_the_next_item_may_take_it_back() -> None:
    assert proven(PUMP, f"- {PUMP}\n- This does not apply to the G2.\n") is None
    assert proven(PUMP, f"- {PUMP}\n- The lamp does not stop.\n") == PUMP


def test_the_header_of_a_table_says_what_its_rows_are() -> None:
    row = "| Pump | safe to touch |"
    assert proven(row, f"| Part | Not true |\n|---|---|\n| Lamp | red |\n{row}\n") is None
    assert proven(row, f"| Part | Rule |\n|---|---|\n| Lamp | red |\n{row}\n") == row


def test_a_sentence_cut_short_proves_nothing() -> None:
    words = "The relay is safe to touch after ten minutes."
    assert proven("The relay is safe to touch.", words) is None
    assert proven("The relay is safe ... after ten minutes.", words) is None


def test_a_long_text_around_it_is_read_in_a_moment() -> None:
    cited = Cited(words=PUMP, before=f"{FILLER}\n\n{FILLER}\n\n", after=f" {FILLER[:2000]}")
    seconds = []
    for _ in range(5):
        start = time.process_time()
        assert proof(PUMP, [cited])
        seconds.append(time.process_time() - start)
    assert min(seconds) < _MOMENT
