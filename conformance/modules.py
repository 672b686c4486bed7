"""Kubernetes' Go modules: their versions, their source, and programs built with them."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

from dralint.kubernetes import shipped

if TYPE_CHECKING:
    from collections.abc import Iterable

HERE = Path(__file__).parent
KUBERNETES = "k8s.io/kubernetes"
_STAGING = re.compile(r"^\s*(k8s\.io/[a-z0-9-]+)\s+(?:v0\.0\.0$|=> \./staging/)", re.MULTILINE)
_ENVIRONMENT = {"GOTOOLCHAIN": "auto", "CGO_ENABLED": "0", "GOFLAGS": "-mod=mod -modcacherw -buildvcs=false"}


class GoError(Exception):
    """Go is not there, or did not do what was asked."""


def work() -> Path:
    """Return the folder for builds, outside of the checkout."""
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(os.environ.get("DRALINT_CONFORMANCE") or Path(cache) / "dralint-conformance")


def version(release: str) -> str:
    """Return the version of Kubernetes that `1.37`, `1.37.1` or `1.38.0-alpha.0` names, without its `v`."""
    if release.count(".") > 1:
        return release.removeprefix("v")
    known = shipped.index()["releases"]
    row = known["releases"].get(release) or known["previews"].get(release)
    if row is None:
        raise GoError(f"rules/releases.yaml has no tag for {release}: name a patch release, such as {release}.0")
    return str(row["tag"]).removeprefix("v")


def minor(release: str) -> str:
    """Return `1.37` of `1.37.1`."""
    return ".".join(release.removeprefix("v").split(".")[:2])


def staging(release: str) -> str:
    """Return the version of the modules such as k8s.io/api: v0.37.1 for 1.37.1."""
    return "v0." + version(release).partition(".")[2]


def source(module: str, wanted: str) -> Path:
    """Return the folder with the source of a module, downloaded where it is not there yet."""
    out = _go(work(), "mod", "download", "-json", f"{module}@{wanted}", capture=True)
    found = json.loads(out)
    if found.get("Error"):
        raise GoError(f"{module}@{wanted}: {found['Error']}")
    return Path(found["Dir"])


def build_server_program(folder: str, release: str, tags: Iterable[str] = ()) -> Path:
    """Build the program in a folder with k8s.io/kubernetes of the release, and return it."""
    wanted = version(release)
    kubernetes = source(KUBERNETES, f"v{wanted}")
    text = (kubernetes / "go.mod").read_text("utf-8")
    lines = ["module judge", "", *re.findall(r"^go .*|^godebug [a-z].*", text, re.MULTILINE)]
    lines += re.findall(r"^godebug \(\n.*?^\)", text, re.MULTILINE | re.DOTALL)
    lines += [f"require {KUBERNETES} v{wanted}", "replace ("]
    lines += [f"\t{name} => {name} {staging(release)}" for name in sorted(set(_STAGING.findall(text)))]
    place = _prepare(folder, wanted, [*lines, ")"])
    shutil.copyfile(kubernetes / "go.sum", place / "go.sum")
    return _build(place, tags)


def build_module_program(folder: str, release: str, module: str) -> Path:
    """Build the program in a folder with a module of the release, such as k8s.io/api, and return it."""
    text = (source(module, staging(release)) / "go.mod").read_text("utf-8")
    lines = ["module judge", "", *re.findall(r"^go .*|^godebug .*", text, re.MULTILINE)]
    return _build(_prepare(folder, version(release), [*lines, f"require {module} {staging(release)}"]))


def program_folder(judge: str) -> Path:
    """Return the folder with the Go program of a judge, which is a Python package, too."""
    return HERE / judge.replace("-", "_")


def program(folder: str, release: str) -> Path:
    """Return a program that was built; GoError where it was not."""
    found = work() / f"{folder}-{version(release)}" / "judge"
    if not found.exists():
        raise GoError(f"{found} does not exist: run `python -m conformance build {release} --judge {folder}`")
    return found


def _prepare(folder: str, wanted: str, module: list[str]) -> Path:
    place = work() / f"{folder}-{wanted}"
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    own = program_folder(folder)
    for file in (*own.glob("*.go"), *(HERE / "lines").glob("*.go")):
        to = place if file.parent == own else place / "lines"
        to.mkdir(exist_ok=True)
        shutil.copyfile(file, to / file.name)
    (place / "go.mod").write_text("\n".join(module) + "\n", "utf-8")
    return place


def _build(place: Path, tags: Iterable[str] = ()) -> Path:
    _go(place, "build", "-p", "1", "-tags", ",".join(tags), "-o", "judge", ".")
    return place / "judge"


def _go(place: Path, *arguments: str, capture: bool = False) -> str:
    place.mkdir(parents=True, exist_ok=True)
    go = shutil.which("go")
    if go is None:
        raise GoError("the program `go` is not on the PATH; only `compare` works without it")
    command = [*((nice, "-n", "10") if (nice := shutil.which("nice")) else ()), go, *arguments]
    done = subprocess.run(
        command, cwd=place, env=os.environ | _ENVIRONMENT, text=True, stdout=subprocess.PIPE if capture else None
    )
    if done.returncode != 0 and not done.stdout:
        raise GoError(f"`{' '.join(command)}` ended with status {done.returncode} in {place}")
    return done.stdout or ""
