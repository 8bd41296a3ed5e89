"""The forms of Python that a script may have, and those that are refused.

Attributes, names, classes, patterns, expressions and statements that lead into the interpreter are
refused, and ordinary ones are allowed, also the names of builtins. A refusal names what to write
instead. XML expands entities within a bound.
"""

import sys
from types import CodeType

import pytest

from controlplane.sandbox.child.language.script_compiler import compile_script
from controlplane.sandbox.child.language.script_errors import RefusedScript

# Forms of Python, such as an assignment or a lambda, and whether a script may have them.
#
# `compile_script` compiles a restricted Python. It refuses names and attributes that lead out of the
# script's own objects into the interpreter: `is_allowed("f.__globals__")` is False.


def is_allowed(source: str) -> bool:
    """Return whether the language layer compiles a script: `is_allowed("f.__globals__")` is
    False."""
    try:
        return isinstance(compile_script(source, is_guarded=True), CodeType)
    except RefusedScript:
        return False


# A script may define classes, but not in a way that changes how classes work.
#
# A metaclass, the class of a class, could do that. Only a base class of the library may bring one.


@pytest.mark.parametrize(
    "script",
    [
        pytest.param(
            "class A(B, key=1):\n    __slots__ = ()\n    def __eq__(s, o): pass",
            id="comparison of its own, slots and an option",
        ),
        pytest.param("class A:\n    __slots__ = names", id="computed slots"),
        pytest.param("class A(B, total=False): pass", id="option of a base class"),
        pytest.param("class A(abc.ABC): pass", id="base class with a metaclass"),
    ],
)
def test_ordinary_class_definitions_are_allowed(script):
    assert is_allowed(script)


@pytest.mark.parametrize(
    "script",
    [
        # It would run at some later time, perhaps behind the end of the script.
        pytest.param("class A:\n    def __del__(s): pass", id="destructor"),
        pytest.param("class A(metaclass=abc.ABCMeta): pass", id="metaclass"),
        pytest.param("class A(**{'metaclass': M}): pass", id="metaclass behind `**`"),
    ],
)
def test_a_class_that_changes_how_classes_work_is_refused(script):
    assert not is_allowed(script)


# A script may not use an attribute that leads into the interpreter.
#
# Such names begin and end with two underscores: `f.__globals__` leads from a function to all that its
# module knows. The few that are harmless, such as `A.__mro__`, are allowed. So are ordinary names.


@pytest.mark.parametrize(
    "script",
    [
        pytest.param("x.a.b = y.c\ndel x.a", id="read, set and deleted"),
        pytest.param("x.a += 1", id="added to"),
        pytest.param("x: list['int'] | None = 1", id="in an annotation"),
        pytest.param(
            "class A:\n    def f(self):\n        self._x = self.__y",
            id="private attributes, which have underscores only in front",
        ),
        # They lead up to the base classes. `A.__subclasses__()` leads down to all others.
        pytest.param(
            "class A: pass\nA.__mro__, A.mro(), A.__bases__", id="base classes"
        ),
    ],
)
def test_harmless_attributes_are_allowed(script):
    assert is_allowed(script)


@pytest.mark.parametrize(
    "script",
    [
        pytest.param("x.__globals__", id="the names of a module"),
        pytest.param("x.__builtins__", id="the built-in functions"),
        pytest.param("A.__subclasses__()", id="the classes derived from a class"),
        pytest.param("x.__code__ += 1", id="the code of a function, added to"),
        pytest.param("x: f.__globals__", id="the names of a module, in an annotation"),
    ],
)
def test_attributes_that_lead_into_the_interpreter_are_refused(script):
    assert not is_allowed(script)


# A script may not give a meaning to a name that belongs to the interpreter, or use it.
#
# `__builtins__` has what a script may call, and `__import__` would bring any module. All names of a
# script's own are allowed, even `_x`.


@pytest.mark.parametrize(
    "script",
    [
        pytest.param("_x = 1\n__y = _x", id="names"),
        pytest.param("def f():\n    global a\n    a = 1", id="global"),
        pytest.param(
            "def f():\n    a = 1\n    def g():\n        nonlocal a", id="nonlocal"
        ),
        pytest.param("def f():\n    a = 1", id="local variables"),
        pytest.param("def f(_a, *b, c=1, **d): pass", id="parameters"),
        pytest.param("def f(*, _a=1): pass\nf(_a=1)", id="keyword parameters"),
        pytest.param(
            "if __name__ == '__main__': pass", id="names that Python gives each module"
        ),
        pytest.param("_x = print_ = 1", id="names of the restricted compiler"),
    ],
)
def test_ordinary_names_are_allowed(script):
    assert is_allowed(script)


