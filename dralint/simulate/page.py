"""The cluster as an HTML page: nodes as rows, devices as boxes, and the answer for each Pod.

The page is static and loads nothing: its policy allows only its own style and script. Every text of a manifest is
escaped. The script filters the content, and moves the focus.
"""

from __future__ import annotations

import base64
import hashlib
from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from importlib.resources import files
from string import Template
from typing import TYPE_CHECKING, Any

from dralint.kubernetes.quantity import is_binary, nano
from dralint.kubernetes.quantity import spell as spell_amount
from dralint.kubernetes.taints import EFFECTIVE, spell
from dralint.records import grouped
from dralint.simulate.cluster import results_of
from dralint.simulate.inventory import DeviceId
from dralint.simulate.pools import counters_of
from dralint.simulate.text import verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from dralint.simulate.answers import Answer
    from dralint.simulate.inventory import ClusterNode, Device, Slice
    from dralint.simulate.questions import Questions

_MOST_ROWS = 1000
_SEVERAL = ""
"""The node of devices that several nodes reach."""

_STATES = {
    "free": "free",
    "given": "given",
    "planned": "given in this simulation",
    "shared": "shared, and partly given",
    "tainted": "tainted",
    "blocked": "without counters that are left",
}
_MANY = 3
_GOOD = ("all", "some")


@dataclass
class _Use:
    """Who uses a device: the claims that have it or a share, those with admin access, and the Pods of all of them."""

    claims: list[str] = field(default_factory=list)
    admins: list[str] = field(default_factory=list)
    pods: dict[str, None] = field(default_factory=dict)
    planned: bool = False


def page(
    answers: Sequence[Answer], questions: Questions, text_of: Callable[[Answer], str], remarks: Sequence[str] = ()
) -> str:
    """Return the page on the cluster of the questions, on their answers and remarks; `text_of` writes an answer."""
    return _Page(answers, questions, text_of).text(remarks)


