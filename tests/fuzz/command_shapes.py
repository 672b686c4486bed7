"""What the commands are given, as long as one likes: their arguments, and the files that these name."""

from __future__ import annotations

from typing import NamedTuple

from dralint.report import FORMATS
from tests.fuzz import shapes
from tests.fuzz.fix_shapes import FIX_SHAPES
from tests.fuzz.shapes import CLAIM, REQUESTS, SHAPES, Shape, repeated


class Case(NamedTuple):
    """A command and its files; one of them is as large as is asked for, the others are as they are."""

    arguments: tuple[str, ...]
    files: dict[str, Shape]

    def written(self, size: int) -> dict[str, str]:
        """Return the text of each file."""
        return {name: shape(size) for name, shape in self.files.items()}


SLICE = shapes.SLICE.replace("nodeName: n\n", "nodeName: node\n")  # `n` alone is not text
ALL_FORMATS = tuple(word for name in FORMATS if name != "text" for word in ("--output-file", f"{name}=report.{name}"))
CLASS = "apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: c}\nspec: {}\n---\n"
OLD_HEAD = "apiVersion: resource.k8s.io/v1beta1\nkind: ResourceClaim\nmetadata:\n  name: a\n"
OLD_REQUESTS = OLD_HEAD + "spec:\n  devices:\n    requests:\n"
OLD_SLICE = SLICE.replace("/v1\n", "/v1beta1\n") + "  devices:\n"
OLD_LINE = (
    "{apiVersion: resource.k8s.io/v1beta1, kind: ResourceSlice, metadata: {name: s}, spec: {driver: d.example.com,"
    " nodeName: node, pool: {name: p, generation: 1, resourceSliceCount: 1}, devices: ["
)
OLD_CLAIM = OLD_REQUESTS.replace("name: a", "name: a#") + "    - name: r\n      deviceClassName: c\n---\n"
OLD_JSON = (
    '{"apiVersion":"resource.k8s.io/v1beta1","kind":"ResourceClaim","metadata":{"name":"a#"},'
    '"spec":{"devices":{"requests":[{"name":"r","deviceClassName":"c"}]}}},\n'
)
CLAIMS = CLAIM.replace("name: a\n", "name: a#\n") + "---\n"
POD_OF = (
    "apiVersion: v1\nkind: Pod\nmetadata: {name: p#}\nspec:\n  containers:\n"
    "  - {name: c, image: i, resources: {claims: [{name: x}]}}\n"
    "  resourceClaims: [{name: x, resourceClaimName: %s}]\n---\n"
)
TEMPLATE = (
    "apiVersion: resource.k8s.io/v1\nkind: ResourceClaimTemplate\nmetadata: {name: t}\n"
    "spec: {spec: {devices: {requests: [{name: r, exactly: {deviceClassName: c}}]}}}\n---\n"
)
POD_OF_TEMPLATE = POD_OF.replace("resourceClaimName: %s", "resourceClaimTemplateName: t")
ONE_POD = POD_OF_TEMPLATE.replace("#", "")
NODE = "apiVersion: v1\nkind: Node\nmetadata: {name: node#, labels: {kubernetes.io/hostname: node#}}\n---\n"
ONE_NODE = NODE.replace("#", "")
SLICE_OF = (
    "apiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata: {name: s#}\nspec:\n  driver: d.example.com\n"
    "  nodeName: %s\n  pool: {name: %s, generation: 1, resourceSliceCount: 1}\n"
    "  devices: [{name: d, attributes: {a: {int: #}}}]\n---\n"
)
SLICE_OF_ONE_POOL = SLICE_OF % ("node", "p")
TEMPLATE_OF_ONE = TEMPLATE.replace(
    "deviceClassName: c}",
    "deviceClassName: c, selectors: [{cel: {expression: 'device.attributes[\"d.example.com\"].a == 1'}}]}",
)
DEPLOYMENT = (
    "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d#}\nspec:\n  selector: {matchLabels: {a: b}}\n"
    "  template:\n    metadata: {labels: {a: b}}\n    spec:\n      containers:\n"
    "      - {name: c, image: i, resources: {claims: [{name: x}]}}\n"
    "      resourceClaims: [{name: x, resourceClaimTemplateName: t#}]\n---\n"
    "apiVersion: resource.k8s.io/v1\nkind: ResourceClaimTemplate\nmetadata: {name: t#}\n"
    "spec: {spec: {devices: {requests: [{name: r, exactly: {deviceClassName: c}}]}}}\n---\n"
)
OWN_CLASS = CLASS.replace("spec: {}", "spec: {selectors: [{cel: {expression: device.driver == 'd.example.com'}}]}")
OF_A_PACK = CLAIMS.replace("deviceClassName: c", "deviceClassName: gpu.nvidia.com")
OF_A_RELEASE = ("--kubernetes-version", "1.34")
EXTENDED_POD = (
    "apiVersion: v1\nkind: Pod\nmetadata: {name: p#}\n"
    "spec: {containers: [{name: c, image: i, resources: {limits: {a.b/r#: 1}}}]}\n---\n"
)
OLD_NODE = "apiVersion: v1\nkind: Node\nmetadata: {name: node#}\nstatus: {nodeInfo: {kubeletVersion: v1.31.0}}\n---\n"
DEVICES = "  - {name: d#, attributes: {a: {int: #}, b: {string: x}}}\n"
TAINT_RULE = (
    "apiVersion: resource.k8s.io/v1beta2\nkind: DeviceTaintRule\nmetadata: {name: t#}\n"
    "spec: {deviceSelector: {device: d#}, taint: {key: k, effect: NoSchedule}}\n---\n"
)
ALLOCATED = CLAIM.replace("name: a\n", "name: a#\n  namespace: default\n") + (
    "status:\n  allocation: {devices: {results: [{request: r0, driver: d.example.com, pool: p, device: d#}]}}\n---\n"
)
STATUS_OF = (
    "status:\n  allocation:\n    devices:\n      results: [{request: r0, driver: d.example.com, pool: p, device: d#}]\n"
    "      config: [{source: FromClass, opaque: {driver: d.example.com, parameters: {a: #}}}]\n---\n"
)


