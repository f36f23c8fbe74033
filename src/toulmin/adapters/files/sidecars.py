"""Sidecars: which files beside documents state their metadata, and which only look as if they did."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from pathlib import PurePosixPath

SIDECAR = ".meta.yaml"
_LIKE_ONE = re.compile(r"(?P<document>.+)\.meta\.ya?ml", re.IGNORECASE)


def strays(names: AbstractSet[str]) -> Mapping[str, Sequence[str]]:
    """Files that are named almost like sidecars, each with the documents that it may have been written for (none: an orphan).

    A sidecar is named like its document, with `.meta.yaml` after it. Names with another ending (`.meta.yml`), in other letters, or without
    the document's own ending are strays: what such a file states must not be passed over. All names are of one folder or tree.
    """
    alike: dict[str, list[str]] = defaultdict(list)
    for name in sorted(names):
        if not _LIKE_ONE.fullmatch(name):
            for short in {name.casefold(), str(PurePosixPath(name).with_suffix("")).casefold()}:
                alike[short].append(name)
    return {
        name: alike.get(found["document"].casefold(), ())
        for name in sorted(names)
        if (found := _LIKE_ONE.fullmatch(name)) and not is_sidecar(name, names)
    }


def is_sidecar(name: str, names: AbstractSet[str]) -> bool:
    """Whether it is the sidecar of one of the documents."""
    return name.endswith(SIDECAR) and name.removesuffix(SIDECAR) in names
