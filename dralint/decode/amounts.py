"""What to write instead of a text that is not a quantity."""

from __future__ import annotations

from dralint.decode.wrong_type import Advice
from dralint.kubernetes.near import listed
from dralint.kubernetes.quantity_meant import amounts

_ANY = "write a number with a suffix that Kubernetes knows, such as Gi or M, without a space"


def amount_meant(text: str) -> Advice:
    """Return what to write instead; `40GB` can be 40G or 40Gi, so only its author knows."""
    meant = amounts(text)
    if len(meant.values) == 1:
        return Advice(f'did you mean "{meant.values[0]}"?', meant.values[0], meant.sure)
    if meant.values:
        several = listed(meant.values, "or", "")
        return Advice(f"write {several}: the first counts in thousands, the second in units of 1024")
    if not meant.number:
        return Advice(_ANY)
    return Advice(f"write {meant.number} with a suffix that Kubernetes knows, such as M or Gi, or without one")
