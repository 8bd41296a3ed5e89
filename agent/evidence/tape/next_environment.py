"""Where a resumed trial goes on, and which of its interrupted calls it makes again there.

A process was killed while a trial called `write("/a.md", "fee: 7")`. The next process *resumes*
the trial, and does not know whether the file was written. If it wrote the file again, the same
could happen twice. So it does only if the environment surely lacks the file:

    NextEnvironment.SAME.may_repeat(write, tool_schema)      -> False
    NextEnvironment.REBUILT.may_repeat(write, tool_schema)   -> True
"""

from __future__ import annotations

from enum import Enum, auto

from controlplane.agent.events import CallRecord
from controlplane.sandbox.interface import ToolSchema


class NextEnvironment(Enum):
    """The environment in which a resumed trial goes on. An earlier attempt wrote `/a.md`."""

    SAME = auto()
    """That of the earlier attempt, such as a container that still runs. It has `/a.md`."""
    NEW = auto()
    """A new one, in which `/a.md` may exist all the same: it may be a platform on the
    network, whose state outlives the process."""
    REBUILT = auto()
    """A new one in its initial state, without `/a.md`. The recorded changes are made again."""

    def may_repeat(self, call: CallRecord, tool_schema: ToolSchema) -> bool:
        """Return True if a call during which the process was killed may be made again here.

        | call | may be made again |
        |---|---|
        | `read("/a.md")` | in each environment |
        | `write("/a.md", ...)` | only in a rebuilt one, which has lost the change |
        | `wiki.edit(...)`, a tool of an MCP server | in none: the wiki is not a part of them |
        """
        if not tool_schema.may_change(call.operation, call.arguments):
            return True
        return self is NextEnvironment.REBUILT and not call.is_of_mcp_server
