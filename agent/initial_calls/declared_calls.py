"""The calls that an environment declares for the first message of a trial.

They are made before the model is asked, and the message shows their results, such as those of
`tree /` and `exec /bin/date`.
"""

from __future__ import annotations

from typing import Final

from controlplane.agent.initial_calls.call_kind import CallKind
from controlplane.agent.initial_calls.declared_call import DeclaredCall
from controlplane.sandbox.interface import ToolSchema

LATER_KINDS: Final = (
    CallKind.FOR_EACH_LISTED,
    CallKind.FOR_FITTING_FILES,
    CallKind.ASKS_FOR_HELP,
)
"""Calls of these kinds need the results of others: listings, or which tools fit the request."""


def declared_calls(tool_schema: ToolSchema) -> list[DeclaredCall]:
    """Return the calls that an environment declares for the first message.

    If it declares a call of an operation that it does not have, the call is left out.
    """
    calls: list[DeclaredCall] = []
    for call in tool_schema.initial_calls:
        operation = tool_schema.operation(call.operation)
        if operation is not None:
            calls.append(DeclaredCall.of(call, operation, tool_schema.rules_document))
    return calls


def first_calls(tool_schema: ToolSchema) -> list[DeclaredCall]:
    """Return the declared calls that are sent first.

    | declared call | sent first |
    |---|---|
    | `tree /`, `exec /bin/date` | yes |
    | `read /RULES.md`, the rules | yes |
    | `read /docs/a.md`, another file | only if no tree is listed |
    | `exec /bin/renew --help` | no, it needs the results of others |

    Once a tree is listed, files that fit the request are searched in it. The calls that read
    the other files run beside this search, to save time.
    """
    calls: list[DeclaredCall] = []
    for declared in declared_calls(tool_schema):
        if declared.kind not in LATER_KINDS:
            calls.append(declared)

    lists_tree = any(declared.operation.drawn_as_tree for declared in calls)
    if not lists_tree:
        return calls
    return [call for call in calls if call.kind is not CallKind.READS_FILE]
