"""The objects of a new manifest as data, with comments that explain them, and conditions as CEL."""

from __future__ import annotations

import io
import json
import re
import textwrap
from typing import TYPE_CHECKING, Any, NamedTuple

from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq
from ruamel.yaml.scalarstring import DoubleQuotedScalarString, LiteralScalarString, SingleQuotedScalarString

from dralint.cel.device_values import shown
from dralint.cel.values import parse_semver
from dralint.drivers.devices import ATTRIBUTES, CAPACITY, Name, devices
from dralint.drivers.pack import is_all_of
from dralint.drivers.selectors import judged
from dralint.edit.apply import reached
from dralint.edit.write import stays_plain
from dralint.finding.words import ordinal
from dralint.kubernetes.near import closest
from dralint.kubernetes.quantity import parse_quantity
from dralint.kubernetes.workloads import CLASS_QUOTA, POD_SPECS
from dralint.migrate import convert

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from dralint.drivers.devices import DeviceKind, Known
    from dralint.drivers.pack import Pack
    from dralint.yaml import Path


_FORM = re.compile(r"\s*(!?)\s*([\w./-]+)\s*(?:(>=|<=|==|!=|=|>|<|\b(?:in|contains)\b)\s*(.*?))?\s*\Z", re.DOTALL)
_EXAMPLES = "'memory >= 40Gi', 'model == A100', 'profile in 1g.5gb,2g.10gb'"
_ORDER = (">=", "<=", ">", "<")
_ALLOWED = {
    "string": ("==", "!=", "in", "contains"),
    "bool": ("==", "!="),
    "list": ("contains",),
}
"""Type of a value → its operators; all other types are numbers, with the operators of `_NUMBERS`."""
_NUMBERS = (*_ORDER, "==", "!=", "in")
_LONGEST = 80
"""The longest expression on one line, in characters."""
_NUMBER = re.compile(r"-?[0-9]+\Z")
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")


class ConditionError(ValueError):
    """A condition that does not fit the devices of the driver; the text has the problem and what exists."""


class Condition(NamedTuple):
    """A condition: the attribute or capacity, its CEL, and the text that was typed."""

    name: Name
    expression: str
    text: str

    def guarded(self, devices: Sequence[DeviceKind]) -> list[str]:
        """Return the parts of the expression for these devices: a lookup fails on a device without the attribute."""
        known = [device.find(self.name) for device in devices]
        if all(each is not None and each.always for each in known):
            return [self.expression]
        name = self.name
        return [f'{json.dumps(name.name)} in device.{name.which}["{name.domain}"]', self.expression]


def condition(text: str, devices: Sequence[DeviceKind]) -> Condition:
    """Return the condition of a text for the devices of a driver.

    Raises:
        ConditionError: the text has another form, or the devices have no such attribute, type or value.
    """
    match = _FORM.match(text)
    if match is None:
        raise ConditionError(f"{text!r} is not a condition; write NAME OPERATOR VALUE, such as {_EXAMPLES}")
    negated, written, operator, value = match.groups()
    name = _name(written, devices)
    found = [known for device in devices if (known := device.find(name)) is not None]
    kind = found[0].type.partition(" of ")[0]
    if kind == "any":
        kind = "int" if _NUMBER.match(value or "") else "bool" if value in (None, "true", "false") else "string"
    if operator is None:
        if kind != "bool":
            some = _example(name, kind, found)
            raise ConditionError(f"{text!r} has no value: {name.name} is {_kind(kind)}, write {some}")
        return Condition(name, f"{negated}{_field(name)}", text.strip())
    operator = "==" if operator == "=" else operator
    allowed = _ALLOWED.get(kind, _NUMBERS)
    if negated or operator not in allowed or not value:
        what = "a condition has no ! before a comparison" if negated else f"{name.name} is {_kind(kind)}"
        raise ConditionError(f"{text!r}: {what}; write {_example(name, kind, found)} with {' or '.join(allowed)}")
    values = [_value(each.strip(), name, kind, found) for each in (value.split(",") if operator == "in" else [value])]
    if kind == "bool":
        return Condition(name, ("" if (values == ["true"]) is (operator == "==") else "!") + _field(name), text.strip())
    return Condition(name, _expression(name, kind, operator, values), text.strip())


