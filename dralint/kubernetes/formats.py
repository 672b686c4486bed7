"""The formats of names and values that the API server checks, with words that explain them, and their size."""

from __future__ import annotations

import ipaddress
import json
import re
import unicodedata
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

from dralint.kubernetes.near import LOOK_ALIKES, listed
from dralint.records import NamedTuple
from dralint.yaml import number_text

if TYPE_CHECKING:
    from collections.abc import Callable


_LABEL = re.compile(r"[a-z0-9](?:[-a-z0-9]*[a-z0-9])?\Z")
_SUBDOMAIN = re.compile(r"[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*\Z")
_C_IDENTIFIER = r"[A-Za-z_][A-Za-z0-9_]*\Z"
_QUALIFIED = r"(?:[A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]\Z"
_NUMBER = r"(?:0|[1-9][0-9]*+)"
_SEMVER = rf"{_NUMBER}\.{_NUMBER}\.{_NUMBER}(?:-([0-9A-Za-z.-]++))?(?:\+([0-9A-Za-z.-]++))?\Z"
"""A semantic version, but for the parts between the dots of its pre-release and of its build."""
_UUID = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\Z"
_CONDITION_REASON = r"[A-Za-z](?:[A-Za-z0-9_,:]*[A-Za-z0-9_])?\Z"


_QUOTES = "\u2018\u2019\u201a\u201c\u201d\u201e\u00ab\u00bb"


class Fault(NamedTuple):
    """What is wrong with a value (the text follows the quoted value), what to write, and the API server's reason.

    `instead` is the one proposed text for the whole value; `sure` means that it has one possible meaning.
    """

    text: str
    hint: str | None = None
    reason: str = "Invalid"
    instead: str | None = None
    sure: bool = False

    @property
    def advice(self) -> str | None:
        """The hint: what was written for it, or the question whether the proposal was meant."""
        if self.hint is not None or self.instead is None:
            return self.hint
        return f'did you mean "{self.instead}"?'

    def around(self, before: str, after: str = "") -> Fault:
        """Return the fault of a value, made from the fault of a part of it."""
        return self if self.instead is None else self._replace(instead=f"{before}{self.instead}{after}")


_OPEN = (
    r"[a-z][A-Z]|[^A-Za-z0-9 _./-]"
    r"|^(?:TODO|TBD|FIXME|X+|CHANGE[-_]?ME|REPLACE[-_]?ME|PLACEHOLDER|All|None|Null|Undefined|NONE|NULL|UNDEFINED)$"
    r"|^(?:(?:YOUR|DEVICE|RESOURCE|CLAIM)[-_])*(?:NAME|CLASS|CLAIM|TEMPLATE|DRIVER|POOL|NODE|REQUEST|DEVICE|NAMESPACE"
    r"|VALUE)(?:[-_]NAME)?$"
)
"""Words in CamelCase, odd characters, words for what is not known yet, and those that stand for a name in hints."""


def is_open(text: str) -> bool:
    """Say whether an invalid name can be meant in several ways: words in CamelCase, `a,b`, `*.x`, `TODO` and the like.

    A proposal for such a name is one among others, and only its author knows.
    """
    return re.search(_OPEN, text) is not None


def odd_character(text: str) -> tuple[str, str, bool] | None:
    """Return the fault of a name that only looks right, the name that was meant, and whether that is sure.

    It has an invisible character, white space at an end, or a character that looks like one of ASCII. None for any
    other name.
    """
    if text.isascii() and text == text.strip():
        return None

    seen = "".join(c for c in text.strip() if unicodedata.category(c) != "Cf")
    meant = unicodedata.normalize("NFKC", seen.strip(_QUOTES)).translate(LOOK_ALIKES)
    if meant == text or not meant.isascii() or not meant.isprintable() or " " in meant:
        return None
    odd = next((c for c in text.strip() if not c.isascii()), None)
    if odd is None:
        return "begins or ends with white space", meant, True
    if odd in _QUOTES:
        return f"has the typographic quote {odd} in it, which YAML takes for text", meant, True
    kind = "look-alike" if odd in seen else "invisible"
    return (
        f"has the {kind} character U+{ord(odd):04X} ({unicodedata.name(odd, 'nameless').lower()}) in it",
        meant,
        not odd.isalpha(),
    )


