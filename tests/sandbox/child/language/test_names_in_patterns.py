"""Patterns of `match` read attributes of a value, and define names: none may be forbidden.

match x:
    case {"a": 1, **rest}: pass              defines `rest`
    case {"a": 1, **__builtins__}: pass      would define `__builtins__`
"""

import pytest

from tests.sandbox.child.language.script_forms import is_allowed


@pytest.mark.parametrize(
    "script",
    [
        pytest.param("match x:\n    case {'a': [1, *_], **r}: pass", id="match"),
        pytest.param("match x:\n    case A.b.c: pass", id="match values"),
        pytest.param("match x:\n    case A(b, c=d): pass", id="match classes"),
        pytest.param("match x:\n    case [*a] as b: pass", id="match captures"),
        pytest.param("match x:\n    case A(b=c): pass", id="class patterns"),
        pytest.param("match x:\n    case A(c): pass", id="patterns of built-in types"),
    ],
)
def test_ordinary_patterns_are_allowed(script):
    assert is_allowed(script)


@pytest.mark.parametrize(
    "script",
    [
        pytest.param("match x:\n    case {'a': 1, **__builtins__}: pass", id="match"),
        pytest.param("match x:\n    case a.__code__: pass", id="match values"),
        pytest.param("match x:\n    case a.__code__(): pass", id="match classes"),
        pytest.param("match x:\n    case [*__builtins__]: pass", id="match captures"),
        pytest.param("match x:\n    case A(__class__=c): pass", id="class patterns"),
        pytest.param(
            "match x:\n    case str(format=f): pass", id="patterns of built-in types"
        ),
    ],
)
def test_a_pattern_with_a_forbidden_name_is_refused(script):
    assert not is_allowed(script)
