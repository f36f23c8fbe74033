"""Fine-tunes a base as its run file says, and goes on where it stopped: `python -m judge.train runs/NAME.toml --work FOLDER`.

The learning rate rises, stays, and falls over the last fifth of the steps. A checkpoint of the even part can be ended at
any step (`--until STEP`, into a folder of its own), so a run that is cut short still gives a model whose rate has fallen.
"""

from __future__ import annotations

import argparse
import json
import random
import time
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import torch
from torch.nn import functional
from transformers import PreTrainedModel

from judge import model as judge_model
from judge.model import Batch, Reader, Reading
from judge.pairs import Pair, read
from judge.text import words

_WARM_UP_STEPS = 30
_FALL = 0.2
_CHECKPOINT_S = 240.0
_SORTED_TOGETHER = 16
_TEACHER_SHARE = 0.7


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """One run file.

    `mixture`: of each set how many pairs at most; `weights`: what a pair of the set counts (else 1); `layers`: the numbers
    of the base's layers that are kept (else all); `told`: a file of pairs with a teacher's probabilities (judge.distil),
    learnt from in place of the mixture that it was made of; `reading`: how much is read of a pair.
    """

    base: str
    mixture: Mapping[str, int]
    weights: Mapping[str, float]
    layers: Sequence[int] | None = None
    told: str | None = None
    reading: Reading = field(default_factory=Reading)
    frozen_layers: int = 0
    frozen_embeddings: bool = True
    batch: int = 16
    rate: float = 3e-5
    epochs: int = 1
    longest_words: int = 400
    threads: int = 2
    seed: int = 1

    @classmethod
    def of(cls, path: Path) -> Settings:
        stated = tomllib.loads(path.read_text())
        return cls(**{**stated, "reading": Reading(**stated.get("reading", {}))})


def loss(logits: torch.Tensor, given: Batch) -> torch.Tensor:
    """Mean over the batch of -log P(label); for NOT_SUPPORTED -log(1 - P(supported)). A teacher's word counts beside it."""
    log_p = functional.log_softmax(logits.float(), -1)
    scores = torch.cat([log_p, torch.logsumexp(log_p[:, 1:], -1, keepdim=True)], -1)
    told = -scores.gather(1, given.labels[:, None])[:, 0]
    if given.teacher is not None:
        apart = functional.kl_div(log_p, given.teacher, reduction="none").sum(-1)
        return (_TEACHER_SHARE * apart + (1 - _TEACHER_SHARE) * told * given.weights).mean()
    return (told * given.weights).sum() / given.weights.sum()


def chosen(work: Path, settings: Settings) -> list[Pair]:
    """The pairs of the mixture, the same ones in every run with the same settings."""
    if settings.told is not None:
        return list(read(work / settings.told))
    room = dict(settings.mixture)
    pairs = []
    for path in sorted((work / "data").glob("*.jsonl")):
        for pair in read(path):
            if room.get(pair.source, 0) > 0 and len(words(pair.evidence)) <= settings.longest_words:
                room[pair.source] -= 1
                pairs.append(pair)
    return pairs


def batches(pairs: Sequence[Pair], settings: Settings, reader: Reader) -> Iterator[list[Pair]]:
    """All batches of the run in their order: pairs of like length together, the batches shuffled."""
    chance = random.Random(settings.seed)
    for _ in range(settings.epochs):
        order = chance.sample(pairs, len(pairs))
        wide = settings.batch * _SORTED_TOGETHER
        for start in range(0, len(order), wide):
            part = order[start : start + wide]
            rows = list(reader.by_length(part, settings.batch))
            yield from ([part[row] for row in some] for some in chance.sample(rows, len(rows)))


def rate_at(step: int, steps: int) -> float:
    """The share of the full learning rate at a step."""
    return min(1.0, (step + 1) / _WARM_UP_STEPS, (steps - step) / (_FALL * steps))


def started(work: Path, settings: Settings) -> PreTrainedModel:
    """The base with the layers that the run keeps, frozen as it asks."""
    model = judge_model.load(work / settings.base)
    if settings.layers is not None:
        judge_model.keep_layers(model, settings.layers)
    judge_model.freeze(model, settings.frozen_layers, embeddings=settings.frozen_embeddings)
    return model


def run(work: Path, settings: Settings, folder: Path, resume: Path, until: int | None) -> None:
    """Trains, telling each tenth step on a line of `folder`/log.jsonl, and saves the model in `folder`."""
    torch.set_num_threads(settings.threads)
    torch.manual_seed(settings.seed)
    folder.mkdir(parents=True, exist_ok=True)
    model = started(work, settings)
    reader = Reader.of(work / settings.base, settings.reading)
    learning = [parameter for parameter in model.parameters() if parameter.requires_grad]
    optimizer = torch.optim.AdamW(learning, lr=settings.rate, weight_decay=0.01)
    planned = list(batches(chosen(work, settings), settings, reader))
    steps = min(until or len(planned), len(planned))
    done = _resumed(resume / "checkpoint.pt", model, optimizer)
    model.train()
    began = saved = time.monotonic()
    recent: list[float] = []
    for step in range(done, steps):
        given = judge_model.batch(planned[step], reader, dict(settings.weights))
        for group in optimizer.param_groups:
            group["lr"] = settings.rate * rate_at(step, steps)
        with judge_model.autocast():
            logits = model(input_ids=given.ids, attention_mask=given.mask).logits
        found = loss(logits, given)
        found.backward()
        torch.nn.utils.clip_grad_norm_(learning, 1.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        recent.append(found.item())
        if (step + 1) % 10 == 0:
            _tell(folder, step + 1, steps, recent, time.monotonic() - began)
            recent.clear()
        # Only the even part is kept: a fallen rate can't be taken up again.
        if time.monotonic() - saved > _CHECKPOINT_S and step < (1 - _FALL) * steps:
            _save(folder / "checkpoint.pt", model, optimizer, step + 1)
            saved = time.monotonic()
    model.save_pretrained(folder)
    reader.tokens.save(str(folder / "tokenizer.json"))
    reader.reading.save(folder)


def _tell(folder: Path, step: int, steps: int, losses: Sequence[float], seconds: float) -> None:
    line = {"step": step, "of": steps, "loss": round(sum(losses) / len(losses), 4), "seconds": round(seconds)}
    with (folder / "log.jsonl").open("a") as log:
        log.write(json.dumps(line) + "\n")


def _save(path: Path, model: PreTrainedModel, optimizer: torch.optim.Optimizer, step: int) -> None:
    kept = {name: value for name, value in model.named_parameters() if value.requires_grad}
    torch.save({"step": step, "model": kept, "optimizer": optimizer.state_dict()}, path.with_suffix(".part"))
    path.with_suffix(".part").rename(path)


def _resumed(path: Path, model: PreTrainedModel, optimizer: torch.optim.Optimizer) -> int:
    """The step to go on from; 0 where there is no checkpoint."""
    if not path.exists():
        return 0
    kept = torch.load(path, weights_only=True)
    model.load_state_dict(kept["model"], strict=False)
    optimizer.load_state_dict(kept["optimizer"])
    return int(kept["step"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("run", type=Path, help="the run file")
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--until", type=int, help="end at this step, into the folder NAME-STEP")
    given = parser.parse_args()
    home = given.work / "runs" / given.run.stem
    folder = home.with_name(f"{home.name}-{given.until}") if given.until else home
    run(given.work, Settings.of(given.run), folder, home, given.until)


if __name__ == "__main__":
    main()