_STRANGE = r"[^A-Za-z0-9_. -]|  "


def size(text: str) -> int:
    """Return the length in bytes of the text's UTF-8, as the server counts; lone surrogates count three."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def _too_long(text: str, what: str, most: int, hint: str, reason: str = "Invalid") -> Fault:
    return Fault(f"is {size(text)} characters long; {what} has at most {most}", hint, reason)


def _propose(text: str, limit: int, *, dots: bool) -> str | None:
    """Return the nearest name of lower-case letters, digits, `-` (and `.`), when there is an evident one."""
    if re.search(_STRANGE, text) or text.endswith(("-", "_")):
        return None  # a part of it may be missing or in the wrong place, or it may not be a name
    allowed = r"[^a-z0-9.-]+" if dots else r"[^a-z0-9-]+"
    name = re.sub(allowed, "-", text.lower()).strip("-.")
    if dots:
        name = re.sub(r"-*\.[-.]*", ".", name)
    if not name or len(name) > limit or name == text or not text.isascii():
        return None
    return name


def _bad_name(text: str, what: str, limit: int, *, dots: bool, reason: str = "Invalid") -> Fault:
    """Return the fault of a name that can have lower-case letters, digits, `-` (and `.`); `what` follows its quote."""
    odd = odd_character(text)
    pattern = _SUBDOMAIN if dots else _LABEL
    if odd is not None:
        character, plain, sure = odd
        fits = pattern.match(plain) is not None and len(plain) <= limit
        return Fault(character, None if fits else "remove it", reason, plain if fits else None, sure)
    name = _propose(text, limit, dots=dots)
    hint = None
    if dots and name is not None and text.count("_") == 1 and text.count(".") == 1:
        # The underscore of GPU_example.com can mean the dot of a domain with three parts.
        hint = f'did you mean "{name}" or "{text.lower().replace("_", ".")}"?'
        return Fault(what, hint, reason)
    domain, slash, rest = text.partition("/")
    if dots and slash and domain.count(".") > 1 and _SUBDOMAIN.match(f"{rest}.{domain}"):
        both = f'write "{domain}", which is named by its driver alone, or "{rest}.{domain}"'
        return Fault(what, f'no "/" can be in it: {both}', reason)
    if slash and "." in domain and "/" not in rest and _SUBDOMAIN.match(f"{rest}.{domain}"):
        hint = f'no "/" can be in it: domains are written the other way round, as in "{rest}.{domain}"'
    if hint is None and name is None:
        hint = f"write a name such as {'gpu.example.com' if dots else 'gpu-0'}"
        if text.startswith("<") and text.endswith(">"):
            hint = "write the name in place of this placeholder"
    return Fault(what, hint, reason, name, sure=name == text.lower() and not is_open(text))


def dns_label(text: str) -> Fault | None:
    """RFC 1123 label."""
    if _LABEL.match(text) and len(text) <= 63:
        return None
    if size(text) > 63 and _LABEL.match(text):
        return _too_long(text, "such a name", 63, "choose a shorter name")
    what = (
        "is not a valid name: lower-case letters, digits and `-`, a letter or digit at both ends, at most 63 characters"
    )
    return _bad_name(text, what, 63, dots=False)


def dns_subdomain(text: str) -> Fault | None:
    """RFC 1123 subdomain."""
    if _SUBDOMAIN.match(text) and len(text) <= 253:
        return None
    if _SUBDOMAIN.match(text):
        return _too_long(text, "such a name", 253, "choose a shorter name")
    what = "is not a valid name: lower-case letters, digits, `-` and `.`, a letter or digit at both ends of each part"
    return _bad_name(text, what, 253, dots=True)


def driver_name(text: str) -> Fault | None:
    """A DNS subdomain of at most 63 characters; upper case is let through (core validation ValidateCSIDriverName)."""
    if size(text) > 63:
        return _too_long(text, "a driver name", 63, "use the driver's registered name", "TooLong")
    if _SUBDOMAIN.match(text.lower()):
        return None
    what = (
        "is not a driver name: lower-case letters, digits, `-` and `.`, such as gpu.example.com, at most 63 characters"
    )
    return _bad_name(text, what, 63, dots=True, reason="Invalid" if text else "Required")


def driver_name_lower(text: str) -> Fault | None:
    """A driver name in lower case only (declarative validation of 1.37)."""
    fault = driver_name(text)
    if fault is None and text != text.lower():
        return Fault("has upper-case letters; a domain is written in lower case", instead=text.lower())
    return fault


def caseless_subdomain(text: str) -> Fault | None:
    """A DNS subdomain of up to 253 characters once it is put into lower case."""
    fault = dns_subdomain(text.lower())
    return fault if fault is None or odd_character(text) is None else dns_subdomain(text)


def pool_name(text: str) -> Fault | None:
    """DNS subdomains joined by `/`, at most 253 bytes (resource validation validatePoolName)."""
    if not text:
        return Fault("is empty", "name the pool, mostly after its node, such as node-7", "Required")
    if size(text) > 253:
        return _too_long(text, "a pool name", 253, "choose a shorter name", "TooLong")
    parts = text.split("/")
    if not all(parts):
        whole = "/".join(part for part in parts if part)
        fits = bool(whole) and all(_SUBDOMAIN.match(part) for part in whole.split("/"))
        what = "has an empty part: a pool name has parts joined by single slashes, such as rack-1/node-7"
        return Fault(
            what, None if fits else "remove the slash, or write the missing part", instead=whole if fits else None
        )
    for part in parts:
        fault = dns_subdomain(part)
        if fault is not None:
            named = "" if part == text else f' its part "{part}"'
            what = f"is not a pool name:{named} {fault.text}" if named else fault.text.replace("valid", "pool", 1)
            mended = [other.instead if (other := dns_subdomain(p)) is not None else p for p in parts]
            whole = "/".join(p or "" for p in mended)
            return Fault(what, None, instead=whole if all(mended) else None, sure=fault.sure and len(parts) == 1)
    return None


def filter_pool_name(text: str) -> Fault | None:
    """A pool name that only declarative validation checks: an empty one has an empty part, and does not count as
    missing."""
    fault = pool_name(text)
    return fault if text or fault is None else fault._replace(reason="Invalid")


def c_identifier(text: str, reason: str = "Invalid") -> Fault | None:
    """A C identifier of at most 32 bytes; `reason` is that of a character which is not allowed."""
    if size(text) > 32:
        return _too_long(text, "an attribute or capacity name", 32, "choose a shorter name", "TooLong")
    if re.match(_C_IDENTIFIER, text):
        return None
    odd = odd_character(text)
    if odd is not None:
        fits = re.match(_C_IDENTIFIER, odd[1]) is not None
        return Fault(odd[0], None if fits else "remove it", reason, odd[1] if fits else None, odd[2])
    fixed = re.sub(r"\W+", "_", re.sub(r"\A\W+|\W+\Z", "", text, flags=re.ASCII), flags=re.ASCII)
    fits = re.match(_C_IDENTIFIER, fixed) is not None and fixed.strip("_") != ""
    what = "is not a C identifier: letters, digits and `_`, not starting with a digit"
    return Fault(what, None, reason, fixed if fits and text.isascii() else None)


def qualified_name(text: str, empty: str = "Invalid", reason: str = "Invalid") -> Fault | None:
    """`id` or `domain/id`; two slashes or more are not checked (resource validation validateQualifiedName).

    `empty` is the API server's reason where a part is empty, `reason` where the id has a forbidden character.
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
        return fault.around("", f"/{name}")._replace(text=f'has a bad domain: "{domain}" {fault.text}')
    if not name:
        return Fault("has no name after the slash", "write domain/name, such as gpu.example.com/model", empty)
    fault = c_identifier(name, reason)
    if fault is not None and domain == STANDARD_DOMAIN and (standard := _standard(name)) is not None:
        fault = fault._replace(hint=None, instead=standard)
    if fault is not None:
        return fault.around(f"{domain}/")._replace(text=f'has a bad name: "{name}" {fault.text}')
    return None


