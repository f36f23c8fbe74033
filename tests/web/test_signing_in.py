from __future__ import annotations

import pytest

from tests.api.conftest import PEOPLE, Running, Tokens, served
from tests.web.conftest import FROM_HERE, Browser, browsing, read
from toulmin.domain.question.case import Principal
from toulmin.ports.authenticator import Denied, Reason
from toulmin.surfaces.http.app import create_app
from toulmin.surfaces.http.authentication import HttpAuthenticator
from toulmin.surfaces.http.service import Service


def test_who_has_not_signed_in_is_led_to_the_form_and_back_to_the_page(running: Running) -> None:
    with browsing(running) as browser:
        asked = browser.get("/search?text=gateway")
        form = browser.see(asked.headers["location"])
        signed = browser.send("/sign-in", {**form.fields, "credential": "reader"})
        assert (asked.status_code, asked.headers["location"]) == (303, "/sign-in?next=%2Fsearch%3Ftext%3Dgateway")
        assert (signed.status_code, signed.headers["location"]) == (303, "/search?text=gateway")
        assert "ada" in browser.see("/search?text=gateway").text


def test_the_first_page_leads_to_asking(visitor: Browser) -> None:
    assert visitor.get("/").headers["location"] == "/ask"


def test_the_credential_is_kept_where_no_script_and_no_other_site_reaches_it(running: Running) -> None:
    with browsing(running) as browser:
        cookie = browser.sign_in("reader").headers["set-cookie"]
    assert cookie == "toulmin-credential=reader; HttpOnly; Path=/; SameSite=strict"


@pytest.mark.parametrize("host", ["desk.example", "127.0.0.1:8080"])
def test_behind_a_proxy_the_cookie_is_sent_over_tls_and_to_this_host_alone(running: Running, host: str) -> None:
    headers = {"Host": host, "Origin": f"https://{host}"}
    with running.client(None) as client:
        form = client.get("/sign-in", headers=headers)
        bound = form.headers["set-cookie"].partition(";")[0]
        client.cookies.clear()
        reply = client.post(
            "/sign-in", data={**read(form).fields, "credential": "reader"}, headers=headers | {"Cookie": bound}
        )
        client.cookies.clear()
        kept = reply.headers["set-cookie"]
        asked = client.get("/ask", headers={"Host": host, "Cookie": kept.partition(";")[0]})
        unprefixed = client.get("/ask", headers={"Host": "desk.example", "Cookie": "toulmin-credential=reader"})
    assert kept == "__Host-toulmin-credential=reader; HttpOnly; Path=/; SameSite=strict; Secure"
    assert (asked.status_code, unprefixed.status_code) == (200, 303)


def test_a_credential_that_is_not_valid_is_refused_in_words(running: Running) -> None:
    with browsing(running) as browser:
        reply = browser.sign_in("stranger")
    assert reply.status_code == 401
    assert "not valid here" in read(reply).text
    assert "set-cookie" not in reply.headers


@pytest.mark.parametrize("credential", ["", "a" * 5000, "two words", "semi;colon", "ünsafe"])
def test_what_no_browser_could_keep_is_no_credential(running: Running, credential: str) -> None:
    with browsing(running) as browser:
        assert browser.sign_in(credential).status_code == 401


def test_signing_out_forgets_the_credential(visitor: Browser) -> None:
    fields = visitor.see("/ask").fields
    assert visitor.send("/sign-out", fields).headers["location"] == "/sign-in"
    assert visitor.get("/ask").status_code == 303


def test_a_credential_that_is_revoked_ends_the_visit_with_the_next_page(service: Service) -> None:
    class Revocable(Tokens):
        revoked = False

        def authenticate(self, credential: str) -> Principal | Denied:
            return Denied(Reason.API_KEY) if self.revoked else Tokens.authenticate(self, credential)

    tokens = Revocable()
    service.authenticator = HttpAuthenticator(tokens=tokens)
    with served(create_app(service)) as running, browsing(running, "reader") as browser:
        browser.see("/ask")
        tokens.revoked = True
        assert browser.get("/ask").headers["location"].startswith("/sign-in")


