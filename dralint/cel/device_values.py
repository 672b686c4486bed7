"""Converts a device of a ResourceSlice into values of CEL; importing this does not import the evaluation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dralint.cel.values import QuantityValue, Semver, parse_semver
from dralint.kubernetes.quantity import shortest, stored
from dralint.yaml import number_text

if TYPE_CHECKING:
    from collections.abc import Mapping


class DeviceError(ValueError):
    """A device cannot be read; `path` is the value to blame, from the device on."""

    def __init__(self, message: str, *path: str) -> None:
        super().__init__(message)
        self.path = path


Values = dict[str, Any]
"""Name of an attribute or capacity, as it is written → its value."""


def values_of(entry: Mapping[str, Any], *, skip: bool = False) -> tuple[Mapping[str, Any], Values, Values]:
    """Return the mapping with the fields of a device (`basic`, or the entry itself), its attributes and its capacity.

    DeviceError where one of them is invalid; `skip` leaves those out.
    """
    basic = entry.get("basic")
    inner = ("basic",) if isinstance(basic, dict) else ()
    body = basic if isinstance(basic, dict) else entry
    values: dict[str, Values] = {"attributes": {}, "capacity": {}}
    for field, convert in (("attributes", _attribute), ("capacity", _capacity)):
        one = field.removesuffix("s")
        for key, value in _entries(body, field):
            try:
                values[field][str(key)] = convert(value)
            except ValueError as error:
                if skip:
                    continue
                name = str(entry.get("name", ""))
                msg = f"the device {name[:80]!r} is left out: its {one} {str(key)[:80]!r} {error}"
                raise DeviceError(msg, *inner, field, key) from None
    return body, values["attributes"], values["capacity"]


def _entries(body: Mapping[str, Any], key: str) -> list[tuple[str, Any]]:
    value = body.get(key)
    return list(value.items()) if isinstance(value, dict) else []


_KINDS = {"bool": bool, "int": int, "string": str, "version": str}


def _attribute(value: Any) -> Any:
    written = [(kind, inner) for kind, inner in value.items() if inner is not None] if isinstance(value, dict) else []
    if len(written) == 1:
        kind, inner = written[0]
        many = kind in ("bools", "ints", "strings", "versions")
        items = inner if many and isinstance(inner, list) else [inner]
        wanted = _KINDS.get(kind.removesuffix("s") if many else kind)
        if wanted is not None and all(type(item) is wanted for item in items):
            if kind.startswith("version"):
                items = [_version(item) for item in items]
            return items if many else items[0]
    raise ValueError("needs one value, of the type that its key says: bool, int, string or version")


def _version(text: str) -> Any:
    try:
        return parse_semver(text)
    except ValueError as error:
        raise ValueError(f'"{text[:60]}" {error}') from None


def _capacity(value: Any) -> Any:
    amount = value.get("value") if isinstance(value, dict) else value
    amount = 0 if amount is None else amount  # as the decoder takes it
    if isinstance(amount, bool) or not isinstance(amount, str | int | float):
        raise ValueError("needs a value: a quantity such as 40Gi")
    text = number_text(amount) if isinstance(amount, int | float) else amount
    try:
        return QuantityValue.of(stored(text))
    except ValueError as error:
        raise ValueError(f'"{text[:60]}" {error}') from None


def named_value(values: Mapping[str, Any], driver: str, full: str) -> Any:
    """Return the attribute or capacity DOMAIN/NAME of a device; one without a domain has that of the driver."""
    found = values.get(full)
    domain, slash, name = full.partition("/")
    return values.get(name) if found is None and slash and domain == driver else found


def by_domain(values: Mapping[str, Any], driver: str) -> dict[str, list[tuple[str, Any]]]:
    """Return the attributes or capacities of a device by their domains, with their names."""
    domains: dict[str, list[tuple[str, Any]]] = {}
    for full, value in values.items():
        domain, slash, name = full.partition("/")
        domains.setdefault(domain if slash else driver, []).append((name if slash else full, value))
    return domains


def shown(value: Any) -> str:
    """Return a value of an attribute or capacity as people write it."""
    if isinstance(value, bool):
        return str(value).lower()
    return shortest(value.value) if isinstance(value, QuantityValue) else str(value)


def written(value: Any) -> str:
    """Return it as an expression writes it."""
    text = shown(value)
    if isinstance(value, Semver):
        return f'semver("{text}")'
    if isinstance(value, QuantityValue):
        return f'quantity("{text}")'
    return f'"{text}"' if isinstance(value, str) else text
