"""What functions and operators yield, by the CEL specification and the libraries of Kubernetes.

Sources: cel-spec doc/langdef.md, cel-go ext (strings, lists, sets), pkg/cel/library of k8s.io/apiserver.
"""

from __future__ import annotations

import re
from fractions import Fraction

import pytest

from dralint.cel import environment
from dralint.cel.machine import Device, Evaluation
from dralint.cel.values import QuantityValue, Semver
from tests.cel.ran import ran

DEVICE = Device(
    driver="a.com",
    # Values that no constant folding sees.
    attributes={"seven": 7, "minus": -7, "zero": 0, "text": "a,b,c", "yes": True, "version": Semver(1, 2, 3)},
    capacity={"memory": QuantityValue(Fraction(2**30), 0), "half": QuantityValue(Fraction(1, 2), 3)},
    name="d",
)
WORDS = {
    "A": 'device.attributes["a.com"]',
    "M": 'device.capacity["a.com"].memory',
    "H": 'device.capacity["a.com"].half',
    "T": 'timestamp("2026-03-01T00:00:00Z")',
    "MAX": "9223372036854775807",
    "MIN": "(-9223372036854775807 - 1)",
}

TRUE = [
    # numbers
    "A.seven / 2 == 3 && A.minus / 2 == -3 && A.seven / -2 == -3",
    "A.seven % 2 == 1 && A.minus % 2 == -1 && A.seven % -2 == 1",
    "7.0 / double(A.seven) == 1.0 && 1.0 / double(A.zero) > 1e308",
    "uint(A.seven) / 2u == 3u && uint(A.seven) % 4u == 3u",
    "-double(A.seven) == -7.0 && -A.seven == A.minus && A.seven - 8 == -1 && uint(A.seven) - 7u == 0u",
    "A.seven * A.minus == -49 && double(A.seven) * 0.5 == 3.5",
    "A.seven == 7u && A.seven == 7.0 && A.seven != 7.5",
    "A.seven < 7.5 && A.seven > 6.5 && A.seven < 8u && 6u < uint(A.seven) && A.minus < 0u",
    "A.seven in [7.0] && A.seven in {7u: 1} && !(A.seven in ['7'])",
    "MAX > 9.2e18 && MIN < -9.2e18 && MAX < 1e19 && MIN > -1e19",
    "double(A.seven) <= 7.0 && double(A.seven) >= 7.0 && !(double(A.seven) < 7.0)",
    "0.0 / double(A.zero) != 0.0 / double(A.zero)",
    # conversions
    "int(double(A.seven) + 0.9) == 7 && int(-double(A.seven) - 0.9) == -7",
    "int('7') == A.seven && uint('7') == uint(A.seven) && double('7.5') == 7.5 && double('1e3') == 1000.0",
    "string(A.seven) == '7' && string(A.yes) == 'true' && string(7u) == '7' && string(b'ab') == 'ab'",
    "string(1.0) == '1' && string(0.5) == '0.5' && string(1e21) == '1e+21'",
    "string(1e-7) == '1e-07' && string(0.0001) == '0.0001' && string(-1.5) == '-1.5'",
    "bool('true') && bool('t') && bool('TRUE') && bool('1') && !bool('false') && !bool('0') && !bool('F')",
    "int(T) == 1772323200 && timestamp(1772323200) == T && string(T) == '2026-03-01T00:00:00Z'",
    "string(timestamp('2026-03-01T00:00:00.5Z')) == '2026-03-01T00:00:00.5Z'",
    "string(duration('90m')) == '5400s' && string(duration('1.5s')) == '1.5s' && string(duration('-1ms')) == '-0.001s'",
    "int(0.0) == 0 && uint(0.0) == 0u && uint(0.5) == 0u",
    "int(9223372036854774784.0) == 9223372036854774784 && uint(18446744073709549568.0) == 18446744073709549568u",
    # time
    "T - duration('24h') == timestamp('2026-02-28T00:00:00Z') && duration('24h') + T == T + duration('24h')",
    "T - timestamp('2026-02-28T00:00:00Z') == duration('24h') && duration('3s') - duration('1s') == duration('2s')",
    "T > timestamp('2026-02-28T23:59:59Z')",
    "duration('1h') > duration('59m') && duration('1h') + duration('1m') == duration('61m')",
    # quantities and versions
    "M.add(quantity('1Gi')) == quantity('2Gi') && M.add(1) == quantity('1073741825')",
    "M.sub(quantity('1Gi')) == quantity('0') && M.sub(1) == quantity('1073741823')",
    "M.isInteger() && M.asInteger() == 1073741824 && !H.isInteger() && H.asApproximateFloat() == 0.5",
    "quantity('999999999999999999').isInteger() && quantity('-999999999999999999').isInteger()",
    "!quantity('9223372036854775808').isInteger() && !quantity('-9223372036854775809').isInteger()",
    "sign(M) == 1 && sign(quantity('0')) == 0 && sign(quantity('-1')) == -1",
    "M.isGreaterThan(H) && H.isLessThan(M) && M.compareTo(H) == 1 && H.compareTo(M) == -1 && M.compareTo(M) == 0",
    "isQuantity('1Gi') && !isQuantity('1Gb') && isSemver('1.2.3') && !isSemver('1.2') && isSemver('v1.2', true)",
    "A.version.major() == 1 && A.version.minor() == 2 && A.version.patch() == 3",
    "A.version == semver('1.2.3') && A.version != semver('1.2.4') && A.version.isLessThan(semver('1.3.0'))",
    "A.version.isGreaterThan(semver('1.2.3-rc.1')) && semver('1.0.0-a').compareTo(semver('1.0.0-b')) == -1",
    # lists
    "[3, 1, 2].sort() == [1, 2, 3] && ['b', 'a'].sort() == ['a', 'b'] && [2, 1, 2].sort() == [1, 2, 2]",
    "[3, 1, 2].min() == 1 && [3, 1, 2].max() == 3 && [2].min() == 2",
    "[1, 2, 3].sum() == 6 && [1.5, 0.5].sum() == 2.0 && [duration('1s'), duration('2s')].sum() == duration('3s')",
    "[1, 1, 2].isSorted() && ![2, 1].isSorted() && [1].isSorted()",
    "[1, 2, 1].indexOf(1) == 0 && [1, 2, 1].lastIndexOf(1) == 2 && [1].indexOf(5) == -1 && [1].lastIndexOf(5) == -1",
    "[1, 2, 3, 4].slice(1, 3) == [2, 3] && [1, 2].slice(0, 0) == [] && [1, 2].slice(0, 2) == [1, 2]",
    "[1, 2, 1, 3, 2].distinct() == [1, 2, 3] && [1, 2, 3].reverse() == [3, 2, 1] && [].reverse() == []",
    "lists.range(3) == [0, 1, 2] && lists.range(0) == []",
    "[1, 2].first().value() == 1 && [1, 2].last().value() == 2",
    "!dyn([]).first().hasValue() && !dyn([]).last().hasValue()",
    "[3, 1, 2].sortBy(x, -x) == [3, 2, 1] && ['aa', 'b'].sortBy(x, x.size()) == ['b', 'aa']",
    "[1, 2] + [3] == [1, 2, 3] && [1, 2][1] == 2 && [1, 2].size() == 2 && size({1: 2}) == 1",
    "[1, 2, 3].exists_one(x, x > 2) && ![1, 2, 3].exists_one(x, x > 1) && [[1], [2]].map(x, x[0]) == [1, 2]",
    "[1, 2, 3].map(x, x > 1, x * 2) == [4, 6] && {'a': 1}.map(k, k) == ['a']",
    "[1, 2].transformList(i, x, i + x) == [1, 3] && {'a': 1}.transformMap(k, v, v + 1) == {'a': 2}",
    "['a'].transformMapEntry(i, x, {x: i}) == {'a': 0}",
    "sets.contains([1, 2], [2]) && sets.equivalent([1, 1], [1])",
    "sets.intersects([1], [1, 2]) && !sets.intersects([1], [2])",
    "[1] != [1, 2] && [[1]] != [[2]] && {'a': 1} != {'b': 1}",
    "dyn([A.seven]) == [7] && [A.version] == [semver('1.2.3')] && [A.version] != ['1.2.3']",
    "dyn([1]) == dyn([1.0]) && dyn({'a': [1]}) == dyn({'a': [1.0]}) && dyn([1, 2]) != dyn([1]) && dyn(1) != dyn('1')",
    "dyn([dyn(1), dyn('a')]) != dyn([dyn(1), dyn('b')]) && dyn({1: 'x'})[1u] == 'x'",
    "dyn(7u) == double(A.seven) && string(1000000.0) == '1e+06'",
    "string(100000.0) == '100000' && string(1e20) == '1e+20'",
    "dyn(optional.of(1)) != dyn(1) && dyn(semver('1.0.0')) != dyn('1.0.0')",
    # text
    "A.text.split(',') == ['a', 'b', 'c'] && A.text.split(',', 2) == ['a', 'b,c'] && A.text.split(',', 0) == []",
    "A.text.split(',', 1) == ['a,b,c'] && A.text.split(',', -1) == ['a', 'b', 'c'] && 'ab'.split('') == ['a', 'b']",
    "A.text.replace(',', '') == 'abc'",
    "A.text.replace(',', '-', 1) == 'a-b,c' && A.text.replace(',', '-', 0) == A.text",
    "A.text.indexOf(',') == 1 && A.text.lastIndexOf(',') == 3",
    "A.text.indexOf(',', 2) == 3 && A.text.lastIndexOf(',', 2) == 1",
    "A.text.indexOf('x') == -1 && A.text.lastIndexOf('x') == -1",
    "A.text.indexOf('') == 0 && A.text.lastIndexOf('') == 5",
    "A.text.substring(2) == 'b,c' && A.text.substring(2, 3) == 'b'",
    "A.text.substring(5) == '' && A.text.substring(0, 5) == A.text",
    "A.text.charAt(0) == 'a' && A.text.charAt(5) == '' && A.text.size() == 5",
    "' a '.trim() == 'a' && 'Ab'.lowerAscii() == 'ab' && 'Ab'.upperAscii() == 'AB' && 'É'.lowerAscii() == 'É'",
    "dyn([]).join(',') == ''",
    "A.text.contains('b,') && A.text.startsWith('a,') && A.text.endsWith(',c') && !A.text.contains('d')",
    "A.text.find('[bc]') == 'b' && A.text.find('x') == '' && A.text.findAll('[bc]') == ['b', 'c']",
    "A.text.findAll('[a-c]', 2) == ['a', 'b'] && A.text.findAll('[a-c]', 0) == [] && A.text.matches('^a.*c$')",
    "'é'.size() == 1 && b'é'.size() == 2 && bytes('é').size() == 2",
    "'a' < 'b' && 'a' < 'aa' && b'a' < b'b' && 'a' + 'b' == 'ab' && b'a' + b'b' == b'ab' && false < true",
    # optional values and maps
    "optional.of(A.seven).hasValue() && optional.of(A.seven).value() == 7 && !optional.none().hasValue()",
    "optional.none().orValue(1) == 1",
    "optional.none().or(optional.of(2)).value() == 2 && optional.of(1).or(optional.of(2)).value() == 1",
    "optional.ofNonZeroValue(A.seven).value() == 7",
    "optional.of(2).optMap(x, x * 2).value() == 4 && optional.of(2).optFlatMap(x, optional.of(x + 1)).value() == 3",
    "[?optional.none(), 1, ?optional.of(2)] == [1, 2] && {?'a': optional.none(), 'b': 1} == {'b': 1}",
    "[1][?0].value() == 1 && ![1][?1].hasValue() && {'a': 1}[?'a'].value() == 1 && {'a': 1}.?a.orValue(2) == 1",
    "optional.unwrap([optional.of(1), optional.none()]) == [1]",
    "optional.of(1) != optional.of(2) && optional.of(1) != optional.none()",
    "{'a': 1, 'b': 2}['b'] == 2 && 'a' in {'a': 1} && !('c' in {'a': 1})",
]


