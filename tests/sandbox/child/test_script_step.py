"""`harness` as built from a declaration: arguments, results, and messages that a model can act on."""

import pytest

from sandbox import Ending
from sandbox.child.script_step import build_harness
from sandbox.interface import FILE_OPERATIONS, Operation, Parameter, ResultField

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
    operation = Operation("look", (), (ResultField("rows", ("a",)),), "look", json_field="text")
    result = build_harness(
        (operation,), lambda kind, parts: {"rows": [{"a": {"b": [1]}}], "text": '{"x": 1}'}, print
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
def test_the_json_of_a_record_that_was_cut_off_is_read_on_where_the_declaration_says_how(from_line, calls):
    lines, asked = ['{"a": 1,\n', '"b": 2,\n', '"c": 3}'], []

    def ask(kind, parts):
        asked.append(parts)
        at = parts[2].get("start_line", 1) - 1
        return {"path": "/r.json", "content": lines[at], "truncated": at < 2}

    read = FILE_OPERATIONS[0]._replace(from_line=from_line)
    record = build_harness((read,), ask, print).read("/r.json")
    if from_line:
        assert record.json() == {"a": 1, "b": 2, "c": 3}
    else:
        with pytest.raises(ValueError, match="it was truncated"):
            record.json()
    assert asked == [["read", ["/r.json"], {"start_line": at} if at > 1 else {}] for at in range(1, calls + 1)]


@pytest.mark.parametrize(
    ("name", "meant"), [("glob", "harness.find"), ("grep", "it has"), ("submit", "harness.answer")]
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


def test_a_text_that_a_function_returns_prints_as_it_is():
    found = {"value": "a\nb", "refs": [], "notes": []}
    tools = build_harness((Operation("text", (), (), "t", finds="m:text"),), lambda kind, parts: found, print).tools
    assert f"{tools.text()}" == "a\nb" == tools.text().value
    found["notes"] = ["perhaps"]
    assert "perhaps" in str(tools.text())
