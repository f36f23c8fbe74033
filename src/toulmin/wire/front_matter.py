"""Front matter: the lines between `---` and `---` at the top of a document, which are metadata and none of its own words."""

from __future__ import annotations

import re
from dataclasses import dataclass

from toulmin.domain.errors import InputError
from toulmin.wire import strict_yaml
from toulmin.wire.node import Node, place

# A first line that begins with --- and is no longer row of dashes. YAML may have more on it, and above it directives, with comments
# around them; comments alone are not looked for, since they are headings in Markdown.
_OPENING = re.compile(
    r"""
    (?P<before> [\s\ufeff\u200b]*+ )
    (?P<directives> (?: (?: \s | \#[^\r\n]*+ )*+ %[^\r\n]*+ )++ (?: \s | \#[^\r\n]*+ )*+ )?+
    ---(?!-) (?P<more> [^\r\n]*+ )
    (?: \r\n? | \n | \Z )
    """,
    re.VERBOSE,
)
_CLOSING = re.compile(r"(?<![^\r\n])(?:---|\.\.\.)[ \t]*(?:\r\n?|\n|\Z)")
_LINE_END = re.compile(r"\r\n?|\n")

# A line whose first word is toulmin and then a colon, whatever YAML may put around a key; or the key anywhere inside of braces that begin
# on the first line, or below it and comments. The first line is what follows the --- of the fence.
_OURS = re.compile(
    r"""
      (?<![^\r\n]) (?: [^\S\r\n] | [-?:{\[,"'\ufeff\u200b] | [!&]\S*[^\S\r\n] )* (?P<key>toulmin) ["']? [^\S\r\n]* :
    | \A [^\r\n{]*+ (?: \s | \#[^\r\n]*+ | [!&]\S*+ )*+ \{ (?s:.*?) [{,] \s* ["']? (?P<in_braces>toulmin) ["']? \s* :
    | (?<![^\r\n]) \? \s+ ["']? (?P<asked>toulmin) \b
    """,
    re.IGNORECASE | re.VERBOSE,
)
_KEY = re.compile(r"""(?:"[^"]+"|'[^']+'|[\w.-]+)[ \t]*:(?:\s|\Z)""")
_BELOW_A_KEY = re.compile(r"\s|-\s|[\]}]|\Z")
_OWN_TEXT = {"text/plain": False, "text/markdown": True, "text/x-rst": False}
"""Media types of files whose own text is kept, and whether that of other tools counts as front matter in them."""

_IF_TEXT = "if it is text and no metadata, begin the file with another line than ---"


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontMatter:
    """Where front matter ends and the document's own words begin (0: there is none), and what it says under `toulmin:`."""

    end: int = 0
    ours: Node | None = None


def front_matter(text: str, source: str, *, of_any_tool: bool) -> FrontMatter:
    """The front matter of a document: lines from a first line `---` to the next line `---` or `...`.

    Where a line of it looks like a key `toulmin`, it is ours: then all of it must be strict YAML with `toulmin` as a top-level key, and its
    other keys are nobody's business. Anything else is refused, such as a first line with more on it than `---` or one below a `%YAML`
    directive, since a file that states its readers must never be read without them.
    Without such a line it is front matter only if `of_any_tool`, and only if it looks like keys with values: other lines are text.
    Raises `InputError` with file and line.
    """
    opening = _OPENING.match(text)
    if opening is None:
        return FrontMatter()
    closing = _CLOSING.search(text, opening.end())
    end = closing.start() if closing else len(text)
    block = text[opening.end() : end]
    if mention := _OURS.search(text[opening.start("more") : end]):
        fence = 1 + _line_ends(text[: opening.start("more")])
        _check_fences(opening, closing, place(source, fence))
        assert closing is not None
        line = fence + _line_ends(text[opening.start("more") :][: mention.start(mention.lastgroup or 0)])
        return FrontMatter(end=closing.end(), ours=_ours(block, source, fence + 1, line))
    if closing and of_any_tool and _is_plain(opening) and not opening["before"] and _looks_like_keys(block):
        return FrontMatter(end=closing.end())
    return FrontMatter()


def body_of(text: str, media_type: str) -> int:
    """Where the own words of a text begin that was taken from a file of this type; only one that is the file's own has front matter."""
    of_any_tool = _OWN_TEXT.get(media_type)
    return 0 if of_any_tool is None else front_matter(text, media_type, of_any_tool=of_any_tool).end


def _is_plain(opening: re.Match[str]) -> bool:
    """Whether the line is just `---`, and no directive is above it."""
    return not opening["directives"] and not opening["more"].strip(" \t")


def _check_fences(opening: re.Match[str], closing: re.Match[str] | None, where: str) -> None:
    if not _is_plain(opening):
        raise _refusal(
            "the front matter does not begin with a line that is just ---",
            where,
            "begin the front matter with a line that is just ---, and the file with that line",
        )
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
