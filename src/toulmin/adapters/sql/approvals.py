"""Approvals over one transaction. People, leases and parameters are kept as JSON texts."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import groupby

from toulmin.adapters.sql.codec import array, instant, read_principal, write_principal
from toulmin.adapters.sql.transaction import Row, Transaction, Value
from toulmin.domain.canonical import canonical_json
from toulmin.domain.corpus.validity import microseconds
from toulmin.domain.errors import Conflict, StoreFault
from toulmin.domain.proof.approval import Approval, Lease, Operation, Person, Result, State, Step, Worker, after
from toulmin.ports.approvals import Queue, Wanted

_ANY: Mapping[str, Value] = dict.fromkeys(("id", "operation", "at", "name", "requester", "but", "but_tenant"))
"""Nothing that would be wanted of approvals."""


class SqlApprovals:
    """`Approvals` over one transaction."""

    def __init__(self, transaction: Transaction, tokens: frozenset[str], *, writable: bool) -> None:
        self._transaction = transaction
        self._tokens = tokens
        self._writable = writable

    def add(self, approval: Approval) -> None:
        self._check_writable()
        operation = approval.operation
        added = self._transaction.row(
            "add_approval",
            id=approval.id,
            operation=approval.operation_id,
            packet=approval.packet,
            name=operation.name,
            params=canonical_json(dict(operation.params)),
            instance=operation.instance,
            evidence=operation.evidence,
            policy=operation.policy,
            answer=operation.answer,
            requester=write_principal(approval.requester),
            expires_at=microseconds(approval.expires_at),
            state=approval.state,
        )
        if added is None:
            raise Conflict(
                "operation_taken", "this operation has an approval already", remedy="look at it, or give an instance"
            )
        self._keep(added["key"], 1, approval.last)

    def get(self, approval_id: str) -> Approval | None:
        return next(iter(self._read(self._visible(id=approval_id))), None)

    def holding(self, operation: str) -> Approval | None:
        return next(iter(self._read(self._visible(operation=operation))), None)

    def all(self) -> Sequence[Approval]:
        return self._read(self._visible())

    def queue(self, wanted: Wanted) -> Queue:
        but = wanted.but
        visible = self._visible(
            at=microseconds(wanted.at),
            name=wanted.operation,
            requester=wanted.requester,
            but=None if but is None else but.id,
            but_tenant=None if but is None else but.tenant,
        )
        rows, counts = wanted.cut((row, State(row["state"]), instant(row["expires_at"])) for row in visible)
        found = {approval.id: approval for approval in self._read(rows)}
        return Queue(approvals=[found[row["id"]] for row in rows], counts=counts)

    def advance(self, approval: Approval, step: Step) -> Approval:
        self._check_writable()
        moved, steps = after(approval, step), len(approval.history)
        row = self._transaction.row("move_approval", id=approval.id, steps=steps, state=step.state)
        if row is None:
            raise Conflict("approval_moved", f"{approval.id} changed meanwhile", remedy="look at it again")
        self._keep(row["key"], steps + 1, step)
        return moved

    def _visible(self, **wanted: Value) -> Sequence[Row]:
        """Key, id, state and expiry of the approvals that the principal may see, in the order of their requests."""
        return self._transaction.rows("visible_approvals", tokens=array(self._tokens), **{**_ANY, **wanted})

    def _read(self, visible: Sequence[Row]) -> list[Approval]:
        """The approvals of visible rows, in the order of their requests."""
        rows = self._transaction.rows("approvals", keys=array(row["key"] for row in visible))
        return read_approvals(self._transaction, rows)

    def _keep(self, key: int, number: int, step: Step) -> None:
        place: dict[str, Value] = {"approval": key, "number": number}
        self._transaction.run(
            "add_approval_step",
            **place,
            state=step.state,
            at=microseconds(step.at),
            person=None if step.by is None else _write_person(step.by),
            comment=step.comment,
            says=array(step.says),
            lease=None if step.lease is None else _write_lease(step.lease),
            code=None if step.result is None else step.result.code,
        )
        if step.result is not None and step.result.output is not None:
            self._transaction.run("add_approval_output", **place, text=step.result.output)

    def _check_writable(self) -> None:
        if not self._writable:
            raise StoreFault("read_only_session", "this session keeps no approval", remedy="begin it with write=True")


def read_approvals(transaction: Transaction, rows: Sequence[Row]) -> list[Approval]:
    """The approvals of rows, with the steps of each."""
    steps = transaction.rows("approval_steps", approvals=array(row["key"] for row in rows))
    histories = {key: tuple(map(_step, group)) for key, group in groupby(steps, lambda row: int(row["approval"]))}
    return [_approval(row, histories[row["key"]]) for row in rows]


def _approval(row: Row, history: tuple[Step, ...]) -> Approval:
    """The approval of a row; raises `StoreFault` where the row is not as it was requested: what was approved is something else."""
    approval = Approval(
        id=row["id"],
        operation=Operation(
            name=row["name"],
            params=_pairs(json.loads(row["params"])),
            instance=row["instance"],
            evidence=row["evidence"],
            policy=row["policy"],
            answer=row["answer"],
        ),
        packet=row["packet"],
        requester=read_principal(row["requester"]),
        expires_at=instant(row["expires_at"]),
        history=history,
    )
    if approval.operation_id != row["operation"]:
        raise StoreFault(
            "approval_altered",
            f"{approval.id} is not the operation that was requested: its row was changed",
            remedy="find out who changed the database (toulmin ledger verify), and restore it from a backup",
        )
    return approval


def _pairs(params: dict[str, str]) -> tuple[tuple[str, str], ...]:
    return tuple(sorted(params.items(), key=lambda pair: pair[0].encode()))


def _step(row: Row) -> Step:
    return Step(
        state=State(row["state"]),
        at=instant(row["at"]),
        by=None if row["person"] is None else Person(**json.loads(row["person"])),
        comment=row["comment"],
        says=tuple(json.loads(row["says"])),
        lease=None if row["lease"] is None else _lease(json.loads(row["lease"])),
        result=None if row["code"] is None else Result(code=row["code"], output=row["output"]),
    )


def _write_person(person: Person) -> str:
    return canonical_json({"id": person.id, "tenant": person.tenant, "digest": person.digest})


def _write_lease(lease: Lease) -> str:
    worker = lease.worker
    return canonical_json({"host": worker.host, "process": worker.process, "until": str(microseconds(lease.until))})


def _lease(stored: dict[str, str]) -> Lease:
    worker = Worker(host=stored["host"], process=stored["process"])
    return Lease(worker=worker, until=instant(int(stored["until"])))
