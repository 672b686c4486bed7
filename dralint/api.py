"""dralint for other programs: texts or files in, a report out. The names are exported by `dralint` itself."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from dralint.config import choices
from dralint.files.discover import Found, discover
from dralint.lint.linter import Linter
from dralint.lint.pool import Task, judge_texts, run

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dralint.finding.report import Report


def lint_text(
    text: str | bytes,
    *,
    name: str = "<text>",
    kubernetes_version: Sequence[str] = (),
    feature_gates: Mapping[str, bool] | None = None,
    select: Sequence[str] = (),
    ignore: Sequence[str] = (),
    ignore_status: bool = False,
    strict_placeholders: bool = False,
    namespace: str | None = None,
    complete: bool = False,
    known_classes: Sequence[str] = (),
) -> Report:
    """Judge the manifests in a text.

    Args:
        text: YAML documents or JSON values, as in a file.
        name: what findings call it.
        kubernetes_version: releases and ranges as on the command line; none for the newest that serves each object.
        feature_gates: gates switched on or off.
        select, ignore: rule ids, prefixes of ids, or names.
        ignore_status: leave the status of objects out.
        strict_placeholders: judge `${NAME}` and the like in values as the text they are.
        namespace: that of objects that name none.
        complete: whether this is all there is, but for the classes of `known_classes`.

    What is wrong with the text is in the report; nothing is raised for it.

    Raises:
        ChoiceError: an unknown release, gate or rule.
    """
    settings = choices.settings(
        kubernetes_version,
        feature_gates,
        select=select,
        ignore=ignore,
        ignore_status=ignore_status,
        strict_placeholders=strict_placeholders,
        namespace=namespace,
        complete=complete,
        known_classes=known_classes,
    )
    raw = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    return judge_texts(Linter(settings), [(name, raw)], Task(settings))


def lint_paths(
    paths: Sequence[str | os.PathLike[str]],
    *,
    exclude: Sequence[str] = (),
    jobs: int = 1,
    kubernetes_version: Sequence[str] = (),
    feature_gates: Mapping[str, bool] | None = None,
    select: Sequence[str] = (),
    ignore: Sequence[str] = (),
    ignore_status: bool = False,
    strict_placeholders: bool = False,
    namespace: str | None = None,
    complete: bool = False,
    known_classes: Sequence[str] = (),
    slices: Sequence[str | os.PathLike[str]] = (),
) -> Report:
    """Judge files, directories and globs, found as the command line finds them; further arguments as for `lint_text`.

    Args:
        slices: files and directories of all ResourceSlices there are, which claims are held against.

    A file that cannot be read is in the report's `failures`.

    Raises:
        ChoiceError: an unknown release, gate or rule.
        FileNotFoundError: a path that does not exist.
        ValueError: a malformed pattern in `exclude`.
    """
    settings = choices.settings(
        kubernetes_version,
        feature_gates,
        select=select,
        ignore=ignore,
        ignore_status=ignore_status,
        strict_placeholders=strict_placeholders,
        namespace=namespace,
        complete=complete,
        known_classes=known_classes,
        slices=[Path(path) for path in slices],
    )
    found = discover([os.fspath(path) for path in paths], exclude)
    if found.missing:
        raise FileNotFoundError(found.missing[0])
    stock = discover([os.fspath(path) for path in slices], ()) if slices else Found()
    if stock.missing:
        raise FileNotFoundError(stock.missing[0])
    report = run(found.sources, settings, jobs=jobs, inventory=stock.sources)
    report.failures[:0] = [*found.failures, *stock.failures]
    return report
