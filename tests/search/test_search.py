"""Searched repairs: one mistake in a manifest is undone, and uncertain ones stay."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from dralint.edit.apply import apply
from dralint.finding.finding import Edit, Finding, Fix, Related
from dralint.lint import search_repairs
from tests.conftest import Calls
from tests.fuzz.mistakes import data
from tests.judged import judged

CLAIM = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata:
  name: train
  namespace: ml
spec:
  devices:
    requests:
    - name: gpu
      exactly:
        deviceClassName: gpu.example.com
        count: 2
        selectors:
        - cel:
            expression: device.attributes["gpu.example.com"].model == "a100"
"""


def found(text: str) -> list[Finding]:
    return judged(text, name="claim.yaml").findings


def guessed(text: str) -> str:
    fix = found(text)[0].fix
    return text if fix is None else apply(text, fix.edits)


@pytest.mark.parametrize(
    ("meant", "written", "safe"),
    [
        ("    requests:\n", "    requests;\n", True),
        ("  name: train\n", "  name = train\n", True),
        ("  name: train\n", "  name:train\n", True),
        ("metadata:\n  name: train\n", "metadata: train\n", False),
        ("metadata:\n  name: train\n", "metadata: name=train\n", True),
        ("    - name: gpu\n", "      name: gpu\n", True),
        ("    - name: gpu\n", "    gpu:\n", False),
        ("        count: 2\n", "          count: 2\n", True),
        ("gpu.example.com\n        count: 2\n", "gpu.example.com count: 2\n", True),
        ("resource.k8s.io/v1\n", "resource.k8s.io/v1beta3\n", False),
        ("resource.k8s.io/v1\n", "resources.k8s.io/v1\n", True),
        ('== "a100"', "== a100", True),
        ('== "a100"', '= "a100"', False),
        ('== "a100"', '== a100"', True),
        ('["gpu.example.com"].model', '["gpu.example.com/model"]', True),
        ('["gpu.example.com"].model', '["gpu.example.com".model', True),
        ('["gpu.example.com"].model', '["model"]', False),
        ("device.attributes", "device.capacity", False),
        ('["gpu.example.com"].model', ".gpu.example.com.model", True),
        ("metadata:\n  name: train\n", "  name: train\nmetadata:\n", False),
        ("    requests:\n", "    - requests:\n", False),
        ("        - cel:\n", "          - cel:\n", True),
        ("        - cel:\n            expression: ", "        - cel: expression ", True),
        ("        - cel:\n            expression: ", "        - cel:\n          expression: ", True),
        ("  name: train\n  namespace", "   name: train\n  namespace", True),
        ("  name: train\n", "  name: train,\n", True),
    ],
)
def test_a_slip_is_given_back_safely_where_it_keeps_all_letters(meant: str, written: str, safe: bool) -> None:
    text = CLAIM.replace(meant, written)
    fix = found(text)[0].fix

    assert fix is not None
    assert (data(apply(text, fix.edits)), fix.safe) == (data(CLAIM), safe)


@pytest.mark.parametrize(
    ("meant", "written"),
    [
        (
            '["gpu.example.com"].driver.compareTo(semver("5.0.0")) >= 0',
            '["gpu.example.com/driver"].compareTo(semver("5.0.0")) >= 0',
        ),
        (
            '["gpu.example.com"].driver.isGreaterThan(semver("5.0.0"))',
            '["gpu.example.com"].driver.isGreaterThansemver("5.0.0"))',
        ),
        ('["gpu.example.com"].index in [1, 2]', '["gpu.example.com"].index in [1 2]'),
        ('["gpu.example.com"].model.find("[0-9]+") == "7"', '["gpu.example.com"].model.find([0-9]+") == "7"'),
        ('["gpu.example.com"].model.find("[0-9]+") == "7"', '["gpu.example.com"].model.find("[0-9]+) == "7"'),
    ],
)
def test_a_slip_of_a_selector_is_given_back(meant: str, written: str) -> None:
    good = CLAIM.replace('["gpu.example.com"].model == "a100"', meant)

    assert data(guessed(good.replace(meant, written))) == data(good)


def test_a_name_that_has_gets_in_place_of_a_domain_is_never_made_a_domain() -> None:
    start, end = CLAIM.index("device.attributes"), len(CLAIM) - 1
    wrong, meant = (
        f"{CLAIM[:start]}has(device.attributes{at}){CLAIM[end:]}" for at in ('["model"]', '["gpu.example.com"].model')
    )
    unknown = wrong.replace("gpu.example.com", "gpu")

    assert guessed(wrong) == meant
    assert [(f.rule, f.line, f.hint, f.fix) for f in found(unknown)] == [
        ("DRA301", 15, 'write has(device.attributes["DRIVER"].model), with the name of the driver', None)
    ]


