"""What to write instead of a value of the wrong type: the hint, and the repair, if there is one."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from dralint.finding.problem import Change, Repair, replaced
from dralint.kubernetes.near import is_slip, listed
from dralint.kubernetes.quantity import amounts
from dralint.yaml import number_text

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from dralint.kubernetes.types import Shape, Struct
    from dralint.yaml import Path


_LONGEST = 60
_WRAPPED: Mapping[str, str] = {
    "CELDeviceSelector": "expression",
    "DeviceCapacity": "value",
    "Counter": "value",
    "ExactDeviceRequest": "deviceClassName",
    "DeviceRequest": "name",
    "Device": "name",
    "CounterSet": "name",
    "ResourcePool": "name",
    "ObjectMeta": "name",
    "DeviceConstraint": "matchAttribute",
}
"""Type of an object → the field that people mean when they write a scalar in its place."""
_WHOLE = ("CELDeviceSelector", "DeviceCapacity", "Counter")
"""The types among these that need no other field."""
_QUANTITIES = ("DeviceCapacity", "Counter")
_SCALARS = ("string", "boolean", "int32", "int64", "quantity", "time")
_DEVICES = ("Device", "BasicDevice")
"""The types whose fields look like attributes where they stand too deep."""
_PLAIN = re.compile(r"[A-Za-z_][\w./-]*|\d+(?:\.\d+)?[KMGTPE]?i|\d+\.\d+\.\d+[\w.+-]*", re.ASCII)
_TRUE, _FALSE = ("yes", "on", "true"), ("no", "off", "false")
_WORDS = frozenset({"y", "n", "null", *_TRUE, *_FALSE})
_OF_A_LIST = re.compile(r"[\[\]{},]")
"""Characters of a text that was a list, or part of one, and has lost a bracket."""
_LISTED = re.compile(r"[\w./-]+(?:\s*,\s*[\w./-]+)+", re.ASCII)
_THOUSANDS = re.compile(r"[-+]?\d{1,3}([, _'])\d{3}(?:\1\d{3})*", re.ASCII)
_SEPARATORS = re.compile("[, _']")
_INTEGER = re.compile(r"[+-]?\d{1,18}", re.ASCII)
_NUMBERS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_WITH_UNIT = re.compile(r"(\d{1,9})(?: ?%| ?[A-Za-z]{3,}| +[A-Za-z]+|x)", re.ASCII)
"""A number and its unit: `50%`, `8 GPUs`, `2x`; a short word after it may be the suffix of a quantity."""
_DURATION = re.compile(r"(\d{1,9})\s*(s|sec|m|min|h|d)", re.ASCII)
_SECONDS = {"s": 1, "sec": 1, "m": 60, "min": 60, "h": 3600, "d": 86400}
_TAINT = re.compile(r"([\w./-]+)(?:=([\w.-]*))?:(\w+)", re.ASCII)
_TYPES_OF_ATTRIBUTES = ("string", "int", "bool", "version")
_TYPED = re.compile(
    r"(string|int|bool|version)(\s*[:=;\uff1a]\s*|\s+)([\"']?)([\w./+-](?:[\w ./+:-]*[\w./+-])?)\3", re.IGNORECASE
)
_IS_TEXT = re.compile(r"[^\[\]{}\"'=:;\uff1a]*")
"""A text without characters that suggest another slip: half a bracket, a quote, a separator."""
_NAMED_VALUE = re.compile(r"value\s*[:= ]\s*[\"']?([+-]?[0-9.]+(?:[numkKMGTPE]|[KMGTPE]i)?)[\"']?", re.IGNORECASE)
_AMOUNT = re.compile(r"[+-]?[0-9.]+ ?(?:[numkKMGTPE]|[KMGTPE]i)?|[+-]?[0-9.]+[eE][+-]?[0-9]+")
_SHORT_VERSION = re.compile(r"\d{1,9}(?:\.\d{1,9})?", re.ASCII)
_VERSION = re.compile(r"\d+\.\d+\.\d+(?:[-+][\w.+-]*)?", re.ASCII)
_PYTHON_TYPES: Mapping[str, tuple[type, ...]] = {
    "string": (str,),
    "boolean": (bool,),
    "int32": (int,),
    "int64": (int,),
    "number": (int, float),
    "quantity": (str, int, float),
    "time": (str,),
    "struct": (dict,),
    "map": (dict,),
    "list": (list,),
}


class Advice(NamedTuple):
    """What to write: the hint (None where unknown), and the value, if there is one.

    `sure` means that it has one possible meaning; `to` is where the value belongs as it is.
    """

    hint: str | None
    value: Any = ...
    sure: bool = False
    to: Path = ()

    def repair(self, path: Path) -> Repair | None:
        """Return the repair that writes the value at the path, or moves the present one."""
        if self.to:
            return Repair((Change("move", path, to=self.to),), self.sure)
        return None if self.value is ... else replaced(path, self.value, safe=self.sure)


_NOTHING = Advice(None)


def fits(shape: Shape, value: object) -> bool:
    """Say whether a value has the shape, without checking what is inside of it."""
    if value is None or shape.shape not in _PYTHON_TYPES:
        return True
    if isinstance(value, bool):
        return shape.shape == "boolean"
    return isinstance(value, _PYTHON_TYPES[shape.shape])


def advice(types: Mapping[str, Struct], shape: Shape, value: object, path: Path) -> Advice:
    """Return what to write so that the value at the path has this shape.

    Args:
        types: the types by short name, for the content of objects and lists.
    """
    expected = shape.shape
    if value == "":
        return _NOTHING
    if isinstance(value, list) and path[-1:] == ("claims",) and path[-2] in ("limits", "requests"):
        hint = f"`claims` belongs next to `{path[-2]}`, not in it: indent it like `{path[-2]}`"
        return Advice(hint, sure=True, to=(*path[:-2], "claims"))
    if shape.type == "DeviceAttribute" and any(path[-1] in types[each].fields for each in _DEVICES if each in types):
        found = _wrapped(shape.type, value)
        other = f"; otherwise {found.hint}" if found.hint else ""
        return Advice(
            f"indent it like `{path[-2]}:` if it is the `{path[-1]}` of the device{other}", to=(*path[:-2], path[-1])
        )
    if isinstance(value, dict | list):
        if shape.type == "ExactDeviceRequest" and _are_alternatives(types, value):
            hint = "alternatives are a list under `firstAvailable:`: write that instead of `exactly:`"
            return Advice(hint, to=(*path[:-1], "firstAvailable"))
        return _of_collection(types, shape, value)
    if path[-1:] == ("count",) and isinstance(value, str) and value.lower() == "all":
        return Advice("write `allocationMode: All` instead, without a count", to=(*path[:-1], "allocationMode"))
    if expected == "list" and shape.of is not None:
        found = _listed(shape.of, value)
        return found._replace(sure=found.sure and path[-3:-2] != ("attributes",))  # `string:` is as near as `strings:`
    if expected == "struct":
        what = "an attribute" if shape.type == "DeviceAttribute" else "a capacity or counter"
        fields = {"DeviceAttribute": _TYPES_OF_ATTRIBUTES, **dict.fromkeys(_QUANTITIES, ("value",))}
        if path[-1] in fields.get(shape.type, ()):  # its name is missing
            return Advice(f"{what} has a name: write `NAME: {{{path[-1]}: {_scalar(value)}}}`")
        return _wrapped(shape.type, value)
    if expected == "string":
        if isinstance(value, bool):
            return Advice(
                "quote it: YAML reads y, yes, on, true and their opposites as a boolean unless they are quoted"
            )
        return quoted(number_text(value), path) if isinstance(value, int | float) else _NOTHING
    if expected in ("int32", "int64"):
        return _integer(value, path)
    if expected == "boolean":
        return _boolean(value)
    return _NOTHING


def quoted(number: str, path: Path) -> Advice:
    """Return the advice to quote a number where a string belongs; a device attribute's version has three parts.

    Args:
        number: the number as it is written.
    """
    if path[-1:] == ("allocationMode",) and _INTEGER.fullmatch(number):
        return Advice(f"the number of devices is the count: write `count: {number}`", to=(*path[:-1], "count"))
    is_version = path[-3:-2] == ("attributes",) and path[-1] == "version"
    is_one_of_versions = path[-4:-3] == ("attributes",) and path[-2] == "versions"
    if (is_version or is_one_of_versions) and _SHORT_VERSION.fullmatch(number):
        number = ".".join(str(int(part)) for part in [*number.split("."), "0", "0"][:3])
        return Advice(f'quote it: "{number}"', number)
    return Advice(f'quote it: "{number}"', number, sure=True)


def _boolean(value: object) -> Advice:
    text = value.strip("\"' ").lower() if isinstance(value, str) else ""
    if text in _TRUE or text in _FALSE:
        meant = text in _TRUE
        return Advice(
            "remove the quotes" if value in ("true", "false") else f"write {str(meant).lower()}", meant, sure=True
        )
    if type(value) is int and value in (0, 1):
        return Advice(f"write {str(bool(value)).lower()}", bool(value))
    for word, meant in (("true", True), ("false", False)):
        if is_slip(text, word):
            return Advice(f"did you mean {word}?", meant, sure=True)
    return Advice("write true or false") if isinstance(value, str | int | float) else _NOTHING


def _of_collection(types: Mapping[str, Struct], shape: Shape, value: dict[str, Any] | list[Any]) -> Advice:
    expected = shape.shape
    if expected == "list":
        of = shape.of
        if isinstance(value, dict) and of is not None and of.shape == "struct" and of.type in types:
            return _items(types[of.type], value)
        return Advice("start each item with `- `")
    if expected == "map" and shape.of is not None and isinstance(value, list):
        return _entries(types, shape.of, value)
    if expected == "struct" and isinstance(value, list):
        known = types[shape.type].fields if shape.type in types else {}
        if shape.type in types and (field := field_of_items(types, types[shape.type], value)) is not None:
            return Advice(f"put `{field}:` above this list, and the list one level deeper, under it", {field: value})
        if len(value) == 1 and isinstance(value[0], dict):
            hint = "remove the `- `: this field is a single object, not a list"
            return Advice(hint, value[0], sure=bool(value[0]) and value[0].keys() <= known.keys())
        if len(value) > 1:
            return Advice("this field is a single object, not a list: keep one item, without its `- `")
        return Advice("this field is a single object, not a list")
    if expected == "quantity" and isinstance(value, dict) and list(value) == ["value"]:
        amount = _scalar(value["value"])
        return _NOTHING if amount is None else Advice(f"write the quantity itself: {amount}", value["value"], sure=True)
    if expected == "string" and isinstance(value, dict) and list(value) == ["name"] and isinstance(value["name"], str):
        name = _scalar(value["name"])
        hint = "write the name alone" if name is None else f"write the name alone: {name}"
        return Advice(hint, value["name"], sure=True)
    if expected in _SCALARS and isinstance(value, list) and len(value) == 1:
        item = _scalar(value[0])
        if item is not None and fits(shape, value[0]):
            return Advice(f"this field is not a list: write {item}", value[0], sure=True)
        return Advice("this field is not a list")
    if expected in _SCALARS and isinstance(value, list) and value:
        return Advice("this field takes one value: keep one, without its `- `")
    return _NOTHING


def _are_alternatives(types: Mapping[str, Struct], value: object) -> bool:
    """Say whether a value is several requests with names of which one is enough."""
    known = types["DeviceSubRequest"].fields.keys() if "DeviceSubRequest" in types else set[str]()
    items = value if isinstance(value, list) else []
    return len(items) > 1 and all(isinstance(each, dict) and "name" in each and each.keys() <= known for each in items)


def field_of_items(
    types: Mapping[str, Struct], struct: Struct, value: object, beside: Collection[str] = ()
) -> str | None:
    """Return the one missing field of a type that takes a list of such objects; None where none or several do."""
    if not isinstance(value, list) or not value or any(not isinstance(each, dict) or not each for each in value):
        return None
    keys = {key for each in value for key in each}
    found = [
        name
        for name, shape in struct.fields.items()
        if shape.shape == "list" and shape.of is not None and shape.of.shape == "struct" and name not in beside
        if keys <= types[shape.of.type].fields.keys()
    ]
    return found[0] if len(found) == 1 else None


def _items(item: Struct, value: dict[str, Any]) -> Advice:
    """Return how to turn an object into a list: as its one item, or with one item per entry."""
    if not value:
        return Advice("write an empty list: []", [])
    if value.keys() <= item.fields.keys():
        return Advice("start each item with `- `", [value], sure=True)
    others = item.fields.keys() - {"name"}
    if "name" in item.fields and all(isinstance(inner, dict) and inner.keys() <= others for inner in value.values()):
        first = next(iter(value))
        hint = f"this field is a list: start each item with `- name: `, the first `- name: {_scalar(first) or 'NAME'}`"
        return Advice(hint, [{"name": name, **inner} for name, inner in value.items()], sure=True)
    return Advice("start each item with `- `")


def _entries(types: Mapping[str, Struct], of: Shape, value: list[Any]) -> Advice:
    """Return how to turn a list into a map: with the names of its items as keys."""
    hint = "this field has named entries, not a list: write each as `NAME: ...`"
    if not value:
        return Advice("write an empty object: {}", {})
    fields = types[of.type].fields if of.shape == "struct" and of.type in types else {}
    entries: dict[str, Any] = {}
    for item in value:
        if not isinstance(item, dict):
            return Advice(hint)
        name = item.get("name", item.get("key"))
        rest = {key: inner for key, inner in item.items() if key not in ("name", "key")}
        if isinstance(name, str) and "name" not in fields:
            entry: Any = rest if fields else rest.get("value") if len(rest) == 1 else ...
            if fields and list(rest) == ["value"] and "value" not in fields:
                entry = _wrapped(of.type, rest["value"]).value
        elif len(item) == 1 and not (item.keys() & fields.keys()):
            name, entry = next(iter(item.items()))
        else:
            return Advice(hint)
        if name in entries or entry is ... or not fits(of, entry):
            return Advice(hint)
        if fields and not (isinstance(entry, dict) and entry.keys() <= fields.keys()):
            return Advice(hint)
        entries[name] = entry
    first = next(iter(entries))
    inner = entries[first]
    shown = "{" + ", ".join(f"{k}: {_scalar(v) or '...'}" for k, v in inner.items()) + "}" if fields else _scalar(inner)
    return Advice(f"{hint}, the first `{_scalar(first) or 'NAME'}: {shown or '...'}`", entries, sure=True)


def _integer(value: object, path: Path) -> Advice:
    if isinstance(value, float):
        whole = value.is_integer() and abs(value) < 2**63
        return Advice(f"write {int(value)}", int(value), sure=True) if whole else Advice("write a whole number")
    if isinstance(value, bool):
        return Advice("write a whole number")
    if not isinstance(value, str):
        return _NOTHING
    if _INTEGER.fullmatch(value):
        octal = len(str(abs(int(value)))) < len(value.lstrip("+-"))  # without quotes, YAML reads 010 as 8
        return Advice(f"remove the quotes: {int(value)}", int(value), sure=not octal)
    bare = value.strip("\"' ")
    if bare != value and _INTEGER.fullmatch(bare):
        odd = value.strip(" ")
        what = "the white space" if odd == bare else f"the stray {odd[-1] if odd[-1] in chr(34) + chr(39) else odd[0]}"
        return Advice(f"remove {what}: {int(bare)}", int(bare), sure=True)
    if bare.lower() in _NUMBERS:
        number = _NUMBERS.index(bare.lower())
        return Advice(f"did you mean {number}?", number)
    if _THOUSANDS.fullmatch(bare) and _INTEGER.fullmatch(_SEPARATORS.sub("", bare)):
        number = int(_SEPARATORS.sub("", bare))
        return Advice(f"write it without separators: {number}", number)
    duration = _DURATION.fullmatch(bare)
    if duration is not None and path and str(path[-1]).endswith("Seconds"):
        seconds = int(duration[1]) * _SECONDS[duration[2]]
        return Advice(f"write seconds, as a number: {seconds}", seconds, sure=True)
    counted = _WITH_UNIT.fullmatch(bare)
    if counted is not None and duration is None and not amounts(bare).values:
        return Advice(f"did you mean {int(counted[1])}?", int(counted[1]))
    return Advice("write a whole number")


def _listed(of: Shape, value: object) -> Advice:
    if of.shape == "struct":
        item = _wrapped(of.type, value)
        if item.hint is None:
            return Advice("this field is a list of objects: start each one with `- `")
        hint = item.hint.replace("write `{", "write `[{").replace("}`", "}]`")
        return Advice(hint, ... if item.value is ... else [item.value], item.sure)
    if of.shape not in _SCALARS:
        return _NOTHING
    if isinstance(value, str) and len(value) <= _LONGEST and _LISTED.fullmatch(value):
        parts = [part.strip() for part in value.split(",")]
        return Advice(f"make it a list: `[{', '.join(parts)}]`", parts)
    text = _scalar(value)
    if text is None:
        return _NOTHING
    if isinstance(value, str) and _OF_A_LIST.search(value):
        return Advice("make it a list")
    return Advice(f"make it a list: `[{text}]`", [value], sure=True) if fits(of, value) else Advice("make it a list")


def _wrapped(type_name: str, value: object) -> Advice:
    """Return how to turn a scalar into an object of the type."""
    text = _scalar(value)
    if type_name == "DeviceSelector" and isinstance(value, str):
        hint = "put it under `cel:` and there under `expression:`"
        return Advice(hint, {"cel": {"expression": value}}, sure=True)
    if type_name == "DeviceAttribute" and text is not None:
        if isinstance(value, int):
            kind = "bool" if isinstance(value, bool) else "int"
            return Advice(f"write `{{{kind}: {text}}}`", {kind: value}, sure=True)
        if isinstance(value, float):
            return Advice(f'write `{{string: "{text}"}}`', {"string": text})
        if isinstance(value, str) and (typed := _typed(value)) is not None:
            return typed
        if isinstance(value, str) and value.lower() in _TYPES_OF_ATTRIBUTES:
            return Advice(f"write `{{{value.lower()}: VALUE}}`")
        if isinstance(value, str) and _VERSION.fullmatch(value):
            return Advice(f"write `{{version: {text}}}`, or `{{string: {text}}}` if it is not a version")
        if isinstance(value, str) and _AMOUNT.fullmatch(value) and not value[-1].isdigit():
            other = "list it under `capacity:` if it is an amount"
            return Advice(f"write `{{string: {text}}}`, or {other}", {"string": value})
        is_text = isinstance(value, str) and _IS_TEXT.fullmatch(value)
        return Advice(f"write `{{string: {text}}}`", {"string": value} if is_text else ..., sure=True)
    if type_name in ("DeviceTaint", "DeviceToleration") and isinstance(value, str):
        return _taint(type_name, value)
    if type_name == "DeviceSubRequest" and isinstance(value, str) and text is not None:
        return Advice(f"write `{{name: NAME, deviceClassName: {text}}}`, with a name of your choice")
    if type_name == "DeviceRequest" and isinstance(value, str) and "." in value and text is not None:
        return Advice(f"write `{{name: NAME, exactly: {{deviceClassName: {text}}}}}`, with a name of your choice")
    if type_name == "core.PodResourceClaim" and isinstance(value, str) and text is not None:
        return Advice(f"write `{{name: {text}, resourceClaimName: CLAIM}}`, or `resourceClaimTemplateName: TEMPLATE`")
    field = _WRAPPED.get(type_name)
    if field is None or (type_name not in _QUANTITIES and not isinstance(value, str)):
        return _NOTHING
    meant = {field: value} if type_name in _WHOLE and type(value) is not bool else ...
    if text is None or field == "expression":
        return Advice(f"put it under `{field}:`", meant, sure=True)
    if type_name in _QUANTITIES:
        named = _NAMED_VALUE.fullmatch(value) if isinstance(value, str) else None
        if named is not None:
            return Advice(f"write `{{{field}: {named[1]}}}`", {field: named[1]}, sure=True)
        if isinstance(value, str) and not _AMOUNT.fullmatch(value):
            return Advice(f"write `{{{field}: QUANTITY}}`")
        return Advice(f"write `{{{field}: {text}}}`", meant, sure=True)
    return Advice(f"put it under `{field}:`: `{field}: {text}`")


def _typed(text: str) -> Advice | None:
    """Return the object for an attribute that is written as its type and its value: `int 5`, `string=a`."""
    match = _TYPED.fullmatch(text)
    if match is None:
        return None
    kind, mark, quote, word = match[1].lower(), match[2].strip(), match[3], match[4]
    value: object = word
    if kind == "int" and _INTEGER.fullmatch(word):
        value = int(word)
    elif kind == "bool" and word.lower() in ("true", "false"):
        value = word.lower() == "true"
    elif kind not in ("string", "version") or (kind == "version" and not _VERSION.fullmatch(word)):
        return Advice(f"write `{{{kind}: VALUE}}`")
    return Advice(f"write `{{{kind}: {_scalar(value)}}}`", {kind: value}, sure=bool(mark or quote or kind != "string"))


def _taint(type_name: str, text: str) -> Advice:
    """Return the object for a taint in the form of kubectl: KEY=VALUE:EFFECT."""
    match = _TAINT.fullmatch(text)
    if match is None:
        return Advice("write `{key: KEY, value: VALUE, effect: EFFECT}`")
    meant = {name: part for name, part in zip(("key", "value", "effect"), match.groups(), strict=True) if part}
    if type_name == "DeviceToleration" and not match[2]:
        meant["operator"] = "Exists"
    shown = ", ".join(f"{name}: {_scalar(part)}" for name, part in meant.items())
    return Advice(f"write `{{{shown}}}`", meant)


def _scalar(value: object) -> str | None:
    """Return a value as YAML writes it inside of brackets; None where it is too long for that or not a scalar."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return number_text(value)
    if not isinstance(value, str) or len(value) > _LONGEST or not value.isprintable():
        return None
    if _PLAIN.fullmatch(value) and value.lower() not in _WORDS:
        return value
    return json.dumps(value, ensure_ascii=False)


_ANY = "write a number with a suffix that Kubernetes knows, such as Gi or M, without a space"


def amount_meant(text: str) -> Advice:
    """Return what to write instead; `40GB` can be 40G or 40Gi, so only its author knows."""
    if text.lower() in _NUMBERS:
        return _integer(text, ())
    meant = amounts(text)
    if len(meant.values) == 1:
        return Advice(f'did you mean "{meant.values[0]}"?', meant.values[0], meant.sure)
    if meant.values:
        several = listed(meant.values, "or", "")
        return Advice(f"write {several}: the first counts in thousands, the second in units of 1024")
    if not meant.number:
        return Advice(_ANY)
    return Advice(f"write {meant.number} with a suffix that Kubernetes knows, such as M or Gi, or without one")
