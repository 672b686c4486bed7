"""Compiles the catalogue: rules/*.yaml into index.json and other JSON files, and a page for each rule.

python rules/generate.py            writes the JSON files, dralint/finding/rule_ids.py, one page beside each rule, and
                                    README.md
python rules/generate.py --check    only compares, exit status 1 when something is stale
"""

from __future__ import annotations

import ast
import json
import re
import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ruamel.yaml import YAML

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE = Path(__file__).parent
IDS = HERE.parent / "dralint" / "finding" / "rule_ids.py"
EFFECTS = ("rejected", "dropped", "broken", "deprecated", "advice", "unreadable", "tool")
OPTIONAL = {"severity"}
OWN_SEVERITY = ("tool", "broken")
KEYS = {"id", "name", "effect", "kinds", "releases", "summary", "why", "fix", "bad", "good"}
FORMS = {"kinds": list, "bad": list, "good": list}
"""Types of the keys of a rule; all other keys are text."""
EXAMPLE_FORMS: dict[str, type] = {
    "title": str,
    "manifest": str,
    "files": dict,
    "expect": list,
    "releases": str,
    "gates": str,
    "encoding": str,
    "newest": bool,
    "before": str,
    "complete": bool,
    "namespace": str,
    "slices": str,
    "fixed": object,
    "guessed": object,
}
"""The types of `fixed` and `guessed` depend on the example: a text, or for several files a mapping."""
RULE_FILE = re.compile(r"DRA\d{3}-[a-z0-9-]+\Z")


def load(path: Path) -> Any:
    """Return the plain values of a YAML file."""
    yaml = YAML(typ="safe", pure=True)
    yaml.version = (1, 2)
    return yaml.load(path.read_text("utf-8"))


def rule_files(folder: Path) -> list[Path]:
    """Return the files of the rules, by number."""
    return sorted(path for path in folder.glob("DRA*.yaml") if RULE_FILE.match(path.stem))


def rule(path: Path) -> dict[str, Any]:
    """Return one rule, checked; SystemExit has its mistakes."""
    row: dict[str, Any] = load(path)
    stem = f"{row.get('id')}-{row.get('name')}"
    if path.stem != stem:
        raise SystemExit(f"{path.name}: the file of {row.get('id')} is called {stem}.yaml")
    unknown = set(row) - KEYS - OPTIONAL
    missing = KEYS - {"good", "bad"} - set(row)
    if unknown or missing:
        raise SystemExit(f"{path.name}: unknown {sorted(unknown)}, missing {sorted(missing)}")
    if "severity" in row and row["effect"] not in OWN_SEVERITY:
        raise SystemExit(f"{path.name}: the severity follows from the effect, but for effects tool and broken")
    _held(path, row, {key: FORMS.get(key, str) for key in row})
    if row["effect"] not in EFFECTS:
        raise SystemExit(f"{path.name}: no such effect: {row['effect']}")
    for example in [*row.get("bad", []), *row.get("good", [])]:
        strange = set(example) - set(EXAMPLE_FORMS)
        if strange:
            raise SystemExit(f"{path.name}: an example has no {', '.join(sorted(strange))}")
        repaired = dict if "files" in example else str
        _held(path, example, {**EXAMPLE_FORMS, "fixed": repaired, "guessed": repaired})
    for example in row.get("good", []):
        if {"fixed", "guessed"} & set(example):
            raise SystemExit(f"{path.name}: a good example has nothing to fix")
    for example in row.get("bad", []):
        if not {"title", "expect"} <= set(example) or ("manifest" in example) == ("files" in example):
            raise SystemExit(f"{path.name}: a bad example has a title, a manifest (or files) and what to expect")
    return {
        **{key: row[key] for key in ("id", "name", "effect", "kinds", "releases")},
        **{
            key: " ".join(str(row[key]).split()) if key == "summary" else str(row[key]).strip()
            for key in ("summary", "why", "fix")
        },
        "examples": {"bad": row.get("bad", []), "good": row.get("good", [])},
        **({"severity": row["severity"]} if "severity" in row else {}),
    }


