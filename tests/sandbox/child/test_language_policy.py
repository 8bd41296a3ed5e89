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


FORMS = {
    "names": ("_x = 1\n__y = _x", "__builtins__ = 1"),
    "global": ("def f():\n    global a\n    a = 1", "def f():\n    global a\n    __builtins__ = a"),
    "nonlocal": ("def f():\n    a = 1\n    def g():\n        nonlocal a", "def f():\n    __import__ = 1"),
    "parameters": ("def f(_a, *b, c=1, **d): pass", "def f(__loader__): pass"),
    "keywords": ("f(_a=1)", "def f(*, _getattr_=1): pass"),
    "attributes": ("x.a.b = y.c\ndel x.a", "x.__globals__"),
    "lineage": ("class A: pass\nA.__mro__, A.mro(), A.__bases__", "A.__subclasses__()"),
    "private attributes": ("class A:\n    def f(self):\n        self._x = self.__y", "x.__builtins__"),
    "augmented items": ("d[k] += 1\nd[a][b] //= 2", "x.gi_frame[0] += 1"),
    "augmented attributes": ("x.a += 1", "x.__code__ += 1"),
    "annotated assignment": ("x: int = 1\ny: 'str'", "x: f.__code__ = 1"),
    "subscripts": ("x[1:2, ...] = y[::3]", "x[f.__globals__]"),
    "iteration": ("for a, (b, *c) in d: pass", "for x.__globals__ in d: pass"),
    "assignment": ("a, *b = c\n[d, e] = f = g", "a, __spec__ = b"),
    "with": ("with a as (b, c), d: pass", "with a as __builtins__: pass"),
    "calls": ("f(*a, **b)", "f(*g.gi_frame)"),
    "imports": ("import json, urllib.parse as p\nfrom math import pi as _pi", "import json as __builtins__"),
    "import from": ("from collections import abc, Counter", "from json import __loader__"),
    "functions": ("@d\ndef f(a: int = 1) -> str: pass", "def __import__(): pass"),
    "lambdas": ("lambda _x, *a: a", "lambda __builtins__: 1"),
    "classes": (
        "class A(B, key=1):\n    __slots__ = ()\n    def __eq__(s, o): pass",
        "class A:\n    def __del__(s): pass",
    ),
    "match": ("match x:\n    case {'a': [1, *_], **r}: pass", "match x:\n    case {'a': 1, **__builtins__}: pass"),
    "match values": ("match x:\n    case A.b.c: pass", "match x:\n    case a.__code__: pass"),
    "match classes": ("match x:\n    case A(b, c=d): pass", "match x:\n    case a.__code__(): pass"),
    "match captures": ("match x:\n    case [*a] as b: pass", "match x:\n    case [*__builtins__]: pass"),
    "f-strings": ("f'{a!r:>{b}} {c=}'", "f'{a.__globals__}'"),
    "walrus": ("(a := 1)", "(__name := [__builtins__ := 1])"),
    "try": (
        "try: pass\nexcept A as e: raise B from e\nelse: pass\nfinally: pass",
        "try: pass\nexcept A as __spec__: pass",
    ),
    "generators": ("def f():\n    x = yield\n    yield from x", "async def f(): pass"),
    "comprehensions": ("{a: b for a, b in c if d}", "[x async for x in y]"),
    "guards": ("_x = print_ = 1", "(_write_ := 1)"),
    "class patterns": ("match x:\n    case A(b=c): pass", "match x:\n    case A(__class__=c): pass"),
    "formats in patterns": ("match x:\n    case A(c): pass", "match x:\n    case str(format=f): pass"),
    "pattern attributes": ("class A:\n    __match_args__ = ('a',)", "class A:\n    __match_args__ = ('_a',)"),
    "made pattern attributes": ("class A:\n    __slots__ = names", "class A:\n    __match_args__ = names"),
    "metaclasses": ("class A(abc.ABC): pass", "class A(metaclass=abc.ABCMeta): pass"),
    "keywords of classes": ("class A(B, total=False): pass", "class A(**{'metaclass': M}): pass"),
    "annotations": ("x: list['int'] | None = 1", "x: f.__globals__"),
    "the main guard": ("if __name__ == '__main__': pass", "__loader__"),
}
"""By permission: what it lets through, and what it must still refuse."""


@pytest.mark.parametrize("form", FORMS)
def test_each_permission_lets_through_its_form_and_still_refuses_the_rest(form):
    allowed, refused = FORMS[form]
    assert compiled(allowed) is not None
    assert compiled(refused) is None
