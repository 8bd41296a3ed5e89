"""The calls that an environment declares for the first message of a trial.

They are made before the model is asked, and the message shows their results:

    tree /                                 one call
    exec /bin/date                         one call
    read each file of `find /policies`     a call for each of these files
"""

from __future__ import annotations

from typing import TypeAlias

from controlplane.agent.initial_calls.call_for_each import CallForEach
from controlplane.agent.initial_calls.declared_call import DeclaredCall
from controlplane.sandbox.interface import ToolSchema

Declared: TypeAlias = DeclaredCall | CallForEach


def declared_calls(tool_schema: ToolSchema) -> list[Declared]:
    """Return the calls that an environment declares for the first message, in order.

    If it declares a call of an operation that it does not have, the call is left out.
    """
    rules_path = tool_schema.rules_document
    calls: list[Declared] = []
    for declaration in tool_schema.initial_calls:
        operation = tool_schema.operation(declaration.operation)
        if operation is None:
            continue
        listing = declaration.each_of
        if listing is not None:
            calls.append(CallForEach(declaration, listing, operation, rules_path))
        else:
            arguments = declaration.arguments
            calls.append(DeclaredCall.of(declaration, operation, arguments, rules_path))
    return calls


def single_calls(tool_schema: ToolSchema) -> list[DeclaredCall]:
    """Return those calls that are made once, and not for each value of a listing."""
    return [
        call for call in declared_calls(tool_schema) if isinstance(call, DeclaredCall)
    ]
