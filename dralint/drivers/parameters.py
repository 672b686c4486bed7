"""Judges opaque parameters by all judging versions of a driver."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dralint.drivers.decoding import CHANGED, DROPPED, GATE, REFUSED, Reader
from dralint.finding.problem import Problem, Repair
from dralint.finding.rule_ids import (
    DRIVER_DROPS_PARAMETERS,
    DRIVER_GATE_OFF,
    DRIVER_REFUSES_IN_SOME_VERSIONS,
    DRIVER_REFUSES_PARAMETERS,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dralint.drivers.choice import TargetVersions
    from dralint.drivers.decoding import Complaint
    from dralint.yaml import Path

_RULES = {GATE: DRIVER_GATE_OFF, DROPPED: DRIVER_DROPS_PARAMETERS, CHANGED: DRIVER_DROPS_PARAMETERS}


class ParameterJudge:
    """Judges the parameters of one driver.

    Args:
        target: the versions that judge.
    """

    def __init__(self, target: TargetVersions) -> None:
        self.target = target
        pack, versions = target.pack, list(target.versions)
        if len(versions) > 1:  # a version that does not read parameters refuses none
            versions = [version for version in versions if "parameters" in pack.at(version)]
            versions += [variant for version in versions for variant in pack.variants(version)]
        self._readers = {v: Reader(pack, v, target.gate(v.partition("+")[0])) for v in versions}

    def check(self, parameters: dict[str, Any], path: Path) -> Iterator[Problem]:
        """Yield the problems of parameters at a path."""
        target = self.target
        newest = self._readers.get(target.newest)
        if newest is None:
            return
        if newest.rules is not None and newest.rules.get("ignored"):
            message = f"the driver does not read parameters, so these have no effect ({target.label})"
            yield Problem(DRIVER_DROPS_PARAMETERS, path, message, None, "remove this entry of `config`")
            return
        if newest.rules is None and "parameters" in target.pack.data and target.version is not None:
            since = target.pack.data["parameters"]["since"]
            message = f"the driver reads parameters only since {since}, so these have no effect ({target.label})"
            yield Problem(
                DRIVER_DROPS_PARAMETERS, path, message, None, "upgrade the driver, or remove this entry of `config`"
            )
            return
        if self._of_impersonator(parameters):
            return
        said = {version: reader.read(parameters) for version, reader in self._readers.items()}
        latest = said[target.newest]
        refusing = {version: [c for c in found if c.does == REFUSED] for version, found in said.items()}
        certain = _alike(refusing[target.newest], list(refusing.values()))
        for each in refusing[target.newest]:
            if each in certain:
                yield _problem(DRIVER_REFUSES_PARAMETERS, each, path, target.label)
            else:
                since = "" if target.doubt else f" since {_first(each, refusing, target)}"
                yield _problem(DRIVER_REFUSES_IN_SOME_VERSIONS, each, path, f"{target.label}{since}")
        for each in latest:
            if each.does != REFUSED and not (refusing[target.newest] and each.does == GATE):
                yield _problem(_RULES[each.does], each, path, target.label)

    def _of_impersonator(self, parameters: dict[str, Any]) -> bool:
        """Say whether parameters belong to another driver of the same name; a chosen version decides."""
        if self.target.version is not None or self.target.doubt:
            return False
        pack, written = self.target.pack, str(parameters.get("apiVersion"))
        if self.target.is_example:
            group, rules = written.lower().partition("/")[0], pack.data["parameters"]
            kinds = [row["kind"] for row in rules["kinds"]]
            alike = parameters.get("kind") in kinds and ".example." not in f".{group}"
            return not alike and group != str(rules["apiVersion"]).partition("/")[0]
        return any(written == other["apiVersion"] for other in pack.data.get("impersonators", ()))


def _alike(newest: list[Complaint], several: list[list[Complaint]]) -> list[Complaint]:
    """Return the complaints of the newest version that all share; if all refuse for different reasons, those of the
    newest."""
    if not all(several):
        return []
    common = set.intersection(*({(each.path, each.about) for each in found} for found in several))
    return [each for each in newest if (each.path, each.about) in common] or newest


def _first(wanted: Complaint, refusing: dict[str, list[Complaint]], target: TargetVersions) -> str:
    """Return the first version from which on all versions up to the newest have a complaint."""
    first = target.newest
    for version in reversed(target.versions[: target.versions.index(target.newest) + 1]):
        if not any((each.path, each.about) == (wanted.path, wanted.about) for each in refusing.get(version, ())):
            break
        first = version
    return first


def _problem(rule: str, found: Complaint, path: Path, label: str) -> Problem:
    message = f"{found.message} ({label})"
    repair = None if found.repair is None else _guess(found.repair, path)
    return Problem(rule, (*path, *found.path), message, None, found.hint, target=found.target, repair=repair)


def _guess(repair: Repair, path: Path) -> Repair:
    """Return a repair of parameters at a path; a guess, since the cluster may run another version of the driver."""
    return Repair(tuple(change._replace(path=(*path, *change.path)) for change in repair.changes))
