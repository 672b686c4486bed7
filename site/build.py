"""Builds the site: documentation, a page for each rule and field, JSON Schemas, and the playground.

python site/build.py OUT                   writes the whole site to OUT, which must be new, empty, or an earlier site
python site/build.py OUT --no-playground   leaves out the playground, which needs Node.js
"""

from __future__ import annotations

import argparse
import html
import json
import posixpath
import re
import shutil
import sys
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlsplit

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
sys.path.insert(0, str(ROOT))

import markup  # noqa: E402
import pages  # noqa: E402
from frame import Tree, whole  # noqa: E402
from markup import Page  # noqa: E402

from dralint.config import table  # noqa: E402
from dralint.finding.catalogue import SITE  # noqa: E402
from dralint.kubernetes import shipped  # noqa: E402
from dralint.kubernetes.release import Release  # noqa: E402
from dralint.schema import schemas  # noqa: E402
from dralint.schema.openapi import CORE  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Iterator

NAVIGATION = (
    ("playground", "Playground", "playground/index.html"),
    ("docs", "Guides", "docs/index.html"),
    ("rules", "Rules", "rules/index.html"),
    ("fields", "Fields", "fields/index.html"),
    ("releases", "Releases", "releases.html"),
    ("drivers", "Drivers", "drivers/index.html"),
)
"""Section, title and address of the links that every page has."""
LAYOUT = "{{.Release}}/" + schemas.LAYOUT
PHRASES = {
    "docs/triage.md": ("pod pending", "what is broken in my cluster", "why does my pod wait"),
    "docs/silencing.md": ("silence", "suppress", "ignore", "disable a rule"),
    "docs/simulating.md": ("why does my pod get no gpu", "which devices does a pod get"),
    "docs/migrating.md": ("convert", "rewrite", "v1alpha3 to v1", "v1beta1 to v1"),
}
"""Guide → what people ask who look for it, in words that it does not have in a heading."""
MARK = "search.json"
"""A file that says that a folder is an earlier site."""
TOPS = {address for _, _, address in NAVIGATION}


def written() -> dict[str, str]:
    """Return the Markdown files of the repository that are pages: file → address."""
    out = {"rules/README.md": "rules/index.html", "dralint/cel/README.md": "cel.html", "README.md": "about.html"}
    out |= {name: f"{name.removesuffix('.md').lower()}.html" for name in ("CONTRIBUTING.md", "CHANGELOG.md")}
    out |= {"rules/topics.md": "rules/topics.html", "drivers/README.md": "drivers/index.html"}
    out |= {
        f"drivers/{file.stem}.md": f"drivers/{file.stem}.html" for file in sorted((ROOT / "drivers").glob("*.yaml"))
    }
    for file in sorted((ROOT / "docs").rglob("*.md")):
        name = file.relative_to(ROOT).as_posix()
        out[name] = name.removesuffix(".md").removesuffix("README") + ".html"
    return out


def guides() -> dict[str, tuple[str, str]]:
    """Return what the list of the guides has, in its order: file → its group, and its name there."""
    out: dict[str, tuple[str, str]] = {}
    group = ""
    for line in (ROOT / "docs" / "index.md").read_text("utf-8").splitlines():
        if line.startswith("## "):
            group = line.removeprefix("## ")
        elif row := re.match(r"(?:\| )?\[([^]]+)\]\(([^)]+)\)", line):
            out[posixpath.normpath(f"docs/{row[2]}")] = (group, row[1])
    return out


def every_page() -> tuple[list[Page], dict[str, str]]:
    """Return all pages, and the addresses of the files of the repository that are pages."""
    addresses = written()
    listed = guides()
    found = [pages.home(ROOT)]
    for file in sorted(addresses, key=lambda name: list(listed).index(name) if name in listed else -1):
        page = Page(
            addresses[file], (ROOT / file).read_text("utf-8"), file, file.partition("/")[0], PHRASES.get(file, ())
        )
        if file in listed and page.address not in TOPS:
            page.group, page.short = listed[file]
            page.parent, page.section = "docs/index.html", "docs"
        elif page.section == "drivers" and page.address not in TOPS:
            page.parent = "drivers/index.html"
        found.append(page)
    for page in pages.rule_pages(ROOT):
        addresses[page.source] = page.address
        found.append(page)
    found += [*pages.field_pages(), pages.releases_page(), *pages.gate_pages(), pages.bugs_page(ROOT)]
    addresses["rules/known-bugs.md"] = "rules/known-bugs.html"
    addresses["site/playground"] = pages.PLAYGROUND
    found.append(schemas_page())
    for page in found:
        page.short = page.short or next((title for _, title, address in NAVIGATION if address == page.address), "")
    return found, addresses


def _releases() -> list[Release]:
    return sorted(map(Release.parse, shipped.index()["releases"]["releases"]), reverse=True)


