"""dralint for other programs: takes texts, files or objects and returns a report. `dralint` exports the names.

It imports only the standard library, and pathspec where it searches files and finds a `.gitignore`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypedDict, Unpack

from dralint.config import choices
from dralint.config.configuration import load
from dralint.config.settings import resolve
from dralint.config.table import SETTINGS
from dralint.files.discover import discover
from dralint.lint.linter import Linters
from dralint.lint.pool import Task, judge_texts, run

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dralint.config.settings import Settings
    from dralint.finding.finding import Finding, Related
    from dralint.finding.report import Report


Paths: TypeAlias = "str | os.PathLike[str] | Sequence[str | os.PathLike[str]]"
"""Paths, or a single one."""


class Choices(TypedDict, total=False):
    """The choices for a run, by name.

    - config: a configuration file, `.dralint.yaml` or a TOML file with `[tool.dralint]`; the other choices win over it,
      as on the command line. dralint does not search for one.
    - kubernetes_version: releases and ranges as on the command line; none for the newest that serves each object.
      A single text can replace each list of texts: `kubernetes_version="1.34"`.
    - feature_gates: gates switched on or off.
    - select, ignore: rule ids, prefixes of ids, or names.
    - ignore_status: leave the status of objects out.
    - strict_placeholders: judge `${NAME}` and the like in values as ordinary text.
    - namespace: the namespace of objects without one.
    - complete: whether nothing is missing from the input except for `known_classes`, names or patterns.
    - driver_schemas: the file of the JSON Schema, or of the CustomResourceDefinition, for the opaque parameters of a
      driver (`gpu.example.com`) or of a kind (`gpu.example.com/GpuConfig`).
    - driver_versions: the version of drivers that the cluster runs.
    - driver_gates: feature gates of drivers that the cluster switches.
    - api_versions: a file with the API versions that the cluster serves, as `kubectl api-versions` writes it.
    """

    config: str | os.PathLike[str] | None
    kubernetes_version: str | Sequence[str]
    feature_gates: Mapping[str, bool] | None
    select: str | Sequence[str]
    ignore: str | Sequence[str]
    ignore_status: bool
    strict_placeholders: bool
    namespace: str | None
    complete: bool
    known_classes: str | Sequence[str]
    driver_schemas: Mapping[str, str | os.PathLike[str]]
    driver_versions: Mapping[str, str]
    driver_gates: Mapping[str, Mapping[str, bool]]
    api_versions: str | os.PathLike[str]


def settings(**chosen: Unpack[Choices]) -> Settings:
    """Return the settings for the arguments (those of `Choices`).

    Raises:
        ChoiceError: an unknown release, gate or rule; a schema of a driver that is invalid or cannot be read.
        ConfigurationError: the configuration file cannot be read or used; `mistakes` have lines and columns.
        TypeError: an unknown argument, or one of another type (bytes instead of a text).
    """
    others = [name for name in chosen if name not in Choices.__annotations__]
    if others:
        raise TypeError(f"there is no choice {others[0]!r}; there are {', '.join(Choices.__annotations__)}")
    given = [
        (name, SETTINGS[_KEYS[name]], value) for name, value in chosen.items() if name in _KEYS and value is not None
    ]
    for name, row, value in given:
        if row.many and not row.example and isinstance(value, bytes):
            raise TypeError(f"{name}: a text or a list of texts is wanted, not bytes")
        if row.example and not isinstance(value, Mapping):
            raise TypeError(f"{name}: a mapping is wanted, such as {row.example}, not {type(value).__name__}")
    config = chosen.get("config")
    try:
        return resolve({row.key: value for _, row, value in given}, None if config is None else load(Path(config)))
    except choices.ChoiceError as error:
        raise choices.ChoiceError(error.reason, error.option.replace("-", "_")) from None


_KEYS = {name: name.replace("_", "-") for name in Choices.__annotations__ if name != "config"} | {
    "known_classes": "known-class"
}
"""Name of a choice → its key of a configuration."""


class Linter:
    """A linter to use many times: it keeps what it has compiled for a release.

    Use one linter in one thread at a time.
    """

    def __init__(self, settings: Settings | None = None, **chosen: Unpack[Choices]) -> None:
        """Take settings (see the function `settings`), or the arguments (those of `Choices`) to make them.

        Raises:
            ChoiceError: an unknown release, gate or rule.
            ConfigurationError: the configuration file cannot be read or used.
            TypeError: both settings and arguments, or an unknown argument.
        """
        if settings is not None and chosen:
            raise TypeError(f"a Linter takes settings or arguments, not both: {', '.join(chosen)}")
        self.settings = _settings(**chosen) if settings is None else settings
        self._linters = Linters(self.settings)

    def check_text(self, text: str | bytes, name: str = "<text>") -> Report:
        """Return the sorted report on the manifests in a text: YAML documents or JSON values, as in a file.

        The report has all errors of the text; none is raised. Findings call the text `name`.
        """
        raw = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
        return judge_texts(self._linters.of(name), [(name, raw)], Task(self.settings))

    def check_paths(
        self,
        paths: Paths,
        *,
        exclude: str | Sequence[str] = (),
        jobs: int = 1,
        slices: Paths = (),
    ) -> Report:
        """Return the sorted report on files, directories and globs; arguments and errors are those of `lint_paths`."""
        patterns = [exclude] if isinstance(exclude, str) else exclude
        found = discover(_listed(paths), [*self.settings.exclude, *patterns])
        if found.missing:
            raise FileNotFoundError(found.missing[0])
        stocked = _listed(slices) or list(self.settings.slices)
        stock = discover(stocked, documents=False)
        if stock.missing:
            raise FileNotFoundError(stock.missing[0])
        report = run(found.sources, self.settings, jobs=jobs, inventory=stock.sources, linters=self._linters)
        report.failures[:0] = [*found.failures, *stock.failures]
        return report

    def check_objects(self, objects: Iterable[Mapping[str, Any]], name: str = "<objects>") -> Report:
        """Return the report on parsed objects, as a driver sends them to the API server or a YAML library reads them.

        Args:
            objects: mappings with the field names of JSON (`apiVersion`) and only the types of JSON: mappings,
                sequences, strings, numbers, booleans and None. They are not changed.
            name: the name of the whole in findings.

        A finding's `document` is the position of its object, from 0, and `path` is the field. There is no text, so line
        and column are 1, and no finding has a fix.

        Raises:
            TypeError: an object that is not a mapping, or has a value of another type, such as a date.
            ValueError: an object that contains itself, or is nested too deeply for JSON.
        """
        lines = [_json(one) for one in objects]
        raw = "\n".join(lines).encode("utf-8", "surrogatepass")
        report = judge_texts(self._linters.of(name), [(name, raw)], Task(self.settings))
        report.findings = [_without_place(finding) for finding in report.findings]
        return report


def _listed(paths: Paths) -> list[str]:
    return [os.fspath(path) for path in ([paths] if isinstance(paths, str | os.PathLike) else paths)]


_settings = settings  # an argument of Linter has the same name


def _json(one: Mapping[str, Any]) -> str:
    """Return an object as one line of JSON."""
    if not isinstance(one, Mapping):
        raise TypeError(f"an object is a mapping, not {type(one).__name__}")
    try:
        return json.dumps(one, default=_plain, ensure_ascii=False)
    except RecursionError as error:
        raise ValueError("an object is nested too deeply") from error


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, Sequence) and not isinstance(value, bytes | bytearray | memoryview):
        return list(value)
    raise TypeError(f"JSON has no {type(value).__name__}: {value!r}")


def _without_place(finding: Finding) -> Finding:
    return finding._replace(
        line=1,
        column=1,
        end_line=1,
        end_column=1,
        related=tuple(map(_without_line, finding.related)),
        fix=None,
        parent=None if finding.parent is None else _without_line(finding.parent),
    )


def _without_line(related: Related) -> Related:
    return related._replace(line=1, column=1, end_line=1, end_column=1)


def lint_text(text: str | bytes, *, name: str = "<text>", **chosen: Unpack[Choices]) -> Report:
    """Judge the manifests in a text: YAML documents or JSON values, as in a file.

    Args:
        name: the name of the text in findings.
        chosen: the choices for the run, see `Choices`.

    The report has all errors of the text; none is raised.

    Raises:
        ChoiceError: an unknown release, gate or rule.
        ConfigurationError: the configuration file cannot be read or used.
        TypeError: an unknown argument.
    """
    return Linter(**chosen).check_text(text, name)


def lint_paths(
    paths: Paths,
    *,
    exclude: str | Sequence[str] = (),
    jobs: int = 1,
    slices: Paths = (),
    **chosen: Unpack[Choices],
) -> Report:
    """Judge files, directories and globs, as the command line does.

    Args:
        exclude: patterns of files to leave out, as in .gitignore, in addition to those of a configuration.
        jobs: the number of processes.
        slices: files and directories with all ResourceSlices of the cluster, to check claims against them.
        chosen: the choices for the run, see `Choices`.

    The report's `failures` have the files that cannot be read.

    Raises:
        ChoiceError: an unknown release, gate or rule.
        ConfigurationError: the configuration file cannot be read or used.
        FileNotFoundError: a path that does not exist.
        TypeError: an unknown argument.
        ValueError: a malformed pattern in `exclude`.
    """
    return Linter(**chosen).check_paths(paths, exclude=exclude, jobs=jobs, slices=slices)
