"""Parses tokens into nodes, with the compiler's limits and the positions of its errors.

There is one computation for each nested expression (parentheses, argument, list entry); an explicit stack orders the
operators. Limits: github.com/google/cel-go parser/options.go (250 nested rules, 100,000 code points), which
k8s.io/apiserver pkg/cel/environment does not change.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from dralint.cel import syntax_errors
from dralint.cel.issue import REJECTED, Hint, Instead, Issue, refusal
from dralint.cel.lexer import UNCLOSED, EscapeError, Token, tokenize, unquote
from dralint.cel.macros import MacroError, expand
from dralint.cel.tree import (
    Call,
    Ident,
    ListLiteral,
    Literal,
    MapLiteral,
    Message,
    Node,
    Select,
    Steps,
    presence_of,
    run,
)
from dralint.cel.values import INT_MAX, INT_MIN, UINT_MAX, UInt
from dralint.records import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dralint.cel.declarations import Dialect

MAX_DEPTH = 250
MAX_CODE_POINTS = 100_000
RESERVED = frozenset(
    """
    as break const continue else false for function if import in let loop package namespace null return true var
    void while
    """.split()  # noqa: SIM905 - a list of strings would take a line each
)
_RELATIONS = frozenset({"<", "<=", ">=", ">", "==", "!=", "in"})
_PRODUCTS = frozenset({"*", "/", "%"})
_SUMS = frozenset({"+", "-"})
_OPERATOR = {op: f"_{op}_" for op in (*_RELATIONS, *_PRODUCTS, *_SUMS)} | {"in": "@in"}
_RANK = {op: rank for rank, ops in ((1, _RELATIONS), (2, _SUMS), (3, _PRODUCTS)) for op in ops}

_CONSTANTS = {"true": True, "false": False, "null": None}
_ONE_TOKEN = frozenset({"name", "text", "int", "uint", "float", *_CONSTANTS})
_GOES_ON = frozenset({".", "[", "(", "{"})
_CLOSERS = frozenset({",", ")", "]", "}", ":"})

Parsed = tuple[Node, int]
"""A node and how deeply the compiler's visitor goes into it."""


class _SyntaxStopError(Exception):
    """The token does not fit; `partial` is the compiler's result for the broken argument."""

    partial: Node | None = None


class _DepthStopError(Exception):
    """A limit on nesting is exceeded."""


class Parse(NamedTuple):
    """The tree, or None and the errors, in the order of the text."""

    root: Node | None
    issues: tuple[Issue, ...]


def parse(expression: str, dialect: Dialect) -> Parse:
    """Parse an expression as the release of `dialect` does; never raises."""
    if len(expression) > MAX_CODE_POINTS:
        message = f"the expression has {len(expression)} characters; allowed are {MAX_CODE_POINTS}"
        return Parse(None, (_unplaced("too-long", message),))
    return _Parser(expression, dialect).parse()


def _unplaced(code: str, message: str) -> Issue:
    return Issue(code, REJECTED, message, 0, 0, "Invalid", None, -1, 0)


