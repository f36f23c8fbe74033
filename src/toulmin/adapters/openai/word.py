"""The word that a chat model said, and how likely each of the words was that it could have said.

A word is one token or several, and a token may be written in many ways (` Supp`, `supports.`, `SUPPORTS`): its first token counts for the
one word that it begins. What is written here is a rule for reading, and no model is believed for its word.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from toulmin.adapters.provider.failure import Failure, provider_fault
from toulmin.adapters.provider.reply import Envelope

LEAST_MASS = 0.9
"""How likely the words must be together. What is left of less, scaled up to 1, would say more than the model did."""

ONLY_A_WORD = "the judge gives only a word, without probabilities"
REFUSED = "the judge refused"
CUT_OFF = "the judge's reply was cut off, or did not end in an ordinary way"
OTHER_WORDS = "the judge replied with something other than one of the words that it was given"
UNSURE = "the judge found other words likely than those that it was given"
UNREADABLE = "the judge's probabilities cannot be read"

_ORDINARY = frozenset({None, "stop", "eos", "eos_token", "end_turn", "stop_sequence"})
"""Finish reasons, as servers spell them, after which a reply is whole."""
_AROUND = " \t\r\n.\"'`*▁Ġ"
"""What may stand around a word or token; the last two are how some servers write a space."""
_LEAST_PIECE = 2
"""Characters: one alone begins too many words."""
_TOLERANCE = 1e-3


@dataclass(frozen=True, slots=True, kw_only=True)
class Word:
    """How likely each of the words is; they sum to 1."""

    weights: Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class NoWord:
    """Why there are no probabilities, without any content."""

    why: str


def read_word(envelope: Envelope, words: Sequence[str]) -> Word | NoWord | Failure:
    """The probabilities of the words in the one choice of a completion, whose content is one of them."""
    match envelope.get("choices"):
        case []:
            return provider_fault("no_choices")
        case [{"message": {**message}, **choice}]:
            fault = _fault(message, choice.get("finish_reason"), words)
            return NoWord(why=fault) if fault else _weighed(choice.get("logprobs"), words)
        case [_, _, *_]:
            return provider_fault("several_candidates")
        case _:
            return provider_fault("bad_reply")


def _fault(message: Mapping[object, object], finish_reason: object, words: Sequence[str]) -> str | None:
    """What stands against a reply, whatever its probabilities are."""
    if message.get("refusal") or finish_reason in ("content_filter", "refusal"):
        return REFUSED
    content = message.get("content")
    if not isinstance(content, str) or content.strip(_AROUND).casefold() not in words:
        return OTHER_WORDS
    if not isinstance(finish_reason, str | None) or finish_reason not in _ORDINARY:
        return CUT_OFF
    return None


def _weighed(logprobs: object, words: Sequence[str]) -> Word | NoWord:
    match logprobs:
        case {"content": [_, *_] as positions}:
            alternatives = _alternatives(positions)
        case _:
            return NoWord(why=ONLY_A_WORD)
    if alternatives is None:
        return NoWord(why=UNREADABLE)
    if not alternatives:
        return NoWord(why=ONLY_A_WORD)
    weights = dict.fromkeys(words, 0.0)
    for token, probability in alternatives:
        word = _begun(token, words)
        if word is not None:
            weights[word] += probability
    mass = sum(weights.values())
    if mass < LEAST_MASS:
        return NoWord(why=UNSURE)
    return Word(weights={word: weight / mass for word, weight in weights.items()})


def _alternatives(positions: Sequence[object]) -> Sequence[tuple[str, float]] | None:
    """The tokens that could have stood where the word begins, with their probabilities; None where these are none."""
    for position in positions:
        match position:
            case {"token": str() as token} if not token.strip(_AROUND):
                continue  # white space before the word
            case {"token": str(), "top_logprobs": [*items]}:
                read = list(_read(items))
                whole = len(read) == len(items) and sum(probability for _, probability in read) <= 1 + _TOLERANCE
                return read if whole else None
            case _:
                return None
    return None


def _read(items: Sequence[object]) -> Iterator[tuple[str, float]]:
    """The items that are a token and the logarithm of a probability."""
    for item in items:
        match item:
            case {"token": str() as token, "logprob": int() | float() as logprob} if not isinstance(logprob, bool):
                if math.isfinite(logprob) and logprob <= _TOLERANCE:
                    yield token, math.exp(min(0.0, logprob))


def _begun(token: str, words: Sequence[str]) -> str | None:
    """The word that a token begins, if it is one of them and no other."""
    piece = token.strip(_AROUND).casefold()
    begun = [word for word in words if word.startswith(piece)] if len(piece) >= _LEAST_PIECE else []
    return begun[0] if len(begun) == 1 else None
