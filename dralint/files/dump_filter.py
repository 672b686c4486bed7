"""Keeps the objects of some kinds in a dump of a cluster; cuts out others, such as Secrets, before they are read."""

from __future__ import annotations

import codecs
import re

KINDS = frozenset(
    {
        *("Node", "Namespace", "Pod", "ResourceQuota"),
        *("ReplicaSet", "Deployment", "StatefulSet", "DaemonSet", "Job", "CronJob", "ReplicationController"),
        *("ResourceSlice", "ResourceClaim", "ResourceClaimTemplate", "DeviceClass", "DeviceTaintRule"),
        *("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"),
    }
)
"""The kinds of a dump that matter for the allocation of devices."""

_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_ITEM = re.compile(rb"\n(?=- )")
_AFTER_ITEMS = re.compile(rb"\n(?=[A-Za-z.#])")
_KIND_OF_ITEM = re.compile(rb"^(?:- |  )kind:[ \t]*[\"']?(\w+)", re.MULTILINE)
_KIND = re.compile(rb"^kind:[ \t]*[\"']?(\w+)", re.MULTILINE)
_TYPED_LIST = re.compile(rb'^[ \t]*"?kind"?:[ \t]*["\']?(\w+)List\b', re.MULTILINE)
_DOCUMENT = re.compile(rb"\n(?=---)")
_JSON_ITEMS = re.compile(rb'"items"\s*:\s*\[(\n[ \t]+)(?=\{)')


def only_kinds(raw: bytes) -> bytes:
    """Return a text without the objects of other kinds, if the layout of kubectl shows where they end.

    Lines keep their numbers, because the line ends of removed objects stay.
    """
    raw = in_utf8(raw)
    if raw.lstrip()[:1] == b"{":
        return _json(raw)
    return b"\n".join(_yaml(document) for document in _DOCUMENT.split(raw))


def in_utf8(raw: bytes) -> bytes:
    """Return a text in UTF-8; PowerShell writes the output of programs in UTF-16."""
    return raw.decode("utf-16", "replace").encode("utf-8", "replace") if raw.startswith(_UTF_16) else raw


def _blank(text: bytes) -> bytes:
    return b"\n" * text.count(b"\n")


def _wanted(kind: re.Match[bytes] | None) -> bool:
    """Say whether to keep an object; one without a kind is kept, because it may be of any."""
    if kind is None:
        return True
    name = kind[1].decode()
    return name in KINDS or (name.endswith("List") and name.removesuffix("List") in {*KINDS, ""})


def _yaml(document: bytes) -> bytes:
    pieces = _ITEM.split(document)
    kind = _KIND.search(document if len(pieces) == 1 else pieces[0])
    if len(pieces) == 1:
        return document if _wanted(kind) and b"kind" in document else _blank(document)
    head, items = pieces[0], pieces[1:]
    behind = _AFTER_ITEMS.search(items[-1])
    tail = items[-1][behind.start() :] if behind is not None else b""
    items[-1] = items[-1][: len(items[-1]) - len(tail)]
    if not _wanted(kind or _KIND.search(tail)):
        return _blank(document)
    kept = [item if _wanted(_KIND_OF_ITEM.search(item)) else _blank(item) for item in items]
    return b"\n".join([head, *kept]) + tail if any(item.strip() for item in kept) else _blank(document)


def _json(raw: bytes) -> bytes:
    if (typed := _TYPED_LIST.search(raw[:300])) is not None and not _wanted(typed):
        return _blank(raw)
    start = _JSON_ITEMS.search(raw)
    if start is None:
        return raw
    indent = start[1]
    closing = re.compile(rb"\n[ \t]{0,%d}\]" % max(0, len(indent) - 2)).search(raw, start.end())
    end = closing.start() if closing is not None else len(raw)
    inner = re.compile(re.escape(indent) + rb"([ \t]+)\"")
    out: list[bytes] = []
    first = True
    for item in (indent + raw[start.end() : end]).split(indent + b"{")[1:]:
        text = indent + b"{" + item
        margin = inner.match(item)
        own = re.compile(re.escape(indent + (margin[1] if margin is not None else b"")) + rb'"kind"\s*:\s*"(\w+)"')
        if _wanted(own.search(item)):
            out.append((b"" if first else b",") + text.rstrip(b", \t\n"))
            first = False
        else:
            out.append(_blank(text))
    return raw[: start.start()] + b'"items": [' + b"".join(out) + raw[end:]
