"""Contracts as files: one YAML file per question type in one folder."""

from __future__ import annotations

from datetime import tzinfo
from pathlib import Path

from toulmin.domain.errors import InputError
from toulmin.domain.question.contract import Contract
from toulmin.wire.contract import read_contract
from toulmin.wire.source import read_file


class ContractFolder:
    """The contracts in a folder's `*.yaml` and `*.yml` files, in the order of file names; a missing folder has none.

    Dates in contracts begin in `zone`. See `ports.contracts.ContractSource`.
    """

    def __init__(self, path: Path, zone: tzinfo) -> None:
        self._path = path
        self._zone = zone

    def all(self) -> tuple[Contract, ...]:
        found: dict[str, tuple[str, Contract]] = {}
        for path in self._files():
            source = f"{self._path.name}/{path.name}"
            contract = read_contract(read_file(path, source), source, self._zone)
            if contract.id in found:
                other, _ = found[contract.id]
                raise InputError(
                    "duplicate_contract",
                    f"contract {contract.id!r} is in {other} and in {source}",
                    where=f"{source}: id",
                    remedy="give each contract an id of its own",
                )
            found[contract.id] = (source, contract)
        return tuple(contract for _, contract in found.values())

    def find(self, contract_id: str) -> Contract | None:
        return next((contract for contract in self.all() if contract.id == contract_id), None)

    def _files(self) -> list[Path]:
        if not self._path.exists():
            return []
        try:
            return sorted(
                (path for path in self._path.iterdir() if _is_contract(path.name)), key=lambda path: path.name
            )
        except OSError as error:
            raise InputError(
                "unreadable_file",
                f"the folder cannot be read: {error.strerror}",
                where=self._path.name,
                remedy="mend its path or rights",
            ) from None


def _is_contract(name: str) -> bool:
    return name.endswith((".yaml", ".yml")) and not name.startswith(".")  # editors keep locks and copies behind a dot
