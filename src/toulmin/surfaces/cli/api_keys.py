"""`toulmin api-key`: the keys by which the service knows programs that call it."""

from __future__ import annotations

import re
from datetime import datetime, timedelta, tzinfo
from typing import TYPE_CHECKING, Annotated

import typer

from toulmin.domain.corpus.validity import instant_text
from toulmin.surfaces.cli.opening import recording
from toulmin.surfaces.cli.options import (
    GroupOption,
    JsonOption,
    RoleOption,
    TenantOption,
    WorkspaceOption,
    instant,
    principal,
)
from toulmin.surfaces.cli.terminal import clean, one_line, print_json

if TYPE_CHECKING:
    from toulmin.domain.question.api_key import ApiKey

app = typer.Typer(help="API keys of the service: new, list, revoke.")

_DAYS = re.compile(r"[0-9]{1,5}")


@app.command()
def new(
    *,
    user: Annotated[str, typer.Option("--user", metavar="ID", help="Whom the key stands for.")],
    tenant: TenantOption = None,
    group: GroupOption = None,
    role: RoleOption = None,
    label: Annotated[str | None, typer.Option("--label", metavar="L", help="What it is for; shown in lists.")] = None,
    expires: Annotated[
        str | None,
        typer.Option(
            "--expires", metavar="TIME", help="A date, an instant, or so many days from now [default: never]."
        ),
    ] = None,
    workspace: WorkspaceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Make a key with at least one role, and print its token. Keep it: it is not kept here, and never printed again."""
    who = principal(user=user, tenant=tenant, group=group, role=role)
    with recording(workspace) as place:
        end = _end(expires, place.parts.clock.now(), place.settings.zone)
        issued = place.new_api_key(who, label=label, expires_at=end)
    if as_json:
        from toulmin.wire.api_key import api_key_json

        print_json(api_key_json(issued.key, issued.token))
        return
    typer.echo(issued.token)
    typer.echo(
        clean(f"{_told(issued.key)}\nkeep the token: only its digest is kept, so that it cannot be printed again"),
        err=True,
    )


@app.command("list")
def list_keys(workspace: WorkspaceOption = None, as_json: JsonOption = False) -> None:
    """List all keys, revoked and expired ones included, in the order in which they were made."""
    with recording(workspace) as place:
        keys = place.api_keys()
    if as_json:
        from toulmin.wire.api_key import api_keys_json

        print_json(api_keys_json(keys))
    else:
        typer.echo("\n".join(map(_told, keys)) if keys else "there is no API key")


@app.command()
def revoke(
    key: Annotated[str, typer.Argument(metavar="ID", help="The key's id: what stands between the two _ of its token.")],
    workspace: WorkspaceOption = None,
    as_json: JsonOption = False,
) -> None:
    """Revoke a key. The next request with it is refused, in every process and on every host."""
    with recording(workspace) as place:
        revoked = place.revoke_api_key(key)
    if as_json:
        from toulmin.wire.api_key import api_key_json

        print_json(api_key_json(revoked))
    else:
        typer.echo(_told(revoked))


def _end(text: str | None, now: datetime, zone: tzinfo) -> datetime | None:
    """When a key expires: a number is of days."""
    if text is not None and _DAYS.fullmatch(text):
        return now + timedelta(days=int(text))
    return instant("--expires", text, zone)


def _told(key: ApiKey) -> str:
    """A key on two lines: its id and label, and whom it stands for, how long."""
    who = key.principal
    name = who.id if who.tenant is None else f"{who.id} ({', '.join((who.tenant, *who.groups))})"
    parts = [f"{name} as {', '.join(who.roles)}", f"made {_minute(key.created_at)}"]
    if key.revoked_at is not None:
        parts.append(f"revoked {_minute(key.revoked_at)}")
    elif key.expires_at is not None:
        parts.append(f"expires {_minute(key.expires_at)}")
    head = f"{key.id} {key.label}" if key.label else key.id
    return f"{one_line(head)}\n  {one_line(', '.join(parts))}"


def _minute(at: datetime) -> str:
    return instant_text(at)[:16].replace("T", " ")
