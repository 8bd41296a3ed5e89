"""A script may define classes, but not in a way that changes how classes work.

A metaclass could do that. `__match_args__` says which attributes a pattern such as `case A(x)`
reads.
"""

import pytest

from tests.sandbox.child.language.script_forms import is_allowed


@pytest.mark.parametrize(
    "script",
    [
        pytest.param(
            "class A(B, key=1):\n    __slots__ = ()\n    def __eq__(s, o): pass",
            id="classes",
        ),
        pytest.param(
            "class A(abc.ABC): pass",
            id="metaclasses, which only a base class may bring",
        ),
        pytest.param(
            "class A(B, total=False): pass", id="keywords of a class definition"
        ),
        pytest.param(
            "class A:\n    __match_args__ = ('a',)",
            id="attributes that a pattern reads",
        ),
        pytest.param(
            "class A:\n    __slots__ = names", id="pattern attributes that are computed"
        ),
    ],
)
def test_ordinary_class_definitions_are_allowed(script):
    assert is_allowed(script)


@pytest.mark.parametrize(
    "script",
    [
        # `__del__` would run at some later time, perhaps behind the end of the script.
        pytest.param("class A:\n    def __del__(s): pass", id="classes"),
        pytest.param(
            "class A(metaclass=abc.ABCMeta): pass",
            id="metaclasses, which only a base class may bring",
        ),
        pytest.param(
            "class A(**{'metaclass': M}): pass", id="keywords of a class definition"
        ),
        pytest.param(
            "class A:\n    __match_args__ = ('_a',)",
            id="attributes that a pattern reads",
        ),
        pytest.param(
            "class A:\n    __match_args__ = names",
            id="pattern attributes that are computed",
        ),
    ],
)
def test_a_class_that_changes_how_classes_work_is_refused(script):
    assert not is_allowed(script)
