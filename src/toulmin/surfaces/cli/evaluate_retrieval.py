"""`toulmin eval retrieval`: how well searches find what answers questions."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from toulmin.domain.errors import InputError
from toulmin.domain.question.case import ANONYMOUS, Principal
from toulmin.surfaces.cli.bounds import MaxOption, MinOption, bounds, judged_by
from toulmin.surfaces.cli.evaluate_answers import TemplatesOption
from toulmin.surfaces.cli.labelled import GroupsOption, chosen_questions, digits_of, write
from toulmin.surfaces.cli.opening import opened
from toulmin.surfaces.cli.options import JsonOption, ProfileOption, WorkspaceOption, pairs, reads_as
from toulmin.surfaces.cli.progress import bar, index_progress
from toulmin.surfaces.cli.terminal import clean, counted, print_json, table

if TYPE_CHECKING:
    from toulmin.application.parts import Parts
    from toulmin.domain.evidence.ranking import Ranked
    from toulmin.evaluation.beir import Collection, Query
    from toulmin.evaluation.questions import Question
    from toulmin.evaluation.retrieval import Judged, Results
    from toulmin.surfaces.settings import Settings
    from toulmin.surfaces.sync import Workspace

T = TypeVar("T")

_SHOWN = ("ndcg@10", "recall@5", "mrr@10")
"""What the terminal shows of each part; JSON and HTML have all of it."""
_WORDS, _MEANING, _BOTH = _WAYS = ("words", "meaning", "both")
_NO_LIMIT = 10**9
_DEFAULT_SPLIT = "test"


@reads_as
def retrieval(
    *,
    who: Principal,
    dataset: Annotated[
        Path,
        typer.Argument(
            metavar="DATASET",
            help="Questions with gold quotes, one JSON object a line; or a BEIR folder, which is ingested for the while.",
        ),
    ],
    workspace: WorkspaceOption = None,
    case: TemplatesOption = None,
    profile: ProfileOption = None,
    groups: GroupsOption = None,
    split: Annotated[
        str | None,
        typer.Option("--split", metavar="NAME", help="Of a BEIR folder: whose judgements [default: test]."),
    ] = None,
    way: Annotated[
        str | None,
        typer.Option(
            "--search", metavar="WAY", help="By words, meaning or both [default: both, where there is an embedder]."
        ),
    ] = None,
    keep: Annotated[
        Path | None,
        typer.Option("--keep", metavar="DIR", help="Of a BEIR folder: keep its workspace there, and use it again."),
    ] = None,
    k: Annotated[int, typer.Option("-k", metavar="N", min=1, help="How deep one more recall looks.")] = 5,
    rows_file: Annotated[
        Path | None, typer.Option("--rows", metavar="FILE", help="Write every question's ranks and values there.")
    ] = None,
    html: Annotated[
        Path | None, typer.Option("--html", metavar="FILE", help="Write a report with charts there.")
    ] = None,
    minima: MinOption = None,
    maxima: MaxOption = None,
    verbose: Annotated[bool, typer.Option("--verbose", help="List the questions whose gold was not found.")] = False,
    as_json: JsonOption = False,
) -> int:
    """Measure how well searches find the answers. Exit code 8 if a bound is missed."""
    from toulmin.evaluation.beir import is_collection, read_collection
    from toulmin.evaluation.questions import read_questions
    from toulmin.evaluation.report import origin_json, report_json
    from toulmin.evaluation.retrieval import lines, names

    stated = bounds(minima, maxima, names(k))
    if is_collection(dataset):
        _refuse("of a BEIR folder every query is searched as it stands", case=case, profile=profile, groups=groups)
        collection = read_collection(dataset, split or _DEFAULT_SPLIT)
        with _ingested(collection, workspace, keep) as place:
            results = _of_collection(collection, _deep(place, way), k)
    else:
        _refuse("a file of questions is measured in a workspace", split=split, keep=keep)
        questions = chosen_questions(read_questions(dataset), digits_of(groups))
        with opened(workspace) as place:
            searcher = _Searcher(_deep(place, way), pairs("--case", case), profile or "default", who)
            results = _of_questions(dataset.name, questions, searcher, k)
    if rows_file is not None:
        write(rows_file, (json.dumps(line, ensure_ascii=False) + "\n" for line in lines(results)))
    if html is not None:
        from toulmin.evaluation.retrieval_page import page

        write(html, [page(results)])
    for note in results.notes:
        typer.echo(f"note: {note}", err=True)
    if as_json:
        print_json({**report_json(results.report), **origin_json([dataset], groups)})
    else:
        _print(results, verbose=verbose)
    return judged_by(stated, {"": results.report})


def _refuse(why: str, **given: object) -> None:
    """Refuses options that would have no effect."""
    for option, value in given.items():
        if value is not None:
            raise InputError("usage", f"--{option} has no effect: {why}", remedy=f"leave --{option} out")


@dataclass(frozen=True, slots=True)
class _Searcher:
    """Searches in a workspace as a user would, for the case that the templates give."""

    place: Workspace
    templates: Mapping[str, str]
    profile: str
    who: Principal

    def search(self, question: Question, k: int) -> list[Ranked]:
        from toulmin.evaluation.questions import filled

        case = filled(self.templates, question)
        found = self.place.search(question.question, case=case, profile=self.profile, principal=self.who, k=k)
        return [item.found for item in found.items]


def _of_questions(name: str, questions: Sequence[Question], searcher: _Searcher, k: int) -> Results:
    from toulmin.evaluation.retrieval import Results, depth, judged

    rows = _with_bar("questions", questions, lambda question: judged(question, searcher.search(question, depth(k))))
    return Results(dataset=name, rows=rows, k=k)


def _of_collection(collection: Collection, place: Workspace, k: int) -> Results:
    from toulmin.evaluation.retrieval import Results, depth, judged_query

    wanted = depth(k)
    rows = _with_bar(
        "queries", collection.queries, lambda query: judged_query(query, _until(place, query, wanted), wanted)
    )
    return Results(dataset=f"{collection.name} ({collection.split})", rows=rows, k=k, notes=collection.notes)


def _until(place: Workspace, query: Query, wanted: int) -> Sequence[Ranked]:
    """Passages of at least so many documents, best first, or all that there are."""
    from toulmin.evaluation.retrieval import documents

    limit = wanted
    while True:
        found = [item.found for item in place.search(query.text, principal=ANONYMOUS, k=limit).items]
        if len(found) < limit or len(documents(found)) >= wanted:
            return found
        limit *= 2


def _deep(place: Workspace, way: str | None) -> Workspace:
    """The workspace as it searches in one way, without the limit on results, which is for those who read them."""
    from dataclasses import replace

    policy = replace(place.parts.policy, max_results=_NO_LIMIT)
    return type(place)(place.settings, replace(_searching(place.parts, way), policy=policy))


def _searching(parts: Parts, way: str | None) -> Parts:
    """The parts that search in one way; raises `InputError` for a way that is none, or that needs an embedder where there is none."""
    from dataclasses import replace

    from toulmin.wire.scalars import nearest

    if way not in (None, *_WAYS):
        raise InputError("usage", f"--search {way}: no such way", remedy=nearest(way, _WAYS))
    if way in (None, _WORDS):
        return parts if way is None else replace(parts, meaning=None)
    if parts.meaning is None:
        remedy = "set kind in [embedder] of toulmin.toml"
        raise InputError("usage", f"--search {way}: there is no embedder", remedy=remedy)
    return replace(parts, index=parts.meaning, meaning=None) if way == _MEANING else parts


@contextmanager
def _ingested(collection: Collection, folder: Path | None, keep: Path | None) -> Iterator[Workspace]:
    """A workspace with the collection, removed afterwards unless it is kept; it searches as the one at the folder, or the nearest, does."""
    from dataclasses import replace

    from toulmin.surfaces import wiring
    from toulmin.surfaces.settings import FILE, load
    from toulmin.surfaces.sync import Workspace

    own = _settings(folder)
    with _folder(keep) as root:
        (root / FILE).touch()
        bare = load(root)
        settings = bare if own is None else replace(bare, embedder=own.embedder)
        with Workspace(settings, wiring.parts(settings)) as place:
            _ingest(place, collection)
            yield place


@contextmanager
def _folder(keep: Path | None) -> Iterator[Path]:
    from tempfile import TemporaryDirectory

    if keep is not None:
        keep.mkdir(parents=True, exist_ok=True)
        yield keep
        return
    with TemporaryDirectory(prefix="toulmin-eval-") as root:
        yield Path(root)


def _settings(folder: Path | None) -> Settings | None:
    """The settings at the folder, or of the nearest workspace; None where neither is meant nor there."""
    from toulmin.surfaces.settings import find_workspace, load

    if folder is not None:
        return load(folder)
    try:
        return load(find_workspace(Path()))
    except InputError as fault:
        if fault.code != "no_workspace":
            raise
        return None


def _ingest(place: Workspace, collection: Collection) -> None:
    """Ingests and indexes all of the collection; raises what keeps any of it out, since what is missing would look like a bad search."""
    total = len(collection.documents)
    with index_progress(asked_for=True) as tell, bar("documents") as advance:
        for number, report in enumerate(place.ingest(collection.entries(), tell=tell), start=1):
            if report.fault is not None:
                raise report.fault
            advance(number, total, "")
    embedded = place.embed()
    if embedded is not None and embedded.fault is not None:
        raise embedded.fault


def _with_bar(unit: str, items: Sequence[T], searched: Callable[[T], Judged]) -> tuple[Judged, ...]:
    with bar(unit) as advance:
        rows = []
        for number, item in enumerate(items, start=1):
            rows.append(searched(item))
            advance(number, len(items), "")
    return tuple(rows)


def _print(results: Results, *, verbose: bool) -> None:
    from toulmin.evaluation.intervals import briefly, in_words

    whole = results.report.whole
    typer.echo(clean(f"{results.dataset}: {whole.n} questions, {whole.counts['answerable']} with something to find"))
    table(
        "95 % intervals",
        ("", "value"),
        [(name, in_words(measure)) for name, measure in whole.metrics.items()],
    )
    for name, values in results.report.by.items():
        columns = ("", "n", *_SHOWN)
        rows = [
            (value, str(part.n), *(briefly(part.metrics[metric]) for metric in _SHOWN))
            for value, part in values.items()
        ]
        table(f"by {name}", columns, rows)
    other, passages = whole.counts["other_version_passages"], whole.counts["passages"]
    typer.echo(f"passages of another version: {other} of {passages} found")
    typer.echo(f"longest passage found: {counted(whole.counts['longest_passage'], 'word')}")
    if verbose:
        _print_missed(results)


def _print_missed(results: Results) -> None:
    for row in results.rows:
        if row.ranking is not None and not row.found_within(results.k):
            where = f"first at rank {row.rank}" if row.rank else f"not among {row.passages} passages"
            typer.echo(clean(f"missed: {row.id}: {where}"))
