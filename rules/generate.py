"""Compiles the catalogue: rules/*.yaml into rules/index.json, and a page for each rule.

python rules/generate.py            writes index.json, one page beside each rule, and README.md
python rules/generate.py --check    only compares, exit status 1 when something is stale
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

HERE = Path(__file__).parent
EFFECTS = ("rejected", "dropped", "broken", "deprecated", "advice", "unreadable", "tool")
KEYS = {"id", "name", "effect", "kinds", "releases", "summary", "why", "fix", "bad", "good"}
RULE_FILE = re.compile(r"DRA\d{3}-[a-z0-9-]+\Z")


def load(path: Path) -> Any:
    """Return the plain values of a YAML file."""
    yaml = YAML(typ="safe", pure=True)
    yaml.version = (1, 2)
    return yaml.load(path.read_text("utf-8"))


def rule_files(folder: Path) -> list[Path]:
    """Return the files of the rules, by number."""
    return sorted(path for path in folder.glob("DRA*.yaml") if RULE_FILE.match(path.stem))


def rule(path: Path) -> dict[str, Any]:
    """Return one rule, checked; SystemExit says what is wrong with it."""
    row: dict[str, Any] = load(path)
    stem = f"{row.get('id')}-{row.get('name')}"
    if path.stem != stem:
        raise SystemExit(f"{path.name}: the file of {row.get('id')} is called {stem}.yaml")
    unknown = set(row) - KEYS
    missing = KEYS - {"good", "bad"} - set(row)
    if unknown or missing:
        raise SystemExit(f"{path.name}: unknown {sorted(unknown)}, missing {sorted(missing)}")
    if row["effect"] not in EFFECTS:
        raise SystemExit(f"{path.name}: no such effect: {row['effect']}")
    for example in row.get("bad", []):
        if not {"title", "manifest", "expect"} <= set(example):
            raise SystemExit(f"{path.name}: a bad example has a title, a manifest and what to expect")
    return {
        **{key: row[key] for key in ("id", "name", "effect", "kinds", "releases")},
        **{
            key: " ".join(str(row[key]).split()) if key == "summary" else str(row[key]).strip()
            for key in ("summary", "why", "fix")
        },
        "examples": {"bad": row.get("bad", []), "good": row.get("good", [])},
    }


def index(folder: Path) -> str:
    """Return the compiled catalogue as the program reads it."""
    limits = load(folder / "limits.yaml")
    compiled = {
        "rules": [rule(path) for path in rule_files(folder)],
        "behaviours": limits["behaviours"],
        "limits": limits["limits"],
        "gates": load(folder / "gates.yaml")["gates"],
        "releases": load(folder / "releases.yaml"),
    }
    return json.dumps(compiled, indent=1, ensure_ascii=False, sort_keys=False) + "\n"


def page(row: dict[str, Any]) -> str:
    """Return the page of one rule."""
    lines = [
        f"# {row['id']} {row['name']}",
        "",
        row["summary"],
        "",
        f"Effect: **{row['effect']}** · Kinds: {', '.join(row['kinds'])} · Releases: {row['releases']}",
        "",
        "## Why",
        "",
        row["why"],
        "",
        "## What to do",
        "",
        row["fix"],
    ]
    for kind, title in (("bad", "Wrong"), ("good", "Right")):
        for example in row["examples"][kind]:
            lines += ["", f"## {title}: {example['title']}", "", "```yaml", example["manifest"].rstrip("\n"), "```"]
            for expected in example.get("expect", []):
                lines += ["", f"`{expected.get('rule', row['id'])}` at `{expected['path']}`: {expected['message']}"]
    return "\n".join(lines) + "\n"


def overview(rows: list[dict[str, Any]]) -> str:
    """Return the list of all rules."""
    lines = [
        "# Rules",
        "",
        "Generated from the catalogue by `python rules/generate.py`.",
        "",
        "| rule | name | effect | what |",
        "|---|---|---|---|",
    ]
    lines += [f"| [{r['id']}]({r['id']}-{r['name']}.md) | {r['name']} | {r['effect']} | {r['summary']} |" for r in rows]
    return "\n".join(lines) + "\n"


def outputs(folder: Path) -> dict[Path, str]:
    """Return every generated file with its text."""
    text = index(folder)
    rows = json.loads(text)["rules"]
    files = {folder / "index.json": text, folder / "README.md": overview(rows)}
    files |= {folder / f"{row['id']}-{row['name']}.md": page(row) for row in rows}
    return files


def main(arguments: list[str]) -> int:
    """Write or compare the generated files."""
    check = "--check" in arguments
    places = [a for a in arguments if not a.startswith("-")]
    folder = Path(places[0]) if places else HERE
    files = outputs(folder)
    stale = [path for path, text in files.items() if not path.is_file() or path.read_text("utf-8") != text]
    extra = [path for path in folder.glob("DRA*.md") if path not in files]
    if check:
        for path in [*stale, *extra]:
            print(f"{path.name} is stale: run python rules/generate.py")
        return 1 if stale or extra else 0
    for path in stale:
        path.write_text(files[path], "utf-8")
    for path in extra:
        path.unlink()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