@pytest.mark.parametrize(
    "script",
    [
        pytest.param("__builtins__ = 1", id="names"),
        pytest.param("def f():\n    global a\n    __builtins__ = a", id="global"),
        pytest.param(
            "def f():\n    __import__ = 1\n    def g():\n        nonlocal __import__",
            id="nonlocal",
        ),
        pytest.param("def f():\n    __import__ = 1", id="local variables"),
        pytest.param("def f(__loader__): pass", id="parameters"),
        pytest.param("def f(*, _getattr_=1): pass", id="keyword parameters"),
        pytest.param("__loader__", id="names that Python gives each module"),
        # The compiler puts calls of functions such as `_write_` into a script.
        pytest.param("(_write_ := 1)", id="names of the restricted compiler"),
    ],
)
def test_a_forbidden_name_is_refused(script):
    assert not is_allowed(script)


# `__match_args__ = ("a",)` in a class lets the pattern `case A(x)` read the attribute `a`.
#
# A pattern reads attributes without a check. So the names must stand in the script, where the
# compiler sees that none begins with an underscore.


def test_an_ordinary_name_is_allowed():
    assert is_allowed("class A:\n    __match_args__ = ('a',)")


@pytest.mark.parametrize(
    "script",
    [
        pytest.param("class A:\n    __match_args__ = ('_a',)", id="underscore"),
        pytest.param("class A:\n    __match_args__ = names", id="computed names"),
    ],
)
def test_names_that_may_need_a_check_are_refused(script):
    assert not is_allowed(script)


# An expression is refused if a forbidden name, such as `__globals__`, stands anywhere in it.


@pytest.mark.parametrize(
    "script",
    [
        pytest.param("f(*a, **b)", id="calls"),
        pytest.param("lambda _x, *a: a", id="lambdas"),
        pytest.param("{a: b for a, b in c if d}", id="comprehensions"),
        pytest.param("[x for x in y]", id="comprehensions that are not async"),
        pytest.param("(a := 1)", id="walrus"),
        pytest.param("f'{a!r:>{b}} {c=}'", id="f-strings"),
    ],
)
def test_ordinary_expressions_are_allowed(script):
    assert is_allowed(script)


@pytest.mark.parametrize(
    "script",
    [
        pytest.param("f(*g.gi_frame)", id="calls"),
        pytest.param("lambda __builtins__: 1", id="lambdas"),
        pytest.param("{a.gi_frame: b for a, b in c if d}", id="comprehensions"),
        pytest.param("[x async for x in y]", id="async comprehensions"),
        pytest.param("(__name := [__builtins__ := 1])", id="walrus"),
        pytest.param("f'{a.__globals__}'", id="f-strings"),
    ],
)
def test_an_expression_with_a_forbidden_name_is_refused(script):
    assert not is_allowed(script)


# A pattern of `match` may neither define nor read a forbidden name.
#
#     case {"a": 1, **rest}           defines the name `rest`
#     case A(b=c)                     reads the attribute `b` of the value, and defines `c`
#
# Names such as `__class__` are forbidden, since they lead into the interpreter.


@pytest.mark.parametrize(
    "pattern",
    [
        pytest.param("{'a': [1, *_], **r}", id="defines the rest of a mapping"),
        pytest.param("[*a] as b", id="defines the items of a list, and the list"),
        pytest.param("A.b.c", id="compares with an attribute"),
        pytest.param("A(c)", id="reads an attribute by its position"),
        pytest.param("A(b=c)", id="reads an attribute by its name"),
        pytest.param("A(b, c=d)", id="reads an attribute in either way"),
    ],
)
def test_ordinary_patterns_are_allowed(pattern):
    assert is_allowed(f"match x:\n    case {pattern}: pass")


@pytest.mark.parametrize(
    "pattern",
    [
        pytest.param("{'a': 1, **__builtins__}", id="defines the rest of a mapping"),
        pytest.param("[*__builtins__]", id="defines the items of a list"),
        pytest.param("a.__code__", id="compares with an attribute"),
        pytest.param("a.__code__()", id="compares the class with an attribute"),
        pytest.param("A(__class__=c)", id="reads an attribute by its name"),
        # The method `str.format` reads attributes that a text names: "{0.__class__}".
        pytest.param("str(format=f)", id="reads a method that reads attributes"),
    ],
)
def test_a_pattern_with_a_forbidden_name_is_refused(pattern):
    assert not is_allowed(f"match x:\n    case {pattern}: pass")


# A script may give the name of a builtin a meaning of its own, by any form of Python.
#
# Scripts are compiled by a compiler for a restricted Python, which refuses some forms and names. It
# must permit each form that defines `open`, the name of a builtin, and then the use of that name:
#
#     def open(): pass
#     open('x')

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
"""Every form of Python that defines the name `open`, such as a variable or a parameter."""

