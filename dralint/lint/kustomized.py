"""Findings in files that Kustomizations and charts change: dropped, added, pointed at the template."""

from __future__ import annotations

from bisect import bisect_right
from pathlib import Path
from typing import TYPE_CHECKING

from dralint.files.kustomize import NAMES, Builds, plain
from dralint.finding import rule_ids
from dralint.finding.finding import RENDERED, RENDERED_HERE, Related
from dralint.finding.words import quoted
from dralint.kubernetes.served import CLUSTER_SCOPED
from dralint.lint.run_files import SOURCE
from dralint.references.facts import NAME, Elsewhere, WorkloadFacts, is_open

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from dralint.files.kustomize import Made
    from dralint.files.source import Source
    from dralint.finding.report import Report
    from dralint.references.facts import Facts, Found
    from dralint.references.world import World
    from dralint.yaml import Path as FieldPath


_BY_NAME = frozenset(
    {
        rule_ids.CLAIM_NOT_FOUND,
        rule_ids.TEMPLATE_NOT_FOUND,
        rule_ids.CLAIM_REQUEST_NOT_FOUND,
        rule_ids.CLASS_NOT_FOUND,
        rule_ids.PARAMETERS_NOT_FOUND,
    }
)
_BY_NAMESPACE = _BY_NAME | {
    rule_ids.PARAMETERS_NAMESPACE,
    rule_ids.NAMESPACE_NOT_FOUND,
    rule_ids.ADMIN_ACCESS_LABEL,
    rule_ids.QUOTA_EXCEEDED,
    rule_ids.QUOTA_TOO_SMALL,
}


def still_found(
    found: list[Found],
    known: Sequence[Facts],
    files: Sequence[str],
    reader: Callable[[str], bytes | None],
    again: Callable[[list[Facts]], list[Found]],
) -> list[Found]:
    """Return the findings that also hold after Kustomizations have changed the objects.

    Args:
        found: the findings among the objects as they are written.
        known: the facts of all objects.
        files: the names of all files of the run.
        reader: reads a file of the run.
        again: returns the findings among other facts.
    """
    doubtful = [each for each in found if each.problem.rule in _BY_NAMESPACE]
    if not doubtful:
        return found

    around = [name for each in doubtful for name in _files(each)]
    builds = Builds(files, reader, around)
    made = {name: builds.made(name) for name in {entry.file for entry in known}}
    found = [
        each
        for each in found
        if each.problem.rule not in _BY_NAME or not any(name in made and made[name].edited for name in _files(each))
    ]
    moved = [facts for entry in known for facts in _moved(entry, made[entry.file])]
    if moved == list(known):
        return found
    still = {_place(each): each for each in again(moved)}
    return [
        still.get(_place(each), each)
        for each in found
        if each.problem.rule not in _BY_NAMESPACE or _place(each) in still
    ]


def _files(found: Found) -> Iterator[str]:
    yield found.facts.file
    for other in found.elsewhere:
        yield other.facts.file


def _moved(entry: Facts, made: Made) -> Iterator[Facts]:
    """Yield an object as Kustomizations build it, and under each name that it gets."""
    cluster_scoped = entry.kind == "Namespace" or entry.kind in CLUSTER_SCOPED
    namespace = None if cluster_scoped else made.namespace or (None if entry.namespace else made.fallback)
    here = entry if namespace is None else entry._replace(namespace=namespace)
    yield here
    if entry.name is not None and not isinstance(entry.body, WorkloadFacts):
        for prefix, suffix in sorted(made.affixes):
            yield here._replace(name=f"{prefix}{entry.name}{suffix}", body=None)


def _place(found: Found) -> tuple[object, ...]:
    return found.facts.file, found.facts.document, found.facts.path, found.problem.rule, found.problem.path


_LONGEST = 4_096


def add_templates(report: Report, sources: Iterable[Source]) -> None:
    """Give each finding below a comment `# Source: CHART/templates/FILE` that template as a related place."""
    for source in sources:
        try:
            templates = _templates(source.read())
        except (OSError, MemoryError):
            continue
        lines = [line for line, _ in templates]
        for number, finding in enumerate(report.findings):
            at = bisect_right(lines, finding.line) - 1 if finding.file == source.name else -1
            template = templates[at][1] if at >= 0 else ""
            if template:
                file = _file(template, source.name)
                place = Related(RENDERED if file is None else RENDERED_HERE, file or template, 1, 1)
                report.findings[number] = finding._replace(related=(*finding.related, place))