def _expression(name: Name, kind: str, operator: str, values: list[str]) -> str:
    field = _field(name)
    if operator == "contains":
        return f"{values[0]} in {field}" if kind == "list" else f"{field}.contains({values[0]})"
    if kind in ("version", "quantity"):
        word = {"version": "semver", "quantity": "quantity"}[kind]
        each = [f"{field}.compareTo({word}({value})) {'==' if operator == 'in' else operator} 0" for value in values]
        return each[0] if len(each) == 1 else f"({' || '.join(each)})"
    return f"{field} in [{', '.join(values)}]" if operator == "in" else f"{field} {operator} {values[0]}"


def _field(name: Name) -> str:
    """Return the attribute or capacity as CEL reads it."""
    return name.text if _IDENTIFIER.match(name.name) else f'device.{name.which}["{name.domain}"]["{name.name}"]'


def _name(written: str, devices: Sequence[DeviceKind]) -> Name:
    """Return the attribute or capacity that a text names, with or without its domain."""
    names = list(dict.fromkeys(name for device in devices for name in device.known))
    domain, slash, last = written.rpartition("/")
    found = [name for name in names if name.name == last and (not slash or name.domain == domain)]
    if not found and slash:
        found = [
            name for name in (Name(ATTRIBUTES, domain, last), Name(CAPACITY, domain, last))
            if any(device.find(name) for device in devices)
        ]  # fmt: skip
    if not found:
        found = [
            name
            for device in devices
            for pattern, _ in device.patterns
            if is_all_of(pattern.name, last)
            for name in [pattern._replace(name=last)]
        ]
    if found:
        return found[0]
    driver = devices[0].driver
    known = list(dict.fromkeys(name.name if name.domain == driver else f"{name.domain}/{name.name}" for name in names))
    by_last = {name.rpartition("/")[2]: name for name in known}
    tip = closest(written, {**dict.fromkeys(known), **by_last}) or (
        f"they have {', '.join(known)}" if known else "they have none"
    )
    raise ConditionError(f"devices of {driver} have no attribute or capacity {written!r}; {tip}")


def _value(text: str, name: Name, kind: str, found: Sequence[Known]) -> str:
    """Return a value as CEL, in the type of the attribute."""
    if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'":
        text = text[1:-1]
    closed = list(dict.fromkeys(shown(value) for known in found for value in known.values or ()))
    if closed and all(known.values is not None for known in found) and text not in closed and kind == "string":
        tip = closest(text, closed) or f"it is {' or '.join(closed)}"
        raise ConditionError(f"{name.name} is never {text!r}; {tip}")
    if kind == "version":
        parts = text.removeprefix("v").split(".")
        text = ".".join([*parts, "0", "0"][:3]) if len(parts) < 3 else text.removeprefix("v")
    try:
        if kind == "int":
            return str(int(text))
        if kind == "quantity":
            parse_quantity(text)
        elif kind == "version":
            parse_semver(text)
        elif kind == "bool" and text not in ("true", "false"):
            raise ValueError
    except ValueError:
        raise ConditionError(f"{text!r}: {name.name} is {_kind(kind)}; write {_example(name, kind, found)}") from None
    return text if kind == "bool" else json.dumps(text, ensure_ascii=False)


def _kind(kind: str) -> str:
    return {
        "int": "a number",
        "bool": "true or false",
        "version": "a version",
        "quantity": "a quantity",
        "list": "a list of strings",
    }.get(kind, "a text")


def _example(name: Name, kind: str, found: Sequence[Known]) -> str:
    """Return an example of a condition."""
    values = [shown(value) for known in found for value in (*(known.values or ()), *known.listed)]
    text = next(iter(values), {"version": "1.2.0", "quantity": "40Gi", "int": "1", "bool": "true"}.get(kind, "VALUE"))
    operator = {"list": "contains", "version": ">=", "quantity": ">="}.get(kind, "==")
    return f"'{name.name} {operator} {text}'"


def parts(conditions: Sequence[Condition], devices: Sequence[DeviceKind]) -> list[str]:
    """Return the parts of the expression that is true for those devices that meet all conditions."""
    return list(dict.fromkeys(part for each in conditions for part in each.guarded(devices)))


def joined(several: Sequence[str]) -> str:
    """Return the parts as one expression, each on its own line if they are long."""
    line = " && ".join(several)
    return line if len(line) <= _LONGEST else " &&\n".join(several)


WORKLOADS = {kind.lower(): (version, kind, path) for (version, kind), path in POD_SPECS.items()}
"""Name of a kind of workload in lower case → its API version, its kind, and the path of its Pod spec."""
AROUND: dict[str, tuple[str, str, tuple[str | int, ...]]] = {
    **{kind: WORKLOADS[kind] for kind in ("pod", "deployment", "statefulset", "daemonset", "job")},
    "jobset": (
        "jobset.x-k8s.io/v1alpha2",
        "JobSet",
        ("spec", "replicatedJobs", 0, "template", "spec", "template", "spec"),
    ),
}
"""Those that can be written, and JobSets."""
KINDS = ("claim", "template", "class", *AROUND, "quota")

