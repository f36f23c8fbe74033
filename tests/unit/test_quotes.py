from __future__ import annotations

import time

import pytest

from toulmin.domain.corpus.quotes import Found, QuoteStatus, find, negates, qualifies, quotations

_MOMENT = 0.04
"""Seconds of processor time: twice the goal, for slower machines."""

RULE = "Under rule 4 the operator is not allowed to disable the alarm during tests."
LIMIT = "The limit is 10\u00a0000\u202fkm per re\u200bnewal\u2060 period."
BROKEN = (
    "Investments in Immo\n\u00ad\nbilien and a Wert\u00adpapier\u00adindex; easy sharing, distribu-\ntion, and reuse."
)


def only(text: str, quote: str) -> Found:
    (found,) = find(text, quote)
    return found


def words(text: str, quote: str) -> list[str]:
    return [text[found.start : found.end] for found in find(text, quote)]


def quoted(claim: str) -> list[str]:
    return [claim[start:end] for start, end in quotations(claim)]


def test_a_quote_as_it_stands_is_exact() -> None:
    assert only("No refund. No reply.", "No reply.") == Found(
        text="No refund. No reply.", start=11, end=20, status=QuoteStatus.EXACT
    )


def test_where_it_stands_exactly_no_other_place_is_given() -> None:
    assert [found.start for found in find("no\nreply, no reply", "no reply")] == [10]


def test_ligatures_are_the_letters_that_they_stand_for() -> None:
    """Trouble case O10."""
    text = "The scienti\ufb01c o\ufb03ce veri\ufb01es each \ufb01le."
    whole = only(text, "The scientific office verifies each file.")
    assert whole == Found(text=text, start=0, end=36, status=QuoteStatus.FOLDED, folds=("ligature",))
    assert (only(text, "office").start, only(text, "office").end) == (14, 18)
    inside = only(text, "fice verifies")
    assert (inside.start, text[inside.start : inside.end]) == (15, "\ufb03ce veri\ufb01es")
    assert inside.fragment


def test_soft_hyphens_and_broken_words_are_read_through() -> None:
    """Trouble case O11."""
    assert only(BROKEN, "Immobilien") == Found(
        text=BROKEN, start=15, end=28, status=QuoteStatus.FOLDED, folds=("soft-hyphen",)
    )
    paper = only(BROKEN, "Wertpapierindex")
    assert (paper.start, paper.end, paper.folds) == (35, 52, ("soft-hyphen",))
    shared = only(BROKEN, "distribution, and reuse")
    assert (shared.start, shared.folds) == (68, ("line-break",))
    assert BROKEN[shared.start : shared.end] == "distribu-\ntion, and reuse"
    assert find(BROKEN, "Wertpapier index") == ()


def test_quotations_in_typographic_marks_are_seen_and_checked() -> None:
    """Trouble case O12: guillemets and corner brackets are quotation marks as well."""
    evidence = "Reset the breaker once, then wait. Don't open the panel."
    assert quoted("The manual says \u201creset the breaker twice\u201d [E1].") == ["reset the breaker twice"]
    assert find(evidence, "reset the breaker twice") == ()
    assert quoted("It warns: \u201cDon\u2019t open the panel\u201d [E1].") == ["Don\u2019t open the panel"]
    assert only(evidence, "Don\u2019t open the panel").folds == ("quotation-mark",)
    assert quoted("It warns: \u00abDon't open the panel\u00bb [E1].") == ["Don't open the panel"]
    assert quoted("It warns: \u300cDon't open the panel\u300d [E1].") == ["Don't open the panel"]
    assert only(evidence, "Don't open the panel").status is QuoteStatus.EXACT


def test_no_break_and_zero_width_characters_do_not_hide_words() -> None:
    """Trouble case O13, the quotes."""
    whole = only(LIMIT, "The limit is 10 000 km per renewal period.")
    assert (whole.start, whole.end) == (0, len(LIMIT))
    assert whole.status is QuoteStatus.FOLDED
    assert whole.folds == ("zero-width", "space")
    number = only(LIMIT, "10 000 km")
    assert (number.start, number.end, number.folds) == (13, 22, ("space",))
    assert find(LIMIT, "10000 km") == ()


def test_composed_and_decomposed_letters_are_the_same() -> None:
    """Trouble case O14."""
    text = "Cafe\u0301 Zu\u0308rich closes at 18:00."
    whole = only(text, "Caf\u00e9 Z\u00fcrich closes at 18:00.")
    assert (whole.start, whole.end, whole.folds) == (0, 30, ("nfc",))
    city = only(text, "Z\u00fcrich")
    assert (city.start, city.end) == (6, 13)


