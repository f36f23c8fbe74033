"""Row-level security, tried by hand: what a login that serves principals can read with statements of its own."""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import pytest

from tests.postgres import KEY, Server
from toulmin.adapters.postgres import migrate_database
from toulmin.adapters.postgres.rights import pads, read_key, signed
from toulmin.adapters.postgres.store import PostgresStore
from toulmin.domain.corpus.document import Status
from toulmin.domain.errors import StoreFault
from toulmin.domain.question.case import ANONYMOUS, Principal
from toulmin.ports.replies import Reply
from toulmin.testing.approvals import approval_on
from toulmin.testing.builders import NOW, packet
from toulmin.testing.ledger import append, event
from toulmin.testing.service import DONE, add, api_key, begin, begun, finish, revoke
from toulmin.testing.store import ANN, BEN, give_to, ingest, retire, sequence

APP, WORKER, AUDITOR = "web", "indexer", "inspector"
LOGINS = {APP: "toulmin_app", WORKER: "toulmin_worker", AUDITOR: "toulmin_auditor"}
HIDDEN = (
    *("revision", "revision_text", "original", "passage", "standing", "full_standing", "reader_set", "reader_token"),
    *("packet", "packet_text", "packet_source", "approval", "approval_step", "reply"),
)
"""What has rows in the world below, of which those that rest on ANN's document are nobody else's business."""
FORBIDDEN = ("ledger_entry", "ledger_link", "ledger_checkpoint", "input", "unfinished_erasure", "rights_key", "api_key")

Rows = list[tuple[object, ...]]


@pytest.fixture
def own(postgres: Server, filled: str) -> str:
    """A copy of the same store, for a test that changes it."""
    return postgres.new_database(template=filled)


@pytest.fixture(scope="module")
def url(postgres: Server, filled: str) -> str:
    """A copy that no test changes."""
    return postgres.new_database(template=filled)


@pytest.fixture(scope="module")
def filled(postgres: Server) -> str:
    """The database of a store with a public document and one of tenant a, and packets with approvals on each and on both."""
    url = postgres.new_store()
    with psycopg.connect(url, autocommit=True) as connection:
        for login, role in LOGINS.items():
            connection.execute(f"CREATE ROLE {login} LOGIN NOINHERIT IN ROLE {role}".encode())
    with closing(PostgresStore(url, KEY)) as store:
        everybody = ingest(store, "OPEN", text="words for everybody")
        hers = ingest(store, "HERS", text="canary of tenant a", readers=["tenant:a"], scope={"model": "G2"})
        moved = ingest(store, "MOVED", text="canary that was public once")
        give_to(store, moved, "tenant:a")
        with store.curate() as curation:
            for standing in (everybody, hers, moved):
                curation.originals.keep(standing.key, f"canary {standing.id}".encode())
        for sources in ([everybody], [hers], [everybody, hers]):
            kept = packet(*(standing.id for standing in sources), requester=ANN, texts=[f"canary {len(sources)}"])
            with store.begin(ANN, write=True) as session:
                session.packets.add(kept)
                session.approvals.add(approval_on(kept.id, f"ap-{kept.id}", name=kept.id, requester=ANN))
        with store.begin(ANN, write=True) as session:
            session.packets.add(packet(requester=ANN, texts=["canary of a question without sources"]))
        finish(store, begun(store), Reply(status=200, body=b"canary of a reply"))
        add(store, api_key())
        append(store, event())
    return urlsplit(url).path.removeprefix("/")


def at(url: str, login: str) -> str:
    return re.sub("postgres@", f"{login}@", url)


@contextmanager
def session(
    url: str, principal: Principal | None, *, login: str = APP
) -> Iterator[psycopg.Connection[tuple[object, ...]]]:
    """A transaction by hand in the place of the application, with the rights that it signs, or with none."""
    with psycopg.connect(at(url, login), options="-c search_path=toulmin") as connection:
        connection.execute(f"SET LOCAL ROLE {LOGINS[login]}".encode())
        if principal is not None:
            state(connection, signed(KEY, principal, connection.info.backend_pid))
        yield connection


def state(connection: psycopg.Connection[tuple[object, ...]], claims: str) -> None:
    connection.execute("SELECT set_config('toulmin.principal', %s, true)", [claims])


def everything(connection: psycopg.Connection[tuple[object, ...]], table: str) -> Rows:
    return connection.execute(f"SELECT * FROM {table}".encode()).fetchall()