NEWEST = "resource.k8s.io/v1"
_IMAGE = "registry.example.com/app:1.0"
MOST_ALTERNATIVES = 8
"""Source: FirstAvailableDeviceRequestMaxSize in staging/src/k8s.io/api/resource/v1/types.go (v1.37.0)."""


class NewObject(NamedTuple):
    """An object to write: comments above it, comments at field paths, and comments below it."""

    data: dict[str, Any]
    above: tuple[str, ...] = ()
    notes: Mapping[Path, str] = {}
    below: tuple[str, ...] = ()


class User(NamedTuple):
    """The workload that will use a claim or template."""

    kind: str
    name: str

    @property
    def text(self) -> str:
        """The workload in the words of a comment."""
        _, kind, _ = WORKLOADS[self.kind]
        return f"{kind} {self.name}"


class Choice(NamedTuple):
    """What a request, or an alternative of it, asks for: devices of a class that meet conditions."""

    driver: str
    device_class: str
    devices: tuple[DeviceKind, ...]
    number: int = 1
    conditions: tuple[Condition, ...] = ()

    @property
    def text(self) -> str:
        """The amount in the words of a comment."""
        if self.number == 1:
            return f"one device of the class {self.device_class}"
        return f"{self.number} devices of the class {self.device_class}"


class Wanted(NamedTuple):
    """The purpose of a new manifest.

    A request has one choice, or several, the most wanted first. `same` are attributes that all devices share;
    `parameters` are those for the driver of the first request.
    """

    name: str
    namespace: str | None
    api_version: str
    requests: tuple[tuple[Choice, ...], ...]
    same: tuple[Name, ...] = ()
    parameters: Mapping[str, Any] | None = None
    user: User | None = None

    @property
    def first(self) -> Choice:
        """The first choice of the first request."""
        return self.requests[0][0]

    @property
    def noun(self) -> str:
        """The word for a device of the first driver."""
        return noun(self.first.driver)

    @property
    def named(self) -> dict[str, tuple[Choice, ...]]:
        """The requests by their names."""
        out: dict[str, tuple[Choice, ...]] = {}
        for choices in self.requests:
            word = noun(choices[0].driver)
            again = sum(name.partition("-")[0] == word for name in out)
            out[f"{word}-{again + 1}" if again else word] = choices
        return out


def noun(driver: str) -> str:
    """Return the word for a device of a driver: `gpu` for gpu.nvidia.com, `net` for dra.net."""
    parts = [part for part in driver.split(".") if part != "dra"]
    return parts[0] if parts else "device"


def classes_of(pack: Pack, version: str) -> dict[str, tuple[DeviceKind, ...]]:
    """Return the classes that the chart of a driver installs for users, with their kinds of devices."""
    everything = devices(pack, version)
    out: dict[str, tuple[DeviceKind, ...]] = {}
    for row in pack.at(version).get("classes", ()):
        if row.get("forUsers", True):
            found = judged(row["cel"], everything) if "cel" in row else None
            out[row["name"]] = tuple(everything) if found is None else found.passing
    return out


def fitting(classes: Mapping[str, tuple[DeviceKind, ...]], conditions: Sequence[Condition]) -> str | None:
    """Return the first class with a device that can meet all conditions, or else the first; None without classes."""
    for name, several in classes.items():
        if any(all(device.find(each.name) for each in conditions) for device in several):
            return name
    return next(iter(classes), None)


def claim(wanted: Wanted) -> NewObject:
    """Return a ResourceClaim."""
    data = _object(wanted, "ResourceClaim", wanted.name, _devices(wanted))
    who = "The Pods that name it share its devices"
    if wanted.user is not None and wanted.user.kind != "pod":
        who = f"All Pods of the {wanted.user.text} share its devices; `dralint new template` gives each Pod its own"
    above = (f"A claim for {_amount(wanted)}.", f"{who}.")
    return _document(wanted, data, ("spec",), above, ("resourceClaimName", wanted.name))


def template(wanted: Wanted) -> NewObject:
    """Return a ResourceClaimTemplate."""
    data = _object(wanted, "ResourceClaimTemplate", wanted.name, {"spec": _devices(wanted)})
    above = (f"A template for claims: each Pod that names it gets a claim of its own, for {_amount(wanted)}.",)
    return _document(wanted, data, ("spec", "spec"), above, ("resourceClaimTemplateName", wanted.name))


