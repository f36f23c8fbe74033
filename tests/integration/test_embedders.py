from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.e2e.cli import write
from tests.samples.tiny_embedders import DIMENSION, encoder, folder
from tests.samples.tiny_models import tokenizer
from toulmin.adapters.memory.embedder import WordsEmbedder
from toulmin.adapters.onnx import LocalEmbedder, StatedEmbedder, onnx_embedder
from toulmin.adapters.openai import EmbeddingForm, Endpoint, LazyEmbedder, Limits
from toulmin.adapters.openai.embeddings import windows
from toulmin.adapters.vectors import vector_index
from toulmin.domain.errors import InputError, StoreFault
from toulmin.ports.embedder import Embedder, EmbedderFault, Vectors
from toulmin.surfaces.settings import load
from toulmin.surfaces.wiring import embedder as configured
from toulmin.surfaces.wiring import has_local_embedder
from toulmin.testing import embeddings
from toulmin.testing.embedder import Row, cosine, rows
from toulmin.testing.provider import (
    EMBEDDINGS,
    Author,
    Behaviour,
    Provider,
    Received,
    Response,
    fails,
    rate_limited,
    responding,
    waits,
)


def local(place: Path, **stated: Any) -> LocalEmbedder:
    return onnx_embedder(StatedEmbedder(folder=place, **stated), threads=2)


def vector(embedder: Embedder, text: str) -> Row:
    (row,) = rows(embedder.passages([text]))
    return row


def close(one: Row, other: Row) -> bool:
    return cosine(one, other) > 1 - 1e-6


class TestVectors:
    @pytest.mark.parametrize("size", [0, -1, 3])
    def test_a_part_of_a_row_is_refused(self, size: int) -> None:
        with pytest.raises(ValueError, match="no rows of"):
            Vectors(dimension=size, data=bytes(8))


