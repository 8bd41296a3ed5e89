"""What a script finds when it runs: `harness`, modules, errors that help, and a clean interpreter.

Results are dicts with attributes, and texts that were truncated are read on. An error says what to
write instead, and a traceback shows the script's own lines. All promised modules can be imported,
and none can be changed for later steps. Settings are reset, and `open` reads no file of the
machine.
"""

from dataclasses import dataclass, field
from typing import Any

import pytest

from controlplane.sandbox import Ending, Sandbox
from controlplane.sandbox.child.step.harness import build_harness
from controlplane.sandbox.interface import (
    FILE_OPERATIONS,
    Operation,
    Parameter,
    ResultField,
)
from tests.sandbox.local_parent import RecordingHost

# A `harness`, the object by which scripts make calls, whose calls return what a test has chosen.
#
# look = Operation("look", parameters=(), fields=(ResultField("paths"),), summary="look")
# harness = harness_with(look, RecordedCalls([{"paths": ["/a.md"]}]))
# harness.look().paths  # ["/a.md"]


@dataclass
class RecordedCalls:
    """Returns results in turn, one for each call, and records the named arguments of the calls."""

    results: list[dict[str, Any]]
    named_arguments: list[dict[str, Any]] = field(default_factory=list)

    def call(
        self, operation: str, positional: list[Any], named: dict[str, Any]
    ) -> dict[str, Any]:
        self.named_arguments.append(named)
        return self.results.pop(0)


def harness_with(operation: Operation, calls: RecordedCalls) -> Any:
    """Return a harness with one operation, as a method: `harness.look()` for `look`."""

    def answer(scratchpad: object, verify: object) -> None:
        """Take the answer of a script; these tests submit none."""

    return build_harness((operation,), calls.call, answer)


# The error of a script says what to write instead, because the model corrects its script by it.
#
# After `harness.cite('/a', 'b')` it asks "did you mean scratchpad.cite(path, reason, quote)?".
# Scripts read files by `harness`, and keep values in `scratchpad`.


@pytest.mark.parametrize(
    ("code", "hint"),
    [
        # modules
        ("import json\njson.x = 1", "<module 'json'> is sealed"),
        ("statistics.average([1])", "'statistics' has no attribute 'average' here"),
        ("print(email == '')", "write `import email` here"),
        ("Counter([1])", "write `from collections import Counter` here"),
        ("datetime.now()", "write `from datetime import datetime`"),
        ("print(datetime)", "`import datetime` or `from datetime import datetime`"),
        # results of calls
        (
            "harness.read('/docs/checkout.md').splitlines()",
            "write .content.splitlines(...)",
        ),
        ("harness.list('/')[0]", "the result has no 0; it has entries"),
        # the scratchpad
        (
            "scratchpad['a'] = 1\nscratchpad['b']",
            "the scratchpad has no 'b'; it has 'a'",
        ),
        ("scratchpad.subject", "scratchpad['subject']"),
        # the harness
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
        ("harness.unheard()", "has no 'unheard'; it has answer, delete"),
        ("harness.exec('/bin/cat', '--help')", "write ['--help']"),
        # texts where numbers are needed, and the other way round
        ("'%.1f' % '2.5'", "write float(value)"),
        ("'%d' % '2'", "write float(value)"),
        ("sum(['1', '2'])", "write float(value)"),
        ("'10' > 9", "write float(value)"),
        ("print(1, sep=2)", "sep must be None or a string, not int"),
    ],
)
def test_the_error_of_a_common_mistake_says_what_to_write_instead(
    code: str, hint: str, sandbox: Sandbox
) -> None:
    result = sandbox.run(code)

    assert result.ending is Ending.RAISED
    assert hint in result.error


# The traceback of a script shows its own lines, and nothing else.
#
# The error goes back to the model, which can only correct its own lines, and not those of `harness`,
# by which scripts read files.


def test_a_traceback_shows_the_lines_of_the_script_and_nothing_else(
    sandbox: Sandbox,
) -> None:
    result = sandbox.run("def f(x):\n    return harness.read(x)\n\nf('/nope')")

    assert result.error == (
        "Traceback (your own lines, last call last):\n"
        "  line 4: f('/nope')\n"
        "  line 2, in f: return harness.read(x)\n"
        "FileNotFoundError: there is no /nope"
    )