def test_an_ellipsis_never_swallows_a_negation() -> None:
    """Trouble case O15."""
    assert find(RULE, "the operator is ... allowed to disable the alarm") == ()
    assert find(RULE, "allowed to disable the alarm ... Under rule 4") == ()
    shortened = only(RULE, "Under rule 4 the operator is not allowed \u2026 during tests")
    assert shortened.status is QuoteStatus.SHORTENED
    assert not shortened.fragment
    assert [RULE[start:end] for start, end in shortened.left_out] == ["to disable the alarm"]
    cut = only(RULE, "... allowed to disable the alarm during tests")
    assert cut.fragment
    assert [RULE[start:end] for start, end in cut.left_out] == ["Under rule 4 the operator is not"]


@pytest.mark.parametrize("ellipsis", ["...", "\u2026", "[...]", "[\u2026]", "(...)", ". . ."])
def test_an_ellipsis_may_be_written_in_many_ways(ellipsis: str) -> None:
    assert words("The red pump of 2019 weighs 12 kg.", f"The red pump {ellipsis} weighs 12 kg") == [
        "The red pump of 2019 weighs 12 kg"
    ]


@pytest.mark.parametrize(
    "gap",
    [
        *(
            "not",
            "never",
            "no longer",
            "hardly",
            "un\u00adable",
            "n\u200bot",
            "isn't",
            "isn\u2019t",
            "unlawfully",
            "nicht",
            "ne peut pas",
        ),
        *(
            "except on Sundays",
            "unless told",
            "without a fuse",
            "nobody ever",
            "neither here",
            "which is forbidden",
            "не",
        ),
    ],
)
def test_what_an_ellipsis_leaves_out_denies_nothing(gap: str) -> None:
    assert find(f"The red pump {gap} may be opened.", "The red pump ... may be opened") == ()


def test_an_ellipsis_that_leaves_out_a_condition_makes_a_fragment() -> None:
    assert only("The red pump, if it is dry, may be opened.", "The red pump ... may be opened").fragment


def test_an_ellipsis_does_not_leave_out_a_part_of_a_word() -> None:
    assert find("The operator is unable to open the panel.", "The operator is ... able to open") == ()
    assert find("It weighs some 4.5 mg each.", "It weighs some ... 5 mg each") == ()


def test_an_ellipsis_stays_in_its_paragraph_and_near() -> None:
    assert find("The red pump is new.\n\nIt weighs 12 kg.", "The red pump ... weighs 12 kg") == ()
    assert find(f"The red pump {'very ' * 200} weighs 12 kg.", "The red pump ... weighs 12 kg") == ()
    assert words("The red pump is new. It weighs 12 kg.", "The red pump ... weighs 12 kg")


def test_pieces_of_one_word_prove_no_quotation() -> None:
    assert find("Operators of pumps may disable old alarms.", "Operators ... alarms") == ()


def test_of_repeated_words_those_nearest_to_the_next_piece_count() -> None:
    text = "The red pump is new. The red pump of 2019 weighs 12 kg."
    assert words(text, "The red pump ... weighs 12 kg") == ["The red pump of 2019 weighs 12 kg"]


