"""A script may not use an attribute that leads into the interpreter.

`f.__globals__` leads from a function to all that its module knows. All attributes of a script's own
objects are allowed, even `self._x`.
"""

import pytest

from tests.sandbox.child.language.script_forms import is_allowed


@pytest.mark.parametrize(
    "script",
    [
        pytest.param("x.a.b = y.c\ndel x.a", id="attributes"),
        pytest.param(
            "class A: pass\nA.__mro__, A.mro(), A.__bases__",
            id="the classes that a class derives from",
        ),
        pytest.param(
            "class A:\n    def f(self):\n        self._x = self.__y",
            id="private attributes",
        ),
        pytest.param("x.a += 1", id="augmented attributes"),
        pytest.param("x: list['int'] | None = 1", id="annotations"),
    ],
)
def test_ordinary_names_are_allowed(script):
    assert is_allowed(script)


@pytest.mark.parametrize(
    "script",
    [
        pytest.param("x.__globals__", id="attributes"),
        pytest.param("A.__subclasses__()", id="the classes that a class derives from"),
        pytest.param("x.__builtins__", id="private attributes"),
        pytest.param("x.__code__ += 1", id="augmented attributes"),
        pytest.param("x: f.__globals__", id="annotations"),
    ],
)
def test_a_forbidden_name_is_refused(script):
    assert not is_allowed(script)
