"""Markdown to the pages of the site: links to files of the repository become links to pages, code is coloured."""

from __future__ import annotations

import html
import posixpath
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import quote, urlsplit

from markdown_it import MarkdownIt
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound

from dralint import __repository__, __version__
from dralint.finding.catalogue import SITE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path
    from string import Template

    from markdown_it.token import Token

_COMMENT = re.compile(r"^<!--.*?-->\n?", re.MULTILINE | re.DOTALL)
_HEADING = re.compile(r"(<h1[^>]*>)([^ <]*)")
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
        words: further words that the search finds it by.
    """

    address: str
    text: str
    source: str = ""
    section: str = ""
    words: str = ""
    title: str = field(init=False)

    def __post_init__(self) -> None:
        """Take the title from the first heading."""
        self.title = self.text.lstrip().splitlines()[0].lstrip("# ").replace("`", "")


def rendered(page: Page, pages: Mapping[str, str], files: Mapping[str, str], root: Path) -> str:
    """Return the HTML of the text of a page.

    Args:
        page: its Markdown.
        pages: file of the repository → address of its page.
        files: file of the repository → address of its copy.
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
    body = "".join(_html(tokens))
    return _HEADING.sub(lambda match: match[1] + match[2].replace(".", ".<wbr>"), body, count=1)


def slug(text: str) -> str:
    """Return the name of a heading in a link, as the repository's host makes it."""
    return _NOT_OF_A_SLUG.sub("", text.strip().lower()).replace(" ", "-")


def relative(address: str, start: str) -> str:
    """Return the link from the page `start` to an address of the site."""
    return quote(posixpath.relpath(address, posixpath.dirname(start) or "."), safe="/#.-_~")


def sections(page: Page) -> Iterator[tuple[str, str, str]]:
    """Yield heading, anchor and plain text of each part of a page; a part of code alone is found by its heading."""
    tokens = _MARKDOWN.parse(_COMMENT.sub("", page.text))
    slugs: dict[str, int] = {}
    heading, anchor, words = page.title, "", [page.words]
    for at, token in enumerate(tokens):
        if token.type == "heading_open" and token.tag in ("h2", "h3"):
            yield heading, anchor, " ".join(" ".join(words).split())
            heading = _plain(tokens[at + 1])
            anchor, words = _unique(slug(heading), slugs), []
        elif token.type == "heading_open":
            _unique(slug(_plain(tokens[at + 1])), slugs)
        elif token.type == "inline" and tokens[at - 1].type != "heading_open":
            words.append(_plain(token))
    yield heading, anchor, " ".join(" ".join(words).split())


def whole(template: Template, page: Page, body: str, navigation: Sequence[tuple[str, str, str]]) -> str:
    """Return the page in the frame that all pages share."""
    links = [
        f'<a href="{relative(address, page.address)}"{" aria-current=page" if section == page.section else ""}>'
        f"{html.escape(title)}</a>"
        for section, title, address in navigation
    ]
    title = page.title if page.address == "index.html" else f"{page.title} · dralint"
    return template.substitute(
        title=html.escape(
            title if title != "dralint" else "dralint: a linter for Kubernetes Dynamic Resource Allocation"
        ),
        description=html.escape(description(page)),
        canonical=html.escape(SITE + quote(page.address.removesuffix("index.html"))),
        version=__version__,
        top=relative(".", page.address).rstrip("/"),
        navigation="\n".join(links),
        body=body,
        repository=__repository__,
    )


def description(page: Page) -> str:
    """Return what a page is about, for search engines and previews of links: its first sentences."""
    text = " ".join(next((text for _, _, text in sections(page) if text), page.title).split())
    return text if len(text) <= 160 else f"{text[:157].rpartition(' ')[0]} …"


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
    return f'<pre tabindex="0" class="code {html.escape(language or "text")}"><code>{coloured}</code></pre>'
