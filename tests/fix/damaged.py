"""Random manifests with mistakes whose meaning is certain, in random styles: `python -m tests.fix.damaged 2000`.

What `dralint fix` makes of one must mean what was there before the mistakes, with all comments in their order.
"""

from __future__ import annotations

import copy
import random
import re
import sys
from collections.abc import Callable, Iterator
from typing import Any

from dralint.config.settings import Settings
from dralint.kubernetes.release import Release
from dralint.lint.linter import Linter
from dralint.yaml import read
from tests.fix.alone import fixed
from tests.migrate.manifests import Style, claim, slice_

COMMENT = re.compile(r"# c(\d+)")
LINTER = Linter(
    Settings(releases=(Release.parse("1.34"),), gates=(("AllAlpha", True), ("AllBeta", True))),
    collects=False,
    thorough=True,
)
Holder = dict[str, Any]
FIELDS = ("deviceClassName", "allocationMode", "adminAccess", "resourceSliceCount", "attributes", "nodeName", "driver")


def _mappings(value: Any) -> Iterator[Holder]:
    if isinstance(value, dict):
        yield value
        value = list(value.values())
    for inner in value if isinstance(value, list) else ():
        yield from _mappings(inner)


def _renamed(holder: Holder, key: str, name: str) -> None:
    entries = [(name if each == key else each, value) for each, value in holder.items()]
    holder.clear()
    holder.update(entries)


def _in_another_case(rng: random.Random, holder: Holder) -> bool:
    keys = [key for key in FIELDS if key in holder]
    if keys:
        key = rng.choice(keys)
        snake = re.sub(r"(?<=[a-z])(?=[A-Z])", rng.choice("_-"), key).lower()
        _renamed(holder, key, rng.choice((key[0].upper() + key[1:], snake if snake != key else key.upper())))
    return bool(keys)


def _a_letter_less(rng: random.Random, holder: Holder) -> bool:
    if "deviceClassName" in holder:
        _renamed(holder, "deviceClassName", rng.choice(("deviceClasName", "deviceClassNmae", "devicesClassName")))
    return "deviceClassName" not in holder and any("evice" in key for key in holder)


def _a_number_in_quotes(_: random.Random, holder: Holder) -> bool:
    keys = [key for key in ("count", "resourceSliceCount", "generation", "int") if type(holder.get(key)) is int]
    for key in keys:
        holder[key] = str(holder[key])
    return bool(keys)


def _a_boolean_in_quotes(_: random.Random, holder: Holder) -> bool:
    if type(holder.get("adminAccess")) is bool:
        holder["adminAccess"] = "false"
        return True
    return False


def _no_list_of_one(_: random.Random, holder: Holder) -> bool:
    for key in ("selectors", "constraints"):
        if isinstance(holder.get(key), list) and len(holder[key]) == 1:
            holder[key] = holder[key][0]
            return True
    return False


def _no_value(_: random.Random, holder: Holder) -> bool:
    if isinstance(holder.get("capacity"), dict) and all(isinstance(v, dict) for v in holder["capacity"].values()):
        holder["capacity"] = {key: value["value"] for key, value in holder["capacity"].items()}
        return True
    return False


MISTAKES: tuple[Callable[[random.Random, Holder], bool], ...] = (
    _in_another_case,
    _a_letter_less,
    _a_number_in_quotes,
    _a_boolean_in_quotes,
    _no_list_of_one,
    _no_value,
)


def damaged(rng: random.Random) -> tuple[Any, str]:
    """Return an object, and a text of it with a few mistakes."""
    data = rng.choice((claim, slice_))(rng, "v1")
    wrong = copy.deepcopy(data)
    for mistake in rng.sample(MISTAKES, rng.randint(1, 3)):
        holders = list(_mappings(wrong))
        rng.shuffle(holders)
        any(mistake(rng, holder) for holder in holders)
    return data, Style(rng).write(wrong)


def faults(rng: random.Random) -> list[str]:
    """Return what is wrong with one manifest after `dralint fix`; nothing for most."""
    data, text = damaged(rng)
    after, outcome = fixed(LINTER, text.encode())
    out = after.raw.decode()
    found = []
    if not outcome.report.count("error") and [document.data for document in read(after.raw)] != [data]:
        found.append("it means something else")
    if COMMENT.findall(out) != COMMENT.findall(text):
        found.append("the comments are others, or in another order")
    if ("\r\n" in text, text.startswith("\ufeff"), text.endswith("\n")) != (
        "\r\n" in out,
        out.startswith("\ufeff"),
        out.endswith("\n"),
    ):
        found.append("line ends or the mark at the start have changed")
    if outcome.report.count("error"):
        found.append("not repaired")
    return [f"{fault}:\n{text}\n--- after\n{out}" for fault in found]


def main(count: int) -> int:
    """Print what is wrong with that many manifests; return the exit status."""
    wrong = [fault for seed in range(count) for fault in faults(random.Random(seed))]
    worse = [fault for fault in wrong if not fault.startswith("not repaired")]
    print("\n\n".join([*worse[:5], *wrong[:2]]))
    print(f"{count} manifests: {len(worse)} worse, {len(wrong) - len(worse)} not repaired")
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1])))
