"""Texts that can be made as long as one likes: one thing many times, for what must not grow faster than its input.

`shapes.yaml` has them. Its `texts` have names; wherever a text belongs, there can be a name, or a list of names and
texts that follow each other. A shape has a `head`, a `part` that comes as often as the size wants it, and a `tail`; or
`opening` and `closing` for each level; or it is a `text` that is always the same, a list of shapes that share the size,
the name of another shape, or of a function here. `#` in a part is its number, unless it begins a comment as `# text`
does.

`shapes` are texts for `check`, `fix` has those with one mistake over and over for `fix`, and `commands` have what other
commands are given: their arguments, and the files that these name.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from dralint.report import FORMATS

Shape = Callable[[int], str]
_TABLE = yaml.load(Path(__file__).with_suffix(".yaml").read_text("utf-8"), yaml.CBaseLoader)
_ALL_FORMATS = tuple(word for name in FORMATS if name != "text" for word in ("--output-file", f"{name}=report.{name}"))
_NUMBER = re.compile(r"(?<=\S)#|#(?! [a-z])")
"""A `#` that is no comment."""


def _text(value: Any) -> str:
    if isinstance(value, list):
        return "".join(map(_text, value))
    return _text(_TABLE["texts"][value]) if value in _TABLE["texts"] else str(value)


CLAIM, SLICE, POD, _HEAD = (_text(name) for name in ("CLAIM", "SLICE", "POD", "HEAD"))


def _repeated(head: str, part: str, tail: str) -> Shape:
    numbered = _NUMBER.search(part) is not None

    def shape(size: int) -> str:
        count = max(1, (size - len(head) - len(tail)) // (len(part) + (3 if numbered else 0)))
        body = "".join(_NUMBER.sub(str(number), part) for number in range(count)) if numbered else part * count
        return head + body + tail

    return shape


def _nested(opening: str, closing: str) -> Shape:
    def shape(size: int) -> str:
        levels = max(1, (size - len(_HEAD)) // (len(opening) + len(closing)))
        return _HEAD + "spec: " + opening * levels + "1" + closing * levels + "\n"

    return shape


def _merges(size: int) -> str:
    lines = ["x0: &x0 {a0: 1}"]
    while len(lines) < size // 40:
        number = len(lines)
        lines.append(f"x{number}: &x{number} {{<<: *x{number - 1}, b: {number}}}")
    return _HEAD + "\n".join(lines) + "\n"


def _staircase(size: int) -> str:
    levels = int((2 * size) ** 0.5)
    return _HEAD + "spec:\n" + "".join(" " * (level + 1) + "a:\n" for level in range(levels))


def _json_lists(size: int) -> str:
    head = '{"kind":"ResourceClaim","x":'
    levels = max(1, (size - len(head)) // 2)
    return head + "[" * levels + "1" + "]" * levels + "\n"


def _reversed_devices(size: int) -> str:
    head = _text(["SLICE_OF_NODE", "  devices:\n"])
    whole = _repeated(head, _text("DEVICES"), "")(size)
    return head + "".join(reversed(whole[len(head) :].splitlines(keepends=True)))


def _shape(row: Any) -> Shape:
    if isinstance(row, list):
        shapes = [_shape(one) for one in row]
        return lambda size: "".join(shape(size // len(shapes)) for shape in shapes)
    if isinstance(row, str):
        named: dict[str, Shape] = {
            "merges": _merges,
            "staircase": _staircase,
            "json lists": _json_lists,
            "reversed devices": _reversed_devices,
        }
        return named.get(row) or next(iter(CASES[row].files.values()))
    if "text" in row:
        text = _text(row["text"])
        return lambda _: text
    if "opening" in row:
        return _nested(row["opening"], row["closing"])
    return _repeated(*(_text(row.get(key, "")) for key in ("head", "part", "tail")))


class Case(NamedTuple):
    """A command and its files; one of them is as large as is asked for, the others are as they are."""

    arguments: tuple[str, ...]
    files: dict[str, Shape]

    def written(self, size: int) -> dict[str, str]:
        """Return the text of each file."""
        return {name: shape(size) for name, shape in self.files.items()}


def _case(row: dict[str, Any]) -> Case:
    words = [
        word for given in row["arguments"].split() for word in (_ALL_FORMATS if given == "ALL-FORMATS" else [given])
    ]
    return Case(tuple(words), {file: _shape(shape) for file, shape in row.items() if file != "arguments"})


SHAPES: dict[str, Shape] = {name: _shape(row) for name, row in _TABLE["shapes"].items()}
"""Name → the text of about so many bytes."""
FIX_SHAPES: dict[str, Shape] = {name: _shape(row) for name, row in _TABLE["fix"].items()}
CASES: dict[str, Case] = {}
for _name, _row in _TABLE["commands"].items():
    CASES[_name] = _case(_row)  # it can name the one above
"""What is asked of the commands, by name. What `check` and `fix` are asked of a single file alone is elsewhere."""
ALL: dict[str, Case] = {name: Case(("check", "x.yaml"), {"x.yaml": shape}) for name, shape in SHAPES.items()} | CASES
ALL |= {name: Case(("fix", "--unsafe-fixes", "x.yaml"), {"x.yaml": shape}) for name, shape in FIX_SHAPES.items()}
