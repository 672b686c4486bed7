"""What stands around the text of a page: the way to it, its neighbours, its contents, and the frame of all pages."""

from __future__ import annotations

import html
import re
import subprocess
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote

from markup import relative, sections, slug

from dralint import __repository__, __version__
from dralint.finding.catalogue import SITE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from string import Template

    from markup import Page

ROOT = Path(__file__).resolve().parents[1]
LONG = 60
"""From this many neighbours on, the side shows only those of one group, and links to the others in their list."""
MOST = 30
"""A table of contents with more entries than this has only the headings of the second level."""


class Tree:
    """Which page is below which."""

    def __init__(self, pages: Iterable[Page]) -> None:
        """Take all pages; those below one page keep their order."""
        self.pages = {page.address: page for page in pages}
        self.below: dict[str, list[Page]] = {}
        for page in self.pages.values():
            if page.parent:
                self.below.setdefault(page.parent, []).append(page)

    def trail(self, page: Page) -> list[Page]:
        """Return the pages above a page, the highest first."""
        above = self.pages.get(page.parent)
        return [] if above is None else [*self.trail(above), above]

    def around(self, page: Page, body: str) -> str:
        """Return a page with its side navigation, the way to it, its contents, and its neighbours."""
        listed = list(_contents(page)) if len(self.below.get(page.address, ())) < LONG else []
        contents = f'<ul class="contents">{"".join(listed)}</ul>' if len(listed) > 1 else ""
        lines = ['<div class="layout">', *self._side(page), '<main id="content">', *self._trail(page)]
        within = f'</h1>\n<details class="within"><summary>On this page</summary>{contents}</details>'
        body = body.replace("</h1>", within, 1) if contents else body
        lines += [f"<article>\n{body}\n</article>", *self._nearby(page), *_edit(page), "</main>"]
        lines += (
            [f'<nav class="beside" aria-label="On this page"><h2>On this page</h2>{contents}</nav>'] if contents else []
        )
        return "\n".join([*lines, "</div>"])

    def _trail(self, page: Page) -> Iterator[str]:
        above = self.trail(page)
        if above:
            links = "".join(f"<li>{_link(each, page)}</li>" for each in above)
            here = f'<li aria-current="page">{_name(page)}</li>'
            yield f'<nav class="trail" aria-label="Breadcrumbs"><ol>{links}{here}</ol></nav>'

    def _side(self, page: Page) -> Iterator[str]:
        top = self.pages.get(page.parent) or page
        near = self.below.get(top.address, [])
        if not near:
            return
        yield f'<nav class="side" aria-label="{html.escape(top.title)}">'
        yield f"<p>{_link(top, page)}</p>"
        for group, members in groupby(near, key=lambda each: each.group):
            if len(near) < LONG or group == page.group:
                yield f"<h2>{html.escape(group)}</h2>" if group else ""
                yield f"<ul>{''.join(self._entry(each, page) for each in members)}</ul>"
            else:
                address = f"{relative(top.address, page.address)}#{slug(group)}"
                yield f'<p><a href="{html.escape(address)}">{html.escape(group)}</a></p>'
        yield "</nav>"

    def _entry(self, each: Page, page: Page) -> str:
        inner = (
            "".join(f"<li>{_link(one, page)}</li>" for one in self.below.get(each.address, ())) if each is page else ""
        )
        return f"<li>{_link(each, page)}{f'<ul>{inner}</ul>' if inner else ''}</li>"

    def _nearby(self, page: Page) -> Iterator[str]:
        near = self.below.get(page.parent, [page])
        at = near.index(page)
        if len(near) > 1:
            yield '<nav class="nearby" aria-label="Neighbours">'
            yield (
                f'<a rel="prev" href="{relative(near[at - 1].address, page.address)}">{_name(near[at - 1])}</a>'
                if at
                else ""
            )
            if at + 1 < len(near):
                yield f'<a rel="next" href="{relative(near[at + 1].address, page.address)}">{_name(near[at + 1])}</a>'
            yield "</nav>"


_BREAK = re.compile(r"(?<=\.)(?=\w)|(?<=[a-z])(?=[A-Z])")
"""Where the name of a field, a gate or a driver can break: after a full stop, and before a capital within a word."""


def _name(page: Page) -> str:
    return _BREAK.sub("<wbr>", html.escape(page.short or page.title))


def _link(to: Page, page: Page) -> str:
    current = ' aria-current="page"' if to is page else ""
    return f'<a href="{relative(to.address, page.address)}"{current}>{_name(to)}</a>'


def _contents(page: Page) -> Iterator[str]:
    found = list(sections(page))[1:]
    deepest = 3 if len(found) <= MOST else 2
    for each in found:
        if each.level <= deepest:
            link = f'<a href="#{html.escape(each.anchor)}">{html.escape(each.heading)}</a>'
            yield f'<li class="level{each.level}">{link}</li>'


def _edit(page: Page) -> Iterator[str]:
    """Yield the link to the file of a page; a page that is generated has its facts beside it, in YAML."""
    if page.source:
        facts = Path(page.source).with_suffix(".yaml")
        file = facts.as_posix() if (ROOT / facts).is_file() else page.source
        yield f'<p class="edit"><a href="{__repository__}/edit/main/{quote(file)}">Edit this page</a></p>'


class Built(NamedTuple):
    """The commit that a site is made of, and its day."""

    commit: str
    day: str


@cache
def built() -> Built | None:
    """Return the commit of the checkout; None where git does not know it."""
    command = ["git", "log", "-1", "--format=%h %cs"]
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return Built(*done.stdout.split())


def whole(template: Template, page: Page, middle: str, navigation: Sequence[tuple[str, str, str]]) -> str:
    """Return the page in the frame that all pages share."""
    links = [
        f'<a href="{relative(address, page.address)}"{" aria-current=page" if section == page.section else ""}>'
        f"{html.escape(title)}</a>"
        for section, title, address in navigation
    ]
    title = f"{page.title} · dralint"
    if page.address == "index.html":
        title = "dralint: a linter for Kubernetes Dynamic Resource Allocation"
    commit = built()
    return template.substitute(
        title=html.escape(title),
        description=html.escape(description(page)),
        canonical=html.escape(SITE + quote(page.address.removesuffix("index.html"))),
        site=SITE,
        address=html.escape(page.address),
        version=__version__,
        built=f", commit {commit.commit} of {commit.day}" if commit else "",
        top=relative(".", page.address).rstrip("/"),
        navigation="\n".join(links),
        middle=middle,
        repository=__repository__,
    )


def description(page: Page) -> str:
    """Return what a page is about, for search engines and previews of links: its first sentences."""
    text = next((each.lead for each in sections(page) if each.lead), page.title)
    return text if len(text) <= 160 else f"{text[:157].rpartition(' ')[0]} …"