class _Parser:
    def __init__(self, expression: str, dialect: Dialect) -> None:
        self.expression = expression
        self.dialect = dialect
        self.tokens, lexical = tokenize(expression, backquotes=dialect.backquotes != "unknown")
        self.position = 0
        self.issues: list[Issue] = []
        for error in lexical[:1]:
            hint = syntax_errors.of_characters(expression, error)
            self.complain("syntax", error.message, error.start, error.end, hint)
        self.lexical = self.issues[0] if self.issues else None
        self.exprs = 0
        self.relations = 0
        self.calcs = 0
        self.first_stop: Issue | None = None

    def complain(self, code: str, message: str, start: int, end: int, hint: Hint = None) -> None:
        late = self.dialect.late_lines
        issue = refusal(code, message, (start, max(end, start)), hint, self.expression, start, late)
        if not self.expression and self.dialect.declares_types:
            issue = issue._replace(column=0)
        self.issues.append(issue)

    def parse(self) -> Parse:
        root: Node | None = None
        try:
            root, depth = run(self.expr())
            self.expect("end", "the end of the expression")
            if depth > MAX_DEPTH:
                raise _DepthStopError
        except _SyntaxStopError:
            root = None
        except _DepthStopError:
            message = f"the expression nests more than {MAX_DEPTH} levels deep: the compiler gives up"
            self.issues.append(_unplaced("too-deep", message))
        for stop in (self.first_stop, self.lexical):
            # Errors after the first one mostly follow from it.
            if stop is not None:
                self.issues = [i for i in self.issues if i is stop or i.start < stop.start or i.line == -1]
        if self.issues:
            self.issues.sort(key=lambda i: (i.line or 0, i.column or 0))
            first, *others = self.issues
            if first.replacement is not None:  # an error in what it replaces follows from the first
                others = [i for i in others if not first.replacement.start < i.start < first.replacement.end]
            if others == [self.lexical] and others[0].message == UNCLOSED.format(self.expression[others[0].start]):
                text = next(self.texts_beside(first.start), None)
                if text is not None:
                    # A quote is missing before it: from there on, each quote that ends a text seems to begin one.
                    hint = syntax_errors.of_missing_quote(text)
                    first = first if hint is None else first._replace(hint=hint, replacement=None)
                    others = []
            self.issues = [first, *others]
            return Parse(None, tuple(self.issues))
        return Parse(root, ())

    # tokens

    def texts_beside(self, start: int) -> Iterator[str]:
        """Yield the text that touches the token at `start`, or is this token and touches the one before it."""
        for before, token in pairwise(self.tokens):
            if before.end == token.start == start and "text" in (before.kind, token.kind):
                yield before.text if before.kind == "text" else token.text

    def unexpected(self, token: Token, wanted: str) -> _SyntaxStopError:
        if token.kind == "end":
            message = f"the expression ends where {wanted} should follow"
        else:
            message = f'found "{token.text}" where {wanted} should follow'
        at = min(self.position, len(self.tokens) - 1)
        if self.tokens[at] is not token:
            at -= 1
        hint = syntax_errors.of_token(self.expression, self.tokens, at, wanted)
        self.complain("syntax", message, token.start, token.end, hint)
        return _SyntaxStopError()

    def accept(self, kind: str) -> Token | None:
        token = self.tokens[self.position]
        if token.kind != kind:
            return None
        self.position += 1
        return token

    def expect(self, kind: str, wanted: str) -> Token:
        token = self.tokens[self.position]
        if token.kind != kind:
            if kind in ("end", ")", "]", "}", ",", ":"):
                wanted = "an operator" if kind == "end" else f"an operator or {wanted}"
                if kind == "end" and token.kind != "end":
                    wanted = "an operator or the end of the expression"
            raise self.unexpected(token, wanted)
        self.position += 1
        return token

    # rules

    def expr(self) -> Steps[Parsed]:
        self.exprs += 1
        if self.exprs > MAX_DEPTH:
            raise _DepthStopError
        condition, depth = yield self.operators()
        question = self.accept("?")
        if question is not None:
            then, then_depth = yield self.operators()
            self.expect(":", '":"')
            other, other_depth = yield self.expr()
            depth = 1 + max(depth, then_depth, other_depth)
            condition = Call(question.start, condition.start, other.end, "_?_:_", [condition, then, other])
        self.exprs -= 1
        return condition, depth

    def simple(self) -> Parsed | None:
        """Parse an operand of one token; None where it is longer."""
        token = self.tokens[self.position]
        if token.kind not in _ONE_TOKEN or self.tokens[self.position + 1].kind in _GOES_ON:
            return None
        if token.kind == "name":
            if token.text in RESERVED:
                return None
            node: Node = Ident(token.start, token.start, token.end, token.text)
        else:
            node = self.constant(token)
        self.position += 1
        return node, 0

    def quick(self) -> Parsed | None:
        """Parse an expression of one token, as most entries of long lists are; None where it is longer."""
        after = self.tokens[min(self.position + 1, len(self.tokens) - 1)]
        return self.simple() if after.kind in _CLOSERS and self.exprs < MAX_DEPTH else None

    def operators(self) -> Steps[Parsed]:
        """Parse operators that bind tighter than `?:`."""
        ors: list[Node] = []
        or_marks: list[int] = []
        ands: list[Node] = []
        and_marks: list[int] = []
        operands: list[Parsed] = []
        pending: list[Token] = []
        depth = 0

        def reduce(rank: int) -> None:
            while pending and _RANK[pending[-1].kind] >= rank:
                mark = pending.pop()
                right, right_depth = operands.pop()
                left, left_depth = operands.pop()
                call = Call(mark.start, left.start, right.end, _OPERATOR[mark.kind], [left, right])
                operands.append((call, 1 + max(left_depth, right_depth)))

        self.relations += 1
        self.calcs += 1
        while True:
            calcs = sum(1 for mark in pending if mark.kind not in _RELATIONS)
            relations = len(pending) - calcs
            self.calcs += calcs
            self.relations += relations
            if self.calcs > MAX_DEPTH or self.relations > MAX_DEPTH:
                raise _DepthStopError
            try:
                operand = self.simple() or (yield self.unary())
            except _SyntaxStopError as stop:
                if pending:
                    mark = pending[0]
                    stop.partial = Call(mark.start, mark.start, mark.end, _OPERATOR[mark.kind], [])
                raise
            self.calcs -= calcs
            self.relations -= relations
            operands.append(operand)
            token = self.tokens[self.position]
            rank = _RANK.get(token.kind)
            if rank is not None:
                self.position += 1
                reduce(rank)
                pending.append(token)
                continue
            reduce(0)
            node, node_depth = operands.pop()
            depth = max(depth, node_depth)
            ands.append(node)
            if token.kind == "&&":
                self.position += 1
                and_marks.append(token.start)
                continue
            ors.append(_balance("_&&_", ands, and_marks))
            ands, and_marks = [], []
            if token.kind == "||":
                self.position += 1
                or_marks.append(token.start)
                continue
            self.relations -= 1
            self.calcs -= 1
            return _balance("_||_", ors, or_marks), depth

    def unary(self) -> Steps[Parsed]:
        tokens = self.tokens
        token = tokens[self.position]
        if token.kind not in ("!", "-"):
            return (yield from self.member())
        after = tokens[self.position + 1]
        if token.kind == "-" and after.kind in ("int", "float"):
            return (yield from self.member())
        count = 0
        while tokens[self.position].kind == token.kind:
            self.position += 1
            count += 1
        operand, depth = yield self.member()
        if count % 2 == 0:
            return operand, depth
        function = "!_" if token.kind == "!" else "-_"
        return Call(token.start, token.start, operand.end, function, [operand]), depth

    def member(self) -> Steps[Parsed]:
        node, depth = yield self.primary()
        tokens = self.tokens
        while True:
            token = tokens[self.position]
            if token.kind == ".":
                self.position += 1
                optional = self.accept("?") is not None
                name = tokens[self.position]
                if name.kind != "name" and not (name.kind == "quoted" and self.dialect.backquotes != "unknown"):
                    stop = self.unexpected(name, "the name of a field")
                    stop.partial = node
                    raise stop
                self.position += 1
                if not optional and name.kind == "name" and tokens[self.position].kind == "(":
                    opening = tokens[self.position]
                    self.position += 1
                    args, args_depth = yield self.arguments()
                    depth = 1 + max(depth, args_depth)
                    node = self.call(opening, name, args, node, node.start)
                    continue
                depth += 1
                field = self.field_name(name)
                if optional:
                    key = Literal(name.start, name.start, name.end, field)
                    node = Call(token.start, node.start, name.end, "_?._", [node, key])
                else:
                    node = Select(token.start, node.start, name.end, node, field)
                    node.field_start = name.start
            elif token.kind == "[":
                self.position += 1
                optional = self.accept("?") is not None
                try:
                    index, index_depth = self.quick() or (yield self.expr())
                    closing = self.expect("]", '"]"')
                except _SyntaxStopError as stop:
                    stop.partial = Call(token.start, node.start, token.end, "_[_]", [node, node])
                    raise
                depth = 1 + max(depth, index_depth)
                function = "_[?_]" if optional else "_[_]"
                node = Call(token.start, node.start, closing.end, function, [node, index])
            else:
                return node, depth

    def field_name(self, token: Token) -> str:
        if token.kind == "name":
            return token.text
        if self.dialect.backquotes != "accepted":
            message = (
                f"the back-quoted field name {token.text} is known from Kubernetes {self.dialect.backquotes_since} on"
            )
            hint = f'write the name as an index: ["{token.text[1:-1]}"]'
            self.complain("syntax", message, token.start, token.end, hint)
        return token.text[1:-1]

    def arguments(self) -> Steps[tuple[list[Node], int]]:
        args: list[Node] = []
        depth = 0
        if self.accept(")") is not None:
            return args, depth
        depths = (self.exprs, self.relations, self.calcs)
        while True:
            begin = self.position
            complete = False
            try:
                node, node_depth = self.quick() or (yield self.expr())
                args.append(node)
                depth = max(depth, node_depth)
                complete = True
                if self.accept(",") is None:
                    self.expect(")", '"," or ")"')
                    return args, depth
            except _SyntaxStopError as stop:
                # The rest does not matter, but the macro of these arguments may report an earlier error, as the
                # compiler does.
                if self.first_stop is None:
                    self.first_stop = self.issues[-1]
                if not complete:
                    token = self.tokens[begin]
                    args.append(stop.partial or Literal(token.start, token.start, token.start, None))
                self.exprs, self.relations, self.calcs = depths
                if self.skip(begin):
                    return args, depth

    def skip(self, begin: int) -> bool:
        """Continue after the broken argument that begins there; say whether it was the last."""
        level = 0
        for i in range(begin, len(self.tokens)):
            kind = self.tokens[i].kind
            if kind in ("(", "[", "{"):
                level += 1
            elif kind in (")", "]", "}"):
                level = max(level - 1, -1) if i >= self.position or level > 0 else level
                if level < 0:
                    self.position = i + 1
                    return True
            elif kind == "," and level == 0 and i >= self.position:
                self.position = i + 1
                return False
        self.position = len(self.tokens) - 1
        return True

    def call(self, opening: Token, name: Token, args: list[Node], target: Node | None, start: int) -> Node:
        end = self.tokens[self.position - 1].end
        text = name.text
        if f"{text}:{len(args)}:{'true' if target is not None else 'false'}" in self.dialect.macros:
            try:
                node = expand(text, opening.start, start, end, args, target, self.dialect)
            except MacroError as error:
                hint: Hint = error.hint
                if error.key_in is not None:
                    asked, lacking = presence_of(error.key_in, self.expression)
                    hint = f"write {asked}{lacking}" if lacking else Instead(f"write {asked}", name.start, end, asked)
                self.complain("macro", str(error), error.node.at, error.node.end, hint)
                node = Literal(opening.start, start, end, None)
            if node is not None:
                return node
        call = Call(opening.start, start, end, text, args, target)
        call.name_start = name.start
        return call

    def primary(self) -> Steps[Parsed]:
        token = self.tokens[self.position]
        kind = token.kind
        if kind in ("name", "."):
            return (yield from self.named())
        self.position += 1
        if kind in _ONE_TOKEN:
            return self.constant(token), 0
        if kind == "-":
            number = self.tokens[self.position]
            if number.kind in ("int", "float"):
                self.position += 1
                return self.number(number, "-", token.start), 0
            raise self.unexpected(number, "a value")
        if kind == "(":
            node, depth = yield self.expr()
            node.start, node.end = token.start, self.expect(")", '")"').end
            return node, depth
        if kind == "[":
            return (yield from self.list_literal(token))
        if kind == "{":
            return (yield from self.map_literal(token))
        raise self.unexpected(token, "a value")

    def named(self) -> Steps[Parsed]:
        tokens = self.tokens
        first = tokens[self.position]
        dot = ""
        if first.kind == ".":
            dot = "."
            self.position += 1
            if tokens[self.position].kind != "name":
                raise self.unexpected(tokens[self.position], "a name")
        ahead = self.position
        while tokens[ahead].kind == "name" and tokens[ahead + 1].kind == ".":
            ahead += 2
        if tokens[ahead].kind == "name" and tokens[ahead + 1].kind == "{":
            name = dot + "".join(t.text for t in tokens[self.position : ahead + 1])
            self.position = ahead + 1
            return (yield from self.message(name, first.start))
        word = tokens[self.position]
        self.position += 1
        reserved = word.text in RESERVED
        if reserved:
            message = f'"{word.text}" is a reserved word and cannot be the name of a variable or function'
            hint = f'choose another name, or put it in quotes if it is a text: "{word.text}"'
            if word.text == "if":
                hint = 'leave "if" out: a selector is a condition'
            self.complain("reserved-word", message, first.start, word.end, hint)
        opening = self.accept("(")
        if opening is None:
            return Ident(word.start, first.start, word.end, dot + word.text), 0
        args, depth = yield self.arguments()
        if reserved:
            return Literal(opening.start, first.start, tokens[self.position - 1].end, None), depth
        named = Token("name", dot + word.text, word.start, word.end)
        return self.call(opening, named, args, None, first.start), depth

    def message(self, name: str, start: int) -> Steps[Parsed]:
        opening = self.expect("{", "'{'")
        fields: list[tuple[str, Node, bool, int]] = []
        depth = 0
        while self.tokens[self.position].kind not in ("}", ","):
            optional = self.accept("?") is not None
            field = self.tokens[self.position]
            if field.kind not in ("name", "quoted"):
                raise self.unexpected(field, "the name of a field")
            self.position += 1
            text = self.field_name(field)
            colon = self.expect(":", '":"')
            value, value_depth = self.quick() or (yield self.expr())
            depth = max(depth, value_depth)
            fields.append((text, value, optional, colon.start))
            if not self.goes_on("}"):
                break
        self.accept(",")
        closing = self.expect("}", "'}'")
        return Message(opening.start, start, closing.end, name, fields), depth

    def goes_on(self, closing: str, wanted: str = "") -> bool:
        """Take the comma behind an entry that another one follows, which may not be a comma if one is `wanted`."""
        if self.tokens[self.position].kind != "," or self.tokens[self.position + 1].kind == closing:
            return False
        self.position += 1
        if wanted and self.tokens[self.position].kind == ",":
            raise self.unexpected(self.tokens[self.position], wanted)
        return True

    def list_literal(self, opening: Token) -> Steps[Parsed]:
        elements: list[Node] = []
        optional: set[int] = set()
        depth = 0
        while self.tokens[self.position].kind not in ("]", ","):
            if self.accept("?") is not None:
                optional.add(len(elements))
            node, node_depth = self.quick() or (yield self.expr())
            depth = max(depth, node_depth)
            elements.append(node)
            if not self.goes_on("]", "a value"):
                break
        self.accept(",")
        closing = self.expect("]", '"," or "]"')
        return ListLiteral(opening.start, opening.start, closing.end, elements, frozenset(optional)), depth

    def map_literal(self, opening: Token) -> Steps[Parsed]:
        entries: list[tuple[Node, Node, bool]] = []
        depth = 0
        while self.tokens[self.position].kind not in ("}", ","):
            optional = self.accept("?") is not None
            key, key_depth = self.quick() or (yield self.expr())
            self.expect(":", '":"')
            value, value_depth = self.quick() or (yield self.expr())
            depth = max(depth, key_depth, value_depth)
            entries.append((key, value, optional))
            if not self.goes_on("}", "a key"):
                break
        self.accept(",")
        closing = self.expect("}", '"," or "}"')
        return MapLiteral(opening.start, opening.start, closing.end, entries), depth

    # literals

    def constant(self, token: Token) -> Node:
        if token.kind == "text":
            return self.text(token)
        if token.kind in _CONSTANTS:
            return Literal(token.start, token.start, token.end, _CONSTANTS[token.kind])
        return self.number(token, "")

    def text(self, token: Token) -> Node:
        value: str | bytes
        try:
            value = unquote(token.text, surrogates=self.dialect.surrogates)
        except EscapeError as error:
            self.complain("syntax", str(error), token.start, token.end)
            value = ""
        return Literal(token.start, token.start, token.end, value)

    def number(self, token: Token, sign: str, start: int | None = None) -> Node:
        begin = token.start if start is None else start
        value: int | float
        if token.kind == "float":
            value = float(sign + token.text)
            if value in (float("inf"), float("-inf")):
                self.complain("literal-range", f"{sign}{token.text} does not fit a double", begin, token.end)
            return Literal(begin, begin, token.end, value)
        digits = token.text.rstrip("uU") if token.kind == "uint" else token.text
        hexadecimal = digits.startswith("0x")
        digits = digits[2:] if hexadecimal else digits
        digits = digits.lstrip("0") or "0"
        value = int(sign + digits, 16 if hexadecimal else 10) if len(digits) <= 40 else UINT_MAX + 1
        if token.kind == "uint":
            if value > UINT_MAX:
                message = f"{token.text} does not fit uint: at most {UINT_MAX}"
                self.complain("literal-range", message, begin, token.end)
            return Literal(begin, begin, token.end, UInt(value))
        if not INT_MIN <= value <= INT_MAX:
            message = f"{sign}{token.text} does not fit int: {INT_MIN} to {INT_MAX}"
            hint = 'for an amount use quantity("...")'
            self.complain("literal-range", message, begin, token.end, hint)
        return Literal(begin, begin, token.end, value)


def _balance(function: str, terms: list[Node], marks: list[int]) -> Node:
    """Join the terms of a chain of && or || into a tree of least height, as the compiler does."""
    if len(terms) == 1:
        return terms[0]

    def join(low: int, high: int) -> Node:
        middle = (low + high + 1) // 2
        left = terms[middle] if middle == low else join(low, middle - 1)
        right = terms[middle + 1] if middle == high else join(middle + 1, high)
        return Call(marks[middle], left.start, right.end, function, [left, right])

    return join(0, len(marks) - 1)
