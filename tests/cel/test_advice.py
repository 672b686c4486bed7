"""Advice on expressions, which the API server does not give."""

from __future__ import annotations

import pytest

from dralint.cel import environment
from dralint.cel.advise.advice import advice

SAID = [
    # expression, code, effect, underlined, message, hint
    (
        'device.driver == "d" && device.capacity["d"].m.isGreaterThan(quantity("10GB"))',
        "literal-quantity",
        "broken",
        '"10GB"',
        (
            'the selector fails whenever it reaches this part: "10GB" is not a quantity: '
            "a number that can have a suffix (n, u, m, k, M, G, T, P, E, Ki, Mi, Gi, Ti, Pi, Ei) "
            "or an exponent such as e3"
        ),
        'write quantity("10G") for powers of 1000, quantity("10Gi") for powers of 1024',
    ),
    (
        'device.driver == "d" && device.attributes["d"].v.isGreaterThan(semver("v1.2"))',
        "literal-semver",
        "broken",
        '"v1.2"',
        (
            'the selector fails whenever it reaches this part: "v1.2" is not a semantic version: '
            "three numbers such as 1.2.0, without a leading v"
        ),
        'write semver("1.2.0")',
    ),
    (
        "device.attributes.gpu.example.com.x == 1",
        "unquoted-domain",
        "broken",
        "device.attributes.gpu.example.com.x",
        'the domain needs quotes: without them this looks for "com" inside of the attribute "example"',
        'write device.attributes["gpu.example.com"].x',
    ),
    (
        'device.attributes["gpu.example.com/model"].x == 1',
        "qualified-domain",
        "broken",
        '"gpu.example.com/model"',
        '"gpu.example.com/model" is not a domain: the part after the "/" is the name of the attribute',
        'write device.attributes["gpu.example.com"].model',
    ),
    (
        'device.driver == "nvidia.com/gpu" && device.attributes["d"].x == 1',
        "impossible-driver",
        "broken",
        '"nvidia.com/gpu"',
        '"nvidia.com/gpu" is never the name of a driver, which has no "/": this is never true',
        'if the driver is gpu.nvidia.com, write "gpu.nvidia.com"',
    ),
    (
        '"gpu.nvidia.com/mig" == device.driver || device.driver == "d"',
        "impossible-driver",
        "advice",
        '"gpu.nvidia.com/mig"',
        '"gpu.nvidia.com/mig" is never the name of a driver, which has no "/": this is never true',
        "write the name that the driver has in its ResourceSlices",
    ),
    (
        'device.attributes["example.com/gpu"].memory >= "40Gi"',
        "qualified-domain",
        "broken",
        '"example.com/gpu"',
        '"example.com/gpu" is not a domain: a domain has no "/"',
        (
            'if the driver is gpu.example.com, write device.attributes["gpu.example.com"].memory or '
            'device.capacity["gpu.example.com"].memory'
        ),
    ),
    (
        '"gpu.example.com/model" in device.attributes && true',
        "qualified-domain",
        "broken",
        '"gpu.example.com/model"',
        '"gpu.example.com/model" is not a domain, so this is never true',
        'write "model" in device.attributes["gpu.example.com"]',
    ),
    (
        'true && "d/model" in device.attributes["d"]',
        "impossible-name",
        "broken",
        '"d/model"',
        '"d/model" can never exist: a name has no "/", so this is never true',
        'write "model"',
    ),
    (
        'device.attributes["GPU.Example.com"].x == 1',
        "impossible-domain",
        "broken",
        '"GPU.Example.com"',
        '"GPU.Example.com" can never exist: a domain has lower-case letters, digits, "-" and "." only',
        'did you mean "gpu.example.com"?',
    ),
    (
        'device.attributes["d"]["a-b"] == 1',
        "impossible-name",
        "broken",
        '"a-b"',
        '"a-b" can never exist: a name has letters, digits and "_" only and does not begin with a digit',
        'write it as the driver publishes it: "aB" or "a_b"',
    ),
    (
        'device.attributes["d"].memory.compareTo(quantity("1Gi")) > 0',
        "attribute-is-no-quantity",
        "broken",
        'device.attributes["d"].memory',
        "compareTo() requires a Quantity; attributes are never a Quantity, capacities are",
        'if it is a capacity, write device.capacity["d"].memory',
    ),
    (
        'device.attributes["d"].x.y == 1',
        "attribute-field",
        "broken",
        'device.attributes["d"].x.y',
        'attributes have no fields, so there is never a "y" inside of one',
        'write device.attributes["d"].x',
    ),
    (
        'device.attributes["d"]["x"].y == 1',
        "attribute-field",
        "broken",
        'device.attributes["d"]["x"].y',
        'attributes have no fields, so there is never a "y" inside of one',
        "compare the attribute itself",
    ),
    (
        'device.attributes["gpu.example.com/model"].string == "A"',
        "attribute-type",
        "broken",
        'device.attributes["gpu.example.com/model"].string',
        (
            'this looks up "gpu.example.com/model" as a domain and "string" as the name of an attribute; an expression '
            "does not write the type of a value"
        ),
        'write device.attributes["gpu.example.com"].model',
    ),
    (
        'device.attributes["example.com/mig-profile"].string == "A"',
        "attribute-type",
        "broken",
        'device.attributes["example.com/mig-profile"].string',
        (
            'this looks up "example.com/mig-profile" as a domain and "string" as the name of an attribute; an '
            "expression does not write the type of a value"
        ),
        (
            'write device.attributes["DOMAIN"].NAME as the driver publishes them: "mig-profile" is not a name, which '
            'has letters, digits and "_" only'
        ),
    ),
    (
        'device.attributes["model"].StringValue == "A"',
        "attribute-type",
        "broken",
        'device.attributes["model"].StringValue',
        (
            'this looks up "model" as a domain and "StringValue" as the name of an attribute; an expression does not '
            "write the type of a value"
        ),
        'write device.attributes["DOMAIN"].model, where DOMAIN is mostly the name of the driver',
    ),
    (
        "device.attributes.gpu.example.com.x.int == 1",
        "unquoted-domain",
        "broken",
        "device.attributes.gpu.example.com.x.int",
        'the domain needs quotes: without them this looks for "com" inside of the attribute "example"',
        'write device.attributes["gpu.example.com"].x',
    ),
    (
        'device.attributes["d"].x == 1',
        "unguarded-lookup",
        "advice",
        'device.attributes["d"].x',
        'the selector fails on a device without the attribute "x", and the allocation of the claim fails with it',
        'write has(device.attributes["d"].x) && ... before it, or device.driver == "..." && ...',
    ),
    (
        'device.driver == "d" && has(device.attributes.nvlink)',
        "tested-domain",
        "advice",
        "has(device.attributes.nvlink)",
        'this is always true: "nvlink" is a domain here, and a device without it has an empty map there',
        'write has(device.attributes["DRIVER"].nvlink), with the name of the driver',
    ),
    (
        "!has(device.capacity.memory)",
        "tested-domain",
        "advice",
        "has(device.capacity.memory)",
        'this is always true: "memory" is a domain here, and a device without it has an empty map there',
        'write has(device.capacity["DRIVER"].memory), with the name of the driver',
    ),
    (
        "true",
        "constant-result",
        "advice",
        "true",
        "this is always true: it selects every device",
        "leave the selector out",
    ),
    (
        "1 == 2",
        "constant-result",
        "broken",
        "1 == 2",
        "this is always false: no device can ever be selected",
        "use something of device",
    ),
]


