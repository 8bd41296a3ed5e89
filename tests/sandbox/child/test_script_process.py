"""What a script finds in its child process: the harness, sealed modules, forbidden forms of Python.

A script calls its environment through `harness`, as in `harness.read("/a.json").json()`. The
environment declares its operations, and `build_harness` makes a method of each. The language
layer compiles a restricted Python and tells scripts what to write instead of what it refuses.
"""

import sys
from types import CodeType
from typing import NamedTuple

import pytest

from controlplane.sandbox import Ending
from controlplane.sandbox.child.language.refused_script import RefusedScript
from controlplane.sandbox.child.language.script_compiler import compile_script
from controlplane.sandbox.child.step.harness.harness import build_harness
from controlplane.sandbox.interface import (
    FILE_OPERATIONS,
    Operation,
    Parameter,
    ResultField,
)

READ = FILE_OPERATIONS[0]
"""`harness.read(path, start_line=0, end_line=0)`."""

FIND = Operation(
    "find",
    parameters=(
        Parameter("name", "str"),
        Parameter("root", "str", "/"),
        Parameter("deep", "bool", False),
        Parameter("n", "int", 3),
    ),
    fields=(ResultField("paths"),),
    summary="find it",
)


def harness_with(operation, call):
    """Return a harness with one operation.

    Each call of a script becomes `call(operation_name, positional, named)` and gets its result.
    """
    return build_harness((operation,), call, print)


def test_a_result_is_a_dict_whose_keys_are_attributes_at_every_depth():
    """`harness.look()` returns rows with the key `a`, and a text that `json()` parses."""
    look = Operation(
        "look",
        parameters=(),
        fields=(ResultField("rows", ("a",)),),
        summary="look",
        json_field="text",
    )

    def call(operation, positional, named):
        return {"rows": [{"a": {"b": [1]}}], "text": '{"x": 1}'}

    result = harness_with(look, call).look()

    assert result.rows[0].a.b == [1]
    assert result == {"rows": [{"a": {"b": [1]}}], "text": '{"x": 1}'}
    assert result.json() == {"x": 1}
    assert isinstance(result, dict)


def test_a_wrong_attribute_of_a_result_is_answered_with_a_remedy():
    """The result has `paths`. The script reads `path`, and then assigns to `paths`."""
    harness = harness_with(FIND, lambda *call: {"paths": []})
    result = harness.find("x")

    with pytest.raises(AttributeError, match="it has paths"):
        _ = result.path
    with pytest.raises(AttributeError, match=r"use result\['paths'\]"):
        result.paths = 1


LINES = ['{"a": 1,\n', '"b": 2,\n', '"c": 3}']
"""A JSON file, of which a call of `read` returns one line."""


class OneLineReader:
    """Answers `read` with one line of `LINES`, and records the named arguments of each call."""

    def __init__(self):
        self.named_arguments = []

    def call(self, operation, positional, named):
        self.named_arguments.append(named)
        index = named.get("start_line", 1) - 1
        return {
            "path": "/r.json",
            "content": LINES[index],
            "truncated": index < len(LINES) - 1,
        }


def test_json_of_a_truncated_file_reads_the_remaining_lines():
    """The declaration of `read` says that `start_line` continues a text that was cut off."""
    reader = OneLineReader()
    operation = READ._replace(from_line="start_line")
    result = harness_with(operation, reader.call).read("/r.json")

    assert result.json() == {"a": 1, "b": 2, "c": 3}
    assert reader.named_arguments == [{}, {"start_line": 2}, {"start_line": 3}]


def test_json_of_a_truncated_file_fails_if_nothing_says_how_to_read_on():
    """Half of a file must not be taken for the whole."""
    reader = OneLineReader()
    operation = READ._replace(from_line="")
    result = harness_with(operation, reader.call).read("/r.json")

    with pytest.raises(ValueError, match="it was truncated"):
        result.json()
    assert reader.named_arguments == [{}]


READ_BY_CHARACTERS = READ._replace(
    parameters=(*READ.parameters, Parameter("start_char", "int", 0)),
    from_line="",
    from_char="start_char",
)
"""An operation `read` that continues a text at a character instead of a line."""

TEXT = "1234567890"
PART_CHARS = 4
"""A file, of which a call of `read` returns four characters."""


class PartReader:
    """Answers `read` with a part of `TEXT`, and records the named arguments of each call.

    Characters are counted from 1; `next_char` is 0 at the end of the text.
    """

    def __init__(self):
        self.named_arguments = []

    def call(self, operation, positional, named):
        self.named_arguments.append(named)
        start = max(named.get("start_char", 0) - 1, 0)
        end = start + PART_CHARS
        is_truncated = end < len(TEXT)
        return {
            "path": "/a.json",
            "content": TEXT[start:end],
            "truncated": is_truncated,
            "next_char": end + 1 if is_truncated else 0,
        }


