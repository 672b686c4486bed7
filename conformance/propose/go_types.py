"""Reads the types of an API package from their Go source: fields, tags in comments, constants."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_TYPE = re.compile(r"^type (\w+) (?:= )?(.+?)(?: \{)?$")
_FIELD = re.compile(r"^(?:(\w+)\s+)?([*\[\]\w.]+(?:\[[\w.]+\][*\[\]\w.]+)?)\s+`([^`]*)`")
_CONSTANT = re.compile(
    r'^(?:const )?(\w+)(?:\s+([\w.]+))?\s*=\s*((?:\w+\()?"(?:[^"\\]|\\.)*"\)?|[\w.]+(?: \* [\w.]+)*)'
)
_STAGE = re.compile(r'^\+k8s:(?:alpha|beta)\((?:since: ?)?"[\d.]+"\)=')
_JSON = re.compile(r'json:"([^"]*)"')


@dataclass(slots=True)
class Field:
    """A field of a struct; `name` is that of the JSON, empty for an embedded struct."""

    name: str
    type: str
    options: tuple[str, ...]
    tags: list[str]
    line: int

    @property
    def omitted_when_empty(self) -> bool:
        """Whether JSON leaves out an empty value."""
        return bool({"omitempty", "omitzero"} & set(self.options))

    def values(self, tag: str) -> list[str]:
        """Return what stands after `+TAG=`, for each time that the field has it; empty for a tag alone."""
        return [one.partition("=")[2] for one in self.tags if one.partition("=")[0] == f"+{tag}"]


@dataclass(slots=True)
class Type:
    """A type: a struct with fields, or another name of the type `of`."""

    name: str
    of: str
    tags: list[str]
    line: int
    fields: list[Field] = field(default_factory=list)
    values: list[str] = field(default_factory=list)
    """The constants of the type, for one whose values are an enumeration."""


@dataclass(slots=True)
class Package:
    """The types and the number constants of a package."""

    file: str
    types: dict[str, Type]
    numbers: dict[str, int]


def read(path: Path, file: str) -> Package:
    """Return the package in a file; `file` is how proposals name it."""
    package = Package(file, {}, {})
    comments: list[str] = []
    held: list[str] = []  # a comment block before a blank line belongs to the type as well
    current: Type | None = None
    for number, raw in enumerate(path.read_text("utf-8").splitlines(), 1):
        line = raw.strip()
        if line.startswith("//"):
            comments.append(line.removeprefix("//").strip())
            continue
        if not line:
            held, comments = comments, []
            continue
        tags = [_STAGE.sub("", text) for text in (*held, *comments) if text.startswith("+")]
        own = [_STAGE.sub("", text) for text in comments if text.startswith("+")]
        if current is None and (match := _TYPE.match(line)):
            current = package.types[match[1]] = Type(match[1], match[2], tags, number)
            if not line.endswith("{"):
                current = None
        elif current is not None and raw.startswith("}"):
            current = None
        elif current is not None and (match := _FIELD.match(line)) and (json := _JSON.search(match[3])):
            name, *options = json[1].split(",")
            if name != "-":
                current.fields.append(Field(name, match[2], tuple(options), own, number))
        elif current is None and (match := _CONSTANT.match(line)):
            _constant(package, match)
        held, comments = [], []
    return package


def _constant(package: Package, match: re.Match[str]) -> None:
    name, type_name, value = match[1], match[2], match[3]
    if '"' in value:
        cast, text, _ = value.split('"')
        type_name = type_name or cast.rstrip("(")
        if type_name in package.types:
            package.types[type_name].values.append(text)
    else:
        factors = [package.numbers.get(part, int(part) if part.isdigit() else None) for part in value.split(" * ")]
        product = 1
        for factor in factors:
            if factor is None:
                return
            product *= factor
        package.numbers[name] = product