if sys.version_info >= (3, 12):
    DEFINITIONS_OF_OPEN.append("def f[B, *open](): pass")
    DEFINITIONS_OF_OPEN.append("def f[**open](): pass")


@pytest.mark.parametrize("definition", DEFINITIONS_OF_OPEN)
def test_a_script_may_give_the_name_of_a_builtin_a_meaning_of_its_own(
    definition: str,
) -> None:
    use = "open('x')"

    assert is_allowed(f"{definition}\n{use}")


# A form of Python that a script may not have names what to write instead.
#
# `compile_script` compiles a restricted Python, and refuses names that lead into the interpreter. Of
# `error.__traceback__` it says to write `type(error).__name__`, so that the model corrects its
# script.


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
    with pytest.raises(RefusedScript) as refused:
        compile_script(source, is_guarded=True)

    faults = refused.value.faults
    assert len(faults) == 1
    assert remedy in str(faults[0])


# XML in scripts: `xml.etree` expands the entities of a text, within a bound.
#
# An entity is a named text: after `<!ENTITY l0 "lol">`, each `&l0;` is replaced by "lol". Entities
# that refer to other entities, ten times each, make a short text expand to gigabytes (the
# "billion laughs" attack).

PARSE_NESTED_ENTITIES = """
from xml.etree import ElementTree

def parsed(levels):
    # Each level refers ten times to the one below it.
    entities = '<!ENTITY l0 "lol">'
    for level in range(1, levels):
        references = f"&l{level - 1};" * 10
        entities += f'<!ENTITY l{level} "{references}">'
    return ElementTree.fromstring(f"<!DOCTYPE a [{entities}]><a>&l{levels - 1};</a>").text
"""


def test_harmless_entities_of_an_xml_text_are_expanded(sandbox):
    """One level refers ten times to the entity `l0`, which is "lol"."""
    result = sandbox.run(f"{PARSE_NESTED_ENTITIES}\nprint(parsed(2))")

    assert result.output == "lol" * 10 + "\n"


def test_entities_that_multiply_end_the_parsing_of_an_xml_text(sandbox):
    """Nine such levels would make a text of three gigabytes."""
    result = sandbox.run(f"{PARSE_NESTED_ENTITIES}\nprint(len(parsed(10)))")

    assert result.output == ""
    assert "amplification" in result.error


# A statement is refused if a forbidden name stands in it, or if it is async.
#
# `f.__globals__` leads from a function into the interpreter, wherever in a statement it stands. A
# script may not be async, because each of its calls waits for its result.


@pytest.mark.parametrize(
    "script",
    [
        pytest.param("d[k] += 1\nd[a][b] //= 2", id="augmented items"),
        pytest.param("x: int = 1\ny: 'str'", id="annotated assignment"),
        pytest.param("x[1:2, ...] = y[::3]", id="subscripts"),
        pytest.param("for a, (b, *c) in d: pass", id="iteration"),
        pytest.param("a, *b = c\n[d, e] = f = g", id="assignment"),
        pytest.param("with a as (b, c), d: pass", id="with"),
        pytest.param(
            "try: pass\nexcept A as e: raise B from e\nelse: pass\nfinally: pass",
            id="try",
        ),
        pytest.param(
            "import json, urllib.parse as p\nfrom math import pi as _pi", id="imports"
        ),
        pytest.param("from collections import abc, Counter", id="import from"),
        pytest.param("@d\ndef f(a: int = 1) -> str: pass", id="functions"),
        pytest.param("def f():\n    x = yield\n    yield from x", id="generators"),
        pytest.param("def f(): pass", id="functions that are not async"),
    ],
)
def test_ordinary_statements_are_allowed(script):
    assert is_allowed(script)


@pytest.mark.parametrize(
    "script",
    [
        pytest.param("x.gi_frame[0] += 1", id="augmented items"),
        pytest.param("x: f.__code__ = 1", id="annotated assignment"),
        pytest.param("x[f.__globals__]", id="subscripts"),
        pytest.param("for x.__globals__ in d: pass", id="iteration"),
        pytest.param("a, __spec__ = b", id="assignment"),
        pytest.param("with a as __builtins__: pass", id="with"),
        pytest.param("try: pass\nexcept A as __spec__: pass", id="try"),
        pytest.param("import json as __builtins__", id="imports"),
        pytest.param("from json import __loader__", id="import from"),
        pytest.param("def __import__(): pass", id="functions"),
        pytest.param("def f():\n    yield x.gi_frame", id="generators"),
        pytest.param("async def f(): pass", id="async functions"),
    ],
)
def test_a_statement_with_a_forbidden_name_is_refused(script):
    assert not is_allowed(script)
