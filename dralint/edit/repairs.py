"""Turns repairs, which checks give by field path, into edits of the text and into the intended data, and proves them.

It says which of some repairs hold together, and that a rewritten text means the intended data. Two independent readers
read a rewritten file.
"""

from __future__ import annotations

import copy
import marshal
import warnings
from bisect import bisect_left, insort
from contextlib import suppress
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from dralint.edit import block, flow
from dralint.edit.apply import FileText, OverlapError, UnplaceableError, apply, between, combine, reached
from dralint.edit.place import EditPlanner
from dralint.finding.problem import path_text
from dralint.finding.words import shared
from dralint.yaml import read
from dralint.yaml.nodes import MAPPING, SCALAR, SEQUENCE, target

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

    from dralint.finding.finding import Edit
    from dralint.finding.problem import Change, Repair
    from dralint.yaml import Document, Json, Path
    from dralint.yaml.nodes import Node


_NOWHERE = (KeyError, IndexError, TypeError, AttributeError)
"""Errors of a change whose path leads nowhere."""
_MOST_FAILURES = 20
"""After this many repairs that cannot be made, the others of a document are skipped: each costs a copy of the data."""
_LARGE = 1_000_000
"""From this many characters on, the nodes of a document are not kept while another text is read."""


def edits(document: Document, base: Path, changes: Sequence[Change]) -> list[Edit]:
    """Return the proven edits for the changes of a repair; offsets count from the start of the document.

    Args:
        document: a document that was read.
        base: the path of the object in it; the paths of the changes start there.
        changes: the steps of one repair, in order; each one sees the results of those before.

    Raises:
        UnplaceableError: the text has no place for a change, or would not mean what the changes say.
    """
    if document.may_have_aliases and any(_leaves_shared(document.data, base, change) for change in changes):
        raise UnplaceableError("the other places of the alias would lose it")
    for draft in (at_once, _step_by_step):
        try:
            made = draft(EditPlanner(document), document, base, changes)
        except (OverlapError, UnplaceableError):
            if draft is _step_by_step or len(changes) == 1:
                raise
            continue
        if _hold(document, [(base, changes)], [made]):
            return made
    raise UnplaceableError("the text would not mean the same afterwards")


def _leaves_shared(data: Any, base: Path, change: Change) -> bool:
    """Say whether a change moves an entry out of a mapping that is at several places, by aliases."""
    if change.do != "move":
        return False
    path, to = (*base, *change.path), (*base, *change.to)
    common = shared(path, to)
    left = [reached(data, path[:depth]) for depth in range(common + 1, len(path))]
    places = dict.fromkeys(map(id, left), 0)
    todo, seen = [data], set()
    while todo:
        value = todo.pop()
        if id(value) in places:
            places[id(value)] += 1
        if isinstance(value, dict | list) and id(value) not in seen:
            seen.add(id(value))
            todo += value.values() if isinstance(value, dict) else value
    return any(count > 1 for count in places.values())


def edits_together(
    document: Document, repairs: Sequence[tuple[Path, Repair]], room: int
) -> tuple[list[list[Edit] | None], int]:
    """Return the edits of many repairs, proven together if possible, and how many characters were read for them.

    Guesses are proven together with the safe ones. A repair that does not fit the others is proven alone. None stands
    for a repair that has no place in the text or exceeds the room.

    Args:
        document: a document that was read.
        repairs: for each, the path of its object, and the repair.
        room: how many characters may be read for repairs that are proven alone.
    """
    out: list[list[Edit] | None] = [None] * len(repairs)
    spent = 0
    wanted = [(base, repair.changes) for base, repair in repairs]
    able = sorted(range(len(repairs)), key=lambda number: not repairs[number][1].safe)
    if len(able) > 1:
        able = _without_rivals(document.data, {number: wanted[number] for number in able})
    if len(able) > 1 and not document.may_have_aliases:
        planner = EditPlanner(document)
        drafts = {}
        for number in able:
            with suppress(Exception):  # a fix is an offer; the finding stands without it
                drafts[number] = at_once(planner, document, *wanted[number])
        block.starts.cache_clear()  # the cache refers to the nodes
        del planner
        if len(document.text) > _LARGE:
            document.forget_nodes()

        def attempt(group: list[int], kept: Collection[int]) -> tuple[list[int], set[int]]:
            nonlocal spent
            if spent > room:
                return [], set()
            spent += len(document.text)
            all_of_them = [*kept, *group]
            held = _hold(document, [wanted[n] for n in all_of_them], [drafts[n] for n in all_of_them])
            return group, set() if held else set(group)

        free = disjoint(drafts)
        groups = [[number for number in free if repairs[number][1].safe == safe] for safe in (True, False)]
        for number in holding_together(groups, attempt, 2 * len(free)) if len(free) > 1 else ():
            out[number] = drafts[number]
    for number in sorted(number for number in able if out[number] is None):
        if spent > room:
            break
        spent += len(document.text)
        try:
            out[number] = edits(document, *wanted[number])
        except Exception:  # noqa: BLE001 - a fix is an offer; the finding stands without it
            out[number] = None
    return out, spent


