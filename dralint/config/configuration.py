"""The configuration file, `.dralint.yaml` or `[tool.dralint]` in pyproject.toml: place, content, mistakes."""

from __future__ import annotations

import errno
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dralint.config.table import GATES, KEYS_ELSEWHERE, SETTINGS, TEXTS, VERSIONS, schema
from dralint.files.atomic import in_git_folder, repository_of, upwards, way_out
from dralint.files.atomic import within as within_folder
from dralint.files.discover import CONFIGURATIONS, PYPROJECT, Rooted
from dralint.files.source import read_plain
from dralint.finding.report import unread
from dralint.kubernetes.near import closest
from dralint.records import NamedTuple
from dralint.yaml import read as read_documents

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Mapping

    from dralint.config.choices import ChoiceError
    from dralint.yaml import Document


OUTSIDE = "is outside of the repository, or is not a regular file"

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


class Configuration(NamedTuple):
    """The content of a file: `values` by key, as written; their places are in the `document`, or in the `lines` of
    TOML. Paths in it are relative to its folder."""

    file: Path
    values: Mapping[str, Any] = {}
    document: Document | None = None
    lines: tuple[str, ...] = ()

    def only(self, keys: Container[str]) -> Configuration:
        """Return the configuration without the keys that are not among these."""
        return self._replace(values={key: value for key, value in self.values.items() if key in keys})

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

    def wrong_choice(self, key: str, error: ChoiceError) -> ConfigurationError:
        """Return the error of a value as one of this file, with the place of the wrong item."""
        name = error.at[1] if key in ("overrides", "ignores") else key
        place = self.place((key, *error.at), key=key == "severity")
        return ConfigurationError(self.file, [Mistake(f"`{name}`: {error.reason}", *place)])

    def written(self, path: Path_) -> str | None:
        """Return a scalar as it is written, without quotes: 1.30 is not the number 1.3; None for TOML."""
        if self.document is None:
            return None
        span = self.document.span(path)
        line = self.document.text.splitlines()[span.line - self.document.first_line]
        return line[span.column - 1 : span.end_column - 1].strip("\"'") if span.line == span.end_line else None

    # Values that are relative to the folder of the configuration, or not what YAML reads.

    def releases(self, key: str) -> list[str]:
        """Return the releases of a key as they are written: YAML reads 1.30 without quotes as a number."""
        return self._releases((key,), self.values[key])

    def _releases(self, path: Path_, value: Any) -> list[str]:
        if isinstance(value, list):
            return [text for number, one in enumerate(value) for text in self._releases((*path, number), one)]
        return [value if isinstance(value, str) else self.written(path) or str(value)]

    def patterns(self, key: str) -> list[str]:
        """Return the patterns of a key, which count from the folder."""
        folder = os.path.abspath(self.file.parent)
        value = self.values[key]
        return [Rooted(pattern, folder) for pattern in ([value] if isinstance(value, str) else value)]

    def paths(self, key: str) -> Any:
        """Return the path or paths of a key from the folder.

        Raises:
            ConfigurationError: one leads out of the repository.
        """
        value = self.values[key]
        if isinstance(value, dict):
            return {name: self._inside((key, name), path) for name, path in value.items()}
        if isinstance(value, list):
            return [self._inside((key, number), path) for number, path in enumerate(value)]
        return self._inside((key,), value)

    def folder_of(self, key: str) -> str:
        """Return the path of a folder; ConfigurationError as `paths`, also for what is in it."""
        named = self._inside((key,), self.values[key])
        for file in os.listdir(named) if os.path.isdir(named) else ():
            self._inside((key,), os.path.join(self.values[key], file))
        return named

    def overrides(self, key: str) -> list[dict[str, Any]]:
        """Return the rows of a key, each with the folder as `base`, and with its releases as they are written."""
        rows = self.ignores(key)
        for number, row in enumerate(rows):
            if (name := "kubernetes-version") in row:
                row[name] = self._releases((key, number, name), row[name])
        return rows

    def ignores(self, key: str) -> list[dict[str, Any]]:
        """Return the rows of a key, each with the folder as `base`."""
        return [{**row, "base": str(self.file.parent.resolve())} for row in self.values[key]]

    def _inside(self, place: Path_, path: str) -> str:
        """Return a path from the folder.

        Raises:
            ConfigurationError: it leads out of the repository (without one, of the folder), into a folder of git, or
                to a pipe, device or the like, which may have no end.
        """
        target = self.file.parent / path
        folder, real = os.path.realpath(self.file.parent), os.path.realpath(target)
        odd = os.path.exists(real) and not os.path.isfile(real) and not os.path.isdir(real)
        bound = repository_of(folder) or folder
        if not within_folder(real, bound) or in_git_folder(real) or odd:
            wrong = f"{path!r} {OUTSIDE}; name it on the command line instead"
            raise self.refusal(place, f"`{place[0]}`: {wrong}")
        return str(target)


