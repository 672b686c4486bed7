"""Turns the values of settings into what a run needs; a wrong one gets an error of one sentence."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dralint.drivers.shipped import DRIVERS
from dralint.files.discover import Excluded
from dralint.files.source import read_plain
from dralint.finding import catalogue
from dralint.kubernetes import gates
from dralint.kubernetes.near import closest
from dralint.kubernetes.release import ReleaseRange, patch_of
from dralint.kubernetes.served import ApiVersions, full_name, known_releases
from dralint.records import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from dralint.kubernetes.release import Release
    from dralint.kubernetes.workloads import OwnKind

_RULE_PREFIX = r"(?i)DRA\d{0,3}\Z"
_API_VERSION = r"(?:[a-z0-9.-]+/)?v\d+(?:(?:alpha|beta)\d+)?\Z"
_PATH = r"[A-Za-z][\w-]*(?:\[\]|\{\})*(?:\.[A-Za-z][\w-]*(?:\[\]|\{\})*)*\Z"
_LONGEST_LIST = 1024 * 1024
_WITH_DASH = r"\A([\w.]*\d)\s*[-–]\s*([vV]?\d[\w.]*)\Z"
"""A range in another common form, `1.34-1.36`."""


class ChoiceError(ValueError):
    """A release, gate or rule that does not exist, or that cannot be chosen in this way; the text lists what exists.

    `option` is its option, as the text begins (`--select`; for programs `select`), `reason` the rest of the text, `at`
    the wrong item of the value.
    """

    def __init__(self, reason: str, option: str = "", *, at: tuple[str | int, ...] = ()) -> None:
        super().__init__(f"{option}: {reason}" if option else reason)
        self.option = option
        self.reason = reason
        self.at = at


@contextlib.contextmanager
def at(*place: str | int) -> Iterator[None]:
    """Say of an error at which item of the value it is."""
    try:
        yield
    except ChoiceError as error:
        raise ChoiceError(error.reason, error.option, at=(*place, *error.at)) from error


@contextlib.contextmanager
def refused(*kinds: type[Exception], of: str = "") -> Iterator[None]:
    """Make a wrong choice of an error of these kinds; `of` begins the sentence."""
    try:
        yield
    except kinds as error:
        raise ChoiceError(f"{of}{error}") from error


def texts(value: Any) -> list[str]:
    """Return a text or a list of texts as a list."""
    return [value] if isinstance(value, str) else list(value)


def schema_folder(folder: str | Path) -> Path:
    """Return the folder of --schemas.

    Raises:
        ChoiceError: it has no releases.
    """
    path = Path(folder)
    if not path.is_dir():
        raise ChoiceError(f"{path} is not a folder")
    with refused(ValueError, of=f"{path}: "):
        known_releases(path)
    return path


def releases(texts: Sequence[str], schemas: Path | None = None) -> tuple[Release, ...]:
    """Return the releases of --kubernetes-version, in order.

    Raises:
        ChoiceError: a text that is not a release, or a release that dralint has no data for.
    """
    versions = ApiVersions(schemas=schemas)
    known, previews = versions.known, versions.previews
    chosen: set[Release] = set()
    names = ", ".join([*map(str, known), *(f"{full_name(str(release))} as a preview" for release in previews)])
    parts = [part.strip() for joined in texts for part in joined.split(",")]
    for text in filter(None, parts) if any(parts) else parts:
        try:
            dotted = re.sub(_WITH_DASH, r"\1..\2", re.sub("(?i)latest", str(known[-1]), text))
            wanted = ReleaseRange.parse(dotted)
        except ValueError as error:
            raise ChoiceError(f"{error} (also latest, or a range as 1.32..1.36); known are {names}") from error
        named = [end for end in (wanted.first, wanted.last) if end is not None]
        unknown = [str(end) for end in named if end not in (*known, *previews)] or ([] if named else [repr(text)])
        if unknown:
            raise ChoiceError(f"release {unknown[0]} is not known; known are {names}")
        chosen.update(versions.within(wanted))
    return tuple(sorted(chosen))


def patches(texts: Sequence[str]) -> tuple[tuple[Release, int], ...]:
    """Return the releases that were named with a patch, such as 1.34.2, and their patches."""
    found = (patch_of(part) for text in texts for part in text.split(","))
    return tuple(one for one in found if one is not None)


def api_versions(file: str | Path) -> tuple[str, ...]:
    """Return the API versions in a file that `kubectl api-versions` has written.

    Raises:
        ChoiceError: the file cannot be read, or is not such a list.
    """
    try:
        lines = read_plain(file, _LONGEST_LIST).decode("utf-8", "replace").split()
    except OSError as error:
        raise ChoiceError(f"{file} cannot be read: {error.strerror}") from error
    wrong = next((line for line in lines if not re.match(_API_VERSION, line)), None)
    if wrong is not None or "v1" not in lines:
        found = "does not list v1" if wrong is None else f"has {wrong[:40]!r}"
        raise ChoiceError(f"{file} is not the output of `kubectl api-versions`: it {found}")
    return tuple(lines)


def own_kinds(value: Mapping[str, Any]) -> tuple[OwnKind, ...]:
    """Return the kinds of custom resources that `workloads` describes."""
    out: list[OwnKind] = []
    for name, said in value.items():
        row = said if isinstance(said, dict) else {"pods": said}
        with at(name):
            group, kind = group_and_kind(name)
            pods, replicas, drops = (
                tuple(map(path_parts, texts(row.get(k, [])))) for k in ("pods", "replicas", "drops")
            )
        out.append((group, kind, pods, replicas, drops))
    return tuple(out)


def group_and_kind(text: str) -> tuple[str, str]:
    """Return group and kind of a custom resource, written as GROUP/KIND.

    Raises:
        ChoiceError: another form, or a group of Kubernetes itself.
    """
    group, _, kind = text.partition("/")
    if "." not in group or not kind.isalnum():
        raise ChoiceError(f"{text!r} is not of the form GROUP/KIND, for example example.com/TrainJob")
    return group, kind


def path_parts(path: str) -> tuple[str, ...]:
    """Return the parts of a path such as `spec.workers[].template.spec`.

    Raises:
        ChoiceError: the text is not a path.
    """
    parts = re.findall(r"\[\]|\{\}|[^.\[\]{}]+", path)
    if not re.match(_PATH, path):
        raise ChoiceError(f"{path!r} is not a path, such as spec.template.spec or spec.workers[].template.spec")
    return tuple(parts)


def schema_files(value: Mapping[str, Any] | Sequence[str]) -> dict[str, str]:
    """Return the file of each schema, from a mapping or from texts such as DRIVER=FILE.

    Raises:
        ChoiceError: a text that is not KEY=FILE, a repeated key, or a file that is no schema.
    """
    from dralint.opaque.parameters import refused

    files = _by_key(value, "DRIVER=FILE or GROUP/KIND=FILE", "only one schema can judge it")
    wrong = refused(files.items())
    if wrong is not None:
        raise ChoiceError(wrong[2], at=(wrong[0],))
    return files


def _by_key(value: Mapping[str, Any] | Sequence[str], form: str, once: str) -> dict[str, str]:
    """Return a mapping with texts as values, or one made of texts KEY=VALUE; `form` and `once` word the errors."""
    if isinstance(value, Mapping):
        return {key: str(text) for key, text in value.items()}
    out: dict[str, str] = {}
    for text in value:
        key, _, rest = text.partition("=")
        if not key or not rest:
            raise ChoiceError(f"{text!r} is not of the form {form}")
        if key in out:
            raise ChoiceError(f"{key!r} is named twice; {once}")
        out[key] = rest
    return out


def driver_packs(files: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Return driver and file of each driver pack.

    Raises:
        ChoiceError: a file that cannot be read or is not a pack, or two packs of a driver.
    """
    from dralint.drivers.pack_file import LARGEST, PackError, read_pack

    out: dict[str, str] = {}
    for number, file in enumerate(files):
        with at(number), refused(PackError, of=f"{file}: "):
            try:
                with Path(file).open("rb") as stream:
                    driver = read_pack(stream.read(LARGEST + 1))["driver"]
            except OSError as error:
                raise ChoiceError(f"{file}: {error.strerror or error}") from error
            if driver in out:
                raise ChoiceError(f"{file}: {out[driver]} is a pack of {driver}, too")
            out[driver] = str(file)
    return tuple(out.items())


