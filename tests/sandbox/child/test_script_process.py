"""A step in its child: `harness` as declared, what a script
may assign to, and what the language layer lets through."""

import sys
from types import CodeType

import pytest

from controlplane.sandbox import Ending
from controlplane.sandbox.child.language.script_compiler import compile_script
from controlplane.sandbox.child.language.script_errors import RefusedScript
from controlplane.sandbox.child.step.harness import build_harness
from controlplane.sandbox.interface import (
    FILE_OPERATIONS,
    Operation,
    Parameter,
    ResultField,
)

FIND = Operation(
    "find",
    (
        Parameter("name", "str"),
        Parameter("root", "str", "/"),
        Parameter("deep", "bool", False),
        Parameter("n", "int", 3),
    ),
    (ResultField("paths"),),
    "find it",
)


def test_results_are_plain_data_with_attributes_all_the_way_down():
    operation = Operation(
        "look", (), (ResultField("rows", ("a",)),), "look", json_field="text"
    )
    result = build_harness(
        (operation,),
        lambda *call: {"rows": [{"a": {"b": [1]}}], "text": '{"x": 1}'},
        print,
    ).look()

    assert result.rows[0].a.b == [1]
    assert result == {"rows": [{"a": {"b": [1]}}], "text": '{"x": 1}'}
    assert result.json() == {"x": 1}
    assert isinstance(result, dict)
    with pytest.raises(AttributeError, match="it has rows, text"):
        _ = result.row
    with pytest.raises(AttributeError, match=r"use result\['rows'\]"):
        result.rows = 1


@pytest.mark.parametrize(("from_line", "calls"), [("start_line", 3), ("", 1)])
def test_the_json_of_a_record_that_was_cut_off_is_read_on_where_the_declaration_says_how(
    from_line, calls
):
    lines, asked = ['{"a": 1,\n', '"b": 2,\n', '"c": 3}'], []

    def call(operation, positional, named):
        asked.append([operation, positional, named])
        at = named.get("start_line", 1) - 1
        return {"path": "/r.json", "content": lines[at], "truncated": at < 2}

    read = FILE_OPERATIONS[0]._replace(from_line=from_line)
    record = build_harness((read,), call, print).read("/r.json")
    if from_line:
        assert record.json() == {"a": 1, "b": 2, "c": 3}
    else:
        with pytest.raises(ValueError, match="it was truncated"):
            record.json()

    assert asked == [
        ["read", ["/r.json"], {"start_line": at} if at > 1 else {}]
        for at in range(1, calls + 1)
    ]


READ_BY_CHARACTERS = FILE_OPERATIONS[0]._replace(
    parameters=(*FILE_OPERATIONS[0].parameters, Parameter("start_char", "int", 0)),
    from_line="",
    from_char="start_char",
)


def test_a_text_that_one_message_cannot_hold_is_read_whole():
    text, asked = "1234567890", []

    def call(operation, positional, named):
        asked.append([operation, positional, named])
        start = max(named.get("start_char", 0) - 1, 0)
        next_char = start + 5 if start + 4 < len(text) else 0
        return {
            "path": "/a.json",
            "content": text[start : start + 4],
            "truncated": next_char > 0,
            "next_char": next_char,
        }

    read = build_harness((READ_BY_CHARACTERS,), call, print).read
    whole = read("/a.json")

    assert (whole.content, whole.truncated, whole.json()) == (text, False, 1234567890)
    assert [parts[2] for parts in asked] == [{}, {"start_char": 5}, {"start_char": 9}]
    part = read("/a.json", start_char=3)
    assert (part.content, part.truncated, part.next_char) == ("3456", True, 7)


def test_json_lines_say_what_they_are():
    def call(operation, positional, named):
        return {
            "path": "/a.jsonl",
            "content": '{"a": 1}\n{"a": 2}\n',
            "truncated": False,
        }

    record = build_harness((FILE_OPERATIONS[0],), call, print).read("/a.jsonl")
    with pytest.raises(ValueError, match=r"JSON Lines.*json.loads\(line\) for line in"):
        record.json()


@pytest.mark.parametrize(
    ("name", "meant"),
    [("glob", "harness.find"), ("grep", "it has"), ("submit", "harness.answer")],
)
def test_a_call_by_the_name_of_another_tool_gets_a_hint(name, meant):
    harness = build_harness((FIND,), lambda *parts: {}, print)
    with pytest.raises(AttributeError, match=meant):
        getattr(harness, name)


