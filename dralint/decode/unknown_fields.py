"""Words for a field that a type does not have: the most similar name, or the place or API version that has it."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from dralint.decode.field_moves import FieldPlace, Tree, Words, all_under, elsewhere, has, lifted, moved
from dralint.decode.wrong_type import advice, field_of_items, fits
from dralint.edit.repairs import unlike
from dralint.finding.problem import (
    TOLD_WITH_ANOTHER,
    Change,
    Meant,
    Problem,
    Repair,
    meant,
    path_text,
    removed,
    renamed,
    replaced,
)
from dralint.finding.rule_ids import DISPLACED_FIELD, UNKNOWN_FIELD
from dralint.finding.words import quoted
from dralint.kubernetes import shipped
from dralint.kubernetes.near import distance, is_certain, is_marked, is_slip, letters_and_digits, near
from dralint.kubernetes.served import known_releases, preference
from dralint.kubernetes.types import TRIMMED

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path as FilePath

    from dralint.decode.decoder import Explain
    from dralint.decode.field_moves import Step
    from dralint.kubernetes.release import Release
    from dralint.kubernetes.types import Struct
    from dralint.yaml import Path


class TypesOf(NamedTuple):
    """The types to check an object against: the release, and the folder that is searched first."""

    release: Release
    schemas: FilePath | None


def explain(
    types_of: TypesOf, api_version: str, types: Mapping[str, Struct], gone: Mapping[tuple[str, str], str]
) -> Explain:
    """Return the function that tells the problem of an unknown field."""

    @cache
    def tree() -> Tree:
        return Tree(types, gone)

    def unknown(path: Path, there: tuple[Struct, Mapping[str, object]]) -> Problem:
        struct, beside = there
        key = str(path[-1])
        place = FieldPlace(types, struct, key, path, beside)
        found = elsewhere(place, api_version.rpartition("/")[2])
        words, fields = found or (_words(types_of, api_version, tree, place), (key,))
        rule, message, hint, repair = words
        first, *others = fields
        if key != first:
            return Problem(rule, path, message, "Unknown", hint, target="key", kind=TOLD_WITH_ANOTHER)
        related = tuple((f"`{name}` as well", (*path[:-1], name)) for name in others)
        return Problem(rule, path, message, "Unknown", hint, target="key", related=related, repair=repair)

    return unknown


def _words(
    types_of: TypesOf,
    api_version: str,
    tree_of: Callable[[], Tree],
    place: FieldPlace,
) -> Words:
    """Return rule, message, hint and repair for a field that is in no row of the table."""
    types, struct, key, path, beside = place
    fields = struct.fields
    plain = f'unknown field "{key}"'
    if key[:1].isspace() and key[0] != " ":
        return (
            UNKNOWN_FIELD,
            f"{plain}: it begins with U+{ord(key[0]):04X}, which is no space in YAML",
            "write plain spaces",
            None,
        )
    if key.startswith(_COMMENTS):
        return (
            UNKNOWN_FIELD,
            f"{plain}: in YAML a comment begins with `#`",
            "make it a comment, or remove it",
            removed(path),
        )
    bare = letters_and_digits(key)
    case = next((name for name in fields if name.lower() == bare), None) if key else None
    if case is not None:
        found = Meant(f'did you mean "{case}"?', renamed(path, case, safe=not is_marked(key, case)))
        why = "; field names are case-sensitive" if case.lower() == key.lower() else "; fields are spelled in camelCase"
        return UNKNOWN_FIELD, f"{plain}{why}", *_unless_taken(found, place)
    if since := _other_release(types_of, api_version, struct.name, key):
        return UNKNOWN_FIELD, f"{plain}: {since}", _SUCCESSORS.get((struct.name, key), _LEAVE_OUT), None
    if newer := _newer_version(types_of, api_version, struct.name, key):
        hint = f"write apiVersion: {newer}, or remove it"
        return UNKNOWN_FIELD, f"{plain}: {newer} has it", hint, replaced(("apiVersion",), newer)
    if instead := _SUCCESSORS.get((struct.name, key)):
        return UNKNOWN_FIELD, plain, instead, None
    name, _, rest = key.partition(" ")
    if beside[key] is None and name in fields and rest.strip():  # no colon between them: `{name r0}`
        return UNKNOWN_FIELD, plain, f"write `{name}: {rest.strip()}`", None
    names = near(key, fields, 0.72)
    if names and not (isinstance(beside[key], str) and _is_below(tree_of, struct, key, names)):
        found = meant(key, names, path, key=True)
        if len(names) == 1 and found.repair is None and len(key) > 3 and _may_mean(key, names[0]):
            found = Meant(found.hint, renamed(path, names[0]))
        elif len(names) == 1 and found.repair is not None and len(key) > 3 and distance(key, names[0]) < 3:
            found = Meant(found.hint, found.repair._replace(safe=is_certain("field", key, names[0])))
        return UNKNOWN_FIELD, plain, *_unless_taken(found, place)
    ending = [name for name in fields if _ends_with(name, key) or _begins_with(key, name)]
    short = [name for name in fields if _is_short_for(key, name) and name not in beside]
    if (alone := next((names[0] for names in (ending, short) if len(names) == 1), None)) is not None:
        found = Meant(f'did you mean "{alone}"?', renamed(path, alone))
        return UNKNOWN_FIELD, plain, *_unless_taken(found, place)
    if struct.name in _REQUESTS and (asked := _of_a_request(key, beside[key])) in fields and asked not in beside:
        return UNKNOWN_FIELD, plain, f'did you mean "{asked}"?', renamed(path, str(asked))
    tree = tree_of()
    if place.path[0] != "status" and (right := _misspelt(tree, place)) is not None:
        return _misspelt_elsewhere(types_of, api_version, tree_of, place, right)
    value, inside_itself = beside[key], path[-2:-1] == (key,)
    if inside_itself and isinstance(value, dict) and value.keys() <= fields.keys():
        hint, repair, _ = lifted(f"move the fields under this `{key}:` one level up", place)
        return DISPLACED_FIELD, f"{plain}: one `{key}:` too many", hint, repair
    up = None if inside_itself else tree.above(struct.name, key, path)
    if up is not None and key == "name":
        return _one_level_up(plain, key, up, place)
    if "metadata" in fields and key in types["ObjectMeta"].fields:
        text, hint = f"{plain}; it belongs under `metadata:`", "move it one level deeper, under `metadata:`"
        repair = moved(path, beside, ("metadata", key))
        if repair is not None and any(
            _lacks(types, struct, name, key, beside) for name in beside if name != "metadata"
        ):
            repair = repair._replace(safe=False)
        if struct.name == "ResourceClaimTemplateSpec" and key not in ("labels", "annotations"):
            repair = None  # a template has the name of no claim
        return DISPLACED_FIELD, text, hint, repair
    way = tree.below(struct.name, key)
    if way and (up is None or len(way) == 1):
        return _deeper(plain, tree, place, way)
    if up is not None:
        return _one_level_up(plain, key, up, place)
    if not inside_itself and (further := tree.higher(struct.name, key, path)):
        return _further_up(plain, key, further, path)
    if named := _with_its_name(types, struct, key, beside, path):
        return UNKNOWN_FIELD, plain, *named
    written = path[0] != "status"  # no user writes a status
    alike = field_of_items(types, struct, value, beside)
    if inside_itself and len(fields) == 1:
        alike = next((name for name, shape in fields.items() if fits(shape, value)), None)
    if written and alike not in (None, "adminAccess"):  # no other word stands for access to all devices
        return UNKNOWN_FIELD, plain, f'did you mean "{alike}"?', renamed(path, alike)
    if written and key.isidentifier() and len(beside) == 1 and _is_named(struct, beside[key]):
        return UNKNOWN_FIELD, plain, f"write `name: {key}` instead, with the fields under it next to that", None
    left_out = _left_out(struct, key, beside[key], path)
    if not written and left_out.repair is None:
        note = f" ({left_out.hint})" if left_out.hint else ""
        hint = f"leave `status` out: the cluster writes it, and an object that is created loses it{note}"
        return UNKNOWN_FIELD, plain, hint, None
    return UNKNOWN_FIELD, plain, *left_out


def _misspelt(tree: Tree, place: FieldPlace) -> str | None:
    """Return the one field of a type further down that a key is a slip of; None where there is none, or several."""
    _, struct, key, _, beside = place
    bare = letters_and_digits(key)
    if struct.name in TRIMMED or not bare or tree.below(struct.name, key) or _SEPARATOR.search(key):
        return None
    below = tree.fields_below(struct.name)
    names = [name for name in below if is_certain("nested field", key, name)]
    if not names and struct.name in _REQUESTS:
        names = [name for name in [_of_a_request(key, beside[key])] if name in below]
    return names[0] if len(names) == 1 else None


def _of_a_request(key: str, value: object) -> str | None:
    """Return the field of a request that other words stand for: `class`, or `amount` with a number."""
    if type(value) is int and key.lower() in _NUMBERS:
        return "count"
    bare = letters_and_digits(key)
    is_class = bare in _CLASSES or any(is_slip(bare, word) for word in _CLASSES)
    return "deviceClassName" if isinstance(value, str) and is_class else None


def _misspelt_elsewhere(
    types_of: TypesOf, api_version: str, tree_of: Callable[[], Tree], place: FieldPlace, name: str
) -> Words:
    """Return the words for a field that is both misspelt and in another place: those for its right name."""
    types, struct, key, path, beside = place
    inner = beside.get("exactly")
    if name in beside or (isinstance(inner, dict) and name in inner):
        return UNKNOWN_FIELD, f'unknown field "{key}"', f"`{name}` is there as well: keep one of the two", None
    meant_path = (*path[:-1], name)
    others = {other: value for other, value in beside.items() if other in struct.fields}
    right = FieldPlace(types, struct, name, meant_path, {**others, name: beside[key]})
    found = elsewhere(right, api_version.rpartition("/")[2])
    rule, message, hint, repair = found[0] if found else _words(types_of, api_version, tree_of, right)
    message = message.replace(f'unknown field "{name}"', f'unknown field "{key}", probably "{name}"', 1)
    if repair is not None:
        changes = (each._replace(path=path) if each.path == meant_path else each for each in repair.changes)
        sure = repair.safe and is_certain("nested field", key, name)
        repair = Repair(tuple(changes), safe=sure)
    return rule, message, f"write `{name}`; {hint}" if hint else f"write `{name}`", repair


def _is_below(tree_of: Callable[[], Tree], struct: Struct, key: str, names: Sequence[str]) -> bool:
    """Say whether a text belongs to a field of this very name further down, as no field with a near name takes one."""
    return all(struct.fields[name].shape in ("list", "map", "struct") for name in names) and bool(
        tree_of().below(struct.name, key)
    )


def _lacks(types: Mapping[str, Struct], struct: Struct, name: str, key: str, beside: Mapping[str, object]) -> bool:
    """Say whether an object next to a field has that field in its type, and not in its value."""
    shape, value = struct.fields.get(name), beside[name]
    known = shape is not None and shape.shape == "struct" and key in types[shape.type].fields
    return known and isinstance(value, dict) and key not in value


def _may_mean(key: str, name: str) -> bool:
    """Say whether a key differs from a field by one letter, or is its beginning, which is a guess."""
    return distance(key, name) == 1 or name.startswith(key)


def _unless_taken(found: Meant, place: FieldPlace) -> Meant:
    """Return what a field means, without the repair if the right field exists or cannot have its value."""
    types, struct, key, _, beside = place
    if found.repair is None:
        return found
    name, path = str(found.repair.changes[0].value), found.repair.changes[0].path
    if _has_more(key, name, beside[key]):
        return Meant(found.hint, None)
    if name in beside:
        if beside[key] in _NOTHING or _same(beside[key], beside[name]):
            return Meant(f"remove it: `{name}` is there as well", removed(path, safe=True))
        return Meant(f"`{name}` is there as well: keep one of the two", None)
    evident = fits(struct.fields[name], beside[key]) or advice(types, struct.fields[name], beside[key], (name,)).sure
    return found if evident else Meant(found.hint, None)


def _has_more(key: str, name: str, value: object) -> bool:
    """Say whether a key has more than the name of a field: `count=9`, `nam r0`, or `count3` without a value."""
    if _SEPARATOR.search(key):
        return True
    more = {character for character in key if character.isspace() or (value is None and character.isdigit())}
    return letters_and_digits(key) != letters_and_digits(name) and not more <= set(name)


def _ends_with(name: str, key: str) -> bool:
    """Say whether a key ends with the words of a field: `mode` and `className`, but not `name`."""
    return len(key) > 3 and key != "name" and name.endswith(f"{key[0].upper()}{key[1:]}")


def _begins_with(key: str, name: str) -> bool:
    """Say whether a field is short for a key: `min` for `minimum`."""
    short = len(name) > 2 and key.islower() and key.startswith(name) and len(key) - len(name) > 2
    return short and key != "namespace"


def _is_short_for(key: str, name: str) -> bool:
    """Say whether a key is the beginning of a field, both in the plural: `params` of `parameters`."""
    stem = key.removesuffix("s")
    return len(stem) > 3 and stem != key and name.endswith("s") and name.startswith(stem)


def _same(one: Any, other: Any) -> bool:
    return unlike(one, other) is None


_COMMENTS = ("//", "/*", "--", ";")
"""The beginnings of a comment in other languages."""
_SEPARATOR = re.compile(r"""[=:;,"'\[\]{}]""")
_ALTERNATIVES = ("exactly", "firstAvailable")
"""Fields of a request that exclude each other."""
_NOTHING: tuple[object, ...] = (None, "", [], {})
"""Empty values; a key without any value may be a value itself: `{gpu, exactly: ...}`."""
_NOTES = ("comment", "comments", "description", "note", "notes")
"""Fields for notes to people."""
_NAMELESS = (
    "DeviceSelector",
    "DeviceConstraint",
    "DeviceClaimConfiguration",
    "DeviceClassConfiguration",
    "core.NodeSelectorTerm",
)
"""Items of lists that people often name, although nothing can refer to the name."""


