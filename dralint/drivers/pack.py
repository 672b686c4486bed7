"""The pack of a driver: its releases in order, its content in each of them, and its patterns."""

from __future__ import annotations

import json
import os
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from dralint.drivers.shipped import DRIVERS

if TYPE_CHECKING:
    from collections.abc import Iterator


_LARGEST: Final = 1000
"""The most instructions of a pattern."""
_LONGEST: Final = 64
"""The longest name or string of an attribute, in bytes.

Source: DeviceMaxIDLength and DeviceAttributeMaxValueLength in pkg/apis/resource/types.go of Kubernetes (v1.34).
"""


def is_in(pattern: str, text: str) -> bool:
    """Say whether a pattern may match in a name or value of an attribute; it is one that has no `mistake`."""
    from dralint.cel.regex import is_in as found_in  # few packs have patterns

    return len(text) <= _LONGEST and found_in(pattern, text) is not False


def is_all_of(pattern: str, text: str) -> bool:
    """Say whether a pattern may match the whole of a name or value of an attribute."""
    return is_in(rf"\A(?:{pattern})\z", text)


def mistake(pattern: str) -> str | None:
    """Return what is wrong with a pattern, and how to write it; None for a usable one."""
    from dralint.cel.regex import program
    from dralint.cel.regex_nodes import NEWEST, NotRunError, RegexError

    try:
        size = len(program(pattern, NEWEST).code)
    except RegexError as error:
        return f"not a regular expression of Go: it {error}"
    except NotRunError:
        size = _LARGEST + 1
    return None if size <= _LARGEST else "dralint does not run so large a pattern; write smaller repetitions"


_MOST_KEPT: Final = 1024
"""The most versions of packs that are kept."""
_ABSENT: Final = object()
_PACKS = os.path.join(os.path.dirname(__file__), "packs")
_RANGED = frozenset({"value", "since", "until", "before"})
"""Keys of a value that depends on the release; `before` is the value in older ones."""


class Pack:
    """What is known of a driver.

    Args:
        data: a pack in the documented form, see docs/drivers.md.
    """

    def __init__(self, data: dict[str, Any]) -> None:
        self.data = data
        self.driver: str = data["driver"]
        self.versions: list[str] = data["versions"]
        unreleased = data.get("unreleased", ())
        self.released: list[str] = [v for v in self.versions if v not in unreleased] or self.versions
        self.newest = self.released[-1]

    def known(self, version: str) -> str | None:
        """Return a version as the pack writes it, with its variant; None where the pack does not have it."""
        plain, plus, variant = version.partition("+")
        found = next((v for v in (plain, f"v{plain}", plain.removeprefix("v")) if v in self.versions), None)
        if found is None or not plus:
            return found
        return next((each for each in self.variants(found) if each == f"{found}+{variant}"), None)

    @lru_cache(maxsize=_MOST_KEPT)  # noqa: B019 - few are made
    def at(self, version: str) -> dict[str, Any]:
        """Return the content of the pack for one version, without that of others."""
        number = self.versions.index(version.partition("+")[0])
        found: dict[str, Any] = _resolved(self.data, self.versions, number)
        return found

    def variants(self, version: str) -> list[str]:
        """Return the variants of a version: devices with different rules for parameters."""
        return [f"{version}+{name}" for name in self.at(version).get("parameters", {}).get("variants", {})]

    def entries(self, key: str) -> Iterator[tuple[dict[str, Any], str, str]]:
        """Yield the entries of a list in all versions, with the first and the last version that have them."""
        for entry in self.data.get(key, ()):
            yield entry, entry.get("since", self.versions[0]), entry.get("until", self.versions[-1])


def _resolved(value: Any, versions: list[str], number: int) -> Any:
    if isinstance(value, list):
        each = (_resolved(item, versions, number) for item in value)
        return [item for item in each if item is not _ABSENT]
    if not isinstance(value, dict):
        return value
    ranged = "value" in value and len(value) > 1 and value.keys() <= _RANGED
    first = versions.index(value["since"]) if isinstance(value.get("since"), str) else 0
    last = versions.index(value["until"]) if isinstance(value.get("until"), str) else len(versions)
    if not first <= number <= last:
        return value["before"] if ranged and "before" in value and number < first else _ABSENT
    if ranged:
        return _resolved(value["value"], versions, number)
    out = {}
    for key, each in value.items():
        found = _fields(each, versions, number) if key == "fields" else _resolved(each, versions, number)
        if found is not _ABSENT:
            out[key] = found
    return out


def _fields(fields: dict[str, Any], versions: list[str], number: int) -> dict[str, Any]:
    """Return the fields of parameters: their names are the driver's and never mean a range."""
    out = {name: _resolved(field, versions, number) for name, field in fields.items()}
    return {name: field for name, field in out.items() if field is not _ABSENT}


@lru_cache(maxsize=64)
def shipped(driver: str) -> Pack | None:
    """Return dralint's own pack for a driver; None where there is none."""
    if driver not in DRIVERS:
        return None
    with open(os.path.join(_PACKS, f"{driver}.json"), "rb") as file:
        return Pack(json.load(file))
