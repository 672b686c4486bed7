"""Reads a release from its modules, and compares it with the tables."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from conformance import modules
from conformance.propose import gates, go_types, limits, openapi
from conformance.propose.lifecycle import Life, lives
from dralint.cel.table import facts as facts_of_cel
from dralint.kubernetes import shipped
from dralint.kubernetes.release import Release
from dralint.kubernetes.shipped import resolve

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from conformance.propose.go_types import Package

_ALWAYS = {"DynamicResourceAllocation"}
"""Gates that are on in every release that has the table of dependencies."""

SAME, OTHER, NEW, ABSENT = "as in the table", "other than in the table", "new", "only in the table"


class Fact(NamedTuple):
    """A fact of an area: what the modules have, what the table has, and the place in the modules."""

    area: str
    name: str
    proposed: Any
    held: Any
    source: str

    @property
    def state(self) -> str:
        """How proposal and table compare."""
        if self.proposed is None:
            return ABSENT
        return NEW if self.held is None else SAME if self.proposed == self.held else OTHER


class Proposal(NamedTuple):
    """The facts in the modules of a release."""

    document: dict[str, Any]
    facts: list[Fact]
    unread: list[str]


def read(release: str) -> Proposal:
    """Return the facts in the modules of a release, compared with the tables."""
    minor = modules.minor(release)
    against = compared_with(minor)
    api = modules.source("k8s.io/api", modules.staging(release))
    machinery = modules.source("k8s.io/apimachinery", modules.staging(release))
    core = go_types.read(api / "core/v1/types.go", "k8s.io/api/core/v1/types.go")
    meta = go_types.read(machinery / "pkg/apis/meta/v1/types.go", "k8s.io/apimachinery/pkg/apis/meta/v1/types.go")
    packages, ends = {}, {}
    for folder in sorted(path for path in (api / "resource").iterdir() if (path / "types.go").is_file()):
        version = folder.name
        packages[version] = go_types.read(folder / "types.go", f"k8s.io/api/resource/{version}/types.go")
        ends[version] = lives(folder / "zz_generated.prerelease-lifecycle.go")
    at = Release.parse(minor)
    for version in [
        name for name, kinds in ends.items() if kinds and all(_is_gone(life, at) for life in kinds.values())
    ]:
        del packages[version]
    document = openapi.document(minor, packages, core, meta)
    facts = [*_of_types(against, document), *_of_ends(ends, at)]
    unread: list[str] = []
    for one in (*packages.values(), core):
        facts += _of_limits(one, at, unread, of_claims=one is core)
    facts += _absent_limits(packages, at, {fact.name for fact in facts})
    of_workloads = sorted(path for group in ("batch", "scheduling") for path in (api / group).glob("*/types.go"))
    others = [core, *(go_types.read(path, f"k8s.io/api/{path.relative_to(api)}") for path in of_workloads)]
    facts += of_gates(release, [*packages.values()], others, unread)
    unread += [f"{one.file}: {name} = {number}" for one in packages.values() for name, number in one.numbers.items()]
    once: dict[tuple[str, str], Fact] = {}
    for fact in map(_hashable, facts):  # the versions of an API mostly say the same
        known = once.setdefault((fact.area, fact.name), fact)
        if known.state == SAME != fact.state:
            once[fact.area, fact.name] = fact
    return Proposal(document, list(once.values()), list(dict.fromkeys(unread)))


def _hashable(fact: Fact) -> Fact:
    as_text = [json.dumps(value, sort_keys=True) if value is not None else None for value in (fact.proposed, fact.held)]
    return fact._replace(proposed=as_text[0], held=as_text[1])


def _is_gone(life: Life, release: Release) -> bool:
    return life.removed is not None and Release.parse(life.removed) <= release


def compared_with(minor: str) -> str:
    """Return the release of the tables that a release is compared with: itself, or the newest one before it."""
    known = [Release.parse(name) for held in ("releases", "previews") for name in shipped.index()["releases"][held]]
    return str(max(one for one in known if one <= Release.parse(minor)))


def _of_types(against: str, document: Mapping[str, Any]) -> Iterator[Fact]:
    """Yield kinds and schemas, a fact for each property of each type."""
    table = shipped.openapi(against)
    for area, flatten in (("kinds", _kinds), ("types", _properties)):
        ours, theirs = flatten(table), flatten(document)
        for name in sorted({*ours, *theirs}):
            yield Fact(area, name, theirs.get(name), ours.get(name), f"k8s.io/api/{name.partition(' ')[0]}")


def _kinds(document: Mapping[str, Any]) -> dict[str, Any]:
    return {f"{version} {row['kind']}": row for version, rows in document["kinds"].items() for row in rows}


def _properties(document: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for version, schemas in document["schemas"].items():
        for name, schema in schemas.items():
            short = f"{version} {name.rpartition('.')[2]}"
            found |= {f"{short}.{field}": _inner(row) for field, row in schema.get("properties", {}).items()}
            found[f"{short} required"] = sorted(schema.get("required", ()))
    return found


def _inner(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a schema without the defaults of its items: up to 1.36 the OpenAPI of a server writes them."""
    out = dict(schema)
    for key in ("items", "additionalProperties"):
        if isinstance(below := out.get(key), dict):
            bare = {name: value for name, value in below.items() if name != "default"}
            out[key] = bare["allOf"][0] if list(bare) == ["allOf"] else _inner(bare)
    return out


