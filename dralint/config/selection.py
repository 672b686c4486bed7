"""Selects the rules that a run reports."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dralint.config.settings import Settings
    from dralint.finding import catalogue


def wanted(rule: catalogue.Rule, settings: Settings) -> bool:
    """Say whether a run with these settings reports the findings of a rule."""
    if settings.select and not any(names(pattern, rule) for pattern in settings.select):
        return False
    return not any(names(pattern, rule) for pattern in settings.ignore)


def names(pattern: str, rule: catalogue.Rule) -> bool:
    """Say whether a pattern (an id, the beginning of one, or a name) matches the rule."""
    return rule.id.startswith(pattern.upper()) or rule.name == pattern
