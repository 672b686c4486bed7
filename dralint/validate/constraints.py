"""Limits and formats of single fields: compiles the table for one release into one function per type.

The table is rules/limits.yaml. The functions of dralint.validate.relations check what concerns several fields; they are
called for each type on the same walk.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import partial
from typing import TYPE_CHECKING, Any

from dralint.finding import rule_ids
from dralint.finding.problem import MISSING_FIELD, Change, Link, Repair, meant, path_of, removed
from dralint.finding.words import ALLOWED, ordinal, quoted
from dralint.kubernetes import formats, near
from dralint.kubernetes.formats import FORMATS, size
from dralint.kubernetes.near import listed
from dralint.validate import hints
from dralint.yaml import read

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dralint.kubernetes.shipped import Limits
    from dralint.kubernetes.types import Shape, Struct
    from dralint.validate.context import Context
    from dralint.yaml import Path

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
    if hook is None:

        def validate(value: dict[str, Any], link: Link, context: Context) -> None:
            for key, optional, step in rows:
                if key in value or not optional:
                    step(value, link, context)

        return validate

    def checked(value: dict[str, Any], link: Link, context: Context) -> None:
        hidden = hook(value, link, context)
        if hidden:
            for key, _, step in rows:
                if key not in hidden:
                    step(value, link, context)
        else:
            for key, optional, step in rows:
                if key in value or not optional:
                    step(value, link, context)

    return checked


def _missing(
    context: Context, value: object, link: Link, reason: str, what: str | None = None, hint: str | None = None
) -> None:
    """Report that a field of `value` is missing; `value` itself may not be written either."""
    assert link is not None
    holder, name = link[0], link[1]
    what = what or f"`{name}` is required and is missing or empty"
    declared = context.declared() if name == "name" else None
    known = None if declared is None else declared.declaration_at(path_of(link))
    meant, repair = known or (hint or hints.missing(name, "" if holder is None else holder[1]), None)
    parents = [] if value else _absent(context.root, path_of(holder))
    if parents and meant is not None:
        what = what.replace(f"`{name}`", f"`{'.'.join(parents)}.{name}`", 1)
        meant = hints.missing_with(parents, name, meant)
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
                hint = hints.missing(key)
                where = (link, key)
                context.add(rule_ids.MISSING_FIELD, link, required, message, hint, where=where, kind=MISSING_FIELD)
                return
            if required is not None:
                _missing(context, value, (link, key), required)
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
            _missing(context, value, (link, key), reason)

    return step


def check_string(
    text: str, link: Link, context: Context, row: Mapping[str, Any], where: Link = None, target: str = "value"
) -> None:
    """Check a non-empty string against `format`, `enum` and `maxLength`; add problems to the context."""
    name = row.get("format")
    if name is not None:
        fault = FORMATS[name].check(text)
        if fault is not None:
            context.fault(FORMAT_RULES[FORMATS[name].title], link, text, fault, where=where, target=target)
    allowed = row.get("enum")
    if allowed is not None and text not in allowed:
        words = ", ".join(f'"{word}"' for word in allowed)
        hint, repair = meant(text, allowed, path_of(link), closed=True, otherwise=f"write {listed(allowed, 'or')}")
        message = f"{quoted(text)} is not supported{ALLOWED}{words}"
        context.add(rule_ids.UNSUPPORTED_VALUE, link, "NotSupported", message, hint, repair=repair)
    limit = row.get("maxLength")
    if limit is not None and len(text) * 4 > limit and size(text) > limit:
        message = f"the value is {size(text)} bytes long; at most {limit} are allowed"
        context.add(rule_ids.TOO_LONG, link, "TooLong", message, hints.too_long(path_of(link)))


def _string(key: str, row: dict[str, Any]) -> Step:
    empty = row.get("empty", "ok")
    name = row.get("format")
    check = None if name is None else FORMATS[name].check
    allowed = None if "enum" not in row else frozenset(row["enum"])
    limit = row.get("maxLength")
    driver = name in _DRIVER_FORMATS

    def step(value: dict[str, Any], link: Link, context: Context) -> None:
        text = value.get(key)
        if not text:
            if empty == "ok" or (empty == "checked" and text is None):
                return
            if empty == "checked":
                check_string("", (link, key), context, row)
            elif allowed:
                choices = ", ".join(f'"{word}"' for word in row["enum"])
                what, hint = f"`{key}` is required; allowed: {choices}", f"write {listed(row['enum'], 'or')}"
                _missing(context, value, (link, key), empty, what, hint)
            else:
                _missing(context, value, (link, key), empty)
            return
        if (
            (check is not None and check(text) is not None)
            or (allowed is not None and text not in allowed)
            or (limit is not None and len(text) * 4 > limit and size(text) > limit)
        ):
            check_string(text, (link, key), context, row)
        elif driver and (forward := near.forward_domain(text)) is not None:
            message = f"{quoted(text)} looks like a domain in reversed order; driver names use the usual order"
            hint = f'did you mean "{forward}"?'  # no repair: the object works if the driver has that name
            context.add(rule_ids.REVERSED_DRIVER_NAME, (link, key), None, message, hint)

    return step


def _integer(key: str, row: dict[str, Any]) -> Step:
    low, high, empty, required = row.get("minimum"), row.get("maximum"), row.get("empty"), row.get("required")

    def step(value: dict[str, Any], link: Link, context: Context) -> None:
        number = value.get(key)
        if number is None and required is not None:
            _missing(context, value, (link, key), required)
        elif not number and empty is not None:
            least = "" if low is None else f"; it must be at least {low}"
            _missing(context, value, (link, key), empty, f"`{key}` is missing or zero{least}")
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
                _missing(context, value, (link, key), required)
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
    where: Link = (link, limit) if isinstance(items, list) else (link, list(items)[limit], None)
    message = f"`{key}` has {len(items)} {what}; at most {limit} are allowed"
    hint = hints.too_many(key, path_of(link))
    context.add(rule_ids.TOO_MANY_ENTRIES, link, reason, message, hint, where=where, target="key")


def too_many(context: Context, link: Link, type_name: str, key: str, items: Collection[Any]) -> bool:
    """Say whether a list has more entries than the field of the type takes, and report it."""
    most = context.limit(type_name, key, "maxItems")
    if len(items) > most:
        report_too_many(context, link, key, items, most)
    return len(items) > most


def report_missing(context: Context, link: Link, key: str, hint: str | None = None) -> None:
    """Report a required field that the object at `link` lacks, in the words for all such fields."""
    message = f"`{key}` is required and is missing or empty"
    context.add(rule_ids.MISSING_FIELD, (link, key), "Required", message, hint)


def _list(key: str, within: Within, row: dict[str, Any], does: frozenset[str]) -> Step:
    required, limit = row.get("required"), row.get("maxItems")
    unique, item_row = row.get("unique"), row.get("items")
    hides = "long-list-hides-items" in does and not row.get("kept")
    at_item = row.get("at-item", "duplicate-at-item" in does)
    skips = "duplicate-hides-item" in does and not row.get("kept")

    def step(value: dict[str, Any], link: Link, context: Context) -> None:
        items = value.get(key)
        if not items:
            if required is not None:
                _missing(context, value, (link, key), required)
            return
        here = (link, key)
        if limit is not None and len(items) > limit:
            report_too_many(context, here, key, items, limit)
            if hides:
                return
        seen_twice: Collection[int] = ()
        if unique is not None and len(items) > 1:
            seen_twice = duplicates(items, unique, here, context, at_item=at_item)
        validate = None if within is None else within()
        if validate is not None:
            for position, item in enumerate(items):
                if not (seen_twice and skips and position in seen_twice):
                    validate({} if item is None else item, (here, position), context)
        elif item_row is not None:
            for position, item in enumerate(items):
                if seen_twice and skips and position in seen_twice:
                    continue
                if item:
                    check_string(item, (here, position), context, item_row)
                elif "format" in item_row or "enum" in item_row:
                    check_string("", (here, position), context, item_row)

    return step


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
        place: Link = (link, position)
        field = unique[0] if unique != "set" and len(unique) == 1 else None
        text = quoted(value) if isinstance(value, str) else "/".join(value)
        origin = path_of((link, first[value]))
        context.add(
            rule_ids.DUPLICATE_ENTRY,
            place if at_item or field is None else (place, field),
            "Duplicate",
            f"{'`' + field + '` ' if field else ''}{text} is already used by the {ordinal(first[value])} entry",
            f"remove it, or give it another {field}" if field else "remove it",
            repair=removed(path_of(place), safe=True) if unique == "set" and value else None,
            where=place if field is None or field not in (items[position] or {}) else (place, field),
            related=(("first used here", (*origin, field) if field else origin),),
        )
    return again


def _map(key: str, within: Within, row: dict[str, Any], does: frozenset[str]) -> Step:
    required, limit, keys = row.get("required"), row.get("maxItems"), row.get("keys")
    at_map = "bad-key-at-map" in does
    hides = "long-list-hides-items" in does
    name = None if keys is None else keys["format"]
    check = None if name is None else FORMATS[name].check
    shown = row.get("shown") if "keys-shortened" in does else None
    declarative = "declarative" in does

    def step(value: dict[str, Any], link: Link, context: Context) -> None:
        entries = value.get(key)
        if not entries:
            if required is not None:
                _missing(context, value, (link, key), required)
            return
        here = (link, key)
        if limit is not None and len(entries) > limit:
            report_too_many(context, here, key, entries, limit)
            if hides and not declarative:
                return
        validate = None if within is None else within()
        for entry, member in entries.items():
            if check is not None and name is not None and (fault := check(entry)) is not None:
                place = (here, entry, shown)
                if fault.instead in entries:
                    fault = fault._replace(instead=None)
                blamed = here if at_map else place
                context.fault(FORMAT_RULES[FORMATS[name].title], blamed, entry, fault, where=place, target="key")
            if validate is not None:
                validate({} if member is None else member, (here, entry, shown), context)

    return step
