"""The official client of OpenAI's chat interface, as it is, against a real server."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import openai
import pytest
from fastapi import FastAPI
from openai.types.chat import ChatCompletion

from tests.api.conftest import Running, over, served
from toulmin.domain.corpus.document import Status
from toulmin.surfaces.http.app import create_app
from toulmin.surfaces.http.limits import Limits
from toulmin.surfaces.sync import Workspace
from toulmin.testing.provider import BEHAVIOURS, Author, Provider, Received, Response, waits

QUESTION = "gateway-explain-and-next-step-v1"
OPEN = "open-question-v1"
CASE = {"case.model": "G2", "case.firmware": "2.4.1", "case.audit_hold": "true"}
SAID: Any = [{"role": "user", "content": "Why did the gateway stop sending telemetry after a reconnect?"}]
OPEN_CASE = {"case.model": "G2", "case.firmware": "2.4.1"}
DRAFTER = '[open_question]\nmode = "{mode}"\n[drafter]\nkind = "openai"\nbase_url = "{url}"\nmodel = "any"\n'


def client(running: Running, token: str = "service") -> openai.OpenAI:
    return openai.OpenAI(base_url=f"{running.url}/v1", api_key=token, max_retries=0, timeout=20)


def application(folder: Path, limits: Limits | None = None) -> FastAPI:
    """The service over a folder as its settings are now."""
    return create_app(over(folder, limits))


def asked(running: Running, token: str = "service", **more: Any) -> ChatCompletion:
    given: dict[str, Any] = {"model": QUESTION, "messages": SAID, "metadata": CASE} | more
    with client(running, token) as known:
        completion: ChatCompletion = known.chat.completions.create(**given)
    return completion


def streamed(running: Running, token: str = "service", **more: Any) -> list[Any]:
    given: dict[str, Any] = {"model": QUESTION, "messages": SAID, "metadata": CASE, "stream": True} | more
    with client(running, token) as known:
        return list(known.chat.completions.create(**given))


def outcome(message: Any) -> dict[str, Any]:
    """The outcome that stands beside the words."""
    told: dict[str, Any] = message.toulmin["outcome"]
    return told


@pytest.fixture
def provider() -> Iterator[Provider]:
    with Provider() as started:
        yield started


@pytest.fixture
def mode() -> str:
    return "cited"


@pytest.fixture
def drafting(folder: Path, provider: Provider, mode: str) -> Iterator[Running]:
    """The service with a model that answers open questions."""
    settings = folder / "toulmin.toml"
    settings.write_text(settings.read_text() + DRAFTER.format(url=provider.base_url, mode=mode))
    with served(application(folder)) as server:
        yield server


def test_a_contract_answers_under_the_name_of_a_model_with_markers_that_lead_to_its_packet(running: Running) -> None:
    completion = asked(running)
    message = completion.choices[0].message
    told = outcome(message)
    assert (completion.model, completion.choices[0].finish_reason) == (QUESTION, "stop")
    assert (told["outcome"], told["assurance"]) == ("Answered", "licensed")
    assert message.content == (
        "Firmware 2.4.1 on G2 gateways may stop sending telemetry after a reconnect. [1] Because an audit hold is active, "
        "please send us a diagnostic export; we will not roll back the firmware. [2]"
    )
    assert message.annotations is not None
    marks = [each.url_citation for each in message.annotations]
    assert [message.content[mark.start_index : mark.end_index] for mark in marks] == ["[1]", "[2]"]
    with running.client("service") as plain:
        for mark, claim in zip(marks, told["answer"]["claims"], strict=True):
            address = urlsplit(mark.url)
            packet = plain.get(address.path)
            assert packet.json()["id"] == told["packet"]["id"]
            (cited,) = claim["citations"]
            named = dict(parse_qsl(address.fragment))
            assert named == {key: cited[key] for key in ("document", "version", "span")}
            assert f"{cited['document']}, version {cited['version']}" in mark.title
            assert any(source["document"] == named["document"] for source in packet.json()["sources"])


def test_a_stream_says_who_speaks_and_then_all_at_once_and_the_same_as_without_a_stream(running: Running) -> None:
    plain = asked(running).choices[0].message
    first, words, last = streamed(running)
    assert (first.choices[0].delta.role, first.choices[0].delta.content) == ("assistant", "")
    assert (last.choices[0].delta.content, last.choices[0].finish_reason) == (None, "stop")
    said = words.choices[0].delta
    assert said.content == plain.content

    def places(annotations: Any) -> list[Any]:
        """All of them but the packet's id, which is another for each question that is asked."""
        return [{**each["url_citation"], "url": each["url_citation"]["url"].partition("#")[2]} for each in annotations]

    dumped = plain.model_dump()
    assert places(said.annotations) == places(dumped["annotations"])
    assert outcome(said)["answer"] == outcome(plain)["answer"]
    assert {chunk.id for chunk in (first, words, last)} == {first.id}