NAMES = ", with the names that the driver publishes"
ASKED = 'device.attributes["gpu.example.com"].model == "a100"'


ACME, MIG = "gpu.acme.example", "mig.nvidia.com"
MEMORY = "device.capacity['gpu.acme.example'].memory.compareTo(quantity('40Gi')) >= 0"
MODEL = 'device.attributes["gpu.acme.example"].model == "H100"'


@pytest.mark.parametrize(
    ("device_class", "written", "meant"),
    [
        # the nearest domain: of the selector, of the request, of the driver of a class that a chart installs
        ("nic.example.com", 'device.driver == "gpu.example.com" && device.attributes["model"].contains("a")',
         'device.driver == "gpu.example.com" && device.attributes["gpu.example.com"].model.contains("a")'),
        (ACME, "device.capacity.memory.compareTo(quantity('40Gi')) >= 0",
         "device.capacity[\"gpu.acme.example\"].memory.compareTo(quantity('40Gi')) >= 0"),
        (ACME, 'device.capacity["memory"].quantity >= quantity("40Gi")',
         'device.capacity["gpu.acme.example"].memory.compareTo(quantity("40Gi")) >= 0'),
        (MIG, "device.attributes.productName.startsWith('NVIDIA')",
         "device.attributes[\"gpu.nvidia.com\"].productName.startsWith('NVIDIA')"),
        (ACME, 'device.attributes.pcieRoot == "pci0000:00"',
         'device.attributes["resource.kubernetes.io"].pcieRoot == "pci0000:00"'),
        # two slips: the section of a device stays, and the type of what is compared decides
        (ACME, "device.capacty['gpu.acme.example'].memory >= '40Gi'", MEMORY),
        (ACME, "device.capacity['gpu.acme.example'].memory => '40Gi'", MEMORY),
        (ACME, "device.capacity['gpu.acme.example'].memory >= '40Gi' and device.driver == 'a.b'",
         f"{MEMORY} && device.driver == 'a.b'"),
        (ACME, 'device.capacity["gpu.acme.example"].model == "H100"', MODEL),
        (ACME, 'device.attributes("gpu.acme.example").model == "H100"', MODEL),
    ],
)  # fmt: skip
def test_the_domain_and_the_section_of_what_a_selector_looks_up(device_class: str, written: str, meant: str) -> None:
    text = CLAIM.replace("deviceClassName: gpu.example.com", f"deviceClassName: {device_class}")

    assert guessed(text.replace(ASKED, written)) == text.replace(ASKED, meant)


NOT_SERVED = """\
apiVersion: c
kind: ResourceClaim
  devices:
    requests:
    - name: r0
      exactly:
  devices:
    requests:
    - name: r0
      exactly:
metadata:
  name: a
"""
NEVER_SERVED = """\
apiVersion: resource.k8s.io/v1alpha2
kind: PodScheduling name: web-0
  namespace: team-a
spec:
  selec1:30tedNode: 0
"""
BELOW_UNKNOWN = """\
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata:
  name: a
spec:
  driver: gpu.example.com
  pool: {name: node-1, generation: 1, resourceSliceCount: 1}
  nodeName: node-1
  devices:
  - name: gpu-0
    ATTRIBUTES:
      healthy:
        bool: true
           example.com/numa:
        int: -1
"""
NO_FIELD = """\
apiVersion: example.com
kind: ResourceClaim
metadata:
  name: a
spec:
  devices: {}
  allocatio
"""


def of_nvidia(expression: str) -> str:
    text = CLAIM.replace("deviceClassName: gpu.example.com", "deviceClassName: gpu.nvidia.com")
    return text.replace(ASKED, expression)


TWO_DOMAINS = 'device.attributes["gpu.example.com"].a == device.attributes["nic.example.com"].a && device.attributes'
CHOICES = [
    f'write `expression: {TWO_DOMAINS}["{domain}"].model.contains("a")`'
    for domain in ("gpu.example.com", "nic.example.com")
]
TWO_REQUESTS = CLAIM.replace("    requests:\n", "    requests:\n    - name: a\n      exactly: {deviceClassName: c}\n")
TWO_REQUESTS = TWO_REQUESTS.replace("        count: 2\n", "")