QUOTA = "apiVersion: v1\nkind: ResourceQuota\nmetadata: {name: q, namespace: default}\nspec:\n  hard:\n"
OLDER_CLAIM = (
    "apiVersion: resource.k8s.io/v1alpha2\nkind: ResourceClaim\nmetadata: {name: a#}\n"
    "spec: {resourceClassName: c}\n---\n"
)
OLDER_POD = POD_OF.replace("resourceClaimName: %s", "source: {resourceClaimName: b#}")


BAD_CLAIMS = CLAIM.replace("name: a\n", "name: A_#\n") + "---\n"
CLAIMS_ON = CLAIMS.removesuffix("---\n")
IN_SLICE = SLICE + "  devices:\n"
WITH_DEVICES = CLASS + ONE_NODE + IN_SLICE
ONE_DEVICE = CLASS + ONE_NODE + SLICE + "  devices: [{name: d0}]\n"
TWO_DEVICES = CLASS + ONE_NODE + SLICE + "  devices: [{name: d0}, {name: d1}]\n---\n"


def fixed(text: str) -> Shape:
    """Return a file that is always the same."""
    return lambda _: text


def check(shape: Shape, *options: str, there: Shape | None = None) -> Case:
    """Return a check of a file; `there` are the slices of a cluster."""
    if there is None:
        return Case(("check", *options, "x.yaml"), {"x.yaml": shape})
    return Case(("check", *options, "--slices", "there.yaml", "x.yaml"), {"x.yaml": shape, "there.yaml": there})


def diff(old: Shape, new: Shape) -> Case:
    """Return a comparison of two files."""
    return Case(("diff", "old.yaml", "new.yaml"), {"old.yaml": old, "new.yaml": new})


def migrate(shape: Shape, *options: str) -> Case:
    """Return a migration of a file to v1: the outcome is written, unless `options` say otherwise."""
    return Case(("migrate", "--to", "v1", *(options or ("--write",)), "x.yaml"), {"x.yaml": shape})


