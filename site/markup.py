"""Markdown to the pages of the site: links to files of the repository become links to pages, code is coloured."""

from __future__ import annotations

import html
import posixpath
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote, urlsplit

from markdown_it import MarkdownIt
from markdown_it.token import Token
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound

from dralint import __repository__

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

_COMMENT = re.compile(r"<!-- repository -->.*?<!-- end -->|^<!--.*?-->\n?", re.MULTILINE | re.DOTALL)
"""Comments, and what only a reader of the repository needs."""
_HEADING = re.compile(r"(<h1[^>]*>)([^ <]*)")
_ANCHORED = re.compile(r'<h([23]) id="([^"]*)">(.*?)</h[23]>', re.DOTALL)
_NOT_OF_A_SLUG = re.compile(r"[^\w\- ]")
_MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable("table")
_FORMATTER = HtmlFormatter(nowrap=True)


class BrokenLinkError(ValueError):
    """A link leads to a file that is not in the repository."""


@dataclass
class Page:
    """One page of the site.

    Attributes:
        address: where it lies, from the top of the site.
        text: its Markdown; the first line is the heading.
        source: the file of the repository that its relative links start from; those of other pages start from
            `address`.
        section: what the navigation marks as current.
        phrases: what people ask that the page answers; the search finds it by them.
        parent: the address of the page above it.
        group: the heading that it has among the pages below the same page.
        short: its name beside these pages.
    """

    address: str
    text: str
    source: str = ""
    section: str = ""
    phrases: tuple[str, ...] = ()
    parent: str = ""
    group: str = ""
    short: str = ""
    title: str = field(init=False)

    def __post_init__(self) -> None:
        """Take the title from the first heading."""
        self.title = self.text.lstrip().splitlines()[0].lstrip("# ").replace("`", "")


class Section(NamedTuple):
    """A part of a page, from its heading to the next one; `lead` is its first line of text."""

    level: int
    heading: str
    anchor: str
    lead: str
    text: str
    code: str


def rendered(
    page: Page, pages: Mapping[str, str], files: Mapping[str, str], names: Mapping[str, str], root: Path
) -> str:
    """Return the HTML of the text of a page.

    Args:
        page: its Markdown.
        pages: file of the repository → address of its page.
        files: file of the repository → address of its copy.
        names: rule, field or feature gate → address of its page; where code names one, it is a link.
        root: the repository.

    Raises:
        BrokenLinkError: a relative link leads nowhere.
    """
    tokens = _MARKDOWN.parse(_COMMENT.sub("", page.text))
    slugs: dict[str, int] = {}
    for at, token in enumerate(tokens):
        if token.type == "heading_open":
            token.attrSet("id", _unique(slug(_plain(tokens[at + 1])), slugs))
        elif token.type == "inline":
            for child in token.children or ():
                name = {"link_open": "href", "image": "src"}.get(child.type)
                if name:
                    child.attrSet(name, _target(str(child.attrs[name]), page, pages, files, root))
            if tokens[at - 1].type != "heading_open":
                token.children = list(_linked(token.children or (), page, names))
    body = _ANCHORED.sub(_anchor, "".join(_html(tokens)))
    return _HEADING.sub(lambda match: match[1] + match[2].replace(".", ".<wbr>"), body, count=1)


def _linked(children: Iterable[Token], page: Page, names: Mapping[str, str]) -> Iterator[Token]:
    """Yield the tokens of a line, with a link around code that names a rule, a field or a feature gate."""
    within = False
    for child in children:
        within = child.type == "link_open" or (within and child.type != "link_close")
        address = names.get(child.content.removeprefix("dralint explain ")) if child.type == "code_inline" else None
        if address is None or within or address == page.address:
            yield child
        else:
            yield Token("link_open", "a", 1, {"href": relative(address, page.address)})
            yield child
            yield Token("link_close", "a", -1)


def _anchor(match: re.Match[str]) -> str:
    level, anchor, inner = match.groups()
    says = html.unescape(re.sub("<[^>]+>", "", inner))
    link = f'<a class="anchor" href="#{anchor}" aria-label="Link to: {html.escape(says)}">#</a>'
    return f'<h{level} id="{anchor}">{inner} {link}</h{level}>'


def slug(text: str) -> str:
    """Return the name of a heading in a link, as the repository's host makes it."""
    return _NOT_OF_A_SLUG.sub("", text.strip().lower()).replace(" ", "-")


