"""Recognizes 1.35 with the gate DeclarativeValidationTakeover: declarative validation then judges ResourceClaims.

Templates are not concerned, and few verdicts differ: zz_generated.validations.go of pkg/apis/resource/v1 (v1.35.4),
pkg/registry/rest/validate.go of apiserver v0.35.4; the strategy of templates
(pkg/registry/resource/resourceclaimtemplate) does not call it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dralint.validate.context import Context


def takes_over(context: Context) -> bool:
    """Say whether declarative validation has taken over for the object."""
    return (
        "declarative-by-gate" in context.does
        and "DeclarativeValidationTakeover" in context.gates
        and context.kind == "ResourceClaim"
    )
