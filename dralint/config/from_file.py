"""Settings for programs: what a configuration file says of judging, and what is chosen besides."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dralint.config import choices
from dralint.config.file import checked, read, shipped_schema, within
from dralint.config.overlay import gate_texts, overlay, refused, version_texts
from dralint.config.schema import texts
from dralint.files.discover import Rooted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dralint.config.file import Configuration
    from dralint.config.settings import Settings

_LISTS = ("select", "ignore", "known-class")
_PLAIN = ("ignore-status", "strict-placeholders", "complete", "namespace")
_NAMES = {"kubernetes-version": "versions", "feature-gates": "gates", "known-class": "known_classes"}
"""Key → its name among the arguments of `choices.settings`, where that is not its own."""


def settings(file: Path, chosen: Mapping[str, Any]) -> tuple[Settings, Configuration]:
    """Return the settings that a configuration file and choices make, and the file as read; choices have the last word.

    What the file says of reports (format, colours and the like) is passed over.

    Args:
        file: `.dralint.yaml`, or a TOML file with `[tool.dralint]`.
        chosen: arguments of `choices.settings`, by name.

    Raises:
        ConfigurationError: the file cannot be read or used.
        ChoiceError: one of the choices is wrong.
    """
    configuration = read(file)
    checked(configuration, shipped_schema())
    said = _said(configuration)
    try:
        made = choices.settings(**{**said, **chosen})
    except choices.ChoiceError as error:
        key = error.option.removeprefix("--")
        if key not in configuration.values or _NAMES.get(key, key) in chosen:
            raise
        raise refused(configuration, error) from error
    folder = os.path.abspath(configuration.folder)  # noqa: PTH100 - a link is followed nowhere else
    exclude = tuple(Rooted(pattern, folder) for pattern in texts(configuration.values.get("exclude", [])))
    return overlay(made, configuration)._replace(exclude=exclude), configuration


def _said(configuration: Configuration) -> dict[str, Any]:
    values = configuration.values
    said: dict[str, Any] = {}
    if "kubernetes-version" in values:
        said["kubernetes-version"] = version_texts(configuration, ("kubernetes-version",))
    if "feature-gates" in values:
        try:
            said["feature-gates"] = choices.switched_gates(gate_texts(values["feature-gates"]))
        except choices.ChoiceError as error:
            raise refused(configuration, error) from error
    said |= {key: texts(values[key]) for key in _LISTS if key in values}
    said |= {key: values[key] for key in _PLAIN if key in values}
    if "slices" in values:
        said["slices"] = [Path(path) for path in within(configuration, "slices", texts(values["slices"]))]
    if "schemas" in values:
        said["schemas"] = Path(within(configuration, "schemas", [values["schemas"]])[0])
    return {_NAMES.get(key, key.replace("-", "_")): value for key, value in said.items()}
