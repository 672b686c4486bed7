"""Hints and repairs for a field in a place where its type has no such field, and the table of those with another place.

Source: the types of k8s.io/api v0.30.14 to v0.37.0 (resource, core, batch).
"""

from __future__ import annotations

import re
from functools import cache, partial
from typing import TYPE_CHECKING, Any, NamedTuple

from dralint.finding.problem import Change, MapKey, Repair, at, removed, renamed, replaced
from dralint.finding.rule_ids import DISPLACED_FIELD, OTHER_SHAPE, UNKNOWN_FIELD, WRONG_TYPE
from dralint.finding.words import quoted
from dralint.kubernetes.near import is_slip, listed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from dralint.finding.problem import Problem
    from dralint.kubernetes.types import Struct
    from dralint.yaml import Json, Path

_DEEPEST = 3
"""A field is searched this many levels below its type."""
_EVERYWHERE = ("kind", "apiVersion", "metadata", "status", "spec")
"""Fields that so many types have that they do not show where a field belongs."""


class Step(NamedTuple):
    """One level down: a field, and whether it holds a struct, a list or a map of them."""

    field: str
    shape: str


class Tree:
    """The fields of an API version, as seen from any of its types.

    Args:
        gone: (type, field) → gate, for the fields that the release removes: they count where no other has the key.
    """

    def __init__(self, types: Mapping[str, Struct], gone: Mapping[tuple[str, str], str]) -> None:
        self.types = types
        self._gone = gone
        self._all_below = cache(self._ways)
        self._parents: dict[str, list[tuple[str, Step]]] = {}
        for struct in types.values():
            for step, inner in self._steps(struct.name):
                self._parents.setdefault(inner, []).append((struct.name, step))

    def _steps(self, name: str) -> list[tuple[Step, str]]:
        shapes = [(key, shape, shape.of or shape) for key, shape in self.types[name].fields.items()]
        return [(Step(key, shape.shape), inner.type) for key, shape, inner in shapes if inner.shape == "struct"]

    def below(self, name: str, key: str) -> list[Step]:
        """Return the way from the type down to the nearest type with the field; [] where none or several have it."""
        return self._all_below(name).get(key, [])

    def fields_below(self, name: str) -> list[str]:
        """Return the fields that `below` finds, without those that do not show where they belong."""
        return [key for key in self._all_below(name) if key not in ("name", *_EVERYWHERE)]

    def _ways(self, start: str) -> dict[str, list[Step]]:
        best: dict[str, tuple[tuple[object, ...], list[Step]]] = {}
        tied: set[str] = set()
        level: list[tuple[list[Step], str, bool]] = [([], start, False)]
        for depth in range(1, 2 if start.startswith("core.") else _DEEPEST + 1):
            level = [
                ([*way, step], inner, off or (name, step.field) in self._gone)
                for way, name, off in level
                for step, inner in self._steps(name)
                if inner != "ObjectMeta"
            ]
            for way, name, off in level:
                for key in self.types[name].fields:
                    if depth > 1 and key in ("name", *_EVERYWHERE):
                        continue
                    rank = (
                        off or (name, key) in self._gone,
                        way[0].field == "status",
                        key == "expression" and way[-1].field != "cel",
                        depth,
                        sum(step.shape != "struct" for step in way),
                    )
                    if key not in best or rank < best[key][0]:
                        best[key] = rank, way
                        tied.discard(key)
                    elif rank == best[key][0] and depth > 1:
                        tied.add(key)
        return {key: way for key, (_, way) in best.items() if key not in tied}

    def higher(self, name: str, key: str, path: tuple[str | int, ...]) -> list[Step]:
        """Return the way to an object of the type from its nearest parent with the field; [] for none."""
        if key in (*_EVERYWHERE, "name"):
            return []
        way: list[Step] = []
        end = len(path) - 1
        while holders := self._holders(name, path, end)[1]:
            name, step = holders[0]
            way.insert(0, step)
            if key in self.types[name].fields and (name, key) not in self._gone:
                return way
            end -= 1 if step.shape == "struct" else 2
        return []

    def _holders(self, name: str, path: tuple[str | int, ...], end: int) -> tuple[int, list[tuple[str, Step]]]:
        """Return each type that can contain the object, with the step down from it, and how many steps of the path lead
        there.

        Several types can have a field of one name and type (`resources`): the right one matches more of the path. The
        number is negative where the path leads elsewhere.
        """
        parents = self._parents.get(name, ())
        if not parents or not end:
            return 0, []  # the whole object, or an unknown part
        most, best = -1, list[tuple[str, Step]]()
        for parent, step in parents:
            at = end - (1 if step.shape == "struct" else 2)
            steps = self._holders(parent, path, at)[0] + 1 if at >= 0 and path[at] == step.field else 0
            if steps and steps >= most:
                best = [*(best if steps == most else ()), (parent, step)]
                most = steps
        return most, best

    def above(self, name: str, key: str, path: tuple[str | int, ...]) -> Step | None:
        """Return the step that led to an object of the type, if the type above it has the field."""
        if key in _EVERYWHERE:
            return None
        for parent, step in self._holders(name, path, len(path) - 1)[1]:
            if key not in self.types[parent].fields or (parent, key) in self._gone:
                continue
            if key != "name" or step.shape == "struct":
                return step
        return None