class TestLocalEmbedder:
    @pytest.mark.parametrize("pooling", ["mean", "first", "last"])
    def test_it_pools_as_is_stated(self, tmp_path: Path, pooling: str) -> None:
        by_manifest = local(folder(tmp_path / "a", pooling=pooling))
        stated = local(folder(tmp_path / "b", pooling="mean"), pooling=pooling)
        assert close(vector(by_manifest, "valve opens"), vector(stated, "valve opens"))
        others = {"mean", "first", "last"} - {pooling}
        for other in others:
            assert not close(vector(local(tmp_path / "b", pooling=other), "valve opens"), vector(stated, "valve opens"))

    def test_a_long_text_is_the_mean_of_its_windows_by_their_length(self, tmp_path: Path) -> None:
        whole = local(folder(tmp_path / "whole", max_tokens=400))
        parted = local(folder(tmp_path / "parted", max_tokens=32, pooling="mean"))
        text = "valve opens bar tank holds water " * 40
        assert cosine(vector(whole, text), vector(parted, text)) > 0.99
        assert not close(vector(parted, text), vector(parted, text + "granted " * 200))
        same = "valve " * 300
        assert cosine(vector(parted, same), vector(whole, same)) > 0.95

    def test_what_the_tokenizer_asks_for_cuts_and_pads_nothing(self, tmp_path: Path) -> None:
        plain = local(folder(tmp_path / "plain"))
        padded = local(folder(tmp_path / "padded", tokens=tokenizer(max_length=16)))
        for text in ("valve", "valve opens bar tank holds water " * 4):
            assert close(vector(plain, text), vector(padded, text))

    def test_prefixes_stand_before_each_text_of_their_kind(self, tmp_path: Path) -> None:
        embedder = local(folder(tmp_path, passage_prefix="tank ", query_prefix="water "))
        plain = local(tmp_path, passage_prefix="", query_prefix="")
        assert close(vector(embedder, "valve"), vector(plain, "tank valve"))
        assert close(rows(embedder.queries(["valve"]))[0], vector(plain, "water valve"))
        assert set(vector(embedder, " ")) == {0.0}

    def test_everything_that_a_vector_hangs_on_makes_another_profile(self, tmp_path: Path) -> None:
        place = folder(tmp_path / "one")
        profiles = [
            local(place).profile,
            local(place, pooling="first").profile,
            local(place, max_tokens=48).profile,
            local(place, passage_prefix="p: ").profile,
            local(place, query_prefix="p: ").profile,
            local(folder(tmp_path / "other", encoder(scale=2))).profile,
            local(folder(tmp_path / "cut", tokens=tokenizer(max_length=8))).profile,
        ]
        assert len({profile.digest for profile in profiles}) == len(profiles)
        assert local(folder(tmp_path / "named", name="another", version="2")).profile.digest == profiles[0].digest

    def test_without_a_manifest_what_it_would_say_has_to_be_stated(self, tmp_path: Path) -> None:
        place = folder(tmp_path / "tiny")
        manifest = json.loads((place / "manifest.json").read_bytes())
        (place / "manifest.json").unlink()
        stated: dict[str, Any] = {}
        for key, value in (
            ("model_sha256", manifest["sha256"]["model.onnx"]),
            ("dimension", DIMENSION),
            ("pooling", "mean"),
        ):
            with pytest.raises(InputError, match=key) as refused:
                local(place, **stated)
            assert refused.value.code == "missing_key"
            stated[key] = value
        embedder = local(place, **stated)
        assert (embedder.profile.name, embedder.profile.dimension) == ("tiny", DIMENSION)
        assert len(embedder.passages(["valve"])) == 1

    @pytest.mark.parametrize("file", ["model.onnx", "tokenizer.json"])
    def test_a_missing_file_is_told_with_its_folder(self, tmp_path: Path, file: str) -> None:
        (folder(tmp_path) / file).unlink()
        with pytest.raises(InputError, match=file) as refused:
            local(tmp_path)
        assert (refused.value.code, refused.value.where) == ("missing_file", str(tmp_path))

    @pytest.mark.parametrize("file", ["model.onnx", "tokenizer.json"])
    def test_a_file_that_is_not_the_stated_one_is_not_used(self, tmp_path: Path, file: str) -> None:
        place = folder(tmp_path)
        (place / file).write_bytes((place / file).read_bytes() + b" ")
        with pytest.raises(StoreFault) as refused:
            local(place).passages(["valve"])
        assert not isinstance(refused.value, EmbedderFault), "by words alone it would go on in silence"
        assert refused.value.code == "wrong_digest"

    @pytest.mark.parametrize(
        ("model", "changed", "said"),
        [
            (b"no model", {}, "cannot be loaded"),
            (encoder(inputs=("input_ids", "pixels")), {}, "its inputs are"),
            (encoder(outputs=("one", "two")), {}, "its outputs are"),
            (encoder(), {"dimension": 8}, "shape"),
            (encoder(), {"max_tokens": 2}, "no room"),
        ],
    )
    def test_a_model_of_another_kind_is_refused_in_words(
        self, tmp_path: Path, model: bytes, changed: Mapping[str, Any], said: str
    ) -> None:
        with pytest.raises(StoreFault, match=said) as refused:
            local(folder(tmp_path, model, **changed)).passages(["valve"])
        assert refused.value.code == "bad_model"
        assert "model.onnx" in (refused.value.where or "")

    def test_a_tokenizer_that_is_none_is_refused(self, tmp_path: Path) -> None:
        with pytest.raises(StoreFault) as refused:
            local(folder(tmp_path, tokens=b"{}")).queries(["valve"])
        assert refused.value.code == "bad_tokenizer"

    @pytest.mark.parametrize("scale", [0.0, float("nan"), float("inf")])
    def test_numbers_without_a_direction_are_a_fault_of_the_embedder(self, tmp_path: Path, scale: float) -> None:
        embedder = local(folder(tmp_path, encoder(scale=scale)))
        with pytest.raises(EmbedderFault) as told:
            embedder.passages(["valve"])
        assert told.value.code == "model_failed"

    def test_a_model_with_another_name_for_its_output_is_used(self, tmp_path: Path) -> None:
        embedder = local(folder(tmp_path, encoder(outputs=("token_embeddings",), inputs=("input_ids",))))
        assert len(embedder.passages(["valve"])) == 1


