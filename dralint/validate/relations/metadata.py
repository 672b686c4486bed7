"""Object metadata, and node selectors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dralint.finding import rule_ids
from dralint.finding.problem import Change, Repair, meant, path_of, removed, replaced
from dralint.finding.rule_ids import NODE_SELECTOR, UNSUPPORTED_VALUE
from dralint.finding.words import quoted
from dralint.kubernetes.formats import annotation_key, dns_subdomain, label_key, size
from dralint.kubernetes.types import OF_THE_SERVER
from dralint.validate.constraints import check_format

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from dralint.finding.problem import Link
    from dralint.kubernetes.formats import Fault
    from dralint.validate.constraints import Context


_POINTERS = ("deletionGracePeriodSeconds", "deletionTimestamp")
"""Fields for which zero is a value: pointers in the Go type (apimachinery pkg/apis/meta/v1/types.go)."""
_STANDARD_FINALIZERS = ("kubernetes", "orphan", "foregroundDeletion")
_CLUSTER_KINDS_WITH_GENERATION = ("DeviceClass", "ResourceSlice", "DeviceTaintRule")


def object_meta(value: dict[str, Any], link: Link, context: Context) -> None:
    """Metadata of an object, or of the claims that a template makes."""
    if link is not None and link[0] is not None:
        _template_meta(value, link, context)
    else:
        _names(value, link, context)
        if value.get("finalizers"):
            _finalizers(value["finalizers"], (link, "finalizers"), context)
        if value.get("ownerReferences"):
            _owners(value["ownerReferences"], (link, "ownerReferences"), context)
        generation = value.get("generation") or 0
        if generation < 0 and context.kind not in _CLUSTER_KINDS_WITH_GENERATION:
            message = f"{generation} is out of range: it must be at least 0"
            context.add(rule_ids.OUT_OF_RANGE, (link, "generation"), "Invalid", message)
    if value.get("labels"):
        check_labels(value["labels"], (link, "labels"), context)
    if value.get("annotations"):
        check_annotations(value["annotations"], (link, "annotations"), context)


def _template_meta(value: dict[str, Any], link: Link, context: Context) -> None:
    for key, member in value.items():
        unset = member in (None, "", 0, {}) and (member is None or key not in _POINTERS)
        if key not in ("labels", "annotations") and not unset:
            message = f"`{key}` cannot be set for the claims of a template; only labels and annotations can"
            hint = "remove it: a claim made from a template is named after its Pod" if "ame" in key else "remove it"
            repair = removed(path_of(link if len(value) == 1 else (link, key)), safe=key in OF_THE_SERVER)
            context.add(
                rule_ids.TEMPLATE_METADATA, (link, key), "Forbidden", message, hint, target="key", repair=repair
            )


def _masked(prefix: str) -> str:
    """Return the part of a prefix that the server checks: an `a` replaces a dash at its end and the byte before it.

    Source: maskTrailingDash in apimachinery pkg/api/validation/generic.go (v0.26.15 to v0.37.0).
    """
    masks = len(prefix) > 1 and prefix.endswith("-") and prefix[-2].isascii()
    return f"{prefix[:-2]}a" if masks else prefix


def _names(value: dict[str, Any], link: Link, context: Context) -> None:
    name, prefix = value.get("name") or "", value.get("generateName") or ""
    if not name and not prefix:
        hint = "set metadata.name (or metadata.generateName)"
        context.add(rule_ids.OBJECT_NAME, (link, "name"), "Required", "the object has no name", hint)
    if prefix:
        unchecked = context.kind == "DeviceClass" and "class-generate-name-unchecked" in context.does
        made = f"{prefix[:58]}x2x4x"
        slashed = any(character in prefix for character in "/%")  # every kind refuses it, if nothing else does
        slashed = slashed and dns_subdomain(name or made) is None
        fault = dns_subdomain(prefix if slashed else _masked(prefix))
        if fault is not None and (slashed or not unchecked):
            shown = fault._replace(instead=None)  # it is for the prefix with a letter after it
            context.fault(rule_ids.DNS_SUBDOMAIN, (link, "generateName"), prefix, shown, reason="Invalid")
        if not name:
            fault = dns_subdomain(made)
            if fault is not None:
                message = f"a name made from generateName {quoted(prefix)} {fault.text}"
                hint = "use lower-case letters, digits, `-` and `.` in generateName"
                where = (link, "generateName")
                context.add(rule_ids.DNS_SUBDOMAIN, (link, "name"), "Invalid", message, hint, where=where)
    if name and (fault := dns_subdomain(name)) is not None:
        context.fault(rule_ids.DNS_SUBDOMAIN, (link, "name"), name, fault, reason="Invalid")
    namespace = value.get("namespace") or ""
    if namespace and context.namespaced:
        check_format(namespace, "dns-label", (link, "namespace"), context)
    elif namespace:  # EnsureObjectNamespaceMatchesRequestNamespace in apiserver pkg/registry/rest/meta.go (v0.34.4)
        message = (
            f"{context.kind} is cluster-scoped: the server removes the namespace {quoted(namespace)}, and all "
            "namespaces share the object"
        )
        place = (link, "namespace")
        repair = removed(path_of(place))
        context.add(rule_ids.NAMESPACE_OF_CLUSTER_SCOPED, place, None, message, "remove it", repair=repair)


def check_labels(value: dict[str, str | None] | None, link: Link, context: Context) -> None:
    """Check labels: the API server blames the map, and the line is that of the label."""
    for key, text in (value or {}).items():
        _check_key(key, label_key, value, link, context, "label key")
        check_format(text or "", "label-value", link, context, (link, key, None))


def _check_key(
    key: str,
    check: Callable[[str], Fault | None],
    beside: Collection[str] | None,
    link: Link,
    context: Context,
    what: str,
) -> None:
    """Check a key of a map; one that is there already is not proposed instead."""
    fault = check(key)
    if fault is not None:
        fault = fault._replace(instead=None) if fault.instead in (beside or ()) else fault
        where = (link, key, None)
        context.fault(rule_ids.LABEL_KEY, link, key, fault, reason="Invalid", what=what, where=where, target="key")


def check_annotations(value: dict[str, str | None] | None, link: Link, context: Context) -> None:
    """Check annotations: their keys, and their total size."""
    total = 0
    for key, text in (value or {}).items():
        total += size(key) + size(text or "")
        _check_key(key, annotation_key, value, link, context, "annotation key")
    most = context.limits.total("annotations-bytes")
    if total > most:
        message = f"the annotations are {total} bytes long together; at most {most} are allowed"
        context.add(rule_ids.TOO_LONG, link, "TooLong", message, "keep long texts elsewhere")


def _finalizers(names: list[str | None], link: Link, context: Context) -> None:
    for position, text in enumerate(names):
        name = text or ""
        fault = label_key(name)
        place = (link, position)
        if fault is not None:
            context.fault(rule_ids.FINALIZER, link, name, fault, reason="Invalid", what="finalizer", where=place)
        if "/" not in name and name not in _STANDARD_FINALIZERS:
            hint = "write it as DOMAIN/NAME, such as example.com/cleanup"
            context.add(rule_ids.FINALIZER, place, "Invalid", f"finalizer {quoted(name)} has no domain", hint)
    if "orphan" in names and "foregroundDeletion" in names:
        message = "orphan and foregroundDeletion exclude each other"
        context.add(rule_ids.FINALIZER, link, "Invalid", message, "keep one of the two")


def _owners(owners: list[dict[str, Any] | None], link: Link, context: Context) -> None:
    controllers: list[int] = []
    known: list[dict[str, Any]] = []
    for position, item in enumerate(owners):
        owner = {key: value for key, value in (item or {}).items() if value not in (None, "")}
        if owner in known:
            continue  # the server drops repeated entries (dedupOwnerReferences, endpoints/handlers/rest.go)
        known.append(owner)
        place = (link, position)
        blamed = place if "owner-reference-index" in context.does else link
        reason = "Required" if "owner-reference-index" in context.does else "Invalid"
        text = owner.get("apiVersion") or ""
        group, _, version = text.rpartition("/")
        for key in ("apiVersion", "kind", "name", "uid"):
            if not owner.get(key):
                hint = "leave ownerReferences out of manifests, or name the owner in full"
                if key == "uid":
                    hint = "it is the metadata.uid of the owner in the cluster; leave ownerReferences out of manifests"
                message = f"an owner reference needs {key}"
                context.add(rule_ids.OWNER_REFERENCE, (blamed, key), reason, message, hint, where=(place, key))
        if text and (not version or "/" in group):
            message = f"{quoted(text)} is not an apiVersion: GROUP/VERSION or VERSION"
            hint = "keep one slash, such as apps/v1"
            where = (place, "apiVersion")
            context.add(rule_ids.OWNER_REFERENCE, (blamed, "apiVersion"), "Invalid", message, hint, where=where)
        if (group, version) == ("", "v1") and owner.get("kind") == "Event":
            message = "an Event cannot own objects"
            context.add(rule_ids.OWNER_REFERENCE, blamed, "Invalid", message, "remove the reference", where=place)
        if owner.get("controller"):
            controllers.append(position)
    if len(controllers) > 1:
        message = f"{len(controllers)} owners are marked as controller; only one can be"
        hint = "keep `controller: true` with one of them"
        where = ((link, controllers[1]), "controller")
        context.add(rule_ids.OWNER_REFERENCE, link, "Invalid", message, hint, where=where)


_OPERATORS = ("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt")
_FIELD_OPERATORS = ("In", "NotIn")
_NODE_NAME = "metadata.name"


def term(value: dict[str, Any], link: Link, context: Context) -> Collection[str] | None:
    """Check a term's requirements on fields; `requirement` checks those on labels."""
    for position, item in enumerate(value.get("matchFields") or ()):
        _field(item or {}, ((link, "matchFields"), position), context)
    return ("matchFields",)


