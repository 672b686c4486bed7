"""Tolerations of device taints.

Source: validateDeviceToleration in pkg/apis/resource/validation/validation.go (v1.33.13 to v1.37.0).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dralint.finding.problem import path_of
from dralint.validate.limits import UNSUPPORTED, check_string, quoted
from dralint.validate.relations.claim_takeover import takes_over

if TYPE_CHECKING:
    from collections.abc import Collection

    from dralint.finding.problem import Link
    from dralint.validate.context import Scope

_RULE = "DRA241"


def toleration(value: dict[str, Any], link: Link, scope: Scope) -> Collection[str] | None:
    """The value that an operator takes: Exists none, Equal a label value."""
    if takes_over(scope):
        if not value.get("effect"):
            missing_effect(link, scope)
        if path_of(link)[0] == "status":
            return None
    operator, text = value.get("operator") or "Equal", value.get("value") or ""
    if operator == "Exists" and text:
        scope.add(
            _RULE,
            (link, "value"),
            "Invalid",
            f"operator Exists takes no value, but `value` is {quoted(text)}",
            "remove `value`, or use operator Equal",
        )
    elif operator == "Equal" and text:
        check_string(text, (link, "value"), scope, {"format": "label-value"})
    return None


def missing_effect(link: Link, scope: Scope) -> None:
    """Report an effect that is left out, where declarative validation takes it for an unsupported one."""
    scope.add(
        UNSUPPORTED,
        (link, "effect"),
        "NotSupported",
        f"`effect` cannot be left out in {scope.release} with feature gate DeclarativeValidationTakeover; "
        'allowed: "NoSchedule", "NoExecute", "None"',
    )
