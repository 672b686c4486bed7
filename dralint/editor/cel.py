"""CEL expressions at the cursor: explains and completes their parts by the devices of the workspace and of packs."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from functools import cache, partial
from typing import TYPE_CHECKING, Any, NamedTuple

from dralint.cel.checker import check
from dralint.cel.compile import environment_for
from dralint.cel.declarations import MAX_COST
from dralint.cel.device_values import written
from dralint.cel.issue import TooComplexError
from dralint.cel.parser import parse
from dralint.cel.table import UnknownDialectError
from dralint.cel.tree import Call, Select, named, walk
from dralint.cel.types import BOOL, INT, QUANTITY, SEMVER, STRING, spell
from dralint.drivers.devices import ATTRIBUTES, Name, type_of
from dralint.drivers.devices import devices as kinds_of
from dralint.editor.cursor import Span
from dralint.editor.schema import choice_of, kind_of
from dralint.kubernetes import gates
from dralint.kubernetes.formats import STANDARD_DOMAIN, STANDARD_NAMES
from dralint.kubernetes.types import field_at
from dralint.records import grouped
from dralint.references.available_devices import inventory_of
from dralint.references.collect import facts_of
from dralint.report.text import code, literal
from dralint.simulate import selection

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dralint.cel.compile import Environment
    from dralint.cel.declarations import Declarations, Overload
    from dralint.cel.tree import Node
    from dralint.cel.types import Type
    from dralint.drivers.devices import Known
    from dralint.editor.cursor import Place
    from dralint.editor.workspace import Workspace
    from dralint.kubernetes.release import Release
    from dralint.manifest.objects import ApiObject
    from dralint.references.available_devices import KnownDevices
    from dralint.references.facts import Facts
    from dralint.yaml import Path


_KINDS = {
    ("CELDeviceSelector", "expression"): "device",
    ("DeviceDerivedAttribute", "expression"): "derived",
    ("NamedResourcesRequest", "selector"): "named-resources",
    ("NamedResourcesFilter", "selector"): "named-resources",
}
"""Type and field → the kind of expression in the field."""

_TYPES = {"quantity": QUANTITY, "bool": BOOL, "int": INT, "string": STRING, "version": SEMVER}
"""Type of an attribute or capacity in a driver pack → its type in an expression."""
_MOST_VALUES = 8
_OPERATORS = {
    "string": ("==", "!=", "in"),
    "bool": ("==", "!="),
    "int": ("==", "!=", ">=", "<=", ">", "<"),
}
_LOOKUP = re.compile(
    r"""device\.(?P<which>attributes|capacity)\[(?P<quote>["'])(?P<domain>[^"']*)(?P=quote)\]\.(?P<name>\w+)"""
)
_TOKEN = re.compile(r"""[()\[\]{},]|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'""")
_CALLED = re.compile(r"(?P<dot>\.)?(?P<name>\w+)$")
_LOOKED_UP = re.compile(_LOOKUP.pattern + "$")
_PARTIAL = {
    "domain": re.compile(r"""device\.(?P<which>attributes|capacity)\[(?P<quote>["'])(?P<word>[^"'\]]*)$"""),
    "name": re.compile(
        r"""device\.(?P<which>attributes|capacity)\[(?P<quote>["'])(?P<domain>[^"']*)(?P=quote)\]\.(?P<word>\w*)$"""
    ),
    "value": re.compile(
        _LOOKUP.pattern
        + r"""\s*(?:==|!=|>=|<=|>|<|in\s*\[|\.(?:isGreaterThan|isLessThan|compareTo)\()\s*(?P<word>["']?[^"'&|)\]]*)$"""
    ),
    "operator": re.compile(_LOOKUP.pattern + r"\s+(?P<word>[=!<>]*)$"),
    "driver": re.compile(r"""device\.driver\s*(?:==|!=)\s*(?P<word>["']?[^"'&|)]*)$"""),
    "field": re.compile(r"(?<![\w.\])])device\.(?P<word>\w*)$"),
}


class Expression(NamedTuple):
    """An expression in a manifest, and the position of the cursor in it.

    Attributes:
        at: the number of the character at the cursor.
        places: the offset of each of its characters in the text, and the offset after the last.
        environment: what judges it; None for a release whose CEL is not known.
    """

    text: str
    at: int
    places: list[int]
    environment: Environment | None
    release: Release

    def span(self, start: int, end: int) -> Span:
        """Return the place of a part of the expression in the text."""
        last = len(self.places) - 1
        return Span(self.places[min(start, last)], self.places[min(end, last)])


class Candidate(NamedTuple):
    """A completion: it replaces the text between `start` and the cursor."""

    start: int
    text: str
    kind: str
    detail: str = ""


def expression_at(workspace: Workspace, name: str, cursor: Place, offset: int) -> Expression | None:
    """Return the expression at a cursor; None where its field has none."""
    if cursor.is_key or not isinstance(cursor.value, str):
        return None
    offsets = cursor.held.document.character_offsets(cursor.full_path)
    if offsets is None:
        return None
    places = [cursor.held.start + at for at in offsets]
    at = max(bisect_right(places, offset) - 1, 0)
    return expression_of(workspace, name, cursor.item, cursor.path, cursor.value, places, at)


def expression_of(
    workspace: Workspace, name: str, item: ApiObject, path: Path, text: str, places: list[int], at: int
) -> Expression | None:
    """Return a text as the expression of a field; None where the field has no expression."""
    kind = kind_of(workspace, name, item.api_version, item.kind)
    place = None if kind is None else field_at(kind.types, kind.name, path)
    sort = None if place is None else _KINDS.get((place.owner, place.name))
    if kind is None or sort is None:
        return None
    on = gates.enabled(kind.release, dict(workspace.linter(name).settings.gates))
    return Expression(text, at, places, _environment(kind.release, on, sort), kind.release)


@cache
def _environment(release: Release, on: frozenset[str], kind: str) -> Environment | None:
    try:
        return environment_for(str(release), on, kind)
    except (UnknownDialectError, ValueError):
        return None


def explained(workspace: Workspace, expression: Expression) -> tuple[list[str], Span] | None:
    """Return paragraphs on the part of an expression at the cursor, and the place of that part."""
    environment = expression.environment
    if environment is None:
        return None
    compilation = environment.compile(expression.text)
    root = compilation.root if compilation.root is not None else _checked(expression.text, environment.declarations)
    node = None if root is None else _innermost(root, expression.at)
    paragraphs: list[str] = []
    start, end = 0, len(expression.text)
    if node is not None:
        start, end = node.start, node.end
        paragraphs += _of_node(workspace, node, expression, environment.declarations)
    else:
        for match in _LOOKUP.finditer(expression.text):
            if match.start() <= expression.at <= match.end():
                start, end = match.span()
                paragraphs += _of_lookup(workspace, match["which"], match["domain"], match["name"])
    if compilation.cost is not None:
        result = f"The expression is {compilation.result_type}; it costs {compilation.cost:,} of {MAX_COST:,}"
        paragraphs.append(f"{result} (Kubernetes {expression.release}).")
    return (paragraphs, expression.span(start, end)) if paragraphs else None


def _checked(text: str, declarations: Declarations) -> Node | None:
    root = parse(text, declarations.dialect).root
    if root is None:
        return None
    try:
        check(root, text, declarations)
    except (TooComplexError, RecursionError):
        return None
    return root


def _innermost(root: Node, index: int) -> Node | None:
    there = [node for node in walk(root) if node.start <= index < node.end and not node.macro]
    return min(there, key=lambda node: node.end - node.start, default=None)


def _of_node(workspace: Workspace, node: Node, expression: Expression, declarations: Declarations) -> list[str]:
    found = named(node)
    if found is not None:
        return _of_lookup(workspace, *found)
    written = expression.text[node.start : node.end]
    if isinstance(node, Call) and node.function.isidentifier():
        signatures = [_signature(node.function, one) for one in _overloads(node, declarations)]
        signatures = [one for one in signatures if one][:_MOST_VALUES]
        return ["```\n" + "\n".join(signatures) + "\n```"] if signatures else []
    if node.type is None:
        return []
    field = code(written) if len(written) <= 60 else "This part"
    kind = "comparison" if isinstance(node, Call) else "field" if isinstance(node, Select) else ""
    return [f"{field}: {spell(node.type, short=True)}" + (f" ({kind})" if kind == "field" else "")]


def _overloads(node: Call, declarations: Declarations) -> list[Overload]:
    """Return the possible signatures of a call; if its types are unknown, all of the function."""
    every = declarations.overloads(node.function) or ()
    return [one for one in every if one.id in node.overloads] or [*every]


def _of_lookup(workspace: Workspace, which: str, domain: str, name: str) -> list[str]:
    known = attribute(workspace, which, domain, name)
    what = "attribute" if which == "attributes" else "capacity"
    if known is None:
        return [f"{code(f'{domain}/{name}')}: {what}; no device of the workspace and no driver pack has it"]
    lines = [f"{code(f'{domain}/{name}')}: {known.type or 'any type'}"]
    if known.values:
        shown = [
            literal(plain(value)) + (f" ×{count}" if count else "") for value, count in known.values[:_MOST_VALUES]
        ]
        more = len(known.values) - len(shown)
        lines[0] += "; " + ", ".join(shown) + (f" and {more} more" if more > 0 else "")
    if known.pack:
        lines.append(f"From the driver pack of {literal(known.pack)}.")
    elif known.devices[0] < known.devices[1]:
        lines.append(f"{known.devices[0]} of {known.devices[1]} devices of the workspace have it.")
    return lines


def _signature(name: str, overload: Overload) -> str:
    args = [spell(one, short=True) for one in overload.args]
    receiver = f"{args.pop(0)}." if overload.member and args else ""
    return f"{receiver}{name}({', '.join(args)}) → {spell(overload.result, short=True)}"


class Signatures(NamedTuple):
    """The forms of the function whose arguments the cursor is in, and the number of the argument at the cursor."""

    forms: tuple[tuple[str, tuple[str, ...]], ...]
    argument: int


def signatures(workspace: Workspace, expression: Expression) -> Signatures | None:
    """Return the forms of the call at the cursor: each with the types of its arguments; None outside of a call."""
    if expression.environment is None:
        return None
    before = expression.text[: expression.at]
    calls: list[tuple[int, int]] = []
    for match in _TOKEN.finditer(before):
        if match[0] in ("(", "[", "{"):
            calls.append((match.start(), 0))
        elif match[0] in (")", "]", "}"):
            calls = calls[:-1]
        elif match[0] == "," and calls:
            calls[-1] = calls[-1][0], calls[-1][1] + 1
    function = _CALLED.search(before[: calls[-1][0]]) if calls and before[calls[-1][0]] == "(" else None
    if function is None:
        return None
    declared = expression.environment.declarations
    member = function["dot"] is not None
    kind = None
    if member:
        receiver = before[: function.start("dot")]
        kind = _looked_up(workspace, receiver) or _type_of(receiver, declared)
    forms: list[tuple[str, tuple[str, ...]]] = []
    for one in declared.overloads(function["name"]) or ():
        if one.member == member and (kind is None or _takes(one, kind)):
            args = tuple(spell(each, short=True) for each in one.args)
            forms.append((_signature(function["name"], one), args[1:] if member else args))
    return Signatures(tuple(forms), calls[-1][1]) if forms else None


def candidates(workspace: Workspace, expression: Expression) -> Iterator[Candidate]:
    """Yield the completions at the cursor."""
    before = expression.text[: expression.at]
    for sort, pattern in _PARTIAL.items():
        match = pattern.search(before)
        if match is not None:
            yield from _OF[sort](workspace, match, expression)
            return
    if len(re.findall(r'(?<!\\)"', before)) % 2:
        return  # inside of a string
    if re.search(r"[\w\])]\.\w*$", before):
        yield from _members(workspace, expression, before)
    else:
        yield from _words(expression, before)


def _domains(workspace: Workspace, match: re.Match[str], _: Expression) -> Iterator[Candidate]:
    close = match["quote"] + "]"
    for domain, source in domains(workspace, match["which"]).items():
        yield Candidate(match.start("word"), domain + close, "domain", source)


def _names(workspace: Workspace, match: re.Match[str], expression: Expression) -> Iterator[Candidate]:
    for name in names(workspace, match["which"], match["domain"]):
        known = attribute(workspace, match["which"], match["domain"], name)
        values = "" if known is None else ", ".join(value for value, _ in known.values[:3])
        kind = "" if known is None else known.type
        yield Candidate(match.start("word"), name, "attribute", "; ".join(filter(None, (kind, values))))


def _values(workspace: Workspace, match: re.Match[str], _: Expression) -> Iterator[Candidate]:
    known = attribute(workspace, match["which"], match["domain"], match["name"])
    for value, count in () if known is None else known.values:
        yield Candidate(match.start("word"), value, "value", f"{count} devices" if count else PACK)
    if known is not None and known.type == "bool" and not known.values:
        yield from (Candidate(match.start("word"), value, "value") for value in ("true", "false"))


def _drivers(workspace: Workspace, match: re.Match[str], _: Expression) -> Iterator[Candidate]:
    for driver, source in domains(workspace, "attributes").items():
        yield Candidate(match.start("word"), f'"{driver}"', "value", source)


def _operators(workspace: Workspace, match: re.Match[str], _: Expression) -> Iterator[Candidate]:
    known = attribute(workspace, match["which"], match["domain"], match["name"])
    kind = "" if known is None else known.type
    for operator in _OPERATORS.get(kind, ()):
        yield Candidate(match.start("word"), operator, "operator", kind)
    if kind in ("quantity", "version"):
        maker = "quantity" if kind == "quantity" else "semver"
        for method in ("isGreaterThan", "isLessThan", "compareTo"):
            yield Candidate(match.end("name"), f'.{method}({maker}("', "operator", kind)


def _fields(_: Workspace, match: re.Match[str], expression: Expression) -> Iterator[Candidate]:
    if expression.environment is not None:
        for name, kind in expression.environment.declarations.device_fields.items():
            text = f'{name}["' if kind.kind == "map" else name
            yield Candidate(match.start("word"), text, "field", spell(kind))


def _members(workspace: Workspace, expression: Expression, before: str) -> Iterator[Candidate]:
    """Yield the functions that fit the type of the value before the dot."""
    if expression.environment is None:
        return
    declared = expression.environment.declarations
    dot = before.rindex(".")
    kind = _looked_up(workspace, before[:dot]) or _type_of(before[:dot], declared)
    for name in declared.function_names:
        for overload in declared.overloads(name) or ():
            if overload.member and (kind is None or _takes(overload, kind)):
                yield Candidate(dot + 1, f"{name}(", "function", _signature(name, overload))
                break


def _looked_up(workspace: Workspace, before: str) -> Type | None:
    """Return the type of the attribute or capacity at the end of a text; None where it is unknown."""
    match = _LOOKED_UP.search(before)
    known = None if match is None else attribute(workspace, match["which"], match["domain"], match["name"])
    return None if known is None else _TYPES.get(known.type)


def _takes(overload: Overload, kind: Type) -> bool:
    wanted = overload.args[0]
    return (
        wanted is kind
        or wanted.kind in ("param", "dyn")
        or kind.kind in ("any", "dyn")
        or (wanted.kind == kind.kind and wanted.kind in ("list", "map"))
    )


def _type_of(before: str, declared: Declarations) -> Type | None:
    """Return the type of the longest expression at the end of a text."""
    for match in re.finditer(r"(?:^|(?<=[\s(!&|,\[{?:=<>+*/%-]))(?=\S)", before):
        root = _checked(before[match.start() :], declared)
        if root is not None and not (isinstance(root, Call) and not _is_chain(root)):
            return root.type
    return None


def _is_chain(node: Call) -> bool:
    """Say whether a call is written as a call or as an index; other calls are operators."""
    return node.function.isidentifier() or node.function == "_[_]"


def _words(expression: Expression, before: str) -> Iterator[Candidate]:
    start = len(before) - len(re.match(r"\w*", before[::-1])[0])  # type: ignore[index] # it matches any text
    yield Candidate(start, "device", "variable")
    if expression.environment is None:
        return
    declared = expression.environment.declarations
    for name in declared.function_names:
        own = next((one for one in declared.overloads(name) or () if not one.member), None)
        if own is not None:
            yield Candidate(start, f"{name}(", "function", _signature(name, own))
    for name in ("has", "cel.bind"):
        if name.rpartition(".")[2] in declared.macro_names or name in declared.macro_names:
            yield Candidate(start, f"{name}(", "function", "macro")


_OF = {
    "domain": _domains,
    "name": _names,
    "value": _values,
    "operator": _operators,
    "driver": _drivers,
    "field": _fields,
}


PACK, STANDARD = "driver pack", "shared by drivers"
"""The sources of a name or value that no device of the workspace has."""


class Attribute(NamedTuple):
    """What is known of an attribute or capacity.

    Attributes:
        type: string, bool, int, version, quantity; empty where unknown.
        values: its values as an expression writes them, with the number of devices; 0 for a value from a pack.
        devices: how many devices have it, of how many.
        pack: the driver whose pack has it, if no device does.
    """

    type: str
    values: tuple[tuple[str, int], ...]
    devices: tuple[int, int]
    pack: str = ""


def stock_of(workspace: Workspace) -> KnownDevices:
    """Return the devices of a workspace; they are read again when a file with slices changes."""
    texts = {**workspace.inventory, **{name: workspace.raw(name) or b"" for name in workspace.names}}
    slices = {name: raw for name, raw in texts.items() if b"ResourceSlice" in raw}

    def make() -> KnownDevices:
        published: list[tuple[Facts, dict[str, Any]]] = []
        for name, raw in slices.items():
            published += workspace.kept(f"slices of {name}", raw, partial(_published, workspace, name))
        return inventory_of(published, whole=True)

    return workspace.kept("stock", slices, make)


def _published(workspace: Workspace, name: str) -> list[tuple[Facts, dict[str, Any]]]:
    out: list[tuple[Facts, dict[str, Any]]] = []
    for held, item in workspace.objects(name):
        facts = facts_of(item, name, held.document.index) if item.kind == "ResourceSlice" else None
        out += [] if facts is None else [(facts, item.data)]
    return out


def attribute(workspace: Workspace, which: str, domain: str, name: str) -> Attribute | None:
    """Return what is known of an attribute (`which` is `attributes`) or a capacity; None where it is unknown."""
    devices = stock_of(workspace).devices
    found = selection.values(devices, (which, domain, name))
    if found:
        counted = Counter(map(written, found))
        values = tuple(sorted(counted.items(), key=lambda row: (-row[1], row[0])))
        return Attribute(type_of(found[0]), values, (len(found), len(devices)))
    several = _of_packs(workspace).get(Name(which, domain, name), ())
    for driver, known in sorted(several, key=lambda row: row[0] != domain):
        listed = known.values or known.listed
        texts = tuple((written(value), 0) for value in listed)
        return Attribute("" if known.type == "any" else known.type, texts, (0, len(devices)), driver)
    return None


def domains(workspace: Workspace, which: str) -> dict[str, str]:
    """Return the domains of attributes or capacities with their sources; those of devices come first."""
    out = dict.fromkeys(sorted(selection.names(stock_of(workspace).devices, which)), "devices of the workspace")
    for driver in choice_of(workspace).drivers:
        out.setdefault(driver, PACK)
    if which == ATTRIBUTES:
        out.setdefault(STANDARD_DOMAIN, STANDARD)
    return out


def names(workspace: Workspace, which: str, domain: str) -> list[str]:
    """Return the names of the attributes or capacities of a domain; those that drivers share come first."""
    found = set(selection.names(stock_of(workspace).devices, which).get(domain, ()))
    found |= {name.name for name in _of_packs(workspace) if name[:2] == (which, domain)}
    shared = [name for name in STANDARD_NAMES if (which, domain) == (ATTRIBUTES, STANDARD_DOMAIN)]
    return [*shared, *sorted(found.difference(shared))]


def _of_packs(workspace: Workspace) -> dict[Name, list[tuple[str, Known]]]:
    """Return what the packs know of each attribute and capacity, with the driver."""
    choice = choice_of(workspace)

    def make() -> dict[Name, list[tuple[str, Known]]]:
        targets = ((driver, choice.target(driver)) for driver in choice.drivers)
        return grouped(
            (name, (driver, known))
            for driver, target in targets
            if target is not None
            for kind in kinds_of(target.pack, target.newest)
            for name, known in kind.known.items()
        )

    return workspace.kept("names of packs", workspace.settings, make)


def plain(written: str) -> str:
    """Return a value of an expression as people write it: without quotes and without a type function."""
    return written.partition('"')[2].rpartition('"')[0] if '"' in written else written
