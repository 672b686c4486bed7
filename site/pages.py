"""The pages of the site that are made from data: rules, fields, feature gates, releases, drivers, known faults."""

from __future__ import annotations

import base64
import json
import zlib
from typing import TYPE_CHECKING, Any, TypeVar

from markup import Page, relative, slug

from dralint import __repository__
from dralint.explain import fields, search
from dralint.explain.excerpts import excerpt
from dralint.finding import catalogue
from dralint.kubernetes import gates, shipped
from dralint.kubernetes.release import Release
from dralint.kubernetes.served import ApiVersions
from dralint.report.words import release_spans
from rules.examples import SLICES, releases
from rules.generate import files_of, load

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from dralint.finding.catalogue import Rule

T = TypeVar("T")
PLAYGROUND = "playground/index.html"
MEANING = {
    "rejected": "The API server refuses the object.",
    "unreadable": "The text is not valid YAML or JSON, so no object reaches the API server.",
    "dropped": "The API server removes the field without a message, because its feature gate is off.",
    "broken": "The API server accepts the object, but the object does not work as written.",
    "deprecated": "The API server accepts the object. A later release refuses it.",
    "advice": "The API server accepts the object. There is a better way to write it.",
    "tool": "Not a verdict of Kubernetes: it is about dralint's own input.",
}


def shared(state: Mapping[str, Any]) -> str:
    """Return the fragment that the playground opens this state from: JSON, deflated, in URL-safe base64."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = packer.compress(json.dumps(state, ensure_ascii=False, separators=(",", ":")).encode()) + packer.flush()
    return "#" + base64.urlsafe_b64encode(packed).decode().rstrip("=")


def example_state(rule: Rule, example: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return an example of the catalogue as the playground opens it; None for one that is no text or is an update."""
    if "encoding" in example or "before" in example:
        return None
    files = files_of(dict(example))
    state: dict[str, Any] = {"files": [[name, text] for name, text in files.items() if name != SLICES]}
    if SLICES in files:
        state["inventory"] = files[SLICES]
    judged = releases(rule, example)
    newest = max(map(Release.parse, shipped.index()["releases"]["releases"]))
    if judged and judged[-1] != newest:
        state["release"] = str(judged[-1])
    for key in ("gates", "complete", "namespace"):
        if example.get(key):
            state[key] = example[key]
    return state


def rule_pages(root: Path) -> Iterator[Page]:
    """Yield the page of each rule: what the repository has, the severity in words, and links that open examples."""
    for rule in catalogue.rules().values():
        address = f"rules/{rule.id}.html"
        source = f"rules/{rule.id}-{rule.name}.md"
        lines = (root / source).read_text("utf-8").split("\n")
        table = lines.index("| effect | kinds | releases |")
        since = rule.releases.partition("..")[0] or "the first release with these kinds"
        lines[table : table + 3] = [
            "| | |",
            "|---|---|",
            f"| severity | {rule.severity} |",
            f"| effect | {rule.effect}: {MEANING[rule.effect]} |",
            f"| kinds | {', '.join(rule.kinds)} |",
            f"| since | {since} |",
            f"| releases | {'all' if rule.releases == '..' else rule.releases} |",
            f"| silence | `# dralint: ignore[{rule.id}]`, see [silencing](../docs/silencing.md) |",
        ]
        if "## In the code" in lines:  # for those who change dralint; the file in the repository has it
            at = lines.index("## In the code")
            del lines[at : at + 4]
        out: list[str] = []
        examples = [
            (f"## {title}: {example['title']}", example)
            for kind, title in (("bad", "Wrong"), ("good", "Right"))
            for example in rule.examples.get(kind, ())
        ]
        for line in lines:
            out.append(line)
            if examples and line == examples[0][0]:
                state = example_state(rule, examples.pop(0)[1])
                if state is not None:
                    out += ["", f"[Try it in the playground]({__repository__}/try{shared(state)})"]
        yield Page(address, "\n".join(out), source, "rules", f"{rule.id} {rule.name}")


def field_pages() -> Iterator[Page]:
    """Yield a page for each field, one for each kind with its fields, and the list of the kinds."""
    places = list(search.places())
    first: dict[tuple[str, str], str] = {}
    also: dict[str, list[str]] = {}
    for place in places:
        home = first.setdefault((shipped.same_as(place.owner), place.name), place.path)
        also.setdefault(home, []).append(place.path)
    by_kind: dict[str, list[search.FoundField]] = {}
    for place in places:
        by_kind.setdefault(place.path.partition(".")[0], []).append(place)
    kinds = [f"- [{kind}]({kind}.html): {len(rows)} fields" for kind, rows in by_kind.items()]
    lead = (
        "Every field that concerns Dynamic Resource Allocation, with its meaning, limits and feature gate by release."
    )
    yield Page("fields/index.html", "\n".join(["# Fields", "", lead, "", *kinds]), section="fields")
    for kind, rows in by_kind.items():
        lines = [f"# Fields of {kind}", "", "| field | meaning |", "|---|---|"]
        for place in rows:
            home = first[shipped.same_as(place.owner), place.name]
            lines.append(f"| [{place.path.partition('.')[2]}]({home}.html) | {_cell(place.says or '')} |")
        yield Page(f"fields/{kind}.html", "\n".join(lines), section="fields")
    for path, others in also.items():
        yield _field_page(path, others[1:])


