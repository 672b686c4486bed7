"""Small texts that once took for ever, and numbers that are longer than Python's `int` reads."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.conftest import Run

ROOT = Path(__file__).parents[2]
DIGITS = "9" * 5000
CLAIM = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: "NAME", namespace: a}
spec:
  devices:
    requests:
    - name: a
      exactly:
        deviceClassName: evil
"""
POD = """\
---
apiVersion: v1
kind: Pod
metadata: {name: p, namespace: NAMESPACE}
spec:
  containers: [{name: c, image: i, resources: {claims: [{name: a}]}}]
  resourceClaims: [{name: a, resourceClaimName: "NAME"}]
"""
DEVICES = """\
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: evil}
spec:
  selectors: [{cel: {expression: device.driver == "evil.example.com"}}]
---
"""
PACK = """\
pack: 1
driver: evil.example.com
vendor: x
source: x/y
versions: [v1]
kinds: {gpu: {where: {type: gpu}}}
attributes:
- {name: type, type: string, always: true, values: [gpu], closed: true}
- {name: model, type: string, always: true, OWN}
"""
APPLICATION = """\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: a}
spec: {destination: {namespace: x}, source: {path: "PATH"}}
"""
APPLICATIONS = """\
apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {name: a}
spec: {template: {spec: {destination: {namespace: x}, sources: [{path: "PATH"}]}}}
"""
FLUX = """\
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: a}
spec: {targetNamespace: x, path: "./PATH"}
"""
DEPLOYED = [APPLICATION, APPLICATIONS, FLUX]


def written(folder: Path, **files: str) -> None:
    for name, text in files.items():
        (folder / f"{name.replace('_', '.')}").write_text(text, "utf-8")


@pytest.mark.parametrize("mark", ["${a}", "$(A)", "{{ a }}", "{% a %}"])
@pytest.mark.parametrize(("last", "missing"), [("x", False), ("y", True)])
def test_a_name_with_many_placeholders_is_compared(
    run: Run, workdir: Path, mark: str, last: str, *, missing: bool
) -> None:
    open_name = "x" + f"{mark}x" * 40
    written(
        workdir,
        a_yaml=CLAIM.replace("NAME", open_name) + POD.replace("NAMESPACE", "a").replace("NAME", "x" * 120 + last),
    )

    report = run("check", "--complete", "--known-class", "evil", "--format", "json", "a.yaml").report

    found = [(f["rule"], f["line"]) for f in report["findings"] if f["rule"] != "DRA704"]
    assert found == ([("DRA401", 16)] if missing else [])


@pytest.mark.parametrize("deployed", DEPLOYED)
@pytest.mark.parametrize("part", ["*", "{{path}}"])
def test_a_deployed_path_with_many_stars_is_compared(run: Run, workdir: Path, deployed: str, part: str) -> None:
    folder = workdir.joinpath(*["a"] * 60)
    folder.mkdir(parents=True)
    claim = CLAIM.replace("NAME", "a") + POD.replace("NAMESPACE", "b").replace("NAME", "a")
    (folder / "c.yaml").write_text(claim, "utf-8")
    (workdir / "app.yaml").write_text(deployed.replace("PATH", f"{part}/" * 30 + "zzz"), "utf-8")

    outcome = run("check", "--format", "json", ".")

    assert [row[0] for row in outcome.findings] == ["DRA401"]


NOT_THE_FORM = f'"{"a" * 40}!" has not the form of evil.example.com/model, whose values match "^(a+)+$"'
UNKNOWN = f"no device of the driver has the attribute evil.example.com/{'a' * 32}"


@pytest.mark.parametrize(
    ("own", "field", "message"),
    [
        ('pattern: "^(a+)+$"', "model", NOT_THE_FORM),
        ('names: "(a+)+z"', "a" * 32, UNKNOWN),
        ('names: "(a|aa)+z"', "a" * 32, UNKNOWN),
    ],
)
def test_a_pattern_of_a_pack_takes_no_longer_with_a_longer_text(
    run: Run, workdir: Path, own: str, field: str, message: str
) -> None:
    selector = f"device.attributes['evil.example.com'].{field} == '{'a' * 40}!'"
    text = f'{DEVICES}{CLAIM.replace("NAME", "a")}        selectors: [{{cel: {{expression: "{selector}"}}}}]\n'
    written(workdir, _dralint_yaml="driver-packs: [p.yaml]\n", p_yaml=PACK.replace("OWN", own), c_yaml=text)

    (found,) = run("check", "--format", "json", "c.yaml").report["findings"]

    assert (found["line"], found["message"].startswith(message)) == (16, True)


@pytest.mark.parametrize("key", ["names", "pattern"])
@pytest.mark.parametrize(
    ("pattern", "problem"),
    [
        ("(open", 'not a regular expression of Go: it has a "(" that is not closed'),
        ("(a{1,99}){1,99}", "not a regular expression of Go: it "),
        ("a{1000}", "dralint does not run so large a pattern; write smaller repetitions"),
    ],
)
def test_a_crooked_pattern_of_a_pack_has_its_line(
    run: Run, workdir: Path, key: str, pattern: str, problem: str
) -> None:
    written(workdir, p_yaml=PACK.replace("OWN", f'{key}: "{pattern}"'))

    outcome = run("pack", "check", "p.yaml")

    assert outcome.status == 1
    assert outcome.stdout.startswith(f"p.yaml:9: attributes.1.{key}: {problem}")


