from __future__ import annotations

from dataclasses import fields

import pytest

from toulmin.domain.errors import InputError
from toulmin.domain.policy import Policy
from toulmin.domain.question.case import Principal
from toulmin.wire import policy as policy_module
from toulmin.wire.model import read
from toulmin.wire.node import node_of
from toulmin.wire.policy import policy_yaml, read_policy
from toulmin.wire.principal import read_principal


def test_limits_that_the_file_does_not_state_are_the_built_in_ones() -> None:
    assert read_policy("version: acme/1\nclaims: 3\n", "policy.yaml") == Policy(version="acme/1", claims=3)


def test_the_file_has_a_key_for_every_limit() -> None:
    assert set(policy_module._Policy.model_fields) == {field.name for field in fields(Policy)}


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        ("version: a\nclaim: 3\n", "unknown_key", "policy.yaml:2: claim: unknown key 'claim' (write claims)"),
        ("claims: 3\n", "missing_key", "policy.yaml:1: version: key version is missing (add version)"),
        ("version: a\nclaims: 0\n", "wrong_type", "policy.yaml:2: claims: 0 is below 1 (give at least 1)"),
        (
            "version: a\nclaims:\n",
            "wrong_type",
            "policy.yaml:2: claims: null is not a whole number (write a whole number such as 8, without quotes)",
        ),
        (
            "version: a\nself_approval: yes\n",
            "wrong_type",
            "policy.yaml:2: self_approval: 'yes' is not true or false (write true or false, without quotes)",
        ),
        (
            "version: a\napproval_days: 40000\n",
            "bad_policy",
            "policy.yaml:1: policy limit approval_days is 40000 (it is at most 36525: a hundred years)",
        ),
        (
            "version: a\nresults: 30\n",
            "bad_policy",
            "policy.yaml:1: policy limit results (30) is above max_results (20) (lower results or raise max_results)",
        ),
    ],
)
def test_a_wrong_policy_names_file_line_key_and_remedy(text: str, code: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        read_policy(text, "policy.yaml")
    assert str(caught.value) == message
    assert caught.value.code == code


def test_a_typed_source_gives_whole_numbers_and_nothing_that_only_looks_like_one() -> None:
    assert read(policy_module._Policy, node_of({"version": "a", "claims": 3}, "x"), "x").claims == 3
    for value in ("3", 3.0, True, None):
        with pytest.raises(InputError, match="is not a whole number"):
            read(policy_module._Policy, node_of({"version": "a", "claims": value}, "x"), "x")


def test_a_principal_file_states_who_asks() -> None:
    text = 'id = "ada"\ntenant = "acme"\ngroups = ["ops"]\nroles = ["reader", "curator"]\nactive = false\n'
    assert read_principal(text, "p.toml") == Principal(
        id="ada", tenant="acme", groups=("ops",), roles=("reader", "curator"), active=False
    )
    assert read_principal('id = "ada"\n', "p.toml") == Principal(id="ada")


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        ('id = "a"\nrole = "reader"\n', "unknown_key", "p.toml: role: unknown key 'role' (write roles)"),
        ('tenant = "acme"\n', "missing_key", "p.toml: id: key id is missing (add id)"),
        (
            'id = "a"\nroles = ["admin"]\n',
            "wrong_type",
            (
                "p.toml: roles[0]: 'admin' is not one of reader, curator, reviewer, operator, auditor, service "
                "(write one of reader, curator, reviewer, operator, auditor, service)"
            ),
        ),
        (
            'id = "a"\ngroups = ["g"]\n',
            "bare_group",
            "p.toml: groups: principal a has groups and no tenant (state the tenant that they belong to)",
        ),
        (
            'id = "a"\ntenant = "x/y"\nactive = false\n',
            "bad_reader",
            "p.toml: tenant: 'tenant:x/y' is not a reader (use no white space, ':' or '/' in tenants and groups)",
        ),
        (
            'id = "a"\nactive = "false"\n',
            "wrong_type",
            "p.toml: active: 'false' is not true or false (write true or false, without quotes)",
        ),
    ],
)
def test_a_wrong_principal_names_file_key_and_remedy(text: str, code: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        read_principal(text, "p.toml")
    assert str(caught.value) == message
    assert caught.value.code == code


def test_a_policy_that_is_written_is_read_as_the_same_one() -> None:
    policies = (
        Policy(),
        Policy(
            version='a "b": #c\\', repair_rounds=0, repairs=(), supported=0.9998, contradicted=1.0, sufficiency=0.51
        ),
    )
    for policy in policies:
        assert read_policy(policy_yaml(policy, ["by a\nname", "and: another"]), "policy.yaml") == policy
    assert policy_yaml(Policy(), ["by a\nname"]).splitlines()[:2] == ["# by a name", 'version: "built-in/4"']
