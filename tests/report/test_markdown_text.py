"""Text of the input in Markdown, read by a parser of CommonMark that allows HTML."""

from __future__ import annotations

import re

import pytest

from dralint.report.safe import printable
from dralint.report.text import code, literal, without_marks
from tests.report.markdown import kinds, words

HOSTILE = [
    "x` ![i](http://e/x.png) `y",
    "x\n\n![i](http://e/x.png) [click](command:workbench.action.quit)\n\n",
    "x\r\n\r\n# heading\n```\ncode",
    "``` ` `` ![i](//e/x)",
    "`",
    "``",
    " ` ",
    "  two  ",
    "<img src=http://e/x> <!-- &lt; &amp;amp;",
    "[a]: http://e/x\n[a]",
    "<http://e/x> <a@b.example>",
    "**a** __b__ ~~c~~ *d* a|b $x$",
    "\\`a\\` \\[b](c)",
    "\x1b[31m\u202e\u2028![i](x)",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_a_code_span_holds_any_text(text: str) -> None:
    markdown = f"request {code(text)}, used"

    assert kinds(markdown) == {"paragraph", "text", "code_inline"}
    assert words(markdown) == f"request {printable(text)}, used"
    assert kinds(code(text)) == {"paragraph", "code_inline"}


@pytest.mark.parametrize("text", HOSTILE)
def test_literal_text_has_no_markup(text: str) -> None:
    markdown = f"a {literal(text)} b"

    assert kinds(markdown) == {"paragraph", "text"}
    assert words(markdown) == f"a {printable(text)} b"


@pytest.mark.parametrize("text", ["https://e.example/x", "HTTP://e", "WWW.e.example", "www.e.example", "a@e.example"])
def test_literal_text_is_no_link_for_readers_that_link_addresses(text: str) -> None:
    assert not re.search(r"://|www\.|@", literal(text), re.IGNORECASE)
    assert words(literal(text)) == text


@pytest.mark.parametrize("text", HOSTILE)
def test_a_client_without_markdown_gets_the_same_words(text: str) -> None:
    assert without_marks(code(text)).strip(" ") == printable(text).strip(" ")
    assert without_marks(literal(text)) == printable(text)
    assert without_marks(f"**name**: {code('a&amp;`b')}\n\n```\nf(a) → b\n```").splitlines() == [
        "name: a&amp;`b",
        "",
        "",
        "f(a) → b",
    ]


def test_a_code_span_of_a_plain_name_is_short() -> None:
    assert [code("gpu"), code("a`b"), code("`"), code("")] == ["`gpu`", "``a`b``", "`` ` ``", "`  `"]