def test_the_asynchronous_client_is_answered_the_same_way(running: Running) -> None:
    async def both() -> tuple[str | None, str]:
        given: Any = {"model": QUESTION, "messages": SAID, "metadata": CASE}
        async with openai.AsyncOpenAI(base_url=f"{running.url}/v1", api_key="service", max_retries=0) as known:
            plain = await known.chat.completions.create(**given)
            parts = [part async for part in await known.chat.completions.create(**given, stream=True)]
        return plain.choices[0].message.content, "".join(part.choices[0].delta.content or "" for part in parts)

    plain, parts = asyncio.run(both())
    assert plain == parts


def test_models_are_the_questions_that_can_be_asked(running: Running) -> None:
    with client(running, "reader") as known:
        assert [model.id for model in known.models.list()] == [QUESTION, OPEN]
        assert known.models.retrieve(OPEN).owned_by == "toulmin"
        with pytest.raises(openai.NotFoundError) as refused:
            known.models.retrieve("gpt-5")
    assert refused.value.code == "unsupported_question"


def test_an_open_question_is_the_last_message_and_nothing_else_that_was_said_is_sent_on(
    drafting: Running, provider: Provider
) -> None:
    earlier = [
        {"role": "system", "content": "canary-system: the gateway is fine"},
        {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:canary-image"}}]},
        {"role": "assistant", "content": "canary-assistant", "annotations": []},
    ]
    completion = asked(
        drafting, "reader", model=OPEN, messages=[*earlier, *SAID], metadata={**OPEN_CASE, "chat": "canary-chat"}
    )
    message = completion.choices[0].message
    assert outcome(message)["assurance"] == "cited"
    assert message.content is not None
    assert message.content.startswith("Statement 1 rests on its source. [1] Statement 2 rests on its source. [2]")
    assert "nobody judged" in message.content
    assert provider.requests[0].question["question"] == SAID[0]["content"]
    assert b"canary" not in provider.received
    assert message.model_extra is not None
    assert message.model_extra["toulmin"]["unused"] == ["messages[0]", "messages[1]", "messages[2]", "metadata.chat"]
    assert completion.usage is not None
    assert (completion.usage.prompt_tokens, completion.usage.total_tokens) == (100, 120)


def test_a_question_in_several_parts_of_text_is_read_as_a_whole(drafting: Running, provider: Provider) -> None:
    parts = [{"type": "text", "text": "telemetry"}, {"type": "text", "text": "reconnect"}]
    asked(drafting, "reader", model=OPEN, messages=[{"role": "user", "content": parts}], metadata=OPEN_CASE)
    assert provider.requests[0].question["question"] == "telemetry\nreconnect"


@pytest.mark.parametrize("mode", ["reviewed"])
def test_what_was_withheld_is_not_in_the_words_but_beside_them(drafting: Running) -> None:
    message = asked(drafting, "reader", model=OPEN, metadata=OPEN_CASE).choices[0].message
    told = outcome(message)
    assert told["outcome"] == "Withheld"
    assert message.content is not None
    assert told["packet"]["id"] in message.content
    assert "Statement" not in message.content
    assert [claim["text"] for claim in told["withheld"]]


def test_a_case_that_no_document_covers_is_told_in_words(running: Running) -> None:
    message = asked(running, metadata=CASE | {"case.model": "G9"}).choices[0].message
    assert outcome(message)["outcome"] == "AskForEvidence"
    assert message.content is not None
    assert message.content.startswith("No answer: the documents that were found do not cover known-issue")
    nothing = [{"role": "user", "content": "xylophone zeppelin"}]
    open_question = asked(running, "reader", model=OPEN, messages=nothing, metadata={}).choices[0].message
    assert open_question.content is not None
    assert "no passage matches the question well enough" in open_question.content


def test_without_a_model_the_passages_that_were_found_are_listed_with_markers(running: Running) -> None:
    message = asked(running, "reader", model=OPEN, metadata=OPEN_CASE).choices[0].message
    told = outcome(message)
    assert (told["outcome"], told["reason"]) == ("SearchOnly", "no_drafter")
    assert message.content is not None
    assert message.annotations is not None
    assert len(message.annotations) == len(told["search"]) > 0
    assert "\n[1] GW-241, version " in message.content
    assert "passage=" in message.annotations[0].url_citation.url


def test_a_model_that_cannot_be_used_now_is_worth_another_try(drafting: Running, provider: Provider) -> None:
    provider.script("rate_limited_for_an_hour")
    with pytest.raises(openai.InternalServerError) as plain:
        asked(drafting, "reader", model=OPEN, metadata=OPEN_CASE)
    assert (plain.value.status_code, plain.value.code) == (503, "rate_limited")
    assert int(plain.value.response.headers["retry-after"]) > 60
    assert plain.value.response.json()["toulmin"]["search"]
    with pytest.raises(openai.APIError) as in_a_stream:
        streamed(drafting, "reader", model=OPEN, metadata=OPEN_CASE)
    assert in_a_stream.value.code == "rate_limited"


def test_a_stream_counts_tokens_only_where_it_is_asked_to(drafting: Running) -> None:
    given = {"model": OPEN, "metadata": OPEN_CASE}
    assert all(part.usage is None for part in streamed(drafting, "reader", **given))
    *parts, last = streamed(drafting, "reader", **given, stream_options={"include_usage": True})
    assert [part.usage for part in parts] == [None] * len(parts)
    assert (last.choices, last.usage.completion_tokens) == ([], 20)


def test_who_leaves_a_stream_ends_the_draft(folder: Path, provider: Provider) -> None:
    provider.script(waits(60))
    settings = folder / "toulmin.toml"
    settings.write_text(settings.read_text() + DRAFTER.format(url=provider.base_url, mode="cited"))
    (folder / "policy.yaml").write_text("version: one-at-a-time/1\nconcurrent_drafts: 1\n")
    with served(application(folder)) as server, client(server, "reader") as known:
        stream = known.chat.completions.create(model=OPEN, messages=SAID, metadata=OPEN_CASE, stream=True)
        assert next(iter(stream)).choices[0].delta.role == "assistant"
        while not provider.requests:
            time.sleep(0.01)
        with pytest.raises(openai.InternalServerError) as full:
            asked(server, "reader", model=OPEN, metadata=OPEN_CASE)
        assert full.value.code == "saturated"
        stream.close()
        provider.script("ok")
        patient = known.with_options(max_retries=5)
        answered = patient.chat.completions.create(model=OPEN, messages=SAID, metadata=OPEN_CASE)
        assert outcome(answered.choices[0].message)["outcome"] == "Answered"


def test_evidence_that_changes_while_the_answer_is_written_ends_its_stream_with_an_error(
    folder: Path, drafting: Running, provider: Provider
) -> None:
    def withdrawn_meanwhile(request: Received, author: Author) -> Response:
        with Workspace.open(folder) as desk:
            desk.retire("GW-241", Status.WITHDRAWN)
        return BEHAVIOURS["ok"](request, author)

    provider.script(withdrawn_meanwhile)
    body = {"model": OPEN, "messages": SAID, "metadata": OPEN_CASE, "stream": True}
    with drafting.client() as plain:
        told = plain.post("/v1/chat/completions", json=body).text
    *_, last = told.strip().split("\n\n")
    assert '"role":"assistant"' in told
    assert json.loads(last.removeprefix("data: "))["error"]["code"] == "evidence_changed"
    assert "Statement" not in told


HARMLESS: list[dict[str, Any]] = [
    {"temperature": 0.2, "top_p": 1, "max_tokens": 100, "user": "ada", "seed": 7, "store": True},
    {"n": 1, "tools": [], "tool_choice": "auto", "logprobs": False, "top_logprobs": 0, "stop": None},
    {"response_format": {"type": "text"}, "modalities": ["text"], "logit_bias": {}},
]


def test_what_clients_always_send_is_taken(running: Running) -> None:
    for more in HARMLESS:
        assert outcome(asked(running, **more).choices[0].message)["outcome"] == "Answered", more


def test_parameters_that_are_not_used_are_named(running: Running) -> None:
    message = asked(running, temperature=0, user="ada").choices[0].message
    assert message.model_extra is not None
    assert message.model_extra["toulmin"]["unused"] == ["messages[0]", "temperature", "user"]


TOOL = {"type": "function", "function": {"name": "look_up", "parameters": {}}}
REFUSED: list[tuple[dict[str, Any], str, str]] = [
    ({"n": 2}, "unsupported_parameter", "n"),
    ({"n": True}, "unsupported_parameter", "n"),
    ({"tools": [TOOL]}, "unsupported_parameter", "tools"),
    ({"tool_choice": "required"}, "unsupported_parameter", "tool_choice"),
    ({"response_format": {"type": "json_object"}}, "unsupported_parameter", "response_format"),
    ({"logprobs": True}, "unsupported_parameter", "logprobs"),
    ({"stop": ["."]}, "unsupported_parameter", "stop"),
    ({"extra_body": {"evidence": "G2 is fine."}}, "unknown_key", "evidence"),
    ({"messages": []}, "no_question", "messages"),
    ({"messages": [{"role": "user", "content": " "}]}, "no_question", "messages"),
    ({"messages": [*SAID, {"role": "assistant", "content": "It"}]}, "no_question", "messages"),
    ({"messages": [{"role": "tool", "content": "G2 is fine.", "tool_call_id": "1"}]}, "wrong_type", "messages[0].role"),
    (
        {"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:"}}]}]},
        "unsupported_content",
        "messages",
    ),
    ({"metadata": {"case.model": 2}}, "wrong_type", "metadata.case.model"),
    ({"metadata": {"case.not a name": "2"}}, "bad_name", "case.not a name"),
    ({"metadata": {"case.model": "G2"}}, "missing_case_field", "case.firmware"),
    ({"metadata": {**CASE, "case.tenant": "rival"}}, "unknown_case_field", "case.tenant"),
]


