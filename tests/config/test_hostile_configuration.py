"""A configuration from anyone: it takes little memory and time to refuse, and one sentence says why."""

from __future__ import annotations

import os
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest

from dralint.config.configuration import ConfigurationError, find, load, too_deep
from dralint.editor import Folder
from tests.conftest import GOOD_CLAIM, Run


@pytest.mark.parametrize(
    "text",
    [
        "a." * 30_000 + "a = 1",
        "[" + "a . " * 15_000 + "a]",
        "x = " + "[" * 20_000,
        "x = " + "{a = " * 12_000,
        "x = " + '{"a".' + "'b'." * 15_000,
    ],
)
def test_deep_toml_is_refused_before_it_is_read(tmp_path: Path, text: str) -> None:
    file = tmp_path / "pyproject.toml"
    file.write_text(f"[tool.dralint]\n{text}\n")
    tracemalloc.start()
    try:
        with pytest.raises(ConfigurationError) as refused:
            load(file)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert str(refused.value) == f"{file}:2:1: this TOML is nested too deeply"
    assert most < 5_000_000


@pytest.mark.parametrize(
    "text",
    [
        f"a = '{'.' * 100}{'[' * 100}'",
        f'a = "{"." * 100}\\"{"[" * 100}"',
        f'a = """{"[" * 100}\n"\\"""" # {"." * 100}\n"""\nb = 1',
        f"a = '''{'{' * 100}\n''' # {'[' * 100}",
        "a.b.c = [1.5, 2.5, {x.y = [[]]}]\n" * 100,
    ],
)
def test_what_is_text_or_shallow_is_not_deep(text: str) -> None:
    assert too_deep(text) is None


@pytest.mark.parametrize("text", ["tool = 1 # tool.dralint", "[[tool]] # tool.dralint"])
def test_a_tool_that_is_no_table_configures_nothing(tmp_path: Path, text: str) -> None:
    file = tmp_path / "pyproject.toml"
    file.write_text(text)

    assert load(file).values == {}


@pytest.mark.parametrize("text", ["[" * 60_000, "a: " + "{a: " * 15_000, "- " * 30_000, "? " * 30_000])
@pytest.mark.slow
def test_a_deep_yaml_configuration_is_refused(tmp_path: Path, text: str) -> None:
    file = tmp_path / ".dralint.yaml"
    file.write_text(text)

    with pytest.raises(ConfigurationError):
        load(file)


SECRET = "root:*:20228:0:99999:7::: {\n"
REFUSED = "; dralint does not read it (--config names another file, --no-config none)\n"


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with a folder, and secrets beside it; the folder is the working directory."""
    for folder in ("outside", "repository/.git", "repository/below"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "outside/secret").write_text(SECRET)
    (tmp_path / "outside/pyproject.toml").write_text("[tool.dralint]\nsecretkey = 1\n")
    (tmp_path / "outside/.dralint.yaml").write_text("secretkey: 1\n")
    (tmp_path / "repository/.git/config").write_text("token: 1\n")
    (tmp_path / "repository/claim.yaml").write_text(GOOD_CLAIM)
    monkeypatch.chdir(tmp_path / "repository/below")
    return tmp_path / "repository"


def _link(repository: Path, name: str, target: str) -> Path:
    link = repository / name
    link.symlink_to(target.format(outside=repository.parent / "outside"))
    return link


@pytest.mark.parametrize(
    ("name", "target"),
    [
        (".dralint.yaml", "{outside}/secret"),
        (".dralint.yml", "../outside/secret"),
        ("pyproject.toml", "../outside/pyproject.toml"),
        (".dralint.yaml", "../outside/missing"),
        (".dralint.yaml", "/dev/zero"),
    ],
)
@pytest.mark.parametrize(
    "command", [["check", ".."], ["fix", ".."], ["migrate", "--to", "v1", ".."], ["triage", ".."], ["cel", "true"]]
)
def test_a_configuration_that_is_a_link_out_of_the_repository_is_refused(
    repository: Path, run: Run, name: str, target: str, command: list[str]
) -> None:
    link = _link(repository, name, target)
    outcome = run(*command)

    assert (outcome.status, outcome.stdout) == (2, "")
    assert outcome.stderr == f"{link}: is a link that leads out of the repository{REFUSED}"


def test_a_link_to_a_link_out_of_the_repository_is_refused(repository: Path, run: Run) -> None:
    _link(repository, "below/shared", "../../outside")
    link = _link(repository, ".dralint.yaml", "below/shared/secret")

    assert run("check", "..").stderr == f"{link}: is a link that leads out of the repository{REFUSED}"


def test_a_configuration_below_a_linked_folder_is_refused(repository: Path) -> None:
    link = _link(repository, "sub", "../outside")

    with pytest.raises(ConfigurationError) as refused:
        find(str(link))
    assert str(refused.value) + "\n" == (f"{link}/.dralint.yaml: the link {link} leads out of the repository{REFUSED}")


def test_a_configuration_that_is_a_link_into_the_folder_of_git_is_refused(repository: Path, run: Run) -> None:
    link = _link(repository, ".dralint.yaml", ".git/config")

    assert run("check", "..").stderr == f"{link}: is a link that leads into a folder of git{REFUSED}"


@pytest.mark.parametrize("make", [os.mkfifo, lambda path: path.symlink_to(path.name)])
def test_a_configuration_that_is_not_a_regular_file_is_refused(
    repository: Path, run: Run, make: Callable[[Path], None]
) -> None:
    make(repository / ".dralint.yaml")

    assert run("check", "..").stderr == f"{repository}/.dralint.yaml: is not a regular file{REFUSED}"


def test_without_a_repository_a_configuration_must_not_lead_out_of_its_folder(repository: Path, run: Run) -> None:
    (repository / ".git").rename(repository.parent / "away")
    link = _link(repository, ".dralint.yaml", "../outside/secret")

    assert run("check", "..").stderr == f"{link}: is a link that leads out of {repository}{REFUSED}"
    assert run("check", "--no-config", "..").status == 0
    assert "`{` is never closed" in run("check", "--config", link, "..").stderr  # it is named


def test_a_link_within_the_repository_configures(repository: Path, run: Run) -> None:
    (repository / "below/settings.yaml").write_text("secretkey: 1\n")
    _link(repository, ".dralint.yaml", "below/settings.yaml")

    assert 'unknown key "secretkey"' in run("check", "..").stderr


def test_a_link_in_a_folder_of_schemas_that_leads_out_is_refused(repository: Path, run: Run) -> None:
    (repository / "schemas").mkdir()
    _link(repository, "schemas/1.37.json", "../../outside/secret")
    (repository / ".dralint.yaml").write_text("schemas: schemas\n")
    outcome = run("check", "..")

    assert outcome.status == 2
    assert "'schemas/1.37.json' is outside of the repository, or is not a regular file" in outcome.stderr


def test_an_editor_is_told_of_the_link_and_of_nothing_behind_it(repository: Path) -> None:
    link = _link(repository, ".dralint.yaml", "../outside/secret")
    folder = Folder(str(repository))
    folder.load()

    assert folder.configuration == link
    assert [(one.line, one.message) for one in folder.mistakes] == [
        (0, "is a link that leads out of the repository; dralint does not read it")
    ]