def test_unusual_values_in_the_scratchpad_do_not_hide_the_error_of_the_script(
    sandbox: Sandbox,
) -> None:
    """The scratchpad, which later steps get, is sent to the parent with the error. Here its
    values have a set and a tuple as keys, which JSON does not have."""
    code = """
scratchpad["k"] = {frozenset({1}): 1, (1, 2): 2}
scratchpad["s"] = [1]
raise ValueError("kept")
"""

    result = sandbox.run(code)

    assert result.ending is Ending.RAISED
    assert "kept" in result.error


# A text that was truncated is read on, part by part, before a script gets it.
#
# A call of `harness.read` may return a part of a text, and `next_char`, where the next part begins:
# `{"content": "1234", "truncated": True, "next_char": 5}`. The declaration of `read` names the
# parameter for the number of the character from which to read on, here `start_char`.

CHARACTERS_READ, *_characters_ = FILE_OPERATIONS
READ_BY_CHARACTERS = CHARACTERS_READ._replace(
    parameters=(*CHARACTERS_READ.parameters, Parameter("start_char", "int", 0)),
    from_line="",
    from_char="start_char",
)
"""`harness.read(path, start_line=0, end_line=0, start_char=0)`"""


def test_a_text_that_does_not_fit_into_one_result_is_read_whole() -> None:
    """The script makes one call, and the harness two more."""
    calls = RecordedCalls(
        [
            {"path": "/a", "content": "1234", "truncated": True, "next_char": 5},
            {"path": "/a", "content": "5678", "truncated": True, "next_char": 9},
            {"path": "/a", "content": "90", "truncated": False, "next_char": 0},
        ]
    )

    result = harness_with(READ_BY_CHARACTERS, calls).read("/a")

    assert result.content == "1234567890"
    assert result.truncated is False
    assert result.json() == 1234567890
    assert calls.named_arguments == [{}, {"start_char": 5}, {"start_char": 9}]


def test_a_script_that_asks_for_a_part_of_a_text_gets_that_part() -> None:
    """The harness reads on by itself only if the script asked for the whole file."""
    calls = RecordedCalls(
        [{"path": "/a", "content": "3456", "truncated": True, "next_char": 7}]
    )

    result = harness_with(READ_BY_CHARACTERS, calls).read("/a", start_char=3)

    assert result.content == "3456"
    assert result.truncated is True
    assert result.next_char == 7
    assert calls.named_arguments == [{"start_char": 3}]


# `json()` of a file that was truncated reads the remaining lines, before a script gets the value.
#
# A call of `harness.read` may return one line of a JSON file, and say that more lines follow:
# `{"content": '{"a": 1,\n', "truncated": True}`. The declaration of `read` may name the parameter
# for the number of the line from which to read on, `start_line`.

READ, *_ = FILE_OPERATIONS
"""`harness.read(path, start_line=0, end_line=0)`"""


def test_json_of_a_truncated_file_reads_the_remaining_lines() -> None:
    calls = RecordedCalls(
        [
            {"path": "/a.json", "content": '{"a": 1,\n', "truncated": True},
            {"path": "/a.json", "content": '"b": 2,\n', "truncated": True},
            {"path": "/a.json", "content": '"c": 3}', "truncated": False},
        ]
    )
    read_by_lines = READ._replace(from_line="start_line")

    result = harness_with(read_by_lines, calls).read("/a.json")

    assert result.json() == {"a": 1, "b": 2, "c": 3}
    assert calls.named_arguments == [{}, {"start_line": 2}, {"start_line": 3}]


def test_json_of_a_truncated_file_fails_if_nothing_says_how_to_read_on() -> None:
    """Half of a file must not be taken for the whole."""
    calls = RecordedCalls(
        [{"path": "/a.json", "content": '{"a": 1,\n', "truncated": True}]
    )
    read_without_lines = READ._replace(from_line="")

    result = harness_with(read_without_lines, calls).read("/a.json")

    with pytest.raises(ValueError, match="it was truncated"):
        result.json()
    assert calls.named_arguments == [{}]