@pytest.mark.parametrize(("expression", "code", "effect", "underlined", "message", "hint"), SAID)
def test_says_what_cannot_work(
    expression: str, code: str, effect: str, underlined: str, message: str, hint: str
) -> None:
    compilation = environment("1.37").compile(expression)
    assert compilation.ok

    (issue,) = advice(compilation)

    assert (issue.code, issue.severity_effect, expression[issue.start : issue.end]) == (code, effect, underlined)
    assert (issue.message, issue.hint, issue.reason) == (message, hint, None)


@pytest.mark.parametrize(
    ("expression", "hint"),
    [
        ('has(device.attributes["d"].x.y)', 'write has(device.attributes["d"].x)'),
        ('has(device.attributes["a.b/c"].string)', 'write has(device.attributes["a.b"].c)'),
        (
            'has(device.attributes["x"].string)',
            'write has(device.attributes["DOMAIN"].x), where DOMAIN is mostly the name of the driver',
        ),
    ],
)
def test_in_place_of_a_test_a_test_is_written(expression: str, hint: str) -> None:
    (issue,) = advice(environment("1.37").compile(expression))

    assert (issue.start, issue.end, issue.hint) == (0, len(expression), hint)
    assert environment("1.37").compile(hint.removeprefix("write ").partition(", where")[0]).ok


GUARDED = [
    'device.driver == "d" && device.attributes["d"].x == 1',
    'device.attributes["d"].x == 1 && device.driver == "d"',
    'has(device.attributes["d"].x) && device.attributes["d"].x == 1',
    'has(device.attributes.d.x) && device.attributes["d"].x == 1',
    '"x" in device.attributes["d"] && device.attributes["d"]["x"] == 1',
    '!has(device.attributes["d"].x) || device.attributes["d"].x == 1',
    'has(device.attributes["d"].x) ? device.attributes["d"].x == 1 : false',
    'device.attributes["d"].?x.orValue(false)',
    'cel.bind(d, device.attributes["d"], has(d.x) && d.x == 1)',
    'device.attributes["d"].exists(k, k == "x")',
    'device.driver == "d"',
    'device.driver != "nvidia.com/gpu"',
    'device.driver == "${DOMAIN}/gpu"',
    'device.driver == "d" && device.attributes["d"].driver == "nvidia.com/gpu"',
    "has(device.attributes.nvlink.links)",
    '"nvlink" in device.attributes',
]


@pytest.mark.parametrize("expression", GUARDED)
def test_is_silent_where_a_lookup_is_guarded(expression: str) -> None:
    compilation = environment("1.37").compile(expression)
    assert compilation.ok

    assert advice(compilation) == ()


def test_a_guard_of_another_attribute_guards_nothing() -> None:
    compilation = environment("1.37").compile('cel.bind(d, device.attributes["d"], has(d.y) && d.x == 1)')

    assert [(i.code, compilation.expression[i.start : i.end]) for i in advice(compilation)] == [
        ("unguarded-lookup", "d.x")
    ]


def test_tells_of_the_release_that_refuses() -> None:
    compilation = environment("1.35").compile(
        'device.driver == "d" && duration(device.driver.size()) == duration("1s")'
    )
    assert compilation.ok

    (issue,) = advice(compilation)

    assert (issue.code, issue.severity_effect) == ("refused-later", "advice")
    assert issue.message == (
        "Kubernetes 1.37 refuses this expression: duration() does not take (int); it takes (duration) or (string)"
    )


def test_says_nothing_about_what_is_refused() -> None:
    assert advice(environment("1.37").compile("1 +")) == ()
