"""Every format over the same findings: its golden file, its schema where there is one, and hostile names.

`pytest --update-golden tests/report` rewrites the golden files.
"""

from __future__ import annotations

import gzip
import html
import json
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import jsonschema
import pytest
import xmlschema

from dralint import __version__
from dralint.finding.finding import Edit, Finding, Fix, Related
from dralint.finding.report import Report, Skipped
from dralint.lint.pool import excerpts_of
from dralint.report import FORMATS, Style, by_suffix, is_report, render
from dralint.report.safe import printable, without_commands
from tests.report.log import commands
from tests.report.test_json_report import FINDING

DATA = Path(__file__).parents[1] / "data" / "report"
SARIF_SCHEMA: dict[str, Any] = json.loads(gzip.decompress((DATA / "sarif-2.1.0.schema.json.gz").read_bytes()))
GITLAB_SCHEMA: dict[str, Any] = {
    "type": "array",
    "items": {
        "type": "object",
        "required": ["description", "check_name", "fingerprint", "severity", "location"],
        "properties": {
            "description": {"type": "string", "minLength": 1},
            "check_name": {"type": "string", "minLength": 1},
            "fingerprint": {"type": "string", "pattern": "^[0-9a-f]{32}$"},
            "severity": {"enum": ["info", "minor", "major", "critical", "blocker"]},
            "location": {
                "type": "object",
                "required": ["path", "lines"],
                "properties": {
                    "path": {"type": "string", "pattern": r"^(?!\./)[^/]"},
                    "lines": {
                        "type": "object",
                        "required": ["begin"],
                        "properties": {"begin": {"type": "integer", "minimum": 1}},
                    },
                },
            },
        },
    },
}
"""What GitLab's documentation asks of a Code Quality report; the schema that GitLab itself holds entries against
(codeclimate.json of its validators) asks for less: four of these keys, and their types."""
JUNIT_SCHEMA = xmlschema.XMLSchema10(DATA / "junit-10.xsd", allow="local")

CLAIM = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata:
  name: train
spec:
  devices:
    requests:
    - name: gpu
    - name: gpu
    constraints:
    - requests: [gpus]
