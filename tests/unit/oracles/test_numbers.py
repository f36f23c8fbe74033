from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.oracles.pairs import objected, pair, strength
from toulmin.domain.claims.objection import Objection, Strength
from toulmin.domain.claims.oracles import objections
from toulmin.domain.claims.oracles.bounds import objections as bounds
from toulmin.domain.claims.oracles.dates import objections as dates
from toulmin.domain.claims.oracles.numbers import objections as numbers
from toulmin.domain.claims.oracles.statement import Pair
from toulmin.domain.claims.oracles.units import objections as units
from toulmin.domain.claims.oracles.versions import objections as versions


def all_families(pair: Pair) -> Iterator[Objection]:
    return iter(objections(pair))


CONTRADICTS, UNSETTLES = Strength.CONTRADICTS, Strength.UNSETTLES


@pytest.mark.parametrize(
    ("evidence", "claim", "expected"),
    [
        ("The nurse gives 4.5 mg of the drug.", "The nurse gives 4.5 mg of the drug.", None),
        ("The nurse gives 4.5 mg of the drug.", "The nurse gives 45 mg of the drug.", CONTRADICTS),
        ("The pump runs at -12 °C.", "The pump runs at -12 °C.", None),
        ("The pump runs at -12 °C.", "The pump runs at 12 °C.", CONTRADICTS),
        ("The pump runs at −12 °C.", "The pump runs at minus 12 °C.", None),
        ("The fund holds 2,000,000 shares.", "The fund holds 2 million shares.", None),
        ("The fund holds 2,000,000 shares.", "The fund holds 2 thousand shares.", CONTRADICTS),
        ("The cache keeps 1000 entries.", "The cache keeps 1,000 entries.", None),
        ("The cache keeps 1000 entries.", "The cache keeps 100 entries.", CONTRADICTS),
        ("Default: ``500_000``", "The default is 500,000.", None),
        ("Staff get thirty days of leave.", "Staff get 30 days of leave.", None),
        ("Staff get thirty days of leave.", "Staff get 13 days of leave.", CONTRADICTS),
        ("Staff get forty-five days of leave.", "Staff get 45 days of leave.", None),
        ("The hall seats two hundred and fifty people.", "The hall seats 250 people.", None),
        ("There are three ways to reset the pump.", "There are three ways to reset the pump.", None),
        ("There are three ways to reset the pump.", "There are two ways to reset the pump.", CONTRADICTS),
        ("The contract lists a fee, a term and a notice.", "The contract lists three terms.", None),
        ("A request with an invalid host is refused.", "A request with an invalid host gives a 400 error.", UNSETTLES),
        ("A host that is invalid results in a 400 error.", "A request with an invalid host gives a 400 error.", None),
        ("The valve is model GW-241.", "The valve has 241 parts.", UNSETTLES),
        ("The release is 2.4.1.", "The release has 4 parts.", UNSETTLES),
        ("Sales rose from 40 units to 65 units.", "Sales rose by 25 units.", None),
        ("Sales rose from 40 units to 65 units.", "Sales rose by 35 units.", UNSETTLES),
        ("The limit is 16 * 1024 * 1024.", "The limit is 16,777,216.", None),
        ("The limit is 16 * 1024 * 1024.", "The limit is 16,777,217.", CONTRADICTS),
        ("There are three ways and one exception.", "There are two ways.", CONTRADICTS),
        ("The visit is on 31 March.", "The visit takes 31 nurses.", UNSETTLES),
        ("The chamber holds 5 pounds of salt.", "The chamber holds 5 lb of salt.", None),
        ("A pass costs 5 pounds.", "A pass costs £5.", None),
        ("The server allows 60 requests per hour.", "The server allows 1 request per minute.", None),
        ("Season 8 was hosted by Mary.", "Season 9 was hosted by Mary.", CONTRADICTS),
        ("It was hosted by Mary.", "Season 9 was hosted by Mary.", None),
        ("Only one worker runs.", "One worker runs.", None),
        ("Only create one instance of the class.", "Only one instance of the class is created.", None),
        ("The four-phase cycle feeds the growth.", "The cycle of the growth has four phases.", None),
        ("The child is four and a half feet tall.", "The child is 4.5 ft tall.", None),
        ("One of the doors may stay open.", "One door may stay open.", None),
        ("The two-step check is on.", "The check is on.", None),
        ("Keys expire after an appropriate time.", "Keys expire after 31 days.", UNSETTLES),
        ("The offices open at nine.", "Any claim without numbers.", None),
    ],
)
def test_a_number_needs_an_equal(evidence: str, claim: str, expected: Strength | None) -> None:
    assert strength(evidence, claim, numbers) is expected