class _Page:
    def __init__(self, answers: Sequence[Answer], questions: Questions, text_of: Callable[[Answer], str]) -> None:
        self.answers = answers
        self.text_of = text_of
        self.questions = questions
        self.in_use = questions.inventory.in_use
        self.totals = dict.fromkeys(_STATES, 0)

    def text(self, remarks: Sequence[str]) -> str:
        """Return the whole page."""
        style, script = (
            files("dralint.simulate").joinpath(f"page.{kind}").read_text("utf-8") for kind in ("css", "js")
        )
        allowed = " ".join(f"{kind}-src '{_hash(own)}';" for kind, own in (("style", style), ("script", script)))
        rows = list(self._rows())
        left = len(rows) - _MOST_ROWS
        number = sum(self.totals.values())
        states = "; ".join(f"{amount:,} {_STATES[name]}" for name, amount in self.totals.items() if amount)
        names = sorted({pod for use in self._uses.values() for pod in use.pods})
        template = files("dralint.simulate").joinpath("page.html").read_text("utf-8")
        return Template(template).substitute(
            policy=escape(f"default-src 'none'; {allowed} base-uri 'none'; form-action 'none'"),
            title=f"Devices of {len(self.questions.nodes):,} nodes",
            style=style,
            script=script,
            summary=_shown(f"Kubernetes {self.questions.behaviour}: {number:,} devices: {states or 'none'}."),
            drivers="".join(_option(name) for name in sorted({s.driver for s in self._slices})),
            states="".join(_option(name, said) for name, said in _STATES.items()),
            names="".join(_option(name) for name in names[:_MOST_ROWS]),
            rows="\n".join(rows[:_MOST_ROWS]),
            rest=f"<p>{left:,} more rows are not shown: limit the nodes with --node.</p>" if left > 0 else "",
            remarks="".join(f"<p>note: {_shown(remark)}</p>" for remark in remarks),
            pods="\n".join(self._pods()) or "<p>No question was asked.</p>",
        )

    # What there is

    @cached_property
    def _slices(self) -> list[Slice]:
        """The slices of the newest generation of each pool."""
        newest: dict[tuple[str, str], int] = {}
        for s in self.questions.inventory.slices:
            newest[s.key] = max(newest.get(s.key, 0), s.generation)
        return [s for s in self.questions.inventory.slices if s.generation == newest[s.key]]

    @cached_property
    def _uses(self) -> dict[DeviceId, _Use]:
        found: dict[DeviceId, _Use] = {}
        live = self.questions.cluster
        for name, claim in self.questions.scheduler.claims.items():
            namespace, _, own = name.partition("/")
            before = live.get("ResourceClaim", namespace, own)
            for result in results_of(claim):
                ident = DeviceId.of(result)
                use = found.setdefault(ident, _Use())
                (use.admins if result.get("adminAccess") else use.claims).append(name)
                reserved = (claim.get("status") or {}).get("reservedFor") or ()
                use.pods.update({f"{namespace}/{each.get('name')}": None for each in reserved})
                use.planned = use.planned or before is None or not results_of(before)
        return found

    @cached_property
    def _counters(self) -> dict[tuple[str, str], dict[tuple[str, str], tuple[int, int]]]:
        """Pool → counter set and counter → what there is, and what is left of it, in nano units."""
        found = {}
        for pool, slices in grouped((s.key, s) for s in self._slices).items():
            used = Counter[tuple[str, str]]()
            for device in (device for s in slices for device in s.devices):
                if device.id in self.in_use.exclusive or device.id in self.in_use.shares:
                    for key, amount in device.charges:
                        used[key] += amount
            sets = [each for s in slices for each in counters_of([s]).items()]
            counters = {(name, counter): all_ for name, own in sets for counter, all_ in own.items()}
            found[pool] = {key: (all_, all_ - used[key]) for key, all_ in counters.items()}
        return found

    # Rows

    def _rows(self) -> Iterator[str]:
        devices = (device for s in self._slices for device in s.devices)
        by_node = grouped((str(device.place.get("nodeName") or _SEVERAL), device) for device in devices)
        common = by_node.pop(_SEVERAL, None)
        if common:
            yield self._row("devices that several nodes reach", "", common)
        for node in self.questions.nodes:
            yield self._row(node.name, _notes(node), by_node.get(node.name, ()))

    def _row(self, name: str, notes: str, devices: Iterable[Device]) -> str:
        small = f"<small>{_shown(notes)}</small>" if notes else ""
        pools = grouped((device.slice.key, device) for device in devices)
        inner = "".join(self._pool(key, several) for key, several in pools.items()) or "no devices"
        return f'<tr><th scope="row">{_shown(name)}{small}</th><td>{inner}</td></tr>'

    def _pool(self, key: tuple[str, str], devices: Sequence[Device]) -> str:
        driver, pool = key
        bars = ""
        for (name, counter), (whole, left) in self._counters.get(key, {}).items():
            binary = is_binary(_written(devices, name, counter))
            amounts = (spell_amount(each, binary=binary) for each in (max(0, left), whole))
            bars += " · {} {} left of {} {}".format(_shown(f"{name}/{counter}:"), *amounts, _meter(whole - left, whole))
        head = f"<h3>{_shown(driver)}, pool {_shown(pool)}{bars}</h3>"
        return f'<div class="pool">{head}{"".join(map(self._device, devices))}</div>'

    def _device(self, device: Device) -> str:
        use = self._uses.get(device.id, _Use())
        shares = self.in_use.shares.get(device.id)
        taints = [taint for taint in device.taints if taint.get("effect") in EFFECTIVE]
        held = device.id in self.in_use.exclusive
        left = self._counters.get(device.slice.key, {})
        if shares is not None:
            state = "shared"
        elif held:
            state = "planned" if use.planned else "given"
        elif taints:
            state = "tainted"
        elif any(amount > left[key][1] for key, amount in device.charges if key in left):
            state = "blocked"
        else:
            state = "free"
        self.totals[state] += 1
        users = list(use.pods or dict.fromkeys(use.claims)) if state in ("given", "planned", "shared") else []
        who = ", ".join(users) if len(users) < _MANY else f"{len(users)} Pods"
        also = [*(["tainted"] if taints else []), *(["admin access"] if use.admins else [])]
        said = "; ".join(dict.fromkeys([who or state, *also]))
        classes = " ".join(dict.fromkeys([state, *(["tainted"] if taints else [])]))
        facts = self._facts(device, use, shares)
        inner = "".join(f"<dt>{_shown(name)}</dt><dd>{value}</dd>" for name, value in facts)
        data = (
            f'data-driver="{_shown(device.id.driver)}" data-state="{classes}" data-pods="{_shown(" ".join(use.pods))}"'
        )
        head = f"<summary><b>{_shown(device.id.device)}</b> {_shown(said)}</summary>"
        return f'<details class="device {classes}" {data}>{head}<dl>{inner}</dl></details>'

    def _facts(self, device: Device, use: _Use, shares: Mapping[str, int] | None) -> Iterator[tuple[str, str]]:
        """Yield the facts of a device, the values as HTML."""
        for name, values in (("Pods", list(use.pods)), ("claims", use.claims), ("admin access", use.admins)):
            if values:
                yield name, _shown(", ".join(dict.fromkeys(values)))
        for taint in device.taints:
            rule = f" (DeviceTaintRule {taint['rule']})" if taint.get("rule") else ""
            yield "taint", _shown(spell(taint) + rule)
        for name, value in (device.spec.get("attributes") or {}).items():
            yield name, _shown(", ".join(map(_value, (value or {}).values())))
        for name, value in (device.spec.get("capacity") or {}).items():
            whole = (value or {}).get("value")
            if shares is None:
                yield name, _shown(str(whole))
                continue
            given, most = shares.get(name, 0), nano(whole)
            said = f"{spell_amount(given, binary=is_binary(whole))} of {whole} given"
            yield name, f"{_shown(said)} {_meter(given, most)}"
        for entry in device.spec.get("consumesCounters") or ():
            amounts = ", ".join(f"{k} {(v or {}).get('value')}" for k, v in (entry.get("counters") or {}).items())
            yield f"takes from {entry.get('counterSet')}", _shown(amounts)

    # Pods

    def _pods(self) -> Iterator[str]:
        """Yield a box for each answer; Pods with the same answer share theirs."""
        for first, *like in grouped((answer.like or answer.id, answer) for answer in self.answers).values():
            said = self.text_of(first)
            mark = "good" if first.answer in _GOOD else "unsure" if first.answer == "undecided" else "bad"
            names = " ".join(each.id.partition(" ")[2] for each in (first, *like))
            more = f" and {len(like):,} more" if like else ""
            others = f"<p>Likewise: {_shown(', '.join(each.id for each in like))}</p>" if like else ""
            head = f'<summary class="{mark}"><b>{_shown(first.id)}</b>{more}: {_shown(verdict(first))}</summary>'
            opened = "" if mark == "good" else " open"
            text = f"<pre>{escape(said)}</pre>{others}"
            yield f'<details class="pod" data-pod="{_shown(names)}"{opened}>{head}{text}</details>'


def _notes(node: ClusterNode) -> str:
    taints = [spell(taint) for taint in node.taints if taint.get("effect") in EFFECTIVE]
    return "; ".join([*(["cordoned"] if node.cordoned else []), *(f"taint {text}" for text in taints)])


def _written(devices: Iterable[Device], counter_set: str, counter: str) -> Any:
    """Return how the first device that takes from a counter writes an amount of it."""
    entries = (entry for device in devices for entry in device.spec.get("consumesCounters") or ())
    found = ((each.get("counters") or {}).get(counter) for each in entries if each.get("counterSet") == counter_set)
    return next((amount.get("value") for amount in found if amount is not None), None)


def _value(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(_value, value))
    return str(value).lower() if isinstance(value, bool) else str(value)


def _meter(used: int, whole: int) -> str:
    share = min(100, 100 * max(0, used) // whole) if whole else 0
    return f'<meter min="0" max="100" value="{share}">{share} %</meter>'


def _option(value: str, said: str = "") -> str:
    return f'<option value="{_shown(value)}">{_shown(said or value)}</option>'


def _shown(text: str) -> str:
    return escape(text if text.isprintable() else "".join(c if c.isprintable() else "\ufffd" for c in text))


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
