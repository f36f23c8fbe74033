"""`toulmin eval`: how good search and judgement are, measured on labelled data."""

from __future__ import annotations

import typer

from toulmin.surfaces.cli.evaluate_answers import answers
from toulmin.surfaces.cli.evaluate_claims import claims
from toulmin.surfaces.cli.evaluate_compare import compare
from toulmin.surfaces.cli.evaluate_retrieval import retrieval

app = typer.Typer(help="Measure on labelled data: retrieval, claims, answers, compare.", no_args_is_help=True)
app.command()(retrieval)
app.command()(claims)
app.command()(answers)
app.command()(compare)