def _field_page(path: str, others: list[str]) -> Page:
    """Return the page of one field, with what `dralint explain` says of it."""
    found = fields.find(path)
    address = f"fields/{path}.html"
    says = next((one.meaning for one in found if one.meaning is not None), "")
    lines = [f"# {path}", "", says, "", "| API version | releases | type |", "|---|---|---|"]
    for (api_version, type_), spans in _by(found, lambda one: (one.api_version, one.type)):
        lines.append(f"| {api_version} | {spans} | {type_} |")
    moved = fields.elsewhere(path)
    for (api_version, place), spans in _by(moved, lambda one: (one.api_version, one.path)):
        lines.append(f"| {api_version} | {spans} | at `{place}` |")
    limits = [(texts, spans) for texts, spans in _by(found, lambda one: one.limits) if texts]
    if limits:
        lines += ["", "## Limits", "", "| releases | limits |", "|---|---|"]
        lines += [f"| {spans} | {_cell('; '.join(texts))} |" for texts, spans in limits]
    guarded = [(one, gate) for one in found if (gate := fields.gate_of(one)) is not None]
    if guarded:
        lines += ["", "## Feature gate", "", "While the gate is off, the API server removes the field silently.", ""]
        lines += ["| releases | gate | stage |", "|---|---|---|"]
        of = {(one.release, one.api_version): gate for one, gate in guarded}
        rows = _by(
            [one for one, _ in guarded],
            lambda one: (
                of[one.release, one.api_version],
                fields.gate_stage(of[one.release, one.api_version], one.release),
            ),
        )
        lines += [f"| {spans} | [{gate}](../gates/{gate}.html) | {stage} |" for (gate, stage), spans in rows]
    members = _by(found, lambda one: (one.members, one.union))
    if any(names for (names, _), _ in members):
        lines += ["", "## Fields below it", "", "| releases | fields |", "|---|---|"]
        for (names, union), spans in members:
            lines.append(f"| {spans} | {_cell(', '.join(names))}{''.join(f'; {_cell(text)}' for text in union)} |")
    kind, *steps = fields.split(path)
    shown = excerpt(kind, steps, list(dict.fromkeys(one.api_version for one in found)))
    if shown is not None:
        lines += ["", "## Example", "", "```yaml", *shown.lines, "```"]
        lines += ["", f"It is a part of an example of [{shown.rule}](../rules/{shown.rule}.html)."]
    if others:
        lines += ["", "## Also at", "", *(f"- `{other}`" for other in others)]
    return Page(address, "\n".join(lines), section="fields", words=path.replace(".", " "))


def gate_pages() -> Iterator[Page]:
    """Yield a page for each feature gate, and their list."""
    names = list(shipped.index()["gates"])
    rows = [f"| [{name}]({name}.html) | {_cell(shipped.of_gate(name) or '')} |" for name in names]
    yield Page("gates/index.html", "\n".join(["# Feature gates", "", "| gate | what it brings |", "|---|---|", *rows]))
    known = {place.path for place in search.places()}
    for name in names:
        gate = search.gate(name)
        assert gate is not None
        lines = [f"# {name}", "", gate.says or "", "", "## Stages", "", "| releases | stage |", "|---|---|"]
        by_stage: dict[str, list[str]] = {}
        for release, stage in reversed(gate.stages):
            by_stage.setdefault(stage, []).append(str(release))
        lines += [f"| {release_spans(found)} | {stage} |" for stage, found in by_stage.items()]
        if gate.needs:
            lines += ["", "## Needs", "", *(f"- [{other}]({other}.html)" for other in gate.needs)]
        if gate.fields:
            lines += ["", "## Fields", "", "While the gate is off, the API server removes these fields silently.", ""]
            lines += ["| releases | field |", "|---|---|"]
            for path, span in gate.fields:
                kind = path.partition(".")[0]
                lines.append(
                    f"| {span} | [{path}](../fields/{kind}.html) |" if path in known else f"| {span} | {path} |"
                )
        yield Page(f"gates/{name}.html", "\n".join(lines), section="releases")


