"""The language layer, permission by permission, and its messages."""

import sys
from types import CodeType

import pytest

from sandbox.child.language_policy import Refused, compile_script


def compiled(source: str) -> CodeType | None:
    try:
        return compile_script(source, is_guarded=True)
    except Refused:
        return None


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("error.__traceback__", "type(error).__name__"),
        ("__file__", "paths are those of harness"),
        ("async def f(): pass", "synchronous, use def"),
        ("await f()", "synchronous"),
    ],
)
def test_a_refused_construct_names_its_replacement(source, said):
    with pytest.raises(Refused) as caught:
        compile_script(source, is_guarded=True)
    (fault,) = caught.value.faults
    assert said in str(fault)


@pytest.mark.parametrize(
    ("source", "line", "says"),
    [
        ("x = (", 1, "never closed"),
        ("x = 1\nreturn x", 2, "'return' outside function"),
        ("x = 1\n\n  y = 2", 3, "unexpected indent"),
        ("x = '\0'", 1, "null bytes"),
        ("(" * 500 + ")" * 500, 1, "nested"),
    ],
)
def test_a_syntax_error_is_told_by_line(source: str, line: int, says: str) -> None:
    with pytest.raises(Refused) as raised:
        compile_script(source, is_guarded=True)
    assert raised.value.is_syntax
    assert raised.value.faults[0].line == line
    assert says in raised.value.faults[0].message


BINDING = (
    *("open = b", "(a, *open), c[d] = e", "for open in b: pass", "with a as open: pass", "(a, open := 1)"),
    *("def open(): pass", "def f(b, /, *open): pass", "def f(*, open=b): pass", "def f(**open): pass"),
    *(
        "class open(B): pass",
        "[c for open in b]",
        "lambda open: b",
        "import json as open",
        "from math import e as open",
    ),
    *("try: pass\nexcept A as open: pass", "match a:\n case [b, *open]: pass", "match a:\n case D() as open: pass"),
    *(("def f[B, *open](): pass", "def f[**open](): pass") if sys.version_info >= (3, 12) else ()),
)


@pytest.mark.parametrize("source", BINDING)
def test_a_builtin_that_scripts_do_not_get_is_a_name_like_any_other_once_a_script_binds_it(source: str) -> None:
    assert compiled(f"{source}\nopen('x')") is not None
