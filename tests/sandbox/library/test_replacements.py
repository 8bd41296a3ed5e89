"""What stands in place of names of the library: it does what they do, through the guard or from the step's own seed."""

from __future__ import annotations

import pytest


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
