from __future__ import annotations

from datetime import UTC
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from toulmin.adapters.files.contracts import ContractFolder
from toulmin.domain.errors import InputError
from toulmin.domain.question.case import Case, Kind, Value
from toulmin.domain.question.contract import Contract, DrafterKind, Mode
from toulmin.domain.question.eligibility import Rule, RuleName
from toulmin.wire.contract import read_contract

GATEWAY = """\
id: gateway-v1
version: 3.10
case:
  model:      {type: string}
  firmware:   {type: version}
  audit_hold: {type: boolean, trusted: true}
  region:     {type: string, optional: true}
query: "Gateway {model} telemetry"
k: 2
eligibility:
  rules: {model: equals, firmware: version_in}
  missing: []
  ignore: [region]
facts:
  known-issue:
    proposition: "G2 may stop."
    clause: "It may stop."
  hold:
    applies: {audit_hold: true}
    proposition: "Do not roll back"
    clause: "We will not roll back."
answer: {mode: licensed, drafter: template}
"""


def contract(text: str = GATEWAY) -> Contract:
    return read_contract(text, "contracts/gateway.yaml", UTC)


def changed(old: str, new: str) -> str:
    assert GATEWAY.count(old) == 1, old
    return GATEWAY.replace(old, new)


def error_of(text: str) -> InputError:
    with pytest.raises(InputError) as caught:
        contract(text)
    return caught.value


def test_the_example_of_the_format_becomes_a_contract() -> None:
    read = contract()
    assert (read.id, read.version, read.k, read.min_score) == ("gateway-v1", "3.10", 2, 0.0)
    assert (read.mode, read.drafter) == (Mode.LICENSED, DrafterKind.TEMPLATE)
    assert [(f.name, f.kind, f.optional, f.trusted) for f in read.schema] == [
        ("model", Kind.STRING, False, False),
        ("firmware", Kind.VERSION, False, False),
        ("audit_hold", Kind.BOOLEAN, False, True),
        ("region", Kind.STRING, True, False),
    ]
    assert read.rules.rules == (("model", Rule(name=RuleName.EQUALS)), ("firmware", Rule(name=RuleName.VERSION_IN)))
    assert (read.rules.missing, read.rules.ignore) == (frozenset(), frozenset({"region"}))
    assert [(f.id, f.required) for f in read.facts] == [("known-issue", True), ("hold", True)]


def test_a_condition_has_the_type_of_its_case_field() -> None:
    hold = contract().facts[1]
    assert hold.applies == (("audit_hold", Value(Kind.BOOLEAN, "true")),)
    assert hold.applies_to(Case.of({"audit_hold": Value(Kind.BOOLEAN, "true")}))


def test_a_date_in_a_condition_begins_in_the_zone_of_the_workspace() -> None:
    text = changed("{type: boolean, trusted: true}", "{type: instant}").replace(
        "audit_hold: true", "audit_hold: 2026-07-01"
    )
    (_, value), *_ = read_contract(text, "c.yaml", ZoneInfo("Europe/Berlin")).facts[1].applies
    assert value.text == "2026-06-30T22:00:00Z"


@pytest.mark.parametrize(
    ("form", "rule"),
    [
        ("equals", Rule(name=RuleName.EQUALS)),
        ("{equals: {}}", Rule(name=RuleName.EQUALS)),
        ("one_of", Rule(name=RuleName.ONE_OF)),
        ("{one_of: {}}", Rule(name=RuleName.ONE_OF)),
        ("version_in", Rule(name=RuleName.VERSION_IN)),
        ("{version_in: {}}", Rule(name=RuleName.VERSION_IN)),
        ("{version_in: {scheme: pep440}}", Rule(name=RuleName.VERSION_IN, scheme="pep440")),
        ("{at_least: {levels: [low, high]}}", Rule(name=RuleName.AT_LEAST, levels=("low", "high"))),
    ],
)
def test_each_rule_has_a_short_form_or_options(form: str, rule: Rule) -> None:
    assert contract(changed("model: equals", f"model: {form}")).rules.get("model") == rule


def test_what_may_be_left_out_has_its_default() -> None:
    short = contract("id: q\nquery: words\nanswer: {mode: reviewed}\n")
    assert (short.version, short.k, short.min_score, short.drafter) == ("1", 5, 0.0, DrafterKind.MODEL)
    assert (short.schema, short.facts, short.rules.rules) == ((), (), ())
    assert contract(changed(", drafter: template", "")).drafter is DrafterKind.TEMPLATE