def _without_rivals(data: Json, repairs: Mapping[int, tuple[Path, Sequence[Change]]]) -> list[int]:
    """Return the repairs that can be made together; of different ones that write the same new mapping, the first."""
    out: list[int] = []
    taken: dict[Path, Sequence[Change]] = {}
    for number, (base, changes) in repairs.items():
        targets = [(*base, *(change.to or change.path)) for change in changes if change.do in ("move", "insert")]
        missing = {mapping for target in targets if (mapping := _missing(data, target)) is not None}
        if all(taken.get(mapping, changes) == changes for mapping in missing):
            out.append(number)
            taken.update(dict.fromkeys(missing, changes))
    return out


def _missing(data: Json, path: Path) -> Path | None:
    """Return the outermost mapping on the way to a path that is missing or null; None if all exist."""
    for depth, step in enumerate(path[:-1]):
        if isinstance(data, dict) and data.get(str(step)) is None:
            return path[: depth + 1]
        try:
            data = data[step]  # type: ignore[index]
        except _NOWHERE:
            return None
    return None


def at_once(planner: EditPlanner, document: Document, base: Path, changes: Sequence[Change]) -> list[Edit]:
    """Return the unproven edits of a repair whose steps need not see each other."""
    emptied = _emptied(document.data, base, changes)
    if emptied is not None:
        return combine(planner.unwrap(emptied))
    home = _gathered(document.data, base, changes)
    if home is not None:
        return combine(planner.wrap(home[:-1], str(home[-1]), {change.path[-1] for change in changes}.__contains__))
    return combine(edit for change in changes for edit in _edits_of(planner, base, change))


def _hold(document: Document, repairs: Sequence[tuple[Path, Sequence[Change]]], drafts: Sequence[list[Edit]]) -> bool:
    """Say whether the text with all the edits means what the repairs say."""
    try:
        after = _only(apply(document.text, [edit for draft in drafts for edit in draft]))
    except ValueError:
        return False
    if after is None:
        return False
    wanted, made = all_repaired(document.data, repairs)
    return len(made) == len(repairs) and unlike(after.data, wanted) is None


def disjoint(edits_of: Mapping[int, Sequence[Edit]]) -> list[int]:
    """Return the numbers of the sets of edits that do not overlap; of two that do, only the first."""
    out: list[int] = []
    taken: list[Edit] = []
    for number, made in edits_of.items():
        if all(_is_free(taken, edit) for edit in made):
            out.append(number)
            for edit in made:
                insort(taken, edit)
    return out


def _is_free(taken: Sequence[Edit], edit: Edit) -> bool:
    """Say whether an edit overlaps with none of the sorted edits, or is one of them."""
    at = bisect_left(taken, edit)
    if at < len(taken) and taken[at] == edit:
        return True
    before = at == 0 or taken[at - 1].end <= edit.start
    return before and (at == len(taken) or edit.end <= taken[at].start)


def _emptied(data: Any, base: Path, changes: Sequence[Change]) -> Path | None:
    """Return the mapping that disappears because all its entries move to its place; None for other changes."""
    *moves, last = changes
    path = last.path
    if not moves or last.do != "remove" or any(c.do != "move" or c.path[:-1] != path for c in moves):
        return None
    if any(change.to != (*path[:-1], change.path[-1]) for change in moves):
        return None
    mapping = reached(data, (*base, *path))
    return (*base, *path) if isinstance(mapping, dict) and set(mapping) == {c.path[-1] for c in moves} else None


def _gathered(data: Any, base: Path, changes: Sequence[Change]) -> Path | None:
    """Return the new mapping into which entries of its parent move together; None for other changes."""
    *parent, name = changes[0].to[:-1] or ("",)
    if any((c.do, c.to, c.path) != ("move", (*parent, name, *c.path[-1:]), (*parent, *c.path[-1:])) for c in changes):
        return None
    mapping = reached(data, (*base, *parent))
    return (*base, *parent, name) if isinstance(mapping, dict) and name not in mapping else None


