"""Plain Python functions as tools, which an agent's scripts call as `harness.NAME(...)`.

`Tool(pay, "acts")` makes a tool of the function `pay`. The effect "acts" says that a call may change
something, "returns" that it only reads. A tool checks arguments against the function's signature
or a JSON schema, converts them, and converts the result to JSON.
"""

import dataclasses
import json
from datetime import UTC, date, datetime
from decimal import Decimal
from enum import StrEnum
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field

from controlplane import TaskEnvironment, Tool
from controlplane.sandbox.interface import CallError, bound_arguments
from controlplane.tools.declared_tool import DeclaredTool


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
    return {
        "lines": lines,
        "size": size,
        "price": price,
        "due": due,
        "notes": notes,
        "mode": mode,
    }


ORDER_TOOL = Tool(order, "acts").declared(set())
"""A tool whose parameters have many kinds of types.

`declared` gives the tool a name other than those in the set, and makes it known to scripts:
`operation` is its signature for them, `arguments` converts what a script passes, and `result`
converts what the function returns.
"""
ONE_LINE = [{"sku": "a"}]


def bind(tool: DeclaredTool, arguments: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments that a script passes to a tool by their names.

    Raises TypeError if they do not fit the tool's signature for scripts.
    """
    positional_arguments = ()
    return bound_arguments(tool.operation, positional_arguments, arguments)


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param(
            {"lines": ONE_LINE, "size": "small", "price": 1}, id="required arguments"
        ),
        pytest.param(
            {
                "lines": ONE_LINE,
                "size": "small",
                "price": 1,
                "due": None,
                "mode": "fast",
                "notes": {"a": "b"},
            },
            id="all arguments",
        ),
    ],
)
def test_arguments_that_fit_the_signature_are_accepted(
    arguments: dict[str, Any],
) -> None:
    """`order(lines, size, price)` needs the first three, and has defaults for the others."""
    bound = bind(ORDER_TOOL, arguments)

    assert bound["price"] == 1


@pytest.mark.parametrize(
    ("arguments", "message_part"),
    [
        pytest.param(
            {"lines": ONE_LINE, "size": "huge", "price": 1},
            "size is 'small' | 'large', not str 'huge'",
            id="no value of the enum",
        ),
        pytest.param(
            {"lines": ONE_LINE, "size": "small", "price": "1"},
            "price is float, not str '1'",
            id="a text as a number",
        ),
        pytest.param(
            {"lines": ONE_LINE, "size": "small", "price": True},
            "price is float, not bool True",
            id="True as a number",
        ),
        pytest.param(
            {"lines": ONE_LINE, "size": "small", "price": -1},
            "price is at least 0, not -1",
            id="a number below the least",
        ),
        pytest.param(
            {"lines": ONE_LINE, "size": "small", "price": 1, "notes": {"a": 1}},
            "notes['a'] is str, not int 1",
            id="a number as a value of a dict of texts",
        ),
        pytest.param(
            {"lines": [{"count": 1}], "size": "small", "price": 1},
            "lines[0] needs the key 'sku'",
            id="a model without a required field",
        ),
        pytest.param(
            {"lines": [{"sku": "a", "count": "1"}], "size": "small", "price": 1},
            "lines[0]['count'] is int, not str '1'",
            id="a text as a number in a model",
        ),
        pytest.param(
            {"lines": ONE_LINE, "size": "small"}, "needs 'price'", id="no price"
        ),
    ],
)
def test_arguments_that_do_not_fit_the_signature_are_refused_before_the_call(
    arguments: dict[str, Any], message_part: str
) -> None:
    """The text says what the script has passed, and what the signature of `order` asks for.

    `order(lines, size, price)` takes lines with a `sku` and a `count`, a size of an enum, and a
    price from 0 on. It may also get `notes`, a dict of texts.
    """
    with pytest.raises(TypeError) as refusal:
        bind(ORDER_TOOL, arguments)

    assert message_part in str(refusal.value)


def test_a_function_gets_arguments_of_the_types_in_its_signature() -> None:
    """Scripts pass JSON: a text for a date or an enum, a dict for a model."""
    bound = bind(
        ORDER_TOOL,
        {"lines": ONE_LINE, "size": "large", "price": 2, "due": "2026-03-01"},
    )

    assert ORDER_TOOL.arguments(bound) == {
        "lines": [Line(sku="a")],
        "size": Size.LARGE,
        "price": 2.0,
        "due": date(2026, 3, 1),
    }


def test_an_argument_that_cannot_be_converted_is_an_error_of_the_call() -> None:
    """The script passes "someday", which is a text, as a date is in JSON, but not a date."""
    bound = bind(
        ORDER_TOOL,
        {"lines": ONE_LINE, "size": "large", "price": 2, "due": "someday"},
    )

    with pytest.raises(CallError, match=r"due: .*valid date"):
        ORDER_TOOL.arguments(bound)


def test_with_a_schema_a_function_gets_only_the_arguments_that_were_passed() -> None:
    """Neither defaults of the schema nor None for what was left out."""
    schema = {
        "properties": {
            "id": {"type": "string"},
            "note": {"type": "string"},
            "most": {"type": "integer", "default": 5},
        },
        "required": ["id"],
    }
    tool = Tool(dict, "returns", name="find", schema=schema).declared(set())

    required_only = bind(tool, {"id": "a"})
    with_none = bind(tool, {"id": "a", "note": None, "most": 7})

    assert tool.arguments(required_only) == {"id": "a"}
    assert tool.arguments(with_none) == {"id": "a", "most": 7}


@pytest.mark.parametrize(
    "schema",
    [
        pytest.param({"type": "string"}, id="a text"),
        pytest.param({"$ref": "#/$defs/N", "$defs": {"N": {}}}, id="a reference"),
        pytest.param({"properties": []}, id="a list of properties"),
    ],
)
def test_a_schema_that_does_not_describe_an_object_is_refused(
    schema: dict[str, Any],
) -> None:
    """Arguments are passed by name, so their schema is that of an object."""
    message = "the schema of the tool look describes no object of arguments"
    with pytest.raises(ValueError, match=message):
        Tool(print, "returns", name="look", schema=schema).declared(set())


def test_a_tool_keeps_its_name_if_that_of_another_is_adapted_to_the_same() -> None:
    """Scripts cannot write `get-user`, which would be adapted to `get_user`."""
    tools = [
        Tool(lambda: 1, "returns", name="get-user"),
        Tool(lambda: 2, "returns", name="get_user"),
    ]
    environment = TaskEnvironment(tools)

    assert environment.runtime.call("get_user", {})["value"] == "2"


def test_an_argument_keeps_its_name_if_that_of_another_is_adapted_to_the_same() -> None:
    """Scripts cannot write `user-id=`, which would be adapted to `user_id=`."""
    schema = {"properties": {"user-id": {}, "user_id": {}}}
    look = Tool(lambda **arguments: arguments, "returns", name="look", schema=schema)
    environment = TaskEnvironment([look])

    result = environment.runtime.call("look", {"user_id": 4})
    assert result["value"] == '{"user_id":4}'


def test_a_tool_may_be_defined_in_the_form_of_openai() -> None:
    """Name, description and schema are then in the definition, below "function"."""
    parameters = {
        "type": "object",
        "properties": {"id": {"type": "string"}},
        "required": ["id"],
    }
    definition = {
        "type": "function",
        "function": {
            "name": "find",
            "description": "Find it.",
            "parameters": parameters,
        },
    }
    operation = Tool(dict, "returns", schema=definition).declared(set()).operation

    assert operation.name == "find"
    assert operation.summary == "Find it"
    assert [parameter.name for parameter in operation.parameters] == ["id"]


@dataclasses.dataclass
class Point:
    x: int


@pytest.mark.parametrize(
    ("value", "expected_json"),
    [
        pytest.param(Line(sku="a"), {"sku": "a", "count": 1}, id="pydantic model"),
        pytest.param(Point(1), {"x": 1}, id="dataclass"),
        pytest.param(
            [datetime(2026, 1, 2, tzinfo=UTC), date(2026, 1, 2)],
            ["2026-01-02T00:00:00Z", "2026-01-02"],
            id="times",
        ),
        pytest.param(
            {"sum": Decimal("1.10"), 3: {1}},
            {"sum": "1.10", "3": [1]},
            id="decimal, number as a key, set",
        ),
        pytest.param(b"plain", "plain", id="bytes that are text"),
        pytest.param({"raw": b"\xff\x00"}, {"raw": "_wA="}, id="bytes as Base64"),
        pytest.param(None, None, id="None"),
        pytest.param(Size.SMALL, "small", id="enum"),
    ],
)
def test_a_result_of_any_type_becomes_json(
    value: object, expected_json: object
) -> None:
    """Scripts run in another process, which gets results as JSON."""
    tool = Tool(lambda: value, "returns", name="look").declared(set())
    result = tool.result({}, value)

    assert json.loads(str(result["value"])) == expected_json


def test_a_result_that_cannot_become_json_is_an_error_with_the_tools_name() -> None:
    """The function returns a plain object, whose fields nobody knows."""
    tool = Tool(object, "returns", name="look").declared(set())

    with pytest.raises(CallError, match="look returned object, which is no data"):
        tool.result({}, object())


@pytest.mark.parametrize(
    ("name", "adapted_name"),
    [
        pytest.param("class", "class_", id="a word of Python"),
        pytest.param("answer", "answer_", id="a name that scripts have already"),
        pytest.param("get-user", "get_user", id="a hyphen"),
        pytest.param("users.get", "users_get", id="a dot"),
        pytest.param("2x", "t_2x", id="a digit at the beginning"),
    ],
)
def test_a_name_that_scripts_cannot_call_is_adapted_and_the_summary_says_so(
    name: str, adapted_name: str
) -> None:
    """The rules of a benchmark may speak of the tool by its own name."""
    tool = Tool(lambda: 1, "returns", name=name, description="looks")
    operation = tool.declared(set()).operation

    assert operation.name == adapted_name
    assert operation.summary == f"looks (called {name} elsewhere)"


READ_TOOL = Tool(lambda: 7, "returns", name="read")


def test_without_files_a_tool_may_be_called_read() -> None:
    """Environments with files have a call `read` of their own."""
    environment = TaskEnvironment([READ_TOOL])

    assert environment.runtime.call("read", {})["value"] == "7"


def test_with_files_a_tool_called_read_gets_another_name() -> None:
    """`read` reads the files of the task then."""
    environment = TaskEnvironment([READ_TOOL], files={"/a.txt": "blue"})

    content = environment.runtime.call("read", {"path": "/a.txt"})["content"]
    assert content == "blue"
    assert environment.runtime.call("read_2", {})["value"] == "7"


def test_a_function_with_any_number_of_arguments_is_refused() -> None:
    def many(*words: str) -> None: ...

    with pytest.raises(ValueError, match=r"the tool many takes \*words: str"):
        Tool(many, "returns").declared(set())


def test_an_async_function_is_refused() -> None:
    async def later() -> None: ...

    with pytest.raises(ValueError, match="the tool later is async"):
        Tool(later, "returns").declared(set())


CLOSE_TOOL = Tool(
    lambda ticket: ticket,
    "returns",
    name="close",
    description="Close.",
    schema={"properties": {"ticket": {"type": "integer"}}, "required": ["ticket"]},
)
"""A tool with a schema of its own, which says that a ticket is an integer, and a function that
takes anything."""


def test_a_tool_with_a_schema_is_called_with_a_value_of_another_type() -> None:
    """Schemas of public benchmarks are often wrong, so the tool decides what it takes."""
    environment = TaskEnvironment([CLOSE_TOOL])

    result = environment.runtime.call("close", {"ticket": "ticket_001"})
    assert result["value"] == '"ticket_001"'


def test_a_tool_with_a_schema_is_not_called_with_an_unknown_or_missing_argument() -> (
    None
):
    """The tool takes one argument, "ticket"."""
    environment = TaskEnvironment([CLOSE_TOOL])

    with pytest.raises(TypeError, match="has no argument 'number'"):
        environment.runtime.call("close", {"ticket": 1, "number": 2})
    with pytest.raises(TypeError, match="needs 'ticket'"):
        environment.runtime.call("close", {})


def test_a_strict_tool_is_not_called_with_a_value_of_another_type() -> None:
    """Its schema says that a ticket is an integer."""
    strict_tool = dataclasses.replace(CLOSE_TOOL, is_strict=True)
    environment = TaskEnvironment([strict_tool])

    with pytest.raises(TypeError, match="ticket is int, not str"):
        environment.runtime.call("close", {"ticket": "ticket_001"})


def test_a_schema_may_name_types_as_python_does() -> None:
    """Some public benchmarks write "dict" and "float" for "object" and "number"."""
    schema = {
        "type": "dict",
        "properties": {"price": {"type": "float"}, "on": {"type": "any"}},
    }
    operation = Tool(print, "acts", schema=schema).declared(set()).operation

    price, on = operation.parameters
    assert price.json_schema == {"type": "number"}
    assert on.json_schema == {}


def test_a_schema_with_an_unknown_type_is_refused() -> None:
    tool = Tool(print, "acts", schema={"properties": {"a": {"type": "money"}}})

    with pytest.raises(ValueError, match="the type 'money' is not one of JSON Schema"):
        tool.declared(set())


class Desk:
    """An object whose methods are to be tools."""

    def get_book(self, number: int) -> str:
        """Look a book up."""
        return f"book {number}"

    def lend(self, number: int) -> str:
        """Lend a book."""
        return f"lent {number}"

    def _hidden(self) -> None: ...


def test_the_public_methods_of_an_object_become_tools() -> None:
    """`reads` are patterns for the names of methods that change nothing."""
    get_book, lend = Tool.of(Desk(), reads=("get_*",))

    assert get_book.name == "get_book"
    assert get_book.effect == "returns"
    assert lend.name == "lend"
    assert lend.effect == "acts"
    environment = TaskEnvironment([get_book, lend])
    assert environment.runtime.call("lend", {"number": 3})["value"] == '"lent 3"'


def test_a_pattern_that_fits_no_method_is_refused() -> None:
    with pytest.raises(ValueError, match="Desk has no method 'list_\\*'"):
        Tool.of(Desk(), reads=("list_*",))