def _held(path: Path, row: dict[str, Any], forms: dict[str, type]) -> None:
    """Raise SystemExit where a value does not have the type of its key."""
    words = {str: "text", list: "a list", dict: "a mapping", bool: "true or false"}
    for key, value in row.items():
        if not isinstance(value, forms[key]):
            raise SystemExit(f"{path.name}: {key} is {words[forms[key]]}, not {value!r}")


def index(folder: Path) -> str:
    """Return what every check needs, compiled: limits, behaviours, gates and releases."""
    limits, gates = load(folder / "limits.yaml"), load(folder / "gates.yaml")
    compiled = {
        "behaviours": limits["behaviours"],
        "totals": limits["totals"],
        "limits": limits["limits"],
        "gates": gates["gates"],
        "other_gates": " ".join(gates["others"]),
        "releases": releases(load(folder / "releases.yaml")),
    }
    return json.dumps(compiled, indent=1, ensure_ascii=False, sort_keys=False) + "\n"


def releases(table: dict[str, Any]) -> dict[str, Any]:
    """Return the table of releases, with the previews apart: those with the tag of a pre-release."""
    previews = {name: row for name, row in table["releases"].items() if "-" in row["tag"]}
    final = {name: row for name, row in table["releases"].items() if name not in previews}
    return {**table, "releases": final, "previews": previews}


def rules(rows: list[dict[str, Any]]) -> str:
    """Return the rules, compiled, as findings need them; without the examples, which no check needs."""
    compiled = [{key: value for key, value in row.items() if key != "examples"} for row in rows]
    return json.dumps(compiled, indent=1, ensure_ascii=False, sort_keys=False) + "\n"


def ids(rows: list[dict[str, Any]]) -> str:
    """Return the module that has the id of each rule as a constant with the name of the rule."""
    lines = ['"""The ids of all rules; `python rules/generate.py` writes this module from rules/*.yaml."""', ""]
    lines += [f'{row["name"].upper().replace("-", "_")} = "{row["id"]}"' for row in rows]
    return "\n".join(lines) + "\n"


def examples(rows: list[dict[str, Any]]) -> str:
    """Return the examples of rules by id, compiled."""
    compiled = {row["id"]: row["examples"] for row in rows}
    return json.dumps(compiled, indent=1, ensure_ascii=False, sort_keys=False) + "\n"


def fields(folder: Path) -> str:
    """Return the meanings of fields and gates, compiled; SystemExit where one is not a sentence."""
    table = load(folder / "fields.yaml")
    sentences = {f"{type_}.{name}": text for type_, row in table["fields"].items() for name, text in row.items()}
    for name, text in (sentences | table["gates"]).items():
        if not isinstance(text, str) or not text.endswith("."):
            raise SystemExit(f"fields.yaml: {name} has no sentence that ends with a full stop: {text!r}")
    strange = sorted(set(table["as"].values()) - set(table["fields"]))
    if strange:
        raise SystemExit(f"fields.yaml: `as` names types without sentences: {', '.join(strange)}")
    return json.dumps(table, indent=1, ensure_ascii=False) + "\n"


PATHS = {"pods", "undeclared", "drops", "envelope", "templates", "shares"}
WORKLOAD = PATHS | {"namespace", "scope", "refused-by", "makes", "like", "spec"}
OF_A_POD = ("containers", "devices", "otherwise", "also", "patches", "unless", "number", "single", "fewer")
POD = {"at", "layered", "list", *OF_A_POD}
MADE = {"kind", "each", "when", "name", "requests", "class"}


def workloads(folder: Path) -> str:
    """Return the places of Pods and claims in custom resources, with paths as lists of their parts."""
    table = load(folder / "workloads.yaml")
    compiled = {
        group: {kind: _custom_kind(table, f"{group}/{kind}") for kind in kinds} for group, kinds in table.items()
    }
    return json.dumps(compiled, ensure_ascii=False, separators=(",", ":")).replace('},"', '},\n"') + "\n"


