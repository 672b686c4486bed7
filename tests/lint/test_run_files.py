"""Objects of a run are found by their places: in the documents that the run has kept, or else in the files."""

from __future__ import annotations

from dralint.lint.run_files import RunFiles
from dralint.yaml import Document, read

TEXT = b"kind: A\n---\nkind: B\n---\nkind: List\nitems: [{kind: C}]\n"


def _read(text: bytes, asked: list[str]) -> RunFiles:
    def raw(name: str) -> bytes | None:
        asked.append(name)
        return text if name == "there.yaml" else None

    return RunFiles(raw, {"there.yaml": _documents(text)[:1]})


def _documents(text: bytes) -> list[Document]:
    return list(read(text))


def test_an_object_of_a_kept_document_is_found_without_its_file() -> None:
    asked: list[str] = []
    place = _read(TEXT, asked).place(("there.yaml", 0, ()))

    assert place is not None
    assert (place.file, place.document.index, place.item.kind) == ("there.yaml", 0, "A")
    assert asked == []


def test_a_file_is_read_once_for_objects_of_other_documents() -> None:
    asked: list[str] = []
    files = _read(TEXT, asked)
    found = [files.place(("there.yaml", document, path)) for document, path in ((1, ()), (2, ("items", 0)), (9, ()))]

    assert [None if place is None else place.item.kind for place in found] == ["B", "C", None]
    assert asked == ["there.yaml"]


def test_a_file_that_can_no_longer_be_read_has_no_objects() -> None:
    files = _read(TEXT, [])

    assert files.place(("gone.yaml", 1, ())) is None
    assert list(files.judged("gone.yaml")) == []
