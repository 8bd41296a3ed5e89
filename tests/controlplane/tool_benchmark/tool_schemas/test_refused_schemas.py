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


RING: dict[str, Any] = {"properties": {}}
RING["properties"]["x"] = RING
DEEP: dict[str, Any] = {}
for _ in range(5_000):
    DEEP = {"properties": {"x": DEEP}}


@pytest.mark.parametrize(
    ("schema", "fault"),
    [
        pytest.param({"enum": [{1, 2}]}, "is not JSON: it has a set", id="a set"),
        pytest.param({"default": b"x"}, "is not JSON: it has a bytes", id="bytes"),
        pytest.param({("a", "b"): 1}, "is not JSON: keys must be str", id="a key"),
        pytest.param(RING, "is not JSON: Circular reference", id="a ring"),
        pytest.param(DEEP, "is nested too deeply", id="5,000 levels"),
    ],
)
def test_a_schema_that_is_not_json_is_refused_when_the_tool_is_made(
    schema: dict[str, Any], fault: str
) -> None:
    """The journal and the prompt contain the schema."""
    with pytest.raises(ValueError, match=f"the schema of the tool look {fault}"):
        Tool(print, "returns", name="look", schema=schema)