def releases_page() -> Page:
    """Return the page of the releases: what each serves, which feature gates it has, what ends."""
    index = shipped.index()
    known = sorted(map(Release.parse, index["releases"]["releases"]), reverse=True)
    lines = [
        "# Releases",
        "",
        "What each release of Kubernetes serves, takes and drops of Dynamic Resource Allocation.",
    ]
    lines += [
        "",
        "[Feature gates](gates/index.html) · [known faults](rules/known-bugs.html) · [schemas](schemas/index.html)",
    ]
    versions = ApiVersions()
    for at, release in enumerate(known):
        row = index["releases"]["releases"][str(release)]
        lines += ["", f"## {release}", "", f"Read from the tag {row['tag']}.", ""]
        lines += ["| API version | kinds | served | announced end |", "|---|---|---|---|"]
        for api_version, found in sorted(shipped.openapi(str(release))["kinds"].items()):
            names = sorted(kind["kind"] for kind in found)
            switch = "by default" if api_version in row["default"] else "where the administrator enables it"
            ends = _ends(versions, api_version, names, release)
            lines.append(f"| {api_version} | {', '.join(names)} | {switch} | {ends} |")
        before = known[at + 1] if at + 1 < len(known) else None
        changes = list(_gate_changes(release, before))
        if changes:
            lines += ["", f"Feature gates{'' if before is None else f', compared with {before}'}:", "", *changes]
    return Page("releases.html", "\n".join(lines), section="releases")


def _gate_changes(release: Release, before: Release | None) -> Iterator[str]:
    for name in shipped.index()["gates"]:
        now = fields.gate_stage(name, release) if gates.stage(name, release) is not None else None
        was = None
        if before is not None and gates.stage(name, before) is not None:
            was = fields.gate_stage(name, before)
        if now != was:
            link = f"[{name}](gates/{name}.html)"
            yield f"- {link}: {now}" if now else f"- {link}: removed"


def _ends(versions: ApiVersions, api_version: str, kinds: Sequence[str], release: Release) -> str:
    """Return when an API version ends, as a release announces it, for all its kinds or for each."""
    said: dict[str, list[str]] = {}
    for kind in kinds:
        end = versions.ends(api_version, kind, release)
        if end is not None:
            gone = f", not served from {end.gone}" if end.gone else ""
            said.setdefault(f"deprecated in {end.deprecated}{gone}", []).append(kind)
    if len(said) == 1 and len(next(iter(said.values()))) == len(kinds):
        return next(iter(said))
    return "; ".join(f"{', '.join(of)}: {text}" for text, of in said.items())


def bugs_page(root: Path) -> Page:
    """Return the page of the known faults, one section each, with an example that opens in the playground."""
    rows = load(root / "rules" / "known-bugs.yaml")
    lines = ["# Known faults of releases", ""]
    lines += ["dralint reports these faults where a release is named and the input meets them: [DRA901](DRA901.html),"]
    lines += ["[DRA902](DRA902.html) and [DRA903](DRA903.html). The numbers are those of issues and pull requests of"]
    lines += ["kubernetes/kubernetes.", "", "| number | releases | what happens |", "|---|---|---|"]
    lines += [
        f"| [{r['issue']}](#{slug(str(r['issue']))}) | {', '.join(r['releases'])} | {_cell(r['effect'])} |"
        for r in rows
    ]
    for row in rows:
        lines += ["", f"## {row['issue']}", "", f"{_sentence(row['effect'])}", ""]
        lines += ["| | |", "|---|---|", f"| releases | {', '.join(row['releases'])} |"]
        lines += [f"| fixed in | {', '.join(row['fixed'])} |"] if row.get("fixed") else []
        lines += [f"| feature gates | {', '.join(row['gates'])} |"] if row.get("gates") else []
        lines += [f"| until then | {_cell(row['until'])} |"]
        if "example" not in row:
            continue
        state: dict[str, Any] = {"files": [["manifest.yaml", row["example"]]]}
        state |= {"inventory": row["inventory"]} if "inventory" in row else {}
        state |= {"gates": row["switched"]} if "switched" in row else {}
        state["release"] = str(row["releases"][-1]).partition("..")[0]
        lines += ["", f"[Try it in the playground]({__repository__}/try{shared(state)})"]
        lines += ["", "```yaml", row["example"].rstrip("\n"), "```"]
    return Page("rules/known-bugs.html", "\n".join(lines), section="releases")


def _by(found: Iterable[Any], key: Callable[[Any], T]) -> list[tuple[T, str]]:
    """Return the different values of `key`, each with the releases that have it."""
    groups: dict[T, set[Release]] = {}
    for one in found:
        groups.setdefault(key(one), set()).add(one.release)
    return [(value, release_spans([str(one) for one in sorted(of)])) for value, of in groups.items()]


def _cell(text: str) -> str:
    """Return text for a cell of a table."""
    return text.replace("|", "\\|").replace("\n", " ")


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def playground_links(body: str, address: str) -> str:
    """Return the HTML with the links that open examples leading to the playground of this site."""
    return body.replace(f"{__repository__}/try#", relative(PLAYGROUND, address) + "#")