@pytest.mark.parametrize(
    "elsewhere",
    [
        "//evil.example",
        "https://evil.example",
        "/\\evil.example",
        "\\\\evil.example",
        "/ok\nx: y",
        "javascript:alert(1)",
        "ask",
        "/\t/evil.example",
    ],
)
def test_signing_in_leads_to_no_other_host(running: Running, elsewhere: str) -> None:
    with browsing(running) as browser:
        assert browser.sign_in("reader", back=elsewhere).headers["location"] == "/ask"


def test_an_address_that_holds_a_credential_is_not_come_back_to(running: Running) -> None:
    with browsing(running) as browser:
        assert browser.get("/ask?api_key=reader").headers["location"] == "/sign-in?next=%2Fask"


@pytest.mark.parametrize("path", ["/v1/contracts", "/v1/models", "/v1/documents"])
def test_the_interface_for_programs_takes_no_cookie(visitor: Browser, path: str) -> None:
    assert visitor.get(path).status_code == 401


def test_two_credentials_at_once_are_none(visitor: Browser) -> None:
    assert visitor.get("/ask", Authorization="Bearer reader").status_code == 303


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "same-origin", "Origin": "https://evil.example"},
    ],
)
def test_a_form_that_another_site_sends_changes_nothing(visitor: Browser, headers: dict[str, str]) -> None:
    fields = visitor.see("/ask").fields
    reply = visitor.send("/sign-out", fields, headers)
    assert reply.status_code == 403
    assert "does not come from a page" in read(reply).text
    visitor.see("/ask")


def test_a_browser_that_states_only_the_origin_of_a_form_is_believed(running: Running, visitor: Browser) -> None:
    fields = visitor.see("/ask").fields
    assert visitor.send("/sign-out", fields, {"Origin": running.url}).status_code == 303


@pytest.mark.parametrize("token", ["", "0" * 64, "ü"])
def test_a_form_without_its_own_token_changes_nothing(visitor: Browser, token: str) -> None:
    assert visitor.send("/sign-out", {"token": token}).status_code == 403


def test_the_token_of_one_visitor_is_worth_nothing_for_another(running: Running, visitor: Browser) -> None:
    with browsing(running, "reviewer") as other:
        assert visitor.send("/sign-out", other.see("/ask").fields).status_code == 403


def test_in_development_there_is_nothing_to_sign_in_with_and_forms_are_bound_all_the_same(service: Service) -> None:
    service.authenticator = HttpAuthenticator(resident=PEOPLE["reader"])
    with served(create_app(service)) as running, browsing(running) as browser:
        fields = browser.see("/ask/types/gateway-explain-and-next-step-v1").fields
        assert "nothing to sign in with" in browser.see("/sign-in").text
        assert browser.send("/ask", {**fields, "token": "0" * 64}).status_code == 403
        assert browser.send("/ask", fields).status_code == 422


def test_who_cannot_sign_in_is_told_and_not_led_about(service: Service) -> None:
    service.authenticator = HttpAuthenticator(resident=PEOPLE["reader"])
    with served(create_app(service)) as running, browsing(running) as browser:
        reply = browser.get("/ask", Host="evil.example")
    assert reply.status_code == 401
    assert "Come by the way" in read(reply).text


def test_a_form_has_one_form(visitor: Browser) -> None:
    headers = {**FROM_HERE, "Content-Type": "application/x-www-form-urlencoded"}
    as_json = visitor.client.post("/sign-out", json={}, headers=FROM_HERE)
    twice = visitor.client.post("/sign-out", content=b"token=1&token=2", headers=headers)
    broken = visitor.client.post("/sign-out", content=b"\xff", headers=headers)
    assert (as_json.status_code, twice.status_code, broken.status_code) == (415, 422, 422)