def test_a_text_that_does_not_fit_into_one_result_is_read_whole():
    """The script makes one call. The harness makes two more, until it has the whole text."""
    reader = PartReader()

    result = harness_with(READ_BY_CHARACTERS, reader.call).read("/a.json")

    assert result.content == TEXT
    assert result.truncated is False
    assert result.json() == int(TEXT)
    assert reader.named_arguments == [{}, {"start_char": 5}, {"start_char": 9}]


def test_a_script_that_asks_for_a_part_of_a_text_gets_that_part():
    """The harness reads on by itself only if the script asked for the whole file."""
    reader = PartReader()

    result = harness_with(READ_BY_CHARACTERS, reader.call).read("/a.json", start_char=3)

    assert result.content == "3456"
    assert result.truncated is True
    assert result.next_char == 7


def test_json_of_a_file_with_an_object_a_line_explains_how_to_parse_it():
    """Models often take such a file, JSON Lines, for one JSON document."""

    def call(operation, positional, named):
        return {
            "path": "/a.jsonl",
            "content": '{"a": 1}\n{"a": 2}\n',
            "truncated": False,
        }

    result = harness_with(READ, call).read("/a.jsonl")

    with pytest.raises(ValueError, match=r"JSON Lines.*json.loads\(line\) for line in"):
        result.json()


@pytest.mark.parametrize(
    ("wrong_name", "hint"),
    [
        ("glob", "harness.find"),
        ("grep", "it has"),  # This harness has no `search`, so all its calls are named.
        ("submit", "harness.answer"),
    ],
)
def test_a_call_by_the_name_of_another_tool_gets_a_hint(wrong_name, hint):
    """Models know other harnesses, whose calls have other names."""
    harness = harness_with(FIND, lambda *call: {})

    with pytest.raises(AttributeError, match=hint):
        getattr(harness, wrong_name)


def test_a_traceback_shows_the_lines_of_the_script_and_nothing_else(sandbox):
    """A model can only correct its own lines, not those of the harness."""
    result = sandbox.run("def f(x):\n    return harness.read(x)\n\nf('/nope')")

    assert result.error == (
        "Traceback (your own lines, last call last):\n"
        "  line 4: f('/nope')\n"
        "  line 2, in f: return harness.read(x)\n"
        "FileNotFoundError: there is no /nope"
    )


@pytest.mark.parametrize(
    ("code", "hint"),
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
    ],
)
def test_the_error_of_a_common_mistake_says_what_to_write_instead(code, hint, sandbox):
    """Models make these mistakes, and read the hint in the error."""
    result = sandbox.run(code)

    assert result.ending is Ending.RAISED
    assert hint in result.error


def test_unusual_values_in_the_scratchpad_do_not_hide_the_error_of_the_script(sandbox):
    """The scratchpad is sent to the parent with the error, here with sets and tuples as keys."""
    code = """
scratchpad["k"] = {frozenset({1}): 1, (1, 2): 2}
scratchpad["s"] = [1]
raise ValueError("kept")
"""

    result = sandbox.run(code)

    assert result.ending is Ending.RAISED
    assert "kept" in result.error


@pytest.mark.parametrize(
    "expression",
    [
        "json.loads('[1]')[0]",
        "int(re.search('[0-9]', 'a1b')[0])",
        "int(math.sqrt(1))",
        "int(next(csv.reader(['1']))[0])",
    ],
)
def test_a_script_may_use_the_commonest_modules_without_an_import(expression, sandbox):
    """Models forget imports, which would cost a step."""
    result = sandbox.run(f"print({expression})")

    assert result.error == ""
    assert result.output == "1\n"


def test_a_result_of_read_may_be_cited_instead_of_its_path(sandbox):
    """The result knows the path of the file."""
    result = sandbox.run(
        "print(scratchpad.cite(harness.read('/docs/checkout.md'), 'long enough'))"
    )

    assert result.output == "/docs/checkout.md\n"


def test_an_import_of_harness_or_scratchpad_is_allowed(sandbox):
    """Every script has these two names; models import them nevertheless."""
    result = sandbox.run(
        "import harness, scratchpad\nprint(harness.read('/docs/checkout.md').path)"
    )

    assert result.output == "/docs/checkout.md\n"


