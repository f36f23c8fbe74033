"""Strict models of files, and the one way in which a node is read by a model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, TypeVar, get_args

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic_core import ErrorDetails

from toulmin.domain.errors import InputError
from toulmin.wire.node import Node, Step, place
from toulmin.wire.scalars import nearest, shown

M = TypeVar("M", bound=BaseModel)

MAX_FAULTS = 10
"""How many faults of one file are named at once."""

_SHAPES = {
    "dict_type": ("a mapping", "write `key: value` lines"),
    "model_type": ("a mapping", "write `key: value` lines"),
    "tuple_type": ("a list", "write a list: [one, two]"),
}


class Strict(BaseModel):
    """A mapping of known keys with typed values: no other keys, no value taken for another type."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, arbitrary_types_allowed=True)


def read(model: type[M], node: Node, source: str, **context: object) -> M:
    """What a source says, as a model's value; `context` is handed to the validators (`zone`, `workspace`).

    Raises one `InputError` for all that is wrong: its code and place are those of the first fault, its message and remedy name all
    (of many, `MAX_FAULTS`). Codes: `unknown_key`, `missing_key`, `wrong_type`, and those of single fields.
    """
    try:
        return model.model_validate(node.plain(), context=context)
    except ValidationError as error:
        details = sorted(error.errors(include_url=False), key=lambda detail: _order(detail, node))
        faults = [_fault(detail, model, node, source) for detail in details[:MAX_FAULTS]]
        raise joined(faults, unnamed=len(details) - len(faults)) from None


def located(error: InputError, node: Node, source: str, path: Sequence[Step] = ()) -> InputError:
    """A fault that a domain constructor found, with file and line: at `path`, or at the key path that it names itself."""
    steps = (*path, *node.deepest(path).steps(error.where or ""))
    return InputError(error.code, error.message, where=_where(node, source, steps), remedy=error.remedy)


def joined(faults: Sequence[InputError], *, unnamed: int = 0) -> InputError:
    """One fault that tells several, and that there are more: code and place are those of the first."""
    first, *others = faults
    rest = (f"and {unnamed} more",) if unnamed else ()
    message = "; ".join((first.message, *(f"also {fault.where}: {fault.message}" for fault in others), *rest))
    remedy = "; ".join(dict.fromkeys(fault.remedy for fault in faults if fault.remedy))
    return InputError(first.code, message, where=first.where, remedy=remedy)


def _order(detail: ErrorDetails, node: Node) -> tuple[bool, int]:
    """Unknown keys first, since a mistyped key explains a missing one; then by line."""
    return detail["type"] != "extra_forbidden", _line(node, _path(detail)) or 0


def _path(detail: ErrorDetails) -> tuple[Step, ...]:
    path = detail["loc"]
    return path[:-1] if path[-1:] == ("[key]",) else path  # so pydantic says that the key itself is wrong


def _fault(detail: ErrorDetails, model: type[BaseModel], node: Node, source: str) -> InputError:
    path = _path(detail)
    code, message, remedy = _words(detail, model, path)
    return InputError(code, message, where=_where(node, source, path), remedy=remedy)


def _words(detail: ErrorDetails, model: type[BaseModel], path: Sequence[Step]) -> tuple[str, str, str]:
    kind, context = detail["type"], detail.get("ctx", {})
    if "remedy" in context:
        return kind, context["message"], context["remedy"]
    if kind == "extra_forbidden":
        return "unknown_key", f"unknown key {shown(path[-1])}", nearest(str(path[-1]), _known_keys(model, path[:-1]))
    if kind == "missing":
        return "missing_key", f"key {path[-1]} is missing", f"add {path[-1]}"
    wanted, remedy = _SHAPES[kind]  # a kind that is not there is a scalar type without a validator of ours: our mistake
    return "wrong_type", f"{shown(detail['input'])} is not {wanted}", remedy


def _where(node: Node, source: str, path: Sequence[Step]) -> str:
    return place(source, _line(node, path), path)


def _line(node: Node, path: Sequence[Step]) -> int | None:
    """The line of the key at a path, else where the last thing that exists on the way begins."""
    found = node.deepest(path)
    return found.key_line or found.line


def _known_keys(model: type[BaseModel], path: Sequence[Step]) -> tuple[str, ...]:
    """The keys that the mapping at a path may have."""
    for step in path:
        field = model.model_fields.get(str(step))
        inner = next(_models_in(field.annotation), None) if field else None
        model = inner or model  # a place in a list, or a free key, is no step in the models
    return tuple(field.alias or name for name, field in model.model_fields.items())


def _models_in(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for argument in get_args(annotation):
        yield from _models_in(argument)
