"""Random edits of valid objects: a field removed, a wrong type, a boundary value, a duplicate, too many entries."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ruamel.yaml import YAML

from conformance.verdicts.cases.objects import WORKLOADS, Base, Node, at, bases
from conformance.verdicts.cases.yaml_text import written

if TYPE_CHECKING:
    from collections.abc import Iterator

Case = dict[str, Any]
Edit = tuple[str, Callable[[Any, Any], object]]
"""What an edit does, and a function of the container and the key."""

VALUES: dict[str, list[Any]] = YAML(typ="safe").load(Path(__file__).with_name("values.yaml"))
_LENGTHS = (2, 4, 5, 8, 9, 16, 17, 32, 33, 64, 65, 128, 129, 256, 257)
_MAP_LENGTHS = (8, 16, 17, 32, 33, 48, 49)
_MOST_TRIES = 20


def cases(release: str, seed: str, count: int) -> Iterator[Case]:
    """Yield `count` different cases of a release. The same seed gives the same cases."""
    every = bases(release)
    seen: set[str] = set()
    rng = random.Random(f"{seed}/{release}")
    for number in range(count):
        base = every[number % len(every)]
        case = _case(rng, base)
        for _ in range(_MOST_TRIES):
            if case["mode"] + case["yaml"] not in seen:
                break
            case = _case(rng, base)
        seen.add(case["mode"] + case["yaml"])
        yield {"id": f"{seed}/{number}/{base.name}", **case}


def _case(rng: random.Random, base: Base) -> Case:
    has_status = "status" in base.data
    modes = ["status", "status", "status", "status", "create"] if has_status else ["create"] * 5 + ["update"]
    if base.kind in WORKLOADS:
        modes = ["create"]
    mode = rng.choice(modes)
    data, edits = edited(rng, base, "status" if mode == "status" else None)
    metadata = base.data["metadata"]
    case: Case = {"mode": mode, "edits": edits, "yaml": written(data)}
    if mode == "update":
        case["old"] = written(base.data)
    case |= {"apiVersion": base.data["apiVersion"], "kind": base.kind}
    return case | {"namespace": metadata.get("namespace", "default")}


def edited(rng: random.Random, base: Base, within: str | None) -> tuple[dict[str, Any], list[str]]:
    """Return the object after one to three edits, all below the field `within`, and what was done."""
    data = copy.deepcopy(base.data)
    labels = []
    for _ in range(rng.choice((1, 1, 1, 1, 2, 3))):
        nodes = [node for node in base.nodes(data) if node.path and node.path[0] not in ("apiVersion", "kind")]
        if within is not None:
            nodes = [node for node in nodes if node.path[0] == within]
        elif rng.random() < 0.93:  # metadata has rules of its own: it is a small part
            nodes = [node for node in nodes if node.path[0] != "metadata"] or nodes
        if not nodes:
            break
        node = rng.choice(nodes)
        label, change = rng.choice(list(_edits(rng, base, node)))
        change(at(data, node.path[:-1]), node.path[-1])
        labels.append(f"{'.'.join(map(str, node.path))} {label}")
    return data, labels


def _edits(rng: random.Random, base: Base, node: Node) -> Iterator[Edit]:
    yield from [("delete", lambda holder, key: holder.pop(key))] * 2
    yield _put("null", None)
    if rng.random() < 0.5:
        wrong = rng.choice(VALUES["wrong types"])
        yield _put(f"wrong:{json.dumps(wrong)}", wrong)
    value, kind = node.value, node.schema.get("type")
    if node.path[-1] == "expression":
        for text in rng.choices(VALUES["expressions"], k=14):
            yield _put(f"cel:{text[:60]}", text)
    elif node.type == "Quantity":
        for text in rng.choices(VALUES["quantities"], k=5):
            yield _put(f"quantity:{text}", text)
        yield _put("quantity:number", rng.choice((1, 0, -3, 1.5, 10**20)))
    elif kind == "string" or isinstance(value, str):
        yield from _of_text(rng, value)
    elif kind == "integer":
        for number in rng.choices(VALUES["integers"], k=5):
            yield _put(f"integer:{number}", number)
    elif kind == "boolean":
        for truth in (True, False, "true", "yes", 1):
            yield _put(f"boolean:{truth}", truth)
    if isinstance(value, list):
        yield from _of_list(rng, value)
    elif isinstance(value, dict):
        yield _put("empty", {})
        if node.schema.get("properties"):
            yield from _of_object(rng, base, node)
        else:
            yield from _of_map(rng, value)


def _put(label: str, value: Any) -> Edit:
    return label, lambda holder, key: holder.__setitem__(key, copy.deepcopy(value))


def _text(rng: random.Random) -> str:
    """Return a text: `[x, 64]` in the list of texts stands for 64 times x."""
    one = rng.choice(VALUES["texts"])
    return (
        one if isinstance(one, str) else "".join(part * times for part, times in zip(one[::2], one[1::2], strict=True))
    )


def _of_text(rng: random.Random, value: Any) -> Iterator[Edit]:
    for _ in range(6):
        text = _text(rng)
        yield _put(f"text:{text[:40]}({len(text)})", text)
    if isinstance(value, str) and value:
        yield _put("upper", value.upper())
        yield _put("suffix", value + rng.choice(("-", ".", "/x", "_", " ", "x")))


def _of_list(rng: random.Random, value: list[Any]) -> Iterator[Edit]:
    yield _put("empty", [])
    if not value:
        return
    yield "repeat first", lambda holder, key: holder[key].append(copy.deepcopy(holder[key][0]))
    yield "repeat last", lambda holder, key: holder[key].append(copy.deepcopy(holder[key][-1]))
    yield "null item", lambda holder, key: holder[key].append(None)
    for length in _LENGTHS:
        if rng.random() < 0.3:
            more = [_renamed(value[0], number) for number in range(length - len(value))]
            yield f"grow:{length}", lambda holder, key, more=more: holder[key].extend(more)  # type: ignore[misc]


def _renamed(item: Any, number: int) -> Any:
    item = copy.deepcopy(item)
    if isinstance(item, str):
        return f"{item[:50]}{number}" if item else item
    if isinstance(item, dict):
        for key in ("name", "uid", "key", "device"):
            if isinstance(item.get(key), str):
                item[key] = f"{item[key][:40]}{number}"
                break
    return item


def _of_object(rng: random.Random, base: Base, node: Node) -> Iterator[Edit]:
    value = node.value
    field = rng.choice(("bogus", "Name", "NAME", "apiversion", "x-y", ""))
    yield f"unknown:{field}", lambda holder, key: holder[key].__setitem__(field, 1)
    if value:
        old = rng.choice(sorted(value))
        new = old[:1].upper() + old[1:]
        yield f"case:{old}", lambda holder, key: holder[key].__setitem__(new, holder[key].pop(old))
    for name, schema in node.schema["properties"].items():
        if name in value or name in ("apiVersion", "kind", "metadata", "managedFields"):
            continue
        choices: dict[str | None, list[Any]] = {
            "string": [_text(rng)],
            "integer": [0, 1, -1, 5],
            "boolean": [True, False],
            "array": [[], ["x"]],
            "object": [{}],
        }
        added = rng.choice(choices.get(base.schemas.resolved(schema).get("type"), [{}, "1Gi", "x"]))
        yield (
            f"add:{name}={json.dumps(added)[:30]}",
            lambda holder, key, name=name, added=added: holder[key].__setitem__(name, added),  # type: ignore[misc]
        )


def _of_map(rng: random.Random, value: dict[str, Any]) -> Iterator[Edit]:
    name = _text(rng)
    one = next(iter(value.values()), 1)
    yield f"key:{name[:40]}", lambda holder, key: holder[key].__setitem__(name, copy.deepcopy(one))
    for length in _MAP_LENGTHS:
        if value and rng.random() < 0.3:
            more = {f"key{number}": copy.deepcopy(one) for number in range(length - len(value))}
            yield f"grow map:{length}", lambda holder, key, more=more: holder[key].update(more)  # type: ignore[misc]
