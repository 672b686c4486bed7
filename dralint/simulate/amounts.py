"""Quantities as whole numbers of nano units, so that comparisons and sums are exact."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from dralint.kubernetes.quantity import Quantity, read_quantity

NANO = 10**9


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
