"""Judges one object by the releases of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dralint.kubernetes.near import is_slip
from dralint.kubernetes.served import ADMISSION, is_ours
from dralint.kubernetes.workloads import is_group_of_pods
from dralint.manifest.objects import is_manifest

if TYPE_CHECKING:
    from collections.abc import Callable

    from dralint.finding.problem import Problem
    from dralint.kubernetes.release import Release
    from dralint.lint.releases import Releases
    from dralint.manifest.objects import ApiObject
    from dralint.validate.cascade import Telling


def judge_object(
    releases: Releases, item: ApiObject, telling: Telling = "first"
) -> list[tuple[Problem, list[Release]]] | None:
    """Return the problems of an object with their releases; None where dralint does not judge it."""
    if releases.versions.ours(item.api_version, item.kind) or _has_misspelt_version(item):
        own = is_manifest(item)
        return _by_release(releases, item, lambda one: releases.judge(one).check(item, telling)) if own else None
    if item.group == ADMISSION:
        return _admission(releases, item)
    from dralint.lint import workloads  # its checks are needed where there are Pods
    from dralint.manifest.pod_parts import claim_parts

    if is_group_of_pods(item.group, item.kind):
        if not (parts := claim_parts(item)):
            return None
        return _by_release(releases, item, lambda one: workloads.check_parts(releases.judge(one), item, parts, telling))
    return workloads.judge_workload(releases, item, telling)


def _has_misspelt_version(item: ApiObject) -> bool:
    """Say whether an object has neither `apiVersion` nor `kind`, but an API version of ours under a misspelt key."""
    if item.api_version or item.kind:
        return False
    keys = [key for key, value in item.data.items() if isinstance(value, str) and is_ours(value)]
    if not keys:
        return False

    return any(is_slip(key, "apiVersion") for key in keys)


def _admission(releases: Releases, item: ApiObject) -> list[tuple[Problem, list[Release]]] | None:
    from dralint.validate.admission import admission, speaks_of_ours  # few inputs have policies

    if not speaks_of_ours(item):
        return None
    merged: dict[Problem, list[Release]] = {}
    for problem, release in admission(releases.versions, item, releases.chosen or releases.known[-1:]):
        merged.setdefault(problem, []).append(release)
    return list(merged.items())


def _by_release(
    releases: Releases, item: ApiObject, check: Callable[[Release], list[Problem]]
) -> list[tuple[Problem, list[Release]]]:
    """Return the problems of an object of a group whose served versions are known, by what `check` finds."""
    versions = releases.versions
    key = (item.api_version, item.kind)
    if not releases.chosen:
        newest = versions.known[-1]
        release = versions.newest_serving(*key)
        if release is None:
            import dralint.validate.served as served  # most objects are served

            return [(served.refusal(versions, item, newest), [newest])]
        judging = [release]
        found = [(problem, judging) for problem in check(release)]
        if release != newest:
            import dralint.validate.served as served

            return [*found, (served.removed(versions, item, release), [release])]
        found += releases.lifecycle(item)
        return found
    merged: dict[Problem, list[Release]] = {}
    for release in releases.chosen:
        if key in versions.served(release):
            problems = check(release)
        else:
            import dralint.validate.served as served

            problems = [served.refusal(versions, item, release, releases.chosen)]
        for problem in problems:
            merged.setdefault(problem, []).append(release)
    return [*merged.items(), *releases.lifecycle(item)]
