"""dralint reports a damaged folder of releases at once."""

from __future__ import annotations

from pathlib import Path

import pytest

from dralint.config.choices import ChoiceError
from dralint.config.settings import resolve


@pytest.mark.parametrize("text", ["", "[]", "{", '{"kinds": {"resource.k8s.io/v1": [{"kind": "X"}]}, "schemas": {}}'])
def test_a_damaged_release_is_a_usage_error(tmp_path: Path, text: str) -> None:
    folder = tmp_path / "upstream"
    folder.mkdir()
    file = folder / "1.98.json"
    file.write_text(text, "utf-8")

    with pytest.raises(ChoiceError) as error:
        resolve({"schemas": tmp_path})

    assert str(error.value) == (
        f"schemas: {tmp_path}: {file} is not what `dralint schema generate` writes; generate it again"
    )