def test_an_import_from_harness_is_refused_with_a_remedy(sandbox):
    """`harness` is an object and not a module."""
    result = sandbox.run("from harness import read")

    assert "write harness.NAME(...)" in result.error


def test_a_script_may_use_the_name_of_a_module_for_a_variable(sandbox):
    """`re` is also the module that every script has."""
    result = sandbox.run("re = 'a reply'\nprint(re)")

    assert result.output == "a reply\n"


TEXT_FUNCTION = Operation("text", parameters=(), fields=(), summary="t", finds="m:text")
"""A function `harness.tools.text()`, whose result has `value`, `refs` and `notes`."""


def test_the_result_of_a_function_prints_as_its_value():
    """Scripts use results in texts, and rarely want their notes there."""

    def call(operation, positional, named):
        return {"value": "a\nb", "refs": [], "notes": []}

    result = harness_with(TEXT_FUNCTION, call).tools.text()

    assert result.value == "a\nb"
    assert f"{result}" == "a\nb"


def test_the_result_of_a_function_prints_its_notes():
    """A note says what is doubtful about a value, which the model should see."""

    def call(operation, positional, named):
        return {"value": "a\nb", "refs": [], "notes": ["perhaps"]}

    result = harness_with(TEXT_FUNCTION, call).tools.text()

    assert "perhaps" in str(result)


DEFINITIONS = """
import copy, dataclasses, decimal, functools, io, json, posixpath, sys, types, uuid
from contextlib import redirect_stdout
from zoneinfo import ZoneInfo
class A: a = 5
def f(): pass
"""


@pytest.mark.parametrize(
    ("assignment", "error"),
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
def test_a_script_cannot_change_modules_that_later_steps_use(
    assignment, error, sandbox
):
    """A *sealed* object takes no new values: "<module 'json'> is sealed"."""
    look_at_json = """
import json
print(json.dumps({'a': [1]}), json.JSONDecoder().decode('1'))
"""

    result = sandbox.run(DEFINITIONS + assignment)

    assert error in result.error
    assert sandbox.run(look_at_json).output == '{"a": [1]} 1\n'


PROMISED_MODULES = (
    "json",
    "re",
    "math",
    "datetime",
    "time",
    "zoneinfo",
    "calendar",
    "decimal",
    "fractions",
    "statistics",
    "collections",
    "itertools",
    "functools",
    "operator",
    "string",
    "textwrap",
    "csv",
    "io",
    "random",
    "heapq",
    "bisect",
    "dataclasses",
    "enum",
    "typing",
    "contextlib",
    "copy",
    "hashlib",
    "base64",
    "urllib.parse",
    "html",
    "unicodedata",
    "uuid",
    "pprint",
    "difflib",
    "sys",
)
"""Modules that `docs/sandbox.md` promises to scripts."""


@pytest.mark.parametrize("module", PROMISED_MODULES)
def test_every_promised_module_can_be_imported(module, sandbox):
    result = sandbox.run(f"import {module}\nprint(len(dir({module})) > 0)")

    assert result.output == "True\n"


SHOW_SETTINGS = """
import calendar, csv, decimal, html.entities, json, sys
print("csv:", csv.field_size_limit(), csv.list_dialects(), repr(csv.get_dialect("excel").delimiter))
print("stdin:", repr(sys.stdin.read()))
print("calendar:", calendar.firstweekday())
print("limits:", sys.getrecursionlimit(), sys.get_int_max_str_digits())
print("entities:", len(html.entities.html5))
print("json:", json.dumps(1))
for context in (decimal.getcontext(), decimal.BasicContext, decimal.DefaultContext):
    print("decimal:", context.prec)
"""
"""A script that prints the settings of modules that a script may change."""


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(
            "import csv\n"
            "csv.field_size_limit(5)\n"
            "csv.register_dialect('excel', delimiter=';')\n"
            "csv.register_dialect('a')",
            id="csv",
        ),
        pytest.param(
            "import calendar, sys\n"
            "calendar.setfirstweekday(6)\n"
            "sys.setrecursionlimit(200)",
            id="calendar and recursion",
        ),
        pytest.param(
            "import sys\nsys.set_int_max_str_digits(9999)", id="digits of integers"
        ),
        pytest.param(
            "import decimal as d\n"
            "d.getcontext().prec = 3\n"
            "d.BasicContext.prec = 2\n"
            "d.DefaultContext.prec = 2",
            id="decimal",
        ),
        pytest.param(
            "import sys, io\n"
            "sys.stdout = io.StringIO()\n"
            "sys.stderr = None\n"
            "sys.stdin.write('left')",
            id="standard streams",
        ),
    ],
)
def test_settings_that_a_script_changes_are_reset_after_its_step(change, sandbox):
    """The next step may run in the same process, and must not depend on this one."""
    settings_before = sandbox.run(SHOW_SETTINGS).output

    changing_step = sandbox.run(change)

    assert changing_step.error == ""
    assert sandbox.run(SHOW_SETTINGS).output == settings_before


