"""The `toulmin` command: its commands, exit codes, and how faults are told."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import typer

from toulmin.domain.errors import InputError, Refused, ToulminError
from toulmin.surfaces.cli import (
    api_keys,
    approvals,
    ask,
    calibrate,
    contracts,
    demo,
    doctor,
    documents,
    erase,
    evaluate,
    impact,
    index,
    ingest,
    keys,
    ledger,
    mcp,
    migrate,
    packets,
    replay,
    review,
    search,
    serve,
    transfer,
    workspace,
)
from toulmin.surfaces.cli.exits import Exit
from toulmin.surfaces.cli.terminal import print_error

_UsageFault: type[Exception] = typer.BadParameter.__mro__[2]
"""The parser's own base of faults in a command line; typer keeps its name to itself."""

app = typer.Typer(
    name="toulmin",
    help="Answers questions from controlled documents, and keeps the proof.",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.command()(demo.demo)
app.command()(workspace.init)
app.command()(ingest.ingest)
app.command()(search.search)
app.command()(ask.ask)
app.command()(review.review)
documents.app.command()(erase.erase)
app.add_typer(documents.app, name="document")
app.command()(impact.impact)
packets.app.command()(replay.replay)
app.add_typer(packets.app, name="packet")
app.add_typer(approvals.app, name="approval")
app.add_typer(contracts.app, name="contracts")
app.add_typer(ledger.app, name="ledger")
app.add_typer(keys.app, name="keys")
app.add_typer(api_keys.app, name="api-key")
app.add_typer(index.app, name="index")
app.add_typer(evaluate.app, name="eval")
app.command()(calibrate.calibrate)
app.command()(doctor.doctor)
app.command()(mcp.mcp)
app.command()(migrate.migrate)
app.command()(transfer.export)
app.command("import")(transfer.import_)
app.command()(serve.serve)


def main() -> None:
    """Runs the command line and exits with its code."""
    arguments = sys.argv[1:]
    as_json = "--json" in arguments
    try:
        _refuse_other_encodings(arguments)
        code = app(arguments or ["--help"], prog_name="toulmin", standalone_mode=False)
    except ToulminError as fault:
        print_error(fault, as_json=as_json)
        code = _exit_of_fault(fault)
    except _UsageFault as fault:
        print_error(_usage_error(fault), as_json=as_json)
        code = Exit.USAGE
    except (KeyboardInterrupt, typer.Abort):
        sys.stderr.write("stopped\n")
        code = 130
    except BrokenPipeError:
        sys.stderr.close()
        code = Exit.UNEXPECTED
    except Exception as fault:
        if not as_json:
            raise
        print_error(ToulminError("unexpected", f"{type(fault).__name__}: {fault}", remedy="report it"), as_json=True)
        code = Exit.UNEXPECTED
    sys.exit(code if isinstance(code, int) else Exit.SUCCESS)


def _exit_of_fault(fault: ToulminError) -> Exit:
    match fault:
        case InputError():
            return Exit.USAGE
        case Refused():
            return Exit.APPROVAL
        case _:
            return Exit.UNEXPECTED


def _refuse_other_encodings(arguments: Sequence[str]) -> None:
    """Raises `InputError` for an argument that is not UTF-8 (Python puts surrogates for its bytes): nothing that is kept could be it."""
    for argument in arguments:
        if any("\ud800" <= character <= "\udfff" for character in argument):
            raise InputError("usage", f"{argument!r} is not UTF-8 text", remedy="write it in UTF-8")


def _usage_error(fault: BaseException) -> InputError:
    context = getattr(fault, "ctx", None)
    command = context.command_path if context is not None else "toulmin"
    return InputError("usage", fault.format_message(), remedy=f"see {command} --help")  # type: ignore[attr-defined]