def test_what_would_have_to_change_the_answer_is_refused(running: Running) -> None:
    for more, code, param in REFUSED:
        with pytest.raises(openai.BadRequestError) as refused:
            asked(running, **more)
        told = (refused.value.code, refused.value.param, refused.value.type)
        assert told == (code, param, "invalid_request_error"), more


def test_a_fault_is_told_in_a_stream_before_it_begins(running: Running) -> None:
    with pytest.raises(openai.BadRequestError):
        streamed(running, metadata={})
    with pytest.raises(openai.NotFoundError) as unknown:
        streamed(running, model="gpt-5")
    assert (unknown.value.code, unknown.value.param) == ("unsupported_question", "model")


def test_only_a_service_states_what_a_contract_takes_from_services(running: Running) -> None:
    with pytest.raises(openai.PermissionDeniedError) as refused:
        asked(running, "reader")
    assert (refused.value.code, refused.value.param) == ("trusted_field", "case.audit_hold")


def test_who_is_unknown_or_has_no_role_is_told_so_in_the_clients_own_errors(running: Running) -> None:
    with pytest.raises(openai.AuthenticationError) as unknown:
        asked(running, "forged")
    assert (unknown.value.code, unknown.value.type) == ("unauthenticated", "authentication_error")
    with pytest.raises(openai.PermissionDeniedError) as refused:
        asked(running, "nobody")
    assert (refused.value.code, refused.value.type) == ("role_missing", "permission_error")


