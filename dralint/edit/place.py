"""Turns changes of an object, by field path, into edits of its text."""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from dralint.edit import block, flow, write
from dralint.edit.apply import UnplaceableError
from dralint.edit.write import column, content_end, newline, starts_line
from dralint.finding.finding import Edit
from dralint.yaml.document import LONGEST_TAG, tag_before
from dralint.yaml.nodes import ALIAS, MAPPING, SCALAR, SEQUENCE, Node, entries, target

if TYPE_CHECKING:
    from collections.abc import Callable

    from dralint.yaml import Document, Json, Path


class EditPlanner:
    """Turns changes of a document into edits of its text; offsets count from the start of the document.

    A change behind an alias edits the anchor's value, once. Every method raises UnplaceableError where the path leads
    nowhere, or the layout has no place for the change.
    """

    def __init__(self, document: Document) -> None:
        root = document.root
        if root is None:
            raise UnplaceableError("there is nothing to read")
        self._document = document
        self.text = document.text
        self.is_json = document.is_json
        self.root = target(root)
        self._merges: bool | None = None
        self._numbers: tuple[Node, dict[str | None, int]] = self.root, {}

    # Reading.

    def node(self, path: Path) -> Node:
        """Return the node at the path; aliases on the way are followed, one at the end is not."""
        way = self._document.way(path)
        if len(way) <= len(path):
            raise UnplaceableError(f"there is no {path[len(way) - 1]!r}")
        return way[-1][1]

    def _entry(self, path: Path, *, of_mapping: bool = False) -> tuple[Node, int]:
        """Return the mapping or list that has the entry itself, not by a merge key, and the number of the entry."""
        parent, step = target(self.node(path[:-1])), path[-1]
        if not of_mapping and parent.kind == SEQUENCE and isinstance(step, int) and 0 <= step < len(parent.children):
            return parent, step
        if parent.kind == MAPPING and (self._numbers[0] is not parent or not self._numbers[1]):  # the last are kept
            keys = enumerate(parent.children[::2])
            self._numbers = parent, {key.key: number for number, key in keys if not key.merge}
        number = self._numbers[1].get(step) if parent.kind == MAPPING and isinstance(step, str) else None
        if number is None:
            raise UnplaceableError(f"it has no {step!r}")
        return parent, number

    def is_inherited(self, path: Path) -> bool:
        """Say whether a mapping has the entry at the path only from a merge key (`<<`)."""
        if self._merges is None:
            self._merges = "<<" in self.text
        if not self._merges:
            return False
        parent = target(self.node(path[:-1]))
        return parent.kind == MAPPING and path[-1] in entries(parent) and path[-1] not in block.own_keys(parent)

    def step(self, path: Path) -> int:
        """Return the indentation of mappings around the path: of the nearest one below it, or above it."""
        nodes = [target(node) for _, node in self._document.way(path)]
        for outer, inner in reversed([*pairwise(nodes)]):
            if inner.kind == outer.kind == MAPPING and inner.style == outer.style == ":":
                return max(column(self.text, inner.start) - column(self.text, outer.start), 1)
        return 2

    @cached_property
    def alphabetical(self) -> bool:
        """Whether the keys of all mappings are in alphabetical order, as servers and kubectl write them."""
        todo = [self.root]
        while todo:
            node = todo.pop()
            if node.kind == MAPPING:
                keys = block.own_keys(node)
                if any(one is None or other is None or one > other for one, other in pairwise([*keys[:1], *keys])):
                    return False
                todo += node.children[1::2]
            elif node.kind == SEQUENCE:
                todo += node.children
        return True

    # Changes.

    def replace(self, path: Path, value: Json) -> list[Edit]:
        """Replace a scalar by another value in the same quotes, or a collection in flow style."""
        node = self.node(path)
        if node.kind in (MAPPING, SEQUENCE) and node.style in (":", "-") and not isinstance(value, dict | list):
            return self._on_the_line_of_its_key(path, node, value)
        if node.kind == ALIAS or (node.style in (":", "-") and node.kind != SCALAR):
            raise UnplaceableError("it is an alias, or a collection over several lines")
        if node.style in ("|", ">"):
            raise UnplaceableError("it is a block scalar")
        quote = '"' if self.is_json or node.style == "j" else node.style if node.style in ("'", '"') else ""
        text = write.scalar(value, quote) if not isinstance(value, dict | list) else write.flow(value, quote)
        space = " " if node.start == node.end and self.text[node.start - 1 : node.start] in (":", "-") else ""
        tag = tag_before(self.text[max(0, node.start - LONGEST_TAG) : node.start])
        is_of_it = isinstance(value, str) and tag and value.startswith(tag.rstrip())  # what was read as a tag
        return [Edit(node.start - len(tag) if is_of_it else node.start, node.end, space + text)]

    def _on_the_line_of_its_key(self, path: Path, node: Node, value: Json) -> list[Edit]:
        """Replace a collection over several lines by a scalar, which goes behind the colon."""
        head, end = len(self.text[: node.start].rstrip()), content_end(node)
        if isinstance(path[-1], int) or self.text[head - 1 : head] != ":" or "#" in self.text[head:end]:
            raise UnplaceableError("it is an item, or has an anchor or a comment")
        return [Edit(head, end, f" {write.scalar(value, '')}")]

    def as_item(self, path: Path) -> list[Edit]:
        """Replace the mapping at the path, written over several lines, by a list with that mapping as its only item."""
        node = self.node(path)
        if node.kind != MAPPING or node.style != ":" or not starts_line(self.text, node.start):
            raise UnplaceableError("it is not a mapping on its own lines")
        below, left = write.line_end(self.text, node.start), column(self.text, node.start)
        return [Edit(node.start, node.start, "- "), *write.shift(self.text, below, content_end(node), 2, left)]

    def as_value(self, path: Path) -> list[Edit]:
        """Replace the list at the path by its only item, written over several lines."""
        node = self.node(path)
        if node.kind != SEQUENCE or node.style != "-" or len(node.children) != 1:
            raise UnplaceableError("it is not a list of one item on its own lines")
        if node.children[0].kind != MAPPING or self.text[node.start] != "-":
            raise UnplaceableError("its item is not a mapping")
        return [Edit(node.start, node.start + 1, " ")]

    def replace_part(self, path: Path, start: int, end: int, value: str) -> list[Edit]:
        """Replace the characters from `start` to `end` of a string; its quotes and lines stay."""
        node = self.node(path)
        places = self._document.character_offsets(path)
        if places is None or node.kind == ALIAS or not isinstance(node.data, str):
            raise UnplaceableError("it is not a separate string")
        if not 0 <= start <= end < len(places):
            raise UnplaceableError("the string is shorter")
        whole = node.data[:start] + value + node.data[end:]
        if node.style in ('"', "j"):
            written = write.scalar(value, '"')[1:-1]
        elif node.style == "'":
            written = value.replace("'", "''")
        else:
            written = value
            if not node.style and not write.stays_plain(whole, flow=self._is_in_flow(path)):
                quote = "'" if '"' in whole and "'" not in whole else '"'
                return [Edit(node.start, node.end, write.scalar(whole, quote))]
        if "\n" in value and node.style not in ('"', "j"):
            raise UnplaceableError("a line end has no place there")
        return [Edit(places[start], places[end], written)]

    def _is_in_flow(self, path: Path) -> bool:
        return any(target(node).style in ("{", "[") for _, node in self._document.way(path)[:-1])

    def rename(self, path: Path, name: str) -> list[Edit]:
        """Give an entry another key, in the same quotes."""
        parent, number = self._entry(path, of_mapping=True)
        key = parent.children[2 * number]
        if key.kind != SCALAR:
            raise UnplaceableError("its key is an alias")
        quote = '"' if self.is_json or self.text[key.start] == '"' else "'" if self.text[key.start] == "'" else ""
        return [Edit(key.start, key.end, write.scalar(name, quote))]

    def remove(self, path: Path, *, comments: bool = True) -> list[Edit]:
        """Remove an entry or item; its comments stay on their own lines unless `comments` is false."""
        parent, number = self._entry(path)
        if parent.style in ("{", "["):
            return flow.remove(self.text, parent, number)
        if parent.kind == MAPPING:
            return block.remove(self.text, parent, number, comments=comments)
        return block.remove_item(self.text, parent, number, comments=comments)

    def insert(self, path: Path, value: Json) -> list[Edit]:
        """Add an entry to the end of a mapping, or an item to a list; `path` is the path of the new value.

        Missing parents are created. A new item goes before the one with its position, or to the end.
        """
        parent, path, value = self._parent(path, value)
        if parent.style in ("{", "["):
            quoted = self.is_json or (bool(parent.children) and self.text[parent.children[0].start] == '"')
            quote = '"' if quoted else ""
            piece = write.flow(value, quote)
            if parent.kind == MAPPING:
                piece = f"{write.scalar(str(path[-1]), quote)}: {piece}"
            return flow.insert(self.text, parent, piece, None if parent.kind == MAPPING else int(path[-1]))
        left, step = column(self.text, parent.start), self.step(path[:-1])
        end_of_line = newline(self.text)
        if parent.kind == MAPPING:
            written = write.block(value, left, step, end_of_line)
            return block.append(self.text, parent, f"{write.scalar(str(path[-1]))}:{written}")
        written = write.block([value], left, step, end_of_line).strip().removeprefix("-").lstrip()
        position = int(path[-1])
        if position < len(parent.children):
            return block.insert_item(self.text, parent, position, written)
        return block.append(self.text, parent, f"- {written}")

    def _parent(self, path: Path, value: Json) -> tuple[Node, Path, Json]:
        """Return the nearest existing parent of a path, the path below it, and the value with the missing parents
        around it."""
        for length in range(len(path) - 1, -1, -1):
            try:
                parent = target(self.node(path[:length]))
            except UnplaceableError:
                value = {str(path[length]): value} if isinstance(path[length], str) else [value]
                continue
            if parent.kind == (MAPPING if isinstance(path[length], str) else SEQUENCE):
                return parent, path[: length + 1], value
            break
        raise UnplaceableError("its parent is neither a mapping nor a list")

    def move(self, path: Path, to: Path) -> list[Edit]:
        """Move an entry of a mapping to another path, with its comments; missing parents of `to` are created."""
        parent, number = self._entry(path, of_mapping=True)
        value = target(parent.children[2 * number + 1])
        if to[:-1] == path[:-1]:
            return self.rename(path, str(to[-1]))
        key = parent.children[2 * number]
        if self._is_there(to[:-1]) and to[-1] == path[-1] and parent.style == ":" and starts_line(self.text, key.start):
            home = target(self.node(to[:-1]))
            if home.style == ":":
                return block.move(self.text, parent, number, home)
        moved = self.text[key.start : content_end(parent.children[2 * number + 1])]
        if "#" in moved:
            raise UnplaceableError("the moved part has comments, but not its own lines")
        return [*self.remove(path), *self.insert(to, value.data)]

    def _is_there(self, path: Path) -> bool:
        try:
            self.node(path)
        except UnplaceableError:
            return False
        return True

    def wrap(self, path: Path, key: str, inside: Callable[[str], bool]) -> list[Edit]:
        """Move the entries of the mapping at the path that `inside` selects (by key) below a new key in that mapping.

        A merge key (`<<`) moves when all of its entries do. If all selected entries come from one that stays, there is
        no edit: it belongs to the mapping that has them. If some are the mapping's own, the others are written out.
        """
        mapping = target(self.node(path))
        if mapping.kind != MAPPING:
            raise UnplaceableError("it is not a mapping")
        chosen: list[int] = []
        there: set[str] = set()
        for number, node in enumerate(mapping.children[::2]):
            brought = mapping.children[2 * number + 1].data
            names = [node.key or ""] if not node.merge else _brought(brought)
            if names and all(map(inside, names)):
                chosen.append(number)
                there.update(names)
        if not chosen:
            return []
        data: Any = mapping.data
        more = {name: value for name, value in data.items() if name not in there and inside(name)}
        if mapping.style == "{":
            return flow.wrap(self.text, mapping, key, chosen, more)
        return block.wrap(self.text, mapping, key, chosen, self.step(path), more)

    def unwrap(self, path: Path) -> list[Edit]:
        """Replace the mapping at the path by its entries, in its parent mapping."""
        parent, number = self._entry(path, of_mapping=True)
        value = parent.children[2 * number + 1]
        if value.data is None or (value.kind == MAPPING and not value.children):
            return self.remove(path)
        if not isinstance(value.data, dict) or not value.data:
            raise UnplaceableError("its value is not a mapping")
        if parent.style == "{":
            return flow.unwrap(self.text, parent, number, alphabetical=self.alphabetical)
        return block.unwrap(self.text, parent, number, self.step(path[:-1]), alphabetical=self.alphabetical)

    def nest(self, path: Path, key: str) -> list[Edit]:
        """Replace the value at the path by a mapping with it as its only entry: `80Gi` becomes `value: 80Gi`."""
        parent, number = self._entry(path, of_mapping=True)
        if parent.style == "{":
            return flow.nest(self.text, parent, number, key)
        return block.nest(self.text, parent, number, key, self.step(path[:-1]))

    def unnest(self, path: Path) -> list[Edit]:
        """Replace the mapping at the path by the value of its only entry: the opposite of `nest`."""
        parent, number = self._entry(path, of_mapping=True)
        value = parent.children[2 * number + 1]
        if value.kind != MAPPING or len(value.children) != 2:
            raise UnplaceableError("its value is not a mapping of one entry, or an alias")
        if parent.style == "{":
            return flow.unnest(self.text, parent, number)
        return block.unnest(self.text, parent, number)


def _brought(merged: Json) -> list[str]:
    """Return the keys that a merge key adds."""
    sources = merged if isinstance(merged, list) else [merged]
    return [key for source in sources if isinstance(source, dict) for key in source]
