"""What a script may assign to, what replaces names of the library, and data classes as the library makes them."""

import pytest

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
    assert box.run("import json\nprint(json.dumps({'a': [1]}), json.JSONDecoder().decode('1'))").output == (
        '{"a": [1]} 1\n'
    )


PROMISED = (
    *("json", "re", "math", "datetime", "time", "zoneinfo", "calendar", "decimal"),
    *("fractions", "statistics", "collections", "itertools", "functools", "operator", "string", "textwrap"),
    *("csv", "io", "random", "heapq", "bisect", "dataclasses", "enum", "typing"),
    *("contextlib", "copy", "hashlib", "base64", "urllib.parse", "html", "unicodedata", "uuid"),
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
