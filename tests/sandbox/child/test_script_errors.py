"""What a script is told of what ended it."""

from __future__ import annotations

import pytest

from sandbox import Ending


def test_an_error_names_the_line_of_the_script_and_nothing_of_ours(box):
    result = box.run("def f(x):\n    return harness.read(x)\n\nf('/nope')")
    assert result.error == (
        "Traceback (your own lines, last call last):\n"
        "  line 4: f('/nope')\n"
        "  line 2, in f: return harness.read(x)\n"
        "FileNotFoundError: there is no /nope"
    )


@pytest.mark.parametrize("body", ["raise self", "return 5", "return 'x' * 10 ** 6", "harness.read('/none')"])
def test_an_exception_that_lies_about_itself_is_shown_and_bounded(box, body):
    result = box.run(f"class E(Exception):\n    def __str__(self):\n        {body}\nraise E")
    assert result.ending is Ending.RAISED
    assert "\nE: " in result.error
    assert len(result.error) < 5_000


def test_all_faults_are_reported_at_once_with_line_and_column(box):
    result = box.run("import os\nx = f.__globals__\nopen('y')\nasync def f(): pass\n")
    assert result.ending is Ending.REFUSED
    assert [line.split(":")[0].strip() for line in result.error.splitlines()[1:]] == [
        "line 1, column 1",
        "line 2, column 5",
        "line 4, column 1",
    ]
    assert "harness.read" in result.error


def test_a_syntax_error_names_its_place_and_runs_nothing(box):
    result = box.run("print('never')\nif True print(1)\n")
    assert result.ending is Ending.SYNTAX
    assert result.output == ""
    assert "line 2, column 9" in result.error


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("import json\njson.x = 1", "a module object is sealed"),
        ("json.dumps(1)", "write `import json` here"),
        ("datetime.now()", "`import datetime` or `from datetime import datetime`"),
        ("harness.list('/')[0]", "the result has no 0; it has entries"),
        ("scratchpad['a'] = 1\nscratchpad['b']", "the scratchpad has no 'b'; it has 'a'"),
        ("scratchpad.subject", "scratchpad['subject']"),
        ("harness.answer(answer='x')", "harness.answer() got an unexpected keyword argument"),
        ("harness.cite('/a', 'b')", "did you mean scratchpad.cite(path, reason, quote)?"),
        ("harness.unheard()", "has no 'unheard'; it has answer, delete"),
        ("harness.exec('/bin/cat', '--help')", "write ['--help']"),
        ("print(1, sep=2)", "sep must be None or a string, not int"),
        ("scratchpad['k'] = {frozenset({1}): 1, (1, 2): 2}\nscratchpad['s'] = [1]\nraise ValueError('kept')", "kept"),
    ],
)
def test_a_refusal_while_a_step_runs_names_its_remedy(code, said, box):
    result = box.run(code)
    assert result.ending is Ending.RAISED
    assert said in result.error
