"""Groups the operations that an environment offers by where they come from.

The system prompt lists each group in a format of its own. The group shows in the name:

    read         own: the environment does it itself
    wiki.search  a tool of the MCP server `wiki`
    due_date     a function that the benchmark computes, if it is declared as one
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from controlplane.sandbox.interface import Operation


@dataclass(slots=True)
class OperationGroups:
    """The operations that an environment offers, by where they come from."""

    own: list[Operation] = field(default_factory=list)
    """What the environment does itself, such as `read`."""
    tools_by_server: dict[str, list[Operation]] = field(default_factory=dict)
    """Tools of MCP servers, such as `wiki.search`."""
    functions: list[Operation] = field(default_factory=list)
    """Functions that the benchmark computes, such as `due_date`."""

    @classmethod
    def of(cls, operations: Sequence[Operation]) -> OperationGroups:
        """Return the groups, without those that the environment offers only later."""
        groups = cls()
        for operation in operations:
            if not operation.is_later:
                groups._add(operation)
        return groups

    def _add(self, operation: Operation) -> None:
        """Add an operation to its group: `wiki.search` is a tool of the server `wiki`."""
        server, dot, _ = operation.name.partition(".")
        if dot:
            self.tools_by_server.setdefault(server, []).append(operation)
        elif operation.is_function:
            self.functions.append(operation)
        else:
            self.own.append(operation)