# Where it is.

LARGEST = 1 << 20


def find(start: str, known: dict[str, Path | None] | None = None) -> Path | None:
    """Return the nearest configuration file in a folder or above it, but not above its repository; None for none.

    Args:
        start: the folder.
        known: the answers for other folders; it gets those for the folders on the way.

    Raises:
        ConfigurationError: dralint does not read the nearest one, because it is a link out of the repository, or a
            pipe or the like.
    """
    passed: list[str] = []
    found: Path | None = None
    for folder in upwards(start):
        if known is not None and folder in known:
            found = known[folder]
            break
        passed.append(folder)
        found = _in_folder(folder)
        if found is not None or os.path.lexists(os.path.join(folder, ".git")):
            break
    if known is not None:
        known |= dict.fromkeys(passed, found)
    return found


def _in_folder(folder: str) -> Path | None:
    for name in (*CONFIGURATIONS, PYPROJECT):
        file = os.path.join(folder, name)
        if _speaks(file) if name == PYPROJECT else os.path.lexists(file) and not os.path.isdir(file):
            found = Path(file)
            _check_readable(found)
            return found
    return None


def _check_readable(file: Path) -> None:
    """Refuse a file whose content a pull request must not show: a refused configuration is quoted."""
    out = way_out(str(file), str(file.parent))
    if out is not None:
        link, left = out
        wrong = f"is a link that leads out of {left}" if file.is_symlink() else f"the link {link} leads out of {left}"
    elif in_git_folder(os.path.realpath(file)):
        wrong = "is a link that leads into a folder of git"
    elif not file.is_file():
        wrong = "is not a regular file"
    else:
        return
    hint = "--config names another file, --no-config none"
    raise ConfigurationError(file, [Mistake(f"{wrong}; dralint does not read it", 0, 0, hint)])


def _speaks(file: str) -> bool:
    try:
        if not os.path.isfile(file):
            return False
        with open(file, "rb") as stream:
            return b"tool.dralint" in stream.read(LARGEST)
    except OSError:
        return False


_DEEPEST = 24
"""The deepest nesting of a TOML text, and the most parts of a key."""
_WORDS = {
    "string": "a text",
    "boolean": "true or false",
    "integer": "a whole number",
    "number": "a number",
    "array": "a list",
    "object": "keys and values",
}


def load(file: Path) -> Configuration:
    """Return the content of a configuration file.

    Raises:
        ConfigurationError: it cannot be read, or as `parsed`.
    """
    try:
        raw = read_plain(file, LARGEST)
    except OSError as error:
        large = error.errno == errno.EFBIG
        wrong = "is larger than 1 MiB: it is not a configuration" if large else unread(str(file), error).message
        raise ConfigurationError(file, [Mistake(wrong, 0, 0)]) from error
    return parsed(file, raw)


def parsed(file: Path, raw: bytes) -> Configuration:
    """Return the content of a configuration file from its bytes.

    Raises:
        ConfigurationError: it is neither YAML nor TOML, or does not fit the JSON Schema; each mistake has its place
            and, if possible, a suggestion.
    """
    configuration = _toml(file, raw) if file.suffix == ".toml" else _yaml(file, raw)
    found = sorted(mistakes(configuration, (), configuration.values, schema()), key=lambda one: list(map(str, one[0])))
    if found:
        raise ConfigurationError(file, [mistake for _, mistake in found])
    return configuration


def _toml(file: Path, raw: bytes) -> Configuration:
    import tomllib  # few configurations are in TOML

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
    return configuration._replace(values=values)


def _yaml(file: Path, raw: bytes) -> Configuration:
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