STANDARD_DOMAIN = "resource.kubernetes.io"
STANDARD_NAMES = ("pcieRoot", "pciBusID", "numaNode")
"""Attributes that drivers share (k8s.io/dynamic-resource-allocation/deviceattribute, v0.34.0 to v0.37.0)."""
_STANDARD = {name.lower(): name for name in STANDARD_NAMES}
_LOOKED_UP = r"""(?a)device\.attributes\[["']([^"']{1,63})["']\]\.([A-Za-z_]\w*)"""
_TOP = r"((?!.*\.(?:com|org|io)\.).*\.(?:com|org|io))([A-Za-z_]\w*)"
"""A name that follows the end of its domain, which has no other end."""
_OWN = "write DOMAIN/NAME: for an attribute of a driver the driver's name, such as"


def _standard(name: str) -> str | None:
    """Return the name of an attribute that drivers share, whatever its case and hyphens; None for others."""
    return _STANDARD.get(name.lower().replace("_", "").replace("-", ""))


def _no_domain(text: str, reason: str) -> Fault:
    """Return the fault of an attribute without a domain: a standard one has that of Kubernetes."""
    looked_up = re.fullmatch(_LOOKED_UP, text)
    if looked_up is not None and driver_name(looked_up[1]) is None:
        return Fault("is an expression, not a name", None, reason, f"{looked_up[1]}/{looked_up[2]}", sure=True)
    domain, dot, name = text.rpartition(".")
    standard = _standard(name)
    what = "has no domain"
    if standard is not None and (not dot or domain == STANDARD_DOMAIN):
        full = f"{STANDARD_DOMAIN}/{standard}"
        return Fault(what, f'did you mean "{full}"?', reason, full, bool(dot))
    if dot and re.match(_C_IDENTIFIER, name) and "." in domain and driver_name(domain) is None:
        if standard is not None:  # drivers publish it in either domain
            hint = f'did you mean "{STANDARD_DOMAIN}/{standard}" or "{domain}/{name}"?'
            return Fault("has no `/` between domain and name", hint, reason)
        top = re.fullmatch(_TOP, f"{domain}.{name}")
        instead = f"{top[1]}/{top[2]}" if top else f"{domain}/{name}"
        return Fault("has no `/` between domain and name", None, reason, instead)
    return Fault(what, f"{_OWN} gpu.example.com/{name if re.match(_C_IDENTIFIER, name) else 'model'}", reason)


