"""README, docs and CONTRIBUTING are true; `pytest --update-golden tests/packaging` rewrites the outputs they show."""

from __future__ import annotations

import doctest
import json
import os
import re
import runpy
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import click
import jsonschema
import pytest
from ruamel.yaml import YAML

import dralint
from dralint import __repository__
from dralint.cli.main import COMMANDS, command
from dralint.config.table import STRICT
from tests.conftest import Run

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
CONTRIBUTING = ROOT / "CONTRIBUTING.md"
DOCS = ROOT / "docs"
PAGES = [README, *sorted(DOCS.glob("*.md"))]
_SHOWN = re.compile(
    r"(?P<head><!-- (?P<stream>output|errors): dralint (?P<command>[^\n]*) -->\n)"
    r"(?:```(?P<language>\w+)\n.*?```\n)?(?P<end><!-- end -->)",
    re.DOTALL,
)
_WITH_OUTPUTS = [page for page in PAGES if _SHOWN.search(page.read_text("utf-8"))]


def name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def block(page: Path, marker: str) -> str:
    """Return the code block after a marker such as <!-- test: driver -->."""
    found = re.search(rf"<!-- test: {marker} -->\n```\w+\n(.*?)```\n<!-- end -->", page.read_text("utf-8"), re.DOTALL)
    assert found is not None
    return found[1]


def yaml_blocks(page: Path) -> list[Any]:
    texts = re.findall(r"```yaml\n(.*?)```", page.read_text("utf-8"), re.DOTALL)
    return [YAML(typ="safe").load(text) for text in texts]


