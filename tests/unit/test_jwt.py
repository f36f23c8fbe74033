from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from joserfc.jwk import ECKey, RSAKey

from tests.unit.tokens import (
    ADA,
    CLAIMS,
    NOW,
    SECONDS,
    Made,
    SetClock,
    StandingKeys,
    encoded,
    jwt,
    key,
    key_set,
    public,
    token,
    with_header,
)
from toulmin.adapters.jwt.keys import read_keys
from toulmin.adapters.jwt.tokens import MAX_TOKEN
from toulmin.domain.errors import InputError
from toulmin.domain.question.case import Principal
from toulmin.ports.authenticator import Denied, Reason


def reason_of(credential: object, **options: Any) -> Reason | None:
    """Why a token is denied; None where it is believed."""
    known = jwt(**options).authenticate(str(credential))
    return known.reason if isinstance(known, Denied) else None


def test_a_token_of_the_issuer_tells_who_calls() -> None:
    assert jwt().authenticate(token()) == ADA


@pytest.mark.parametrize(
    ("kind", "algorithm"), [("RSA", "RS256"), ("RSA", "PS256"), ("EC", "ES256"), ("OKP", "EdDSA"), ("OKP", "Ed25519")]
)
def test_every_pinned_algorithm_is_believed_from_a_key_of_its_kind(kind: str, algorithm: str) -> None:
    made = Made(header={"alg": algorithm, "kid": "k1"}, by=key(kind), algorithm=algorithm)
    assert jwt([key(kind)]).authenticate(str(made)) == ADA


# ---- forged -------------------------------------------------------------------------------------------------------------------------------


def test_a_token_of_another_key_with_the_same_name_is_forged() -> None:
    other = RSAKey.generate_key(2048, parameters={"kid": "k1"})
    assert reason_of(Made(by=other)) is Reason.SIGNATURE


def test_a_token_whose_claims_were_changed_is_forged() -> None:
    header, _, signature = token().split(".")
    richer = encoded({**CLAIMS, "roles": ["reader", "auditor"]})
    assert reason_of(f"{header}.{richer}.{signature}") is Reason.SIGNATURE


@pytest.mark.parametrize("algorithm", ["none", "None", "NONE", "nOnE", "", None, 0, ["RS256"], {"alg": "RS256"}])
def test_a_token_without_a_signature_algorithm_is_forged(algorithm: object) -> None:
    header = encoded({"alg": algorithm, "kid": "k1"})
    for signature in (encoded(b"\0"), token().split(".")[2]):
        assert reason_of(f"{header}.{encoded(CLAIMS)}.{signature}") is Reason.ALGORITHM
    assert reason_of(f"{header}.{encoded(CLAIMS)}.") is Reason.MALFORMED


@pytest.mark.parametrize("spelling", ["pem", "der", "jwk", "modulus"])
def test_a_token_signed_with_the_public_key_as_a_secret_is_forged(spelling: str) -> None:
    known = key()
    assert isinstance(known, RSAKey)
    secrets = {
        "pem": known.as_pem(private=False),
        "der": known.as_der(private=False),
        "jwk": json.dumps(known.as_dict(private=False)).encode(),
        "modulus": str(known.as_dict(private=False)["n"]).encode(),
    }
    for header in ({"alg": "HS256", "kid": "k1"}, {"alg": "RS256", "kid": "k1"}):
        forged = Made(header=header, secret=secrets[spelling])
        assert reason_of(forged) in (Reason.ALGORITHM, Reason.SIGNATURE)


def test_a_key_that_comes_with_the_token_is_not_believed() -> None:
    own = RSAKey.generate_key(2048)
    brought = {"jwk": own.as_dict(private=False), "jku": "http://127.0.0.1:9/keys", "x5u": "http://127.0.0.1:9/cert"}
    header = {"alg": "RS256", "typ": "JWT", **brought}
    assert reason_of(Made(header={**header, "kid": "k1"}, by=own)) is Reason.SIGNATURE
    assert reason_of(Made(header={**header, "kid": "mine"}, by=own)) is Reason.KEY
    assert reason_of(Made(header=header, by=own)) is Reason.SIGNATURE


def test_an_algorithm_that_is_not_pinned_is_not_believed_from_a_good_key() -> None:
    assert reason_of(Made(header={"alg": "RS512", "kid": "k1"}, algorithm="RS512")) is Reason.ALGORITHM


def test_a_key_is_believed_with_its_own_algorithms_only() -> None:
    narrow = StandingKeys(key_set(key(), alg="PS256"))
    assert reason_of(token(), source=narrow) is Reason.KEY
    assert reason_of(Made(header={"alg": "PS256", "kid": "k1"}, algorithm="PS256"), source=narrow) is None
    assert not key_set(key()).keys[0].verifies("HS256", b"", b"")


