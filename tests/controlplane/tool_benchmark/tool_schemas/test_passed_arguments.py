"""The function of a tool with a JSON schema gets only the arguments that a script has passed.

For example:

    schema {"id": ..., "most": {"default": 5}}        look(id="a")    ->    {"id": "a"}
"""

from controlplane import TaskEnvironment, Tool
from tests.controlplane.tool_benchmark.declared_tools import call_arguments, declared


def arguments_as_result(**arguments: object) -> dict[str, object]:
    """The function of the tools, which takes any arguments."""
    return arguments


def test_a_function_gets_only_the_arguments_that_were_passed() -> None:
    """The function gets no default of the schema. None in a script leaves an argument out."""
    schema = {
        "properties": {
            "id": {"type": "string"},
            "note": {"type": "string"},
            "most": {"type": "integer", "default": 5},
        },
        "required": ["id"],
    }
    find = declared(Tool(arguments_as_result, "returns", name="find", schema=schema))

    assert call_arguments(find, id="a") == {"id": "a"}
    assert call_arguments(find, id="a", note=None, most=7) == {"id": "a", "most": 7}


def test_two_parameters_whose_names_scripts_would_write_alike_are_told_apart() -> None:
    """Scripts write `user_id=` for a parameter `user-id`, but here that is another parameter."""
    schema = {"properties": {"user-id": {}, "user_id": {}}}
    look = Tool(arguments_as_result, "returns", name="look", schema=schema)
    environment = TaskEnvironment([look])

    result = environment.runtime.call("look", {"user_id": 4})

    assert result["value"] == '{"user_id":4}'
