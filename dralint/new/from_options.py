"""Makes a new manifest from the words of a user: class, conditions, API version of a release."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from dralint.drivers.devices import ATTRIBUTES, Name, devices
from dralint.kubernetes.near import closest, is_slip, listed
from dralint.kubernetes.served import ApiVersions
from dralint.new import objects
from dralint.new.objects import Choice, ConditionError, NewObject, User, Wanted, classes_of, condition, fitting

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from dralint.drivers.devices import DeviceKind
    from dralint.drivers.pack import Pack
    from dralint.kubernetes.release import Release

_KINDS = {"class": "DeviceClass", "template": "ResourceClaimTemplate"}
_PHRASE = re.compile(
    r"(?:(?P<count>[1-9]\d*)(?:\s+|\Z))?(?P<name>(?!where\b)[a-z0-9][\w./-]*)?(?:\s*where\s+(?P<where>.+))?\Z"
)
_TRUTH = {"true": True, "false": False}
_AND = re.compile(r"\s+and\s+")


class WantedError(ValueError):
    """A value that dralint cannot write a manifest for; `option` is its option, the text has the problem."""

    def __init__(self, option: str, text: str) -> None:
        super().__init__(text)
        self.option = option


class Ask(NamedTuple):
    """What a user asks for: a driver in a version, or a class of it; how many devices, and which.

    `option` is the option that asks for it.
    """

    pack: Pack
    version: str
    device_class: str | None = None
    number: int | None = None
    where: Sequence[str] = ()
    option: str = "where"


def phrase(option: str, text: str) -> tuple[int, str | None, tuple[str, ...]]:
    """Return the parts of the text of an option, such as `2 gpu.nvidia.com where memory >= 40Gi and type == gpu`.

    They are the number, the name, which can be missing, and the conditions. Raises WantedError for another form.
    """
    found = _PHRASE.match(text.strip())
    if found is None or not text.strip():
        form = "[COUNT] DRIVER or CLASS [where CONDITION [and CONDITION]]"
        raise WantedError(option, f"{text!r} is not {form}, such as '2 gpu.nvidia.com where memory >= 40Gi'")
    where = tuple(_AND.split(found["where"])) if found["where"] else ()
    return int(found["count"] or 1), found["name"], where


def user_of(text: str) -> User:
    """Return the workload of a text such as `deployment/train`. Raises WantedError for another text."""
    kind, slash, name = text.partition("/")
    kind = kind.lower()
    if kind not in objects.WORKLOADS or not slash or not name:
        tip = closest(kind, objects.WORKLOADS) or f"kinds are {', '.join(objects.WORKLOADS)}"
        raise WantedError("for", f"{text!r} is not KIND/NAME, such as deployment/train; {tip}")
    return User(kind, name)


def documents(
    kind: str,
    asked: Sequence[Sequence[Ask]],
    release: Release | None,
    *,
    same: Sequence[str] = (),
    parameters: Sequence[str] = (),
    extended_resource: str | None = None,
    name: str | None = None,
    namespace: str | None = None,
    user: User | None = None,
) -> list[NewObject]:
    """Return the objects to write.

    Args:
        kind: one of `objects.KINDS`.
        asked: the requests, each with its alternatives, the most wanted first.
        release: the release of Kubernetes; None for the newest.
        same: attributes that all devices must share.
        parameters: parameters for the driver of the first request, each as PATH=VALUE.
        extended_resource: the name under which a class offers its devices without a claim.
        name: the name of the object; None for one made of the driver and the user.
        namespace: its namespace.
        user: the workload that uses the claim or template.

    Raises:
        WantedError: the driver or the release does not have it.
    """
    first = asked[0][0]
    _refuse(kind, asked, same, parameters, extended_resource, user)
    requests = tuple(tuple(_choice(kind, each) for each in several) for several in asked)
    noun = objects.noun(first.pack.driver)
    if name is None:
        words = {"class": f"{noun}-class", "quota": f"{noun}-quota", **dict.fromkeys(objects.AROUND, "app")}
        name = words.get(kind, noun if user is None else f"{user.name}-{noun}")
    wanted = Wanted(
        name,
        namespace,
        _api_version(kind, release),
        requests,
        tuple(_shared(text, requests) for text in same),
        _parameters(first, requests[0][0], parameters) if parameters else None,
        user,
    )
    if kind == "class":
        return [objects.device_class(wanted, wanted.first, name, extended_resource)]
    if kind == "quota":
        return [objects.quota(wanted)]
    found = _documents(kind, wanted, _maker(first.pack, wanted.first.device_class))
    own = {
        choice.device_class: choice
        for several, choices in zip(asked, requests, strict=True)
        for ask, choice in zip(several, choices, strict=True)
        if ask.device_class is None and not classes_of(ask.pack, ask.version)
    }
    return [
        *(objects.device_class(wanted, choice._replace(conditions=()), made) for made, choice in own.items()),
        *found,
    ]


def parents(asked: Sequence[Sequence[Ask]]) -> Iterator[str]:
    """Yield the attributes by which several devices of a request can be demanded from one parent."""
    for ask in (each for several in asked for each in several if (each.number or 1) > 1):
        found = _choice("claim", ask)
        for row in ask.pack.at(ask.version).get("attributes", ()):
            if "parent" in row and any(name.name == row["name"] for kind in found.devices for name in kind.known):
                yield row["name"]


def _refuse(
    kind: str,
    asked: Sequence[Sequence[Ask]],
    same: Sequence[str],
    parameters: Sequence[str],
    extended_resource: str | None,
    user: User | None,
) -> None:
    """Raise WantedError for an option that the kind has no place for."""
    first = asked[0][0]
    if kind not in ("claim", "template") and user is not None:
        raise WantedError("for", f"a {kind} is not for a workload; write a claim or a template")
    if kind == "class" and first.number is not None:
        raise WantedError("count", "a class has no number of devices; write it in the claims that name the class")
    if kind == "class" and first.device_class is not None:
        raise WantedError("class", "a class does not name another one; use --name for its own name")
    if kind != "class" and extended_resource is not None:
        raise WantedError("extended-resource", "only a class offers its devices as an extended resource")
    if kind in ("class", "quota"):
        given = {
            "with": len(asked) > 1 and kind == "class",
            "else": len(asked[0]) > 1,
            "same": same,
            "parameter": parameters,
        }
        given["where"] = bool(first.where) and kind == "quota"
        option = next((option for option, has in given.items() if has), None)
        if option is not None:
            raise WantedError(option, f"a {kind} has no place for it; write it in a claim or a template")
    if len(asked[0]) > objects.MOST_ALTERNATIVES:
        raise WantedError("else", f"a request has at most {objects.MOST_ALTERNATIVES} alternatives")


def _choice(kind: str, ask: Ask) -> Choice:
    """Return the devices that a user asks for; WantedError where the driver has no such class or attribute."""
    everything = tuple(devices(ask.pack, ask.version))
    classes = classes_of(ask.pack, ask.version)
    if ask.device_class is not None:
        _check_class(ask.pack, classes, ask.device_class)
    several = everything if kind == "class" or ask.device_class is None else classes.get(ask.device_class, everything)
    try:
        conditions = tuple(condition(text, [*several, *everything]) for text in ask.where)
    except ConditionError as error:
        raise WantedError(ask.option, str(error)) from error
    chosen = ask.device_class or fitting(classes, conditions) or f"{objects.noun(ask.pack.driver)}-class"
    kinds = classes.get(chosen, everything) if kind != "class" else everything
    return Choice(ask.pack.driver, chosen, kinds, ask.number or 1, conditions)


def _shared(text: str, requests: Sequence[Sequence[Choice]]) -> Name:
    """Return the attribute that all devices of the requests have; WantedError where there is none of that name."""
    domain, slash, last = text.rpartition("/")
    names = [
        {name for kind in choice.devices for name in kind.known if name.which == ATTRIBUTES}
        for choices in requests
        for choice in choices
    ]
    common = sorted(set.intersection(*names))
    found = [name for name in common if name.name == last and (not slash or name.domain == domain)]
    if not found:
        known = [f"{name.domain}/{name.name}" for name in common]
        tip = closest(text, {**dict.fromkeys(known), **{name.name: name.name for name in common}})
        has = tip or (f"they share {listed(known, quote='')}" if known else "they share none")
        raise WantedError("same", f"not all of these devices have the attribute {text!r}; {has}")
    return found[0]


def _parameters(ask: Ask, choice: Choice, parameters: Sequence[str]) -> dict[str, Any]:
    """Return the parameters of the first kind that has all fields; WantedError where there is none."""
    rules = ask.pack.at(ask.version).get("parameters") or {}
    names = {kind.kind for kind in choice.devices}
    kinds = [kind for kind in rules.get("kinds", ()) if not kind.get("devices") or names & set(kind["devices"])]
    if not kinds:
        raise WantedError("parameter", f"dralint knows no parameters of {ask.pack.driver} for {choice.device_class}")
    pairs = [text.partition("=") for text in parameters]
    problem = ""
    for kind in kinds:
        made: dict[str, Any] = {"apiVersion": rules["apiVersion"], "kind": kind["kind"]}
        try:
            for path, equals, value in pairs:
                if not equals:
                    raise WantedError("parameter", f"{path!r} is not PATH=VALUE, such as sharing.strategy=TimeSlicing")
                _set(made, kind["fields"], path, value, kind["kind"])
        except WantedError as error:
            problem = problem or str(error)
        else:
            return made
    raise WantedError("parameter", problem)


def _set(made: dict[str, Any], fields: Mapping[str, Any], path: str, value: str, kind: str) -> None:
    """Write a value at a path of parameters, in the type of its field."""
    *steps, last = path.split(".")
    where = kind
    for step in steps:
        field = _field(fields, step, where)
        where = f"{where}.{step}"
        made, fields = made.setdefault(step, {}), field.get("fields", {})
    field = _field(fields, last, where)
    where = f"{where}.{last}"
    if "fields" in field:
        names = listed(list(field["fields"]), quote="")
        raise WantedError("parameter", f"{where} is an object; name a field of it: {names}")
    values = {"int": int(value) if re.fullmatch(r"-?\d{1,18}", value) else None, "bool": _TRUTH.get(value)}
    found = values.get(field["type"], value)
    if found is None or ("enum" in field and value not in map(str, field["enum"])):
        allowed = listed(list(map(str, field["enum"])), quote="") if "enum" in field else f"of type {field['type']}"
        raise WantedError("parameter", f"{where} cannot be {value!r}: it is {allowed}")
    made[last] = found


def _field(fields: Mapping[str, Any], name: str, where: str) -> dict[str, Any]:
    """Return a field of parameters; WantedError where there is none of that name."""
    if name not in fields:
        tip = closest(name, fields) or (f"it has {listed(list(fields), quote='')}" if fields else "it has none")
        raise WantedError("parameter", f"{where} has no field {name!r}; {tip}")
    found: dict[str, Any] = fields[name]
    return found


def _documents(kind: str, wanted: Wanted, maker: dict[str, Any] | None) -> list[NewObject]:
    if kind == "claim" and maker is None:
        return [objects.claim(wanted)]
    simple = wanted.requests == ((wanted.first._replace(number=1, conditions=()),),) and wanted.parameters is None
    if maker is not None and (kind == "claim" or not simple):
        chosen = wanted.first.device_class
        made = f"the driver makes templates of the class {chosen} from a {maker['kind']}, for one device"
        raise WantedError("class", f"{made}; use `dralint new template --class {chosen}`")
    inner = wanted if kind == "template" else wanted._replace(name=f"{wanted.name}-{wanted.noun}")
    first = objects.template(inner) if maker is None else objects.made_by_driver(inner, maker)
    return [first] if kind == "template" else [first, objects.workload(wanted, kind, inner.name)]


def _maker(pack: Pack, device_class: str) -> dict[str, Any] | None:
    """Return the entry of the object from which the driver makes the templates of a class."""
    rows: list[dict[str, Any]] = pack.data.get("makes", [])
    return next((row for row in rows if row["class"] == device_class), None)


def _check_class(pack: Pack, classes: dict[str, tuple[DeviceKind, ...]], name: str) -> None:
    """Raise WantedError for a misspelt class of the driver, and for one that never existed."""
    slips = [each for each in classes if is_slip(name, each)]
    if name not in classes and (slips or name in pack.data.get("neverClasses", ())):
        raise WantedError("class", f"the chart of {pack.driver} has no class {name!r}; it has {', '.join(classes)}")


def _api_version(kind: str, release: Release | None) -> str:
    """Return the API version of a kind in a release: one that is served by default, if there is one."""
    versions = ApiVersions()
    release = versions.known[-1] if release is None else release
    of_kind = _KINDS.get(kind, "ResourceClaim")
    served = versions.versions(of_kind, release) if versions.versions("DeviceClass", release) else []
    if not served:
        first = versions.serving("DeviceClass")[0]
        raise WantedError("kubernetes-version", f"{release} has no DeviceClass; dralint writes for {first} and newer")
    return versions.by_default(of_kind, release) or served[0]