def test_a_script_finds_the_default_settings_of_python(sandbox):
    lines = sandbox.run(SHOW_SETTINGS).output.splitlines()

    assert "csv: 131072 ['excel', 'excel-tab', 'unix'] ','" in lines
    assert "stdin: ''" in lines
    assert "calendar: 0" in lines
    assert "limits: 1000 4300" in lines


def is_allowed(source: str) -> bool:
    """Return whether the language layer compiles a script; it refuses forms that lead out."""
    try:
        return isinstance(compile_script(source, is_guarded=True), CodeType)
    except RefusedScript:
        return False


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
"""Every form of Python by which a script gives the name `open` a meaning of its own."""
if sys.version_info >= (3, 12):
    DEFINITIONS_OF_OPEN.append("def f[B, *open](): pass")
    DEFINITIONS_OF_OPEN.append("def f[**open](): pass")


@pytest.mark.parametrize("definition", DEFINITIONS_OF_OPEN)
def test_the_name_of_a_missing_builtin_may_be_used_once_the_script_defines_it(
    definition: str,
) -> None:
    """Scripts have no builtin `open`, so a script that calls it is refused unless it defines it."""
    assert is_allowed(f"{definition}\nopen('x')")


class Form(NamedTuple):
    """Two scripts with the same form of Python, such as an assignment or a lambda.

    The refused one uses a name or an attribute that leads out of the script's own objects, such as
    `__globals__` or `gi_frame`, or that may not be defined, such as `__builtins__`.
    """

    allowed: str
    refused: str


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
        refused="def f():\n    __import__ = 1",
    ),
    "parameters": Form(
        allowed="def f(_a, *b, c=1, **d): pass",
        refused="def f(__loader__): pass",
    ),
    "keywords": Form(
        allowed="f(_a=1)",
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
    "the main guard": Form(
        allowed="if __name__ == '__main__': pass",
        refused="__loader__",
    ),
    "names of the restricted compiler": Form(
        allowed="_x = print_ = 1",
        refused="(_write_ := 1)",
    ),
}
"""Names and attributes: ordinary ones are allowed, and those that lead to the interpreter are not."""

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
        refused="async def f(): pass",
    ),
}
"""Statements, each with ordinary names, and with a forbidden one in the same place."""

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
"""Expressions, each with ordinary names, and with a forbidden one in the same place."""

FORMS_OF_CLASSES = {
    "classes": Form(
        allowed="class A(B, key=1):\n    __slots__ = ()\n    def __eq__(s, o): pass",
        refused="class A:\n    def __del__(s): pass",
    ),
    "metaclasses": Form(
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
"""Definitions of classes. `__match_args__` says which attributes a pattern such as `A(x)` reads."""

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
"""Patterns of `match`, which read attributes of the value, and define names."""

FORMS = (
    FORMS_OF_NAMES_AND_ATTRIBUTES
    | FORMS_OF_STATEMENTS
    | FORMS_OF_EXPRESSIONS
    | FORMS_OF_CLASSES
    | FORMS_OF_PATTERNS
)


@pytest.mark.parametrize("title", FORMS)
def test_each_form_of_python_is_allowed_without_forbidden_names(title):
    """Ordinary programs must not be refused."""
    assert is_allowed(FORMS[title].allowed)


@pytest.mark.parametrize("title", FORMS)
def test_no_form_of_python_lets_forbidden_names_through(title):
    """The compiler must look for forbidden names everywhere that a name may be."""
    assert not is_allowed(FORMS[title].refused)


def test_open_reads_a_file_of_the_environment_through_the_host(sandbox, host):
    """`open` is no way to the machine's files: it calls `harness.read`."""
    script = """
import json
with open("/docs/checkout.md") as file:
    lines = file.readlines()
order = json.load(open("/proc/carts/c1/b7.json"))
print(len(lines) > 0, order["id"])
"""

    result = sandbox.run(script)

    assert result.output == "True b7\n"
    assert host.read_paths == {"/docs/checkout.md", "/proc/carts/c1/b7.json"}


def test_open_does_not_find_files_of_the_machine(sandbox):
    """`open` reads files of the environment, as `harness.read` does."""
    result = sandbox.run("print(open('/etc/passwd').read())")

    assert "FileNotFoundError" in result.error
    assert result.output == ""
