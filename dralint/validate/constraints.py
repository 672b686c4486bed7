"""Limits and formats of single fields: compiles the table for one release into one function per type.

The table is rules/limits.yaml. The functions of dralint.validate.relations check what concerns several fields; they are
called for each type on the same walk, with the same context: the release that judges, and the list for problems.
At the end stand the hints for missing fields and long lists, and the removal of empty entries.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from dralint.finding import rule_ids
from dralint.finding.problem import (
    MISSING_FIELD,
    Change,
    Link,
    MapKey,
    Problem,
    Repair,
    copied,
    meant,
    path_of,
    removed,
    renamed,
    replaced,
)
from dralint.finding.words import ALLOWED, ordinal, quoted
from dralint.kubernetes import formats, near
from dralint.kubernetes.formats import FORMATS, is_open, size
from dralint.kubernetes.near import listed
from dralint.yaml import read

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from dralint.kubernetes.formats import Fault
    from dralint.kubernetes.release import Release
    from dralint.kubernetes.shipped import Limits
    from dralint.kubernetes.types import Shape, Struct
    from dralint.validate.declared_names import DeclaredNames, Requests
    from dralint.yaml import Path


class Context:
    """One object under one release.

    Attributes:
        release: the release that judges.
        does: names of the behaviours (rules/limits.yaml) of the release.
        gates: the enabled feature gates.
        limits: the limits of the release.
        api_version, kind: of the object; namespaced: whether the kind is namespaced;
            root: its data after decoding, without what a gate removes; dropped: the paths of that.
        problems: the problems so far.
        requests: the requests of the claim, once needed (`declared_names.requests_of`).
        naming: makes `names`, the names that the object declares and uses, once needed (`declared`).
    """

    def __init__(
        self,
        release: Release,
        does: frozenset[str],
        gates: frozenset[str],
        limits: Limits,
        api_version: str,
        kind: str,
        root: dict[str, Any],
        *,
        namespaced: bool = True,
        dropped: frozenset[Path] = frozenset(),
    ) -> None:
        self.release = release
        self.does = does
        self.gates = gates
        self.limits = limits
        self.api_version = api_version
        self.kind = kind
        self.root = root
        self.namespaced = namespaced
        self.dropped = dropped
        self.problems: list[Problem] = []
        self.requests: Requests | None = None
        self.naming: Callable[[], DeclaredNames] | None = None
        self.names: DeclaredNames | None = None

    def over(self, root: dict[str, Any], gates: frozenset[str]) -> Context:
        """Return a context for another state of the object, with these gates on, in which nothing is found yet."""
        return Context(
            self.release,
            self.does,
            gates,
            self.limits,
            self.api_version,
            self.kind,
            root,
            namespaced=self.namespaced,
        )

    def add(
        self,
        rule: str,
        link: Link,
        reason: str | None,
        message: str,
        hint: str | None = None,
        *,
        where: Link = None,
        target: str = "value",
        start: int = 0,
        end: int = 0,
        related: tuple[tuple[str, Path], ...] = (),
        kind: str = "",
        repair: Repair | None = None,
    ) -> None:
        """Report a problem at `link`; `where` is the place to underline, if that is another one."""
        place = None if where is None else path_of(where)
        path = path_of(link)
        self.problems.append(
            Problem(rule, path, message, reason, hint, place, target, start, end, related, kind, repair=repair)
        )

    def fault(
        self,
        rule: str,
        link: Link,
        text: str,
        fault: Fault,
        *,
        reason: str | None = None,
        what: str = "",
        where: Link = None,
        target: str = "value",
    ) -> None:
        """Report that the text at a place (`where`, or else `link`) does not have the required format.

        If one text is proposed, it is the repair, unless several are possible or the object uses the old text
        elsewhere. In the message, `what` comes before the text.
        """
        place = path_of(link if where is None else where)
        repair, names = None, self.declared() if target == "value" else None
        meant = None if names is None else names.declaration_at(place)
        hint = fault.advice
        if meant is not None:
            hint, repair = meant
        elif fault.instead is not None:
            spoken, uses = self._spoken[text], 0 if names is None else names.uses(text)
            if spoken <= 1 + uses and (fault.sure or text in fault.instead or not is_open(text)):
                mend = renamed if target == "key" else replaced
                if names is not None and uses:
                    repair = names.respelt(place, fault.instead, safe=fault.sure)
                elif spoken <= 1:
                    repair = mend(place, fault.instead, safe=fault.sure)
        message = f"{what} {quoted(text)} {fault.text}" if what else f"{quoted(text)} {fault.text}"
        self.add(rule, link, reason or fault.reason, message, hint, where=where, target=target, repair=repair)

    def declared(self) -> DeclaredNames | None:
        """Return the names that the object declares and uses; None where it declares none."""
        if self.names is None and self.naming is not None:
            self.names = self.naming()
        return self.names

    @cached_property
    def _spoken(self) -> Counter[str]:
        """How often each string occurs in the object, alone or as one side of a slash."""
        todo: list[Any] = [self.root]
        words: list[str] = []
        for value in todo:
            if isinstance(value, dict):
                todo += [*value, *value.values()]  # which the loop comes to
            elif isinstance(value, list):
                todo += value
            elif isinstance(value, str):
                words += {value, *value.split("/")} if "/" in value else (value,)
        return Counter(words)


FORMAT_RULES = {
    "a DNS label": rule_ids.DNS_LABEL,
    "a DNS subdomain": rule_ids.DNS_SUBDOMAIN,
    "the name of a node": rule_ids.DNS_SUBDOMAIN,
    "a driver name": rule_ids.DRIVER_NAME,
    "a pool name": rule_ids.POOL_NAME,
    "a C identifier": rule_ids.QUALIFIED_NAME,
    "a qualified name": rule_ids.QUALIFIED_NAME,
    "a fully qualified name": rule_ids.QUALIFIED_NAME,
    "a label key": rule_ids.LABEL_KEY,
    "an annotation key": rule_ids.LABEL_KEY,
    "a label value": rule_ids.LABEL_VALUE,
    "a semantic version": rule_ids.SEMANTIC_VERSION,
    "a UUID": rule_ids.UUID,
    "the reason of a condition": rule_ids.CONDITION_REASON,
    "an address with a prefix length": rule_ids.NETWORK_ADDRESS,
    "an extended resource": rule_ids.EXTENDED_RESOURCE_NAME,
}
"""Title of a format → its rule."""

# The zero of Go's time means a time that is not set.
_ABSENT = (None, "0001-01-01T00:00:00Z")
_DRIVER_FORMATS = ("driver-name", "driver-name-lower", "caseless-subdomain")

Validate = Callable[[dict[str, Any], Link, "Context"], None]
Hook = Callable[[dict[str, Any], Link, "Context"], Collection[str] | None]
Step = Callable[[dict[str, Any], Link, "Context"], None]
Within = Callable[[], Validate | None] | None
"""Returns the validator for the items or values of a list or map; None where these are not structs."""


class Constraints:
    """The validators of one release and API version, built as types are met.

    Args:
        structs: the types by short name.
        limits: the limits of the release that judges.
        does: the behaviours that hold.
        hooks: type name → its function of dralint.validate.relations, None when it has none.
    """

    __slots__ = ("_built", "_does", "_hooks", "_limits", "_structs")

    def __init__(
        self,
        structs: Mapping[str, Struct],
        limits: Limits,
        does: frozenset[str],
        hooks: Callable[[str], Hook | None],
    ) -> None:
        self._structs = structs
        self._limits = limits
        self._does = does
        self._hooks = hooks
        self._built: dict[str, Validate | None] = {}

    def struct(self, name: str) -> Validate | None:
        """Return the validator of a type, None when there is nothing to check in it.

        It is built when the first value of the type is met; that of a type below it, when a value of that one is.
        """
        if name not in self._built:
            steps: list[tuple[str, bool, Step]] = []
            for key, shape in self._structs[name].fields.items():
                if key == "status":  # a missing status is not a mistake
                    shape = shape._replace(present=False)
                row = self._limits.row(name, key)
                step = self._field(key, shape, row)
                if step is not None:
                    steps.append((key, _may_be_missing(shape, row), step))
            self._built[name] = _struct(steps, self._hooks(name))
        return self._built[name]

    def _field(self, key: str, shape: Shape, row: dict[str, Any]) -> Step | None:
        kind = shape.shape
        if kind == "struct":
            return _child(key, shape, self.struct, row)
        if kind in ("list", "map") and shape.of is not None:
            within = partial(self.struct, shape.of.type) if shape.of.shape == "struct" else None
            if row or within:
                return (_list if kind == "list" else _map)(key, within, row, self._does)
            return None
        if not row:
            return None
        if kind == "any":
            return _raw(key, row)
        if kind == "string":
            return _string(key, row)
        if kind in ("int32", "int64"):
            return _integer(key, row)
        return _present(key, row) if "required" in row else None


def _may_be_missing(shape: Shape, row: Mapping[str, Any]) -> bool:
    """Say whether a missing field needs no check."""
    if shape.shape == "struct":
        return "required" not in row and not shape.present
    return "required" not in row and row.get("empty", "ok") in ("ok", "checked")


def _struct(steps: list[tuple[str, bool, Step]], hook: Hook | None) -> Validate | None:
    """Return the function that runs the steps after the hook; each has its field and whether that may be missing."""
    if not steps and hook is None:
        return None
    rows = tuple(steps)

    def validate(value: dict[str, Any], link: Link, context: Context) -> None:
        hidden = (hook is not None and hook(value, link, context)) or ()
        for key, optional, step in rows:
            if (key in value or not optional) and key not in hidden:
                step(value, link, context)

    return validate


def report_missing(
    context: Context, value: object, link: Link, reason: str, what: str | None = None, hint: str | None = None
) -> None:
    """Report that a field of `value` is missing; `value` itself may not be written either."""
    assert link is not None
    holder, name = link[0], link[1]
    what = what or f"`{name}` is required and is missing or empty"
    declared = context.declared() if name == "name" else None
    known = None if declared is None else declared.declaration_at(path_of(link))
    meant, repair = known or (hint or missing(name, "" if holder is None else holder[1]), None)
    parents = [] if value else _absent(context.root, path_of(holder))
    if parents and meant is not None:
        what = what.replace(f"`{name}`", f"`{'.'.join(parents)}.{name}`", 1)
        meant = _missing_with(parents, name, meant)
    context.add(rule_ids.MISSING_FIELD, link, reason, what, meant, kind=MISSING_FIELD, repair=repair)


def _absent(data: Any, path: Path) -> list[str]:
    """Return the fields at the end of the path that are not written at all."""
    for depth, part in enumerate(path):
        if isinstance(data, dict) and part in data:  # noqa: SIM114 - mypy follows each type by itself
            data = data[part]
        elif isinstance(data, list) and isinstance(part, int) and part < len(data):
            data = data[part]
        else:
            return [] if data is None else [str(name) for name in path[depth:]]
    return []


def _child(key: str, shape: Shape, struct: Callable[[str], Validate | None], row: dict[str, Any]) -> Step:
    required, at_object = row.get("required"), row.get("blamed") == "object"
    present, type_name = shape.present, shape.type

    def step(value: dict[str, Any], link: Link, context: Context) -> None:
        child = value.get(key)
        if child is None:
            if required is not None and at_object:
                message = f"`{key}` is required and is missing"
                hint = missing(key)
                where = (link, key)
                context.add(rule_ids.MISSING_FIELD, link, required, message, hint, where=where, kind=MISSING_FIELD)
                return
            if required is not None:
                report_missing(context, value, (link, key), required)
                return
            if not present:
                return
            child = {}
        validate = struct(type_name)
        if validate is not None:
            validate(child, (link, key), context)

    return step


def _present(key: str, row: dict[str, Any]) -> Step:
    reason = row["required"]

    def step(value: dict[str, Any], link: Link, context: Context) -> None:
        if value.get(key) in _ABSENT:
            report_missing(context, value, (link, key), reason)

    return step


def check_format(text: str, name: str, link: Link, context: Context, where: Link = None, target: str = "value") -> None:
    """Check that a text has the format of that name, and that a driver's is no domain in reversed order.

    `where` and `target` are those of `Context.add`.
    """
    fault = FORMATS[name].check(text)
    if fault is not None:
        context.fault(FORMAT_RULES[FORMATS[name].title], link, text, fault, where=where, target=target)
    elif name in _DRIVER_FORMATS and (forward := near.forward_domain(text)) is not None:
        message = f"{quoted(text)} looks like a domain in reversed order; driver names use the usual order"
        hint = f'did you mean "{forward}"?'  # no repair: the object works if the driver has that name
        context.add(rule_ids.REVERSED_DRIVER_NAME, link, None, message, hint)


def check_string(
    text: str, link: Link, context: Context, row: Mapping[str, Any], where: Link = None, target: str = "value"
) -> None:
    """Check a non-empty string against `format`, `enum` and `maxLength`; add problems to the context."""
    if "format" in row:
        check_format(text, row["format"], link, context, where, target)
    allowed = row.get("enum")
    if allowed is not None and text not in allowed:
        words = ", ".join(f'"{word}"' for word in allowed)
        hint, repair = meant(text, allowed, path_of(link), closed=True, otherwise=f"write {listed(allowed, 'or')}")
        message = f"{quoted(text)} is not supported{ALLOWED}{words}"
        context.add(rule_ids.UNSUPPORTED_VALUE, link, "NotSupported", message, hint, repair=repair)
    limit = row.get("maxLength")
    if limit is not None and len(text) * 4 > limit and size(text) > limit:
        message = f"the value is {size(text)} bytes long; at most {limit} are allowed"
        context.add(rule_ids.TOO_LONG, link, "TooLong", message, _shorter(path_of(link)))


def check_field(
    value: dict[str, Any], type_name: str, key: str, link: Link, context: Context, *, required: bool = False
) -> None:
    """Check a string as the table checks that field of the type; report one that is missing if it is required."""
    row = context.limits.row(type_name, key)
    if value.get(key):
        check_string(value[key], (link, key), context, row)
    elif required:
        _missing_string(context, value, (link, key), "Required", row)


def _missing_string(context: Context, value: dict[str, Any], link: Link, reason: str, row: Mapping[str, Any]) -> None:
    """Report that a string is missing, with the words that are allowed."""
    allowed, what, hint = row.get("enum"), None, None
    if allowed and link is not None:
        choices = ", ".join(f'"{word}"' for word in allowed)
        what, hint = f"`{link[1]}` is required; allowed: {choices}", f"write {listed(allowed, 'or')}"
    report_missing(context, value, link, reason, what, hint)


def _string(key: str, row: dict[str, Any]) -> Step:
    empty = row.get("empty", "ok")

    def step(value: dict[str, Any], link: Link, context: Context) -> None:
        text = value.get(key)
        if text or (text is not None and empty == "checked"):
            check_string(text, (link, key), context, row)
        elif empty not in ("ok", "checked"):
            _missing_string(context, value, (link, key), empty, row)

    return step


def _integer(key: str, row: dict[str, Any]) -> Step:
    low, high, empty, required = row.get("minimum"), row.get("maximum"), row.get("empty"), row.get("required")

    def step(value: dict[str, Any], link: Link, context: Context) -> None:
        number = value.get(key)
        if number is None and required is not None:
            report_missing(context, value, (link, key), required)
        elif not number and empty is not None:
            least = "" if low is None else f"; it must be at least {low}"
            report_missing(context, value, (link, key), empty, f"`{key}` is missing or zero{least}")
        elif number is not None and ((low is not None and number < low) or (high is not None and number > high)):
            bounds = f"at least {low}" if high is None else f"between {low} and {high}"
            message = f"{number} is out of range: `{key}` must be {bounds}"
            hint = f"write {low} or more" if high is None else f"write a number from {low} to {high}"
            context.add(rule_ids.OUT_OF_RANGE, (link, key), "Invalid", message, hint)

    return step


def _bytes_beyond(raw: Any, limit: int) -> int:
    """Return how many bytes a value takes as JSON where that is more than the limit; 0 otherwise."""
    count = 0 if formats.surely_within(raw, limit) else formats.json_size(raw)
    return count if count > limit else 0


def _raw(key: str, row: dict[str, Any]) -> Step | None:
    required, limit, wants_object = row.get("required"), row.get("maxBytes"), row.get("object")

    def step(value: dict[str, Any], link: Link, context: Context) -> None:
        raw = value.get(key)
        if raw is None:
            if required is not None:
                report_missing(context, value, (link, key), required)
            return
        if limit is not None and (count := _bytes_beyond(raw, limit)):
            message = f"`{key}` is {count} bytes long as compact JSON; at most {limit} are allowed"
            hint = "keep large configuration elsewhere and refer to it"
            context.add(rule_ids.TOO_LONG, (link, key), "TooLong", message, hint)
        elif wants_object and not isinstance(raw, dict):
            what = "a list" if isinstance(raw, list) else f"{quoted(raw)}"
            message = f"`{key}` must be an object with fields, not {what}"
            repair = _spelt_object(raw, path_of((link, key)))
            context.add(
                rule_ids.OPAQUE_PARAMETERS, (link, key), "Invalid", message, _as_object(key, raw), repair=repair
            )

    return step


def _spelt_object(raw: object, path: Path) -> Repair | None:
    """Return the repair that writes the object which a text spells; None where it spells none."""
    if not isinstance(raw, str) or ":" not in raw:
        return None
    documents = [document for document in read(raw.encode("utf-8", "surrogatepass")) if document.state != "empty"]
    if len(documents) != 1 or documents[0].problems or not isinstance(documents[0].data, dict):
        return None
    return Repair((Change("remove", path), Change("insert", path, documents[0].data)))


def _as_object(key: str, raw: object) -> str:
    """Return the object that a text seems to spell."""
    text = raw.strip() if isinstance(raw, str) else ""
    name, sign, value = text.partition("=")
    if sign and name.isidentifier() and value.isalnum():
        return f"write `{key}: {{{name}: {value}}}`"
    if isinstance(raw, str) and ("\n" in raw or ": " in raw):
        return f"write its fields below `{key}:`, without a `|` or quotes: they are not text"
    return f"write `{key}: {{NAME: VALUE}}`"


def report_too_many(
    context: Context, link: Link, key: str, items: Collection[Any], limit: int, what: str = "entries"
) -> None:
    """Report a list or map with more than `limit` entries, at the list; underline the first extra entry."""
    reason = "TooLong" if "long-list-is-too-long" in context.does else "TooMany"
    where = (link, limit) if isinstance(items, list) else (link, list(items)[limit], None)
    message = f"`{key}` has {len(items)} {what}; at most {limit} are allowed"
    hint = _fewer(key, path_of(link))
    context.add(rule_ids.TOO_MANY_ENTRIES, link, reason, message, hint, where=where, target="key")


def too_many(context: Context, link: Link, type_name: str, key: str, items: Collection[Any]) -> bool:
    """Say whether a list has more entries than the field of the type takes, and report it."""
    most = context.limits.limit(type_name, key, "maxItems")
    if len(items) > most:
        report_too_many(context, link, key, items, most)
    return len(items) > most


def _entries(key: str, row: dict[str, Any], hides: bool, check: Callable[[Any, Link, Context], None]) -> Step:
    """Return the step that checks the number of entries of a list or map, and then (`check`) the entries.

    `hides` says that those of a list or map with too many are not checked.
    """
    required, limit = row.get("required"), row.get("maxItems")

    def step(value: dict[str, Any], link: Link, context: Context) -> None:
        entries, here = value.get(key), (link, key)
        if not entries:
            if required is not None:
                report_missing(context, value, here, required)
            return
        if limit is not None and len(entries) > limit:
            report_too_many(context, here, key, entries, limit)
            if hides:
                return
        check(entries, here, context)

    return step


def _list(key: str, within: Within, row: dict[str, Any], does: frozenset[str]) -> Step:
    unique, item_row = row.get("unique"), row.get("items")
    at_item = row.get("at-item", "duplicate-at-item" in does)
    skips = "duplicate-hides-item" in does and not row.get("kept")

    def check(items: list[Any], link: Link, context: Context) -> None:
        hidden: Collection[int] = ()
        if unique is not None and len(items) > 1:
            seen_twice = duplicates(items, unique, link, context, at_item=at_item)
            hidden = seen_twice if skips else ()
        validate = None if within is None else within()
        for position, item in enumerate(items) if validate is not None or item_row is not None else ():
            if position in hidden:
                continue
            if validate is not None:
                validate({} if item is None else item, (link, position), context)
            else:
                check_string(item or "", (link, position), context, item_row or {})

    return _entries(key, row, "long-list-hides-items" in does and not row.get("kept"), check)


def duplicates(
    items: list[Any], unique: str | list[str], link: Link, context: Context, *, at_item: bool
) -> Collection[int]:
    """Report items that repeat an earlier one by their keys (`set`: as a whole); return their positions."""
    keys: list[Any]
    if unique == "set":
        keys = ["" if item is None else item for item in items]
    elif len(unique) == 1:
        name = unique[0]
        keys = ["" if item is None else item.get(name) or "" for item in items]
    else:
        keys = [tuple(("" if item is None else item.get(name) or "") for name in unique) for item in items]
    if len(set(keys)) == len(keys):
        return ()
    first: dict[Any, int] = {}
    again: set[int] = set()
    for position, value in enumerate(keys):
        if value not in first:
            first[value] = position
            continue
        again.add(position)
        place = (link, position)
        field = unique[0] if unique != "set" and len(unique) == 1 else None
        text = quoted(value) if isinstance(value, str) else "/".join(value)
        origin = path_of((link, first[value]))
        context.add(
            rule_ids.DUPLICATE_ENTRY,
            place if at_item or field is None else (place, field),
            "Duplicate",
            f"{'`' + field + '` ' if field else ''}{text} is already used by the {ordinal(first[value])} entry",
            f"remove it, or give it another {field}" if field else "remove it",
            repair=removed(path_of(place), safe=path_of(link)[-1] != "requests") if unique == "set" and value else None,
            where=place if field is None or field not in (items[position] or {}) else (place, field),
            related=(("first used here", (*origin, field) if field else origin),),
        )
    return again


def _map(key: str, within: Within, row: dict[str, Any], does: frozenset[str]) -> Step:
    form = None if "keys" not in row else FORMATS[row["keys"]["format"]]
    at_map = "bad-key-at-map" in does
    shown = row.get("shown") if "keys-shortened" in does else None

    def check(entries: dict[str, Any], link: Link, context: Context) -> None:
        validate = None if within is None else within()
        for entry, member in entries.items():
            place = (link, entry, shown)
            if form is not None and (fault := form.check(entry)) is not None:
                if fault.instead in entries:
                    fault = fault._replace(instead=None)
                blamed = link if at_map else place
                context.fault(FORMAT_RULES[form.title], blamed, entry, fault, where=place, target="key")
            if validate is not None:
                validate({} if member is None else member, place, context)

    return _entries(key, row, "long-list-hides-items" in does and "declarative" not in does, check)


_CODE_AT_END = r"`[^`]+`\Z"
_MISSING: Mapping[str, str] = {
    "name": "give it a name, such as `name: gpu`",
    "pool.name": "name the pool, often after its node: `name: NODE`",
    "deviceClassName": "name the DeviceClass: `deviceClassName: NAME`",
    "resourceClassName": "name the ResourceClass: `resourceClassName: NAME`",
    "driver": "name the driver, such as `driver: gpu.example.com`",
    "driverName": "name the driver, such as `driverName: gpu.example.com`",
    "resourceSliceCount": "write how many slices the pool has, such as `resourceSliceCount: 1`",
    "expression": "write a condition, such as `expression: device.driver == ...`",
    "effect": "write the effect of the taint, such as `effect: NoSchedule`",
    "cel": "add a condition: `cel: {expression: ...}`",
    "opaque": "add parameters for a driver: `opaque: {driver: NAME, parameters: {...}}`",
    "counterSet": "name one of the sets in `sharedCounters`: `counterSet: NAME`",
    "counters": "name counters of the set: `counters: {NAME: {value: AMOUNT}}`",
    "value": "write the amount, such as `value: 40Gi`",
    "matchAttribute": "name the attribute that the devices share, such as `matchAttribute: gpu.example.com/numa`",
    "parameters": "add parameters for the driver: `parameters: {...}`",
    "nodeSelectorTerms": "add a term: `nodeSelectorTerms: [{matchExpressions: [...]}]`",
}
_TOO_MANY: Mapping[str, str] = {
    "requests": "split it: let the Pod use two claims",
    "devices": "put the rest into another slice of the pool, and count that in `resourceSliceCount` of all of them",
    "firstAvailable": "keep the alternatives that are worth trying",
    "selectors": "join conditions by `&&` in one expression",
    "constraints": "remove constraints that others imply, or split the claim",
    "config": "join configuration for the same driver in one entry, or split the claim",
    "sharedCounters": "put the rest into another slice of the pool",
    "consumesCounters": "let the device consume fewer counter sets",
    "taints": "keep the taints that something tolerates",
    "tolerations": "tolerate a key as a whole, by operator Exists",
    "reservedFor": "let fewer Pods share the claim",
}


def missing(name: str | int, parent: str | int = "") -> str:
    """Return the hint for a missing field of the object at `parent`."""
    return _MISSING.get(f"{parent}.{name}") or _MISSING.get(str(name), f"add `{name}`")


def _missing_with(parents: Sequence[str], name: str | int, hint: str) -> str:
    """Return the hint for a field that is missing with its parents, the outermost first.

    `hint` is the one for the field alone; the code at its end is what to write.
    """
    code = re.search(_CODE_AT_END, hint)
    written = code[0] if code else f"`{name}`: {hint}"
    under = ", below it ".join(f"`{parent}:`" for parent in parents)
    return f"add {under}, and below {'it' if len(parents) == 1 else 'that'} {written}"


def _shorter(path: Path) -> str:
    """Return the hint for a text that is too long."""
    if path[-1] == "expression" and "selectors" in path:
        return "split it at `&&` into several selectors: all of them must match"
    return "shorten it"


def _fewer(key: str, path: Path) -> str:
    """Return the hint for a list or map with too many entries."""
    if key == "requests" and path[-2:-1] != ("devices",):
        return "name fewer requests, or remove `requests` to cover all of them"
    return _TOO_MANY.get(key, "remove some of them")


_KEPT = ("spec", "metadata", "status")
"""Fields with a meaning even when they are empty."""
_MOST = 20
"""The most entries of one object that are tried."""


class EmptyEntries:
    """Offers to remove the empty entries of one object, as a guess, if that causes no other problem.

    `data` is the whole object, `problems` are its problems, and `judge` returns those of other data.
    """

    def __init__(self, data: Any, problems: Iterable[Problem], judge: Callable[[Any], list[Problem]]) -> None:
        self._data = data
        self._before = _said(problems)
        self._judge = judge
        self._after: dict[Path, Counter[tuple[object, ...]]] = {}

    def offered(self, problems: Iterable[Problem]) -> list[Problem]:
        """Return the problems; one in an empty entry has the repair that removes the entry."""
        return [self._offered(problem) for problem in problems]

    def _offered(self, problem: Problem) -> Problem:
        # An empty quantity was meant to get an amount, which would be lost with the field.
        own_words = problem.repair is not None or problem.rule == rule_ids.QUANTITY or problem.reason == "Unknown"
        path = None if own_words else _empty_entry(problem.path, self._data)
        if path is None:
            return problem
        if path not in self._after:
            if len(self._after) >= _MOST:
                return problem
            self._after[path] = _said(self._judge(_without(self._data, path)))
        after, key = self._after[path], _key(problem)
        if after[key] >= self._before[key] or not after <= self._before:
            return problem
        hint = "remove it: nothing is in it"
        return problem._replace(hint=f"{problem.hint}, or {hint}" if problem.hint else hint, repair=removed(path))


def _key(problem: Problem) -> tuple[object, ...]:
    return (problem.rule, problem.reason, *(part for part in problem.path if not isinstance(part, int)))


def _said(problems: Iterable[Problem]) -> Counter[tuple[object, ...]]:
    return Counter(map(_key, problems))


def _without(data: Any, path: Path) -> Any:
    """Return the data without the value at the path; the rest is shared."""
    outcome = [data]
    del copied(outcome, data, path[:-1])[path[-1]]
    return outcome[0]


def _empty_entry(path: Path, data: Any) -> Path | None:
    """Return the path of the outermost empty entry on the way to a problem; a list keeps at least one item."""
    value = data
    for depth, step in enumerate(path, 1):
        holder = value
        if isinstance(holder, dict) and isinstance(step, str) and step in holder:
            value = holder[step]
            empty = value == {} or (depth == len(path) and value in ("", []))
            empty = empty and not isinstance(step, MapKey) and step not in _KEPT
        elif isinstance(holder, list) and isinstance(step, int) and step < len(holder):
            value = holder[step]
            empty = _is_empty(value)
            if empty and all(map(_is_empty, holder)):
                return None
        else:
            return None
        if empty:
            return path[:depth]
    return None


def _is_empty(value: Any) -> bool:
    """Say whether a value is completely empty; the name of a field shows what was to follow."""
    return value is None or value in ("", {}, [])
