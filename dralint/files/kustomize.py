"""What Kustomizations do to files: which are patches, and what they change; the Helm chart of a template.

Source: api/types/kustomization.go of sigs.k8s.io/kustomize (v5).
"""

from __future__ import annotations

import os
import re
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dralint.files.source import read_plain
from dralint.finding.problem import at, dict_of, list_of, text_of, texts_of
from dralint.finding.words import fits
from dralint.records import NamedTuple
from dralint.yaml import read

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence


NAMES = ("kustomization.yaml", "kustomization.yml", "Kustomization")
SOMEWHERE = "${namespace}"
"""An unknown namespace: several objects are built from one, or something else sets the namespace."""

_LARGEST = 1_000_000
"""In bytes: a larger kustomization is skipped."""
_MOST_DIRECTORIES, _MOST_TREES, _MOST_BUILDS = 2000, 20, 64
_ABOVE, _DEPTH = 2, 3
_CLAIMS = re.compile(rb"esourceClaim|deviceClassName|DeviceClass|parametersRef")
_PATCHES = ("patches", "patchesStrategicMerge", "patchesJson6902")
_CHANGING = ("replacements", "vars", "transformers", "configurations", "crds")
_DEPLOYED_BY = re.compile(rb"kustomize\.toolkit\.fluxcd\.io|argoproj\.io/")


def patched_by(path: str | None) -> str | None:
    """Return the name of the kustomization that uses the file as a patch; None when there is none, or no file.

    dralint looks in the directory of the file and in two above it. A kustomization that cannot be read lists nothing.
    """
    if path is None:
        return None
    try:
        file = Path(os.path.abspath(path))  # noqa: PTH100 - a link is not followed
        found = (patches(directory).get(file) for directory in list(file.parents)[: _ABOVE + 1])
        return next(filter(None, found), None)
    except Exception:  # noqa: BLE001 - a kustomization is not what was asked about
        return None


@lru_cache(maxsize=1024)
def patches(directory: Path) -> dict[Path, str]:
    """Return the files that the kustomization of a directory lists as patches, with the name of that kustomization."""
    for name in NAMES:
        file = directory / name
        try:
            if not file.is_file():
                continue
            raw = read_plain(file, _LARGEST)
        except OSError:
            continue
        listed = (_file_of(patch) for data in _documents(raw) for key in _PATCHES for patch in list_of(data.get(key)))
        return {plain(directory / path): name for path in listed if path is not None}
    return {}


def plain(path: Path) -> Path:
    """Return a path without `.` and `..`, which kustomizations often have; links are not followed."""
    return type(path)(os.path.normpath(path))


def _file_of(patch: object) -> str | None:
    """Return the file that has a patch; None for one that is written inline."""
    listed = patch.get("path") if isinstance(patch, dict) else patch
    return listed if isinstance(listed, str) and "\n" not in listed else None


def _documents(raw: bytes) -> Iterator[dict[str, Any]]:
    for document in read(raw):
        if document.state == "read" and isinstance(document.data, dict):
            yield document.data


class Made(NamedTuple):
    """The effect of Kustomizations on a file. `affixes` are prefixes and suffixes of names; `edited` means other
    changes.

    `namespace` is the one of all its objects, None if it stays as written; `fallback` is for objects without one.
    """

    namespace: str | None = None
    affixes: frozenset[tuple[str, str]] = frozenset()
    edited: bool = False
    fallback: str | None = None


class Kustomization(NamedTuple):
    """A kustomization file: what it lists (files and directories), and what it does to them."""

    directory: Path
    listed: tuple[Path, ...]
    components: tuple[Path, ...]
    namespace: str | None
    prefix: str
    suffix: str
    edits: bool


