from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from tests.unit.making import found
from toulmin.domain.corpus.document import RevisionId
from toulmin.domain.evidence.ranking import Ranked, ranked
from toulmin.domain.evidence.selection import Budget, LeftOut, Selection, select

WORDS = st.text(alphabet="ab é", min_size=1, max_size=12).filter(str.strip)


@st.composite
def passages(draw: st.DrawFn) -> tuple[Ranked, ...]:
    """Passages in rank order, no two at one place."""
    drawn = draw(
        st.lists(
            st.builds(
                found,
                st.sampled_from(["A", "B", "C", "D"]),
                WORDS,
                version=st.sampled_from(["1", "2"]),
                score=st.integers(1, 4).map(float),
                start=st.integers(0, 9).map(lambda place: place * 20),
                heading=st.sampled_from([(), ("Intro",)]),
            ),
            max_size=12,
            unique_by=lambda item: (item.id, item.passage.start),
        )
    )
    return ranked(drawn)


BUDGETS = st.builds(
    Budget,
    passages=st.integers(1, 6),
    passage_bytes=st.integers(1, 14),
    context_bytes=st.integers(1, 40),
    documents=st.none() | st.integers(1, 4),
    min_score=st.sampled_from([0.0, 2.0]),
)


def documents(selection: Selection) -> list[RevisionId]:
    return list(dict.fromkeys(item.id for item in selection.taken))


@given(passages(), BUDGETS)
def test_everything_that_was_found_is_taken_or_left_out_once(items: tuple[Ranked, ...], budget: Budget) -> None:
    selection = select(items, budget)
    assert Counter([*selection.taken, *(item for item, _ in selection.left_out)]) == Counter(items)


@given(passages(), BUDGETS)
def test_no_limit_is_passed(items: tuple[Ranked, ...], budget: Budget) -> None:
    selection = select(items, budget)
    sizes = [len(item.text.encode()) for item in selection.taken]
    assert len(sizes) <= budget.passages
    assert sum(sizes) <= budget.context_bytes
    assert all(size <= budget.passage_bytes for size in sizes)
    assert all(item.score >= budget.min_score for item in selection.taken)
    assert budget.documents is None or len(documents(selection)) <= budget.documents
    texts = [item.text.split() for item in selection.taken]
    assert all(texts.count(words) == 1 for words in texts)


@given(passages(), BUDGETS)
def test_both_lists_stand_in_rank_order(items: tuple[Ranked, ...], budget: Budget) -> None:
    selection = select(items, budget)
    assert selection.taken == ranked(selection.taken)
    left = [item for item, _ in selection.left_out]
    assert tuple(left) == ranked(left)


@given(passages(), BUDGETS)
def test_every_reason_is_true(items: tuple[Ranked, ...], budget: Budget) -> None:
    selection = select(items, budget)
    texts = [item.text.split() for item in selection.taken]
    for item, reason in selection.left_out:
        size = len(item.text.encode())
        match reason:
            case LeftOut.BELOW_MINIMUM_SCORE:
                assert item.score < budget.min_score
            case LeftOut.DUPLICATE:
                assert item.text.split() in texts
            case LeftOut.PASSAGE_TOO_LONG:
                assert size > budget.passage_bytes
            case LeftOut.CONTEXT_FULL:
                assert sum(len(other.text.encode()) for other in selection.taken) + size > budget.context_bytes
            case LeftOut.BEYOND_K:
                full = len(selection.taken) == budget.passages
                assert full or len(documents(selection)) == budget.documents


@given(passages(), st.integers(1, 4))
def test_the_documents_of_k_are_the_first_of_those_of_k_plus_one(items: tuple[Ranked, ...], k: int) -> None:
    def chosen(count: int) -> set[RevisionId]:
        budget = Budget(passages=99, passage_bytes=8, context_bytes=10_000, documents=count)
        return set(documents(select(items, budget)))

    fewer, more = chosen(k), chosen(k + 1)
    assert fewer <= more
    assert len(more - fewer) <= 1
