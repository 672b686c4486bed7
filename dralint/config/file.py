"""Reads the configuration file: `.dralint.yaml`, or `[tool.dralint]` in pyproject.toml, the nearest one upwards."""

from __future__ import annotations

import errno
import re
import tomllib
from typing import TYPE_CHECKING, Any

from dralint.config.configuration import LARGEST, Configuration, ConfigurationError, Mistake
from dralint.config.table import GATES, KEYS_ELSEWHERE, SETTINGS, TEXTS, VERSIONS, schema
from dralint.files.source import read_plain
from dralint.finding.report import unread
from dralint.kubernetes.near import closest
from dralint.yaml import read as read_documents

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from dralint.config.configuration import Path_

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
    """Return the content of a configuration file, checked against its schema.

    Raises:
        ConfigurationError: it cannot be read, or does not fit; each mistake has its place.
    """
    configuration = read(file)
    checked(configuration)
    return configuration


def read(file: Path) -> Configuration:
    """Return the content of a configuration file.

    Raises:
        ConfigurationError: it cannot be read, or is neither YAML nor TOML.
    """
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


def checked(configuration: Configuration) -> None:
    """Check a configuration against the JSON Schema.

    Raises:
        ConfigurationError: it does not fit; each mistake has its place and, if possible, a suggestion.
    """
    found = sorted(mistakes(configuration, (), configuration.values, schema()), key=lambda one: list(map(str, one[0])))
    if found:
        raise ConfigurationError(configuration.file, [mistake for _, mistake in found])


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
