from __future__ import annotations

import pytest

from toulmin.domain.claims.markers import MarkedClaim, RunKind, claims_of, parse
from toulmin.domain.corpus.sentences import UnitKind

NUMBERS = ("1", "2", "3", "4")
IDS = ("E1", "E2", "E12")


def read(text: str, known: tuple[str, ...] = NUMBERS) -> list[tuple[str, RunKind, tuple[str, ...]]]:
    return [(text[run.start : run.end], run.kind, run.ids) for run in parse(text, known).runs]


def claimed(text: str, known: tuple[str, ...] = IDS) -> list[tuple[str, tuple[str, ...]]]:
    return [(claim.text, claim.ids) for claim in claims_of(text, known)]


@pytest.mark.parametrize(
    ("marker", "ids"),
    [
        ("[1]", "1"),
        ("[ 1 ]", "1"),
        ("[1,2]", "12"),
        ("[1, 2]", "12"),
        ("[1; 2]", "12"),
        ("[1,\n2]", "12"),
        ("[1-3]", "123"),
        ("[1–3]", "123"),
        ("[1, 3-4]", "134"),
        ("[2, 2]", "2"),
        ("【1†source】", "1"),
        ("【1:0†doc.pdf】", "1"),
        ("【1】", "1"),
        ("[1†source]", "1"),
        ("［1］", "1"),
        ("[[1]]", "1"),
        ("[^2]", "2"),
    ],
)
def test_every_style_of_marker_cites(marker: str, ids: str) -> None:
    """Trouble case O33."""
    assert read(f"A {marker}.") == [(marker, RunKind.CITATION, tuple(ids))]


def test_markers_that_touch_are_read_one_by_one() -> None:
    assert read("A [1][2].") == [("[1]", RunKind.CITATION, ("1",)), ("[2]", RunKind.CITATION, ("2",))]


def test_a_footnote_cites_and_its_definition_is_a_note() -> None:
    text = "A [^2].\n\n[^2]: see 2"
    assert read(text) == [("[^2]", RunKind.CITATION, ("2",)), ("[^2]: see 2", RunKind.NOTE, ())]
    assert claimed(text, NUMBERS) == [("A.", ("2",))]


@pytest.mark.parametrize(
    "marker",
    ["[3-1]", "[1,]", "[,1]", "[1", "【1", "[\u0661]", "[１]", "[1--3]", "[1 2]", "[-1]", "[source 1]", "[1, see above]", "【†source】", "【1:0】"],
)  # fmt: skip
def test_a_malformed_marker_is_a_finding_that_says_why(marker: str) -> None:
    """Trouble case O33."""
    (run,) = parse(f"A {marker}", NUMBERS).findings
    assert (run.start, run.end, run.kind, run.ids) == (2, 2 + len(marker), RunKind.MALFORMED, ())
    assert repr(marker) in run.says


@pytest.mark.parametrize(
    "marker", ["[E]", "[E123]", "[E5, E7]", "[E1, E7]", "[e1]", "[1]", "[S3]", "[E1-E9]", "[2004]", "[^E9]", "【E9†x】"]
)
def test_a_marker_that_names_no_source_is_a_finding_and_cites_nothing(marker: str) -> None:
    """Trouble case O34."""
    assert read(f"It holds 40 l {marker}.", IDS) == [(marker, RunKind.UNKNOWN, ())]


@pytest.mark.parametrize("marker", ["[E1]", "[E12]"])
def test_an_id_is_never_read_as_one_that_begins_like_it(marker: str) -> None:
    assert read(f"x {marker}", IDS) == [(marker, RunKind.CITATION, (marker[1:-1],))]


def test_a_range_that_runs_backwards_is_called_so() -> None:
    assert "backwards" in parse("A [3-1].", NUMBERS).findings[0].says


def test_a_range_longer_than_all_sources_is_unknown_and_costs_nothing() -> None:
    assert read("x [1-999999999999]") == [("[1-999999999999]", RunKind.UNKNOWN, ())]


def test_ids_in_a_range_keep_their_leading_zeros() -> None:
    assert read("x [e08-e10]", ("e08", "e09", "e10")) == [("[e08-e10]", RunKind.CITATION, ("e08", "e09", "e10"))]


@pytest.mark.parametrize(
    "text",
    [
        "A (1).",
        "Yan et al. [2004] disagree.",
        "As Miller [2004, 2005] says.",
        "Use arr[1] here.",
        "Use m[1][2] here.",
        "The A[1]st.",
        "Call `f[1]` here.",
        "Call ``f[1]`` here.",
        "```\nf [1]\n```",
        "So::\n\n    f [1]",
        ">>> f [1]",
        "See [text](https://example.org/1).",
        "See [1](https://example.org).",
        "See ![1](a.png).",
        "The list [] is empty.",
        "- [ ] open\n- [x] done",
        "The [optional] word [...] and [sic].",
        "See [note 1].",
        "The interval [0, 1) is open.",
        "A lone [ bracket",
        "An escaped \\[1\\] one.",
        "【注意】图",
        "[docs]: https://example.org",
    ],
)
def test_what_is_no_marker_is_text(text: str) -> None:
    parsed = parse(text, NUMBERS)
    assert parsed.runs
    assert not parsed.citations
    assert not parsed.findings


def test_a_marker_right_behind_a_word_cites_where_the_clause_ends() -> None:
    assert claimed("It lasts 20 years[E1]. It is new[E2], too.") == [
        ("It lasts 20 years.", ("E1",)),
        ("It is new, too.", ("E2",)),
    ]


def test_a_year_is_a_source_where_the_packet_has_it() -> None:
    assert read("Yan et al. [2004] disagree.", ("2004",)) == [("[2004]", RunKind.CITATION, ("2004",))]


