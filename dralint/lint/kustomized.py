"""Drops findings between objects that no longer hold after Kustomizations set names and namespaces.

A base can have other names and namespaces than the cluster: the Kustomizations above it set them. dralint reads those
only if there is a finding to check.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dralint.finding import rule_ids
from dralint.kubernetes.served import CLUSTER_SCOPED
from dralint.references.facts import WorkloadFacts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from dralint.files.kustomize_builds import Made
    from dralint.references.facts import Facts
    from dralint.references.problem import Found

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
    from dralint.files.kustomize_builds import Builds

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
