"""Quantities as Kubernetes reads them (apimachinery pkg/api/resource/quantity.go)."""

from __future__ import annotations

import re
from fractions import Fraction
from functools import lru_cache

_QUANTITY = re.compile(r"([+-]?)(\d*)(?:\.(\d*))?([eEinumkKMGTP]*[-+]?\d*)\Z", re.ASCII)
_SUFFIXES: dict[str, Fraction] = {
    "": Fraction(1),
    **{
        s: Fraction(1000) ** p
        for p, s in ((-3, "n"), (-2, "u"), (-1, "m"), (1, "k"), (2, "M"), (3, "G"), (4, "T"), (5, "P"), (6, "E"))
    },
    **{s: Fraction(1024) ** p for p, s in ((1, "Ki"), (2, "Mi"), (3, "Gi"), (4, "Ti"), (5, "Pi"), (6, "Ei"))},
}
_EXPONENT = re.compile(r"[eE]([+-]?\d+)\Z", re.ASCII)
_LIMIT = Fraction(2**63 - 1)
_NANO = Fraction(1, 10**9)

ALLOWED = (
    "a number with one of the suffixes n, u, m, k, M, G, T, P, E, Ki, Mi, Gi, Ti, Pi, Ei, or an exponent such as e3"
)


@lru_cache(maxsize=4096)
def parse_quantity(text: str) -> Fraction:
    """Return the exact value of a quantity such as `40Gi`, rounded up to nano units; ValueError says what is wrong.

    The message follows the quoted value ("has the unknown suffix ...").
    """
    text = text.strip(" \t\n\r\v\f\x85\xa0")
    if not text:
        msg = f"is empty; a quantity is {ALLOWED}"
        raise ValueError(msg)
    match = _QUANTITY.match(text)
    if match is None or not (match[2] or match[3]):
        msg = f"is not a quantity: {ALLOWED}"
        raise ValueError(msg)
    if len(text) > 1000:
        msg = f"has {len(text)} characters; a quantity is {ALLOWED}"
        raise ValueError(msg)
    sign, whole, decimals, suffix = match[1], match[2] or "0", match[3] or "", match[4]
    factor = _SUFFIXES.get(suffix)
    if factor is None:
        exponent = _EXPONENT.match(suffix)
        if exponent is None or not -(2**31) <= int(exponent[1]) < 2**31:
            msg = f"has the unknown suffix {suffix!r}; a quantity is {ALLOWED}"
            raise ValueError(msg)
        power = max(-400, min(400, int(exponent[1])))
        factor = Fraction(10) ** power
    value = Fraction(int(whole + decimals), 10 ** len(decimals)) * factor
    units = value / _NANO
    value = Fraction(-(-units.numerator // units.denominator)) * _NANO
    value = min(value, _LIMIT) if factor >= 1024 and suffix.endswith("i") else value
    return -value if sign == "-" else value


def whole_value(value: Fraction) -> int:
    """Return the quantity as an integer, rounded up away from zero, as Quantity.Value does."""
    magnitude = -(-abs(value).numerator // abs(value).denominator)
    return magnitude if value >= 0 else -magnitude
