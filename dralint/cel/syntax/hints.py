"""What to write instead of what does not parse, from the text around it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dralint.cel.values.literals import parse_quantity, parse_semver

if TYPE_CHECKING:
    from dralint.cel.syntax.lexer import LexicalError, Token

_TEMPLATE = "this looks like a template that was not expanded"
_QUOTES = frozenset("\u201c\u201d\u201e\u2018\u2019\u201a\u00ab\u00bb\u2033\u2032")
_SIGNS = {
    "\u2265": ">=",
    "\u2264": "<=",
    "\u2260": "!=",
    "\u00ac": "!",
    "\u2227": "&&",
    "\u2228": "||",
    "\u2013": "-",
    "\u2014": "-",
    "\u2212": "-",
    "\u00d7": "*",
}
_CHARACTERS = {
    "#": "a comment begins with '//'",
    ";": "leave it out: a selector is one expression; conditions are joined with '&&'",
    "~": 'a pattern is tried with matches(): device.driver.matches("^gpu")',
    "^": 'a pattern is tried with matches(): device.driver.matches("^gpu")',
    "@": "texts are put in quotes",
    "\\": "leave it out: an expression may go on on the next line as it is",
    "$": f"variables cannot be put in here; {_TEMPLATE}",
}
_WORDS = {
    "and": "&&",
    "or": "||",
    "===": "==",
    "is": "==",
    "eq": "==",
    "equals": "==",
    "ne": "!=",
    "neq": "!=",
    "gt": ">",
    "ge": ">=",
    "gte": ">=",
    "lt": "<",
    "le": "<=",
    "lte": "<=",
}
_FUNCTIONS = frozenset({"contains", "startsWith", "endsWith", "matches", "isGreaterThan", "isLessThan", "compareTo"})
_PATTERNS = frozenset({"like", "regex", "regexp", "match"})
_OPENED_BY = {")": "(", "]": "[", "}": "{"}
_OPERANDS = frozenset({"name", "text", "int", "uint", "float", "true", "false", "null", ")", "]", "}"})
_JOINED = re.compile(r"[0-9A-Za-z.+-]+", re.ASCII)


def of_characters(expression: str, error: LexicalError) -> str | None:
    """Return what to write in place of characters that are no token."""
    first = expression[error.start]
    before = expression[: error.start].rstrip(" \t")
    if first in "\"'":
        return _of_string(expression, error, before)
    if first == "=":
        after = expression[error.start + 1 : error.start + 2]
        for mark in ("!=", "=="):
            if expression[: error.start].endswith(mark):
                return f"write '{mark}'"
        return {"~": _CHARACTERS["~"], ">": "write '>='"}.get(after)
    if first in _QUOTES:
        return "write straight quotes: \" or '"
    if first in _SIGNS:
        return f"write '{_SIGNS[first]}'"
    if first not in "\n\t" and not first.isprintable():
        return "delete it, or write a plain space"
    if first.isalpha():
        return "names have the letters a to z and A to Z only; texts are put in quotes"
    return _CHARACTERS.get(first)


def _of_string(expression: str, error: LexicalError, before: str) -> str | None:
    """Return how to close a string that is not closed, or what to do with a quote too many."""
    quote = expression[error.start]
    other = '"' if quote == "'" else "'"
    body = re.split(r"[\r\n]", expression[error.start + 1 :], maxsplit=1)[0]
    if error.end <= len(expression) and expression[error.end - 1] not in f"{quote}{other}\r\n" and "\\" in body:
        return f"write '\\\\' for one backslash, or r{quote}...{quote}" if error.end - 1 > error.start else None
    if not body.strip():
        word = re.search(r"[A-Za-z0-9][\w.-]*$", before, re.ASCII)
        if word is not None and before == expression[: error.start] and not word.group()[0].isdigit():
            return f"remove the stray {quote}, or begin the text with one, too: {quote}{word.group()}{quote}"
        return f"remove the stray {quote}"
    text, closed, _ = body.partition(other)
    if closed and len(text) <= 60:
        return f"it begins with {quote} and seems to end with {other}: write {quote}{text.rstrip()}{quote}"
    word = re.match(r"[\w.-]+$", body.rstrip(), re.ASCII)
    if word is not None and len(body) <= 60:
        return f"close it: {quote}{word.group()}{quote}"
    return f"close it with {quote}"


def of_token(expression: str, tokens: list[Token], at: int, wanted: str) -> str | None:
    """Return what to write where the token with the number `at` stands and something else is `wanted`."""
    token = tokens[at]
    before = tokens[at - 1] if at > 0 else None
    if token.text in ("{", "}") and ("{{" in expression or "${" in expression):
        return _TEMPLATE
    if wanted.startswith("an operator"):
        found = _after_operand(expression, tokens, at, wanted)
    elif wanted == "the name of a field":
        found = "leave the '.' out before '['" if token.kind == "[" else None
    else:
        found = _for_operand(tokens, at, before)
    if found is None and ("{{" in expression or "${" in expression):
        return _TEMPLATE
    return found


def _for_operand(tokens: list[Token], at: int, before: Token | None) -> str | None:
    """A value should stand here."""
    token = tokens[at]
    if before is not None and before.end == token.start and before.text + token.text in ("<>", "->"):
        return "write '!=' for '<>'" if before.text == "<" else "write '.' for '->'"
    if before is not None and before.kind in ("&&", "||"):
        return f"write a condition behind {before.text!r}, or leave {before.text!r} out"
    if token.kind == "quoted":
        return f'write "{token.text[1:-1]}"'
    if token.kind in ("&&", "||"):
        return f"write a condition before {token.text!r}, or leave {token.text!r} out"
    if before is not None and before.kind in ("==", "!=", "<", "<=", ">", ">=", "in"):
        return f"write what is compared behind {before.text!r}; texts are put in quotes"
    if token.kind in ("==", "!=", "<", "<=", ">", ">=", "in"):
        return f"write what is compared before {token.text!r}"
    if token.kind in _OPENED_BY and before is not None and before.kind == ",":
        return "leave the ',' out"
    return None


def _after_operand(expression: str, tokens: list[Token], at: int, wanted: str) -> str | None:
    """A value stands before, and what follows does not go on from it."""
    token, before = tokens[at], tokens[at - 1] if at > 0 else tokens[at]
    after = tokens[min(at + 1, len(tokens) - 1)]
    if token.kind == "end":
        return _unclosed(tokens, wanted)
    if token.kind == "name":
        word = token.text if token.text in _FUNCTIONS else token.text.lower()
        if word in _WORDS:
            return f"write {_WORDS[word]!r} for {token.text!r}"
        if word == "not":
            return (
                "write !(x in [...])" if after.kind == "in" else "write '!=', or '!' before a condition in parentheses"
            )
        if word in _PATTERNS:
            return 'a pattern is tried with matches(): device.driver.matches("^gpu")'
        if word in _FUNCTIONS:
            argument = after.text if after.kind == "text" and len(after.text) <= 60 else "..."
            return f"call it: .{token.text}({argument})"
        if word in ("then", "else"):
            return "write: condition ? value : other value"
    if before.kind == "name" and before.text.lower() == "not":
        return f"write '!' for {before.text!r}, before a condition in parentheses: !(...)"
    if before.kind == "name" and before.text == "if":
        return "leave 'if' out: a selector is a condition"
    if before.end == token.start and before.kind in ("int", "float") and token.kind in ("name", "int", "float"):
        return _number_with_letters(expression, before.start)
    if before.end == token.start and before.kind == "text" and token.kind == "name":
        quote = before.text[-1]
        return f"a {quote} inside of the text ends it: write \\{quote}, or the text between the other quotes"
    if token.kind == "?" and ":" in wanted:
        return "put the inner condition in parentheses"
    if token.kind == "(":
        return "only a name can be called"
    if token.kind == "!" and expression[token.end :].lstrip().startswith("="):
        return "write '!=' without a space"
    if token.kind == "!":
        return "write '!' before the whole condition: !(...)"
    if token.kind == ",":
        return "a list is written in brackets: [a, b]" if "')'" in wanted else "conditions are joined with '&&'"
    if token.kind in _OPENED_BY:
        return f"leave it out, or write the {_OPENED_BY[token.kind]!r} that it closes"
    if token.kind in _OPERANDS or token.kind in ("[", "-"):
        return "write an operator between the two, such as '==' or '&&'"
    return None


def _number_with_letters(expression: str, start: int) -> str:
    match = _JOINED.match(expression, start)
    text = match.group() if match is not None else ""
    for function, read in (("quantity", parse_quantity), ("semver", parse_semver)):
        try:
            read(text)
        except ValueError:
            continue
        return f'write {function}("{text}")'
    return f'if it is a text, put it in quotes: "{text[:60]}"'


def _unclosed(tokens: list[Token], wanted: str) -> str | None:
    """Return what the end of the expression lacks."""
    if wanted.endswith("':'"):
        return "write what holds otherwise: condition ? value : other value"
    for mark, opening in _OPENED_BY.items():
        if f"{mark!r}" in wanted:
            open_now: list[Token] = []
            for token in tokens:
                if token.kind in ("(", "[", "{"):
                    open_now.append(token)
                elif token.kind in _OPENED_BY and open_now:
                    open_now.pop()
            count = len(open_now)
            return f"close the {opening!r}: write {mark!r}" if count < 2 else f"{count} brackets are not closed"
    return None