def _left_out(struct: Struct, key: str, value: object, path: tuple[str | int, ...]) -> Meant:
    """Return the words for a field that resembles none; as a guess, a repair that removes a field without an effect."""
    bare, hint = letters_and_digits(key), _fields_of(struct)
    is_type = bare in ("apiversion", "kind") and not {"apiGroup", "apiVersion", "kind"} & struct.fields.keys()
    is_named = bare == "name" and struct.name in _NAMELESS
    says_nothing = value in _NOTHING[1:] or not bare or key.startswith("x-") or bare in _NOTES or is_type or is_named
    if (isinstance(value, dict | list) and value and not key.startswith("x-")) or struct.name in _ROOMY:
        says_nothing = False
    if not says_nothing or struct.name in TRIMMED:
        better = _asked_for(struct, key, value)
        return Meant(f"{better}; {hint}" if better and hint else hint, None)
    return Meant(f"remove it; {hint}", removed(path))


_ROOMY = ("ObjectMeta", "OpaqueDeviceConfiguration")
"""Types with a map below them that takes any key: annotations, parameters."""
_REQUESTS = ("ExactDeviceRequest", "DeviceRequest", "DeviceSubRequest")
_OF_CLAIMS = (*_REQUESTS, "DeviceClaim", "ResourceClaimSpec")
_CLASSES = ("class", "classname", "deviceclass", "resourceclass", "resourceclassname")
_NUMBERS = ("amount", "quantity", "number", "replicas", "num", "gpus", "devices", "instances")
_SELECTING = ("devices", "deviceSelector", "deviceSelectors", "nodeSelector", "matchLabels", "labelSelector")
"""Words that people write for what selects the devices of a class."""
_COUNTS = ("limits", "requests", "resources")
_ATTRIBUTE = re.compile(r"[\w.-]{1,63}/\w{1,32}")
_AMOUNT = re.compile(r"\d+(?:\.\d+)?[KMGTPE]i?")


