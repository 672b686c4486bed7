"""Formats of names and values, and that their JSON Schema keywords never refuse what they take."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dralint.kubernetes.formats import FORMATS, Fault, fully_qualified_name

GOOD = {
    "dns-label": ["a", "gpu-0", "0", "a" * 63],
    "dns-subdomain": ["gpu.example.com", "a", "a-b.c", "a" * 253],
    "driver-name": ["gpu.example.com", "GPU.Example.com", "a" * 63],
    "driver-name-lower": ["gpu.example.com"],
    "caseless-subdomain": ["GPU.example.com", "a" * 253],
    "pool-name": ["node-1", "rack.a/net/x"],
    "filter-pool-name": ["node-1", "rack.a/net/x"],
    "c-identifier": ["model", "_x9", "A" * 32],
    "qualified-name": ["model", "gpu.example.com/model", "GPU.com/x", "a/b/c/-"],
    "qualified-name-1.34": ["model", "gpu.example.com/model"],
    "qualified-name-1.31": ["model", "gpu.example.com/model"],
    "fully-qualified-name": ["gpu.example.com/model", "a/b/c"],
    "fully-qualified-name-1.34": ["gpu.example.com/model", "a/b/c"],
    "fully-qualified-name-1.32": ["gpu.example.com/model", "a/b/c"],
    "fully-qualified-name-1.31": ["gpu.example.com/model", "a/b/c"],
    "fully-qualified-name-lower": ["gpu.example.com/model", "a/b/c", "A/b/c"],
    "label-key": ["app", "app.kubernetes.io/name", "A_b.c-d"],
    "annotation-key": ["Example.COM/Name"],
    "label-value": ["", "x", "A_b.c-9", "a" * 63],
    "semver": ["1.2.3", "0.0.0-rc.1+build.5", "10.20.30-alpha-a.b"],
    "uuid": ["6ba7b810-9dad-11d1-80b4-00c04fd430c8"],
    "condition-reason": ["Ready", "a", "A_,:b"],
    "cidr": ["10.9.8.7/24", "010.9.8.07/024", "2001:DB8::1/64", "::ffff:1.2.3.4/128"],
    "interface-cidr": ["10.9.8.7/24", "2001:db8::1/64"],
    "extended-resource": ["gpu.example.com/gpu"],
    "node-name": ["node-1.example.com"],
}
BAD = {
    "dns-label": ["", "GPU_0", "-a", "a-", "a.b", "a" * 64, "ä", "a\n"],
    "dns-subdomain": ["", "a..b", ".a", "A", "a_b", "a" * 254],
    "driver-name": ["", "gpu_example", "a" * 64],
    "driver-name-lower": ["GPU.example.com"],
    "caseless-subdomain": ["a_b", "a" * 254],
    "pool-name": ["", "/a", "a//b", "a/", "A", "a" * 254],
    "filter-pool-name": ["", "/a", "a//b", "a/", "A", "a" * 254],
    "c-identifier": ["", "9a", "a-b", "a" * 33],
    "qualified-name": ["", "/x", "x/", "a-b", "a_b/c", "gpu.example.com/a-b"],
    "qualified-name-1.34": ["", "/x", "x/", "a-b"],
    "qualified-name-1.31": ["", "/x", "x/", "a-b"],
    "fully-qualified-name": ["model", ""],
    "fully-qualified-name-1.34": ["model", "", "a.com/"],
    "fully-qualified-name-1.32": ["model", "", "a.com/"],
    "fully-qualified-name-1.31": ["model", "", "a.com/"],
    "fully-qualified-name-lower": ["model", "GPU.example.com/model"],
    "label-key": ["", "/a", "a/", "a/b/c", "a b", "-a", "a" * 64],
    "annotation-key": ["a b"],
    "label-value": ["a b", "-a", "a" * 64],
    "semver": ["1.2", "v1.2.3", "01.2.3", "1.2.3-01", "1.2.3-", "1.2.3-" + "a" * 60, "1.2.٣"],
    "uuid": ["6BA7B810-9dad-11d1-80b4-00c04fd430c8", "x"],
    "condition-reason": ["9", "a b", "a-b", "a" * 1025],
    "cidr": ["10.0.0.1", "10.0.0.1/33", "10.0.0.256/8", "fe80::1%eth0/64", "10.0.0.1/+8"],
    "interface-cidr": ["010.0.0.1/8", "2001:DB8::1/64", "::ffff:1.2.3.4/128", "10.0.0.1/08"],
    "extended-resource": ["gpu", "kubernetes.io/gpu", "requests.example.com/gpu", "a.com/" + "x" * 64],
    "node-name": ["Node"],
}


@pytest.mark.parametrize(("name", "text"), [(n, t) for n, texts in GOOD.items() for t in texts])
def test_takes_a_good_value(name: str, text: str) -> None:
    assert FORMATS[name].check(text) is None


@pytest.mark.parametrize(("name", "text"), [(n, t) for n, texts in BAD.items() for t in texts])
def test_refuses_a_bad_value_in_words_that_follow_it(name: str, text: str) -> None:
    fault = FORMATS[name].check(text)

    assert fault is not None
    assert fault.text.split()[0] in ("is", "has", "lies", "starts", "begins")


@pytest.mark.parametrize("name", sorted(FORMATS))
def test_every_format_is_tried_both_ways(name: str) -> None:
    assert GOOD[name]
    assert BAD[name]


@pytest.mark.parametrize(
    ("name", "text", "advice"),
    [
        ("dns-label", "GPU_0", 'did you mean "gpu-0"?'),
        ("semver", "v1.02", 'did you mean "1.2.0"?'),
        # a name that ends with a hyphen may lack a part, so no name is the nearest
        ("dns-label", "gpu-", "write a name such as gpu-0"),
        ("dns-label", "team_a_", "write a name such as gpu-0"),
        ("dns-subdomain", "<resource-claim-template-name>", "write the name in place of this placeholder"),
    ],
)
def test_a_bad_name_comes_with_the_nearest_good_one_or_what_to_write(name: str, text: str, advice: str) -> None:
    fault = FORMATS[name].check(text)

    assert fault is not None
    assert fault.advice == advice


def test_a_long_driver_name_is_too_long_not_invalid() -> None:
    fault = FORMATS["driver-name"].check("a" * 64)

    assert fault == Fault(
        "is 64 characters long; a driver name has at most 63", "use the driver's registered name", "TooLong"
    )


@given(st.sampled_from(sorted(FORMATS)), st.text(alphabet="aA0-_./:+ä", max_size=20))
def test_the_schema_of_a_format_never_refuses_what_the_check_takes(name: str, text: str) -> None:
    form = FORMATS[name]
    if form.check(text) is None:
        pattern, limit = form.schema.get("pattern"), form.schema.get("maxLength")

        assert pattern is None or re.search(pattern, text)
        assert limit is None or len(text) <= limit


@pytest.mark.parametrize(
    ("text", "hint", "instead"),
    [
        (
            "gpu.acme.io/driver-version",
            'write it as the driver publishes it: "gpu.acme.io/driverVersion" or "gpu.acme.io/driver_version"',
            None,
        ),
        (
            "gpu.acme.example.pcieRoot",
            'did you mean "resource.kubernetes.io/pcieRoot" or "gpu.acme.example/pcieRoot"?',
            None,
        ),
        ("resource.kubernetes.io/numa-node", None, "resource.kubernetes.io/numaNode"),
        ("gpu.acme.example.model", None, "gpu.acme.example/model"),
    ],
)
def test_of_the_name_of_a_driver_only_the_driver_knows_what_a_hyphen_is(
    text: str, hint: str | None, instead: str | None
) -> None:
    fault = fully_qualified_name(text)

    assert fault is not None
    assert (fault.hint, fault.instead) == (hint, instead)
