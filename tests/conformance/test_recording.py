"""The programs in conformance/, as far as they need no Go: cases, verdicts as records, comparisons."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from conformance import __main__ as program
from conformance import modules, patches
from conformance.differences import Comparison, Difference, compared, table
from conformance.recording import read, write
from conformance.verdicts.cases.edits import cases
from conformance.verdicts.cases.objects import bases
from conformance.verdicts.cases.yaml_text import written
from conformance.verdicts.compare import differing
from conformance.verdicts.record import causes
from dralint.kubernetes import shipped
from dralint.kubernetes.served import known_releases

SAMPLE = Path(__file__).parents[1] / "data" / "judges" / "verdicts.1.37.jsonl.gz"
RELEASES = [str(release) for release in known_releases()]


@pytest.mark.slow
@pytest.mark.parametrize("release", RELEASES)
def test_valid_objects_of_every_release_have_findings_of_no_field(release: str) -> None:
    kinds = {(base.data["apiVersion"], base.kind) for base in bases(release)}

    assert {kind for _, kind in kinds} >= {"ResourceClaim", "ResourceClaimTemplate", "Pod", "Deployment"}
    rows = [
        {"id": base.name, "mode": "create", "gates": "all", "yaml": written(base.data), "accepted": True}
        | {"stage": "", "causes": []}
        for base in bases(release)
    ]
    assert [one for one in compared(differing, release, rows).differences if "refuses" in one.said] == []


def test_a_seed_gives_the_same_cases_and_another_seed_others() -> None:
    first, again, other = (list(cases("1.37", seed, 120)) for seed in ("a", "a", "b"))

    assert first == again
    assert [case["yaml"] for case in first] != [case["yaml"] for case in other]
    assert {case["mode"] for case in first} == {"create", "status", "update"}
    assert len({(case["mode"], case["yaml"]) for case in first}) == len(first)


@pytest.mark.parametrize(
    "data",
    [
        {"a": ["yes", "1", "", "x: y", "é\x01\u2028😀", None, True, 1.5, 10**20, {}, []]},
        {"": {"b": [{"c": 1, "d": [[2]]}]}},
    ],
)
def test_texts_mean_their_data(data: object) -> None:
    assert YAML(typ="safe").load(written(data)) == data


def test_dralint_agrees_with_the_recorded_sample() -> None:
    found = compared(differing, "1.37", read(SAMPLE))

    assert found.total == 152
    assert found.differences == []


def test_a_wrong_verdict_is_a_difference_with_kind_field_and_cause() -> None:
    row = next(row for row in read(SAMPLE) if row["stage"] == "validate" and row["mode"] == "create")
    (one,) = compared(differing, "1.37", [row | {"accepted": True, "causes": []}]).differences

    assert one.case == row["id"]
    assert one.cause == "accepted, dralint refuses"
    assert one.kind in row["yaml"]


def test_groups_are_printed_the_largest_first() -> None:
    rows = [Difference("A", "f", "c", str(number), "s") for number in range(2)] + [Difference("B", "f", "c", "2", "s")]

    assert table(Comparison(1000, rows), 9).splitlines()[:4] == [
        "1000 verdicts, 997 agree: 99.70 %",
        "     2 A f: c",
        "       0: s",
        "     1 B f: c",
    ]


def test_a_recording_is_the_same_bytes_for_the_same_rows(tmp_path: Path) -> None:
    rows = list(read(SAMPLE))
    count = write(tmp_path / "1", rows), write(tmp_path / "2", rows)

    assert count == (152, 152)
    assert (tmp_path / "1").read_bytes() == (tmp_path / "2").read_bytes()
    assert list(read(tmp_path / "1")) == rows


@pytest.mark.parametrize(
    ("verdict", "said"),
    [
        ({"code": 201}, []),
        ({"code": 422, "causes": [["FieldValueInvalid", "spec"]]}, [["Invalid", "spec"]]),
        ({"code": 400, "message": 'strict decoding error: unknown field "spec.x"'}, [["Unknown", "spec.x"]]),
        ({"code": 400, "message": 'x: key "a" already set in map'}, [["DuplicateKey", "a"]]),
        ({"code": 400, "message": "Go struct field A.spec.b of type int64"}, [["TypeInvalid", "spec.b"]]),
        ({"code": 400, "message": "something else"}, [["Decode", ""]]),
    ],
)
def test_errors_of_the_server_become_causes(verdict: dict[str, object], said: list[list[str]]) -> None:
    assert causes(verdict) == said


def test_comparison_ends_with_status_1_below_the_least(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    rows = list(read(SAMPLE))[:20]
    right, wrong = tmp_path / "right.jsonl.gz", tmp_path / "wrong.jsonl.gz"
    write(right, rows)
    write(wrong, [row | {"accepted": not row["accepted"], "causes": []} for row in rows])
    statuses = []
    for file in (right, wrong):
        arguments = ["conformance", "compare", "1.37", "--recording", str(file), "--format", "json"]
        monkeypatch.setattr(sys, "argv", arguments)
        statuses.append(program.main())
    out = capsys.readouterr().out

    assert statuses == [0, 1]
    assert json.JSONDecoder().raw_decode(out)[0] == {"verdicts": 20, "agreement": 1.0, "differences": []}


def test_what_differs_between_two_recordings_is_printed_with_what_only_one_says(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    row = {"id": "7/1", "accepted": True, "causes": []}
    write(tmp_path / "verdicts-1.37.0.jsonl.gz", [row | {"dropped": ["spec.a"]}])
    write(tmp_path / "verdicts-1.37.1.jsonl.gz", [row | {"stage": "validate"}])
    monkeypatch.setenv("DRALINT_CONFORMANCE", str(tmp_path))
    monkeypatch.setattr(patches, "differing", lambda *_: iter(()))
    monkeypatch.setattr(sys, "argv", ["conformance", "patches", "1.37.0", "1.37.1"])

    assert program.main() == 0
    assert capsys.readouterr().out.splitlines() == [
        "verdicts: no files differ",
        "  1 recorded verdicts differ",
        "    7/1: dropped ['spec.a'], then None, stage None, then validate",
        "cel: no files differ",
        "allocation: no files differ",
        "control-plane: no files differ",
    ]


def test_a_release_without_a_judge_is_told_how_to_build_one(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setenv("DRALINT_CONFORMANCE", str(tmp_path))
    monkeypatch.setattr(sys, "argv", ["conformance", "record", "1.37", "--count", "1"])

    assert program.main() == 2
    assert "run `python -m conformance build 1.37 --judge verdicts`" in capsys.readouterr().err


def test_a_comparison_without_a_recording_says_how_to_make_one(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setenv("DRALINT_CONFORMANCE", str(tmp_path))
    monkeypatch.setattr(sys, "argv", ["conformance", "compare", "1.37"])

    assert program.main() == 2
    assert capsys.readouterr().err == (
        f"conformance: there is no recording {tmp_path}/verdicts-1.37.0.jsonl.gz; "
        "`python -m conformance record` makes one\n"
    )


def test_a_preview_has_the_tag_of_its_row() -> None:
    for release, row in shipped.index()["releases"]["previews"].items():
        assert f"v{modules.version(release)}" == row["tag"]
