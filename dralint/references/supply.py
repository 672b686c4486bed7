"""What claims ask for against the devices that there are: selectors, counts, taints, capacity, constraints, nodes."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from dralint.finding.words import closest, quoted
from dralint.kubernetes.quantity import parse_quantity
from dralint.references.drivers import DRIVER, demands
from dralint.references.expressions import compiled
from dralint.references.facts import Claim, TaintRule
from dralint.references.inventory import ANYWHERE, tolerates, with_rules
from dralint.references.lookups import explain, quantity_text, spelled
from dralint.references.names import is_among, is_open
from dralint.references.problem import NAME, Elsewhere

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from dralint.cel.eval.machine import Outcome
    from dralint.references.facts import Constraint, Entry, Facts, PodSpec, Request, Selector
    from dralint.references.inventory import Inventory, Item
    from dralint.references.problem import Found
    from dralint.references.world import World
    from dralint.yaml import Path

NO_MATCH, FAILS, TOO_FEW, NEVER_MET, NO_CAPACITY, ALL_TAINTED, NO_NODE, SELECTS_NOTHING = (
    "DRA430",
    "DRA431",
    "DRA432",
    "DRA433",
    "DRA434",
    "DRA435",
    "DRA436",
    "DRA437",
)

_MOST_EVALUATIONS = 200_000
"""Selectors run over devices in one run; beyond it nothing more is said, so that no input takes minutes."""

_PENDING = "Pods that use the claim stay Pending (`cannot allocate all claims`)"
_ENDS = "the scheduling of every Pod that uses it may end with an error"
_TAINTS, _CAPACITY = "DRADeviceTaints", "DRAConsumableCapacity"


class Choice(NamedTuple):
    """The devices that a request or alternative may get; none where `found` says why, or where it is not known."""

    request: Request
    items: tuple[Item, ...]
    found: tuple[Found, ...]
    known: bool = True

    @property
    def least(self) -> int:
        """How many devices it needs at least."""
        return self.request.number or 1


class Narrowed(NamedTuple):
    """What a selector leaves of some devices (None where it cannot be judged), those that it fails on, and why."""

    passed: tuple[Item, ...] | None
    failed: tuple[Item, ...] = ()
    first: Outcome | None = None
    reason: str = ""
    hint: str | None = None


class Supply:
    """The inventory of a world, and what requests may get of it."""

    def __init__(self, world: World, stock: Inventory) -> None:
        self.world = world
        self.stock = with_rules(stock, world)
        self._narrowed: dict[tuple[int, str], Narrowed] = {}
        self._by_node: dict[int, dict[str, list[Item]]] = {}
        self._kept: list[tuple[Item, ...]] = []
        self._left = _MOST_EVALUATIONS
        self._of_class: dict[str, tuple[tuple[Item, ...], list[Found]] | None] = {}

    @cached_property
    def drivers(self) -> list[str]:
        """The drivers that have devices."""
        return self.stock.drivers

    def classes(self) -> Iterator[Found]:
        """Yield the classes that select nothing or fail."""
        for facts in self.world.index.all("DeviceClass"):
            if facts.name is not None:
                got = self.of_class(facts.name)
                yield from got[1] if got is not None else ()
                self._of_class[facts.name] = None if got is None else (got[0], [])

    def of_class(self, name: str) -> tuple[tuple[Item, ...], list[Found]] | None:
        """Return the devices of a class and what is wrong with it; None where nobody knows."""
        if name not in self._of_class:
            self._of_class[name] = self._class(name)
        return self._of_class[name]

    def _class(self, name: str) -> tuple[tuple[Item, ...], list[Found]] | None:
        known = self.world.classes(name)
        if not known or any(not body.plain or body.selectors != known[0][1].selectors for _, body in known):
            return None
        facts, body = known[0]
        asked = demands(body.selectors).get(DRIVER)
        if asked is not None and not any(driver in asked for driver in self.drivers):
            if not self.stock.whole or any(is_among(str(driver), self.world.scope.drivers) for driver in asked):
                return None
            return (), [self._no_driver(facts, body.selectors, sorted(map(str, asked)))]
        if not self.stock.whole and asked is None:
            return None  # devices of other drivers may be there, too
        return self.narrow(facts, body.selectors, self.stock.items, "the class")

    def _no_driver(self, facts: Facts, selectors: tuple[Selector, ...], asked: list[str]) -> Found:
        there = ", ".join(self.drivers) or "none"
        message = (
            f"there is no device of the driver {' or '.join(map(quoted, asked))}, only of {there}: Pods with claims of "
            "this class stay Pending (`cannot allocate all claims`)"
        )
        path = next((s.path for s in selectors if DRIVER in demands([s])), selectors[0].path)
        return self.world.found(facts, NO_MATCH, path, message, closest(asked[0], self.drivers))

    def narrow(
        self, facts: Facts, selectors: Iterable[Selector], items: tuple[Item, ...], whose: str
    ) -> tuple[tuple[Item, ...], list[Found]] | None:
        """Return the devices that pass selectors, and why there are none; None where one cannot be judged."""
        for selector in selectors:
            if is_open(selector.expression):
                return None
            key = id(items), selector.expression
            got = self._narrowed.get(key)
            if got is None:
                got = self._narrowed[key] = self._narrow(selector.expression, items)
            if got.passed is None:
                return None
            if got.failed:
                return (), [self._fails(facts, selector, items, got)]
            if not got.passed and items:
                return (), [self._matches_none(facts, selector, items, got, whose)]
            items = got.passed
        return items, []

    def _narrow(self, expression: str, items: tuple[Item, ...]) -> Narrowed:
        """Return what a selector leaves of the devices; those that are alike are asked once."""
        from dralint.cel.eval.machine import evaluate

        self._kept.append(items)  # so that no other tuple gets its id
        compilation = compiled(expression)
        if compilation is None:
            return Narrowed(None)
        outcomes: dict[int, Outcome] = {}
        for item in items:
            if item.alike not in outcomes:
                self._left -= 1
                outcomes[item.alike] = evaluate(compilation, item.device)
        if self._left < 0 or any("dralint does not run" in (each.error or "") for each in outcomes.values()):
            return Narrowed(None)
        failed = tuple(item for item in items if outcomes[item.alike].error is not None)
        passed = tuple(item for item in items if outcomes[item.alike].matches)
        first = outcomes[(failed or items)[0].alike] if items else None
        reason: tuple[str, str | None] = ("", None)
        if items and (failed or not passed):
            reason = explain(items, expression)
        return Narrowed(passed, failed, first, *reason)

    def _fails(self, facts: Facts, selector: Selector, items: tuple[Item, ...], got: Narrowed) -> Found:
        number = len(got.failed)
        first = "/".join(got.failed[0].identity)
        error = "" if got.first is None else got.first.error
        why = f"{got.reason}; " if got.reason else ""
        ending = _ENDS if facts.kind == "DeviceClass" or number < len(items) else _ENDS.replace("may end", "ends")
        on = f"{number} of {len(items)} devices, the first is {first} ({error})"
        message = f"the selector fails on {on}: {why}{ending}"
        return self.world.found(facts, FAILS, selector.path, message, got.hint)

    def _matches_none(
        self, facts: Facts, selector: Selector, items: tuple[Item, ...], got: Narrowed, whose: str
    ) -> Found:
        shown = " ".join(("" if got.first is None else got.first.decided_by).split())
        text = f"`{shown[:80]}` is true of 0 of {len(items)} devices"
        if whose != "the class":
            text += " of the class"
        why = f": {got.reason}" if got.reason else ""
        what = _PENDING if facts.kind != "DeviceClass" else _PENDING.replace("use the claim", "use the class")
        return self.world.found(facts, NO_MATCH, selector.path, f"{text}{why}; {what}", got.hint)

    # Requests.

    def choice(self, facts: Facts, request: Request) -> Choice:
        """Return what a request or alternative may get."""
        unknown = Choice(request, (), (), known=False)
        of_class = None if request.device_class is None else self.of_class(request.device_class)
        if of_class is None or not of_class[0]:
            return unknown  # said of the class
        got = self.narrow(facts, request.selectors, of_class[0], "the request")
        if got is None:
            return unknown
        items, found = got
        if not items:
            return Choice(request, (), tuple(found))
        found = list(self._capacity(facts, request, items))
        if found:
            return Choice(request, (), tuple(found))
        free = items
        if _TAINTS in self._gates(facts) and any(item.taints for item in items):
            free = tuple(item for item in items if self._free(request, item))
        if not free:
            return Choice(request, (), (self._tainted(facts, request, items),))
        few = self._too_few(facts, request, free)
        return Choice(request, free, () if few is None else (few,))

    def _gates(self, facts: Facts) -> frozenset[str]:
        releases = self.world.releases(facts)
        return self.world.gates(releases[-1]) if releases else frozenset()

    def _free(self, request: Request, item: Item) -> bool:
        return all(tolerates(request.tolerations, taint) for taint in item.taints)

    def _tainted(self, facts: Facts, request: Request, items: tuple[Item, ...]) -> Found:
        taints = {t[:3]: t for i in items for t in i.taints if not tolerates(request.tolerations, t)}
        several = list(taints.values())
        shown = ", ".join(f"{t.key}{f'={t.value}' if t.value else ''}:{t.effect}" for t in several[:3])
        said = [_toleration(each) for each in request.tolerations if isinstance(each, dict)]
        tolerated = f"the request tolerates {', '.join(said)}" if said else "the request tolerates none"
        rules = [t for t in several if t.source is not None]
        by = f" by the DeviceTaintRule {quoted(rules[0].source.name)}" if rules and rules[0].source is not None else ""
        message = f"{_all(len(items))} tainted{by}, {shown}, and {tolerated}: {_PENDING}"
        hint = f"tolerate it ({{key: {several[0].key}, operator: Exists}}), or wait until the taint is gone"
        elsewhere = [Elsewhere("the rule", t.source, NAME) for t in rules[:1] if t.source is not None]
        path: Path = (*request.path, "tolerations") if request.tolerations else request.path
        return self.world.found(facts, ALL_TAINTED, path, message, hint, *elsewhere, target="key")

    def _too_few(self, facts: Facts, request: Request, items: tuple[Item, ...]) -> Found | None:
        if request.number is None or request.admin or any(item.device.allow_multiple_allocations for item in items):
            return None
        most = self.most(items)
        if request.number <= most:
            return None
        message = (
            f"{request.number} devices of one node are asked for, and no node has more than {most} that match"
            f"{f' ({len(items)} over all nodes)' if len(items) != most else ''}: {_PENDING}"
        )
        hint = f"ask for at most {most}" if most else None
        return self.world.found(facts, TOO_FEW, (*request.path, "count"), message, hint)

    def on(self, items: tuple[Item, ...], node: str) -> list[Item]:
        """Return those of the devices that a node has or reaches."""
        groups = self._by_node.get(id(items))
        if groups is None:
            self._kept.append(items)
            groups = self._by_node[id(items)] = {}
            for item in items:
                groups.setdefault(item.node, []).append(item)
        own, common = groups.get(node, []), groups.get(ANYWHERE, [])
        return [*own, *common] if node != ANYWHERE and common else own

    def most(self, items: tuple[Item, ...]) -> int:
        """Return how many of the devices one node has or reaches at most."""
        self.on(items, ANYWHERE)
        groups = self._by_node[id(items)]
        common = len(groups.get(ANYWHERE, ()))
        return common + max((len(group) for node, group in groups.items() if node != ANYWHERE), default=0)

    def _capacity(self, facts: Facts, request: Request, items: tuple[Item, ...]) -> Iterator[Found]:
        if _CAPACITY not in self._gates(facts):
            return
        for name, wanted in request.capacity:
            path = (*request.path, "capacity", "requests", name)
            found = [item.device.capacity[name].value for item in items if name in item.device.capacity]
            if not found:
                known = sorted({each for item in items for each in item.device.capacity})
                has = f"they have {', '.join(known)}" if known else "they have none"
                message = f"no device of the request has a capacity {quoted(name)}, {has}: {_PENDING}"
                yield self.world.found(facts, NO_CAPACITY, path, message, closest(name, known), target="key")
                continue
            try:
                amount = parse_quantity(str(wanted))
            except ValueError:
                continue
            if amount > max(found):
                most = quantity_text(max(found))
                message = f"{wanted} of {name} are asked for, and no device has more than {most}: {_PENDING}"
                yield self.world.found(facts, NO_CAPACITY, path, message, f"ask for at most {most}")


def _all(number: int) -> str:
    return "the only device is" if number == 1 else f"all {number} devices are"


def _toleration(each: dict[str, Any]) -> str:
    value = f"={each['value']}" if each.get("value") else ""
    return f"{each.get('key') or 'any key'}{value}:{each.get('effect') or 'any effect'}"


def supply(world: World) -> Iterator[Found]:
    """Yield what the inventory of the world does not have."""
    if world.stock is None or not world.stock.items:
        return
    stock = Supply(world, world.stock)
    yield from stock.classes()
    choices: dict[tuple[str, int, Path], list[list[Choice]]] = {}
    for facts, claim in world.claims():
        if not claim.plain or claim.allocated:
            continue
        found, wanted = _claim(stock, facts, claim)
        yield from found
        if wanted is not None:
            choices[facts.file, facts.document, facts.path] = wanted
    yield from _pods(stock, choices)
    yield from _extended(stock)
    if world.stock.whole:
        yield from _rules(stock)


def _claim(stock: Supply, facts: Facts, claim: Claim) -> tuple[list[Found], list[list[Choice]] | None]:
    """Return what is wrong with a claim, and the choices of its requests where it may be allocated."""
    requests: dict[str, list[Choice]] = {}
    for request in claim.requests:
        if request.mode != "":
            requests.setdefault(request.parent or request.name, []).append(stock.choice(facts, request))
    found: list[Found] = []
    for alternatives in requests.values():
        failing = [choice for choice in alternatives if choice.known and (choice.found or not choice.items)]
        if len(failing) == len(alternatives):
            found += [each for choice in failing for each in choice.found]
        else:
            found += [each for choice in failing for each in choice.found if each.problem.rule == FAILS]
    if found:
        return found, None
    wanted = [[c for c in alternatives if not c.found] for alternatives in requests.values()]
    if any(not choice.known for alternatives in wanted for choice in alternatives):
        return [], None
    found = list(_attributes(stock, facts, claim, requests))
    if not found and not any(_fits(stock, node, wanted, claim.constraints) for node in stock.stock.nodes):
        found = list(_together(stock, facts, claim, wanted))
    return found, None if found else wanted


def _concerned(constraint: Constraint, requests: dict[str, list[Choice]]) -> list[list[Choice]]:
    """Return the choices of the requests that a constraint is over."""
    names = constraint.requests
    return [
        [c for c in alternatives if not names or name in names or c.request.full_name in names]
        for name, alternatives in requests.items()
        if not names or name in names or any(c.request.full_name in names for c in alternatives)
    ]


def _attributes(stock: Supply, facts: Facts, claim: Claim, requests: dict[str, list[Choice]]) -> Iterator[Found]:
    """Yield constraints over an attribute that devices of a request do not have, or have with different types."""
    for constraint in claim.constraints:
        kinds: dict[type, Item] = {}
        for alternatives in _concerned(constraint, requests):
            items = [item for choice in alternatives for item in choice.items]
            if not items or any(not choice.known for choice in alternatives):
                continue
            having = [item for item in items if item.value(constraint.attribute) is not None]
            if not having:
                yield _no_attribute(stock, facts, constraint, alternatives[0].request, items)
                break
            own = {type(item.value(constraint.attribute)): item for item in having}
            if len(own) == 1:
                kinds.update(own)
        else:
            if len(kinds) > 1 and not constraint.distinct:
                yield _types(stock, facts, constraint, list(kinds.values()))


def _no_attribute(
    stock: Supply, facts: Facts, constraint: Constraint, request: Request, items: Sequence[Item]
) -> Found:
    name = constraint.attribute.partition("/")[2]
    known = sorted(
        {full if "/" in full else f"{i.device.driver}/{full}" for i in items for full in i.device.attributes}
    )
    drivers = ", ".join(dict.fromkeys(item.device.driver for item in items))
    message = (
        f"0 of {len(items)} devices of the request {quoted(request.full_name)} (driver {drivers}) have the attribute "
        f"{quoted(constraint.attribute)}, so the constraint is never met: {_PENDING}"
    )
    same = [full for full in known if full.partition("/")[2] == name]
    hint = f"did you mean {quoted(same[0])}?" if same else closest(constraint.attribute, known)
    return stock.world.found(facts, NEVER_MET, constraint.path, message, hint)


def _types(stock: Supply, facts: Facts, constraint: Constraint, items: list[Item]) -> Found:
    kinds = {bool: "bool", int: "int", str: "string", list: "list"}
    said = [f"{kinds.get(type(item.value(constraint.attribute)), 'version')} of {item.device.driver}" for item in items]
    message = (
        f"the attribute {quoted(constraint.attribute)} is a {' and a '.join(said)}: values of different types are "
        f"never equal, {_PENDING}"
    )
    hint = "match another attribute, or have the drivers publish it with one type"
    where = [
        Elsewhere(f"the device of {item.device.driver}", item.facts, ("spec", "devices", item.position, "attributes"))
        for item in items
    ]
    return stock.world.found(facts, NEVER_MET, constraint.path, message, hint, *where)


# What fits together.

_MOST_STEPS = 20_000


class _TooMuchError(Exception):
    """Too many ways to choose; nothing is said then."""


def _fits(stock: Supply, node: str, wanted: list[list[Choice]], constraints: Iterable[Constraint] = ()) -> bool:
    """Say whether devices of a node satisfy all requests together; True where that takes too long to find out."""
    try:
        return any(_place(stock, node, chosen, tuple(constraints)) for chosen in _ways(wanted))
    except _TooMuchError:
        return True


def _ways(wanted: list[list[Choice]]) -> Iterator[list[Choice]]:
    """Yield one alternative of each request, in every combination."""
    import itertools

    for number, chosen in enumerate(itertools.product(*wanted)):
        if number > 64:
            raise _TooMuchError
        yield list(chosen)


def _place(stock: Supply, node: str, chosen: list[Choice], constraints: tuple[Constraint, ...]) -> bool:
    """Say whether each choice gets as many devices of the node as it needs, no device twice, constraints met."""
    slots: list[tuple[Choice, list[Item]]] = []
    for choice in chosen:
        here = stock.on(choice.items, node)
        if not here or (len(here) < choice.least and not _shareable(here)):
            return False
        number = len(here) if choice.request.number is None else choice.least
        slots += [(choice, here)] * number
    if not constraints and all(not slot[0].request.admin for slot in slots):
        return _matching(slots)
    taken: list[Item] = []
    steps = 0

    def fill(place: int) -> bool:
        nonlocal steps
        steps += 1
        if steps > _MOST_STEPS:
            raise _TooMuchError
        if place == len(slots):
            return True
        choice, here = slots[place]
        for item in here:
            busy = item in taken and not (item.device.allow_multiple_allocations or choice.request.admin)
            if busy or not _allowed(slots, taken, place, item, constraints):
                continue
            taken.append(item)
            if fill(place + 1):
                return True
            taken.pop()
        return False

    return fill(0)


def _shareable(items: Iterable[Item]) -> bool:
    return any(item.device.allow_multiple_allocations for item in items)


def _allowed(
    slots: list[tuple[Choice, list[Item]]],
    taken: list[Item],
    place: int,
    item: Item,
    constraints: tuple[Constraint, ...],
) -> bool:
    for constraint in constraints:
        if not _is_over(constraint, slots[place][0].request):
            continue
        value = item.value(constraint.attribute)
        if value is None:
            return False
        for number, other in enumerate(taken):
            if not _is_over(constraint, slots[number][0].request):
                continue
            same = type(other.value(constraint.attribute)) is type(value) and other.value(constraint.attribute) == value
            if same == constraint.distinct:
                return False
    return True


def _is_over(constraint: Constraint, request: Request) -> bool:
    names = constraint.requests
    return not names or request.full_name in names or (request.parent or request.name) in names


def _matching(slots: list[tuple[Choice, list[Item]]]) -> bool:
    """Say whether every slot can have a device of its own."""
    holder: dict[tuple[str, str, str], int] = {}

    def give(slot: int, tried: set[tuple[str, str, str]]) -> bool:
        for item in slots[slot][1]:
            if item.device.allow_multiple_allocations:
                return True
            if item.identity in tried:
                continue
            tried.add(item.identity)
            if item.identity not in holder or give(holder[item.identity], tried):
                holder[item.identity] = slot
                return True
        return False

    return all(give(slot, set()) for slot in range(len(slots)))


def _together(stock: Supply, facts: Facts, claim: Claim, wanted: list[list[Choice]]) -> Iterator[Found]:
    """Yield why requests that each find devices do not find them together."""
    nodes = stock.stock.nodes
    single = {node for node in nodes if all(_fits(stock, node, [one]) for one in wanted)}
    if not single:
        yield _no_common_node(stock, facts, wanted)
        return
    if any(_fits(stock, node, wanted) for node in single):
        for constraint in claim.constraints:
            if not any(_fits(stock, node, wanted, [constraint]) for node in single):
                yield _never_met(stock, facts, constraint, wanted)
                return
        if claim.constraints:
            yield _never_met(stock, facts, claim.constraints[-1], wanted)
        return
    total = sum(min(choice.least for choice in alternatives) for alternatives in wanted)
    most = max(_most(stock, node, wanted) for node in nodes)
    message = (
        f"the requests ask for {total} devices of one node together, and no node has more than {most} that match: "
        f"{_PENDING}"
    )
    request = max((a[0] for a in wanted), key=lambda choice: choice.least).request
    yield stock.world.found(facts, TOO_FEW, (*request.path, "count"), message, f"ask for at most {most} together")


def _most(stock: Supply, node: str, wanted: list[list[Choice]]) -> int:
    return len({item.identity for a in wanted for choice in a for item in stock.on(choice.items, node)})


def _no_common_node(stock: Supply, facts: Facts, wanted: list[list[Choice]]) -> Found:
    said = []
    for alternatives in wanted:
        there = [node for node in stock.stock.nodes if _fits(stock, node, [alternatives])]
        request = alternatives[0].request
        said.append(f"those of {quoted(request.parent or request.name)} are on {', '.join(there[:4]) or 'none'}")
    request = min(
        (a[0] for a in wanted), key=lambda c: sum(_fits(stock, node, [[c]]) for node in stock.stock.nodes)
    ).request
    path = request.selectors[0].path if request.selectors else (*request.path, "deviceClassName")
    message = f"no node has devices for all requests: {'; '.join(said)}; {_PENDING}"
    hint = "a claim gets all its devices on one node: use a claim for each, or ask for what one node has"
    return stock.world.found(facts, NO_NODE, path, message, hint)


def _never_met(stock: Supply, facts: Facts, constraint: Constraint, wanted: list[list[Choice]]) -> Found:
    over = [[c for c in alternatives if _is_over(constraint, c.request)] for alternatives in wanted]
    parts = []
    for alternatives in filter(None, over):
        found = [value for c in alternatives for i in c.items if (value := i.value(constraint.attribute)) is not None]
        parts.append(f"{alternatives[0].request.full_name} {spelled(found)}")
    number = sum(a[0].least for a in over if a)
    how = "different" if constraint.distinct else "the same"
    message = f"no {number} devices of a node have {how} {quoted(constraint.attribute)}: {'; '.join(parts)}; {_PENDING}"
    return stock.world.found(facts, NEVER_MET, constraint.path, message, "ask for fewer devices, or leave it out")


# Pods.


def _pods(stock: Supply, choices: dict[tuple[str, int, Path], list[list[Choice]]]) -> Iterator[Found]:
    """Yield Pods whose claims each find devices, but not all on one node, or not on the node that the Pod wants."""
    for facts, _, pod in stock.world.workloads():
        wanted: list[list[Choice]] = []
        constraints: list[tuple[Constraint, ...]] = []
        targets: list[Facts] = []
        for entry in pod.entries:
            found = _only(stock.world, facts, entry)
            known = None if found is None else choices.get((found.file, found.document, found.path))
            if found is None or known is None or not isinstance(found.body, Claim):
                break
            wanted += known
            constraints.append(found.body.constraints)
            targets.append(found)
        else:
            if wanted:
                yield from _pod(stock, facts, pod, targets, wanted)


def _only(world: World, facts: Facts, entry: Entry) -> Facts | None:
    targets = world.target(facts, entry)
    return targets[0] if len(targets) == 1 else None


def _pod(
    stock: Supply, facts: Facts, pod: PodSpec, targets: list[Facts], wanted: list[list[Choice]]
) -> Iterator[Found]:
    fitting = [node for node in stock.stock.nodes if _fits(stock, node, wanted)]
    if not fitting and len(targets) > 1:
        total = sum(min(choice.least for choice in alternatives) for alternatives in wanted)
        most = max(_most(stock, node, wanted) for node in stock.stock.nodes)
        message = (
            f"the claims of the Pod ask for {total} devices of one node together, and no node has more than {most} "
            "that match: the Pod stays Pending (`cannot allocate all claims`)"
        )
        elsewhere = [Elsewhere(f"the {target.kind} {quoted(target.name)}", target, NAME) for target in targets]
        path = (*pod.path, "resourceClaims")
        yield stock.world.found(facts, NO_NODE, path, message, None, *elsewhere, target="key")
    host = pod.host
    if fitting and host is not None and ANYWHERE not in fitting and host not in fitting and not is_open(host):
        if not stock.stock.whole or any(item.node == ANYWHERE for a in wanted for c in a for item in c.items):
            return
        message = (
            f"the Pod wants the node {host}, and the devices that match are on {', '.join(fitting[:5])}: the Pod stays "
            "Pending (`cannot allocate all claims`)"
        )
        path = (*pod.path, "nodeSelector", "kubernetes.io/hostname")
        yield stock.world.found(facts, NO_NODE, path, message, f"choose one of {', '.join(fitting[:5])}")


def _extended(stock: Supply) -> Iterator[Found]:
    """Yield extended resources of which no node has as many as a Pod wants."""
    from dralint.references.collect import IMPLICIT
    from dralint.references.facts import Class

    classes = {}
    for facts in stock.world.index.all("DeviceClass"):
        if isinstance(facts.body, Class) and facts.name is not None:
            classes[f"{IMPLICIT}{facts.name}"] = facts.name
            if facts.body.extended is not None:
                classes.setdefault(facts.body.extended, facts.name)
    for facts, _, pod in stock.world.workloads():
        for path, name, amount in pod.extended:
            got = stock.of_class(classes[name]) if name in classes else None
            if got is None or not got[0] or not amount.isdecimal() or _shareable(got[0]):
                continue
            most = stock.most(got[0])
            if int(amount) > most:
                message = (
                    f"{amount} devices of one node are asked for, and no node has more than {most} of the class "
                    f"{quoted(classes[name])}: the Pod stays Pending (`cannot allocate all claims`)"
                )
                yield stock.world.found(facts, TOO_FEW, path, message, f"ask for at most {most}")


def _rules(stock: Supply) -> Iterator[Found]:
    """Yield DeviceTaintRules that select no device."""
    for facts in stock.world.index.facts:
        rule = facts.body
        if not isinstance(rule, TaintRule) or rule.narrowed:
            continue
        if rule.driver is not None and is_among(rule.driver, stock.world.scope.drivers):
            continue
        items: Sequence[Item] = stock.stock.items
        for field, of in (("driver", "driver"), ("pool", "pool"), ("device", "name")):
            wanted = getattr(rule, field)
            if wanted is None or is_open(wanted):
                continue
            left = [item for item in items if getattr(item.device, of) == wanted]
            if not left:
                there = list(dict.fromkeys(getattr(item.device, of) for item in items))
                within = {"pool": rule.driver, "device": rule.pool or rule.driver}.get(field)
                message = (
                    f"no device{f' of {within}' if within else ''} has the {field} {quoted(wanted)}; there are "
                    f"{', '.join(there[:8])}: the rule taints nothing, and nobody says so"
                )
                path = ("spec", "deviceSelector", field)
                yield stock.world.found(facts, SELECTS_NOTHING, path, message, closest(wanted, there))
                break
            items = left