def test_an_error_names_the_line_of_the_script_and_nothing_of_ours(box):
    result = box.run("def f(x):\n    return harness.read(x)\n\nf('/nope')")
    assert result.error == (
        "Traceback (your own lines, last call last):\n"
        "  line 4: f('/nope')\n"
        "  line 2, in f: return harness.read(x)\n"
        "FileNotFoundError: there is no /nope"
    )


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("import json\njson.x = 1", "<module 'json'> is sealed"),
        ("statistics.mean([1])", "write `import statistics` here"),
        (
            "harness.read('/docs/checkout.md').splitlines()",
            "write .content.splitlines(...)",
        ),
        ("datetime.now()", "`import datetime` or `from datetime import datetime`"),
        ("harness.list('/')[0]", "the result has no 0; it has entries"),
        (
            "scratchpad['a'] = 1\nscratchpad['b']",
            "the scratchpad has no 'b'; it has 'a'",
        ),
        ("scratchpad.subject", "scratchpad['subject']"),
        (
            "harness.answer(answer='x')",
            "harness.answer() got an unexpected keyword argument",
        ),
        (
            "harness.cite('/a', 'b')",
            "did you mean scratchpad.cite(path, reason, quote)?",
        ),
        ("cite('/a', 'b')", "write `scratchpad.cite(...)`"),
        ("answer('b')", "write `harness.answer(scratchpad, verify)`"),
        ("'%.1f' % '2.5'", "write float(value)"),
        ("'%d' % '2'", "write float(value)"),
        ("sum(['1', '2'])", "write float(value)"),
        ("'10' > 9", "write float(value)"),
        ("harness.unheard()", "has no 'unheard'; it has answer, delete"),
        ("harness.exec('/bin/cat', '--help')", "write ['--help']"),
        ("print(1, sep=2)", "sep must be None or a string, not int"),
        (
            "scratchpad['k'] = {frozenset({1}): 1, (1, 2): 2}\nscratchpad['s'] = [1]\nraise ValueError('kept')",
            "kept",
        ),
    ],
)
def test_a_refusal_while_a_step_runs_names_its_remedy(code, said, box):
    result = box.run(code)
    assert result.ending is Ending.RAISED
    assert said in result.error


@pytest.mark.parametrize(
    "line",
    [
        "json.loads('[1]')[0]",
        "int(re.search('[0-9]', 'a1b')[0])",
        "int(math.sqrt(1))",
        "int(next(csv.reader(['1']))[0])",
    ],
)
def test_a_script_uses_the_commonest_modules_without_importing_them(line, box):
    result = box.run(f"print({line})")
    assert result.error == ""
    assert result.output == "1\n"


def test_what_was_read_is_cited_by_its_path(box):
    result = box.run(
        "print(scratchpad.cite(harness.read('/docs/checkout.md'), 'long enough'))"
    )

    assert result.output == "/docs/checkout.md\n"


def test_an_import_of_what_every_script_has_binds_it(box):
    result = box.run(
        "import harness, scratchpad\nprint(harness.read('/docs/checkout.md').path)"
    )

    assert result.output == "/docs/checkout.md\n"


def test_no_part_of_the_harness_is_imported(box):
    result = box.run("from harness import read")
    assert "write harness.NAME(...)" in result.error


def test_a_script_may_give_the_name_of_a_ready_module_another_meaning(box):
    result = box.run("re = 'a reply'\nprint(re)")
    assert result.output == "a reply\n"


def test_a_text_that_a_function_returns_prints_as_it_is():
    found = {"value": "a\nb", "refs": [], "notes": []}
    tools = build_harness(
        (Operation("text", (), (), "t", finds="m:text"),),
        lambda operation, positional, named: found,
        print,
    ).tools

    assert f"{tools.text()}" == "a\nb" == tools.text().value
    found["notes"] = ["perhaps"]
    assert "perhaps" in str(tools.text())


HEAD = """
import copy, dataclasses, decimal, functools, io, json, posixpath, sys, types, uuid
from contextlib import redirect_stdout
from zoneinfo import ZoneInfo
class A: a = 5
def f(): pass
"""


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("json.dumps = f", "<module 'json'> is sealed"),
        ("json.JSONEncoder.item_separator = ';'", "class JSONEncoder is sealed"),
        ("sys.stdin = None", "<module 'sys'> is sealed"),
        ("setattr(json, 'dumps', f)", "<module 'json'> is sealed"),
        ("del json.JSONDecoder.decode", "class JSONDecoder is sealed"),
        ("HarnessError.evil = 1", "class HarnessError is sealed"),
        ("harness.read = f", "is sealed"),
        ("delattr(harness, 'read')", "is sealed"),
        ("scratchpad.answer = 1", "use its item ['answer']"),
        ("harness.stat('/docs').path = 1", "use its item ['path']"),
        ("for json.dumps in [f]: pass", "<module 'json'> is sealed"),
        ("dataclasses.dataclass = f", "sealed"),
    ],
)
def test_a_script_assigns_to_no_attribute_of_the_library(code, said, box):
    result = box.run(HEAD + code)
    assert said in result.error
    assert box.run(
        "import json\nprint(json.dumps({'a': [1]}), json.JSONDecoder().decode('1'))"
    ).output == ('{"a": [1]} 1\n')


