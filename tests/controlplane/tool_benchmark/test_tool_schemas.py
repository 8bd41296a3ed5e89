"""Tools with a JSON schema of their arguments, in place of the signature of the function.

    Tool(close, "acts", name="close", description="Close a ticket.",
         schema={"properties": {"ticket": {"type": "integer"}}, "required": ["ticket"]})

Benchmarks bring such schemas, and many are not quite right, so the tool decides what it takes.
"""

import dataclasses
from typing import Any

import pytest

from controlplane import TaskEnvironment, Tool
from tests.controlplane.tool_benchmark.declared_tools import call_arguments, declared

CLOSE_TOOL = Tool(
    lambda ticket: ticket,
    "returns",
    name="close",
    description="Close.",
    schema={"properties": {"ticket": {"type": "integer"}}, "required": ["ticket"]},
)
"""A tool with a schema of its own, which says that a ticket is an integer, and a function that
takes anything."""


class TestCallsBySchema:
    """Scripts call a tool whose schema says that `ticket` is an integer, and is needed.

    The function of the tool takes anything.
    """

    def test_a_tool_with_a_schema_is_called_with_a_value_of_another_type(self) -> None:
        """Schemas of public benchmarks are often wrong, so the tool decides what it takes."""
        environment = TaskEnvironment([CLOSE_TOOL])

        result = environment.runtime.call("close", {"ticket": "ticket_001"})
        assert result["value"] == '"ticket_001"'

    def test_a_tool_with_a_schema_is_not_called_with_an_unknown_or_missing_argument(
        self,
    ) -> None:
        """The tool takes one argument, "ticket"."""
        environment = TaskEnvironment([CLOSE_TOOL])

        with pytest.raises(TypeError, match="has no argument 'number'"):
            environment.runtime.call("close", {"ticket": 1, "number": 2})
        with pytest.raises(TypeError, match="needs 'ticket'"):
            environment.runtime.call("close", {})

    def test_a_strict_tool_is_not_called_with_a_value_of_another_type(self) -> None:
        """Its schema says that a ticket is an integer."""
        strict_tool = dataclasses.replace(CLOSE_TOOL, is_strict=True)
        environment = TaskEnvironment([strict_tool])

        with pytest.raises(TypeError, match="ticket is int, not str"):
            environment.runtime.call("close", {"ticket": "ticket_001"})

    def test_a_function_gets_only_the_arguments_that_were_passed(self) -> None:
        """Neither defaults of the schema nor None for what was left out."""
        schema = {
            "properties": {
                "id": {"type": "string"},
                "note": {"type": "string"},
                "most": {"type": "integer", "default": 5},
            },
            "required": ["id"],
        }
        tool = declared(Tool(dict, "returns", name="find", schema=schema))

        assert call_arguments(tool, id="a") == {"id": "a"}
        all_arguments = call_arguments(tool, id="a", note=None, most=7)
        assert all_arguments == {"id": "a", "most": 7}

    def test_an_argument_keeps_its_name_if_that_of_another_is_adapted_to_the_same(
        self,
    ) -> None:
        """Scripts cannot write `user-id=`, which would be adapted to `user_id=`."""
        schema = {"properties": {"user-id": {}, "user_id": {}}}
        look = Tool(
            lambda **arguments: arguments, "returns", name="look", schema=schema
        )
        environment = TaskEnvironment([look])

        result = environment.runtime.call("look", {"user_id": 4})
        assert result["value"] == '{"user_id":4}'


class TestFormsOfSchemas:
    """Benchmarks write schemas in several forms, and some describe no arguments.

    OpenAI's form has the name, the description and the schema in one dict; some benchmarks
    name types as Python does.
    """

    def test_a_tool_may_be_defined_in_the_form_of_openai(self) -> None:
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
        operation = declared(Tool(dict, "returns", schema=definition)).operation

        assert operation.name == "find"
        assert operation.summary == "Find it"
        assert [parameter.name for parameter in operation.parameters] == ["id"]

    def test_a_schema_may_name_types_as_python_does(self) -> None:
        """Some public benchmarks write "dict" and "float" for "object" and "number"."""
        schema = {
            "type": "dict",
            "properties": {"price": {"type": "float"}, "on": {"type": "any"}},
        }
        operation = declared(Tool(print, "acts", schema=schema)).operation

        price, on = operation.parameters
        assert price.json_schema == {"type": "number"}
        assert on.json_schema == {}

    @pytest.mark.parametrize(
        "schema",
        [
            pytest.param({"type": "string"}, id="a text"),
            pytest.param({"$ref": "#/$defs/N", "$defs": {"N": {}}}, id="a reference"),
            pytest.param({"properties": []}, id="a list of properties"),
        ],
    )
    def test_a_schema_that_does_not_describe_an_object_is_refused(
        self, schema: dict[str, Any]
    ) -> None:
        """Arguments are passed by name, so their schema is that of an object."""
        message = "the schema of the tool look describes no object of arguments"
        with pytest.raises(ValueError, match=message):
            declared(Tool(print, "returns", name="look", schema=schema))

    def test_a_schema_with_an_unknown_type_is_refused(self) -> None:
        tool = Tool(print, "acts", schema={"properties": {"a": {"type": "money"}}})

        with pytest.raises(
            ValueError, match="the type 'money' is not one of JSON Schema"
        ):
            declared(tool)
