"""Proposes rows of rules/limits.yaml from the validation tags of API types."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from conformance.propose.go_types import Field, Package

FORMATS = {
    "k8s-short-name": "dns-label",
    "k8s-long-name": "dns-subdomain",
    "k8s-long-name-caseless": "caseless-subdomain",
    "k8s-resource-pool-name": "pool-name",
    "k8s-resource-fully-qualified-name": "fully-qualified-name",
    "k8s-extended-resource-name": "extended-resource",
    "k8s-label-key": "label-key",
    "k8s-label-value": "label-value",
    "k8s-uuid": "uuid",
}
"""Kubernetes' names of formats, and those of dralint."""

_NUMBERS = {"maxItems", "minimum", "maximum", "maxLength", "maxBytes", "maxProperties"}
_NESTED = {"eachVal": "items", "eachKey": "keys"}
_NO_LIMIT = {
    "optional",
    "listMapKey",
    "opaqueType",
    "supportsSubresource",
    "deepcopy-gen:interfaces",
    "prerelease-lifecycle-gen:introduced",
    "validation-gen",
}
_TAG = re.compile(r"^\+k8s:([\w:-]+)(?:\(([^)]*)\))?(?:=(.*))?$")


class Row(NamedTuple):
    """A proposed limit: a keyword of a field, with its source."""

    type: str
    field: str
    keyword: str
    value: Any
    source: str


class Unread(NamedTuple):
    """A tag that no keyword of the table expresses."""

    source: str
    tag: str


def proposed(package: Package) -> Iterator[Row | Unread]:
    """Yield the limits that the tags of a package name, and the tags that are not understood."""
    for one in package.types.values():
        members: dict[str, list[str]] = {}
        for held in one.fields:
            source = f"{package.file}:{held.line}"
            for tag in held.tags:
                yield from _of_tag(package, one.name, held, tag, source, members)
            known = package.types.get(held.type.lstrip("*[]"))
            if known is not None and known.values and "+k8s:enum" in known.tags:
                keyword = "items.enum" if held.type.startswith("[]") else "enum"
                yield Row(one.name, held.name, keyword, sorted(known.values), source)
        for keyword, names in members.items():
            yield Row(one.name, "()", keyword, sorted(names), f"{package.file}:{one.line}")


def _of_tag(
    package: Package, type_name: str, held: Field, text: str, source: str, members: dict[str, list[str]]
) -> Iterator[Row | Unread]:
    match = _TAG.match(text)
    if match is None:
        return
    tag, argument, value = match[1], match[2], match[3]
    if tag in _NESTED and value:
        for row in _keywords(value, held):
            keyword = f"{_NESTED[tag]}.{row[0]}"
            if tag == "eachVal" and "map[" in held.type:
                keyword = f"values.{row[0]}"
            yield Row(type_name, held.name, keyword, row[1], source)
    elif tag in ("ifEnabled", "ifDisabled") and value:
        if tag == "ifEnabled":  # the field is dropped where its gate is off
            yield from _of_tag(package, type_name, held, value, source, members)
    elif tag in ("unionMember", "zeroOrOneOfMember"):
        members.setdefault("oneOf" if tag == "unionMember" else "atMostOne", []).append(held.name)
    elif found := list(_keywords(text, held)):
        for keyword, meant in found:
            yield Row(type_name, held.name, keyword, meant, source)
    elif (tag not in _NO_LIMIT and argument is None and tag != "listType") or argument:
        yield Unread(source, f"{type_name}.{held.name or 'inline'}: {text}")


def _keywords(text: str, held: Field) -> Iterator[tuple[str, Any]]:
    match = _TAG.match(text)
    if match is None or match[2]:
        return
    tag, value = match[1], match[3]
    if tag in _NUMBERS:
        yield {"maxBytes": "maxLength"}.get(tag, tag) if "RawExtension" not in held.type else tag, int(value)
    elif tag == "format" and value in FORMATS:
        yield "format", FORMATS[value]
    elif tag == "required":
        yield "required", True
    elif (tag == "unique" and value == "set") or (tag == "listType" and value == "set"):
        yield "unique", "set"
    elif (tag == "unique" and value == "map") or (tag == "listType" and value == "map"):
        yield (
            "unique",
            [key.strip('"') for key in dict.fromkeys((*held.values("k8s:listMapKey"), *held.values("listMapKey")))],
        )


def held(row: Mapping[str, Any], keyword: str) -> Any:
    """Return the table's value for a keyword, in the form of proposals; None where it has none."""
    nested, _, last = keyword.rpartition(".")
    if nested:
        row = row.get(nested, {})
    if last == "required":
        wanted = row.get("required") or (row.get("empty") not in (None, "ok", "checked"))
        return True if wanted else None
    value = row.get(last)
    return sorted(value) if isinstance(value, list) and last in ("enum", "oneOf") else value


def written(row: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the keywords of a row of the table with their values, in the form of proposals."""
    for keyword, value in row.items():
        if keyword in ("items", "keys", "values"):
            yield from ((f"{keyword}.{inner}", held(row, f"{keyword}.{inner}")) for inner, _ in written(value))
        elif keyword in ("required", "empty"):
            if held(row, "required"):
                yield "required", True
        elif keyword in ("format", "enum", "unique", "oneOf", *_NUMBERS):
            yield keyword, held(row, keyword)
