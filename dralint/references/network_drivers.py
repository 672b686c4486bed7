"""Requests whose devices a driver gives to the whole Pod, not to containers: those of network drivers.

Such a driver moves an interface into the network namespace of the Pod before its containers start, so no container
needs to name the claim.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dralint.references.facts import ClaimFacts, RequestFacts
    from dralint.references.world import World

_DRIVERS = frozenset({"dra.net", "sriovnetwork.k8snetworkplumbingwg.io"})
"""Sources: pkg/driver of kubernetes-sigs/dranet (v1.4.0); pkg/nri of k8snetworkplumbingwg/dra-driver-sriov."""
_CLASSES = frozenset({"mrdma.google.com", "netdev.google.com"})
"""DeviceClasses of dra.net on GKE, whose names do not show it."""
_WORDS = frozenset({"cni", "dranet", "network", "networking", "sriov"})
_OF_OTHERS = ("attributes", "dra.net", "numaNode")
"""An attribute of dra.net that other drivers publish too: dra.cpu and dra.memory."""
_WORD = re.compile(r"[^-.]+")


def serves_pod(world: World, claim: ClaimFacts, request: RequestFacts) -> bool:
    """Say whether the devices of a request come from a network driver, so that no container has to name it."""
    from dralint.references.drivers import DRIVER, demands

    name = request.device_class
    if name is None:
        return False
    top = request.parent or request.name
    alone = all((other.parent or other.name) == top for other in claim.requests)
    own = {request.full_name, request.parent}
    if any(_is_driver(c.driver) for c in claim.configs if (own & {*c.requests} if c.requests else alone)):
        return True
    classes = world.classes(name)
    selectors = [*request.selectors, *(selector for _, body in classes for selector in body.selectors)]
    drivers = demands(selectors).get(DRIVER)
    if drivers:
        return all(_is_driver(str(driver)) for driver in drivers)
    if any(_looks_at_network(selector.expression) for selector in selectors):
        return True
    return not classes and (name in _CLASSES or _is_driver(name))


@lru_cache(maxsize=1000)  # each request of a class needs the class's selectors
def _looks_at_network(expression: str) -> bool:
    """Say whether an expression looks up an attribute or capacity of a network driver."""
    from dralint.references.lookups import looked_up

    return any(_is_driver(parts[1]) for parts in looked_up(expression) if parts != _OF_OTHERS)


def _is_driver(name: str) -> bool:
    """Say whether the name of a driver, or of the class or the attributes of one, is that of a network driver."""
    own = name.rpartition(".")[0] or name  # without the top-level domain
    return name in _DRIVERS or name.endswith(".dra.net") or not _WORDS.isdisjoint(_WORD.findall(own))
