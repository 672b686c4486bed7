"""Writes the function tables: `python -m conformance.cel.tables FOLDER`.

FOLDER has `env-<release>.json` (and `env-<release>-list.json` with DRAListTypeAttributes on), the answers of each
release's compiler to `python -m conformance functions`: {"functions": {name: [{"id", "args", "member", "result"}]},
"macros": ["all:2:true"]}. The dump of 1.30 is that of 1.31 without the address library and cel.bind, compared with its
compiler expression by expression. The order of overloads is kept: the first that matches decides the type of the
result.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

TABLES = Path(__file__).parents[2] / "dralint/cel/tables"


def rows(functions: dict[str, Any]) -> dict[str, list[list[Any]]]:
    """Shorten each overload to [id, member, args, result]."""
    return {
        name: [[o["id"], int(o["member"]), o["args"], o["result"]] for o in overloads]
        for name, overloads in sorted(functions.items())
    }


def main(folder: Path) -> None:
    """Write one table for each dump."""
    for path in sorted(folder.glob("env-*.json")):
        release = path.stem.removeprefix("env-")
        if release.endswith("-list"):
            continue
        dump = json.loads(path.read_bytes())
        functions = rows(dump["functions"])
        table: dict[str, Any] = {"functions": functions, "macros": sorted(dump["macros"])}
        gated = folder / f"env-{release}-list.json"
        if gated.exists():
            with_gate = rows(json.loads(gated.read_bytes())["functions"])
            changed = {n: r for n, r in with_gate.items() if functions.get(n) != r}
            if changed:
                table["gated"] = {"DRAListTypeAttributes": changed}
        lines = [f"  {json.dumps(n)}: {json.dumps(r, separators=(',', ':'))}" for n, r in functions.items()]
        rest = {k: v for k, v in table.items() if k != "functions"}
        text = '{\n"functions": {\n' + ",\n".join(lines) + "\n},\n" + json.dumps(rest)[1:-1] + "\n}\n"
        (TABLES / f"{release}.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
