"""The language layer: which forms of Python a script may have, and what it is told of the others.

`compile_script` compiles a restricted Python. It refuses names and attributes that lead out of
the script's own objects into the interpreter, wherever they stand in a script:

    compile_script("f.__globals__", is_guarded=True)  # raises RefusedScript, with a remedy
"""

import sys
from types import CodeType
from typing import NamedTuple

import pytest

from controlplane.sandbox.child.language.refused_script import RefusedScript
from controlplane.sandbox.child.language.script_compiler import compile_script


@pytest.mark.parametrize(
    ("source", "remedy"),
    [
        ("error.__traceback__", "type(error).__name__"),
        ("__file__", "paths are those of harness"),
        ("async def f(): pass", "synchronous, use def"),
        ("await f()", "synchronous"),
    ],
)
def test_a_refused_form_names_its_replacement(source, remedy):
    """The model reads what to write instead, and corrects its script."""
    with pytest.raises(RefusedScript) as refused:
        compile_script(source, is_guarded=True)

    faults = refused.value.faults
    assert len(faults) == 1
    assert remedy in str(faults[0])


DEFINITIONS_OF_OPEN = [
    "open = b",
    "(a, *open), c[d] = e",
    "for open in b: pass",
    "with a as open: pass",
    "(a, open := 1)",
    "def open(): pass",
    "def f(b, /, *open): pass",
    "def f(*, open=b): pass",
    "def f(**open): pass",
    "class open(B): pass",
    "[c for open in b]",
    "lambda open: b",
    "import json as open",
    "from math import e as open",
    "try: pass\nexcept A as open: pass",
    "match a:\n case [b, *open]: pass",
    "match a:\n case D() as open: pass",
]
"""Every form of Python that gives the name `open` a meaning, such as that of a variable."""


if sys.version_info >= (3, 12):
    DEFINITIONS_OF_OPEN.append("def f[B, *open](): pass")
    DEFINITIONS_OF_OPEN.append("def f[**open](): pass")


def is_allowed(source: str) -> bool:
    """Return whether the language layer compiles a script: `is_allowed("f.__globals__")` is False."""
    try:
        return isinstance(compile_script(source, is_guarded=True), CodeType)
    except RefusedScript:
        return False


@pytest.mark.parametrize("definition", DEFINITIONS_OF_OPEN)
def test_a_script_may_give_the_name_of_a_builtin_a_meaning_of_its_own(
    definition: str,
) -> None:
    """Scripts have a function `open`, whose name they may use for something else."""
    assert is_allowed(f"{definition}\nopen('x')")


class Form(NamedTuple):
    """Two scripts with the same form of Python, such as an assignment or a lambda.

    In the refused one, the place of an ordinary name has one that leads into the interpreter, such
    as `__globals__` or `gi_frame`, or that a script may not define, such as `__builtins__`.
    """

    allowed: str
    refused: str


# Names and attributes. The refused ones lead into the interpreter, or may not be defined.
FORMS_OF_NAMES_AND_ATTRIBUTES = {
    "names": Form(
        allowed="_x = 1\n__y = _x",
        refused="__builtins__ = 1",
    ),
    "global": Form(
        allowed="def f():\n    global a\n    a = 1",
        refused="def f():\n    global a\n    __builtins__ = a",
    ),
    "nonlocal": Form(
        allowed="def f():\n    a = 1\n    def g():\n        nonlocal a",
        refused="def f():\n    __import__ = 1\n    def g():\n        nonlocal __import__",
    ),
    "local variables": Form(
        allowed="def f():\n    a = 1",
        refused="def f():\n    __import__ = 1",
    ),
    "parameters": Form(
        allowed="def f(_a, *b, c=1, **d): pass",
        refused="def f(__loader__): pass",
    ),
    "keyword parameters": Form(
        allowed="def f(*, _a=1): pass\nf(_a=1)",
        refused="def f(*, _getattr_=1): pass",
    ),
    "attributes": Form(
        allowed="x.a.b = y.c\ndel x.a",
        refused="x.__globals__",
    ),
    "the classes that a class derives from": Form(
        allowed="class A: pass\nA.__mro__, A.mro(), A.__bases__",
        refused="A.__subclasses__()",
    ),
    "private attributes": Form(
        allowed="class A:\n    def f(self):\n        self._x = self.__y",
        refused="x.__builtins__",
    ),
    "augmented attributes": Form(
        allowed="x.a += 1",
        refused="x.__code__ += 1",
    ),
    "annotations": Form(
        allowed="x: list['int'] | None = 1",
        refused="x: f.__globals__",
    ),
    "names that Python gives each module": Form(
        allowed="if __name__ == '__main__': pass",
        refused="__loader__",
    ),
    # The restricted compiler puts calls of functions such as `_write_` into a script.
    "names of the restricted compiler": Form(
        allowed="_x = print_ = 1",
        refused="(_write_ := 1)",
    ),
}