PROMISED = (
    *("json", "re", "math", "datetime", "time", "zoneinfo", "calendar", "decimal"),
    *(
        "fractions",
        "statistics",
        "collections",
        "itertools",
        "functools",
        "operator",
        "string",
        "textwrap",
    ),
    *("csv", "io", "random", "heapq", "bisect", "dataclasses", "enum", "typing"),
    *(
        "contextlib",
        "copy",
        "hashlib",
        "base64",
        "urllib.parse",
        "html",
        "unicodedata",
        "uuid",
    ),
    *("pprint", "difflib", "sys"),
)


@pytest.mark.parametrize("module", PROMISED)
def test_every_promised_module_can_be_imported(module, box):
    assert box.run(f"import {module}\nprint(len(dir({module})) > 0)").output == "True\n"


@pytest.mark.parametrize(
    "change",
    [
        "import csv\ncsv.field_size_limit(5)\ncsv.register_dialect('excel', delimiter=';')\ncsv.register_dialect('a')",
        "import calendar, sys\ncalendar.setfirstweekday(6)\nsys.setrecursionlimit(200)",
        "import sys\nsys.set_int_max_str_digits(9999)",
        "import decimal as d\nd.getcontext().prec = 3\nd.BasicContext.prec = 2\nd.DefaultContext.prec = 2",
        "import sys, io\nsys.stdout = io.StringIO()\nsys.stderr = None\nsys.stdin.write('left')",
    ],
)
def test_a_setting_of_the_library_ends_with_its_step(change, box):
    look = """
import calendar, csv, decimal, html.entities, json, sys
print(csv.field_size_limit(), csv.list_dialects(), csv.get_dialect("excel").delimiter, sys.stdin.read())
print(calendar.firstweekday(), sys.getrecursionlimit(), sys.get_int_max_str_digits(), len(html.entities.html5))
print([each.prec for each in (decimal.getcontext(), decimal.BasicContext, decimal.DefaultContext)], json.dumps(1))
"""
    before = box.run(look).output

    assert before.startswith("131072 ['excel', 'excel-tab', 'unix'] , \n0 1000 4300 ")
    assert box.run(change).error == ""
    assert box.run(look).output == before


def compiled(source: str) -> CodeType | None:
    try:
        return compile_script(source, is_guarded=True)
    except RefusedScript:
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
    with pytest.raises(RefusedScript) as caught:
        compile_script(source, is_guarded=True)
    (fault,) = caught.value.faults

    assert said in str(fault)


BINDING = (
    *(
        "open = b",
        "(a, *open), c[d] = e",
        "for open in b: pass",
        "with a as open: pass",
        "(a, open := 1)",
    ),
    *(
        "def open(): pass",
        "def f(b, /, *open): pass",
        "def f(*, open=b): pass",
        "def f(**open): pass",
    ),
    *(
        "class open(B): pass",
        "[c for open in b]",
        "lambda open: b",
        "import json as open",
        "from math import e as open",
    ),
    *(
        "try: pass\nexcept A as open: pass",
        "match a:\n case [b, *open]: pass",
        "match a:\n case D() as open: pass",
    ),
    *(
        ("def f[B, *open](): pass", "def f[**open](): pass")
        if sys.version_info >= (3, 12)
        else ()
    ),
)


@pytest.mark.parametrize("source", BINDING)
def test_a_builtin_that_scripts_do_not_get_is_a_name_like_any_other_once_a_script_binds_it(
    source: str,
) -> None:
    assert compiled(f"{source}\nopen('x')") is not None


