"""Directives and tags: `%YAML`, `%TAG`, `!tag`, `!!str`, `!<uri>`."""

from __future__ import annotations

import re

from dralint.yaml import reading_repairs
from dralint.yaml.place import TextError
from dralint.yaml.possessive import compiled
from dralint.yaml.tokens import ANY_BREAK, BREAKS, PLAIN, TAG, TAG_DIRECTIVE, VERSION, Token

_LINE = re.compile(f"[^{BREAKS}]*+")
_REST_OF_LINE = re.compile(f"[ \t]*(?:#[^{BREAKS}]*+)?({ANY_BREAK})?")
_URI = compiled(r"(?:[0-9A-Za-z_\-;/?:@&=+$,.!~*'()\[\]]|%[0-9a-fA-F]{2})*+")
_HANDLE = re.compile(r"![0-9A-Za-z_-]*+!?")
_DECLARED = re.compile(r"[ \t]*(![0-9A-Za-z_-]*!|!)[ \t]+")
_VERSION = re.compile(r"[ \t]*([0-9]+)\.([0-9]+)")
_DIRECTIVE_NAME = re.compile(rf"%([0-9A-Za-z_-]+)(?=[ \t{BREAKS}]|\Z)")


def directive(text: str, pos: int) -> tuple[Token, int]:
    """Return the token of the directive at `pos` and the offset of the next line; raises TextError."""
    name = _DIRECTIVE_NAME.match(text, pos)
    whole = _LINE.match(text, pos)
    assert whole is not None
    if name is None or name[1] not in ("YAML", "TAG"):
        raise TextError(
            f"`{whole[0][:40]}` is not a directive that YAML 1.1 knows",
            pos,
            whole.end(),
            hint="a line that starts with `%` is a directive: quote the value",
        )
    if name[1] == "YAML":
        version = _VERSION.match(text, name.end())
        if version is None or len(version[1]) > 2 or len(version[2]) > 2:
            raise TextError("expected a version after `%YAML`", pos, whole.end(), hint="write `%YAML 1.1`")
        end = version.end()
        token: Token = (VERSION, pos, end, (str(int(version[1])), str(int(version[2]))), PLAIN)
    else:
        handle = _DECLARED.match(text, name.end())
        prefix = handle and _URI.match(text, handle.end())
        if handle is None or not prefix or not prefix[0] or not _blank_at(text, prefix.end()):
            raise TextError(
                "expected a handle and a prefix after `%TAG`",
                pos,
                whole.end(),
                hint="write `%TAG !name! prefix`",
            )
        end = prefix.end()
        token = (TAG_DIRECTIVE, pos, end, (handle[1], _percent(prefix[0], prefix.start())), PLAIN)
    rest = _REST_OF_LINE.match(text, end)
    assert rest is not None
    if not rest[1] and rest.end() < len(text):
        raise TextError("only a comment may follow a directive on its line", rest.end(), whole.end())
    return token, rest.end()


def tag(text: str, pos: int) -> Token:
    """Return the token of the tag at `pos`; raises TextError."""
    if text[pos + 1 : pos + 2] == "<":
        uri = _URI.match(text, pos + 2)
        assert uri is not None
        stop = uri.end() + 1
        if not uri[0] or text[uri.end() : stop] != ">":
            raise TextError("the tag `!<` is never closed", pos, uri.end(), hint="close it with `>`")
        end = stop
        value = ("", _percent(uri[0], uri.start()))
    else:
        handle = _HANDLE.match(text, pos)
        assert handle is not None
        if len(handle[0]) > 1 and handle[0][-1] == "!":
            uri = _URI.match(text, handle.end())
            assert uri is not None
            if not uri[0]:
                raise TextError(
                    f"expected the name of a tag after `{handle[0]}`",
                    pos,
                    handle.end(),
                    hint="quote the value",
                )
            value = (handle[0], _percent(uri[0], uri.start()))
        else:
            uri = _URI.match(text, handle.end())
            assert uri is not None
            suffix = handle[0][1:] + _percent(uri[0], uri.start())
            value = ("!", suffix) if suffix else ("", "!")
        end = uri.end()
    if not _blank_at(text, end):
        edits = reading_repairs.rest_quoted(text, pos)
        hint = f"a value that starts with `!` is a tag; {reading_repairs.quote_it(edits)}"
        related = (("the tag starts here", pos, end),)
        raise TextError(f"`{text[end]}` is not allowed in a tag", end, hint=hint, related=related, edits=edits)
    return TAG, pos, end, value, PLAIN


def _blank_at(text: str, pos: int) -> bool:
    return pos >= len(text) or text[pos] in " \t\n\r\x85\u2028\u2029"


def _percent(uri: str, pos: int) -> str:
    """Undo the %XX of a tag; each character must be well-formed UTF-8."""
    if "%" not in uri:
        return uri

    def decode(match: re.Match[str]) -> str:
        octets = bytes.fromhex(match[0].replace("%", ""))
        try:
            return octets.decode()
        except UnicodeDecodeError:
            raise TextError(f"`{match[0]}` in a tag is not UTF-8", pos + match.start(), pos + match.end()) from None

    return re.sub("(?:%[0-9a-fA-F]{2})+", decode, uri)