# Statements. In the refused ones, a forbidden name stands in the place of an ordinary one, or the
# statement is async, which scripts may not be: each of their calls waits for its result.
FORMS_OF_STATEMENTS = {
    "augmented items": Form(
        allowed="d[k] += 1\nd[a][b] //= 2",
        refused="x.gi_frame[0] += 1",
    ),
    "annotated assignment": Form(
        allowed="x: int = 1\ny: 'str'",
        refused="x: f.__code__ = 1",
    ),
    "subscripts": Form(
        allowed="x[1:2, ...] = y[::3]",
        refused="x[f.__globals__]",
    ),
    "iteration": Form(
        allowed="for a, (b, *c) in d: pass",
        refused="for x.__globals__ in d: pass",
    ),
    "assignment": Form(
        allowed="a, *b = c\n[d, e] = f = g",
        refused="a, __spec__ = b",
    ),
    "with": Form(
        allowed="with a as (b, c), d: pass",
        refused="with a as __builtins__: pass",
    ),
    "try": Form(
        allowed="try: pass\nexcept A as e: raise B from e\nelse: pass\nfinally: pass",
        refused="try: pass\nexcept A as __spec__: pass",
    ),
    "imports": Form(
        allowed="import json, urllib.parse as p\nfrom math import pi as _pi",
        refused="import json as __builtins__",
    ),
    "import from": Form(
        allowed="from collections import abc, Counter",
        refused="from json import __loader__",
    ),
    "functions": Form(
        allowed="@d\ndef f(a: int = 1) -> str: pass",
        refused="def __import__(): pass",
    ),
    "generators": Form(
        allowed="def f():\n    x = yield\n    yield from x",
        refused="def f():\n    yield x.gi_frame",
    ),
    "functions that are not async": Form(
        allowed="def f(): pass",
        refused="async def f(): pass",
    ),
}

# Expressions. In the refused ones, a forbidden name stands in the place of an ordinary one.
FORMS_OF_EXPRESSIONS = {
    "calls": Form(
        allowed="f(*a, **b)",
        refused="f(*g.gi_frame)",
    ),
    "lambdas": Form(
        allowed="lambda _x, *a: a",
        refused="lambda __builtins__: 1",
    ),
    "comprehensions": Form(
        allowed="{a: b for a, b in c if d}",
        refused="{a.gi_frame: b for a, b in c if d}",
    ),
    "comprehensions that are not async": Form(
        allowed="[x for x in y]",
        refused="[x async for x in y]",
    ),
    "walrus": Form(
        allowed="(a := 1)",
        refused="(__name := [__builtins__ := 1])",
    ),
    "f-strings": Form(
        allowed="f'{a!r:>{b}} {c=}'",
        refused="f'{a.__globals__}'",
    ),
}

# Definitions of classes. `__match_args__` says which attributes a pattern such as `A(x)` reads, and
# a metaclass could change how a class works.
FORMS_OF_CLASSES = {
    # `__del__` would run at some later time, perhaps behind the end of the script.
    "classes": Form(
        allowed="class A(B, key=1):\n    __slots__ = ()\n    def __eq__(s, o): pass",
        refused="class A:\n    def __del__(s): pass",
    ),
    "metaclasses, which only a base class may bring": Form(
        allowed="class A(abc.ABC): pass",
        refused="class A(metaclass=abc.ABCMeta): pass",
    ),
    "keywords of a class definition": Form(
        allowed="class A(B, total=False): pass",
        refused="class A(**{'metaclass': M}): pass",
    ),
    "attributes that a pattern reads": Form(
        allowed="class A:\n    __match_args__ = ('a',)",
        refused="class A:\n    __match_args__ = ('_a',)",
    ),
    "pattern attributes that are computed": Form(
        allowed="class A:\n    __slots__ = names",
        refused="class A:\n    __match_args__ = names",
    ),
}

# Patterns of `match`, which read attributes of the value, and define names.
FORMS_OF_PATTERNS = {
    "match": Form(
        allowed="match x:\n    case {'a': [1, *_], **r}: pass",
        refused="match x:\n    case {'a': 1, **__builtins__}: pass",
    ),
    "match values": Form(
        allowed="match x:\n    case A.b.c: pass",
        refused="match x:\n    case a.__code__: pass",
    ),
    "match classes": Form(
        allowed="match x:\n    case A(b, c=d): pass",
        refused="match x:\n    case a.__code__(): pass",
    ),
    "match captures": Form(
        allowed="match x:\n    case [*a] as b: pass",
        refused="match x:\n    case [*__builtins__]: pass",
    ),
    "class patterns": Form(
        allowed="match x:\n    case A(b=c): pass",
        refused="match x:\n    case A(__class__=c): pass",
    ),
    "patterns of built-in types": Form(
        allowed="match x:\n    case A(c): pass",
        refused="match x:\n    case str(format=f): pass",
    ),
}

FORMS = (
    FORMS_OF_NAMES_AND_ATTRIBUTES
    | FORMS_OF_STATEMENTS
    | FORMS_OF_EXPRESSIONS
    | FORMS_OF_CLASSES
    | FORMS_OF_PATTERNS
)


@pytest.mark.parametrize("title", FORMS)
def test_each_form_of_python_is_allowed_without_forbidden_names(title):
    """Ordinary programs must not be refused: the first script of each form is one."""
    assert is_allowed(FORMS[title].allowed)


@pytest.mark.parametrize("title", FORMS)
def test_no_form_of_python_lets_forbidden_names_through(title):
    """The compiler must look for forbidden names everywhere that a name may be."""
    assert not is_allowed(FORMS[title].refused)
