"""`dralint server` where its library is missing."""

from __future__ import annotations

import sys

import pytest

from tests.conftest import Run


def test_without_its_library_one_sentence_says_what_to_install(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ["pygls", *(name for name in sys.modules if name.startswith("pygls."))]:
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.delitem(sys.modules, "dralint.server.language_server", raising=False)
    outcome = run("server")

    assert outcome.status == 2
    sentence = (
        "the language server needs a library: pip install 'dralint[server] @ git+https://github.com/dralint/dralint'"
    )
    assert outcome.stderr.splitlines()[-1] == f"Error: {sentence}"
