"""Advice: what the API server accepts and what works, but is hardly meant."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dralint.finding.problem import Change, Repair, path_of
from dralint.finding.rule_ids import (
    EMPTY_CLAIM,
    METADATA_NOT_PASSED_ON,
    OWN_DOMAIN,
    TAINT_RULE_FOR_EVERYTHING,
    UPPER_CASE_DRIVER,
)
from dralint.finding.words import quoted
from dralint.kubernetes.formats import driver_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dralint.finding.problem import Link
    from dralint.validate.constraints import Context


def empty_claim(value: dict[str, Any], link: Link, context: Context) -> None:
    """A claim without requests is allocated at once, and gives its Pod nothing."""
    if value and not value.get("requests"):
        requests = value.get("requests", ...)
        what = "`requests` is null, which is the same as leaving it out: " if requests is None else ""
        message = f"{what}the claim requests no device"
        hint = "add a request, or remove the claim"
        context.add(EMPTY_CLAIM, (link, "requests"), None, message, hint, target="value" if requests is ... else "key")


def claim_template(value: dict[str, Any], link: Link, context: Context) -> None:
    """Claims do not get the labels and annotations of their template."""
    inner = (value.get("spec") or {}).get("metadata") or {}
    if inner.get("labels") or inner.get("annotations"):
        return
    for field in ("labels", "annotations"):
        key = next(filter(_of_somebody, (value.get("metadata") or {}).get(field) or ()), None)
        if key is not None:
            message = (
                "claims made from the template get the labels and annotations of spec.metadata, not those of the "
                f"template: they do not get {quoted(key)}"
            )
            hint = f"write it into spec.metadata.{field} where it is meant for the claims"
            context.add(METADATA_NOT_PASSED_ON, ((link, "metadata"), field), None, message, hint, target="key")


_TOOLS = ("kubernetes.io", "k8s.io", "helm.sh", "argoproj.io", "fluxcd.io", "cattle.io", "werf.io", "carvel.dev")
_ABOUT_CHARTS = frozenset(
    {"app", "chart", "component", "created-by", "heritage", "instance", "managed-by", "name", "part-of", "release"}
    | {"version"}
)
"""Names by which charts note the owner of an object, in any domain."""


def _of_somebody(key: str) -> bool:
    """Say whether a label or annotation belongs to a user, not to Kubernetes, a tool or a chart."""
    domain, slash, name = key.partition("/")
    return bool(slash) and not domain.endswith(_TOOLS) and name not in _ABOUT_CHARTS


def taint_rule(value: dict[str, Any], link: Link, context: Context) -> None:
    """A rule that selects nothing in particular ends all Pods with devices."""
    selector = value.get("deviceSelector") or {}
    narrowed = any(selector.get(key) for key in ("driver", "pool", "device", "deviceClassName", "selectors"))
    if not narrowed and (value.get("taint") or {}).get("effect") == "NoExecute":
        message = (
            "the rule selects every device of every driver, and NoExecute evicts all running Pods that use one and do "
            "not tolerate it"
        )
        hint = "select a driver, pool or device; with effect None, the status first shows what the rule would affect"
        context.add(TAINT_RULE_FOR_EVERYTHING, (link, "deviceSelector"), None, message, hint, target="key")


def driver_case(value: dict[str, Any], link: Link, context: Context) -> None:
    """The server warns of a driver with upper-case letters from 1.35 on (pkg/registry/resource/resourceslice)."""
    driver = value.get("driver") or ""
    if "upper-case-driver-warning" in context.does and driver != driver.lower() and driver_name(driver) is None:
        context.add(
            UPPER_CASE_DRIVER,
            (link, "driver"),
            None,
            f"{quoted(driver)} has upper-case letters: the server warns of it, and later releases may refuse it",
            f'did you mean "{driver.lower()}"?',  # no repair: the object works if the driver has that name
        )


def own_domain(value: dict[str, Any], link: Link, context: Context) -> None:
    """A name without a domain is in that of the driver (dynamic-resource-allocation cel/compile.go, v0.31.0, v0.37.0).

    Claims find the attribute under either name, in selectors and in constraints. Capacities are left alone: what a
    claim requests of them is compared as it is written.
    """
    driver = value.get("driver")
    if not driver:
        return
    prefix = f"{driver}/"
    found = list(_within(value, prefix, link))
    if not found:
        return
    plain = [at for at, twice in found if not twice]
    twice = [at for at, twice in found if twice]
    at = (twice or plain)[0]
    key = str(at[1])  # type: ignore[index]
    name = key.removeprefix(prefix)
    if twice:
        message = (
            f"{quoted(key)} and {quoted(name)} are the same attribute, because names without a domain are in "
            "the domain of the driver: it is undefined which of the two values a selector sees"
        )
        context.add(OWN_DOMAIN, at, None, message, f"remove one of the two; {name} is enough", target="key")
        return
    more = f" (and {len(plain) - 1} more in this slice)" if len(plain) > 1 else ""
    message = f"{quoted(key)} begins with the driver's own domain, which {quoted(name)} has by default{more}"
    repair = None
    if not value.get("partitionTypeAttribute"):  # that one has its full name
        changes = (Change("rename", path_of(each), str(each[1]).removeprefix(prefix)) for each in plain)  # type: ignore[index]
        repair = Repair(tuple(changes))  # a working object needs no other names
    context.add(OWN_DOMAIN, at, None, message, f"write {name}", target="key", repair=repair)


def _within(value: dict[str, Any], prefix: str, link: Link) -> Iterator[tuple[Link, bool]]:
    """Yield the attributes with that prefix, and whether the device has the attribute without it as well."""
    for position, device in enumerate(value.get("devices") or ()):
        basic = None if device is None else device.get("basic")
        fields = device or {} if basic is None else basic
        attributes = fields.get("attributes")
        if not attributes:
            continue
        for key in attributes:
            if key.startswith(prefix) and len(key) > len(prefix) and _has_one_value(attributes[key]):
                where: Link = ((link, "devices"), position)
                where = where if basic is None else (where, "basic")
                yield ((where, "attributes"), key, None), key[len(prefix) :] in attributes


def _has_one_value(attribute: dict[str, Any] | None) -> bool:
    """Say whether an attribute has exactly one value; another one has a different problem first."""
    return (
        attribute is not None and len(attribute) == 1 and all(value not in (None, []) for value in attribute.values())
    )