FORMS = {
    "names": ("_x = 1\n__y = _x", "__builtins__ = 1"),
    "global": (
        "def f():\n    global a\n    a = 1",
        "def f():\n    global a\n    __builtins__ = a",
    ),
    "nonlocal": (
        "def f():\n    a = 1\n    def g():\n        nonlocal a",
        "def f():\n    __import__ = 1",
    ),
    "parameters": ("def f(_a, *b, c=1, **d): pass", "def f(__loader__): pass"),
    "keywords": ("f(_a=1)", "def f(*, _getattr_=1): pass"),
    "attributes": ("x.a.b = y.c\ndel x.a", "x.__globals__"),
    "lineage": ("class A: pass\nA.__mro__, A.mro(), A.__bases__", "A.__subclasses__()"),
    "private attributes": (
        "class A:\n    def f(self):\n        self._x = self.__y",
        "x.__builtins__",
    ),
    "augmented items": ("d[k] += 1\nd[a][b] //= 2", "x.gi_frame[0] += 1"),
    "augmented attributes": ("x.a += 1", "x.__code__ += 1"),
    "annotated assignment": ("x: int = 1\ny: 'str'", "x: f.__code__ = 1"),
    "subscripts": ("x[1:2, ...] = y[::3]", "x[f.__globals__]"),
    "iteration": ("for a, (b, *c) in d: pass", "for x.__globals__ in d: pass"),
    "assignment": ("a, *b = c\n[d, e] = f = g", "a, __spec__ = b"),
    "with": ("with a as (b, c), d: pass", "with a as __builtins__: pass"),
    "calls": ("f(*a, **b)", "f(*g.gi_frame)"),
    "imports": (
        "import json, urllib.parse as p\nfrom math import pi as _pi",
        "import json as __builtins__",
    ),
    "import from": (
        "from collections import abc, Counter",
        "from json import __loader__",
    ),
    "functions": ("@d\ndef f(a: int = 1) -> str: pass", "def __import__(): pass"),
    "lambdas": ("lambda _x, *a: a", "lambda __builtins__: 1"),
    "classes": (
        "class A(B, key=1):\n    __slots__ = ()\n    def __eq__(s, o): pass",
        "class A:\n    def __del__(s): pass",
    ),
    "match": (
        "match x:\n    case {'a': [1, *_], **r}: pass",
        "match x:\n    case {'a': 1, **__builtins__}: pass",
    ),
    "match values": (
        "match x:\n    case A.b.c: pass",
        "match x:\n    case a.__code__: pass",
    ),
    "match classes": (
        "match x:\n    case A(b, c=d): pass",
        "match x:\n    case a.__code__(): pass",
    ),
    "match captures": (
        "match x:\n    case [*a] as b: pass",
        "match x:\n    case [*__builtins__]: pass",
    ),
    "f-strings": ("f'{a!r:>{b}} {c=}'", "f'{a.__globals__}'"),
    "walrus": ("(a := 1)", "(__name := [__builtins__ := 1])"),
    "try": (
        "try: pass\nexcept A as e: raise B from e\nelse: pass\nfinally: pass",
        "try: pass\nexcept A as __spec__: pass",
    ),
    "generators": ("def f():\n    x = yield\n    yield from x", "async def f(): pass"),
    "comprehensions": ("{a: b for a, b in c if d}", "[x async for x in y]"),
    "guards": ("_x = print_ = 1", "(_write_ := 1)"),
    "class patterns": (
        "match x:\n    case A(b=c): pass",
        "match x:\n    case A(__class__=c): pass",
    ),
    "formats in patterns": (
        "match x:\n    case A(c): pass",
        "match x:\n    case str(format=f): pass",
    ),
    "pattern attributes": (
        "class A:\n    __match_args__ = ('a',)",
        "class A:\n    __match_args__ = ('_a',)",
    ),
    "made pattern attributes": (
        "class A:\n    __slots__ = names",
        "class A:\n    __match_args__ = names",
    ),
    "metaclasses": ("class A(abc.ABC): pass", "class A(metaclass=abc.ABCMeta): pass"),
    "keywords of classes": (
        "class A(B, total=False): pass",
        "class A(**{'metaclass': M}): pass",
    ),
    "annotations": ("x: list['int'] | None = 1", "x: f.__globals__"),
    "the main guard": ("if __name__ == '__main__': pass", "__loader__"),
}
"""By permission: what it lets through, and what it must still refuse."""


@pytest.mark.parametrize("form", FORMS)
def test_each_permission_lets_through_its_form_and_still_refuses_the_rest(form):
    allowed, refused = FORMS[form]
    assert compiled(allowed) is not None
    assert compiled(refused) is None


def test_open_reads_a_file_of_the_environment_through_the_host(box, desk):
    script = """
import json
with open("/docs/checkout.md") as file:
    lines = file.readlines()
order = json.load(open("/proc/carts/c1/b7.json"))
print(len(lines) > 0, order["id"])
"""
    result = box.run(script)

    assert result.output == "True b7\n"
    assert desk.read == {"/docs/checkout.md", "/proc/carts/c1/b7.json"}


def test_open_finds_no_file_of_the_machine(box):
    result = box.run("print(open('/etc/passwd').read())")
    assert "FileNotFoundError" in result.error
    assert result.output == ""
