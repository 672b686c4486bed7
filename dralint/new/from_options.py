"""Makes a new manifest from the words of a user: class, conditions, API version of a release."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dralint.drivers.devices import devices
from dralint.kubernetes.near import closest, is_slip
from dralint.kubernetes.served import ApiVersions
from dralint.new import objects
from dralint.new.objects import ConditionError, NewObject, User, Wanted, classes_of, condition, fitting

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dralint.drivers.devices import DeviceKind
    from dralint.drivers.pack import Pack
    from dralint.kubernetes.release import Release

_KINDS = {"class": "DeviceClass", "template": "ResourceClaimTemplate"}


class WantedError(ValueError):
    """A value that dralint cannot write a manifest for; `option` is its option, the text has the problem."""

    def __init__(self, option: str, text: str) -> None:
        super().__init__(text)
        self.option = option


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
    pack: Pack,
    version: str,
    release: Release | None,
    *,
    device_class: str | None = None,
    count: int | None = None,
    where: Sequence[str] = (),
    name: str | None = None,
    namespace: str | None = None,
    user: User | None = None,
) -> list[NewObject]:
    """Return the objects to write.

    Args:
        kind: one of `objects.KINDS`.
        pack: the driver; `version` is its version, which decides which devices exist.
        release: the release of Kubernetes; None for the newest.
        device_class: the class of the requests; None for one of the driver.
        count: the number of devices.
        where: conditions on the devices, as the user typed them.
        name: the name of the object; None for one made of the driver and the user.
        namespace: its namespace.
        user: the workload that uses the claim or template.

    Raises:
        WantedError: the driver or the release does not have it.
    """
    if kind in ("class", "pod") and user is not None:
        raise WantedError("for", f"a {kind} is not for a workload; write a claim or a template")
    if kind == "class" and count is not None:
        raise WantedError("count", "a class has no number of devices; write it in the claims that name the class")
    if kind == "class" and device_class is not None:
        raise WantedError("class", "a class does not name another one; use --name for its own name")
    everything = tuple(devices(pack, version))
    classes = classes_of(pack, version)
    if device_class is not None:
        _check_class(pack, classes, device_class)
    several = everything if kind == "class" or device_class is None else classes.get(device_class, everything)
    try:
        conditions = tuple(condition(text, [*several, *everything]) for text in where)
    except ConditionError as error:
        raise WantedError("where", str(error)) from error
    noun = objects.noun(pack.driver)
    chosen = device_class or fitting(classes, conditions) or f"{noun}-class"
    if name is None:
        name = {"class": f"{noun}-class", "pod": "app"}.get(kind, noun if user is None else f"{user.name}-{noun}")
    wanted = Wanted(
        pack.driver,
        name,
        namespace,
        _api_version(kind, release),
        chosen,
        classes.get(chosen, everything) if kind != "class" else everything,
        count or 1,
        conditions,
        user,
    )
    found = _documents(kind, wanted, _maker(pack, chosen))
    if kind == "class" or classes or device_class is not None:
        return found
    return [objects.device_class(wanted._replace(name=chosen, conditions=())), *found]


def _documents(kind: str, wanted: Wanted, maker: dict[str, Any] | None) -> list[NewObject]:
    if kind == "class":
        return [objects.device_class(wanted)]
    if kind == "claim" and maker is None:
        return [objects.claim(wanted)]
    if maker is not None and (kind == "claim" or wanted.number > 1 or wanted.conditions):
        made = f"the driver makes templates of the class {wanted.device_class} from a {maker['kind']}, for one device"
        raise WantedError("class", f"{made}; use `dralint new template --class {wanted.device_class}`")
    inner = wanted if kind == "template" else wanted._replace(name=f"{wanted.name}-{wanted.noun}")
    first = objects.template(inner) if maker is None else objects.made_by_driver(inner, maker)
    return [first] if kind == "template" else [first, objects.pod(wanted, inner.name)]


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
