"""The language wall, permission by permission, and an independent look at the code that it lets through."""

from __future__ import annotations

import ast
import dis
import sys
from types import CodeType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox.library.importable_modules import import_refusal, names_of
from sandbox.walls.attribute_names import INTERNALS, METHODS
from sandbox.walls.language_policy import (
    READ_GUARD,
    WRITE_GUARD,
    Policy,
    Refused,
    compile_script,
)
from tests.sandbox.attack_corpus import language_attacks
from tests.sandbox.script_world import blocks

FORMS = {
    "names": ("_x = 1\n__y = _x", "__builtins__ = 1"),
    "global": ("def f():\n    global a\n    a = 1", "def f():\n    global __builtins__"),
    "nonlocal": ("def f():\n    a = 1\n    def g():\n        nonlocal a", "def f():\n    __import__ = 1"),
    "parameters": ("def f(_a, *b, c=1, **d): pass", "def f(__loader__): pass"),
    "keywords": ("f(_a=1)", "f(__class__=1)"),
    "attributes": ("x.a.b = y.c\ndel x.a", "x.__globals__"),
    "lineage": ("class A: pass\nA.__mro__, A.mro(), A.__bases__, A.__subclasses__()", "().__class__.__mro__"),
    "private attributes": ("class A:\n    def f(self):\n        self._x = self.__y", "x.__weakref__"),
    "augmented items": ("d[k] += 1\nd[a][b] //= 2", "x.gi_frame[0] += 1"),
    "augmented attributes": ("x.a += 1", "x.__code__ += 1"),
    "annotated assignment": ("x: int = 1\ny: 'str'", "x: ().__bases__ = 1"),
    "subscripts": ("x[1:2, ...] = y[::3]", "x[().__mro__]"),
    "iteration": ("for a, (b, *c) in d: pass", "for x.__globals__ in d: pass"),
    "assignment": ("a, *b = c\n[d, e] = f = g", "a, __spec__ = b"),
    "with": ("with a as (b, c), d: pass", "with a as __builtins__: pass"),
    "calls": ("f(*a, **b)", "f(*().__subclasses__())"),
    "imports": ("import json, urllib.parse as p\nfrom math import pi as _pi", "import os"),
    "import from": ("from collections import abc, Counter", "from json import codecs"),
    "imports with a fallback": (
        "try:\n    import numpy\nexcept (ImportError, ValueError):\n    from os import path as numpy",
        "try:\n    import numpy\nexcept Exception:\n    numpy = None",
    ),
    "imports for a type checker": (
        "if typing.TYPE_CHECKING:\n    import numpy\n    from os import path",
        "if checks:\n    import numpy",
    ),
    "failed imports of special names": (
        "try: from math import nope as _n\nexcept ModuleNotFoundError: pass",
        "try: import os as __builtins__\nexcept ImportError: pass",
    ),
    "functions": ("@d\ndef f(a: int = 1) -> str: pass", "def __import__(): pass"),
    "lambdas": ("lambda _x, *a: a", "lambda __builtins__: 1"),
    "classes": (
        "class A(B, key=1):\n    __slots__ = ()\n    def __eq__(s, o): pass",
        "class A:\n    def __reduce__(s): pass",
    ),
    "match": ("match x:\n    case {'a': [1, *_], **r}: pass", "match x:\n    case object(__dict__=d): pass"),
    "match values": ("match x:\n    case A.b.c: pass", "match x:\n    case a.__class__: pass"),
    "match classes": ("match x:\n    case A(b, c=d): pass", "match x:\n    case str(format=f): pass"),
    "match captures": ("match x:\n    case [*a] as b: pass", "match x:\n    case [*__builtins__]: pass"),
    "match args": ("class A:\n    __match_args__ = ('a', 'b')", "class A:\n    __match_args__ = ('__dict__',)"),
    "f-strings": ("f'{a!r:>{b}} {c=}'", "f'{a.__globals__}'"),
    "walrus": ("(a := 1)", "(__name := [__builtins__ := 1])"),
    "try": ("try: pass\nexcept A as e: raise B from e\nelse: pass\nfinally: pass", "try: pass\nexcept* A: pass"),
    "generators": ("def f():\n    x = yield\n    yield from x", "async def f(): pass"),
    "comprehensions": ("{a: b for a, b in c if d}", "[x async for x in y]"),
    "the main guard": ("if __name__ == '__main__': pass", "__loader__"),
}
"""By permission: what it lets through, and what it must still refuse."""
if sys.version_info >= (3, 12):
    FORMS |= {
        "type aliases": ("type X[T] = list[T]\nclass A:\n    type Y = X[int]", "type X = ().__mro__"),
        "type parameters": (
            "def f[T: int, *Ts, **P](x: T) -> T: pass\nclass A[T: (int, str)](B, key=1): pass",
            "class A[T: ().__mro__]: pass",
        ),
        "names of type parameters": ("def f[type, _T](x): pass", "class A[T, *__builtins__]: pass"),
        "f-strings in f-strings": ("f'{f'{a['b']!r:>{c}}'}'", "f'{f'{a.__globals__}'}'"),
    }
