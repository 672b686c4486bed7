"""Formats of text as Go defines them: addresses, hardware addresses, lists of CPUs, names of interfaces."""

from __future__ import annotations

import ipaddress
import re
import unicodedata
from typing import TYPE_CHECKING

from dralint.kubernetes.formats import parse_address
from dralint.kubernetes.workloads import MOST_DEVICES

if TYPE_CHECKING:
    from collections.abc import Callable

_BYTE = "[0-9a-fA-F]{2}"
_MAC = re.compile(
    rf"(?:{_BYTE}(?P<c>[:-])(?:{_BYTE}(?P=c)){{4}}{_BYTE}"
    rf"|{_BYTE}(?P<d>[:-])(?:{_BYTE}(?P=d)){{6}}{_BYTE}"
    rf"|{_BYTE}(?P<e>[:-])(?:{_BYTE}(?P=e)){{18}}{_BYTE}"
    r"|[0-9a-fA-F]{4}(?:\.[0-9a-fA-F]{4}){2}|[0-9a-fA-F]{4}(?:\.[0-9a-fA-F]{4}){3}|[0-9a-fA-F]{4}(?:\.[0-9a-fA-F]{4}){9}"
    r"|[0-9a-fA-F]{12}|[0-9a-fA-F]{16}|[0-9a-fA-F]{40})\Z"
)
_LENGTH = re.compile(r"(?:0|[1-9][0-9]{0,2})\Z")
_RANGE = re.compile(r"[0-9]+(?:-[0-9]+)?\Z")
_LONGEST_NAME = 15

Network = ipaddress.IPv4Interface | ipaddress.IPv6Interface


def address(text: str) -> bool:
    """Say whether a text is an IP address."""
    return parse_address(text) is not None


def network(text: str) -> bool:
    """Say whether a text is an IP address with a prefix length."""
    host, slash, length = text.partition("/")
    found = parse_address(host)
    return (
        bool(slash) and found is not None and _LENGTH.match(length) is not None and int(length) <= found.max_prefixlen
    )


def is_ipv4(text: str) -> bool | None:
    """Say whether an address, with or without a prefix, is IPv4; None where it is not an address."""
    found = parse_address(text.partition("/")[0])
    return None if found is None else found.version == 4


def hardware_address(text: str) -> bool:
    """Say whether a text is a hardware address of 6, 8 or 20 octets."""
    return _MAC.match(text) is not None


def cpu_list(text: str) -> bool:
    """Say whether a text is a list of CPUs as Linux writes it."""
    for part in text.split(","):
        if not _RANGE.match(part):
            return False
        first, dash, last = part.partition("-")
        if dash and int(first) > int(last):
            return False
    return True


def interface_name(text: str) -> bool:
    """Say whether a text can be the name of a network interface."""
    if len(text.encode()) > _LONGEST_NAME or text in (".", ".."):
        return False
    return all(
        char in "._-" or unicodedata.category(char)[0] == "L" or unicodedata.category(char) == "Nd" for char in text
    )


def device_key(text: str) -> bool:
    """Say whether a text names a device of a claim: by its index or by its UUID."""
    if text.startswith(("GPU-", "MIG-")):
        return True
    return text.isascii() and text.isdigit() and int(text) < MOST_DEVICES


FORMATS: dict[str, tuple[Callable[[str], bool], str]] = {
    "CIDR": (network, "an address with prefix length, such as 10.0.0.5/24"),
    "CIDR or IP": (lambda text: network(text) or address(text), "an address with or without prefix length"),
    "IP": (address, "an IP address"),
    "MAC": (hardware_address, "a hardware address, such as 02:42:ac:11:00:02"),
    "CPU list": (cpu_list, "a list of CPUs, such as 0-3,5"),
    "interface name": (interface_name, "at most 15 letters, digits, dots, hyphens and underscores"),
    "device": (device_key, "the index of a device of the claim, or its UUID"),
}
"""Formats by name: the test, and the words for it."""
