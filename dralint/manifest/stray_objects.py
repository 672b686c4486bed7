"""Objects that are not judged because of their place: kubectl and the API server refuse them there, or lose them."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING, Any

from dralint.kubernetes.groups import is_ours
from dralint.kubernetes.workloads import GROUP
from dralint.manifest.objects import objects, type_meta
from dralint.manifest.pod_parts import claim_parts
from dralint.yaml import ReadingProblem

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dralint.manifest.objects import ApiObject
    from dralint.yaml import Document, Path

NO_OBJECT, MISSING = "no-object", "missing-separator"
_MOST = 1000
"""At most this many items that are not objects are reported."""
_LOST = {
    MISSING: rf"""(?m)^[ -]*["']?apiVersion["']?[ \t]*:[ \t]*["']?{re.escape(GROUP)}/""",
    "ignored-after-document-end": r"(?m)^ *resourceClaims:",
}
"""The cause that keeps an object from being read → what a text with such an object contains."""


def unjudged(document: Document, items: list[ApiObject]) -> Iterator[ReadingProblem]:
    """Yield the problems of a document that loses objects; `items` are the judged ones.

    These are a list of objects in place of one, a list item that is not an object, and an object that is joined with a
    second one or cut off, if nothing is left to judge. Source: unstructuredJSONScheme of
    pkg/apis/meta/v1/unstructured/helpers.go of k8s.io/apimachinery v0.37.0, which kubectl decodes with.
    """
    if document.state != "read":
        return
    if isinstance(document.data, list):
        inside = [item for value in document.data for item in objects(value)]
        if any(_is_judged(item) for item in inside):
            yield ReadingProblem(
                NO_OBJECT,
                f"expected one object, found a list of {len(document.data)}: kubectl does not accept a list here",
                document.span(()),
                (),
                "write each object as a separate document, with `---` between them, or put them below `items:` of a "
                "`kind: List`",
            )
        return
    if not items:
        for kind, lost in _LOST.items():
            known = [problem for problem in document.problems if problem.kind == kind]
            if known and re.search(lost, document.text):
                yield from known
    if not isinstance(document.data, dict) or "items" not in document.data:
        return
    strays = (stray for stray in _strays(document.data) if items or stray[2].startswith(f"{GROUP}/"))
    for number, (path, value, _) in enumerate(islice(strays, _MOST), 1):
        more = " (further ones are not listed)" if number == _MOST else ""
        yield ReadingProblem(
            NO_OBJECT,
            f"expected an object as item of the list, found {_named(value)}: kubectl refuses the whole list{more}",
            document.span(path),
            path,
            "remove the item, or write an object",
        )


def _is_judged(item: ApiObject) -> bool:
    if is_ours(item.api_version):
        return True
    return bool(claim_parts(item))


def _strays(data: Any) -> Iterator[tuple[Path, Any, str]]:
    """Yield the list items that are not objects: path, value, and the API version of the list."""
    todo: list[tuple[Path, Any]] = [((), data)]
    while todo:
        path, value = todo.pop()
        kind, items = type_meta(value, "kind"), value.get("items")
        if isinstance(kind, str) and kind.endswith("List") and isinstance(items, list):
            version = type_meta(value, "apiVersion")
            for position, item in enumerate(items):
                if isinstance(item, dict):
                    todo.append(((*path, "items", position), item))
                else:
                    yield (*path, "items", position), item, version if isinstance(version, str) else ""


def _named(value: Any) -> str:
    if isinstance(value, list):
        return "a list"
    if isinstance(value, str):
        return f'the string "{value[:40]}"'
    return "null" if value is None else str(value).lower() if isinstance(value, bool) else f"the number {value}"