if sys.version_info >= (3, 13):
    FORMS["defaults of type parameters"] = ("def f[T = int, *Ts = *B, **P = [C]](): pass", "type X[T = ().__mro__] = T")


def compiled(source: str) -> CodeType | None:
    try:
        return compile_script(source, import_refusal)
    except Refused:
        return None


@pytest.mark.parametrize("form", FORMS)
def test_each_permission_lets_through_its_form_and_still_refuses_the_rest(form):
    allowed, refused = FORMS[form]
    assert compiled(allowed) is not None
    assert compiled(refused) is None


def nested(code: CodeType) -> list[CodeType]:
    return [code, *(inner for const in code.co_consts if isinstance(const, CodeType) for inner in nested(const))]


ATTRIBUTE_CODES = {"LOAD_ATTR", "LOAD_METHOD", "STORE_ATTR", "DELETE_ATTR", "LOAD_SUPER_ATTR"}


def faults_of(code: CodeType) -> list[str]:
    """Return what no accepted code may do, found in the bytecode alone."""
    found: list[str] = []
    for each in nested(code):
        instructions = list(dis.get_instructions(each))
        for place, instruction in enumerate(instructions):
            name = instruction.argval
            if instruction.opname in ATTRIBUTE_CODES and isinstance(name, str):
                loads = instruction.opname.startswith("LOAD")
                if loads and (name.startswith("_") or name in INTERNALS or name in ("format", "format_map")):
                    found.append(f"reads {name}")
                if not loads and WRITE_GUARD not in each.co_names:
                    found.append(f"sets {name}")
            if instruction.opname.startswith(
                ("STORE_NAME", "STORE_GLOBAL", "STORE_FAST", "STORE_DEREF", "DELETE_NAME")
            ):
                bound = name if isinstance(name, tuple) else (name,)  # From Python 3.13 on, one may bind two.
                found += [f"binds {each}" for each in bound if not may_be_bound(each)]
            if instruction.opname.startswith("CALL_INTRINSIC") and instruction.argrepr not in ALLOWED_INTRINSICS:
                found.append(instruction.argrepr)
            if instruction.opname == "MATCH_CLASS":
                names = instructions[place - 1].argval
                found += [f"matches {key}" for key in names or () if key.startswith("_") or key in INTERNALS]
            if instruction.opname == "IMPORT_NAME" and names_of(name) is None:
                found.append(f"imports {name}")
            if instruction.opname in ("IMPORT_STAR", "GET_AWAITABLE", "GET_AITER", "CHECK_EG_MATCH"):
                found.append(instruction.opname)
    return found


def may_be_bound(name: str) -> bool:
    if " " in name:
        return name.startswith(("owner ", "value "))
    is_special = name.startswith("__") and name.endswith("__") and len(name) > 4
    return not is_special or name in METHODS | ALLOWED_BINDINGS