@pytest.mark.parametrize(
    ("text", "rule", "line", "hint"),
    [
        # equally likely repairs are a choice
        (CLAIM.replace(ASKED, f'{TWO_DOMAINS}["model"].contains("a")'), "DRA303", 15, ", or ".join(CHOICES)),
        # a name, an amount or a pattern is open
        (of_nvidia("device.attributes['gpu-memory'].compareTo(quantity('40Gi')) >= 0"), "DRA303", 15,
         f"write device.capacity[\"gpu.nvidia.com\"].NAME.compareTo(quantity('40Gi')){NAMES}"),
        (of_nvidia("device.attributes.contains('H100')"), "DRA303", 15,
         f"select one: device.attributes[\"gpu.nvidia.com\"].NAME.contains('H100'){NAMES}"),
        (of_nvidia('device.capacity["gpu.nvidia.com"].memory > 40'), "DRA303", 15,
         'write device.capacity["gpu.nvidia.com"].memory.isGreaterThan(quantity("40Gi")) for 40 GiB'),
        (of_nvidia('device.attributes["gpu.nvidia.com"].productName.matches("H100[")'), "DRA303", 15,
         'close it with "]", or write "[[]" for the character itself'),
        # a value that is refused, or one of two, is left to its author
        (CLAIM.replace("count: 2", "count: -2"), "DRA240", 12, None),
        (CLAIM.replace("count: 2\n", "count: 2\n        count: 4\n"), "DRA004", 13, None),
        # a field that can lie in two places stays, and a key does not become another one because of its value
        (TWO_REQUESTS.replace("  devices:\n", "  devices:\n    count: 2\n"), "DRA108", 8, None),
        (CLAIM.replace("  namespace: ml", "  owner: ml"), "DRA101", 5, 'did you mean "ownerReferences"?'),
        # in a text that cannot be read, nothing moves to where no release judges it
        (NOT_SERVED, "DRA002", 3, None),
        (NEVER_SERVED, "DRA002", 2, None),
        (BELOW_UNKNOWN, "DRA002", 14, None),
        (NO_FIELD, "DRA002", 7, None),
    ],
)  # fmt: skip
def test_what_is_not_certain_has_no_repair(text: str, rule: str, line: int, hint: str | None) -> None:
    finding = found(text)[0]

    assert (finding.rule, finding.line, finding.fix) == (rule, line, None)
    assert hint is None or finding.hint == hint


def test_one_of_two_equal_entries_is_removed_but_only_as_a_guess_where_an_item_may_be_two() -> None:
    [near] = found(CLAIM.replace("        count: 2\n", "        count: 2\n        count: 2\n"))
    [apart] = found(CLAIM + "        count: 2\n")
    [of_an_item] = found(CLAIM + "      name: gpu\n")

    assert [(f.rule, f.line, f.fix is not None and f.fix.safe) for f in (near, apart, of_an_item)] == [
        ("DRA004", 13, True),
        ("DRA004", 16, True),
        ("DRA004", 16, False),
    ]


def test_two_slips_that_hide_each_other_are_given_back_together() -> None:
    wrong = CLAIM.replace("metadata:\n", "metadata;\n").replace("    requests:\n", "    requests;\n")

    assert found(wrong)[0].rule == "DRA002"
    assert guessed(wrong) == CLAIM


def test_what_a_search_finds_is_offered_with_a_hint_that_says_what_to_write() -> None:
    finding = found(CLAIM.replace("  name: train\n", "  name = train\n"))[0]

    assert (finding.rule, finding.line, finding.hint) == ("DRA002", 5, "write `name: train`")
    assert finding.fix == Fix((Edit(67, 70, ": "),), safe=True)


def test_a_line_of_a_workload_gets_another_column_only_as_a_guess() -> None:
    text = """\
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: train}
spec:
  serviceName: train
  template:
  selector: {matchLabels: {app: train}}
    metadata: {labels: {app: train}}
    spec:
      resourceClaims: [{name: gpu, resourceClaimTemplateName: single-gpu}]
      containers: [{name: main, image: example.com/train:1, resources: {claims: [{name: gpu}]}}]
"""
    fix = found(text)[0].fix

    assert fix is not None
    assert not fix.safe


def test_a_bracket_that_makes_a_list_of_a_key_and_its_value_is_a_guess() -> None:
    head = "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: a}\nspec:\n  config:\n  - opaque:\n"
    opaque = "      driver: gpu.example.com\n      parameters:\n        kind: A\n        sharing: strategy: B]\n"
    fix = found(head + opaque)[0].fix

    assert fix is None or not fix.safe


@pytest.mark.parametrize(
    ("meant", "written", "safe"),
    [("  name: train\n", "  name = train\n", True), ("        count", "          count", False)],
)
def test_where_something_is_left_wrong_only_what_stands_between_words_is_certain(
    meant: str, written: str, safe: bool
) -> None:
    fix = found(CLAIM.replace("count: 2", "count: -2").replace(meant, written))[0].fix

    assert fix is not None
    assert fix.safe == safe


