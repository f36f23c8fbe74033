"""The contract of a judge: a test suite that every `Judge` passes; and a judge that says what it is told to.

```python
class TestMyJudge(JudgeContract):
    @pytest.fixture
    def judge(self) -> Judge:
        return MyJudge()
```

How good a judge is, is measured and not tested: the suite asks for an opinion or a reason on every unit, for the same one whatever else
is asked, and that nothing is ever supported by nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from copy import deepcopy

import pytest

from toulmin.domain.claims.opinion import Opinion, Probabilities
from toulmin.domain.claims.unit import Cited, ReviewUnit
from toulmin.domain.outcome import SearchOnlyReason
from toulmin.ports.drafter import Usage
from toulmin.ports.judge import Answers, Judge, Matter, NotJudged, Opinions, Query

QUESTION = "At what pressure does the valve open?"


def unit_of(claim: str, *passages: str) -> ReviewUnit:
    """A claim beside passages of a manual."""
    cited = (Cited(words=words, title="Manual", version="1", section=("Valves",), language="en") for words in passages)
    return ReviewUnit(claim=claim, passages=tuple(cited), case={"model": "G2"})


UNITS = (
    unit_of("The valve opens at 3 bar.", "The valve opens at 3 bar. It closes at 2 bar."),
    unit_of("The valve opens at 5 bar.", "The valve opens at 3 bar."),
    unit_of("The tank holds 40 l.", "The valve opens at 3 bar.", "The tank holds 40 l of water."),
    unit_of("Der Tank fasst 40 l.", "The tank holds 40 l."),
    unit_of("The tank holds 40 l.", "The valve opens at 3 bar. " * 40),
)
"""Units of several kinds: supported, contradicted, of several passages, of several languages, long."""

NOTHING = (
    unit_of("The valve opens at 3 bar."),
    unit_of("The valve opens at 3 bar.", " "),
    unit_of("", "The valve opens at 3 bar."),
)
"""Units that nothing can be supported in: no passage, an empty one, no claim."""

QUERIES = (
    *(Query(matter=matter, question=QUESTION, passages=("The valve opens at 3 bar.",)) for matter in Matter),
    Query(matter=Matter.SUFFICIENT, question=QUESTION, passages=("The tank holds 40 l.", "The valve opens at 3 bar.")),
)


class ScriptedJudge:
    """A judge on this host that thinks what a function says: of a unit, and of a query. It keeps what it was asked."""

    def __init__(
        self, support: Callable[[ReviewUnit], Opinion], answer: Callable[[Query], float | None] = lambda _query: None
    ) -> None:
        self._support = support
        self._answer = answer
        self.units: list[ReviewUnit] = []
        self.queries: list[Query] = []

    @property
    def profile(self) -> str:
        return "scripted/1"

    @property
    def on_this_host(self) -> bool:
        return True

    async def support(self, units: Sequence[ReviewUnit]) -> Opinions | NotJudged:
        self.units.extend(units)
        return Opinions(opinions=tuple(map(self._support, units)))

    async def answer(self, queries: Sequence[Query]) -> Answers | NotJudged:
        self.queries.extend(queries)
        return Answers(yes=tuple(map(self._answer, queries)))


def opinions(result: Opinions | NotJudged) -> tuple[Opinion, ...]:
    """The opinions of a judge that has some."""
    assert isinstance(result, Opinions), result
    return result.opinions


def answers(result: Answers | NotJudged) -> tuple[float | None, ...]:
    """The answers of a judge that gives some."""
    assert isinstance(result, Answers), result
    return result.yes


class JudgeContract:
    """What every judge does."""

    @pytest.fixture
    def judge(self) -> Judge:
        """The judge under test."""
        raise NotImplementedError("give the suite a judge")

    def test_its_profile_is_one_line_and_stays_the_same(self, judge: Judge) -> None:
        before = judge.profile
        assert before.strip()
        assert before.isprintable()
        asyncio.run(judge.support(UNITS[:1]))
        assert judge.profile == before

    def test_every_ending_is_a_value(self, judge: Judge) -> None:
        for result in (asyncio.run(judge.support(UNITS)), asyncio.run(judge.answer(QUERIES))):
            assert isinstance(result, Opinions | Answers) or isinstance(result.reason, SearchOnlyReason)

    def test_every_unit_has_an_opinion_or_a_reason_why_there_is_none(self, judge: Judge) -> None:
        given = opinions(asyncio.run(judge.support(UNITS + NOTHING)))
        assert len(given) == len(UNITS + NOTHING)
        for opinion in given:
            assert isinstance(opinion.probabilities, Probabilities) or (opinion.why or "").strip()

    def test_nothing_is_supported_by_nothing(self, judge: Judge) -> None:
        for opinion in opinions(asyncio.run(judge.support(NOTHING))):
            assert opinion.probabilities is None or opinion.probabilities.supported < 0.5

    def test_a_unit_is_judged_the_same_alone_and_among_others(self, judge: Judge) -> None:
        together = opinions(asyncio.run(judge.support(UNITS)))
        backwards = opinions(asyncio.run(judge.support(UNITS[::-1])))
        alone = [opinions(asyncio.run(judge.support([unit])))[0] for unit in UNITS]
        assert list(together) == list(backwards)[::-1] == alone

    def test_a_unit_that_is_asked_about_twice_has_one_opinion(self, judge: Judge) -> None:
        one, other = opinions(asyncio.run(judge.support([UNITS[0], UNITS[0]])))
        assert one == other

    def test_answers_are_probabilities_in_the_order_of_the_queries(self, judge: Judge) -> None:
        given = answers(asyncio.run(judge.answer(QUERIES)))
        assert len(given) == len(QUERIES)
        assert all(yes is None or 0 <= yes <= 1 for yes in given)
        assert answers(asyncio.run(judge.answer(QUERIES[::-1]))) == given[::-1]
        assert answers(asyncio.run(judge.answer(QUERIES[:1] * 2))) == given[:1] * 2

    def test_nothing_asked_is_nothing_called(self, judge: Judge) -> None:
        nothing, none = asyncio.run(judge.support(())), asyncio.run(judge.answer(()))
        assert opinions(nothing) == ()
        assert answers(none) == ()
        assert nothing.usage.calls == none.usage.calls == 0

    def test_its_usage_counts_up_from_nothing(self, judge: Judge) -> None:
        for usage in (asyncio.run(judge.support(UNITS)).usage, asyncio.run(judge.answer(QUERIES)).usage):
            assert isinstance(usage, Usage)
            assert usage.calls >= 0
            assert usage.seconds >= 0
            assert (usage.prompt_tokens or 0) >= 0
            assert (usage.completion_tokens or 0) >= 0

    def test_what_it_is_asked_is_left_as_it_was(self, judge: Judge) -> None:
        units, queries = deepcopy(UNITS), deepcopy(QUERIES)
        asyncio.run(judge.support(units))
        asyncio.run(judge.answer(queries))
        assert (units, queries) == (UNITS, QUERIES)

    def test_judgements_at_once_do_not_mix(self, judge: Judge) -> None:
        async def all_at_once() -> list[Opinions | NotJudged]:
            return await asyncio.gather(*(judge.support(UNITS[: count + 1]) for count in range(len(UNITS))))

        expected = opinions(asyncio.run(judge.support(UNITS)))
        for count, result in enumerate(asyncio.run(all_at_once()), 1):
            assert opinions(result) == expected[:count]

    def test_it_serves_one_event_loop_after_another(self, judge: Judge) -> None:
        first, *others = [opinions(asyncio.run(judge.support(UNITS[:2]))) for _ in range(3)]
        assert others == [first, first]

    def test_cancellation_passes_through(self, judge: Judge) -> None:
        async def cancelled() -> bool:
            task = asyncio.ensure_future(judge.support(UNITS))
            await asyncio.sleep(0)
            was_at_work = task.cancel()
            try:
                await task
            except asyncio.CancelledError:
                return was_at_work
            return not was_at_work

        assert asyncio.run(cancelled()), "a judgement that was cancelled while it was made must not end in a value"
