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
from dralint.yaml.scalars import compiled

if TYPE_CHECKING:
    from collections.abc import Mapping
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
    if fits(configuration.values, schema()):
        return
    from jsonschema import Draft202012Validator  # only where there is a mistake

    mistakes: list[Mistake] = []
    for error in sorted(
        Draft202012Validator(schema()).iter_errors(configuration.values), key=lambda e: list(map(str, e.absolute_path))
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
    tokens = compiled(
        r"""
          \#[^\n]*+
        | \"{3}(?:[^"\\]|\\.|"(?!""))*+(?:"{3,5}|\Z)
        | '{3}(?:[^']|'(?!''))*+(?:'{3,5}|\Z)
        | "(?:[^"\\\n]|\\.)*+"?
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


def fits(value: Any, wanted: Mapping[str, Any]) -> bool:
    """Say whether a value fits a schema with the few keywords used here; if not, the library finds the mistakes.

    Importing the library takes a tenth of a second, which a valid configuration should not cost.
    """
    if "anyOf" in wanted and not any(fits(value, one) for one in wanted["anyOf"]):
        return False
    if "enum" in wanted and value not in wanted["enum"]:
        return False
    kinds = wanted.get("type")
    if kinds is not None and not any(_is(value, kind) for kind in ([kinds] if isinstance(kinds, str) else kinds)):
        return False
    if "pattern" in wanted and isinstance(value, str) and re.search(wanted["pattern"], value) is None:
        return False
    if isinstance(value, int | float) and not isinstance(value, bool) and value < wanted.get("minimum", value):
        return False
    if isinstance(value, list):
        return all(fits(item, wanted.get("items", {})) for item in value)
    if isinstance(value, dict):
        own = wanted.get("properties", {})
        others = wanted.get("additionalProperties", True)
        return all(name in value for name in wanted.get("required", ())) and all(
            fits(member, own[name]) if name in own else (others if isinstance(others, bool) else fits(member, others))
            for name, member in value.items()
        )
    return True


def _is(value: Any, kind: str) -> bool:
    if kind in ("number", "integer"):
        plain = isinstance(value, int | float) and not isinstance(value, bool)
        return plain and (kind == "number" or value == int(value))
    types: dict[str, type] = {"string": str, "boolean": bool, "array": list, "object": dict}
    return isinstance(value, types[kind])
