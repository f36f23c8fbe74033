"""The model and what it reads: two texts, the claim and its passage, and three logits in the order of CLASSES."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import cast

import torch
from tokenizers import Encoding, Tokenizer
from transformers import AutoConfig, AutoModelForSequenceClassification, PreTrainedModel
from transformers.utils import logging

from judge.pairs import CLASSES, NOT_SUPPORTED, Pair
from judge.text import focus

logging.disable_progress_bar()

_READING = "reading.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """How much a model reads: of passages of more than `words` the sentences nearest to the claim (judge.text.focus).

    `tokens`: claim and passage together; the passage is cut at its end.
    """

    words: int = 72
    tokens: int = 160

    @classmethod
    def of(cls, folder: Path) -> Reading:
        """That of a trained model, or of an export in its folder; the usual one where none is kept."""
        kept = next((home / _READING for home in (folder, folder.parent) if (home / _READING).exists()), None)
        return cls() if kept is None else cls(**json.loads(kept.read_text()))

    def save(self, folder: Path) -> None:
        (folder / _READING).write_text(json.dumps(asdict(self)) + "\n")

    def texts(self, pair: Pair) -> tuple[str, str]:
        """What is read of a pair. A claim is cut (at 72 words where 160 tokens are read), so that the passage is never cut to nothing."""
        return " ".join(pair.claim.split()[: self.tokens * 9 // 20]), focus(pair.claim, pair.evidence, self.words)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader:
    """Turns pairs into tokens; those of a batch are padded to its longest pair."""

    reading: Reading
    tokens: Tokenizer

    @classmethod
    def of(cls, folder: Path, reading: Reading | None = None) -> Reader:
        """With the folder's tokenizer, and its own reading unless another is given."""
        wanted = reading or Reading.of(folder)
        tokens: Tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        tokens.enable_truncation(wanted.tokens, strategy="only_second")
        padding = tokens.padding or {"pad_id": 0, "pad_token": "[PAD]"}
        tokens.enable_padding(pad_id=padding["pad_id"], pad_token=padding["pad_token"])
        return cls(reading=wanted, tokens=tokens)

    def encoded(self, pairs: Sequence[Pair]) -> list[Encoding]:
        found: list[Encoding] = self.tokens.encode_batch([self.reading.texts(pair) for pair in pairs])
        return found

    def by_length(self, pairs: Sequence[Pair], size: int) -> Iterator[list[int]]:
        """The numbers of the pairs, in batches of like length."""
        lengths = [sum(map(len, self.reading.texts(pair))) for pair in pairs]
        order = sorted(range(len(pairs)), key=lengths.__getitem__)
        for start in range(0, len(order), size):
            yield order[start : start + size]


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """Token ids and mask (pairs by tokens, int64), labels (index in CLASSES, 3 for NOT_SUPPORTED), the teacher's probabilities."""

    ids: torch.Tensor
    mask: torch.Tensor
    labels: torch.Tensor
    weights: torch.Tensor
    teacher: torch.Tensor | None


def load(folder: Path) -> PreTrainedModel:
    """The model of a folder with a head of three classes (new where the folder has none), without dropout."""
    config = AutoConfig.from_pretrained(folder)
    config.update({
        "num_labels": len(CLASSES),
        "id2label": dict(enumerate(CLASSES)),
        "label2id": {name: at for at, name in enumerate(CLASSES)},
        "hidden_dropout_prob": 0.0,
        "attention_probs_dropout_prob": 0.0,
        "classifier_dropout": 0.0,
    })  # fmt: skip
    model: PreTrainedModel = AutoModelForSequenceClassification.from_pretrained(
        folder, config=config, dtype=torch.float32
    )
    return model


def layers(model: PreTrainedModel) -> torch.nn.ModuleList:
    """The layers of its encoder, from the embeddings upwards."""
    return cast("torch.nn.ModuleList", model.get_submodule(f"{model.base_model_prefix}.encoder.layer"))


def keep_layers(model: PreTrainedModel, kept: Sequence[int]) -> None:
    """Drops all layers but those with these numbers."""
    encoder = model.get_submodule(f"{model.base_model_prefix}.encoder")
    encoder.layer = torch.nn.ModuleList(layers(model)[at] for at in kept)
    model.config.num_hidden_layers = len(kept)


def freeze(model: PreTrainedModel, lowest: int, *, embeddings: bool = True) -> None:
    """Keeps the `lowest` layers as they are, and the `embeddings`; their gradients are not computed either."""
    model.get_submodule(f"{model.base_model_prefix}.embeddings").requires_grad_(not embeddings)
    for layer in layers(model)[:lowest]:
        layer.requires_grad_(False)


def batch(pairs: Sequence[Pair], reader: Reader, weights: dict[str, float] | None = None) -> Batch:
    """One batch; `weights` by the set that a pair is from, 1 where none is given."""
    encoded = reader.encoded(pairs)
    order = (*CLASSES, NOT_SUPPORTED)
    told = [pair.teacher for pair in pairs if pair.teacher]
    return Batch(
        ids=torch.tensor([one.ids for one in encoded]),
        mask=torch.tensor([one.attention_mask for one in encoded]),
        labels=torch.tensor([order.index(pair.label) for pair in pairs]),
        weights=torch.tensor([(weights or {}).get(pair.source, 1.0) for pair in pairs]),
        teacher=torch.tensor(told) if len(told) == len(pairs) else None,
    )


def autocast() -> torch.autocast:
    """bf16 where the processor multiplies it itself; elsewhere torch emulates it some seventy times slower than fp32."""
    cuda = torch.cuda.is_available()
    native = cuda or torch.cpu._is_avx512_bf16_supported()  # noqa: SLF001 - torch has no public name for it
    return torch.autocast("cuda" if cuda else "cpu", dtype=torch.bfloat16, enabled=native)


@torch.inference_mode()
def probabilities(model: PreTrainedModel, reader: Reader, pairs: Sequence[Pair], size: int = 32) -> torch.Tensor:
    """The probabilities of each pair (pairs by classes), in their order; computed in batches of like length."""
    model.eval()
    out = torch.empty(len(pairs), len(CLASSES))
    for rows in reader.by_length(pairs, size):
        one = batch([pairs[row] for row in rows], reader)
        with autocast():
            logits = model(input_ids=one.ids, attention_mask=one.mask).logits
        out[rows] = logits.float().softmax(-1)
    return out
