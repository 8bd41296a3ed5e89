"""What a script finds in its child process: modules, sealed against changes, and helpful errors.

A model writes the scripts. In the tests they run in a small world of files such as
`/docs/checkout.md`: `sandbox.run("print(harness.read('/docs/checkout.md').path)")`. A script's
error says what to write instead, because the model reads it and corrects its script.
"""

import pytest

from controlplane.sandbox import Ending


class TestErrorsOfScripts:
    """An error says what to write instead, because the model corrects its script by it.

    Models often make the mistakes of the table.
    """

    def test_a_traceback_shows_the_lines_of_the_script_and_nothing_else(self, sandbox):
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
            # modules
            ("import json\njson.x = 1", "<module 'json'> is sealed"),
            ("statistics.mean([1])", "write `import statistics` here"),
            ("datetime.now()", "`import datetime` or `from datetime import datetime`"),
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
        self, code, hint, sandbox
    ):
        result = sandbox.run(code)

        assert result.ending is Ending.RAISED
        assert hint in result.error


class TestHiddenErrors:
    """An error of the script is shown, whatever its scratchpad holds."""

    def test_unusual_values_in_the_scratchpad_do_not_hide_the_error_of_the_script(
        self, sandbox
    ):
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


class TestNamesOfScripts:
    """Every script has `harness`, `scratchpad` and the commonest modules.

    Models forget imports, or import what is no module. Neither costs a step.
    """

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
        self, expression, sandbox
    ):
        """Models forget imports, which would cost a step."""
        result = sandbox.run(f"print({expression})")

        assert result.error == ""
        assert result.output == "1\n"

    def test_a_result_of_read_may_be_cited_instead_of_its_path(self, sandbox):
        """The result knows the path of the file."""
        result = sandbox.run(
            "print(scratchpad.cite(harness.read('/docs/checkout.md'), 'long enough'))"
        )

        assert result.output == "/docs/checkout.md\n"

    def test_an_import_of_harness_or_scratchpad_is_allowed(self, sandbox):
        """Every script has these two names; models import them nevertheless."""
        result = sandbox.run(
            "import harness, scratchpad\nprint(harness.read('/docs/checkout.md').path)"
        )

        assert result.output == "/docs/checkout.md\n"

    def test_an_import_from_harness_is_refused_with_a_remedy(self, sandbox):
        """`harness` is an object and not a module."""
        result = sandbox.run("from harness import read")

        assert "write harness.NAME(...)" in result.error

    def test_a_script_may_use_the_name_of_a_module_for_a_variable(self, sandbox):
        """`re` is also the module that every script has."""
        result = sandbox.run("re = 'a reply'\nprint(re)")

        assert result.output == "a reply\n"


class TestSealedModules:
    """A script cannot change the modules that later steps of its trial use.

    A *sealed* object takes no new values, and loses none. Steps share their modules, so that a
    changed `json.dumps` would work for a later step, or against it.
    """

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
        self, assignment, error, sandbox
    ):
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


PROMISED_MODULES = (
    "json", "re", "math", "datetime", "time", "zoneinfo",
    "calendar", "decimal", "fractions", "statistics", "collections", "itertools",
    "functools", "operator", "string", "textwrap", "csv", "io",
    "random", "heapq", "bisect", "dataclasses", "enum", "typing",
    "contextlib", "copy", "hashlib", "base64", "urllib.parse", "html",
    "unicodedata", "uuid", "pprint", "difflib", "sys",
)  # fmt: skip
"""Modules that `docs/sandbox.md` promises to scripts."""


class TestPromisedModules:
    """The page of the sandbox promises modules of the standard library to scripts."""

    @pytest.mark.parametrize("module", PROMISED_MODULES)
    def test_every_promised_module_can_be_imported(self, module, sandbox):
        """The imported module has names, so that it is not an empty one in its place."""
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
"""A script that prints what a script might change for later ones: settings, streams and tables.

The first line is `csv: 131072 ['excel', 'excel-tab', 'unix'] ','`.
"""


class TestResetSettings:
    """Settings that a script changes are reset after its step.

    The next step may run in the same process, and must not depend on this one. SHOW_SETTINGS is
    a script that prints all settings that the others change, such as the size limit of `csv`.
    """

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
    def test_settings_that_a_script_changes_are_reset_after_its_step(
        self, change, sandbox
    ):
        """After `csv.field_size_limit(5)`, for example, the next step finds the limit 131072 again.
        SHOW_SETTINGS is a script that prints this limit, and all the others that are changed here.
        """
        settings_before = sandbox.run(SHOW_SETTINGS).output

        changing_step = sandbox.run(change)

        assert changing_step.error == ""
        assert sandbox.run(SHOW_SETTINGS).output == settings_before

    def test_a_script_finds_the_default_settings_of_python(self, sandbox):
        """Python's limits are 1,000 levels of calls, and 4,300 digits of an integer as text."""
        lines = sandbox.run(SHOW_SETTINGS).output.splitlines()

        assert "csv: 131072 ['excel', 'excel-tab', 'unix'] ','" in lines
        assert "stdin: ''" in lines
        assert "calendar: 0" in lines
        assert "limits: 1000 4300" in lines


class TestOpen:
    """`open` is no way to the files of the machine: it calls `harness.read`.

    Models write `open(...)` out of habit. It reads a file of the trial's environment, which the
    host answers for, and never one of the machine.
    """

    def test_open_reads_a_file_of_the_environment_through_the_host(self, sandbox, host):
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

    def test_open_does_not_find_files_of_the_machine(self, sandbox):
        """`open` reads files of the environment, as `harness.read` does."""
        result = sandbox.run("print(open('/etc/passwd').read())")

        assert "FileNotFoundError" in result.error
        assert result.output == ""
