"""`--output-file html=PATH` writes a page: what a person sees in a browser, and what no manifest can do."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from bench.fleet import write
from tests.browser import PROGRAM, Browser
from tests.simulate.made_cluster import cluster, made, pod_spec

pytestmark = pytest.mark.slow
HOSTILE = '<img src="https://evil.example.com/x" onerror="alert(1)"></script><script>alert(2)</script>'


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the page on a cluster where no Pod waits, three Pods to come and one hostile attribute."""
    folder = tmp_path_factory.mktemp("page")
    objects = [item for item in cluster() if item["kind"] != "Pod" or "nodeName" in item["spec"]]
    gpus = next(item for item in objects if item["metadata"]["name"] == "node-40-gpu.example.com")
    gpus["spec"]["devices"][0]["attributes"]["serial"] = {"string": HOSTILE}
    tight = {**pod_spec("whole-node"), "nodeSelector": {"kubernetes.io/hostname": "node-38"}}
    request = {"name": "any", "exactly": {"deviceClassName": "gpu", "adminAccess": True, "allocationMode": "All"}}
    watch = {**tight, "resourceClaims": [{"name": "devices", "resourceClaimName": "watch"}]}
    watch["nodeSelector"] = {"kubernetes.io/hostname": "node-39"}
    wanted = [
        made("Pod", "half-x", "team-d", spec=pod_spec("half")),
        made("Pod", "whole-x", "team-d", spec=tight),
        made("ResourceClaim", "watch", "ops", spec={"devices": {"requests": [request]}}),
        made("Pod", "watch", "ops", spec=watch),
    ]
    dump = write(folder / "dump.yaml", iter(objects), yaml=True)
    pods = write(folder / "pods.json", iter(wanted))
    out = folder / "fleet.html"
    command = ["simulate", str(pods), "--inventory", str(dump), "--sequence", "--output-file", f"html={out}"]
    done = subprocess.run([sys.executable, "-m", "dralint", *command], capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stdout + done.stderr
    return out


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    if PROGRAM is None:
        pytest.skip("Chromium is not installed")
    with Browser() as opened:
        opened.size(1280, 900)
        yield opened


def test_the_page_asks_nobody_and_breaks_no_policy(page: Path, browser: Browser) -> None:
    browser.open(page)

    assert browser.requests == [page.as_uri()]
    assert browser.complaints == []
    assert "http://" not in page.read_text("utf-8")


def test_a_hostile_text_is_shown_as_text(page: Path, browser: Browser) -> None:
    browser.open(page, "#attribute=evil.example.com")
    browser.run("document.querySelector('.device:not([hidden])').open = true")

    assert HOSTILE in browser.seen()
    assert browser.run("document.images.length") == 0
    assert "1 device in 1 row" in browser.seen()


def test_a_row_has_the_devices_of_a_node_and_who_has_them(page: Path, browser: Browser) -> None:
    browser.open(page)
    row = "[...document.querySelectorAll('tbody tr')].find(row => row.textContent.startsWith('{}')).innerText"

    assert "gpu-4\nfree" in browser.run(row.format("node-38"))
    assert "gpu-0\nteam-b/infer-5d97-56" in browser.run(row.format("node-38"))
    assert "nic-0\n4 Pods" in browser.run(row.format("node-38"))
    assert "gpu-0\nteam-c/batch-12; tainted" in browser.run(row.format("node-07"))
    assert "gpu-0\nfree; admin access" in browser.run(row.format("node-39"))
    assert browser.run(row.format("node-03")).startswith("node-03\ncordoned")


def test_partitions_show_what_they_leave(page: Path, browser: Browser) -> None:
    browser.open(page)
    row = browser.run(
        "[...document.querySelectorAll('tbody tr')].find(row => row.textContent.startsWith('node-41')).innerText"
    )

    assert "pool node-41 · gpu-0/memory: 40Gi left of 80Gi" in row
    assert "gpu-0\nblocked\ngpu-0-half-0\nteam-d/half-x\ngpu-0-half-1\nfree" in row


def test_each_pod_has_the_text_of_its_answer(page: Path, browser: Browser) -> None:
    browser.open(page)
    seen = browser.seen()

    assert "pod team-d/half-x: goes to node node-41" in seen
    assert "pod team-d/whole-x: fits on none of 50 nodes" in seen
    assert "nearest: gpu-0 of pool node-38 (gpu.example.com): in use by claim team-b/infer-5d97-56-devices-x" in seen


def test_filters_leave_the_devices_that_are_meant(page: Path, browser: Browser) -> None:
    numbers = {}
    for name, value in {
        "driver": "nic.example.com",
        "state": "tainted",
        "attribute": "model: h100",
        "pod": "team-a/train-5d97-00",
    }.items():
        browser.open(page)
        browser.run(
            f"document.forms[0].elements.{name}.value = {json.dumps(value)};"
            "document.forms[0].dispatchEvent(new Event('input'))"
        )
        numbers[name] = browser.run("document.querySelector('output').value")
        assert browser.run("document.querySelectorAll('.device:not([hidden])').length") == int(numbers[name].split()[0])

    assert numbers == {
        "driver": "50 devices in 50 rows",
        "state": "8 devices in 1 row",
        "attribute": "86 devices in 12 rows",
        "pod": "2 devices in 1 row",
    }


def test_the_keyboard_opens_devices(page: Path, browser: Browser) -> None:
    browser.open(page)
    browser.run("document.querySelector('.device > summary').focus()")
    for key in ("ArrowRight", "ArrowDown", "ArrowRight", "Enter"):
        browser.press(key)

    assert browser.run("document.querySelectorAll('.device[open]').length") == 1
    assert browser.run("document.activeElement.closest('tr').querySelector('th').innerText") == "node-02"
    assert browser.run("document.activeElement.innerText") == "gpu-1\nteam-c/batch-02"
    assert "GPU-02-1" in browser.seen()


def test_paper_has_the_devices_without_the_filters(page: Path, browser: Browser) -> None:
    browser.open(page)
    browser.media(kind="print")
    seen = browser.seen()
    browser.media()

    assert "Show all" not in seen
    assert "gpu-0\nteam-c/batch-00" in seen


@pytest.mark.parametrize("dark", [False, True])
def test_every_text_can_be_read_on_its_colour(page: Path, browser: Browser, *, dark: bool) -> None:
    browser.open(page)
    browser.media(dark=dark)
    least = browser.run("""(() => {
      const light = (text) => {
        const [r, g, b] = text.match(/[0-9.]+/g).slice(0, 3).map((n) => n / 255);
        const linear = (c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
        return 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
      };
      const ground = (element) => {
        for (let at = element; at; at = at.parentElement) {
          const colour = getComputedStyle(at).backgroundColor;
          if (!/, 0\\)$/.test(colour)) return colour;
        }
        return "rgb(255, 255, 255)";
      };
      const shown = document.querySelectorAll("h1, h2, p, label, button, th, small, h3, summary, dt, dd, pre, a");
      return Math.min(...[...shown].map((element) => {
        const pair = [light(getComputedStyle(element).color), light(ground(element))].sort();
        return (pair[1] + 0.05) / (pair[0] + 0.05);
      }));
    })()""")
    browser.media()

    assert least >= 4.5


def test_a_narrow_window_needs_no_scrolling_sideways(page: Path, browser: Browser) -> None:
    browser.size(360, 800)
    browser.open(page)
    width = browser.run("document.documentElement.scrollWidth")
    browser.size(1280, 900)

    assert width <= 360
