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

from conformance import modules, patches
from conformance.cel.functions import write as write_functions
from conformance.differences import as_json, compared, table
from conformance.judges import JUDGES
from conformance.recording import Row, read, write


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
    record.add_argument("--count", type=int, help="the default depends on the judge")
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
        command.add_argument("--judge", choices=tuple(JUDGES), default="verdicts")
    for command in (build, record, compare, propose):
        command.add_argument("release", metavar="RELEASE")
    functions = commands.add_parser("functions", help="write what CEL expressions may call; needs the judge of cel")
    functions.set_defaults(run=_functions)
    functions.add_argument("--out", type=Path, help="folder for the files")
    functions.add_argument("release", metavar="RELEASE")
    between = commands.add_parser(
        "patches", help="list the deciding files and recorded verdicts that differ between two patch releases"
    )
    between.set_defaults(run=_patches)
    between.add_argument("first", metavar="RELEASE")
    between.add_argument("second", metavar="RELEASE")
    return parser


def _build(arguments: argparse.Namespace) -> int:
    start = time.monotonic()
    program = JUDGES[arguments.judge].build(arguments.release)
    print(f"{program}: {time.monotonic() - start:.0f} seconds")
    return 0


def _record(arguments: argparse.Namespace) -> int:
    judge = JUDGES[arguments.judge]
    out = arguments.out or _recording(arguments.judge, arguments.release)
    count, gates = arguments.count or judge.number, arguments.gates.split(",")
    print(f"{out}: {write(out, judge.record(judge.name, arguments.release, arguments.seed, count, gates))} verdicts")
    return 0


def _compare(arguments: argparse.Namespace) -> int:
    files = arguments.recording or [_recording(arguments.judge, arguments.release)]
    for file in files:
        if not file.is_file():
            raise modules.GoError(f"there is no recording {file}; `python -m conformance record` makes one")
    rows = [row for file in files for row in read(file)]
    found = compared(JUDGES[arguments.judge].differing, modules.version(arguments.release), rows, arguments.processes)
    print(as_json(found) if arguments.format == "json" else table(found, arguments.show))
    return 0 if found.agreement >= arguments.least else 1


def _patches(arguments: argparse.Namespace) -> int:
    found = list(patches.differing(arguments.first, arguments.second))
    for judge in patches.DECIDE:
        files = [file for which, file in found if which == judge]
        print(f"{judge}: {len(files) or 'no'} files differ", *files, sep="\n  ")
        both = [_recording(judge, release) for release in (arguments.first, arguments.second)]
        if all(file.exists() for file in both):
            rows = patches.changed(*map(read, both))
            print(
                f"  {len(rows) or 'no'} recorded verdicts differ",
                *(_changes(*pair) for pair in rows[:20]),
                sep="\n    ",
            )
    return 0


def _changes(first: Row, second: Row) -> str:
    keys = [key for key in {**first, **second} if first.get(key) != second.get(key)]
    return f"{second['id']}: {', '.join(f'{key} {first.get(key)}, then {second.get(key)}' for key in keys)}"


def _functions(arguments: argparse.Namespace) -> int:
    out = arguments.out or modules.work() / f"functions-{modules.version(arguments.release)}"
    write_functions(arguments.release, out)
    print(f"{out}: now run `python -m conformance.cel.tables {out}`")
    return 0


def _propose(arguments: argparse.Namespace) -> int:
    from conformance.propose.release import counted, read, write

    found = read(arguments.release)
    out = arguments.out or modules.work() / f"proposal-{modules.version(arguments.release)}"
    write(found, out)
    print(f"{counted(found.facts)}\n{len(found.unread)} tags not read; see {out}")
    return 0


def _recording(judge: str, release: str) -> Path:
    return modules.work() / f"{judge}-{modules.version(release)}.jsonl.gz"


if __name__ == "__main__":
    sys.exit(main())
