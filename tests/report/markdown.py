"""What a reader makes of Markdown: a parser of CommonMark that allows HTML."""

from __future__ import annotations

from markdown_it import MarkdownIt

_READER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])


def kinds(markdown: str) -> set[str]:
    """Return the kinds of what is in a text: `paragraph`, `text`, `link`, `image`, `html_inline`, …"""
    tokens = _READER.parse(markdown)
    inner = [child for token in tokens for child in token.children or ()]
    return {
        token.type.removesuffix("_open").removesuffix("_close")
        for token in (*tokens, *inner)
        if token.type not in ("inline", "softbreak") and (token.content or token.nesting)
    }


def words(markdown: str) -> str:
    """Return the text that a reader sees, without its marks."""
    inner = [child for token in _READER.parse(markdown) for child in token.children or ()]
    return "".join("\n" if child.type == "softbreak" else child.content for child in inner)