@pytest.mark.parametrize("page", _WITH_OUTPUTS, ids=name)
@pytest.mark.slow
def test_outputs_in_the_documents_are_real(
    page: Path, run: Run, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    monkeypatch.chdir(ROOT)

    def fresh(match: re.Match[str]) -> str:
        outcome = run(*shlex.split(match["command"]))
        shown = (outcome.stdout if match["stream"] == "output" else outcome.stderr).rstrip()
        body = f"$ dralint {match['command']}\n{shown}"
        return f"{match['head']}```{match['language'] or 'text'}\n{body}\n```\n{match['end']}"

    text = page.read_text("utf-8")
    wanted = _SHOWN.sub(fresh, text)
    if request.config.getoption("--update-golden"):
        page.write_text(wanted, "utf-8")
        text = wanted

    assert text.count("<!-- output: ") + text.count("<!-- errors: ") == len(_SHOWN.findall(text))
    assert text == wanted


def test_the_documents_show_outputs_of_all_commands_that_have_a_page() -> None:
    shown = {match["command"].split()[0] for page in PAGES for match in _SHOWN.finditer(page.read_text("utf-8"))}

    assert {"check", "fix", "migrate", "upgrade", "simulate", "cel", "explain", "rules"} <= shown


def test_the_readme_has_at_most_150_lines() -> None:
    assert len(README.read_text("utf-8").splitlines()) <= 150


def anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings, as GitHub makes them."""
    text = re.sub(r"```.*?```", "", page.read_text("utf-8"), flags=re.DOTALL)
    headings = re.findall(r"(?m)^#+ (.*)$", text)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", [*PAGES, CONTRIBUTING, ROOT / "dralint/cel/README.md"], ids=name)
def test_links_lead_somewhere(page: Path) -> None:
    text = re.sub(r"```.*?```", "", page.read_text("utf-8"), flags=re.DOTALL)
    broken = []
    for link in re.findall(r"\]\(([^)]+)\)", text):
        if link.startswith("https://"):
            continue
        path, _, anchor = link.partition("#")
        target = page.parent / path if path else page
        if not target.exists() or (anchor and anchor not in anchors(target)):
            broken.append(link)

    assert broken == []


def test_the_index_lists_every_page() -> None:
    linked = set(re.findall(r"\]\((\w[\w-]*\.md)\)", (DOCS / "index.md").read_text("utf-8")))

    assert linked == {page.name for page in DOCS.glob("*.md")} - {"index.md"}


def commands() -> Iterator[tuple[str, click.Command]]:
    """Yield each command and each of its subcommands, as one writes it."""
    for first in COMMANDS:
        found = command(first)
        yield first, found
        if isinstance(found, click.Group):
            yield from ((f"{first} {second}", one) for second, one in found.commands.items())


def test_every_command_is_documented() -> None:
    texts = "\n".join(page.read_text("utf-8") for page in PAGES)
    missing = [words for words, _ in commands() if re.search(rf"\bdralint {words}\b", texts) is None]
    in_readme = [first for first in COMMANDS if f"`dralint {first}`" not in README.read_text("utf-8")]

    assert (missing, in_readme) == ([], [])


def written_commands(page: Path) -> Iterator[str]:
    """Yield what a page says to type after `dralint`: in shell blocks and in code within a sentence."""
    text = page.read_text("utf-8")
    for shell in re.findall(r"```sh\n(.*?)```", text, re.DOTALL):
        yield from re.findall(r"(?m)(?:^|[|(] ?|&& )dralint ([^\n|)#]*)", shell.replace("\\\n", " "))
    prose = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    yield from re.findall(r"`dralint ([^`]+)`", prose)


def test_commands_and_options_in_the_documents_exist() -> None:
    known = {words: {name for one in found.params for name in one.opts} for words, found in commands()}
    seen, unknown = 0, []
    for page in [*PAGES, CONTRIBUTING]:
        for line in written_commands(page):
            words = line.replace("'", " ").replace('"', " ").split()
            which = next((one for one in (" ".join(words[:2]), words[0]) if one in known), None)
            if words[0].startswith("-") or words[0] == "COMMAND":
                continue
            options = {word.partition("=")[0] for word in words if re.match(r"--?[a-z]", word)}
            seen += len(options)
            if which is None or not options <= known[which] | {"--help"}:
                unknown.append(f"{name(page)}: dralint {line}")

    assert unknown == []
    assert seen > 50


@pytest.mark.slow
def test_the_configurations_of_the_documents_are_valid() -> None:
    schema = json.loads((ROOT / "dralint/config/config.schema.json").read_text("utf-8"))
    found = [
        one
        for page in ("configuration.md", "driver-schemas.md", "silencing.md")
        for one in yaml_blocks(DOCS / page)
        if not {"apiVersion", "type"} & set(one)
    ]

    assert len(found) == 3
    for one in found:
        jsonschema.validate(one, schema)


def test_the_keys_of_a_configuration_are_documented_with_their_defaults() -> None:
    from dralint.cli.options import keys
    from dralint.config import table

    options = {key: option.default for key, option in keys(command("check")) if isinstance(option.default, str)}
    flags = {key: "false" for key, option in keys(command("check")) if option.is_flag}
    section = (DOCS / "configuration.md").read_text("utf-8").partition("## Several configurations")[0]
    rows = re.findall(r"(?m)^\| (`[^|]*`) \| ([^|]*) \|$", section)
    shown = {key: cell for cells, cell in rows for key in re.findall(r"`([\w-]+)`", cells)}

    for key in table.schema()["properties"]:
        default = {**flags, **options}.get(key)
        assert key in shown
        assert default is None or shown[key] == f"`{default}`", key


def test_the_documents_count_the_drivers() -> None:
    from dralint.drivers.shipped import DRIVERS

    texts = [README.read_text("utf-8"), (DOCS / "drivers.md").read_text("utf-8")]

    assert [re.findall(r"\b(\d+) drivers\b", text) for text in texts] == [[str(len(DRIVERS))]] * 2


def test_the_comments_of_the_documents_suppress_something() -> None:
    report = dralint.lint_text(block(DOCS / "silencing.md", "silenced"))

    assert [finding.message for finding in report.findings] == []
    assert report.suppressed == 2


@pytest.mark.parametrize("page", ["migrating.md", "python-api.md"])
def test_python_examples_are_true(page: str) -> None:
    result = doctest.testfile(str(DOCS / page), module_relative=False, encoding="utf-8")

    assert (result.failed, result.attempted >= 4) == (0, True)


def test_good_examples_are_good_and_bad_ones_are_bad(check: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    bad = check("examples/bad")

    assert check("examples/good", "--fail-on", "info").findings == []
    assert bad.status == 1
    assert {finding["file"] for finding in bad.report["findings"]} == {
        str(path.relative_to(ROOT)) for path in (ROOT / "examples/bad").iterdir()
    }


_DRIVER = """
def resource_slices(devices):
    return [
        {
            "apiVersion": "resource.k8s.io/v1",
            "kind": "ResourceSlice",
            "metadata": {"name": "node-1-gpu"},
            "spec": {
                "driver": "gpu.example.com",
                "nodeName": "node-1",
                "pool": {"name": "node-1", "generation": 1, "resourceSliceCount": 1},
                "devices": [{"name": f"gpu-MARK{number}"} for number in range(devices)],
            },
        }
    ]
"""


@pytest.mark.parametrize(("mark", "status", "said"), [("", 0, "3 passed"), ("_", 1, "2 failed, 1 passed")])
@pytest.mark.slow
def test_the_tests_of_a_driver_are_real(tmp_path: Path, mark: str, status: int, said: str) -> None:
    (tmp_path / "test_slices.py").write_text(block(DOCS / "python-api.md", "driver"))
    (tmp_path / "my_driver.py").write_text(_DRIVER.replace("MARK", mark))
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_slices.py"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
    )

    assert (done.returncode, said in done.stdout) == (status, True), done.stdout
    assert ("spec.devices[0].name" in done.stdout) == bool(mark)


@pytest.mark.parametrize("page", ["checking.md", "ci.md"])
def test_the_profile_strict_is_what_its_pages_show(page: str) -> None:
    assert YAML(typ="safe").load(block(DOCS / page, "strict")) == STRICT


def test_hooks_and_inputs_of_the_recipes_exist() -> None:
    blocks = yaml_blocks(DOCS / "ci.md")
    hooks = {hook["id"] for hook in YAML(typ="safe").load(ROOT / ".pre-commit-hooks.yaml")}
    inputs = set(YAML(typ="safe").load(ROOT / "action.yml")["inputs"])
    named = [hook["id"] for one in blocks if "repos" in one for hook in one["repos"][0]["hooks"]]
    jobs = [job for one in blocks if isinstance(one, dict) for job in (one.get("jobs") or {}).values()]
    steps = [step for job in jobs for step in job["steps"] if "dralint" in step["uses"]]
    documented = set(re.findall(r"(?m)^\| `([\w-]+)` \|", (DOCS / "ci.md").read_text("utf-8")))

    assert hooks - set(named) == {"dralint-all"}  # in place of `dralint`, which it repeats
    assert [set(step.get("with", ())) <= inputs for step in steps] == [True, True]
    assert documented == inputs | hooks


@pytest.mark.slow
def test_the_picture_is_what_the_program_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    picture = runpy.run_path(str(ROOT / "examples" / "picture.py"))
    shown, wanted = (
        "".join(ElementTree.fromstring(svg).itertext())
        for svg in ((ROOT / "examples/report.svg").read_text("utf-8"), picture["svg"](picture["report"]()))
    )

    assert "".join(shown.split()) == "".join(wanted.split())
    assert "1\u00a0file,\u00a01\u00a0object:\u00a0" in shown
    assert "http" not in (ROOT / "examples/report.svg").read_text("utf-8").replace(
        "http://www.w3.org/2000/svg", ""
    ).replace("https://www.textualize.io", "")


_INSTALLS = re.compile(
    r"""\b(?:pipx?|pip3|uvx?|poetry|pdm|conda|brew)\ (?:[^\n`|;&#]*\ )?["']?  # a program, and words before the name
    dralint(?:\[[\w,-]*\])?(?!\ @\ git\+https://github\.com/dralint/dralint|\ @\ git\+[$]?\{)(?![\w/\[-])""",
    re.VERBOSE,
)


@pytest.mark.parametrize(
    ("line", "bare"),
    [
        ("pip install dralint", True),
        ("pip install -q 'dralint[server]'", True),
        ("`pipx install dralint`, then", True),
        ("uvx dralint check deploy", True),
        ('pip install "dralint>=0.1"', True),
        ("pip install git+https://github.com/dralint/dralint", False),
        ("pipx install 'dralint[server] @ git+https://github.com/dralint/dralint'", False),
        ("pip install dist/dralint-*.whl", False),
        ("uvx --from git+https://github.com/dralint/dralint dralint check deploy", False),
    ],
)
def test_a_bare_name_is_known(line: str, bare: bool) -> None:
    assert bare_names(line) == ([line] if bare else [])


def bare_names(text: str) -> list[str]:
    """Return the lines that install dralint by its bare name."""
    lines = text.splitlines()
    return [line for line in lines if _INSTALLS.search(re.sub(r"--from git\+\S+ dralint", "", line))]


def test_nothing_says_to_install_a_name_that_nobody_has_published() -> None:
    folders = ["*.md", "*.yml", ".ci", ".github", "action", "docs", "dralint", "editors", "examples", "rules", "site"]
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--", *folders], cwd=ROOT, check=True, capture_output=True, text=True
    )
    files = [path for path in map(ROOT.joinpath, listed.stdout.split("\0")) if path.is_file() and path.suffix != ".png"]
    texts = {path: path.read_text("utf-8", "replace") for path in files}
    found = [(name(path), line) for path, text in texts.items() for line in bare_names(text)]
    others = [
        (name(path), address)
        for path, text in texts.items()
        for address in re.findall(r"git\+(?:https?|ssh|git)://[^\s'\"`)@]*", text)
        if address not in (f"git+{__repository__}", "git+https://…")
    ]

    assert found == []
    assert others == []
    assert len(files) > 500