def _custom_kind(table: dict[str, Any], name: str) -> dict[str, Any]:
    """Return one kind, its paths as lists of parts; SystemExit where a key is unknown."""
    group, _, kind = name.partition("/")
    row = table[group][kind]
    row = {"pods": row} if isinstance(row, list) else dict(row)
    if set(row) - WORKLOAD:
        raise SystemExit(f"workloads.yaml: {name} has no {', '.join(sorted(set(row) - WORKLOAD))}")
    like, below = row.pop("like", None), row.pop("spec", "spec")
    out: dict[str, Any] = {}
    if like is not None:
        out = _below(_custom_kind(table, like if "/" in like else f"{group}/{like}"), path_parts(below))
    for key, value in row.items():
        if key == "pods":
            out[key] = [*out.get(key, []), *(_pod_place(name, pod) for pod in value)]
        elif key == "makes":
            out[key] = [_made(name, made) for made in value]
        else:
            out[key] = [path_parts(path) for path in value] if key in PATHS else value
    return out


def _pod_place(name: str, pod: str | dict[str, Any]) -> dict[str, Any]:
    row = {"at": pod} if isinstance(pod, str) else pod
    if set(row) - POD or "at" not in row:
        raise SystemExit(f"workloads.yaml: a Pod spec of {name} has `at`, and no {', '.join(sorted(set(row) - POD))}")
    at = path_parts(row["at"])
    out: dict[str, Any] = {"at": at}
    for key, value in row.items():
        if key in ("containers", "devices"):
            out[key] = [path_parts(path[1:]) if path[0] == "/" else [*at, *path_parts(path)] for path in value]
        elif key in OF_A_POD:
            out[key] = [path_parts(path) for path in value]
        elif key != "at":
            out[key] = value
    return out


def _made(name: str, row: dict[str, Any]) -> dict[str, Any]:
    if set(row) - MADE:
        raise SystemExit(f"workloads.yaml: what {name} makes has no {', '.join(sorted(set(row) - MADE))}")
    out = dict(row)
    each = out["each"] = path_parts(row.get("each", ""))

    def parts(path: str) -> list[str]:
        return [*each, *path_parts(path[1:])] if path[0] == "." else path_parts(path)

    for key in ("when", "class"):
        if key in row:
            out[key] = parts(row[key])
    out["name"] = [
        parts(text) if number % 2 else text for number, text in enumerate(re.split(r"\{(.*?)\}", row["name"]))
    ]
    return out


def path_parts(path: str) -> list[str]:
    """Return the parts of a path; one with a slash is the name of an annotation."""
    if "/" in path:
        return ["metadata", "annotations", path]
    return re.findall(r"\[\]|\{\}|[^.\[\]{}]+", path)


def _below(value: Any, spec: list[str]) -> Any:
    """Return a compiled kind with its paths that begin with `spec` moved below another path."""
    if isinstance(value, dict):
        return {key: _below(member, spec) for key, member in value.items()}
    if isinstance(value, list):
        if value[:1] == ["spec"]:
            return [*spec, *value[1:]]
        return [_below(member, spec) for member in value]
    return value


BUG = {
    *("issue", "trigger", "by", "says", "simulated", "releases", "fixed", "gates"),
    *("blocks", "change", "every", "rare", "effect", "until"),
}
OF_EXAMPLES = {"example", "inventory", "switched", "good"}


def known_bugs(folder: Path) -> str:
    """Return the faults of releases, compiled, without their examples."""
    rows = load(folder / "known-bugs.yaml")
    for row in rows:
        strange = set(row) - BUG - OF_EXAMPLES
        if strange or ("example" not in row and "trigger" in row):
            raise SystemExit(
                f"known-bugs.yaml: {row['issue']} needs `example`, and has no {', '.join(sorted(strange))}"
            )
    compiled = [{key: value for key, value in row.items() if key in BUG} for row in rows]
    return json.dumps(compiled, indent=1, ensure_ascii=False) + "\n"


def table_of_bugs(folder: Path) -> str:
    """Return the page that lists the faults."""
    lines = [
        "# Known faults of releases",
        "",
        "dralint reports these faults where a release is named and the input meets them; see",
        "[DRA901](DRA901-known-bug.md), [DRA902](DRA902-known-bug-blocks.md) and [DRA904](DRA904-rare-known-bug.md).",
        "The numbers are issues and pull requests of kubernetes/kubernetes. `simulate` names those that it simulates.",
        "`rules/generate.py` writes this page from `known-bugs.yaml`.",
        "",
        "| number | releases | fixed in | what happens | until then |",
        "|---|---|---|---|---|",
    ]
    for row in load(folder / "known-bugs.yaml"):
        spans, fixed = ", ".join(row["releases"]), ", ".join(row.get("fixed", ()))
        lines.append(f"| {row['issue']} | {spans} | {fixed} | {row['effect']} | {row['until']} |")
    return "\n".join(lines) + "\n"