class TestTheInstalledModel:
    def test_what_means_the_same_lies_nearer_than_what_shares_a_word(self) -> None:
        embedder = onnx_embedder(StatedEmbedder())
        assert (embedder.profile.dimension, embedder.profile.window) == (384, "256 tokens")
        (question,) = rows(embedder.queries(["How do I sign in?"]))
        near, far = rows(embedder.passages(["Enter your user name and password to log on.", "Sign the form in ink."]))
        assert cosine(question, near) > cosine(question, far)

    def test_without_its_package_it_is_told_how_to_get_it(self, monkeypatch: pytest.MonkeyPatch) -> None:
        assert has_local_embedder()
        monkeypatch.setattr("toulmin.adapters.onnx.embedding_folder.find_spec", lambda _name: None)
        assert refused(lambda: onnx_embedder(StatedEmbedder())) == "missing_embedder"
        monkeypatch.setattr("toulmin.adapters.onnx.find_spec", lambda _name: None)
        assert refused(lambda: onnx_embedder(StatedEmbedder())) == "missing_extra"
        assert not has_local_embedder()


class TestLoading:
    def test_nothing_heavy_is_loaded_before_it_is_needed(self) -> None:
        names = {"httpx2", "numkong", "numpy", "onnxruntime", "tokenizers"}
        script = f"import sys, toulmin.surfaces.wiring; print(sorted({names} & sys.modules.keys()))"
        done = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True, timeout=60)
        assert done.stdout.strip() == "[]"

    def test_without_the_extra_a_server_and_an_index_by_meaning_are_refused(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("toulmin.adapters.vectors.find_spec", lambda _name: None)
        assert refused(lambda: vector_index(tmp_path, WordsEmbedder())) == "missing_extra"
        monkeypatch.setattr("toulmin.adapters.openai.find_spec", lambda _name: None)
        endpoint, form = Endpoint(base_url="http://h/v1", model="m"), EmbeddingForm(dimension=8, max_chars=1000)
        assert refused(lambda: LazyEmbedder(endpoint, Limits(deadline_s=1), form)) == "missing_extra"


def refused(use: Callable[[], object]) -> str:
    """The code of the fault with which a use is refused, and which says how to get what is missing."""
    with pytest.raises(InputError) as told:
        use()
    assert "pip install" in (told.value.remedy or "")
    return told.value.code


@pytest.fixture
def provider() -> Iterator[Provider]:
    with Provider() as server:
        yield server


def remote(provider: Provider, *, deadline_s: float = 5, calls: int = 2, **form: Any) -> LazyEmbedder:
    endpoint = Endpoint(base_url=provider.base_url, model="any", api_key="secret")
    stated = {"dimension": embeddings.DIMENSION, "max_chars": 1000, **form}
    return LazyEmbedder(endpoint, Limits(deadline_s=deadline_s, calls=calls), EmbeddingForm(**stated))


def malformed(_request: Received, _author: Author) -> Response:
    return Response(body=b'{"data": [')


class TestRemoteEmbedder:
    def test_it_sends_model_and_texts_and_nothing_else(self, provider: Provider) -> None:
        remote(provider, passage_prefix="passage: ").passages(["valve", "tank"])
        (request,) = provider.requests
        assert request.json() == {
            "model": "any",
            "input": ["passage: valve", "passage: tank"],
            "encoding_format": "float",
        }
        assert request.headers["authorization"] == "Bearer secret"

    def test_vectors_come_in_the_order_of_the_texts_whatever_the_order_of_the_reply(self, provider: Provider) -> None:
        expected = rows(remote(provider).passages(["valve", "tank"]))
        provider.script("in_another_order")
        assert rows(remote(provider).passages(["valve", "tank"])) == expected

    def test_many_texts_are_sent_in_several_requests(self, provider: Provider) -> None:
        texts = [f"valve {number}" for number in range(70)]
        found = rows(remote(provider).passages(texts))
        assert sorted(len(request.json()["input"]) for request in provider.requests) == [6, 32, 32]
        assert found == [vector(remote(provider), text) for text in texts]

    def test_what_says_nothing_is_not_sent(self, provider: Provider) -> None:
        assert set(rows(remote(provider).passages(["", "valve"]))[0]) == {0.0}
        assert [request.json()["input"] for request in provider.requests] == [["valve"]]
        remote(provider).queries([" "])
        assert len(provider.requests) == 1

    def test_a_long_text_is_sent_in_parts(self, provider: Provider) -> None:
        text = "valve opens " * 30 + "tank " * 30
        found = vector(remote(provider, max_chars=200), text)
        (request,) = provider.requests
        assert max(map(len, request.json()["input"])) <= 200
        assert " ".join(request.json()["input"]) == text.strip()
        assert cosine(found, vector(remote(provider), text)) > 0.9

    @pytest.mark.parametrize("behaviour", [name for name in EMBEDDINGS if name != "in_another_order"])
    def test_a_reply_that_is_of_no_use_is_a_fault_of_the_embedder(self, provider: Provider, behaviour: str) -> None:
        provider.script(behaviour)
        with pytest.raises(EmbedderFault) as told:
            remote(provider).passages(["CANARY valve", "tank"])
        assert told.value.code == "provider_error"
        assert "CANARY" not in str(told.value)

    @pytest.mark.parametrize(
        ("behaviour", "code", "said"),
        [
            (fails(400), "provider_error", "http_400"),
            (fails(413), "provider_error", "http_413"),
            (fails(500), "provider_error", "http_500"),
            (fails(429), "rate_limited", "http_429"),
            (rate_limited("3600"), "rate_limited", "http_429"),
            (malformed, "provider_error", "bad_json"),
            (waits(30), "timeout", "deadline"),
        ],
    )
    def test_a_server_that_does_not_do_its_work_is_a_fault_of_the_embedder(
        self, provider: Provider, behaviour: Behaviour, code: str, said: str
    ) -> None:
        provider.script(behaviour)
        with pytest.raises(EmbedderFault, match=said) as told:
            remote(provider, deadline_s=2, calls=1).queries(["CANARY"])
        assert told.value.code == code
        assert "CANARY" not in str(told.value)

    def test_what_is_transient_is_tried_again(self, provider: Provider) -> None:
        provider.script(rate_limited("0.01"), "ok")
        assert len(remote(provider).queries(["valve"])) == 1
        assert len(provider.requests) == 2

    def test_one_request_that_fails_ends_all(self, provider: Provider) -> None:
        provider.script("ok", fails(400), "ok")
        with pytest.raises(EmbedderFault, match="http_400"):
            remote(provider).passages([f"valve {number}" for number in range(100)])

    def test_vectors_that_cancel_out_are_a_fault_of_the_embedder(self, provider: Provider) -> None:
        def opposite(request: Received, _author: Author) -> Response:
            entries = [{"index": at, "embedding": [(-1.0) ** at] * 2} for at, _ in enumerate(request.json()["input"])]
            return responding({"data": entries})

        provider.script(opposite)
        with pytest.raises(EmbedderFault, match="no_direction"):
            remote(provider, dimension=2, max_chars=5).passages(["valve valve"])

    def test_no_server_is_a_fault_of_the_embedder(self) -> None:
        with Provider() as gone:
            embedder = remote(gone, calls=1)
        with pytest.raises(EmbedderFault, match="connect"):
            embedder.queries(["valve"])

    def test_model_dimension_window_and_prefixes_make_the_profile(self, provider: Provider) -> None:
        profiles = [
            remote(provider).profile,
            remote(provider, dimension=8).profile,
            remote(provider, max_chars=500).profile,
            remote(provider, query_prefix="q").profile,
        ]
        assert len({profile.digest for profile in profiles}) == len(profiles)
        assert provider.requests == ()


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("", []),
        (" \n", []),
        ("valve", ["valve"]),
        ("valve opens", ["valve", "opens"]),
        ("valveopensbar", ["valveope", "nsbar"]),
        ("a b  valves", ["a b", "valves"]),
    ],
)
def test_parts_of_a_text_are_cut_at_white_space_and_lose_nothing_else(text: str, parts: list[str]) -> None:
    assert list(windows(text, 8)) == parts


