"""A statement is refused if a forbidden name stands in it, or if it is async.

`f.__globals__` leads from a function into the interpreter, wherever in a statement it stands. A
script may not be async, because each of its calls waits for its result.
"""

import pytest

from tests.sandbox.child.language.script_forms import is_allowed


@pytest.mark.parametrize(
    "script",
    [
        pytest.param("d[k] += 1\nd[a][b] //= 2", id="augmented items"),
        pytest.param("x: int = 1\ny: 'str'", id="annotated assignment"),
        pytest.param("x[1:2, ...] = y[::3]", id="subscripts"),
        pytest.param("for a, (b, *c) in d: pass", id="iteration"),
        pytest.param("a, *b = c\n[d, e] = f = g", id="assignment"),
        pytest.param("with a as (b, c), d: pass", id="with"),
        pytest.param(
            "try: pass\nexcept A as e: raise B from e\nelse: pass\nfinally: pass",
            id="try",
        ),
        pytest.param(
            "import json, urllib.parse as p\nfrom math import pi as _pi", id="imports"
        ),
        pytest.param("from collections import abc, Counter", id="import from"),
        pytest.param("@d\ndef f(a: int = 1) -> str: pass", id="functions"),
        pytest.param("def f():\n    x = yield\n    yield from x", id="generators"),
        pytest.param("def f(): pass", id="functions that are not async"),
    ],
)
def test_ordinary_statements_are_allowed(script):
    assert is_allowed(script)


@pytest.mark.parametrize(
    "script",
    [
        pytest.param("x.gi_frame[0] += 1", id="augmented items"),
        pytest.param("x: f.__code__ = 1", id="annotated assignment"),
        pytest.param("x[f.__globals__]", id="subscripts"),
        pytest.param("for x.__globals__ in d: pass", id="iteration"),
        pytest.param("a, __spec__ = b", id="assignment"),
        pytest.param("with a as __builtins__: pass", id="with"),
        pytest.param("try: pass\nexcept A as __spec__: pass", id="try"),
        pytest.param("import json as __builtins__", id="imports"),
        pytest.param("from json import __loader__", id="import from"),
        pytest.param("def __import__(): pass", id="functions"),
        pytest.param("def f():\n    yield x.gi_frame", id="generators"),
        pytest.param("async def f(): pass", id="async functions"),
    ],
)
def test_a_statement_with_a_forbidden_name_is_refused(script):
    assert not is_allowed(script)