TOPIC: dict[str, type] = {"topic": str, "words": list, "says": list, "do": list, "example": str, "see": list}


def topics(folder: Path) -> list[dict[str, Any]]:
    """Return the topics of `explain`; SystemExit where one has another form."""
    rows: list[dict[str, Any]] = load(folder / "topics.yaml")
    for row in rows:
        wrong = [key for key, value in row.items() if key not in TOPIC or not isinstance(value, TOPIC[key])]
        if wrong or not all(row.get(key) for key in ("topic", "words", "says")):
            raise SystemExit(f"topics.yaml: {row.get('topic')} has other keys or types: {', '.join(wrong)}")
    return rows


def page_of_topics(rows: list[dict[str, Any]]) -> str:
    """Return the page that has all topics."""
    lines = ["# Symptoms and subjects", "", "<!-- `rules/generate.py` writes this page from `topics.yaml`. -->", ""]
    lines += ["`dralint explain` finds these by their words, or by a message of Kubernetes as it is."]
    for row in rows:
        lines += ["", f"## {row['topic']}"]
        for paragraph in row["says"]:
            lines += ["", paragraph]
        lines += ["", *(f"- {step}" for step in row["do"])] if "do" in row else []
        lines += ["", "```yaml", row["example"].rstrip("\n"), "```"] if "example" in row else []
        lines += ["", f"More: {', '.join(f'`dralint explain {name}`' for name in row.get('see', ()))}"]
    return "\n".join(lines) + "\n"


def page(row: dict[str, Any]) -> str:
    """Return the page of one rule; the output of its examples is dralint's own."""
    lines = [
        f"# {row['id']} {row['name']}",
        "",
        row["summary"],
        "",
        "| effect | kinds | releases |",
        "|---|---|---|",
        f"| {row['effect']} | {', '.join(row['kinds'])} | {'all' if row['releases'] == '..' else row['releases']} |",
        "",
        "## Why",
        "",
        row["why"],
        "",
        "## What to do",
        "",
        row["fix"],
        *_limits_together(row["id"]),
        *_in_the_code(row["id"]),
    ]
    for kind, title in (("bad", "Wrong"), ("good", "Right")):
        for example in row["examples"][kind]:
            lines += ["", f"## {title}: {example['title']}"]
            if "before" in example:
                before = example["before"].rstrip("\n")
                lines += ["", "Before the update:", "", "```yaml", before, "```", "", "After it:"]
            for name, text in files_of(example).items():
                manifest = text.rstrip("\n")
                language = "json" if manifest.startswith("{") else "yaml"
                lines += ["", f"`{name}`:"] if "files" in example or "slices" in example else []
                lines += ["", f"```{language}", manifest, "```"]
            options = " ".join(options_of(example))
            if kind == "good" and options:
                lines += ["", f"dralint finds nothing with `{options}`."]
            if kind == "bad":
                lines += ["", f"With `{options}`:"] if options else []
                lines += ["", "```text", output(row, example), "```"]
            for key, command in (("fixed", "dralint fix"), ("guessed", "dralint fix --unsafe-fixes")):
                shown = example.get(key, {})
                for name, text in shown.items() if isinstance(shown, dict) else [("", shown)]:
                    after = text.rstrip("\n")
                    language = "json" if after.startswith("{") else "yaml"
                    file = f", `{name}`" if name else ""
                    lines += ["", f"After `{command}`{file}:", "", f"```{language}", after, "```"]
    return "\n".join(lines) + "\n"


def _in_the_code(rule: str) -> list[str]:
    """Return the section with the functions that report a rule, by module; empty where none does."""
    places = [
        f"- `{module}`: {', '.join(f'`{name}`' for name in sorted(names))}" if names else f"- `{module}`"
        for module, names in sorted(_deciding().get(rule, {}).items())
    ]
    return ["", "## In the code", "", *places] if places else []


