"""Annotations written as text: evaluated where they are names, refused where they are more."""

from __future__ import annotations

import pytest

from sandbox.library.type_hints import check_text

MORE_THAN_NAMES = [
    "().__class__",
    "f()",
    "f.__globals__",
    "f._private",
    "x.gi_frame",
    "[a for a in b]",
    "lambda: 1",
    "__builtins__",
    "list['().__class__']",
    "list[f()]",
    "(a := 1)",
]


@pytest.mark.parametrize(
    "text",
    [
        "int",
        "list[int]",
        "dict[str, 'A']",
        "A | None",
        "t.Optional[A]",
        "Callable[[int], str]",
        "Literal[-1, 'a b']",
        "(",
    ],
)
def test_names_and_what_is_put_together_of_them_pass(text):
    check_text(text)


@pytest.mark.parametrize("text", MORE_THAN_NAMES)
def test_text_that_is_more_than_names_is_refused(text):
    with pytest.raises(TypeError, match="is more than names"):
        check_text(text)


@pytest.mark.parametrize("hint", ["{0!r}", "typing.Optional[{0!r}]", "list[{0!r}]", "typing.Callable[[{0!r}], int]"])
@pytest.mark.parametrize("text", MORE_THAN_NAMES[:3])
@pytest.mark.parametrize("ask", ["typing.get_type_hints({0})", "functools.singledispatch(len).register({0})"])
def test_no_hint_of_a_function_is_evaluated_that_is_more_than_names(hint, text, ask, box):
    head = "import functools, typing\ndef f(): print('called')\n"
    result = box.run(f"{head}def g(x: {hint.format(text)}): pass\n{ask.format('g')}")
    assert "called" not in result.output
    assert "is more than names" in result.error


def test_hints_of_functions_and_classes_are_resolved_among_the_names_of_the_script(box):
    code = """
from __future__ import annotations
import typing
class A:
    x: typing.List[A]
    y: "list[A]"
def f(a: A | None, b: "typing.Annotated[int, 'a note (x)']") -> "None": pass
print(typing.get_type_hints(A), typing.get_type_hints(f), typing.get_type_hints(f, include_extras=True)["b"])
"""
    assert box.run(code).output == (
        "{'x': typing.List[__main__.A], 'y': list[__main__.A]} "
        "{'a': __main__.A | None, 'b': <class 'int'>, 'return': <class 'NoneType'>} "
        "typing.Annotated[int, 'a note (x)']\n"
    )
