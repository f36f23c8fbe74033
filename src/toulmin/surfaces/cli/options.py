"""The options that commands share, and how their texts become values."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from datetime import datetime, tzinfo
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer

from toulmin.domain.errors import InputError
from toulmin.domain.question.case import ANONYMOUS, Principal, read_instant

R = TypeVar("R")

WorkspaceOption = Annotated[
    Path | None,
    typer.Option("--workspace", metavar="DIR", help="The workspace [default: nearest parent with a toulmin.toml]."),
]
JsonOption = Annotated[bool, typer.Option("--json", help="One JSON document on stdout, everything else on stderr.")]
CaseOption = Annotated[
    list[str] | None, typer.Option("--case", metavar="FIELD=VALUE", help="A fact of the case; repeat for more.")
]
AsOfOption = Annotated[
    str | None, typer.Option("--as-of", metavar="TIME", help="Answer as of this instant or date [default: now].")
]
ProfileOption = Annotated[
    str | None,
    typer.Option(
        "--profile", metavar="NAME", help="The profile [eligibility.NAME] of toulmin.toml to judge documents by."
    ),
]
MinScoreOption = Annotated[
    float,
    typer.Option("--min-score", metavar="S", help="Leave out passages that score less; may only raise a contract's."),
]
KeyOption = Annotated[
    list[Path] | None,
    typer.Option("--key", metavar="PUB", help="A file with public keys that must have signed; repeat for more."),
]
OutOption = Annotated[Path | None, typer.Option("--out", metavar="FILE", help="Write a new file, not to stdout.")]
AsOption = Annotated[Path | None, typer.Option("--as", metavar="FILE", help="Read as the principal of this TOML file.")]
UserOption = Annotated[str | None, typer.Option("--user", metavar="ID", help="Read as this user.")]
TenantOption = Annotated[str | None, typer.Option("--tenant", metavar="T", help="The user's tenant.")]
GroupOption = Annotated[
    list[str] | None, typer.Option("--group", metavar="G", help="A group of the tenant; repeatable.")
]
RoleOption = Annotated[list[str] | None, typer.Option("--role", metavar="R", help="A role; repeatable.")]


def pairs(option: str, given: Sequence[str] | None) -> dict[str, str]:
    """`name=value` texts by name; raises `InputError` for one without `=`, and for a name that is given twice."""
    result: dict[str, str] = {}
    for text in given or ():
        name, separator, value = text.partition("=")
        if not separator or not name:
            raise InputError("usage", f"{option} {text!r} is no NAME=VALUE", remedy=f"write {option} name=value")
        if name in result:
            raise InputError("usage", f"{option} gives {name} twice", remedy="give it once")
        result[name] = value
    return result


def lists(option: str, given: Sequence[str] | None) -> dict[str, str | list[str]]:
    """`name=value` texts by name; a name that is given several times has the list of its values."""
    result: dict[str, str | list[str]] = {}
    for text in given or ():
        for name, value in pairs(option, [text]).items():
            known = result.get(name)
            result[name] = value if known is None else [*([known] if isinstance(known, str) else known), value]
    return result


def instant(option: str, text: str | None, zone: tzinfo) -> datetime | None:
    """An instant, or the start of a date in the workspace's zone."""
    if text is None:
        return None
    value = read_instant(text, zone)
    if value is None:
        raise InputError(
            "usage",
            f"{option} {text!r} is no instant and no date",
            remedy="write for instance 2026-01-31 or 2026-01-31T12:00:00Z",
        )
    return value


def reads_as(command: Callable[..., R]) -> Callable[..., R]:
    """A command that takes `who`, as a command with the options that name that principal instead."""
    own = inspect.signature(command, eval_str=True).parameters.values()
    naming = inspect.signature(principal, eval_str=True).parameters

    def with_options(**given: Any) -> R:
        who = principal(**{name: given.pop(name) for name in naming})
        return command(who=who, **given)

    parameters = [*(parameter for parameter in own if parameter.name != "who"), *naming.values()]
    by_name = [parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in parameters]
    with_options.__signature__ = inspect.Signature(by_name)  # type: ignore[attr-defined]  # what the parser reads
    with_options.__name__, with_options.__doc__ = command.__name__, command.__doc__
    return with_options


def principal(
    as_file: AsOption = None,
    user: UserOption = None,
    tenant: TenantOption = None,
    group: GroupOption = None,
    role: RoleOption = None,
) -> Principal:
    """The principal that the options name; the anonymous one, who reads only what is public, without any."""
    named = not (user is tenant is None) or bool(group or role)
    if as_file is not None:
        if named:
            raise InputError("usage", "--as stands beside --user, --tenant, --group or --role", remedy="use one way")
        return _principal_file(as_file)
    if not named:
        return ANONYMOUS
    return _principal_options("local" if user is None else user, tenant, group or (), role or ())


def _principal_file(file: Path) -> Principal:
    from toulmin.wire.principal import read_principal
    from toulmin.wire.source import read_file

    return read_principal(read_file(file, str(file)), str(file))


def _principal_options(user: str, tenant: str | None, groups: Sequence[str], roles: Sequence[str]) -> Principal:
    """The options' principal, checked as if it stood in a file."""
    from toulmin.wire.node import node_of
    from toulmin.wire.principal import principal_of

    given = {"id": user, "tenant": tenant, "groups": list(groups), "roles": list(roles)}
    source = "options"
    return principal_of(node_of(given, source), source)
