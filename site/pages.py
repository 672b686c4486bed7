"""The pages of the site that are made from data: rules, fields, feature gates, releases, drivers, known faults."""

from __future__ import annotations

import base64
import html
import json
import re
import zlib
from functools import cache
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any, TypeVar

from markup import Page, code, relative, sections, slug

from dralint import __repository__
from dralint.explain import fields, search
from dralint.explain.fields import excerpt
from dralint.finding import catalogue
from dralint.kubernetes import gates, shipped
from dralint.kubernetes.release import Release
from dralint.kubernetes.served import ApiVersions
from dralint.report.words import release_spans
from rules.examples import SLICES, releases
from rules.generate import FAMILIES, files_of, load

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from dralint.finding.catalogue import Rule

T = TypeVar("T")
HERE = Path(__file__).resolve().parent
PLAYGROUND = "playground/index.html"
TRY = "Try it in the playground"
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
    of_fields = {path.partition(".")[0] for path in homes()}
    for rule in catalogue.rules().values():
        address = f"rules/{rule.id}.html"
        source = f"rules/{rule.id}-{rule.name}.md"
        lines = (root / source).read_text("utf-8").split("\n")
        table = lines.index("| effect | kinds | releases |")
        kinds = ", ".join(f"`{kind}`" if kind in of_fields else kind for kind in rule.kinds)
        lines[table : table + 3] = [
            "| | |",
            "|---|---|",
            f"| severity | {rule.severity} |",
            f"| effect | {rule.effect}: {MEANING[rule.effect]} |",
            f"| kinds | {kinds} |",
            f"| releases | {_in_words(rule.releases)} |",
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
                    out += ["", f"[{TRY}]({__repository__}/try{shared(state)})"]
        page = Page(address, "\n".join(out), source, "rules", (rule.name.replace("-", " "),), "rules/index.html")
        page.group = FAMILIES[rule.id[3]][0]
        yield page


@cache
def homes() -> dict[str, str]:
    """Return where the page of each field is: path → the first path that leads to the field of this type."""
    first: dict[tuple[str, str], str] = {}
    return {
        place.path: first.setdefault((shipped.same_as(place.owner), place.name), place.path)
        for place in search.places()
    }


def names(found: Iterable[Page]) -> dict[str, str]:
    """Return the address of each rule, field and feature gate that code can name."""
    out = {path: f"fields/{home}.html" for path, home in homes().items()}
    for page in found:
        if page.parent in ("rules/index.html", "gates/index.html", "fields/index.html"):
            out[page.title.split()[0] if page.short == "" else page.short] = page.address
    return out


def field_pages() -> Iterator[Page]:
    """Yield a page for each field, one for each kind with its fields, and the list of the kinds."""
    also: dict[str, list[str]] = {}
    by_kind: dict[str, list[search.FoundField]] = {}
    for place in search.places():
        also.setdefault(homes()[place.path], []).append(place.path)
        by_kind.setdefault(place.path.partition(".")[0], []).append(place)
    kinds = [f"- [{kind}]({kind}.html): {len(rows)} fields" for kind, rows in by_kind.items()]
    lead = (
        "Every field that concerns Dynamic Resource Allocation, with its meaning, limits and feature gate by release."
    )
    yield Page("fields/index.html", "\n".join(["# Fields", "", lead, "", *kinds]), section="fields")
    for kind, rows in by_kind.items():
        lines = [f"# Fields of {kind}", "", "| field | meaning |", "|---|---|"]
        lines += [
            f"| [{row.path.partition('.')[2]}]({homes()[row.path]}.html) | {_cell(row.says or '')} |" for row in rows
        ]
        yield Page(f"fields/{kind}.html", "\n".join(lines), section="fields", parent="fields/index.html", short=kind)
    for path, others in also.items():
        page = _field_page(path, others[1:])
        above = path.rpartition(".")[0]
        while above not in by_kind and above not in also:
            above = above.rpartition(".")[0]
        page.parent, page.short = f"fields/{above}.html", path.removeprefix(f"{above}.")
        yield page


def _field_page(path: str, others: list[str]) -> Page:
    """Return the page of one field, with what `dralint explain` says of it."""
    found = fields.find(path)
    address = f"fields/{path}.html"
    says = next((one.meaning for one in found if one.meaning is not None), "")
    lines = [f"# {path}", "", says, "", "| API version | releases | type |", "|---|---|---|"]
    for (api_version, type_), spans in fields.by_value((one.release, (one.api_version, one.type)) for one in found):
        lines.append(f"| {api_version} | {spans} | {type_} |")
    moved = fields.elsewhere(path)
    for (api_version, place), spans in fields.by_value((release, (there, at)) for release, there, at in moved):
        lines.append(f"| {api_version} | {spans} | at `{place}` |")
    limits = [(texts, spans) for texts, spans in fields.by_value((one.release, one.limits) for one in found) if texts]
    if limits:
        lines += ["", "## Limits", "", "| releases | limits |", "|---|---|"]
        lines += [f"| {spans} | {_cell('; '.join(texts))} |" for texts, spans in limits]
    guarded = [(one.release, gate) for one in found if (gate := fields.gate_of(one)) is not None]
    if guarded:
        lines += ["", "## Feature gate", "", "While the gate is off, the API server removes the field silently.", ""]
        lines += ["| releases | gate | stage |", "|---|---|---|"]
        rows = fields.by_value((release, (gate, fields.gate_stage(gate, release))) for release, gate in guarded)
        lines += [f"| {spans} | [{gate}](../gates/{gate}.html) | {stage} |" for (gate, stage), spans in rows]
    members = fields.by_value((one.release, (one.members, one.union)) for one in found)
    if any(names_ for (names_, _), _ in members):
        lines += ["", "## Fields below it", "", "| releases | fields |", "|---|---|"]
        for (names_, union), spans in members:
            links = [_field_link(f"{path}.{name}", name) for name in names_]
            lines.append(f"| {spans} | {', '.join(links)}{''.join(f'; {_cell(text)}' for text in union)} |")
    kind, *steps = fields.split(path)
    shown = excerpt(kind, steps, list(dict.fromkeys(one.api_version for one in found)))
    if shown is not None:
        rule, example = shown
        lines += ["", "## Example", "", "```yaml", *example, "```"]
        lines += ["", f"It is a part of an example of [{rule}](../rules/{rule}.html)."]
    if others:
        kinds = [f"- [{other}]({other.partition('.')[0]}.html)" for other in others]
        lines += ["", "## Also at", "", *kinds]
    lines += ["", "## In Kubernetes", "", *_evidence(found[0])]
    return Page(address, "\n".join(lines), section="fields")


def _field_link(path: str, name: str) -> str:
    home = homes().get(path)
    return name if home is None else f"[{name}]({home}.html)"


def _evidence(newest: fields.Field) -> Iterator[str]:
    """Yield where Kubernetes describes the type of a field: its reference, of the newest release, and its source."""
    group, _, version = newest.api_version.rpartition("/")
    group = group or "core"
    type_ = newest.owner.rpartition(".")[2]
    releases_ = shipped.index()["releases"]["releases"]
    if newest.release == max(map(Release.parse, releases_)):
        anchor = f"{type_}-{version}-{group}".lower().replace(".", "-")
        address = f"https://kubernetes.io/docs/reference/generated/kubernetes-api/v{newest.release}/#{anchor}"
        yield f"- [{type_} in the API reference of {newest.release}]({address})"
    tag = releases_[str(newest.release)]["tag"]
    file = f"staging/src/k8s.io/api/{group.partition('.')[0]}/{version}/types.go"
    yield f"- [`type {type_}` in types.go of {tag}](https://github.com/kubernetes/kubernetes/blob/{tag}/{file})"


def gate_pages() -> Iterator[Page]:
    """Yield a page for each feature gate, and their list."""
    names = list(shipped.index()["gates"])
    rows = [f"| [{name}]({name}.html) | {_cell(shipped.of_gate(name) or '')} |" for name in names]
    text = "\n".join(["# Feature gates", "", "| gate | what it brings |", "|---|---|", *rows])
    yield Page("gates/index.html", text, section="releases", parent="releases.html")
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
            lines += [
                f"| {_in_words(span)} | {_field_link(path, path).replace('](', '](../fields/')} |"
                for path, span in gate.fields
            ]
        anchor = f"https://kubernetes.io/docs/reference/command-line-tools-reference/feature-gates/#{name}"
        lines += ["", "## In Kubernetes", "", f"- [{name} among the feature gates]({anchor})"]
        kep = shipped.index()["gates"][name].get("kep")
        lines += [f"- [KEP {kep}, the proposal](https://kep.k8s.io/{kep})"] if kep else []
        yield Page(f"gates/{name}.html", "\n".join(lines), section="releases", parent="gates/index.html")


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
        if str(row["issue"]).isdigit():
            address = f"https://github.com/kubernetes/kubernetes/issues/{row['issue']}"
            lines += [f"[kubernetes/kubernetes#{row['issue']}]({address})", ""]
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
        lines += ["", f"[{TRY}]({__repository__}/try{shared(state)})"]
        lines += ["", "```yaml", row["example"].rstrip("\n"), "```"]
    return Page("rules/known-bugs.html", "\n".join(lines), section="releases", parent="releases.html")


def _in_words(releases_: str) -> str:
    """Return a range of releases as people say it."""
    first, several, last = releases_.partition("..")
    if not several or (first and last):
        return f"{first} to {last}" if last else first
    return f"from {first} on" if first else f"up to {last}" if last else "all"


def _cell(text: str) -> str:
    """Return text for a cell of a table."""
    return text.replace("|", "\\|").replace("\n", " ")


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def playground_links(body: str, address: str) -> str:
    """Return the HTML with the links that open examples leading to the playground of this site."""
    return body.replace(f"{__repository__}/try#", relative(PLAYGROUND, address) + "#")


def aliases() -> Iterator[tuple[str, str]]:
    """Yield further addresses of rules, and where they lead: the number in lower case, and the name."""
    for rule in catalogue.rules().values():
        for other in (rule.id.lower(), rule.name):
            yield f"rules/{other}.html", f"rules/{rule.id}.html"


def home(root: Path) -> Page:
    """Return the first page; its text is that of the README, and `completed` shows more."""
    text = (root / "README.md").read_text("utf-8")
    lead = text.split("\n\n")[1]
    commands = text[text.index("## Commands") : text.index("## Exit statuses")]
    return Page("index.html", f"# dralint\n\n{lead}\n\n{commands}", "README.md")


def playground() -> Page:
    """Return the playground, as the search and the previews of links have it."""
    text = (
        "Paste or drop manifests of Dynamic Resource Allocation, and see each mistake at its line. dralint runs in it."
    )
    return Page(
        PLAYGROUND,
        f"# Playground\n\n{text}",
        section="playground",
        phrases=("playground", "online", "browser", "paste"),
    )


def completed(body: str, page: Page, root: Path) -> str:
    """Return the HTML of a page with what Markdown cannot say: the first page, and the filter of the rules."""
    if page.section == "rules":
        for effect, severity in catalogue.SEVERITIES.items():
            body = body.replace(f"<td>{effect}</td>", f'<td><b class="{severity}">{effect}</b></td>')
            body = body.replace(f"<td>{severity}</td>", f'<td><b class="{severity}">{severity}</b></td>')
    if page.address == "rules/index.html":
        return body.replace("<h2", f"{_filter()}\n<h2", 1)
    if page.address != "index.html":
        return body
    readme, ci = ((root / name).read_text("utf-8") for name in ("README.md", "docs/ci.md"))
    output = readme[readme.index("$ dralint check") : readme.index("1 file, 1 object")].split("\n\n")
    action = re.findall(r"```yaml\n(.*?)```", ci, re.DOTALL)[0]
    known = sorted(map(Release.parse, shipped.index()["releases"]["releases"]))
    install = f"pipx install git+{__repository__}\ndralint check deploy\ndralint fix --write deploy\n"
    return Template((HERE / "home.html").read_text("utf-8")).substitute(
        finding=code(f"$ dralint check claim.yaml\n{output[1]}\n".replace("examples/bad/", ""), "text"),
        install=code(install, "sh"),
        command=code(f"{install.splitlines()[0]}\n", "sh"),
        action=code(action, "yaml"),
        commands=body[body.index('<div class="scroll') :],
        rules=len(catalogue.rules()),
        releases=f"{known[0]} to {known[-1]}",
        drivers=len(list((root / "drivers").glob("*.yaml"))),
    )


def _filter() -> str:
    """Return the form that filters the table of the rules; it needs JavaScript, so it is hidden without."""
    rules = catalogue.rules().values()
    kinds = sorted({kind for rule in rules for kind in rule.kinds} - {"all"})
    known = sorted(map(Release.parse, shipped.index()["releases"]["releases"]), reverse=True)
    choices = {"effect": list(MEANING), "kind": kinds, "release": list(map(str, known))}
    selects = "".join(
        f'<label>{name} <select name="{name}"><option value="">all</option>'
        f"{''.join(f'<option>{html.escape(each)}</option>' for each in of)}</select></label>\n"
        for name, of in choices.items()
    )
    return (
        f'<form id="filter" hidden role="search" aria-label="Filter the rules">\n<label>words <input name="words" '
        f'autocomplete="off"></label>\n{selects}<button type="reset">Clear</button>\n<output></output>\n</form>'
    )


_WORD = re.compile(r"[a-z0-9][a-z0-9._-]*")


def searched(found: Iterable[Page]) -> Iterator[dict[str, Any]]:
    """Yield what the search knows of each part of a page: title, heading, address, first words, all other words."""
    for page in found:
        parts = list(sections(page))
        for part in parts:
            entry: dict[str, Any] = {"t": page.title, "h": part.heading if part.anchor else "", "u": page.address}
            entry["u"] += f"#{part.anchor}" if part.anchor else ""
            entry["x"] = (parts[0] if part.lead in ("", TRY) else part).lead[:160]
            shown = {word.strip("._-") for word in _WORD.findall(entry["x"].lower())}
            words = {word.strip("._-") for word in _WORD.findall(f"{part.text} {part.code}".lower())}
            entry["w"] = " ".join(sorted(words - shown))
            phrases = page.phrases if not part.anchor else ()
            if page.address == "rules/topics.html":
                phrases = next((tuple(topic.words) for topic in search.topics() if topic.topic == part.heading), ())
            yield entry | ({"k": list(phrases)} if phrases else {})
