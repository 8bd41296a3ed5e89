"""What replaces names of the library: it does what they do, through the guard or from the step's own seed."""

from __future__ import annotations

import pytest

from sandbox.library.replacements import check_text


@pytest.mark.parametrize(
    ("code", "output"),
    [
        ("print(attrgetter('real')(2), attrgetter('real', 'imag')(2), attrgetter('a.real')(A()))", "2 (2, 0) 5"),
        ("print(methodcaller('split', ',')('a,b'), methodcaller('join', 'ab')('-'))", "['a', 'b'] a-b"),
        ("print(get_origin(Type[int]) is type, get_origin(list[int]))", "True <class 'list'>"),
        ("print(sys.argv, sys.platform, sys.stdin.read() == '', list(sys.stdin))", "('script',) linux True []"),
        ("print(posixpath.relpath('a/b', '/a'), posixpath.relpath('/x'))", "b x"),
        ("print(ZoneInfo('UTC') is ZoneInfo('UTC'), ZoneInfo.no_cache('UTC') is ZoneInfo('UTC'))", "True False"),
        ("print(copy.deepcopy([ZoneInfo('UTC')])[0] is ZoneInfo('UTC'), ZoneInfo('UTC'))", "True UTC"),
        ("print(uuid.uuid1().version, uuid.uuid4().version, uuid.uuid4() == uuid.uuid4())", "1 4 False"),
        ("try: 1 / 0\nexcept ZeroDivisionError as e: print(sys.exc_info() == (type(e), e, None))", "True"),
        ("with redirect_stdout(io.StringIO()) as f: print('in')\nprint(f.getvalue())", "in\n"),
    ],
)
def test_a_replacement_does_what_the_library_does(code, output, box):
    imports = """import copy, io, posixpath, sys, uuid
from contextlib import redirect_stdout
from operator import attrgetter, methodcaller
from typing import Type, get_origin
from zoneinfo import ZoneInfo
"""
    result = box.run(f"{imports}class A: a = 5\n{code}")
    assert (result.output, result.error) == (f"{output}\n", "")


@pytest.mark.parametrize(
    "code",
    [
        "import operator\nprint(operator.attrgetter('__globals__')(f))",
        "import operator\nprint(operator.attrgetter('a.__globals__')(f))",
        "import operator\nprint(operator.methodcaller('__reduce_ex__', 2)(f))",
        "import functools\nprint(vars(functools.update_wrapper(A(), f, assigned=('__globals__',))))",
        "import functools\nprint(vars(functools.wraps(f, ('__code__',))(A())))",
        "import functools\nprint(vars(functools.wraps(f, updated=('__globals__',))(A())))",
    ],
)
def test_a_replacement_reaches_no_internals(code, box):
    result = box.run(f"class A: pass\ndef f(): pass\nf.a = f\n{code}")
    assert result.output == ""
    assert result.error


def test_a_wrapper_takes_over_nothing_on_an_object_of_the_library(box):
    code = "import functools, json\ndef f(): 'mine'\nf.x = 1\nfunctools.update_wrapper(json.dumps, f)\n"
    assert box.run(f"{code}print(hasattr(json.dumps, 'x'), json.dumps.__doc__ == 'mine')").output == "False False\n"


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