def _step_by_step(_: EditPlanner, document: Document, base: Path, changes: Sequence[Change]) -> list[Edit]:
    """Return the edits that make each step in the text that the one before has left."""
    current = document
    for change in changes:
        after = _only(apply(current.text, at_once(EditPlanner(current), current, base, [change])))
        if after is None:
            raise UnplaceableError("the text could not be read afterwards")
        current = after
    return between(document.text, current.text)


def _only(text: str) -> Document | None:
    """Return the one document of a text; None where it has no readable one, or several."""
    found = [document for document in read(text.encode("utf-8", "replace")) if document.state != "empty"]
    return found[0] if len(found) == 1 and found[0].state == "read" else None


def _edits_of(planner: EditPlanner, base: Path, change: Change) -> list[Edit]:
    path = (*base, *change.path)
    if change.do == "replace":
        return _replaced(planner, path, change.value)
    if change.do == "replace-part":
        return planner.replace_part(path, change.start, change.end, str(change.value))
    if change.do == "rename":
        return planner.rename(path, str(change.value))
    if change.do == "remove":
        return planner.remove(path)
    if change.do == "insert":
        return planner.insert(path, change.value)
    return planner.move(path, (*base, *change.to))


def _replaced(planner: EditPlanner, path: Path, value: Json) -> list[Edit]:
    """Return the edits that replace a value; a mapping that becomes an item, or was one, keeps its lines.

    A value that gets its own key stays in place, and the key is inserted before it.
    """
    if isinstance(value, dict) and len(value) == 1:
        key, inner = next(iter(value.items()))
        node = target(planner.node(path))
        if isinstance(path[-1], str) and node.kind == SCALAR and unlike(node.data, inner) is None:
            with suppress(UnplaceableError):
                return planner.nest(path, key)
    held = planner.node(path).data
    if isinstance(held, dict) and len(held) == 1 and unlike(next(iter(held.values())), value) is None:
        with suppress(UnplaceableError):
            return planner.unnest(path)
    try:
        return planner.replace(path, value)
    except UnplaceableError:
        node = planner.node(path)
        if isinstance(value, list) and len(value) == 1 and unlike(value[0], node.data) is None:
            return planner.as_item(path)
        if isinstance(node.data, list) and len(node.data) == 1 and unlike(node.data[0], value) is None:
            return planner.as_value(path)
        raise


def all_repaired(data: Json, repairs: Sequence[tuple[Path, Sequence[Change]]]) -> tuple[Json, list[int]]:
    """Return the data of a document after several repairs, and the positions of those that could be made.

    They are made from the end to the beginning and from deep to shallow, so that none changes the paths of another.

    Args:
        data: does not change.
        repairs: for each, the path of its object in the data, and its changes.
    """
    out = _copy(data)
    made: list[int] = []
    order = sorted(range(len(repairs)), key=lambda number: _order(*repairs[number]), reverse=True)
    for tried, number in enumerate(order):
        base, changes = repairs[number]
        if tried - len(made) > _MOST_FAILURES:
            break
        try:
            for change in changes:
                make(out, base, change)
        except _NOWHERE:  # a part of it may be made, so it is undone
            out = _copy(data)
            for done in made:
                for change in repairs[done][1]:
                    make(out, repairs[done][0], change)
        else:
            made.append(number)
    return out, sorted(made)


def _order(base: Path, changes: Sequence[Change]) -> tuple[tuple[int | str, ...], int, bool]:
    """Return the sort key of repairs: the place; at one place, what moves away comes first."""
    first = changes[0]
    place = tuple([part for step in (*base, *first.path) for part in (isinstance(step, str), step)])
    return place, first.start, first.do not in ("move", "rename", "remove")


def _copy(data: Json) -> Any:
    """Return a copy that shares between its places what aliases share."""
    try:
        return marshal.loads(marshal.dumps(data))
    except ValueError:
        return copy.deepcopy(data)  # too deep for marshal


def make(data: Any, base: Path, change: Change) -> None:
    """Make a change in the data of an object at a path; KeyError and the like where it leads nowhere."""
    path = (*base, *change.path)
    holder = reached(data, path[:-1]) if change.do != "insert" else _made(data, path)
    last: Any = path[-1]
    if change.do == "replace":
        _ = holder[last]
        holder[last] = change.value
    elif change.do == "replace-part":
        holder[last] = holder[last][: change.start] + str(change.value) + holder[last][change.end :]
    elif change.do == "rename":
        if change.value in holder:
            raise KeyError(f"{change.value!r} is there already")
        holder[str(change.value)] = holder.pop(last)
    elif change.do == "remove":
        del holder[last]
    elif change.do == "insert":
        if isinstance(holder, list):
            holder.insert(last, change.value)
        else:
            holder[last] = change.value
    else:
        value = holder.pop(last)
        to = (*base, *change.to)
        there = _made(data, to)
        if isinstance(there, dict) and to[-1] in there:
            raise KeyError(f"{to[-1]!r} is there already")
        there[to[-1]] = value


