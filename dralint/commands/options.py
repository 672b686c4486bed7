"""What the options of the command line mean; what is wrong with them is said in one sentence, with exit status 2."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import click

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dralint.release import Release

_RULE_PREFIX = re.compile(r"(?i)DRA\d{0,3}\Z")


def releases(texts: Sequence[str], schemas: Path | None = None) -> tuple[Release, ...]:
    """Return the releases that --kubernetes-version names, in order; none for none.

    Raises:
        click.UsageError: a text that names no release, or a release that there is no data for.
    """
    from dralint.engine import known_releases
    from dralint.release import ReleaseRange

    try:
        known = known_releases(schemas)
    except ValueError as error:
        raise click.UsageError(f"--schemas {schemas}: {error}") from error
    chosen: set[Release] = set()
    names = ", ".join(map(str, known))
    for text in texts:
        try:
            wanted = ReleaseRange.parse(re.sub("(?i)latest", str(known[-1]), text.strip()))
        except ValueError as error:
            raise click.UsageError(
                f"--kubernetes-version: {error} (also latest, or a range as 1.32..1.36); known are {names}"
            ) from error
        named = [end for end in (wanted.first, wanted.last) if end is not None]
        unknown = [str(end) for end in named if end not in known] or ([] if named else [repr(text)])
        if unknown:
            raise click.UsageError(f"--kubernetes-version: release {unknown[0]} is not known; known are {names}")
        chosen |= {release for release in known if release in wanted}
    return tuple(sorted(chosen))


def feature_gates(
    texts: Sequence[str], judged: Sequence[Release], schemas: Path | None = None
) -> tuple[tuple[str, bool], ...]:
    """Return what --feature-gates switches.

    Where no release is named, the gates are those of the newest; a gate that it does not have may be of an older one.

    Raises:
        click.UsageError: a gate that the releases do not have, that is locked, or whose dependency is off.
    """
    if not texts:
        return ()
    from dralint import gates
    from dralint.engine import known_releases

    try:
        chosen = gates.parse(",".join(texts))
        if judged:
            gates.check(chosen, judged)
        else:
            known = known_releases(schemas)
            newest = known[-1:]
            general = {gates.ALL_ALPHA, gates.ALL_BETA}
            there = all(name in general or gates.stage(name, newest[0]) is not None for name in chosen)
            gates.check(chosen, newest if there else known)
    except gates.GateError as error:
        raise click.UsageError(f"--feature-gates: {error}") from error
    return tuple(chosen.items())


def rule_patterns(option: str, texts: Sequence[str]) -> tuple[str, ...]:
    """Return the rule ids, prefixes of ids and names of --select or --ignore.

    Raises:
        click.UsageError: a text that no rule answers to.
    """
    patterns = [part.strip() for text in texts for part in text.split(",") if part.strip()]
    if not patterns:
        return ()
    from dralint import catalogue

    rules = catalogue.rules().values()
    out: list[str] = []
    for pattern in patterns:
        if _RULE_PREFIX.match(pattern) and any(rule.id.startswith(pattern.upper()) for rule in rules):
            out.append(pattern.upper())
        elif any(rule.name == pattern.lower() for rule in rules):
            out.append(pattern.lower())
        else:
            import difflib

            names = [name for rule in rules for name in (rule.name, rule.id)]
            close = difflib.get_close_matches(pattern, names, n=1) or difflib.get_close_matches(
                pattern.upper(), names, n=1
            )
            tip = f"did you mean {close[0]}?" if close else "`dralint rules` lists them"
            raise click.UsageError(f"{option}: no rule has the id, prefix or name {pattern!r}; {tip}")
    return tuple(out)


def output_files(texts: Sequence[str], formats: Sequence[str]) -> list[tuple[str, Path]]:
    """Return format and path of each --output-file.

    Raises:
        click.UsageError: no `=`, an unknown format, or a folder that does not exist.
    """
    out: list[tuple[str, Path]] = []
    for text in texts:
        format_, equals, path = text.partition("=")
        if not equals or not path:
            raise click.UsageError(f"--output-file: {text!r} is not of the form FORMAT=PATH")
        if format_ not in formats:
            raise click.UsageError(f"--output-file: no format {format_!r}; there are {', '.join(formats)}")
        file = Path(path)
        if not file.parent.is_dir():
            raise click.UsageError(f"--output-file: the folder {str(file.parent)!r} does not exist")
        if file.is_dir():
            raise click.UsageError(f"--output-file: {path!r} is a folder")
        out.append((format_, file))
    return out


def colored(choice: str, stream: TextIO, environment: Mapping[str, str]) -> bool:
    """Say whether to colour what goes to the stream: the option, then NO_COLOR, then FORCE_COLOR, then the terminal."""
    if choice != "auto":
        return choice == "always"
    if environment.get("NO_COLOR"):
        return False
    if environment.get("FORCE_COLOR", "0") not in ("", "0", "false"):
        return True
    return stream.isatty() and environment.get("TERM") != "dumb"


def terminal_width(stream: TextIO, environment: Mapping[str, str]) -> int:
    """Return the columns to lay text out for: COLUMNS, then the terminal's (120 at most), then 80."""
    columns = environment.get("COLUMNS", "")
    if columns.isdecimal() and 0 < int(columns) <= 1000:
        return int(columns)
    try:
        return min(os.get_terminal_size(stream.fileno()).columns or 80, 120) if stream.isatty() else 80
    except (OSError, ValueError):
        return 80
