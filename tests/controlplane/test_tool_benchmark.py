"""Plain functions as calls of scripts: their declaration, the check of arguments, results of any kind as data."""

import dataclasses
import json
from datetime import UTC, date, datetime
from decimal import Decimal
from enum import StrEnum
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field

from controlplane import TaskEnvironment, Tool
from sandbox.interface import CallError, bound_arguments


class Size(StrEnum):
    SMALL = "small"
    LARGE = "large"


class Line(BaseModel):
    sku: str
    count: int = 1


def order(
    lines: list[Line],
    size: Size,
    price: Annotated[float, Field(ge=0, description="in euros")],
    due: date | None = None,
    notes: dict[str, str] | None = None,
    mode: Literal["fast", "slow"] = "slow",
) -> dict[str, object]:
    """Order something.

    A second paragraph.
    """
    return {"lines": lines, "size": size, "price": price, "due": due, "notes": notes, "mode": mode}


@pytest.mark.parametrize(
    ("given", "fault"),
    [
        ({"size": "small", "price": 1}, ""),
        ({"size": "small", "price": 1, "due": None, "mode": "fast", "notes": {"a": "b"}}, ""),
        ({"size": "huge", "price": 1}, "size is 'small' | 'large', not str 'huge'"),
        ({"size": "small", "price": "1"}, "price is float, not str '1'"),
        ({"size": "small", "price": True}, "price is float, not bool True"),
        ({"size": "small", "price": -1}, "price is at least 0, not -1"),
        ({"size": "small", "price": 1, "notes": {"a": 1}}, "notes['a'] is str, not int 1"),
        ({"size": "small", "price": 1, "lines": [{"count": 1}]}, "lines[0] needs the key 'sku'"),
        ({"size": "small", "price": 1, "lines": [{"sku": "a", "count": "1"}]}, "lines[0]['count'] is int, not str '1'"),
        ({"size": "small"}, "needs 'price'"),
    ],
)
def test_arguments_are_checked_against_their_schema_before_the_call(given: dict[str, Any], fault: str) -> None:
    declared = Tool(order, "acts").declared(set())
    named = {"lines": [{"sku": "a"}]} | given
    if not fault:
        assert bound_arguments(declared, (), named)["price"] == 1
        return
    with pytest.raises(TypeError) as raised:
        bound_arguments(declared, (), named)
    assert fault in str(raised.value)


def test_a_function_gets_its_own_types() -> None:
    tool = Tool(order, "acts")
    declared = tool.declared(set())
    given = {"lines": [{"sku": "a"}], "size": "large", "price": 2, "due": "2026-03-01"}
    made = tool.arguments(declared, bound_arguments(declared, (), given))
    assert made == {"lines": [Line(sku="a")], "size": Size.LARGE, "price": 2.0, "due": date(2026, 3, 1)}
    with pytest.raises(CallError, match=r"due: .*valid date"):
        tool.arguments(declared, bound_arguments(declared, (), given | {"due": "someday"}))


def test_with_a_schema_optional_arguments_that_were_left_out_are_not_passed() -> None:
    schema = {
        "properties": {"id": {"type": "string"}, "note": {"type": "string"}, "most": {"type": "integer", "default": 5}},
        "required": ["id"],
    }
    tool = Tool(dict, "returns", name="find", schema=schema)
    declared = tool.declared(set())
    assert tool.arguments(declared, bound_arguments(declared, (), {"id": "a"})) == {"id": "a"}
    bound = bound_arguments(declared, (), {"id": "a", "note": None, "most": 7})
    assert tool.arguments(declared, bound) == {"id": "a", "most": 7}


def test_a_tool_may_be_given_in_the_form_of_openai() -> None:
    parameters = {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]}
    schema = {"type": "function", "function": {"name": "find", "description": "Find it.", "parameters": parameters}}
    declared = Tool(dict, "returns", schema=schema).declared(set())
    assert (declared.name, declared.summary, [one.name for one in declared.parameters]) == ("find", "Find it", ["id"])


@dataclasses.dataclass
class Point:
    x: int


@pytest.mark.parametrize(
    ("value", "data"),
    [
        (Line(sku="a"), {"sku": "a", "count": 1}),
        (Point(1), {"x": 1}),
        ([datetime(2026, 1, 2, tzinfo=UTC), date(2026, 1, 2)], ["2026-01-02T00:00:00Z", "2026-01-02"]),
        ({"sum": Decimal("1.10"), 3: {1}}, {"sum": "1.10", "3": [1]}),
        (b"plain", "plain"),
        ({"raw": b"\xff\x00"}, {"raw": "_wA="}),
        (None, None),
        (Size.SMALL, "small"),
    ],
)
def test_any_result_becomes_data(value: object, data: object) -> None:
    tool = Tool(lambda: value, "returns", name="look")
    assert json.loads(str(tool.result(tool.declared(set()), {}, value)["value"])) == data


def test_what_is_no_data_is_refused_with_the_name_of_the_tool() -> None:
    tool = Tool(object, "returns", name="look")
    with pytest.raises(CallError, match="look returned object, which is no data"):
        tool.result(tool.declared(set()), {}, object())


@pytest.mark.parametrize(
    ("name", "called"),
    [("class", "class_"), ("answer", "answer_"), ("get-user", "get_user"), ("users.get", "users_get"), ("2x", "t_2x")],
)
def test_a_name_that_scripts_cannot_call_is_adapted_and_says_so(name: str, called: str) -> None:
    declared = Tool(lambda: 1, "returns", name=name, description="looks").declared(set())
    assert (declared.name, declared.summary) == (called, f"looks (called {name} elsewhere)")


def test_without_files_a_tool_may_have_the_name_of_a_call_of_files() -> None:
    environment = TaskEnvironment([Tool(lambda: 7, "returns", name="read")])
    assert environment.runtime.call("read", {})["value"] == "7"
    with_files = TaskEnvironment([Tool(lambda: 7, "returns", name="read")], files={"/a.txt": "blue"})
    assert with_files.runtime.call("read", {"path": "/a.txt"})["content"] == "blue"
    assert with_files.runtime.call("read_2", {})["value"] == "7"


def test_a_signature_that_scripts_cannot_call_is_refused() -> None:
    def many(*words: str) -> None: ...

    with pytest.raises(ValueError, match=r"the tool many takes \*words: str"):
        Tool(many, "returns").declared(set())