def beside(*shapes: Shape) -> Shape:
    """Return texts one after the other, each with its share of the size."""
    return lambda size: "".join(shape(size // len(shapes)) for shape in shapes)


def simulate(there: Shape, asked: str | Shape | None = TEMPLATE + ONE_POD, *options: str) -> Case:
    """Return a simulation: what is there, and the manifests."""
    shape = fixed(asked) if isinstance(asked, str) else asked
    files = {"there.yaml": there} | ({"x.yaml": shape} if shape is not None else {})
    return Case(("simulate", "-q", "--inventory", "there.yaml", *options, *(["x.yaml"] if shape else [])), files)


def _reversed_devices(size: int) -> str:
    head = SLICE + "  devices:\n"
    whole = repeated(head, DEVICES)(size)
    return head + "".join(reversed(whole[len(head) :].splitlines(keepends=True)))


EIGHT_DEVICES = fixed(IN_SLICE + "".join(DEVICES.replace("#", str(n)) for n in range(8)))

CASES: dict[str, Case] = {
    "check, Pods that share one claim": check(repeated(CLAIM + "---\n", POD_OF % "a"), "--complete"),
    "check, Pods that name missing claims": check(repeated(CLAIM + "---\n", POD_OF % "m#"), "--complete"),
    "check, claims that name missing classes": check(
        repeated(CLASS, CLAIMS.replace("deviceClassName: c", "deviceClassName: m#")), "--complete"
    ),
    "check, claims that name a class nearly": check(
        repeated(
            CLASS.replace("name: c", "name: gpu.example.com"),
            CLAIMS.replace("deviceClassName: c", "deviceClassName: gpu.exmaple.com"),
        )
    ),
    "check, classes and claims that name them nearly": check(
        repeated(
            "",
            CLASS.replace("name: c", "name: gpu-class-#.example.com")
            + CLAIMS.replace("deviceClassName: c", "deviceClassName: gpu-clas-#.example.com"),
        )
    ),
    "check, all formats, a finding in each document": check(repeated("", BAD_CLAIMS), *ALL_FORMATS),
    "check, all formats, long lines": check(
        repeated(
            '{"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim","metadata":{"name":"a"},"zz":[',
            '{"a":"some text"},',
            "1]}",
        ),
        *ALL_FORMATS,
    ),
    "check, selectors that match no device": check(
        repeated(
            CLAIM.replace("r0", "x"),
            "    - name: r#\n      exactly:\n        deviceClassName: c\n        selectors:\n        - cel:\n"
            "            expression: device.attributes['d.example.com'].missing# == \"a\"\n",
        ),
        there=EIGHT_DEVICES,
    ),
    "check, claims with selectors that match no device": check(
        repeated(
            CLASS,
            CLAIMS_ON + "        selectors:\n        - cel:\n            expression: "
            "device.attributes['d.example.com'].a == # + 1000000\n---\n",
        ),
        there=EIGHT_DEVICES,
    ),
    "check, guesses for names of classes": check(
        repeated(CLASS, CLAIMS.replace("deviceClassName: c", "deviceClassName: C_#"))
    ),
    "check, guesses for names that Pods refer to": check(
        repeated(CLASS, CLAIMS.replace("name: a#", "name: A_#") + POD_OF % "a-#"), "--complete"
    ),
    "check, guesses for drivers of slices": check(
        repeated(CLASS, SLICE_OF.replace("d.example.com", "D_#.example.com") % ("node", "p#") + CLAIMS), "--complete"
    ),
    "check, Deployments and their templates": check(repeated(CLASS, DEPLOYMENT)),
    "check, slices of one pool": check(repeated("", SLICE_OF_ONE_POOL)),
    "check, slices of one pool with equal devices": check(
        repeated("", SLICE_OF_ONE_POOL.replace("[{name: d,", "[{name: d, attributes: {a: {int: 1}}}, {name: e,"))
    ),
    "check, the same object again and again": check(repeated("", CLAIM + "---\n"), "--complete"),
    "check, patches": check(repeated("", CLAIM.replace("spec:", "$patch: merge\nspec:") + "---\n")),
    "check, tolerations of claims, devices with taints": check(
        repeated(OWN_CLASS, CLAIMS_ON + "        tolerations: [{key: k#, operator: Exists}]\n---\n"),
        there=repeated(IN_SLICE, "  - {name: d#, taints: [{key: k#, effect: NoExecute}], attributes: {a: {int: #}}}\n"),
    ),
    "check, claims that fit on many devices": check(repeated(OWN_CLASS, CLAIMS), there=repeated(IN_SLICE, DEVICES)),
    "check, Pods that want extended resources of classes": check(
        beside(
            repeated(
                "", OWN_CLASS.replace("name: c}", "name: c#}").replace("{sel", "{extendedResourceName: a.b/r#, sel")
            ),
            repeated("", EXTENDED_POD),
        ),
        there=fixed(SLICE + "  devices: [{name: d0}, {name: d1}]\n"),
    ),
    "check, documents with a suppressed finding": check(
        repeated("", CLAIM.replace("name: a\n", "name: A_#  # dralint: ignore[DRA2] it is so\n") + "---\n")
    ),
    "check, requests and constraints": check(
        beside(
            repeated(REQUESTS, "    - {name: r#, exactly: {deviceClassName: c}}\n"),
            repeated("    constraints:\n", "    - {requests: [r#], distinctAttribute: a.b/c}\n"),
        ),
        *OF_A_RELEASE,
    ),
    "check, alternatives that want all devices": check(
        repeated(
            f"{REQUESTS}    - name: r\n      firstAvailable:\n",
            "      - {name: s#, deviceClassName: c, allocationMode: All}\n",
        ),
        *OF_A_RELEASE,
    ),
    "check, containers and claims of one Pod": check(
        beside(
            repeated(shapes.POD + "  containers:\n", "  - {name: c#, resources: {claims: [{name: x#}]}}\n"),
            repeated("  resourceClaims:\n", "  - {name: x#, resourceClaimTemplateName: t}\n"),
        )
    ),
    "check, Pods and nodes with old kubelets": check(
        beside(repeated(OWN_CLASS + TEMPLATE, POD_OF_TEMPLATE), repeated("", OLD_NODE + SLICE_OF % ("node#", "p#"))),
        "--kubernetes-version",
        "1.36",
    ),
    "check, Pods in a queue and classes": check(
        beside(
            repeated(TEMPLATE, POD_OF_TEMPLATE.replace("name: p#", "name: p#, labels: {kueue.x-k8s.io/queue-name: q}")),
            repeated("", CLASS.replace("name: c}", "name: c#}")),
        )
    ),
    "check, Pods of one template with an unused request": check(
        repeated(
            TEMPLATE.replace("requests: [", "requests: [{name: q, exactly: {deviceClassName: c}}, "),
            POD_OF_TEMPLATE.replace("claims: [{name: x}]", "claims: [{name: x, request: r}]"),
        )
    ),
    "check, claims of a driver with a pack": check(repeated("", OF_A_PACK)),
    "check, selectors of a driver with a pack": check(
        repeated(
            "",
            OF_A_PACK.removesuffix("---\n") + "        selectors:\n        - cel:\n            expression: "
            "device.attributes['gpu.nvidia.com'].productName == \"#\"\n---\n",
        )
    ),
    "check, a quota of many classes and claims": check(
        beside(
            repeated(QUOTA, "    c#.deviceclass.resource.k8s.io/devices: 1\n", "---\n"),
            repeated(CLASS, CLAIMS.replace("name: a#\n", "name: a#\n  namespace: default\n")),
        )
    ),
    "check, a quota of many classes and Pods": check(
        beside(
            repeated(QUOTA, "    c#.deviceclass.resource.k8s.io/devices: 1\n", "---\n"),
            repeated(
                TEMPLATE.replace("name: t}", "name: t, namespace: default}"),
                POD_OF_TEMPLATE.replace("name: p#", "name: p#, namespace: default"),
            ),
        )
    ),
    "check, configurations and requests of a claim": check(
        beside(
            repeated(OWN_CLASS + REQUESTS, "    - {name: r#, exactly: {deviceClassName: c}}\n"),
            repeated("    config:\n", "    - {requests: [r#], opaque: {driver: d.example.com, parameters: {a: #}}}\n"),
        )
    ),
    "check, configurations for all requests of a claim": check(
        beside(
            repeated(OWN_CLASS + REQUESTS, "    - {name: r#, exactly: {deviceClassName: c}}\n"),
            repeated("    config:\n", "    - {opaque: {driver: d.example.com, parameters: {a: #}}}\n"),
        )
    ),
    "check, containers and requests of one claim": check(
        beside(
            repeated(REQUESTS, "    - {name: r#, exactly: {deviceClassName: c}}\n", "---\n"),
            repeated(
                shapes.POD + "  resourceClaims: [{name: x, resourceClaimName: a}]\n  containers:\n",
                "  - {name: c#, resources: {claims: [{name: x, request: r#}]}}\n",
            ),
        )
    ),
    "check, Pods and requests of one template": check(
        beside(
            repeated(
                TEMPLATE.partition("spec:")[0] + "spec:\n  spec:\n    devices:\n      requests:\n",
                "      - {name: r#, exactly: {deviceClassName: c}}\n",
                "---\n",
            ),
            repeated("", POD_OF_TEMPLATE.replace("claims: [{name: x}]", "claims: [{name: x, request: r0}, {name: x}]")),
        )
    ),
    "check, Pods and claims of one name in many namespaces": check(
        repeated(
            "",
            CLAIM.replace("name: a\n", "name: a\n  namespace: n#\n")
            + "---\n"
            + POD_OF.replace("name: p#", "name: p#, namespace: n#") % "a",
        )
    ),
    "check, Pods that name a claim of other namespaces": check(
        repeated(
            "",
            CLAIM.replace("name: a\n", "name: a\n  namespace: n#\n")
            + "---\n"
            + POD_OF.replace("name: p#", "name: p#, namespace: m#") % "a",
        )
    ),
    "check, comments that are nearly suppressions": check(
        repeated("", CLAIM.replace("name: a\n", "name: A_#  # dralint: ignore DRA2\n") + "---\n")
    ),
    "check, comments for the whole file, a finding in each document": check(
        beside(repeated("", "# dralint: ignore-file[DRA2]\n"), repeated("", BAD_CLAIMS))
    ),
    "check, tolerations of claims, one key with many values": check(
        repeated(OWN_CLASS, CLAIMS_ON + "        tolerations: [{key: k, value: v#, effect: NoSchedule}]\n---\n"),
        there=repeated(
            IN_SLICE, "  - {name: d#, taints: [{key: k, value: w#, effect: NoSchedule}], attributes: {a: {int: #}}}\n"
        ),
    ),
    "check, tolerations of claims, one key with many values that evict": check(
        repeated(OWN_CLASS, CLAIMS_ON + "        tolerations: [{key: k, value: v#}]\n---\n"),
        there=repeated(
            IN_SLICE, "  - {name: d#, taints: [{key: k, value: w#, effect: NoExecute}], attributes: {a: {int: #}}}\n"
        ),
    ),
    "diff, nothing changed": diff(repeated("", CLAIMS), repeated("", CLAIMS)),
    "diff, all renamed": diff(repeated("", CLAIMS), repeated("", CLAIMS.replace("name: a#", "name: b#"))),
    "diff, the spec of each changed": diff(
        repeated("", CLAIMS), repeated("", CLAIMS.replace("deviceClassName: c", "deviceClassName: d"))
    ),
    "diff, the same name many times": diff(
        repeated("", CLAIM + "---\n"), repeated("", CLAIM.replace("deviceClassName: c", "deviceClassName: d") + "---\n")
    ),
    "diff, a status on one side": diff(repeated("", CLAIMS), repeated("", CLAIMS.removesuffix("---\n") + STATUS_OF)),
    "diff, devices reversed": diff(repeated(IN_SLICE, DEVICES), _reversed_devices),
    "migrate, documents": migrate(repeated("", OLD_CLAIM)),
    "migrate, requests": migrate(repeated(OLD_REQUESTS, "    - name: r#\n      deviceClassName: c\n")),
    "migrate, devices in blocks": migrate(
        repeated(OLD_SLICE, "  - name: d#\n    basic:\n      attributes:\n        a:\n          int: 1\n")
    ),
    "migrate, devices in braces": migrate(repeated(OLD_SLICE, "  - {name: d#, basic: {attributes: {a: {int: 1}}}}\n")),
    "migrate, devices in one line": migrate(
        repeated(OLD_LINE, "{name: d#, basic: {attributes: {a: {int: 1}}}}, ", "]}}\n")
    ),
    "migrate, anchors": migrate(repeated(OLD_REQUESTS, "    - &r# {name: r#, deviceClassName: c}\n", "x: *r0\n")),
    "migrate, anchors in blocks": migrate(
        repeated(
            OLD_REQUESTS,
            "    - &r#\n      name: r#\n      deviceClassName: &c# c\n      tolerations: &t# []\n",
            "x: *c0\n",
        )
    ),
    "migrate, requests in braces": migrate(repeated(OLD_REQUESTS, "    - {name: r#, deviceClassName: c}\n")),
    "migrate, a JSON list": migrate(repeated('{"apiVersion":"v1","kind":"List","items":[\n', OLD_JSON, "null]}\n")),
    "migrate, a JSON list in one line": migrate(
        repeated('{"apiVersion":"v1","kind":"List","items":[', OLD_JSON.rstrip("\n"), "null]}\n")
    ),
    "migrate, Pods and claims of the older model": migrate(beside(repeated("", OLDER_CLAIM), repeated("", OLDER_POD))),
    "migrate, capacities": migrate(
        repeated(
            OLD_SLICE.replace("v1beta1", "v1alpha3"), "  - name: d#\n    basic:\n      capacity:\n        m: 1Gi\n"
        )
    ),
    "upgrade, documents": Case(
        ("upgrade", "--from", "1.32", "--to", "1.36", "x.yaml"), {"x.yaml": repeated("", OLD_CLAIM)}
    ),
    "upgrade, devices": Case(
        ("upgrade", "--from", "1.32", "--to", "1.36", "x.yaml"),
        {"x.yaml": repeated(OLD_SLICE, "  - name: d#\n    basic:\n      attributes: {a: {int: 1}}\n")},
    ),
    "simulate, devices in one slice": simulate(repeated(WITH_DEVICES, DEVICES)),
    "simulate, slices of one node": simulate(repeated(CLASS + ONE_NODE, SLICE_OF % ("node", "p#"))),
    "simulate, nodes": simulate(repeated(CLASS, NODE + SLICE_OF % ("node#", "p#"))),
    "simulate, allocated claims": simulate(repeated(TWO_DEVICES, ALLOCATED)),
    "simulate, taint rules": simulate(repeated(TWO_DEVICES, TAINT_RULE)),
    "simulate, a constraint over devices": simulate(
        repeated(WITH_DEVICES, DEVICES),
        TEMPLATE.replace(
            "requests: [{name: r, exactly: {deviceClassName: c}}]",
            "requests: [{name: r, exactly: {deviceClassName: c, count: 2}}],"
            " constraints: [{requests: [r], matchAttribute: d.example.com/a}]",
        )
        + ONE_POD,
    ),
    "simulate --pending, Pods": simulate(
        repeated(CLASS + TEMPLATE + ONE_NODE + SLICE + "  devices: [{name: d0}]\n---\n", POD_OF_TEMPLATE),
        None,
        "--pending",
    ),
    "simulate --how-many, slices": simulate(
        repeated(CLASS + ONE_NODE, SLICE_OF % ("node", "p#")), TEMPLATE_OF_ONE + ONE_POD, "--how-many"
    ),
    "simulate --how-many, slices of many copies": simulate(
        repeated(CLASS + ONE_NODE, SLICE_OF % ("node", "p#")), TEMPLATE + ONE_POD, "--how-many"
    ),
    "simulate --how-many, devices": simulate(repeated(WITH_DEVICES, DEVICES), TEMPLATE_OF_ONE + ONE_POD, "--how-many"),
    "simulate, Pods": simulate(fixed(ONE_DEVICE), repeated(TEMPLATE, POD_OF_TEMPLATE)),
}
_COMPLETE = ("check, guesses for names of classes", "check, Deployments and their templates")
_PRINTED = ("documents", "requests", "devices in blocks", "devices in one line")
CASES |= {f"{name}, complete": Case(("check", "--complete", "x.yaml"), CASES[name].files) for name in _COMPLETE}
CASES |= {
    f"migrate, {name}, printed": migrate(CASES[f"migrate, {name}"].files["x.yaml"], "--color=never")
    for name in _PRINTED
}
"""What is asked of the commands, by name. What `check` and `fix` are asked of a single file alone is elsewhere."""
ALL: dict[str, Case] = {name: check(shape) for name, shape in SHAPES.items()} | CASES
ALL |= {name: Case(("fix", "--unsafe-fixes", "x.yaml"), {"x.yaml": shape}) for name, shape in FIX_SHAPES.items()}
