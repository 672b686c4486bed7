"""Quantities as Kubernetes reads them, and the quantity that an invalid text stands for."""

from __future__ import annotations

import re
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any

from dralint.records import NamedTuple

# The digits of a suffix follow a letter or a sign: after the number, to refuse them would take quadratic time.
_QUANTITY = re.compile(r"([+-]?)(\d*)(?:\.(\d*))?((?:[eEinumkKMGTP]+[-+]?\d*|[-+]\d*)?)\Z", re.ASCII)
_DECIMAL = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BINARY = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
_EXPONENT = re.compile(r"[eE]([+-]?\d+)\Z", re.ASCII)
_MAX = 2**63 - 1
_NANO = 9
_DIGITS = 18
# Beyond this the value of an exponent no longer matters: it is far above all limits, or rounded up to one nano.
_FAR = 400
# A power of ten beyond which computing takes longer than a request may (about half a minute).
_ENDLESS = 10**8
_ONE_STEP = (1, 2, 3, 6, 9)
# What the server trims: the JSON between it and the manifest has written control characters as escapes.
_SPACE = " \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"

ALLOWED = (
    "a number that can have a suffix (n, u, m, k, M, G, T, P, E, Ki, Mi, Gi, Ti, Pi, Ei) or an exponent such as e3"
)


def as_int64(number: int) -> int:
    """Return the lower 64 bits as Go's int64."""
    return (number + 2**63) % 2**64 - 2**63


