"""Makes events.wasm of libyaml's source (Debian) and events.c; `--check` compares it with the file in the repository.

Needs apt-get, and PyPI for the compiler (ziglang).
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
MADE = HERE / "events.wasm"
MIRROR = "deb-src http://deb.debian.org/debian bookworm main\n"
SOURCE = "libyaml_0.2.5.orig.tar.gz"
SHA256 = "fa240dbf262be053f3898006d502d514936c818e422afdcf33921c63bed9bf2e"
COMPILER = "ziglang==0.17.1"
OPTIONS = (
    *("-target", "wasm32-wasi", "-mexec-model=reactor", "-Oz", "-flto", "-s"),
    *("-DNDEBUG", "-DYAML_DECLARE_STATIC", '-DYAML_VERSION_STRING="0.2.5"'),
    *("-DYAML_VERSION_MAJOR=0", "-DYAML_VERSION_MINOR=2", "-DYAML_VERSION_PATCH=5"),
)


def made(work: Path) -> bytes:
    """Return the WebAssembly of the pinned source and compiler."""
    compiler = work / "compiler"
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--target", str(compiler), COMPILER]
    subprocess.run(pip, check=True)
    source = _source(work)
    files = [source / "src" / f"{name}.c" for name in ("api", "reader", "scanner", "parser")]
    includes = [f"-I{source / 'include'}", f"-I{source / 'src'}"]
    command: list[str | Path] = [compiler / "ziglang" / "zig", "cc", *OPTIONS, *includes, *files, HERE / "events.c"]
    subprocess.run([*command, "-o", work / "events.wasm"], check=True)
    return (work / "events.wasm").read_bytes()


def _source(work: Path) -> Path:
    """Download libyaml's source and return its folder."""
    (work / "sources.list").write_text(MIRROR, "utf-8")
    places = {"Dir::Etc::sourcelist": "sources.list", "Dir::State::lists": "lists", "Dir::Cache": "cache"}
    options = ["-o", "Dir::Etc::sourceparts=-", "-o", "APT::Sandbox::User=root"]
    for name, place in places.items():
        options += ["-o", f"{name}={work / place}"]
    for folder in ("lists/partial", "cache/archives/partial"):
        (work / folder).mkdir(parents=True)
    for command in (["update"], ["source", "--download-only", "libyaml"]):
        subprocess.run(["apt-get", "--quiet", *options, *command], cwd=work, check=True, stdout=subprocess.DEVNULL)
    archive = work / SOURCE
    if hashlib.sha256(archive.read_bytes()).hexdigest() != SHA256:
        raise SystemExit(f"{SOURCE} is not the file that it was")
    with tarfile.open(archive) as files:
        files.extractall(work, filter="data")
    return next(work.glob("libyaml-*/"))


def main() -> None:
    """Write the file, or compare it."""
    with tempfile.TemporaryDirectory() as work:
        wasm = made(Path(work))
    if "--check" not in sys.argv:
        MADE.write_bytes(wasm)
    elif wasm != MADE.read_bytes():
        raise SystemExit(f"{MADE} is not what its source gives: run {Path(__file__).name}")


if __name__ == "__main__":
    main()