@pytest.mark.parametrize(
    ("old", "new", "code", "message"),
    [
        (
            "query:",
            "querry:",
            "unknown_key",
            (
                "contracts/gateway.yaml:8: querry: unknown key 'querry'; also contracts/gateway.yaml:1: query: key query is missing "
                "(write query; add query)"
            ),
        ),
        (
            '    clause: "It',
            '    claus: "It',
            "unknown_key",
            (
                "contracts/gateway.yaml:17: facts.known-issue.claus: unknown key 'claus'; also contracts/gateway.yaml:15: "
                "facts.known-issue.clause: key clause is missing (write clause; add clause)"
            ),
        ),
        (
            "model: equals",
            "model: equal",
            "unknown_rule",
            (
                "contracts/gateway.yaml:11: eligibility.rules.model: unknown rule 'equal'; the rules are equals, one_of, version_in, "
                "at_least (write equals)"
            ),
        ),
        (
            "{model: equals,",
            "{model: {equals: {}, one_of: {}},",
            "wrong_type",
            (
                "contracts/gateway.yaml:11: eligibility.rules.model: a mapping is not one rule "
                "(write one of equals, one_of, version_in, at_least)"
            ),
        ),
        (
            "version_in}",
            "{version_in: {schema: pep440}}}",
            "unknown_key",
            "contracts/gateway.yaml:11: eligibility.rules.firmware.version_in.schema: unknown key 'schema' (write scheme)",
        ),
        (
            "version_in}",
            "at_least}",
            "missing_key",
            "contracts/gateway.yaml:11: eligibility.rules.firmware.at_least.levels: key levels is missing (add levels)",
        ),
        (
            "version_in}",
            "{at_least: {levels: [a, a]}}}",
            "bad_rule",
            (
                "contracts/gateway.yaml:11: eligibility.rules.firmware: rule at_least with levels ['a', 'a'] "
                "(at_least, and no other rule, takes levels: a list from low to high without repeats)"
            ),
        ),
        (
            "version_in}",
            "version_in, colour: equals}",
            "bad_contract",
            (
                "contracts/gateway.yaml:11: eligibility.rules.colour: rule colour judges no field of the case "
                "(add `colour: {type: string}` to case)"
            ),
        ),
        (
            "missing: []",
            "missing: [modle]",
            "bad_rule",
            (
                "contracts/gateway.yaml:12: eligibility.missing: modle is in missing, and no rule judges it "
                "(add a rule for it, or remove it: a document need not state what no rule names)"
            ),
        ),
        (
            "ignore: [region]",
            "ignore: [model]",
            "bad_rule",
            "contracts/gateway.yaml:13: eligibility.ignore: model is in ignore, and a rule judges it (keep one of the two)",
        ),
        (
            "type: version",
            "type: versn",
            "wrong_type",
            (
                "contracts/gateway.yaml:5: case.firmware.type: 'versn' is not one of string, boolean, number, date, instant, version "
                "(write version)"
            ),
        ),
        (
            "optional: true",
            "optional: yes",
            "wrong_type",
            "contracts/gateway.yaml:7: case.region.optional: 'yes' is not true or false (write true or false, without quotes)",
        ),
        (
            "audit_hold: true}",
            "audit_hold: maybe}",
            "wrong_type",
            "contracts/gateway.yaml:19: facts.hold.applies.audit_hold: 'maybe' is not a value of type boolean (write true or false)",
        ),
        (
            "audit_hold: true}",
            "hold: true}",
            "bad_contract",
            "contracts/gateway.yaml:19: facts.hold.applies.hold: hold is no field of the case (add `hold: {type: string}` to case)",
        ),
        (
            "{model}",
            "{modell}",
            "bad_contract",
            "contracts/gateway.yaml:8: query: {modell} names no field of the case (add `modell: {type: string}` to case)",
        ),
        (
            "k: 2",
            "k: 0x10",
            "wrong_type",
            "contracts/gateway.yaml:9: k: '0x10' is not a whole number (write a whole number such as 8, without quotes)",
        ),
        (
            "k: 2",
            "k: null",
            "wrong_type",
            "contracts/gateway.yaml:9: k: null is not a whole number (write a whole number such as 8, without quotes)",
        ),
        ("k: 2", "k: 0", "bad_contract", "contracts/gateway.yaml:9: k: k is 0 (k is at least 1)"),
        (
            "mode: licensed",
            "mode: cited",
            "bad_contract",
            (
                "contracts/gateway.yaml:22: answer.drafter: the template drafter writes licensed clauses only, not cited answers "
                "(use drafter: model)"
            ),
        ),
        (
            "answer: {mode: licensed, drafter: template}",
            "answer: {mode: cited}",
            "bad_contract",
            (
                "contracts/gateway.yaml:15: facts.known-issue.required: a cited contract can require no fact: nobody judges "
                "whether its claims state one (write answer.mode: licensed or reviewed, or `required: false`)"
            ),
        ),
        (
            "id: gateway-v1",
            "id: open-question-v1",
            "bad_contract",
            "contracts/gateway.yaml:1: id: open-question-v1 is the built-in contract (give this one another id)",
        ),
        (
            "  model:      ",
            "  mo del: ",
            "bad_name",
            (
                "contracts/gateway.yaml:4: case.mo del: 'mo del' is not a name "
                "(use at most 100 letters, digits, '_', '-' and '.', and begin with a letter or '_')"
            ),
        ),
    ],
)
def test_a_fault_names_file_line_key_path_and_remedy(old: str, new: str, code: str, message: str) -> None:
    error = error_of(changed(old, new))
    assert str(error) == message
    assert error.code == code


