"""Reversed domains are distinguished from those that only look reversed."""

from __future__ import annotations

import pytest

from dralint.kubernetes.near import forward_domain
from tests.slice_manifests import said, slice_of


@pytest.mark.parametrize(
    ("text", "forward"),
    [
        ("com.example.gpu", "gpu.example.com"),
        ("org.example.fast-nic", "fast-nic.example.org"),
        ("io.k8s.example.dra", "dra.example.k8s.io"),
        ("COM.Example.GPU", "gpu.example.com"),
        ("ai.example.accelerator", "accelerator.example.ai"),
    ],
)
def test_a_reversed_domain_is_turned_round(text: str, forward: str) -> None:
    assert forward_domain(text) == forward


@pytest.mark.parametrize(
    "text",
    [
        "gpu.nvidia.com",
        "gpu.example.com",
        "dra.net",
        "net.example.com",
        "io-thing.example.com",
        "ai.example.de",
        "dev.gpu",
        "com.example",
        "cloud.example.internal",
        "gpu.amd.com",
        "gpu.intel.com",
        "compute-domain.nvidia.com",
        "networking.k8s.aws",
        "net.example.cloud",
        "tpu.google.com",
        "dra.cpu",
        "",
        "com",
        "...",
    ],
)
def test_a_domain_in_its_usual_order_is_left_alone(text: str) -> None:
    assert forward_domain(text) is None


def test_advice_stands_at_the_driver_and_refuses_nothing() -> None:
    findings = said(slice_of(driver="com.example.gpu"), "1.34")

    message = '"com.example.gpu" looks like a domain in reversed order; driver names use the usual order'
    assert [(f.rule, f.path, f.line, f.message) for f in findings] == [("DRA701", "spec.driver", 6, message)]
