"""Objects that are lost because of their place."""

from __future__ import annotations

from tests.judged import judged

CLAIM = "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata: {name: a}\nspec: {}\n"


def rows(text: str) -> list[tuple[str, str | None, str, int, int, str]]:
    report = judged(text, "1.34")
    return [(f.rule, f.reason, f.path, f.line, f.column, f.message) for f in report.findings]


def test_an_object_of_a_near_group_without_a_kind_is_reported() -> None:
    text = CLAIM.replace("resource.", "resources.").replace("kind:", "ind:")

    assert rows(text) == [("DRA012", "Required", "kind", 2, 1, "`kind` is missing")]


def test_an_object_of_ours_is_reported_though_its_version_or_both_keys_are_misspelt() -> None:
    keys = CLAIM.replace("apiVersion:", "apiVersions:").replace("kind:", "kinds:")
    values = CLAIM.replace("k8s.io/v1", "k8s.iov1").replace("kind: ResourceClaim", "kind: ResourceClaims")
    message = 'unknown kind "ResourceClaims" in resource.k8s.iov1'

    assert rows(keys) == [("DRA012", "Required", "kind", 2, 1, "`kind` is missing")]
    assert rows(values) == [("DRA106", "NotServed", "kind", 2, 7, message)]
    assert rows("# resource.k8s.io\napiVersions: resource.k8s.io/v1\n") == []
    assert rows(keys.replace("apiVersions:", "served:")) == []


def test_of_a_list_of_what_are_no_objects_a_thousand_are_told() -> None:
    found = rows("apiVersion: resource.k8s.io/v1\nkind: ResourceClaimList\nitems:\n" + "- 1\n" * 1002)
    message = "expected an object as item of the list, found the number 1: kubectl refuses the whole list"

    assert found[998][3:] == (1002, 3, message)
    assert found[999:] == [("DRA012", "TypeInvalid", "items[999]", 1003, 3, f"{message} (further ones are not listed)")]