class Quantity:
    """A parsed quantity: `unscaled` · 10^-`scale`, kept as `decimal` where it did not fit into Go's fast form."""

    def __init__(self, unscaled: int, scale: int, *, decimal: bool) -> None:
        self.unscaled = unscaled
        self.scale = scale
        self.decimal = decimal

    def __eq__(self, other: object) -> bool:
        return self._parts() == other._parts() if isinstance(other, Quantity) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._parts())

    def _parts(self) -> tuple[int, int, bool]:
        return self.unscaled, self.scale, self.decimal

    @cached_property
    def exact(self) -> Fraction:
        """The value; comparing and adding are done with that."""
        numbers = (self.unscaled, 10**self.scale) if self.scale >= 0 else (self.unscaled * 10**-self.scale, 1)
        return Fraction(*numbers)

    def integer(self, digits: int = 0) -> int:
        """Return the int64 that Quantity.Value makes of it (with `digits` 3 MilliValue), overflow and all."""
        shift = self.scale - digits
        if shift == 0:
            return as_int64(self.unscaled)
        if shift < 0:
            power = int(10**-shift)
            if self.decimal:
                return as_int64(as_int64(self.unscaled) * (power if power <= _MAX else -(2**63)))
            number = self.unscaled * power
            # Go multiplies by these powers in one step and overflows; for others it gives up.
            return number if abs(number) <= _MAX else as_int64(number) if -shift in _ONE_STEP else 0
        power = int(10**shift)
        if not self.decimal:
            magnitude = -(-abs(self.unscaled) // power)
            return magnitude if self.unscaled >= 0 else -magnitude
        if self.unscaled < _MAX and shift < 19:
            narrow = as_int64(self.unscaled)
            quotient = abs(narrow) // power * (1 if narrow >= 0 else -1)
            return quotient + (1 if narrow % power else 0)
        return as_int64(as_int64(self.unscaled // power) + (1 if self.unscaled % power else 0))

    def decimal_text(self) -> tuple[int, int]:
        """Return a text that distinguishes decimal spellings: 1k and 1000 are the same, 1 and 1.0 are not."""
        return (self.unscaled, self.scale) if self.scale > 0 else (self.unscaled * int(10**-self.scale), 0)


ZERO = Quantity(0, 0, decimal=False)
"""The value of a missing quantity."""


def read_quantity(text: str) -> Quantity:
    """Return the quantity of a text in a manifest, such as `40Gi`; blanks around it do not count.

    ValueError as `strict_quantity`.
    """
    return strict_quantity(text.strip(_SPACE))


@lru_cache(maxsize=4096)
def strict_quantity(text: str) -> Quantity:
    """Return a quantity without blanks around it, rounded up to nano units, as ParseQuantity and CEL do.

    The message of the ValueError follows the quoted value ("has the unknown suffix ...").
    """
    if not text:
        raise ValueError(f"is empty; a quantity is {ALLOWED}")
    match = _QUANTITY.match(text)
    if match is None:
        raise ValueError(f"is not a quantity: {ALLOWED}")
    sign, whole, decimals, suffix = match[1], match[2].lstrip("0"), match[3] or "", match[4]
    binary = _BINARY.get(suffix)
    exponent = _power_of_ten(suffix) if binary is None else 0
    precision = _DIGITS - (len(whole) or 1) - len(decimals)
    if binary is not None:
        precision = -1 if decimals else 14 - (len(whole) or 1) - int(binary * 3 / 10)
    if precision >= 0 and len(decimals) - exponent <= _NANO:
        number = int(whole + decimals or "0") * (1 if binary is None else 2**binary)
        scale = len(decimals) - min(exponent, _FAR)
        if number <= _MAX:
            number = -number if sign == "-" else number
            return Quantity(number, scale, decimal=False)
    if not (match[2] or match[3]):
        raise ValueError(f"has no digits; a quantity is {ALLOWED}")
    digits = (whole + decimals).lstrip("0")
    scale = len(decimals) - exponent
    if not digits:
        return Quantity(0, max(-_FAR, min(_FAR, scale)), decimal=True)
    magnitude = _nano_units(digits, scale, binary or 0)
    if binary is not None and magnitude > _MAX * 10**_NANO:
        magnitude, scale = _MAX, 0
    else:
        scale = _NANO
    number = -magnitude if sign == "-" else magnitude
    return Quantity(number, scale, decimal=True)


@lru_cache(maxsize=4096)
def stored(text: str) -> Quantity:
    """Return what a client of the API server reads of a quantity: the server writes each in its canonical form.

    ValueError as `strict_quantity`.
    """
    written = read_quantity(text)
    return strict_quantity(spell(int(written.exact * 10**_NANO), binary=text.strip(_SPACE).endswith("i")))


def spell(amount: int, *, binary: bool) -> str:
    """Return an amount in nano units as Kubernetes would write it, in binary or decimal form."""
    if binary and amount % 10**_NANO == 0:
        whole = amount // 10**_NANO
        for suffix, bits in reversed(_BINARY.items()):
            if whole and whole % 2**bits == 0:
                return f"{whole // 2**bits}{suffix}"
        return str(whole)
    powers = ((suffix, power + _NANO) for suffix, power in reversed(_DECIMAL.items()))
    suffix, power = next((s, p) for s, p in powers if amount % 10**p == 0) if amount else ("", 0)
    return f"{amount // 10**power}{suffix}"


def shortest(value: Fraction) -> str:
    """Return a value in the unit, binary or decimal, that needs the fewest digits."""
    factors = {suffix: 2**bits for suffix, bits in _BINARY.items()}
    factors |= {suffix: 10**power for suffix, power in _DECIMAL.items() if power > 0}
    units = [(value // factor, suffix) for suffix, factor in factors.items() if value and value % factor == 0]
    return "{}{}".format(*min(units)) if units else str(value)


def hangs(text: str) -> bool:
    """Say whether the API server would not finish reading a quantity, because it rounds with too high a power of ten.

    The request ends in a timeout. Source: ParseQuantity in apimachinery pkg/api/resource/quantity.go and Dec.Round of
    gopkg.in/inf.v0 v0.9.1.
    """
    match = _QUANTITY.match(text.strip(_SPACE))
    exponent = None if match is None else _EXPONENT.match(match[4])
    if match is None or exponent is None or len(exponent[1]) > 20 or not f"{match[2]}{match[3] or ''}".strip("0"):
        return False
    narrow = (int(exponent[1]) + 2**31) % 2**32 - 2**31
    digits = len(match[2].lstrip("0") or "0") + len(match[3] or "")
    fast = digits <= _DIGITS and narrow - len(match[3] or "") >= -_NANO
    return abs(narrow) >= _ENDLESS and not fast


def parse_quantity(text: str) -> Fraction:
    """Return the exact value of a quantity; ValueError as `read_quantity`."""
    return read_quantity(text).exact


def known_quantity(text: str) -> Fraction | None:
    """Return the exact value of a quantity, None for a text that is none."""
    try:
        return parse_quantity(text)
    except (ValueError, OverflowError):
        return None


def _power_of_ten(suffix: str) -> int:
    power = _DECIMAL.get(suffix)
    if power is not None:
        return power
    match = _EXPONENT.match(suffix)
    if match is None or len(match[1]) > 40 or not -(2**63) <= int(match[1]) <= _MAX:
        raise ValueError(f'has the unknown suffix "{suffix}"; a quantity is {ALLOWED}')
    return (int(match[1]) + 2**31) % 2**32 - 2**31


def _nano_units(digits: str, scale: int, binary: int) -> int:
    """Return digits · 2^`binary` · 10^-`scale` in nano units, rounded up; fast for a text of any length."""
    before_point = len(digits) - scale
    if before_point > _FAR:
        digits, scale = digits[:_FAR].ljust(_FAR, "0"), 0
    else:
        kept = max(0, before_point + _NANO + binary)  # the rest can only round up
        rest, digits, scale = digits[kept:].strip("0"), digits[:kept], scale - max(0, len(digits) - kept)
        if not digits:
            return 1
        digits = str(int(digits) + bool(rest))
    number = int(digits) << binary
    return number * int(10 ** (_NANO - scale)) if scale <= _NANO else -(-number // 10 ** (scale - _NANO))


_AMOUNT = r"(?a)([+-]?)\s*(\d[\d., _']*?|\.\d+)\s*([A-Za-z]*)"
_THOUSANDS = r"(?a)\d{1,3}(?:([, _'])\d{3})(?:\1\d{3})*(?:\.\d+)?"
_DECIMAL_COMMA = r"(?a)\d+,\d{1,2}"
_RATE = r"(?a)([kKMmGgTt])(?:bps|bits?|Hz|hz)"
"""Units that are counted in thousands: bits in a second, and cycles."""
_NAMES = {"kilo": "k", "mega": "m", "giga": "g", "tera": "t", "peta": "p", "exa": "e"}
_BINARY_NAMES = {"kibi": "k", "mebi": "m", "gibi": "g", "tebi": "t", "pebi": "p", "exbi": "e"}
_LONGEST = 60
_OF_BYTES = r"(?i)mem(?:ory)?(?![a-z])|vram|hbm|storage|disk|bytes|bandwidth"
"""What the names of capacities in bytes contain."""
_LARGE = 7
"""Digits from which on a number may count bytes."""


class Amounts(NamedTuple):
    """The quantities that a text may stand for, and whether its number has one possible meaning.

    `number` is the number alone if its unit is unknown, empty where there is no number.
    """

    values: tuple[str, ...]
    sure: bool
    number: str = ""


@lru_cache(maxsize=1024)
def amounts(text: str) -> Amounts:
    """Return the probable quantities for an invalid text: 40G and 40Gi for `40GB`."""
    match = re.fullmatch(_AMOUNT, text.strip()) if len(text) <= _LONGEST else None
    number, sure = (None, False) if match is None else _number(match[2].strip())
    if match is None or number is None:
        return Amounts((), sure=False)
    rate = re.fullmatch(_RATE, match[3])
    if rate is not None:
        suffix = "k" if rate[1].lower() == "k" else rate[1].upper()
        return Amounts((f"{match[1]}{number}{suffix}",), sure=False, number=number)
    suffixes = [match[3]] if known_quantity(f"{number}{match[3]}") is not None else _suffixes(match[3])
    values = tuple(
        f"{match[1]}{number}{suffix}" for suffix in suffixes if known_quantity(f"{number}{suffix}") is not None
    )
    return Amounts(values, sure, number)


def is_few_bytes(name: str, value: str) -> bool:
    """Say whether a number lacks its unit: the capacity of this name is measured in bytes, and they would be few."""
    return re.search(_OF_BYTES, name) is not None and value.isdecimal() and len(value) < _LARGE and int(value) > 0


def _number(text: str) -> tuple[str | None, bool]:
    """Return the digits in the form of Kubernetes, and whether they have one possible meaning."""
    if re.fullmatch(r"\d+(?:\.\d+)?|\.\d+", text, re.ASCII):
        return text, True
    if re.fullmatch(_THOUSANDS, text):
        return re.sub(r"[, _']", "", text), False
    if re.fullmatch(_DECIMAL_COMMA, text):
        return text.replace(",", "."), False
    return None, False


def _suffixes(unit: str) -> list[str]:
    """Return the possible suffixes for a unit in other letters."""
    lower = re.sub(r"(?<=[a-z])(?:bytes?|b|s)$", "", unit.lower())
    lower = _NAMES.get(lower, lower)
    if lower in _BINARY_NAMES or (len(lower) == 2 and lower[0] in "kmgtpe" and lower[1] == "i"):
        return [_BINARY_NAMES.get(lower, lower[0]).upper() + "i"]
    if lower in ("b", "byte", "bytes"):
        return [""]
    if lower in ("gig", "meg"):
        lower = lower[0]
    if len(lower) == 1 and lower in "kmgtpe":
        return ["k" if lower == "k" else lower.upper(), f"{lower.upper()}i"]
    return []


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


def nano_units(holder: Any, key: str) -> dict[str, int]:
    """Return the quantities that a mapping has under a key in nano units, without what is none."""
    return {name: nano(amount) for name, amount in quantities(holder, key).items()}


def is_binary(value: Any) -> bool:
    """Say whether a quantity is written with a binary suffix such as Gi."""
    return text_of(value).strip().endswith("i")
