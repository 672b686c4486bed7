"""Metadata of objects: names, labels, annotations, owners."""

from __future__ import annotations

import pytest

from dralint.finding.finding import Finding
from tests.judged import judged


def findings(metadata: str, kind: str = "ResourceClaim", release: str = "1.37") -> list[Finding]:
    """Return what is said of metadata, which stands in line 4."""
    text = f"apiVersion: resource.k8s.io/v1\nkind: {kind}\nmetadata:\n  {metadata}\nspec: {{}}\n"
    report = judged(text, release)
    return report.findings


def said(metadata: str, kind: str = "ResourceClaim", release: str = "1.37") -> list[tuple[str, str, int, str]]:
    """Return rule, path, column and message of each finding."""
    return [(f.rule, f.path, f.column, f.message) for f in findings(metadata, kind, release)]


@pytest.mark.parametrize("field", ["labels", "annotations"])
@pytest.mark.parametrize(("beside", "hint"), [("", 'did you mean "app"?'), (", app: x", None)])
def test_a_key_that_is_there_already_is_not_proposed(field: str, beside: str, hint: str | None) -> None:
    (finding,) = findings(f"{{name: a, {field}: {{-app: x{beside}}}}}")

    assert (finding.rule, finding.path, finding.line) == ("DRA207", f"metadata.{field}", 4)
    assert finding.message.startswith(f'{field[:-1]} key "-app" is not a key: ')
    assert hint is None or finding.hint == hint
    assert (finding.fix is None) == (hint is None)


def test_annotations_are_256_kib_together() -> None:
    message = "the annotations are 262145 bytes long together; at most 262144 are allowed"

    assert said(f"{{name: a, annotations: {{b: {'x' * 262143}}}}}") == []
    assert said(f"{{name: a, annotations: {{b: {'x' * 262144}}}}}") == [("DRA211", "metadata.annotations", 26, message)]


def test_one_owner_is_the_controller() -> None:
    owner = "{apiVersion: v1, kind: Pod, name: a, uid: b, controller: true}"

    assert said(f"{{name: a, ownerReferences: [{owner}]}}") == []
    other = owner.replace("uid: b", "uid: c")
    (finding,) = findings(f"{{name: a, ownerReferences: [{owner},\n  {other}]}}")
    assert (finding.rule, finding.path) == ("DRA225", "metadata.ownerReferences")
    assert (finding.line, finding.column) == (5, 60)
    assert finding.message == "2 owners are marked as controller; only one can be"


@pytest.mark.parametrize(
    ("kind", "generation", "refused"),
    [("ResourceClaim", -1, True), ("ResourceClaim", 0, False), ("DeviceClass", -1, False)],
)
def test_the_generation_of_a_claim_is_not_negative(kind: str, generation: int, refused: bool) -> None:
    message = "-1 is out of range: it must be at least 0"

    assert said(f"{{name: a, generation: {generation}}}", kind) == (
        [("DRA216", "metadata.generation", 25, message)] if refused else []
    )


@pytest.mark.parametrize(
    ("kind", "release", "refused"),
    [
        ("DeviceClass", "1.37", False),
        ("DeviceClass", "1.34", True),
        ("ResourceClaim", "1.37", True),
        ("ResourceClaim", "1.34", True),
    ],
)
def test_the_prefix_of_a_class_that_has_a_name_is_not_looked_at_since_1_35(
    kind: str, release: str, refused: bool
) -> None:
    found = said("{generateName: A_b-, name: a}", kind, release)

    assert [(rule, path, column) for rule, path, column, _ in found] == (
        [("DRA202", "metadata.generateName", 18)] if refused else []
    )


@pytest.mark.parametrize(
    ("prefix", "refused"),
    [
        ("%-", True),  # what stands in a URL is looked at besides
        ("x_-", False),
        ("A-", False),
        ("x_A-", True),
        ("ä-", True),
        (f"{'a.' * 126}a-", False),
        (f"{'a.' * 126}aa-", True),
    ],
)
def test_of_a_prefix_that_ends_in_a_dash_the_character_before_it_is_not_looked_at(prefix: str, refused: bool) -> None:
    found = said(f"{{generateName: '{prefix}', name: a}}")

    assert [(rule, path) for rule, path, _, _ in found] == ([("DRA202", "metadata.generateName")] if refused else [])


def test_the_whole_prefix_of_a_class_fits_into_a_path_whatever_of_it_becomes_the_name() -> None:
    found = said(f"{{generateName: '{'a' * 60}/b'}}", "DeviceClass")

    assert [(rule, path) for rule, path, _, _ in found] == [("DRA202", "metadata.generateName")]


@pytest.mark.parametrize(
    ("second", "refused"),
    [("", False), (", blockOwnerDeletion: null", False), (", blockOwnerDeletion: false", True)],
)
def test_an_owner_that_is_named_twice_counts_once(second: str, refused: bool) -> None:
    owner = "apiVersion: v1, kind: Pod, name: p, uid: u, controller: true"
    found = said(f"{{name: a, ownerReferences: [{{{owner}}}, {{{owner}{second}}}]}}")

    assert [(rule, path) for rule, path, _, _ in found] == ([("DRA225", "metadata.ownerReferences")] if refused else [])
