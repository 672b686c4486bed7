"""Texts that can be made as long as one likes: one thing many times, for what must not grow faster than its input."""

from __future__ import annotations

import re
from collections.abc import Callable

CLAIM = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata:
  name: a
spec:
  devices:
    requests:
    - name: r0
      exactly:
        deviceClassName: c
"""
SLICE = """\
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata:
  name: s
spec:
  driver: d.example.com
  nodeName: n
  pool: {name: p, generation: 1, resourceSliceCount: 1}
"""
POD = """\
apiVersion: v1
kind: Pod
metadata:
  name: p
spec:
"""
HEAD = "apiVersion: resource.k8s.io/v1\nkind: ResourceClaim\nmetadata:\n  name: a\n"
IN_STATUS = CLAIM + "status:\n  devices:\n  - driver: d\n    pool: p\n    device: x\n    conditions:\n"
REQUESTS = HEAD + "spec:\n  devices:\n    requests:\n"
FLOW = HEAD + "spec: {devices: {requests: ["
DEVICE = SLICE + "  devices:\n  - name: d\n"
JSON_BAD = '{"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim","metadata":{"name":"A_"},"spec":{}}'
JSON_GOOD = '{"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim","metadata":{"name":"a"},"spec":{"devices":{}}}'
JSON_HEAD = '{"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim","spec":{"devices":{"requests":['
REQUEST_JSON = '{"name":"r0","exactly":{"deviceClassName":"c"}}'

Shape = Callable[[int], str]


_NUMBER = re.compile(r"(?<=\S)#|#(?! [a-z])")
"""A `#` that is no comment."""


def repeated(head: str, part: str, tail: str = "") -> Shape:
    """Return a text of a head, a part as often as the size wants it, and a tail.

    `#` in the part is its number, unless it begins a comment as `# text` does.
    """
    numbered = _NUMBER.search(part) is not None

    def shape(size: int) -> str:
        count = max(1, (size - len(head) - len(tail)) // (len(part) + (3 if numbered else 0)))
        body = "".join(_NUMBER.sub(str(number), part) for number in range(count)) if numbered else part * count
        return head + body + tail

    return shape


def nested(opening: str, closing: str, head: str = HEAD, inner: str = "1") -> Shape:
    """Return a text with as many levels as the size wants."""

    def shape(size: int) -> str:
        levels = max(1, (size - len(head)) // (len(opening) + len(closing)))
        return head + "spec: " + opening * levels + inner + closing * levels + "\n"

    return shape


def _merges(size: int) -> str:
    lines = ["x0: &x0 {a0: 1}"]
    while sum(map(len, lines[-1:])) and len(lines) < size // 40:
        number = len(lines)
        lines.append(f"x{number}: &x{number} {{<<: *x{number - 1}, b: {number}}}")
    return HEAD + "\n".join(lines) + "\n"


def _staircase(size: int) -> str:
    levels = int((2 * size) ** 0.5)
    return HEAD + "spec:\n" + "".join(" " * (level + 1) + "a:\n" for level in range(levels))


SHAPES: dict[str, Shape] = {
    "separators with text behind them": repeated(CLAIM, "---x\n"),
    "conditions of a wrong type": repeated(IN_STATUS, "    - {type: t#, message: true}\n"),
    "conditions, something missing in each": repeated(IN_STATUS, "    - {type: t#, status: 'True'}\n"),
    "requests of a wrong type, something missing in each": repeated(REQUESTS, "    - {name: 1, exactly: {count: 1}}\n"),
    "JSON stream, a finding in each, one line": repeated("", JSON_BAD),
    "JSON stream, a finding in each": repeated("", JSON_BAD + "\n"),
    "JSON stream of good objects": repeated("", JSON_GOOD + "\n"),
    "JSON stream, broken at the end": repeated("", JSON_GOOD + "\n", '{"a":'),
    "JSON, one line, broken at the end": repeated(JSON_HEAD, REQUEST_JSON + ","),
    "JSON, a key twice at the end": repeated(JSON_HEAD, REQUEST_JSON + ",", REQUEST_JSON + '],"requests":[]}}}'),
    "JSON objects in a YAML stream": repeated(CLAIM, "---\n" + JSON_GOOD + "\n"),
    "unknown fields at the root": repeated(CLAIM, "zz#: 1\n"),
    "unknown fields in the spec": repeated(HEAD + "spec:\n", "  zz#: 1\n"),
    "unknown fields like known ones": repeated(DEVICE + "", "    attribute#: {}\n"),
    "unknown fields with comments": repeated(CLAIM, "zz#: 1 # comment\n"),
    "unknown fields with tags": repeated(CLAIM, "zz#: !x 1\n"),
    "unknown fields with anchors": repeated(CLAIM, "k#: &a# 1\n"),
    "unknown fields with emoji": repeated(CLAIM, "zz#: 😀😀\n"),
    "fields that belong elsewhere": repeated(HEAD + "spec:\n  requests: []\n  constraints: []\n", "  zz#: []\n"),
    "an unknown field in each request": repeated(REQUESTS, "    - {name: r#, deviceClassName: c}\n"),
    "aliases of one anchor": repeated(CLAIM + "x: &x 1\n", "k#: *x\n"),
    "merges of one map": repeated(CLAIM + "big: &big {a: 1}\n", "k#: {<<: *big}\n"),
    "a chain of merges": _merges,
    "placeholders": repeated(CLAIM, "k#: ${X}\n"),
    "placeholders in names": repeated(REQUESTS, "    - {name: r#, exactly: {deviceClassName: '${APP}-#'}}\n"),
    "template marks": repeated(CLAIM, "k#: '{{ x }}'\n"),
    "a flow list of a wrong type": repeated(FLOW, "1, ", "]}}\n"),
    "a list of a wrong type": repeated(REQUESTS, "    - 1\n"),
    "a map of a wrong type": repeated(HEAD + "  labels:\n", "    l#: 1\n"),
    "numbers for text": repeated(REQUESTS, "    - {name: 1}\n"),
    "unjudged items of a list": repeated(
        "apiVersion: resource.k8s.io/v1\nkind: ResourceClaimList\nitems:\n", "- {metadata: {name: a#}, spec: {}}\n- 1\n"
    ),
    "different duplicate keys": repeated(HEAD + "  labels:\n", "    x#: a\n    x#: b\n"),
    "one key many times": repeated(CLAIM, "name: b\n"),
    "lists as keys": repeated(CLAIM, "[a#]: 1\n"),
    "containers that name no claim": repeated(
        POD + "  resourceClaims: [{name: x, resourceClaimName: c}]\n  containers:\n",
        "  - {name: a, resources: {claims: [{name: c#}]}}\n",
    ),
    "claims of a Pod": repeated(
        POD + "  containers: [{name: a}]\n  resourceClaims:\n", "  - {name: c#, resourceClaimName: c}\n"
    ),
    "a List of bad items": repeated(
        "apiVersion: v1\nkind: List\nitems:\n",
        "- {apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {name: A_#}, spec: {}}\n",
    ),
    "a List of good items": repeated(
        "apiVersion: v1\nkind: List\nitems:\n",
        "- {apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {name: a#}, spec: {devices: {}}}\n",
    ),
    "a ResourceClaimList of good items": repeated(
        "apiVersion: resource.k8s.io/v1\nkind: ResourceClaimList\nitems:\n", "- {metadata: {name: a#}, spec: {}}\n"
    ),
    "tolerations": repeated(
        REQUESTS + "    - name: r\n      exactly:\n        deviceClassName: c\n        tolerations:\n",
        "        - {key: k, operator: Exists, value: x}\n",
    ),
    "taints of a device": repeated(DEVICE + "    taints:\n", "    - {key: k#, effect: No}\n"),
    "bad capacities of a device": repeated(DEVICE + "    capacity:\n", "      k#: {value: no}\n"),
    "attributes of a device": repeated(DEVICE + "    attributes:\n", "      a#: {int: 1}\n"),
    "devices": repeated(SLICE + "  devices:\n", "  - {name: d#, attributes: {a: {int: 1}, b: {string: x}}}\n"),
    "shared counters": repeated(SLICE + "  sharedCounters:\n", "  - {name: c#, counters: {m: {value: 1}}}\n"),
    "node selector terms": repeated(
        SLICE.replace("  nodeName: n\n", "  nodeSelector:\n    nodeSelectorTerms: [").replace(
            "  pool: {name: p, generation: 1, resourceSliceCount: 1}\n", ""
        ),
        "{matchExpressions: [{key: k, operator: Exists}]}, ",
        "]\n",
    ),
    "requests": repeated(REQUESTS, "    - {name: r#, exactly: {deviceClassName: c}}\n"),
    "requests of one name": repeated(REQUESTS, "    - {name: r, exactly: {deviceClassName: c}}\n"),
    "constraints on no request": repeated(
        CLAIM + "    constraints:\n", "    - {requests: [x#], matchAttribute: a/b}\n"
    ),
    "config entries": repeated(
        CLAIM + "    config:\n", "    - {requests: [r0], opaque: {driver: d.example.com, parameters: {}}}\n"
    ),
    "reservations": repeated(CLAIM + "status:\n  reservedFor:\n", "  - {resource: pods, name: p#, uid: u#}\n"),
    "allocation results": repeated(
        CLAIM + "status:\n  allocation:\n    devices:\n      results:\n",
        "      - {request: r0, driver: d.example.com, pool: p, device: d#}\n",
    ),
    "documents": repeated("", CLAIM + "---\n"),
    "documents with a finding": repeated("", CLAIM.replace("name: a", "name: A_#") + "---\n"),
    "documents with an unknown field": repeated("", CLAIM + "zz: 1\n---\n"),
    "documents that cannot be read": repeated("", CLAIM + "zz: [\n---\n"),
    "documents of other kinds": repeated("", "kind: ConfigMap\nmetadata: {name: x}\n---\n", CLAIM),
    "separators": repeated(CLAIM, "---\n"),
    "blank lines": repeated(CLAIM, "\n", "spec: {}\n"),
    "carriage returns": repeated(CLAIM, "\r", "\nspec: {}\n"),
    "comments": repeated(CLAIM, "# x\n", "spec: {}\n"),
    "labels": repeated(HEAD + "  labels:\n", "    l#: a\n"),
    "annotations": repeated(HEAD + "  annotations:\n", "    example.com/a#: some text\n"),
    "a block scalar of blank lines": repeated(HEAD + "  namespace: |\n    x\n", "\n", "    y\n"),
    "a block scalar": repeated(HEAD + "  namespace: |\n", "    abc\n"),
    "a folded scalar": repeated(HEAD + "  namespace: >\n", "    abc\n"),
    "a plain scalar over lines": repeated(HEAD + "  namespace: x\n", "    abc\n"),
    "a quoted scalar over lines": repeated(HEAD + '  namespace: "x\n', "    abc\n", '"\n'),
    "a long name": repeated(HEAD + "  namespace: ", "a."),
    "escapes": repeated(HEAD + '  namespace: "', "\\x41", '"\n'),
    "one long line": repeated(HEAD + "  namespace: ", "a "),
    "a long quantity": repeated(DEVICE + "    capacity:\n      k: {value: ", "1", "}\n"),
    "a long version": repeated(DEVICE + "    attributes:\n      k: {version: 1.0.0-", "1.", "a}\n"),
    "a long integer": repeated(CLAIM + "        count: ", "1"),
    "opaque parameters": repeated(
        CLAIM + "    config:\n    - opaque:\n        driver: d.example.com\n        parameters:\n",
        "          k#: text\n",
    ),
    "a long expression": repeated(CLAIM + "        selectors: [{cel: {expression: 'true", " || true", "'}}]\n"),
    "selectors": repeated(CLAIM + "        selectors:\n", "        - {cel: {expression: 'device.driver == \"#\"'}}\n"),
    "flow lists in lists": nested("[", "]"),
    "flow maps in maps": nested("{a: ", "}"),
    "JSON lists in lists": lambda size: nested("[", "]", '{"kind":"ResourceClaim","x":')(size).replace("spec: ", ""),
    "blocks in blocks": _staircase,
    "open brackets": repeated(HEAD + "spec: ", "["),
    "tabs": repeated(HEAD + "spec:\n", "\t"),
    "directives": repeated("", "%TAG !a! tag:x\n", "---\n" + CLAIM),
    "byte order marks": repeated(HEAD, "\ufeff"),
    "JSON integers with an exponent": repeated(
        '{"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim","metadata":{"name":"a"},"spec":{"devices":{"config":'
        '[{"opaque":{"driver":"d.example.com","parameters":{"a":[',
        "1e2,",
        "1]}}}]}}}",
    ),
    "JSON comments": repeated('{"apiVersion":"resource.k8s.io/v1",\n', "// x\n", "}"),
    "JSON strings with half a pair": repeated(
        '{"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim","metadata":{"name":"', "\\ud83d", '"}}'
    ),
    "an anchor on each request": repeated(
        REQUESTS, "    - &a# {name: r#, exactly: {deviceClassName: c}}\n", "x: *a0\n"
    ),
    "an alias of each request": repeated(
        HEAD + "spec:\n  devices:\n", "    x#: &a# {name: r#, exactly: {deviceClassName: c}}\n    y#: *a#\n"
    ),
    "claims with a status": repeated(
        "",
        CLAIM.replace("name: a\n", "name: a#\n") + "status:\n  allocation:\n    devices:\n"
        "      results: [{request: r0, driver: d.example.com, pool: p, device: d}]\n"
        "      config: [{source: FromClaim, opaque: {driver: d.example.com, parameters: {}}}]\n---\n",
    ),
    "comments between flow items": repeated(FLOW + "\n", "  # x\n  {name: r#},\n", "]}}\n"),
    "counters that devices consume": repeated(
        SLICE + "  devices:\n", "  - {name: d#, consumesCounters: [{counterSet: s, counters: {m: {value: 1Gi}}}]}\n"
    ),
    "lists of fifty levels": repeated(CLAIM + "x:\n", "- " + "[" * 50 + "1" + "]" * 50 + "\n"),
    "explicit keys": repeated(CLAIM, "? k#\n: 1\n"),
    "extended resources of containers": repeated(
        POD + "  containers:\n", "  - {name: c#, resources: {limits: {example.com/gpu: 1}}}\n"
    ),
    "alternatives of a request": repeated(
        REQUESTS + "    - name: r\n      firstAvailable:\n", "      - {name: s#, deviceClassName: c}\n"
    ),
    "folded scalars in labels": repeated(HEAD + "  labels:\n", "    l#: >-\n      abc\n      def\n"),
    "templates between documents": repeated(
        "", CLAIM + "---\n{{- if .Values.x }}\na: {{ .Values.a }}\n{{- end }}\n---\n"
    ),
    "keys that differ in case": repeated(HEAD + "spec:\n", "  devices#: {}\n  Devices#: {}\n"),
    "values of a node selector": repeated(
        SLICE.replace(
            "  nodeName: n\n",
            "  nodeSelector: {nodeSelectorTerms: [{matchExpressions: [{key: k, operator: In, values: [",
        ).replace("  pool: {name: p, generation: 1, resourceSliceCount: 1}\n", ""),
        "v#, ",
        "]}]}]}\n",
    ),
    "an error in each of many expressions": repeated(
        CLAIM + "        selectors:\n",
        "        - cel: {expression: 'device.driver == \"" + "x" * 1000 + "\" && missing#'}\n",
    ),
    "placeholders in placeholders": repeated(CLAIM, "k#: ${A${B}}\n"),
    "a quota of many resources": repeated(
        "apiVersion: v1\nkind: ResourceQuota\nmetadata: {name: q}\nspec:\n  hard:\n",
        "    c#.deviceclass.resource.k8s.io/devices: 1\n",
    ),
    "single quotes over lines": repeated(HEAD + "  labels:\n", "    l#: 'abc\n\n      def'\n"),
    "slices of one pool": repeated("", SLICE.replace("name: s\n", "name: s#\n") + "  devices: [{name: d#}]\n---\n"),
    "slices of one pool with the same devices": repeated(
        "", SLICE.replace("name: s\n", "name: s#\n") + "  devices: [{name: d}]\n---\n"
    ),
    "suppressions above each request": repeated(
        REQUESTS, "    # dralint: ignore[DRA101]\n    - {name: r#, deviceClassName: c}\n"
    ),
    "suppressions behind each line": repeated(CLAIM, "zz#: 1 # dralint: ignore[DRA101]\n"),
    "suppressions of unknown rules": repeated(CLAIM, "# dralint: ignore[DRA9#]\n"),
    "suppressions of misspelt rules": repeated(CLAIM, "# dralint: ignore[dns-subdomin-#]\n"),
    "tabs in flow style": repeated(FLOW, "\t{name:\tr#},\n", "]}}\n"),
    "the same object again and again": repeated("", CLAIM + "---\n"),
    "line ends of Windows, blanks before them": repeated(CLAIM, "# x  \r\n"),
    "requests in lines that end as on Windows": repeated(
        HEAD.replace("\n", "\r\n") + "spec:\r\n  devices:\r\n    requests:\r\n",
        "    - name: r#  \r\n      exactly:\r\n        deviceClassName: c  \r\n",
    ),
    "quantities in another case": repeated(SLICE + "  devices:\n", "  - {name: d#, capacity: {m: {value: 1gi}}}\n"),
}
"""Name → the text of about so many bytes."""