# The result of a function of the benchmark prints as its value, followed by its notes, if any.
#
# A benchmark may offer Python functions to scripts: `harness.tools.staff()` calls the function `staff`
# of the module `shop`. Its result has a value, and notes that say what is doubtful about the value.
# Here the results are given, and no function is called.

STAFF = Operation(
    "staff",
    parameters=(),
    fields=(),
    summary="staff",
    finds="shop:staff",  # what makes it a function of `harness.tools`
)


def test_a_result_without_notes_prints_as_its_value() -> None:
    """So a script can use the result in a text."""
    calls = RecordedCalls([{"value": "Ada\nBob", "refs": [], "notes": []}])

    result = harness_with(STAFF, calls).tools.staff()

    assert result.value == "Ada\nBob"
    assert f"{result}" == "Ada\nBob"


def test_a_result_with_notes_prints_them_as_well() -> None:
    """The model, which reads what its script prints, should see the doubt."""
    result_with_note = {"value": "Ada\nBob", "refs": [], "notes": ["Bob has left"]}
    calls = RecordedCalls([result_with_note])

    result = harness_with(STAFF, calls).tools.staff()

    assert "Bob has left" in str(result)


# Results of calls, as a script gets them from `harness`.


def test_a_result_is_a_dict_whose_keys_are_attributes_at_every_depth() -> None:
    look = Operation(
        "look",
        parameters=(),
        fields=(ResultField("rows", items=("a",)),),
        summary="look",
    )
    calls = RecordedCalls([{"rows": [{"a": {"b": [1]}}]}])

    result = harness_with(look, calls).look()

    assert result.rows[0].a.b == [1]
    assert result == {"rows": [{"a": {"b": [1]}}]}
    assert isinstance(result, dict)


def test_json_parses_the_field_that_the_operation_names() -> None:
    look = Operation(
        "look",
        parameters=(),
        fields=(ResultField("text"),),
        summary="look",
        json_field="text",
    )
    calls = RecordedCalls([{"text": '{"x": 1}'}])

    assert harness_with(look, calls).look().json() == {"x": 1}


# The error of a wrong use of `harness` says what to write instead.
#
# Models know other harnesses, and mistake one for the other. The model reads the error, and writes a
# better script.

FIND = Operation("find", parameters=(), fields=(ResultField("paths"),), summary="find")
"""`harness.find().paths`"""


def test_a_field_that_a_result_does_not_have_is_answered_with_its_fields() -> None:
    result = harness_with(FIND, RecordedCalls([{"paths": []}])).find()

    with pytest.raises(AttributeError, match="it has paths"):
        _ = result.path


def test_an_assignment_to_a_field_is_answered_with_the_right_spelling() -> None:
    result = harness_with(FIND, RecordedCalls([{"paths": []}])).find()

    with pytest.raises(AttributeError, match=r"use result\['paths'\]"):
        result.paths = 1


def test_json_of_a_file_with_an_object_a_line_explains_how_to_parse_it() -> None:
    """Models often take such a file, JSON Lines, for one JSON document."""
    read, *_ = FILE_OPERATIONS
    text = '{"a": 1}\n{"a": 2}\n'
    calls = RecordedCalls([{"path": "/a.jsonl", "content": text, "truncated": False}])

    result = harness_with(read, calls).read("/a.jsonl")

    with pytest.raises(ValueError, match=r"JSON Lines.*json.loads\(line\) for line in"):
        result.json()


@pytest.mark.parametrize(
    ("wrong_name", "message"),
    [
        (
            "glob",
            "harness has no 'glob'; did you mean harness.find? It has answer, find.",
        ),
        (
            "submit",
            "harness has no 'submit'; did you mean harness.answer(scratchpad, verify)? "
            "It has answer, find.",
        ),
        # It would be `search`, which this harness does not have.
        ("grep", "harness has no 'grep'; it has answer, find."),
    ],
)
def test_the_name_of_another_tool_is_answered_with_the_one_that_does_the_same(
    wrong_name: str, message: str
) -> None:
    harness = harness_with(FIND, RecordedCalls([]))

    with pytest.raises(AttributeError) as error:
        getattr(harness, wrong_name)

    assert str(error.value) == message


