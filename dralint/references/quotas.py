"""The keys of ResourceQuotas: misspelt ones, and classes that do not exist."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dralint.finding.problem import renamed
from dralint.finding.rule_ids import (
    QUOTA_KEY_MISSPELT,
    QUOTA_WITHOUT_CLASS,
)
from dralint.finding.words import quoted
from dralint.kubernetes.near import did_you_mean
from dralint.kubernetes.quantity import known_quantity
from dralint.kubernetes.workloads import CLASS_QUOTA
from dralint.references.classes import may_be_there
from dralint.references.facts import NAME, Elsewhere, QuotaFacts, is_open

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dralint.references.facts import Facts, Found
    from dralint.references.world import World


def quotas(world: World) -> Iterator[Found]:
    """Yield quotas of the input that limit nothing; what they refuse, `lint.exceeded_quotas` counts."""
    for quota, body in world.index.holding(QuotaFacts):
        for key, name in body.misspelt:
            if not is_open(key):
                what = f"no server counts anything under {quoted(key)}"
                message = f"{what}: this quota limits nothing, and no event is recorded"
                path = ("spec", "hard", key)
                repair = None if name in dict(body.hard) else renamed(path, name)
                hint = did_you_mean([name])
                yield world.found(quota, QUOTA_KEY_MISSPELT, path, message, hint, target="key", repair=repair)
        for key, amount in body.hard:
            if key.endswith(CLASS_QUOTA) and known_quantity(amount) is not None:
                yield from _no_class(world, quota, key.removesuffix(CLASS_QUOTA), key)


def _no_class(world: World, quota: Facts, name: str, key: str) -> Iterator[Found]:
    index = world.index
    if is_open(name) or may_be_there(world, "DeviceClass", name):
        return
    near = index.near("DeviceClass", None, name)
    if near is None and not world.scope.complete:
        return
    message = f"there is no DeviceClass {quoted(name)}: this quota limits nothing, and no event is recorded"
    elsewhere = () if near is None else (Elsewhere(f"the DeviceClass {quoted(near.name)}", near, NAME),)
    hint = "write the name of a class" if near is None else f"did you mean {near.name}{CLASS_QUOTA}?"
    yield world.found(quota, QUOTA_WITHOUT_CLASS, ("spec", "hard", key), message, hint, *elsewhere)
