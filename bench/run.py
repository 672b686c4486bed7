"""Times dralint and kubeconform side by side on four loads, in one run, taking turns.

    python bench/run.py [--kubeconform PATH] [--rounds 5] [--loads one,thousand,gitops,stream] [--jobs N]

kubeconform: go install github.com/yannh/kubeconform/cmd/kubeconform@v0.8.0. It reads the schemas that
`dralint schema export` writes, so that both judge by equally strict ones. Absolute figures vary with the machine: what
counts is the ratio of the medians of one run. Peak memory is that of the largest process, and no less than that of this
one, which a new process starts with.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from bench import loads

RELEASE = "1.34"
SIZES = {"thousand": 1_000, "gitops": 10_000, "stream": 50_000_000}


@dataclass(slots=True)
class Measured:
    """What the rounds of one command took."""

    wall: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)
    memory: int = 0

    def add(self, command: list[str], environment: dict[str, str]) -> None:
        """Run the command once; SystemExit when it does not end with status 0 or 1."""
        start = time.perf_counter()
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment)
        _, status, usage = os.wait4(process.pid, 0)
        self.wall.append(time.perf_counter() - start)
        self.cpu.append(usage.ru_utime + usage.ru_stime)
        self.memory = max(self.memory, usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024))
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode not in (0, 1):
            raise SystemExit(f"exit status {process.returncode} from {' '.join(command)}")


def make(folder: Path, names: list[str]) -> dict[str, Path]:
    """Write the loads; return where each of them is."""
    places = {name: folder / name for name in names}
    for name, place in places.items():
        if name == "one":
            places[name] = place.with_suffix(".yaml")
            places[name].write_text("".join(loads.stream(1, seed=1)).split("  - name: gpu-3\n")[0], "utf-8")
        elif name == "stream":
            places[name] = place.with_suffix(".yaml")
            with places[name].open("w", encoding="utf-8") as stream:
                stream.writelines(loads.stream(SIZES[name]))
        else:
            loads.tree(place, SIZES[name], gitops=name == "gitops")
    return places


def commands(load: str, place: Path, schemas: Path, kubeconform: str, jobs: str | None) -> dict[str, list[str]]:
    """Return the commands that take turns on a load: first dralint, then the one to compare it with."""
    python = [sys.executable, "-m", "dralint"]
    dralint = [*python, "check", "--format", "json", "--kubernetes-version", RELEASE, str(place)]
    if jobs is not None:
        dralint += ["--jobs", jobs]
    layout = str(schemas / "{{.ResourceKind}}{{.KindSuffix}}.json")
    peer = [kubeconform, "-strict", "-ignore-missing-schemas", "-kubernetes-version", f"{RELEASE}.0"]
    out = {"dralint": dralint, "kubeconform": [*peer, "-schema-location", layout, str(place)]}
    if load == "one":
        out["python -c 'import click'"] = [sys.executable, "-c", "import click"]
    return out


def report(load: str, measured: dict[str, Measured]) -> None:
    """Print the medians of a load and how often dralint takes as long."""
    print(f"{load}")
    own = measured["dralint"]
    for name, peer in measured.items():
        line = f"  {name:24} wall {statistics.median(peer.wall):8.3f} s  cpu {statistics.median(peer.cpu):8.3f} s"
        line += f"  memory {peer.memory / 1e6:7.1f} MB"
        if peer is not own:
            wall = statistics.median(own.wall) / statistics.median(peer.wall)
            cpu = statistics.median(own.cpu) / statistics.median(peer.cpu)
            line += f"  dralint takes {wall:6.2f} x the wall time, {cpu:6.2f} x the CPU time"
        print(line)
    sys.stdout.flush()


def main() -> None:
    """Make the loads, run the commands in turn, print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kubeconform", default=shutil.which("kubeconform"), help="its binary (default: from PATH)")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--loads", default="one,thousand,gitops,stream")
    parser.add_argument("--jobs", help="handed to dralint check")
    arguments = parser.parse_args()
    if arguments.kubeconform is None:
        parser.error("kubeconform is not in PATH: go install github.com/yannh/kubeconform/cmd/kubeconform@v0.8.0")
    names = arguments.loads.split(",")
    unknown = set(names) - {"one", *SIZES}
    if unknown:
        parser.error(f"no such load: {', '.join(sorted(unknown))}")
    with tempfile.TemporaryDirectory(prefix="dralint-bench-") as directory:
        folder = Path(directory)
        # Installed packages are compiled; a checkout may not be.
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        environment["PYTHONPYCACHEPREFIX"] = str(folder / "compiled")
        export = ["schema", "export", "--kubernetes-version", RELEASE, "--output", str(folder / "schemas")]
        subprocess.run([sys.executable, "-m", "dralint", *export], check=True)
        for load, place in make(folder, names).items():
            turns = commands(load, place, folder / "schemas", arguments.kubeconform, arguments.jobs)
            measured = {name: Measured() for name in turns}
            for turn in range(arguments.rounds + 1):
                for name, command in turns.items():
                    # The first turn fills the caches of the file system and of Python, and does not count.
                    (measured[name] if turn else Measured()).add(command, environment)
            report(load, measured)


if __name__ == "__main__":
    main()