def test_an_ellipsis_of_the_text_itself_is_matched_first() -> None:
    assert only("Wait ... then go on.", "Wait ... then go on.").status is QuoteStatus.EXACT
    assert only("Wait\u2026 then go on.", "Wait... then go on.").folds == ("ellipsis",)
    assert words("Wait ... then go on to the next red pump.", "Wait ... then go [...] red pump") == [
        "Wait ... then go on to the next red pump"
    ]


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        (RULE, "allowed to disable the alarm during tests"),
        ("The alarm may be disabled unless a test runs.", "The alarm may be disabled"),
        ("If the fuse is off, the alarm may be disabled.", "the alarm may be disabled"),
        ("The panel is unapproved for use.", "approved for use"),
        ("The panel is non-binding.", "binding"),
        ("It weighs 4.5 mg.", "5 mg"),
        ("It is -12 degrees.", "12 degrees"),
        ("It weighs 112 kg.", "12 kg"),
        ("They don't open it.", "They don"),
        ("The pump fails to start.", "to start"),
    ],
)
def test_words_cut_off_from_what_turns_them_are_a_fragment(text: str, quote: str) -> None:
    assert only(text, quote).fragment


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        (RULE, "Under rule 4 the operator is not allowed to disable the alarm"),
        ("Never mind. The alarm may be disabled. Not so the lamp.", "The alarm may be disabled."),
        ("No fuse.\n\nThe alarm may be disabled\n\nNo lamp.", "alarm may be disabled"),
        ("The panel is approved for use.", "approved for use"),
        ("機械は赤い。", "機械"),
    ],
)
def test_words_of_which_nothing_that_matters_was_cut_are_no_fragment(text: str, quote: str) -> None:
    assert not only(text, quote).fragment


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("the well-\nknown exam-\nple", "the well-known example"),
        ("the well-\r\n  known exam-\r\n  ple", "the wellknown exam-ple"),
        ("a well-known exam-\nple", "a well-known example"),
        ("a well\u2010\nknown example", "a well-known example"),
        ("the well-known example", "the well-\nknown exam-\nple"),
        ("e\u0301te\u0301-\nla", "\u00e9t\u00e9la"),
        ("pages 10\u201312", "pages 10-12"),
        ("the pump \u2014 the red one", "the pump - the red one"),
        ("the pump\u2014the red one", "the pump-the red one"),
        ("\u221212 degrees", "-12 degrees"),
        ("non\u2011binding", "non-binding"),
        ("\u201eJa\u201c, \u2018so\u2019", "\"Ja\", 'so'"),
        ("5\u2009km", "5 km"),
    ],
)
def test_what_a_reader_does_not_see_makes_no_difference(text: str, quote: str) -> None:
    assert words(text, quote) == [text]
    assert only(text, quote).status is QuoteStatus.FOLDED


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("a wellknown example", "a well-known example"),
        ("a well-known example", "a wellknown example"),
        ("a well- known example", "a wellknown example"),
        ("a well-\n\nknown example", "a wellknown example"),
        ("a well-known exam-\nple", "a wellknown example"),
        ("at \u221212 degrees", "at 12 degrees"),
        ("at \u201412 degrees", "at -12 degrees"),
        ("at \u201312 degrees", "at -12 degrees"),
        ("at 10-\n12 degrees", "at 1012 degrees"),
        ("Not so", "not so"),
        ("do roll back", "do not roll back"),
        ("\u00abJa\u00bb", '"Ja"'),
        ("a\u200db", "ab"),
        ("end.\n\u00adNext", "end.Next"),
        ("one\u00ad two", "onetwo"),
    ],
)
def test_what_a_reader_sees_makes_a_difference(text: str, quote: str) -> None:
    assert find(text, quote) == ()


def test_a_quote_far_inside_of_a_long_text_is_found_where_it_stands() -> None:
    before = "The lamp uses 9 W and no more. " * 2000
    text = f"{before}The scienti\ufb01c of-\n\ufb01ce. {before}"
    found = only(text, "The scientific office.")
    assert text[found.start : found.end] == "The scienti\ufb01c of-\n\ufb01ce."
    assert found.folds == ("ligature", "line-break")


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        ('He wrote "it\'s fine," and "go".', ["it's fine", "go"]),
        ("Er sagt \u201eja\u201c und \u201enein\u201d.", ["ja", "nein"]),
        ("Il dit \u00ab\u00a0oui\u00a0\u00bb.", ["oui"]),
        ("Er sagt \u00bbja\u00ab.", ["ja"]),
        ("\u300e赤い\u300f と \u300c青い\u300d", ["赤い", "青い"]),
        ("It is \u2018kept here\u2019 now.", ["kept here"]),
        ("It is \u2018not ours, it\u2019s theirs\u2019 now.", ["not ours, it\u2019s theirs"]),
        ("He wrote \u201cread \u2018this\u2019 first\u201d.", ["read \u2018this\u2019 first"]),
        ('A mixed \u201cpair" counts.', ["pair"]),
        ('"Wait..."', ["Wait..."]),
        ("The users\u2019 data isn\u2019t the users\u2019.", []),
        ("\u2018The users\u2019 manual\u2019 is unclear.", []),
        ("Don't use 'x' or 'y y'.", ["x", "y y"]),
        ("The source says: 'The relay is unsafe.'", ["The relay is unsafe"]),
        ("He said 'it's fine', didn't he?", ["it's fine"]),
        (
            "\u2039ja\u203a, \u203anein\u2039, \u275dso so\u275e, \u275bso\u275c, \uff02da\uff02.",
            ["ja", "nein", "so so", "so", "da"],
        ),
        ("Er sagt \u201aja, so\u2018 und \u201ageht\u2019s gut\u2019.", ["ja, so", "geht\u2019s gut"]),
        ("\uff62赤い\uff63 \ufe41青い\ufe42 \u301d白い\u301f", ["赤い", "青い", "白い"]),
        ('The source says: ""The relay is unsafe.""', ["The relay is unsafe"]),
        ("The source says ``the relay isn't safe'' and ''it isn't new''.", ["the relay isn't safe", "it isn't new"]),
        ('The source says: "... in "cold" storage."', ['... in "cold" storage']),
        ('Either "a" or "b" (not "c").', ["a", "b", "c"]),
        ("The users' data isn't the users'.", []),
        ("'The users' manual' is unclear.", []),
        ("Rock 'n' roll of the '90s and 'tis the users' hall.", []),
        ("It is 'kept in the users' hall.", ["kept in the users"]),
        ("It is 'kept' in the users' hall.", []),
        ("Run `x` and ``y z`` now.", []),
        ("A 5' pipe and a 6' pipe.", []),
        ('A 5" pipe and a 6" pipe.', []),
        ('An open " mark.', []),
        ('Nothing in "" or \u201c \u201d.', []),
    ],
)
def test_quotations_are_what_stands_in_quotation_marks(claim: str, expected: list[str]) -> None:
    assert quoted(claim) == expected


