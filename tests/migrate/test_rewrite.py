"""Files are rewritten object by object; objects that cannot be rewritten do not change, and are reported."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from dralint.edit.apply import Rewriting
from dralint.migrate.rewrite import MigratedFile, Target, TargetError, rewrite
from dralint.yaml import read
from tests.objects import device_class

CLAIM = """\
apiVersion: resource.k8s.io/v1beta1  # the version
kind: ResourceClaim
metadata:
  name: train
spec:
  devices:
    requests:
    - name: gpu
      deviceClassName: gpu.example.com  # the class
"""
MIGRATED = """\
apiVersion: resource.k8s.io/v1  # the version
kind: ResourceClaim
metadata:
  name: train
spec:
  devices:
    requests:
    - name: gpu
      exactly:
        deviceClassName: gpu.example.com  # the class
"""


def to(target: str, text: str) -> MigratedFile:
    return rewrite(text.encode(), Target.parse(target))


def text_of(outcome: MigratedFile) -> str:
    assert outcome.problems == []
    assert outcome.raw is not None
    return outcome.raw.decode()


def test_a_misspelt_field_moves_with_its_neighbours_and_an_unknown_one_stays() -> None:
    added = "      counts: 2\n      gpus: 3\n      firstAvailables: []\n"
    moved = "        counts: 2\n      gpus: 3\n      firstAvailables: []\n"

    assert text_of(to("v1", CLAIM + added)) == MIGRATED + moved


def told(outcome: MigratedFile) -> list[tuple[str, str, int, str, str | None]]:
    """Return rule, path, line, message and hint of what was left alone."""
    from dralint.finding import catalogue
    from dralint.lint.report_builder import finding_of
    from dralint.manifest.objects import Place

    rules = catalogue.rules()
    found = [finding_of(Place("x", document, item), rules[p.rule], p, ()) for document, item, p in outcome.problems]
    return [(f.rule, f.path, f.line, f.message, f.hint) for f in found]


def test_an_object_is_rewritten() -> None:
    outcome = to("resource.k8s.io/v1", CLAIM)
    assert text_of(outcome) == MIGRATED
    assert [(move.item.api_version, move.target) for move in outcome.moves] == [
        ("resource.k8s.io/v1beta1", "resource.k8s.io/v1")
    ]


def test_what_is_there_already_does_not_change() -> None:
    outcome = to("v1", MIGRATED)
    assert (outcome.raw, outcome.moves, outcome.problems) == (None, [], [])


@pytest.mark.parametrize(
    ("target", "version"),
    [
        ("1.34", "v1"),
        ("v1.36.2", "v1"),
        ("1.33", "v1beta2"),
        ("1.32..1.36", "v1beta1"),
        ("1.33..1.35", "v1beta2"),
        ("latest", "v1"),
    ],
)
def test_a_release_stands_for_an_api_version(target: str, version: str) -> None:
    text = CLAIM.replace("v1beta1", "v1alpha3")
    assert f"apiVersion: resource.k8s.io/{version}  # the version" in text_of(to(target, text))


SERVED = (
    "ResourceClaim is served by 1.31 in v1alpha3; 1.32 in v1beta1, v1alpha3; 1.33 in v1beta2, v1beta1, v1alpha3; "
    "1.34 in v1, v1beta2, v1beta1"
)


def test_releases_without_a_common_version_are_told() -> None:
    assert told(to("1.31..1.34", CLAIM)) == [
        (
            "DRA508",
            "kind",
            2,
            "no API version of ResourceClaim is served by all of 1.31..1.34; dralint leaves the object unchanged",
            SERVED,
        )
    ]


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("resource.k8s.io/v1alpha2", "resource.k8s.io/v1alpha2 is none of the API versions that can be migrated to"),
        ("1.30", "1.30 serves an older model of resource.k8s.io; 1.31 is the first to migrate to"),
        ("1.99", "release 1.99 is not known; known are 1.26, "),
        ("newest", "'newest' is neither an API version (such as resource.k8s.io/v1) nor a release"),
        ("..", "release '..' is not known"),
    ],
)
def test_a_target_that_makes_no_sense_is_told(target: str, message: str) -> None:
    with pytest.raises(TargetError) as caught:
        Target.parse(target)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize("target", ["1.33", "v1beta2"])
def test_an_object_in_the_shape_of_another_version_is_left_alone_at_the_field_as_written(target: str) -> None:
    text = CLAIM.replace("v1beta1", "v1")
    assert told(to(target, text)) == [
        (
            "DRA097",
            "spec.devices.requests[0].deviceClassName",
            9,
            (
                "`deviceClassName` is here as in v1alpha3 and v1beta1: in v1 it belongs under `exactly:`; "
                "dralint leaves the object unchanged"
            ),
            (
                "move such fields one level deeper, under `exactly:`, or migrate to an API version that has it here: "
                "v1beta1"
            ),
        )
    ]
    assert text_of(to("v1beta1", text)) == CLAIM
    assert told(to(target, MIGRATED)) == []


def test_a_step_of_another_version_is_told_as_written() -> None:
    text = (
        "apiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata: {name: a}\nspec:\n"
        "  devices:\n  - name: gpu-0\n    basic: {attributes: {a: {int: 1}}}\n"
    )
    assert told(to("v1beta2", text)) == [
        (
            "DRA097",
            "spec.devices[0].basic",
            7,
            (
                "`basic` is here as in v1alpha3 and v1beta1: in v1 its fields are one level up; "
                "dralint leaves the object unchanged"
            ),
            ("move the fields under `basic:` one level up, or migrate to an API version that has it here: v1beta1"),
        )
    ]


def test_items_of_lists_are_rewritten() -> None:
    claim = json.dumps(next(iter(read(CLAIM.encode()))).data)
    text = f"apiVersion: v1\nkind: List\nitems:\n- {claim}\n- apiVersion: v1\n  kind: ConfigMap\n"
    assert text_of(to("v1", text)).endswith(
        '"requests": [{"name": "gpu", "exactly": {"deviceClassName": "gpu.example.com"}}]}}}\n'
        "- apiVersion: v1\n  kind: ConfigMap\n"
    )


TYPED = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaimList
items:
- spec: {devices: {requests: [{name: a, exactly: {deviceClassName: b}}]}}
- spec: {devices: {requests: [{name: a, exactly: {deviceClassName: b, capacity: {requests: {m: 1}}}}]}}
"""


