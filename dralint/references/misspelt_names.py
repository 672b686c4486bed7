"""Recognizes misspelt names, in contrast to other objects with a similar name."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dralint.finding.words import shared
from dralint.kubernetes.near import distance
from dralint.kubernetes.workloads import CLASS_QUOTA, GROUP, IMPLICIT
from dralint.records import grouped

if TYPE_CHECKING:
    from collections.abc import Iterable


_WORD = r"[^-._/]+"
_SEPARATORS = r"[-._/]"
_LOOKS_LIKE = str.maketrans("0158", "olsb")
_SHORTEST, _SHORTEST_REPLACED, _SHORTEST_IN_DOMAIN, _SHORTEST_SWAPPED = 3, 5, 4, 4
_MOST_SUGGESTED, _FEW = 200, 4
_TELLING = frozenset("234679")  # 0, 1, 5 and 8 look like letters


class KnownNames:
    """Names to compare with; the time of a search does not grow with their number."""

    def __init__(self, names: Iterable[str]) -> None:
        self.names = list(dict.fromkeys(names))
        self._alike: dict[str, list[str]] | None = None
        self._by_key: dict[str, dict[str, list[str]]] = {}
        self._near: dict[str, list[str]] = {}

    def near(self, name: str) -> list[str]:
        """Return the names that `name` can only be a misspelling of, in order."""
        if name not in self._near:
            self._near[name] = [known for known in self._candidates(name) if is_misspelt(name, known)]
        return self._near[name]

    def _candidates(self, name: str) -> Iterable[str]:
        """Return the names that it may be a misspelling of, and a few others."""
        if self._alike is None:
            self._alike = grouped((_numbers(known), known) for known in self.names)
        numbers = _numbers(name)
        alike = self._alike.get(numbers, [])
        if len(alike) <= _FEW:
            return alike
        if numbers not in self._by_key:
            self._by_key[numbers] = grouped((key, known) for known in alike for key in _keys(known))
        by_key = self._by_key[numbers]
        return dict.fromkeys(known for key in _keys(name) for known in by_key.get(key, ()))

    def closest(self, name: str) -> list[str]:
        """Return the names that this one may be a misspelling of, or else a part, or that are a part of it."""
        several = self.names if len(self.names) <= _MOST_SUGGESTED and len(name) >= _SHORTEST else ()
        return self.near(name) or [known for known in several if _is_part(known, name) or _is_part(name, known)]


def _numbers(name: str) -> str:
    """Return the digits that a typing mistake never changes, whatever the order of the words is."""
    return "".join(sorted(char for char in name if char in _TELLING))


def _is_part(part: str, name: str) -> bool:
    return len(part) >= _SHORTEST and (name.startswith(part) or name.endswith(part))


def _digits(name: str) -> str:
    return "".join(filter(str.isdigit, name))


def _keys(name: str) -> Iterable[str]:
    """Return keys that a name shares with its misspellings: some of these lack one of its letters, or one more."""
    plain = re.sub(_SEPARATORS, "", name.lower())
    shorter = (plain[:position] + plain[position + 1 :] for position in range(len(plain)))
    in_order = " ".join(sorted(re.findall(_WORD, name.lower())))
    return dict.fromkeys((plain, plain.translate(_LOOKS_LIKE), in_order, *shorter))


def is_misspelt(written: str, meant: str) -> bool:
    """Say whether one name can only be a misspelling of the other."""
    one, other = written.lower(), meant.lower()
    if one == other:
        return written != meant
    left, right = re.findall(_WORD, one), re.findall(_WORD, other)
    if "".join(left) == "".join(right):
        return True  # hyphens
    if sorted(left) == sorted(right):
        return len({len(word) for word in left}) > 1 or max(map(len, left)) >= _SHORTEST  # words in another order
    if len(left) != len(right):
        return False
    different = [(a, b) for a, b in zip(left, right, strict=True) if a != b]
    if len(different) != 1:
        return False
    if _of_a_domain(one, other, different[0]):
        return True
    return _word_slip(*different[0], top=one.count(".") > 1 and _ends_in(one, other, different[0]))


def _of_a_domain(one: str, other: str, words: tuple[str, str]) -> bool:
    """Say whether names differ in one letter of their domain, `gpu.exampel.com`: nobody owns two such domains."""
    if one.count(".") < 2 or len(words[0]) != len(words[1]) or len(words[0]) < _SHORTEST_IN_DOMAIN:
        return False
    domains = (one.split(".")[-2], other.split(".")[-2])
    return domains == words and all(map(str.isalpha, words)) and sum(a != b for a, b in zip(*words, strict=True)) == 1


def _ends_in(one: str, other: str, words: tuple[str, str]) -> bool:
    """Say whether two names differ only in their top-level domain: `co` surely means `com`, and `oi` means `io`."""
    return (one.rpartition(".")[2], other.rpartition(".")[2]) == words and all(map(str.isalpha, words))


def _word_slip(one: str, other: str, *, top: bool) -> bool:
    if one.translate(_LOOKS_LIKE) == other.translate(_LOOKS_LIKE):
        # letters that look like digits; two numbers are always different
        return any(a.isdigit() != b.isdigit() for a, b in zip(one, other, strict=True))
    if _digits(one) != _digits(other):
        return False
    short, long = sorted((one, other), key=len)
    at = shared(short, long)
    if short[at:] == long[at + 1 :]:
        return len(short) >= _SHORTEST - top
    if short[at + 1 :] == long[at + 1 :]:
        return len(short) >= _SHORTEST_REPLACED
    swapped = short[at : at + 2] == long[at : at + 2][::-1] and short[at + 2 :] == long[at + 2 :]
    return swapped and (top or len(short) >= _SHORTEST_SWAPPED)


CLAIM_QUOTAS = (f"count/resourceclaims.{GROUP}", f"count/resourceclaimtemplates.{GROUP}")
"""The names of the quotas that count claims and templates."""
_OTHER_GROUP = "resource.kubernetes.io"
"""The domain of labels and extended resources, which is no API group."""
_LABELS = CLASS_QUOTA.count(".")
_MOST_LETTERS = 2
_LONGEST = 320


_PROPOSED = (
    rf"(?:requests\.)?(?:(?P<name>[a-z0-9][a-z0-9.-]*)\.(?:deviceclass|resourceclass)\.{re.escape(GROUP)}(?:/[a-z]*)?"
    rf"|(?:deviceclass|resourceclass)\.{re.escape(GROUP)}/(?P<last>[a-z0-9][a-z0-9.-]*))"
)
"""Keys of earlier proposals for quotas of devices, and such as leave out their end."""


def meant(key: str) -> str | None:
    """Return the name of a quota that a key of `hard` is a misspelling of; None for a right or another name.

    Extended resources are counted by their requests alone: isExtendedResourceNameForQuota in
    pkg/quota/v1/evaluator/core/pods.go (v1.37.0).
    """
    if key in CLAIM_QUOTAS or key.endswith(CLASS_QUOTA) or len(key) > _LONGEST:
        return None
    if key.startswith("limits.") and "/" in key:
        return f"requests.{key.removeprefix('limits.')}"
    name = key.replace(_OTHER_GROUP, GROUP)
    proposed = re.fullmatch(_PROPOSED, key)
    if proposed is not None:
        return f"{proposed['name'] or proposed['last']}{CLASS_QUOTA}"
    if key.startswith("count/"):
        return next((each for each in CLAIM_QUOTAS if _is_near(name, each) or name == each.partition(".")[0]), None)
    domain, slash, what = name.partition("/")
    labels = domain.split(".")
    device_class, end = ".".join(labels[:-_LABELS]), f".{'.'.join(labels[-_LABELS:])}{slash}{what}"
    if (
        device_class in ("", "requests", "limits") and IMPLICIT in key
    ):  # an extended resource with the name of its class
        return None
    return f"{device_class}{CLASS_QUOTA}" if device_class and _is_near(end, CLASS_QUOTA) else None


def _is_near(name: str, other: str) -> bool:
    return abs(len(name) - len(other)) <= _MOST_LETTERS and distance(name, other) <= _MOST_LETTERS
