"""OpenAI's chat interface, as far as answers from evidence can keep it: what is asked, and the shapes of what is replied.

Nothing that a caller writes is evidence or an instruction, so that most of what other services take has nothing to work on here. What clients
always send is taken and named as unused; what would have to change the answer is refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import (
    Annotated,
    Any,
    Literal,
    NotRequired,  # pydantic makes schemas of these only, before Python 3.12
)

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field
from typing_extensions import TypedDict

from toulmin.domain.question.contract import OPEN_QUESTION
from toulmin.wire.model import Strict, read
from toulmin.wire.node import node_of
from toulmin.wire.outcome import OutcomeJson
from toulmin.wire.requests import AskBody
from toulmin.wire.scalars import Identifier, Text, Truth, choice, fault, shown

CASE = "case."
"""How the names of metadata begin that are fields of the case."""

_USER = "user"


class ChatMessage(Strict):
    """Something that was said; clients send more with it, which is as unused as the words of all messages but the last."""

    model_config = ConfigDict(extra="ignore")

    role: Annotated[
        Literal["system", "developer", "user", "assistant"], choice("system", "developer", _USER, "assistant")
    ]
    content: Any = None

    @property
    def text(self) -> str | None:
        """Its words; None where it has other content than words."""
        if not isinstance(self.content, list | tuple):
            return self.content if isinstance(self.content, str) else None
        parts = [
            part["text"]
            for part in self.content
            if isinstance(part, Mapping) and part.get("type") == "text" and isinstance(part.get("text"), str)
        ]
        return "\n".join(parts) if len(parts) == len(self.content) else None


def _ending_in_a_question(messages: tuple[ChatMessage, ...]) -> tuple[ChatMessage, ...]:
    last = messages[-1] if messages else None
    if last is None or last.role != _USER:
        raise fault("no_question", "the last message is not the user's", "end with the message that is to be answered")
    if last.text is None:
        message = "the last message has other content than text, which nothing here can look at"
        raise fault("unsupported_content", message, "put the question in words")
    if not last.text.strip():
        raise fault("no_question", "the last message has no words", "put the question in words")
    return messages


def _only(*harmless: object) -> BeforeValidator:
    """A validator for a parameter that would change the answer, had it another value than null and a few harmless ones."""

    def check(value: object) -> None:
        if value is None or any(type(value) is type(each) and value == each for each in harmless):
            return
        raise fault("unsupported_parameter", f"{shown(value)} would have to change the answer", "leave it out")

    return BeforeValidator(check)


_Nothing = Annotated[Any, _only((), {}, False, 0, "")]
_Unused = Annotated[Any, Field(description="Taken, and not used.")]


class StreamOptions(Strict):
    """How a stream is told."""

    include_usage: Truth | None = None
    include_obfuscation: _Unused = None


class ChatBody(Strict):
    """A contract's question, where `model` is its id, or an open question; see `question` for what is used of it, `unused` for what is not."""

    model: Identifier
    messages: Annotated[tuple[ChatMessage, ...], AfterValidator(_ending_in_a_question)]
    metadata: dict[str, Text] | None = None
    stream: Truth | None = None
    stream_options: StreamOptions | None = None

    n: Annotated[Any, _only(1)] = None
    response_format: Annotated[Any, _only({"type": "text"})] = None
    modalities: Annotated[Any, _only(("text",))] = None
    tool_choice: Annotated[Any, _only("none", "auto")] = None
    function_call: Annotated[Any, _only("none", "auto")] = None
    tools: _Nothing = None
    functions: _Nothing = None
    logprobs: _Nothing = None
    top_logprobs: _Nothing = None
    logit_bias: _Nothing = None
    stop: _Nothing = None
    audio: _Nothing = None
    prediction: _Nothing = None
    web_search_options: _Nothing = None

    frequency_penalty: _Unused = None
    max_completion_tokens: _Unused = None
    max_tokens: _Unused = None
    parallel_tool_calls: _Unused = None
    presence_penalty: _Unused = None
    prompt_cache_key: _Unused = None
    prompt_cache_retention: _Unused = None
    reasoning_effort: _Unused = None
    safety_identifier: _Unused = None
    seed: _Unused = None
    service_tier: _Unused = None
    store: _Unused = None
    temperature: _Unused = None
    top_p: _Unused = None
    user: _Unused = None
    verbosity: _Unused = None

    @property
    def question(self) -> AskBody:
        """What is asked: an open question in the words of the last message, or a contract's, about the case in the metadata.

        Raises `InputError` for a field that no case can have.
        """
        asked = {"text": self.messages[-1].text} if self._is_open else {"question": self.model}
        case = {key.removeprefix(CASE): value for key, value in (self.metadata or {}).items() if key.startswith(CASE)}
        return read(AskBody, node_of({**asked, "case": case}, "body"), "body")

    @property
    def unused(self) -> tuple[str, ...]:
        """What was sent and has no part in the answer, in the order of sending or, of parameters, of their names."""
        return tuple(self._unused())

    @property
    def usage_wanted(self) -> bool:
        """Whether a stream shall end in a count of tokens."""
        return self.stream_options is not None and self.stream_options.include_usage is True

    @property
    def _is_open(self) -> bool:
        return self.model == OPEN_QUESTION

    def _unused(self) -> Iterator[str]:
        yield from (f"messages[{place}]" for place in range(len(self.messages) - self._is_open))
        yield from (f"metadata.{key}" for key in self.metadata or {} if not key.startswith(CASE))
        for name, field in ChatBody.model_fields.items():
            if field.description is not None and getattr(self, name) is not None:
                yield name


