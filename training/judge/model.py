"""The model and what it reads: two texts, the claim and its passage, and three logits in the order of CLASSES."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import torch
from tokenizers import Tokenizer
from transformers import AutoConfig, AutoModelForSequenceClassification, PreTrainedModel
from transformers.utils import logging

from judge.pairs import CLASSES, NOT_SUPPORTED, Pair
from judge.text import focus

logging.disable_progress_bar()

MOST_WORDS = 72
"""Of longer passages the sentences nearest to the claim are read (judge.text.focus)."""

MOST_TOKENS = 160
"""Claim and passage together; the passage is cut at its end."""


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


def freeze(model: PreTrainedModel, lowest: int) -> None:
    """Keeps the embeddings and the `lowest` layers as they are; their gradients are not computed either."""
    model.get_submodule(f"{model.base_model_prefix}.embeddings").requires_grad_(False)
    for layer in layers(model)[:lowest]:
        layer.requires_grad_(False)


def tokenizer(folder: Path) -> Tokenizer:
    """The folder's tokenizer, which pads a batch to its longest pair and cuts only the passage."""
    made: Tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    made.enable_truncation(MOST_TOKENS, strategy="only_second")
    padding = made.padding or {"pad_id": 0, "pad_token": "[PAD]"}
    made.enable_padding(pad_id=padding["pad_id"], pad_token=padding["pad_token"])
    return made


def texts(pair: Pair) -> tuple[str, str]:
    """What is read of a pair. A claim is cut at MOST_WORDS, so that the passage is never cut to nothing."""
    return " ".join(pair.claim.split()[:MOST_WORDS]), focus(pair.claim, pair.evidence, MOST_WORDS)


def batch(pairs: Sequence[Pair], tokens: Tokenizer, weights: dict[str, float] | None = None) -> Batch:
    """One batch; `weights` by the set that a pair is from, 1 where none is given."""
    encoded = tokens.encode_batch([texts(pair) for pair in pairs])
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
def probabilities(model: PreTrainedModel, tokens: Tokenizer, pairs: Sequence[Pair], size: int = 32) -> torch.Tensor:
    """The probabilities of each pair (pairs by classes), in their order; computed in batches of like length."""
    model.eval()
    out = torch.empty(len(pairs), len(CLASSES))
    for rows in by_length(pairs, size):
        one = batch([pairs[row] for row in rows], tokens)
        with autocast():
            logits = model(input_ids=one.ids, attention_mask=one.mask).logits
        out[rows] = logits.float().softmax(-1)
    return out


def by_length(pairs: Sequence[Pair], size: int) -> Iterator[list[int]]:
    """The numbers of the pairs, in batches of like length."""
    order = sorted(range(len(pairs)), key=lambda at: sum(map(len, texts(pairs[at]))))
    for start in range(0, len(order), size):
        yield order[start : start + size]
