"""Reads the configuration file: `.dralint.yaml`, or `[tool.dralint]` in pyproject.toml, the nearest one upwards."""

from __future__ import annotations

import errno
import json
import os
from typing import TYPE_CHECKING, Any, NamedTuple

from dralint.config.find_file import LARGEST, WRITING
from dralint.files.write_guard import in_git_folder, repository_of
from dralint.files.write_guard import within as within_folder
from dralint.finding.report import unread

if TYPE_CHECKING:
    from collections.abc import Container, Mapping
    from pathlib import Path

    from dralint.yaml import Document

OUTSIDE = "is outside of the repository, or is not a regular file"
_WORDS = {
    "string": "a text",
    "boolean": "true or false",
    "integer": "a whole number",
    "number": "a number",
    "array": "a list",
    "object": "keys and values",
}

Path_ = tuple[str | int, ...]


class Mistake(NamedTuple):
    """A mistake in a configuration file, with its place; line and column count from 1 (0: unknown)."""

    message: str
    line: int
    column: int
    hint: str | None = None


class ConfigurationError(ValueError):
    """A configuration file that cannot be used; the text has a line for each mistake: FILE:LINE:COLUMN: message."""

    def __init__(self, file: Path, mistakes: list[Mistake]) -> None:
        self.file = file
        self.mistakes = mistakes
        self.lines = [self._line(mistake) for mistake in mistakes]
        super().__init__("\n".join(self.lines))

    def _line(self, mistake: Mistake) -> str:
        place = ":".join(filter(None, (str(self.file), *(str(n or "") for n in (mistake.line, mistake.column)))))
        return f"{place}: {mistake.message}" + (f" ({mistake.hint})" if mistake.hint else "")


class Configuration:
    """The content of a file: `values` by key, as written; `document` has their places (None for TOML)."""

    def __init__(
        self,
        file: Path,
        values: dict[str, Any] | None = None,
        document: Document | None = None,
        lines: tuple[str, ...] = (),
    ) -> None:
        self.file = file
        self.values: dict[str, Any] = {} if values is None else values
        self.document = document
        self.lines = lines

    @property
    def folder(self) -> Path:
        """The folder that paths in the file are relative to."""
        return self.file.parent

    def only(self, keys: Container[str]) -> Configuration:
        """Return the configuration without the keys that are not among these."""
        values = {key: value for key, value in self.values.items() if key in keys}
        return Configuration(self.file, values, self.document, self.lines)

    def place(self, path: Path_, *, key: bool = False) -> tuple[int, int]:
        """Return line and column of a value or its key; in TOML, the line of its last key."""
        if self.document is not None:
            span = self.document.key_span(path) if key else self.document.span(path)
            return span.line, span.column
        names = [part for part in path if isinstance(part, str)]
        inside = False
        for number, line in enumerate(self.lines, 1):
            bare = line.strip()
            if bare.startswith("["):
                inside = bare.strip("[] ").startswith("tool.dralint")
                if inside and names and bare.strip("[] ").endswith("." + names[-1]):
                    return number, line.index("[") + 1
            elif inside and names and bare.split("=")[0].strip().strip("\"'") == names[-1]:
                return number, len(line) - len(line.lstrip()) + 1
        return 0, 0

    def refusal(self, path: Path_, message: str) -> ConfigurationError:
        """Return an error on the value at a path."""
        return ConfigurationError(self.file, [Mistake(message, *self.place(path))])

    def written(self, path: Path_) -> str | None:
        """Return a scalar as it is written, without quotes: 1.30 is not the number 1.3; None for TOML."""
        if self.document is None:
            return None
        span = self.document.span(path)
        line = self.document.text.splitlines()[span.line - self.document.first_line]
        return line[span.column - 1 : span.end_column - 1].strip("\"'") if span.line == span.end_line else None


def load(file: Path) -> Configuration:
    """Return the content of a configuration file, checked against its schema.

    Raises:
        ConfigurationError: it cannot be read, or does not fit; each mistake has its place.
    """
    configuration = read(file)
    checked(configuration, shipped_schema())
    return configuration


def read(file: Path) -> Configuration:
    """Return the content of a configuration file.

    Raises:
        ConfigurationError: it cannot be read, or is neither YAML nor TOML.
    """
    from dralint.files.source import read_plain

    try:
        raw = read_plain(file, LARGEST)
    except OSError as error:
        if error.errno == errno.EFBIG:
            raise ConfigurationError(
                file, [Mistake("is larger than 1 MiB: it is not a configuration", 0, 0)]
            ) from error
        raise ConfigurationError(file, [Mistake(unread(str(file), error).message, 0, 0)]) from error
    return parsed(file, raw)


def parsed(file: Path, raw: bytes) -> Configuration:
    """Return the content of a configuration file from its bytes; errors as those of `read`."""
    return _toml(file, raw) if file.suffix == ".toml" else _yaml(file, raw)


def _toml(file: Path, raw: bytes) -> Configuration:
    import tomllib

    from dralint.config.toml_text import too_deep

    try:
        text = raw.decode()
        line = too_deep(text)
        if line is not None:
            raise ConfigurationError(file, [Mistake("this TOML is nested too deeply", line, 1)])
        data = tomllib.loads(text)
    except ConfigurationError:
        raise
    except (ValueError, RecursionError) as error:
        exact = isinstance(error, tomllib.TOMLDecodeError | UnicodeDecodeError | RecursionError)
        what = f"is not TOML: {error}" if exact else "has a number with too many digits"
        raise ConfigurationError(file, [Mistake(what, 0, 0)]) from error
    tool: Any = data.get("tool", {})
    values = tool.get("dralint", {}) if isinstance(tool, dict) else {}
    configuration = Configuration(file, {}, None, tuple(text.splitlines()))
    if not isinstance(values, dict):
        raise ConfigurationError(file, [Mistake("`tool.dralint` is a table", *configuration.place(("dralint",)))])
    configuration.values = values
    return configuration


