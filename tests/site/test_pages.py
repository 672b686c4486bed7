"""The site: every link leads somewhere, nothing comes from elsewhere, and every finding's page exists."""

from __future__ import annotations

import base64
import json
import re
import subprocess
import sys
import zlib
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from dralint import __repository__
from dralint.finding import catalogue

ROOT = Path(__file__).parents[2]
POLICY = "default-src 'none'; script-src 'self';"
pytestmark = pytest.mark.slow


class Seen(HTMLParser):
    """What a page has: anchors, links, sources of what it loads, policies, and code or style of its own."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.policies: list[str] = []
        self.inline: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        row = {name: value or "" for name, value in attrs}
        if "id" in row:
            assert row["id"] not in self.ids, row["id"]
            self.ids.add(row["id"])
        if tag == "a" and "href" in row:
            self.links.append(row["href"])
        if row.get("rel") == "canonical":
            return
        self.loads += [row[name] for name in ("src", "href") if name in row and tag in ("script", "link", "img")]
        if row.get("http-equiv") == "Content-Security-Policy":
            self.policies.append(row["content"])
        self.inline += [name for name in row if name == "style" or name.startswith("on")]
        self.inline += [tag] if tag == "style" or (tag == "script" and "src" not in row) else []


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the site without the playground and return its folder."""
    out = tmp_path_factory.mktemp("site") / "site"
    subprocess.run([sys.executable, str(ROOT / "site" / "build.py"), str(out), "--no-playground"], check=True)
    return out


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[Path, Seen]:
    return {file: Seen(file.read_text("utf-8")) for file in site.rglob("*.html")}


def test_every_internal_link_leads_to_a_page_and_an_anchor(site: Path, pages: dict[Path, Seen]) -> None:
    broken = []
    for file, seen in pages.items():
        for link in (*seen.links, *seen.loads):
            parts = urlsplit(link)
            if parts.scheme or "playground/" in parts.path:
                continue
            top = urlsplit(catalogue.SITE).path
            path = parts.path.removeprefix(top) if parts.path.startswith(top) else parts.path
            target = ((site if path != parts.path else file.parent) / unquote(path)).resolve() if parts.path else file
            anchors = pages[target].ids if target in pages else set()
            if not target.is_file() or (parts.fragment and unquote(parts.fragment) not in anchors):
                broken.append((file.relative_to(site).as_posix(), link))

    assert broken == []


def test_a_page_has_a_strict_policy_and_loads_nothing_from_elsewhere(pages: dict[Path, Seen]) -> None:
    for file, seen in pages.items():
        assert [policy.startswith(POLICY) for policy in seen.policies] == [True], file
        assert seen.inline == [], file
        assert [link for link in seen.loads if urlsplit(link).scheme or link.startswith("//")] == [], file


def test_the_link_of_a_finding_leads_to_the_page_of_its_rule(site: Path) -> None:
    for rule in catalogue.rules().values():
        assert rule.url.startswith(catalogue.SITE)
        page = (site / rule.url.removeprefix(catalogue.SITE)).read_text("utf-8")
        assert f"{rule.id} {rule.name}" in page


def test_the_search_finds_every_rule_by_its_number(site: Path) -> None:
    titles = {row["t"].split()[0] for row in json.loads((site / "search.json").read_text("utf-8"))}

    assert set(catalogue.rules()) <= titles


def test_a_try_link_holds_the_manifest_of_its_example(site: Path) -> None:
    page = (site / "rules" / "DRA203.html").read_text("utf-8")
    packed = re.findall(r'href="\.\./playground/index\.html#([\w-]+)"', page)
    state = json.loads(zlib.decompress(base64.urlsafe_b64decode(packed[0] + "=="), -15))

    assert state["files"][0][1] == catalogue.rules()["DRA203"].examples["bad"][0]["manifest"]


def test_the_catalogue_of_schemas_names_files_of_the_site(site: Path) -> None:
    listed = json.loads((site / "schemas" / "catalog.json").read_text("utf-8"))["schemas"]
    urls = [url for row in listed for url in (row["url"], *row.get("versions", {}).values())]

    assert len(urls) == 14
    for url in urls:
        schema = json.loads((site / url.removeprefix(catalogue.SITE)).read_text("utf-8"))
        assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"


def test_a_folder_that_is_no_site_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    done = subprocess.run(
        [sys.executable, str(ROOT / "site" / "build.py"), str(tmp_path)], capture_output=True, text=True, check=False
    )

    assert done.returncode == 1
    assert "is no site that this program has written" in done.stderr
    assert (tmp_path / "mine.txt").read_text() == "mine"


def test_a_page_says_what_it_is_and_where_it_lies(site: Path) -> None:
    titles = set()
    for address in ("index.html", "rules/DRA203.html", "docs/install.html"):
        text = (site / address).read_text("utf-8")
        wanted = catalogue.SITE + address.removesuffix("index.html")
        assert f'<link rel="canonical" href="{wanted}">' in text
        assert re.search(r'<meta name="description" content="[^"]{20,}">', text), address
        titles |= set(re.findall("<title>(.*)</title>", text))

    assert len(titles) == 3
    assert "dralint · dralint" not in titles


def test_crawlers_find_every_page_and_a_lost_reader_the_search(site: Path) -> None:
    listed = re.findall("<loc>(.*)</loc>", (site / "sitemap.xml").read_text("utf-8"))
    lost = (site / "404.html").read_text("utf-8")

    assert {url.removeprefix(catalogue.SITE) for url in listed} >= {"index.html", "rules/DRA203.html"}
    for url in listed:
        assert (site / unquote(url.removeprefix(catalogue.SITE))).is_file()
    assert f"{catalogue.SITE}sitemap.xml" in (site / "robots.txt").read_text("utf-8")
    assert 'id="search"' in lost


def test_the_home_page_says_how_to_install_it_and_how_it_looks(site: Path) -> None:
    home = (site / "index.html").read_text("utf-8")

    assert f"git+{__repository__}" in re.sub("<[^>]+>", "", home)
    assert "DRA203" in home
    assert 'href="docs/ci.html"' in home
