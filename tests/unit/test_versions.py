from __future__ import annotations

import pytest

from toulmin.domain.corpus.versions import (
    Bounds,
    Scheme,
    UnreadableVersion,
    bounds,
    check_version,
    contains,
    is_specifier,
    normalise_specifier,
)


@pytest.mark.parametrize(
    ("stated", "inside", "outside"),
    [
        ("2.4.1", "2.4.1", "2.4.2"),
        ("==2.4", "2.4.0", "2.4.1"),
        ("===2.4", "2.4.0", "2.4.1"),
        ("!=2.4.1", "2.4.2", "2.4.1"),
        (">=2.4.1", "2.4.1", "2.4.0.9"),
        (">2.4.1", "2.4.1.1", "2.4.1"),
        ("<=2.4.1", "2.4.1", "2.4.1.1"),
        ("<2.4.1", "2.4.0.9", "2.4.1"),
        (">=2.4.1,<2.4.2", "2.4.1.7", "2.4.2"),
        ("==2.4.*", "2.4", "2.5"),
        ("2.4.*", "2.4.9", "2.40"),
        ("!=2.4.*", "2.5", "2.4.9"),
        ("~=2.4.1", "2.4.9", "2.5"),
        ("~=2.4", "2.9", "3.0"),
    ],
)
def test_a_dotted_range_contains_what_it_says(stated: str, inside: str, outside: str) -> None:
    assert contains(stated, inside, "dotted")
    assert not contains(stated, outside, "dotted")


@pytest.mark.parametrize("scheme", ["dotted", "pep440"])
def test_trailing_zeros_make_no_other_version(scheme: Scheme) -> None:
    assert contains("2.4", "2.4.0", scheme)
    assert contains("2.4.0", "2.4", scheme)
    assert contains(">=2.4.0,<=2.4.0.0", "2.4", scheme)


def test_dotted_parts_are_numbers_and_not_texts() -> None:
    assert contains(">=2.9", "2.10", "dotted")
    assert contains("2.04", "2.4", "dotted")


def test_pep440_includes_pre_releases() -> None:
    assert contains(">=2.0", "2.1rc1", "pep440")
    assert contains("<2.1", "2.1.dev1", "pep440") is False, "a pre-release of the bound itself is not below it"
    assert contains("2.1rc1", "2.1-rc.1", "pep440")
    assert not contains("2.1", "2.1rc1", "pep440")


@pytest.mark.parametrize(
    ("stated", "version", "scheme", "named"),
    [
        ("2.x", "2.4", "dotted", "2.x"),
        ("2.4", "latest", "dotted", "latest"),
        ("2.4,", "2.4", "dotted", "2.4,"),
        (">=2.*", "2.4", "dotted", ">=2.*"),
        ("~=2", "2.4", "dotted", "~=2"),
        ("==2.x.*", "2.4", "dotted", "2.x"),
        ("2.4rc1", "2.4", "dotted", "2.4rc1"),
        ("２.4", "2.4", "dotted", "２.4"),
        ("~=2", "2.4", "pep440", "~=2"),
        ("2.x", "2.4", "pep440", "2.x"),
        ("2.4", "latest", "pep440", "latest"),
    ],
)
def test_an_unreadable_version_on_either_side_is_named(stated: str, version: str, scheme: Scheme, named: str) -> None:
    with pytest.raises(UnreadableVersion) as caught:
        contains(stated, version, scheme)
    assert caught.value.text == named
    assert scheme in str(caught.value)


@pytest.mark.parametrize("scheme", ["dotted", "pep440"])
def test_a_number_of_any_length_is_a_fault_and_no_crash(scheme: Scheme) -> None:
    with pytest.raises(UnreadableVersion):
        contains("1." + "9" * 5_000, "1.2", scheme)


@pytest.mark.parametrize("scheme", ["dotted", "pep440"])
def test_a_case_states_one_version_and_no_range(scheme: Scheme) -> None:
    check_version("2.4.1", scheme)
    with pytest.raises(UnreadableVersion):
        check_version(">=2.4.1", scheme)


@pytest.mark.parametrize("text", [">=2.4.1,<2.4.2", ">= 2.4 , < 3", "==2.4.*", "~=2.4", "===2.4"])
def test_a_version_range_is_told_from_other_values(text: str) -> None:
    assert is_specifier(text)


@pytest.mark.parametrize("text", ["2.4.1", "G2", "", ">=", ">=2,", "a,b", "G2 >= G1"])
def test_other_values_are_no_version_range(text: str) -> None:
    assert not is_specifier(text)


def test_a_range_is_normalised_clause_by_clause() -> None:
    assert normalise_specifier("< 3, >=2.4,<3") == normalise_specifier(">=2.4,<3") == "<3,>=2.4"


@pytest.mark.parametrize(
    ("stated", "expected"),
    [
        ("2.4.0", Bounds(low=(2, 4), high=(2, 4))),
        (">=2.4.1,<2.4.2", Bounds(low=(2, 4, 1), high=(2, 4, 2), high_included=False)),
        (">2,>=2,<3,<=3", Bounds(low=(2,), low_included=False, high=(3,), high_included=False)),
        (">=1,>=2,<9,<8", Bounds(low=(2,), high=(8,), high_included=False)),
        ("!=2.4", Bounds()),
        ("~=2.4", Bounds(low=(2, 4))),
        ("==2.4.*", Bounds(low=(2, 4))),
    ],
)
def test_bounds_enclose_a_range(stated: str, expected: Bounds) -> None:
    assert bounds(stated) == expected


def test_there_are_no_bounds_of_what_is_not_dotted() -> None:
    with pytest.raises(UnreadableVersion):
        bounds(">=2.4rc1")
