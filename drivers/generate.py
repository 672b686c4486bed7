"""Compiles the driver packs: drivers/*.yaml into dralint/drivers/packs/*.json, the list of drivers, and their pages.

`python drivers/generate.py` writes the files; with `--check` it only compares them, and ends with 1 when one is
stale.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
ROOM = HERE.parent / "dralint" / "drivers"


def packs(folder: Path) -> dict[str, dict[str, Any]]:
    """Return the packs of a folder by driver, checked; SystemExit has the mistakes of one."""
    from dralint.drivers.pack_file import PackError, read_pack

    out: dict[str, dict[str, Any]] = {}
    for file in sorted(folder.glob("*.yaml")):
        try:
            pack = read_pack(file.read_bytes())
        except PackError as error:
            raise SystemExit(f"{file.name}: {error}") from error
        if file.stem != pack["driver"]:
            raise SystemExit(f"{file.name}: the file of {pack['driver']} is called {pack['driver']}.yaml")
        out[file.stem] = pack
    return out


def compiled(pack: dict[str, Any]) -> str:
    """Return a pack as dralint reads it."""
    return json.dumps(pack, ensure_ascii=False, separators=(",", ":")) + "\n"


def index(found: dict[str, dict[str, Any]]) -> str:
    """Return the module that lists the drivers and classes with a pack, so that no pack has to be read."""
    classes = {row["name"]: driver for driver, pack in found.items() for row in pack.get("classes", ())}
    offered: dict[str, list[str]] = {}
    for row in (row for pack in found.values() for row in pack.get("classes", ()) if "extendedResource" in row):
        name = row["extendedResource"]
        offered.setdefault(str(name["value"] if isinstance(name, dict) else name), []).append(row["name"])
    lines = [
        '"""The drivers that have a pack, and the classes that their charts install.',
        "",
        "`python drivers/generate.py` writes this module from drivers/*.yaml.",
        '"""',
        "",
        "DRIVERS = frozenset(",
        "    {",
        *(f'        "{driver}",' for driver in found),
        "    }",
        ")",
        "CLASSES = {",
        *(f'    "{name}": "{driver}",' for name, driver in sorted(classes.items())),
        "}",
        "CONCERNED = frozenset(",
        "    {",
        *(f'        "{name}",' for name, driver in sorted(classes.items()) if not found[driver].get("exampleName")),
        "    }",
        ")",
        '"""The classes that tell which driver is meant: not those of drivers whose names everybody invents."""',
        "MEANT = frozenset(",
        "    {",
        *(f'        "{driver}",' for driver, pack in found.items() if not pack.get("exampleName")),
        "    }",
        ")",
        '"""The drivers whose names tell that they are meant."""',
        "RESOURCES: dict[str, list[str]] = {",
        *(f'    "{name}": {json.dumps(offered[name])},' for name in sorted(offered)),
        "}",
        '"""The extended resources that classes of charts offer in some version, and these classes."""',
    ]
    return "\n".join(lines) + "\n"


def files(folder: Path = HERE, room: Path = ROOM) -> dict[Path, str]:
    """Return the files made from the packs of a folder."""
    from drivers import pages

    found = packs(folder)
    out = {room / "packs" / f"{driver}.json": compiled(pack) for driver, pack in found.items()}
    out[room / "shipped.py"] = index(found)
    out |= {folder / f"{driver}.md": pages.page(pack) for driver, pack in found.items()}
    out[folder / "README.md"] = pages.index(found)
    return out


def main(arguments: list[str]) -> int:
    """Write the files, or compare them."""
    wanted = files()
    stale = [file for file, text in wanted.items() if not file.exists() or file.read_text("utf-8") != text]
    extra = [file for file in (*(ROOM / "packs").glob("*.json"), *HERE.glob("*.md")) if file not in wanted]
    if "--check" in arguments:
        for file in [*stale, *extra]:
            print(f"stale: {file.relative_to(HERE.parent)}; run python drivers/generate.py")
        return 1 if stale or extra else 0
    for file in stale:
        file.parent.mkdir(exist_ok=True)
        file.write_text(wanted[file], "utf-8")
    for file in extra:
        file.unlink()
    return 0


if __name__ == "__main__":
    sys.path.insert(0, str(HERE.parent))
    sys.exit(main(sys.argv[1:]))