@pytest.mark.parametrize(
    ("evidence", "claim", "expected"),
    [
        # a reference mark, or what is left of one, is no number
        ("Cold water slows the pump.", "Cold water slows the pump (7).", None),
        ("Cold water slows the pump.", "Cold water slows the pump [3, 12].", None),
        ("Cold water slows the pump.", "Cold water slows the pump 12].", None),
        ("Cold water slows the pump.", "Cold water slows the pump 12,, and the fan.", None),
        ("Cold water slows the pump.", "Cold water slows the pump (after 12 trials).", UNSETTLES),
        ("The alarm code is (17).", "The alarm code is 17.", None),
        # two, three and four of things are seldom counted; where they are, they are compared
        ("A nurse and a cook share the flat.", "Two people share the flat.", None),
        ("A nurse and a cook share the flat.", "At least two people share the flat.", None),
        ("A nurse and a cook share the flat.", "Nine people share the flat.", UNSETTLES),
        ("Three people share the flat.", "Two people share the flat.", CONTRADICTS),
        ("A nurse and a cook rent the flat for a term.", "They rent the flat for two weeks.", UNSETTLES),
        # words that say how many there are
        ("A single key opens the safe.", "Only one key opens the safe.", None),
        ("The seventh volume of the atlas is out.", "Volumes of the atlas: seven.", None),
        ("The 17th volume of the atlas is out.", "The atlas has 17 volumes.", None),
        ("The 16th volume of the atlas is out.", "The atlas has 17 volumes.", UNSETTLES),
        ("The pump stops after some seconds.", "The pump has 2 stops.", UNSETTLES),
        # one of a unit that is named, and all of it
        ("The pulse is measured in beats per minute.", "The pulse is the number of beats in one minute.", None),
        ("The pulse is measured in beats.", "The pulse is the number of beats in one minute.", UNSETTLES),
        (
            "The cable carries the current without any loss.",
            "The cable carries the current with 100% efficiency.",
            None,
        ),
        (
            "The cable carries the current with 80% efficiency.",
            "The cable carries the current with 100% efficiency.",
            CONTRADICTS,
        ),
        # years between two of the source
        ("She led the clinic from 1992 to 1997.", "She led the clinic for five years.", None),
        ("She led the clinic from 1992 to 1997.", "She led the clinic for six years.", UNSETTLES),
        # things of one kind and yet not the same
        ("The unit has two spare valves and a motor.", "The unit has one inlet valve and a motor.", None),
        ("The unit has 12 spare valves.", "The unit has 11 inlet valves.", UNSETTLES),
        ("The unit has 12 spare valves.", "The unit has 11 spare valves.", CONTRADICTS),
        # rough numbers
        ("About 69 percent of the cost is wages.", "Almost 70% of the cost is wages.", None),
        ("About 40 percent of the cost is wages.", "Almost 70% of the cost is wages.", CONTRADICTS),
        # decades and hours are no amounts
        ("Mills closed in those years.", "Mills closed in the 90s.", None),
        ("Mills closed in the 1980s and 1990s.", "Mills closed in the 1980's and 90's.", None),
        ("The test takes a while.", "The test takes 90s.", UNSETTLES),
        ("The doors open in the morning.", "The doors open around 10 o'clock.", None),
        ("The doors open at nine o'clock.", "The doors open at 10 o'clock.", CONTRADICTS),
        # powers of ten, and speech
        ("A spot of 8.6 × 10−5 mm was seen.", "A spot of 0.000086 mm was seen.", None),
        ("A spot of 8.6 × 10⁻⁵ mm was seen.", "A spot of 8.6 × 10^-5 mm was seen.", None),
        ("A spot of 8.6 × 10−5 mm was seen.", "A spot of 8.6 × 10−4 mm was seen.", CONTRADICTS),
        ("They got twenty - five machines.", "They got 25 machines.", None),
        ("He pays five bucks.", "He pays $5.", None),
        ("The value is &gt; 7 in a base.", "The value is greater than 7 in a base.", None),
    ],
)
def test_not_every_number_is_a_claim_of_its_own(evidence: str, claim: str, expected: Strength | None) -> None:
    assert strength(evidence, claim, numbers) is expected


def test_a_number_of_a_far_off_sentence_is_named_only_where_it_counts_the_same() -> None:
    evidence = "Mortality was high in the ward. Two of 0.03 parts were lost."
    (objection,) = objected(evidence, "Mortality was high in a ward of 745 patients.", numbers)
    assert objection.says == "the claim says 745 patients; the source has no such number"


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        ("The limit is 10000 km per renewal period.", None),
        ("The limit is 10 000 km per renewal period.", None),
        ("The limit is 10\u00a0000 km per renewal period.", None),
        ("The limit is 10 km per renewal period.", CONTRADICTS),
    ],
)
def test_no_break_spaces_keep_a_number_together(claim: str, expected: Strength | None) -> None:
    """Trouble case O13."""
    evidence = "The limit is 10\u00a0000\u202fkm per re\u200bnewal\u2060 period."
    assert strength(evidence, claim, numbers) is expected


@pytest.mark.parametrize(
    ("claim", "objects"),
    [
        ("There were 293 women in total.", False),
        ("There were 41293 women in total.", True),
        ("41 women were alive.", True),
        ("33.8% of the men were dead.", False),
        ("The men's death rate was 3.38%.", True),
    ],
)
def test_a_cell_counts_in_the_unit_of_its_column(claim: str, *, objects: bool) -> None:
    """Trouble case O19: 41 is a share of dead women, not a number of women."""
    table = (
        "Sex | alive n | alive % | dead n | dead % | total n | total %\n"
        "Female | 173 | 59 | 120 | 41 | 293 | 100\n"
        "Male | 227 | 66.2 | 116 | 33.8 | 343 | 100"
    )
    assert bool(objected(table, claim, numbers) + objected(table, claim, units)) is objects


