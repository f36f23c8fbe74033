"""Sidecars: which files beside documents state their metadata, and which only look as if they did."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from pathlib import PurePosixPath

from toulmin.domain.errors import InputError

SIDECAR = ".meta.yaml"
_LIKE_ONE = re.compile(r"(?P<document>.+)\.meta\.ya?ml", re.IGNORECASE)
_META = re.compile(r"\.meta(?=[^/]*\Z)", re.IGNORECASE)


def strays(names: AbstractSet[str]) -> Mapping[str, Sequence[str]]:
    """Files that are named almost like sidecars, each with the documents that it may have been written for (none: an orphan).

    A sidecar is named like its document, with `.meta.yaml` after it. What such a file states must not be passed over, so that a name in
    other letters, with anything else from `.meta` on (`.meta.yml`, `.meta.json`, `.meta.yaml~`), or without the document's own ending
    (then only with `.meta.yaml` or `.meta.yml`) is a stray. All names are of one folder or tree.
    """
    documents = [name for name in sorted(names) if not _LIKE_ONE.fullmatch(name)]
    whole, stems = _by(str, documents), _by(_stem, documents)
    found = {}
    for name in sorted(names):
        meant = [document for before in _before_meta(name) for document in whole.get(before, ())]
        like = _LIKE_ONE.fullmatch(name)
        if like:
            meant += stems.get(like["document"].casefold(), ())
        if (like or meant) and not is_sidecar(name, names):
            found[name] = tuple(dict.fromkeys(meant))
    return found


def _by(part: Callable[[str], str], names: Iterable[str]) -> Mapping[str, Sequence[str]]:
    """Names by a part of them, whatever letters they are in."""
    found: dict[str, list[str]] = defaultdict(list)
    for name in names:
        found[part(name).casefold()].append(name)
    return found


def _stem(name: str) -> str:
    return str(PurePosixPath(name).with_suffix(""))


def _before_meta(name: str) -> Iterator[str]:
    """What stands before each `.meta` of a file's name, its folder included."""
    return (name[: mark.start()].casefold() for mark in _META.finditer(name))


def is_sidecar(name: str, names: AbstractSet[str]) -> bool:
    """Whether it is the sidecar of one of the documents."""
    return name.endswith(SIDECAR) and name.removesuffix(SIDECAR) in names


def no_sidecar(name: str) -> InputError:
    """The fault of a stray: it states what nobody would read."""
    if name.endswith(SIDECAR):
        code, message = "no_such_file", "there is no document beside this sidecar"
    else:
        code, message = "misnamed_sidecar", "it looks like a sidecar, but is not named like one"
    return InputError(code, message, where=name, remedy="name it FILE.EXT.meta.yaml, like its document")


def stray_beside(document: str, stray: str) -> InputError:
    """The fault of a document with a stray that may be meant for it: it might be open to more readers without what that states."""
    return InputError(
        "misnamed_sidecar",
        f"{stray} looks like its sidecar, but is not named like one",
        where=document,
        remedy=f"rename {stray} to {document}{SIDECAR}, or move it away",
    )
