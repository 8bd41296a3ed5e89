"""A tool whose name scripts cannot write, or which something else has, gets an adapted name.

    Tool(look_up, "returns", name="users.get")     harness.users_get()

Scripts are Python code, in which tools are methods of `harness`.
"""

import pytest

from controlplane import TaskEnvironment, Tool
from tests.controlplane.tool_benchmark.declared_tools import declared

READ_TOOL = Tool(lambda: 7, "returns", name="read")


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
    operation = declared(tool).operation

    assert operation.name == adapted_name
    assert operation.summary == f"looks (called {name} elsewhere)"


def test_a_tool_keeps_its_name_if_that_of_another_is_adapted_to_the_same() -> None:
    """Scripts cannot write `get-user`, which would be adapted to `get_user`."""
    tools = [
        Tool(lambda: 1, "returns", name="get-user"),
        Tool(lambda: 2, "returns", name="get_user"),
    ]
    environment = TaskEnvironment(tools)

    assert environment.runtime.call("get_user", {})["value"] == "2"


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