# The application's role


@pytest.mark.parametrize("table", HIDDEN)
def test_a_session_without_rights_sees_no_row(url: str, table: str) -> None:
    with session(url, None) as connection:
        assert everything(connection, table) == []
    with session(url, ANN) as connection:
        assert everything(connection, table), "there is something to be hidden"


@pytest.mark.parametrize("principal", [ANONYMOUS, BEN, Principal(id="gone", tenant="a", active=False)])
@pytest.mark.parametrize("table", HIDDEN)
def test_no_row_that_rests_on_what_a_principal_may_not_read_is_shown(
    url: str, table: str, principal: Principal
) -> None:
    with session(url, principal) as connection:
        shown = str(everything(connection, table))
    for secret in (
        "canary of tenant a",
        "canary that was public once",
        "canary 2",
        "without sources",
        "a reply",
        "HERS",
        "MOVED",
    ):
        assert secret not in shown
    if table == "revision_text":
        assert ("words for everybody" in shown) is principal.active


def test_a_packet_is_shown_to_those_who_may_read_all_of_its_sources(url: str) -> None:
    def counted(principal: Principal) -> tuple[int, int]:
        with session(url, principal) as connection:
            return len(everything(connection, "packet")), len(everything(connection, "approval"))

    assert counted(ANN) == (4, 3), "and one without sources, which she asked for"
    assert counted(Principal(id="other", tenant="a")) == (3, 3)
    assert counted(ANONYMOUS) == (1, 1)
    assert counted(BEN) == (1, 0), "what another tenant requested is not his business"


def test_an_earlier_standing_is_as_hidden_as_the_present_one(url: str) -> None:
    query = "SELECT count(*) FROM standing AS s JOIN revision AS r ON r.key = s.revision WHERE r.document = 'MOVED'"
    for principal, seen in ((ANONYMOUS, 0), (ANN, 2)):
        with session(url, principal) as connection:
            assert connection.execute(query).fetchall() == [(seen,)]


@pytest.mark.parametrize("table", FORBIDDEN)
def test_what_is_not_for_the_application_is_refused_to_it(url: str, table: str) -> None:
    with session(url, ANN) as connection, pytest.raises(psycopg.errors.InsufficientPrivilege):
        everything(connection, table)


@pytest.mark.parametrize(
    "statement",
    [
        "SET ROLE toulmin_worker",
        "SET ROLE postgres",
        "SET SESSION AUTHORIZATION postgres",
        "RESET ROLE; SELECT * FROM toulmin.revision_text",
        "SELECT claims()",
        "SELECT is_new_packet(1)",
        "INSERT INTO packet_text VALUES (1, 'x', 'forged')",
        "UPDATE packet SET requester = ''",
        "INSERT INTO api_key VALUES ('0b', '', '{}', NULL, 0)",
        "UPDATE api_key SET revoked_at = 0",
        "INSERT INTO reply VALUES ('somebody else', 'k', '', 1, 0, 9)",
        "DELETE FROM packet_source",
        "UPDATE standing SET reader_set = 1",
        "INSERT INTO reader_token VALUES ('public', 2)",
        "CREATE TABLE mine (x text)",
        "CREATE FUNCTION claims(text) RETURNS jsonb LANGUAGE sql AS $$ SELECT '{}'::jsonb $$",
        "ALTER TABLE revision_text DISABLE ROW LEVEL SECURITY",
        "CREATE POLICY more ON revision_text USING (true)",
        "SET row_security = off; SELECT * FROM revision_text",
    ],
)
def test_what_would_widen_its_rights_is_refused(url: str, statement: str) -> None:
    with session(url, ANONYMOUS) as connection, pytest.raises(psycopg.errors.InsufficientPrivilege):
        connection.execute(statement.encode())


@pytest.mark.parametrize("schema", ["pg_temp", "toulmin"])
def test_a_table_of_its_own_does_not_stand_in_for_one_that_the_rights_rest_on(url: str, schema: str) -> None:
    with session(url, ANONYMOUS) as connection:
        if schema == "pg_temp":
            connection.execute(
                "CREATE TEMP TABLE reader_token AS SELECT 'public' AS token, generate_series(1, 9) AS reader_set"
            )
            connection.execute("CREATE TEMP TABLE rights_key AS SELECT ''::bytea AS inner_pad, ''::bytea AS outer_pad")
        shown = str(connection.execute("SELECT text FROM toulmin.revision_text").fetchall())
    assert "canary" not in shown


