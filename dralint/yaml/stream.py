"""Splits the bytes of a file into documents as kubectl does.

Sources: pkg/util/yaml/decoder.go of k8s.io/apimachinery v0.37.0 (separators, JSON or YAML) and pkg/resource/visitor.go
of k8s.io/cli-runtime (byte order marks).
"""

from __future__ import annotations

import codecs
import re
from typing import TYPE_CHECKING

from dralint.yaml.document import LARGEST_TEXT, Document, count_lines
from dralint.yaml.fast_path import quick
from dralint.yaml.nodes import TextError
from dralint.yaml.template import broken_template, composed_template, may_be_composed

if TYPE_CHECKING:
    from collections.abc import Iterator


_MOST_SEPARATORS = 1000
"""dralint reports at most this many wrong separators of one file."""
_NOTHING = re.compile(rb"(?:---(?:[ \t][ \t\r]*+(?:#[^\n]*+)?|\r)?\n)?(?>(?:[ \r]*+(?:#[^\n]*+)?(?:\n|\Z))*)")
_HEAD = rb"(?:---(?:[ \t][ \t\r]*+(?:#[^\n]*+)?|\r)?\n)?(?>(?:[ \r]*+(?:[#%][^\n]*+)?(?:\n|\Z))*)"
_JSON_START = re.compile(rb"\{(?=[ \t\r\n]*+(?:[\"}]|\Z))|[ \t\r\n]+\{")
"""How a file may begin that is read as JSON first; a `{` before a plain key is YAML in flow style."""
_NEVER_FIRST = ("}", "]", ",")
"""Characters that cannot begin a value in JSON and in YAML."""
_JSON_LIKE = r"[ \t\r\n]*\{[ \t\r\n]*\""


def read(raw: bytes, *, relevant: re.Pattern[bytes] | None = None, nodes: bool = False) -> Iterator[Document]:
    """Yield the documents of a file in order, one at a time.

    A chunk in which `relevant` finds nothing is not decoded (state "passed-over"). No input raises an error: each
    document has its own problems. With `nodes`, the root of a YAML document costs no second reading.
    """
    start = 0
    if raw.startswith(codecs.BOM_UTF8):
        start = 3
    elif raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raw = raw.decode("utf-16", "replace").encode("utf-8", "replace")
    if _JSON_START.match(raw, start):
        yield from _json_stream(raw, start, relevant)
    else:
        yield from _yaml_stream(raw, start, 0, relevant, nodes=nodes)


def _separators(raw: bytes, start: int) -> Iterator[tuple[int, int]]:
    """Yield start and end (after the line feed) of every line that begins with `---`."""
    at = start if raw.startswith(b"---", start) else -1
    pos = start
    while True:
        if at < 0:
            at = raw.find(b"\n---", pos) + 1
            if not at:
                return
        end = raw.find(b"\n", at) + 1 or len(raw)
        yield at, end
        pos = end - 1
        at = -1


def _chunks(raw: bytes, start: int) -> Iterator[tuple[int, int, tuple[int, int] | None]]:
    """Yield start and end of each chunk, and the place of the separator before it if that is a bad one.

    As in kubectl, a separator with nothing before it belongs to the text after it.
    """
    pos = start
    bad: tuple[int, int] | None = None
    for at, following in _separators(raw, start):
        next_bad = _bad_separator(raw, at, following)
        if at == pos and bad is None:
            if pos != start:
                yield at, at, None
            if next_bad is None:
                pos = at
                continue
        else:
            yield pos, at, bad
        pos, bad = following, next_bad
    if pos < len(raw) or bad is not None:
        yield pos, len(raw), bad


def _yaml_stream(
    raw: bytes, start: int, index: int, relevant: re.Pattern[bytes] | None, *, nodes: bool = False
) -> Iterator[Document]:
    match = None if relevant is None else relevant.search(raw, start)
    somewhere = relevant is None or match is not None
    line, counted = 1, 0
    head: int | None = None
    size = len(raw)
    refused = 0
    for own, end, bad in _chunks(raw, start):
        begin = own if head is None else head
        head = None
        if relevant is not None and match is not None and match.start() < begin:
            match = relevant.search(raw, begin)
        document = Document(raw, begin, end, index)
        index += 1
        if bad is not None and somewhere:
            line += count_lines(raw, counted, bad[0])
            counted = bad[0]
            refused += 1
            _refuse_separator(document, raw, bad, line, refused)
        elif bad is None and (
            _ends(_NOTHING.match(raw, own, end), end)
            or (end < size and _ends(re.compile(_HEAD).match(raw, own, end), end))
        ):
            document.state = "empty"
            head = _head(raw, own, end)
        elif bad is None and (
            relevant is None or (match is not None and match.start() < end and relevant.search(raw, begin, end))
        ):
            line += count_lines(raw, counted, begin)
            counted = begin
            document = Document(raw, begin, end, document.index, first_line=line)
            _read_yaml(document, raw, begin, end, nodes=nodes)
        yield document


