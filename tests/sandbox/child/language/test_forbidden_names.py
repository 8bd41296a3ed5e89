"""No form of Python lets a forbidden name into a script, and each form is allowed without one.

A name is forbidden if it leads out of the script's own objects into the interpreter, as
`__globals__` and `gi_frame` do, or if a script may not define it, such as `__builtins__`. The
compiler must look for them everywhere that a name may be, and must not refuse ordinary programs. So
each form of Python is here twice: as programs have it, and with a forbidden name in its place.
"""

import pytest

from tests.sandbox.child.language.script_forms import Form, is_allowed

# Each form of names and attributes, without and with a forbidden one.
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


class TestNamesAndAttributes:
    """Names and attributes that lead into the interpreter, or may not be defined, are refused."""

    @pytest.mark.parametrize("title", FORMS_OF_NAMES_AND_ATTRIBUTES)
    def test_each_form_of_python_is_allowed_without_forbidden_names(self, title):
        assert is_allowed(FORMS_OF_NAMES_AND_ATTRIBUTES[title].allowed)

    @pytest.mark.parametrize("title", FORMS_OF_NAMES_AND_ATTRIBUTES)
    def test_no_form_of_python_lets_forbidden_names_through(self, title):
        assert not is_allowed(FORMS_OF_NAMES_AND_ATTRIBUTES[title].refused)


# Each statement, without and with a forbidden name or `async`.
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


class TestStatements:
    """A statement is refused if a forbidden name stands in it, or if it is async.

    Scripts may not be async: each of their calls waits for its result.
    """

    @pytest.mark.parametrize("title", FORMS_OF_STATEMENTS)
    def test_each_form_of_python_is_allowed_without_forbidden_names(self, title):
        assert is_allowed(FORMS_OF_STATEMENTS[title].allowed)

    @pytest.mark.parametrize("title", FORMS_OF_STATEMENTS)
    def test_no_form_of_python_lets_forbidden_names_through(self, title):
        assert not is_allowed(FORMS_OF_STATEMENTS[title].refused)


# Each expression, without and with a forbidden name.
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


class TestExpressions:
    """An expression is refused if a forbidden name stands anywhere in it."""

    @pytest.mark.parametrize("title", FORMS_OF_EXPRESSIONS)
    def test_each_form_of_python_is_allowed_without_forbidden_names(self, title):
        assert is_allowed(FORMS_OF_EXPRESSIONS[title].allowed)

    @pytest.mark.parametrize("title", FORMS_OF_EXPRESSIONS)
    def test_no_form_of_python_lets_forbidden_names_through(self, title):
        assert not is_allowed(FORMS_OF_EXPRESSIONS[title].refused)


# Each form of a class definition, and one like it that could change how classes work.
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


class TestClassDefinitions:
    """A class may not be defined in a way that changes how classes work.

    `__match_args__` says which attributes a pattern such as `A(x)` reads, and a metaclass
    could change how a class works.
    """

    @pytest.mark.parametrize("title", FORMS_OF_CLASSES)
    def test_each_form_of_python_is_allowed_without_forbidden_names(self, title):
        assert is_allowed(FORMS_OF_CLASSES[title].allowed)

    @pytest.mark.parametrize("title", FORMS_OF_CLASSES)
    def test_no_form_of_python_lets_forbidden_names_through(self, title):
        assert not is_allowed(FORMS_OF_CLASSES[title].refused)


# Each pattern of `match`, without and with a forbidden name.
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


class TestPatterns:
    """Patterns of `match` read attributes of the value, and define names: none may be forbidden."""

    @pytest.mark.parametrize("title", FORMS_OF_PATTERNS)
    def test_each_form_of_python_is_allowed_without_forbidden_names(self, title):
        assert is_allowed(FORMS_OF_PATTERNS[title].allowed)

    @pytest.mark.parametrize("title", FORMS_OF_PATTERNS)
    def test_no_form_of_python_lets_forbidden_names_through(self, title):
        assert not is_allowed(FORMS_OF_PATTERNS[title].refused)
