"""An MCP server `odd`, whose functions a test writes down in Python.

    with tools_of(tmp_path, functions) as environment:
        environment.call("odd.look", {})        calls the tool `look` of the server

Of the functions, `list_tools` declares the tools, and `call_tool` replies to a call.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from controlplane.mcp.tool_access import ToolAccess
from controlplane.mcp.tool_environment import ToolEnvironment, with_tools
from tests.controlplane.mcp.empty_environment import EmptyEnvironment
from tests.controlplane.mcp.small_servers import small_server


@contextmanager
def tools_of(folder: Path, functions: str) -> Iterator[ToolEnvironment]:
    """Start the server `odd` with these functions, and end it behind the block."""
    access = ToolAccess({"odd": small_server(folder, functions)})
    with with_tools(EmptyEnvironment(), access) as environment:
        yield environment