FAILING = [
    # expression, error
    ("dyn(A.seven) + dyn(1.0) == dyn(8)", "_+_ does not apply to int, double"),
    ("dyn(A.seven) - dyn(1u) == dyn(6)", "_-_ does not apply to int, uint"),
    ("dyn(A.seven) * dyn(1.0) == dyn(7)", "_*_ does not apply to int, double"),
    ("dyn(A.seven) / dyn(1.0) == dyn(7)", "_/_ does not apply to int, double"),
    ("dyn(A.seven) % dyn(2u) == dyn(1)", "_%_ does not apply to int, uint"),
    ("-dyn(A.text) == dyn(1)", "-_ does not apply to string"),
    ("-dyn(7u) == dyn(1)", "-_ does not apply to uint"),
    ("dyn(A.seven) < dyn('a')", "_<_ does not apply to int, string"),
    ("A.seven / A.zero == 1", "division by zero"),
    ("A.seven % A.zero == 1", "modulus by zero"),
    ("uint(A.zero) - 1u == 0u", "unsigned integer overflow"),
    ("MAX + A.seven > 0", "integer overflow"),
    ("MIN - A.seven > 0", "integer overflow"),
    ("MAX * A.seven > 0", "integer overflow"),
    ("MIN / (A.zero - 1) == 0", "integer overflow"),
    ("-(MIN + A.zero) > 0", "integer overflow"),
    ("int(double(A.seven) * 1e300) == 0", "7e+300 does not fit int"),
    ("int(9223372036854775807.0 + double(A.zero)) == 0", "9.223372036854776e+18 does not fit int"),
    ("int(-9223372036854775808.0 - double(A.zero)) == 0", "-9.223372036854776e+18 does not fit int"),
    ("uint(A.minus) == 0u", "-7 is negative"),
    ("uint(18446744073709551616.0 + double(A.zero)) == 0u", "1.8446744073709552e+19 does not fit uint"),
    ("int(A.text) == 0", '"a,b,c" is not an integer'),
    ("bool(A.text)", '"a,b,c" is neither true nor false'),
    (
        "duration(A.text) == duration('1s')",
        '"a,b,c" is not a duration such as 1h30m or 250ms (every number needs a unit)',
    ),
    ("timestamp(A.text) == T", '"a,b,c" is not a time in RFC 3339 form such as 2026-01-31T12:00:00Z'),
    ("[1, 2][A.seven] == 1", "the index 7 is out of range: there are 2 elements"),
    ("{'a': 1}[A.text] == 1", 'there is no "a,b,c"'),
    ("A.text.substring(A.seven) == ''", "the range 7 to 5 is outside of the string"),
    ("A.text.substring(3, 2) == ''", "the range 3 to 2 is outside of the string"),
    ("A.text.charAt(6) == ''", "the index 6 is outside of the string"),
    ("[1, 2].slice(1, A.seven) == []", "cannot take elements 1 to 7 of 2"),
    ("[1, 2].slice(-1, 1) == []", "cannot take elements -1 to 1 of 2"),
    ("dyn([]).min() == 1", "the list is empty: it has no smallest and no greatest element"),
    ("dyn([]).max() == 1", "the list is empty: it has no smallest and no greatest element"),
    ("optional.none().value() == 1", "the optional value is absent"),
    ("H.asInteger() == 0", "the quantity is not an integer"),
    (
        "quantity(A.text) == H",
        (
            'quantity("a,b,c"): the text is not a quantity: '
            "a number that can have a suffix (n, u, m, k, M, G, T, P, E, Ki, Mi, Gi, Ti, Pi, Ei) "
            "or an exponent such as e3"
        ),
    ),
    (
        "semver(A.text) == A.version",
        'semver("a,b,c"): the text is not a semantic version: three numbers such as 1.2.0, without a leading v',
    ),
    ("A.nothing == 1", 'there is no "nothing"'),
]