@pytest.mark.parametrize("value", ["0x10", "1_000", ".nan", ".inf", "1e999", "'1'", "true", "-1", "[1]"])
def test_a_minimum_score_is_a_decimal_number_from_0(value: str) -> None:
    assert error_of(f"{GATEWAY}min_score: {value}\n").code == "wrong_type"


def test_all_faults_of_a_file_are_told_at_once_and_many_are_counted() -> None:
    two = str(error_of(changed("k: 2", "k: two").replace("type: version", "type: 7")))
    assert two.startswith("contracts/gateway.yaml:5: case.firmware.type: '7' is not")
    assert "; also contracts/gateway.yaml:9: k: 'two' is not a whole number" in two
    many = error_of(GATEWAY + "".join(f"key{n}: 1\n" for n in range(30)))
    assert many.message.count("also ") == 9
    assert many.message.endswith("; and 20 more")


def test_a_mode_is_never_assumed() -> None:
    assert error_of(changed("{mode: licensed, drafter: template}", "{}")).code == "missing_key"


def test_a_folder_gives_its_contracts_in_the_order_of_file_names(tmp_path: Path) -> None:
    folder = tmp_path / "contracts"
    folder.mkdir()
    (folder / "b.yaml").write_text(changed("gateway-v1", "second"), encoding="utf-8")
    (folder / "a.yml").write_text(changed("gateway-v1", "first"), encoding="utf-8")
    (folder / "notes.txt").write_text("no contract", encoding="utf-8")
    (folder / ".b.yaml").write_text("an editor's copy", encoding="utf-8")
    contracts = ContractFolder(folder, UTC)
    assert [item.id for item in contracts.all()] == ["first", "second"]
    assert contracts.find("second") == contracts.all()[1]
    assert contracts.find("Second") is None


def test_a_missing_folder_has_no_contracts(tmp_path: Path) -> None:
    assert ContractFolder(tmp_path / "contracts", UTC).all() == ()


def test_two_files_with_one_contract_id_are_both_named(tmp_path: Path) -> None:
    folder = tmp_path / "contracts"
    folder.mkdir()
    for name in ("a.yaml", "b.yaml"):
        (folder / name).write_text(GATEWAY, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        ContractFolder(folder, UTC).find("another")
    assert str(caught.value) == (
        "contracts/b.yaml: id: contract 'gateway-v1' is in contracts/a.yaml and in contracts/b.yaml "
        "(give each contract an id of its own)"
    )


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").mkdir()
    with pytest.raises(InputError) as caught:
        ContractFolder(tmp_path, UTC).all()
    assert caught.value.code == "unreadable_file"
    assert caught.value.where == f"{tmp_path.name}/a.yaml"


def test_a_folder_that_is_a_file_is_no_empty_folder(tmp_path: Path) -> None:
    (tmp_path / "contracts").write_text("", encoding="utf-8")
    with pytest.raises(InputError) as caught:
        ContractFolder(tmp_path / "contracts", UTC).all()
    assert (caught.value.code, caught.value.where) == ("unreadable_file", "contracts")
