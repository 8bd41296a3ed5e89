"""The calls that a child requests: bound, counted and checked before the host sees them.

While a function of the benchmark or the script's `verify` runs, calls may only read.
"""

from __future__ import annotations

from controlplane.sandbox.interface.argument_binding import bound_arguments
from controlplane.sandbox.interface.error_codes import PERMISSION_DENIED, CallError
from controlplane.sandbox.interface.exit_codes import check_exit
from controlplane.sandbox.interface.messages.child_requests import (
    CallRequest,
    CallsRequest,
)
from controlplane.sandbox.interface.messages.frames import Forged
from controlplane.sandbox.interface.operations import Operation
from controlplane.sandbox.interface.parameters import CHECK
from controlplane.sandbox.parent.step.callers import Callers
from controlplane.sandbox.parent.step.conversation import Conversation
from controlplane.sandbox.parent.step.host_calls import HostCalls
from controlplane.sandbox.parent.step.request_counts import RequestCounts
from controlplane.sandbox.parent.step.trial_state import TrialState


class CheckedCalls:
    """Checks and makes the calls of one step that the child, an untrusted process, requests.

    A script's `harness.read("/a.md")` comes as a `CallRequest`. A call that is not allowed
    raises `CallError`, which the script sees; one that no genuine child makes raises
    `Forged`, which ends the child.
    """

    def __init__(
        self,
        state: TrialState,
        conversation: Conversation,
        callers: Callers,
        counts: RequestCounts,
    ) -> None:
        self._state = state
        self._conversation = conversation
        self._callers = callers
        """Says who makes the calls now: the script, its `verify`, or a function."""
        self._counts = counts
        self._host_calls = HostCalls(state, conversation.deadline)

    def call(self, request: CallRequest) -> bytes:
        """Make the call of a script, a function or `verify`, and return its result as JSON.

        Raises `CallError` if the call is refused or fails.
        """
        # 1. Bind the arguments. A genuine child only names declared operations.
        operation = self._state.operation(request.operation)
        if operation is None:
            msg = "a call of an operation that is not declared"
            raise Forged(msg)
        arguments = bound_arguments(
            operation, request.positional, request.named, with_check=True
        )
        # With `check=True`, a call raises if its exit code is not 0. The host does not know
        # this argument, so it is removed here, and step 3 checks the exit code.
        is_checked = operation.takes_check and arguments.pop(CHECK.name) is True

        # 2. Refuse calls beyond the limits, and changes where only reads are allowed.
        self._count(operation)
        if self._state.tool_schema.may_change(operation.name, arguments):
            self._callers.require_permission_to_change(
                f"{operation.name} may change something"
            )

        # 3. Make the call.
        result = self._host_calls.call(
            operation, arguments, in_verify=self._callers.in_verify
        )
        if is_checked:
            check_exit(operation, arguments, result)
        return result.body

    def _count(self, operation: Operation) -> None:
        """Count a call. Raises `CallError` if it is beyond the limits.

        Calls that a function of the benchmark makes have a limit of their own, and may not be
        of another function.
        """
        if self._callers.in_function:
            self._counts.count_function_calls(1)
            if operation.is_function:
                raise CallError(PERMISSION_DENIED, "a function calls no other function")
        else:
            self._counts.count_call()
        self._counts.check_limits(self._conversation.passed_bytes)

    def call_all(self, request: CallsRequest) -> bytes:
        """Make the calls that a function requests together, and return their outcomes as JSON.

        The functions are the benchmark's own, so the calls are not checked further.
        """
        if not self._callers.in_function:
            msg = "calls of a function that does not run"
            raise Forged(msg)
        self._counts.count_function_calls(len(request.calls))
        return self._host_calls.call_all(request.calls)
