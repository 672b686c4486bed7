"""Quantities as whole numbers of nano units, so that comparisons and sums are exact."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from dralint.kubernetes.quantity import Quantity, read_quantity

NANO = 10**9
_DECIMAL = (("E", 27), ("P", 24), ("T", 21), ("G", 18), ("M", 15), ("k", 12), ("", 9), ("m", 6), ("u", 3), ("n", 0))
_BINARY = (("Ei", 60), ("Pi", 50), ("Ti", 40), ("Gi", 30), ("Mi", 20), ("Ki", 10))


@lru_cache(maxsize=4096)
def _nano(text: str) -> int:
    return int(read_quantity(text).exact * NANO)


def text_of(value: Any) -> str:
    """Return the text of a quantity as a manifest writes it: a string or a number; `0` where there is none."""
    return "0" if value is None else str(value)


def nano(value: Any) -> int:
    """Return a quantity of a manifest in nano units; ValueError where it is not one."""
    return _nano(text_of(value))


def quantity(value: Any) -> Quantity:
    """Return a quantity of a manifest as it was written; ValueError where it is not one."""
    return read_quantity(text_of(value))


def quantities(holder: Any, key: str) -> dict[str, Any]:
    """Return the quantities that a mapping has under a key, such as `requests` of resources, without what is none."""
    named = holder.get(key) if isinstance(holder, dict) else None
    found = {}
    for name, amount in named.items() if isinstance(named, dict) else ():
        try:
            nano(amount)
        except ValueError:
            continue
        found[name] = amount
    return found


def is_binary(value: Any) -> bool:
    """Say whether a quantity is written with a binary suffix such as Gi."""
    return text_of(value).strip().endswith("i")


def spell(amount: int, *, binary: bool) -> str:
    """Return an amount in nano units as Kubernetes would write it, in binary or decimal form."""
    if binary and amount % NANO == 0:
        whole = amount // NANO
        for suffix, bits in _BINARY:
            if whole and whole % 2**bits == 0:
                return f"{whole // 2**bits}{suffix}"
        return str(whole)
    suffix, power = next((s, p) for s, p in _DECIMAL if amount % 10**p == 0) if amount else ("", 0)
    return f"{amount // 10**power}{suffix}"
