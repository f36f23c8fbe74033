from __future__ import annotations

from collections.abc import Sequence

import pytest

from tests.unit.making import found, quote
from toulmin.domain.corpus.document import RevisionId
from toulmin.domain.errors import InputError
from toulmin.domain.evidence.ranking import Ranked, bounded_results, ranked
from toulmin.domain.evidence.selection import Budget, EvidenceSet, LeftOut, Selection, Source, evidence_set, select
from toulmin.domain.policy import Policy


def budget(
    *,
    passages: int = 8,
    passage_bytes: int = 100,
    context_bytes: int = 1_000,
    documents: int | None = None,
    min_score: float = 0.0,
) -> Budget:
    return Budget(
        passages=passages,
        passage_bytes=passage_bytes,
        context_bytes=context_bytes,
        documents=documents,
        min_score=min_score,
    )


def taken(selection: Selection) -> list[str]:
    return [item.text for item in selection.taken]


def left_out(selection: Selection) -> list[tuple[str, LeftOut]]:
    return [(item.text, reason) for item, reason in selection.left_out]


def falling(*items: tuple[str, str]) -> list[Ranked]:
    """Passages of (document, text), each scored one less than the one before."""
    return [found(document, text, score=100.0 - place) for place, (document, text) in enumerate(items)]


def test_a_policy_counts_documents_in_licensed_mode_and_passages_in_the_others() -> None:
    policy = Policy(passages=8, passage_bytes=10, context_bytes=20)
    assert Budget.of(policy, k=3, by_document=True, min_score=0.5) == Budget(
        passages=8, documents=3, passage_bytes=10, context_bytes=20, min_score=0.5
    )
    assert Budget.of(policy, k=3, by_document=False, min_score=0.0).passages == 3
    assert Budget.of(policy, k=99, by_document=False, min_score=0.0).passages == 8


def test_one_passage_of_each_group_goes_before_a_second_of_any() -> None:
    items = [
        found("A", "a1", score=9, heading=("Intro",)),
        found("A", "a2", score=8, heading=("Intro",), start=10),
        found("A", "a3", score=7, heading=("More",), start=20),
        found("B", "b1", score=6),
        found("A", "a4", score=5, heading=("Intro",), start=30),
    ]
    assert taken(select(items, budget(passages=3))) == ["a1", "a3", "b1"]
    assert taken(select(items, budget(passages=4))) == ["a1", "a2", "a3", "b1"], "then the best of what is left"
    assert left_out(select(items, budget(passages=4))) == [("a4", LeftOut.BEYOND_K)]


def test_what_is_taken_stands_in_rank_order_whatever_the_pass_that_took_it() -> None:
    items = [found("A", "a1", score=9), found("A", "a2", score=8, start=5), found("B", "b1", score=7)]
    assert taken(select(items, budget())) == ["a1", "a2", "b1"]


def test_texts_that_differ_in_white_space_only_are_taken_once() -> None:
    items = falling(("A", "one two"), ("B", " one\n two "), ("C", "one, two"))
    selection = select(items, budget())
    assert taken(selection) == ["one two", "one, two"]
    assert left_out(selection) == [(" one\n two ", LeftOut.DUPLICATE)]


def test_a_passage_that_is_too_long_is_named_and_a_smaller_later_one_is_taken() -> None:
    selection = select(falling(("A", "x" * 11), ("B", "y" * 10)), budget(passage_bytes=10))
    assert taken(selection) == ["y" * 10], "exactly at the limit fits"
    assert left_out(selection) == [("x" * 11, LeftOut.PASSAGE_TOO_LONG)]


def test_passages_are_measured_in_bytes() -> None:
    assert left_out(select(falling(("A", "ééé")), budget(passage_bytes=5))) == [("ééé", LeftOut.PASSAGE_TOO_LONG)]
    assert taken(select(falling(("A", "ééé")), budget(passage_bytes=6))) == ["ééé"]


def test_a_passage_beyond_the_context_is_named_and_a_smaller_later_one_is_taken() -> None:
    selection = select(falling(("A", "a" * 6), ("B", "b" * 5), ("C", "c" * 4)), budget(context_bytes=10))
    assert taken(selection) == ["a" * 6, "c" * 4]
    assert left_out(selection) == [("b" * 5, LeftOut.CONTEXT_FULL)]


def test_a_passage_below_the_minimum_score_is_left_out() -> None:
    items = [found("A", score=2.0), found("B", score=1.5), found("C", score=1.4)]
    selection = select(items, budget(min_score=1.5))
    assert taken(selection) == ["A", "B"]
    assert left_out(selection) == [("C", LeftOut.BELOW_MINIMUM_SCORE)]


def test_a_score_that_is_no_number_passes_no_minimum() -> None:
    assert left_out(select([found("A", score=float("nan"))], budget())) == [("A", LeftOut.BELOW_MINIMUM_SCORE)]


def test_k_counts_documents_and_not_their_passages() -> None:
    items = falling(("A", "a1"), ("A", "a2"), ("B", "b1"), ("A", "a3"), ("C", "c1"))
    selection = select(items, budget(documents=2))
    assert taken(selection) == ["a1", "a2", "b1", "a3"]
    assert left_out(selection) == [("c1", LeftOut.BEYOND_K)]


