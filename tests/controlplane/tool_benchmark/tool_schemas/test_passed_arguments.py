"""The function of a tool with a JSON schema gets the arguments that a script has passed, and no others.

For example:

    schema {"id": ..., "most": {"default": 5}}        look(id="a")    ->    {"id": "a"}
"""

from controlplane import TaskEnvironment, Tool
from tests.controlplane.tool_benchmark.declared_tools import call_arguments, declared


def test_a_function_gets_only_the_arguments_that_were_passed() -> None:
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


def test_an_argument_keeps_its_name_if_that_of_another_is_adapted_to_the_same() -> None:
    """Scripts cannot write `user-id=`, which would be adapted to `user_id=`."""
    schema = {"properties": {"user-id": {}, "user_id": {}}}
    look = Tool(lambda **arguments: arguments, "returns", name="look", schema=schema)
    environment = TaskEnvironment([look])

    result = environment.runtime.call("look", {"user_id": 4})
    assert result["value"] == '{"user_id":4}'