def _of_ends(ends: Mapping[str, Mapping[str, Life]], at: Release) -> Iterator[Fact]:
    from dralint.kubernetes.served import ApiVersions

    versions = ApiVersions()
    for version, kinds in ends.items():
        for kind, life in kinds.items():
            if _is_gone(life, at):
                continue
            held = versions.ends(f"resource.k8s.io/{version}", kind, at)
            proposed = [text for text in (life.deprecated, life.removed) if text]
            now = [str(one) for one in held or () if one is not None]
            source = f"k8s.io/api/resource/{version}/zz_generated.prerelease-lifecycle.go"
            yield Fact("ends", f"{version} {kind}", proposed, now, source)


def _of_limits(package: Package, at: Release, unread: list[str], *, of_claims: bool) -> Iterator[Fact]:
    """Yield the limits that tags name; of k8s.io/api/core those of claims alone."""
    table = shipped.index()["limits"]
    for row in limits.proposed(package):
        if isinstance(row, limits.Unread):
            if not of_claims:
                unread.append(f"{row.source}: {row.tag}")
            continue
        name = f"core.{row.type}" if of_claims else row.type
        if of_claims and name not in table:
            continue
        table_row = resolve(table.get(name, {}).get(row.field, {}), at) or {}
        held = limits.held(table_row, row.keyword)
        proposed = row.value
        if row.keyword.endswith("format") and isinstance(held, str) and _is_narrower(held, proposed):
            proposed = held
        if row.keyword == "maxLength" and limits.held(table_row, "format") == "driver-name":
            held = 63  # the format says it
        if row.keyword.endswith("unique") and isinstance(held, list) and sorted(held) == sorted(proposed):
            proposed = held
        yield Fact("limits", f"{name}.{row.field} {row.keyword}", proposed, held, row.source)


_NARROWER = {"caseless-subdomain": ("driver-name",), "dns-subdomain": ("node-name", "dns-subdomain")}


def _is_narrower(held: str, proposed: str) -> bool:
    """Say whether a format of the table is the proposed one with a further limit, or one of its releases."""
    return held in _NARROWER.get(proposed, ()) or held.startswith(f"{proposed}-")


def _absent_limits(packages: Mapping[str, Package], at: Release, found: set[str]) -> Iterator[Fact]:
    """Yield the limits of the table for types of the release that no tag has."""
    for name, rows in shipped.index()["limits"].items():
        types = [one.types[name] for one in packages.values() if name in one.types]
        fields = {held.name for one in types for held in one.fields}
        for field, row in rows.items():
            if field in fields or (types and field == "()"):
                for keyword, value in limits.written(resolve(row, at) or {}):
                    key = f"{name}.{field} {keyword}"
                    if value is not None and key not in found:
                        yield Fact("limits", key, None, value, "")