def test_a_long_document_does_not_starve_the_others_of_their_places() -> None:
    items = [found("LONG", f"part {n}", heading=(f"h{n}",), score=20 - n) for n in range(10)]
    items += [found("B", "b", score=2), found("C", "c", score=1)]
    selection = select(items, budget(documents=3, passages=8))
    assert {item.id.document for item in selection.taken} == {"LONG", "B", "C"}
    assert len(selection.taken) == 8
    assert selection.fills(budget(documents=3, passages=8))


def test_a_copy_without_curated_spans_does_not_hide_the_witness() -> None:
    copy, witness = found("A", "one text", score=2), found("B", "one text", score=2)
    selection = select([copy, witness], budget(documents=1), curated={witness.id})
    assert [item.id.document for item in selection.taken] == ["B"]
    assert [(item.id.document, why) for item, why in selection.left_out] == [("A", LeftOut.DUPLICATE)]


def test_two_versions_of_a_document_count_as_two() -> None:
    items = [found("A", "new", version="2", score=2), found("A", "old", version="1", score=1)]
    assert taken(select(items, budget(documents=1))) == ["new"]


@pytest.mark.parametrize("useless", ["one  two", "x" * 101])
def test_a_document_without_a_passage_that_can_be_taken_takes_no_other_documents_place(useless: str) -> None:
    items = falling(("A", "one two"), ("COPY", useless), ("B", "three"))
    assert taken(select(items, budget(documents=2))) == ["one two", "three"]


def test_the_limit_on_passages_holds_in_licensed_mode_too() -> None:
    items = falling(("A", "a1"), ("A", "a2"), ("B", "b1"))
    selection = select(items, budget(documents=2, passages=2))
    assert taken(selection) == ["a1", "b1"]
    assert left_out(selection) == [("a2", LeftOut.BEYOND_K)]


def test_nothing_found_is_an_empty_set() -> None:
    assert select([], budget()) == Selection(taken=(), left_out=())
    assert evidence_set([]) == EvidenceSet()


def test_in_licensed_mode_the_evidence_is_the_curated_quotes_in_the_order_of_the_text() -> None:
    item = found("A", "words of A")
    listed = [quote("of", span="s2", start=6), quote("words", span="s1"), quote("word", span="s0")]
    made = evidence_set([item, found("B")], {item.id: listed})
    assert [source.id.document for source in made.sources] == ["A", "B"]
    assert [q.span.id for q in made.sources[0].quotes] == ["s0", "s1", "s2"]
    assert made.sources[1].quotes == (), "a selected document without a label is a source all the same"


def test_in_the_other_modes_the_evidence_is_the_selected_passages() -> None:
    made = evidence_set([found("B", "later", start=30), found("B", "first", start=2), found("A")])
    assert [source.id.document for source in made.sources] == ["A", "B"]
    assert [(q.span.id, q.words) for q in made.sources[1].quotes] == [("p2-7", "first"), ("p30-35", "later")]
    assert [item.text for item in made.passages] == ["later", "first", "A"]


def source(document: str, *spans: str) -> Source:
    return evidence_set([found(document)], {RevisionId(document, "1"): [quote("w", span=s) for s in spans]}).sources[0]


@pytest.mark.parametrize(
    ("sources", "named"),
    [
        ((source("E2"), source("E2", "s1")), "E2"),
        ((source("E1"), source("E2"), source("E1")), "E1"),
    ],
)
def test_two_sources_with_one_id_are_refused(sources: Sequence[Source], named: str) -> None:
    with pytest.raises(InputError) as caught:
        EvidenceSet(sources=tuple(sources))
    assert caught.value.code == "duplicate_evidence"
    assert named in caught.value.message


def test_two_spans_with_one_id_in_a_source_are_refused() -> None:
    with pytest.raises(InputError) as caught:
        source("E2", "s1", "s2", "s1")
    assert caught.value.code == "duplicate_evidence"
    assert "E2" in caught.value.message
    assert "s1" in caught.value.message


def test_one_span_id_in_two_sources_and_two_versions_of_a_document_are_fine() -> None:
    made = EvidenceSet(sources=(source("E1", "s1"), source("E12", "s1")))
    assert made.quote(RevisionId("E1", "1"), "s1") is not None
    assert made.quote(RevisionId("E1", "2"), "s1") is None
    assert made.quote(RevisionId("E1", "1"), "s") is None
    assert made.source(RevisionId("E", "1")) is None


def test_ranked_passages_fall_in_score_and_ties_go_by_document_version_and_place() -> None:
    best, others = found("Z", score=3.0), [found("A", version="1", start=9), found("A", version="2"), found("B")]
    assert ranked([*reversed(others), best]) == (best, *others)


@pytest.mark.parametrize(("asked", "given"), [(None, 5), (1, 1), (20, 20), (21, 20)])
def test_a_search_gives_at_most_as_many_results_as_the_policy_allows(asked: int | None, given: int) -> None:
    assert bounded_results(asked, Policy()) == given
