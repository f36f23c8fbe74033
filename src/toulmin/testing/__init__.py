"""Contract kits: one suite of tests per port, which every adapter passes, ours and yours.

A kit is a class of tests. Subclass it in a test module under a name that pytest collects, and give it the fixture that its docstring
asks for. The kits need pytest, which the program itself does not.
"""

from __future__ import annotations

import pytest

pytest.register_assert_rewrite(
    "toulmin.testing.store",
    "toulmin.testing.index",
    "toulmin.testing.drafter",
    "toulmin.testing.judge",
    "toulmin.testing.cache",
    "toulmin.testing.service",
)
