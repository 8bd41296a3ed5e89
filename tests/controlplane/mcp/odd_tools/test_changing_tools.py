"""A tool of an MCP server that may change something is called only if the user allows it.

None of the tools of the server `odd` says that it only reads. The user may allow a tool,
`--allow odd.a_b_2`, or say in the configuration that some only read:

    [mcp.odd]
    read_only = ["m*"]
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from controlplane.mcp.offered_servers import with_tools
from controlplane.mcp.tool_access import ToolAccess
from controlplane.mcp.tool_environment import ToolEnvironment
from controlplane.sandbox.interface import CallError
from tests.controlplane.mcp.empty_environment import EmptyEnvironment
from tests.controlplane.mcp.small_servers import small_server


@pytest.fixture
def changing_tools(tmp_path: Path) -> Iterator[ToolEnvironment]:
    """The tools `a_b`, `a.b`, `money` and `image`. The server says of none that it only reads.

    The user allows `a.b`, by the option `--allow odd.a_b_2`, and says in `[mcp.odd]` that the tools
    `m*` only read. Of `a_b` and `image`, the user says nothing.
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
    spec = server.model_copy(update={"read_only": ("m*",)})
    access = ToolAccess({"odd": spec}, allow=("odd.a_b_2",))
    with with_tools(EmptyEnvironment(), access) as environment:
        yield environment


def test_tool_is_called_if_the_user_allows_it(changing_tools: ToolEnvironment) -> None:
    """`--allow odd.a_b_2` names the tool `a.b` as scripts do."""
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
