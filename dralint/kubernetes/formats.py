"""The formats of names and values that the API server checks, each with the words that explain it.

Every format is a function from the value to None (fine) or to what is wrong with it, and the JSON Schema keywords that
say (nearly) the same to an editor. Sources are named at each; unless said otherwise the patterns are those of
apimachinery pkg/util/validation/validation.go (v0.26.15 to v0.37.0).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import ipaddress
    from collections.abc import Callable

_LABEL = re.compile(r"[a-z0-9](?:[-a-z0-9]*[a-z0-9])?\Z")
_SUBDOMAIN = re.compile(r"[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*\Z")
_C_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_QUALIFIED = re.compile(r"(?:[A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]\Z")
_SEMVER = re.compile(
    r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)"
    r"(?:-((?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\.(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?"
    r"(?:\+([0-9a-zA-Z-]+(?:\.[0-9a-zA-Z-]+)*))?\Z",
    re.ASCII,
)
_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\Z")
_CONDITION_REASON = re.compile(r"[A-Za-z](?:[A-Za-z0-9_,:]*[A-Za-z0-9_])?\Z")


class Fault(NamedTuple):
    """What is wrong with a value (the text follows the quoted value), what to write, and the server's reason."""

    text: str
    hint: str | None = None
    reason: str = "Invalid"