def _asked_for(struct: Struct, key: str, value: object) -> str | None:
    """Return how a claim requests what the field describes: properties of devices, parameters, a number."""
    if isinstance(value, dict) and struct.name in _OF_CLAIMS:
        if key in _COUNTS:
            return "`count` is the number of devices, and the class selects their kind"
        return f"parameters for a driver go to `config: [{{opaque: {{driver: DRIVER, parameters: {{{key}: ...}}}}}}]`"
    if struct.name == "DeviceClassSpec" and key in _SELECTING:
        return "a class selects devices by expressions: write `selectors: [{cel: {expression: ...}}]`"
    if isinstance(value, dict) and struct.name == "DeviceClassSpec":
        return f"parameters for a driver go to `config: [{{opaque: {{driver: DRIVER, parameters: {{{key}: ...}}}}}}]`"
    if struct.name == "OpaqueDeviceConfiguration" and "parameters" in struct.fields:
        return "move it one level deeper, under `parameters:`, if it is for the driver"
    if struct.name in _REQUESTS and key in ("matchAttribute", "distinctAttribute"):
        name = value if isinstance(value, str) and _ATTRIBUTE.fullmatch(value) else "NAME"
        return f"a constraint compares devices: write `constraints: [{{{key}: {name}}}]` next to `requests:`"
    if struct.name not in _REQUESTS or not isinstance(value, str | int) or not key.isidentifier():
        return None
    if isinstance(value, str) and _AMOUNT.fullmatch(value):
        asked = f'device.capacity["DRIVER"].{key}.compareTo(quantity("{value}")) >= 0'
    else:
        shown = str(value).lower() if isinstance(value, bool) else value if isinstance(value, int) else quoted(value)
        asked = f'device.attributes["DRIVER"].{key} == {shown}'
    return f"compare what devices have in `selectors`: `{asked}`"


