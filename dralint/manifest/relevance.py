"""Which texts hold anything that dralint judges, or that others refer to: the rest is not even decoded."""

from __future__ import annotations

import re
from functools import cache

from dralint.yaml.possessive import compiled

_JUDGED = (
    rb"resource\.k8s|[cC]laims|Resource(?:Claim|Slice|Class|PoolStatus)|Device(?:Class|TaintRule)"
    rb"|draResources|resourceClaimTemplates|resourceSharing|deviceClassMappings|requestName"
)
_REFERRED_TO = (
    rb"|resource\.kubernetes\.io/|resourceClaimTemplate|kind[\"']?:[ ]*[\"']?Namespace\b"
    rb"|grove\.io/mnnvl|exp-dra-device|gpuMemoryService|computeDomain"
)
_NOT_SURE = (b"", b"\xef", b"\xfe", b"\xff")
"""Beginnings of a file that has no document, or perhaps a byte order mark."""
_WORDS = (
    *(b"resource.", b"laims", b"Resource", b"Device", b"ClaimTemplate", b"Namespace"),
    *(b"requestName", b"resourceSharing", b"deviceClass", b"grove.io/mnnvl"),
    *(b"exp-dra-device", b"gpuMemoryService", b"computeDomain"),
)
"""What all that these patterns find has one of."""


class Relevance:
    """Bytes without which a document holds nothing that is `judged`, and nothing that is `named` by others, either."""

    def __init__(self, judged: re.Pattern[bytes], named: re.Pattern[bytes]) -> None:
        self.judged = judged
        self.named = named


_USUAL = Relevance(re.compile(_JUDGED), re.compile(_JUDGED + _REFERRED_TO))
RELEVANT = _USUAL.judged
"""Bytes without which a document holds no object of the group and no claims of Pods."""


def relevance_of(raw: bytes) -> Relevance:
    """Return what makes the documents of a file relevant."""
    if b"containers:" in raw and any(
        b"\n" + margin + b"resources:" in raw for margin in set(re.findall(rb"\n( +)containers:", raw))
    ):
        return _with_resources_of_pods()
    return _USUAL


def is_passed_over(raw: bytes, relevance: Relevance) -> bool:
    """Say whether a file is one document for sure, and holds nothing: nothing separates any, nor is there a mark."""
    if raw[:1] in _NOT_SURE or b"---" in raw:
        return False
    if relevance is _USUAL and not any(word in raw for word in _WORDS):  # ten times as quick as the patterns
        return True
    return relevance.named.search(raw) is None


def speaks(raw: bytes) -> bool:
    """Say whether a text may hold something that is judged."""
    return relevance_of(raw).judged.search(raw) is not None


@cache
def _with_resources_of_pods() -> Relevance:
    """Return what is relevant where resources may stand beside the containers of a Pod, in the same column."""
    of_pods = (
        rb"|\n( {2,16})(containers|resources):"
        rb"(?:[^\n]*+\n(?>\1(?!(?:containers|resources):)|[ \t]*+(?:#|(?=\r?\n))))*+"
        rb"[^\n]*+\n\1(?!\2)(?:containers|resources):"
    )
    return Relevance(compiled(_JUDGED + of_pods), compiled(_JUDGED + of_pods + _REFERRED_TO))
