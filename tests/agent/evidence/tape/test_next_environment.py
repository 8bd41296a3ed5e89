"""Which calls a trial makes again if its process was killed while they were under way.

Nobody knows if such a call was made. A change must not happen twice, so the next process only makes the
call again in an environment that surely lacks the change.
"""

import pytest

from controlplane.agent.events import CallRecord
from controlplane.agent.evidence.tape import NextEnvironment
from controlplane.sandbox.interface import FILE_OPERATIONS, ToolSchema

TOOL_SCHEMA = ToolSchema(operations=FILE_OPERATIONS, rules_document="")
"""It declares that `read` changes nothing, and `write` does. An undeclared operation may change something."""

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
        pytest.param(
            NextEnvironment.SAME, False, id="a container that still runs has the change"
        ),
        pytest.param(
            NextEnvironment.NEW, False, id="a platform may have kept the change"
        ),
        pytest.param(
            NextEnvironment.REBUILT, True, id="a rebuilt container lacks the change"
        ),
    ],
)
def test_a_change_is_only_made_again_in_a_rebuilt_environment(
    environment: NextEnvironment, may_repeat: bool
) -> None:
    assert environment.may_repeat(WRITE, TOOL_SCHEMA) == may_repeat


@pytest.mark.parametrize("environment", NextEnvironment)
def test_a_change_outside_of_the_environment_may_not_be_made_again(
    environment: NextEnvironment,
) -> None:
    assert not environment.may_repeat(EDIT_OF_WIKI, TOOL_SCHEMA)
