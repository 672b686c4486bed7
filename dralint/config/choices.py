"""What people write for releases, feature gates and rules, made into settings; a wrong one is told in one sentence."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from dralint.config.settings import Settings
    from dralint.kubernetes.release import Release

_RULE_PREFIX = re.compile(r"(?i)DRA\d{0,3}\Z")
_WITH_DASH = re.compile(r"\A([\w.]*\d)\s*[-–]\s*([vV]?\d[\w.]*)\Z")
"""A range as people also write it, `1.34-1.36`."""


class ChoiceError(ValueError):
    """A release, gate or rule that does not exist, or cannot be chosen so; the text says what there is.

    `option` is where it was named, as the text begins (`--select`; for programs `select`), `reason` the rest of it.
    """

    def __init__(self, reason: str, option: str = "") -> None:
        super().__init__(f"{option}: {reason}" if option else reason)
        self.option = option
        self.reason = reason


def settings(
    versions: Sequence[str] = (),
    gates: Mapping[str, bool] | None = None,
    *,
    select: Sequence[str] = (),
    ignore: Sequence[str] = (),
    ignore_status: bool = False,
    strict_placeholders: bool = False,
    schemas: Path | None = None,
    namespace: str | None = None,
    complete: bool = False,
    known_classes: Sequence[str] = (),
    slices: Sequence[Path] = (),
    driver_schemas: Sequence[str] = (),
) -> Settings:
    """Return the settings of a run from what the options say; ChoiceError names the option that is wrong."""
    from dralint.config.settings import Settings

    judged = releases(versions, schemas) if versions or schemas else ()
    return Settings(
        releases=judged,
        gates=feature_gates(gates or {}, judged, schemas),
        select=rule_patterns("--select", select),
        ignore=rule_patterns("--ignore", ignore),
        ignore_status=ignore_status,
        strict_placeholders=strict_placeholders,
        schemas=schemas,
        namespace=namespace,
        complete=complete,
        known_classes=tuple(known_classes),
        slices=tuple(map(str, slices)),
        driver_schemas=schema_files(driver_schemas),
    )


def releases(texts: Sequence[str], schemas: Path | None = None) -> tuple[Release, ...]:
    """Return the releases that --kubernetes-version names, in order; none for none.

    Raises:
        ChoiceError: a text that names no release, or a release that there is no data for.
    """
    from dralint.kubernetes.release import ReleaseRange
    from dralint.kubernetes.served import known_releases

    try:
        known = known_releases(schemas)
    except ValueError as error:
        raise ChoiceError(f"{schemas}: {error}", "--schemas") from error
    chosen: set[Release] = set()
    names = ", ".join(map(str, known))
    parts = [part.strip() for joined in texts for part in joined.split(",")]
    for text in filter(None, parts) if any(parts) else parts:
        try:
            dotted = _WITH_DASH.sub(r"\1..\2", re.sub("(?i)latest", str(known[-1]), text))
            wanted = ReleaseRange.parse(dotted)
        except ValueError as error:
            raise ChoiceError(
                f"{error} (also latest, or a range as 1.32..1.36); known are {names}", "--kubernetes-version"
            ) from error
        named = [end for end in (wanted.first, wanted.last) if end is not None]
        unknown = [str(end) for end in named if end not in known] or ([] if named else [repr(text)])
        if unknown:
            raise ChoiceError(f"release {unknown[0]} is not known; known are {names}", "--kubernetes-version")
        chosen |= {release for release in known if release in wanted}
    return tuple(sorted(chosen))


def schema_files(texts: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Return what --driver-schema names, and the file for it.

    Raises:
        ChoiceError: a text that is not KEY=FILE, or one key twice.
    """
    out: dict[str, str] = {}
    for text in texts:
        key, _, file = text.partition("=")
        if not key or not file:
            form = "DRIVER=FILE or GROUP/KIND=FILE"
            raise ChoiceError(f"{text!r} is not of the form {form}", "--driver-schema")
        if key in out:
            raise ChoiceError(f"{key!r} is named twice; only one schema can judge it", "--driver-schema")
        out[key] = file
    return tuple(out.items())


def switched_gates(texts: Sequence[str]) -> dict[str, bool]:
    """Return the gates that texts such as `A=true,B=false` switch.

    Raises:
        ChoiceError: a text of another form.
    """
    from dralint.kubernetes import gates

    try:
        return gates.parse(",".join(texts)) if texts else {}
    except gates.GateError as error:
        raise ChoiceError(str(error), "--feature-gates") from error


def feature_gates(
    chosen: Mapping[str, bool], judged: Sequence[Release], schemas: Path | None = None
) -> tuple[tuple[str, bool], ...]:
    """Return the gates that a run switches, checked against the releases that judge.

    Where no release is named, the gates are those of the newest; a gate that it does not have may be of an older one.

    Raises:
        ChoiceError: a gate that the releases do not have, that is locked, or whose dependency is off.
    """
    if not chosen:
        return ()
    from dralint.kubernetes import gates
    from dralint.kubernetes.served import known_releases

    try:
        if judged:
            gates.check(chosen, judged)
        else:
            known = known_releases(schemas)
            newest = known[-1:]
            general = {gates.ALL_ALPHA, gates.ALL_BETA}
            there = all(name in general or gates.stage(name, newest[0]) is not None for name in chosen)
            gates.check(chosen, newest if there else known)
    except gates.GateError as error:
        raise ChoiceError(str(error), "--feature-gates") from error
    return tuple(chosen.items())


def rule_patterns(option: str, texts: Sequence[str]) -> tuple[str, ...]:
    """Return the rule ids, prefixes of ids and names of --select or --ignore.

    Raises:
        ChoiceError: a text that no rule answers to.
    """
    patterns = [part.strip() for text in texts for part in text.split(",") if part.strip()]
    if not patterns:
        return ()
    from dralint.finding import catalogue

    rules = catalogue.rules().values()
    out: list[str] = []
    for pattern in patterns:
        if _RULE_PREFIX.match(pattern) and any(rule.id.startswith(pattern.upper()) for rule in rules):
            out.append(pattern.upper())
        elif any(rule.name == pattern.lower() for rule in rules):
            out.append(pattern.lower())
        else:
            import difflib

            names = {name.lower(): name for rule in rules for name in (rule.name, rule.id)}
            close = [] if catalogue.is_numbered(pattern) else difflib.get_close_matches(pattern.lower(), names, n=1)
            tip = f"did you mean {names[close[0]]}?" if close else f"{catalogue.listing(pattern)} lists them"
            raise ChoiceError(f"no rule has the id, prefix or name {pattern!r}; {tip}", option)
    return tuple(out)