def _head(raw: bytes, start: int, end: int) -> int | None:
    """Return where the next document starts if this chunk has only comments or directives and joins it."""
    if raw.startswith(b"---", start):
        start = raw.find(b"\n", start, end) + 1 or end
    # `---#` separates chunks, but is not a separator within one.
    if raw[end + 3 : end + 4] in (b"", b"#") or not raw[start:end].strip():
        return None
    return start


def _ends(match: re.Match[bytes] | None, end: int) -> bool:
    return match is not None and match.end() == end


def _bad_separator(raw: bytes, start: int, end: int) -> tuple[int, int] | None:
    """Return the place of a line `---` with text after it that is not a comment; None otherwise."""
    rest = raw[start + 3 : end]
    bare = rest.strip()
    if not bare or bare.startswith(b"#"):
        return None
    return start, start + 3 + len(rest.rstrip())


def _refuse_separator(document: Document, raw: bytes, bad: tuple[int, int], first_line: int, number: int) -> None:
    """Record the error of a separator, number `number` of its file; the report has a limit."""
    start, end = bad
    line = Document(raw, start, end, document.index, first_line=first_line)
    shown = line.text if len(line.text) <= 40 else line.text[:37] + "..."
    if "{{" in shown:
        document.state, document.reason = "template", f"`{shown}` is template code"
        return
    document.state = "unreadable"
    if number > _MOST_SEPARATORS:
        return
    more = ": further ones of this file are not listed" if number == _MOST_SEPARATORS else ""
    line.add(
        TextError(
            f"`{shown}` is not a document separator{more}",
            3 if len(line.text) > 3 else 0,
            len(line.text),
            kind="bad-separator",
            hint="only spaces or a comment may follow `---`: put the rest on the next line, or a `#` before it",
        )
    )
    document.problems.extend(line.problems)


def _read_yaml(document: Document, raw: bytes, start: int, end: int, *, nodes: bool) -> None:
    if end - start > LARGEST_TEXT:
        document.state = "unreadable"
        document.add(_too_large(end - start))
        return
    try:
        text = raw[start:end].decode()
    except UnicodeDecodeError as error:
        _refuse_bytes(document, error)
        return
    if not text.endswith("\n"):
        text += "\n"
    document.text = text
    data = None if nodes else quick(text)
    if data is not None:
        document.set_plain(data[0])
        if _might_be_template(text) and may_be_composed(text):
            _compose(document, text)
        return
    _compose(document, text)


def _too_large(size: int) -> TextError:
    return TextError(
        f"the document has {size / 1048576:.1f} MiB, more than dralint reads ({LARGEST_TEXT >> 20} MiB)",
        0,
        kind="too-large",
        hint="the API server takes at most 3 MiB in one request: split the document",
    )


def _refuse_bytes(document: Document, error: UnicodeDecodeError) -> None:
    before = error.object[: error.start].decode()
    octet = error.object[error.start]
    document.state = "unreadable"
    document.add(
        TextError(
            f"the byte 0x{octet:02X} is not UTF-8",
            len(before),
            kind="invalid-utf8",
            hint="save the file as UTF-8",
        )
    )


def _might_be_template(text: str) -> bool:
    return "{{" in text or "{%" in text or "${" in text


def _compose(document: Document, text: str) -> None:
    # Most documents do not need these, and compiling their expressions takes time.
    from dralint.yaml.composer import compose

    document.data, document.state = None, "unreadable"
    try:
        composition = compose(text)
    except TextError as error:
        if reason := broken_template(text, error.start):
            document.state, document.reason = "template", reason
        else:
            from dralint.yaml.syntax_errors import odd_mark

            document.add(odd_mark(text, error))
        return
    root = composition.root
    if root is None and composition.rest is None:
        document.state = "empty"
        return
    if root is not None and _might_be_template(text):
        reason = composed_template(text, root)
        if reason is None and composition.problems:
            reason = broken_template(text)
        if reason:
            document.state, document.reason = "template", reason
            return
    document.keep(composition)
    document.state = "read"
    document.data = root.data if root is not None else None
    for problem, path in composition.problems:
        document.add(problem, path)
        if problem.kind not in ("duplicate-key", "missing-separator"):
            document.state, document.data = "unreadable", None
    document.problems.sort(key=lambda problem: (problem.span.line, problem.span.column))
    if composition.rest is not None:
        line_end = text.find("\n", composition.rest)
        document.add(
            TextError(
                "the server silently ignores all text from here on, because the document has ended",
                composition.rest,
                line_end if line_end >= 0 else len(text),
                kind="ignored-after-document-end",
                hint="start the next document with `---`"
                if composition.marked
                else "the document ended before it: indent it like the first line, or remove it",
            )
        )


