"""An expression is refused if a forbidden name, such as `__globals__`, stands anywhere in it."""

import pytest

from tests.sandbox.child.language.script_forms import is_allowed


@pytest.mark.parametrize(
    "script",
    [
        pytest.param("f(*a, **b)", id="calls"),
        pytest.param("lambda _x, *a: a", id="lambdas"),
        pytest.param("{a: b for a, b in c if d}", id="comprehensions"),
        pytest.param("[x for x in y]", id="comprehensions that are not async"),
        pytest.param("(a := 1)", id="walrus"),
        pytest.param("f'{a!r:>{b}} {c=}'", id="f-strings"),
    ],
)
def test_ordinary_expressions_are_allowed(script):
    assert is_allowed(script)


@pytest.mark.parametrize(
    "script",
    [
        pytest.param("f(*g.gi_frame)", id="calls"),
        pytest.param("lambda __builtins__: 1", id="lambdas"),
        pytest.param("{a.gi_frame: b for a, b in c if d}", id="comprehensions"),
        pytest.param("[x async for x in y]", id="async comprehensions"),
        pytest.param("(__name := [__builtins__ := 1])", id="walrus"),
        pytest.param("f'{a.__globals__}'", id="f-strings"),
    ],
)
def test_an_expression_with_a_forbidden_name_is_refused(script):
    assert not is_allowed(script)
