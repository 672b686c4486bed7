"""Searched repairs: one mistake in a manifest is undone, and uncertain ones stay."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from dralint.edit.apply import apply
from dralint.finding.finding import Finding
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


def test_a_file_with_many_findings_is_searched_little(calls: Calls) -> None:
    judged = calls(search_repairs._Judge, "__call__")
    wrong = CLAIM.replace('== "a100"', "== missing(")
    found(wrong)
    few = len(judged)
    found("---\n".join([wrong] * 150))

    assert 0 < len(judged) - few < 3 * few


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
