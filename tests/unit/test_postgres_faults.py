from __future__ import annotations

from pathlib import Path

import psycopg
import pytest
from psycopg import errors

from toulmin.adapters.postgres import migrate_database, open_database, schema
from toulmin.adapters.postgres.database import faults_of
from toulmin.domain.errors import Conflict, InputError, StoreFault, ToulminError

URL = "postgresql://u@h/d"


@pytest.mark.parametrize(
    ("error", "kind", "code"),
    [
        (errors.LockNotAvailable(), Conflict, "store_busy"),
        (errors.DeadlockDetected(), Conflict, "store_busy"),
        (errors.SerializationFailure(), Conflict, "store_busy"),
        (errors.TooManyConnections(), Conflict, "store_busy"),
        (errors.InsufficientPrivilege(), StoreFault, "store_inaccessible"),
        (errors.InvalidPassword(), StoreFault, "store_inaccessible"),
        (errors.InFailedSqlTransaction(), StoreFault, "transaction_failed"),
        (errors.DiskFull(), StoreFault, "store_full"),
        (errors.DataCorrupted(), StoreFault, "store_damaged"),
        (errors.AdminShutdown("terminating"), StoreFault, "store_unreachable"),
        (psycopg.OperationalError("connection refused\nmore"), StoreFault, "store_unreachable"),
        (psycopg.InterfaceError("closed"), StoreFault, "store_unreachable"),
        (errors.UniqueViolation("canary"), StoreFault, "store_failed"),
        (psycopg.DataError("canary"), StoreFault, "store_failed"),
    ],
)
def test_every_error_of_the_server_is_one_of_our_faults(
    error: psycopg.Error, kind: type[ToulminError], code: str
) -> None:
    with pytest.raises(ToulminError) as fault, faults_of(URL):
        raise error
    assert type(fault.value) is kind
    assert fault.value.code == code
    assert URL in fault.value.message
    assert fault.value.remedy
    assert "canary" not in str(fault.value)
    assert "\n" not in fault.value.message


def test_a_class_of_errors_that_the_driver_may_grow_is_mapped_as_well() -> None:
    for family in psycopg.Error.__subclasses__():
        with pytest.raises(ToulminError), faults_of(URL):
            raise family


def test_without_the_extra_the_command_that_installs_it_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("toulmin.adapters.postgres.find_spec", lambda _: None)
    for use in (open_database, migrate_database):
        with pytest.raises(InputError) as refused:
            use(URL, tmp_path)
        assert refused.value.code == "missing_extra"
        assert "toulmin[postgres]" in (refused.value.remedy or "")


def test_a_server_that_is_too_old_is_refused() -> None:
    class Info:
        server_version = 140_009

    class Old:
        info = Info()

    with pytest.raises(StoreFault) as refused:
        schema._check_server(Old(), URL)  # type: ignore[arg-type]
    assert refused.value.code == "server_too_old"
