"""Language: which texts the oracles read."""

from __future__ import annotations

import pytest

from toulmin.domain.claims.oracles.language import covered


@pytest.mark.parametrize(
    "text",
    [
        "The pump stops when the tank is empty.",
        "Valves close within a second.",
        "Signal handlers run natively.",
        "ACME GW-241, 12 kg",
        "45 mg",
        "",
        "Café Zürich was opened by the mayor of São Paulo.",
        "The ``--workers`` option sets the pool size.",
    ],
)
def test_english_and_a_few_names_and_numbers_are_read(text: str) -> None:
    assert covered(text, None)
    assert covered(text, "en")
    assert covered(text, "en-GB")


@pytest.mark.parametrize(
    "text",
    [
        "Die Pumpe ist nicht für Salzwasser geeignet.",
        "La pompe ne convient pas à l'eau salée.",
        "La bomba no es adecuada para agua salada.",
        "La pompa non è adatta per acqua salata.",
        "De pomp is niet geschikt voor zout water.",
        "A bomba não é adequada para água salgada.",
        "Pumpen är inte lämplig för saltvatten.",
        "Насос не подходит для морской воды.",
        "このポンプは海水には適していません。",
        "المضخة غير مناسبة للمياه المالحة.",
        "Pompa słonej wody wymaga dodatkowego uszczelnienia gumowego oraz filtra siatkowego",
    ],
)
def test_another_language_or_script_is_not_read(text: str) -> None:
    assert not covered(text, None)
    assert not covered(text, "en")


def test_a_stated_language_that_is_not_english_is_taken_at_its_word() -> None:
    assert not covered("The pump stops.", "de")
    assert not covered("45 mg", "ja")
