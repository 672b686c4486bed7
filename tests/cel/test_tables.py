"""The tables of CEL hold together, and a release that dralint does not know is never judged by another."""

from __future__ import annotations

import json
import shutil
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from dralint.cel import environment, table
from dralint.cel.cost import UNKNOWN, Operand, estimator
from dralint.cel.declarations import declarations
from dralint.cel.functions import CONVERSIONS, FUNCTIONS, WITH_PATTERNS, NoOverloadError, NotHereError
from dralint.cel.machine import Device
from dralint.cel.table import SHIPPED, UnknownDialectError, facts, functions, releases
from dralint.cel.tree import Node
from dralint.cel.types import Type
from dralint.cel.values import CelMap, Duration, OptionalValue, QuantityValue, Semver, Timestamp, TypeValue, UInt
from dralint.kubernetes import gates
from dralint.kubernetes.release import Release
from dralint.kubernetes.shipped import Limits
from dralint.validate.constraints import Context
from dralint.validate.relations.selectors import derived_cost, device
from tests.cel.ran import why_not

NEWEST = releases()[-1]

FORMATS = {
    *("format.byte", "format.date", "format.datetime", "format.labelValue", "format.qualifiedName", "format.uri"),
    *("format.dns1035Label", "format.dns1035LabelPrefix", "format.dns1123Label", "format.dns1123LabelPrefix"),
    *("format.dns1123Subdomain", "format.dns1123SubdomainPrefix", "format.uuid"),
}
PARTS_OF_TIMES = {
    *("getDate", "getDayOfMonth", "getDayOfWeek", "getDayOfYear", "getFullYear", "getMonth"),
    *("getHours", "getMinutes", "getSeconds", "getMilliseconds"),
}
ONE_UNIT = {
    "operators that look at one value": {
        *("!_", "-_", "_-_", "_*_", "_/_", "_%_", "_&&_", "_||_", "_?_:_", "_[_]", "_[?_]", "_?._", "@in"),
        "@not_strictly_false",
    },
    "operators on numbers and times": {"_+_", "_<_", "_<=_", "_>_", "_>=_"},
    "conversions": {"bool", "bytes", "double", "duration", "dyn", "int", "string", "timestamp", "type", "uint"},
    "parts of durations and times": PARTS_OF_TIMES,
    "named formats": FORMATS,
    "functions of cel-go that its estimator does not know": {
        *("size", "charAt", "cel.@mapInsert", "first", "last", "hasValue", "value", "or", "orValue", "unwrapOpt"),
        *("optional.none", "optional.of", "optional.ofNonZeroValue", "optional.unwrap"),
    },
    "functions of Kubernetes that its estimator does not know": {"isURL"},
    "functions that the estimator of older releases does not know": {
        *("isSemver", "semver", "major", "minor", "patch", "matches"),
    },
}
"""Functions some overload of which costs one unit, and why."""

NOT_RUN = {
    "URLs": {"url", "isURL", "getEscapedPath", "getHost", "getHostname", "getPort", "getQuery", "getScheme"},
    "IP addresses": {
        *("cidr", "isCIDR", "ip", "isIP", "ip.isCanonical", "containsCIDR", "containsIP", "family", "masked"),
        *("isGlobalUnicast", "isLinkLocalMulticast", "isLinkLocalUnicast", "isLoopback", "isUnspecified"),
        "prefixLength",
    },
    "formats": {"format", "format.named", "validate", *FORMATS},
    "the authorizer, which selectors do not have": {
        *("allowed", "check", "error", "errored", "fieldSelector", "group", "labelSelector", "name", "namespace"),
        *("path", "reason", "resource", "serviceAccount", "subresource"),
    },
    "times and time zones": PARTS_OF_TIMES,
    "quoting": {"strings.quote"},
}
"""Functions that dralint does not run, and what they are about."""

BY_THE_MACHINE = {"_&&_", "_||_", "_?_:_", "_==_", "_!=_", "_[_]", "_[?_]", "_?._", "or", "orValue"}
"""What is no function to the evaluator."""

SAMPLES: dict[str, Any] = {
    "bool": True,
    "bytes": b"a",
    "double": 1.0,
    "dyn": "a",
    "google.protobuf.Duration": Duration(1),
    "google.protobuf.Timestamp": Timestamp(1),
    "int": 1,
    "kubernetes.Quantity": QuantityValue(Fraction(1), 0),
    "kubernetes.Semver": Semver(1, 2, 3, ()),
    "null_type": None,
    "string": "a",
    "type": TypeValue("int"),
    "uint": UInt(1),
}


