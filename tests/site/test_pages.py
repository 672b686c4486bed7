"""The site: every link leads somewhere, nothing comes from elsewhere, and every finding's page exists."""

from __future__ import annotations

import base64
import html
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
        alias = 'http-equiv="refresh"' in file.read_text("utf-8")
        assert [policy.startswith("default-src 'none'" if alias else POLICY) for policy in seen.policies] == [True], (
            file
        )
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
    assert '<a href="all.json">' in (site / "schemas/index.html").read_text("utf-8")
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


def test_a_rule_has_an_address_in_lower_case_and_one_by_its_name(site: Path) -> None:
    for alias in ("dra203", "unknown-request"):
        text = (site / "rules" / f"{alias}.html").read_text("utf-8")
        assert 'content="0; url=DRA203.html"' in text
        assert f'<link rel="canonical" href="{catalogue.SITE}rules/DRA203.html">' in text


def test_a_page_has_the_way_to_it_its_contents_its_neighbours_and_its_source(site: Path) -> None:
    rule = (site / "rules/DRA203.html").read_text("utf-8")
    field = (site / "fields/ResourceClaim.spec.devices.requests.html").read_text("utf-8")
    guide = (site / "docs/simulating.html").read_text("utf-8")

    assert '<nav class="trail" aria-label="Breadcrumbs"><ol><li><a href="index.html">Rules</a></li>' in rule
    assert '<a rel="prev" href="DRA202.html">' in rule
    assert '<a rel="next" href="DRA204.html">' in rule
    assert f"{__repository__}/edit/main/rules/DRA203-unknown-request.yaml" in rule
    assert '<h2 id="why">Why <a class="anchor" href="#why" aria-label="Link to: Why">#</a></h2>' in rule
    assert rule.count('<a href="#what-to-do">What to do</a>') == 2  # for a narrow window and for a wide one
    assert '<a href="ResourceClaim.spec.devices.html">' in field
    assert '<a href="ResourceClaim.spec.devices.requests.exactly.html">' in field
    assert '<h2>Set up</h2><ul><li><a href="install.html">Install</a></li>' in guide.replace("\n", "")


def test_the_foot_of_a_page_says_its_version_and_day(site: Path) -> None:
    text = (site / "index.html").read_text("utf-8")

    assert re.search(r"dralint \d+\.\d+\.\d+, commit [0-9a-f]{7,} of \d{4}-\d\d-\d\d", text)


def test_the_rules_are_listed_by_family_with_what_their_filter_asks(site: Path) -> None:
    text = (site / "rules/index.html").read_text("utf-8")

    assert len(re.findall("<h2 ", text)) == 10
    assert text.count("<tr>\n<td>") == len(catalogue.rules())
    assert '<form id="filter" hidden' in text
    assert "generate.py" not in text


def test_evidence_is_one_click_away(site: Path) -> None:
    field = (site / "fields/ResourceClaim.spec.devices.requests.exactly.deviceClassName.html").read_text("utf-8")
    reference = (
        "https://kubernetes.io/docs/reference/generated/kubernetes-api/v1.37/#exactdevicerequest-v1-resource-k8s-io"
    )

    assert f'href="{reference}"' in field
    assert "kubernetes/blob/v1.37.0/staging/src/k8s.io/api/resource/v1/types.go" in field
    assert 'href="https://kep.k8s.io/5055"' in (site / "gates/DRADeviceTaints.html").read_text("utf-8")
    bugs = (site / "rules/known-bugs.html").read_text("utf-8")
    assert 'href="https://github.com/kubernetes/kubernetes/issues/141323"' in bugs
    driver = (site / "drivers/gpu.nvidia.com.html").read_text("utf-8")
    assert 'href="https://github.com/kubernetes-sigs/dra-driver-nvidia-gpu"' in driver


def test_code_that_names_a_rule_a_field_or_a_gate_is_a_link(site: Path) -> None:
    topics = (site / "rules/topics.html").read_text("utf-8")

    assert '<a href="DRA438.html"><code>dralint explain DRA438</code></a>' in topics
    assert '<a href="../fields/ResourceClaim.status.allocation.html">' in topics


def test_the_site_does_not_say_that_it_is_not_published(site: Path) -> None:
    about = (site / "about.html").read_text("utf-8")

    assert "not published yet;" not in about
    assert 'href="playground/index.html">The playground</a>' in about


def test_the_first_page_shows_the_job_of_the_page_on_ci(site: Path) -> None:
    home = html.unescape(re.sub("<[^>]+>", "", (site / "index.html").read_text("utf-8")))

    assert "- uses: dralint/dralint@" in home
    assert f"{len(catalogue.rules())} rules" in home


def test_links_to_the_site_have_a_picture(site: Path) -> None:
    text = (site / "index.html").read_text("utf-8")

    assert f'<meta property="og:image" content="{catalogue.SITE}static/preview.png">' in text
    assert (site / "static/preview.png").read_bytes()[16:24] == (1200).to_bytes(4, "big") + (630).to_bytes(4, "big")


def test_a_guide_is_named_by_its_subject(pages: dict[Path, Seen], site: Path) -> None:
    for file in (site / "docs").glob("*.html"):
        assert re.findall(r">[\w/-]+\.md</a>", file.read_text("utf-8")) == [], file.name