class Builds:
    """The Kustomizations among some files and around others; they are read when they are needed.

    Args:
        files: the names of the files of the run.
        reader: reads a file of the run by its name; None where it cannot be read.
        around: the names of files near which to look for kustomizations that are not in the run.
    """

    def __init__(self, files: Sequence[str], reader: Callable[[str], bytes | None], around: Iterable[str] = ()) -> None:
        self._files = files
        self._reader = reader
        self._around = list(dict.fromkeys(around))
        self._unread: list[Path] = []
        self.made = cache(self._made)
        """Returns the effect of Kustomizations on a file."""

    def named_by(self, name: str) -> set[Kustomization] | None:
        """Return the outermost Kustomizations that build a file; None if the references are too many or circular."""
        ends = self._ends(plain(Path(name).absolute()), frozenset()) if self._includers else set()
        return None if None in ends or len(ends) > _MOST_BUILDS else set(filter(None, ends))

    def _made(self, name: str) -> Made:
        file = plain(Path(name).absolute())
        own = self.named_by(name)
        made = Made()
        if any(top in file.parents for top in self._unread):
            return Made(SOMEWHERE, edited=True)
        if own is None:
            made = Made(SOMEWHERE, edited=True)
        elif own:
            namespaces = {end.namespace for end in own}
            affixes = frozenset((end.prefix, end.suffix) for end in own if end.prefix or end.suffix)
            namespace = namespaces.pop() if len(namespaces) == 1 else SOMEWHERE
            made = Made(namespace, affixes, edited=any(end.edits for end in own))
        for path, there in self._deployed:
            if fits(file.as_posix(), path):
                made = Made(
                    there.namespace or made.namespace,
                    made.affixes | there.affixes,
                    made.edited or there.edited,
                    there.fallback or made.fallback,
                )
        return made

    def _ends(self, place: Path, passed: frozenset[Path]) -> set[Kustomization | None]:
        """Return the effect of each outermost Kustomization on a file or directory, including all that it builds on.

        None stands for one that dralint cannot follow: it is circular, or there are too many.
        """
        ends: set[Kustomization | None] = set()
        for one in self._includers.get(place, ()):
            if one.directory in passed:
                return {None}
            above = self._ends(one.directory, passed | {one.directory})
            if not above:
                ends.add(one._replace(listed=(), components=()))
            for end in above:
                ends.add(None if end is None else _inside(one, end))
            if len(ends) > _MOST_BUILDS:
                return {None}
        return ends

    @cached_property
    def _includers(self) -> dict[Path, list[Kustomization]]:
        """Listed files and directories → the kustomizations that list them."""
        known: dict[Path, Kustomization] = {}
        for file, raw in self._texts():
            if file.parent not in known:
                known[file.parent] = _kustomization(file, raw)
        out: dict[Path, list[Kustomization]] = {}
        for one in known.values():
            whole = one
            for component in one.components:  # a component changes what its kustomization has so far
                if component in known and component != one.directory:
                    whole = _inside(whole, known[component])._replace(directory=one.directory)
            for place in dict.fromkeys((*one.listed, *one.components)):
                out.setdefault(place, []).append(whole)
        return out

    def _texts(self) -> Iterator[tuple[Path, bytes]]:
        for name in self._files:
            if name.endswith(NAMES) and Path(name).name in NAMES and (raw := self._reader(name)) is not None:
                yield plain(Path(name).absolute()), raw
        tops = dict.fromkeys(top for name in self._around if (top := _top(Path(name))) is not None)
        self._unread += list(tops)[_MOST_TREES:]
        for top in list(tops)[:_MOST_TREES]:
            found, whole = _below(top)
            if not whole:
                self._unread.append(top)
            for file in found:
                try:
                    yield file, read_plain(file, _LARGEST)
                except OSError:
                    continue

    @cached_property
    def _deployed(self) -> list[tuple[tuple[str, ...], Made]]:
        found: list[tuple[tuple[str, ...], Made]] = []
        for name in self._files:
            raw = self._reader(name)
            if raw is not None and _DEPLOYED_BY.search(raw):
                for data in _documents(raw):
                    found += _deployments(data)
        return found


def _inside(inner: Kustomization, outer: Kustomization) -> Kustomization:
    """Return the combined effect of two Kustomizations, one after the other."""
    return Kustomization(
        outer.directory,
        (),
        (),
        outer.namespace or inner.namespace,
        outer.prefix + inner.prefix,
        inner.suffix + outer.suffix,
        inner.edits or outer.edits,
    )


def _kustomization(file: Path, raw: bytes) -> Kustomization:
    data: dict[str, Any] = next(_documents(raw), {})
    directory = file.parent

    def places(*keys: str) -> tuple[Path, ...]:
        texts = [text for key in keys for text in texts_of(data.get(key)) if "\n" not in text and "://" not in text]
        return tuple(plain(directory / text) for text in texts)

    return Kustomization(
        directory,
        places("resources", "bases"),
        places("components"),
        text_of(data.get("namespace")),
        text_of(data.get("namePrefix")) or "",
        text_of(data.get("nameSuffix")) or "",
        any(data.get(key) for key in _CHANGING)
        or any(_is_about_claims(patch, directory) for key in _PATCHES for patch in list_of(data.get(key))),
    )