def requirement(value: dict[str, Any], link: Link, context: Context) -> None:
    """A requirement on a label: the operator, and how many values it takes."""
    operator, values = value.get("operator") or "", value.get("values") or []
    here = (link, "values")
    if operator not in _OPERATORS:
        _bad_operator(operator, value, link, context, _OPERATORS)
    elif operator in ("In", "NotIn") and not values:
        message = f"operator {operator} needs at least one value"
        context.add(NODE_SELECTOR, here, "Required", message, "list the values, or use operator Exists")
    elif operator in ("Exists", "DoesNotExist") and values:
        message = f"operator {operator} takes no values"
        context.add(NODE_SELECTOR, here, "Forbidden", message, "remove `values`, or use In or NotIn")
    elif operator in ("Gt", "Lt") and len(values) != 1:
        message = f"operator {operator} takes exactly one value, not {len(values)}"
        context.add(NODE_SELECTOR, here, "Required", message, "list one number")
    if "node-selector-values" in context.does:
        for position, text in enumerate(values):
            check_format(text or "", "label-value", (here, position), context)


def _field(value: dict[str, Any], link: Link, context: Context) -> None:
    operator, values, key = value.get("operator") or "", value.get("values") or [], value.get("key") or ""
    here = (link, "values")
    if operator not in _FIELD_OPERATORS:
        _bad_operator(operator, value, link, context, _FIELD_OPERATORS)
    elif len(values) != 1:
        message = f"a requirement on a field takes exactly one value, not {len(values)}"
        context.add(NODE_SELECTOR, here, "Required", message, "list the name of one node")
    if key != "metadata.name":
        near = meant(key, (_NODE_NAME,), path_of((link, "key")))
        message = f"{quoted(key)} is not a field to select nodes by; the only one is metadata.name"
        hint = near.hint or 'write "metadata.name", or put a requirement on a label under `matchExpressions`'
        repair = replaced(path_of((link, "key")), _NODE_NAME) if key in ("name", "nodeName") else near.repair
        context.add(NODE_SELECTOR, (link, "key"), "Invalid", message, hint, repair=repair)
    else:
        for position, text in enumerate(values):
            check_format(text or "", "node-name", (here, position), context)


def _bad_operator(operator: str, value: dict[str, Any], link: Link, context: Context, allowed: tuple[str, ...]) -> None:
    words = ", ".join(allowed)
    what = f"{quoted(operator)} is not an operator here" if operator else "`operator` is missing"
    path = path_of((link, "operator"))
    hint, repair = meant(operator, allowed, path, closed=True, otherwise=f"write one of {words}")
    if not operator and value.get("key") and value.get("values"):
        hint, repair = (
            f'{hint}, such as "In"',
            Repair((Change("replace" if "operator" in value else "insert", path, "In"),)),
        )
    context.add(UNSUPPORTED_VALUE, (link, "operator"), "Invalid", f"{what}; allowed: {words}", hint, repair=repair)
