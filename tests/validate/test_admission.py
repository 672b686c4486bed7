"""Which requests the rules of admission policies and webhooks see, by release."""

from __future__ import annotations

import json
from typing import Any

import pytest

from dralint.kubernetes.served import ApiVersions
from dralint.validate.admission import plural
from tests.judged import judged

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
    return {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": kind,
        "metadata": {"name": "own-slices"},
        "spec": {place: {"resourceRules": list(rules), **more}},
    }


def webhooks(*rules: dict[str, Any], kind: str = "MutatingWebhookConfiguration", **more: Any) -> dict[str, Any]:
    return {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": kind,
        "metadata": {"name": "dra"},
        "webhooks": [{"name": "other.example.com", "rules": []}, {"name": "a", "rules": list(rules), **more}],
    }


def said(manifest: dict[str, Any], release: str) -> list[tuple[str, str]]:
    found = judged(json.dumps(manifest), release, name="policy.json").findings
    return sorted((finding.rule, finding.path) for finding in found)


def told(manifest: dict[str, Any], release: str) -> list[tuple[str, str, str, str | None]]:
    found = judged(json.dumps(manifest), release, name="policy.json").findings
    return [(finding.rule, finding.path, finding.message, finding.hint) for finding in found]


@pytest.mark.parametrize(
    "kind",
    [
        "ValidatingAdmissionPolicy",
        "MutatingAdmissionPolicy",
        "ValidatingAdmissionPolicyBinding",
        "MutatingAdmissionPolicyBinding",
    ],
)
def test_a_policy_for_a_version_that_is_off_sees_nothing(kind: str) -> None:
    place = "matchResources" if kind.endswith("Binding") else "matchConstraints"
    manifest = policy(rule(["v1beta1"], ["resourceslices"]), kind=kind)

    assert said(manifest, "1.37") == [(SEES_NOTHING, f"spec.{place}.resourceRules[0].apiVersions")]
    assert said(manifest, "1.34") == [(SEES_NOTHING, f"spec.{place}.resourceRules[0].apiVersions")]
    assert said(manifest, "1.33") == []
    assert said(manifest, "1.32") == []


@pytest.mark.parametrize("kind", ["ValidatingWebhookConfiguration", "MutatingWebhookConfiguration"])
def test_a_webhook_is_judged_by_its_own_rules(kind: str) -> None:
    manifest = webhooks(rule(["v1beta2"], ["resourceclaims/status"]), kind=kind)

    assert said(manifest, "1.37") == [(SEES_NOTHING, "webhooks[1].rules[0].apiVersions")]


def test_rules_are_taken_together() -> None:
    old, new = rule(["v1beta1"], ["resourceslices"]), rule(["v1"], ["resourceslices"])

    assert said(policy(old, new), "1.34") == []
    assert said(policy(old, rule(["v1"], ["*"])), "1.34") == []
    assert said(policy(old, rule(["v1"], ["resourceclaims"])), "1.34") == [
        (SEES_NOTHING, "spec.matchConstraints.resourceRules[0].apiVersions")
    ]


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


def test_a_resource_off_by_default_is_judged_by_all_versions_that_can_be_enabled() -> None:
    path = "spec.matchConstraints.resourceRules[0].apiVersions"

    assert said(policy(rule(["v1alpha3"], ["devicetaintrules"])), "1.36") == []
    assert said(policy(rule(["v1alpha3"], ["devicetaintrules"])), "1.37") == [(SEES_NOTHING, path)]
    assert said(policy(rule(["v1beta1"], ["devicetaintrules"])), "1.36") == [(SEES_NOTHING, path)]
    assert said(policy(rule(["v1"], ["resourceslices", "devicetaintrules"])), "1.36") == []
    assert said(policy(rule(["v1alpha3"], ["resourceslices", "devicetaintrules"])), "1.36") == [(SEES_NOTHING, path)]


def test_exact_lets_other_versions_pass() -> None:
    path = "spec.matchConstraints.matchPolicy"
    exact = {"matchPolicy": "Exact"}

    assert said(policy(rule(["v1"], ["resourceslices"]), **exact), "1.37") == [(EXACT, path)]
    assert said(policy(rule(["v1", "v1beta1", "v1beta2"], ["resourceslices"]), **exact), "1.37") == []
    assert said(policy(rule(["v1"], ["resourceslices"]), rule(["*"], ["*"]), **exact), "1.37") == []
    assert said(policy(rule(["v1beta1"], ["resourceslices"]), **exact), "1.37") == [
        (SEES_NOTHING, "spec.matchConstraints.resourceRules[0].apiVersions")
    ]
    assert said(webhooks(rule(["v1beta1"], ["resourceclaims"]), **exact), "1.33") == [
        (EXACT, "webhooks[1].matchPolicy")
    ]


