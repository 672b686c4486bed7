"""Judges of Kubernetes: build one, record its verdicts, compare dralint with them, and read what a release changes.

    python -m conformance build 1.37
    python -m conformance record 1.37 --seed 7 --count 20000
    python -m conformance compare 1.37

RELEASE is 1.37 (the patch release of rules/releases.yaml) or a patch release such as 1.37.1.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from conformance import modules

DEFAULT_COUNT = 20_000
MODULES = {"declared": "k8s.io/api"}
"""What the judges are built from that need no k8s.io/kubernetes."""


def main() -> int:
    """Do what the command line asks for."""
    arguments = _parser().parse_args()
    try:
        status: int = arguments.run(arguments)
    except modules.GoError as error:
        print(f"conformance: {error}", file=sys.stderr)
        return 2
    return status


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m conformance", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(required=True)
    build = commands.add_parser("build", help="build the judge of a release; needs Go")
    build.set_defaults(run=_build)
    record = commands.add_parser("record", help="record verdicts on random cases; needs the judge")
    record.set_defaults(run=_record)
    record.add_argument("--seed", default="0")
    record.add_argument("--count", type=int, default=DEFAULT_COUNT)
    record.add_argument("--gates", default="all,default", help="sets of gates that the cases use in turn")
    record.add_argument("--out", type=Path)
    compare = commands.add_parser("compare", help="compare dralint with a recording; exit status 1 below --least")
    compare.set_defaults(run=_compare)
    compare.add_argument("--recording", type=Path, action="append")
    compare.add_argument("--least", type=float, default=0.995, help="part of the verdicts that must agree")
    compare.add_argument("--show", type=int, default=20, help="most groups of differences to print")
    compare.add_argument("--processes", type=int, default=1)
    compare.add_argument("--format", choices=("text", "json"), default="text")
    propose = commands.add_parser("propose", help="read what a release changes from its Go modules")
    propose.set_defaults(run=_propose)
    propose.add_argument("--out", type=Path, help="folder for the OpenAPI, the facts, and what was not read")
    for command in (build, record, compare):
        command.add_argument("--judge", choices=("verdicts", *MODULES), default="verdicts")
    for command in (build, record, compare, propose):
        command.add_argument("release", metavar="RELEASE")
    patches = commands.add_parser("patches", help="list the deciding files that differ between two patch releases")
    patches.set_defaults(run=_patches)
    patches.add_argument("first", metavar="RELEASE")
    patches.add_argument("second", metavar="RELEASE")
    return parser


def _build(arguments: argparse.Namespace) -> int:
    start = time.monotonic()
    release, judge = arguments.release, arguments.judge
    if judge == "verdicts":
        old = int(modules.minor(release).partition(".")[2]) < 32
        program = modules.build_server_program(judge, release, ["before132"] if old else [])
    else:
        program = modules.build_module_program(judge, release, MODULES[judge])
    print(f"{program}: {time.monotonic() - start:.0f} seconds")
    return 0


def _record(arguments: argparse.Namespace) -> int:
    from conformance.record import record, write

    out = arguments.out or _recording(arguments)
    rows = record(arguments.judge, arguments.release, arguments.seed, arguments.count, arguments.gates.split(","))
    print(f"{out}: {write(out, rows)} verdicts")
    return 0


def _compare(arguments: argparse.Namespace) -> int:
    from conformance.compare import as_json, compare, table
    from conformance.record import read

    files = arguments.recording or [_recording(arguments)]
    rows = [row for file in files for row in read(file)]
    found = compare(modules.minor(arguments.release), rows, arguments.processes)
    print(as_json(found) if arguments.format == "json" else table(found, arguments.show))
    return 0 if found.agreement >= arguments.least else 1


def _patches(arguments: argparse.Namespace) -> int:
    from conformance.patches import DECIDE, differing

    found = list(differing(arguments.first, arguments.second))
    for judge in DECIDE:
        files = [file for which, file in found if which == judge]
        print(f"{judge}: {len(files) or 'no'} files differ", *files, sep="\n  ")
    return 0


def _propose(arguments: argparse.Namespace) -> int:
    from conformance.propose.release import counted, read, write

    found = read(arguments.release)
    out = arguments.out or modules.work() / f"proposal-{modules.version(arguments.release)}"
    write(found, out)
    print(f"{counted(found.facts)}\n{len(found.unread)} tags not read; see {out}")
    return 0


def _recording(arguments: argparse.Namespace) -> Path:
    return modules.work() / f"{arguments.judge}-{modules.version(arguments.release)}.jsonl.gz"


if __name__ == "__main__":
    sys.exit(main())
