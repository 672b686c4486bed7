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


def test_a_validating_webhook_is_judged_as_a_mutating_one() -> None:
    manifest = webhooks(rule(["v1beta2"], ["resourceclaims/status"]), kind="ValidatingWebhookConfiguration")

    assert said(manifest, "1.37") == [(SEES_NOTHING, f"{HOOK}.rules[0].apiVersions")]


@pytest.mark.parametrize(
    "one",
    [
        rule(["v1beta1"], ["widgets"], ["example.com"]),
        rule(["v1beta1"], ["*"], ["apps"]),
        rule(["v1beta1"], ["resourceslices"], ["*"]),
        rule(["*"], ["*"]),
        rule(["*"], ["*/*"]),
        rule(["v1"], ["pods", "resourceclaims"], ["", "resource.k8s.io"]),
        rule(["${VERSION}"], ["resourceslices"]),
        rule(["v1"], ["${RESOURCE}"]),
        rule(["v1", "v1beta1", "v1beta2"], ["resourceslices", "podschedulingcontexts"]),
    ],
)
def test_nothing_is_said_of_what_may_see_a_request(one: dict[str, Any]) -> None:
    assert [said(policy(one), release) for release in ("1.34", "1.37")] == [[], []]


@pytest.mark.parametrize("value", [None, 5, "v1beta1", {}, [], [5], [None], [["v1"]]])
def test_what_is_no_rule_is_passed_over(value: Any) -> None:
    broken = {"apiGroups": ["resource.k8s.io"], "apiVersions": value, "resources": value}

    assert said(policy(broken), "1.37") == []
    assert said(policy({"apiGroups": value}), "1.37") == []
    assert said({**policy(), "spec": value}, "1.37") == []
    assert said({**webhooks(), "webhooks": value}, "1.37") == []


def sees_nothing(why: str) -> str:
    return f"the rule sees no request for resourceclaims: {why}, and the server does not report it"


def of_claims(*versions: str) -> dict[str, Any]:
    return policy(rule([*versions], ["resourceclaims"]))


RESOURCE = "spec.matchConstraints.resourceRules[0].resources[0]"
OTHERS = (
    "remove it, or name one of deviceclasses, devicetaintrules, resourceclaims, resourceclaimtemplates, resourceslices"
)
EXACT_MISSES = (
    "with matchPolicy Exact, the rules do not see requests for deviceclasses, resourceclaims, "
    'resourceclaimtemplates or resourceslices through "v1beta2" or "v1beta1", where the cluster enables it'
)


@pytest.mark.parametrize(
    ("manifest", "release", "place", "message", "hint"),
    [
        (of_claims("v1beta1"), "1.37", (SEES_NOTHING, VERSIONS), sees_nothing('"v1beta1" is not served by default'),
         'name "v1" as well, or write apiVersions: ["*"]'),
        (of_claims("v1"), "1.33", (SEES_NOTHING, VERSIONS), sees_nothing('"v1" is not served'),
         'name "v1beta2" as well, or write apiVersions: ["*"]'),
        (of_claims(*"abcde"), "1.37", (SEES_NOTHING, VERSIONS),
         sees_nothing('"a", "b", "c", "d" and "e" are not served'), 'name "v1" as well, or write apiVersions: ["*"]'),
        (of_claims(*"abcdef"), "1.37", (SEES_NOTHING, VERSIONS),
         sees_nothing('"a", "b", "c", "d", "e" and 1 more are not served'),
         'name "v1" as well, or write apiVersions: ["*"]'),
        (webhooks(rule(["v1beta1", "v1"], ["devicetaintrules", "resourceclaims"])), "1.37",
         (ENDS, f"{HOOK}.rules[0].apiVersions[0]"), '"v1beta1" of resourceclaims is no longer served in 1.38',
         "the entry can go"),
        (policy(rule(["*"], ["resourceclassparameters"])), "1.34", (NO_SUCH_RESOURCE, RESOURCE),
         'only 1.30 has the resource "resourceclassparameters": elsewhere the rule sees nothing', OTHERS),
        (policy(rule(["*"], ["resourceclasses"])), "1.34", (NO_SUCH_RESOURCE, RESOURCE),
         'only 1.26 to 1.30 have the resource "resourceclasses": elsewhere the rule sees nothing', OTHERS),
        (policy(rule(["v1"], ["resourceclaim/status", "resourceslices"])), "1.37", (NO_SUCH_RESOURCE, RESOURCE),
         'resource.k8s.io has no resource "resourceclaim": the rule sees no request for it',
         'did you mean "resourceclaims/status"?'),
        (policy(rule(["v1"], ["*"]), matchPolicy="Exact"), "1.36", (EXACT, "spec.matchConstraints.matchPolicy"),
         EXACT_MISSES, "write matchPolicy: Equivalent, or add these versions to apiVersions"),
    ],
)  # fmt: skip
def test_it_is_told_which_requests_and_what_to_write(
    manifest: dict[str, Any], release: str, place: tuple[str, str], message: str, hint: str
) -> None:
    [found] = judged(json.dumps(manifest), release, name="policy.json").findings

    assert (found.rule, found.path) == place
    assert (found.message, found.hint) == (message, hint)


def test_what_releases_say_alike_is_one_finding() -> None:
    text = json.dumps(policy(rule(["v1beta1"], ["resourceslices"])))
    report = judged(text, "1.33", "1.34", "1.35", "1.36", name="p.json")

    assert [(f.rule, f.line, f.releases) for f in report.findings] == [(SEES_NOTHING, 1, ("1.34", "1.35", "1.36"))]
    assert report.objects == 1