def test_a_typed_list_changes_with_its_items() -> None:
    text = text_of(to("v1beta1", TYPED))
    assert text.startswith("apiVersion: resource.k8s.io/v1beta1\nkind: ResourceClaimList\n")
    assert "requests: [{name: a, deviceClassName: b}]" in text


def test_a_typed_list_stays_where_one_of_its_items_does() -> None:
    outcome = to("v1alpha3", TYPED.replace("resource.k8s.io/v1", "resource.k8s.io/v1beta2"))
    assert outcome.raw is None
    assert [row[:4] for row in told(outcome)] == [
        (
            "DRA507",
            "spec.devices.requests[0].exactly.capacity",
            5,
            "`capacity` does not exist in v1alpha3 of 1.33; dralint leaves the object unchanged",
        )
    ]


def test_a_kind_that_the_version_does_not_have() -> None:
    rule = "apiVersion: resource.k8s.io/v1\nkind: DeviceTaintRule\nspec:\n  taint: {key: a, effect: NoExecute}\n"
    assert told(to("v1beta1", rule)) == [
        (
            "DRA508",
            "kind",
            2,
            "resource.k8s.io/v1beta1 has no kind DeviceTaintRule; dralint leaves the object unchanged",
            "it is served in resource.k8s.io/v1alpha3, resource.k8s.io/v1beta2, resource.k8s.io/v1",
        )
    ]


def test_the_older_model_has_to_be_written_by_hand() -> None:
    text = (
        "apiVersion: resource.k8s.io/v1alpha2\nkind: ResourceClass\nmetadata: {name: a}\ndriverName: gpu.example.com\n"
    )
    ((rule, path, line, message, hint),) = told(to("v1", text))
    assert (rule, path, line) == ("DRA508", "apiVersion", 1)
    assert (
        message
        == "resource.k8s.io/v1alpha2 has another model, which cannot be translated; dralint leaves the object unchanged"
    )
    assert hint is not None
    words, _, skeleton = hint.partition("; the new object begins as\n")
    assert words.startswith("a DeviceClass chooses devices by CEL selectors")
    assert next(iter(read(skeleton.encode()))).data == device_class("a", "gpu.example.com")


@pytest.mark.parametrize("kind", ["ResourceClaim", "ResourceClaimTemplate", "ResourceSlice", "ResourceClass"])
def test_the_skeleton_is_what_a_server_takes(kind: str) -> None:
    from dralint import api

    inner = "resourceClassName: gpu" if kind == "ResourceClaim" else "spec: {resourceClassName: gpu}"
    text = f"apiVersion: resource.k8s.io/v1alpha2\nkind: {kind}\nmetadata: {{name: a}}\nspec: {{{inner}}}\n"
    ((_, _, _, _, hint),) = told(to("v1", text))
    assert hint is not None
    skeleton = (
        hint.partition("begins as\n")[2]
        .replace("DRIVER", "gpu.example.com")
        .replace("NODE", "node-1")
        .replace("POOL", "node-1")
    )
    assert [finding.message for finding in api.lint_text(skeleton).findings if finding.effect == "rejected"] == []


POD = """\
apiVersion: apps/v1
kind: Deployment
spec:
  template:
    spec:
      resourceClaims:
      - name: gpu
        source:  # of old
          resourceClaimTemplateName: t  # the template
      - name: nic
        resourceClaimName: n
      containers: []
"""


def test_source_of_pods_becomes_flat() -> None:
    assert text_of(to("v1beta1", POD)) == POD.replace(
        "        source:  # of old\n          resourceClaimTemplateName: t",
        "        # of old\n        resourceClaimTemplateName: t",
    )


