"""Judges the examples of the catalogue with dralint itself, for its tests and for the pages of the rules."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dralint.config.settings import Settings
from dralint.finding import catalogue
from dralint.finding.rule_ids import NOT_A_MANIFEST, NOT_SERVED, REMOVED_API_VERSION, UNKNOWN_KIND
from dralint.kubernetes import gates
from dralint.kubernetes.release import in_range
from dralint.kubernetes.served import ApiVersions
from dralint.kubernetes.workloads import GROUP
from dralint.lint.linter import Linter
from dralint.lint.pool import Task, excerpts_of, judge_texts
from dralint.manifest.objects import objects
from dralint.yaml import read

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from dralint.finding.catalogue import Rule
    from dralint.finding.finding import Finding
    from dralint.finding.report import Report
    from dralint.kubernetes.release import Release

_ABOUT_SERVING = frozenset({NOT_A_MANIFEST, UNKNOWN_KIND, NOT_SERVED, REMOVED_API_VERSION})


SLICES = "inventory.yaml"
"""The name of an example's inventory."""


def manifest(example: Mapping[str, Any]) -> bytes:
    """Return the bytes of an example of one file; its `encoding` is UTF-8 unless it says otherwise."""
    text: str = example["manifest"]
    return text.encode(example.get("encoding", "utf-8"))


def texts(example: Mapping[str, Any], name: str = "manifest.yaml") -> list[tuple[str, bytes]]:
    """Return name and bytes of each file of an example; `name` is that of the only one."""
    if "files" in example:
        return [(name, text.encode()) for name, text in example["files"].items()]
    return [(name, manifest(example))]


def expected_rules(rule: Rule, example: Mapping[str, Any]) -> set[str]:
    """Return the rules whose findings the example expects."""
    return {row.get("rule", rule.id) for row in example.get("expect", [])}


def releases(rule: Rule, example: Mapping[str, Any]) -> list[Release]:
    """Return the releases that the example applies to.

    They lie in the ranges of the rule and of the example, and serve the objects in it (unless being served is what
    the example is about).
    """
    versions = ApiVersions()
    wanted = [
        release
        for release in versions.known
        if in_range(rule.releases, release) and in_range(example.get("releases", ".."), release)
    ]
    if expected_rules(rule, example) & _ABOUT_SERVING:
        return wanted
    needed = {identity for _, raw in texts(example) for identity in _identities(raw)}
    return [release for release in wanted if needed <= versions.served(release)]


def _identities(raw: bytes) -> Iterator[tuple[str, str]]:
    for document in read(raw):
        for item in objects(document.data) if document.state == "read" else ():
            if item.group == GROUP:
                yield item.api_version, item.kind


class Bench:
    """Judges examples, and keeps what is compiled from one to the next."""

    def __init__(self) -> None:
        self._engines: dict[tuple[Release | None, str, bool, str | None], Linter] = {}

    def report(self, example: Mapping[str, Any], release: Release | None, name: str = "manifest.yaml") -> Report:
        """Return the sorted report on an example, with excerpts; without a release, as a run without one.

        An example with `before` is judged as an update of that.
        """
        switched, complete, namespace = (
            example.get("gates", ""),
            example.get("complete", False),
            example.get("namespace"),
        )
        linter = self._engines.get((release, switched, complete, namespace))
        if linter is None:
            settings = Settings(
                releases=() if release is None else (release,),
                gates=tuple(gates.parse(switched).items()),
                namespace=namespace,
                complete=complete,
            )
            linter = self._engines[release, switched, complete, namespace] = Linter(settings)
        if "before" in example:
            return _update(linter.settings, example, name)
        inventory = [(SLICES, example["slices"].encode())] if "slices" in example else []
        read = texts(example, name)
        report = judge_texts(linter, read, Task(linter.settings), inventory)
        for file, raw in read:
            report.excerpts.update(excerpts_of(file, raw, report.findings))
        return report

    def findings(self, rule: Rule, example: Mapping[str, Any], release: Release | None) -> list[Finding]:
        """Return the findings of the example, without notices that it does not expect."""
        passed_over = catalogue.API_VERSION_NOTICES - expected_rules(rule, example)
        return [finding for finding in self.report(example, release).findings if finding.rule not in passed_over]

    def fixed(
        self, rule: Rule, example: Mapping[str, Any], release: Release | None, *, unsafe: bool = False
    ) -> tuple[str, list[Finding]]:
        """Return the manifest of an example after `dralint fix`, and the findings that are left."""
        texts, left = self.fixed_files(rule, example, release, unsafe=unsafe)
        return texts["manifest.yaml"], left

    def fixed_files(
        self, rule: Rule, example: Mapping[str, Any], release: Release | None, *, unsafe: bool = False
    ) -> tuple[dict[str, str], list[Finding]]:
        """Return the files of an example by name after `dralint fix`, and the findings that are left."""
        from dralint.files.source import Source
        from dralint.fix.files import fix

        settings = Settings(
            releases=() if release is None else (release,),
            gates=tuple(gates.parse(example.get("gates", "")).items()),
            ignore=tuple(sorted(catalogue.API_VERSION_NOTICES - expected_rules(rule, example))),
            namespace=example.get("namespace"),
            complete=example.get("complete", False),
        )
        inventory = [Source(SLICES, None, example["slices"].encode())] if "slices" in example else []
        sources = [Source(name, None, raw) for name, raw in texts(example)]
        fixing = fix(sources, settings, unsafe=unsafe, inventory=inventory)
        after = {file.source.name: file.before if file.after is None else file.after for file in fixing.files}
        encoding = example.get("encoding", "utf-8")
        return {name: raw.decode(encoding) for name, raw in after.items()}, fixing.report.findings


def _update(settings: Settings, example: Mapping[str, Any], name: str) -> Report:
    from dralint.files.git import Text
    from dralint.update.linter import Updates

    before: str = example["before"]
    old = Text(f"before/{name}", name, before.encode)
    return Updates(settings).compare([old], [Text(name, name, lambda: manifest(example))], excerpts=True)
