"""A script may not use a name that leads into the interpreter, or define one that is not its own.

`__globals__` leads from a function to all that its module knows, and `__builtins__` has what a script
may call. All other names and attributes are allowed.
"""

import pytest

from tests.sandbox.child.language.script_forms import is_allowed


@pytest.mark.parametrize(
    "script",
    [
        pytest.param(
            """
_x = 1
__y = _x
""",
            id="names",
        ),
        pytest.param(
            """
def f():
    global a
    a = 1
""",
            id="global",
        ),
        pytest.param(
            """
def f():
    a = 1
    def g():
        nonlocal a
""",
            id="nonlocal",
        ),
        pytest.param(
            """
def f():
    a = 1
""",
            id="local variables",
        ),
        pytest.param("def f(_a, *b, c=1, **d): pass", id="parameters"),
        pytest.param(
            """
def f(*, _a=1): pass
f(_a=1)
""",
            id="keyword parameters",
        ),
        pytest.param(
            """
x.a.b = y.c
del x.a
""",
            id="attributes",
        ),
        pytest.param(
            """
class A: pass
A.__mro__, A.mro(), A.__bases__
""",
            id="the classes that a class derives from",
        ),
        pytest.param(
            """
class A:
    def f(self):
        self._x = self.__y
""",
            id="private attributes",
        ),
        pytest.param("x.a += 1", id="augmented attributes"),
        pytest.param("x: list['int'] | None = 1", id="annotations"),
        pytest.param(
            "if __name__ == '__main__': pass", id="names that Python gives each module"
        ),
        pytest.param("_x = print_ = 1", id="names of the restricted compiler"),
    ],
)
def test_ordinary_names_are_allowed(script):
    assert is_allowed(script)


@pytest.mark.parametrize(
    "script",
    [
        pytest.param("__builtins__ = 1", id="names"),
        pytest.param(
            """
def f():
    global a
    __builtins__ = a
""",
            id="global",
        ),
        pytest.param(
            """
def f():
    __import__ = 1
    def g():
        nonlocal __import__
""",
            id="nonlocal",
        ),
        pytest.param(
            """
def f():
    __import__ = 1
""",
            id="local variables",
        ),
        pytest.param("def f(__loader__): pass", id="parameters"),
        pytest.param("def f(*, _getattr_=1): pass", id="keyword parameters"),
        pytest.param("x.__globals__", id="attributes"),
        pytest.param("A.__subclasses__()", id="the classes that a class derives from"),
        pytest.param("x.__builtins__", id="private attributes"),
        pytest.param("x.__code__ += 1", id="augmented attributes"),
        pytest.param("x: f.__globals__", id="annotations"),
        pytest.param("__loader__", id="names that Python gives each module"),
        # The compiler puts calls of functions such as `_write_` into a script.
        pytest.param("(_write_ := 1)", id="names of the restricted compiler"),
    ],
)
def test_a_forbidden_name_is_refused(script):
    assert not is_allowed(script)