_FIELDS = {
    "attributes": ("string", "int", "bool", "version"),
    "capacity": ("value",),
    "counters": ("value",),
}
"""Maps, and the fields that their entries have."""


def without_empty_parent(problem: Problem, data: Any) -> Problem:
    """Return a problem whose repair does not leave `limits: {}` behind where `claims` was the only entry."""
    changes = () if problem.repair is None else problem.repair.changes
    if problem.repair is None or len(changes) != 1 or changes[0].do != "move":
        return problem
    parent = changes[0].path[:-1]
    holder = at(data, parent)
    if parent[-1:] not in (("limits",), ("requests",)) or not isinstance(holder, dict) or len(holder) != 1:
        return problem
    return problem._replace(repair=problem.repair._replace(changes=(*changes, Change("remove", parent))))


def with_its_entry(problem: Problem, data: Any) -> Problem:
    """Return a decoding problem, reworded if the unknown entry is in fact a field of the entry before."""
    if problem.repair is not None and any(c.do == "move" and _names_the_entry(c.to) for c in problem.repair.changes):
        return problem._replace(repair=None)
    path = problem.place
    if problem.rule == OTHER_SHAPE and problem.repair is not None and _follows_alternatives(data, path[:-1]):
        return problem._replace(repair=problem.repair._replace(safe=False))  # it can be one more entry
    if problem.rule != WRONG_TYPE or len(path) < 2 or path[-1] not in _FIELDS.get(str(path[-2]), ()):
        return problem
    beside = at(data, path[:-1])
    names = list(beside) if isinstance(beside, dict) else []
    before = names.index(path[-1]) - 1 if path[-1] in names else -1
    if before < 0 or beside[names[before]] is not None:
        return problem._replace(repair=None)
    name = names[before]
    moved = Change("move", path, to=(*path[:-1], name, path[-1]))
    hint = f"indent it more than `{name}:`, which it is a field of"
    return problem._replace(hint=hint, repair=Repair((Change("remove", (*path[:-1], name)), moved), safe=True))


def _follows_alternatives(data: Any, path: Path) -> bool:
    """Say whether a list item follows one that ends with a list of alternatives."""
    if not path or not isinstance(path[-1], int) or path[-1] < 1:
        return False
    before = at(data, (*path[:-1], path[-1] - 1))
    return isinstance(before, dict) and bool(before.get("firstAvailable")) and list(before)[-1] == "firstAvailable"


def _names_the_entry(to: Path) -> bool:
    """Say whether a field moves below a key with the name of the entry: then the name of the entry is missing."""
    return len(to) > 2 and isinstance(to[-3], MapKey) and to[-3] == to[-2]


class FieldPlace(NamedTuple):
    """The place of such a field.

    Attributes:
        types: the types of the API version.
        struct: the type that lacks the field.
        key: the field; path: its path; beside: the mapping that contains it.
    """

    types: Mapping[str, Struct]
    struct: Struct
    key: str
    path: tuple[str | int, ...]
    beside: Mapping[str, object]