ALLOWED_BINDINGS = {
    "__module__",
    "__qualname__",
    "__doc__",
    "__slots__",
    "__match_args__",
    "__classcell__",
    "__annotations__",
    *("__annotate__", "__annotate_func__", "__conditional_annotations__"),
    *("__type_params__", "__classdict__", "__classdictcell__", "__static_attributes__", "__firstlineno__"),
}
"""Special names that the compiler itself binds in a class, or that a script may: none of the compiler's from 3.12 on
may stand in a source."""
ALLOWED_BINDINGS |= {"__all__", "__version__", "__author__", "__name__", "__class__"}
ALLOWED_INTRINSICS = {
    *("INTRINSIC_STOPITERATION_ERROR", "INTRINSIC_UNARY_POSITIVE", "INTRINSIC_LIST_TO_TUPLE", "INTRINSIC_TYPEALIAS"),
    *("INTRINSIC_TYPEVAR", "INTRINSIC_TYPEVAR_WITH_BOUND", "INTRINSIC_TYPEVAR_WITH_CONSTRAINTS", "INTRINSIC_PARAMSPEC"),
    *("INTRINSIC_TYPEVARTUPLE", "INTRINSIC_SUBSCRIPT_GENERIC", "INTRINSIC_SET_FUNCTION_TYPE_PARAMS"),
    "INTRINSIC_SET_TYPEPARAM_DEFAULT",
}
"""What the interpreter does in one instruction from Python 3.12 on: neither `import *` nor anything asynchronous."""


@pytest.mark.parametrize(
    "name",
    [
        *("__type_params__", "__classdict__", "__classdictcell__", "__static_attributes__"),
        *("__annotate__", "__annotate_func__", "__conditional_annotations__"),
    ],
)
def test_what_the_compiler_alone_binds_stands_in_no_source(name):
    forms = ("{} = 1", "class A:\n    {} = 1", "def f():\n    global {}", "def f({}): pass", "def f():\n    return {}")
    assert [form for form in forms if compiled(form.format(name)) is not None] == []


def test_nothing_that_the_policy_accepts_has_a_fault_in_its_bytecode():
    accepted = 0
    sources = [
        *language_attacks(),
        *blocks(
            *(f"ordinary/{name}.txt" for name in ("constructs", "modules", "classes", "harness", "agents", "newer"))
        ),
    ]
    for title, source in sources:
        code = compiled(source)
        if code is not None:
            accepted += 1
            assert faults_of(code) == [], title
    assert accepted > 250