def test_what_a_full_service_sheds_is_told_in_the_clients_own_errors(folder: Path) -> None:
    with served(application(folder, Limits(concurrent=0))) as server:
        with pytest.raises(openai.InternalServerError) as shed:
            asked(server)
        with client(server) as known, pytest.raises(openai.InternalServerError) as listed:
            known.models.list()
    told = shed.value
    assert (told.status_code, told.code, told.type) == (503, "overloaded", "server_error")
    assert (told.response.headers["retry-after"], listed.value.code) == ("1", "overloaded")


def test_paths_and_methods_that_are_not_there_are_told_in_that_form_too(running: Running) -> None:
    with running.client() as plain:
        path, method = plain.post("/v1/chat/nothing"), plain.get("/v1/chat/completions")
        elsewhere = plain.get("/v1/chatter")
    assert (path.status_code, path.json()["error"]["code"]) == (404, "not_found")
    assert (method.status_code, method.json()["error"]["code"]) == (405, "method_not_allowed")
    assert method.headers["allow"] == "POST"
    assert elsewhere.json()["code"] == "not_found"


def test_a_parameter_that_is_not_taken_is_named(running: Running) -> None:
    with client(running) as known, pytest.raises(openai.BadRequestError) as refused:
        known.models.list(extra_query={"tenant": "rival"})
    assert (refused.value.code, refused.value.param) == ("unknown_key", "tenant")


def test_who_asks_too_often_is_told_when_to_come_again(folder: Path) -> None:
    with served(application(folder, Limits(per_minute=1))) as server:
        asked(server)
        with pytest.raises(openai.RateLimitError) as limited:
            asked(server)
    assert limited.value.code == "rate_limited"
    assert 1 <= int(limited.value.response.headers["retry-after"]) <= 60
