"""Which files are passed over without being read."""

from __future__ import annotations

import pytest

from dralint.config.settings import Settings
from dralint.lint.linter import Linter
from dralint.manifest.objects import is_passed_over, relevance_of


@pytest.mark.parametrize(
    "text",
    [
        b"a: resource.k8s.io",
        b"claims: []",
        b"resourceClaims: []",
        b"a: ResourceClaim",
        b"a: ResourceSlice",
        b"a: ResourceClass",
        b"a: ResourcePoolStatus",
        b"a: DeviceClass",
        b"a: DeviceTaintRule",
        b"a: resource.kubernetes.io/x",
        b"resourceClaim: x",
        b"resourceClaimTemplate: x",
        b'kind: "Namespace"',
        b"draResources: []",
        b"resourceClaimTemplates: []",
        b"resourceSharing: {}",
        b"deviceClassMappings: []",
        b"requestName: gpu",
        b"grove.io/mnnvl: auto",
        b"dra-device-class: a",
        b"resources: [pods/binding]",
        b"gpuMemoryService: {}",
        b"computeDomain: {}",
        b"spec:\n  containers:\n  - name: a\n  resources:\n    limits: {}\n",
    ],
)
def test_a_file_with_a_mark_is_read(text: bytes) -> None:
    assert relevance_of(text).named.search(text)
    assert not is_passed_over(text, relevance_of(text))


@pytest.mark.parametrize(
    "text",
    [
        b"resources: [a.yaml]\n",
        b"kind: Deployment\nspec:\n  containers:\n  - name: a\n    resources: {}\n",
        b"kind: NamespaceSelector\na: Devices, Resources and laims\n",
    ],
)
def test_a_file_without_any_is_passed_over(text: bytes) -> None:
    assert is_passed_over(text, relevance_of(text))


@pytest.mark.parametrize(
    "text", [b"", b"\xef\xbb\xbfa: 1\n", "a: 1\n".encode("utf-16"), b"a: 1\n---\nb: 2\n", b"---x\n"]
)
def test_a_file_that_may_be_none_or_several_documents_is_looked_at(text: bytes) -> None:
    assert not is_passed_over(text, relevance_of(text))


def test_a_custom_resource_that_names_a_template_for_itself_is_passed_over() -> None:
    text = b"apiVersion: a.example.com/v1\nkind: A\nmetadata: {name: a}\nspec: {resourceClaimTemplate: {name: gpu}}\n"
    report = Linter(Settings()).check("a.yaml", text).report

    assert (report.objects, report.findings) == (0, [])