# Settings of the interpreter that a script changes are reset after its step.
#
# A step is one script. The next one may run in the same process, and must not depend on this one:
# `sys.setrecursionlimit(200)` holds until the end of its step.


@pytest.mark.parametrize(
    ("change", "show", "shown"),
    [
        pytest.param(
            "import sys; sys.setrecursionlimit(200)",
            "import sys; print(sys.getrecursionlimit())",
            "1000",
            id="levels of calls",
        ),
        pytest.param(
            "import sys; sys.set_int_max_str_digits(9999)",
            "import sys; print(sys.get_int_max_str_digits())",
            "4300",
            id="digits of an integer as text",
        ),
        pytest.param(
            "import sys; sys.stdin.write('left')",
            "import sys; print(repr(sys.stdin.read()))",
            "''",
            id="standard input",
        ),
        pytest.param(
            "import sys, io; sys.stdout = io.StringIO(); sys.stderr = None",
            "import sys; print('to', 'output'); print('to errors', file=sys.stderr)",
            "to output\nto errors",
            id="standard output and errors",
        ),
    ],
)
def test_a_setting_that_a_script_changes_is_reset_after_its_step_of_interpreter(
    change: str, show: str, shown: str, sandbox: Sandbox
) -> None:
    before = sandbox.run(show)
    changing_step = sandbox.run(change)
    after = sandbox.run(show)

    assert before.output == f"{shown}\n"
    assert changing_step.error == ""
    assert after.output == f"{shown}\n"


# Settings of a module that a script changes are reset after its step.
#
# A step is one script. The next one may run in the same process, and must not depend on this one:
# `csv.field_size_limit(5)` holds until the end of its step.


@pytest.mark.parametrize(
    ("change", "show", "shown"),
    [
        pytest.param(
            "import csv; csv.field_size_limit(5)",
            "import csv; print(csv.field_size_limit())",
            "131072",
            id="size limit of csv",
        ),
        pytest.param(
            "import csv; csv.register_dialect('a')",
            "import csv; print(csv.list_dialects())",
            "['excel', 'excel-tab', 'unix']",
            id="new dialect of csv",
        ),
        pytest.param(
            "import csv; csv.register_dialect('excel', delimiter=';')",
            "import csv; print(csv.get_dialect('excel').delimiter)",
            ",",
            id="changed dialect of csv",
        ),
        pytest.param(
            "import calendar; calendar.setfirstweekday(6)",
            "import calendar; print(calendar.firstweekday())",
            "0",
            id="first day of the week",
        ),
        pytest.param(
            "import decimal; decimal.getcontext().prec = 3",
            "import decimal; print(decimal.getcontext().prec)",
            "28",
            id="precision of decimals",
        ),
        pytest.param(
            "import decimal; decimal.BasicContext.prec = 2",
            "import decimal; print(decimal.BasicContext.prec)",
            "9",
            id="precision of a basic context",
        ),
        pytest.param(
            "import decimal; decimal.DefaultContext.prec = 2",
            "import decimal; print(decimal.DefaultContext.prec)",
            "28",
            id="precision of new contexts",
        ),
    ],
)
def test_a_setting_that_a_script_changes_is_reset_after_its_step(
    change: str, show: str, shown: str, sandbox: Sandbox
) -> None:
    before = sandbox.run(show)
    changing_step = sandbox.run(change)
    after = sandbox.run(show)

    assert before.output == f"{shown}\n"
    assert changing_step.error == ""
    assert after.output == f"{shown}\n"


# Every script has `harness`, `scratchpad` and the commonest modules, and may import others.
#
# Models forget imports, or import what is no module, as in `import harness`. Neither costs a step.


@pytest.mark.parametrize(
    "expression",
    [
        "json.loads('[1]')[0]",
        "int(re.search('[0-9]', 'a1b')[0])",
        "int(math.sqrt(1))",
        "int(next(csv.reader(['1']))[0])",
    ],
)
def test_a_script_may_use_the_commonest_modules_without_an_import(
    expression: str, sandbox: Sandbox
) -> None:
    result = sandbox.run(f"print({expression})")

    assert result.error == ""
    assert result.output == "1\n"