def schema_files() -> Iterator[tuple[str, Any]]:
    """Yield address and contents of each JSON Schema, and their catalogue in the form of SchemaStore."""
    known = _releases()
    built = {release: schemas.of_document(release, shipped.openapi(str(release))) for release in known}
    for path, schema in schemas.layout_files(LAYOUT, built).items():
        yield f"schemas/{path}", schema
    bundles = {}
    for release in known:
        bundles[str(release)] = f"schemas/{release}/all.json"
        core = shipped.openapi(str(release))["schemas"][CORE]
        yield bundles[str(release)], schemas.bundle(release, built[release], core)
    newest = str(known[0])
    yield "schemas/all.json", schemas.bundle(known[0], built[known[0]], shipped.openapi(newest)["schemas"][CORE])
    yield "schemas/dralint.json", table.schema()
    yield (
        "schemas/catalog.json",
        {
            "$schema": "https://json.schemastore.org/schema-catalog.json",
            "version": 1,
            "schemas": [
                {
                    "name": "Kubernetes Dynamic Resource Allocation",
                    "description": "Manifests of resource.k8s.io, and the resource claims of Pods and workloads",
                    "fileMatch": ["*.dra.yaml", "*.dra.yml", "*.dra.json"],
                    "url": f"{SITE}schemas/all.json",
                    "versions": {release: SITE + path for release, path in bundles.items()},
                },
                {
                    "name": "dralint",
                    "description": "The configuration of dralint",
                    "fileMatch": [".dralint.yaml", ".dralint.yml"],
                    "url": f"{SITE}schemas/dralint.json",
                },
            ],
        },
    )


def schemas_page() -> Page:
    """Return the page that says where the schemas lie."""
    lines = ["# JSON Schemas", "", (HERE / "schemas.md").read_text("utf-8").strip().format(site=SITE), ""]
    lines += ["| release | all kinds | one kind |", "|---|---|---|"]
    for release in _releases():
        kinds = [
            f"[{kind} {api_version.rpartition('/')[2]}]({schemas.place(LAYOUT, release, api_version, kind)})"
            for api_version, rows in sorted(shipped.openapi(str(release))["kinds"].items())
            for kind in sorted(row["kind"] for row in rows)
        ]
        lines.append(f"| {release} | [all.json]({release}/all.json) | {', '.join(kinds)} |")
    return Page("schemas/index.html", "\n".join(lines), section="releases", parent="releases.html")


def build(out: Path, *, playground: bool) -> int:
    """Write the site, and return how many pages it has."""
    if out.exists() and any(out.iterdir()):
        if not (out / MARK).is_file():
            raise SystemExit(f"{out} is not empty, and is no site that this program has written")
        shutil.rmtree(out)
    template = Template((HERE / "static" / "page.html").read_text("utf-8"))
    found, addresses = every_page()
    pictures = {
        path.relative_to(ROOT).as_posix(): f"static/{path.name}"
        for path in (
            *(ROOT / "examples").glob("*.svg"),
            *(ROOT / "docs/pictures").glob("*"),
            *(HERE / "pictures").glob("*"),
        )
    }
    names = pages.names(found)
    tree = Tree(found)
    navigation = NAVIGATION if playground else NAVIGATION[1:]
    for page in found:
        body = markup.rendered(page, addresses, pictures, names, ROOT)
        body = pages.playground_links(pages.completed(body, page, ROOT), page.address)
        _write(out / page.address, whole(template, page, tree.around(page, body), navigation))
    for alias, address in pages.aliases():
        if not (out / alias).exists():  # a file system that takes both cases for one has it
            _write(out / alias, ALIAS.format(to=posixpath.basename(address), whole=SITE + address))
    reached = [*found, *([pages.playground()] if playground else [])]
    _write_for_crawlers(out, [page.address for page in reached])
    lost = Page("404.html", LOST)
    body = f'<main id="content" class="lost">{markup.rendered(lost, addresses, pictures, {}, ROOT)}</main>'
    # It is shown at any address, so its links begin at the top of the server.
    text = re.sub(
        r'((?:href|src|data-top)=")(?![a-z]+:|#)(?:\./|\.(?="))?', rf"\1{TOP}", whole(template, lost, body, navigation)
    )
    _write(out / lost.address, text.replace(f'data-top="{TOP}"', f'data-top="{TOP.rstrip("/")}"'))
    entries = list(pages.searched(reached))
    _write(out / MARK, json.dumps(entries, ensure_ascii=False, separators=(",", ":")))
    for address, schema in schema_files():
        _write(out / address, json.dumps(schema, indent=1, sort_keys=True) + "\n")
    (out / "static").mkdir()
    for file in sorted((HERE / "static").iterdir()):
        if file.name != "page.html":
            shutil.copyfile(file, out / "static" / file.name)
    for source, address in pictures.items():
        (out / address).write_bytes((ROOT / source).read_bytes())
    if playground:
        from bundle import build_playground

        build_playground(out / "playground", template, navigation)
    return len(found)


TOP = urlsplit(SITE).path
LOST = """# There is no such page

Search above, or go to the [rules](rules/index.html), the [guides](docs/index.html) or the [start](index.html).
"""
"""What a server shows in the place of a page that does not exist."""
ALIAS = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{to}</title>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'">
<meta http-equiv="refresh" content="0; url={to}"><link rel="canonical" href="{whole}"></head>
<body><a href="{to}">{to}</a></body></html>
"""
"""A page that leads to another one."""


def _write_for_crawlers(out: Path, addresses: list[str]) -> None:
    """Write which pages there are."""
    rows = "".join(f"<url><loc>{html.escape(SITE + quote(address))}</loc></url>\n" for address in sorted(addresses))
    space = "http://www.sitemaps.org/schemas/sitemap/0.9"
    _write(out / "sitemap.xml", f'<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="{space}">\n{rows}</urlset>\n')
    _write(out / "robots.txt", f"User-agent: *\nAllow: /\nSitemap: {SITE}sitemap.xml\n")


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")


def main(arguments: list[str]) -> int:
    """Build the site and say how large it is."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("--no-playground", action="store_true", help="leave out what needs Node.js")
    options = parser.parse_args(arguments)
    number = build(options.out, playground=not options.no_playground)
    size = sum(file.stat().st_size for file in options.out.rglob("*") if file.is_file())
    print(f"{options.out}: {number} pages, {size / 1e6:.1f} MB")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
