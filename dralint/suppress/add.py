"""Writes suppressions into manifests: a comment above each line with findings."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cache
from typing import TYPE_CHECKING

from dralint.suppress.comments import LINE, Values

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dralint.finding.finding import Finding
    from dralint.yaml import Document

_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_LINE_END = re.compile(r"(?:\r\n|\r|\n)\Z")


def with_comments(raw: bytes, documents: list[Document], findings: Iterable[Finding], reason: str) -> bytes | None:
    """Return a file's bytes with a comment above each line with findings; None where the file cannot have comments.

    JSON has no comments, and a text that is not UTF-8 is not changed. Findings on dralint's own input cannot be
    suppressed.

    Args:
        raw: all of the file.
        documents: the documents of the file.
        findings: those of this file.
        reason: the text after the rules; empty for none.
    """
    if raw.startswith(_UTF16):
        return None
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        return None
    starts = [document.first_line for document in documents]
    values_of = cache(lambda number: Values(documents[number]))
    above: dict[int, set[str]] = {}
    for finding in findings:
        if finding.effect in ("tool", "unreadable"):
            continue
        values = values_of(max(0, bisect_right(starts, finding.line) - 1))
        above.setdefault(values.head_of(finding.line), set()).add(finding.rule)
    if not above or text.lstrip("\ufeff \t\r\n").startswith(("{", "[")):
        return None
    out: list[str] = []
    for number, line in enumerate(LINE.findall(text), 1):
        rules, kept = above.get(number), line
        if rules:
            kept = line.lstrip("\ufeff")
            mark = line[: len(line) - len(kept)]
            indent = kept[: len(kept) - len(kept.lstrip(" >"))]  # a block of a document may be quoted
            end = _LINE_END.search(line)
            comment = f"{indent}# dralint: ignore[{', '.join(sorted(rules))}]{f' {reason}' if reason else ''}"
            out.append(f"{mark}{comment}{end[0] if end else chr(10)}")
        out.append(kept)
    return "".join(out).encode()