@pytest.mark.parametrize(
    ("claim", "objects"),
    [
        ("Revenue was $50 million.", True),
        ("The margin was 50%.", False),
        ("The margin was 5%.", True),
        ("Output was 150 units.", True),
        ("Output was 1,500 units.", False),
    ],
)
def test_a_piece_of_a_number_is_not_that_number(claim: str, *, objects: bool) -> None:
    """Trouble case O23."""
    evidence = "Output was 1500 units and the margin was 50%. Backlog: 250."
    assert bool(objected(evidence, claim, all_families)) is objects


@pytest.mark.parametrize(
    ("evidence", "language", "claim", "objects"),
    [
        (
            "Die Gebühr beträgt 1.234,50 € pro Jahr; Kaution 20,00 €.",
            "de",
            "The fee is 1,234.50 euros per year.",
            False,
        ),
        ("Die Gebühr beträgt 1.234,50 € pro Jahr; Kaution 20,00 €.", "de", "The fee is $1,234.50 per year.", True),
        ("Die Gebühr beträgt 1.234,50 € pro Jahr; Kaution 20,00 €.", "de", "The deposit is 2000 euros.", True),
        ("Die Gebühr beträgt 1.234,50 € pro Jahr; Kaution 20,00 €.", "de", "The deposit is EUR 20.", False),
        ("Price: 1.234", "unknown", "The price is 1234.", True),
        ("Price: 1.234", None, "The price is 1234.", True),
        ("Price: 1.234", "de", "The price is 1234.", False),
        ("Price: 1.234", "en", "The price is 1234.", True),
        ("Price: 1.234", None, "The price is 1.234.", False),
    ],
)
def test_a_language_decides_what_a_point_means(
    evidence: str, language: str | None, claim: str, *, objects: bool
) -> None:
    """Trouble case O27."""
    assert bool(objected(evidence, claim, all_families, language=language)) is objects


@pytest.mark.parametrize(("claim", "expected"), [("30 days", None), ("60 days", UNSETTLES)])
def test_numbers_are_compared_across_scripts(claim: str, expected: Strength | None) -> None:
    assert strength("保存期間は30日です。", f"Files are kept for {claim}.", numbers, language="ja") is expected


def test_both_readings_of_a_number_are_told() -> None:
    (objection,) = objected("Price: 1.234", "The price is 1234.", numbers)
    assert objection.says == "the claim says 1234; the source says 1.234, which can be read in two ways"


def test_spans_are_the_numbers_with_their_units() -> None:
    evidence, claim = "Leave is granted for 25 working days.", "Leave is granted for 30 working days."
    (objection,) = objected(evidence, claim, numbers)
    assert claim[slice(*objection.claim)] == "30 working days"
    assert evidence[slice(*objection.evidence)] == "25 working days"
    assert objection.says == "the claim says 30 working days; the source says 25 working days"


def test_a_number_of_the_title_is_no_news() -> None:
    assert not list(numbers(pair("The pump starts at once.", "The model 300 pump starts at once.", title="Pump 300")))


def test_a_value_that_another_sentence_states_is_fine() -> None:
    evidence = "The pump starts in 5 seconds. The second pump of the plant starts in 8 seconds."
    assert strength(evidence, "The pump starts in 8 seconds.", numbers) is None


def test_a_far_off_sentence_does_not_settle_what_the_best_one_says_otherwise() -> None:
    evidence = "Backups of the web server are kept for 30 days. Mail goes after 90 days."
    assert strength(evidence, "Backups of the web server are kept for 90 days.", numbers) is UNSETTLES
    assert strength(evidence, "Backups of the web server are kept for 60 days.", numbers) is CONTRADICTS


def test_without_evidence_nothing_is_held_against_a_claim() -> None:
    assert objected("", "The pump starts in 8 seconds.", all_families) == []


_PIECES = [
    *"0123456789.,:;-–−/ \n'|*_`()%°$€£",
    "\u00a0",
    "２",
    "٣",
    "30",
    "2026",
    "1_000",
    " to ",
    " and ",
    " at least ",
    " or more ",
]
_PIECES += [
    " days",
    " kB",
    " UTC",
    "May ",
    "March ",
    " p.m.",
    "Python ",
    "version ",
    "since ",
    ">=",
    "thirty ",
    "half a ",
    "million",
    "99999999999",
]


@given(
    evidence=st.lists(st.sampled_from(_PIECES), max_size=40).map("".join),
    claim=st.lists(st.sampled_from(_PIECES), max_size=40).map("".join),
    language=st.sampled_from([None, "en", "de", "ja", "unknown"]),
)
def test_no_text_breaks_the_numeric_families(evidence: str, claim: str, language: str | None) -> None:
    for oracle in (numbers, units, bounds, dates, versions):
        objected(evidence, claim, oracle, language=language)