class UrlCitationJson(TypedDict):
    """Where a marker stands in the content, half-open in code points (`utf16`: in UTF-16 units), and what it leads to.

    `url` is a path on the service that answered: the packet, and after `#` what is cited in it.
    """

    start_index: int
    end_index: int
    utf16: tuple[int, int]
    title: str
    url: str


class AnnotationJson(TypedDict):
    """A citation marker of the content."""

    type: Literal["url_citation"]
    url_citation: UrlCitationJson


class ExtensionJson(TypedDict):
    """What a chat completion has beside: the outcome as `POST /v1/ask` gives it, and what was sent and not used."""

    schema: Literal["toulmin.chat/1"]
    outcome: OutcomeJson
    unused: list[str]


class ChatMessageJson(TypedDict):
    """The reply."""

    role: Literal["assistant"]
    content: str
    refusal: None
    annotations: list[AnnotationJson]
    toulmin: ExtensionJson


class ChoiceJson(TypedDict):
    """The one choice that there ever is; it always ends in `stop`, since nothing is cut off, and the outcome tells the rest."""

    index: Literal[0]
    message: ChatMessageJson
    logprobs: None
    finish_reason: Literal["stop"]


class UsageJson(TypedDict):
    """Tokens as the model's server counted them; none without a model."""

    prompt_tokens: int
    completion_tokens: int
    total_tokens: int


class ChatCompletionJson(TypedDict):
    """A chat completion."""

    id: str
    object: Literal["chat.completion"]
    created: int
    model: str
    choices: list[ChoiceJson]
    usage: UsageJson


class ChatErrorBodyJson(TypedDict):
    """What is wrong: `code` is ours and stable, `param` the key path in the request."""

    message: str
    type: str
    param: str | None
    code: str


class ChatErrorJson(TypedDict):
    """An error as clients of this interface expect it; `toulmin` where the question has an outcome nonetheless."""

    error: ChatErrorBodyJson
    toulmin: NotRequired[OutcomeJson]


class ModelJson(TypedDict):
    """A question that can be asked, under the name of a model."""

    id: str
    object: Literal["model"]
    created: int
    owned_by: str


class ModelsJson(TypedDict):
    """All of them."""

    object: Literal["list"]
    data: list[ModelJson]