class TestSettings:
    def configured(self, place: Path, embedder: str) -> Embedder | None:
        place.mkdir(exist_ok=True, parents=True)
        write(place, {"toulmin.toml": f"[embedder]\n{embedder}\n"})
        return configured(load(place))

    def test_without_any_there_is_no_embedder(self, tmp_path: Path) -> None:
        assert self.configured(tmp_path, "") is None

    def test_a_model_on_this_host(self, tmp_path: Path) -> None:
        folder(tmp_path / "models" / "tiny")
        embedder = self.configured(
            tmp_path, 'kind = "onnx"\nmodel_dir = "models/tiny"\npooling = "first"\nquery_prefix = "q: "\nthreads = 1'
        )
        assert embedder is not None
        assert embedder.on_this_host
        assert (embedder.profile.pooling, embedder.profile.query_prefix) == ("first", "q: ")

    def test_a_model_behind_a_server_on_this_host(self, tmp_path: Path, provider: Provider) -> None:
        embedder = self.configured(
            tmp_path,
            f'kind = "openai"\nbase_url = "{provider.base_url}"\nmodel = "any"\ndimension = {embeddings.DIMENSION}',
        )
        assert embedder is not None
        assert embedder.on_this_host
        assert len(embedder.queries(["valve"])) == 1

    def test_one_on_another_host_needs_approval(self, tmp_path: Path) -> None:
        server = 'kind = "openai"\nbase_url = "https://host.example/v1"\ndimension = 8\n'
        with pytest.raises(InputError) as refused:
            self.configured(tmp_path, server)
        assert (refused.value.code, refused.value.where) == ("egress_denied", "toulmin.toml: embedder.external")
        embedder = self.configured(tmp_path, f"{server}external = true")
        assert embedder is not None
        assert not embedder.on_this_host

    @pytest.mark.parametrize(
        ("stated", "where"),
        [
            ('kind = "openai"', "embedder"),
            ('kind = "word2vec"', "embedder.kind"),
            ('kind = "onnx"\npooling = "max"', "embedder.pooling"),
            ('kind = "onnx"\nmodel_sha256 = "abc"', "embedder.model_sha256"),
            ("dimension = 0", "embedder.dimension"),
            ("max_chars = 10", "embedder.max_chars"),
            ("query_prefix = 5", "embedder.query_prefix"),
            ("unknown = 1", "embedder.unknown"),
        ],
    )
    def test_a_wrong_setting_is_named_with_its_key(self, tmp_path: Path, stated: str, where: str) -> None:
        with pytest.raises(InputError) as refused:
            self.configured(tmp_path, stated)
        assert where in (refused.value.where or "")


def test_the_vectors_of_the_installed_model_do_not_hang_on_what_else_is_read() -> None:
    """Weights of 8 bits might make them do so, where activations are quantised by the batch; nothing is read in batches here."""
    embedder = onnx_embedder(StatedEmbedder(), threads=2)
    texts = ["valve", "The tank holds 40 l of water. " * 3, "x" * 400, "阀门"]
    together = np.frombuffer(embedder.passages(texts).data)
    alone = np.concatenate([np.frombuffer(embedder.passages([text]).data) for text in texts])
    assert (together == alone).all()


def test_an_index_by_meaning_names_what_it_compares(tmp_path: Path) -> None:
    assert vector_index(tmp_path, WordsEmbedder()).profile == f"cosine/{WordsEmbedder().profile}"
