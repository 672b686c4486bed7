"""Every command reads the configuration, for the keys that it uses; its options win."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import BAD_CLAIM, GOOD_CLAIM, Run

POD = """\
apiVersion: v1
kind: Pod
metadata: {name: train}
spec:
  containers: [{name: main, image: x, resources: {claims: [{name: gpu}]}}]
  resourceClaims: [{name: gpu, resourceClaimName: train}]
"""


@pytest.fixture(autouse=True)
def _folder(workdir: Path) -> None:
    (workdir / ".git").mkdir()
    Path("objects").mkdir()
    Path("objects/claim.yaml").write_text(GOOD_CLAIM)


def configure(text: str) -> None:
    Path(".dralint.yaml").write_text(text)


def test_simulate_takes_the_newest_release_of_the_configuration(run: Run) -> None:
    configure("kubernetes-version: 1.33..1.35\nformat: sarif\nfail-on: warning\n")
    asked = ("simulate", "objects", "--inventory", "objects", "--format", "json")

    assert json.loads(run(*asked).stdout)["release"] == "1.35"
    assert json.loads(run(*asked, "--kubernetes-version", "1.36").stdout)["release"] == "1.36"
    assert json.loads(run(*asked, "--no-config").stdout)["release"] == "1.37"


def test_simulate_takes_inventory_namespace_and_exclusions_of_the_configuration(run: Run) -> None:
    Path("objects/pod.yaml").write_text(POD)
    Path("objects/bad.yaml").write_text(BAD_CLAIM)
    Path("cluster.yaml").write_text(GOOD_CLAIM)
    configure("slices: cluster.yaml\nnamespace: team-a\nexclude: objects/bad.yaml\n")
    outcome = run("simulate", "objects")

    assert (outcome.status, "team-a/train" in outcome.stdout) == (1, True), outcome
    assert "--inventory is missing" in run("simulate", "objects", "--no-config").stderr


@pytest.mark.parametrize(
    ("command", "text", "message"),
    [
        (
            "simulate",
            'kubernetes-version: "1.33"\n',
            ".dralint.yaml:1:21: `kubernetes-version`: allocation is simulated ",
        ),
        ("simulate", "feature-gates: {Nosuch: true}\n", ".dralint.yaml:1:16: `feature-gates`: "),
        ("cel", "kubernetes-version: 1.99\n", ".dralint.yaml:1:21: `kubernetes-version`: release 1.99 is not known"),
        ("cel", "nosuch: 1\n", '.dralint.yaml:1:1: unknown key "nosuch"'),
        ("upgrade", "feature-gates: {DRAListTypeAttributes: true}\n", ".dralint.yaml:1:16: `feature-gates`: "),
        ("migrate", "exclude: 'a['\n", ".dralint.yaml:1:10: `exclude`: 'a[' has a `[` without its `]`"),
    ],
)
def test_a_wrong_value_has_its_place(run: Run, command: str, text: str, message: str) -> None:
    configure(text)
    arguments = {
        "simulate": ["objects", "--inventory", "objects"],
        "cel": ["true"],
        "upgrade": ["objects", "--from", "1.32", "--to", "1.33"],
        "migrate": ["objects", "--to", "1.34"],
    }
    outcome = run(command, *arguments[command])

    assert (outcome.status, outcome.stdout) == (2, "")
    assert message in outcome.stderr
    assert run(command, *arguments[command], "--no-config").status < 2


def test_cel_takes_release_and_gates_of_the_configuration(run: Run) -> None:
    expression = 'device.attributes["a.example.com"].x.includes("y")'
    asked = ("cel", expression, "--format", "json")
    configure("kubernetes-version: 1.33..1.36\nfeature-gates: {DRAListTypeAttributes: true}\nslices: objects\n")
    result = json.loads(run(*asked).stdout)

    assert (result["release"], result["results"][0]["ok"], "devices" in result["results"][0]) == ("1.36", True, False)
    assert not json.loads(run(*asked, "--feature-gates", "AllAlpha=false").stdout)["results"][0]["ok"]


def test_upgrade_takes_exclusions_of_the_configuration(run: Run) -> None:
    Path("objects/bad.yaml").write_text(BAD_CLAIM)
    configure("exclude: objects/bad.yaml\nkubernetes-version: 1.34\n")
    asked = ("upgrade", "objects", "--from", "1.34", "--to", "1.36", "--format", "json")

    assert json.loads(run(*asked).stdout)["summary"]["files"] == 1
    assert json.loads(run(*asked, "--no-config").stdout)["summary"]["files"] == 2