@cache
def _deciding() -> dict[str, dict[str, set[str]]]:
    """Return the modules and functions that report each rule, by its id: those that do more than compare its name."""
    ids_of = dict(re.findall(r'^(\w+) = "(DRA\d{3})"$', IDS.read_text("utf-8"), re.MULTILINE))
    reported: dict[str, dict[str, set[str]]] = {}
    used: dict[str, dict[str, set[str]]] = {}
    package = IDS.parents[1]
    for path in sorted(package.rglob("*.py")):
        module, tree = path.relative_to(package.parent).as_posix(), ast.parse(path.read_text("utf-8"))
        nodes = list(_with_functions(tree))
        imports = [n for n, _ in nodes if isinstance(n, ast.ImportFrom) and n.module == f"dralint.finding.{IDS.stem}"]
        imported = {alias.name for one in imports for alias in one.names}
        groups = [n for n, _ in nodes if isinstance(n, ast.Compare | ast.Set | ast.Tuple) and _only_names(n)]
        compared = {id(part) for node in groups for part in ast.iter_child_nodes(node)}
        for node, function in nodes:
            name = node.id if isinstance(node, ast.Name) and node.id in imported else ""
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == IDS.stem:
                name = node.attr
            for kept in (used, reported) if id(node) not in compared else (used,):
                places = kept.setdefault(ids_of.get(name, ""), {}).setdefault(module, set())
                places.update({function} - {""})
    return used | reported


def _with_functions(node: ast.AST, within: str = "") -> Iterator[tuple[ast.AST, str]]:
    """Yield each node with the name of its function or method; empty outside of them."""
    for child in ast.iter_child_nodes(node):
        name = within
        if isinstance(child, ast.FunctionDef | ast.ClassDef):
            name = f"{within}.{child.name}" if within else child.name
        yield child, name if not isinstance(child, ast.ClassDef) else within
        yield from _with_functions(child, name)


def _only_names(group: ast.AST) -> bool:
    """Say whether a group is compared with; `return RULE, text` in place of it reports."""
    return not isinstance(group, ast.Tuple) or all(isinstance(each, ast.Name | ast.Attribute) for each in group.elts)


def _limits_together(rule: str) -> list[str]:
    """Return the section on the limits of several fields together that a rule checks; empty for none."""
    from dralint.explain.fields import of_rule
    from dralint.report.words import release_spans

    rows = [f"| {release_spans(found[::-1])} | {text} |" for text, found in of_rule(rule).items()]
    return ["", "## Limits of several fields together", "", "| releases | |", "|---|---|", *rows] if rows else []


def files_of(example: dict[str, Any]) -> dict[str, str]:
    """Return name and text of all files of an example."""
    from rules.examples import SLICES

    files: dict[str, str] = example.get("files") or {"manifest.yaml": example["manifest"]}
    return {**files, SLICES: example["slices"]} if "slices" in example else files


def options_of(example: dict[str, Any]) -> list[str]:
    """Return the options of the command line that an example is judged with, besides release and gates."""
    from rules.examples import SLICES

    options = ["--complete"] if example.get("complete") else []
    options += [f"--namespace {example['namespace']}"] if "namespace" in example else []
    return [*options, f"--slices {SLICES}"] if "slices" in example else options


@cache
def _bench() -> Any:
    """Return what judges the examples, and keeps what is compiled from one to the next."""
    from rules.examples import Bench

    return Bench()


def output(row: dict[str, Any], example: dict[str, Any]) -> str:
    """Return what dralint prints for a bad example, judged by the newest release that it applies to."""
    from dralint.finding import catalogue
    from dralint.report import Style, render
    from rules import examples

    rule = catalogue.rules()[row["id"]]
    applies = [None] if example.get("newest") else examples.releases(rule, example)
    if not applies:
        raise SystemExit(
            f"{row['id']}: {example['title']!r} applies to no release: look at `releases` and the apiVersion"
        )
    release = applies[-1]
    bench = _bench()
    report = bench.report(example, release)
    report.findings = bench.findings(rule, example, release)
    return render("text", report, Style(width=100, quiet=True)).rstrip("\n")


