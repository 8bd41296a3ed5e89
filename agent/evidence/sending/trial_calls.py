"""Makes the calls of a trial: calls of its environment, and of the benchmark's functions.

A script calls both in the same way, and each call is written to the journal:

    make("read", {"path": "/a.md"})     is sent to the environment -> {"content": "fee: 7"}
    make("books_by", {"author": "A"})   runs code of the benchmark -> {"value": ["/books/b1.json"]}
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from controlplane.agent.evidence.calls.planned_call import planned_call
from controlplane.agent.evidence.sending.call_sender import CallSender
from controlplane.agent.evidence.sending.function_caller import FunctionCaller
from controlplane.agent.evidence.sending.inner_calls import InnerCalls
from controlplane.agent.evidence.sending.refused_call import (
    fault_of_path,
    refused_call,
)
from controlplane.sandbox.interface import Plain, ToolSchema, error_codes


@dataclass(frozen=True, slots=True)
class TrialCalls:
    """Makes the calls of one trial, one after the other, and writes them to the journal."""

    tool_schema: ToolSchema
    """The declared operations, which say what is a function."""
    sender: CallSender
    """Sends calls to the environment."""
    function_caller: FunctionCaller
    """Calls the functions of the benchmark."""
    inner_calls: InnerCalls
    """Makes the calls that such a function asks for while it runs."""

    def make(
        self,
        operation: str,
        arguments: Mapping[str, Plain],
        *,
        in_verify: bool = False,
        origins: Mapping[str, str] | None = None,
    ) -> dict[str, Plain]:
        """Make a call, write it to the journal, and return its result. Raises `CallError`.

        `in_verify` is true if a script's `verify`, its own check of its answer, makes the call.
        `origins` says where each argument of a changing call comes from: `{"amount": "asked"}`.
        """
        declared = self.tool_schema.operation(operation)
        path_fault = fault_of_path(declared, arguments)
        if path_fault:
            code = error_codes.INVALID_ARGUMENT
            refused = refused_call(
                operation, arguments, code, path_fault, in_verify=in_verify
            )
            return self.sender.refuse_unless_recorded(refused)

        if self.inner_calls.running_function is not None:
            # The function asks for this call: the script waits for it meanwhile.
            return self.inner_calls.make(operation, arguments)
        if declared is not None and declared.is_function:
            return self.function_caller.call(declared, arguments, in_verify=in_verify)
        call = planned_call(operation, arguments, in_verify=in_verify, origins=origins)
        return self.sender.receive(self.sender.send(call))