def test_a_repair_that_lies_elsewhere_is_pointed_at() -> None:
    slice_ = (
        "apiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata:\n  name: a\nspec:\n  driver: d.example.com\n"
        "  nodeName: a\n  pool: {name: a, generation: 1, resourceSliceCount: 1}\n  devices:\n  - name: gpu\n"
        "  attributes:\n      model:\n        string: a\n    capacity:\n      memory: {value: 1Gi}\n"
    )
    finding = found(slice_)[0]

    assert (finding.rule, finding.line, finding.hint) == ("DRA002", 14, "indent `attributes:` by 2 spaces more")
    assert finding.related[-1] == Related("the repair is here", "claim.yaml", 11, 3, 11, 14)


def test_a_file_with_many_findings_is_searched_little(calls: Calls) -> None:
    judged = calls(search_repairs._Judge, "__call__")
    wrong = CLAIM.replace('== "a100"', "== missing(")
    found(wrong)
    few = len(judged)
    found("---\n".join([wrong] * 150))

    assert 0 < len(judged) - few < 3 * few


def test_the_first_quote_is_missing_where_the_last_one_is_alone() -> None:
    meant = CLAIM.replace("  name: train\n", '  name: train\n  annotations:\n    owner: "@team-a"\n')
    text = meant.replace('"@team', "@team")

    [finding] = found(text)
    assert (finding.rule, finding.line, finding.fix is not None) == ("DRA002", 6, True)
    assert guessed(text) == meant


@pytest.mark.parametrize(
    ("meant", "written", "hint", "safe"),
    [
        (
            "'!device.attributes[\"gpu.example.com\"].old'",
            'not device.attributes["gpu.example.com"].old',
            "write `expression: '!device.attributes[\"gpu.example.com\"].old'`",
            False,
        ),
        (
            'device.capacity["gpu.example.com"].memory.compareTo(quantity("40Gi")) >= 0',
            'device.capacity["gpu.example.com"].memory.compareTo(quantity("40Gi") >= 0)',
            'write `expression: device.capacity["gpu.example.com"].memory.compareTo(quantity("40Gi")) >= 0`',
            True,
        ),
    ],
)
def test_a_repair_of_a_selector_makes_no_tag_and_closes_a_call_before_the_comparison(
    meant: str, written: str, hint: str, safe: bool
) -> None:
    expression = 'device.attributes["gpu.example.com"].model == "a100"'
    text = CLAIM.replace(expression, written)

    [finding] = found(text)
    assert (finding.line, finding.hint) == (15, hint)
    assert finding.fix is not None
    assert (guessed(text), finding.fix.safe) == (CLAIM.replace(expression, meant), safe)


def test_the_hint_shows_what_the_guess_writes_where_only_marks_change() -> None:
    for meant, written, shown in (
        ("    - name: gpu\n", "    - name: gpu,\n", "write `- name: gpu`"),
        (
            "        deviceClassName: gpu.example.com\n        count: 2\n",
            "        deviceClassName = gpu.example.com\n",
            "write `deviceClassName: gpu.example.com`",
        ),
    ):
        text = CLAIM[: CLAIM.index("        selectors")].replace(meant, written)
        assert [finding.hint for finding in found(text)] == [shown]


def test_no_guess_puts_a_text_among_the_containers() -> None:
    pod = """\
apiVersion: v1
kind: Pod
metadata: {name: a}
spec:
  resourceClaims: [{name: gpu, resourceClaimName: one}]
  containers:
  - name: main
    image: a
    resources:
      claims:
      - name: gpu
"""
    text = pod.replace("      claims:\n      - name: gpu", "       claims:\n      - name:gpu")

    assert [finding.rule for finding in found(text)] == ["DRA002"]
    assert guessed(text) in (text, pod.replace("name: gpu\n", "name:gpu\n"), pod)


def test_no_guess_makes_an_item_or_a_word_text_of_the_value_above() -> None:
    head = "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata:\n  name: a\nspec:\n  selectors:\n"
    text = f"{head}  - cel:\n      expression: device.driver == 'a'\n  - cel\n"
    assert guessed(text) == text

    text = CLAIM[: CLAIM.index("      exactly")] + "      DEVICECLASSN\n"
    assert guessed(text) == text


def test_a_hint_of_the_search_does_not_depend_on_the_hashes_of_words() -> None:
    text = CLAIM.replace('attributes["gpu.example.com"].model == "a100"', 'capacity["gpu.example.com"].memory > 40Gi')
    command = [sys.executable, "-m", "dralint", "check", "-", "--no-config", "--format", "json"]
    first, second = (
        subprocess.run(
            command, input=text, env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, text=True, check=False
        ).stdout
        for seed in ("1", "2")
    )

    assert 'isGreaterThan(quantity(\\"40Gi\\"))' in first
    assert first == second
