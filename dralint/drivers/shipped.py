"""The drivers that have a pack, and the classes that their charts install.

`python drivers/generate.py` writes this module from drivers/*.yaml.
"""

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
RESOURCES: dict[str, list[str]] = {
    "intel.com/gaudi": ["gaudi.intel.com"],
    "intel.com/qat": ["qat.intel.com"],
    "nvidia.com/gpu": ["gpu.nvidia.com", "hami-core-gpu.project-hami.io"],
    "rebellions.ai/npu": ["npu.rebellions.ai"],
}
"""The extended resources that classes of charts offer in some version, and these classes."""
