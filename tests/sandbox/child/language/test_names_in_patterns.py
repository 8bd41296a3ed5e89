"""A pattern of `match` may neither define nor read a forbidden name.

    case {"a": 1, **rest}           defines the name `rest`
    case A(b=c)                     reads the attribute `b` of the value, and defines `c`

Names such as `__class__` are forbidden, since they lead into the interpreter.
"""

import pytest

from tests.sandbox.child.language.script_forms import is_allowed


@pytest.mark.parametrize(
    "pattern",
    [
        pytest.param("{'a': [1, *_], **r}", id="defines the rest of a mapping"),
        pytest.param("[*a] as b", id="defines the items of a list, and the list"),
        pytest.param("A.b.c", id="compares with an attribute"),
        pytest.param("A(c)", id="reads an attribute by its position"),
        pytest.param("A(b=c)", id="reads an attribute by its name"),
        pytest.param("A(b, c=d)", id="reads an attribute in either way"),
    ],
)
def test_ordinary_patterns_are_allowed(pattern):
    assert is_allowed(f"match x:\n    case {pattern}: pass")


@pytest.mark.parametrize(
    "pattern",
    [
        pytest.param("{'a': 1, **__builtins__}", id="defines the rest of a mapping"),
        pytest.param("[*__builtins__]", id="defines the items of a list"),
        pytest.param("a.__code__", id="compares with an attribute"),
        pytest.param("a.__code__()", id="compares the class with an attribute"),
        pytest.param("A(__class__=c)", id="reads an attribute by its name"),
        # The method `str.format` reads attributes that a text names: "{0.__class__}".
        pytest.param("str(format=f)", id="reads a method that reads attributes"),
    ],
)
def test_a_pattern_with_a_forbidden_name_is_refused(pattern):
    assert not is_allowed(f"match x:\n    case {pattern}: pass")