# Numbers.


def test_a_long_number_in_json_is_a_finding_beside_the_others(run: Run, workdir: Path) -> None:
    request = f'{{"name": "r", "exactly": {{"deviceClassName": "c", "count": {DIGITS}, "cuont": 1}}}}'
    text = (
        '{"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim", "metadata": {"name": "a"},\n'
        f'"spec": {{"devices": {{"requests": [\n{request}]}}}}}}'
    )
    written(workdir, a_json=text)

    findings = run("check", "--format", "json", "a.json").report["findings"]

    assert {(f["rule"], f["path"].rpartition(".")[2], f["line"]) for f in findings} == {
        ("DRA102", "count", 3),
        ("DRA101", "cuont", 3),
    }
    assert max(len(f["message"]) for f in findings) < 200


@pytest.mark.parametrize("version", [DIGITS, f"{DIGITS}.0.0", f"v1.{DIGITS}"])
def test_a_long_number_in_a_version_is_a_sentence(run: Run, version: str) -> None:
    outcome = run("cel", f'device.attributes["a.example.com"].v == semver("{version}")')

    assert outcome.status == 0
    assert 'hint: write three numbers: semver("MAJOR.MINOR.PATCH")' in outcome.stdout


def test_a_long_number_in_a_configuration_is_a_sentence(run: Run, workdir: Path) -> None:
    written(workdir, pyproject_toml=f"[tool.dralint]\njobs = {DIGITS}\n", a_yaml=CLAIM)

    outcome = run("check", "a.yaml")

    assert outcome.status == 2
    assert outcome.stderr.endswith("pyproject.toml: has a number with too many digits\n")


NUMBER = re.compile(rb"(?<![\w.])\d+|(?<=[.v])\d+")
FILES = ["tests/fuzz/corpus/numbers-for-text.yaml", *(f"examples/{name}" for name in ("bad", "good", "simulate"))]


COMMANDS = (
    ("check", "--complete", "{}"),
    ("fix", "--unsafe-fixes", "{}"),
    ("migrate", "--to", "resource.k8s.io/v1beta1", "{}"),
    ("upgrade", "--from", "1.33", "--to", "1.36", "{}"),
    ("diff", "{}", "{}"),
    ("triage", "{}"),
    ("simulate", "--inventory", "{}", "{}"),
    ("pack", "make", "{}"),
)


@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: words[0])
def test_no_place_of_a_number_is_an_internal_error(run: Run, workdir: Path, words: tuple[str, ...]) -> None:
    """`check` is asked of each place, the other commands, which read in the same way, of each third one in turn."""
    turn = COMMANDS.index(words)
    files = [
        file for name in FILES for file in ([ROOT / name] if "." in name else sorted((ROOT / name).rglob("*.yaml")))
    ]
    wrong = []
    for file in files:
        raw = file.read_bytes()
        for number, match in enumerate(NUMBER.finditer(raw)):
            if number >= 25:
                break
            if turn and number % 3 != turn % 3:
                continue
            text = raw[: match.start()] + DIGITS.encode() + raw[match.end() :]
            (workdir / "a.yaml").write_bytes(text)
            outcome = run(*(word.format("a.yaml") for word in words))
            said = outcome.stdout + outcome.stderr
            if outcome.status not in (0, 1, 2, 3) or "please report it" in said or "Exceeds the limit" in said:
                wrong.append((file.name, match.start(), said[-300:]))

    assert wrong == []


def test_the_end_of_a_quote_is_not_searched_for_ever(run: Run, workdir: Path) -> None:
    written(workdir, a_yaml='a: "' + '\\"' * 40_000)

    assert "is never closed" in run("triage", "a.yaml").stderr


def test_a_long_number_that_is_no_quantity_is_refused_at_once(run: Run, workdir: Path) -> None:
    request = '        capacity: {requests: {memory: "' + "0" * 400_000 + '!"}}\n'
    written(workdir, a_yaml=CLAIM.replace("NAME", "a") + request)

    (found,) = run("check", "--format", "json", "a.yaml").report["findings"]

    assert (found["rule"], found["path"].rpartition(".")[2], found["line"]) == ("DRA104", "requests[memory]", 10)
    assert found["message"].partition('!" ')[2].startswith("is not a quantity: a number that can have a suffix (")


NO_WIDTH = "\u200b" * 200_000


def test_spaces_without_width_are_found_at_once(run: Run, workdir: Path) -> None:
    written(workdir, a_yaml=f"{CLAIM}        a{NO_WIDTH}b: 1\n")

    (found,) = run("check", "--format", "json", "a.yaml").report["findings"]

    assert (found["rule"], found["line"], found["message"][:24]) == ("DRA002", 10, "expected a key of this m")


@pytest.mark.parametrize(
    ("line", "at"),
    [('a: "{{" "' + '\\"' * 100_000, 10), ("a: 1 # {{ }}" + "{%" * 100_000 + "\n b: c", 11)],
    ids=["quotes", "actions"],
)
def test_whether_a_text_is_a_template_is_found_at_once(run: Run, workdir: Path, line: str, at: int) -> None:
    written(workdir, a_yaml=CLAIM + line)

    (found,) = run("check", "--format", "json", "a.yaml").report["findings"]

    assert (found["rule"], found["line"]) == ("DRA002", at)