_SUCCESSORS = {
    ("Device", "nodeAllocatableResourceMappings"): "since 1.37 it is `nodeAllocatableResources`, with another shape",
    ("DeviceTaint", "operator"): "remove it: a toleration has an operator, a taint does not",
    ("DeviceTaint", "tolerationSeconds"): "remove it: a toleration has a duration, a taint does not",
    ("DeviceTaintSelector", "deviceClassName"): "select by `driver`, `pool` and `device` instead: "
    "an empty selector would match all devices",
    ("DeviceTaintSelector", "selectors"): "select by `driver`, `pool` and `device` instead: "
    "an empty selector would match all devices",
}
"""(Type, field that only other releases have) → what to write."""


_LEAVE_OUT = "remove it, or select the release of your cluster with --kubernetes-version if it has the field"


def _one_level_up(plain: str, key: str, step: Step, place: FieldPlace) -> Words:
    path = place.path
    text = f"{plain}; it belongs one level up, next to `{step.field}:`"
    hint = f"move `{key}` one level up, or remove it if there is one already"
    if step.shape != "struct":
        return DISPLACED_FIELD, text, hint, None
    move = Change("move", path, to=(*path[:-2], key))
    if step.field in _ALTERNATIVES and key in _ALTERNATIVES and len(place.beside) == 1:
        text = f"{plain}; it belongs one level up, instead of `{step.field}:`"
        repair = Repair((move, Change("remove", path[:-1])), safe=True)
        return DISPLACED_FIELD, text, f"move `{key}` one level up, and remove `{step.field}:`", repair
    return DISPLACED_FIELD, text, hint, Repair((move,), safe=True)