def test_what_ends_with_the_next_release_is_told_before() -> None:
    path = "webhooks[1].rules[0].apiVersions[0]"

    assert said(webhooks(rule(["v1beta1", "v1"], ["resourceclaims"])), "1.37") == [(ENDS, path)]
    assert said(webhooks(rule(["v1beta1", "v1"], ["resourceclaims"])), "1.36") == []
    assert said(webhooks(rule(["v1beta1", "v1beta2", "v1"], ["resourceclaims"])), "1.37") == []


def test_what_ends_is_looked_for_in_every_resource_of_a_rule() -> None:
    manifest = webhooks(rule(["v1beta1", "v1"], ["devicetaintrules", "resourceclaims"]))

    assert told(manifest, "1.37") == [
        (
            ENDS,
            "webhooks[1].rules[0].apiVersions[0]",
            '"v1beta1" of resourceclaims is no longer served in 1.38',
            "the entry can go",
        )
    ]


@pytest.mark.parametrize(
    ("versions", "release", "why", "hint"),
    [
        (["v1beta1"], "1.37", '"v1beta1" is not served by default', 'name "v1"'),
        (["v1"], "1.33", '"v1" is not served', 'name "v1beta2"'),
        ([*"abcde"], "1.37", '"a", "b", "c", "d" and "e" are not served', 'name "v1"'),
        ([*"abcdef"], "1.37", '"a", "b", "c", "d", "e" and 1 more are not served', 'name "v1"'),
    ],
)
def test_a_rule_that_sees_nothing_is_told_which_version_to_name(
    versions: list[str], release: str, why: str, hint: str
) -> None:
    assert told(policy(rule(versions, ["resourceclaims"])), release) == [
        (
            SEES_NOTHING,
            "spec.matchConstraints.resourceRules[0].apiVersions",
            f"the rule sees no request for resourceclaims: {why}, and the server does not report it",
            f'{hint} as well, or write apiVersions: ["*"]',
        )
    ]


def test_the_first_of_the_versions_is_underlined() -> None:
    text = json.dumps(policy(rule(["v1alpha1", "v1alpha2"], ["resourceclaims"])), indent=1)
    report = judged(text, "1.37", name="policy.json")

    [found] = report.findings
    assert (found.rule, text.splitlines()[found.line - 1].strip()) == (SEES_NOTHING, '"v1alpha1",')


@pytest.mark.parametrize(
    ("resource", "span"),
    [
        ("resourceclassparameters", "only 1.30 has"),
        ("resourceclasses", "only 1.26 to 1.30 have"),
        ("podschedulingcontexts", "only 1.27 to 1.31 have"),
    ],
)
def test_a_resource_of_other_releases_is_told_with_them(resource: str, span: str) -> None:
    assert told(policy(rule(["*"], [resource])), "1.34") == [
        (
            NO_SUCH_RESOURCE,
            "spec.matchConstraints.resourceRules[0].resources[0]",
            f'{span} the resource "{resource}": elsewhere the rule sees nothing',
            (
                "remove it, or name one of "
                "deviceclasses, devicetaintrules, resourceclaims, resourceclaimtemplates, resourceslices"
            ),
        )
    ]


def test_exact_for_any_resource_names_those_that_pass() -> None:
    assert told(policy(rule(["v1"], ["*"]), matchPolicy="Exact"), "1.36") == [
        (
            EXACT,
            "spec.matchConstraints.matchPolicy",
            (
                "with matchPolicy Exact, the rules do not see requests for deviceclasses, resourceclaims, "
                'resourceclaimtemplates or resourceslices through "v1beta2" or "v1beta1", where the cluster enables it'
            ),
            "write matchPolicy: Equivalent, or add these versions to apiVersions",
        )
    ]


def test_a_misspelt_resource_is_told_with_what_was_meant() -> None:
    manifest = policy(rule(["v1"], ["resourceclaim/status", "resourceslices"]))
    report = judged(json.dumps(manifest), "1.37", name="policy.json")

    assert [(f.rule, f.path, f.message, f.hint) for f in report.findings] == [
        (
            NO_SUCH_RESOURCE,
            "spec.matchConstraints.resourceRules[0].resources[0]",
            'resource.k8s.io has no resource "resourceclaim": the rule sees no request for it',
            'did you mean "resourceclaims/status"?',
        )
    ]


def test_what_releases_say_alike_is_one_finding() -> None:
    text = json.dumps(policy(rule(["v1beta1"], ["resourceslices"])))
    report = judged(text, "1.33", "1.34", "1.35", "1.36", name="p.json")

    assert [(f.rule, f.line, f.releases) for f in report.findings] == [(SEES_NOTHING, 1, ("1.34", "1.35", "1.36"))]
    assert report.objects == 1


def test_the_resources_of_all_kinds() -> None:
    assert {plural(kind) for kind in ApiVersions().kinds} == {
        "deviceclasses",
        "devicetaintrules",
        "podschedulingcontexts",
        "podschedulings",
        "resourceclaimparameters",
        "resourceclaims",
        "resourceclaimtemplates",
        "resourceclasses",
        "resourceclassparameters",
        "resourcepoolstatusrequests",
        "resourceslices",
    }
