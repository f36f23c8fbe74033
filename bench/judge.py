"""How many claims a second are judged on one core, by the deterministic checks and by the local judge: claim and a passage of about 128 tokens.

Usage: judge.py [PAIRS]   (default: 1000; the local judge gets one in 50)
The text is made up from patterns of technical English, with the words that the oracles look for: numbers, units, bounds, versions, names,
modals, negation, conditions. Each claim is a sentence of its passage with one of these changed, or with none. No pair is judged twice.
"""

from __future__ import annotations

import asyncio
import os
import random
import sys
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from common import in_turns, milliseconds, report

from toulmin.adapters.onnx import LocalJudge, Stated, onnx_judge
from toulmin.domain.claims.oracles import objections
from toulmin.domain.claims.oracles.statement import Pair
from toulmin.domain.claims.review import review
from toulmin.domain.claims.unit import Cited, ReviewUnit
from toulmin.domain.claims.verbatim import proof

_ROUNDS = 7
_GOALS = {"oracles": 2000, "local judge": 30}
_ONE_IN = 50
_SENTENCES = (
    "The {thing} {modal} {act} the {part} within {n} {unit} of the first request.",
    "Since version {v}, the {name} option is {state} by default.",
    "If the {part} is {state}, the {thing} does not {act} any {part}.",
    "At least {n} {part}s are kept unless {name} is set to {n2}.",
    "{thing} {v} requires a {part} of no more than {n} {unit}.",
    "All {part}s that the {thing} has {state} are written to `{name}` once a day.",
    "Do not {act} the {part} while the {thing} is running, except for tests.",
    "On {n} March {year}, the {name} setting was deprecated and it {modal} be removed in {v}.",
    "Only an administrator {modal} {act} the {part}; others see an error with the code {n2}.",
    "The {thing} usually takes {n} % of the memory, up to {n2} {unit} on large hosts.",
)
_FILLERS = {
    "thing": "server gateway worker scheduler client pump controller reader proxy indexer".split(),
    "part": "session cookie record message blueprint signal valve request handler backup".split(),
    "act": "close restart send store delete rotate accept encrypt flush retry".split(),
    "modal": "may can must should will might".split(),
    "state": "enabled disabled signed open closed cached required rejected".split(),
    "unit": "seconds minutes MB GB days milliseconds".split(),
    "name": "SESSION_COOKIE_NAME MAX_CONTENT_LENGTH --timeout app.config TRUSTED_HOSTS retry_after".split(),
}


class Manual:
    """Passages and claims; the seed fixes them all."""

    def __init__(self, seed: int = 7) -> None:
        self._random = random.Random(seed)

    def unit(self) -> ReviewUnit:
        """A claim beside a passage of seven sentences: about 128 tokens."""
        patterns = self._random.sample(_SENTENCES, 7)
        values = [self._values() for _ in patterns]
        words = " ".join(pattern.format(**given) for pattern, given in zip(patterns, values, strict=True))
        at = self._random.randrange(len(patterns))
        claim = patterns[at].format(**self._changed(values[at]))
        return ReviewUnit(claim=claim, passages=(Cited(words=words, title="Manual", version="2.4.1", language="en"),))

    def _values(self) -> dict[str, object]:
        draw = self._random
        return {
            **{name: draw.choice(words) for name, words in _FILLERS.items()},
            "n": draw.randrange(2, 900),
            "n2": draw.randrange(2, 900),
            "v": f"{draw.randrange(1, 4)}.{draw.randrange(12)}.{draw.randrange(9)}",
            "year": draw.randrange(2012, 2026),
        }

    def _changed(self, values: dict[str, object]) -> dict[str, object]:
        """The same with one value changed; half of them as they are."""
        if self._random.random() < 0.5:
            return values
        name = self._random.choice(list(values))
        return {**values, name: self._values()[name]}


def main() -> None:
    pairs = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    manual = Manual()
    steps: dict[str, Callable[[ReviewUnit], Any]] = {
        "oracles": lambda unit: objections(Pair.of(unit)),
        "verbatim proof": lambda unit: proof(unit.claim, unit.passages),
        "whole review": review,
    }
    judge = onnx_judge(Stated(), deadline_s=3600, threads=1)
    judge.load()
    counts = {**dict.fromkeys(steps, pairs), "local judge": max(1, pairs // _ONE_IN)}
    work = {name: [partial(_each, step, _units(manual, pairs)) for _ in range(_ROUNDS)] for name, step in steps.items()}
    asked = [partial(_judged, judge, _units(manual, counts["local judge"])) for _ in range(_ROUNDS)]
    times = in_turns({**work, "local judge": asked})
    rows = [
        {
            "step": name,
            "pairs/s": counts[name] / (milliseconds(taken) / 1000),
            "best pairs/s": counts[name] / min(taken),
            "ms a pair": milliseconds(taken) / counts[name],
            "goal pairs/s": _GOALS.get(name, "-"),
        }
        for name, taken in times.items()
    ]
    words = sum(len(unit.passages[0].words.split()) for unit in _units(manual, 100)) / 100
    notes = [f"one core, medians of {_ROUNDS} rounds in turns; a passage has {words:.0f} words; {judge.profile}"]
    report("judge", rows, notes=notes, pairs=pairs, rounds=_ROUNDS)


def _units(manual: Manual, count: int) -> Sequence[ReviewUnit]:
    return [manual.unit() for _ in range(count)]


def _each(step: Callable[[ReviewUnit], Any], units: Sequence[ReviewUnit]) -> None:
    for unit in units:
        step(unit)


def _judged(judge: LocalJudge, units: Sequence[ReviewUnit]) -> None:
    asyncio.run(judge.support(units))


if __name__ == "__main__":
    main()
