"""Texts with one mistake over and over, for `dralint fix`: what it takes must not grow faster than they do."""

from __future__ import annotations

from tests.fuzz.shapes import CLAIM, SLICE, Shape, repeated

_OLD_SLICE = SLICE.replace("/v1\n", "/v1beta1\n")
_NUMBERED = CLAIM.replace("name: a\n", "name: a#\n")
_FLOW = SLICE + "  sharedCounters: [{name: c, counters: {m: {value: 1Gi}}}"

FIX_SHAPES: dict[str, Shape] = {
    "fix: misspelt fields with a guess, one doc each": repeated(
        "", _NUMBERED.replace("deviceClassName", "deviceClass") + "---\n"
    ),
    "fix: misspelt fields, one doc each": repeated(
        "", _NUMBERED.replace("deviceClassName", "deviceClasName") + "---\n"
    ),
    "fix: quantities in another case": repeated(
        SLICE + "  devices:\n", "  - name: d#\n    capacity:\n      memory: {value: 10gi}\n"
    ),
    "fix: keys in another case in maps of a list": repeated(
        SLICE + "  devices:\n", "  - name: d#\n    capacity:\n      memory: {Value: 10Gi}\n"
    ),
    "fix: numbers for text": repeated(
        SLICE + "  devices:\n", "  - name: d#\n    attributes:\n      model: {string: #}\n"
    ),
    "fix: names in upper case, one doc each": repeated("", _NUMBERED.replace("name: r0", "name: R0") + "---\n"),
    "fix: quoted integers": repeated(
        CLAIM, '    - name: r1#\n      exactly: {deviceClassName: c, allocationMode: ExactCount, count: "1"}\n'
    ),
    "fix: quoted integers, one doc each": repeated("", _NUMBERED + '        count: "1"\n---\n'),
    "fix: no space after the colon, one doc each": repeated("", _NUMBERED.replace("name: r0", "name:r0") + "---\n"),
    "fix: unused suppressions": repeated(
        CLAIM, "    - name: r1#  # dralint: ignore[DRA201] none\n      exactly: {deviceClassName: c}\n"
    ),
    "fix: slices of an older API version": repeated(_OLD_SLICE + "  devices:\n", "  - name: d#\n    basic: {}\n"),
    "fix: a flow list": repeated(_FLOW, ", {name: c#, counters: {memory: {Value: 40Gi}}}", "]\n"),
}