def run(expression: str) -> Evaluation:
    for word, meaning in WORDS.items():
        expression = re.sub(rf"\b{word}\b", meaning, expression)
    compilation = environment("1.37", kind="derived").compile(expression)
    assert compilation.ok, compilation.issues
    return ran(compilation, DEVICE)


@pytest.mark.parametrize("expression", TRUE)
@pytest.mark.slow
def test_it_is_so(expression: str) -> None:
    outcome = run(expression)

    assert (outcome.matches, outcome.error) == (True, None)


@pytest.mark.parametrize(("expression", "error"), FAILING)
def test_it_fails(expression: str, error: str) -> None:
    outcome = run(expression)

    assert (outcome.matches, outcome.error) == (None, error)


INTEGERS = ["1", "0", "-1500m", "1500m", "1e3", "9223372036854775807", "1Gi", "1Ei", "100Ti", "1000m", "2.0", "1.5Gi"]


def test_a_quantity_that_is_kept_as_a_decimal_number_gives_no_integer() -> None:
    given = {text: run(f"quantity('{text}').isInteger()").matches for text in INTEGERS}

    assert [text for text, is_integer in given.items() if is_integer] == ["1", "0", "1e3", "1Gi"]
    assert run("quantity('100Ti').asInteger() == 1").error == "the quantity is not an integer"
    assert run("quantity('100Ti') == quantity('102400Gi')").matches is True


@pytest.mark.parametrize(
    ("expression", "is_integer"),
    [
        ("quantity('1').add(quantity('1e3')).isInteger()", True),
        ("quantity('1').sub(quantity('1m')).add(quantity('1m')).isInteger()", False),
        ("quantity('0').add(quantity('1m')).isInteger()", False),
        ("quantity('1').add(quantity('0.0')).isInteger()", True),
        ("quantity('100Ti').sub(1).isInteger()", False),
        ("quantity('9e18').add(quantity('9e17')).isInteger()", False),
    ],
)
def test_a_sum_gives_an_integer_where_64_bits_hold_it_without_digits(expression: str, is_integer: bool) -> None:
    assert run(expression).matches is is_integer


@pytest.mark.parametrize(("release", "matches"), [("1.35", True), ("1.36", True), ("1.37", None)])
def test_a_list_of_a_negative_number_of_elements_is_empty_until_1_36(release: str, matches: bool | None) -> None:
    outcome = ran(environment(release).compile("lists.range(-1).size() == 0"), Device("d"))

    assert outcome.matches is matches
    assert matches or outcome.error == "lists.range(-1): the size must be between 0 and 1,000,000"
