"""`toulmin ask`: an outcome and its packet."""

from __future__ import annotations

from typing import Annotated, assert_never

import typer

from toulmin.domain.errors import InputError
from toulmin.domain.outcome import (
    Answered,
    AskForEvidence,
    CitedQuote,
    Item,
    Outcome,
    Recorded,
    SearchOnly,
    ShownClaim,
    UnsupportedQuestion,
    Withheld,
)
from toulmin.domain.question.case import Principal
from toulmin.surfaces.cli.exits import exit_of
from toulmin.surfaces.cli.opening import opened, tell_left_out
from toulmin.surfaces.cli.options import (
    AsOfOption,
    CaseOption,
    JsonOption,
    MinScoreOption,
    ProfileOption,
    WorkspaceOption,
    instant,
    pairs,
    reads_as,
)
from toulmin.surfaces.cli.search import print_item
from toulmin.surfaces.cli.terminal import clean, indent, lasting, one_line, print_json

_NEXT_FOR_FACTS = "next: add or re-curate a document; `toulmin contracts check` tells what each fact lacks"
_NEXT_FOR_TEXT = "next: add a document, or check --case, --profile, --as-of, --min-score and as whom you ask"


@reads_as
def ask(
    *,
    who: Principal,
    question: Annotated[str | None, typer.Argument(metavar="QUESTION_ID", help="A contract's id.")] = None,
    text: Annotated[str | None, typer.Option("--text", metavar="TEXT", help="An open question, in words.")] = None,
    workspace: WorkspaceOption = None,
    case: CaseOption = None,
    profile: ProfileOption = None,
    k: Annotated[
        int | None, typer.Option("-k", metavar="N", help="How much evidence [default: the contract's k].")
    ] = None,
    as_of: AsOfOption = None,
    min_score: MinScoreOption = 0.0,
    as_json: JsonOption = False,
) -> int:
    """Ask a contract's question, or an open one. The exit code tells the outcome."""
    if (question is None) == (text is None):
        raise InputError(
            "usage", "give a question id or --text, and not both", remedy="toulmin ask QUESTION_ID --case ..."
        )
    if question is not None and profile is not None:
        raise InputError("usage", "--profile is for --text: a contract has its own rules", remedy="leave it out")
    with opened(workspace) as place:
        when = instant("--as-of", as_of, place.settings.zone)
        facts = pairs("--case", case)
        if text is not None:
            outcome = place.ask_text(
                text, case=facts, profile=profile, principal=who, as_of=when, k=k, min_score=min_score
            )
        else:
            outcome = place.ask(question or "", case=facts, principal=who, as_of=when, k=k, min_score=min_score)
    if not isinstance(outcome, UnsupportedQuestion):
        tell_left_out(outcome.basis.left_out)
    if as_json:
        from toulmin.wire.outcome import outcome_json

        print_json(outcome_json(outcome))
    else:
        print_outcome(outcome)
    return exit_of(outcome)


def print_outcome(outcome: Outcome) -> None:
    """An outcome in words: what it is, what it rests on, and what to do next."""
    match outcome:
        case UnsupportedQuestion():
            typer.echo(clean(f"UnsupportedQuestion: no contract has the id {outcome.question}"))
            typer.echo("next: write a contract for it in contracts/, or ask with --text")
        case AskForEvidence():
            typer.echo("AskForEvidence: " + _lacking(outcome))
            _print_search(outcome.search)
            typer.echo(_NEXT_FOR_FACTS if outcome.missing else _NEXT_FOR_TEXT)
        case SearchOnly():
            detail = f" ({outcome.detail})" if outcome.detail else ""
            typer.echo(f"SearchOnly: evidence found, no answer: {outcome.reason}{detail}")
            _print_search(outcome.search)
            typer.echo("next: read the passages" + _later(outcome.retry_after_s))
        case Withheld():
            unsaid = f"; not established: {', '.join(outcome.missing)}" if outcome.missing else ""
            typer.echo(f"Withheld: no answer is delivered{unsaid}")
            _print_withheld(outcome.withheld)
            typer.echo("next: see each claim's reason")
        case Answered():
            typer.echo(f"Answered ({outcome.assurance})\n")
            print_answer(outcome)
        case _:
            assert_never(outcome)
    if not isinstance(outcome, UnsupportedQuestion):
        _print_receipt(outcome)


def print_answer(outcome: Answered) -> None:
    """The delivered sentences with numbered citations, then what each citation's words are, then what was withheld."""
    quotes = list(dict.fromkeys(citation for claim in outcome.claims for citation in claim.citations))
    marked = [
        claim.text + "".join(f" [{quotes.index(citation) + 1}]" for citation in claim.citations)
        for claim in outcome.claims
    ]
    typer.echo(indent(clean("\n".join(marked)), "  ") + "\n")
    for number, quote in enumerate(quotes, start=1):
        typer.echo(clean(f"  [{number}] {_named(quote)}"))
    if outcome.withheld:
        typer.echo("\nnot part of the answer:")
        _print_withheld(outcome.withheld)
    against = [item for item in outcome.search if item.conflicting]
    if against:
        typer.echo("\nspeaks against what the question takes for granted:")
        for number, item in enumerate(against, start=1):
            print_item(number, item)


def _named(quote: CitedQuote) -> str:
    """What a citation's words are and where they stand, all of it as the store has it."""
    words = "not in the selected evidence" if quote.words is None else f'"{one_line(quote.words)}"'
    pages = [f"page {page.label or page.number}" for page in quote.place.pages] if quote.place else []
    told = ", ".join([*([one_line(quote.title)] if quote.title else []), *pages])
    return f"{quote.source}{f' ({told})' if told else ''}, {quote.span}: {words}"


def _lacking(outcome: AskForEvidence) -> str:
    if outcome.missing:
        return f"the selected evidence does not cover: {', '.join(outcome.missing)}"
    reasons = {
        "no_eligible_evidence": "no document is eligible for this case",
        "below_minimum_score": "no passage matches well enough",
        "insufficient": "the evidence was judged insufficient",
    }
    return reasons[outcome.reason.value] if outcome.reason else "there is no evidence"


def _later(seconds: float | None) -> str:
    """When a provider that asks for a pause may be asked again."""
    return "" if seconds is None else f", and ask again in {lasting(seconds)}"


def _print_withheld(claims: tuple[ShownClaim, ...]) -> None:
    for claim in claims:
        typer.echo(clean(f"  - {claim.text}\n    {claim.verdict.status}: {claim.verdict.reason}"))


def _print_search(items: tuple[Item, ...]) -> None:
    for number, item in enumerate(items, start=1):
        print_item(number, item)


def _print_receipt(outcome: Recorded) -> None:
    receipt = outcome.receipt
    if receipt is not None:
        typer.echo(f"\npacket {receipt.packet}\nevidence {receipt.evidence}")