def device_class(wanted: Wanted, choice: Choice, name: str, extended_resource: str | None = None) -> NewObject:
    """Return a DeviceClass for the devices of a driver that meet the conditions of a choice."""
    several = [f'device.driver == "{choice.driver}"', *parts(choice.conditions, choice.devices)]
    spec: dict[str, Any] = {"selectors": [{"cel": {"expression": joined(several)}}]}
    above = [f"A class for devices of the driver {choice.driver}.", "Claims name it in deviceClassName."]
    if extended_resource is not None:
        spec = {"extendedResourceName": extended_resource, **spec}
        above.append(f"Containers can request its devices without a claim: `limits: {{{extended_resource}: 1}}`.")
    data = _object(wanted, "DeviceClass", name, spec)
    data["metadata"].pop("namespace", None)
    notes = _where(choice, ("spec", "selectors", 0, "cel", "expression"))
    return NewObject(data, tuple(above), notes)


def quota(wanted: Wanted) -> NewObject:
    """Return a ResourceQuota for the devices of the class of each request."""
    hard = {f"{choices[0].device_class}{CLASS_QUOTA}": choices[0].number for choices in wanted.requests}
    data = {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": _metadata(wanted), "spec": {"hard": hard}}
    return NewObject(data, (f"The claims of the namespace can request {_amount(wanted)} together.",))


def workload(wanted: Wanted, kind: str, source: str) -> NewObject:
    """Return a workload of a kind of `AROUND`, whose Pods have a claim made from the template `source`."""
    api_version, spelled, path = AROUND[kind]
    pod = _using(wanted, ("resourceClaimTemplateName", source), "app")
    pod["containers"][0] = {"name": "app", "image": _IMAGE, **pod["containers"][0]}
    labels = {"app": wanted.name}
    spec: dict[str, Any] = pod
    if kind in ("deployment", "statefulset", "daemonset"):
        spec = {"selector": {"matchLabels": labels}, "template": {"metadata": {"labels": labels}, "spec": pod}}
        spec = {"serviceName": wanted.name, **spec} if kind == "statefulset" else spec
        spec = {"replicas": 1, **spec} if kind != "daemonset" else spec
    elif kind in ("job", "jobset"):
        spec = {"template": {"spec": {"restartPolicy": "Never", **pod}}}
        if kind == "jobset":
            spec = {"replicatedJobs": [{"name": "workers", "replicas": 1, "template": {"spec": spec}}]}
    data = {"apiVersion": api_version, "kind": spelled, "metadata": _metadata(wanted), "spec": spec}
    return NewObject(data, (), {(*path, "containers", 0, "image"): "your image"})


def made_by_driver(wanted: Wanted, row: Mapping[str, Any]) -> NewObject:
    """Return the object from which a driver makes a template; `row` is its entry in `makes`."""
    spec: dict[str, Any] = dict(row.get("spec", {}))
    path = row["template"].split(".")[1:]
    inner = spec
    for step in path[:-1]:
        inner = inner.setdefault(step, {})
    inner[path[-1]] = wanted.name
    data = {"apiVersion": row["apiVersion"], "kind": row["kind"], "metadata": _metadata(wanted), "spec": spec}
    above = (
        f"The driver {wanted.first.driver} makes a ResourceClaimTemplate from this {row['kind']}.",
        "Do not write one of the same name.",
    )
    place = ("spec", *path)
    return NewObject(
        data, above, {place: "the template that Pods name"}, _below(wanted, ("resourceClaimTemplateName", wanted.name))
    )


def _object(wanted: Wanted, kind: str, name: str, spec: dict[str, Any]) -> dict[str, Any]:
    data = {"apiVersion": NEWEST, "kind": kind, "metadata": {**_metadata(wanted), "name": name}, "spec": spec}
    found, _ = convert.object(data, NEWEST, wanted.api_version)
    return found


def _metadata(wanted: Wanted) -> dict[str, Any]:
    name = wanted.name
    return {"name": name} if wanted.namespace is None else {"name": name, "namespace": wanted.namespace}


def _devices(wanted: Wanted) -> dict[str, Any]:
    requests: list[dict[str, Any]] = []
    for name, choices in wanted.named.items():
        if len(choices) == 1:
            requests.append({"name": name, "exactly": _choice(choices[0])})
        else:
            several = [{"name": ordinal(number), **_choice(each)} for number, each in enumerate(choices)]
            requests.append({"name": name, "firstAvailable": several})
    devices: dict[str, Any] = {"requests": requests}
    if wanted.same:
        devices["constraints"] = [{"matchAttribute": f"{name.domain}/{name.name}"} for name in wanted.same]
    if wanted.parameters is not None:
        opaque = {"driver": wanted.first.driver, "parameters": dict(wanted.parameters)}
        devices["config"] = [{"requests": [requests[0]["name"]], "opaque": opaque}]
    return {"devices": devices}


def _choice(choice: Choice) -> dict[str, Any]:
    fields: dict[str, Any] = {"deviceClassName": choice.device_class, "count": choice.number}
    if choice.conditions:
        fields["selectors"] = [{"cel": {"expression": joined(parts(choice.conditions, choice.devices))}}]
    return fields


def _document(
    wanted: Wanted, data: dict[str, Any], top: Path, above: tuple[str, ...], reference: tuple[str, str]
) -> NewObject:
    notes: dict[Path, str] = {}
    for number, choices in enumerate(wanted.requests):
        request: Path = (*top, "devices", "requests", number)
        place = (*request, "exactly") if "exactly" in reached(data, request) else request
        for at, choice in enumerate(choices):
            inner = place if len(choices) == 1 else (*request, "firstAvailable", at)
            notes |= _where(choice, (*inner, "selectors", 0, "cel", "expression"))
    return NewObject(data, above, notes, _below(wanted, reference))


def _where(choice: Choice, path: Path) -> dict[Path, str]:
    """Return the comment above an expression: the conditions as the user typed them."""
    return {path: " and ".join(each.text for each in choice.conditions)} if choice.conditions else {}


def _amount(wanted: Wanted) -> str:
    """Return what is asked for in the words of a comment."""
    return ", and ".join(" or else ".join(each.text for each in choices) for choices in wanted.requests)


def _using(wanted: Wanted, reference: tuple[str, str], container: str) -> dict[str, Any]:
    """Return the part of a Pod spec that uses a claim or template."""
    field, name = reference
    return {
        "resourceClaims": [{"name": wanted.noun, field: name}],
        "containers": [{"name": container, "resources": {"claims": [{"name": wanted.noun}]}}],
    }


def _below(wanted: Wanted, reference: tuple[str, str]) -> tuple[str, ...]:
    """Return the comment that shows how the workload uses the object."""
    if wanted.user is None:
        return ()
    data: Any = _using(wanted, reference, "YOUR_CONTAINER")
    _, _, path = WORKLOADS[wanted.user.kind]
    for step in reversed(path):
        data = {step: data}
    return (f"Add this to the {wanted.user.text}:", "", *(f"  {line}" for line in dump(data).splitlines()))


_WIDEST = 116
"""The longest comment above an object, in characters."""


def text(documents: Iterable[NewObject]) -> str:
    """Return objects as a stream of YAML documents."""
    return "---\n".join(_text(document) for document in documents)


def _text(document: NewObject) -> str:
    wrapped = [part for line in document.above for part in textwrap.wrap(line, _WIDEST)]
    above, below = ("".join(f"# {line}".rstrip() + "\n" for line in lines) for lines in (wrapped, document.below))
    return f"{above}{dump(document.data, document.notes)}{below}"


def dump(data: Mapping[str, Any], notes: Mapping[Path, str] | None = None) -> str:
    """Return data as YAML, with a comment above the fields that `notes` names."""
    yaml = YAML()
    yaml.width = 1 << 16  # keeps a line of an expression on one line
    out = io.StringIO()
    yaml.dump(_node(data, (), notes or {}), out)
    return out.getvalue()


def _node(value: Any, path: Path, notes: Mapping[Path, str]) -> Any:
    if isinstance(value, dict):
        node = CommentedMap((key, _node(each, (*path, key), notes)) for key, each in value.items())
        for key in value:
            note = notes.get((*path, key))
            if note is not None:
                column = 2 * sum(isinstance(step, str) for step in path)  # a list is not indented
                node.yaml_set_comment_before_after_key(key, before=note, indent=column)
        return node
    if isinstance(value, list):
        return CommentedSeq(_node(each, (*path, number), notes) for number, each in enumerate(value))
    if not isinstance(value, str):
        return value
    if "\n" in value:
        return LiteralScalarString(value)
    if stays_plain(value, flow=False):
        return value
    return (
        SingleQuotedScalarString(value) if value.isprintable() and value.isascii() else DoubleQuotedScalarString(value)
    )