class FieldMove(NamedTuple):
    """The hint and the repair; and the fields that they are for, if there are others than the field itself."""

    hint: str
    repair: Repair | None
    fields: tuple[str, ...] = ()


def moved(path: tuple[str | int, ...], beside: Mapping[str, object], way: tuple[str, ...]) -> Repair | None:
    """Return the repair that moves a field further down; None where its new place is taken by more than null."""
    value: object = beside
    for depth, name in enumerate(way, 1):
        if not isinstance(value, dict):
            return None
        if value.get(name) is None:
            empty = (Change("remove", (*path[:-1], *way[:depth])),) if name in value else ()
            sure = beside.get(str(path[-1])) is not None  # what has no value has lost the lines below it
            return Repair((*empty, Change("move", path, to=(*path[:-1], *way))), sure)
        value = value[name]
    return None


def all_under(parent: str, fields: tuple[str, ...], path: Path, beside: Mapping[str, object]) -> FieldMove:
    """Move fields together below another one; there is no repair where the new place is taken.

    Args:
        path: the path of one of them; beside: the mapping that contains them.
    """
    ways = [moved((*path[:-1], name), beside, (parent, name)) for name in fields]
    changes = tuple(dict.fromkeys(change for way in ways if way is not None for change in way.changes))
    repair = Repair(changes, safe=True) if None not in ways else None
    return FieldMove(f"move {listed(fields, quote='`')} one level deeper, under `{parent}:`", repair, fields)


def has(value: object, names: list[str]) -> bool:
    """Say whether the path of names leads to a value other than null."""
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value is not None


def told(hint: str, _: FieldPlace) -> FieldMove:
    """Give only a hint: the author must decide what belongs there."""
    return FieldMove(hint, None)


def left_out(hint: str, place: FieldPlace) -> FieldMove:
    """Remove the field: the object says the same without it."""
    return FieldMove(hint, removed(place.path))


def lifted(hint: str, place: FieldPlace) -> FieldMove:
    """Replace the field by the fields below it, if all of them are allowed in its place."""
    _, struct, key, path, beside = place
    inner = beside[key]
    if not isinstance(inner, dict) or not inner or any(name in beside or name not in struct.fields for name in inner):
        return FieldMove(hint, None)
    moves = [Change("move", (*path, name), to=(*path[:-1], name)) for name in inner]
    return FieldMove(hint, Repair((*moves, Change("remove", path)), safe=True))


def under(parent: str, inner: str, place: FieldPlace) -> FieldMove:
    """Move all such fields below another one.

    Args:
        inner: the type of that one.
    """
    types, struct, key, path, beside = place
    if has(beside, [parent, key]):
        return FieldMove(f"remove it, or the one under `{parent}:`", None)
    known = types[inner].fields if inner in types else (key,)
    fields = tuple(
        name for name in beside if name in known and name not in struct.fields and not has(beside, [parent, name])
    )
    return all_under(parent, fields, path, beside)


def anew(place: FieldPlace) -> FieldMove | None:
    """Give a hint: a claim of the classic API must be written again. Where it has the field of later ones, only the
    time of its allocation is left over; None for other fields.
    """
    if "devices" in place.beside:
        value = place.beside[place.key]
        is_time = value == "Immediate" or "Consumer" in str(value)
        return left_out("remove it: a claim is allocated when a Pod uses it", place) if is_time else None
    flat = "exactly" not in place.types["DeviceRequest"].fields
    request = "{name: NAME, deviceClassName: CLASS}" if flat else "{name: NAME, exactly: {deviceClassName: CLASS}}"
    hint = f"write a new claim: `devices: {{requests: [{request}]}}`; parameters go to `devices.config`"
    return FieldMove(hint, None)


def second_spec(place: FieldPlace) -> FieldMove | None:
    """Handle a claim in the form of a template, or a template with one `spec:` too many."""
    path, beside = place.path, place.beside
    if place.key == "spec" and beside["spec"] is None:
        return left_out(
            "remove it; or write `kind: ResourceClaimTemplate`, and indent the other fields below it", place
        )
    if "spec" not in beside or not isinstance(beside["spec"], dict):
        return None
    if path[:-1] != ("spec",):
        return lifted(ONE_SPEC_UP, place) if place.key == "spec" else None
    fields = tuple(name for name in beside if name in ("metadata", "spec"))
    claim = ONE_SPEC_UP + (", and remove `metadata`" if len(fields) > 1 else "")
    template = replaced(("kind",), "ResourceClaimTemplate") if len(fields) > 1 else None
    return FieldMove(f"write `kind: ResourceClaimTemplate`; or, for one claim, {claim}", template, fields)


