"""`harness` as built from a declaration: arguments, results, and messages that a model can act on."""

from __future__ import annotations

import pytest

from sandbox.harness import bound_arguments, build_harness, fits, signature
from sandbox.operations import Operation, Parameter, ResultField

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
    ("given", "named", "arguments"),
    [
        (("a",), {}, {"name": "a", "root": "/", "deep": False, "n": 3}),
        ((), {"name": "a", "n": 9}, {"name": "a", "root": "/", "deep": False, "n": 9}),
        (("a", "/b", True, 0), {}, {"name": "a", "root": "/b", "deep": True, "n": 0}),
    ],
)
def test_arguments_go_by_position_and_by_name(given, named, arguments):
    assert bound_arguments(FIND, given, named) == arguments


@pytest.mark.parametrize(
    ("given", "named", "message"),
    [
        ((), {}, "harness.find(name, root='/', deep=False, n=3) needs 'name'"),
        (("a", "b", True, 1, 2), {}, "takes 4 arguments, 5 were given"),
        (("a",), {"name": "b"}, "got two values for 'name'"),
        (("a",), {"rot": "b"}, "has no argument 'rot'; did you mean 'root'?"),
        ((1,), {}, "name is a string, not int"),
        (("a",), {"deep": 1}, "deep is True or False, not int"),
        (("a",), {"n": True}, "n is a whole number, not bool"),
        (("a",), {"n": None}, "n is a whole number, not NoneType"),
    ],
)
def test_a_wrong_argument_shows_the_signature_and_the_fault(given, named, message):
    with pytest.raises(TypeError) as caught:
        bound_arguments(FIND, given, named)
    assert message in str(caught.value)
    assert str(caught.value).startswith(signature(FIND))


def test_a_list_of_strings_takes_tuples_and_nothing_else():
    run = Operation("exec", (Parameter("args", "list[str]", []),), (), "run")
    assert bound_arguments(run, (("a", "b"),), {}) == {"args": ["a", "b"]}
    assert [fits("list[str]", each) for each in (["a"], "ab", [1], None)] == [True, False, False, False]


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
