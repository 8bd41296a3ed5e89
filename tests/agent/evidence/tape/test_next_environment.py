"""Which calls a resumed trial makes again, if its process was killed while they were under way.

Such a call may have happened. A change must not happen twice, so it is only made again in an
environment that surely lacks it.
"""

import pytest

from controlplane.agent.events import CallRecord
from controlplane.agent.evidence.tape import NextEnvironment
from controlplane.sandbox.interface import FILE_OPERATIONS, ToolSchema

TOOL_SCHEMA = ToolSchema(operations=FILE_OPERATIONS, rules_document="")
"""It declares `read` and `write`. Other operations may change something."""

READ = CallRecord(operation="read", arguments={"path": "/a.md"}, state="under_way")
WRITE = CallRecord(
    operation="write", arguments={"path": "/a.md", "content": "x"}, state="under_way"
)
EDIT_OF_WIKI = CallRecord(
    operation="wiki.edit", arguments={"page": "fees"}, state="under_way"
)
"""The dot in the name says that this is a tool of an MCP server, outside of the environment."""


@pytest.mark.parametrize("environment", NextEnvironment)
def test_a_read_may_be_made_again_in_every_environment(
    environment: NextEnvironment,
) -> None:
    assert environment.may_repeat(READ, TOOL_SCHEMA)


@pytest.mark.parametrize(
    ("environment", "may_repeat"),
    [
        pytest.param(NextEnvironment.SAME, False, id="the environment still runs"),
        pytest.param(NextEnvironment.NEW, False, id="its state may have outlived it"),
        pytest.param(NextEnvironment.REBUILT, True, id="the change is lost with it"),
    ],
)
def test_a_change_may_only_be_made_again_where_it_is_lost(
    environment: NextEnvironment, may_repeat: bool
) -> None:
    assert environment.may_repeat(WRITE, TOOL_SCHEMA) == may_repeat


@pytest.mark.parametrize("environment", NextEnvironment)
def test_a_change_outside_of_the_environment_may_not_be_made_again(
    environment: NextEnvironment,
) -> None:
    assert not environment.may_repeat(EDIT_OF_WIKI, TOOL_SCHEMA)
