"""What the long programs share: their options, the chance of each text, progress, and the texts that show a fault."""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Iterator
from pathlib import Path

_SHOWN = 1000
"""Texts after which the progress is shown."""


def chance_of(seed: int, number: int) -> random.Random:
    """Return the chance that makes a text: the same one for the same seed and number."""
    return random.Random(f"{seed}:{number}")


def options(doc: str | None, seed: int) -> argparse.ArgumentParser:
    """Return a parser with the options of every program, and its default seed."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=1000, help="how many texts")
    parser.add_argument("--start", type=int, default=0, help="the number of the first text")
    parser.add_argument("--seed", type=int, default=seed)
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="where to write texts that show something")
    return parser


def numbers(chosen: argparse.Namespace) -> Iterator[int]:
    """Yield the numbers of the texts, and show the progress."""
    for done in range(chosen.count):
        if done and done % _SHOWN == 0:
            print(f"{done} of {chosen.count}", file=sys.stderr)
        yield chosen.start + done


def tell(chosen: argparse.Namespace, name: object, what: str, **texts: bytes) -> None:
    """Print what a text shows, and keep the texts, each below its name; one alone is kept as it is."""
    print(f"{name}: {what}"[:400], flush=True)
    keep(chosen, name, what, **texts)


def keep(chosen: argparse.Namespace, name: object, what: str, **texts: bytes) -> None:
    """Write texts to the folder of `--keep`, if there is one."""
    if chosen.keep is None:
        return
    chosen.keep.mkdir(parents=True, exist_ok=True)
    if len(texts) == 1:
        (chosen.keep / f"{name}.yaml").write_bytes(*texts.values())
    else:
        parts = (f"\n=== {title}\n".encode() + text for title, text in texts.items())
        (chosen.keep / f"{name}.txt").write_bytes(what.encode("utf-8", "replace") + b"".join(parts))