def mistakes(
    configuration: Configuration, path: Path_, value: Any, wanted: Mapping[str, Any]
) -> Iterator[tuple[Path_, Mistake]]:
    """Yield what does not fit a schema with the few keywords used here, with its path: `value` is what stands there.

    Importing jsonschema takes a tenth of a second, which a configuration should not cost.
    """
    name = path[-1] if path and isinstance(path[-1], str) else "this value"

    def wrong(text: str, hint: str | None = None) -> tuple[Path_, Mistake]:
        return path, Mistake(f"`{name}`{text}", *configuration.place(path), hint)

    if "anyOf" in wanted and all(any(mistakes(configuration, path, value, one)) for one in wanted["anyOf"]):
        yield wrong(f": expected {_form(wanted)}")
    if "enum" in wanted and value not in wanted["enum"]:
        allowed = [one for one in wanted["enum"] if isinstance(one, str)]
        meant = closest(value, allowed) if isinstance(value, str) else None
        yield wrong(f" is one of {', '.join(allowed)}, not {value!r}", meant)
    kinds = [wanted["type"]] if isinstance(wanted.get("type"), str) else wanted.get("type", ())
    if kinds and not any(_is(value, kind) for kind in kinds):
        yield wrong(f": expected {' or '.join(_WORDS[kind] for kind in kinds)}")
    if _is(value, "number") and value < wanted.get("minimum", value):
        yield wrong(f": {value!r} is less than the minimum of {wanted['minimum']}")
    if isinstance(value, list):
        for number, item in enumerate(value):
            yield from mistakes(configuration, (*path, number), item, wanted.get("items", {}))
    if isinstance(value, dict):
        known, others = wanted.get("properties", {}), wanted.get("additionalProperties", True)
        for missing in (key for key in wanted.get("required", ()) if key not in value):
            yield path, Mistake(f"`{missing}` is missing", *configuration.place(path))
        for key, member in value.items():
            if key in known or isinstance(others, dict):
                yield from mistakes(configuration, (*path, key), member, known.get(key, others))
            elif not others:
                yield path, _unknown_key(key, known, *configuration.place((*path, key), key=True))


def _unknown_key(name: str, known: Mapping[str, Any], line: int, column: int) -> Mistake:
    if name in SETTINGS and SETTINGS[name].writes:
        reason = f"`{name}`: a configuration cannot set what dralint writes"
        return Mistake(reason, line, column, f"write --{name} on the command line")
    hint = KEYS_ELSEWHERE.get(name) or closest(name, known) or f"there are {', '.join(sorted(known))}"
    return Mistake(f'unknown key "{name}"', line, column, hint)


def _form(wanted: Mapping[str, Any]) -> str:
    # The description of an option is about its purpose, not about its form.
    known = (form["description"] for form in (GATES, VERSIONS, TEXTS) if form["anyOf"] == wanted["anyOf"])
    return str(next(known, "one of the values that `dralint schema config` lists"))


def too_deep(text: str) -> int | None:
    """Return the first line of a TOML text with brackets nested, or a key with parts, beyond 24; None for none.

    For long keys the standard library needs memory in proportion to the square of their parts, for brackets the stack.
    """
    tokens = re.compile(
        r"""
          \#[^\n]*+
        | \"{3}(?>(?:[^"\\]|\\.|"(?!""))*)(?:"{3,5}|\Z)
        | '{3}(?>(?:[^']|'(?!''))*)(?:'{3,5}|\Z)
        | "(?>(?:[^"\\\n]|\\.)*)"?
        | '[^'\n]*+'?
        | [][{}.=,\n]
        """,
        re.DOTALL | re.VERBOSE,
    )
    depth = dots = 0
    for token in tokens.finditer(text):
        mark = token[0]
        if mark == ".":
            dots += 1
        elif mark in ("=", ",", "\n", "[", "{", "]", "}"):
            dots = 0
            depth = depth + 1 if mark in "[{" else max(0, depth - 1) if mark in "]}" else depth
        if dots > _DEEPEST or depth > _DEEPEST:
            return text.count("\n", 0, token.start()) + 1
    return None


def _is(value: Any, kind: str) -> bool:
    if kind in ("number", "integer"):
        plain = isinstance(value, int | float) and not isinstance(value, bool)
        return plain and (kind == "number" or value == int(value))
    types: dict[str, type] = {"string": str, "boolean": bool, "array": list, "object": dict}
    return isinstance(value, types[kind])