def fully_qualified_name(
    text: str, empty: str = "Invalid", reason: str = "Invalid", no_domain: str = "Invalid"
) -> Fault | None:
    """`domain/id`, the domain required (resource validation validateFullyQualifiedName).

    `no_domain` is the server's reason for a name without a slash, the others are those of `qualified_name`.
    """
    if not text and empty != "Invalid":
        return Fault("is empty", f"{_OWN} gpu.example.com/model", empty)
    if "/" not in text:
        return _no_domain(text, no_domain)
    return _published(text, qualified_name(text, empty, reason))


def _published(text: str, fault: Fault | None) -> Fault | None:
    """Return the fault of the name of an attribute, without the proposal if a hyphen can stand for several letters.

    The driver has chosen the name: `numa-node` may be its numaNode or numa_node, or the one that drivers share.
    """
    domain, _, name = text.partition("/")
    if fault is None or fault.instead is None or "-" not in name or domain == STANDARD_DOMAIN:
        return fault
    camel = re.sub(r"-+(\w)", lambda found: found[1].upper(), name)
    names = [f"{domain}/{camel}", fault.instead] if re.match(_C_IDENTIFIER, camel) else [fault.instead]
    names += [f"{STANDARD_DOMAIN}/{standard}" for standard in [_standard(name)] if standard is not None]

    return fault._replace(hint=f"write it as the driver publishes it: {listed(names, 'or')}", instead=None)


def fully_qualified_name_lower(text: str) -> Fault | None:
    """`domain/id` with a domain in lower case; two slashes pass (apimachinery pkg/api/validate/strfmt.go v0.37.0)."""
    parts = text.split("/")
    if len(parts) == 1:
        return _no_domain(text, "Invalid")
    if len(parts) == 2 and parts[0] != parts[0].lower():
        whole = text.lower() if text.isupper() else f"{parts[0].lower()}/{parts[1]}"
        return Fault(
            f'has upper-case letters in its domain "{parts[0]}"',
            instead=whole if qualified_name(whole) is None else None,
        )
    return _published(text, qualified_name(text))