def _is_named(struct: Struct, value: object) -> bool:
    """Say whether a value has the fields of the type besides its name: then the author wrote a list as a map."""
    return "name" in struct.fields and isinstance(value, dict) and bool(value) and value.keys() <= struct.fields.keys()


def _further_up(plain: str, key: str, way: list[Step], path: tuple[str | int, ...]) -> Words:
    """Return the words for a field that belongs some levels up: `way` leads down from there."""
    top = way[0].field
    at = len(path) - 1 - sum(1 if step.shape == "struct" else 2 for step in way)
    where = path_text(path[:at])
    text = f"{plain}; it belongs next to `{top}:`" + (f", in `{where}`" if where else "")
    hint = f"move `{key}` up, next to `{top}:`, or remove it if there is one already"
    # What stood in one of several items was perhaps meant for this item alone.
    return DISPLACED_FIELD, text, hint, Repair((Change("move", path, to=(*path[:at], key)),), safe=False)


def _with_its_name(
    types: Mapping[str, Struct], struct: Struct, key: str, beside: Mapping[str, object], path: tuple[str | int, ...]
) -> Meant | None:
    """Return the words for a field with the suffix `Name`: `driverName` is `driver`, `poolName` is in `pool`."""
    field = "name" if key in ("id", "ID", "identifier") and path[0] != "status" else key.removesuffix("Name")
    shape, value = struct.fields.get(field), beside[key]
    if field == key or shape is None or field in beside or not isinstance(value, str):
        return None
    if shape.shape == "string":
        return Meant(f'did you mean "{field}"?', renamed(path, field))
    if shape.shape == "struct" and "name" in types[shape.type].fields:
        return Meant(f"write `{field}: {{name: {value}}}`", None)
    return None