@pytest.mark.parametrize(
    "said", ["NOT", "can\u2019t", "cannot", "un\u00adless", "kein", "нет", "不可", "できない", "unsafe"]
)
def test_negations_are_known_in_whatever_way_they_are_written(said: str) -> None:
    assert negates(f"it {said} x")


@pytest.mark.parametrize("said", ["knot", "under", "until", "united", "notable", "unit 5"])
def test_words_that_only_look_like_negations_are_none(said: str) -> None:
    assert not negates(f"the {said} pump")


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("See the [manual](/fi) for it.", "See the [manual](/li) for it."),
        ("See the **manual** for it.", "See the `manual` for it."),
        ("See :func:`~app.run` for it.", "See :func:`~lib.run` for it."),
        ("See ``<b>it</b>`` there.", "See <b>it</b> there."),
    ],
)
def test_marks_and_targets_in_a_quote_are_the_text_s_own(text: str, quote: str) -> None:
    assert find(text, quote) == ()


def test_a_quote_in_plain_words_may_leave_all_marks_out() -> None:
    found = only("See the **old** `manual` for it.", "See the old manual for it.")
    assert (found.status, found.folds) == (QuoteStatus.FOLDED, ("markup",))


@pytest.mark.parametrize("tail", ["after ten minutes", "once it is off", "before the test", "until noon"])
def test_a_time_that_is_cut_off_makes_a_fragment(tail: str) -> None:
    assert only(f"The relay is safe to touch {tail}.", "The relay is safe to touch").fragment
    assert not only(f"After lunch, it {tail}. The relay is safe.", "The relay is safe").fragment


@pytest.mark.parametrize("shift", range(0, 1100, 100))
def test_the_pieces_of_a_quote_are_found_as_far_apart_as_ellipses_reach(shift: int) -> None:
    filler = "The lamp is on and the fuse is new. " * 3000
    gap = "very " * 95
    text = f"{filler}{'x' * shift} The red {gap} old one {gap} weighs all of 12 kg. {filler}"
    (found,) = find(text, "The red ... old one ... weighs all of 12 kg.")
    assert text[found.start : found.end].startswith("The red very")
    assert find(f"{filler}The red lamp.", "The red lamp ... of the pump") == ()


@pytest.mark.parametrize(
    "quote",
    [
        "not there at all, really",
        "The lamp ... words stand here.",
        "words of none ... the lamp",
        "said of it and not so",
    ],
)
def test_a_megabyte_is_searched_in_a_moment(quote: str) -> None:
    sentence = "The lamp of *hall* {} in `the` house is on, and it *glows* as [said](x{}) before. "
    text = (
        "".join(sentence.format(number, number) for number in range(12_000))
        + "The lamp \u201cquoted\u201d wor\u00adds stand here."
    )
    seconds = []
    for _ in range(5):
        start = time.process_time()
        find(text, quote)
        seconds.append(time.process_time() - start)
    assert min(seconds) < _MOMENT


def test_conditions_and_limits_qualify() -> None:
    assert qualifies("it stops if dry")
    assert qualifies("Only red ones")
    assert not qualifies("It weighs 12 kg")