def test_a_function_in_a_condition_sees_no_row_that_is_hidden(url: str) -> None:
    with session(url, ANONYMOUS) as connection:
        # An error for every row that it meets: cheap, so that a planner which may choose would ask it first.
        connection.execute(
            "CREATE FUNCTION pg_temp.meet(words text) RETURNS boolean LANGUAGE plpgsql COST 0.0001 AS"
            " $$ BEGIN IF words LIKE '%canary%' THEN RAISE division_by_zero; END IF; RETURN true; END $$"
        )
        rows = connection.execute("SELECT text FROM revision_text WHERE pg_temp.meet(text)").fetchall()
    assert rows == [("words for everybody",)]


# Signatures


def claims(key: bytes, **said: object) -> str:
    text = json.dumps(said)
    return hmac.new(key, text.encode(), hashlib.sha256).hexdigest() + text


def test_rights_that_are_not_signed_with_the_key_of_the_store_are_refused(url: str) -> None:
    with session(url, None) as connection:
        pid = connection.info.backend_pid
        right = signed(KEY, ANONYMOUS, pid)
        wrong = [
            claims(b"", connection=pid, tokens=["tenant:a"]),
            claims(b"x" * 32, connection=pid, tokens=["tenant:a"]),
            right.replace("public", "tenant:a"),
            right[:64],
            right[1:],
            "x",
            signed(KEY, ANN, pid + 1),
            claims(KEY, tokens=["tenant:a"]),
        ]
        for stated in wrong:
            connection.execute("SAVEPOINT before")
            state(connection, stated)
            with pytest.raises(psycopg.errors.InsufficientPrivilege, match="signed"):
                everything(connection, "revision_text")
            connection.execute("ROLLBACK TO before")
        state(connection, right)
        assert len(everything(connection, "revision_text")) == 1


def test_rights_end_with_their_transaction(own: str) -> None:
    with session(own, ANN) as connection:
        assert everything(connection, "revision_text")
        connection.commit()
        connection.execute("SET ROLE toulmin_app")
        assert everything(connection, "revision_text") == []


def test_the_database_signs_as_hmac_does() -> None:
    for key in (b"", b"k" * 32, b"k" * 64, b"k" * 65):
        inner, outer = pads(key)
        signature = hashlib.sha256(outer + hashlib.sha256(inner + b"words").digest()).digest()
        assert signature == hmac.digest(key, b"words", "sha256")


def test_a_backup_restores_the_rows_and_the_rights(postgres: Server, url: str) -> None:
    backup, other = postgres.folder / "backup", postgres.new_database()
    dump: list[str | Path] = [
        postgres.binaries / "pg_dump",
        "--format=custom",
        "--schema=toulmin",
        f"--file={backup}",
        url,
    ]
    restore: list[str | Path] = [postgres.binaries / "pg_restore", "--exit-on-error", f"--dbname={other}", backup]
    for command in (dump, restore):
        subprocess.run(command, check=True)
    with closing(PostgresStore(url, KEY)) as store, closing(PostgresStore(other, KEY)) as restored:
        with store.export_rows() as rows, restored.export_rows() as others:
            assert list(rows) == list(others)
        assert restored.examine().faults == ()
    for principal, seen in ((None, 0), (ANONYMOUS, 1), (ANN, 3)):
        with session(other, principal) as connection:
            assert len(everything(connection, "revision_text")) == seen


# The other roles


def test_an_owner_who_is_no_superuser_migrates_serves_and_rewrites(postgres: Server, tmp_path: Path) -> None:
    own = postgres.new_database()
    with psycopg.connect(own, autocommit=True) as connection:
        connection.execute("CREATE ROLE owner LOGIN")
        connection.execute("GRANT toulmin_app, toulmin_worker, toulmin_auditor TO owner")
        connection.execute(f"ALTER DATABASE {connection.info.dbname} OWNER TO owner".encode())
    migrate_database(at(own, "owner"), tmp_path / "key")
    with closing(PostgresStore(at(own, "owner"), read_key(tmp_path / "key"))) as store:
        gone = ingest(store, "GONE", readers=["tenant:a"])
        with store.begin(ANONYMOUS) as session, store.begin(ANN) as hers:
            assert [*session.catalogue.standings()] == []
            assert [*hers.catalogue.standings()] == [gone]
        retire(store, gone, Status.DELETED)
        store.scrub()


