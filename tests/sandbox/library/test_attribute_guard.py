"""The attribute guard: what is the script's own can be read and set, what is the library's can be used."""

from __future__ import annotations

import pytest

from sandbox.library.importable_modules import offered
from sandbox.walls.attribute_names import INTERNALS, METHODS, NEIGHBOURS, TEXTS

OWN = """
import collections, dataclasses, enum, typing, json
class A:
    _x = 1
    def _f(self): return self._x
P = collections.namedtuple("P", "a b")
D = dataclasses.make_dataclass("D", ["_y"])
E = enum.Enum("E", "A B")
class T(typing.NamedTuple): n: int
def f(): "what it does"
"""


@pytest.mark.parametrize(
    "code",
    [
        "A()._x + A()._f() + A._x",
        "P(1, 2)._asdict(), P._fields, T(1)._replace(n=2), T.__annotations__",
        "D(1)._y, D.__dataclass_fields__.keys()",
        "E.A._name_, E.A._value_, E.__members__.keys()",
        "f.__doc__, f.__name__, len.__name__, json.dumps.__name__, A.__module__, A().__dict__",
        "sorted([3, 1], key={3: 0, 1: 1}.__getitem__), dict.__len__({}), [1].__contains__(1)",
        "A.__mro__, A.__bases__, [1].__class__, object.__getattribute__(A(), '_x')",
        "setattr(A, 'z', 1), setattr(A(), 'z', 1), setattr(f, 'z', 1)",
    ],
)
def test_what_is_the_scripts_own_can_be_read_and_set(code, box):
    result = box.run(f"{OWN}\nprint({code})")
    assert result.error == ""


@pytest.mark.parametrize(
    "code",
    [
        "json.JSONEncoder()._x",
        "class J(json.JSONEncoder): pass\nJ._make_iterencode = 1\njson.encoder._make_iterencode",
        "getattr(f, '__glob' + 'als__')",
        "object.__getattribute__(f, '__globals__')",
        "super(A, A()).__getattribute__('__reduce_ex__')",
        "int.__subclasses__()",
        "E.__mro__[1].__subclasses__()",
        "json.dumps.x = 1",
        "json.JSONEncoder.default = 1",
        "object.__setattr__(json.dumps, 'x', 1)",
        "A.__dict__['__dict__']",
        "A.__match_args__ = ('_x',)",
        "type(list[int]).x = 1",
        "collections.abc.Sized.x = 1",
        "json.loads.__wrapped__",
        "try: 1 .x\nexcept AttributeError as e: e.obj",
        "class G(type(list[int])): pass",
        "class R(type(harness.stat('/'))): pass",
    ],
)
def test_what_is_not_the_scripts_cannot_be_read_past_its_public_names_or_set(code, box):
    result = box.run(f"{OWN}\n{code}\nprint('reached')")
    assert result.output == ""


@pytest.mark.parametrize("change", ["e.args = ()", "setattr(e, 'x', 1)", "del e.args", "e.name = 'x'", "e.value = 1"])
def test_an_error_that_is_not_the_scripts_own_is_not_set(change, box):
    result = box.run(f"try: {{}}['x']\nexcept KeyError as e: {change}\nprint('set')")
    assert (result.output, "a KeyError object is sealed" in result.error) == ("", True)
    own = "class E(KeyError): pass\ne = E(1)\ne.start, e.args = 5, (2,)\nprint(e, e.start)"
    assert box.run(own).output == "2 5\n"
    assert box.run("e = ValueError(1)\ne.__cause__ = KeyError(2)\nprint(repr(e.__cause__))").output == "KeyError(2)\n"


@pytest.mark.parametrize(
    "code",
    [
        "b = bytearray(64)\nclass I:\n    def __index__(self):\n        b.clear()\n        return 5\nb[60] = I()",
        "b = bytearray(64)\nclass I:\n    def __index__(self):\n        b.clear()\n        return 60\nb[I()] = 1",
        "b = bytearray(9)\nm = memoryview(b)\nclass I:\n    def __index__(self):\n        m.release()\n"
        "        b.clear()\n        return 5\nm[8] = I()",
    ],
)
def test_a_buffer_that_changes_inside_its_own_assignment_harms_nothing(code, box):
    assert box.run(code).error.splitlines()[-1].startswith(("IndexError", "ValueError"))
    assert box.run("print('next')").output == "next\n"


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


def test_special_attributes_that_can_be_read_of_others_lead_nowhere() -> None:
    somewhere = METHODS | INTERNALS | {"__dict__", "__globals__", "__traceback__", "__self__", "__func__"}
    assert somewhere.isdisjoint(TEXTS | NEIGHBOURS)
    assert "os" not in offered()
