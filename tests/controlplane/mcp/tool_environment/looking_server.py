"""An MCP server `db` whose tool `look` returns a given result.

with tool_with_result(folder, {"content": [{"type": "text", "text": "x"}]}) as environment:
    environment.call("db.look", {})["text"]    ->    "x"
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from controlplane.mcp.tool_access import ToolAccess
from controlplane.mcp.tool_environment import ToolEnvironment, with_tools
from tests.controlplane.mcp.empty_environment import EmptyEnvironment
from tests.controlplane.mcp.small_servers import small_server


@contextmanager
def tool_with_result(
    folder: Path, result: dict[str, object]
) -> Iterator[ToolEnvironment]:
    """Start a server `db` whose tool `look` returns this result."""
    spec = small_server(
        folder,
        f"""
RESULT = {result!r}

def call_tool(request):
    send_result(request, RESULT)
""",
    )
    with with_tools(EmptyEnvironment(), ToolAccess({"db": spec})) as environment:
        yield environment
