"""The search for devices on one node: depth first, the first solution wins, exhaustive within a budget.

Source: k8s.io/dynamic-resource-allocation/structured/internal/*/allocator_*.go (allocateOne, allocateDevice), v1.34.4
to v1.37.0. Levels are generators driven by a loop, so no input is too deep.
"""

from __future__ import annotations

import enum
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from dralint.kubernetes.taints import NodeSelectorError, untolerated
from dralint.kubernetes.workloads import MOST_DEVICES
from dralint.simulate.capacity import Account, CapacityError, Need, needs
from dralint.simulate.claims import Constraint, attribute, constraint
from dralint.simulate.inventory import DeviceId, reaches
from dralint.simulate.selection import Failed

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping, Sequence

    from dralint.simulate.behaviours import Behaviour
    from dralint.simulate.capacity import Ledger
    from dralint.simulate.claims import Claim, Want
    from dralint.simulate.inventory import ClusterNode, Device, InUse
    from dralint.simulate.pools import Pool, View
    from dralint.simulate.selection import Selection

INVALID_POOLS = "invalid resource pools were encountered"
_CHECK_EVERY = 128
PROOF_AFTER = 2_000
"""After this many steps, dralint checks whether the search can succeed."""


class AttemptError(Exception):
    """The attempt ends with an error; the text is the scheduler's. `device` and `expression` are its place."""

    def __init__(self, text: str, *, device: Device | None = None, expression: str = "") -> None:
        super().__init__(text)
        self.device = device
        self.expression = expression


class UndecidedError(Exception):
    """There is no answer: the budget is spent, or dralint cannot run an expression; the text has the reason."""


class _End(enum.Enum):
    FOUND, FAILED, OVER_LIMIT = range(3)


FOUND, FAILED, OVER_LIMIT = _End.FOUND, _End.FAILED, _End.OVER_LIMIT
_NONE: Mapping[str, int] = {}


@dataclass(slots=True)
class Taken:
    """A device chosen for a request; `share` is how much of its capacity the request takes, if it can be shared."""

    want: Want
    device: Device
    share: dict[str, Need] | None = None


@dataclass
class Budget:
    """The limits of an attempt: until `deadline` or `steps` are used up; None means no limit.

    The clock is time.process_time, so that a busy machine does not change an answer.
    """

    deadline: float | None = None
    steps: int | None = None
    used: int = 0

    def spend(self) -> None:
        """Count one step; UndecidedError where the budget is spent."""
        self.used += 1
        late = self.deadline is not None and self.used % _CHECK_EVERY == 0 and time.process_time() > self.deadline
        if late or (self.steps is not None and self.used > self.steps):
            raise UndecidedError("the time is up")


@dataclass
class Scene:
    """What all attempts for one Pod share."""

    behaviour: Behaviour
    selection: Selection
    claims: Sequence[Claim]
    in_use: InUse
    ledger: Ledger
    relax: frozenset[str] = frozenset()
    needs: dict[tuple[Want, Device], dict[str, Need] | CapacityError | None] = field(default_factory=dict)
    effort: dict[int, float] = field(default_factory=dict)


