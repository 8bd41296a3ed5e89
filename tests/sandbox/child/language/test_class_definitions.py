"""A script may define classes, but not in a way that changes how classes work.

A metaclass, the class of a class, could do that. Only a base class of the library may bring one.
"""

import pytest

from tests.sandbox.child.language.script_forms import is_allowed


@pytest.mark.parametrize(
    "script",
    [
        pytest.param(
            "class A(B, key=1):\n    __slots__ = ()\n    def __eq__(s, o): pass",
            id="comparison of its own, slots and an option",
        ),
        pytest.param("class A:\n    __slots__ = names", id="computed slots"),
        pytest.param("class A(B, total=False): pass", id="option of a base class"),
        pytest.param("class A(abc.ABC): pass", id="base class with a metaclass"),
    ],
)
def test_ordinary_class_definitions_are_allowed(script):
    assert is_allowed(script)


@pytest.mark.parametrize(
    "script",
    [
        # It would run at some later time, perhaps behind the end of the script.
        pytest.param("class A:\n    def __del__(s): pass", id="destructor"),
        pytest.param("class A(metaclass=abc.ABCMeta): pass", id="metaclass"),
        pytest.param("class A(**{'metaclass': M}): pass", id="metaclass behind `**`"),
    ],
)
def test_a_class_that_changes_how_classes_work_is_refused(script):
    assert not is_allowed(script)
