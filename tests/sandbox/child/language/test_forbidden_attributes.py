"""A script may not use an attribute that leads into the interpreter.

Such names begin and end with two underscores: `f.__globals__` leads from a function to all that its
module knows. The few that are harmless, such as `A.__mro__`, are allowed. So are ordinary names.
"""

import pytest

from tests.sandbox.child.language.script_forms import is_allowed


@pytest.mark.parametrize(
    "script",
    [
        pytest.param("x.a.b = y.c\ndel x.a", id="read, set and deleted"),
        pytest.param("x.a += 1", id="added to"),
        pytest.param("x: list['int'] | None = 1", id="in an annotation"),
        pytest.param(
            "class A:\n    def f(self):\n        self._x = self.__y",
            id="private attributes, which have underscores only in front",
        ),
        # They lead up to the base classes. `A.__subclasses__()` leads down to all others.
        pytest.param(
            "class A: pass\nA.__mro__, A.mro(), A.__bases__", id="base classes"
        ),
    ],
)
def test_harmless_attributes_are_allowed(script):
    assert is_allowed(script)


@pytest.mark.parametrize(
    "script",
    [
        pytest.param("x.__globals__", id="the names of a module"),
        pytest.param("x.__builtins__", id="the built-in functions"),
        pytest.param("A.__subclasses__()", id="the classes derived from a class"),
        pytest.param("x.__code__ += 1", id="the code of a function, added to"),
        pytest.param("x: f.__globals__", id="the names of a module, in an annotation"),
    ],
)
def test_attributes_that_lead_into_the_interpreter_are_refused(script):
    assert not is_allowed(script)
