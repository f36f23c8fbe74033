"""The worked example: the gateway sample, really run, in workspaces that are thrown away.

Everything here goes through the use cases; only the corpus differs from line to line. The ranker is the memory adapter's, which counts
shared words, so that every order can be checked by eye.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from toulmin.application.gather import gather
from toulmin.application.question import AskRequest, typed_question
from toulmin.domain.claims.draft import Citation, Claim, DraftRequest, Segment
from toulmin.domain.claims.licence import check
from toulmin.domain.corpus.document import RevisionId
from toulmin.domain.outcome import NAMES, Answered, AskForEvidence, Outcome, UnsupportedQuestion, Withheld
from toulmin.domain.question.case import ANONYMOUS
from toulmin.domain.question.contract import DrafterKind
from toulmin.domain.question.eligibility import Filter, admits
from toulmin.ports.drafter import Drafted, Drafter, NotDrafted
from toulmin.ports.source import Skipped
from toulmin.surfaces import wiring
from toulmin.surfaces.sample import write_sample
from toulmin.surfaces.settings import load
from toulmin.surfaces.sync import Workspace

QUESTION = "gateway-explain-and-next-step-v1"
CASE = {"model": "G2", "firmware": "2.4.1", "audit_hold": "true"}
_EVERYTHING = 10_000
_HOLD = "HOLD-7.md"
_PROPOSITION = "do not roll back firmware"

Build = Callable[..., Workspace]


def worked_example(build: Build = Workspace) -> Iterator[str | Answered]:
    """The lines of the worked example, as they come out, and then the answer.

    `build(settings, parts)` makes the workspace; the tests use it to run the same example on other adapters.
    """
    with _sample(build) as place:
        for k in (2, 1):
            outcome = _ask(place, k)
            yield f"K={k} take-then-filter: {_list(_take_then_filter(place, k))}  filter-then-take: {_found(outcome)}  missing={_missing(outcome)}"
        outcome = _ask(place, 3)
        yield f"K=3 filter-then-take: {_found(outcome)}  missing={_missing(outcome)}"
        before = _ask(place, 2)
    with _sample(build, _with_other_words) as place:
        yield f"changed quote, old label: missing={_missing(_ask(place, 2))}"
    with _sample(build, _with_next_version) as place:
        after = _ask(place, 2)
        yield f"version bump only: missing={_missing(after)}  {_evidence(before)} -> {_evidence(after)}"
    with _sample(build) as place:
        unknown = "gateway-free-question"
        yield f"question {unknown}: {NAMES[type(place.ask(unknown, case=CASE))]}"
        yield _claims(_ask(_drafting_too_much(place), 2))
        yield _stray_citation(place)
        answer = _ask(place, 2)
        assert isinstance(answer, Answered)
        yield answer


@contextmanager
def _sample(build: Build, edit: Callable[[str], str] | None = None) -> Iterator[Workspace]:
    """The sample in a workspace of its own, ingested; `edit` changes the text of HOLD-7."""
    with TemporaryDirectory(prefix="toulmin-demo-") as folder:
        root = Path(folder) / "workspace"
        write_sample(root)
        if edit is not None:
            hold = root / "documents" / _HOLD
            hold.write_text(edit(hold.read_text()))
        settings = load(root)
        with build(settings, wiring.demo_parts(settings)) as place:
            entries = [item for item in place.entries([root / "documents"]) if not isinstance(item, Skipped)]
            for report in place.ingest(entries):
                if report.fault is not None:
                    raise report.fault
            yield place


def _with_other_words(text: str) -> str:
    """The same label on other words: the curated quote and the sentence both say something else now."""
    return text.replace(_PROPOSITION, "roll back firmware only with consent")


def _with_next_version(text: str) -> str:
    return text.replace('version: "2"', 'version: "3"')


def _ask(place: Workspace, k: int) -> Outcome:
    return place.ask(QUESTION, case=CASE, k=k)


def _take_then_filter(place: Workspace, k: int) -> list[str]:
    """What a system gets that ranks the whole corpus, takes the best k, and only then looks who may use them."""
    question = typed_question(AskRequest(question=QUESTION, principal=ANONYMOUS, case=CASE), place.parts)
    assert question is not None
    changes = place.parts.store.changes(0, _EVERYTHING).changes
    standings = {change.revision: (change.scope, change.standing) for change in changes if change.standing}
    everyone = frozenset(reader for _, standing in standings.values() for reader in standing.descriptor.readers)
    scopes = frozenset(scope for scope, _ in standings.values())
    unfiltered = Filter(scopes=scopes, readers=everyone, at=question.at)
    taken = place.parts.index.snapshot().search(question.search_text, unfiltered, k).hits[:k]
    with place.parts.store.begin(ANONYMOUS) as session:
        eligible = place.parts.scopes.find(question.contract.rules, question.case, session.corpus)
    wanted = Filter(scopes=eligible, readers=ANONYMOUS.tokens, at=question.at)
    return [
        standing.id.document
        for hit in taken
        for scope, standing in (standings[hit.key.revision],)
        if admits(wanted, scope, standing)
    ]


@dataclass(frozen=True)
class _TooMuch:
    """A drafter that writes the licensed clauses, and one sentence that nobody licensed."""

    inner: Drafter
    profile: str = "demo"
    on_this_host: bool = True

    async def draft(self, request: DraftRequest) -> Drafted | NotDrafted:
        drafted = await self.inner.draft(request)
        if isinstance(drafted, NotDrafted):
            return drafted
        last = drafted.segments[-1]
        extra = Segment(text="Roll back firmware now.", evidence_ids=last.evidence_ids, fact=last.fact)
        return Drafted(segments=(*drafted.segments, extra))


def _drafting_too_much(place: Workspace) -> Workspace:
    drafter = _TooMuch(place.parts.drafters[DrafterKind.TEMPLATE])
    return Workspace(place.settings, replace(place.parts, drafters={DrafterKind.TEMPLATE: drafter}))


def _claims(outcome: Outcome) -> str:
    assert isinstance(outcome, Answered)
    reasons = "; ".join(claim.verdict.reason or "" for claim in outcome.withheld)
    return f"claims: {len(outcome.claims)} licensed, {len(outcome.withheld)} withheld: {reasons}"


def _stray_citation(place: Workspace) -> str:
    """A licensed sentence that cites a document which was never selected."""
    question = typed_question(AskRequest(question=QUESTION, principal=ANONYMOUS, case=CASE), place.parts)
    assert question is not None
    fact = question.facts[-1]
    stray = Claim(text=fact.clause, fact=fact.id, citations=(Citation(source=RevisionId("HOLD-9", "1"), span="s1"),))
    verdict = check(stray, gather(question, place.parts).evidence, question.contract.facts, question.case)
    return f"claim citing HOLD-9: {'delivered' if verdict.delivered else 'withheld'}: {verdict.reason}"


def _found(outcome: Outcome) -> str:
    """The selected documents in rank order."""
    assert not isinstance(outcome, UnsupportedQuestion)
    return _list(dict.fromkeys(item.found.id.document for item in outcome.search))


def _missing(outcome: Outcome) -> str:
    return _list(outcome.missing if isinstance(outcome, AskForEvidence | Withheld) else ())


def _evidence(outcome: Outcome) -> str:
    assert not isinstance(outcome, UnsupportedQuestion)
    assert outcome.receipt is not None
    return outcome.receipt.evidence


def _list(names: Iterable[str]) -> str:
    return f"[{', '.join(names)}]"