def of_gates(release: str, packages: Sequence[Package], others: Sequence[Package], unread: list[str]) -> Iterator[Fact]:
    """Yield gates and the fields behind them; of `others`, the fields behind gates that concern claims."""
    table = shipped.index()["gates"]
    minor = modules.minor(release)
    against = compared_with(minor)
    wanted = f"v{modules.version(release)}"
    try:
        kubernetes: Path | None = modules.source("k8s.io/kubernetes", wanted)
    except modules.GoError as error:
        kubernetes = None
        unread.append(f"feature gates, their stages and dependencies: {error}")
    fields: dict[str, dict[str, str]] = {}
    for package in (*packages, *others):
        own = package in packages
        prefix = "core." if package.file.startswith("k8s.io/api/core/") else ""
        for gate, name, source in gates.fields(package):
            if own or gate.startswith("DRA") or table.get(gate, {}).get("fields"):
                fields.setdefault(gate, {})[f"{prefix}{name}"] = source
    if kubernetes is not None:
        go = ".".join((kubernetes / ".go-version").read_text().split(".")[:2])
        yield Fact("cel", "go", go, facts_of_cel()["releases"].get(against, {}).get("go"), ".go-version")
    row = {**shipped.index()["releases"]["releases"], **shipped.index()["releases"]["previews"]}[against]
    versions = [package.file.split("/")[-2] for package in packages]
    stable = [f"resource.k8s.io/{version}" for version in versions if re.fullmatch(r"v\d+", version)]
    yield Fact("served", "by default", stable, row.get("default"), "the versions that are neither alpha nor beta")
    file = "pkg/features/kube_features.go"
    found = {} if kubernetes is None else gates.gates(kubernetes / file, int(minor[2:]), {*table, *fields})
    for name, row_of in found.items():
        stage, needs, _ = gates.known(table.get(name, {}), minor)
        yield Fact("gates", f"{name} stage", row_of.stage, stage, file)
        held = sorted(needs - _ALWAYS) if stage is not None else None
        if row_of.needs or held:
            yield Fact("gates", f"{name} needs", sorted({*row_of.needs} - _ALWAYS), held, file)
    types = {name for package in (*packages, *others) for name in package.types}
    for name, tagged in fields.items():
        _, _, of_table = gates.known(table.get(name, {}), minor)
        there = {field for field in of_table if field.removeprefix("core.").partition(".")[0] in types}
        for field in sorted({*tagged, *there}):
            known = any(field in gates.known(row, minor)[2] for row in table.values())
            proposed = True if field in tagged else None
            yield Fact("gated fields", f"{name} {field}", proposed, True if known else None, tagged.get(field, ""))


def counted(facts: list[Fact]) -> str:
    """Return a table: how many facts of each area the modules and the tables have."""
    states = (SAME, OTHER, NEW, ABSENT)
    lines = [f"{'':14}" + "".join(f"{state:>26}" for state in states)]
    for area in dict.fromkeys(fact.area for fact in facts):
        numbers = [sum(fact.area == area and fact.state == state for fact in facts) for state in states]
        lines.append(f"{area:14}" + "".join(f"{number:26}" for number in numbers))
    return "\n".join(lines)


def write(proposal: Proposal, folder: Path) -> None:
    """Write the OpenAPI, the facts with their sources, and what was not read."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "openapi.json").write_text(json.dumps(proposal.document, indent=1, sort_keys=True) + "\n", "utf-8")
    lines = [
        f"{one.state:24} {one.area:13} {one.name}: {one.proposed if one.proposed is not None else one.held}"
        + (f" (table: {one.held})" if one.state == OTHER else "")
        + (f"  # {one.source}" if one.source else "")
        for one in sorted(proposal.facts, key=lambda one: (one.state == SAME, one.area, one.name))
    ]
    (folder / "facts.txt").write_text("\n".join(lines) + "\n", "utf-8")
    (folder / "unread.txt").write_text("".join(f"{line}\n" for line in proposal.unread), "utf-8")
