"""The declared calls of a first message that are sent first.

Other calls need the results of these: the help of a tool is asked for only if a listing shows that
the tool is there, and that it fits the request.

    tree /, read /RULES.md, exec /bin/date     sent first
    exec /bin/renew --help                     sent later
    read /docs/a.md                            sent later if a tree is listed, else first
"""

from __future__ import annotations

from typing import Final

from controlplane.agent.initial_calls.call_kind import CallKind
from controlplane.agent.initial_calls.declared_call import DeclaredCall
from controlplane.agent.initial_calls.declared_calls import declared_calls
from controlplane.sandbox.interface import ToolSchema

LATER_KINDS: Final = (
    CallKind.FOR_EACH_LISTED,
    CallKind.FOR_FITTING_FILES,
    CallKind.ASKS_FOR_HELP,
)
"""Calls of these kinds need the results of others."""


def first_calls(tool_schema: ToolSchema) -> list[DeclaredCall]:
    """Return the declared calls that are sent first, in the order in which they are declared."""
    calls: list[DeclaredCall] = []
    for declared in declared_calls(tool_schema):
        if declared.kind not in LATER_KINDS:
            calls.append(declared)

    lists_tree = any(declared.operation.drawn_as_tree for declared in calls)
    if not lists_tree:
        return calls
    # After the tree, files that fit the request are searched. To save time, the reads of other
    # files run beside this search (`send_declared_reads`). The rules, which are of a kind of their
    # own, are read now.
    return [call for call in calls if call.kind is not CallKind.READS_FILE]
