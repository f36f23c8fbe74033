"""The folder of a model: which files it has, what is stated about them, and whether that goes together."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path

from toulmin.adapters.onnx.files import ModelFile, digest_of
from toulmin.domain.canonical import digest, fields
from toulmin.domain.errors import InputError
from toulmin.ports.judge import Rate, Worth
from toulmin.wire import judge_manifest
from toulmin.wire.judge_manifest import First, Kind, Manifest, read_manifest
from toulmin.wire.source import read_file

MODEL, TOKENIZER, MANIFEST, CONFIG = "model.onnx", "tokenizer.json", "manifest.json", "config.json"
PACKAGE = "toulmin_judge"
VERSION = 1
"""Goes up with every change in how claims and evidence are put to a model, since it makes other judgements."""

_MAX_TOKENS = 256
_OF_OTHERS: Mapping[str, Kind] = {"entail": "supported", "contradict": "contradicted", "neutral": "unresolved"}
"""How the words for a class begin in most models of this kind."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stated:
    """What the user states of a model; None: what its manifest says. `folder` None: the package that is installed."""

    folder: Path | None = None
    labels: tuple[Kind, ...] | None = None
    first: First | None = None
    max_tokens: int | None = None
    model_sha256: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalModel:
    """A model whose files are there: the order of its outputs, which text it reads first, how many tokens at most, and what its files are.

    `languages` are those that it judges (the first part of BCP 47 tags); None: it does not say. `profile` names everything that a
    judgement hangs on. `worth`: what it was measured to be worth, as it is used here.
    """

    folder: Path
    name: str
    labels: tuple[Kind, ...]
    first: First
    max_tokens: int
    languages: frozenset[str] | None
    sha256: Mapping[str, str]
    worth: Worth | None = None

    @property
    def profile(self) -> str:
        how = (self.sha256[MODEL], self.sha256[TOKENIZER], *self.labels, self.first, str(self.max_tokens))
        return f"onnx/{VERSION} {self.name} {digest(fields(*how))[:12]}"

    def content(self, file: str) -> bytes:
        """A file's bytes; raises `InputError` (`wrong_digest`) where they are not those that are stated."""
        return ModelFile(path=self.folder / file, sha256=self.sha256[file]).content()


def local_model(stated: Stated) -> LocalModel:
    """The model in a folder, by what is stated of it and what its manifest says; a stated value goes first.

    Raises `InputError`: `missing_judge` where there is no folder, `missing_file`, `missing_key` for labels or a digest that nobody states,
    `bad_labels` where the labels are not those that the manifest or the model's own configuration has, and those of a malformed manifest.
    """
    folder = stated.folder or _packaged()
    stated = replace(stated, folder=folder)
    for file in (MODEL, TOKENIZER):
        if not (folder / file).is_file():
            raise InputError(
                "missing_file",
                f"there is no {file}",
                where=str(folder),
                remedy=f"model_dir under [judge] names a folder that has {MODEL} and {TOKENIZER}",
            )
    manifest = _manifest(folder / MANIFEST)
    digests = dict(manifest.sha256) if manifest else {}
    tokenizer = digests.get(TOKENIZER) or digest_of(folder / TOKENIZER)
    return LocalModel(
        folder=folder,
        name=f"{manifest.name} {manifest.version}" if manifest else folder.resolve().name,
        labels=_labels(stated, manifest, folder),
        first=stated.first or (manifest.first if manifest else "evidence"),
        max_tokens=stated.max_tokens or (manifest.max_tokens if manifest else _MAX_TOKENS),
        languages=frozenset(map(str.lower, manifest.languages)) if manifest and manifest.languages else None,
        sha256={MODEL: stated.model_sha256 or digests.get(MODEL) or _unstated(folder / MODEL), TOKENIZER: tokenizer},
        worth=_worth(manifest.worth) if manifest and manifest.worth and stated == Stated(folder=folder) else None,
    )


def _packaged() -> Path:
    """The folder of the installed package, which is not imported."""
    found = find_spec(PACKAGE)
    if found is None or not found.submodule_search_locations:
        raise InputError(
            "missing_judge",
            f"the package {PACKAGE} is not installed, and no other model is named",
            remedy="install it: pip install toulmin-judge; or name a folder with model_dir under [judge]",
        )
    return Path(next(iter(found.submodule_search_locations)))


def _manifest(path: Path) -> Manifest | None:
    if not path.is_file():
        return None
    return read_manifest(read_file(path, str(path)), str(path))


def _worth(said: judge_manifest.Worth) -> Worth:
    return Worth(
        on=said.on,
        claims=said.claims,
        supported=said.supported,
        unsupported_claim_rate=Rate(**said.unsupported_claim_rate.model_dump()),
        false_rejection_rate=Rate(**said.false_rejection_rate.model_dump()),
    )


def _labels(stated: Stated, manifest: Manifest | None, folder: Path) -> tuple[Kind, ...]:
    """The order of the outputs; one that is wrong would turn verdicts round, and nothing else would look wrong."""
    labels = stated.labels or (manifest.labels if manifest else None)
    if labels is None:
        raise InputError(
            "missing_key",
            "the order of the model's outputs is not stated",
            where=str(folder),
            remedy='write it under [judge], such as labels = ["contradicted", "supported", "unresolved"]',
        )
    if manifest and labels != manifest.labels:
        raise _other_labels(labels, f"{MANIFEST} says {', '.join(manifest.labels)}", folder)
    for at, word in _configured(folder / CONFIG).items():
        known = next((kind for start, kind in _OF_OTHERS.items() if word.lower().startswith(start)), None)
        if at >= len(labels) or known not in (None, labels[at]):
            raise _other_labels(labels, f"{CONFIG} calls output {at} {word[:40]!r}", folder)
    return labels


def _other_labels(labels: tuple[Kind, ...], said: str, folder: Path) -> InputError:
    message = f"labels are stated as {', '.join(labels)}, and {said}"
    return InputError("bad_labels", message, where=str(folder), remedy="state them in the order of the model's outputs")


def _configured(path: Path) -> dict[int, str]:
    """What a Hugging Face folder calls the outputs, by their places; empty where it does not say."""
    try:
        named = json.loads(path.read_bytes()).get("id2label", {})
        return {int(at): str(word) for at, word in named.items()}
    except (OSError, ValueError, AttributeError):  # it is not ours, and nothing rests on it
        return {}


def _unstated(path: Path) -> str:
    raise InputError(
        "missing_key",
        "the SHA-256 of the model is not stated: no packet could tell which one judged",
        where=str(path),
        remedy=f"write what `sha256sum {MODEL}` prints as model_sha256 under [judge]",
    )
