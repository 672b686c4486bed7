"""Generates the JSON Schemas from the trimmed OpenAPI (upstream/) and the table of limits (rules/index.json), and that
of a configuration file from the options of the commands.

python schemas/generate.py            writes RELEASE/GROUP_VERSION_KIND.json, index.json, and the configuration's
python schemas/generate.py --check    only compares, exit status 1 when something is stale
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from dralint.config import table
from dralint.kubernetes import shipped
from dralint.kubernetes.release import Release
from dralint.schema import schemas

HERE = Path(__file__).parent
CONFIGURATION = HERE.parent / "dralint" / "config" / "config.schema.json"


def outputs(folder: Path) -> dict[Path, str]:
    """Return every generated file of the folder with its text."""
    documents = {
        Release.parse(path.stem): json.loads(path.read_bytes())
        for path in (folder / "upstream").glob("*.json")
        if path.stem not in shipped.index()["releases"]["previews"]
    }
    out = {folder / "index.json": schemas.text(schemas.index(documents))}
    for release, document in sorted(documents.items()):
        for (api_version, kind), schema in schemas.of_document(release, document).items():
            out[folder / schemas.file_name(release, api_version, kind)] = schemas.text(schema)
    return out


def main(arguments: list[str]) -> int:
    """Write or compare the generated files."""
    places = [a for a in arguments if not a.startswith("-")]
    folder = Path(places[0]) if places else HERE
    wanted = outputs(folder)
    if not places:
        wanted[CONFIGURATION] = json.dumps(table.schema(), indent=1) + "\n"
    stale = [path for path, text in wanted.items() if not path.is_file() or path.read_text("utf-8") != text]
    extra = [path for path in folder.glob("*.*/*.json") if path not in wanted]
    if "--check" in arguments:
        for path in sorted([*stale, *extra]):
            name = path.relative_to(folder) if path.is_relative_to(folder) else path.name
            print(f"{name} is stale: run python schemas/generate.py")
        return 1 if stale or extra else 0
    schemas.write({path: wanted[path] for path in stale})
    for path in extra:
        path.unlink()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