def test_a_token_of_a_key_of_another_kind_is_not_believed() -> None:
    assert reason_of(Made(header={"alg": "ES256", "kid": "k1"}, by=key("EC"), algorithm="ES256")) is Reason.KEY


# ---- keys ---------------------------------------------------------------------------------------------------------------------------------


def test_without_a_key_id_only_a_single_key_can_be_meant() -> None:
    nameless = str(Made(header={"alg": "RS256"}))
    assert jwt().authenticate(nameless) == ADA
    assert reason_of(nameless, keys=(key(), key("RSA", "k2"))) is Reason.KEY
    assert reason_of(nameless, keys=(key(), key("EC", "k2"))) is None


def test_a_token_of_a_new_key_is_believed_once_the_issuer_has_published_it() -> None:
    source = StandingKeys(key_set(key()), later=key_set(key("RSA", "k2")))
    new = str(Made(header={"alg": "RS256", "kid": "k2"}, by=key("RSA", "k2")))
    assert jwt(source=source).authenticate(new) == ADA
    assert source.asked == 1
    assert reason_of(token(), source=source) is Reason.KEY, "the old key was withdrawn"


def test_newer_keys_are_not_asked_for_while_the_known_ones_do() -> None:
    source = StandingKeys(key_set(key()))
    for credential in (token(), token(exp=1), "a.b.c", with_header(alg="none")):
        jwt(source=source).authenticate(credential)
    assert source.asked == 0


def test_two_keys_of_one_name_are_both_tried() -> None:
    twin = RSAKey.generate_key(2048, parameters={"kid": "k1"})
    assert reason_of(token(), keys=(twin, key())) is None


@pytest.mark.parametrize(
    "entry",
    [
        {"kty": "oct", "k": "c2VjcmV0", "kid": "k1"},
        {"kty": "unknown", "kid": "k1"},
        {"kty": "EC", "crv": "secp256k1", "x": "AA", "y": "AA"},
        {"kty": "EC", "crv": "P-256", "x": "AA", "y": "AA"},
        {"kty": "OKP", "crv": "X25519", "x": "AA"},
        {"kty": "OKP", "crv": "Ed25519", "x": "AA"},
        {"kty": "RSA", "n": "!!!!", "e": "AQAB"},
        {"kty": "RSA", "n": "A" * 343, "e": "A"},
        {"kty": "RSA", "e": "AQAB"},
        {"kty": "RSA", "n": 5, "e": "AQAB"},
        {"kty": "RSA", "n": "_" * 170, "e": "AQAB"},
        {"kty": "RSA", "n": "_" * 1, "e": "AQAB"},
        {**public(key())["keys"][0], "use": "enc"},
        {**public(key())["keys"][0], "alg": "RSA-OAEP"},
        {**public(key())["keys"][0], "alg": 256},
        {**public(key())["keys"][0], "key_ops": ["sign"]},
        {**public(key())["keys"][0], "key_ops": "verify"},
        {**public(key())["keys"][0], "kid": 7},
        "k1",
        None,
        [],
    ],
)
def test_an_entry_that_can_verify_nothing_is_left_out_of_the_keys(entry: object) -> None:
    good = public(key("EC", "other"))["keys"]
    keys = read_keys(json.dumps({"keys": [entry, *good]}).encode(), "jwks").keys
    assert [known.id for known in keys] == ["other"]
    with pytest.raises(InputError, match="no key in it can verify a signature"):
        read_keys(json.dumps({"keys": [entry]}).encode(), "jwks")


def test_a_key_for_verifying_among_other_operations_is_of_use() -> None:
    assert reason_of(token(), source=StandingKeys(key_set(key(), key_ops=["verify"], use="sig", alg="RS256"))) is None


def test_the_private_half_of_a_key_is_never_read() -> None:
    private = json.dumps({"keys": [key().as_dict(private=True)]}).encode()
    [known] = read_keys(private, "jwks").keys
    assert not known.key.is_private


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"keys": {}}', '{"keys": [], "keys": []}', "no JSON", '{"keys": []}']
)
def test_what_is_no_set_of_keys_is_an_error_that_names_it(text: str) -> None:
    with pytest.raises(InputError) as caught:
        read_keys(text.encode(), "keys/jwks.json")
    assert str(caught.value).startswith("keys/jwks.json")


