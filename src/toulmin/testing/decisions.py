"""What a judge behind a server says: pure functions from a request's JSON to the reply's, for the provider server.

`Decide` is the judge's mind: from the state (claim, case and passages, or question and passages) to how likely each answer is: supports,
contradicts, neither; or yes, no.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

Decide = Callable[[Mapping[str, Any]], Sequence[float]]

CLASSES = ("supports", "contradicts", "neither")
CHOICES = ("supports", "contradicts", "says_nothing")
YES_OR_NO = ("yes", "no")
_PIECE = 5
"""Letters of a token, so that a long word is several of them."""


def by_words(state: Mapping[str, Any]) -> Sequence[float]:
    """A judge of little judgement: what is asked about is supported, or so, where each of its words stands in the passages."""
    passages = " ".join(item["words"] if isinstance(item, dict) else item for item in state["passages"])
    known = set(_words(state.get("claim", state.get("question", "")))) <= set(_words(passages))
    if "claim" in state:
        return (0.96, 0.01, 0.03) if known else (0.02, 0.03, 0.95)
    return (0.9, 0.1) if known else (0.2, 0.8)


def chat_choice(state: Mapping[str, Any], decide: Decide) -> dict[str, Any]:
    """The choice of a chat completion: the likeliest word, and the probabilities of the first token of each."""
    words = CLASSES if "claim" in state else YES_OR_NO
    weights = dict(zip(words, decide(state), strict=True))
    said = max(words, key=weights.__getitem__)
    likely = {word[:_PIECE]: weight for word, weight in weights.items()}
    return {
        "index": 0,
        "message": {"role": "assistant", "content": said},
        "finish_reason": "stop",
        "logprobs": {"content": [position(said[:_PIECE], likely), position(said[_PIECE:], {said[_PIECE:]: 1.0})]},
    }


def position(token: str, likely: Mapping[str, float]) -> dict[str, Any]:
    """One place of a reply's log probabilities: the token that was said, and those that could have been."""
    entries = [_entry(other, weight) for other, weight in sorted(likely.items(), key=lambda item: -item[1])]
    return {**_entry(token, likely.get(token, 0.0)), "top_logprobs": entries}


def decisions(body: Mapping[str, Any], decide: Decide) -> dict[str, Any]:
    """The reply to a request of typed decisions."""
    weights = tuple(decide(body["state"]))
    answers = {name: _answer(question, weights) for name, question in body["questions"].items()}
    return {"model": body["model"], "answers": answers, "usage": {"input_tokens": 100, "output_tokens": 0}}


def _answer(question: Mapping[str, Any], weights: Sequence[float]) -> dict[str, Any]:
    if question["type"] == "noul":
        return {"type": "noul", "noul": weights[0]}
    labels = tuple(question["criteria"])
    probabilities = dict(zip(labels, weights, strict=True))
    confidence = (len(labels) * max(weights) - 1) / (len(labels) - 1)
    choice = max(labels, key=probabilities.__getitem__)
    return {"type": "choice", "choice": choice, "probabilities": probabilities, "confidence": confidence}


def _entry(token: str, weight: float) -> dict[str, Any]:
    logprob = math.log(weight) if weight else -9999.0
    return {"token": token, "logprob": logprob, "bytes": list(token.encode())}


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


def state_of(body: Mapping[str, Any]) -> dict[str, Any]:
    """What a judge is asked about: the state of typed decisions, or the JSON object that the user message of a chat is."""
    state: dict[str, Any] = body["state"] if "state" in body else json.loads(body["messages"][-1]["content"])
    return state
