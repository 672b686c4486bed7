"""Builds the playground: dralint, Python for the browser, and the editor, as files that any server can serve."""

from __future__ import annotations

import hashlib
import json
import lzma
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

import frame
import markup
import pages

from dralint.finding import catalogue
from dralint.kubernetes import shipped
from dralint.kubernetes.release import Release

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from string import Template

HERE = Path(__file__).resolve().parent / "playground"
ROOT = HERE.parents[1]
PACKAGES = {
    "click": ("click/",),
    "ruamel.yaml": ("ruamel/",),
    "rich": ("rich/__init__.py", "rich/_extension.py", "rich/cells.py", "rich/_unicode_data/"),
}
"""What dralint imports in the playground: distribution → beginnings of the files that are taken."""
UNUSED = re.compile(r"unicode([4-9]|1[0-6])-|(testing|_winconsole)\.py")
"""Files of these packages that nothing here imports: tables for older versions of Unicode, tests, Windows."""
UNUSED_FOLDERS = ("server", "upgrade", "_shipped/schemas")
"""Folders of dralint that nothing here imports: commands that the page does not offer. Only releases need schemas."""
FIRST = ("bad/claim.yaml", "good/slice.yaml", "good/training.yaml")
"""Files of `examples`: what dralint needs to check them is loaded first. The page opens with the first one."""
EXAMPLES = ("DRA203", "DRA101", "DRA302", "DRA107", "DRA215", "DRA430", "DRA436", "DRA502", "DRA504", "DRA810")
"""Rules whose first bad example the playground offers."""


def build_playground(out: Path, template: Template, navigation: Sequence[tuple[str, str, str]]) -> None:
    """Write the playground to a folder of the site; SystemExit where Node.js is missing."""
    npm = shutil.which("npm")
    if npm is None:
        raise SystemExit("the playground needs Node.js with npm; --no-playground leaves it out")
    installed, wanted = HERE / "node_modules/.package-lock.json", HERE / "package-lock.json"
    if not installed.is_file() or installed.stat().st_mtime < wanted.stat().st_mtime:
        subprocess.run([npm, "ci", "--no-audit", "--no-fund", "--loglevel=error"], cwd=HERE, check=True)
    with tempfile.TemporaryDirectory() as work:
        sources = Path(work)
        _stage(sources / "app", sources)
        texts = [str(ROOT / "examples" / name) for name in FIRST]
        subprocess.run(["node", str(HERE / "bundle.mjs"), str(sources), str(out), *texts], check=True)
    for name in ("first.wasm", "first.pack", "rest.pack"):
        content = (out / name).read_bytes()
        (out / name).unlink()
        (out / f"{name}.xz").write_bytes(_compressed(content))
    (out / "examples.json").write_text(json.dumps(list(_examples()), ensure_ascii=False), "utf-8")
    shutil.copyfile(HERE / "src" / "playground.css", out / "playground.css")
    page = pages.playground()
    rows = shipped.index()["releases"]
    known = sorted(map(Release.parse, rows["releases"]), reverse=True)
    final = "".join(f"<option>{release}</option>" for release in known)
    previews = "".join(f'<option value="{name}">{name} (preview)</option>' for name in rows["previews"])
    claim = (ROOT / "examples" / FIRST[0]).read_text("utf-8")
    findings = out / "findings.json"
    foretold = findings.read_text("utf-8").replace("<", "\\u003c")
    findings.unlink()
    size = sum((out / f"{name}.xz").stat().st_size for name in ("first.wasm", "first.pack"))
    body = (HERE / "src" / "body.html").read_text("utf-8").replace("RELEASES", previews + final)
    body = body.replace("NEWEST", str(known[0])).replace("FIRST", markup.code(claim, "yaml"))
    body = body.replace("FORETOLD", foretold).replace("BYTES", str(size))
    main = f'<main id="content">\n{body}\n</main>'
    text = frame.whole(template, page, main, navigation)
    text = text.replace("img-src 'self'", "img-src 'self' data:")  # how the editor underlines
    text = text.replace("script-src 'self'", "script-src 'self' 'wasm-unsafe-eval'; worker-src 'self' blob:")
    text = text.replace(
        "</head>",
        '<link rel="stylesheet" href="playground.css">\n<script type="module" src="python.js"></script>\n'
        '<script type="module" src="main.js"></script>\n</head>',
    )
    (out / "index.html").write_text(text, "utf-8")
    _write_service(out)


def _compressed(content: bytes) -> bytes:
    """Compress by xz with the check that the reader of the browser knows."""
    return lzma.compress(content, check=lzma.CHECK_CRC32, preset=9 | lzma.PRESET_EXTREME)


def _write_service(out: Path) -> None:
    """Write the program that keeps the playground for a visit without a network; it changes with any file it keeps."""
    shared = [out.parent / "static" / name for name in ("style.css", "site.js", "icon.svg")]
    files = sorted(file for file in out.iterdir() if file.name != "sw.js" and file.suffix != ".txt")
    digest = hashlib.sha256(b"".join(file.read_bytes() for file in (*files, *shared))).hexdigest()
    kept = ["./", *(file.name for file in files), *(f"../static/{file.name}" for file in shared)]
    text = (
        (HERE / "src" / "sw.js").read_text("utf-8").replace("VERSION", digest[:16]).replace("FILES", json.dumps(kept))
    )
    (out / "sw.js").write_text(text, "utf-8")


def _stage(app: Path, work: Path) -> None:
    """Write the Python files that the playground imports to a folder: those of the wheel, and of what it needs."""
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(work)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    with zipfile.ZipFile(next(work.glob("*.whl"))) as wheel:
        wheel.extractall(app, [name for name in wheel.namelist() if ".dist-info/" not in name])
    for folder in UNUSED_FOLDERS:
        shutil.rmtree(app / "dralint" / folder)
    with zipfile.ZipFile(next(work.glob("*.whl"))) as wheel:
        wheel.extractall(app, [name for name in wheel.namelist() if "/schemas/upstream/" in name])
    for name, beginnings in PACKAGES.items():
        for file in metadata.distribution(name).files or ():
            if file.suffix == ".py" and file.as_posix().startswith(beginnings) and not UNUSED.match(file.name):
                target = app / file.as_posix()
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(str(file.locate()), target)
    shutil.copyfile(HERE / "bridge.py", app / "bridge.py")
    shutil.copytree(HERE / "libyaml" / "yaml", app / "yaml", ignore=shutil.ignore_patterns("__pycache__"))


SIMULATED = {
    "works": "Simulate: two GPUs and a network card below one PCIe root",
    "tainted": "Simulate: devices with a taint that the claim does not tolerate",
    "nine-gpus": "Simulate: nine GPUs, and no node that has them",
}
"""File of `examples/simulate` → what it shows."""


def _examples() -> Iterator[dict[str, object]]:
    root = ROOT / "examples"
    claim = (root / "bad" / "claim.yaml").read_text("utf-8")
    yield {"title": "A claim with three mistakes", "state": {"files": [["claim.yaml", claim]]}}
    stock = (root / "simulate" / "inventory.yaml").read_text("utf-8")
    for name, title in SIMULATED.items():
        path = root / "simulate" / f"{name}.yaml"
        files = [[path.name, path.read_text("utf-8")]]
        yield {"title": title, "state": {"files": files, "inventory": stock}}
    for rule in EXAMPLES:
        row = catalogue.rules()[rule]
        state = pages.example_state(row, row.examples["bad"][0])
        if state is not None:
            title = row.examples["bad"][0]["title"]
            yield {"title": f"{title[:1].upper()}{title[1:]} ({rule})", "state": state}
