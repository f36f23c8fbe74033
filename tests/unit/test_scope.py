from __future__ import annotations

import pytest

from toulmin.domain.corpus.readers import readers
from toulmin.domain.corpus.scope import Scope
from toulmin.domain.errors import InputError


def test_scopes_are_equal_whatever_the_order_spacing_and_repeats() -> None:
    one = Scope.of({"firmware": ">= 2.4.1, < 2.4.2", "model": [" G3", "G2", "G2"]})
    other = Scope.of({"model": ["G2", "G3"], "firmware": "<2.4.2,>=2.4.1"})
    assert one == other
    assert hash(one) == hash(other)
    assert one.canonical == other.canonical == '{"firmware":"<2.4.2,>=2.4.1","model":["G2","G3"]}'


def test_a_list_of_one_is_not_the_value_itself() -> None:
    assert Scope.of({"model": ["G2"]}) != Scope.of({"model": "G2"})


def test_an_attribute_that_is_not_stated_has_no_value() -> None:
    scope = Scope.of({"model": "G2"})
    assert scope.get("model") == "G2"
    assert scope.get("firmware") is None
    assert scope.names == ("model",)


def test_an_empty_list_is_stated_and_holds_nothing() -> None:
    assert Scope.of({"model": []}).get("model") == ()


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("1st", "x", "'1st' is not a name"),
        ("a b", "x", "'a b' is not a name"),
        ("", "x", "'' is not a name"),
        ("model", "  ", "model has an empty value"),
        ("model", ["G2", ""], "model has an empty value"),
        ("model", ["G2", "*"], "model: '*' stands inside a list"),
    ],
)
def test_a_bad_scope_is_refused_with_the_attribute_named(name: str, value: str | list[str], says: str) -> None:
    with pytest.raises(InputError) as caught:
        Scope.of({name: value})
    assert caught.value.code == "bad_scope"
    assert says in caught.value.message
    assert caught.value.remedy


def test_readers_are_sorted_and_stand_once() -> None:
    assert readers(["tenant:b", "public", "group:a/ops", "public"]) == ("group:a/ops", "public", "tenant:b")


@pytest.mark.parametrize(
    "token", ["group:ops", "everybody", "tenant:", "tenant:a/b", "group:a/b/c", "Public", "public "]
)
def test_a_token_that_is_no_reader_is_named(token: str) -> None:
    with pytest.raises(InputError) as caught:
        readers(["public", token])
    assert caught.value.code == "bad_reader"
    assert repr(token) in caught.value.message


def test_a_bare_group_is_told_that_it_needs_a_tenant() -> None:
    with pytest.raises(InputError) as caught:
        readers(["group:ops"])
    assert "group:TENANT/GROUP" in (caught.value.remedy or "")