# JSON.


def _json_stream(raw: bytes, start: int, relevant: re.Pattern[bytes] | None) -> Iterator[Document]:
    from dralint.yaml import json_text

    if relevant is not None and not relevant.search(raw, start):
        if raw.find(b"\n---", start) >= 0:
            yield from _yaml_stream(raw, start, 0, relevant)
        else:
            yield Document(raw, start, len(raw), 0)
        return
    try:
        text = raw[start:].decode()
    except UnicodeDecodeError:
        yield from _yaml_stream(raw, start, 0, relevant)
        return

    index = 0
    pos = json_text.skip_space(text, 0)
    offset, byte = 0, start
    line = 1
    narrow = text.isascii()
    reported = False
    while pos < len(text):
        passed = text[offset:pos]
        behind = byte + (len(passed) if narrow else len(passed.encode()))
        line += count_lines(raw, byte, behind)
        byte, offset = behind, pos
        quickly = json_text.quick_json(text, pos)
        if quickly is not None:
            data, end = quickly
            document = _json_document(raw, byte, text[pos:end], index, line)
            document.set_plain(data)
        else:
            try:
                if len(text) - pos > LARGEST_TEXT:
                    raise _too_large(len(text) - pos)
                composition, end = json_text.compose_json(text, pos)
            except TextError as error:
                # The traceback would keep the nodes while the text is read as YAML.
                documents = _no_json(raw, byte, text, pos, index, error.with_traceback(None), relevant)
                if reported and documents[0].problems:
                    documents[0].reason = documents[0].fault[1]
                    documents[0].problems.clear()
                yield from documents
                return
            document = _json_document(raw, byte, text[pos:end], index, line)
            if pos:  # the places count from the start of the document
                del composition
                composition, _ = json_text.compose_json(document.text, 0)
            assert composition.root is not None
            document.keep(composition)
            document.data, document.state = composition.root.data, "read"
            for problem, path in composition.problems:
                document.add(problem, path)
            del composition
        pos = json_text.skip_space(text, end)
        reported = text[pos : pos + 1] in _NEVER_FIRST
        if reported:
            document.add(json_text.ended_early(document.text, text[pos]))
        if relevant is not None and not document.holds(relevant):
            document.data, document.state = None, "passed-over"
            document.problems.clear()
            reported = False
        yield document
        index += 1


def _json_document(raw: bytes, byte: int, text: str, index: int, line: int | None = None) -> Document:
    end = byte + (len(text) if text.isascii() else len(text.encode()))
    document = Document(raw, byte, end, index, first_line=line, is_json=True)
    document.text = text
    return document


def _no_json(
    raw: bytes, byte: int, text: str, pos: int, index: int, error: TextError, relevant: re.Pattern[bytes] | None
) -> list[Document]:
    """Return the documents from the place where the text stops being JSON: as YAML, or as an error after two values.

    kubectl before 1.33 did not continue as YAML, and no JSON reader does, so dralint reports the broken JSON too.
    """
    if index > 1:
        document = _json_document(raw, byte, text[pos:], index)
        document.state = "unreadable"
        document.add(error.moved(-pos))
        return [document]
    documents = list(_yaml_stream(raw, byte, index, relevant))
    first = documents[0] if documents else None
    if first is None or error.kind != "json-syntax" or not re.compile(_JSON_LIKE).match(text, pos):
        return documents
    if first.state == "unreadable":
        first.problems.clear()
        shifted = Document(raw, byte, len(raw), index)
        shifted.text = text[pos:]
        shifted.add(error.moved(-pos))
        alike = shifted.start == first.start
        first.problems.extend(problem if alike else problem._replace(edits=()) for problem in shifted.problems)
    elif first.state == "read" and first.start == byte and not first.may_have_placeholders:
        from dralint.yaml import json_text

        first.add(json_text.only_yaml(first.text, error.moved(-pos)))
    return documents
