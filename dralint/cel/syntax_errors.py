"""Suggests what to write instead of text that does not parse, from the text around it."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

from dralint.cel.issue import Instead
from dralint.cel.lexer import misspelt_comparison
from dralint.cel.values import parse_quantity, parse_semver
from dralint.kubernetes.near import LOOK_ALIKES

if TYPE_CHECKING:
    from dralint.cel.issue import Hint
    from dralint.cel.lexer import LexicalError, Token

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
    "#": 'a comment begins with "//"',
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
FOREIGN_OPERATORS = {**_SIGNS, **_WORDS, "&": "&&", "|": "||"}
"""The operators of other languages, as words or parts of words."""
FOREIGN_QUOTES = _QUOTES | {"`"}
"""The quotes of other languages and of texts."""
_CLOSING = "\u201d\u201c\u2019\u2018\u00bb\u2033\u2032\u201a\u201e\"'"
_ENTITY = re.compile(r"&(amp|lt|gt|quot|apos|#39|#34);")
_SEVERAL_ENTITIES = re.compile(rf"(?:{_ENTITY.pattern})+")
_ENTITIES = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'", "#39": "'", "#34": '"'}
_FUNCTIONS = frozenset({"contains", "startsWith", "endsWith", "matches", "isGreaterThan", "isLessThan", "compareTo"})
_WORDS_OF_CONDITIONS = {
    **dict.fromkeys(("like", "regex", "regexp", "match"), _CHARACTERS["~"]),
    **dict.fromkeys(("if", "then", "else"), "write: condition ? value : other value"),
    "not": 'write "!=", or "!" before a condition in parentheses',
}
_OPENED_BY = {")": "(", "]": "[", "}": "{"}
_OPERANDS = frozenset({"name", "text", "int", "uint", "float", "true", "false", "null", ")", "]", "}"})
_EQUALS = re.compile(r"[ \t]*=(?!=)")
_LITERALS = frozenset({"text", "int", "uint", "float", "true", "false", "null"})
_CODE = re.compile(r"[\[\](),&|=<>]")
_JOINED = re.compile(r"[0-9A-Za-z.+-]+", re.ASCII)


def unescaped(text: str) -> str:
    """Return a text with its HTML entities, such as `&lt;`, replaced."""
    return _ENTITY.sub(lambda found: _ENTITIES[found[1]], text)


def of_characters(expression: str, error: LexicalError) -> Hint:
    """Return what to write instead of characters that are not a token."""
    first = expression[error.start]
    before = expression[: error.start].rstrip(" \t")
    if first in "\"'":
        return _of_string(expression, error, before)
    if first in "=&|":
        return _of_half_an_operator(expression, error.start)
    return _of_odd_character(expression, error.start)


def _of_half_an_operator(expression: str, start: int) -> Hint:
    first, after = expression[start], expression[start + 1 : start + 2]
    if first == "=":
        for mark in ("!=", "=="):
            if expression[:start].endswith(mark):
                return Instead(f'write "{mark}"', start, start + 1, "")
        if after == ">" and _ARGUMENT.search(expression, 0, start):
            words = 'the variable of a macro is a separate argument: write "," for "=>"'
            return Instead(words, start, start + 2, ",")
        if (comparison := misspelt_comparison(expression, start)) is not None:
            return Instead.of(*comparison)
        return _as_matches(expression, start, start + 2) if after == "~" else Instead.of(start, start + 1, "==")
    match = _SEVERAL_ENTITIES.match(expression, start)
    if match is None:
        return Instead.of(start, start + 1, first * 2)
    end = match.end()
    text = unescaped(match[0])
    text = "&&" if text == "&" else text
    return Instead(f'"{expression[start:end]}" is written so in HTML only: write "{text}"', start, end, text)


def _of_odd_character(expression: str, start: int) -> Hint:
    first = expression[start]
    if first in _QUOTES:
        end = next((i for i in range(start + 1, len(expression)) if expression[i] in _CLOSING), -1)
        text = expression[start + 1 : end] if end >= 0 else ""
        if end < 0 or len(text) > 60 or "\n" in text or "\\" in text:
            return "write straight quotes: \" or '"
        return Instead(f'write straight quotes: "{text}"', start, end + 1, f'"{text}"')
    if first == ";":
        return _of_semicolon(expression, start)
    if first in _SIGNS:
        return Instead.of(start, start + 1, _SIGNS[first])
    plain = look_alike(first)
    if plain is not None:
        words = {" ": "write a plain space", "": "delete it"}.get(plain, f'write "{plain}"')
        return Instead(words, start, start + 1, plain)
    if first.isalpha():
        return "names have the letters a to z and A to Z only; texts are put in quotes"
    return _as_matches(expression, start, start + 1) if first == "~" else _CHARACTERS.get(first)


def _of_semicolon(expression: str, start: int) -> Instead:
    """Return what to write for a semicolon: nothing at the end, `&&` between two conditions."""
    if not expression[start + 1 :].strip():
        words = 'leave it out: a selector is one expression; conditions are joined with "&&"'
        return Instead(words, start, start + 1, "")
    before, after = (" " * (not beside.isspace()) for beside in (expression[start - 1 : start], expression[start + 1]))
    words = 'write "&&": a selector is one expression; conditions are joined with "&&"'
    return Instead(words, start, start + 1, f"{before}&&{after}")


_ARGUMENT = re.compile(r"[(,]\s*[A-Za-z_]\w*\s*\Z", re.ASCII)
_OPERAND = re.compile(r"""[A-Za-z_][\w.]*(?:\[(?:"[^"\n]{1,100}"|'[^'\n]{1,100}')\](?:\.\w+)*)*\s*\Z""", re.ASCII)
_TEXT = re.compile(r"""\s*("[^"\\\n]{1,60}"|'[^'\\\n]{1,60}')""")


def _as_matches(expression: str, start: int, end: int) -> Hint:
    """Return how to match a pattern where another language has an operator from `start` to `end`."""
    operand, pattern = _OPERAND.search(expression, 0, start), _TEXT.match(expression, end)
    if operand is None or pattern is None:
        return _CHARACTERS["~"]
    call = f"{operand[0].strip()}.matches({pattern[1]})"
    return Instead(f"write {call}", operand.start(), pattern.end(), call)


def look_alike(char: str) -> str | None:
    """Return the ASCII character that another one resembles (a letter, a space, nothing); None where there is none."""
    if char.isascii() and char.isprintable():
        return None
    if ord(char) in LOOK_ALIKES:
        return chr(LOOK_ALIKES[ord(char)])

    category = unicodedata.category(char)
    if category in ("Zs", "Zl", "Zp"):
        return " "
    if category in ("Cf", "Cc", "Cs"):
        return ""
    plain = unicodedata.normalize("NFKC", char)
    return plain if len(plain) == 1 and plain.isascii() else None


def _of_string(expression: str, error: LexicalError, before: str) -> Hint:
    """Return how to close a string that is not closed, or what to do with an extra quote."""
    quote = expression[error.start]
    other = '"' if quote == "'" else "'"
    body = re.split(r"[\r\n]", expression[error.start + 1 :], maxsplit=1)[0]
    if error.end <= len(expression) and expression[error.end - 1] not in f"{quote}{other}\r\n" and "\\" in body:
        if error.end - 1 <= error.start:
            return None
        match = re.match(rf"{quote}[^{quote}\n]*{quote}", expression[error.start :])
        if match is None or len(match[0]) > 80 or match[0].endswith(f"\\{quote}"):
            return f'write "\\\\" for one backslash, or r{quote}...{quote}'
        return Instead(f"write r{match[0]}", error.start, error.start + match.end(), f"r{match[0]}")
    if not body.strip():
        word = re.match(r"[\w.-]*[A-Za-z0-9]", before[::-1], re.ASCII)  # from its end: a search takes quadratic time
        if word is not None and before == expression[: error.start] and not word.group()[-1].isdigit():
            return f"remove the stray {quote}, or begin the text with one, too: {quote}{word.group()[::-1]}{quote}"
        return f"remove the stray {quote}"
    text, closed, _ = body.partition(other)
    if closed and len(text) <= 60:
        whole = f"{quote}{text.rstrip()}{quote}"
        end = error.start + len(text) + 2
        return Instead(f"it begins with {quote} and seems to end with {other}: write {whole}", error.start, end, whole)
    word = re.match(r"[\w.-]+$", body.rstrip(), re.ASCII)
    if word is not None and len(body) <= 60:
        whole = f"{quote}{word.group()}{quote}"
        return Instead(f"close it: {whole}", error.start, error.start + 1 + len(word.group()), whole)
    return f"close it with {quote}"


def of_missing_quote(text: str) -> str | None:
    """Return the hint for a text that begins or ends at a quote of another one; None if it may be a text of its own."""
    if not _CODE.search(text):
        return None
    shown = text if len(text) <= 60 else f"{text[:57]}..."
    return f"a {text[-1]} is missing: {shown} is hardly meant as one text"


def of_token(expression: str, tokens: list[Token], at: int, wanted: str) -> Hint:
    """Return what to write where token number `at` is and something else is `wanted`."""
    token = tokens[at]
    before = tokens[at - 1] if at > 0 else None
    if token.text in ("{", "}") and ("{{" in expression or "${" in expression):
        return _TEMPLATE
    if wanted.startswith("an operator"):
        found: Hint = _after_operand(expression, tokens, at, wanted)
    elif wanted == "the name of a field":
        found = 'leave the "." out before "["' if token.kind == "[" else None
    else:
        found = _for_operand(tokens, at, before)
    if found is None and ("{{" in expression or "${" in expression):
        return _TEMPLATE
    return found


def _for_operand(tokens: list[Token], at: int, before: Token | None) -> Hint:
    """Return the hint where a value is missing."""
    token = tokens[at]
    if before is not None and before.end == token.start and before.text + token.text in ("<>", "->"):
        mark = "!=" if before.text == "<" else "."
        return Instead(f'write "{mark}" for "{before.text}{token.text}"', before.start, token.end, mark)
    if token.kind == "/" and before is not None and before.kind in ("(", ","):
        return "a pattern is a text: write it in quotes, without the slashes"
    if before is not None and before.kind in ("&&", "||"):
        return f'write a condition after "{before.text}", or leave "{before.text}" out'
    if token.kind == "quoted":
        return f'write "{token.text[1:-1]}"'
    if token.kind in ("&&", "||"):
        return f'write a condition before "{token.text}", or leave "{token.text}" out'
    if before is not None and before.kind in ("==", "!=", "<", "<=", ">", ">=", "in"):
        return f'write the compared value after "{before.text}"; texts are put in quotes'
    if token.kind in ("==", "!=", "<", "<=", ">", ">=", "in"):
        return f'write the compared value before "{token.text}"'
    if token.kind in _OPENED_BY and before is not None and before.kind == ",":
        return Instead('leave the "," out', before.start, before.end, "")
    return None


def _after_operand(expression: str, tokens: list[Token], at: int, wanted: str) -> Hint:
    """Return the hint where the text after a value does not continue it."""
    token, before = tokens[at], tokens[at - 1] if at > 0 else tokens[at]
    after = tokens[min(at + 1, len(tokens) - 1)]
    if token.kind == "end":
        return _unclosed(tokens, wanted)
    if token.kind == "name":
        word = token.text if token.text in _FUNCTIONS else token.text.lower()
        if word in _WORDS:
            return Instead(f'write "{_WORDS[word]}" for "{token.text}"', token.start, token.end, _WORDS[word])
        if word == "not" and after.kind == "in":
            return "write !(x in [...])"
        if word in _FUNCTIONS:
            if after.kind != "text" or len(after.text) > 60:
                return f"call it: .{token.text}(...)"
            call = f".{token.text}({after.text})"
            return Instead(f"call it: {call}", before.end, after.end, call)
        if word in _WORDS_OF_CONDITIONS:
            return _WORDS_OF_CONDITIONS[word]
    if before.kind == "name" and before.text.lower() == "not":
        return f'write "!" for "{before.text}", before a condition in parentheses: !(...)'
    if before.kind == "name" and before.text == "if":
        return 'leave "if" out: a selector is a condition'
    if before.end == token.start and before.kind in ("int", "float") and token.kind in ("name", "int", "float"):
        return _number_with_letters(expression, before.start)
    if before.end == token.start and before.kind == "text" and token.kind == "name":
        quote = before.text[-1]
        return f"a {quote} inside of the text ends it: write \\{quote}, or the text between the other quotes"
    if token.kind == "?" and ":" in wanted:
        return "put the inner condition in parentheses"
    if token.kind == "!" and (equals := _EQUALS.match(expression, token.end)):
        return Instead('write "!=" without a space', token.start, equals.end(), "!=")
    if token.kind in ("!", "("):
        return {"!": 'write "!" before the whole condition: !(...)', "(": "only a name can be called"}[token.kind]
    if token.kind == ",":
        return "a list is written in brackets: [a, b]" if '")"' in wanted else 'conditions are joined with "&&"'
    if token.kind in _OPENED_BY:
        return f'leave it out, or write the "{_OPENED_BY[token.kind]}" that it closes'
    if token.kind in _OPERANDS or token.kind in ("[", "-"):
        if '"]"' in wanted and '","' in wanted and {before.kind, token.kind} <= _LITERALS:
            return Instead('write "," between the two', before.end, before.end, ",")
        if '","' in wanted:
            return 'write "," or an operator between the two'
        return 'write an operator between the two, such as "==" or "&&"'
    return None


def _number_with_letters(expression: str, start: int) -> Hint:
    match = _JOINED.match(expression, start)
    text = match.group() if match is not None else ""
    for function, read in (("quantity", parse_quantity), ("semver", parse_semver)):
        try:
            read(text)
        except ValueError:
            continue
        call = f'{function}("{text}")'
        return Instead(f"write {call}", start, start + len(text), call)
    if len(text) > 60:
        return "if it is a text, put it in quotes"
    return Instead(f'if it is a text, put it in quotes: "{text}"', start, start + len(text), f'"{text}"')


def _unclosed(tokens: list[Token], wanted: str) -> Hint:
    """Return what the end of the expression lacks."""
    if wanted.endswith('":"'):
        return "write what holds otherwise: condition ? value : other value"
    for mark, opening in _OPENED_BY.items():
        if f'"{mark}"' in wanted:
            open_now: list[Token] = []
            for token in tokens:
                if token.kind in ("(", "[", "{"):
                    open_now.append(token)
                elif token.kind in _OPENED_BY and open_now:
                    open_now.pop()
            if len(open_now) > 20:
                return f"{len(open_now)} brackets are not closed"
            marks = {before: after for after, before in _OPENED_BY.items()}
            missing = "".join(marks[token.kind] for token in reversed(open_now))
            if len(open_now) > 1:
                words = f'{len(open_now)} brackets are not closed: write "{missing}"'
                return Instead(words, tokens[-1].start, tokens[-1].end, missing)
            begin = tokens.index(open_now[-1]) if open_now else 0
            key = tokens[begin + 1] if open_now else tokens[-1]
            if opening == "[" and key.kind == "text" and key.text[-2:-1] == "]":
                name = f"{key.text[:-2]}{key.text[-1]}]"
                return Instead(f"the bracket belongs behind the quote: write {name}", key.start, key.end, name)
            if opening == "[" and begin and tokens[begin - 1].kind in _OPERANDS and key.kind == "text":
                return Instead(f'close the "[": write {key.text}]', key.start, key.end, f"{key.text}]")
            return Instead(f'close the "{opening}": write "{mark}"', tokens[-1].start, tokens[-1].end, mark)
    return None
