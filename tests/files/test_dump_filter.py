"""The parts of a dump that are read: objects of some kinds; Secrets and all others are cut out of the text."""

from __future__ import annotations

import json

from dralint.files.text_parts import only_kinds
from dralint.manifest.objects import objects_of

SECRET = """\
- apiVersion: v1
  data:
    token: c2VjcmV0
    text: |
      kind: Pod
  kind: Secret
  metadata:
    name: s
"""
POD = """\
- apiVersion: v1
  kind: Pod
  metadata:
    name: p
"""


def kinds(raw: bytes) -> list[str]:
    return [item.kind for _, item in objects_of(raw)]


def test_other_items_of_a_list_are_cut_out_and_lines_keep_their_numbers() -> None:
    text = f"apiVersion: v1\nitems:\n{SECRET}{POD}{SECRET}kind: List\nmetadata:\n  resourceVersion: ''\n"
    cut = only_kinds(text.encode())

    assert b"c2VjcmV0" not in cut
    assert kinds(cut) == ["Pod"]
    assert cut.decode().split("\n").index("    name: p") == text.split("\n").index("    name: p")


def test_other_documents_are_cut_out() -> None:
    text = "apiVersion: v1\nkind: Secret\ndata: {a: c2VjcmV0}\n---\napiVersion: v1\nkind: Node\nmetadata: {name: n}\n"
    cut = only_kinds(text.encode())

    assert b"c2VjcmV0" not in cut
    assert kinds(cut) == ["Node"]
    assert cut.count(b"\n") == text.count("\n")


def test_what_has_no_kind_is_cut_out() -> None:
    assert only_kinds(b"2026-01-01 12:00 error: {\nmore\n").strip() == b""


def test_other_items_of_json_are_cut_out() -> None:
    secret = {"apiVersion": "v1", "data": {"a": "c2VjcmV0", "kind": "Pod"}, "kind": "Secret"}
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}}
    for items, left in (([secret, pod, secret, pod], 2), ([secret], 0), ([pod], 1)):
        text = json.dumps({"apiVersion": "v1", "items": items, "kind": "List", "metadata": {}}, indent=4)
        cut = only_kinds(text.encode())

        assert b"c2VjcmV0" not in cut
        assert kinds(cut) == ["Pod"] * left
        assert cut.count(b"\n") == text.count("\n")


def test_a_list_of_another_kind_is_cut_out_as_a_whole() -> None:
    text = json.dumps({"kind": "SecretList", "apiVersion": "v1", "items": [{"data": {"a": "c2VjcmV0"}}]}, indent=4)

    assert only_kinds(text.encode()).strip() == b""


def test_items_of_a_typed_list_need_no_kind() -> None:
    text = json.dumps({"kind": "PodList", "apiVersion": "v1", "items": [{"metadata": {"name": "p"}}]}, indent=4)

    assert kinds(only_kinds(text.encode())) == ["Pod"]