def label_key(text: str) -> Fault | None:
    """`[prefix/]name`: the prefix a DNS subdomain, the name 1 to 63 characters."""
    prefix, slash, name = text.rpartition("/")
    if "/" in prefix:
        return Fault(
            "has more than one slash: a key is [prefix/]name", "keep one slash: the part before it is a domain"
        )
    if slash:
        if not prefix:
            return Fault(
                "has nothing before the slash: a key is [prefix/]name", "remove the slash, or write a domain before it"
            )
        fault = dns_subdomain(prefix)
        if fault is not None:
            rest = name.lower() if text.isupper() else name
            return fault.around("", f"/{rest}")._replace(text=f'has a bad prefix: "{prefix}" {fault.text}')
    if not name:
        hint = "write a name after the slash" if slash else "write a name"
        return Fault("has no name: a key is [prefix/]name", hint)
    if size(name) > 63:
        return Fault(f"has a name of {size(name)} characters; at most 63 are allowed", "choose a shorter name")
    if not re.match(_QUALIFIED, name):
        what = "is not a key: letters, digits, `-`, `_` and `.`, a letter or digit at both ends"
        return _free_name(name, what).around(f"{prefix}/" if slash else "")
    return None


def _free_name(text: str, what: str) -> Fault:
    """Return the fault of a label's name or value."""
    odd = odd_character(text)
    if odd is not None and re.match(_QUALIFIED, odd[1]):
        return Fault(odd[0], instead=odd[1], sure=odd[2])
    fixed = re.sub(r"[^A-Za-z0-9_.-]+", "-", text).strip("-_.")
    fits = text.isascii() and "/" not in text and re.match(_QUALIFIED, fixed) is not None
    return Fault(what, instead=fixed if fits else None)


def annotation_key(text: str) -> Fault | None:
    """A label key, but for the case of its letters (apimachinery pkg/api/validation/objectmeta.go)."""
    fault = label_key(text.lower())
    return None if fault is None else label_key(text) or fault


def label_value(text: str) -> Fault | None:
    """Empty, or up to 63 letters, digits, `-`, `_` and `.`."""
    if not text:
        return None
    if size(text) > 63:
        return _too_long(text, "a label value", 63, "move long text to an annotation")
    if re.match(_QUALIFIED, text):
        return None
    what = "is not a label value: letters, digits, `-`, `_` and `.`, a letter or digit at both ends"
    fault = _free_name(text, what)
    return fault if fault.instead else fault._replace(hint="write it with these characters only")


def semver(text: str) -> Fault | None:
    """Semantic version 2.0.0 of at most 64 bytes (resource validation validateSemVer)."""
    if _is_semver(text):
        if size(text) <= 64:
            return None
        return _too_long(text, "a version", 64, "shorten the pre-release or build part", "TooLong")
    what = "is not a semantic version (2.0.0): MAJOR.MINOR.PATCH without leading zeros or a leading `v`"
    bare = text.strip().removeprefix("v").removeprefix("V")
    if len(bare) <= 64 and _is_semver(bare):
        return Fault(what, instead=bare, sure=True)
    numbers = bare.split(".")
    if all(n.isdigit() and n.isascii() for n in numbers) and len(numbers) <= 3 and len(text) < 30:
        return Fault(what, instead=".".join(str(int(n)) for n in [*numbers, "0", "0"][:3]))
    return Fault(what, "write MAJOR.MINOR.PATCH, such as 1.2.3, or make it a `string` if it is not a version")


def _is_semver(text: str) -> bool:
    found = re.match(_SEMVER, text)
    if found is None:
        return False
    before, build = ((found[group] or "0").split(".") for group in (1, 2))
    leading_zero = any(part[:1] == "0" and len(part) > 1 and part.isdigit() for part in before)
    return all(before) and all(build) and not leading_zero


_NO_UUID = "remove `status` from the manifest: the scheduler writes it"


