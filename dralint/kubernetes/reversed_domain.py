"""Recognizes reversed domains, as Java packages and D-Bus names use them: com.example.gpu for gpu.example.com."""

from __future__ import annotations

_FIRST = frozenset(["com", "org", "net", "io", "dev", "ai", "edu", "gov", "co", "info", "tech", "cloud", "app"])
"""Top-level domains that reversed names begin with."""
_GENERIC = """
com org net edu gov mil int info biz name pro mobi asia aero coop museum jobs travel tel post cat
dev app cloud tech xyz online site store shop systems solutions software network computer digital services agency
company
group global world space zone run page link live science engineering energy institute university academy center
foundation
international technology works team studio design tools support host hosting email codes builders ventures partners
consulting finance capital media news blog wiki club life today top vip berlin nyc london tokyo
internal intern local localhost localdomain lan home corp private cluster svc test example invalid arpa onion
"""
_LAST = frozenset(_GENERIC.split())
"""The ends of a domain in its right order, besides countries: generic top-level domains, and ends of private ones."""


def forward_domain(text: str) -> str | None:
    """Return the name in its right order if it is clearly reversed; None otherwise.

    It is clear if there are at least three labels, the first is a well-known top-level domain and the last is not one
    (two letters may always be a country).
    """
    labels = text.lower().split(".")
    first, last = labels[0], labels[-1]
    if len(labels) < 3 or first not in _FIRST or last in _LAST or len(last) == 2:
        return None
    return ".".join(reversed(labels))
