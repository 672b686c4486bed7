"""Words for a field that a type does not have: the nearest name, or where and in which API version it lives."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from dralint import data
from dralint.api_versions import ApiVersions
from dralint.checks.pod_types import TRIMMED
from dralint.decoding import UNKNOWN_FIELD
from dralint.problem import Link, Problem, path_of
from dralint.schema import short_name

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path as FilePath

    from dralint.judge import Judge
    from dralint.schema import Struct

FLAT_REQUEST = "DRA107"
DISPLACED = "DRA108"


def explain(
    judge: Judge, api_version: str, types: Mapping[str, Struct]
) -> Callable[[Struct, str, object, Link], Problem]:
    """Return the function that decoders call for a field they do not know: (struct, key, value, link) → Problem."""
    parents: dict[str, list[tuple[str, str]]] = {}
    for struct in types.values():
        for key, shape in struct.fields.items():
            inner = shape.of if shape.of is not None else shape
            if inner.shape == "struct":
                parents.setdefault(inner.type, []).append((struct.name, key))

    def unknown(struct: Struct, key: str, value: object, link: Link) -> Problem:
        path = path_of(link)
        rule, message, hint = _words(judge, api_version, types, parents, struct, key, path)
        return Problem(rule, path, message, "Unknown", hint, target="key")

    return unknown


def _words(
    judge: Judge,
    api_version: str,
    types: Mapping[str, Struct],
    parents: Mapping[str, list[tuple[str, str]]],
    struct: Struct,
    key: str,
    path: tuple[str | int, ...],
) -> tuple[str, str, str | None]:
    version = api_version.rpartition("/")[2]
    fields = struct.fields
    plain = f'unknown field "{key}"'
    if struct.name == "DeviceRequest" and "exactly" in fields and key in types["ExactDeviceRequest"].fields:
        return (
            FLAT_REQUEST,
            f'unknown field "{key}": in {version} it belongs under `exactly:` (only v1alpha3 and v1beta1 have it here)',
            f"put `exactly:` below `name`, and move `{key}` one level deeper, under it",
        )
    if struct.name == "Device" and key == "basic":
        return (
            FLAT_REQUEST,
            f'unknown field "basic": in {version} the fields of a device stand directly in it',
            "move what stands under `basic:` one level up",
        )
    if struct.name == "Device" and "basic" in fields and key in types["BasicDevice"].fields:
        return (
            FLAT_REQUEST,
            f'unknown field "{key}": in {version} it belongs under `basic:`',
            f"move `{key}` one level deeper, under `basic:`",
        )
    if struct.name == "DeviceRequest" and key == "exactly":
        return (
            FLAT_REQUEST,
            f'unknown field "exactly": in {version} the fields of a request stand directly in it',
            "move what stands under `exactly:` one level up, or use apiVersion resource.k8s.io/v1",
        )
    if struct.name == "core.PodResourceClaim" and key == "source":
        return (
            FLAT_REQUEST,
            'unknown field "source": since 1.31 resourceClaimName and resourceClaimTemplateName stand directly in it',
            "move what stands under `source:` one level up",
        )
    if struct.name == "core.PodResourceClaim" and key in ("resourceClaimName", "resourceClaimTemplateName"):
        return (
            FLAT_REQUEST,
            f'unknown field "{key}": up to 1.30 it belongs under `source:`',
            f"move `{key}` under `source:`",
        )
    if struct.name == "core.PodSpec" and key == "resources":
        return (
            UNKNOWN_FIELD,
            f"{plain}: a Pod as a whole has resources from 1.32 on only",
            "list claims under `resources.claims` of the containers that use them",
        )
    if struct.name == "JobSpec" and key == "scheduling":
        return UNKNOWN_FIELD, f"{plain}: a Job has it from 1.37 on only", "list the claims in the template of the Job"
    if struct.name == "core.Container" and key == "resourceClaims":
        return (
            DISPLACED,
            f"{plain}; it belongs one level up, beside `containers:`",
            "declare the claim there, and list its name here under `resources.claims`",
        )
    if struct.name == "DeviceSelector" and key == "expression":
        return (
            DISPLACED,
            'unknown field "expression": it belongs under `cel:`, one level deeper',
            "indent `expression` below `cel:`",
        )
    case = next((name for name in fields if name.lower() == key.lower()), None)
    if case is not None:
        return UNKNOWN_FIELD, f"{plain}; field names are case-sensitive", f'did you mean "{case}"?'
    if since := _other_release(judge, api_version, struct.name, key):
        return UNKNOWN_FIELD, f"{plain}: {since}", "remove it, or judge by a release that has it: --kubernetes-version"
    import difflib  # only where there is something to suggest

    close = difflib.get_close_matches(key, list(fields), n=1, cutoff=0.72)
    if close:
        return (
            UNKNOWN_FIELD,
            f'{plain}; did you mean "{close[0]}"?',
            _fields_of(struct),
        )
    if "metadata" in fields and key in types["ObjectMeta"].fields:
        return DISPLACED, f"{plain}; it belongs under `metadata:`", "move it one level deeper, under `metadata:`"
    for name, shape in fields.items():
        inner = shape.of if shape.of is not None else shape
        if inner.shape == "struct" and key in types[inner.type].fields and inner.type not in ("ObjectMeta",):
            return DISPLACED, f"{plain}; it belongs under `{name}:`", f"move it one level deeper, under `{name}:`"
    for parent, _ in parents.get(struct.name, ()):
        if key in types[parent].fields and key not in ("name", "kind", "apiVersion", "metadata", "status", "spec"):
            return (
                DISPLACED,
                f"{plain}; it belongs one level up, in {parent}",
                "check the indentation: move it one level up",
            )
    return UNKNOWN_FIELD, plain, _fields_of(struct)


def _fields_of(struct: Struct) -> str | None:
    """Return what fields the type has; None for one of which only the part around claims is known here."""
    if struct.name in TRIMMED:
        return None
    return f"{struct.name.removeprefix('core.')} has: {_names(struct.fields)}" if struct.fields else "it has no fields"


def _other_release(judge: Judge, api_version: str, struct: str, key: str) -> str | None:
    """Return since or until when releases have the field in the same API version and type, None when none has."""
    known = ApiVersions(judge.index, judge.schemas).known
    having = [r for r in known if key in _fields(str(r), judge.schemas, api_version, struct)]
    later = [release for release in having if release > judge.release]
    if later:
        return f"{api_version} has it from {later[0]} on"
    return f"{api_version} had it up to {having[-1]}" if having else None


@cache
def _fields(release: str, directory: FilePath | None, api_version: str, struct: str) -> frozenset[str]:
    schemas = data.openapi(release, directory)["schemas"].get(api_version, {})
    return frozenset(
        field
        for name, schema in schemas.items()
        if short_name(name) == struct
        for field in schema.get("properties", ())
    )


def _names(fields: Mapping[str, object]) -> str:
    names = sorted(fields)
    return ", ".join(names[:14]) + (", ..." if len(names) > 14 else "")
