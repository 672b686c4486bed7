"""References to parameters of the classic API (1.26 to 1.30) from claims and classes, and from generated parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dralint.finding.rule_ids import PARAMETERS_NAMESPACE, PARAMETERS_NOT_FOUND
from dralint.finding.words import quoted
from dralint.kubernetes.workloads import GROUP
from dralint.references.facts import ClaimFacts, Class
from dralint.references.names import is_open
from dralint.references.other_facts import Definition, Generated
from dralint.references.problem import NAME, Elsewhere
from dralint.references.world import where

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from dralint.references.facts import Facts, ParametersRef
    from dralint.references.problem import Found
    from dralint.references.world import World


_NAMESPACED = {
    ("", "ConfigMap"): True,
    ("", "Secret"): True,
    ("", "Node"): False,
    ("", "Namespace"): False,
    (GROUP, "ResourceClassParameters"): True,
    (GROUP, "ResourceClaimParameters"): True,
}
"""Whether kinds of Kubernetes itself, as far as they may hold parameters, live in namespaces."""


def references(facts: Iterable[Facts]) -> Iterator[tuple[Facts, ParametersRef]]:
    """Yield the references to parameters of all objects."""
    for entry in facts:
        body = entry.body
        if isinstance(body, ClaimFacts | Class) and body.parameters is not None:
            yield entry, body.parameters
        elif isinstance(body, Generated) and body.source is not None:
            yield entry, body.source


def parameters(world: World) -> Iterator[Found]:
    """Yield references to missing parameters, and those of classes with an extra or missing namespace."""
    for facts, reference in references(world.index.facts):
        if is_open(reference.name) or is_open(reference.namespace):
            continue
        if isinstance(facts.body, Class):
            scope = _scope(world, facts, reference)
            if scope is not None:
                yield scope
                continue
            namespaced = reference.namespace is not None
            yield from _missing(world, facts, reference, reference.namespace, namespaced=namespaced)
        elif not (isinstance(facts.body, Generated) and facts.kind == "ResourceClassParameters"):
            yield from _missing(world, facts, reference, world.scope.namespace_of(facts), namespaced=True)


def _candidates(world: World, reference: ParametersRef) -> list[Facts]:
    return [entry for entry in world.index.named(reference.kind, reference.name) if entry.group == reference.group]


def _missing(
    world: World, facts: Facts, reference: ParametersRef, namespace: str | None, *, namespaced: bool
) -> Iterator[Found]:
    """Yield that the parameters are not in the namespace of the reference."""
    index, kind, name = world.index, reference.kind, reference.name
    found = _candidates(world, reference)
    if not namespaced and found:
        return
    if any(index.may_be_in(entry, namespace) for entry in found) or index.may_become(kind, name):
        return
    path = (*reference.path, "name")
    what = "the claim is never allocated, and Pods that use it stay Pending"
    if reference.path == ("generatedFrom",):
        what = "nothing finds the parameters that were generated from it"
    if found:
        there = found[0].namespace
        message = (
            f"the {kind} {quoted(name)} is in namespace {quoted(there)}, but the reference means namespace "
            f"{quoted(namespace)}: {what}"
        )
        hint = f"create it in namespace {namespace} as well"
        elsewhere = Elsewhere(f"the {kind}", found[0], ("metadata", "namespace"))
        if reference.namespace is not None:
            path = (*reference.path, "namespace")
            hint = f"write namespace: {there}, or {hint}"
        yield world.found(facts, PARAMETERS_NOT_FOUND, path, message, hint, elsewhere)
        return
    near = index.near(kind, namespace, name)
    if near is None and world.scope.complete:
        near = index.closest(kind, namespace, name)
    if near is not None and near.group != reference.group:
        near = None
    message = f"there is no {kind} {quoted(name)}{where(namespace)}: {what}"
    if near is not None:
        hint = f"did you mean {quoted(near.name)}?"
        elsewhere = Elsewhere(f"the {kind} {quoted(near.name)}", near, NAME)
        repair = world.respelt(path, name, kind, namespace)
        yield world.found(facts, PARAMETERS_NOT_FOUND, path, message, hint, elsewhere, repair=repair)
    elif world.scope.complete:
        yield world.found(facts, PARAMETERS_NOT_FOUND, path, message, f"write a {kind} {name}, or correct the name")


def _scope(world: World, facts: Facts, reference: ParametersRef) -> Found | None:
    """Return the problem that a class's reference has an extra or missing namespace; None where that is not certain."""
    known = _NAMESPACED.get((reference.group, reference.kind))
    proof: Facts | None = None
    proof_path: tuple[str, ...] = NAME  # type: ignore[assignment]
    for entry in world.index.all("CustomResourceDefinition"):
        body = entry.body
        if isinstance(body, Definition) and (body.group, body.kind) == (reference.group, reference.kind):
            known, proof, proof_path = body.namespaced, entry, ("spec", "scope")
    found = _candidates(world, reference)
    placed = next((entry for entry in found if entry.namespace is not None), None)
    if placed is not None and (known is None or known):
        known, proof, proof_path = True, placed, ("metadata", "namespace")
    path = (*reference.path, "namespace")
    effect = "the driver does not find the parameters, and claims of this class are never allocated"
    if known is True and reference.namespace is None:
        namespace = "NAMESPACE" if placed is None or placed.namespace is None else placed.namespace
        message = f"the reference has no namespace, but a {reference.kind} belongs to one: {effect}"
        hint = f"write namespace: {namespace}"
    elif known is False and reference.namespace is not None:
        message = (
            f"the reference has the namespace {quoted(reference.namespace)}, but a {reference.kind} is cluster-scoped: "
            f"{effect}"
        )
        hint = "remove the namespace"
    else:
        return None
    elsewhere = () if proof is None else (Elsewhere(f"the {proof.kind}", proof, proof_path),)
    return world.found(facts, PARAMETERS_NAMESPACE, path, message, hint, *elsewhere)
