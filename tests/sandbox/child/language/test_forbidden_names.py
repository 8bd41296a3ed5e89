"""A script may not give a meaning to a name that belongs to the interpreter, or use it.

`__builtins__` has what a script may call, and `__import__` would bring any module. All names of a
script's own are allowed, even `_x`.
"""

import pytest

from tests.sandbox.child.language.script_forms import is_allowed


@pytest.mark.parametrize(
    "script",
    [
        pytest.param("_x = 1\n__y = _x", id="names"),
        pytest.param("def f():\n    global a\n    a = 1", id="global"),
        pytest.param(
            "def f():\n    a = 1\n    def g():\n        nonlocal a", id="nonlocal"
        ),
        pytest.param("def f():\n    a = 1", id="local variables"),
        pytest.param("def f(_a, *b, c=1, **d): pass", id="parameters"),
        pytest.param("def f(*, _a=1): pass\nf(_a=1)", id="keyword parameters"),
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
        pytest.param("def f():\n    global a\n    __builtins__ = a", id="global"),
        pytest.param(
            "def f():\n    __import__ = 1\n    def g():\n        nonlocal __import__",
            id="nonlocal",
        ),
        pytest.param("def f():\n    __import__ = 1", id="local variables"),
        pytest.param("def f(__loader__): pass", id="parameters"),
        pytest.param("def f(*, _getattr_=1): pass", id="keyword parameters"),
        pytest.param("__loader__", id="names that Python gives each module"),
        # The compiler puts calls of functions such as `_write_` into a script.
        pytest.param("(_write_ := 1)", id="names of the restricted compiler"),
    ],
)
def test_a_forbidden_name_is_refused(script):
    assert not is_allowed(script)