# ---- header and form ----------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["JWT", "jwt", "at+jwt", "AT+JWT", "application/at+jwt"])
def test_a_token_may_say_that_it_is_one(kind: str) -> None:
    assert reason_of(with_header(typ=kind)) is None
    assert reason_of(Made(header={"alg": "RS256", "kid": "k1"})) is None


@pytest.mark.parametrize("kind", ["logout+jwt", "dpop+jwt", "secevent+jwt", "", "application/", 1, None, ["JWT"]])
def test_a_token_for_something_else_is_not_believed(kind: object) -> None:
    assert reason_of(with_header(typ=kind)) is Reason.TYPE


@pytest.mark.parametrize("critical", [["b64"], ["exp"], [], "exp", None])
def test_a_token_that_demands_an_extension_is_not_believed(critical: object) -> None:
    assert reason_of(with_header(crit=critical, b64=True)) is Reason.CRITICAL


@pytest.mark.parametrize("key_id", [1, ["k1"], {"k1": 1}, True])
def test_a_key_id_that_is_no_text_is_malformed(key_id: object) -> None:
    assert reason_of(with_header(kid=key_id)) is Reason.MALFORMED


def test_a_token_beyond_the_limit_is_not_looked_at() -> None:
    long = token(padding="x" * MAX_TOKEN)
    assert reason_of(long) is Reason.TOO_LONG
    fits = token(padding="x" * (MAX_TOKEN * 3 // 4 - 900))
    assert len(fits) > MAX_TOKEN - 700
    assert reason_of(fits) is None


HEADER = '{"alg":"RS256","kid":"k1"}'
GOOD = json.dumps(dict(CLAIMS))


@pytest.mark.parametrize(
    ("header", "claims"),
    [
        ('{"alg":"RS256","kid":"k1","kid":"k1"}', GOOD),
        ('{"alg":"none","alg":"RS256","kid":"k1"}', GOOD),
        (HEADER, GOOD[:-1] + ',"tenant":"rival"}'),
        (HEADER, GOOD[:-1] + ',"sub":"eve"}'),
        (HEADER, GOOD[:-1] + ',"extra":{"a":1,"a":2}}'),
        (HEADER, GOOD[:-1] + ',"exp":NaN}'),
        (HEADER, GOOD[:-1] + ',"later":Infinity}'),
        (HEADER, GOOD[:-1] + ',"later":1e999}'),
        (HEADER, GOOD[:-1] + ',"name":"a\\u0000b"}'),
        (HEADER, GOOD[:-1] + ',"name":"\\ud800"}'),
        (HEADER, GOOD + " {}"),
        (HEADER, "[" * 500 + "]" * 500),
        (HEADER, "[]"),
        (HEADER, '"text"'),
        (HEADER, ""),
        ("[]", GOOD),
        ("1", GOOD),
        ("{", GOOD),
    ],
)
def test_json_that_can_be_read_in_two_ways_or_none_is_malformed(header: str, claims: str) -> None:
    assert reason_of(Made(header=header.encode(), claims=claims.encode())) is Reason.MALFORMED


def test_the_same_texts_are_believed_where_nothing_is_wrong_with_them() -> None:
    assert reason_of(Made(header=HEADER.encode(), claims=GOOD.encode())) is None


@pytest.mark.parametrize("change", ["{}=", "{}.", ".{}", "{} ", "{}\n", "{}.x", "x{}", "{}+", "{}/"])
def test_a_token_with_anything_around_it_is_malformed(change: str) -> None:
    assert reason_of(change.format(token())) in (Reason.MALFORMED, Reason.SIGNATURE)


# ---- issuer, audience, time ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "issuer", [None, "", "https://issuer.example/", "HTTPS://issuer.example", ["https://issuer.example"], 1]
)
def test_a_token_of_another_issuer_is_not_believed(issuer: object) -> None:
    assert reason_of(token(iss=issuer)) is Reason.ISSUER


@pytest.mark.parametrize(
    "audience", [None, "", "other", "toulmin ", [], ["other"], [["toulmin"]], {"toulmin": 1}, True]
)
def test_a_token_for_somebody_else_is_not_believed(audience: object) -> None:
    assert reason_of(token(aud=audience)) is Reason.AUDIENCE


@pytest.mark.parametrize("audience", ["toulmin", ["toulmin"], ["other", "toulmin"]])
def test_a_token_may_be_for_several(audience: object) -> None:
    assert reason_of(token(aud=audience)) is None


@pytest.mark.parametrize(
    ("claims", "after", "reason"),
    [
        ({"exp": SECONDS}, 0, None),
        ({"exp": SECONDS}, 59.999, None),
        ({"exp": SECONDS}, 60, Reason.EXPIRED),
        ({"exp": SECONDS}, 3600, Reason.EXPIRED),
        ({"exp": SECONDS + 0.5}, 60, None),
        ({"nbf": SECONDS + 60}, 0, None),
        ({"nbf": SECONDS + 61}, 0, Reason.NOT_YET),
        ({"iat": SECONDS + 60}, 0, None),
        ({"iat": SECONDS + 60.001}, 0, Reason.NOT_YET),
        ({"iat": None}, 0, None),
        ({"exp": -1}, 0, Reason.EXPIRED),
        ({"exp": 2**62}, 0, None),
        ({"exp": SECONDS, "nbf": SECONDS + 999}, 3600, Reason.EXPIRED),
    ],
)
def test_clocks_may_differ_by_as_much_as_is_allowed(
    claims: dict[str, Any], after: float, reason: Reason | None
) -> None:
    assert reason_of(token(**claims), clock=SetClock(NOW + timedelta(seconds=after))) is reason


def test_without_leeway_a_token_ends_when_it_says() -> None:
    assert reason_of(token(exp=SECONDS + 1), leeway_s=0) is None
    assert reason_of(token(exp=SECONDS), leeway_s=0) is Reason.EXPIRED
    assert reason_of(token(nbf=SECONDS + 1), leeway_s=0) is Reason.NOT_YET


@pytest.mark.parametrize("name", ["exp", "nbf", "iat"])
@pytest.mark.parametrize("value", ["1772366700", True, [], {}, "2026-03-01"])
def test_what_is_no_time_is_not_taken_for_one(name: str, value: object) -> None:
    assert reason_of(token(**{name: value})) is Reason.TIME


def test_a_token_that_never_ends_is_not_believed() -> None:
    assert reason_of(token(exp=None)) is Reason.TIME


# ---- who it is ----------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "claims",
    [
        {"sub": None},
        {"sub": ""},
        {"sub": " ada"},
        {"sub": "a\nb"},
        {"sub": 7},
        {"sub": ["ada"]},
        {"sub": "a" * 513},
        {"tenant": ""},
        {"tenant": "acme/rival"},
        {"tenant": "acme:rival"},
        {"tenant": "acme rival"},
        {"tenant": "acme\u00a0x"},
        {"tenant": ["acme"]},
        {"tenant": {"id": "acme"}},
        {"tenant": 7},
        {"tenant": True},
        {"groups": "desk"},
        {"groups": "desk,ops"},
        {"groups": ["desk/ops"]},
        {"groups": ["rival/desk"]},
        {"groups": ["a:b"]},
        {"groups": [""]},
        {"groups": [7]},
        {"groups": [["desk"]]},
        {"groups": {"desk": True}},
        {"groups": ["desk", None]},
        {"tenant": None, "groups": ["desk"]},
        {"roles": "reader"},
        {"roles": "reader auditor"},
        {"roles": ["reader", 7]},
        {"roles": ["reader", None]},
        {"roles": [["reader"]]},
        {"roles": {"reader": True}},
        {"active": "true"},
        {"active": 1},
    ],
)
def test_claims_that_are_no_principal_are_not_made_into_one(claims: dict[str, Any]) -> None:
    assert reason_of(token(**claims)) is Reason.CLAIMS


