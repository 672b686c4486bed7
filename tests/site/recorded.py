"""1,800 recorded manifests, with what `dralint check --format json` prints of them, for the browser.

python -m tests.site.recorded FOLDER   writes one file a release: the texts, the options, and the output
"""

from __future__ import annotations

import contextlib
import gzip
import io
import json
import os
import sys
from pathlib import Path

from dralint.cli.main import dralint

CONFORMANCE = Path(__file__).parents[1] / "data" / "conformance"
OF_EACH_RELEASE = 150


def main(out: Path) -> None:
    """Write the cases of each release."""
    out.mkdir(parents=True, exist_ok=True)
    total = 0
    for recorded in sorted(CONFORMANCE.glob("*.jsonl.gz")):
        release = recorded.name.removesuffix(".jsonl.gz")
        with gzip.open(recorded, "rt", encoding="utf-8") as lines:
            texts = [json.loads(line)["yaml"] for line in lines]
        files = [[f"case-{at:03}.yaml", text] for at, text in enumerate(texts[:OF_EACH_RELEASE])]
        folder = out / release
        folder.mkdir(exist_ok=True)
        for name, text in files:
            (folder / name).write_text(text, "utf-8", newline="")
        arguments = ["check", "--format", "json", "--kubernetes-version", release, *(name for name, _ in files)]
        case = {"files": files, "arguments": arguments, "out": _printed(folder, arguments)}
        (out / f"{release}.json").write_text(json.dumps(case), "utf-8")
        total += len(files)
    print(f"{total} cases")


def _printed(folder: Path, arguments: list[str]) -> str:
    stream = io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True)
    before = Path.cwd()
    os.chdir(folder)
    with contextlib.redirect_stdout(stream), contextlib.suppress(SystemExit):
        dralint.main(arguments, prog_name="dralint")
    os.chdir(before)
    buffer = stream.buffer
    assert isinstance(buffer, io.BytesIO)
    return buffer.getvalue().decode()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
