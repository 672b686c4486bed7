"""Finds the manifests in the code blocks of a document in Markdown or reStructuredText.

A text without its prose has a space for each character outside of the blocks, so its lines, columns and offsets are
those of the document. A line `---` takes the place of the line that opens a block: each block is a stream of its own.
"""

from __future__ import annotations

import re
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from dralint.edit.apply import FileText
from dralint.manifest.objects import speaks
from dralint.yaml import read

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from dralint.finding.finding import Edit

_RESTRUCTURED = ".rst"
_LANGUAGE = r"(?:ya?ml|json)(?![\w+-])"
_FENCE = re.compile(
    r"(?P<before>(?:[ \t>]|(?:[-*+]|\d{1,9}[.)])(?=[ \t]))*)(?P<fence>`{3,}(?=[^`]*$)|~{3,})[ \t]*(?P<info>.*)$"
)
_INFO = re.compile(r"(?:\{code(?:-block|-cell)?\}[ \t]*|\{[ \t]*\.?|\.)?" + _LANGUAGE, re.IGNORECASE)
_DIRECTIVE = re.compile(
    r"(?P<before>[ \t]*)\.\.[ \t]+(?:code-block|code|sourcecode)::[ \t]*" + _LANGUAGE, re.IGNORECASE
)
_OPTION = re.compile(r"[ \t]*:[\w-]+:(?:[ \t]|$)")
_QUOTE = re.compile(r"[ \t]*>[ \t>]*")
_CUT = re.compile(
    r"(?<![\w.])\.{3}|\u2026"  # what stands for more is no part of a word: "waiting..." is a text
    r"|#.*\b(?:omitted|elided|snip(?:ped)?|truncated|abbreviated|redacted|rest of|other fields|remaining|unchanged)\b"
    r"|^[ \t]*\+[ \t]"  # an added line of a diff
    r"|[:-][ \t]+[\"']?<[A-Za-z][^<>\n]*>[\"']?[ \t]*(?:#.*)?$",  # a value for the reader to write
    re.IGNORECASE | re.MULTILINE,
)
_MANIFEST = ("apiVersion", "kind", "metadata")
_KEYS = tuple(
    re.compile(rf"^[ \t]*(?:-[ \t]+)?(?:\{{[ \t]*)?([\"']?){key}\1[ \t]*:|[{{,][ \t]*\"{key}\"", re.MULTILINE)
    for key in _MANIFEST
)
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+\Z")
_NOT_AN_END = re.compile(r"[^\r\n]")


class Block(NamedTuple):
    """A code block with manifests, by the numbers of its lines: the one that opens it, and the one after its last."""

    opening: int
    end: int
    indent: int


class Blocks:
    """The blocks with manifests in a document.

    Args:
        raw: the bytes of the document.
        name: its name; the suffix says whether it is reStructuredText or Markdown.
    """

    def __init__(self, raw: bytes, name: str) -> None:
        self._lines: list[str] = []
        self._blocks: list[Block] = []
        if not speaks(raw):
            return  # as most documents
        text = FileText(raw).text
        self._mark = text[: text.startswith("\ufeff")]
        self._lines = _LINE.findall(text.removeprefix(self._mark))
        found = _directives(self._lines) if name.lower().endswith(_RESTRUCTURED) else _fences(self._lines)
        self._blocks = [block for block in found if self._has_manifests(block)]

    def __len__(self) -> int:
        return len(self._blocks)

    def text(self, only: int | None = None) -> bytes:
        """Return the document without its prose; with `only`, also without the content of the other blocks.

        A document without blocks has no text. The numbers of the YAML documents are the same in each case.
        """
        if not self._blocks:
            return b""
        out: list[str] = []
        at = 0
        for number, block in enumerate(self._blocks):
            out += map(_blank, self._lines[at : block.opening])
            out.append(_marked(self._lines[block.opening], "---"))
            content = _content(self._lines, block)
            shown = only in (None, number)  # of a block that is not shown, separators stay
            out += [line if shown or line.startswith("---") else _blank(line) for line in content]
            at = block.end
            if at < len(self._lines):  # a comment ends a block scalar, whatever its indentation is
                out.append(_marked(self._lines[at], "#"))
                at += 1
        out += map(_blank, self._lines[at:])
        return (self._mark + "".join(out)).encode("utf-8", "surrogateescape")

    def placed(self, edits: Iterable[Edit]) -> tuple[Edit, ...] | None:
        """Return edits with the signs of quotes before the lines that they add; None where one leaves its block."""
        starts = [len(self._mark), *accumulate(map(len, self._lines), initial=len(self._mark))][1:]
        out: list[Edit] = []
        for edit in edits:
            spans = ((starts[block.opening + 1], starts[block.end], block) for block in self._blocks)
            inside = next((block for start, end, block in spans if start <= edit.start and edit.end <= end), None)
            if inside is None:
                return None
            sign = re.sub(r"[^>]", " ", self._lines[inside.opening][: inside.indent])
            if ">" in sign:
                rest = edit.text.rpartition("\n")[2] if edit.end in starts else ""
                if rest and (edit.start != edit.end or "\n" in edit.text):
                    return None
                if rest:  # an indentation
                    edit = edit._replace(start=edit.start + len(sign), end=edit.end + len(sign))
                begins = r"(?:\A|(?<=[\r\n]))" if edit.start in starts else r"(?<=[\r\n])"
                edit = edit._replace(text=re.sub(rf"{begins} {{{len(sign)}}}", sign, edit.text))
            out.append(edit)
        return tuple(out)

    def _has_manifests(self, block: Block) -> bool:
        """Say whether a block has manifests that dralint judges: whole ones, which can be read or clearly should be."""
        content = "".join(_content(self._lines, block))
        raw = content.encode("utf-8", "surrogateescape")
        if not speaks(raw) or not all(key.search(content) for key in _KEYS) or _CUT.search(content):
            return False
        if all(document.state != "unreadable" for document in read(raw)):
            return True
        margin = next((match[1] for match in re.finditer(r"(?m)^( *)(?!---)[^ \r\n]", content)), "")
        return all(re.search(rf"(?m)^{margin}{key}:", content) for key in _MANIFEST)


