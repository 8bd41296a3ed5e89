"""A benchmark may write the schema of a tool in the form of OpenAI, or with the types of Python.

OpenAI's form has the name, the description and the schema of the arguments in one dict. Some
benchmarks write "dict" and "float" for "object" and "number".
"""

from controlplane import Tool
from tests.controlplane.tool_benchmark.declared_tools import declared


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
    operation = declared(Tool(dict, "returns", schema=definition)).operation

    assert operation.name == "find"
    assert operation.summary == "Find it"
    assert [parameter.name for parameter in operation.parameters] == ["id"]


def test_a_schema_may_name_types_as_python_does() -> None:
    """Some public benchmarks write "dict" and "float" for "object" and "number"."""
    schema = {
        "type": "dict",
        "properties": {"price": {"type": "float"}, "on": {"type": "any"}},
    }
    operation = declared(Tool(print, "acts", schema=schema)).operation

    price, on = operation.parameters
    assert price.json_schema == {"type": "number"}
    assert on.json_schema == {}
