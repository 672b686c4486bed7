"""Maintains the recorded verdicts under tests/data/conformance.

    python -m tests.conformance.sample --from DIR    draws the sample anew from DIR/RELEASE.GATES[.KIND].jsonl.gz
    python -m tests.conformance.sample --known       writes the list of known differences anew

The draw is by a hash of each verdict's name, so it is the same wherever it is done. Reasons that a person wrote into
the list of known differences stay with their verdicts.
"""

from __future__ import annotations

import argparse
import collections
import gzip
import hashlib
import io
import json
from pathlib import Path
from typing import Any

from tests.conformance import verdicts

PER_STRATUM = {
    ("all", "create"): 45,
    ("all", "status"): 18,
    ("all", "update"): 12,
    ("default", "create"): 24,
    ("default", "status"): 10,
    ("default", "update"): 6,
    ("text", "create"): 30,
    ("real", "create"): 12,
}
"""How many are drawn of each release, group, mode and outcome (accepted, refused in decoding, in validation)."""

LONGEST = 30_000
KNOWN = verdicts.DATA / "known_differences.json"
UNEXAMINED = "not examined yet"


def draw(folder: Path) -> dict[str, list[dict[str, Any]]]:
    """Return release → the drawn verdicts, by name."""
    drawn: dict[str, list[dict[str, Any]]] = collections.defaultdict(list)
    for path in sorted(folder.glob("*.jsonl.gz")):
        source = path.name.removesuffix(".jsonl.gz")
        major, minor, gates, *kind = source.split(".")
        release, group = f"{major}.{minor}", kind[0] if kind else gates
        strata: dict[tuple[str, str], list[tuple[str, dict[str, Any]]]] = collections.defaultdict(list)
        for row in verdicts.rows(path):
            if len(row["yaml"]) > LONGEST:
                continue
            name = verdicts.name_of(row, source)
            stage = "accepted" if row["accepted"] else row["stage"]
            strata[row["mode"], stage].append((hashlib.sha256(name.encode()).hexdigest(), row | {"name": name}))
        for (mode, _), found in sorted(strata.items()):
            found.sort(key=lambda pair: pair[0])
            for _, row in found[: PER_STRATUM[group, mode]]:
                drawn[release].append(_kept(row, gates))
    return {release: sorted(found, key=lambda row: str(row["name"])) for release, found in drawn.items()}


def _kept(row: dict[str, Any], gates: str) -> dict[str, Any]:
    kept: dict[str, Any] = {key: row[key] for key in ("name", "mode", "yaml", "accepted", "causes") if key in row}
    kept |= {key: row[key] for key in ("old", "stage", "dropped") if row.get(key)}
    return kept | {"gates": gates, "cel": any("cel" in edit for edit in row["edits"])}


def write(folder: Path) -> None:
    """Draw the sample and write a file for each release."""
    for release, found in draw(folder).items():
        buffer = io.BytesIO()
        with gzip.GzipFile(fileobj=buffer, mode="wb", compresslevel=9, mtime=0, filename="") as stream:
            for row in found:
                stream.write((json.dumps(row, sort_keys=True) + "\n").encode())
        (verdicts.DATA / f"{release}.jsonl.gz").write_bytes(buffer.getvalue())


def known() -> None:
    """Write the list of known differences anew."""
    before: dict[str, str] = json.loads(KNOWN.read_text("utf-8")) if KNOWN.exists() else {}
    releases = sorted(path.name.removesuffix(".jsonl.gz") for path in verdicts.DATA.glob("*.jsonl.gz"))
    after: dict[str, str] = {}
    for release in releases:
        for case, found in verdicts.findings(verdicts.verdicts(release)):
            difference = verdicts.disagreement(case, found)
            if difference is not None:
                reason = before.get(case.id, UNEXAMINED)
                after[case.id] = reason if not reason.startswith(UNEXAMINED) else f"{UNEXAMINED}: {difference[:160]}"
    KNOWN.write_text(json.dumps(after, indent=1, sort_keys=True) + "\n", "utf-8")
    print(f"{len(after)} known differences")


def main() -> None:
    """Do what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--from", dest="folder", type=Path)
    parser.add_argument("--known", action="store_true")
    arguments = parser.parse_args()
    if arguments.folder is not None:
        write(arguments.folder)
    if arguments.known:
        known()


if __name__ == "__main__":
    main()
