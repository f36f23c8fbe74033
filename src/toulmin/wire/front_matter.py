"""Front matter: the lines between `---` and `---` at the top of a document, which are metadata and none of its own words."""

from __future__ import annotations

import re
from dataclasses import dataclass

from toulmin.domain.errors import InputError
from toulmin.wire import strict_yaml
from toulmin.wire.node import Node, place

_OPENING = re.compile(r"(?P<before>[\s\ufeff\u200b]*)---[ \t]*(?:\r\n?|\n|\Z)")
_CLOSING = re.compile(r"(?<![^\r\n])(?:---|\.\.\.)[ \t]*(?:\r\n?|\n|\Z)")
_LINE_END = re.compile(r"\r\n?|\n")

# A line whose first word is toulmin and then a colon, whatever YAML may put around a key; or the key anywhere inside of braces.
_OURS = re.compile(
    r"""
      (?<![^\r\n]) (?: [^\S\r\n] | [-?:{\[,"'\ufeff\u200b] | [!&]\S*[^\S\r\n] )* (?P<key>toulmin) ["']? [^\S\r\n]* :
    | \A \s* \{ (?s:.*?) [{,] \s* ["']? (?P<in_braces>toulmin) ["']? \s* :
    | (?<![^\r\n]) \? \s+ ["']? (?P<asked>toulmin) \b
    """,
    re.IGNORECASE | re.VERBOSE,
)
_KEY = re.compile(r"""(?:"[^"]+"|'[^']+'|[\w.-]+)[ \t]*:(?:\s|\Z)""")
_BELOW_A_KEY = re.compile(r"\s|-\s|[\]}]|\Z")
_IF_TEXT = "if it is text and no metadata, begin the file with another line than ---"


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontMatter:
    """Where front matter ends and the document's own words begin (0: there is none), and what it says under `toulmin:`."""

    end: int = 0
    ours: Node | None = None


def front_matter(text: str, source: str, *, of_any_tool: bool) -> FrontMatter:
    """The front matter of a document: lines from a first line `---` to the next line `---` or `...`.

    Where a line of it looks like a key `toulmin`, it is ours: then all of it must be strict YAML with `toulmin` as a top-level key, and its
    other keys are nobody's business. Anything else is refused, since a file that states its readers must never be read without them.
    Without such a line it is front matter only if `of_any_tool`, and only if it looks like keys with values: other lines are text.
    Raises `InputError` with file and line.
    """
    opening = _OPENING.match(text)
    if opening is None:
        return FrontMatter()
    closing = _CLOSING.search(text, opening.end())
    block = text[opening.end() : closing.start() if closing else len(text)]
    first_line = 1 + _line_ends(opening[0])
    if mention := _OURS.search(block):
        line = first_line + _line_ends(block[: mention.start(mention.lastgroup or 0)])
        _check_fences(opening, closing, place(source, first_line - 1))
        assert closing is not None
        return FrontMatter(end=closing.end(), ours=_ours(block, source, first_line, line))
    if closing and of_any_tool and not opening["before"] and _looks_like_keys(block):
        return FrontMatter(end=closing.end())
    return FrontMatter()


def _check_fences(opening: re.Match[str], closing: re.Match[str] | None, where: str) -> None:
    if opening["before"]:
        raise _refusal("the front matter does not begin on the first line", where, "move its --- to the very beginning")
    if closing is None:
        raise _refusal("the front matter does not end", where, "close it with a line --- before the text")


def _ours(block: str, source: str, first_line: int, line: int) -> Node:
    ours = strict_yaml.parse(block, source, first_line=first_line).step("toulmin")
    if ours is None:
        raise _refusal(
            "toulmin is no top-level key of the front matter here",
            place(source, line),
            "write toulmin: in small letters, not below another key, with a space or a line end after it",
        )
    return ours


def _refusal(message: str, where: str, remedy: str) -> InputError:
    return InputError("bad_yaml", message, where=where, remedy=f"{remedy}; {_IF_TEXT}")


def _looks_like_keys(block: str) -> bool:
    """Whether it begins with a key, and all else at the left margin is another key or belongs to one; comments count for nothing.

    What Markdown would show as a paragraph never passes, nor does a block that begins with a blank line: that is a rule between paragraphs.
    """
    rows = [row for row in _LINE_END.split(block) if not row.startswith("#")]
    return bool(_KEY.match(rows[0]) if rows else None) and all(
        _KEY.match(row) or _BELOW_A_KEY.match(row) for row in rows
    )


def _line_ends(text: str) -> int:
    return len(_LINE_END.findall(text))
