"""Pods whose claims are of the older model: they stay as they are, and the report says with which claim."""

from __future__ import annotations

from itertools import permutations

from dralint.manifest.objects import ApiObject
from dralint.migrate.rewrite import Partner, pod_changes, staying


def test_of_claims_of_one_name_the_newest_version_is_named_in_whatever_order_they_come() -> None:
    claims = {"resourceClaims": [{"name": "x", "source": {"resourceClaimName": "c"}}]}
    pod = ApiObject((), "v1", "Pod", {"metadata": {"name": "p"}, "spec": claims})
    partners = [
        Partner("ResourceClaim", None, "c", "resource.k8s.io/v1alpha1"),
        Partner("ResourceClaim", "default", "c", "resource.k8s.io/v1alpha2"),
        Partner("ResourceClaimTemplate", None, "c", "resource.k8s.io/v1alpha2"),
    ]

    found = [staying(pod, pod_changes(pod), frozenset(order)) for order in permutations(partners)]

    path = ("spec", "resourceClaims", 0, "source", "resourceClaimName")
    assert found == [(path, partners[1])] * len(found)


def test_only_claims_that_are_or_may_be_in_the_namespace_of_a_pod_keep_it() -> None:
    claims = {"resourceClaims": [{"name": "x", "source": {"resourceClaimName": "c"}}]}
    metadata = {"name": "p", "namespace": "here"}
    pod = ApiObject((), "v1", "Pod", {"metadata": metadata, "spec": claims})
    elsewhere = Partner("ResourceClaim", "there", "c", "resource.k8s.io/v1alpha2")
    anywhere = Partner("ResourceClaim", None, "c", "resource.k8s.io/v1alpha1")

    path = ("spec", "resourceClaims", 0, "source", "resourceClaimName")
    assert staying(pod, pod_changes(pod), frozenset({elsewhere})) is None
    assert staying(pod, pod_changes(pod), frozenset({elsewhere, anywhere})) == (path, anywhere)
