"""Tolerations of device taints.

Source: validateDeviceToleration in pkg/apis/resource/validation/validation.go (v1.33.13 to v1.37.0).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dralint.finding.path import path_of
from dralint.finding.repair import replaced
from dralint.finding.rule_ids import TOLERATION_SECONDS_UNUSED, TOLERATION_VALUE, UNSUPPORTED_VALUE
from dralint.finding.words import ALLOWED, quoted
from dralint.validate.constraints import check_string
from dralint.validate.relations.claim_takeover import takes_over

if TYPE_CHECKING:
    from collections.abc import Collection

    from dralint.finding.path import Link
    from dralint.validate.context import Context

_EXECUTE = "NoExecute"


def toleration(value: dict[str, Any], link: Link, context: Context) -> Collection[str] | None:
    """Check the value for the operator: Exists has none, Equal a label value; seconds are only for NoExecute."""
    if takes_over(context):
        if not value.get("effect"):
            missing_effect(link, context)
        if path_of(link)[0] == "status":
            return None
    operator, text = value.get("operator") or "Equal", value.get("value") or ""
    if operator == "Exists" and text:
        message = f"operator Exists takes no value, but `value` is {quoted(text)}"
        context.add(TOLERATION_VALUE, (link, "value"), "Invalid", message, "remove `value`, or use operator Equal")
    elif operator == "Equal" and text:
        check_string(text, (link, "value"), context, {"format": "label-value"})
    return _of_time(value, link, context)


def _of_time(value: dict[str, Any], link: Link, context: Context) -> Collection[str] | None:
    """Report an effect that does not fit `tolerationSeconds`, which counts only for NoExecute."""
    effect, allowed = value.get("effect"), context.limits.row("DeviceToleration", "effect").get("enum") or ()
    if not effect or effect == _EXECUTE or value.get("tolerationSeconds") is None:
        return None
    path = path_of((link, "effect"))
    if effect in allowed:
        if path[0] != "status":
            message = (
                "`tolerationSeconds` has no effect here: it limits how long a running Pod tolerates NoExecute, and "
                f"this toleration is for {quoted(effect)}"
            )
            hint = "remove it, or write effect: NoExecute"
            context.add(TOLERATION_SECONDS_UNUSED, (link, "tolerationSeconds"), None, message, hint)
        return None
    message = f"{quoted(effect)} is not supported{ALLOWED}{', '.join(map(quoted, allowed))}"
    hint = f'write "{_EXECUTE}": `tolerationSeconds` applies to no other effect'
    context.add(UNSUPPORTED_VALUE, (link, "effect"), "NotSupported", message, hint, repair=replaced(path, _EXECUTE))
    return ("effect",)


def missing_effect(link: Link, context: Context) -> None:
    """Report a missing effect, which declarative validation treats as an unsupported one."""
    message = (
        f"`effect` cannot be left out in {context.release} with feature gate DeclarativeValidationTakeover; "
        'allowed: "NoSchedule", "NoExecute", "None"'
    )
    hint = 'write the effect that is tolerated, such as "NoSchedule"'
    context.add(UNSUPPORTED_VALUE, (link, "effect"), "NotSupported", message, hint)