NAMES = st.sampled_from(
    ["x", "_p", "__q", "__builtins__", "__class__", "__globals__", "gi_frame", "tb_frame", "format", "mro", "__init__",
     "__dict__", "__import__", "__match_args__", "register", "append", "__name__", "ｘ", "__ｃlass__", "_＿class__"]
)  # fmt: skip
EXPRESSIONS = st.recursive(
    NAMES | st.sampled_from(["1", "'a'", "()", "None"]),
    lambda below: st.one_of(
        st.tuples(below, NAMES).map(lambda t: f"({t[0]}).{t[1]}"),
        st.tuples(below, below).map(lambda t: f"({t[0]})({t[1]})"),
        st.tuples(below, below).map(lambda t: f"({t[0]})[{t[1]}]"),
        st.tuples(NAMES, below).map(lambda t: f"(lambda {t[0]}: {t[1]})"),
        st.tuples(below, NAMES, below).map(lambda t: f"[{t[0]} for {t[1]} in {t[2]}]"),
        st.tuples(NAMES, below).map(lambda t: f"({t[0]} := {t[1]})"),
        below.map(lambda e: "f'{" + e.replace("'", '"') + "}'"),
        st.tuples(below, NAMES, below).map(lambda t: f"{t[0]}({t[1]}={t[2]})"),
    ),
    max_leaves=6,
)
STATEMENTS = st.one_of(
    st.tuples(EXPRESSIONS, NAMES, EXPRESSIONS).map(lambda t: f"({t[0]}).{t[1]} = {t[2]}"),
    st.tuples(EXPRESSIONS, NAMES, EXPRESSIONS).map(lambda t: f"({t[0]}).{t[1]} += {t[2]}"),
    st.tuples(EXPRESSIONS, NAMES).map(lambda t: f"del ({t[0]}).{t[1]}"),
    st.tuples(NAMES, EXPRESSIONS).map(lambda t: f"{t[0]} = {t[1]}"),
    st.tuples(NAMES, NAMES, EXPRESSIONS).map(lambda t: f"def {t[0]}({t[1]}): return {t[2]}"),
    st.tuples(NAMES, EXPRESSIONS, NAMES, EXPRESSIONS).map(lambda t: f"class {t[0]}({t[1]}):\n  {t[2]} = {t[3]}"),
    st.tuples(NAMES, NAMES).map(lambda t: f"from {t[0]} import {t[1]}"),
    st.tuples(NAMES, NAMES).map(lambda t: f"import json as {t[0]}, {t[1]}"),
    st.tuples(EXPRESSIONS, NAMES, NAMES).map(lambda t: f"match {t[0]}:\n  case object({t[1]}={t[2]}): pass"),
    st.tuples(EXPRESSIONS, NAMES).map(lambda t: f"match {t[0]}:\n  case [*{t[1]}]: pass"),
    st.tuples(EXPRESSIONS, NAMES).map(lambda t: f"with {t[0]} as {t[1]}: pass"),
    st.tuples(EXPRESSIONS, EXPRESSIONS, NAMES).map(lambda t: f"for ({t[0]}).{t[2]} in {t[1]}: pass"),
    st.tuples(EXPRESSIONS, NAMES).map(lambda t: f"try: pass\nexcept {t[0]} as {t[1]}: pass"),
    st.tuples(NAMES, EXPRESSIONS).map(lambda t: f"{t[0]}: {t[1]} = 1"),
    NAMES.map(lambda name: f"def f():\n  global {name}\n  {name} = 1"),
)
if sys.version_info >= (3, 12):
    STATEMENTS |= st.one_of(
        st.tuples(NAMES, NAMES, EXPRESSIONS).map(lambda t: f"type {t[0]}[{t[1]}] = {t[2]}"),
        st.tuples(NAMES, NAMES, EXPRESSIONS, EXPRESSIONS).map(lambda t: f"class {t[0]}[{t[1]}: {t[2]}]({t[3]}): pass"),
        st.tuples(NAMES, NAMES, EXPRESSIONS).map(lambda t: f"class {t[0]}:\n  def f[*{t[1]}](x: {t[2]}): pass"),
        st.tuples(NAMES, EXPRESSIONS, NAMES).map(lambda t: f"class A[**{t[0]}]:\n  type {t[2]} = {t[1]}"),
        EXPRESSIONS.map(lambda e: f"f'{{f'{{{e}!r:>{{{e}}}}}'}}'"),
    )
if sys.version_info >= (3, 13):
    STATEMENTS |= st.tuples(NAMES, EXPRESSIONS, NAMES, EXPRESSIONS).map(
        lambda t: f"def {t[0]}[T = {t[1]}, **P = [{t[3]}]](): pass\nclass {t[2]}[*Ts = *{t[3]}]: pass"
    )


@given(st.lists(STATEMENTS, min_size=1, max_size=3).map("\n".join))
def test_a_made_up_program_that_is_accepted_has_no_fault_in_its_bytecode(source):
    code = compiled(source)
    if code is not None:
        assert faults_of(code) == []


def test_guards_have_names_that_no_source_can_spell():
    for guard in (READ_GUARD, WRITE_GUARD):
        assert not guard.isidentifier()


def test_every_kind_of_syntax_is_permitted_by_name_or_refused():
    permitted = {name.removeprefix("visit_") for name in dir(Policy) if name.startswith("visit_")}
    for refused in ("AsyncFunctionDef", "AsyncFor", "AsyncWith", "Await", "TryStar"):
        assert (
            compiled(
                {"AsyncFunctionDef": "async def f(): pass", "TryStar": "try: pass\nexcept* A: pass"}.get(
                    refused, "async def f():\n    await x"
                )
            )
            is None
        )
    assert {"Match", "AnnAssign", "Nonlocal", "Starred"} <= permitted
    assert isinstance(ast.parse("1"), ast.Module)