def test_a_year_in_brackets_leaves_its_sentence_whole() -> None:
    """Trouble case O22."""
    assert claimed("Yan et al. [2004] disagree [E1].") == [("Yan et al. [2004] disagree.", ("E1",))]


def test_a_footnote_of_its_own_is_text() -> None:
    text = "A word[^a] here.\n\n[^a]: Its note."
    assert read(text, IDS) == [("[^a]", RunKind.TEXT, ()), ("[^a]: Its note.", RunKind.NOTE, ())]


def test_a_marker_in_a_sentence_stands_behind_the_words_before_it() -> None:
    """Trouble case O35."""
    text = "The lamp uses 9 W [E1] and lasts 20 years [E2], though it is heavy."
    assert claimed(text) == [
        ("The lamp uses 9 W.", ("E1",)),
        ("The lamp lasts 20 years.", ("E2",)),
        ("It is heavy.", ()),
    ]
    assert [[text[start:end] for start, end in claim.ranges] for claim in claims_of(text, IDS)] == [
        ["The lamp uses 9 W"],
        ["lasts 20 years"],
        ["it is heavy."],
    ]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("According to [E1], the lamp uses 9 W.", [("The lamp uses 9 W.", ("E1",))]),
        ("As described in [E1], the lamp uses 9 W.", [("The lamp uses 9 W.", ("E1",))]),
        ("[E1] states that the lamp uses 9 W.", [("The lamp uses 9 W.", ("E1",))]),
        ("The lamp (see E. Berg, p. 3) uses 9 W [E1].", [("The lamp (see E. Berg, p. 3) uses 9 W.", ("E1",))]),
        ("The lamp uses 9 W (see [E1]).", [("The lamp uses 9 W.", ("E1",))]),
        ("The lamp uses 9 W ([E1], [E2]).", [("The lamp uses 9 W.", ("E1", "E2"))]),
        ("The lamp [E1] uses 9 W.", [("The lamp uses 9 W.", ("E1",))]),
        ("The lamp uses 9 W [E1] in summer.", [("The lamp uses 9 W in summer.", ("E1",))]),
        ("The lamp works [E1] unless it is cold.", [("The lamp works unless it is cold.", ("E1",))]),
        ("The lamp uses 9 W [E1] and 230 V [E2].", [("The lamp uses 9 W and 230 V.", ("E1", "E2"))]),
        ("The pump weighs 12 kg and needs a fuse [E1][E2].", [("The pump weighs 12 kg and needs a fuse.", ("E1", "E2"))]),
        ("The lamp uses 9 W. [E1] It lasts.", [("The lamp uses 9 W.", ("E1",)), ("It lasts.", ())]),
        ("The lamp uses 9 W.[E1] It lasts.[E2]", [("The lamp uses 9 W.", ("E1",)), ("It lasts.", ("E2",))]),
        ("Is it new? [E1] Yes.", [("Is it new?", ("E1",)), ("Yes.", ())]),
        ("The lamp\n[E1]\nuses 9 W.", [("The lamp uses 9 W.", ("E1",))]),
        ("[E1] The lamp is new. It lasts.", [("The lamp is new.", ("E1",)), ("It lasts.", ())]),
        ("[E1]: The lamp is new.", [("The lamp is new.", ("E1",))]),
        ("One. [E1]\n[E2] Two.", [("One.", ("E1",)), ("Two.", ("E2",))]),
        ("One.\n[E1] Two.", [("One.", ("E1",)), ("Two.", ())]),
        ("- One [E1]\n- [E2] Two\n- Three", [("One", ("E1",)), ("Two", ("E2",)), ("Three", ())]),
        ("Lamp | 9 W [E1]\nFan | 3 W [E2]", [("Lamp | 9 W", ("E1",)), ("Fan | 3 W", ("E2",))]),
        ("灯具使用9瓦[E1]。很新。[E2]", [("灯具使用9瓦。", ("E1",)), ("很新。", ("E2",))]),
        ("One [E1] and\nmore.", [("One and more.", ("E1",))]),
        ("# Lamp\n\nNew. [E1]", [("# Lamp", ()), ("New.", ("E1",))]),
    ],
)  # fmt: skip
def test_claims_and_what_stands_behind_them(text: str, wanted: list[tuple[str, tuple[str, ...]]]) -> None:
    assert claimed(text) == wanted


@pytest.mark.parametrize("text", ["[E1][E2]", "[E1][E2].", "One.\n\n[E1][E2]\n\nTwo."])
def test_markers_without_words_are_malformed(text: str) -> None:
    """Trouble case O35."""
    (claim,) = [claim for claim in claims_of(text, IDS) if claim.findings]
    assert (claim.text, claim.ids, claim.ranges) == ("", (), ())
    assert [run.kind for run in claim.findings] == [RunKind.MALFORMED] * 2


def test_a_finding_goes_with_the_claim_that_it_stands_behind() -> None:
    one, two = claims_of("It holds 40 l [E5, E7]. It is new [E1].", IDS)
    assert (one.text, one.ids, [run.kind for run in one.findings]) == ("It holds 40 l.", (), [RunKind.UNKNOWN])
    assert (two.text, two.ids, two.findings) == ("It is new.", ("E1",), ())


def test_code_is_a_claim_of_its_kind_and_cites_nothing() -> None:
    claim = MarkedClaim(text="f [1]", ids=(), ranges=((4, 9),), kind=UnitKind.CODE)
    assert claims_of("```\nf [1]\n```", NUMBERS) == (claim,)


@pytest.mark.parametrize("text", ["", " \n", "..."])
def test_a_text_without_words_claims_nothing(text: str) -> None:
    assert claims_of(text, IDS) == ()
