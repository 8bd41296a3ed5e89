"""Makes the calls of a trial: calls of its environment, and of the benchmark's functions.

`read("/a.md")` is sent to the environment. A function, such as `books_by(author)`, is code of
the benchmark, and makes calls of its own while it runs.
"""

from __future__ import annotations

from collections.abc import Mapping

from controlplane.agent.events import CallFailure, CallRecord
from controlplane.agent.evidence.calls.placed_call import call_to_send
from controlplane.agent.evidence.calls.pre_call_check import PreCallCheck
from controlplane.agent.evidence.sending.call_recorder import CallRecorder
from controlplane.agent.evidence.sending.function_calls import FunctionCalls
from controlplane.agent.evidence.sending.requested_calls import RequestedCalls
from controlplane.agent.evidence.sending.sent_calls import SentCalls
from controlplane.gates.quoting import quote
from controlplane.sandbox.interface import (
    Operation,
    Plain,
    bounds,
    error_codes,
)


class TrialCalls:
    """Makes the calls of one trial, one after the other, and writes them to the journal.

    `make("read", {"path": "/a.md"})` sends the call to the environment. If the operation is a
    function of the benchmark, such as `books_by(author)`, it runs the function instead.
    """

    def __init__(
        self,
        sent_calls: SentCalls,
        recorder: CallRecorder,
        pre_call_check: PreCallCheck,
    ) -> None:
        self._sent_calls = sent_calls
        """Sends calls to the environment."""
        self._recorder = recorder
        """Writes calls to the journal."""
        self._tool_schema = recorder.tool_schema
        self.requested_calls = RequestedCalls(sent_calls, recorder.tool_schema)
        """Makes the calls that functions of the benchmark ask for."""
        self.functions = FunctionCalls(recorder, self.requested_calls, pre_call_check)
        """Runs the functions of the benchmark. They are code in another process that asks for
        calls of its own."""

    def make(
        self,
        operation: str,
        arguments: Mapping[str, Plain],
        *,
        in_verify: bool = False,
        origins: Mapping[str, str] | None = None,
    ) -> dict[str, Plain]:
        """Make a call, write it to the journal, and return its result. Raises `CallError`.

        | call | what happens |
        |---|---|
        | with a path that is too long | it is refused |
        | while a function runs | the function asks for it, since the script waits |
        | of a function | the function runs |
        | any other | it is sent to the environment |

        `in_verify` is true if a script's `verify`, its own check of its answer, makes the call.
        `origins` says where each argument of a changing call comes from:
        `{"amount": "asked"}` if the amount is in the user's request.
        """
        declared = self._tool_schema.operation(operation)
        path_fault = _fault_of_path(declared, arguments)
        if path_fault:
            code = error_codes.INVALID_ARGUMENT
            return self.refuse(
                operation, arguments, code, path_fault, in_verify=in_verify
            )
        if self.requested_calls.running_function is not None:
            return self.requested_calls.make(operation, arguments)
        if declared is not None and declared.is_function:
            return self.functions.call(declared, arguments, in_verify=in_verify)
        call = call_to_send(operation, arguments, in_verify=in_verify, origins=origins)
        sent = self._sent_calls.send(call)
        return self._sent_calls.receive(sent)

    def refuse(
        self,
        operation: str,
        arguments: Mapping[str, Plain],
        code: str,
        reason: str,
        *,
        in_verify: bool,
    ) -> dict[str, Plain]:
        """Write to the journal that a call is not sent, and raise `CallError` with the reason.

        `code` is one of `error_codes`. In a repeated step, the record counts: if the call was
        sent when the step was recorded, return its result instead.
        """
        refused = CallRecord(
            operation=operation,
            arguments=dict(arguments),
            in_verify=in_verify,
            state="not_made",
            error=CallFailure(code=code, message=reason),
        )
        return self._recorder.record_refused(refused)


def _fault_of_path(declared: Operation | None, arguments: Mapping[str, Plain]) -> str:
    """Return a message if the path argument of a call is too long; empty if it is not."""
    path = None if declared is None else arguments.get(declared.subject)
    if not isinstance(path, str) or len(path) <= bounds.MOST_PATH_CHARS:
        return ""
    return f"a path has at most {bounds.MOST_PATH_CHARS} characters: {quote(path)}"
