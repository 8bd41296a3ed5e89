"""`harness` as built from a declaration: arguments, results, and messages that a model can act on."""

from __future__ import annotations

import pytest

from sandbox.child.script_step import build_harness
from sandbox.interface import Operation, Parameter, ResultField, Surface
from sandbox.interface.operations import CHECK

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


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ("harness.find('a', rot='/')", "has no argument 'rot'; did you mean 'root'?"),
        ("harness.find()", "needs 'name'"),
        ("harness.find('a', '/', 'all', 1, 2)", "takes 4 arguments, 5 were given"),
        ("harness.read('/a', path='/b')", "got two values for 'path'"),
        ("harness.read(7)", "path is a string, not int"),
        ("harness.exec('/bin/id', ['a', 1])", "args is a list of strings, not list"),
        ("harness.read({1})", "an argument is not plain data (Object of type set is not JSON serializable)"),
        ("harness.find('a', limit=float('nan'))", "an argument is not plain data"),
    ],
)
def test_arguments_that_do_not_fit_are_a_type_error_and_no_call(call, said, box, desk):
    result = box.run(call)
    assert "TypeError: harness." in result.error
    assert said in result.error
    assert desk.calls == []


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


@pytest.mark.parametrize(
    ("name", "meant"), [("glob", "harness.find"), ("grep", "it has"), ("submit", "harness.answer")]
)
def test_a_call_by_the_name_of_another_tool_gets_a_hint(name, meant):
    harness = build_harness((FIND,), lambda *parts: {}, print)
    with pytest.raises(AttributeError, match=meant):
        getattr(harness, name)


RUN = Operation("run", (Parameter("path", "str"),), (ResultField("code"),), "run", exit_field="code")


class Runner:
    """A host whose tool fails."""

    def __init__(self):
        self.calls = []

    def call(self, operation, arguments, *, in_verify):
        self.calls.append(arguments)
        return {"code": 2, "stdout": "partly", "stderr": "no such column\n" + "x" * 9_000}


def test_a_checked_run_raises_what_the_tool_said(open_box):
    runner = Runner()
    box = open_box(surface=Surface((RUN,)), host=runner)
    assert box.run("print(harness.run('/bin/query').code)").output == "2\n"
    error = box.run("harness.run('/bin/query', check=True)").error
    assert "HarnessError: nonzero_exit: /bin/query ended with exit code 2: no such column\n" in error
    assert len(error) < 700
    assert runner.calls == [{"path": "/bin/query"}] * 2, "the check never reaches the environment"


def test_an_undeclared_feature_of_a_call_is_absent(open_box):
    runner = Runner()
    unchecked, declared = RUN._replace(exit_field=""), RUN._replace(parameters=(RUN.parameters[0], CHECK))
    error = open_box(surface=Surface((unchecked,)), host=runner).run("harness.run('/bin/query', check=True)").error
    assert "harness.run(path) has no argument 'check'" in error
    assert open_box(surface=Surface((declared,)), host=runner).run("harness.run('/bin/query', check=True)").error == ""
    assert runner.calls == [{"path": "/bin/query", "check": True}]