def driver_versions(value: Mapping[str, Any] | Sequence[str], own: Collection[str] = ()) -> dict[str, str]:
    """Return the version of each driver, from a mapping or from texts such as DRIVER=VERSION.

    Raises:
        ChoiceError: a text of another form, a repeated driver, or a driver that has no pack.
    """
    out = _by_key(value, "DRIVER=VERSION", "a driver has one version")
    _check_packs(out, own)
    return out


def driver_gates(
    value: Mapping[str, Any] | Sequence[str], own: Collection[str] = ()
) -> dict[str, tuple[tuple[str, bool], ...]]:
    """Return the feature gates of drivers, from a mapping or from texts such as DRIVER:GATE=true,GATE=false.

    Raises:
        ChoiceError: a text of another form, a driver without a pack, or a gate that the driver does not have.
    """
    texts: dict[str, str] = {}
    if isinstance(value, Mapping):
        out = {driver: dict(switched) for driver, switched in value.items()}
    else:
        out = {}
        for text in value:
            driver, colon, rest = text.partition(":")
            if not driver or not colon or not rest:
                raise ChoiceError(f"{text!r} is not of the form DRIVER:GATE=true,GATE=false")
            texts[driver] = f"{texts[driver]},{rest}" if driver in texts else rest
    for driver, rest in texts.items():
        with refused(gates.GateError):
            out[driver] = gates.parse(rest)
    _check_packs(out, own)
    for driver, switched in out.items():
        if driver not in own:
            _check_gates(driver, switched)
    return {driver: tuple(switched.items()) for driver, switched in out.items()}


