"""Recorded verdicts of the API server, and whether dralint's findings agree with them."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dralint.config.settings import Settings
from dralint.files.git import Text
from dralint.finding.finding import Finding
from dralint.kubernetes.release import Release
from dralint.lint.linter import Linter
from dralint.update.linter import Updates

DATA = Path(__file__).parent.parent / "data" / "conformance"
MODES = ("create", "status", "update")
"""What `dralint check` judges, and what `dralint diff` does: `update` has an old manifest besides."""

DECODING = ("TypeInvalid", "Unknown", "DuplicateKey", "Decode")
_GATES = {"all": (("AllAlpha", True), ("AllBeta", True)), "default": ()}
_INTERNAL = re.compile(r"\.(?:exactly|basic)(?=[.\[]|$)")
_SPELLINGS = (
    (re.compile(r"^status\.claims(?=\[)"), "status.resourceClaims"),
    (re.compile(r"(ownerReferences)\[\d+\]"), r"\1"),
    (re.compile(r"\.deviceID$"), ""),
    (re.compile(r"(matchAttribute)\.domain$"), r"\1"),
    (re.compile(r"\.DeviceConfiguration\b"), ""),
    (re.compile(r"\.uID$"), ".uid"),
    (re.compile(r"^<nil>$"), ""),
)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a server of `release`, with its gates at their defaults or all on, said of one manifest."""

    id: str
    release: str
    gates: str
    mode: str
    text: str
    accepted: bool
    stage: str
    causes: tuple[tuple[str, str], ...]
    dropped: tuple[str, ...]
    old: str

    @property
    def top(self) -> bool:
        """Whether the kind has its fields at the top, without a spec."""
        return "kind: ResourceClass\n" in self.text


def name_of(row: dict[str, Any], source: str) -> str:
    """Return the identity of a recorded verdict; `source` is its file, such as 1.34.all."""
    return f"{source}:{row['mode']}:{row['id']}"


def rows(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the lines of one file of recorded verdicts."""
    with gzip.open(path, "rt", encoding="utf-8", newline="\n") as stream:
        for line in stream:
            yield json.loads(line)


def verdicts(release: str) -> list[Verdict]:
    """Return the recorded verdicts of a release."""
    return [_verdict(row, row["name"], release, row["gates"]) for row in rows(DATA / f"{release}.jsonl.gz")]


def recorded(folder: Path, release: str) -> list[Verdict]:
    """Return all verdicts of a release in a folder of RELEASE.GATES[.KIND].jsonl.gz."""
    out = []
    for path in sorted(folder.glob(f"{release}.*.jsonl.gz")):
        source = path.name.removesuffix(".jsonl.gz")
        out += [_verdict(row, name_of(row, source), release, source.split(".")[2]) for row in rows(path)]
    return out


def _verdict(row: dict[str, Any], name: str, release: str, gates: str) -> Verdict:
    return Verdict(
        name,
        release,
        gates,
        row["mode"],
        row["yaml"],
        row["accepted"],
        row.get("stage", ""),
        tuple((reason, path) for reason, path in row["causes"]),
        tuple(row.get("dropped", ())),
        row.get("old", ""),
    )


def findings(cases: Iterable[Verdict]) -> Iterator[tuple[Verdict, list[Finding]]]:
    """Yield every case with what dralint says of its manifest."""
    engines: dict[tuple[str, str], tuple[Updates, Linter]] = {}
    for case in cases:
        key = (case.release, case.gates)
        if key not in engines:
            settings = Settings(releases=(Release.parse(case.release),), gates=_GATES[case.gates])
            engines[key] = Updates(settings), Linter(settings)
        new = _text(case.text)
        if case.mode == "update":
            report = engines[key][0].compare([_text(case.old)], [new])
        else:
            report = engines[key][1].check(new.name, new.read()).report
            report.sort()
        assert not report.failures, (case.id, report.failures)
        yield case, report.findings


def _text(text: str) -> Text:
    raw = text.encode("utf-8", "surrogatepass")
    return Text("manifest.yaml", "manifest.yaml", lambda: raw)


def disagreement(case: Verdict, found: list[Finding]) -> str | None:
    """Return how dralint differs from the server, None when it agrees: in the verdict, the fields, what is dropped.

    For a validation error the fields must be the same; for a decoding error, where the server stops early and gives
    no indices, its fields must be among dralint's, without many others. The status of a create does not count once it
    is decoded.
    """
    refusals = [f for f in found if f.effect in ("rejected", "unreadable")]
    if case.mode == "create":
        refusals = [f for f in refusals if f.effect == "unreadable" or f.reason in DECODING or not _in_status(f.path)]
    mine = {form(f.path, case) for f in refusals}
    theirs = {form(path, case) for _, path in case.causes}
    if bool(refusals) == case.accepted:
        if case.accepted:
            return f"accepted, dralint refuses {sorted(mine)}"
        return f"refused {sorted(theirs)}, dralint accepts"
    if not case.accepted:
        same = mine == theirs if case.stage == "validate" else _decoding_agrees(case, refusals, mine, len(theirs))
        if not same:
            return f"refused {sorted(theirs)}, dralint {sorted(mine)}"
    elif case.mode == "create":
        gone = {form(f.path, case) for f in found if f.effect == "dropped"}
        dropped = {form(path, case) for path in case.dropped}
        if not (_covered(dropped, gone) and _covered(gone, dropped)):
            return f"dropped {sorted(dropped)}, dralint {sorted(gone)}"
    return None


def _in_status(path: str) -> bool:
    return re.match(r"status(?:\W|$)", path) is not None


def _decoding_agrees(case: Verdict, refusals: list[Finding], mine: set[str], count: int) -> bool:
    if len(mine) > count + 3:
        return False
    for reason, path in case.causes:
        named = form(path, case)
        if reason == "TypeInvalid" and not any(_same_field(f.path, path) for f in refusals):
            return False
        if reason == "Unknown" and named not in mine:
            return False
        if reason == "DuplicateKey" and not any(other == named or other.rpartition(".")[2] == path for other in mine):
            return False
    return True


def _same_field(mine: str, theirs: str) -> bool:
    """Say whether a path without indices names the field; it may stop at the map or list around it."""
    wanted = re.sub(r"\[[^\]]*\]", "", _spelled(theirs)).lower().split(".")
    have = _dotted(_INTERNAL.sub("", mine)).lower().split(".")
    rest = iter(have)
    return all(part in rest for part in wanted) and wanted[-1] in have[-2:]


def _covered(paths: set[str], by: set[str]) -> bool:
    return all(any(other == path or other.startswith(f"{path}.") for other in by) for path in paths)


def form(path: str, case: Verdict) -> str:
    """Return a path, of a server or of dralint, in the one form in which they are compared."""
    path = _spelled(path)
    return _dotted(path if case.top else re.sub(r"^suitableNodes", "spec.suitableNodes", path))


def _spelled(path: str) -> str:
    """Return a server's path as the manifest spells it: without fields of internal types and old spellings."""
    path = _INTERNAL.sub("", path)
    for pattern, form in _SPELLINGS:
        path = pattern.sub(form, path)
    return path


def _dotted(path: str) -> str:
    return re.sub(r"\[([^\]]*)\]", r".\1", path)