def _yaml(file: Path, raw: bytes) -> Configuration:
    from dralint.yaml import read as read_documents

    documents = [document for document in read_documents(raw) if document.state != "empty"]
    mistakes = [
        Mistake(problem.message, problem.span.line, problem.span.column, problem.hint)
        for document in documents
        for problem in document.problems
    ]
    if mistakes:
        raise ConfigurationError(file, mistakes)
    if not documents:
        return Configuration(file)
    document = documents[0]
    if len(documents) > 1:
        line = documents[1].first_line
        raise ConfigurationError(file, [Mistake("a configuration is one document", line, 1)])
    if document.data is None:
        return Configuration(file)
    if not isinstance(document.data, dict):
        raise ConfigurationError(file, [Mistake("expected keys and values, such as `ignore: [DRA505]`", 1, 1)])
    return Configuration(file, document.data, document)


def inside(configuration: Configuration, place: Path_, path: str) -> str:
    """Return a path from the configuration, relative to its folder.

    Raises:
        ConfigurationError: it leads out of the repository (without one, of the folder), into a folder of git, or to a
            pipe, device or the like, which may have no end.
    """
    target = configuration.folder / path
    folder, real = os.path.realpath(configuration.folder), os.path.realpath(target)
    odd = os.path.exists(real) and not os.path.isfile(real) and not os.path.isdir(real)
    bound = repository_of(folder) or folder
    if not within_folder(real, bound) or in_git_folder(real) or odd:
        wrong = f"{path!r} {OUTSIDE}; name it on the command line instead"
        raise configuration.refusal(place, f"`{place[0]}`: {wrong}")
    return str(target)


def shipped_schema() -> dict[str, Any]:
    """Return the JSON Schema of a configuration file; `python schemas/generate.py` makes it from all options."""
    with open(os.path.join(os.path.dirname(__file__), "config.schema.json"), "rb") as stream:
        schema: dict[str, Any] = json.loads(stream.read())
    return schema


def checked(configuration: Configuration, schema: Mapping[str, Any]) -> None:
    """Check a configuration against its JSON Schema.

    Raises:
        ConfigurationError: it does not fit; each mistake has its place and, if possible, a suggestion.
    """
    from dralint.config.schema import fits

    if fits(configuration.values, schema):
        return
    from jsonschema import Draft202012Validator  # only where there is a mistake

    mistakes: list[Mistake] = []
    for error in sorted(
        Draft202012Validator(schema).iter_errors(configuration.values), key=lambda e: list(map(str, e.absolute_path))
    ):
        mistakes += _mistakes(error, configuration)
    raise ConfigurationError(configuration.file, mistakes)


def _mistakes(error: Any, configuration: Configuration) -> list[Mistake]:
    path: Path_ = tuple(error.absolute_path)
    if error.validator == "additionalProperties":
        known = error.schema.get("properties", {})
        return [
            _unknown_key(name, known, *configuration.place((*path, name), key=True))
            for name in error.instance
            if name not in known
        ]
    name = path[-1] if path and isinstance(path[-1], str) else "this value"
    line, column = configuration.place(path)
    if error.validator == "enum":
        from dralint.kubernetes.near import closest

        allowed = [value for value in error.validator_value if isinstance(value, str)]
        meant = closest(error.instance, allowed) if isinstance(error.instance, str) else None
        return [Mistake(f"`{name}` is one of {', '.join(allowed)}, not {error.instance!r}", line, column, meant)]
    if error.validator == "required":
        missing = [key for key in error.validator_value if key not in error.instance]
        return [Mistake(f"`{missing[0]}` is missing", line, column)]
    if error.validator == "type":
        kinds = [error.validator_value] if isinstance(error.validator_value, str) else error.validator_value
        return [Mistake(f"`{name}`: expected {' or '.join(_WORDS[kind] for kind in kinds)}", line, column)]
    if error.validator == "anyOf":
        return [Mistake(f"`{name}`: expected {_form(error.schema)}", line, column)]
    return [Mistake(f"`{name}`: {error.message}", line, column)]


def _unknown_key(name: str, known: Mapping[str, Any], line: int, column: int) -> Mistake:
    from dralint.config.habits import KEYS
    from dralint.kubernetes.near import closest

    if name in WRITING:
        reason = f"`{name}`: a configuration cannot set what dralint writes"
        return Mistake(reason, line, column, f"write --{name} on the command line")
    hint = KEYS.get(name) or closest(name, known) or f"there are {', '.join(sorted(known))}"
    return Mistake(f'unknown key "{name}"', line, column, hint)


def _form(schema: Mapping[str, Any]) -> str:
    from dralint.config.schema import GATES, TEXTS, VERSIONS

    # The description of an option is about its purpose, not about its form.
    known = (form["description"] for form in (GATES, VERSIONS, TEXTS) if form["anyOf"] == schema["anyOf"])
    return str(next(known, "one of the values that `dralint schema config` lists"))