def _deeper(plain: str, tree: Tree, place_of: FieldPlace, way: list[Step]) -> Words:
    """Return the words for a field that belongs further down: `way` leads there from its type."""
    _, struct, key, path, beside = place_of
    first = next((at for at, step in enumerate(way) if step.shape != "struct"), len(way))
    names = [step.field for step in way]
    place = ".".join(names[: first + 1])
    if first == len(way):
        hint = f"move it {('one level', 'two levels', 'three levels')[len(way) - 1]} deeper, under `{place}:`"
        if path[-2:-1] == (place,):
            full = path_text((*path[:-1], place, key))
            text = f"{plain}; it belongs under a second `{place}:` ({full})"
            hint = f"move `{key}` one level deeper, under a `{place}:` below this `{place}:`"
            return DISPLACED_FIELD, text, hint, moved(path, beside, (*names, key))
        if has(beside, [*names, key]):
            hint = f"remove it, or the one under `{place}:`"
        # A name alone does not show that the rest of its parent is missing: the object itself may lack a name.
        repair = None if key == "name" and names[0] not in beside else moved(path, beside, (*names, key))
        along = tuple(name for name in beside if tree.below(struct.name, name) == way)
        if struct.name in TRIMMED and len(along) > 1 and not has(beside, [*names, key]):
            hint, repair, _ = all_under(place, along, path, beside)  # a part of them would stay
        return DISPLACED_FIELD, f"{plain}; it belongs under `{place}:`", hint, repair
    rest = way[first + 1 :]
    what = "item" if way[first].shape == "list" else "entry"
    under = f", under `{'.'.join(names[first + 1 :])}:`" if rest else ""
    text = f"{plain}; it belongs in an {what} of `{place}:`{under}"
    fields = [key]
    if what == "item":
        ways = {other: tree.below(struct.name, other) for other in beside if other not in struct.fields}
        together = [other for other, theirs in ways.items() if theirs[: first + 1] == way[: first + 1]]
        if key != together[0]:
            return DISPLACED_FIELD, text, f"move it into the same item of `{place}:` as `{together[0]}`{under}", None
        fields = [other for other in together if ways[other] == way]
    example = _example(fields, rest)
    example = f"- {example}" if what == "item" else f"NAME: {{{example}}}"
    if has(beside, names[: first + 1]):
        return (
            DISPLACED_FIELD,
            text,
            f"move it into an {what} of the `{place}:` that is there, or add one: `{example}`",
            None,
        )
    return DISPLACED_FIELD, text, f"write it as an {what} of `{place}:`: `{example}`", None


def _example(moved: list[str], rest: list[Step]) -> str:
    """Return the fields below the steps, as YAML on one line."""
    example = ", ".join(f"{name}: ..." for name in moved)
    if len(moved) > 1 and not rest:
        return f"{{{example}}}"
    for step in reversed(rest):
        inner = {"struct": "{%s}", "list": "[{%s}]", "map": "{NAME: {%s}}"}[step.shape] % example
        example = f"{step.field}: {inner}"
    return example


def _fields_of(struct: Struct) -> str | None:
    """Return the fields of the type; None for one of which dralint knows only the part around claims."""
    if struct.name in TRIMMED:
        return None
    return f"allowed here: {_names(struct.fields)}" if struct.fields else "no field is allowed here"


@lru_cache(maxsize=256)
def _other_release(types_of: TypesOf, api_version: str, struct: str, key: str) -> str | None:
    """Return the releases (since or until) that have the field in the same API version and type; None for none."""
    known = known_releases(types_of.schemas)
    having = [r for r in known if _has(str(r), types_of.schemas, api_version, struct, key)]
    later = [release for release in having if release > types_of.release]
    if later:
        return f"{api_version} has it from {later[0]} on"
    return f"{api_version} had it up to {having[-1]}" if having else None


def _newer_version(types_of: TypesOf, api_version: str, struct: str, key: str) -> str | None:
    """Return the newest API version that has a field of the type, if no release serves the given one any more."""
    known = known_releases(types_of.schemas)
    newest = str(known[-1])
    versions = shipped.openapi(newest, types_of.schemas)["schemas"]
    group = api_version.rpartition("/")[0]
    if api_version in versions or not group:
        return None
    having = [v for v in versions if v.startswith(f"{group}/") and _has(newest, types_of.schemas, v, struct, key)]
    return min(having, key=preference, default=None)


def _has(release: str, directory: FilePath | None, api_version: str, struct: str, key: str) -> bool:
    found = shipped.structs_of(release, api_version, directory).get(struct)
    return found is not None and key in found.fields


def _names(fields: Mapping[str, object]) -> str:
    names = sorted(fields)
    return ", ".join(names[:14]) + (", ..." if len(names) > 14 else "")
