"""Limits how much a document expands through aliases (source: decode.go of go.yaml.in/yaml/v2 v2.4.4)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from dralint.yaml.nodes import ALIAS, MAPPING, SEQUENCE
from dralint.yaml.place import TextError

if TYPE_CHECKING:
    from dralint.yaml.nodes import Node

_RATIO_LOW: Final = 400_000
_RATIO_HIGH: Final = 4_000_000


def check_aliasing(root: Node) -> None:
    """Count go-yaml's decoding steps; raise TextError when aliases cause too many of them."""
    steps = 1
    aliased = 0
    stack = [root]
    while stack:
        node = stack.pop()
        steps += 1
        if node.kind == ALIAS:
            size = node.children[0].size
            steps += size
            aliased += size
        if aliased > 100 and steps > 1000 and aliased / steps > _allowed_ratio(steps):
            raise excessive(node.start, node.end)
        if node.kind == SEQUENCE:
            stack.extend(reversed(node.children))
        elif node.kind == MAPPING:
            children = node.children
            for i in range(len(children) - 2, -1, -2):
                if children[i].merge:
                    # go-yaml decodes merged maps from the last to the first.
                    value = children[i + 1]
                    stack.extend(value.children if value.kind == SEQUENCE else (value,))
                else:
                    stack.append(children[i + 1])
                    stack.append(children[i])


def excessive(start: int, end: int) -> TextError:
    """Return the message about too many aliases."""
    return TextError(
        "the aliases of the document expand to far more text than it contains: the server refuses excessive aliasing",
        start,
        end,
        kind="excessive-aliasing",
        hint="write the values out, or split the document",
    )


def _allowed_ratio(steps: int) -> float:
    if steps <= _RATIO_LOW:
        return 0.99
    if steps >= _RATIO_HIGH:
        return 0.10
    return 0.99 - 0.89 * ((steps - _RATIO_LOW) / (_RATIO_HIGH - _RATIO_LOW))
