"""The calls that an environment declares for the first message of a trial.

They are made before the model is asked, and the message shows their results, such as those of
`tree /` and `exec /bin/date`.
"""

from __future__ import annotations

from controlplane.agent.initial_calls.declared_call import DeclaredCall
from controlplane.sandbox.interface import ToolSchema


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
