"""Simulates offline how the scheduler of a release allocates devices.

    from dralint import simulate

    cluster = simulate.Cluster()
    for item in objects:  # as `kubectl get ... -o json` writes them
        cluster.add(item)
    how = simulate.behaviour("1.37")
    for outcome in simulate.allocate(cluster.inventory(how), claims, how):
        print(outcome.node.name, outcome.fits, outcome.error or outcome.allocations)

`Questions` answers for whole Pods and includes what the scheduler does around the allocator. `fits_anywhere` answers in
one sentence. docs/simulating.md has more. Names are resolved when they are first used, so an import of the package
costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dralint.records import lazily

if TYPE_CHECKING:
    from dralint.simulate.allocator import Allocator as Allocator
    from dralint.simulate.allocator import Outcome as Outcome
    from dralint.simulate.allocator import allocate as allocate
    from dralint.simulate.answers import Answer as Answer
    from dralint.simulate.behaviours import Behaviour as Behaviour
    from dralint.simulate.behaviours import behaviour as behaviour
    from dralint.simulate.cluster import Cluster as Cluster
    from dralint.simulate.inventory import ClusterNode as ClusterNode
    from dralint.simulate.inventory import InUse as InUse
    from dralint.simulate.inventory import Inventory as Inventory
    from dralint.simulate.inventory import slices_of as slices_of
    from dralint.simulate.questions import Questions as Questions
    from dralint.simulate.verdict import Verdict as Verdict
    from dralint.simulate.verdict import fits_anywhere as fits_anywhere

_HOMES = {
    "Allocator": "simulate.allocator",
    "Answer": "simulate.answers",
    "Behaviour": "simulate.behaviours",
    "Cluster": "simulate.cluster",
    "InUse": "simulate.inventory",
    "Inventory": "simulate.inventory",
    "ClusterNode": "simulate.inventory",
    "Outcome": "simulate.allocator",
    "Questions": "simulate.questions",
    "Verdict": "simulate.verdict",
    "allocate": "simulate.allocator",
    "behaviour": "simulate.behaviours",
    "fits_anywhere": "simulate.verdict",
    "slices_of": "simulate.inventory",
}

__all__ = [
    "Allocator",
    "Answer",
    "Behaviour",
    "Cluster",
    "ClusterNode",
    "InUse",
    "Inventory",
    "Outcome",
    "Questions",
    "Verdict",
    "allocate",
    "behaviour",
    "fits_anywhere",
    "slices_of",
]

__getattr__ = lazily(globals(), _HOMES)
