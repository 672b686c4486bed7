"""A rewritten text is read again; a difference from the intended data is reported."""

from __future__ import annotations

import pytest

from dralint.edit.apply import FileText
from dralint.edit.repairs import differences, unlike
from dralint.yaml import Json, read

FILE = b"a: 1\n---\n# only a comment\nb: 2\n"


def test_nothing_is_said_of_what_was_intended() -> None:
    assert list(differences(list(read(FILE)), {1: {"b": 3}}, FILE.replace(b"2", b"3"))) == []


@pytest.mark.parametrize(
    ("after", "text", "path"),
    [
        (b"a: 1\n---\nb: 4\n", "it would differ at b", ("b",)),
        (b"a: 2\n---\n# only a comment\nb: 3\n", "document 0 would change", None),
        (b"a: 1\n", "the file would have 1 documents, not 2", None),
        (b"a: 1\n---\nb: [\n", "it could not be read: ", None),
    ],
)
def test_what_was_not_intended_is_told(after: bytes, text: str, path: tuple[str, ...] | None) -> None:
    (found,) = differences(list(read(FILE)), {1: {"b": 3}}, after)

    assert found.why.startswith(text)
    assert found.path == path


@pytest.mark.parametrize(
    ("one", "other", "path"),
    [
        ({"a": [1, {"b": "x"}]}, {"a": [1, {"b": "x"}]}, None),
        ({"a": 1}, {"a": True}, ("a",)),
        ({"a": 1}, {"a": 1.0}, ("a",)),
        ({"a": [1]}, {"a": [1, 2]}, ("a",)),
        ({"a": None}, {}, ("a",)),
    ],
)
def test_values_are_the_same_only_where_their_types_are(one: Json, other: Json, path: tuple[str, ...] | None) -> None:
    assert unlike(one, other) == path


@pytest.mark.parametrize(
    "raw",
    [
        b"a: \xc3\xa9\n",
        b"\xef\xbb\xbfa: 1\r\n",
        "\ufeffa: é\n".encode("utf-16-le"),
        "\ufeffa: é".encode("utf-16-be"),
        b"a: \xff\n",
    ],
)
def test_a_file_comes_back_as_the_bytes_that_it_was(raw: bytes) -> None:
    file = FileText(raw)
    assert file.encode(file.text) == raw


def test_where_a_document_starts_is_counted_in_characters() -> None:
    for raw in (
        "é: 1\n---\nb: 2\n".encode(),
        "\ufeffé: 1\n---\nb: 2\n".encode(),
        "\ufeffé: 1\n---\nb: 2\n".encode("utf-16-le"),
    ):
        file = FileText(raw)
        documents = list(read(raw))
        assert file.text[file.offsets(documents)[1] :] == documents[1].text == "b: 2\n"
