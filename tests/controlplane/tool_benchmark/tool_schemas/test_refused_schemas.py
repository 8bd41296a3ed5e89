"""A schema that does not describe the arguments of a tool is refused.

Arguments are passed by name, so their schema is that of an object, such as
`{"properties": {"a": {"type": "integer"}}}`.
"""

from typing import Any

import pytest

from controlplane import Tool
from tests.controlplane.tool_benchmark.declared_tools import declared


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
        declared(Tool(print, "returns", name="look", schema=schema))


def test_a_schema_with_an_unknown_type_is_refused() -> None:
    tool = Tool(print, "acts", schema={"properties": {"a": {"type": "money"}}})

    with pytest.raises(ValueError, match="the type 'money' is not one of JSON Schema"):
        declared(tool)
