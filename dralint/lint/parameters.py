"""Judges the opaque parameters of an input: by its CustomResourceDefinitions, or as a caller does."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from dralint.lint.placeholders import concerning
from dralint.manifest.objects import objects_of
from dralint.opaque.parameters import judged_by, key_for, parameters_of
from dralint.opaque.schema_file import Definitions, SchemaError, definition_of
from dralint.references.collect import facts
from dralint.references.facts import ClaimFacts, Class, Elsewhere, Found

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from dralint.config.settings import Settings
    from dralint.finding.problem import Problem
    from dralint.lint.release_judge import Releases
    from dralint.lint.run_files import RunFiles
    from dralint.opaque.parameters import Parameters
    from dralint.references.facts import Facts
    from dralint.yaml import Path


_KIND = ("spec", "names", "kind")
_CRD = re.compile(rb"CustomResourceDefinition")


class _Defined(NamedTuple):
    definitions: Definitions
    facts: Facts


def by_definitions(
    known: Sequence[Facts],
    names: Iterable[str],
    files: RunFiles,
    settings_of: Callable[[str], Settings],
    releases_of: Callable[[Settings], Releases],
) -> Iterator[Found]:
    """Yield the problems that CustomResourceDefinitions of the input show in its parameters.

    dralint checks parameters against the definition of their API version and kind, unless the settings name a schema
    for them. Where the input has several definitions, the parameters must fit one of them.

    Args:
        known: the facts of the input.
        names: the names of the files that may define kinds.
        files: finds objects.
        settings_of: returns the settings of a file.
        releases_of: returns the releases of settings.
    """
    users: dict[str, set[tuple[int, Path]]] = {}
    kinds: set[tuple[str, str]] = set()
    for entry in known:
        wanted = _types(entry)
        if wanted:
            kinds |= wanted
            users.setdefault(entry.file, set()).add((entry.document, entry.path))
    defined = _defined(kinds, names, files) if kinds else {}
    if not defined:
        return

    def problems_of(parameters: Parameters) -> Iterator[tuple[Problem, tuple[Elsewhere, ...]]]:
        group, _, kind = parameters.type
        problems, proof = _least(defined.get((group, kind), []), parameters)
        if proof is not None:
            yield from ((problem, (Elsewhere(f"the definition of {kind}", proof, _KIND),)) for problem in problems)

    yield from in_objects(users, problems_of, files, settings_of, releases_of)


def in_objects(
    places: Mapping[str, Collection[tuple[int, Path]]],
    problems_of: Callable[[Parameters], Iterable[tuple[Problem, tuple[Elsewhere, ...]]]],
    files: RunFiles,
    settings_of: Callable[[str], Settings],
    releases_of: Callable[[Settings], Releases],
) -> Iterator[Found]:
    """Yield the problems of parameters, except those with a schema in the settings and those of placeholders.

    Args:
        places: the objects with the parameters, by file: the document and the path in it.
        problems_of: judges parameters; each problem comes with the related places.

    The other arguments are those of `by_definitions`.
    """
    for name, wanted in places.items():
        settings = settings_of(name)
        keys = dict(settings.driver_schemas)
        for _, document, item in files.judged(name):
            if (document.index, item.path) not in wanted:
                continue
            here = facts(item, name, document.index, None)
            judging = tuple(releases_of(settings).serving(item.api_version, item.kind))
            unknown = document.may_have_placeholders and not settings.strict_placeholders
            for parameters in parameters_of(item) if judging else ():
                for problem, elsewhere in problems_of(parameters) if key_for(parameters, keys) is None else ():
                    if not (unknown and concerning(item, problem)):
                        yield Found(here, problem, elsewhere, judging)


def defined_kinds(known: Iterable[Facts], names: Iterable[str], files: RunFiles) -> set[tuple[str, str]]:
    """Return group and kind of the parameters that the input itself defines."""
    kinds = {kind for entry in known for kind in _types(entry)}
    return set(_defined(kinds, names, files)) if kinds else set()


def _types(entry: Facts) -> set[tuple[str, str]]:
    """Return group and kind of the opaque parameters of an object."""
    configs = entry.body.configs if isinstance(entry.body, ClaimFacts | Class) else ()
    return {config.type for config in configs if config.type is not None}


def _least(candidates: Sequence[_Defined], parameters: Parameters) -> tuple[list[Problem], Facts | None]:
    """Return the problems by the first definition of their version; none where the parameters fit another one."""
    group, version, kind = parameters.type
    found: list[tuple[list[Problem], Facts | None]] = [
        (list(judged_by(candidate.definitions, parameters, f"{group}/{kind}")), candidate.facts)
        for candidate in candidates
        if version in candidate.definitions.kinds.get((group, kind), {})
    ]
    return min(found, key=lambda one: bool(one[0]), default=([], None))


def _defined(
    kinds: set[tuple[str, str]], names: Iterable[str], files: RunFiles
) -> dict[tuple[str, str], list[_Defined]]:
    """Return the definitions of the kinds in the input; skip those without a schema."""
    out: dict[tuple[str, str], list[_Defined]] = {}
    words = {kind.encode("utf-8", "replace") for _, kind in kinds}
    for name in names:
        raw = files.raw(name)
        if raw is None or not _CRD.search(raw) or not any(word in raw for word in words):
            continue
        for document, item in objects_of(raw, _CRD):
            defines = definition_of(item)
            if defines is None or defines not in kinds:
                continue
            definitions = Definitions()
            try:
                definitions.add(item.data)
            except SchemaError:
                continue
            out.setdefault(defines, []).append(_Defined(definitions, facts(item, name, document.index, None)))
    return out