def _blank(line: str) -> str:
    return _NOT_AN_END.sub(" ", line)


def _marked(line: str, mark: str) -> str:
    """Return a line of prose as another one of the same length that begins with a mark, if it has room for it."""
    blank = _blank(line)
    return mark + blank[len(mark) :] if blank[: len(mark)] == " " * len(mark) else blank


def _content(lines: Sequence[str], block: Block) -> list[str]:
    """Return the lines of a block with spaces for what belongs to the document: signs of quotes, and options."""
    out: list[str] = []
    options = True
    for line in lines[block.opening + 1 : block.end]:
        if quote := _QUOTE.match(line[: block.indent]):
            line = " " * quote.end() + line[quote.end() :]
        options = options and (_OPTION.match(line) is not None or not line.strip())
        if options:
            line = _blank(line)
        bare = line.lstrip(" ")
        margin = len(line) - len(bare)
        if margin and bare.startswith("---") and not bare[3:].strip(" \t\r\n") and margin <= _margin(out, margin):
            line = "---" + " " * margin + bare[3:]
        out.append(line)
    return out


def _margin(lines: Sequence[str], otherwise: int) -> int:
    """Return the indentation of the first line with text."""
    return next((len(line) - len(line.lstrip(" ")) for line in lines if line.strip() and line[:1] == " "), otherwise)


def _fences(lines: Sequence[str]) -> Iterator[Block]:
    """Yield the closed blocks of a Markdown document that are YAML or JSON."""
    opened: tuple[int, str, bool, int] | None = None
    hidden = False
    for number, line in enumerate(lines):
        if opened is None and (hidden or line.lstrip().startswith("<!--")):
            hidden = "-->" not in line[max(0, line.rfind("<!--")) :]
            continue
        fence = _FENCE.match(line.rstrip())
        if fence is None:
            continue
        if opened is None:
            opened = number, fence["fence"], _INFO.match(fence["info"]) is not None, fence.end("before")
        elif fence["fence"].startswith(opened[1]) and not fence["info"] and fence.end("before") <= opened[3] + 3:
            if opened[2]:
                yield Block(opened[0], number, opened[3])
            opened = None


def _directives(lines: Sequence[str]) -> Iterator[Block]:
    """Yield the blocks of a reStructuredText document that are YAML or JSON."""
    at = 0
    while at < len(lines):
        directive = _DIRECTIVE.match(lines[at])
        if directive is None:
            at += 1
            continue
        margin, opening = len(directive["before"]), at
        at += 1
        while at < len(lines) and (not lines[at].strip() or len(lines[at]) - len(lines[at].lstrip()) > margin):
            at += 1
        yield Block(opening, at, margin)
