"""--api-versions: the cluster serves what `kubectl api-versions` lists, and nothing else of resource.k8s.io."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import OLD_CLAIM, Run

LISTED = "apps/v1\nresource.k8s.io/v1\nresource.k8s.io/v1beta2\nv1\n"


@pytest.fixture
def claims(tmp_path: Path) -> Path:
    """A claim in v1beta1, and the list of a cluster that does not serve it."""
    (tmp_path / "claim.yaml").write_text(OLD_CLAIM)
    (tmp_path / "versions.txt").write_text(LISTED)
    return tmp_path


def test_a_version_that_the_cluster_does_not_serve_is_refused(claims: Path, run: Run) -> None:
    args = ("check", str(claims / "claim.yaml"), "--format", "json", "--api-versions", str(claims / "versions.txt"))
    for release in ((), ("--kubernetes-version", "1.36")):
        out = run(*args, *release)

        assert (out.status, out.findings) == (1, [("DRA501", "apiVersion", 1, 13)])
        assert out.report["findings"][0]["message"].startswith("the cluster does not serve resource.k8s.io/v1beta1")


def test_a_version_that_the_cluster_serves_is_not_reported_as_off(claims: Path, run: Run) -> None:
    claim = claims / "claim.yaml"
    claim.write_text(
        OLD_CLAIM.replace("v1beta1", "v1beta2")
        .replace("name: gpu\n      dev", "name: gpu\n      exactly: {dev")
        .replace("com\n", "com}\n")
    )
    args = ("check", str(claim), "--format", "json", "--kubernetes-version", "1.34")

    assert run(*args).findings == [("DRA510", "apiVersion", 1, 13)]
    assert run(*args, "--api-versions", str(claims / "versions.txt")).findings == []


def test_a_configuration_can_name_the_list(claims: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    (claims / ".dralint.yaml").write_text("api-versions: versions.txt\n")
    monkeypatch.chdir(claims)

    assert run("check", "claim.yaml", "--format", "json").findings == [("DRA501", "apiVersion", 1, 13)]