class Attempt:
    """One attempt to allocate the claims of a Pod on one node."""

    def __init__(self, scene: Scene, view: View, node: ClusterNode, budget: Budget) -> None:
        self.scene = scene
        self.view = view
        self.node = node
        self.budget = budget
        behaviour = scene.behaviour
        self.behaviour = behaviour
        self.results: list[list[Taken]] = [[] for _ in scene.claims]
        self.taking: dict[DeviceId, set[int]] = {}
        self.giving: dict[DeviceId, dict[str, int]] = {}
        self.sharing = Counter[DeviceId]()
        self.account = Account(scene.ledger, groups=behaviour.has("groups"))
        self.constraints: list[list[Constraint]] = []
        self._shareable = behaviour.has("capacity")
        self._exclusive = scene.in_use.exclusive
        self._shares = scene.in_use.shares
        self._taints = behaviour.has("taints") and "taints" not in scene.relax
        self._effects = behaviour.has("effects_matter")
        self._counters = "counters" not in scene.relax
        self.devices: Sequence[Device] = view.devices
        self._first_free = view.first_free(scene.in_use)
        self._fatal: Pool | None = None
        self.proved = False

    def run(self) -> list[list[Taken]] | None:
        """Return the devices taken for each claim; None where no choice works.

        AttemptError where the scheduler would stop with an error, UndecidedError where the budget is spent.
        """
        self.prepare()
        return self.results if self._drive(self._level(0, 0, 0, 0, False, 0)) is FOUND else None

    # Preparation

    def prepare(self) -> None:
        """Make constraints, and the devices of mode All; AttemptError as `run`."""
        if self.behaviour.has("invalid_pool_is_fatal"):
            self._fatal = next((pool for pool in self.view.pools if pool.invalid), None)
        if self._fatal is not None:
            before = self.view.pools[: self.view.pools.index(self._fatal)]  # the search never gets past it
            self.devices = [device for pool in before for device in pool.devices]
        shared = self.behaviour.has("all_shares_verdicts")
        each = self.behaviour.has("limits_each_request")
        for claim in self.scene.claims:
            total = 0
            for request in claim.requests:
                if request.problem:
                    raise AttemptError(request.problem)
                memory: dict[Device, bool] = {}
                for index, want in enumerate(request.wants):
                    want.memory = {}
                    want.devices = ()
                    if want.problem:
                        raise AttemptError(want.problem)
                    want.number = want.count
                    if want.every:
                        if not (shared and index == 1):  # the second alternative takes the verdicts of the first
                            memory = {}
                        want.devices = self._all(claim, want, memory)
                        want.number = len(want.devices)
                least = min((want.number for want in request.wants), default=0)
                if each and least > MOST_DEVICES - total:
                    raise AttemptError(
                        f"claim {claim.name}, request {request.name}: adding {least} devices exceeds the claim limit "
                        f"of {MOST_DEVICES}, with {total} already accounted for"
                    )
                total += least
            if total > MOST_DEVICES:
                raise AttemptError(
                    f"claim {claim.name}: number of requested devices {total} exceeds the claim limit of {MOST_DEVICES}"
                )
            if claim.problem:
                raise AttemptError(claim.problem)
            made = [constraint(entry, self.behaviour, self._lookup) for entry in claim.constraints]
            self.constraints.append([c for c in made if c is not None])

    def _all(self, claim: Claim, want: Want, memory: dict[Device, bool]) -> list[Device]:
        """Return every device that mode All wants."""
        found: list[Device] = []
        which = f"claim {claim.name}, request {want.label}: asks for all devices, but resource pool"
        for pool in self.view.pools:
            if not pool.complete:
                raise AttemptError(f"{which} {pool} is currently being updated")
            if pool.invalid:
                raise AttemptError(f"{which} {pool} is currently invalid")
            for device in pool.devices:
                self.budget.spend()
                if self._selectable(want, device, memory) and self._large_enough(want, device):
                    found.append(device)
        return found

    def _large_enough(self, want: Want, device: Device) -> bool:
        if not self.behaviour.has("capacity"):
            return True
        return self._room(want, device) if self.behaviour.has("all_needs_room_now") else self._fits(want, device)

    # The search

    def _drive(self, first: Generator[Any, _End, _End]) -> _End:
        stack = [first]
        value: Any = None
        proof = self.budget.used + PROOF_AFTER
        while stack:
            if self.budget.used >= proof:
                from dralint.simulate.allocator import is_impossible  # most searches are short

                self.proved = is_impossible(self)
                if self.proved:
                    return FAILED
                proof = sys.maxsize
            try:
                child = stack[-1].send(value)
            except StopIteration as end:
                stack.pop()
                value = end.value
            else:
                stack.append(child)
                value = None
        result: _End = value
        return result

    def _level(
        self, claim: int, request: int, alternative: int, index: int, chosen: bool, start: int
    ) -> Generator[Any, _End, _End]:
        """Choose the device `index` of a request from the one at `start` on, and everything after it.

        `chosen` says whether the alternative of the request is decided.
        """
        claims = self.scene.claims
        while True:
            if claim >= len(claims):
                return FOUND
            requests = claims[claim].requests
            if request >= len(requests):
                end = yield self._level(claim + 1, 0, 0, 0, False, 0)
                return FAILED if end is OVER_LIMIT else end
            self.budget.spend()
            current = requests[request]
            if current.prioritized and not chosen:
                over = 0
                for number in range(len(current.wants)):
                    end = yield self._level(claim, request, number, index, True, start)
                    if end is FOUND:
                        return FOUND
                    over += end is OVER_LIMIT
                return OVER_LIMIT if over == len(current.wants) else FAILED
            want = current.wants[alternative]
            if want.every and not want.devices:
                return FAILED
            if index >= want.number:
                request, alternative, index, chosen, start = request + 1, 0, 0, False, 0
                continue
            if len(self.results[claim]) + want.number - index > MOST_DEVICES:
                return OVER_LIMIT
            if want.every:
                undo = self.take(want, want.devices[index], index, must=True)
                if undo is None:
                    return FAILED
                following = 0 if self.behaviour.has("all_forgets_alternative") else alternative
                end = yield self._level(claim, request, following, index + 1, True, 0)
                if end is not FOUND:
                    undo()
                return end
            break
        for position, device in self.candidates(want, start):
            undo = self.take(want, device, index, must=False)
            if undo is None:
                continue
            after = position + 1 if self.behaviour.has("tries_combinations") else 0
            end = yield self._level(claim, request, alternative, index + 1, True, after)
            if end is FOUND:
                return FOUND
            undo()
            if end is OVER_LIMIT:
                return OVER_LIMIT
        return FAILED

    def candidates(self, want: Want, start: int) -> Generator[tuple[int, Device], None, None]:
        """Yield position and device of what may be tried for a request, in search order."""
        devices, exclusive, taking = self.devices, self._exclusive, self.taking
        weighs = self.behaviour.has("capacity")
        spend = self.budget.spend
        memory = want.memory
        free = start if want.admin else max(start, self._first_free)
        for position in range(free, len(devices)):
            device = devices[position]
            known = memory.get(device)
            if known is False:
                continue
            spend()
            if want.admin:
                if want.claim in taking.get(device.id, ()):
                    continue
            elif device.id in exclusive or taking.get(device.id):
                continue
            if known is None and not self._selectable(want, device, memory):
                continue
            if weighs and not self._room(want, device):
                continue
            yield position, device
        if self._fatal is not None:
            raise AttemptError(f"pool {self._fatal.name} is invalid: {self._fatal.invalid}")

    def usable(self, want: Want, device: Device) -> bool:
        """Say whether nothing of a device alone excludes it from a request; errors as `run`.

        Constraints and compatibility groups are not asked.
        """
        self.budget.spend()
        shared = self._shareable and device.allow_multiple
        if not self._selectable(want, device, want.memory) or (not want.admin and device.id in self._exclusive):
            return False
        if self._taints and untolerated(device.taints, want.tolerations, effects_matter=self._effects):
            return False
        if self.behaviour.has("capacity") and not self._fits(want, device, self._shares.get(device.id, _NONE)):
            return False
        if not (self._counters and device.spec.get("consumesCounters")) or (shared and self._charged(device.id)):
            return True
        if not self.behaviour.has("partitions"):
            return False
        left = self.scene.ledger.left(device, self.view.pool_of[device.slice.key])
        return not left.overdrawn and all(
            amount <= left.counters.get(counter, amount) for counter, amount in device.charges
        )

    def _selectable(self, want: Want, device: Device, memory: dict[Device, bool]) -> bool:
        if device.binding and not self.behaviour.has("binding"):
            return False
        known = memory.get(device)
        if known is None:
            known = memory[device] = self._passes(want, device)
        return known

    def _passes(self, want: Want, device: Device) -> bool:
        for test in want.tests:
            verdict = test.selector.verdict(device)
            if verdict is True:
                continue
            if verdict is False:
                return False
            raise self.cel_error(test.where, test.selector.expression, test.selector.refused, verdict, device)
        if device.slice.spec.get("perDeviceNodeSelection") is True:
            try:
                return bool(reaches(device.spec, self.node))
            except NodeSelectorError as error:
                raise AttemptError(f"node selection for device {device.id} failed: {error}", device=device) from None
        return True

    def cel_error(self, where: str, expression: str, refused: str, verdict: Failed, device: Device) -> AttemptError:
        """Return the error of a selector without a verdict; UndecidedError where only dralint has none."""
        if verdict.unknown:
            raise UndecidedError(f"{where} on device {device.id}: {verdict.message}")
        if refused:
            return AttemptError(f"{where}: CEL compile error: {refused}", expression=expression)
        if self.behaviour.has("names_device_in_cel_errors"):
            text = f"{where} on device {device.id}: CEL runtime error: {verdict.message}{verdict.advice}"
        else:
            text = f"{where}: CEL runtime error: {verdict.message}"
        return AttemptError(text, device=device, expression=expression)

    # One device

    def take(self, want: Want, device: Device, index: int, *, must: bool) -> Callable[[], None] | None:
        """Take a device and return what gives it back; None where something forbids it.

        `must`: a device of mode All, which a constraint must not refuse.
        """
        behaviour, claim, key = self.behaviour, want.claim, device.id
        leaks = behaviour.has("leaks_on_refusal")
        shared = self._shareable and device.allow_multiple
        if want.admin:
            if not shared and claim in self.taking.get(key, ()):
                return None
        elif key in self._exclusive or (not shared and self.taking.get(key)):
            return None
        if behaviour.has("skips_operations") and device.slice.spec.get("skipNodeOperations"):
            declared = "DRAOptionalNodeOperations" in self.node.declared
            if not (behaviour.has("optional_operations") and declared):
                return None
        charged = False
        if self._counters and device.spec.get("consumesCounters"):
            if not behaviour.has("partitions"):
                return None
            if not (shared and self._charged(key)):
                charged = self.account.take(device, self.view.pool_of[device.slice.key])
                if not charged:
                    return None
        if self._taints and untolerated(device.taints, want.tolerations, effects_matter=self._effects):
            if not leaks:
                self.account.give_back(device, charged=charged)
            return None
        constraints = self.constraints[claim]
        for number, one in enumerate(constraints):
            if one.add(want, device):
                continue
            if must:
                name = self.scene.claims[claim].name
                text = (
                    f"claim {name}, request {want.label}: cannot add device {device.id} because a claim constraint"
                    " would not be satisfied"
                )
                raise AttemptError(text, device=device)
            for earlier in constraints[:number]:
                earlier.remove(want)
            if not leaks:
                self.account.give_back(device, charged=charged)
            return None
        if not shared:
            self.taking.setdefault(key, set()).add(claim)
        share: dict[str, Need] | None = None
        if behaviour.has("capacity"):
            weighed = self._weighed(device, index)
            if not self._room(want, weighed):
                if not leaks:
                    self._release(want, device, shared=shared)
                    self.account.give_back(device, charged=charged)
                return None
            if shared:
                share = self._needs(want, device) or {}
                given = self.giving.setdefault(key, {})
                for name, need in share.items():
                    given[name] = given.get(name, 0) + need.amount
                self.sharing[key] += 1
        results = self.results[claim]
        before = len(results)
        results.append(Taken(want, device, share))

        def undo() -> None:
            self._release(want, device, shared=shared)
            if share is not None:
                for name, need in share.items():
                    self.giving[key][name] -= need.amount
                self.sharing[key] -= 1
            if not (shared and behaviour.has("shares_keep_counters")):
                self.account.give_back(device, charged=charged)
            del results[before:]

        return undo

    def _release(self, want: Want, device: Device, *, shared: bool) -> None:
        for one in self.constraints[want.claim]:
            one.remove(want)
        if not shared:
            self.taking[device.id].discard(want.claim)

    def _charged(self, key: DeviceId) -> bool:
        """Say whether a shared device has already been charged to its counters."""
        if not self.behaviour.has("charges_shares_once"):
            return False
        before = key in self._shares if self.behaviour.has("any_share_charges") else self._shares.get(key)
        return bool(before or self.sharing[key])

    def _weighed(self, device: Device, index: int) -> Device:
        """Return the device whose capacity counts; in 1.34 it is another one."""
        if not self.behaviour.has("weighs_wrong_device"):
            return device
        devices = device.slice.devices
        if index >= len(devices):
            text = f"runtime error: index out of range [{index}] with length {len(devices)}"
            raise AttemptError(text, device=device)
        return devices[index]

    def _room(self, want: Want, device: Device) -> bool:
        """Say whether a device has the capacity that a request takes of it."""
        return self._fits(want, device, self._shares.get(device.id, _NONE), self.giving.get(device.id, _NONE))

    def _fits(self, want: Want, device: Device, *taken: Mapping[str, int]) -> bool:
        """Say whether a device has the capacity that a request takes beside what others have taken."""
        wanted = self._needs(want, device)
        if not wanted:
            return wanted is not None
        return all(n.amount + sum(each.get(name, 0) for each in taken) <= n.value for name, n in wanted.items())

    def _needs(self, want: Want, device: Device) -> dict[str, Need] | None:
        key = (want, device)
        cache = self.scene.needs
        if key not in cache:
            capacity = device.spec.get("capacity") or {}
            try:
                cache[key] = needs(capacity, want.capacity, self.behaviour, free="capacity" in self.scene.relax)
            except CapacityError as error:
                cache[key] = error
        found = cache[key]
        if isinstance(found, CapacityError):
            name = self.scene.claims[want.claim].name
            text = f"claim {name}, request {want.label}: checking capacity for device {device.id}: {found}"
            raise AttemptError(text, device=device)
        return found

    def _lookup(self, want: Want, device: Device, name: str) -> Mapping[str, Any] | None:
        """Return what a constraint compares."""
        expression = want.derived.get(name)
        if expression is None:
            return attribute(device, name)
        value = self.scene.selection.derived(expression, device)
        if isinstance(value, Failed):
            if value.unknown:
                raise UndecidedError(f"derived attribute {name} on device {device.id}: {value.message}")
            stage, _, message = value.message.partition(": ")
            if stage == "compile":
                raise AttemptError(f"compile derived attribute {name} failed: {message}", expression=expression)
            text = f"evaluate derived attribute {name} on device {device.id} failed: {message}"
            raise AttemptError(text, device=device, expression=expression)
        return value
