"""Selects the texts that have anything to judge or anything that others refer to; the rest is not decoded."""

from __future__ import annotations

import re
from functools import cache

from dralint.records import NamedTuple
from dralint.yaml.possessive import compiled

_JUDGED = (
    rb"resource(?:\.k8s|Claim|Sharing)|[cC]laims|Resource(?:Claim|Slice|Class|PoolStatus)|Device(?:Class|TaintRule)"
    rb"|draResources|deviceClassMappings|requestName"
)
_REFERRED_TO = (
    rb"|(?:resource|deviceclass)\.kubernetes\.io/|kind[\"']?:[ ]*[\"']?Namespace\b"
    rb"|grove\.io/mnnvl|exp-dra-device|gpuMemoryService|computeDomain"
)
_NOT_SURE = (b"", b"\xef", b"\xfe", b"\xff")
"""Beginnings of a file without a document, or perhaps with a byte order mark."""
_WORDS = (
    *(b"resource.", b"laims", b"Resource", b"evice", b"resourceC", b"Namespace"),
    *(b"requestName", b"resourceSharing", b"grove.io/mnnvl", b"gpuMemoryService", b"computeDomain"),
)
"""Each match of these patterns has one of these words."""


class Relevance(NamedTuple):
    """Patterns for bytes: a document without a match has nothing that is `judged`, or nothing that others name."""

    judged: re.Pattern[bytes]
    named: re.Pattern[bytes]


_USUAL = Relevance(re.compile(_JUDGED), re.compile(_JUDGED + _REFERRED_TO))
RELEVANT = _USUAL.judged
"""Bytes of each document with an object of the group or with claims of Pods."""


def relevance_of(raw: bytes) -> Relevance:
    """Return the patterns of relevant documents in a file."""
    if b"containers:" in raw and any(
        b"\n" + margin + b"resources:" in raw for margin in set(re.findall(rb"\n( +)containers:", raw))
    ):
        return _with_resources_of_pods()
    return _USUAL


def is_passed_over(raw: bytes, relevance: Relevance) -> bool:
    """Say whether a file is certainly one document without relevant content: it has no separator and no mark."""
    if raw[:1] in _NOT_SURE or b"---" in raw:
        return False
    if relevance is not _USUAL:
        return relevance.named.search(raw) is None
    for word in _WORDS:  # ten times as quick as the patterns
        if word in raw:
            return relevance.named.search(raw) is None
    return True


def speaks(raw: bytes) -> bool:
    """Say whether a text may have something to judge."""
    return relevance_of(raw).judged.search(raw) is not None


@cache
def _with_resources_of_pods() -> Relevance:
    """Return the patterns for files in which resources may be next to the containers of a Pod, in the same column."""
    of_pods = (
        rb"|\n( {2,16})(containers|resources):"
        rb"(?:[^\n]*+\n(?>\1(?!(?:containers|resources):)|[ \t]*+(?:#|(?=\r?\n))))*+"
        rb"[^\n]*+\n\1(?!\2)(?:containers|resources):"
    )
    return Relevance(compiled(_JUDGED + of_pods), compiled(_JUDGED + of_pods + _REFERRED_TO))