def size(text: str) -> int:
    """Return the length in bytes of the text's UTF-8, as the server counts; lone surrogates count three."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def _propose(text: str, limit: int, *, dots: bool) -> str | None:
    """Return the nearest name of lower-case letters, digits, `-` (and `.`), when there is an evident one."""
    allowed = r"[^a-z0-9.-]+" if dots else r"[^a-z0-9-]+"
    name = re.sub(allowed, "-", text.lower()).strip("-.")
    if dots:
        name = re.sub(r"-*\.[-.]*", ".", name)
    if not name or len(name) > limit or name == text or not text.isascii():
        return None
    return f"did you mean {name!r}?"


def dns_label(text: str) -> Fault | None:
    """RFC 1123 label."""
    if _LABEL.match(text) and len(text) <= 63:
        return None
    if size(text) > 63 and _LABEL.match(text):
        return Fault(f"is {size(text)} characters long; a DNS label has at most 63", "choose a shorter name")
    return Fault(
        "is not a DNS label: lower-case letters, digits and `-`, a letter or digit at both ends, at most 63 characters",
        _propose(text, 63, dots=False),
    )


def dns_subdomain(text: str) -> Fault | None:
    """RFC 1123 subdomain."""
    if _SUBDOMAIN.match(text) and len(text) <= 253:
        return None
    if _SUBDOMAIN.match(text):
        return Fault(f"is {len(text)} characters long; a DNS subdomain has at most 253", "choose a shorter name")
    return Fault(
        "is not a DNS subdomain: lower-case letters, digits, `-` and `.`, a letter or digit at both ends of each part",
        _propose(text, 253, dots=True),
    )


def driver_name(text: str) -> Fault | None:
    """A DNS subdomain of at most 63 characters; upper case is let through (core validation ValidateCSIDriverName)."""
    if size(text) > 63:
        return Fault(
            f"is {size(text)} characters long; a driver name has at most 63",
            "use the driver's registered name",
            "TooLong",
        )
    if _SUBDOMAIN.match(text.lower()):
        return None
    return Fault(
        "is not a driver name: a DNS subdomain such as gpu.example.com, at most 63 characters",
        _propose(text, 63, dots=True),
        "Invalid" if text else "Required",
    )


def driver_name_lower(text: str) -> Fault | None:
    """A driver name in lower case only (declarative validation of 1.37)."""
    fault = driver_name(text)
    if fault is None and text != text.lower():
        return Fault("has upper-case letters; a domain is written in lower case", f"did you mean {text.lower()!r}?")
    return fault


def caseless_subdomain(text: str) -> Fault | None:
    """A DNS subdomain of up to 253 characters once it is put into lower case."""
    return dns_subdomain(text.lower())


def pool_name(text: str) -> Fault | None:
    """DNS subdomains joined by `/`, at most 253 bytes (resource validation validatePoolName)."""
    if not text:
        return Fault("is empty; a pool name is DNS subdomains joined by slashes, such as node-7", None, "Required")
    if size(text) > 253:
        return Fault(
            f"is {size(text)} characters long; a pool name has at most 253", "choose a shorter name", "TooLong"
        )
    for part in text.split("/"):
        if not part:
            return Fault("has an empty part: DNS subdomains joined by single slashes, such as rack-1/node-7")
        if dns_subdomain(part) is not None:
            return Fault(f"is not a pool name: {part!r} is not a DNS subdomain (parts are joined by `/`)")
    return None


def c_identifier(text: str, reason: str = "Invalid") -> Fault | None:
    """A C identifier of at most 32 bytes; `reason` is that of a character which is not allowed."""
    if size(text) > 32:
        return Fault(
            f"is {size(text)} characters long; an attribute or capacity name has at most 32",
            "choose a shorter name",
            "TooLong",
        )
    if _C_IDENTIFIER.match(text):
        return None
    fixed = re.sub(r"\W+", "_", text, flags=re.ASCII)
    fixed = f"_{fixed}" if fixed[:1].isdigit() else fixed
    hint = f"did you mean {fixed!r}?" if _C_IDENTIFIER.match(fixed) else None
    return Fault("is not a C identifier: letters, digits and `_`, not starting with a digit", hint, reason)


def qualified_name(text: str, empty: str = "Invalid", reason: str = "Invalid") -> Fault | None:
    """`id` or `domain/id`; with two slashes or more nothing is checked (resource validation validateQualifiedName).

    `empty` is the server's reason where a part is empty, `reason` where the id has a character which is not allowed.
    """
    if not text and empty != "Invalid":
        return Fault("is empty; a name is NAME or DOMAIN/NAME, such as model", None, empty)
    parts = text.split("/")
    if len(parts) > 2:
        return None
    if len(parts) == 1:
        return c_identifier(text, reason)
    domain, name = parts
    if not domain:
        return Fault("has no domain before the slash", "write domain/name, or only the name", empty)
    fault = driver_name(domain)
    if fault is not None:
        return Fault(f"has a bad domain: {domain!r} {fault.text}", fault.hint, fault.reason)
    if not name:
        return Fault("has no name behind the slash", "write domain/name, such as gpu.example.com/model", empty)
    fault = c_identifier(name, reason)
    if fault is not None:
        return Fault(f"has a bad name: {name!r} {fault.text}", fault.hint, fault.reason)
    return None


def qualified_name_1_34(text: str) -> Fault | None:
    """A qualified name as 1.34 says what is wrong with it: an empty part is Required."""
    return qualified_name(text, "Required")


def qualified_name_1_31(text: str) -> Fault | None:
    """A qualified name as 1.31 to 1.33 say what is wrong with it: a character not allowed is TypeInvalid besides."""
    return qualified_name(text, "Required", "TypeInvalid")


def fully_qualified_name(
    text: str, empty: str = "Invalid", reason: str = "Invalid", no_domain: str = "Invalid"
) -> Fault | None:
    """`domain/id`, the domain required (resource validation validateFullyQualifiedName).

    `no_domain` is the server's reason for a name without a slash, the others are those of `qualified_name`.
    """
    if not text and empty != "Invalid":
        return Fault("is empty", "write it as DOMAIN/NAME, the domain usually being the driver's name", empty)
    if "/" not in text:
        hint = "write it as DOMAIN/NAME, the domain usually being the driver's name"
        return Fault("has no domain", hint, no_domain)
    return qualified_name(text, empty, reason)


def fully_qualified_name_1_34(text: str) -> Fault | None:
    """A fully qualified name as 1.34 says what is wrong with it."""
    return fully_qualified_name(text, "Required")


def fully_qualified_name_1_32(text: str) -> Fault | None:
    """A fully qualified name as 1.32 and 1.33 say what is wrong with it."""
    return fully_qualified_name(text, "Required", "TypeInvalid")


def fully_qualified_name_1_31(text: str) -> Fault | None:
    """A fully qualified name as 1.31 says what is wrong with it: a missing domain is Required."""
    return fully_qualified_name(text, "Required", "TypeInvalid", "Required")


def fully_qualified_name_lower(text: str) -> Fault | None:
    """`domain/id` with a domain in lower case; two slashes pass (apimachinery pkg/api/validate/strfmt.go v0.37.0)."""
    parts = text.split("/")
    if len(parts) == 1:
        return Fault("has no domain", "write it as DOMAIN/NAME, the domain usually being the driver's name")
    if len(parts) == 2 and parts[0] != parts[0].lower():
        return Fault(
            f"has upper-case letters in its domain {parts[0]!r}", f"did you mean {parts[0].lower()}/{parts[1]}?"
        )
    return qualified_name(text)


def label_key(text: str) -> Fault | None:
    """`[prefix/]name`: the prefix a DNS subdomain, the name 1 to 63 characters."""
    prefix, slash, name = text.rpartition("/")
    if "/" in prefix:
        return Fault("has more than one slash: a key is [prefix/]name")
    if slash:
        if not prefix:
            return Fault(
                "has nothing before the slash: a key is [prefix/]name", "remove the slash, or write a DNS subdomain"
            )
        fault = dns_subdomain(prefix)
        if fault is not None:
            return Fault(f"has a bad prefix: {prefix!r} {fault.text}", fault.hint)
    if not name:
        return Fault("has no name: a key is [prefix/]name")
    if size(name) > 63:
        return Fault(f"has a name of {size(name)} characters; at most 63 are allowed", "choose a shorter name")
    if not _QUALIFIED.match(name):
        return Fault("is not a key: letters, digits, `-`, `_` and `.`, a letter or digit at both ends")
    return None


def annotation_key(text: str) -> Fault | None:
    """A label key, but for the case of its letters (apimachinery pkg/api/validation/objectmeta.go)."""
    return label_key(text.lower())


def label_value(text: str) -> Fault | None:
    """Empty, or up to 63 letters, digits, `-`, `_` and `.`."""
    if not text:
        return None
    if size(text) > 63:
        return Fault(
            f"is {size(text)} characters long; a label value has at most 63", "move long text to an annotation"
        )
    if _QUALIFIED.match(text):
        return None
    return Fault("is not a label value: letters, digits, `-`, `_` and `.`, a letter or digit at both ends")


def semver(text: str) -> Fault | None:
    """Semantic version 2.0.0 of at most 64 bytes (resource validation validateSemVer)."""
    if _SEMVER.match(text):
        if size(text) <= 64:
            return None
        return Fault(
            f"is {size(text)} characters long; a version has at most 64",
            "shorten the pre-release or build part",
            "TooLong",
        )
    hint = None
    numbers = text.removeprefix("v").split(".")
    if all(n.isdigit() and n.isascii() for n in numbers) and len(numbers) <= 3 and len(text) < 30:
        fixed = ".".join(str(int(n)) for n in [*numbers, "0", "0"][:3])
        hint = f"did you mean {fixed!r}?"
    return Fault("is not a semantic version (2.0.0): MAJOR.MINOR.PATCH without leading zeros or a leading `v`", hint)


def uuid(text: str) -> Fault | None:
    """A UUID in its 36 characters of lower case."""
    if _UUID.match(text):
        return None
    hint = "write it in lower case" if _UUID.match(text.lower()) else None
    return Fault("is not a UUID: lower-case hexadecimal digits, grouped 8-4-4-4-12", hint)


def condition_reason(text: str) -> Fault | None:
    """The reason of a condition (apimachinery pkg/apis/meta/v1/validation/validation.go)."""
    if size(text) > 1024:
        return Fault(
            f"is {size(text)} characters long; a reason has at most 1024", "move the text to `message`", "TooLong"
        )
    if _CONDITION_REASON.match(text):
        return None
    return Fault("is not a reason: one word in CamelCase, such as DeviceReady")


def parse_address(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """Read an address; an IPv4 address may have leading zeros."""
    import ipaddress  # few manifests have addresses

    if ":" not in text:
        text = ".".join(part.lstrip("0") or part[-1:] for part in text.split("."))
    try:
        return ipaddress.ip_address(text)
    except ValueError:
        return None


def cidr(text: str) -> Fault | None:
    """An address with a prefix length as ParseCIDRSloppy of k8s.io/utils/net takes it: leading zeros pass (1.32)."""
    address, slash, length = text.partition("/")
    ip = parse_address(address)
    if ip is None or not slash or "%" in address or not (length.isascii() and length.isdigit()):
        return Fault("is not an address with a prefix length, such as 10.9.8.0/24 or 2001:db8::1/64")
    if len(length) > 3 or int(length) > ip.max_prefixlen:
        return Fault(f"has the prefix length {length}; it lies between 0 and {ip.max_prefixlen}")
    return None


def interface_cidr(text: str) -> Fault | None:
    """A canonical interface address (apimachinery pkg/util/validation/ip.go, IsValidInterfaceAddress; 1.33+)."""
    fault = cidr(text)
    if fault is not None:
        return fault
    address, _, length = text.partition("/")
    ip = parse_address(address)
    mapped = getattr(ip, "ipv4_mapped", None)
    if mapped is not None:
        return Fault("is an IPv4 address written as IPv6", f"write {mapped}/{max(int(length) - 96, 0)}")
    canonical = f"{ip}/{int(length)}"
    if canonical != text:
        return Fault("is not in canonical form", f"write {canonical}")
    return None


def extended_resource(text: str) -> Fault | None:
    """The name of an extended resource (core helper IsExtendedResourceName)."""
    if "/" not in text:
        return Fault(
            "has no domain: an extended resource is DOMAIN/NAME", "write it as DOMAIN/NAME, not in kubernetes.io"
        )
    if "kubernetes.io/" in text:
        return Fault("lies in kubernetes.io, which is reserved", "use a domain of your own")
    if text.startswith("requests."):
        return Fault("starts with `requests.`, which quotas use", "drop that prefix")
    fault = label_key(f"requests.{text}")
    if fault is not None:
        prefix = text.partition("/")[0]
        if label_key(text) is None and len(prefix) > 244:
            return Fault(f"has a domain of {len(prefix)} characters; with `requests.` before it 253 are the limit")
        own = label_key(text)
        return own or fault
    return None


def node_name(text: str) -> Fault | None:
    """The name of a node is a DNS subdomain."""
    return dns_subdomain(text)


@dataclass(frozen=True, slots=True)
class Format:
    """A format: its check, what people call it, and the JSON Schema keywords that come closest without ever
    refusing what the check takes."""

    name: str
    check: Callable[[str], Fault | None]
    title: str
    schema: dict[str, Any]


_SUB = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*"
_ANYCASE = r"[A-Za-z0-9]([-A-Za-z0-9]*[A-Za-z0-9])?(\.[A-Za-z0-9]([-A-Za-z0-9]*[A-Za-z0-9])?)*"
_KEY = rf"({_SUB}/)?([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
_ID = r"[A-Za-z_][A-Za-z0-9_]*"
_TABLE = (
    Format("dns-label", dns_label, "a DNS label", {"pattern": r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?$", "maxLength": 63}),
    Format("dns-subdomain", dns_subdomain, "a DNS subdomain", {"pattern": f"^{_SUB}$", "maxLength": 253}),
    Format("node-name", node_name, "the name of a node", {"pattern": f"^{_SUB}$", "maxLength": 253}),
    Format("driver-name", driver_name, "a driver name", {"maxLength": 63}),
    Format("driver-name-lower", driver_name_lower, "a driver name", {"pattern": f"^{_SUB}$", "maxLength": 63}),
    Format("caseless-subdomain", caseless_subdomain, "a driver name", {"maxLength": 253}),
    Format("pool-name", pool_name, "a pool name", {"pattern": f"^{_SUB}(/{_SUB})*$", "maxLength": 253}),
    Format("c-identifier", c_identifier, "a C identifier", {"pattern": f"^{_ID}$", "maxLength": 32}),
    Format("qualified-name", qualified_name, "a qualified name", {"maxLength": 512}),
    Format("qualified-name-1.34", qualified_name_1_34, "a qualified name", {"maxLength": 512}),
    Format("qualified-name-1.31", qualified_name_1_31, "a qualified name", {"maxLength": 512}),
    Format("fully-qualified-name", fully_qualified_name, "a fully qualified name", {"pattern": "/"}),
    Format("fully-qualified-name-1.34", fully_qualified_name_1_34, "a fully qualified name", {"pattern": "/"}),
    Format("fully-qualified-name-1.32", fully_qualified_name_1_32, "a fully qualified name", {"pattern": "/"}),
    Format("fully-qualified-name-1.31", fully_qualified_name_1_31, "a fully qualified name", {"pattern": "/"}),
    Format(
        "fully-qualified-name-lower",
        fully_qualified_name_lower,
        "a fully qualified name",
        {"pattern": f"^{_SUB}/{_ID}$|/[^/]*/"},
    ),
    Format("label-key", label_key, "a label key", {"pattern": f"^{_KEY}$", "maxLength": 317}),
    Format("annotation-key", annotation_key, "an annotation key", {"maxLength": 317}),
    Format(
        "label-value",
        label_value,
        "a label value",
        {"pattern": r"^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$", "maxLength": 63},
    ),
    Format("semver", semver, "a semantic version", {"maxLength": 64}),
    Format("uuid", uuid, "a UUID", {"pattern": "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$"}),
    Format(
        "condition-reason",
        condition_reason,
        "the reason of a condition",
        {"pattern": "^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$", "maxLength": 1024},
    ),
    Format("cidr", cidr, "an address with a prefix length", {"pattern": "/"}),
    Format("interface-cidr", interface_cidr, "an address with a prefix length", {"pattern": "/"}),
    Format("extended-resource", extended_resource, "an extended resource", {"pattern": "/"}),
)
FORMATS: dict[str, Format] = {form.name: replace(form, check=lru_cache(maxsize=4096)(form.check)) for form in _TABLE}
"""The formats by name; names repeat throughout a repository, so verdicts are kept."""
