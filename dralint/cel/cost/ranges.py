"""Ranges of costs and sizes: (least, most), unsigned 64-bit numbers that stop at the greatest."""

from __future__ import annotations

import math

Range = tuple[int, int]

MOST = 2**64 - 1
ZERO: Range = (0, 0)
ONE: Range = (1, 1)
UNKNOWN: Range = (0, MOST)
NOTHING: Range = (MOST, 0)
"""The range that any union replaces."""


def fixed(n: int) -> Range:
    """Return the range of one number."""
    return (n, n)


def add(a: Range, b: Range) -> Range:
    """Add two ranges."""
    return (min(a[0] + b[0], MOST), min(a[1] + b[1], MOST))


def times(a: Range, b: Range) -> Range:
    """Multiply two ranges."""
    return (min(a[0] * b[0], MOST), min(a[1] * b[1], MOST))


def union(a: Range, b: Range) -> Range:
    """Return the range that holds both."""
    return (min(a[0], b[0]), max(a[1], b[1]))


def scale(a: Range, factor: float) -> Range:
    """Multiply by a factor, in floating point and rounded up as the estimator does."""
    return (_scale(a[0], factor), _scale(a[1], factor))


def _scale(n: int, factor: float) -> int:
    number = float(n)
    if number > 0 and factor > 0 and number > MOST / factor:
        return MOST
    rounded = math.ceil(number * factor)
    return MOST if rounded >= 2**64 else rounded