FAMILIES = {
    "0": ("Reading", "Text that is not YAML, JSON or UTF-8, files that cannot be opened, and comments of dralint."),
    "1": ("Fields and types", "Decoding: fields that do not exist, values of the wrong type."),
    "2": ("Names, limits and relations", "What the API server validates within one object."),
    "3": ("CEL", "Selectors and other expressions: syntax, types, cost, and what never matches."),
    "4": (
        "References between objects",
        "Pods, claims, templates, classes, slices, quotas and policies that do not fit together.",
    ),
    "5": ("Releases and feature gates", "API versions and fields that a release does not serve, drops or removes."),
    "6": ("Updates", "Changes of an object that exists, found by `dralint diff`."),
    "7": ("Advice", "What works, and can be clearer or safer."),
    "8": ("Drivers", "Parameters, attributes and values that a driver refuses, ignores or does not have."),
    "9": ("Known faults of releases", "Faults of Kubernetes itself that an object meets."),
}
"""First digit of a rule's number → its family, and what the family has."""


def overview(rows: list[dict[str, Any]]) -> str:
    """Return the list of all rules, by family."""
    lines = ["# Rules", "", "<!-- `python rules/generate.py` writes this page and the pages of the rules. -->", ""]
    lines += [f"dralint has {len(rows)} rules. The first digit of a number is its family. The *effect* says what"]
    lines += ["Kubernetes does with the object ([all effects](../README.md#what-it-finds))."]
    for digit, (family, says) in FAMILIES.items():
        lines += [
            "",
            f"## {family}",
            "",
            says,
            "",
            "| rule | effect | kinds | releases | what |",
            "|---|---|---|---|---|",
        ]
        for row in (row for row in rows if row["id"][3] == digit):
            name = f"[{row['id']} {row['name']}]({row['id']}-{row['name']}.md)"
            releases = "all" if row["releases"] == ".." else row["releases"]
            lines.append(f"| {name} | {row['effect']} | {', '.join(row['kinds'])} | {releases} | {row['summary']} |")
    return "\n".join(lines) + "\n"


def write(path: Path, text: str, *, check: bool) -> bool:
    """Write a file unless it already has that text; with `check`, only print that it differs. Return whether it
    differed."""
    if path.is_file() and path.read_text("utf-8") == text:
        return False
    if check:
        print(f"{path.name} is stale: run python rules/generate.py")
    else:
        path.write_text(text, "utf-8")
    return True


def main(arguments: list[str]) -> int:
    """Write or compare the generated files; the index first, because dralint reads it to make the pages."""
    check = "--check" in arguments
    places = [argument for argument in arguments if not argument.startswith("-")]
    folder = Path(places[0]) if places else HERE
    text = index(folder)
    rows = [rule(path) for path in rule_files(folder)]
    listed, shown = rules(rows), examples(rows)
    stale = folder == HERE and write(IDS, ids(rows), check=check)
    stale |= write(folder / "index.json", text, check=check)
    stale |= write(folder / "rules.json", listed, check=check)
    stale |= write(folder / "examples.json", shown, check=check)
    stale |= write(folder / "fields.json", fields(folder), check=check)
    stale |= write(folder / "workloads.json", workloads(folder), check=check)
    stale |= write(folder / "known-bugs.json", known_bugs(folder), check=check)
    stale |= write(folder / "known-bugs.md", table_of_bugs(folder), check=check)
    found = topics(folder)
    stale |= write(folder / "topics.json", json.dumps(found, indent=1, ensure_ascii=False) + "\n", check=check)
    stale |= write(folder / "topics.md", page_of_topics(found), check=check)
    stale |= write(folder / "README.md", overview(rows), check=check)
    pages: set[Path] = set()
    for row in rows:
        pages.add(folder / f"{row['id']}-{row['name']}.md")
        stale |= write(folder / f"{row['id']}-{row['name']}.md", page(row), check=check)
    for extra in set(folder.glob("DRA*.md")) - pages:
        stale = True
        if check:
            print(f"{extra.name} belongs to no rule: run python rules/generate.py")
        else:
            extra.unlink()
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