def uuid(text: str) -> Fault | None:
    """A UUID in its 36 characters of lower case."""
    if re.match(_UUID, text):
        return None
    lower = text.strip().lower() if re.match(_UUID, text.strip().lower()) else None
    what = "is not a UUID: lower-case hexadecimal digits in groups of 8-4-4-4-12, with `-` between them"
    return Fault(
        what, f'write it in lower case: "{lower}"' if lower else _NO_UUID, instead=lower, sure=lower is not None
    )


def condition_reason(text: str) -> Fault | None:
    """The reason of a condition (apimachinery pkg/apis/meta/v1/validation/validation.go)."""
    if size(text) > 1024:
        return _too_long(text, "a reason", 1024, "move the text to `message`", "TooLong")
    if re.match(_CONDITION_REASON, text):
        return None
    word = "".join(part[:1].upper() + part[1:] for part in re.split(r"[^A-Za-z0-9]+", text))
    fits = text.isascii() and re.match(_CONDITION_REASON, word) is not None
    return Fault("is not a reason: one word in CamelCase, such as DeviceReady", instead=word if fits else None)


def parse_address(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """Read an address; an IPv4 address may have leading zeros."""
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
        hint = (
            None if ip is None or slash else f"write {text}/{ip.max_prefixlen} for one address, or its network's length"
        )
        return Fault("is not an address with a prefix length, such as 10.9.8.0/24 or 2001:db8::1/64", hint)
    if len(length) > 3 or int(length) > ip.max_prefixlen:
        return Fault(
            f"has the prefix length {length}; it lies between 0 and {ip.max_prefixlen}",
            f"write a length up to {ip.max_prefixlen}",
        )
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
        plain = f"{mapped}/{max(int(length) - 96, 0)}"
        return Fault(
            "is an IPv4 address written as IPv6", f"write {plain}", instead=plain if int(length) >= 96 else None
        )
    canonical = f"{ip}/{int(length)}"
    if canonical != text:
        return Fault("is not in canonical form", f"write {canonical}", instead=canonical, sure=":" in text)
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
        bare = text.removeprefix("requests.")
        fits = extended_resource(bare) is None
        return Fault("starts with `requests.`, which quotas use", "drop that prefix", instead=bare if fits else None)
    fault = label_key(f"requests.{text}")
    if fault is not None:
        prefix = text.partition("/")[0]
        if label_key(text) is None and len(prefix) > 244:
            return Fault(f"has a domain of {len(prefix)} characters; with `requests.` before it 253 are the limit")
        own = label_key(text)
        return own or fault
    return None


class StringFormat(NamedTuple):
    """A format: its check, what people call it, and the JSON Schema keywords that come closest without ever
    refusing what the check takes."""

    name: str
    check: Callable[[str], Fault | None]
    title: str
    schema: dict[str, Any]


_SUB = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*"
_KEY = rf"({_SUB}/)?([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
_ID = r"[A-Za-z_][A-Za-z0-9_]*"
# Until 1.33, a forbidden character is also a wrong type; 1.31 calls a missing domain missing.
_qualified_1_31 = partial(qualified_name, empty="Required", reason="TypeInvalid")
_fully_qualified_1_32 = partial(fully_qualified_name, empty="Required", reason="TypeInvalid")
_TABLE = (
    StringFormat(
        "dns-label", dns_label, "a DNS label", {"pattern": r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?$", "maxLength": 63}
    ),
    StringFormat("dns-subdomain", dns_subdomain, "a DNS subdomain", {"pattern": f"^{_SUB}$", "maxLength": 253}),
    StringFormat("node-name", dns_subdomain, "the name of a node", {"pattern": f"^{_SUB}$", "maxLength": 253}),
    StringFormat("driver-name", driver_name, "a driver name", {"maxLength": 63}),
    StringFormat("driver-name-lower", driver_name_lower, "a driver name", {"pattern": f"^{_SUB}$", "maxLength": 63}),
    StringFormat("caseless-subdomain", caseless_subdomain, "a driver name", {"maxLength": 253}),
    StringFormat("pool-name", pool_name, "a pool name", {"pattern": f"^{_SUB}(/{_SUB})*$", "maxLength": 253}),
    StringFormat(
        "filter-pool-name", filter_pool_name, "a pool name", {"pattern": f"^{_SUB}(/{_SUB})*$", "maxLength": 253}
    ),
    StringFormat("c-identifier", c_identifier, "a C identifier", {"pattern": f"^{_ID}$", "maxLength": 32}),
    StringFormat("qualified-name", qualified_name, "a qualified name", {"maxLength": 512}),
    StringFormat(
        "qualified-name-1.34", partial(qualified_name, empty="Required"), "a qualified name", {"maxLength": 512}
    ),
    StringFormat("qualified-name-1.31", _qualified_1_31, "a qualified name", {"maxLength": 512}),
    StringFormat("fully-qualified-name", fully_qualified_name, "a fully qualified name", {"pattern": "/"}),
    StringFormat(
        "fully-qualified-name-1.34",
        partial(fully_qualified_name, empty="Required"),
        "a fully qualified name",
        {"pattern": "/"},
    ),
    StringFormat("fully-qualified-name-1.32", _fully_qualified_1_32, "a fully qualified name", {"pattern": "/"}),
    StringFormat(
        "fully-qualified-name-1.31",
        partial(_fully_qualified_1_32, no_domain="Required"),
        "a fully qualified name",
        {"pattern": "/"},
    ),
    StringFormat(
        "fully-qualified-name-lower",
        fully_qualified_name_lower,
        "a fully qualified name",
        {"pattern": f"^{_SUB}/{_ID}$|/[^/]*/"},
    ),
    StringFormat("label-key", label_key, "a label key", {"pattern": f"^{_KEY}$", "maxLength": 317}),
    StringFormat("annotation-key", annotation_key, "an annotation key", {"maxLength": 317}),
    StringFormat(
        "label-value",
        label_value,
        "a label value",
        {"pattern": r"^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$", "maxLength": 63},
    ),
    StringFormat("semver", semver, "a semantic version", {"maxLength": 64}),
    StringFormat("uuid", uuid, "a UUID", {"pattern": "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$"}),
    StringFormat(
        "condition-reason",
        condition_reason,
        "the reason of a condition",
        {"pattern": "^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$", "maxLength": 1024},
    ),
    StringFormat("cidr", cidr, "an address with a prefix length", {"pattern": "/"}),
    StringFormat("interface-cidr", interface_cidr, "an address with a prefix length", {"pattern": "/"}),
    StringFormat("extended-resource", extended_resource, "an extended resource", {"pattern": "/"}),
)
FORMATS: dict[str, StringFormat] = {
    form.name: form._replace(check=lru_cache(maxsize=4096)(form.check)) for form in _TABLE
}
"""The formats by name; names repeat throughout a repository, so verdicts are kept."""


def json_size(value: object) -> int:
    """Return the bytes of a value as Go's encoding/json writes it: compact, with <, > and & escaped."""
    total, todo = 0, [value]
    while todo:
        item = todo.pop()
        if isinstance(item, list | dict):
            total += 2 + max(len(item) - 1, 0)
            todo += item.values() if isinstance(item, dict) else item
            total += sum(_string_size(key) + 1 for key in item) if isinstance(item, dict) else 0
        elif isinstance(item, str):
            total += _string_size(item)
        elif item is None or isinstance(item, bool):
            total += 5 if item is False else 4
        elif isinstance(item, int | float):
            total += len(number_text(item))
    return total


def surely_within(value: object, limit: int) -> bool:
    """Say whether the value is so small that counting is not needed: a character takes at most six bytes."""
    try:
        return len(json.dumps(value, ensure_ascii=False)) * 6 <= limit
    except (RecursionError, ValueError):
        return False


def _string_size(text: str) -> int:
    return 2 + size(text) + sum(_MORE.get(char, 5 if char < " " else 0) for char in text)


_MORE = {**dict.fromkeys('"\\\n\r\t\b\f', 1), **dict.fromkeys("<>&", 5), **dict.fromkeys("\u2028\u2029", 3)}
"""How many more bytes a character takes in JSON of Go than in a text; other control characters take five more."""