def sample(t: Type) -> Any:
    """Return a value of a type."""
    if t.kind == "param":
        return "a"
    if t.kind == "list":
        return [sample(t.params[0])]
    if t.kind == "map":
        return CelMap([(sample(t.params[0]), sample(t.params[1]))])
    if t.name == "optional_type":
        return OptionalValue(present=True, value=sample(t.params[0]))
    return SAMPLES[t.name]


def overloads(release: str) -> list[tuple[str, Any]]:
    known = declarations(release, kind="device" if release != "1.30" else "named-resources")
    every = {**functions(release)["functions"]}
    gated = functions(release).get("gated", {})
    on = declarations(release, kind=known.kind, gates=frozenset(gated))
    for rows in gated.values():
        every |= rows
    return [(name, overload) for name in every for overload in on.overloads(name) or ()]


def without_cost(release: str, folder: Path = SHIPPED) -> set[str]:
    """Return the functions that have an overload of which no estimator tells the cost."""
    model = declarations(release, folder=folder).cost_model
    assert model is not None
    found = set()
    rows = functions(release, folder)
    known = declarations(release, gates=frozenset(rows.get("gated", {})), folder=folder)
    for name in known.function_names + [n for n in rows["functions"] if n not in known.function_names]:
        for overload in known.overloads(name) or ():
            operands = [Operand(Node(0, 0, 0), t, None, None, UNKNOWN, UNKNOWN) for t in overload.args]
            target, args = (operands[0], operands[1:]) if overload.member else (None, operands)
            if estimator(name, overload.id, target, args, model, lambda _: UNKNOWN) is None:
                found.add(name)
    return found


def not_evaluated(release: str, folder: Path = SHIPPED) -> set[str]:
    """Return the functions of which some overload is not run."""
    rows = functions(release, folder)
    kind = "device" if table.value("kinds", "device", release, folder) else "named-resources"
    known = declarations(release, kind=kind, gates=frozenset(rows.get("gated", {})), folder=folder)
    found = set()
    for name in (
        {*rows["functions"], *(n for gated in rows.get("gated", {}).values() for n in gated)}
        - BY_THE_MACHINE
        - {*WITH_PATTERNS}
    ):
        for overload in known.overloads(name) or ():
            if name in WITH_PATTERNS or (name in CONVERSIONS and len(overload.args) == 1):
                continue
            if name not in FUNCTIONS:
                found.add(name)
                continue
            try:
                FUNCTIONS[name](*map(sample, overload.args))
            except (ValueError, IndexError, OverflowError, ZeroDivisionError):
                pass  # the values do not suit, the types do
            except (NoOverloadError, NotHereError, TypeError, KeyError):
                found.add(name)
    return found


@pytest.mark.parametrize("release", releases())
def test_every_overload_has_a_cost_or_costs_one_unit_for_a_reason(release: str) -> None:
    if not table.value("cost", "estimated", release):
        return

    assert without_cost(release) - {name for names in ONE_UNIT.values() for name in names} == set()


@pytest.mark.parametrize("release", releases())
def test_every_overload_is_run_or_is_one_that_dralint_does_not_run(release: str) -> None:
    assert not_evaluated(release) - {name for names in NOT_RUN.values() for name in names} == set()


def test_the_lists_of_exceptions_name_nothing_else() -> None:
    costs = [r for r in releases() if table.value("cost", "estimated", r)]
    free = set().union(*map(without_cost, costs))
    idle = set().union(*map(not_evaluated, releases()))

    assert {name for names in ONE_UNIT.values() for name in names} - free == set()
    assert {name for names in NOT_RUN.values() for name in names} - idle == set()


@pytest.mark.parametrize("release", releases())
def test_every_row_says_something_of_every_release(release: str) -> None:
    rows = facts()
    for section in ("kinds", "limits", "dialect", "cost", "results"):
        for name in rows[section]:
            table.value(section, name, release)
    table.value("patterns", "class_names", table.facts()["releases"][release]["go"])
    for gate, listed in functions(release).get("gated", {}).items():
        assert listed
        assert gate in rows["gates"]
        assert gates.stage(gate, Release.parse(release)) is not None