def _templates(raw: bytes) -> list[tuple[int, str]]:
    """Return the lines from which on a template counts, in order; "" for none."""
    found: list[tuple[int, str]] = []
    for number, line in enumerate(raw.splitlines(), 1):
        if line.startswith(SOURCE):
            found.append((number, _path(line)))
        elif line.startswith(b"---"):
            found.append((number, ""))
    return found


def _path(line: bytes) -> str:
    """Return the path in a comment; "" for one that cannot be of a file in a chart."""
    path = line[len(SOURCE) :].decode("utf-8", "replace").strip()
    parts = path.split("/")
    plain = len(path) <= _LONGEST and path.isprintable() and "\\" not in path and ":" not in path
    return path if plain and len(parts) > 1 and not {"", ".", ".."}.intersection(parts) else ""


def _file(template: str, name: str) -> str | None:
    """Return the name of the template's file: in the folder that the input is named after, or in this one."""
    inside = template.partition("/")[2]  # the chart's folder can have another name than the chart
    folders = [Path(name), Path()] if Path(name).is_dir() else [Path()]
    several = (folder / path for folder in folders for path in (template, inside))
    return next((str(one) for one in several if one.is_file()), None)


_AFFIXES = (b"namePrefix", b"nameSuffix")
_HINT = (
    "add the reference to Kustomize: list a file below `configurations:` that has, below `nameReference:`, "
    "`kind: {kind}` with the fieldSpec `path: {path}, kind: {of}`"
)


def broken_references(world: World, files: Sequence[str], reader: Callable[[str], bytes | None]) -> Iterator[Found]:
    """Yield the references whose targets Kustomizations of the input rename.

    Kustomize renames every object except Namespaces, CustomResourceDefinitions and APIServices. It updates only the
    references in its table, and that has none of resource.k8s.io. Sources: PrefixTransformer.go and
    builtinpluginconsts/namereference.go of sigs.k8s.io/kustomize/api (v0.19.0 to v0.21.3).
    """
    named = [name for name in files if name.endswith(NAMES)]
    if not named or next(_references(world), None) is None:
        return
    texts = {name: reader(name) for name in named}
    if not any(affix in text for text in texts.values() if text is not None for affix in _AFFIXES):
        return

    places = {name: plain(Path(name).absolute()) for name, text in texts.items() if text is not None}
    kustomizations = {place.parent: name for name, place in places.items() if place.name in NAMES}
    builds = Builds(files, reader, [facts.file for facts, *_ in _references(world)])
    for facts, path, targets in _references(world):
        found = _renaming(builds, facts, targets)
        if found is None or found[0] not in kustomizations:
            continue
        directory, name = found
        target = targets[0]
        message = (
            f"{kustomizations[directory]} renames the {target.kind} {quoted(target.name)} to {quoted(name)}, but "
            "Kustomize does not change this reference: no object has this name"
        )
        steps = zip(path, (*path[1:], None), strict=True)
        names = (f"{part}[]" if isinstance(after, int) else str(part) for part, after in steps if isinstance(part, str))
        field = "/".join(names)
        hint = _HINT.format(kind=target.kind, path=field, of=facts.kind)
        yield world.found(
            facts, rule_ids.RENAMED_BY_KUSTOMIZE, path, message, hint, Elsewhere(f"the {target.kind}", target, NAME)
        )


def _references(world: World) -> Iterator[tuple[Facts, FieldPath, list[Facts]]]:
    """Yield each reference to an object of the input: the path of the name, and the possible targets."""
    for facts, _, pod in world.workloads:
        for entry in pod.entries:
            targets = world.target(facts, entry)
            if targets and not is_open(entry.target):
                yield facts, entry.field, targets
    for facts, claim in world.claims:
        for request in claim.requests:
            if request.device_class is not None and (classes := world.classes(request.device_class)):
                yield facts, (*request.path, "deviceClassName"), [one for one, _ in classes]


def _renaming(builds: Builds, facts: Facts, targets: list[Facts]) -> tuple[Path, str] | None:
    """Return the directory of a Kustomization that builds both and renames all targets, and the first new name."""
    if any(builds.made(file).edited for file in {facts.file, *(target.file for target in targets)}):
        return None
    both = [{end.directory: end for end in builds.named_by(target.file) or ()} for target in targets]
    for end in sorted(builds.named_by(facts.file) or (), key=lambda one: one.directory):
        there = [ends[end.directory] for ends in both if end.directory in ends]
        if there and all(one.prefix or one.suffix for one in there):
            return end.directory, f"{there[0].prefix}{targets[0].name}{there[0].suffix}"
    return None