def relative(address: str, start: str) -> str:
    """Return the link from the page `start` to an address of the site."""
    return quote(posixpath.relpath(address, posixpath.dirname(start) or "."), safe="/#.-_~")


def sections(page: Page) -> Iterator[Section]:
    """Yield each part of a page, with its words and its code."""
    tokens = _MARKDOWN.parse(_COMMENT.sub("", page.text))
    slugs: dict[str, int] = {}
    level, heading, anchor = 1, page.title, ""
    lead = ""
    texts: list[str] = []
    code: list[str] = []
    for at, token in enumerate(tokens):
        if token.type == "heading_open":
            name = _unique(slug(_plain(tokens[at + 1])), slugs)
            if token.tag in ("h2", "h3"):
                yield Section(level, heading, anchor, lead, " ".join(texts), " ".join(code))
                level, heading, anchor = int(token.tag[1]), _plain(tokens[at + 1]), name
                lead, texts, code = "", [], []
        elif token.type == "fence":
            code.append(token.content)
        elif token.type == "inline" and tokens[at - 1].type != "heading_open":
            texts.append(" ".join(_plain(token).split()))
            lead = lead or (texts[-1] if tokens[at - 1].type == "paragraph_open" else "")
    yield Section(level, heading, anchor, lead, " ".join(texts), " ".join(code))


def _unique(name: str, seen: dict[str, int]) -> str:
    number = seen.get(name, 0)
    seen[name] = number + 1
    return f"{name}-{number}" if number else name


def _plain(token: Token) -> str:
    kinds = {"text", "code_inline", "softbreak", "image"}
    return "".join(child.content or " " for child in token.children or () if child.type in kinds)


def _target(link: str, page: Page, pages: Mapping[str, str], files: Mapping[str, str], root: Path) -> str:
    """Return where a link of the Markdown leads on the site."""
    parts = urlsplit(link)
    if parts.scheme or not parts.path:
        return link
    anchor = f"#{parts.fragment}" if parts.fragment else ""
    if not page.source:
        return link
    path = posixpath.normpath(posixpath.join(posixpath.dirname(page.source), parts.path))
    place = root / path
    inside = next((f"{path}/{name}" for name in ("index.md", "README.md") if (place / name).is_file()), path)
    address = pages.get(inside) or files.get(path)
    if address:
        return relative(address, page.address) + anchor
    if not place.exists():
        raise BrokenLinkError(f"{page.source}: {link} leads to no file")
    return f"{__repository__}/{'tree' if place.is_dir() else 'blob'}/main/{path}{anchor}"


def _html(tokens: Sequence[Token]) -> Iterator[str]:
    """Yield the HTML of tokens: tables and code can scroll by themselves, so that a page fits on a phone."""
    plain: list[Token] = []
    for token in tokens:
        if token.type not in ("fence", "table_open", "table_close"):
            plain.append(token)
            continue
        if token.type == "table_close":
            plain.append(token)
        yield _MARKDOWN.renderer.render(plain, _MARKDOWN.options, {})
        plain = [token] if token.type == "table_open" else []
        if token.type == "fence":
            yield code(token.content, token.info.strip())
        elif token.type == "table_open":
            yield '<div class="scroll" tabindex="0" role="group" aria-label="Table">'
        else:
            yield "</div>"
    yield _MARKDOWN.renderer.render(plain, _MARKDOWN.options, {})


def code(text: str, language: str) -> str:
    """Return a block of code, coloured where the language is known."""
    try:
        coloured = highlight(text, get_lexer_by_name(language or "text", stripnl=False), _FORMATTER)
    except ClassNotFound:
        coloured = html.escape(text)
    if language == "text":
        for pattern, replacement in _OUTPUT:
            coloured = pattern.sub(replacement, coloured)
    return f'<pre tabindex="0" class="code {html.escape(language or "text")}"><code>{coloured}</code></pre>'


_OUTPUT = (
    (
        re.compile(r"(?m)^(\S+:\d+:\d+)  (error|warning|info)  (DRA\d{3} [\w-]+)"),
        r'<b>\1</b>  <b class="\2">\2</b>  <b>\3</b>',
    ),
    (re.compile(r"(?m)^(\s+\| *)(\^+)"), r'\1<b class="error">\2</b>'),
    (re.compile(r"(?m)^( += hint: )(.*)$"), r'\1<b class="good">\2</b>'),
    (re.compile(r"(?m)^(\$ .*)$"), r"<b>\1</b>"),
)
"""How what dralint prints looks in colour."""
