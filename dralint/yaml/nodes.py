"""The nodes of a document, and ways through them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from dralint.yaml.place import TextError

if TYPE_CHECKING:
    from dralint.yaml.place import Json, Path

SCALAR: Final = 0
SEQUENCE: Final = 1
MAPPING: Final = 2
ALIAS: Final = 3

_FEW: Final = 8
"""Nodes of a mapping in which an entry is found without a dictionary of all of them."""
_NO_CHILDREN: Final[list[Node]] = []
"""Shared by all scalars; never changed."""


class Node:
    """One node of a document: offsets in its text, its value, what it is made of; by itself, a scalar."""

    __slots__ = ("data", "end", "key", "kind", "merge", "start", "style")
    children: list[Node] = _NO_CHILDREN
    """Items; or keys and values in turn; or the node that an alias stands for."""
    entries: dict[str, tuple[Node, Node]] | None = None
    size: int = 1
    depth: int = 0

    def __init__(self, kind: int, start: int, end: int, data: Json, style: str) -> None:
        self.kind = kind
        self.start = start
        self.end = end
        self.data: Json = data
        self.style = style
        self.key: str | None = None
        """The string a scalar becomes as a mapping key; None when it cannot be one."""
        self.merge = False

    def item(self, position: int) -> Node | None:
        """Return an item of a sequence, None where there is no such."""
        return self.children[position] if 0 <= position < len(self.children) else None

    def entry(self, name: str) -> tuple[Node, Node] | None:
        """Return key and value of an entry of a mapping, merged ones included, None where there is no such."""
        children = self.children if self.entries is None else _NO_CHILDREN
        if 0 < len(children) <= _FEW and not any(key.merge for key in children[::2]):
            last = next((at for at in range(len(children) - 2, -1, -2) if children[at].key == name), None)
            return None if last is None else (children[last], children[last + 1])
        return entries(self).get(name)


class Parent(Node):
    """A node that others lie in: a sequence, a mapping, an alias."""

    __slots__ = ("children", "depth", "entries", "size")

    def __init__(self, kind: int, start: int, end: int, data: Json, style: str) -> None:
        self.kind = kind  # what Node does, without a call of it: there are as many as lines
        self.start = start
        self.end = end
        self.data = data
        self.style = style
        self.key = None
        self.merge = False
        self.children = []
        self.entries = None
        self.size = 1
        self.depth = 0


class Unread(Parent):
    """A node that others lie in, which are read when they are asked for."""

    __slots__ = ("_children",)

    def __init__(self, kind: int, start: int, data: Json, style: str) -> None:
        self.kind = kind
        self.start = start
        self.data = data
        self.style = style
        self.key = None
        self.merge = False
        self.entries = None
        self.size = 1
        self.depth = 0
        self._children: list[Node] | None = None

    @property
    def children(self) -> list[Node]:  # type: ignore[override] # known late
        if self._children is None:
            self._children = self._read()
        return self._children

    def _read(self) -> list[Node]:
        """Return the nodes that lie in this one; of a mapping, the entries are kept as well."""
        raise NotImplementedError

    def _is_read(self) -> bool:
        return self._children is not None


class Composition:
    """What a text holds: the root (None when there is nothing), problems with their paths, where it ended."""

    __slots__ = ("block_indents", "marked", "problems", "rest", "root")

    def __init__(self) -> None:
        self.root: Node | None = None
        self.problems: list[tuple[TextError, Path]] = []
        self.rest: int | None = None
        """Offset of content behind the end of the document, which the server ignores."""
        self.marked = False
        """Whether `...` or `---` ended it."""
        self.block_indents: dict[int, int] = {}


def target(node: Node) -> Node:
    """Return the node itself, or what it is an alias of."""
    return node.children[0] if node.kind == ALIAS else node


def child(node: Node, step: str | int) -> tuple[Node | None, Node] | None:
    """Return key (None in a list) and value of the entry `step`, or None when there is no such entry."""
    node = target(node)
    if node.kind == SEQUENCE:
        item = node.item(step) if isinstance(step, int) else None
        return None if item is None else (None, item)
    if node.kind == MAPPING:
        return node.entry(str(step))
    return None


def entries(node: Node) -> dict[str, tuple[Node, Node]]:
    """Return the entries of a mapping by key, merged ones included, as the server ends up with them."""
    waiting = [] if node.children and node.entries is not None else [node]  # children may bring their entries along
    while waiting:
        mapping = waiting[-1]
        if mapping.entries is not None:
            waiting.pop()
            continue
        children = mapping.children
        missing = [
            target(source)
            for i in range(0, len(children), 2)
            if children[i].merge
            for source in merge_sources(children[i + 1])
            if target(source).entries is None
        ]
        if missing:
            waiting.extend(missing)
            continue
        found: dict[str, tuple[Node, Node]] = {}
        for i in range(0, len(children), 2):
            key = children[i]
            if key.merge:
                for source in merge_sources(children[i + 1]):
                    found.update(target(source).entries or {})
            elif key.key is not None:
                found[key.key] = (key, children[i + 1])
        assert isinstance(mapping, Parent)
        mapping.entries = found
        waiting.pop()
    assert node.entries is not None
    return node.entries


def merge_sources(value: Node) -> list[Node]:
    """Return the mappings that a merge key takes in, in the order in which they are taken."""
    sources = value.children[::-1] if value.kind == SEQUENCE else [value]
    for source in sources:
        node = source.children[0] if source.kind == ALIAS else source
        if node.kind != MAPPING:
            raise TextError(
                "a merge key `<<` takes a mapping or a list of mappings",
                source.start,
                max(source.end, source.start + 1),
                hint='quote "<<" if it is meant as a plain key',
            )
    return sources
