"""References that a Kustomization breaks because it renames their target and does not know the reference.

Kustomize renames every object except Namespaces, CustomResourceDefinitions and APIServices. It updates only the
references in its table, and that has none of resource.k8s.io. Sources: PrefixTransformer.go and
builtinpluginconsts/namereference.go of sigs.k8s.io/kustomize/api (v0.19.0 to v0.21.3).
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from dralint.files.kustomize import NAMES, Builds, plain
from dralint.finding.rule_ids import RENAMED_BY_KUSTOMIZE
from dralint.finding.words import quoted
from dralint.references.facts import NAME, Elsewhere, is_open

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from dralint.references.facts import Facts, Found
    from dralint.references.world import World
    from dralint.yaml import Path as FieldPath

_AFFIXES = (b"namePrefix", b"nameSuffix")
_HINT = (
    "add the reference to Kustomize: list a file below `configurations:` that has, below `nameReference:`, "
    "`kind: {kind}` with the fieldSpec `path: {path}, kind: {of}`"
)


def broken_references(world: World, files: Sequence[str], reader: Callable[[str], bytes | None]) -> Iterator[Found]:
    """Yield the references whose targets Kustomizations of the input rename."""
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
        field = "/".join(f"{part}[]" if isinstance(after, int) else str(part) for part, after in _pairs(path))
        hint = _HINT.format(kind=target.kind, path=field, of=facts.kind)
        yield world.found(
            facts, RENAMED_BY_KUSTOMIZE, path, message, hint, Elsewhere(f"the {target.kind}", target, NAME)
        )


def _references(world: World) -> Iterator[tuple[Facts, FieldPath, list[Facts]]]:
    """Yield each reference to an object of the input: the path of the name, and the possible targets."""
    for facts, _, pod in world.workloads():
        for entry in pod.entries:
            targets = world.target(facts, entry)
            if targets and not is_open(entry.target):
                yield facts, entry.field, targets
    for facts, claim in world.claims():
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


def _pairs(path: FieldPath) -> Iterator[tuple[str | int, str | int | None]]:
    """Yield the names of fields in a path, each with what follows it."""
    for position, part in enumerate(path):
        if not isinstance(part, int):
            yield part, path[position + 1] if position + 1 < len(path) else None
