"""A tool of an MCP server that may change something is called only if the user allows it.

The user may allow a tool by an option, `--allow odd.a_b_2`, or say in the configuration which tools of
the server `odd` only read:

    [mcp.odd]
    read_only = ["m*"]
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from controlplane.mcp.tool_access import ToolAccess
from controlplane.mcp.tool_environment import ToolEnvironment, with_tools
from controlplane.sandbox.interface import CallError
from tests.controlplane.mcp.empty_environment import EmptyEnvironment
from tests.controlplane.mcp.small_servers import small_server


@pytest.fixture
def changing_tools(tmp_path: Path) -> Iterator[ToolEnvironment]:
    """The tools `a_b`, `a.b`, `money` and `image`. The server says of none that it only reads.

    A script has only letters, digits and `_` in a name. Both `a_b` and `a.b` would be `a_b`, so the
    second one is `a_b_2` there.
    """
    functions = """
def list_tools(request):
    tools = []
    for name in ("a_b", "a.b", "money", "image"):
        tools.append(tool(name) | {"annotations": {"readOnlyHint": False}})
    send_result(request, {"tools": tools})

def call_tool(request):
    name = request["params"]["name"]
    send_result(request, {"content": [{"type": "text", "text": name}]})
"""
    server = small_server(tmp_path, functions)
    # What the user says: the tool money only reads, a.b is allowed. Nothing of a_b and image.
    spec = server.model_copy(update={"read_only": ("m*",)})
    access = ToolAccess({"odd": spec}, allow=("odd.a_b_2",))
    with with_tools(EmptyEnvironment(), access) as environment:
        yield environment


def test_tool_is_called_if_the_user_allows_it(changing_tools: ToolEnvironment) -> None:
    """`--allow odd.a_b_2` allows the tool `a.b`, by its name in scripts. Its result is its name."""
    assert changing_tools.call("odd.a_b_2", {})["text"] == "a.b"


def test_tool_is_called_if_the_user_says_that_it_only_reads(
    changing_tools: ToolEnvironment,
) -> None:
    """`read_only = ["m*"]` holds for the tool `money`."""
    assert changing_tools.call("odd.money", {})["text"] == "money"


def test_tool_that_is_not_allowed_is_refused_with_both_remedies(
    changing_tools: ToolEnvironment,
) -> None:
    """The user can allow the tool, or say that it only reads."""
    both_remedies = (
        r'--allow odd\.image, or with read_only = \["image"\] in \[mcp\.odd\]'
    )
    with pytest.raises(CallError, match=both_remedies):
        changing_tools.call("odd.image", {})
