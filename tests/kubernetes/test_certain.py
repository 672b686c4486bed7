"""Which replacements are certain."""

from __future__ import annotations

import pytest

from dralint.kubernetes.near import is_certain

EFFECTS = ("NoSchedule", "NoExecute", "None")
OPERATORS = ("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt")


@pytest.mark.parametrize(
    ("written", "meant", "others", "certain"),
    [
        ("NoSchedual", "NoSchedule", EFFECTS, True),
        ("NoExecutes", "NoExecute", EFFECTS, True),
        ("Exist", "Exists", OPERATORS, True),
        ("DoesExist", "DoesNotExist", OPERATORS, False),  # it may be Exists
        ("Non", "NoExecute", EFFECTS, False),
        ("Nope", "None", EFFECTS, False),
        ("ClusterA", "ClusterBC", ("ClusterBC", "ClusterCD"), False),  # another word is nearly as near
        ("version12", "version21", ("version21", "other"), False),  # digits distinguish words
    ],
)
def test_a_word_of_a_list_is_certain_where_no_other_is_near(
    written: str, meant: str, others: tuple[str, ...], certain: bool
) -> None:
    assert is_certain("word", written, meant, others) == certain


@pytest.mark.parametrize(
    ("what", "written", "meant", "certain"),
    [
        ("name", "gpu-templat", "gpu-template", True),
        ("name", "gpu-1", "gpu-0", False),
        ("name", "gpu-tmplat", "gpu-template", False),  # a user can give any other name
        ("field", "device_class_name", "deviceClassName", True),
        ("field", "deviceClasName", "deviceClassName", True),
        ("field", "devicClasName", "deviceClassName", True),
        ("nested field", "devicClasName", "deviceClassName", False),
        ("field", "cout", "mount", False),
        ("truth value", "True", "true", True),
        ("truth value", "tru", "true", False),
    ],
)
def test_what_is_certain_depends_on_what_is_replaced(what: str, written: str, meant: str, certain: bool) -> None:
    assert is_certain(what, written, meant) == certain
