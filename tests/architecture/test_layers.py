from __future__ import annotations

import sys
from pathlib import Path

import grimp
import pytest
from importlinter.cli import lint_imports

PROJECT = Path(__file__).resolve().parents[2]


def test_every_import_contract_is_kept(capsys: pytest.CaptureFixture[str]) -> None:
    status = lint_imports(config_filename=str(PROJECT / "pyproject.toml"), no_cache=True, no_logo=True)
    assert status == 0, capsys.readouterr().out


def test_the_domain_imports_only_the_standard_library_and_packaging() -> None:
    graph = grimp.build_graph("toulmin", include_external_packages=True, cache_dir=None)
    allowed = {"toulmin", "packaging", *sys.stdlib_module_names}
    domain = {"toulmin.domain", *graph.find_descendants("toulmin.domain")}
    strangers = {
        f"{module} imports {imported}"
        for module in domain
        for imported in graph.find_modules_directly_imported_by(module)
        if imported.partition(".")[0] not in allowed
    }
    assert not strangers