def _made(data: Any, path: Path) -> Any:
    """Return the parent of the last element of the path; missing mappings and lists on the way are created."""
    for step, following in pairwise(path):
        new: Any = {} if isinstance(following, str) else []
        if isinstance(data, dict):
            data.setdefault(step, new)
        elif step == len(data):
            data.append(new)
        data = data[step]
    return data


def without_second(document: Document, path: Path) -> tuple[list[Edit], bool]:
    """Return the proven edits that remove the second of two entries; offsets count in the document.

    Args:
        path: the path of both entries.

    Returns:
        The edits, and whether they are safe: in an item of a list, entries that are apart may be those of two items.

    Raises:
        UnplaceableError: they have different values, or other entries of the mapping do, so that it is two items
            without a dash between them; or the text would not mean the same afterwards.
    """
    planner = EditPlanner(document)
    parent = target(planner.node(path[:-1]))
    if parent.kind != MAPPING:
        raise UnplaceableError("it is not a mapping")
    numbers = [n for n, key in enumerate(parent.children[::2]) if key.key == path[-1] and not key.merge]
    values = [target(parent.children[2 * number + 1]).data for number in numbers]
    if len(numbers) != 2 or unlike(*values) is not None or _is_two_items(parent):
        raise UnplaceableError("the values differ")
    if document.cut_at_comma(path) is not None:
        raise UnplaceableError("it is a part of a value")
    if parent.style == "{":
        edits = flow.remove(document.text, parent, numbers[1])
    else:
        edits = block.remove(document.text, parent, numbers[1], comments=True)
    after = _only(apply(document.text, edits))
    if after is None or unlike(after.data, document.data) is not None:
        raise UnplaceableError("the text would not mean the same afterwards")
    if len(after.problems) != len(document.problems) - 1:
        raise UnplaceableError("it is another key")
    is_item = len(path) > 1 and isinstance(path[-2], int)
    return edits, not is_item or numbers[1] - numbers[0] == 1


def _is_two_items(mapping: Node) -> bool:
    """Say whether a key of a mapping occurs twice with different values."""
    seen: dict[str, Node] = {}
    for key, value in zip(mapping.children[::2], mapping.children[1::2], strict=True):
        if key.key is None or key.merge:
            continue
        first = seen.setdefault(key.key, target(value))
        if unlike(first.data, target(value).data) is not None:
            return True
    return False


