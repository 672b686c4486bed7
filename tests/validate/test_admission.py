"""Which requests the rules of admission policies and webhooks see, by release."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.judged import judged
from tests.objects import item

SEES_NOTHING, NO_SUCH_RESOURCE, EXACT, ENDS = "DRA440", "DRA441", "DRA442", "DRA443"


def rule(
    versions: list[Any], resources: list[Any], groups: list[Any] | None = None, operations: str = "*"
) -> dict[str, Any]:
    return {
        "apiGroups": ["resource.k8s.io"] if groups is None else groups,
        "apiVersions": versions,
        "operations": [operations],
        "resources": resources,
    }


def policy(*rules: dict[str, Any], kind: str = "ValidatingAdmissionPolicy", **more: Any) -> dict[str, Any]:
    place = "matchResources" if kind.endswith("Binding") else "matchConstraints"
    return item(kind, "own-slices", spec={place: {"resourceRules": list(rules), **more}})


def webhooks(*rules: dict[str, Any], kind: str = "MutatingWebhookConfiguration", **more: Any) -> dict[str, Any]:
    hooks = [{"name": "other.example.com", "rules": []}, {"name": "a", "rules": list(rules), **more}]
    return item(kind, "dra", webhooks=hooks)


def said(manifest: dict[str, Any], release: str) -> list[tuple[str, str]]:
    found = judged(json.dumps(manifest), release, name="policy.json").findings
    return sorted((finding.rule, finding.path) for finding in found)


VERSIONS = "spec.matchConstraints.resourceRules[0].apiVersions"
HOOK = "webhooks[1]"
NOTHING = [(SEES_NOTHING, VERSIONS)]
EXACTLY = [(EXACT, "spec.matchConstraints.matchPolicy")]
SLICES, OLD_SLICES = rule(["v1"], ["resourceslices"]), rule(["v1beta1"], ["resourceslices"])


@pytest.mark.parametrize(
    ("manifest", "release", "expected"),
    [
        # rules are taken together
        (policy(OLD_SLICES, SLICES), "1.34", []),
        (policy(OLD_SLICES, rule(["v1"], ["*"])), "1.34", []),
        (policy(OLD_SLICES, rule(["v1"], ["resourceclaims"])), "1.34", NOTHING),
        (webhooks(rule(["v1beta2"], ["resourceclaims/status"])), "1.37", [
            (SEES_NOTHING, f"{HOOK}.rules[0].apiVersions"),
        ]),
        # a resource off by default is judged by all versions that can be enabled
        (policy(rule(["v1alpha3"], ["devicetaintrules"])), "1.36", []),
        (policy(rule(["v1alpha3"], ["devicetaintrules"])), "1.37", NOTHING),
        (policy(rule(["v1beta1"], ["devicetaintrules"])), "1.36", NOTHING),
        (policy(rule(["v1"], ["resourceslices", "devicetaintrules"])), "1.36", []),
        (policy(rule(["v1alpha3"], ["resourceslices", "devicetaintrules"])), "1.36", NOTHING),
        # Exact lets other versions pass
        (policy(SLICES, matchPolicy="Exact"), "1.37", EXACTLY),
        (policy(rule(["v1", "v1beta1", "v1beta2"], ["resourceslices"]), matchPolicy="Exact"), "1.37", []),
        (policy(SLICES, rule(["*"], ["*"]), matchPolicy="Exact"), "1.37", []),
        (policy(OLD_SLICES, matchPolicy="Exact"), "1.37", NOTHING),
        (webhooks(rule(["v1beta1"], ["resourceclaims"]), matchPolicy="Exact"), "1.33", [
            (EXACT, f"{HOOK}.matchPolicy"),
        ]),
        # what ends with the next release
        (webhooks(rule(["v1beta1", "v1"], ["resourceclaims"])), "1.37", [(ENDS, f"{HOOK}.rules[0].apiVersions[0]")]),
        (webhooks(rule(["v1beta1", "v1"], ["resourceclaims"])), "1.36", []),
        (webhooks(rule(["v1beta1", "v1beta2", "v1"], ["resourceclaims"])), "1.37", []),
    ],
)  # fmt: skip
def test_which_rules_see_no_request(manifest: dict[str, Any], release: str, expected: list[tuple[str, str]]) -> None:
    assert said(manifest, release) == expected


@pytest.mark.parametrize("value", [None, 5, "v1beta1", {}, [], [5], [None], [["v1"]]])
def test_what_is_no_rule_is_passed_over(value: Any) -> None:
    broken = {"apiGroups": ["resource.k8s.io"], "apiVersions": value, "resources": value}

    assert said(policy(broken), "1.37") == []
    assert said(policy({"apiGroups": value}), "1.37") == []
    assert said({**policy(), "spec": value}, "1.37") == []
    assert said({**webhooks(), "webhooks": value}, "1.37") == []


def test_what_releases_say_alike_is_one_finding() -> None:
    text = json.dumps(policy(rule(["v1beta1"], ["resourceslices"])))
    report = judged(text, "1.33", "1.34", "1.35", "1.36", name="p.json")

    assert [(f.rule, f.line, f.releases) for f in report.findings] == [(SEES_NOTHING, 1, ("1.34", "1.35", "1.36"))]
    assert report.objects == 1
