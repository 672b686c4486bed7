"""The readers against what Go made of the same texts.

`verdicts.jsonl.gz` holds texts, and what YAMLToJSON and YAMLToJSONStrict of sigs.k8s.io/yaml v1.6.0 return for
them (`json`, or `error`; `strict` is false where only the strict one fails). `streams.jsonl.gz` holds streams and
what YAMLOrJSONDecoder of k8s.io/apimachinery v0.37.0 reads from them before its first error.
"""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from dralint.yaml import JsonFloat, number_text, read
from dralint.yaml.composer import compose
from dralint.yaml.fast_path import quick
from dralint.yaml.nodes import TextError

DATA = Path(__file__).parent.parent / "data" / "reading"


def recorded(name: str) -> list[dict[str, Any]]:
    with gzip.open(DATA / name, "rt", encoding="utf-8", errors="surrogatepass") as lines:
        return [json.loads(line) for line in lines]


def as_json(value: Any) -> str:
    """Print with sorted keys, numbers as Go prints them."""
    if isinstance(value, dict):
        return "{" + ",".join(f"{json.dumps(k)}:{as_json(v)}" for k, v in sorted(value.items())) + "}"
    if isinstance(value, list):
        return "[" + ",".join(as_json(item) for item in value) + "]"
    if isinstance(value, int | float) and not isinstance(value, bool):
        return "0" if number_text(value) == "-0" else number_text(value)
    return json.dumps(value)


def from_go(text: str) -> Any:
    return json.loads(text, parse_float=JsonFloat)


def verdict(text: str) -> tuple[str, bool]:
    """Return the JSON text or "error", and whether keys occur twice."""
    try:
        composition = compose(text)
    except TextError:
        return "error", False
    kinds = {problem.kind for problem, _ in composition.problems}
    if kinds - {"duplicate-key"}:
        return "error", False
    data = composition.root.data if composition.root else None
    return as_json(data), "duplicate-key" in kinds


@pytest.mark.slow
def test_the_exact_reader_gives_go_s_verdict_and_value() -> None:
    differences = []
    for case in recorded("verdicts.jsonl.gz"):
        expected = "error" if "error" in case else as_json(from_go(case["json"]))
        actual, _ = verdict(case["text"])
        if actual != expected:
            differences.append((case["text"], expected, actual))

    assert differences == []


@pytest.mark.slow
def test_the_exact_reader_finds_duplicate_keys_where_strict_decoding_does() -> None:
    differences = []
    for case in recorded("verdicts.jsonl.gz"):
        # An override of a merged key is a duplicate to go-yaml, and none here; `1` and `"1"` the other way round.
        if "error" in case or "<<" in case["text"]:
            continue
        if verdict(case["text"])[1] and case.get("strict", True) and '"' not in case["text"]:
            differences.append((case["text"], "unexpected"))
        if not verdict(case["text"])[1] and not case.get("strict", True):
            differences.append((case["text"], "missing"))

    assert differences == []


def test_the_quick_reader_says_what_the_exact_one_says_or_nothing() -> None:
    answered = 0
    for case in recorded("verdicts.jsonl.gz"):
        text = case["text"] + "\n"
        answer = quick(text)
        if answer is None:
            continue
        answered += 1
        composition = compose(text)

        assert composition.problems == [], text
        assert composition.rest is None, text
        assert composition.root is not None, text
        assert repr(answer[0]) == repr(composition.root.data), text
    assert answered > 100


def test_streams_are_read_as_kubectl_reads_them() -> None:
    for case in recorded("streams.jsonl.gz"):
        found = []
        failed = False
        for document in read(case["text"].encode()):
            if any(
                p.kind not in ("duplicate-key", "ignored-after-document-end", "only-yaml") for p in document.problems
            ):
                failed = True
                break
            if document.state == "read" and document.data is not None:
                found.append(document.data)

        assert failed == case["error"], case["text"]
        wanted = case["documents"][: len(found)] if failed else case["documents"]
        assert [as_plain(d) for d in found[: len(wanted)]] == wanted, case["text"]


def as_plain(value: Any) -> Any:
    """Turn numbers into what json.loads makes of them."""
    return json.loads(as_json(value))
