"""The releases of a run: what each one serves, and its judge, compiled once."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import dralint.kubernetes.workloads as workloads
from dralint.kubernetes.served import ApiVersions
from dralint.lint.release_judge import Judge

if TYPE_CHECKING:
    from dralint.config.settings import Settings
    from dralint.finding.problem import Problem
    from dralint.kubernetes.release import Release
    from dralint.kubernetes.workloads import OwnKind
    from dralint.manifest.objects import ApiObject


DESCRIBED: list[tuple[OwnKind, ...]] = [()]
"""The kinds of custom resources that the settings describe and this process knows."""


def use_workloads(settings: Settings) -> None:
    """Make this process know the kinds that the settings describe."""

    DESCRIBED[0] = settings.workloads
    workloads.use(settings.workloads)


class Releases:
    """The releases that settings choose. Judges are made when they are first needed, and kept."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._judges: dict[Release, Judge] = {}
        self._lifecycles: dict[tuple[str, str], list[tuple[Problem, list[Release]]]] = {}

    @cached_property
    def chosen(self) -> tuple[Release, ...]:
        """The chosen releases, in order; none if the newest release that serves an object judges it."""
        return tuple(sorted(set(self._settings.releases)))

    def serving(self, api_version: str, kind: str) -> list[Release]:
        """Return the releases that judge an object of resource.k8s.io: the chosen ones that serve it."""
        if not self.chosen:
            newest = self.versions.newest_serving(api_version, kind)
            return [] if newest is None else [newest]
        return [release for release in self.chosen if (api_version, kind) in self.versions.served(release)]

    def lifecycle(self, item: ApiObject) -> list[tuple[Problem, list[Release]]]:
        """Return the problems of an object's API version; they are the same for all objects of its kind."""
        key = item.api_version, item.kind
        found = self._lifecycles.get(key)
        if found is None:
            serving = self.serving(*key)
            if self.versions.is_current(*key, serving):
                found = []
            else:
                from dralint.validate.served import lifecycle  # most objects have an API version that stays

                found = lifecycle(self.versions, item, serving, named=bool(self.chosen))
            self._lifecycles[key] = found
        return found

    def judge(self, release: Release) -> Judge:
        """Return the judge of a release."""
        judge = self._judges.get(release)
        if judge is None:
            settings = self._settings
            judge = self._judges[release] = Judge(
                release, dict(settings.gates), index=settings.rules_index, schemas=settings.schemas
            )
        return judge

    @cached_property
    def versions(self) -> ApiVersions:
        """What the known releases serve."""
        return ApiVersions(self._settings.rules_index, self._settings.schemas, self._settings.api_versions)

    @property
    def known(self) -> list[Release]:
        """All releases that dralint has types for, in order."""
        return self.versions.known
