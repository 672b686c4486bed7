"""The drivers that have a pack, and whether an input names one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dralint.references.facts import ClaimFacts, Class, SliceFacts

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from dralint.references.facts import Facts, SelectorFacts


DRIVERS = frozenset(
    {
        "ascend.project-hami.io",
        "compute-domain.nvidia.com",
        "dra.cpu",
        "dra.memory",
        "dra.net",
        "dra.nvme",
        "gaudi.intel.com",
        "gpu.amd.com",
        "gpu.example.com",
        "gpu.intel.com",
        "gpu.nvidia.com",
        "hami-core-gpu.project-hami.io",
        "net.example.com",
        "npu.rebellions.ai",
        "ovsdpdk.k8snetworkplumbingwg.io",
        "qat.intel.com",
        "spyre.ibm.com",
        "sriovnetwork.k8snetworkplumbingwg.io",
        "tpu.google.com",
    }
)
CLASSES = {
    "compute-domain-daemon.nvidia.com": "compute-domain.nvidia.com",
    "compute-domain-default-channel.nvidia.com": "compute-domain.nvidia.com",
    "dra.cpu": "dra.cpu",
    "dra.hugepages-1g": "dra.memory",
    "dra.hugepages-2m": "dra.memory",
    "dra.memory": "dra.memory",
    "dra.nvme": "dra.nvme",
    "dra.nvme-vfio": "dra.nvme",
    "gaudi.intel.com": "gaudi.intel.com",
    "gpu-vfio.intel.com": "gpu.intel.com",
    "gpu.amd.com": "gpu.amd.com",
    "gpu.example.com": "gpu.example.com",
    "gpu.intel.com": "gpu.intel.com",
    "gpu.nvidia.com": "gpu.nvidia.com",
    "hami-core-gpu.project-hami.io": "hami-core-gpu.project-hami.io",
    "mig.nvidia.com": "gpu.nvidia.com",
    "net.example.com": "net.example.com",
    "npu.rebellions.ai": "npu.rebellions.ai",
    "ovsdpdk": "ovsdpdk.k8snetworkplumbingwg.io",
    "qat.intel.com": "qat.intel.com",
    "spyre.ibm.com": "spyre.ibm.com",
    "sriovnetwork.k8snetworkplumbingwg.io": "sriovnetwork.k8snetworkplumbingwg.io",
    "tpu.google.com": "tpu.google.com",
    "vfio.gpu.nvidia.com": "gpu.nvidia.com",
}
CONCERNED = frozenset(
    {
        "compute-domain-daemon.nvidia.com",
        "compute-domain-default-channel.nvidia.com",
        "dra.cpu",
        "dra.hugepages-1g",
        "dra.hugepages-2m",
        "dra.memory",
        "dra.nvme",
        "dra.nvme-vfio",
        "gaudi.intel.com",
        "gpu-vfio.intel.com",
        "gpu.amd.com",
        "gpu.intel.com",
        "gpu.nvidia.com",
        "hami-core-gpu.project-hami.io",
        "mig.nvidia.com",
        "npu.rebellions.ai",
        "ovsdpdk",
        "qat.intel.com",
        "spyre.ibm.com",
        "sriovnetwork.k8snetworkplumbingwg.io",
        "tpu.google.com",
        "vfio.gpu.nvidia.com",
    }
)
"""The classes that tell which driver is meant: not those of drivers whose names everybody invents."""
MEANT = frozenset(
    {
        "ascend.project-hami.io",
        "compute-domain.nvidia.com",
        "dra.cpu",
        "dra.memory",
        "dra.net",
        "dra.nvme",
        "gaudi.intel.com",
        "gpu.amd.com",
        "gpu.intel.com",
        "gpu.nvidia.com",
        "hami-core-gpu.project-hami.io",
        "npu.rebellions.ai",
        "ovsdpdk.k8snetworkplumbingwg.io",
        "qat.intel.com",
        "spyre.ibm.com",
        "sriovnetwork.k8snetworkplumbingwg.io",
        "tpu.google.com",
    }
)
"""The drivers whose names tell that they are meant."""
RESOURCES = frozenset(
    {
        "intel.com/gaudi",
        "intel.com/qat",
        "nvidia.com/gpu",
        "rebellions.ai/npu",
    }
)
"""The extended resources that classes of charts offer in some version."""


def concerned(known: Iterable[Facts], own: Collection[str]) -> bool:
    """Say whether the input names a driver that has a pack, or a class of one.

    Args:
        known: the facts of the input.
        own: the drivers with a pack of the user or a chosen version.
    """
    if own:
        return True
    for entry in known:
        body = entry.body
        if isinstance(body, ClaimFacts | Class) and any(config.driver in DRIVERS for config in body.configs):
            return True
        selectors: list[SelectorFacts] = []
        if isinstance(body, ClaimFacts):
            if any(request.device_class in CONCERNED for request in body.requests):
                return True
            selectors = [selector for request in body.requests for selector in request.selectors]
        elif isinstance(body, Class):
            selectors = [*body.selectors]
        if any(driver in selector.expression for selector in selectors for driver in MEANT):
            return True
        if isinstance(body, SliceFacts) and body.driver in DRIVERS:
            return True
    return False


def names_any(known: Iterable[Facts], drivers: Collection[str], driver_of_class: Callable[[str], str | None]) -> bool:
    """Say whether selectors, classes or configurations may name one of the drivers.

    Args:
        known: the facts of the input, and of the classes and claims that it refers to.
        drivers: the drivers.
        driver_of_class: the driver whose chart installs a class, None where no pack has it.
    """
    classes: set[str] = set()
    expressions: set[str] = set()
    for entry in known:
        body = entry.body
        if isinstance(body, ClaimFacts):
            for request in body.requests:
                expressions.update(selector.expression for selector in request.selectors)
                if request.device_class is not None:
                    classes.add(request.device_class)
        elif isinstance(body, Class):
            expressions.update(selector.expression for selector in body.selectors)
            if any(config.driver in drivers for config in body.configs):
                return True
    return any(driver_of_class(name) in drivers for name in classes) or any(
        "\\" in expression or any(driver in expression for driver in drivers) for expression in expressions
    )
