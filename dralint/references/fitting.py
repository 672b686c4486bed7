"""Whether devices of a node satisfy several requests together, no device twice, constraints met."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from dralint.references.stocked import shareable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from dralint.references.facts import Constraint, Request
    from dralint.references.inventory import Item
    from dralint.references.stocked import Choice, Supply


_MOST_STEPS, _MOST_STEPS_OF_RUN = 20_000, 2_000_000


class _UnclearError(Exception):
    """Too many ways to choose, or devices of unknown nodes; nothing is said then."""


def fits(stock: Supply, node: str, wanted: list[list[Choice]], constraints: Iterable[Constraint] = ()) -> bool:
    """Say whether devices of a node satisfy all requests together; True where that cannot be told, or not in time."""
    try:
        return any(_place(stock, node, chosen, tuple(constraints)) for chosen in _ways(wanted))
    except _UnclearError:
        return True


def _ways(wanted: list[list[Choice]]) -> Iterator[list[Choice]]:
    """Yield one alternative of each request, in every combination."""
    import itertools

    for number, chosen in enumerate(itertools.product(*wanted)):
        if number > 64:
            raise _UnclearError
        yield list(chosen)


def _place(stock: Supply, node: str, chosen: list[Choice], constraints: tuple[Constraint, ...]) -> bool:
    """Say whether each choice gets as many devices of the node as it needs, no device twice, constraints met.

    Nodes that look the same to the choices and constraints are tried once.
    """
    wanted: list[_Wanted] = []
    for choice in chosen:
        here = stock.on(choice.items, node)
        if not here or (len(here) < choice.least and not shareable(here)):
            return False
        if choice.request.number is None and any(item.selected for item in here):
            raise _UnclearError  # nobody knows which of them are all of this node
        number = len({item.identity for item in here}) if choice.request.number is None else choice.least
        over = tuple(each for each in constraints if is_over(each, choice.request))
        wanted.append(_Wanted(number, choice.request.admin, over, here))
    look = _look(wanted)
    if look not in stock.placed:
        try:
            stock.placed[look] = _search(stock, wanted)
        except _UnclearError:
            stock.placed[look] = None
    known = stock.placed[look]
    if known is None:
        raise _UnclearError
    return known


class _Wanted(NamedTuple):
    """So many devices of those `here`; `over` are the constraints that hold for them."""

    number: int
    admin: bool
    over: tuple[Constraint, ...]
    here: list[Item]


def _look(wanted: list[_Wanted]) -> tuple[object, ...]:
    """Return all that the outcome depends on: which devices are the same, which can be shared, what constraints see."""
    numbers: dict[tuple[str, str, str], int] = {}
    return tuple(
        (
            each.number,
            each.admin,
            tuple((constraint.attribute, constraint.distinct, constraint.requests) for constraint in each.over),
            tuple(
                (
                    numbers.setdefault(item.identity, len(numbers)),
                    item.device.allow_multiple_allocations,
                    *(_seen(item.value(constraint.attribute)) for constraint in each.over),
                )
                for item in each.here
            ),
        )
        for each in wanted
    )


def _seen(value: object) -> tuple[type, object]:
    return type(value), repr(value) if isinstance(value, list) else value


def _search(stock: Supply, wanted: list[_Wanted]) -> bool:
    if not any(each.over or each.admin for each in wanted):
        return _matching([each.here for each in wanted for _ in range(each.number)])
    slots = [(each, number > 0) for each in wanted for number in range(each.number)]
    taken: list[tuple[_Wanted, Item]] = []
    steps = 0

    def fill(place: int, first: int) -> bool:
        """Take devices for the slots from `place` on; of one request in order, since their order does not matter."""
        nonlocal steps
        steps += 1
        stock.steps += 1
        if steps > _MOST_STEPS or stock.steps > _MOST_STEPS_OF_RUN:
            raise _UnclearError
        if place == len(slots):
            return True
        each, goes_on = slots[place]
        for position in range(first if goes_on else 0, len(each.here)):
            item = each.here[position]
            again = item.device.allow_multiple_allocations or each.admin
            if (not again and any(other == item for _, other in taken)) or not _allowed(taken, each, item):
                continue
            taken.append((each, item))
            if fill(place + 1, position if again else position + 1):
                return True
            taken.pop()
        return False

    return fill(0, 0)


def _allowed(taken: list[tuple[_Wanted, Item]], wanted: _Wanted, item: Item) -> bool:
    for constraint in wanted.over:
        value = item.value(constraint.attribute)
        if value is None:
            return False
        if isinstance(value, list):
            raise _UnclearError  # whether lists are compared, and how, is a matter of gates of the scheduler
        for each, other in taken:
            if constraint not in each.over:
                continue
            same = type(other.value(constraint.attribute)) is type(value) and other.value(constraint.attribute) == value
            if same == constraint.distinct:
                return False
    return True


def is_over(constraint: Constraint, request: Request) -> bool:
    """Say whether a constraint is over the devices of a request or alternative."""
    names = constraint.requests
    return not names or request.full_name in names or (request.parent or request.name) in names


def _matching(slots: list[list[Item]]) -> bool:
    """Say whether every slot can have a device of its own."""
    holder: dict[tuple[str, str, str], int] = {}

    def give(slot: int, tried: set[tuple[str, str, str]]) -> bool:
        for item in slots[slot]:
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
