"""Reads dumps of a cluster part by part, and reports only what no cluster can contain."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dralint.config.settings import Settings
from dralint.decode.decoder import Findings
from dralint.files.dump_filter import only_kinds
from dralint.files.text_parts import parts_of
from dralint.finding.report import Report
from dralint.finding.rule_ids import NOT_SERVED
from dralint.kubernetes.groups import is_ours
from dralint.lint.linter import Linter
from dralint.lint.pool import Task, judge_bytes
from dralint.lint.verdict import judge_object
from dralint.manifest.objects import objects
from dralint.yaml import read

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from dralint.files.source import Source
    from dralint.files.text_parts import TextPart
    from dralint.finding.finding import Finding
    from dralint.manifest.objects import ApiObject

_TYPE_ERRORS = {"TypeInvalid", "Decode"}
"""Reasons of problems that no object of a cluster can have. Other findings may be due to an older release."""

_WITHOUT_PODS = ("Namespace", "Node", "ResourceQuota")


class InventoryReader:
    """Reads inventories. `report` has the findings that show an invalid inventory, `unreadable` the first text without
    data.

    Args:
        advance: called with the number of bytes read.
    """

    def __init__(self, gates: tuple[tuple[str, bool], ...], advance: Callable[[int], None] | None = None) -> None:
        self._settings = Settings(gates=gates, ignore_status=False)
        self._linter = Linter(self._settings, collects=False)
        self._advance = advance
        self.report = Report()
        self.unreadable = ""

    def objects(self, source: Source) -> Iterator[dict[str, Any]]:
        """Yield the objects of a source; raise OSError where it cannot be read."""
        for part in parts_of(source):
            if source.folder:  # a dump of a whole cluster has many objects that do not matter
                part = part._replace(raw=only_kinds(part.raw))
            documents = list(read(part.raw))
            found = [item for document in documents if document.state == "read" for item in objects(document.data)]
            plain = all(document.state in ("read", "empty") and not document.problems for document in documents)
            if not (plain and all(map(self._is_sound, found))):
                self._judge(source.name, part)
            for document in documents:
                if document.state == "unreadable" and not self.unreadable:
                    line, message = document.fault
                    place = f"{source.name}:{line + part.line}"
                    self.unreadable = f"{place}: the inventory cannot be read here: {message}"
            for item in found:
                yield {**item.data, "apiVersion": item.api_version, "kind": item.kind}
            if self._advance is not None:
                self._advance(len(part.raw))

    def _is_sound(self, item: ApiObject) -> bool:
        """Say whether the fields of an object have their types; other rules on their values do not count."""
        releases = self._linter.releases
        if not (item.api_version and item.kind):
            return False
        if releases.versions.ours(item.api_version, item.kind):
            serving = releases.serving(item.api_version, item.kind)
            if not serving:
                return False
            found = Findings([], [])
            releases.judge(serving[-1]).api(item.api_version).decoders.struct(item.kind)(item.data, None, found)
            return not found.problems
        if not item.group and item.kind in _WITHOUT_PODS:
            return True
        judged = judge_object(releases, item)
        return judged is None or not any(problem.reason in _TYPE_ERRORS for problem, _ in judged)

    def _judge(self, name: str, part: TextPart) -> None:
        report = judge_bytes(self._linter, name, part.raw, Task(self._settings, excerpts=True)).report
        report.findings = [
            finding._replace(line=finding.line + part.line, end_line=finding.end_line + part.line)
            for finding in report.findings
            if finding.effect == "unreadable" or (finding.effect == "rejected" and _is_impossible(finding))
        ]
        report.excerpts = {(at, line + part.line, column): e for (at, line, column), e in report.excerpts.items()}
        self.report.extend(report)


def _is_impossible(finding: Finding) -> bool:
    """Say whether no cluster can have the object: a value has another type, or no release serves its API version."""
    version = str((finding.object or {}).get("apiVersion"))
    return finding.reason in _TYPE_ERRORS or (finding.rule == NOT_SERVED and is_ours(version))