def test_a_host_that_only_serves_cannot_curate_or_read_the_ledger(own: str) -> None:
    with closing(PostgresStore(at(own, APP), KEY)) as store:
        assert sequence(store) == 4
        for use in (store.curate, store.keep_ledger):
            with pytest.raises(StoreFault) as refused, use():
                pass
            assert refused.value.code == "store_inaccessible"
        with pytest.raises(StoreFault):
            store.changes(0, limit=1)
        with pytest.raises(StoreFault) as refused:
            store.scrub()
        assert refused.value.code == "store_inaccessible"


def test_a_host_that_only_serves_answers_and_records(own: str) -> None:
    kept = packet(requester=BEN, texts=["an answer"])
    with closing(PostgresStore(at(own, APP), KEY)) as store:
        with store.begin(BEN, write=True) as session:
            session.packets.add(kept)
            session.ledger.append(event(number=7))
        with store.begin(BEN) as session:
            assert session.packets.get(kept.id) == kept
        with store.begin(ANN) as session:
            assert session.packets.get(kept.id) is None


def test_a_host_that_only_serves_knows_callers_by_their_keys_and_makes_none(own: str) -> None:
    with closing(PostgresStore(at(own, APP), KEY)) as store:
        assert store.api_key("0a") == api_key()
        assert store.api_key("0b") is None
        with pytest.raises(StoreFault) as refused:
            store.api_keys()
        assert refused.value.code == "store_inaccessible"
    with closing(PostgresStore(at(own, WORKER), KEY)) as store:
        revoke(store, "0a", NOW)
        assert list(store.api_keys()) == [api_key(revoked_at=NOW)]
    with closing(PostgresStore(at(own, APP), KEY)) as store:
        assert store.api_key("0a") == api_key(revoked_at=NOW)


def test_a_host_that_only_serves_keeps_replies_of_its_principals(own: str) -> None:
    with closing(PostgresStore(at(own, APP), KEY)) as store:
        finish(store, begun(store, who=BEN), who=BEN)
        assert begin(store, who=BEN) == DONE
        assert begin(store) != DONE


@pytest.mark.parametrize(
    "statement", ["DELETE FROM reply", "UPDATE reply SET body = 'x'", f"SELECT forget_replies({2**62})"]
)
def test_nobody_touches_the_replies_to_another_principal(own: str, statement: str) -> None:
    """Everybody's are forgotten when they have expired by the server's own clock: these have not."""
    with psycopg.connect(own, options="-c search_path=toulmin") as owner:
        owner.execute(f"UPDATE reply SET expires_at = {2**61}".encode())
        before = everything(owner, "reply")
    for who in (None, BEN):
        with session(own, who) as connection:
            connection.execute(statement.encode())
    with psycopg.connect(own, options="-c search_path=toulmin") as owner:
        assert everything(owner, "reply") == before


def test_a_packet_that_was_kept_takes_no_further_text_or_source(own: str) -> None:
    with session(own, ANN) as connection:
        before = everything(connection, "packet_text"), everything(connection, "packet_source")
        connection.execute("SELECT add_packet_text(1, 'x', 'forged')")
        connection.execute("SELECT add_packet_source(1, 'OPEN', '9')")
        assert (everything(connection, "packet_text"), everything(connection, "packet_source")) == before


def test_the_worker_feeds_the_index_and_keeps_the_fingerprint_whoever_may_read(own: str) -> None:
    with closing(PostgresStore(at(own, WORKER), KEY)) as store:
        told = store.changes(0, limit=100)
        assert {"HERS", "MOVED", "OPEN"} <= {change.standing.id.document for change in told.changes if change.standing}
        assert store.examine().faults == ()
        retire(store, ingest(store, "MORE"), Status.DELETED)
        with pytest.raises(StoreFault), store.begin(ANN):
            pass
    with session(own, None, login=WORKER) as connection, pytest.raises(psycopg.errors.InsufficientPrivilege):
        everything(connection, "rights_key")


def test_the_auditor_reads_the_ledger_and_no_document(own: str) -> None:
    with closing(PostgresStore(at(own, AUDITOR), KEY)) as store:
        with store.keep_ledger() as keeping:
            assert [*keeping.entries()]
        with pytest.raises(StoreFault), store.keep_ledger(write=True):
            pass
    for table in HIDDEN:
        with session(own, None, login=AUDITOR) as connection, pytest.raises(psycopg.errors.InsufficientPrivilege):
            everything(connection, table)