def test_templates_and_patches_are_skipped() -> None:
    template = CLAIM.replace("train", "{{ .Values.name }}")
    patch = CLAIM + "$patch: replace\n"
    outcome = to("v1", f"{template}---\n{patch}")
    assert outcome.raw is None
    assert [reason for _, reason in outcome.skipped][1] == "a strategic merge patch"
    assert len(outcome.skipped) == 2


@pytest.mark.parametrize("end", ["\n", "\r\n", ""])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_line_ends_and_byte_order_mark_stay(end: str, mark: str) -> None:
    def shaped(text: str) -> str:
        lines = text.rstrip("\n").split("\n")
        return mark + ("\r\n" if end == "\r\n" else "\n").join(lines) + end

    assert text_of(to("v1", shaped(CLAIM))) == shaped(MIGRATED)


def test_utf_16_stays_utf_16() -> None:
    raw = ("\ufeff" + CLAIM.replace("train", "träin")).encode("utf-16-le")
    outcome = rewrite(raw, Target.parse("v1"))
    assert outcome.raw == ("\ufeff" + MIGRATED.replace("train", "träin")).encode("utf-16-le")


def test_utf_16_with_an_odd_byte_at_its_end_is_left_alone() -> None:
    raw = ("\ufeff" + CLAIM).encode("utf-16-le") + b"\n"

    assert rewrite(raw, Target.parse("v1")).raw is None


TWO_SHAPES = (
    "`exactly` stands next to `deviceClassName`, which no API version allows; dralint leaves the object unchanged"
)


def test_two_shapes_at_once_are_left_alone() -> None:
    text = CLAIM.replace("  # the class", "\n      exactly: {deviceClassName: a}")
    assert told(to("v1", text)) == [
        (
            "DRA097",
            "spec.devices.requests[0].exactly",
            10,
            TWO_SHAPES,
            "remove one of the two",
        )
    ]


def test_a_layout_without_a_place_is_left_alone_and_its_neighbours_are_not() -> None:
    odd = CLAIM.replace("      deviceClassName:", "      ? deviceClassName\n      :")
    outcome = to("v1", f"{odd}---\n{CLAIM}")
    assert [row[:4] for row in told(outcome)] == [
        (
            "DRA097",
            "spec.devices.requests[0]",
            8,
            "`[0]` cannot be rewritten: a key has an anchor, a tag or a `?`; dralint leaves the object unchanged",
        )
    ]
    assert outcome.raw == f"{odd}---\n{MIGRATED}".encode()


def test_a_rewriting_that_would_mean_something_else_is_not_made(monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(self: Rewriting, edits: Any) -> Rewriting:
        return Rewriting(CLAIM.replace("v1beta1", "v1").replace("gpu.example.com", "other.example.com").encode())

    monkeypatch.setattr(Rewriting, "then", wrong)
    outcome = to("v1", CLAIM)
    assert outcome.raw is None
    assert [row[0] for row in told(outcome)] == ["DRA097"]
    assert told(outcome)[0][3].startswith("the rewritten text would not mean the same: it would differ at spec.devices")


@pytest.mark.parametrize("name", ["claim", "slice"])
def test_anchors_aliases_and_merge_keys(name: str) -> None:
    folder = Path(__file__).parent / "layouts"
    before, after = ((folder / f"{name}.{side}.yaml").read_text("utf-8") for side in ("before", "after"))
    assert text_of(to("v1", before)) == after


@pytest.mark.parametrize(
    "raw",
    [
        b"\xff\xfe",
        b"",
        b"resource.k8s.io: [",
        b"apiVersion: resource.k8s.io/v1beta1\nkind: [a]\n",
        b"- 1",
        b'{"apiVersion":"resource.k8s.io/v1beta1"}',
        b"apiVersion: resource.k8s.io/v1beta1\nkind: ResourceSlice\nspec: [1]\n",
        b"apiVersion: resource.k8s.io/v1beta1\nkind: ResourceSlice\nspec: {devices: [1, ~, {basic: 3}]}\n",
    ],
)
def test_any_bytes_at_all(raw: bytes) -> None:
    outcome = rewrite(raw, Target.parse("v1"))
    assert outcome.raw is None or next(iter(read(outcome.raw))).state == "read"


def test_an_older_version_that_was_never_served_beside_the_newer_needs_a_release() -> None:
    migrated = to("v1", CLAIM).raw
    assert migrated is not None
    outcome = to("v1alpha3", migrated.decode())

    assert outcome.raw is None
    assert [(problem.rule, problem.path, problem.message, problem.hint) for _, _, problem in outcome.problems] == [
        (
            "DRA508",
            ("apiVersion",),
            (
                "no release serves ResourceClaim both in resource.k8s.io/v1 and in resource.k8s.io/v1alpha3; "
                "dralint leaves the object unchanged"
            ),
            "name the release it is for (1.31 to 1.33 serve it): --to 1.31",
        )
    ]
