"""`dralint rules` and `dralint explain`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dralint.finding import catalogue
from dralint.kubernetes.workloads import POD_SPECS
from tests.conftest import Run
from tests.newest import NEWEST, last_with, since


def test_rules_lists_every_rule_once(run: Run) -> None:
    outcome = run("rules")
    ids = [line[:6] for line in outcome.stdout.splitlines() if line.startswith("DRA") and line[3:6].isdecimal()]

    assert outcome.status == 0
    assert ids == sorted(catalogue.rules())
    assert outcome.stdout.splitlines()[0] == "DRA0xx: reading and decoding"
    assert {rule[:4] for rule in catalogue.rules()} <= set(catalogue.AREAS)


def test_rules_shows_the_selected_ones_by_area(run: Run) -> None:
    outcome = run("rules", "--select", "DRA304,unknown-field", "--color", "always")
    lines = outcome.stdout.splitlines()
    red, plain = "\x1b[1;31m", "\x1b[0m"

    assert lines[0] == f"\x1b[1mDRA1xx: the schema{plain}"
    assert lines[1].startswith(f"{red}DRA101{plain}  unknown-field  {red}rejected{plain}  A field")
    assert lines[3] == f"\x1b[1mDRA3xx: CEL{plain}"
    assert lines[-1] == "2 rules; `dralint explain RULE` explains one"
    rows = json.loads(run("rules", "--select", "DRA304", "--format", "json").stdout)
    assert [row["id"] for row in rows] == ["DRA304"]
    wrong = run("rules", "--select", "unknwn-field")
    assert wrong.status == 2
    assert 'did you mean "unknown-field"?' in wrong.stderr


def test_rules_as_json_has_what_selecting_needs(run: Run) -> None:
    rows = json.loads(run("rules", "--format", "json").stdout)
    row = next(row for row in rows if row["id"] == "DRA101")

    assert [row["id"] for row in rows] == sorted(catalogue.rules())
    assert (row["name"], row["effect"], row["severity"]) == ("unknown-field", "rejected", "error")


@pytest.mark.parametrize("topic", ["DRA101", "dra101", "unknown-field"])
def test_explain_says_what_a_rule_means(run: Run, topic: str) -> None:
    outcome = run("explain", topic)

    assert outcome.status == 0
    assert outcome.stdout.startswith("DRA101 unknown-field\n\n")
    assert "\nWhy\n" in outcome.stdout
    assert "\nWhat to do\n" in outcome.stdout


def test_explain_shows_limits_of_a_field_by_release(run: Run) -> None:
    text = run("explain", "ResourceSlice.spec.devices.taints").stdout

    assert f"  resource.k8s.io/v1        1.34 to {NEWEST}    list of DeviceTaint\n" in text
    assert f"  1.35 to {NEWEST}    at most 16 entries\n" in text
    assert "  1.33, 1.34      at most 4 entries\n" in text
    assert "  1.33 to 1.35    DRADeviceTaints: alpha, off by default\n" in text
    assert "    effect, key, timeAdded, value\n" in text


def test_explain_follows_the_shape_of_each_api_version(run: Run) -> None:
    flat = run("explain", "resourceclaim.spec.devices.requests[0].deviceClassName").stdout.partition("Elsewhere")[0]
    nested = run("explain", "ResourceClaim.spec.devices.requests[0].exactly.deviceClassName").stdout
    nested = nested.partition("Elsewhere")[0]

    assert "resource.k8s.io/v1beta1" in flat
    assert "resource.k8s.io/v1 " not in flat
    assert "resource.k8s.io/v1 " in nested
    assert "resource.k8s.io/v1beta1" not in nested
    assert "a DNS subdomain" in nested


def test_explain_says_where_other_versions_have_the_field(run: Run) -> None:
    taints = run("explain", "ResourceSlice.spec.devices.taints").stdout
    basic = run("explain", "resourceslice.spec.devices[0].basic.taints").stdout
    count = run("explain", "ResourceClaim.spec.devices.requests.count").stdout
    claim = run("explain", "Pod.spec.resourceClaims.resourceClaimName").stdout

    v1beta1 = last_with("resource.k8s.io/v1beta1", "ResourceSlice")
    assert (
        "\nElsewhere\n"
        f"  resource.k8s.io/v1beta1   1.33 to {v1beta1}    ResourceSlice.spec.devices.basic.taints\n"
        "  resource.k8s.io/v1alpha3  1.33            ResourceSlice.spec.devices.basic.taints\n\n"
    ) in taints
    assert f"  resource.k8s.io/v1        1.34 to {NEWEST}    ResourceSlice.spec.devices.taints\n" in basic
    assert f"1.34 to {NEWEST}    ResourceClaim.spec.devices.requests.exactly.count\n" in count
    assert "  v1                        1.26 to 1.30    Pod.spec.resourceClaims.source.resourceClaimName\n" in claim


def test_explain_lists_the_same_fields_once(run: Run) -> None:
    text = run("explain", "DeviceClass.metadata").stdout

    v1beta1, v1beta2 = (last_with(f"resource.k8s.io/{version}", "DeviceClass") for version in ("v1beta1", "v1beta2"))
    assert text.count("ownerReferences") == 1
    assert (
        f"\nFields\n  v1 (1.34 to {NEWEST}), v1beta2 (1.33 to {v1beta2}), v1beta1 (1.32 to {v1beta1}),\n"
        "  v1alpha3 (1.31 to 1.33)\n" in text
    )


@pytest.mark.parametrize(
    ("topic", "lines"),
    [
        (
            "Pod.spec.resourceClaims",
            [
                f"  v1                        1.26 to {NEWEST}    list of PodResourceClaim",
                "  1.32, 1.33      DynamicResourceAllocation: beta, off by default",
                "Fields that concern claims",
                f"  v1 (1.31 to {NEWEST})",
                "    name, resourceClaimName, resourceClaimTemplateName",
                "  v1 (1.26 to 1.30)",
                "    name, source",
            ],
        ),
        ("pod.status", [f"  v1 (1.28 to {NEWEST})", "    resourceClaimStatuses"]),
        (
            "Deployment.spec.template.spec.containers[0].resources",
            [f"  apps/v1                   1.26 to {NEWEST}    ResourceRequirements"],
        ),
        (
            "CronJob.spec.jobTemplate.spec.template.spec.resourceClaims.name",
            [f"  1.26 to {NEWEST}    a DNS label (a-z, 0-9 and -, no - at the ends, at most 63"],
        ),
        (
            "Job.spec.scheduling.resourceClaims",
            [f"  batch/v1                  {since('1.37'):<15} list of PodGroupResourceClaim"],
        ),
        (
            "PodGroup.spec.resourceClaims",
            ["  scheduling.k8s.io/v1alpha2  1.36            list of PodGroupResourceClaim"],
        ),
        ("Workload.spec.podGroupTemplates", ["    resourceClaims"]),
        *((kind, ["Fields that concern claims"]) for _, kind in POD_SPECS),
    ],
)
def test_explain_knows_what_pods_and_workloads_have_of_claims(run: Run, topic: str, lines: list[str]) -> None:
    outcome = run("explain", topic)

    assert outcome.status == 0
    assert set(lines) <= set(outcome.stdout.splitlines())


def test_explain_says_what_a_field_means_and_how_it_is_written(run: Run) -> None:
    text = run("explain", "ResourceClaim.spec.devices.requests").stdout

    assert text.startswith("ResourceClaim.spec.devices.requests\n\nWhat is needed, one entry for each kind of device;")
    assert (
        f"  v1 (1.34 to {NEWEST}), v1beta2 (1.33 to {NEWEST})\n"
        "    exactly, firstAvailable, name\n"
        "    exactly one of exactly, firstAvailable\n"
    ) in text
    assert text.count("exactly one of exactly") == 1
    assert text.endswith(
        "Example (more: dralint explain DRA001)\n"
        "  requests:\n  - name: gpu\n    exactly:\n      deviceClassName: gpu.example.com\n"
    )


def test_explain_counts_what_several_fields_may_hold_together(run: Run) -> None:
    devices = run("explain", "ResourceSlice.spec.devices").stdout
    flat = [run("explain", f"ResourceSlice.spec.devices.{name}").stdout for name in ("attributes", "capacity")]
    nested = run("explain", "ResourceSlice.spec.devices.basic.attributes").stdout

    assert "at most 128 devices in a slice\n" in devices
    assert "at most 64 devices in a slice where one of them has taints,\n" in devices
    shared = "at most 32 attributes and capacities of a device together"
    assert [shared in text for text in [*flat, nested]] == [True, True, True]


def test_explain_says_of_a_field_which_others_it_excludes(run: Run) -> None:
    exactly = run("explain", "ResourceClaim.spec.devices.requests.exactly").stdout
    node = run("explain", "ResourceSlice.spec.nodeName").stdout

    assert f"\nLimits\n  1.33 to {NEWEST}    exactly one of exactly, firstAvailable is set\n" in exactly
    assert "\n  1.31, 1.32      the name of a node\n" in node
    assert "                  exactly one of nodeName, nodeSelector, allNodes is set\n" in node


@pytest.mark.parametrize(
    ("rule", "lines"),
    [
        ("DRA210", [f"  1.31 to {NEWEST}    at most 128 devices in a slice"]),
        ("DRA211", [f"  1.26 to {NEWEST}    at most 262,144 bytes of all annotations together, keys and"]),
        ("DRA215", [f"  1.33 to {NEWEST}    in a DeviceRequest: exactly one of exactly, firstAvailable"]),
        ("DRA250", ["  1.31, 1.32      in a ResourceSliceSpec: exactly one of nodeName, nodeSelector,"]),
        ("DRA251", [f"  1.31 to {NEWEST}    at most 32 attributes and capacities of a device together"]),
        ("DRA253", ["  1.33, 1.34      at most 32 counters that a device consumes together"]),
    ],
)
@pytest.mark.slow
def test_explain_says_of_a_rule_which_limits_several_fields_have_together(
    run: Run, rule: str, lines: list[str]
) -> None:
    shown = run("explain", rule).stdout.partition("\nLimits of several fields together\n")[2].partition("\n\n")[0]

    assert [line for line in lines if line not in shown.splitlines()] == []
    assert "Limits" not in run("explain", "DRA101").stdout


@pytest.mark.slow
def test_every_limit_of_several_fields_names_a_rule() -> None:
    from dralint.explain.fields import of_rule
    from dralint.kubernetes import shipped

    index = shipped.index()
    rows = [*index["totals"].values(), *(row["()"] for row in index["limits"].values() if "()" in row)]

    assert [row for row in rows if row["rule"] not in catalogue.rules() or not of_rule(row["rule"])] == []


@pytest.mark.slow
def test_explain_finds_a_field_by_the_end_of_its_path(run: Run) -> None:
    suffix = run("explain", "spec.devices.requests")

    assert suffix.stdout == run("explain", "ResourceClaim.spec.devices.requests").stdout
    assert run("explain", "devices[0].Taints").stdout.startswith("ResourceSlice.spec.devices.taints\n")
    # only an older API version has it
    assert run("explain", "basic.taints").stdout.startswith("ResourceSlice.spec.devices.basic.taints\n")
    several = run("explain", "conditions.type").stdout
    assert several.startswith("ResourceClaim.status.devices.conditions.type\n")


def test_explain_tells_of_a_feature_gate(run: Run) -> None:
    text = run("explain", "draConsumableCapacity").stdout
    bare = run("explain", "DRASchedulerFilterTimeout").stdout

    assert text.startswith("DRAConsumableCapacity, a feature gate\n\nA device can serve several claims at once")
    assert "\n  1.34, 1.35      alpha, off by default\n" in text
    assert "\nNeeds\n  DynamicResourceAllocation\n" in text
    assert f"\n  {since('1.34'):14}  ResourceClaim.spec.devices.requests.exactly.capacity\n" in text
    assert f"\n  {since('1.35'):14}  ResourceClaim.spec.devices.constraints.distinctAttribute\n" in text
    assert bare.endswith("It controls no field itself.\n")


def test_explain_looks_for_words(run: Run) -> None:
    text = run("explain", "capacity").stdout
    fields, gates, rules = (text.partition(f"\n{title}\n")[2] for title in ("Fields", "Feature gates", "Rules"))

    assert text.startswith("Results for 'capacity' (`dralint explain` explains each)\n")
    assert fields.startswith("  ResourceClaim.spec.devices.requests.exactly.capacity\n      How much of the capacity")
    assert gates.startswith("  DRAConsumableCapacity\n")
    assert "  DRA252 request-policy\n" in rules
    assert "DRAExtendedResource\n" in run("explain", "extended", "resource").stdout
    # of one field alone there is its page
    assert run("explain", "hardwareAddress").stdout.startswith("ResourceClaim.status.devices.networkData.hardware")


def test_explain_is_coloured_where_it_is_asked_for(run: Run) -> None:
    bold, red, plain = "\x1b[1m", "\x1b[1;31m", "\x1b[0m"

    assert run("explain", "DRA101", "--color", "always").stdout.startswith(f"{red}DRA101{plain} {bold}unknown-field")
    assert f"\n{bold}Limits{plain}\n" in run("explain", "ResourceSlice.spec.devices", "--color", "always").stdout
    assert "\x1b" not in run("explain", "DRA101").stdout


@pytest.mark.slow
def test_every_field_has_a_page(run: Run) -> None:
    from dralint.explain import search

    pages = {place.path: run("explain", place.path) for place in search.places() if ".status." not in place.path}

    assert len(pages) > 200
    assert {path: page.stderr for path, page in pages.items() if page.status != 0} == {}


@pytest.mark.parametrize(
    ("topic", "message"),
    [
        (
            "Pod.spec.nodeName",
            'Pod.spec has no field "nodeName" that concerns claims; it has containers, ephemeralContainers,',
        ),
        ("Deploymnt", "there is no rule, kind, field or feature gate 'Deploymnt'; did you mean Deployment?"),
        ("unknwn-field", "there is no rule, kind, field or feature gate 'unknwn-field'; did you mean unknown-field?"),
        ("ResourceClam", "there is no rule, kind, field or feature gate 'ResourceClam'; did you mean ResourceClaim?"),
        ("ResourceClam.spec", 'no release has the kind "ResourceClam"; did you mean "ResourceClaim"?'),
        ("ResourceClaim.spec.devces", 'ResourceClaim.spec has no field "devces"; did you mean "devices"?'),
        ("ResourceClaim.kind.x", "ResourceClaim.kind has no fields"),
        ("DRAConsumableCapcity", "did you mean DRAConsumableCapacity?"),
        ("spec.devces.requests", 'no release has the kind "spec"'),
        ("tolerationz", "did you mean tolerations?"),
        ("DRA999", "there is no rule, kind, field or feature gate 'DRA999'; `dralint rules DRA9` lists the rules"),
        ("dra2", "`dralint rules DRA2` lists the rules"),
        ("DRA2999", "`dralint rules DRA2` lists the rules"),
        ("1.34", "`dralint rules` lists the rules"),
    ],
)
@pytest.mark.slow
def test_explain_suggests_what_could_be_meant(run: Run, topic: str, message: str) -> None:
    outcome = run("explain", topic)

    assert outcome.status == 2
    assert message in " ".join(outcome.stderr.split())


@pytest.mark.parametrize(
    ("word", "tip"),
    [
        ("chek", "; did you mean 'check'?"),
        ("lint", "; did you mean 'check'?"),
        ("convert", "; did you mean 'migrate'?"),
        ("version", "; did you mean --version?"),
        ("there.yaml", "; to check it, write: dralint check there.yaml"),
        ("xyzzy", "; there are check, diff, "),
    ],
)
def test_an_unknown_command_is_told_with_what_was_meant(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, word: str, tip: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "there.yaml").write_text("")
    outcome = run(word)

    assert outcome.status == 2
    assert f"Error: No such command {word!r}{tip}" in outcome.stderr


@pytest.mark.parametrize(
    ("arguments", "tip"),
    [
        (["check", "--fail-on", "none"], "'never'; did you mean 'never'?"),
        (["check", "--format", "xml"], "'markdown'; did you mean 'junit'?"),
        (["check", "--format", "sarf"], "'markdown'; did you mean 'sarif'?"),
        (["check", "--format", "xyzzy"], "'markdown'."),
        (["rules", "--color", "off"], "'never'; did you mean 'never'?"),
    ],
)
def test_a_wrong_choice_is_told_with_what_was_meant(run: Run, arguments: list[str], tip: str) -> None:
    outcome = run(*arguments)

    assert outcome.status == 2
    assert outcome.stderr.rstrip().endswith(tip)


@pytest.mark.parametrize("topic", ["", " "])
def test_nothing_is_not_explained(run: Run, topic: str) -> None:
    outcome = run("explain", topic)

    assert (outcome.status, outcome.stdout) == (2, "")
    assert "name a topic: a rule (DRA203 or unknown-request), a field " in " ".join(outcome.stderr.split())


def test_rules_that_begin_so_are_listed(run: Run) -> None:
    lines = run("rules", "DRA2").stdout.splitlines()

    assert lines[0] == "DRA2xx: names, limits and relations within one object"
    assert {line[:4] for line in lines if line[:3] == "DRA"} == {"DRA2"}
    wrong = run("rules", "DRA98")
    assert wrong.status == 2
    assert "RULE: no rule has the id, prefix or name 'DRA98'; `dralint rules DRA9` lists them" in wrong.stderr


def test_a_rule_number_that_is_none_has_no_nearest_one(run: Run) -> None:
    def told(number: str) -> str:
        return " ".join(run("check", "--select", number).stderr.split()).partition("; ")[2]

    assert told("DRA999") == told("DRA9999") == "`dralint rules DRA9` lists them"
    assert told("DRA299") == told("DRA2999") == told("dra2xx") == "`dralint rules DRA2` lists them"
    assert told("DAR203") == 'did you mean "DRA203"?'
    assert json.loads(run("rules", "DRA2", "--format", "json").stdout) == json.loads(
        run("rules", "--select", "DRA2", "--format", "json").stdout
    )


def test_releases_may_be_joined_as_people_write_them() -> None:
    from dralint.config.choices import ChoiceError, releases

    def names(*texts: str) -> list[str]:
        return list(map(str, releases(texts)))

    assert names("1.34,1.35") == names("1.34-1.35") == names("v1.34 - v1.35.2") == ["1.34", "1.35"]
    assert names("1.33..1.34, 1.36") == ["1.33", "1.34", "1.36"]
    assert names("1.36-latest") == names("1.36..latest") == names("1.36..")
    assert names("1.34,") == ["1.34"]
    for wrong in ("1.35-1.34", ",", "", "-1.34"):
        with pytest.raises(ChoiceError):
            names(wrong)
