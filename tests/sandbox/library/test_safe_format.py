"""Text forms: what they give is what Python gives, and their fields read attributes through the guard."""

from __future__ import annotations

import pytest

FORMS = [
    "'{} {} {}'.format(1, 'b', [2])",
    "'{0} {1} {0}'.format('a', 'b')",
    "'{a.real} {b[0]} {b[1]:>{w}}'.format(a=5, b=['x', 'y'], w=4)",
    "'{:>{}}|{:.{p}f}'.format('x', 5, 3.14159, p=2)",
    "'{!r} {!s} {!a} {{}}'.format('é', 'é', 'é')",
    "'{k[x y]} {k[z]}'.format_map({'k': {'x y': 1, 'z': 2}})",
    "'{.real} {.imag}'.format(1, 2)",
    "str.format('{} {x}', 1, x=2)",
    "string.Formatter().format('{0} {a[0]} {a[1].real!r}', 'f', a=[1, 2])",
    "string.Formatter().vformat('{x:>{n}}', (), {'x': 'a', 'n': 3})",
    "collections.UserString('{} {x.real}').format(1, x=2)",
    "collections.UserString('{x}').format_map({'x': 2})",
]
FAULTS = [
    "'{} {0}'.format(1)",
    "'{0} {}'.format(1)",
    "'{} {}'.format(1)",
    "'{5}'.format(1)",
    "'{x}'.format(1)",
    "'{'.format(1)",
    "'{!z}'.format(1)",
    "'{0}'.format_map({})",
    "'{:{:{:{}}}}'.format(1, 2, 3, 4)",
    "'{0.nothing}'.format(1)",
]


@pytest.mark.parametrize("expression", FORMS)
def test_a_form_gives_what_python_gives(expression, box):
    script = f"import collections, string\nprint({expression})"
    expected = eval(expression, {"collections": __import__("collections"), "string": __import__("string")})
    assert box.run(script).output == f"{expected}\n"


@pytest.mark.parametrize("expression", FAULTS)
def test_a_faulty_form_raises_what_python_raises(expression, box):
    with pytest.raises((ValueError, IndexError, KeyError, AttributeError)) as caught:
        eval(expression)
    result = box.run(f"print({expression})")
    assert result.error.splitlines()[-1].startswith(f"{type(caught.value).__name__}: ")


@pytest.mark.parametrize(
    "expression",
    [
        "'{0.__globals__}'.format(f)",
        "'{0.__class__.__mro__}'.format(1)",
        "'{f.__code__}'.format_map({'f': f})",
        "str.format('{0.gi_frame}', (x for x in ()))",
        "'{0:{1.__globals__}}'.format(1, f)",
        "string.Formatter().format('{0.__globals__}', f)",
        "string.Formatter().get_field('0.__globals__', (f,), {})",
        "collections.UserString('{0.__globals__}').format(f)",
        "type('')('{0.__globals__}').format(f)",
        "getattr('{0.__globals__}', 'for' + 'mat')(f)",
    ],
)
def test_a_field_reaches_no_internals(expression, box):
    result = box.run(f"import collections, string\ndef f(): pass\nprint({expression})")
    assert result.output == ""
    assert "AttributeError: " in result.error
