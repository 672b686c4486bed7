"""Matches findings with the `ignores` of the configuration, for files that cannot have comments."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dralint.config.paths import matches
from dralint.config.selection import names

if TYPE_CHECKING:
    from dralint.config.settings import Ignore
    from dralint.finding.catalogue import Rule
    from dralint.finding.finding import Finding


def covers(ignore: Ignore, finding: Finding, rule: Rule) -> bool:
    """Say whether an entry ignores the finding: its rule, file, object and field path must match, where it has them."""
    return (
        any(names(pattern, rule) for pattern in ignore.rules)
        and (not ignore.object or _is_object(ignore.object, finding))
        and (
            not ignore.path
            or finding.path == ignore.path
            or finding.path.startswith((ignore.path + ".", ignore.path + "["))
        )
        and (not ignore.paths or matches(ignore.paths, ignore.base, finding.file))
    )


def _is_object(text: str, finding: Finding) -> bool:
    """Say whether NAME, NAMESPACE/NAME, KIND/NAME or KIND/NAMESPACE/NAME is the object of the finding."""
    if finding.object is None:
        return False
    kind, namespace, name = (finding.object.get(key) or "" for key in ("kind", "namespace", "name"))
    return text in (name, f"{namespace}/{name}", f"{kind}/{name}", f"{kind}/{namespace}/{name}")
