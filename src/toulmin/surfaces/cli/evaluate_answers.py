"""`toulmin eval answers`: what is delivered for questions whose answers are known."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from toulmin.domain.errors import InputError, ToulminError
from toulmin.domain.question.case import Principal
from toulmin.surfaces.cli.bounds import MaxOption, MinOption, bounds, judged_by
from toulmin.surfaces.cli.labelled import GroupsOption, chosen_questions, digits_of, write
from toulmin.surfaces.cli.opening import opened
from toulmin.surfaces.cli.options import JsonOption, ProfileOption, WorkspaceOption, pairs, reads_as
from toulmin.surfaces.cli.progress import bar
from toulmin.surfaces.cli.terminal import counted, print_json, table

if TYPE_CHECKING:
    from toulmin.evaluation.answers import Asked
    from toulmin.evaluation.answers_results import Results
    from toulmin.evaluation.answers_shadow import Second, Shadow
    from toulmin.evaluation.answers_sources import Sources
    from toulmin.evaluation.questions import Question
    from toulmin.ports.judge import Judge
    from toulmin.surfaces.sync import Workspace

TemplatesOption = Annotated[
    list[str] | None,
    typer.Option(
        "--case", metavar="FIELD=VALUE", help="A fact of the case; {version} is the question's version; repeatable."
    ),
]

_SHOWN = ("answered", "right_abstentions", "citation_recall", "answer_completeness")
"""What the terminal shows of each part; JSON and HTML have all of it, and groups too."""


@reads_as
def answers(
    *,
    who: Principal,
    dataset: Annotated[
        Path, typer.Argument(metavar="DATASET", help="Questions with gold quotes, one JSON object a line; .gz too.")
    ],
    workspace: WorkspaceOption = None,
    case: TemplatesOption = None,
    profile: ProfileOption = None,
    groups: GroupsOption = None,
    shadow: Annotated[
        str | None,
        typer.Option(
            "--shadow", metavar="KIND", help="A second judge to compare with: oracles, onnx, llm or systemone."
        ),
    ] = None,
    rows_file: Annotated[
        Path | None, typer.Option("--rows", metavar="FILE", help="Write what became of every question there.")
    ] = None,
    html: Annotated[
        Path | None, typer.Option("--html", metavar="FILE", help="Write a report with charts there.")
    ] = None,
    minima: MinOption = None,
    maxima: MaxOption = None,
    as_json: JsonOption = False,
) -> int:
    """Ask every question, and measure what is delivered. Exit code 8 if a bound is missed."""
    from toulmin.evaluation.answers import names
    from toulmin.evaluation.answers_results import lines, results_json
    from toulmin.evaluation.questions import read_questions
    from toulmin.evaluation.report import origin_json

    stated = bounds(minima, maxima, names())
    questions, templates = chosen_questions(read_questions(dataset), digits_of(groups)), pairs("--case", case)
    with opened(workspace) as place:
        results = _measured(place, questions, templates, profile, who, shadow)
    if rows_file is not None:
        write(rows_file, (json.dumps(line, ensure_ascii=False) + "\n" for line in lines(results)))
    if html is not None:
        from toulmin.evaluation.answers_page import page

        write(html, [page(results, dataset.name)])
    _print_notes(results)
    if as_json:
        print_json({**results_json(results), **origin_json([dataset], groups)})
    else:
        _print(results)
    return judged_by(stated, {"": results.report})


def _measured(
    place: Workspace,
    questions: Sequence[Question],
    templates: Mapping[str, str],
    profile: str | None,
    who: Principal,
    shadow: str | None,
) -> Results:
    from toulmin.evaluation.answers_results import Results
    from toulmin.evaluation.answers_sources import Sources

    if place.parts.open_question is None:
        remedy = "set enabled = true in [open_question] of toulmin.toml"
        raise InputError("open_questions_off", "this workspace answers no open questions", remedy=remedy)
    sources = Sources(place.parts, who)
    second = None if shadow is None else _second_judge(place, shadow)
    asked, shadowed = [], []
    for item in _asked(place, questions, templates, profile, who, sources):
        asked.append(item)
        if shadow is not None:
            shadowed.append(_seconded(place, item, second, sources))
    return Results(
        asked=tuple(asked),
        policy=place.parts.policy.version,
        judge=place.settings.judge.kind,
        second=shadow,
        shadowed=tuple(shadowed),
    )


def _asked(
    place: Workspace,
    questions: Sequence[Question],
    templates: Mapping[str, str],
    profile: str | None,
    who: Principal,
    sources: Sources,
) -> Iterator[Asked]:
    """Every question after it was asked as a user would ask it, for the case that the templates give."""
    from toulmin.domain.outcome import UnsupportedQuestion
    from toulmin.evaluation.answers import Asked
    from toulmin.evaluation.questions import filled

    cases = [filled(templates, question) for question in questions]  # a wrong template is told before anything is asked
    with bar("questions") as advance:
        for number, (question, case) in enumerate(zip(questions, cases, strict=True), start=1):
            try:
                outcome = place.ask_text(question.question, case=case, profile=profile, principal=who)
            except ToulminError as fault:
                raise fault.at(f"question {question.id}") from None
            assert not isinstance(outcome, UnsupportedQuestion)  # open questions are switched on
            yield Asked(question=question, outcome=outcome, gold=sources.gold(question))
            advance(number, len(questions), "")


def _second_judge(place: Workspace, kind: str) -> Judge | None:
    """The judge of another kind, with what [judge] says beside its kind; None for the oracles, who need none.

    Raises `InputError` for a kind that is none or the judge's own, where no judge is at work, and where nobody approved that text leaves this
    host.
    """
    from dataclasses import replace
    from typing import get_args

    from toulmin.domain.question.contract import Mode
    from toulmin.surfaces.settings import JudgeName
    from toulmin.surfaces.wiring import assembled
    from toulmin.wire.scalars import nearest

    first, known = place.settings.judge, get_args(JudgeName)
    if kind not in known:
        raise InputError("usage", f"--shadow {kind}: no such judge", remedy=nearest(kind, known))
    if kind == first.kind:
        raise InputError("usage", f"--shadow {kind} is the judge of [judge] itself", remedy="name one of another kind")
    if place.settings.open_question.mode is not Mode.REVIEWED:
        raise InputError("usage", "--shadow: in cited mode no claim is judged", remedy="use it in reviewed mode")
    settings = replace(place.settings, judge=first.model_copy(update={"kind": kind}))
    judge = assembled(settings, place.parts.store, place.parts.index).judge
    if judge is not None and not (judge.on_this_host or place.parts.judge_approved):
        message = f"the judge {kind} is not on this host, and nobody approved that text is sent to it"
        remedy = "set external = true in [judge] once a person has approved it"
        raise InputError("egress_denied", message, remedy=remedy)
    return judge


def _seconded(place: Workspace, asked: Asked, second: Judge | None, sources: Sources) -> tuple[Second, ...]:
    import asyncio

    from toulmin.evaluation.answers_shadow import seconded

    subjects = list(sources.subjects(asked))
    return asyncio.run(seconded(subjects, second, place.parts.policy, approved=place.parts.judge_approved))


def _print_notes(results: Results) -> None:
    """What a reader of the numbers has to know about the run, on stderr."""
    counts = results.report.whole.counts
    if counts["gold_absent"]:
        quotes = counted(counts["gold"], "gold quote")
        typer.echo(f"note: {counts['gold_absent']} of {quotes} are not in the corpus: nothing can cite them", err=True)
    if counts["provider_faults"]:
        ended = counted(counts["provider_faults"], "question")
        typer.echo(f"note: {ended} ended without a draft or a judgement: their abstentions show nothing", err=True)


def _print(results: Results) -> None:
    whole = results.report.whole
    _print_whole(results)
    _print_counted("not answered", ("ending", "reason", "questions"), results.endings)
    _print_counted("not delivered", ("cause", "verdict", "claims"), results.withheld)
    _print_parts(results)
    if results.shadow is not None:
        _print_shadow(results.shadow)
    if not whole.counts["labelled"]:
        typer.echo(
            "no claim of an answer has a label: unsupported_claim_rate and false_rejection_rate are not measured"
        )
    typer.echo("a dash is a share of nothing; other passages than the gold may say the same")


def _print_whole(results: Results) -> None:
    from toulmin.evaluation.intervals import in_words

    whole = results.report.whole
    table(
        f"{counted(whole.n, 'question')}, policy {results.policy}, judge {results.judge}, 95 % intervals",
        ("", "value"),
        [
            *((name, in_words(measure)) for name, measure in whole.metrics.items()),
            *((name, str(count)) for name, count in whole.counts.items()),
        ],
    )


def _print_counted(title: str, columns: tuple[str, str, str], found: Mapping[str, Mapping[str, int]]) -> None:
    if found:
        rows = [(outer, inner, str(count)) for outer, part in found.items() for inner, count in part.items() if count]
        table(title, columns, rows)


def _print_parts(results: Results) -> None:
    from toulmin.evaluation.intervals import briefly

    columns = ("", "n", "failures", *(metric.replace("_", " ") for metric in _SHOWN))
    for name, values in results.report.by.items():
        if values and name != "group":
            rows = [
                (value, str(part.n), str(part.counts["failures"]), *(briefly(part.metrics[each]) for each in _SHOWN))
                for value, part in values.items()
            ]
            table(f"by {name.replace('_', ' ')}", columns, rows)
    failed = [
        (group, str(part.n), str(part.counts["failures"]))
        for group, part in results.report.by["group"].items()
        if part.counts["failures"]
    ]
    if failed:
        table("groups with failures", ("", "n", "failures"), failed)


def _print_shadow(shadow: Shadow) -> None:
    from toulmin.evaluation.intervals import in_words

    _print_counted(f"verdicts, and those of {shadow.judge}", ("first", shadow.judge, "claims"), shadow.verdicts)
    same = in_words(shadow.agreement)
    judged = counted(len(shadow.judged), "claim")
    typer.echo(f"{shadow.judge}: {shadow.disagreements} of {judged} judged otherwise; nothing acted on it")
    typer.echo(f"equal verdicts, of the claims that a judge has to decide: {same}")
    for reason, count in shadow.not_judged.items():
        typer.echo(f"{shadow.judge} gave no opinion on {counted(count, 'claim')}: {reason}")