def faults_in(tree: ast.AST) -> list[str]:
    policy = Policy("", import_refusal)
    policy.visit(tree)
    return [fault.message for fault in policy.faults]


@pytest.mark.parametrize(
    ("kind", "said"), [("TemplateStr", "f-string"), ("Interpolation", ""), ("SyntaxOfAnyYear", "")]
)
def test_syntax_of_a_later_python_is_refused_until_it_was_looked_at(kind, said):
    node = getattr(ast, kind, None) or type(kind, (ast.expr,), {})
    given = dict.fromkeys(node._fields, ast.Constant(1)) | {"lineno": 1, "col_offset": 0}
    (fault,) = faults_in(ast.Expr(node(**given)))
    assert "not allowed" in fault
    assert said in fault


@pytest.mark.parametrize("source", ["import json", "from json import dumps"])
def test_an_import_that_waits_for_the_first_use_of_its_name_is_refused(source):
    tree = ast.parse(source)
    assert faults_in(tree) == []
    tree.body[0].is_lazy = 1
    assert faults_in(tree) == ["lazy imports are not allowed; import without `lazy`"]


def test_refusals_say_what_to_write_instead():
    with pytest.raises(Refused) as caught:
        compile_script(
            "import requests\nopen('x')\nx.__closure__\nfrom json import dump_all\neval('1')", import_refusal
        )
    text = str(caught.value.args[0]) + " ".join(str(each) for each in caught.value.faults)
    for word in ("harness", "harness.read(path)", "work with values", "did you mean 'dump'", "json.loads"):
        assert word in text
    assert [fault.line for fault in caught.value.faults] == [1, 2, 3, 4, 5]


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("error.__traceback__", "type(error).__name__"),
        ("f.__code__", "write down"),
        ("ExceptionGroup('a', [])", "keep a list"),
        ("__file__", "paths are those of harness"),
        ("list[int].__origin__", "typing.get_origin"),
        ("import queue", "collections.deque"),
        ("from concurrent.futures import ThreadPoolExecutor", "synchronous"),
        ("import configparser", "re, str.split"),
        ("import logging", "console.log"),
    ],
)
def test_what_models_reach_for_is_told_what_to_write_instead(source, said):
    with pytest.raises(Refused) as caught:
        compile_script(source, import_refusal)
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
def test_what_is_not_python_is_told_by_line(source: str, line: int, says: str) -> None:
    with pytest.raises(Refused) as raised:
        compile_script(source, import_refusal)
    assert raised.value.is_syntax
    assert raised.value.faults[0].line == line
    assert says in raised.value.faults[0].message


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("import math, os", "module 'os' cannot be imported"),
        ("from math import tao", "'tao' cannot be imported from 'math'; did you mean 'tau'?"),
        ("from math import *", "'*' cannot be imported; name what is needed of math"),
        ("from . import x", "relative imports are not available"),
        ("from .math import pi", "relative imports are not available"),
        ("import math as __builtins__", "__builtins__"),
        ("try:\n    import os\nexcept ValueError:\n    pass", "module 'os' cannot be imported"),
        ("try:\n    pass\nexcept ImportError:\n    pass\nimport os", "module 'os' cannot be imported"),
    ],
)
def test_other_imports_than_listed_ones_are_refused_with_the_reason(source: str, says: str) -> None:
    with pytest.raises(Refused) as raised:
        compile_script(source, import_refusal)
    assert says in " ".join(fault.message for fault in raised.value.faults)


@pytest.mark.parametrize("awaited", ["ImportError", "ModuleNotFoundError", "(ValueError, ImportError)"])
def test_an_import_whose_failure_is_awaited_fails_when_the_script_runs(awaited: str) -> None:
    code = compile_script(f"try:\n    import os\nexcept {awaited}:\n    os = None", import_refusal)
    assert "ModuleNotFoundError" in code.co_names


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


@pytest.mark.parametrize("source", ["a = open", "f(open=1)", "x.open = 1", "match a:\n case D(open=f): pass"])
def test_a_builtin_that_a_script_does_not_bind_is_reported(source: str) -> None:
    assert compiled(f"{source}\nopen('x')") is None