def _is_about_claims(patch: object, directory: Path) -> bool:
    """Say whether a patch, written inline or in a file, may change claims or objects that name claims."""
    listed = _file_of(patch)
    try:
        text = b"" if listed is None else read_plain(directory / listed, _LARGEST)
    except (OSError, ValueError):
        return True
    return _CLAIMS.search(repr(patch).encode("utf-8", "replace") + text) is not None


def _top(name: Path) -> Path | None:
    """Return the directory around a file that may have its overlays; None where no kustomization is near."""
    file = plain(name.absolute())
    if not file.is_file():
        return None
    above = list(file.parents)[: _ABOVE + 1]
    if not any((folder / own).is_file() for folder in above for own in NAMES):
        return None
    for folder in above:
        if (folder / ".git").exists():
            return folder
    return above[-1]


def _below(top: Path) -> tuple[list[Path], bool]:
    """Return the kustomization files in and below a directory, and whether these are all.

    In a repository, all levels are searched; elsewhere only some, as other files may not belong to the user.
    """
    found: list[Path] = []
    deepest = None if (top / ".git").exists() else len(top.parts) + _DEPTH
    for number, (name, folders, files) in enumerate(os.walk(top)):
        if number == _MOST_DIRECTORIES:
            return found, False
        folder = Path(name)
        found += [folder / own for own in sorted(set(NAMES).intersection(files))[:1]]
        deeper = deepest is None or len(folder.parts) < deepest
        folders[:] = sorted(below for below in folders if deeper and not below.startswith("."))
    return found, True


# Flux and Argo CD.


def _deployments(data: dict[str, Any]) -> Iterator[tuple[tuple[str, ...], Made]]:
    """Yield what paths of the files that Flux or Argo CD deploys consist of (`fits`), and the effect on the files."""
    group, kind, spec = str(data.get("apiVersion")).partition("/")[0], data.get("kind"), data.get("spec")
    if not isinstance(spec, dict):
        return
    if group == "kustomize.toolkit.fluxcd.io" and kind == "Kustomization":
        target = SOMEWHERE if text_of(spec.get("targetNamespace")) else None
        affixes = _affixes(spec)
        edited = bool(_CLAIMS.search(repr([spec.get(key) for key in _PATCHES]).encode("utf-8", "replace")))
        if target or affixes or edited:
            yield _path(text_of(spec.get("path")) or "."), Made(target, affixes, edited)
    elif group == "argoproj.io" and kind in ("Application", "ApplicationSet"):
        if kind == "ApplicationSet":
            spec = at(spec, ("template", "spec"))
        several = [at(spec, ("source",)), *list_of(at(spec, ("sources",)))]
        fallback = SOMEWHERE if text_of(at(spec, ("destination", "namespace"))) else None
        for source in several:
            path = text_of(at(source, ("path",)))
            if path is None:
                continue
            kustomize = dict_of(at(source, ("kustomize",)))
            namespace = SOMEWHERE if text_of(kustomize.get("namespace")) else None
            made = Made(namespace, _affixes(kustomize), edited=bool(kustomize.get("patches")), fallback=fallback)
            if made != Made():
                yield _path(path), made


def _affixes(data: dict[str, Any]) -> frozenset[tuple[str, str]]:
    prefix, suffix = text_of(data.get("namePrefix")) or "", text_of(data.get("nameSuffix")) or ""
    return frozenset({(prefix, suffix)}) if prefix or suffix else frozenset()


def _path(text: str) -> tuple[str, ...]:
    """Return what paths of files in a directory of a repository consist of (`fits`), wherever the repository is."""
    parts = [part for part in text.split("/") if part not in ("", ".")]
    inner = "/".join("*" if "{{" in part or "*" in part else part for part in parts)
    return ("", *f"/{inner}/".split("*"), "") if inner else ("", "")


TEMPLATES = "templates"


def charts(files: Iterable[str]) -> list[str]:
    """Return the folders of the charts whose templates are among the files, in order.

    A chart has a `Chart.yaml`, and its templates are in `templates` next to it.
    """
    is_chart = cache(lambda folder: Path(folder, "Chart.yaml").is_file())
    found: dict[str, None] = {}
    for file in files:
        folders = file.replace("\\", "/").split("/")[:-1]
        for depth, name in enumerate(folders):
            if name == TEMPLATES and is_chart(chart := "/".join(folders[:depth]) or ("/" if depth else ".")):
                found[chart] = None
                break
    return list(found)
