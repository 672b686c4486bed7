"""What the baseline asks of dralint: commands over files that the project has.

The inputs are the examples of the rules, recorded texts, a sample of the recorded verdicts, the corpus of the fuzzers
and the examples of the documents. A case is known by its name, so an input that is added changes no other case.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dralint.finding import catalogue
from rules.examples import SLICES, texts
from tests.conformance import verdicts

ROOT = Path(__file__).parents[2]
DATA = ROOT / "tests" / "data"
_EVERY_VERDICT, _EVERY_REWRITING = 12, 4
"""Of the recorded verdicts a twelfth is asked, of the examples of rules a fourth is migrated and upgraded."""


@dataclass(frozen=True, slots=True)
class Case:
    """A run of dralint: its name, its arguments, and the files of the folder that it runs in.

    Without arguments, the files are only read.
    """

    name: str
    arguments: tuple[str, ...]
    files: Mapping[str, bytes]


def cases() -> Iterator[Case]:
    """Yield all cases, always in the same order."""
    yield from _rules()
    yield from _texts()
    yield from _verdicts()
    yield from _clusters()
    yield from _documents()


def _is_drawn(name: str, of: int) -> bool:
    """Say whether a name is drawn, as one of so many; another name that comes or goes does not change it."""
    return zlib.crc32(name.encode()) % of == 0


def _rules() -> Iterator[Case]:
    for rule in catalogue.rules().values():
        for kind in ("bad", "good"):
            for place, example in enumerate(rule.examples.get(kind, [])):
                yield from _example(f"{rule.id}/{kind}/{place}", example)


def _example(name: str, example: Mapping[str, Any]) -> Iterator[Case]:
    files = dict(texts(example))
    named = sorted(files)
    options: list[str] = []
    if gates := example.get("gates"):
        options += ["--feature-gates", gates]
    if example.get("complete"):
        options.append("--complete")
    if namespace := example.get("namespace"):
        options += ["--namespace", namespace]
    if "before" in example:
        files["before.yaml"] = example["before"].encode()
        yield Case(f"{name}/diff", ("diff", *options, "--format", "json", "before.yaml", *named), files)
        return
    if "slices" in example:
        files[SLICES] = example["slices"].encode()
        options += ["--slices", SLICES]
    yield Case(f"{name}/check", ("check", *options, "--format", "json", *named), files)
    if "expect" in example:
        yield Case(f"{name}/fix", ("fix", *options, *named), files)
        yield Case(f"{name}/guess", ("fix", "--unsafe-fixes", *options, *named), files)
    if _is_drawn(name, _EVERY_REWRITING):
        yield Case(f"{name}/migrate", ("migrate", "--to", "resource.k8s.io/v1", *named), files)
        yield Case(f"{name}/upgrade", ("upgrade", "--from", "1.33", "--to", "1.37", "--format", "json", *named), files)


def _rows(path: str) -> Iterator[dict[str, Any]]:
    with gzip.open(DATA / path, "rt", encoding="utf-8", newline="\n") as stream:
        for line in stream:
            yield json.loads(line)


def _texts() -> Iterator[Case]:
    for group in ("streams", "verdicts"):
        for number, row in enumerate(_rows(f"reading/{group}.jsonl.gz")):
            raw = row["text"].encode("utf-8", "surrogatepass")
            yield Case(f"text/{group}/{number}", (), {"a.yaml": raw})
    for path in sorted((ROOT / "tests" / "fuzz" / "corpus").iterdir()):
        yield Case(f"fuzz/{path.name}", ("check", "--format", "json", path.name), {path.name: path.read_bytes()})


def _verdicts() -> Iterator[Case]:
    every = (path.name.removesuffix(".jsonl.gz") for path in sorted(verdicts.DATA.glob("*.jsonl.gz")))
    found = [verdict for release in every for verdict in verdicts.verdicts(release)]
    for verdict in found:
        if not _is_drawn(verdict.id, _EVERY_VERDICT):
            continue
        options = ["--format", "json", "--kubernetes-version", verdict.release]
        if verdict.gates == "all":
            options += ["--feature-gates", "AllAlpha=true,AllBeta=true"]
        files = {"a.yaml": verdict.text.encode("utf-8", "surrogatepass")}
        if verdict.mode == "update":
            files["old.yaml"] = verdict.old.encode("utf-8", "surrogatepass")
            yield Case(f"verdict/{verdict.id}", ("diff", *options, "old.yaml", "a.yaml"), files)
        else:
            yield Case(f"verdict/{verdict.id}", ("check", *options, "a.yaml"), files)


def _clusters() -> Iterator[Case]:
    for row in _rows("judges/control-plane.1.37.jsonl.gz"):
        files = {
            name: json.dumps({"kind": "List", "apiVersion": "v1", "items": row[key]}).encode()
            for name, key in (("cluster.json", "inventory"), ("a.json", "applied"))
        }
        simulated = ("simulate", "--sequence", "--inventory", "cluster.json", "--format")
        yield Case(f"cluster/{row['id']}/simulate", (*simulated, "json", "a.json"), files)
        yield Case(f"cluster/{row['id']}/words", (*simulated, "text", "a.json"), files)
        yield Case(f"cluster/{row['id']}/triage", ("triage", "cluster.json"), files)
        check = ("check", "--complete", "--slices", "cluster.json", "--format", "json", "a.json")
        yield Case(f"cluster/{row['id']}/check", check, files)


def _documents() -> Iterator[Case]:
    folder = ROOT / "examples"
    bad = {path.name: path.read_bytes() for path in sorted((folder / "bad").glob("*.yaml"))}
    for style in ("text", "concise", "github", "gitlab", "junit", "markdown", "sarif"):
        yield Case(f"examples/bad/{style}", ("check", "--format", style, *sorted(bad)), bad)
    old = {path.name: path.read_bytes() for path in sorted((folder / "migrate").glob("*.yaml"))}
    yield Case("examples/migrate", ("migrate", "--to", "resource.k8s.io/v1", *sorted(old)), old)
    simulated = {path.name: path.read_bytes() for path in sorted((folder / "simulate").glob("*.yaml"))}
    for name in sorted(simulated.keys() - {"inventory.yaml"}):
        for style in ("text", "json"):
            arguments = ("simulate", "--inventory", "inventory.yaml", "--format", style, name)
            yield Case(f"examples/simulate/{name}/{style}", arguments, simulated)