ONE_SPEC_UP = "move the fields under this `spec:` one level up"


def terms(place: FieldPlace) -> FieldMove | None:
    """Turn labels into the terms of a node selector; None where there is more than labels."""
    _, struct, _, path, beside = place
    labels: Mapping[str, object] = beside
    if list(beside) == ["matchLabels"] and isinstance(beside["matchLabels"], dict):
        labels = beside["matchLabels"]
    if not labels or any(not isinstance(value, str) or key in struct.fields for key, value in labels.items()):
        return None
    terms: list[Json] = [{"key": key, "operator": "In", "values": [str(value)]} for key, value in labels.items()]
    shown = ", ".join(f"{{key: {key}, operator: In, values: [{quoted(value)}]}}" for key, value in labels.items())
    hint = f"write `nodeSelectorTerms: [{{matchExpressions: [{shown}]}}]`"
    repair = replaced(path[:-1], {"nodeSelectorTerms": [{"matchExpressions": terms}]}, safe=True)
    return FieldMove(hint, repair, tuple(beside))


def into_exactly(place: FieldPlace) -> FieldMove:
    """Move all fields of a flat request below one `exactly:`."""
    types, _, key, _, beside = place
    found = under("exactly", "ExactDeviceRequest", place)
    if not found.fields:
        return found._replace(hint=f"{found.hint}: a request has one `{key}`")
    which = listed(found.fields, quote="`")
    put = "put `exactly:` below `name`" if "name" in beside else "give the request a `name:`, put `exactly:` below it"
    hint = f"{put}, and move {which} one level deeper, under it"
    if "exactly" in beside:
        hint = f"move {which} one level deeper, under the `exactly:` of this request"
    elif beside.get("firstAvailable"):
        lacking = [name for name in found.fields if name not in types["DeviceSubRequest"].fields]
        hint = f"move {which} into the items of `firstAvailable:`, or use `exactly:` instead"
        if lacking:
            which = listed(lacking, quote="`")
            hint = f"alternatives have no {which}: remove it, or use `exactly:` instead of `firstAvailable:`"
    return FieldMove(hint, None if beside.get("firstAvailable") else found.repair, found.fields)


def entries(parent: str, is_one: Callable[[object], bool], place: FieldPlace) -> FieldMove | None:
    """Move fields of any name into a map as entries; None if the value is not an entry."""
    _, struct, key, path, beside = place
    if not is_one(beside[key]) or is_slip(key, parent) or key == "value":
        return None
    fields = tuple(n for n in beside if n not in struct.fields and is_one(beside[n]) and not is_slip(n, parent))
    return all_under(parent, fields, path, beside)


def of_parameters(place: FieldPlace) -> FieldMove | None:
    """Move the fields of an object of parameters below `parameters:`; None if that is there, or they are no object."""
    fields = tuple(name for name in place.beside if name not in place.struct.fields)
    if "parameters" in place.beside or not {"apiVersion", "kind"} <= set(fields):
        return None
    return all_under("parameters", fields, place.path, place.beside)


def claims_by_name(place: FieldPlace) -> FieldMove | None:
    """Turn claims of a Pod with their names as keys, next to `resourceClaims:`, into its items; None for others."""
    from dralint.manifest.pod_parts import about_claims, is_claim  # only Pods have any

    types, struct, key, path, beside = place
    claims = {
        name: value
        for name, value in beside.items()
        if name not in struct.fields and not about_claims(name) and is_claim(value, name) and "name" not in value
    }
    if key not in claims:
        return None
    fields = tuple(claims)
    items_there = "it as an item there:" if len(fields) == 1 else "each as an item there, the first"
    hint = f"write {items_there} `- name: {fields[0]}`, with the fields under it next to that"
    if beside.get("resourceClaims"):
        return FieldMove(hint, None, fields)
    empty = "resourceClaims" in beside
    items: list[Json] = [{"name": name, **value} for name, value in claims.items()]
    written = Change("replace" if empty else "insert", (*path[:-1], "resourceClaims"), items)
    known = types["core.PodResourceClaim"].fields.keys()
    sure = empty and all(value.keys() <= known for value in claims.values())
    gone = (Change("remove", (*path[:-1], name)) for name in fields)
    return FieldMove(hint, Repair((written, *gone), safe=sure), fields)