def holding_together(
    groups: Sequence[list[int]], attempt: Callable[[list[int], Collection[int]], tuple[list[int], set[int]]], tries: int
) -> set[int]:
    """Return the repairs that hold: those of the first group, then of the next; the others are left out or halved.

    Args:
        groups: the numbers of repairs, those first that do not give way to others: safe ones before guesses.
        attempt: returns which of some repairs can be made with those kept so far, and which of these are faulty.
        tries: how many attempts there are at most.
    """
    todo = [group for group in reversed(groups) if group]
    kept: set[int] = set()
    while todo and tries:
        group = todo.pop()
        tries -= 1
        made, faulty = attempt(group, kept)
        if not faulty:
            kept.update(made)
        elif len(faulty) < len(made):
            todo.append([number for number in made if number not in faulty])
        elif len(made) > 1:
            todo += [made[len(made) // 2 :], made[: len(made) // 2]]
    return kept


MOST_IN_FILE, MOST_IN_RUN = 65_536, 100_000
"""Limits in characters: the largest file that is read a second time, and the total of a run."""
_MOST_NODES = 100_000
"""At most this many nodes are compared, because aliases repeat their targets."""


class SecondReader:
    """The other reader, for the files of one run, in their order."""

    def __init__(self, most: int = MOST_IN_RUN) -> None:
        self._left = most

    def disagrees(self, before: bytes, after: bytes) -> bool:
        """Say whether the other reader reads a rewritten file differently than dralint's own.

        Args:
            before: the bytes of the file; `after`: its new bytes.
        """
        if len(after) > MOST_IN_FILE or len(before) + len(after) > self._left:
            return False
        self._left -= len(before) + len(after)
        return not _is_read_alike(after) and _is_read_alike(before)


def _is_read_alike(raw: bytes) -> bool:
    documents = [document for document in read(raw, nodes=True) if document.state != "empty"]
    roots = [document.root for document in documents if document.state == "read"]
    theirs = _composed(FileText(raw).text)
    if theirs is None or len(roots) != len(documents) or len(theirs) != len(roots):
        return False
    return all(one is not None and _alike(one, other) for one, other in zip(roots, theirs, strict=True))


def _composed(text: str) -> list[Any] | None:
    """Return the trees of a text by the other reader; None where it cannot read the text."""
    from ruamel.yaml import YAML  # slow to import, and only needed for changed files

    reader = YAML(typ="safe", pure=True)
    reader.allow_duplicate_keys = True
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an anchor that is used again
            found = list(reader.compose_all(text))
    except Exception:  # noqa: BLE001 - whatever it stumbles over, it has no say then
        return None
    return [tree for tree in found if tree is not None and not (tree.id == "scalar" and tree.value == "")]


def _alike(one: Node, other: Any) -> bool:
    """Say whether two trees have the same mappings, lists and texts."""
    todo: list[tuple[Node, Any]] = [(one, other)]
    for _ in range(_MOST_NODES):
        if not todo:
            return True
        node, theirs = todo.pop()
        node = target(node)
        if node.kind == SCALAR:
            if theirs.id != "scalar" or (isinstance(node.data, str) and node.data != theirs.value):
                return False
        elif node.kind == SEQUENCE:
            if theirs.id != "sequence" or len(theirs.value) != len(node.children):
                return False
            todo += zip(node.children, theirs.value, strict=True)
        elif node.kind == MAPPING:
            if theirs.id != "mapping" or 2 * len(theirs.value) != len(node.children):
                return False
            for position, (key, value) in enumerate(theirs.value):
                todo += [(node.children[2 * position], key), (node.children[2 * position + 1], value)]
    return True


_PLAIN = 2
"""The version of the marshal format in which equal values have equal bytes, whatever objects they share."""


class Refusal(NamedTuple):
    """A part of a text that cannot be rewritten: the document, the path in it (None: all of it), and the reason."""

    document: int
    path: Path | None
    why: str


def differences(documents: Sequence[Document], intended: dict[int, Json], raw: bytes) -> Iterator[Refusal]:
    """Yield the differences between the bytes of a file and the intended data, at most one per document.

    Args:
        documents: the documents before the rewriting.
        intended: the intended data of documents, by index; all others must stay the same.
        raw: the bytes of the file afterwards.
    """
    after = []
    for document in read(raw):
        document.forget_nodes()  # only the data counts, and it takes far less memory
        after.append(document)
    first = min(intended, default=0)
    if len(after) != len(documents):
        yield Refusal(first, None, f"the file would have {len(after)} documents, not {len(documents)}")
        return
    for old, new in zip(documents, after, strict=True):
        if old.index not in intended:
            if old.text != new.text:
                yield Refusal(first, None, f"document {old.index} would change")
        elif new.state != "read":
            why = f": {new.problems[0].message}" if new.problems else ""
            yield Refusal(old.index, None, f"it could not be read{why}")
        else:
            path = unlike(new.data, intended[old.index])
            if path is not None:
                yield Refusal(old.index, path, f"it would differ at {path_text(path) or 'its root'}")


def unlike(one: Json, other: Json) -> Path | None:
    """Return the path of the first difference of two values; None when they are equal. 1 is neither 1.0 nor true."""
    try:
        if marshal.dumps(one, _PLAIN) == marshal.dumps(other, _PLAIN):
            return None  # most are equal, even in the order of their keys
    except ValueError:
        pass  # too deep for marshal
    todo: list[tuple[Json, Json, Path]] = [(one, other, ())]
    while todo:
        left, right, path = todo.pop()
        if left is right:
            continue
        if isinstance(left, dict) and isinstance(right, dict):
            for key, inner in left.items():  # in their order, so that the result is always the same
                if key not in right:
                    return (*path, key)
                twin = right[key]
                # what is equal anyway need not wait
                if (inner and isinstance(inner, dict | list)) or type(inner) is not type(twin) or inner != twin:
                    todo.append((inner, twin, (*path, key)))
            for key in right:
                if key not in left:
                    return (*path, key)
        elif isinstance(left, list) and isinstance(right, list):
            if len(left) != len(right):
                return path
            todo.extend((a, b, (*path, i)) for i, (a, b) in enumerate(zip(left, right, strict=True)))
        elif type(left) is not type(right) or left != right:
            return path
    return None