def _check_packs(named: Collection[str], own: Collection[str]) -> None:
    for driver in named:
        if driver not in DRIVERS and driver not in own:
            tip = closest(driver, DRIVERS) or f"there are packs of {', '.join(sorted(DRIVERS))}"
            raise ChoiceError(f"dralint has no pack of the driver {driver!r}; {tip}", at=(driver,))


def _check_gates(driver: str, switched: Collection[str]) -> None:
    from dralint.drivers.pack import shipped  # few name gates of drivers

    pack = shipped(driver)
    known = {} if pack is None else pack.data.get("gates", {})
    for gate in switched:
        if gate not in known:
            tip = closest(gate, known) or (f"it has {', '.join(known)}" if known else "it has none")
            raise ChoiceError(f"the driver {driver} has no feature gate {gate!r}; {tip}", at=(driver, gate))


def feature_gates(
    value: Mapping[str, bool] | str | Sequence[str], judged: Sequence[Release], schemas: Path | None = None
) -> tuple[tuple[str, bool], ...]:
    """Return the gates of a mapping, or of texts such as `A=true,B=false`, checked against the releases.

    If no release is named, the gates are those of the newest one; a gate that it does not have may be of an older one.

    Raises:
        ChoiceError: a text of another form; a gate that the releases do not have, that is locked, or whose dependency
            is off.
    """
    with refused(gates.GateError):
        chosen = dict(value) if isinstance(value, Mapping) else gates.parse(",".join(texts(value)))
        if judged:
            gates.check(chosen, judged)
        elif chosen:
            known = known_releases(schemas)
            newest = known[-1:]
            general = {gates.ALL_ALPHA, gates.ALL_BETA}
            there = all(name in general or gates.stage(name, newest[0]) is not None for name in chosen)
            gates.check(chosen, newest if there else known)
    return tuple(chosen.items())


def rule_patterns(texts: Sequence[str]) -> tuple[str, ...]:
    """Return the rule ids, prefixes of ids and names of --select or --ignore.

    Raises:
        ChoiceError: a text that matches no rule.
    """
    patterns = [part.strip() for text in texts for part in text.split(",") if part.strip()]
    if not patterns:
        return ()

    rules = catalogue.rules().values()
    out: list[str] = []
    for pattern in patterns:
        if re.match(_RULE_PREFIX, pattern) and any(rule.id.startswith(pattern.upper()) for rule in rules):
            out.append(pattern.upper())
        elif any(rule.name == pattern.lower() for rule in rules):
            out.append(pattern.lower())
        else:
            meant = (
                None
                if catalogue.is_numbered(pattern)
                else closest(pattern, (name for rule in rules for name in (rule.name, rule.id)))
            )
            tip = meant or f"{catalogue.listing(pattern)} lists them"
            raise ChoiceError(f"no rule has the id, prefix or name {pattern!r}; {tip}")
    return tuple(out)


def severities(value: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """Return the severity of each rule id, prefix or name; ChoiceError for one that matches no rule."""
    out = []
    for name, level in value.items():
        with at(name):
            out.append((rule_patterns([name])[0], level or "off"))
    return tuple(out)


class Ignore(NamedTuple):
    """Findings that a configuration ignores: of rules, in files, and on an object and a path if it names them.

    `paths` are patterns as in .gitignore, from the folder `base`; `object` is NAME, NAMESPACE/NAME or
    KIND/NAMESPACE/NAME.
    """

    rules: tuple[str, ...]
    paths: tuple[str, ...] = ()
    base: str = ""
    object: str = ""
    path: str = ""


def ignores(rows: Sequence[Mapping[str, Any]]) -> tuple[Ignore, ...]:
    """Return the findings that a configuration ignores; ChoiceError for an unknown rule."""
    out = []
    for number, row in enumerate(rows):
        with at(number, "rules"):
            rules = rule_patterns(texts(row["rules"]))
        paths = tuple(texts(row.get("paths", [])))
        out.append(Ignore(rules, paths, row["base"], row.get("object", ""), row.get("path", "")))
    return tuple(out)


def file_patterns(patterns: list[str]) -> tuple[str, ...]:
    """Return the patterns of files; ChoiceError for a malformed one."""
    with refused(ValueError):
        Excluded(patterns)
    return tuple(patterns)


def inventory(paths: Any) -> tuple[str, ...]:
    """Return the paths of an inventory; ChoiceError for one that does not exist."""
    named = texts(paths)
    for number, path in enumerate(named):
        if not os.path.exists(path):  # noqa: PTH110 - most are plain strings
            raise ChoiceError(f"the path {str(path)!r} does not exist", at=(number,))
    return tuple(map(str, named))


def baseline_file(file: Any) -> Path:
    """Return the path of a baseline; ChoiceError for a file that is not one."""
    from dralint.config.baseline import BaselineError, load

    with refused(BaselineError):
        load(Path(file))
    return Path(file)
