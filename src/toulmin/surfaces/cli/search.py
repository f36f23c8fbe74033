"""`toulmin search`: eligible passages, and why other documents are not among them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from toulmin.domain.question.case import Principal
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
from toulmin.surfaces.cli.terminal import clean, counted, excerpt, indent, print_json, table

if TYPE_CHECKING:
    from toulmin.domain.outcome import Excluded, Item, SearchResult


@reads_as
def search(
    *,
    who: Principal,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="What to look for.")],
    workspace: WorkspaceOption = None,
    case: CaseOption = None,
    profile: ProfileOption = None,
    k: Annotated[
        int | None, typer.Option("-k", metavar="N", help="How many passages [default: 5, at most 20].")
    ] = None,
    as_of: AsOfOption = None,
    min_score: MinScoreOption = 0.0,
    explain: Annotated[bool, typer.Option("--explain", help="Say why other documents are not eligible.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Find the passages that may be used for a case, best first."""
    with opened(workspace) as place:
        result = place.search(
            text,
            case=pairs("--case", case),
            profile=profile or "default",
            principal=who,
            as_of=instant("--as-of", as_of, place.settings.zone),
            k=k,
            min_score=min_score,
            explain=explain,
        )
        most = place.parts.policy.max_results
    tell_left_out(result.left_out)
    if k is not None and k > most:
        typer.echo(f"note: a search gives at most {most} passages (max_results in the policy)", err=True)
    if as_json:
        from toulmin.wire.outcome import search_json

        print_json(search_json(result, explain=explain))
        return
    _print(result)
    if explain:
        _print_excluded(result.excluded)


def _print(result: SearchResult) -> None:
    documents = counted(result.eligible, "eligible document")
    if not result.items:
        typer.echo(f"nothing found in {documents}")
        if not result.eligible:
            typer.echo(
                "try: --explain says why documents are not eligible; check --case, --profile, --as-of and as whom you ask"
            )
        return
    for number, item in enumerate(result.items, start=1):
        print_item(number, item)
    typer.echo(f"{counted(len(result.items), 'passage')} from {documents}")


def print_item(number: int, item: Item) -> None:
    """A numbered passage: where it stands, then its first lines."""
    found = item.found
    heading = " › ".join(found.passage.heading)
    title = f"{number}. {found.id}  {heading}".rstrip()
    against = "; speaks against the question's premise" if item.conflicting else ""
    kind = f"; {found.boilerplate}" if found.boilerplate else ""
    typer.echo(clean(f"{title}  [{found.passage.id}, score {found.score:.4g}{kind}{against}]"))
    typer.echo(indent(excerpt(found.text), "   ") + "\n")


def _print_excluded(excluded: tuple[Excluded, ...]) -> None:
    if not excluded:
        typer.echo("every document that you may see is eligible")
        return
    rows = [
        (
            str(item.standing.id),
            reason.attribute,
            reason.rule or "-",
            _stated(reason.document_value),
            reason.case_value or "-",
            reason.note or "",
        )
        for item in excluded
        for reason in item.reasons
    ]
    table("not eligible", ("document", "attribute", "rule", "document says", "case says", "note"), rows)


def _stated(value: str | tuple[str, ...] | None) -> str:
    if value is None:
        return "-"
    return value if isinstance(value, str) else ", ".join(value)
