"""Templates of manifests are recognised, and no other text counts as one."""

from __future__ import annotations

import pytest

from dralint.yaml import read


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("a: {{ .Values.x }}\n", "`a: {{ .Values.x }}` is template code"),
        ("{{- if .x }}\na: 1\n{{- end }}\n", "`{{- if .x }}` is template code"),
        ('a: b\n{{- include "x" . | nindent 4 }}\n', '`{{- include "x" . | nindent 4 }}` is template code'),
        ("a: foo\n  {{- .x }}\n", "`{{- .x }}` is template code"),
        ("- {{ x }}: y\n", "`- {{ x }}: y` is template code"),
        ("{% if x %}\na: 1\n{% endif %}\n", "`{% if x %}` is template code"),
        ("a:\n  ${LABELS}\n  b: 1\n", "`${LABELS}` replaces YAML structure"),
        ("spec:\n  ${SPEC}\n", "`${SPEC}` replaces YAML structure"),
        ("a: {b: ${MEMORY}Gi}\n", "`${MEMORY}` replaces YAML structure"),
        ("a: [${A}, ${B:-b}]\n", "`${A}` replaces YAML structure"),
        ("a: |\n  x\n{{ end }}\n", "`{{ end }}` is template code"),
        ("a: 1\n--- {{ x }}\nb: 2\n", "`--- {{ x }}` is template code"),
    ],
)
def test_a_template_is_no_syntax_problem(text: str, reason: str) -> None:
    last = list(read(text.encode()))[-1]

    assert last.state == "template"
    assert last.reason == reason
    assert last.problems == []
    assert last.data is None


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('a: "{{ x }}"\n', {"a": "{{ x }}"}),
        ("a: '{{ x }}'\n", {"a": "{{ x }}"}),
        ("a: |\n  {{ x }}\n", {"a": "{{ x }}\n"}),
        ("# {{ x }}\na: 1\n", {"a": 1}),
        ("a: ${X}\n", {"a": "${X}"}),
        ("- ${X}\n", ["${X}"]),
        ("a: {b: {c: 1}}\n", {"a": {"b": {"c": 1}}}),
    ],
)
def test_braces_in_strings_make_no_template(text: str, value: object) -> None:
    (document,) = read(text.encode())

    assert document.state == "read"
    assert document.data == value


def test_a_broken_manifest_with_braces_in_a_string_stays_broken() -> None:
    (document,) = read(b'a: "{{ x }}"\nb: [\n')

    assert [(p.kind, p.message) for p in document.problems] == [("yaml-syntax", "`[` is never closed")]
