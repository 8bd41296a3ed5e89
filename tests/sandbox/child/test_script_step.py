"""`harness` as built from a declaration: arguments, results, and messages that a model can act on."""

from __future__ import annotations

import pytest

from sandbox.child.script_step import build_harness
from sandbox.interface import Operation, Parameter, ResultField, signature
from sandbox.interface.operations import CHECK
from sandbox.interface.script_objects import HarnessError

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


def test_a_misspelt_argument_names_the_nearest():
    harness = build_harness((FIND,), ask=lambda kind, parts: {}, answer=lambda scratchpad, verify: None)
    with pytest.raises(TypeError, match="has no argument 'rot'; did you mean 'root'"):
        harness.find("a", rot="b")


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


def test_a_tree_prints_indented():
    operation = Operation("tree", (), (), "draw", drawn_as_tree=True)
    tree = {
        "name": "/",
        "is_dir": True,
        "children": [{"name": "a", "is_dir": True, "children": [{"name": "b", "is_dir": False}]}],
    }
    drawn = build_harness((operation,), lambda kind, parts: tree, print).tree()
    assert str(drawn) == "/\n  a/\n    b"
    assert f"{drawn}" == str(drawn)
    assert drawn.children[0].name == "a"


def test_text_that_is_no_json_names_its_path():
    operation = Operation("read", (), (), "read", json_field="content")
    harness = build_harness((operation,), lambda *parts: {"path": "/a", "content": "{", "truncated": True}, print)
    with pytest.raises(ValueError, match=r"^/a is no JSON \(it was truncated\): "):
        harness.read().json()


def test_an_unknown_call_hints_at_a_near_one():
    harness = build_harness((FIND,), lambda *parts: {}, print)
    with pytest.raises(AttributeError, match=r"did you mean harness.find\? It has answer, find\."):
        _ = harness.fnd


@pytest.mark.parametrize(
    ("name", "meant"), [("glob", "harness.find"), ("grep", "it has"), ("submit", "harness.answer")]
)
def test_what_another_tool_calls_a_call_hints_at_it_where_it_is_there(name, meant):
    harness = build_harness((FIND,), lambda *parts: {}, print)
    with pytest.raises(AttributeError, match=meant):
        getattr(harness, name)


def test_too_many_arguments_of_an_answer_are_counted_as_they_were_given():
    harness = build_harness((FIND,), lambda *parts: {}, print)
    with pytest.raises(TypeError, match=r"harness\.answer\(\) takes from 0 to 2 positional arguments but 3 were given"):
        harness.answer(1, 2, 3)


RUN = Operation("run", (Parameter("path", "str"),), (ResultField("code"),), "run", exit_field="code")


def test_a_checked_run_raises_what_the_tool_said():
    asked = []

    def ask(kind, parts):
        asked.append(parts)
        return {"code": 2, "stdout": "partly", "stderr": "no such column\n" + "x" * 9_000}

    harness = build_harness((RUN,), ask, print)
    assert harness.run("/bin/query").code == 2
    with pytest.raises(HarnessError) as caught:
        harness.run("/bin/query", check=True)
    assert caught.value.code == "nonzero_exit"
    assert caught.value.message.startswith("/bin/query ended with exit code 2: no such column\n")
    assert len(caught.value.message) < 500
    assert asked == [["run", {"path": "/bin/query"}]] * 2, "what checks it never leaves the script's process"


@pytest.mark.parametrize(
    "operation", [RUN._replace(exit_field=""), RUN._replace(parameters=(RUN.parameters[0], CHECK))]
)
def test_what_a_declaration_does_not_say_a_call_does_not_do(operation):
    sent = []
    harness = build_harness((operation,), lambda kind, parts: sent.append(parts[1]) or {"code": 1}, print)
    if len(operation.parameters) == 1:
        assert signature(operation) == "harness.run(path)"
        with pytest.raises(TypeError, match=r"harness.run\(path\) has no argument 'check'"):
            harness.run("/bin/query", check=True)
    else:
        assert harness.run("/bin/query", check=True) == {"code": 1}
        assert sent == [{"path": "/bin/query", "check": True}]