"""
OLD: dict[str, str | None] = {
    "apiVersion": "resource.k8s.io/v1beta1",
    "kind": "ResourceClaim",
    "namespace": "team-a",
    "name": "a",
}


def findings() -> list[Finding]:
    duplicate = FINDING._replace(
        rule="DRA204",
        name="duplicate-name",
        reason="Duplicate",
        message='"gpu" is used twice',
        line=9,
        column=13,
        end_line=9,
        end_column=16,
        path="spec.devices.requests[1].name",
        related=(Related("first used here", "claims.yaml", 8, 13, 8, 16),),
    )
    unknown = FINDING._replace(
        message='constraint names the request "gpus", which this claim does not have; it has: gpu',
        hint='did you mean "gpu"?',
        line=11,
        column=18,
        end_line=11,
        end_column=22,
        path="spec.devices.constraints[0].requests[0]",
        related=(),
        releases=("1.34", "1.35", "1.36"),
        fix=Fix((Edit(171, 175, "gpu"),), safe=True),
    )
    deprecated = FINDING._replace(
        rule="DRA503",
        name="deprecated-api-version",
        severity="warning",
        effect="deprecated",
        reason=None,
        message="resource.k8s.io/v1beta1 ResourceClaim is deprecated since 1.35",
        hint="use resource.k8s.io/v1",
        line=1,
        column=13,
        end_line=1,
        end_column=36,
        path="apiVersion",
        object=OLD,
        related=(),
    )
    unreadable = FINDING._replace(
        rule="DRA002",
        name="yaml-syntax",
        effect="unreadable",
        reason=None,
        message="expected , or ], found the end",
        file="deploy/broken.yaml",
        line=2,
        column=1,
        end_line=4,
        end_column=1,
        object=None,
        path="",
        releases=(),
        related=(),
    )
    advice = deprecated._replace(
        rule="DRA701", name="advice", severity="info", effect="advice", message="a | b", file="old/a.yaml"
    )
    return [
        duplicate,
        unknown,
        unreadable,
        deprecated._replace(file="old/a.yaml"),
        advice,
        deprecated._replace(file="old/b.yaml"),
    ]


def report() -> Report:
    found = findings()
    return Report(
        findings=found,
        skipped=[Skipped("chart/templates/x.yaml", 0, "`{{ .Values }}` is template code")],
        charts=["chart"],
        files=6,
        documents=6,
        objects=4,
        read={"claims.yaml": 1, "clean.yaml": 1, "old/a.yaml": 1, "old/b.yaml": 1, "other.yaml": 0},
        excerpts=excerpts_of("claims.yaml", CLAIM.encode(), found),
    )


@pytest.mark.parametrize("format_", FORMATS)
def test_a_format_gives_its_golden_file(format_: str, request: pytest.FixtureRequest) -> None:
    text = render(format_, report(), Style(below="clusters/a"))
    text = text.replace(f'"version": "{__version__}"', '"version": "VERSION"')
    golden = DATA / f"golden.{format_}.txt"
    if request.config.getoption("--update-golden"):
        golden.write_text(text, "utf-8")

    assert text == golden.read_text("utf-8")


@pytest.mark.parametrize("format_", FORMATS)
def test_every_format_can_tell_of_nothing(format_: str) -> None:
    text = render(format_, Report(files=1, objects=1, read={"a.yaml": 1}), Style())

    assert text == "" or (text.endswith("\n") and format_ not in ("concise", "github"))


HOSTILE = 'a\r\n::error::b]]>\x1b[31m\u202e\u200b\x00"<c>|`](x)%0A,\ufffe\ud800'


def hostile(evil: str = HOSTILE) -> Report:
    """Return a report of which every string, as it may come from a manifest or a file system, is hostile."""
    bad = FINDING._replace(
        message=evil,
        hint=evil,
        file=evil,
        path=f"spec[{evil}]",
        object={"apiVersion": evil, "kind": evil, "namespace": evil, "name": evil},
        related=(Related(evil, evil, 1, 1, 1, 2),),
        parent=Related(evil, evil, 2, 1, 2, 2),
        fix=Fix((Edit(0, 1, evil),), safe=True),
        line=3,
        column=1,
        end_line=3,
        end_column=4,
    )
    return Report(
        [bad, bad._replace(severity="warning"), bad._replace(severity="info", effect="tool")],
        skipped=[Skipped(f"{evil}/templates/{evil}", 0, evil)],
        files=1,
        objects=1,
        read={evil: 1, evil * 2: 1},
        excerpts=excerpts_of(evil, b"1\n2\na\x1b[31m: ::error::a ##[error]b \xe2\x80\xae\tb\n", [bad]),
    )


@pytest.mark.parametrize("style", [Style(), Style(width=60, verbose=True, show_files=True, show_all=True)])
@pytest.mark.parametrize("format_", FORMATS)
def test_hostile_text_breaks_no_format(format_: str, style: Style) -> None:
    text = render(format_, hostile(), style)

    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\ud800-\udfff]", text)
    if FORMATS[format_].raw:
        assert json.loads(text)["findings"][0]["message"] == HOSTILE
    if format_ == "github":
        assert [line[: line.index(" ")] for line in text.splitlines()] == ["::error", "::warning", "::notice"]
    elif format_ == "junit":
        assert "]]>" not in text
        JUNIT_SCHEMA.validate(text)
        cases = ElementTree.fromstring(text).iter("testcase")
        assert next(child.get("message") for case in cases for child in case) == printable(HOSTILE)
    elif format_ == "sarif":
        jsonschema.Draft4Validator(SARIF_SCHEMA).validate(json.loads(text))
        results = json.loads(text)["runs"][0]["results"]
        assert [result["message"]["text"].count("](") for result in results] == [0, 0, 0]
    elif format_ == "gitlab":
        jsonschema.validate(json.loads(text), GITLAB_SCHEMA)
    elif format_ == "markdown":
        table = [line for line in text.splitlines() if line.startswith("|")]
        assert {line.count("|") for line in table} == {6}
        assert "<c>" not in text
        assert "`" not in text


@pytest.mark.parametrize(
    "evil",
    [
        "::error file=a::b",
        "\u00a0 \u3000::add-mask::e",
        "a ##[add-matcher]m.json",
        "##vso[task.setvariable variable=a]b",
        "##teamcity[message text='a']",
        "#\u200b##[error]a",
        "a\n::stop-commands::a",
    ],
)
@pytest.mark.parametrize("style", [Style(), Style(width=60, color=True, verbose=True, show_files=True, show_all=True)])
@pytest.mark.parametrize("format_", FORMATS)
def test_no_text_of_the_input_is_a_command_for_a_ci_system(format_: str, style: Style, evil: str) -> None:
    text = render(format_, hostile(evil), style)

    if format_ == "github":
        assert [line[: line.index(" ")] for line in commands(text)] == ["::error", "::warning", "::notice"]
        assert "##" not in text
    else:
        assert commands(text) == []
    if format_ == "json":
        assert json.loads(text)["findings"][0]["message"] == evil
    elif format_ == "sarif":
        results = json.loads(text)["runs"][0]["results"]
        assert results[0]["relatedLocations"][0]["message"]["text"].replace("\\", "") == printable(evil)
    elif format_ == "gitlab":
        assert printable(evil) in json.loads(text)[0]["description"]
    elif format_ == "junit":
        cases = ElementTree.fromstring(text).iter("testcase")
        assert next(child.get("message") for case in cases for child in case) == printable(evil)
    elif format_ == "markdown":
        assert printable(evil) in html.unescape(text)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("##[error]", "\u266f#[error]"),
        ("a::b # c ## d [e]", "a::b # c ## d [e]"),
        ("std::string\n  ::x::", "std::string\n  \u2236:x::"),
        ("\u2014 a ##1[", "\u2014 a ##1["),
    ],
)
def test_a_command_loses_its_first_sign_and_other_text_nothing(text: str, shown: str) -> None:
    assert without_commands(text) == shown


def test_sarif_passes_the_schema() -> None:
    log = json.loads(render("sarif", report(), Style(below="clusters/a")))

    jsonschema.Draft4Validator(SARIF_SCHEMA).validate(log)
    jsonschema.Draft4Validator(SARIF_SCHEMA).validate(json.loads(render("sarif", Report(), Style())))


def sarif_fingerprints(found: list[Finding]) -> list[str]:
    run = json.loads(render("sarif", Report(found), Style()))["runs"][0]
    return [result["partialFingerprints"]["dralint/v1"] for result in run["results"]]


def gitlab_fingerprints(found: list[Finding]) -> list[str]:
    return [entry["fingerprint"] for entry in json.loads(render("gitlab", Report(found), Style()))]


@pytest.mark.parametrize("fingerprints", [sarif_fingerprints, gitlab_fingerprints])
def test_fingerprints_outlive_moved_lines_and_new_words(fingerprints: Any) -> None:
    found = findings()
    moved = [
        finding._replace(line=finding.line + 7, end_line=finding.end_line + 7, column=1, message="other words")
        for finding in found
    ]

    assert fingerprints(found) == fingerprints(moved)
    assert len({*fingerprints(found), *fingerprints([found[1], found[1]])}) == len(found) + 1
    assert fingerprints([found[0]._replace(path="spec")]) != fingerprints([found[0]])


def test_github_properties_are_escaped() -> None:
    odd = FINDING._replace(file="a,b:c%.yaml", message="100% sure::")
    line = render("github", Report([odd]), Style()).rstrip("\n")

    assert "file=a%2Cb%3Ac%25.yaml," in line
    assert parsed(line)[1]["file"] == "a,b:c%.yaml"
    assert parsed(line)[2].startswith("100% sure::\n")


def parsed(line: str) -> tuple[str, dict[str, str], str]:
    """Read a workflow command as the runner of GitHub Actions does."""
    match = re.fullmatch(r"::(\w+) ([^:]*)::(.*)", line)
    assert match is not None
    pairs = (pair.split("=", 1) for pair in match[2].split(","))
    return match[1], {key: _unescaped(value, "%3A:", "%2C,") for key, value in pairs}, _unescaped(match[3])


def _unescaped(text: str, *more: str) -> str:
    for pair in ("%0D\r", "%0A\n", *more):
        text = text.replace(pair[:3], pair[3:])
    return text.replace("%25", "%")


@pytest.mark.parametrize(
    ("file", "style", "path"),
    [
        ("./a.yaml", Style(), "a.yaml"),
        ("a.yaml", Style(below="deploy"), "deploy/a.yaml"),
        ("../a.yaml", Style(below="deploy"), "a.yaml"),
        ("/r/x/a.yaml", Style(top="/r", below="deploy"), "x/a.yaml"),
        ("/tmp/a.yaml", Style(top="/r"), "/tmp/a.yaml"),
        ("/rx/a.yaml", Style(top="/r"), "/rx/a.yaml"),
        ("<stdin>", Style(below="deploy"), "<stdin>"),
    ],
)
def test_files_are_named_as_in_the_repository(file: str, style: Style, path: str) -> None:
    found = Report([FINDING._replace(file=file, related=())])

    assert json.loads(render("gitlab", found, style))[0]["location"]["path"] == path
    assert (f"file={path}," in render("github", found, style)) == (file != "<stdin>")


def test_gitlab_passes_its_schema() -> None:
    jsonschema.validate(json.loads(render("gitlab", report(), Style())), GITLAB_SCHEMA)
    assert render("gitlab", Report(), Style()) == "[]\n"


@pytest.mark.parametrize("found", [report(), Report(), Report(files=1, objects=1, read={"a.yaml": 1})])
def test_junit_passes_the_schema_of_jenkins(found: Report) -> None:
    JUNIT_SCHEMA.validate(render("junit", found, Style(below="clusters/a")))


def test_a_file_that_cannot_be_judged_is_an_error_in_junit() -> None:
    broken = FINDING._replace(effect="tool", message="cannot be read", file="closed.yaml")
    notice = FINDING._replace(effect="tool", severity="warning")
    suite = ElementTree.fromstring(render("junit", Report([broken, FINDING, notice]), Style())).find("testsuite")
    assert suite is not None

    assert [[child.tag for child in case] for case in suite.iter("testcase")] == [["failure", "system-out"], ["error"]]
    assert (suite.get("failures"), suite.get("errors")) == ("1", "1")


def test_the_documents_say_what_every_format_is_for() -> None:
    page = (Path(__file__).parents[2] / "docs/json.md").read_text("utf-8")

    assert set(FORMATS) <= set(re.findall(r"(?m)^\| `(\w+)` \|", page))


def test_what_makes_the_exit_status_1_fails_in_junit() -> None:
    root = ElementTree.fromstring(render("junit", report(), Style(failing=("error", "warning"))))

    assert root.get("failures") == "4"


@pytest.mark.parametrize(
    ("name", "format_"),
    [
        ("report.sarif", "sarif"),
        ("report.sarif.json", "sarif"),
        ("REPORT.JSON", "json"),
        ("junit.xml", "junit"),
        ("summary.md", "markdown"),
        ("report.txt", "text"),
        ("report", None),
    ],
)
def test_a_suffix_stands_for_a_format(name: str, format_: str | None) -> None:
    assert by_suffix(name) == format_


@pytest.mark.parametrize("format_", ["json", "sarif", "gitlab"])
def test_a_report_that_may_lie_among_the_inputs_is_known_by_its_beginning(format_: str) -> None:
    assert is_report(render(format_, report(), Style()).encode()[:200])
    assert is_report(render(format_, Report(), Style()).encode()[:200])
    assert not is_report(b'{"version": 1}')
    assert not is_report(CLAIM.encode())