def test_a_token_that_says_nothing_of_rights_gives_none() -> None:
    assert jwt().authenticate(token(tenant=None, groups=None, roles=None)) == Principal(id="ada")


def test_roles_of_other_programs_give_no_right_here() -> None:
    known = jwt().authenticate(token(roles=["offline_access", "Reader", "reader ", "admin", "reader"]))
    assert known == ADA


def test_somebody_who_has_left_is_nobody() -> None:
    assert reason_of(token(active=False)) is Reason.INACTIVE
    assert reason_of(token(active=True)) is None


def test_claims_have_the_names_that_the_settings_give_them() -> None:
    claims = {
        "https://example.com/t": "acme",
        "memberOf": ["desk"],
        "r": ["reader"],
        "tenant": "rival",
        "roles": ["auditor"],
    }
    known = jwt(tenant="https://example.com/t", groups="memberOf", roles="r").authenticate(token(groups=None, **claims))
    assert known == ADA


def test_a_dotted_name_is_the_name_of_one_claim_and_no_path() -> None:
    assert jwt(roles="realm.roles").authenticate(token(realm={"roles": ["auditor"]}, roles=None)) == replace(
        ADA, roles=()
    )


def test_an_elliptic_key_of_another_curve_verifies_its_own_algorithm() -> None:
    wide = ECKey.generate_key("P-384", parameters={"kid": "k1"})
    assert [known.algorithms for known in key_set(wide).keys] == [frozenset({"ES384"})]
