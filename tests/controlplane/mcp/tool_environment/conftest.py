"""The running MCP server `loans`, whose tools scripts call: `harness.loans.loan(number=2)`."""

from collections.abc import Iterator

import pytest

from controlplane.mcp.tool_access import ToolAccess
from controlplane.mcp.tool_environment import ToolEnvironment, with_tools
from tests.controlplane.mcp.small_servers import EmptyEnvironment
from tests.controlplane.mcp.tool_environment.loans_spec import LOANS_SPEC


@pytest.fixture(scope="session")
def loans() -> Iterator[ToolEnvironment]:
    """The tools of `LOANS_SERVER`, without `echo`, which the user has denied."""
    access = ToolAccess({"loans": LOANS_SPEC}, deny=("loans.echo",))
    with with_tools(EmptyEnvironment(), access) as environment:
        yield environment