def test_no_code_compares_releases_by_their_text() -> None:
    package = Path(table.__file__).parents[1]
    found = [
        f"{path.name}:{number}"
        for path in sorted(package.rglob("*.py"))
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if any(f'{mark} "1.{minor}' in line for mark in ("==", "!=", "<", ">", "<=", ">=", "in (") for minor in (2, 3))
    ]

    assert found == []


# A release that does not exist yet: what CONTRIBUTING ("Add a CEL function") names, and nothing else.


@pytest.fixture
def future(tmp_path: Path) -> Path:
    """Tables with one more release, whose strings have one more function."""
    folder = tmp_path / "tables"
    folder.mkdir()
    for source in (*SHIPPED.glob("*.json"), SHIPPED / "releases.toml"):
        shutil.copy(source, folder)
    rows = json.loads((folder / f"{NEWEST}.json").read_text(encoding="utf-8"))
    rows["functions"]["shout"] = [["string_shout", 1, ["string"], "string"]]
    (folder / "1.99.json").write_text(json.dumps(rows), encoding="utf-8")
    text = (folder / "releases.toml").read_text(encoding="utf-8")
    row = next(line for line in text.splitlines() if line.startswith(f'"{NEWEST}" = '))
    (folder / "releases.toml").write_text(text.replace(row, f'{row}\n"1.99" = {{go = "1.30"}}'), encoding="utf-8")
    return folder


def test_a_new_release_is_a_row_and_a_table(future: Path) -> None:
    newer = environment("1.99", folder=future)
    before = environment(NEWEST, folder=future)

    assert newer.compile('device.driver.shout() == "A"').ok
    issue = before.compile('device.driver.shout() == "A"').issues[0]
    assert (issue.message, issue.hint) == (
        "there is no function shout()",
        "Kubernetes 1.99 accepts this expression",
    )
    assert "shout" not in (environment(NEWEST).compile('"a".shout() == "A"').issues[0].hint or "")
    assert newer.compile("device.allowMultipleAllocations").ok  # a gate that is on by default stays so


def test_a_function_without_cost_or_evaluation_is_noticed(future: Path) -> None:
    assert without_cost("1.99", future) - without_cost(NEWEST) == {"shout"}
    assert not_evaluated("1.99", future) - not_evaluated(NEWEST) == {"shout"}
    compilation = environment("1.99", folder=future).compile('device.driver.shout() == "A"')
    assert why_not(compilation, Device("a")) == (
        "dralint does not run shout(); the compiler's verdict is valid, but the matching devices are not known"
    )


def test_an_overload_that_is_not_run_is_not_said_to_be_missing(future: Path) -> None:
    path = future / "1.99.json"
    rows = json.loads(path.read_text(encoding="utf-8"))
    rows["functions"]["reverse"].append(["string_reverse", 1, ["string"], "string"])
    path.write_text(json.dumps(rows), encoding="utf-8")
    functions.cache_clear()
    compilation = environment("1.99", folder=future).compile('device.driver.reverse() == "a"')

    assert why_not(compilation, Device("a")).startswith("dralint does not run reverse() of string;")


def test_a_release_that_is_not_known_is_not_judged_by_its_neighbour() -> None:
    with pytest.raises(UnknownDialectError) as refusal:
        environment("1.99")

    assert str(refusal.value) == (
        "the CEL of release 1.99 is not known to this version of dralint; known are those of " + ", ".join(releases())
    )


def test_what_is_not_judged_is_said_once_an_object() -> None:
    release = Release.parse("1.99")
    limits = Limits({}, {}, release)
    context = Context(release, frozenset(), frozenset(), limits, "resource.k8s.io/v1", "DeviceClass", {})

    device({"expression": 'device.driver = "x"'}, (None, "cel"), context)
    device({"expression": "true"}, (None, "more"), context)

    assert [(p.rule, p.path, p.reason, p.message) for p in context.problems] == [
        (
            "DRA098",
            ("cel", "expression"),
            None,
            "CEL expressions are not judged: the CEL of release 1.99 is not known to this version of dralint; "
            "known are those of " + ", ".join(releases()),
        )
    ]
    derived_cost({"requests": [{"derivedAttributes": [{"expression": "1"}]}]}, None, context)
    assert len(context.problems) == 1
