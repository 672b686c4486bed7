"""The settings, a row each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from dralint.config import choices
from dralint.config.choices import texts
from dralint.finding.rule_ids import UNUSED_CLAIM, UNUSED_REQUEST
from dralint.records import NamedTuple
from dralint.report import FORMATS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Parser: TypeAlias = Callable[[Any, Callable[[str], Any]], Any]
    """Takes a value, and a function that returns another field of the settings; ChoiceError for a wrong value."""

FAIL_ON = {
    "error": ("error",),
    "broken": ("error", "broken", "dropped"),
    "warning": ("error", "warning"),
    "info": ("error", "warning", "info"),
    "never": (),
}
"""Value of --fail-on → the severities and effects that make the exit status 1."""
MIN_SEVERITY = {severity: FAIL_ON[severity] for severity in ("error", "warning", "info")}
"""Value of --min-severity → the severities that are reported."""
STRICT: Mapping[str, Any] = {"fail-on": "broken", "severity": {UNUSED_CLAIM: "error", UNUSED_REQUEST: "error"}}
"""The keys that `strict` stands for: what never works fails a run, and so do devices that no container uses."""

_TEXT: dict[str, Any] = {"type": "string"}
TEXTS: dict[str, Any] = {
    "description": "a text, or a list of texts",
    "anyOf": [_TEXT, {"type": "array", "items": _TEXT}],
}
_VERSION: dict[str, Any] = {"type": ["string", "number"]}
VERSIONS: dict[str, Any] = {
    "description": 'a release such as "1.34", a range such as 1.32..1.36, or a list of them',
    "anyOf": [_VERSION, {"type": "array", "items": _VERSION}],
}
GATES: dict[str, Any] = {
    "description": "feature gates as {GATE: true}, or as texts such as GATE=true",
    "anyOf": [{"type": "object", "additionalProperties": {"type": "boolean"}}, *TEXTS["anyOf"]],
}


class Setting(NamedTuple):
    """A setting.

    Attributes:
        key: the key of a configuration.
        help: the help of the option, and the description of the key.
        group: the commands that have the option: those that judge manifests (`judging`), those of them that write
            reports (`report`), those that take a whole input (`input`); others name the row.
        option: the name of the option, if that is not the key; None if there is no option.
        other_names: other names of the option.
        metavar: how the help shows the value.
        default: the value without a choice.
        words: the values, if there are a few.
        least: the smallest number, for a number.
        is_flag, many: whether the option has no value; whether it is repeatable, and the key takes a list.
        path: what the value names: a file, a folder or any path.
        complete: what the values are: `releases`, `gates` or `rules`; a shell completes them.
        schema: the schema of the key, if it has another form than the option.
        writes: whether dralint writes files because of it. A configuration comes with a pull request, so it has none
            of these.
        fields: field of `Settings` → what makes its value; empty where the setting is about the report of a command.
            The values of several rows for a field add up.
        written: the method of `Configuration` that returns the value, if it is relative to the folder of that.
        by_driver: whether a choice replaces the value of one driver, and not of all.
        reach: what the nearest configuration of a file sets with it: nothing, as it is about the `run`; the value for
            the `file`; or an `addition` to the run.
        editor: whether an editor has the setting, in camelCase.
        example: a mapping that programs can write.
    """

    key: str
    help: str = ""
    group: str = ""
    option: str | None = ""
    other_names: tuple[str, ...] = ()
    metavar: str | None = None
    default: str | None = None
    words: tuple[str, ...] = ()
    least: int | None = None
    is_flag: bool = False
    many: bool = False
    path: str = ""
    complete: str = ""
    schema: dict[str, Any] | None = None
    writes: bool = False
    fields: Mapping[str, Parser] = {}
    written: str = ""
    by_driver: bool = False
    reach: str = "run"
    editor: bool = False
    example: str = ""


def _rules(value: Any, _: Callable[[str], Any]) -> tuple[str, ...]:
    return choices.rule_patterns(texts(value))


_TABLE = (
    Setting(
        "kubernetes-version",
        "The Kubernetes release to check against: 1.34, v1.34.4, latest, or a range such as 1.32..1.36; repeatable. By"
        " default, the newest release that serves the object.",
        group="judging",
        metavar="RELEASE",
        many=True,
        complete="releases",
        schema=VERSIONS,
        fields={
            "releases": lambda value, field: choices.releases(texts(value), field("schemas")),
            "patches": lambda value, _: choices.patches(texts(value)),
        },
        written="releases",
        reach="file",
        editor=True,
    ),
    Setting(
        "feature-gates",
        "Switch feature gates on or off; AllAlpha and AllBeta work too.",
        group="judging",
        metavar="GATE=BOOL,...",
        many=True,
        complete="gates",
        schema=GATES,
        fields={"gates": lambda value, field: choices.feature_gates(value, field("releases"), field("schemas"))},
        reach="file",
        editor=True,
        example='{"DRADeviceTaints": True}',
    ),
    Setting(
        "select",
        "Report only these rules: ids, beginnings of ids, or names.",
        group="judging",
        metavar="RULE,...",
        many=True,
        complete="rules",
        fields={"select": _rules},
        reach="file",
        editor=True,
    ),
    Setting(
        "ignore",
        "Do not report these rules.",
        group="judging",
        metavar="RULE,...",
        many=True,
        complete="rules",
        fields={"ignore": _rules},
        reach="file",
        editor=True,
    ),
    Setting(
        "fail-on",
        "End with status 1 if a finding has this severity or a higher one; with `broken`, if it is an error, or an"
        " object loses fields or cannot work.",
        group="report",
        words=tuple(FAIL_ON),
        default="error",
    ),
    Setting(
        "strict",
        "The profile for CI: --fail-on broken, and claims and requests that no container uses (DRA705, DRA706) are"
        " errors.",
        group="report",
        is_flag=True,
        fields={"severity": lambda value, _: tuple(STRICT["severity"].items()) if value else ()},
    ),
    Setting(
        "ignore-status",
        "Do not check the status of objects.",
        group="judging",
        is_flag=True,
        fields={"ignore_status": lambda value, _: bool(value)},
        reach="file",
    ),
    Setting(
        "strict-placeholders",
        "Check ${NAME}, $(NAME) and {{ ... }} in values as the text that they are.",
        group="judging",
        is_flag=True,
        fields={"strict_placeholders": lambda value, _: bool(value)},
        reach="file",
    ),
    Setting(
        "exclude",
        "Skip these files; the patterns are those of .gitignore; repeatable.",
        group="judging",
        metavar="GLOB",
        many=True,
        fields={"exclude": lambda value, _: choices.file_patterns(texts(value))},
        written="patterns",
        reach="addition",
    ),
    Setting("format", "The format of the output.", group="report", words=tuple(FORMATS), default="text"),
    Setting(
        "output-file",
        "Also write a report to this file; repeatable. With PATH alone, the suffix decides the format (report.sarif)."
        " Markdown is appended.",
        group="report",
        metavar="FORMAT=PATH",
        many=True,
        writes=True,
    ),
    Setting(
        "min-severity",
        "Hide findings below this severity. Hidden findings do not count for --fail-on.",
        group="report",
        words=tuple(MIN_SEVERITY),
        default="info",
    ),
    Setting("statistics", "Count the findings of each rule.", group="report", is_flag=True),
    Setting("show-all", "In text, show every repeated finding instead of a count.", group="report", is_flag=True),
    Setting(
        "show-files",
        "List the files that were read, and those that were not, with the reason.",
        group="report",
        is_flag=True,
    ),
    Setting(
        "color",
        "When to use colours in text.",
        group="report",
        words=("auto", "always", "never"),
        default="auto",
    ),
    Setting("quiet", "Show findings only, without the summary.", group="report", other_names=("-q",), is_flag=True),
    Setting("verbose", "List what was skipped, with the reason.", group="report", other_names=("-v",), is_flag=True),
    Setting("exit-zero", "The same as --fail-on never.", group="report", is_flag=True),
    Setting(
        "baseline",
        "Do not report the findings in this file, which `dralint baseline write` has written.",
        group="report",
        metavar="FILE",
        path="file",
        fields={"baseline": lambda value, _: choices.baseline_file(value)},
        written="paths",
    ),
    Setting(
        "driver-schemas",
        "The JSON Schema or CustomResourceDefinition for the opaque parameters of a driver. With GROUP/KIND=FILE, for"
        " the parameters of that group and kind; repeatable.",
        group="judging",
        option="driver-schema",
        metavar="DRIVER=FILE",
        many=True,
        schema={
            "description": "files with a JSON Schema or a CustomResourceDefinition of the opaque parameters, by driver,"
            " GROUP/KIND or GROUP/VERSION/KIND",
            "type": "object",
            "additionalProperties": _TEXT,
        },
        fields={"driver_schemas": lambda value, _: choices.schema_files(value)},
        written="paths",
        by_driver=True,
        example='{"gpu.example.com": "schema.json"}',
    ),
    Setting(
        "driver-packs",
        "files with driver packs; they go before those of dralint",
        option=None,
        schema={"type": "array", "items": _TEXT},
        fields={"driver_packs": lambda value, _: choices.driver_packs(value)},
        written="paths",
    ),
    Setting(
        "driver-versions",
        "The version of a driver that the cluster runs, such as gpu.nvidia.com=v0.4.1; repeatable. By default, dralint"
        " reports what holds in all versions that it knows.",
        group="judging",
        option="driver-version",
        metavar="DRIVER=VERSION",
        many=True,
        schema={
            "description": "the version of drivers that the cluster runs, by driver",
            "type": "object",
            "additionalProperties": _TEXT,
        },
        fields={"driver_versions": lambda value, field: choices.driver_versions(value, dict(field("driver_packs")))},
        by_driver=True,
        example='{"gpu.nvidia.com": "v0.4.1"}',
    ),
    Setting(
        "driver-gates",
        "Switch feature gates of a driver on or off; repeatable.",
        group="judging",
        metavar="DRIVER:GATE=BOOL,...",
        many=True,
        schema={
            "description": "feature gates of drivers that the cluster switches, as {DRIVER: {GATE: true}}",
            "type": "object",
            "additionalProperties": {"type": "object", "additionalProperties": {"type": "boolean"}},
        },
        fields={"driver_gates": lambda value, field: choices.driver_gates(value, dict(field("driver_packs")))},
        by_driver=True,
        example='{"gpu.nvidia.com": {"MPSSupport": True}}',
    ),
    Setting(
        "api-versions",
        "The API versions that the cluster serves: the output of `kubectl api-versions`. By default, each release"
        " serves all that it knows.",
        group="judging",
        metavar="FILE",
        path="file",
        fields={"api_versions": lambda value, _: choices.api_versions(value)},
        written="paths",
    ),
    Setting(
        "schemas",
        "A folder from `dralint schema generate`: also check against its releases.",
        group="judging",
        metavar="DIR",
        path="folder",
        fields={"schemas": lambda value, _: choices.schema_folder(value)},
        written="folder_of",
    ),
    Setting(
        "namespace",
        "The namespace of objects that have none.",
        group="input",
        metavar="NS",
        fields={"namespace": lambda value, _: value},
        editor=True,
    ),
    Setting(
        "complete",
        "The input is everything that exists: report each object that is missing. Objects without a namespace are in"
        " `default`.",
        group="input",
        is_flag=True,
        fields={"complete": lambda value, _: bool(value)},
        editor=True,
    ),
    Setting(
        "known-class",
        "A DeviceClass or ResourceClass that exists outside the input, or a pattern such as *.example.com; repeatable.",
        group="input",
        metavar="NAME",
        many=True,
        fields={"known_classes": lambda value, _: tuple(texts(value))},
    ),
    Setting(
        "slices",
        "The inventory: all ResourceSlices of the cluster, from `kubectl get resourceslices -o yaml`. It can also"
        " contain classes, nodes, claims and taint rules; repeatable.",
        group="input",
        other_names=("--inventory",),
        metavar="PATH",
        many=True,
        path="any",
        fields={"slices": lambda value, _: choices.inventory(value)},
        written="paths",
        editor=True,
    ),
    Setting(
        "jobs",
        "The number of worker processes; by default dralint chooses it from the size of the input.",
        other_names=("-j",),
        metavar="N",
        least=1,
    ),
    # Commands have these with a help of their own.
    Setting("add-ignore", writes=True),
    Setting("output", writes=True),
    Setting("write", writes=True),
    Setting(
        "severity",
        "severities by rule id, prefix or name: error, warning, info or off",
        option=None,
        # YAML reads off without quotes as false.
        schema={"type": "object", "additionalProperties": {"enum": [*MIN_SEVERITY, "off", False]}},
        fields={"severity": lambda value, _: choices.severities(value)},
        reach="file",
    ),
    Setting(
        "known",
        "what exists outside of the input, also as patterns: DeviceClasses, drivers and Namespaces",
        option=None,
        schema={
            "type": "object",
            "properties": {"classes": TEXTS, "drivers": TEXTS, "namespaces": TEXTS},
            "additionalProperties": False,
        },
        fields={
            "known_classes": lambda value, _: tuple(texts(value.get("classes", []))),
            "known_drivers": lambda value, _: tuple(texts(value.get("drivers", []))),
            "known_namespaces": lambda value, _: tuple(texts(value.get("namespaces", []))),
        },
        reach="addition",
    ),
    Setting(
        "overrides",
        "the settings for files that match the patterns",
        option=None,
        schema={
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "paths": TEXTS,
                    "kubernetes-version": VERSIONS,
                    "feature-gates": GATES,
                    "select": TEXTS,
                    "ignore": TEXTS,
                },
                "required": ["paths"],
                "additionalProperties": False,
            },
        },
        fields={"overrides": lambda value, field: tuple(_override(n, row, field) for n, row in enumerate(value))},
        written="overrides",
        reach="addition",
    ),
    Setting(
        "workloads",
        "where own kinds of custom resources (GROUP/KIND) hold Pod specs: paths such as spec.workers[].template.spec,"
        " or these as `pods`, with `replicas` and `drops`",
        option=None,
        schema={
            "type": "object",
            "additionalProperties": {
                "anyOf": [
                    *TEXTS["anyOf"],
                    {
                        "type": "object",
                        "properties": {"pods": TEXTS, "replicas": TEXTS, "drops": TEXTS},
                        "additionalProperties": False,
                    },
                ]
            },
        },
        fields={"workloads": lambda value, _: choices.own_kinds(value)},
    ),
    Setting(
        "ignores",
        "findings that are not reported: rules, in these files, on this object and field path",
        option=None,
        schema={
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"rules": TEXTS, "paths": TEXTS, "object": _TEXT, "path": _TEXT, "reason": _TEXT},
                "required": ["rules"],
                "additionalProperties": False,
            },
        },
        fields={"ignores": lambda value, _: choices.ignores(value)},
        written="ignores",
        reach="file",
    ),
)
SETTINGS = {row.key: row for row in _TABLE}
"""Key → setting, in the order of the help."""
OF_OPTIONS = {row.option or row.key: row for row in _TABLE if row.option is not None and not row.writes}
"""Name of an option that a configuration can set → its setting."""
KEYS_ALONE = frozenset(row.key for row in _TABLE if row.option is None or row.by_driver)
"""Keys without an option of the same form."""


class Override(NamedTuple):
    """Settings that differ for files that match patterns (as in .gitignore, from the folder `base`).

    `changes` has names of fields of `Settings`, with their values for these files.
    """

    paths: tuple[str, ...]
    base: str
    changes: tuple[tuple[str, Any], ...] = ()


def _override(number: int, row: Mapping[str, Any], field: Callable[[str], Any]) -> Override:
    made: dict[str, Any] = {}
    for setting in _TABLE:
        for name, parse in setting.fields.items() if setting.key in row else ():
            with choices.at(number, setting.key):
                made[name] = parse(row[setting.key], lambda other: made[other] if other in made else field(other))
    return Override(tuple(texts(row["paths"])), row["base"], tuple(made.items()))


def schema() -> dict[str, Any]:
    """Return the JSON Schema of a configuration file."""
    rows = [row for row in _TABLE if not row.writes]
    options = sorted((row for row in rows if row.key not in KEYS_ALONE), key=lambda row: row.key)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Configuration of dralint (.dralint.yaml, or [tool.dralint] in pyproject.toml)",
        "type": "object",
        "properties": {row.key: _schema_of(row) for row in (*options, *(row for row in rows if row.key in KEYS_ALONE))},
        "additionalProperties": False,
    }


def _schema_of(row: Setting) -> dict[str, Any]:
    if row.schema is not None:
        return {"description": row.help, **row.schema}
    kind: dict[str, Any] = _TEXT
    if row.is_flag:
        kind = {"type": "boolean"}
    elif row.words:
        kind = {"enum": [*row.words]}
    elif row.least is not None:
        kind = {"type": "integer", "minimum": row.least}
    return {"description": row.help, **({"anyOf": [kind, {"type": "array", "items": kind}]} if row.many else kind)}


# What other programs call an option or a key, and people write out of habit.

_SHOWN = "`dralint fix` shows the corrections as a diff"
_WRITTEN = "`dralint fix --write` writes the corrections"
_FORMAT = "--format chooses the format (--format json), and --output-file json=FILE also writes a file"
_FILE = "write the path alone: dralint check FILE"
_BUILT = "pipe the result in: kustomize build DIR | dralint check -"
_BELOW = "dralint reads a folder with all folders below it; leave the option out"
_STRICT = "write --strict"
_RELEASE = "write --kubernetes-version RELEASE"
_CLUSTER = "dralint asks no cluster; pipe the objects in: kubectl get ... -o yaml | dralint check -"
_WARNINGS = "write --fail-on warning"
_IGNORED = "write --ignore RULE"
_IN_PLACE = "write --write"
_ONLY_SHOWN = "`dralint fix` changes no file without --write; leave the option out"

OPTIONS_ELSEWHERE = {
    "check": {
        "--diff": _SHOWN,
        "--fix": _WRITTEN,
        "--write": _WRITTEN,
        "-w": _WRITTEN,
        "-i": _WRITTEN,
        "--in-place": _WRITTEN,
        "-f": _FILE,
        "--file": _FILE,
        "--filename": _FILE,
        "-k": _BUILT,
        "--kustomize": _BUILT,
        "-R": _BELOW,
        "-r": _BELOW,
        "--recursive": _BELOW,
        "-o": _FORMAT,
        "--output": _FORMAT,
        "--json": "write --format json",
        "--sarif": "write --format sarif",
        "--profile": _STRICT,
        "--ci": _STRICT,
        "--kube-version": _RELEASE,
        "--k8s-version": _RELEASE,
        "--kubeconfig": _CLUSTER,
        "--context": _CLUSTER,
        "--dry-run": "`dralint check` changes nothing; leave the option out",
        "--stdin": "write - in place of a path: dralint check -",
        "--list-rules": "`dralint rules` lists them",
        "--skip": _IGNORED,
        "--disable": _IGNORED,
        "--enable": "write --select RULE",
        "--schema-location": "--schemas names the types of releases, and --driver-schema those of a driver",
        "--werror": _WARNINGS,
        "--warnings-as-errors": _WARNINGS,
        "--max-warnings": _WARNINGS,
    },
    "fix": {
        "--diff": _ONLY_SHOWN,
        "--dry-run": _ONLY_SHOWN,
        "--fix": _IN_PLACE,
        "-w": _IN_PLACE,
        "-i": _IN_PLACE,
        "--in-place": _IN_PLACE,
        "--unsafe": "write --unsafe-fixes",
    },
}
"""Command → option of another program → the way."""

KEYS_ELSEWHERE = {
    "per-file-ignores": "write `ignores` with `rules` and `paths`",
    "per_file_ignores": "write `ignores` with `rules` and `paths`",
    "profile": "write `strict: true`",
    "rules": "`select` and `ignore` choose rules, and `severity` changes them",
    "disable": "write `ignore`",
    "skip": "write `ignore`",
    "enable": "write `select`",
    "extends": "a configuration includes no other one",
    "include": "name the files on the command line",
    "paths": "name the files on the command line",
    "files": "name the files on the command line",
}
"""Key in a configuration of another program → the way."""