def templates(place: FieldPlace) -> FieldMove:
    """Say where a Pod names a template; an empty list of templates goes."""
    value = place.beside[place.key]
    if value in (None, [], ""):
        return FieldMove("remove it", removed(place.path))
    name = value if isinstance(value, str) else "TEMPLATE"
    return FieldMove(f"write `resourceClaims: [{{name: NAME, resourceClaimTemplateName: {name}}}]`", None)


_SUFFIXED = re.compile(r"[0-9.]+ ?(?:[kKMGTPE]|[KMGTPE]i)")
_NUMBER = re.compile(r"[+-]?[0-9.]+ ?(?:[numkKMGTPE]|[KMGTPE]i)?")


def is_amount(value: object) -> bool:
    """Say whether a value is a quantity."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number or (isinstance(value, str) and _NUMBER.fullmatch(value) is not None)


def is_capacity(value: object) -> bool:
    """Say whether a value is a counter, or the capacity of a device."""
    return isinstance(value, dict) and is_amount(value.get("value"))


def is_attribute(value: object) -> bool:
    """Say whether a value is that of an attribute: one type and a scalar."""
    kinds = ("string", "int", "bool", "version")
    return isinstance(value, dict) and len(value) == 1 and any(name in value for name in kinds)


def called(name: str, takes: type, place: FieldPlace) -> FieldMove | None:
    """Rename the field; None if the new name is taken or does not accept the value."""
    if name in place.beside or not isinstance(place.beside[place.key], takes):
        return None
    return FieldMove(f'did you mean "{name}"?', renamed(place.path, name))


def labels(place: FieldPlace) -> FieldMove | None:
    """Suggest attributes for the labels of a device; None if they are not a mapping of texts."""
    labels = place.beside[place.key]
    if not isinstance(labels, dict) or not labels or any(not isinstance(each, str) for each in labels.values()):
        return None
    names = {name: f".{name}" if name.isidentifier() else f"[{quoted(name)}]" for name in labels}
    asked = " && ".join(f'device.attributes["DRIVER"]{names[name]} == {quoted(each)}' for name, each in labels.items())
    return FieldMove(f"devices have attributes, not labels: write `cel: {{expression: '{asked}'}}`", None)


def by_driver(place: FieldPlace) -> FieldMove | None:
    """Suggest a selector for the driver of a class; None if it is the driver of parameters next to it."""
    driver = place.beside[place.key]
    if not isinstance(driver, str) or "parameters" in place.beside:
        return None
    return FieldMove(f"write `selectors: [{{cel: {{expression: 'device.driver == {quoted(driver)}'}}}}]` instead", None)


def claims(place: FieldPlace) -> FieldMove | None:
    """Rename a field of a container that lists claims; None where it declares them."""
    return called("claims", list, place) if _are_uses(place.beside[place.key]) else None


def used_claims(place: FieldPlace) -> FieldMove | None:
    """Move the claims that a container uses to its resources; None where it declares them."""
    if not _are_uses(place.beside[place.key]):
        return None
    way = moved(place.path, place.beside, ("resources", "claims"))
    hint = "write it as `claims:` one level deeper, under `resources:`"
    return FieldMove(hint, None if way is None else way._replace(safe=False))


def _are_uses(value: object) -> bool:
    """Say whether a value is a list of claims by their names, and not of where these come from."""
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(each, dict) and each.keys() <= {"name", "request"} for each in value)
    )


def typed(place: FieldPlace) -> FieldMove | None:
    """Move the value of an attribute below its type; None where the type is unknown."""
    value = place.beside[place.key]
    if isinstance(value, str) and _SUFFIXED.fullmatch(value):
        name = str(place.path[-2])
        return FieldMove(f"an amount is a capacity: write `{name}: {{value: {value}}}` under `capacity:`", None)
    kinds = {bool: "bool", int: "int", str: "string"}
    kind = kinds.get(type(value))
    if kind is None or kind in place.beside:
        return None
    return FieldMove(f'did you mean "{kind}"?', renamed(place.path, kind))


def written_apart(place: FieldPlace) -> FieldMove | None:
    """Handle an object inside of a Pod that must be an object of its own; None where there is only a name."""
    if not isinstance(place.beside[place.key], dict):
        return None
    hint = "move these fields into a separate ResourceClaimTemplate, and write `resourceClaimTemplateName: NAME`"
    return FieldMove(hint, None)


def class_anew(place: FieldPlace) -> FieldMove:
    """Handle a class of the classic API with a driver: a DeviceClass selects its devices."""
    driver = place.beside.get("driverName")
    name = driver if isinstance(driver, str) and driver else "DRIVER"
    known = ("driverName", "parametersRef", "structuredParameters", "suitableNodes")
    return FieldMove(
        f"write `spec: {{selectors: [{{cel: {{expression: device.driver == {quoted(name)}}}}}]}}` instead; "
        "parameters go to `spec.config`, and ResourceSlices name the nodes",
        None,
        tuple(field for field in place.beside if field in known),
    )


Words = tuple[str, str, "str | None", "Repair | None"]
"""Rule, message and hint for a field that a type does not have, and the repair, if there is one."""


class _Row(NamedTuple):
    """Fields of one type that belong to another place.

    Attributes:
        type: the type that lacks them; keys: their names, or the one type whose fields they are.
        has: a field that the type has in the API versions of the row; empty for all versions.
        rule: the rule to report; text: what follows `unknown field "KEY"`. `{belong}` is "it belongs", `{it}` "it".
        way: returns hint and repair; None where the field is something else after all.
    """

    type: str
    keys: tuple[str, ...] | str
    has: str
    rule: str
    text: str
    way: Callable[[FieldPlace], FieldMove | None]


def elsewhere(place: FieldPlace, version: str) -> tuple[Words, tuple[str, ...]] | None:
    """Return the words for a field in the table; None where no row fits.

    With them come the fields of the same mapping with the same mistake, including this one: the first reports all.

    Args:
        version: the API version without its group.
    """
    struct, key = place.struct, place.key
    for row in _ROWS:
        if row.type != struct.name or (row.has and row.has not in struct.fields):
            continue
        keys = place.types[row.keys].fields if isinstance(row.keys, str) else row.keys
        if row.keys != _ANY and key not in keys:
            continue
        way = row.way(place)
        if way is not None:
            fields = way.fields or (key,)
            many = len(fields) > 1
            what = f"unknown fields {listed(fields)}" if many else f'unknown field "{key}"'
            it, belong = ("them", "they belong") if many else ("it", "it belongs")
            text = row.text.format(version=version, it=it, belong=belong)
            return (row.rule, what + text, way.hint, way.repair), fields
    return None


_ANY = ("*",)
"""Every field that the type lacks."""


_ROWS = [
    _Row(
        "DeviceRequest",
        "ExactDeviceRequest",
        "exactly",
        OTHER_SHAPE,
        ": in {version} {belong} under `exactly:` (only v1alpha3 and v1beta1 have {it} here)",
        into_exactly,
    ),
    _Row(
        "DeviceRequest",
        ("exactly",),
        "",
        OTHER_SHAPE,
        ": in {version} the fields of a request belong directly in it",
        partial(lifted, "move the fields under `exactly:` one level up, or use apiVersion resource.k8s.io/v1"),
    ),
    _Row(
        "DeviceSubRequest",
        ("exactly",),
        "",
        DISPLACED_FIELD,
        ": the fields of an alternative belong directly in it",
        partial(lifted, "move the fields under `exactly:` one level up"),
    ),
    _Row(
        "Device",
        ("basic",),
        "",
        OTHER_SHAPE,
        ": in {version} the fields of a device belong directly in it",
        partial(lifted, "move the fields under `basic:` one level up"),
    ),
    _Row(
        "Device",
        "BasicDevice",
        "basic",
        OTHER_SHAPE,
        ": in {version} {belong} under `basic:`",
        partial(under, "basic", "BasicDevice"),
    ),
    _Row(
        "ResourceClaimTemplateSpec",
        ("template",),
        "",
        DISPLACED_FIELD,
        ": `metadata` and `spec` of the claim belong directly under `spec:`",
        partial(lifted, "move the fields under `template:` one level up"),
    ),
    _Row(
        "ResourceClaimSpec",
        ("resourceClassName", "parametersRef", "allocationMode"),
        "devices",
        UNKNOWN_FIELD,
        ": up to 1.30 a claim had it",
        anew,
    ),
    _Row(
        "ResourceClaimSpec",
        ("metadata", "spec"),
        "",
        DISPLACED_FIELD,
        ": a ResourceClaim has one `spec:`, a ResourceClaimTemplate two",
        second_spec,
    ),
    *(
        _Row(
            type_,
            ("spec",),
            "",
            DISPLACED_FIELD,
            ": the object has one `spec:` too many",
            partial(lifted, ONE_SPEC_UP),
        )
        for type_ in ("DeviceClassSpec", "ResourceSliceSpec", "DeviceTaintRuleSpec")
    ),
    _Row(
        "core.NodeSelector",
        _ANY,
        "",
        UNKNOWN_FIELD,
        ": nodes are selected by terms here, not by labels alone",
        terms,
    ),
    _Row(
        "core.PodResourceClaim",
        ("source",),
        "",
        OTHER_SHAPE,
        ": since 1.31 resourceClaimName and resourceClaimTemplateName belong directly in it",
        partial(lifted, "move the fields under `source:` one level up"),
    ),
    _Row(
        "PodGroupResourceClaim",
        ("source",),
        "",
        DISPLACED_FIELD,
        ": resourceClaimName and resourceClaimTemplateName belong directly in it",
        partial(lifted, "move the fields under `source:` one level up"),
    ),
    _Row(
        "core.PodResourceClaim",
        ("resourceClaimName", "resourceClaimTemplateName"),
        "",
        OTHER_SHAPE,
        ": up to 1.30 {belong} under `source:`",
        partial(under, "source", "core.ClaimSource"),
    ),
    _Row(
        "core.PodSpec",
        ("resources",),
        "",
        UNKNOWN_FIELD,
        ": only a Pod of 1.32 or later has resources as a whole",
        partial(told, "list claims under `resources.claims` of the containers that use them"),
    ),
    _Row(
        "core.PodSpec",
        ("resourceClaimTemplates", "resourceClaimTemplateName"),
        "",
        UNKNOWN_FIELD,
        ": a Pod names a template in an item of `resourceClaims:`",
        templates,
    ),
    _Row("core.PodSpec", _ANY, "", DISPLACED_FIELD, "; {belong} in `resourceClaims:`", claims_by_name),
    _Row(
        "core.Container",
        ("resourceClaims",),
        "",
        DISPLACED_FIELD,
        ": a container names the claims that it uses in `resources:`",
        used_claims,
    ),
    _Row(
        "core.Container",
        ("resourceClaims",),
        "",
        DISPLACED_FIELD,
        "; it belongs one level up, next to `containers:`",
        partial(told, "declare the claim there, and list its name here under `resources.claims`"),
    ),
    _Row(
        "JobSpec",
        ("scheduling",),
        "",
        UNKNOWN_FIELD,
        ": only a Job of 1.37 or later has it",
        partial(told, "list the claims in the template of the Job"),
    ),
    _Row(
        "DeviceSubRequest",
        ("adminAccess",),
        "",
        UNKNOWN_FIELD,
        ": alternatives have none",
        partial(told, "remove it, or use `exactly:` instead of `firstAvailable:`"),
    ),
    _Row(
        "DeviceClassConfiguration",
        ("requests",),
        "",
        UNKNOWN_FIELD,
        ": a class has no requests",
        partial(left_out, "remove it: the configuration of a class is for all its devices"),
    ),
    _Row(
        "DeviceClassSpec",
        ("suitableNodes",),
        "",
        UNKNOWN_FIELD,
        ": only v1alpha3 has it",
        partial(told, "remove it: ResourceSlices say on which nodes the devices are"),
    ),
    *(
        _Row(
            type_,
            ("parametersRef", "vendorParameters"),
            "opaque",
            UNKNOWN_FIELD,
            ": up to 1.30 a claim and a class had it",
            partial(
                told,
                "write the parameters themselves, not a reference: `opaque: {driver: DRIVER, parameters: {...}}`",
            ),
        )
        for type_ in ("DeviceClaimConfiguration", "DeviceClassConfiguration")
    ),
    _Row(
        "DeviceClassSpec",
        ("driver", "driverName"),
        "",
        UNKNOWN_FIELD,
        ": a class selects devices by expressions",
        by_driver,
    ),
    _Row("core.ResourceRequirements", ("resourceClaims", "resourceClaim"), "", UNKNOWN_FIELD, "", claims),
    _Row("DeviceSelector", ("matchLabels", "labels"), "cel", UNKNOWN_FIELD, "", labels),
    _Row("DeviceAttribute", ("value", "quantity"), "", UNKNOWN_FIELD, "", typed),
    _Row(
        "DeviceCapacity",
        ("quantity", "amount", "size", "total"),
        "value",
        UNKNOWN_FIELD,
        "",
        partial(called, "value", str),
    ),
    _Row(
        "DeviceConstraint",
        ("value", "values", "operator"),
        "",
        UNKNOWN_FIELD,
        ": a constraint compares devices with each other, not with a value",
        partial(
            told,
            "compare the value in a selector of the request: `device.attributes[DOMAIN].NAME == VALUE`",
        ),
    ),
    _Row(
        "CapacityRequirements",
        ("limits", "min", "minimum"),
        "requests",
        UNKNOWN_FIELD,
        "",
        partial(called, "requests", dict),
    ),
    _Row(
        "CapacityRequirements",
        _ANY,
        "requests",
        DISPLACED_FIELD,
        ": {belong} under `requests:`",
        partial(entries, "requests", is_amount),
    ),
    *(
        _Row(
            type_,
            _ANY,
            "counters",
            DISPLACED_FIELD,
            ": {belong} under `counters:`",
            partial(entries, "counters", is_capacity),
        )
        for type_ in ("CounterSet", "DeviceCounterConsumption")
    ),
    _Row(
        "DeviceCounterConsumption",
        ("name", "counterSetName"),
        "counterSet",
        UNKNOWN_FIELD,
        "",
        partial(called, "counterSet", str),
    ),
    _Row(
        "Device",
        _ANY,
        "attributes",
        DISPLACED_FIELD,
        ": {belong} under `attributes:`",
        partial(entries, "attributes", is_attribute),
    ),
    _Row(
        "Device",
        _ANY,
        "capacity",
        DISPLACED_FIELD,
        ": {belong} under `capacity:`",
        partial(entries, "capacity", is_capacity),
    ),
    _Row(
        "core.PodResourceClaim",
        ("resourceClaimTemplate", "claimTemplate", "template"),
        "",
        UNKNOWN_FIELD,
        ": a Pod names its templates",
        written_apart,
    ),
    _Row(
        "core.PodResourceClaim",
        ("resourceClaim", "claim", "spec"),
        "",
        UNKNOWN_FIELD,
        ": a Pod names its claims",
        written_apart,
    ),
    _Row(
        "core.PodResourceClaim",
        ("resourceClaim", "claim"),
        "",
        UNKNOWN_FIELD,
        "",
        partial(called, "resourceClaimName", str),
    ),
    _Row(
        "core.PodResourceClaim",
        ("claimTemplate", "template"),
        "",
        UNKNOWN_FIELD,
        "",
        partial(called, "resourceClaimTemplateName", str),
    ),
    _Row(
        "DeviceClass",
        ("driverName", "parametersRef", "structuredParameters", "suitableNodes"),
        "",
        UNKNOWN_FIELD,
        ": up to 1.30 a ResourceClass had {it}",
        class_anew,
    ),
    _Row(
        "OpaqueDeviceConfiguration",
        _ANY,
        "parameters",
        DISPLACED_FIELD,
        ": {belong} under `parameters:`",
        of_parameters,
    ),
    _Row(
        "DeviceSelector",
        ("expression",),
        "",
        DISPLACED_FIELD,
        ": {belong} under `cel:`, one level deeper",
        partial(under, "cel", "CELDeviceSelector"),
    ),
]
