"""Which names are misspelt, and which are other things."""

from __future__ import annotations

import pytest

from dralint.references.misspelt_names import KnownNames, is_misspelt


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("gpu-smal", "gpu-small"),
        ("gpu.exmaple.com", "gpu.example.com"),
        ("shared-gpu", "shared-gpus"),
        ("vector-db-gpu", "vectordb-gpu"),
        ("rdma-nic", "nic-rdma"),
        ("gpu-14", "gpu-l4"),
        ("example.com/a-100", "example.com/a100"),
        ("inferense", "inference"),
        ("Shared", "shared"),
        ("gpu.nvidia.co", "gpu.nvidia.com"),
        ("gpu.example.cmo", "gpu.example.com"),
        ("gpu.akme.com", "gpu.acme.com"),
        ("gpu.acme.oi", "gpu.acme.io"),
    ],
)
def test_slips(written: str, meant: str) -> None:
    assert is_misspelt(written, meant)
    assert KnownNames([meant, "something-else"]).near(written) == [meant]


@pytest.mark.parametrize(
    ("written", "other"),
    [
        ("gpu-a100", "gpu-h100"),
        ("team-a", "team-b"),
        ("cpu.example.com", "gpu.example.com"),
        ("gpu-1", "gpu-2"),
        ("gpu-1", "gpu-10"),
        ("gpu.example.org", "gpu.example.com"),
        ("gpu.ai", "gpu.a"),
        ("gpu.tier.c", "gpu.tier.b"),
        ("gpu.tier.a1", "gpu.tier.1a"),
        ("gpu.oi", "gpu.io"),
        ("gpu.acme.io", "large-gpu.acme.io"),
        ("gpu.tier.v1", "gpu.tier.v"),
        ("gp.nvidia.com", "gpu.nvidia.com"),
        ("net.example.com", "gpu.example.com"),
        ("gpux.acme.com", "gpuy.acme.com"),
        ("gpu.abc.com", "gpu.abd.com"),
        ("mig-1g", "mig-3g"),
        ("gpu", "gpu"),
    ],
)
def test_other_things(written: str, other: str) -> None:
    assert not is_misspelt(written, other)
    assert KnownNames([other]).near(written) == []