def test_a_result_of_read_may_be_cited_instead_of_its_path(sandbox: Sandbox) -> None:
    """The result knows the path of the file."""
    result = sandbox.run(
        "print(scratchpad.cite(harness.read('/docs/checkout.md'), 'long enough'))"
    )

    assert result.output == "/docs/checkout.md\n"


def test_an_import_of_harness_or_scratchpad_is_allowed(sandbox: Sandbox) -> None:
    result = sandbox.run(
        "import harness, scratchpad\nprint(harness.read('/docs/checkout.md').path)"
    )

    assert result.output == "/docs/checkout.md\n"


def test_an_import_from_harness_is_refused_with_a_remedy(sandbox: Sandbox) -> None:
    """`harness` is an object and not a module."""
    result = sandbox.run("from harness import read")

    assert "write harness.NAME(...)" in result.error


def test_a_script_may_use_the_name_of_a_module_for_a_variable(sandbox: Sandbox) -> None:
    """`re` is also the module that every script has."""
    result = sandbox.run("re = 'a reply'\nprint(re)")

    assert result.output == "a reply\n"


# `open` is no way to the files of the machine: it calls `harness.read`.
#
# Models write `open(...)` out of habit. It reads a file of the trial's environment, which the host
# answers for.


def test_open_reads_a_file_of_the_environment_through_the_host(
    sandbox: Sandbox, host: RecordingHost
) -> None:
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


def test_open_does_not_find_files_of_the_machine(sandbox: Sandbox) -> None:
    """`open` reads files of the environment, as `harness.read` does."""
    result = sandbox.run("print(open('/etc/passwd').read())")

    assert "FileNotFoundError" in result.error
    assert result.output == ""


# A script can import every module that `docs/sandbox.md` promises: `import json` and 34 others.


@pytest.mark.parametrize(
    "module",
    [
        "json", "re", "math", "datetime", "time", "zoneinfo",
        "calendar", "decimal", "fractions", "statistics", "collections", "itertools",
        "functools", "operator", "string", "textwrap", "csv", "io",
        "random", "heapq", "bisect", "dataclasses", "enum", "typing",
        "contextlib", "copy", "hashlib", "base64", "urllib.parse", "html",
        "unicodedata", "uuid", "pprint", "difflib", "sys",
    ],
)  # fmt: skip
def test_every_promised_module_can_be_imported(module: str, sandbox: Sandbox) -> None:
    """The imported module has names, so that it is not an empty one in its place."""
    result = sandbox.run(f"import {module}\nprint(len(dir({module})) > 0)")

    assert result.output == "True\n"


# A script cannot change the modules that later steps of its trial use.
#
#     json.dumps = fake       # AttributeError: <module 'json'> is sealed
#
# Steps share their modules, so that a changed `json.dumps` would work for a later step, or against
# it.


@pytest.mark.parametrize(
    ("assignment", "error"),
    [
        ("json.dumps = fake", "<module 'json'> is sealed"),
        ("json.JSONEncoder.item_separator = ';'", "class JSONEncoder is sealed"),
        ("sys.stdin = None", "<module 'sys'> is sealed"),
        ("setattr(json, 'dumps', fake)", "<module 'json'> is sealed"),
        ("del json.JSONDecoder.decode", "class JSONDecoder is sealed"),
        ("HarnessError.evil = 1", "class HarnessError is sealed"),
        ("harness.read = fake", "is sealed"),
        ("delattr(harness, 'read')", "is sealed"),
        ("scratchpad.answer = 1", "use its item ['answer']"),
        ("harness.stat('/docs').path = 1", "use its item ['path']"),
        ("for json.dumps in [fake]: pass", "<module 'json'> is sealed"),
        ("dataclasses.dataclass = fake", "sealed"),
    ],
)
def test_a_script_cannot_change_modules_that_later_steps_use(
    assignment: str, error: str, sandbox: Sandbox
) -> None:
    """`fake` is a function of the script."""
    look_at_json = """
import json
print(json.dumps({'a': [1]}), json.JSONDecoder().decode('1'))
"""

    result = sandbox.run(
        f"import dataclasses, json, sys\ndef fake(): pass\n{assignment}"
    )

    assert error in result.error
    assert sandbox.run(look_at_json).output == '{"a": [1]} 1\n'
