"""Replies to the requests of a step: calls, citations and the answer of the trial."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from typing import Final

from controlplane.sandbox.interface import bounds
from controlplane.sandbox.interface.argument_binding import (
    UnboundArguments,
    bound_arguments,
)
from controlplane.sandbox.interface.error_codes import (
    FAILED_PRECONDITION,
    PERMISSION_DENIED,
    RESOURCE_EXHAUSTED,
    CallError,
    Refusal,
)
from controlplane.sandbox.interface.frames import Forged
from controlplane.sandbox.interface.host import Verify, VerifyReply
from controlplane.sandbox.interface.json_documents import json_bytes
from controlplane.sandbox.interface.messages import (
    NOT_ACCEPTED,
    UNBOUND,
    AnswerRequest,
    CallRequest,
    CallsRequest,
    CiteRequest,
    Failed,
    Request,
    decode_call,
    reply_bytes,
    returned_bytes,
)
from controlplane.sandbox.interface.operations import CHECK, Operation, Plain
from controlplane.sandbox.interface.results import (
    ResultFields,
    check_exit,
    check_result,
    guarded,
    plain_result,
)
from controlplane.sandbox.parent.conversation import (
    Conversation,
    LimitExceeded,
    TrialState,
)

_MAX_REFUSED_REQUESTS: Final = 100
"""The most requests that are refused after the last permitted call of a step.
Then the step is ended, because a script that ignores so many refusals
would not stop by itself."""


class Requests:
    """Replies to the requests that the child, an untrusted process, sends during one step.

    A request that is not allowed raises `CallError`, which the script sees; one that no genuine
    child makes raises `Forged`, which ends the child.
    """

    def __init__(
        self,
        state: TrialState,
        conversation: Conversation,
        ask_verify: Callable[[bool], VerifyReply],
    ) -> None:
        """`ask_verify` calls the script's `verify` in the child, as `Verify.ask` describes."""
        self._state = state
        self._limits = state.limits
        self._conversation = conversation
        self._activity = conversation.activity
        self._ask_verify = ask_verify
        self._requests = 0
        """All requests of the step. The child numbers them."""
        self.calls = 0
        """Calls of the script and its `verify`, also refused ones."""
        self.function_calls = 0
        """Calls of the function of the benchmark that runs now, or ran last."""

    def reply(self, request: Request, number: int) -> None:
        """Send the reply to a request: its result, or why it is refused.

        Raises `Forged` for a request that a genuine child never makes, and
        `LimitExceeded` after too many requests.
        """
        if number != self._requests + 1:
            msg = "a repeated or skipped request"
            raise Forged(msg)
        self._requests = number
        if number > self._limits.step_calls + _MAX_REFUSED_REQUESTS:
            msg = f"the step made more than {self._limits.step_calls} calls"
            raise LimitExceeded(msg)

        try:
            body = returned_bytes(self._result_of(request))
        except UnboundArguments as error:
            body = reply_bytes(Failed(UNBOUND, error.message))
        except CallError as error:
            body = reply_bytes(Failed.of(error))
        except Refusal as error:
            body = reply_bytes(Failed(NOT_ACCEPTED, str(error)))

        # A function of the benchmark may read more than a script.
        max_bytes = self._limits.call_bytes
        if self._activity.in_function:
            max_bytes = bounds.MOST_REQUEST_BYTES
        self._conversation.reply(body, max_bytes)

    def _result_of(self, request: Request) -> bytes:
        """Return the result of a request as JSON. Raises `CallError`, `Refusal` or `Forged`."""
        if self._state.has_answered:
            msg = "the answer was accepted; the trial is over"
            raise CallError(FAILED_PRECONDITION, msg)
        match request:
            case CallRequest():
                return self._call(request)
            case CallsRequest():
                return self._call_all(request)
            case CiteRequest():
                return self._cite(request)
            case AnswerRequest():
                return self._answer(request)
            case _:
                msg = "a question of a process that runs scripts"
                raise Forged(msg)

    # Calls

    def _call(self, request: CallRequest) -> bytes:
        """Make the call of a script, a function or `verify`, and return its result as JSON.

        Raises `CallError` if the call is refused or fails.
        """
        # 1. Bind the arguments. A genuine child only names declared operations, and none of the
        #    `checks`: our own program calls these.
        tool_schema = self._state.tool_schema
        operation = tool_schema.operation(request.operation)
        if operation is None or operation in tool_schema.checks:
            msg = "a call of an operation that is not declared"
            raise Forged(msg)
        arguments = bound_arguments(
            operation, request.positional, request.named, with_check=True
        )
        # With `check=True`, a call raises if its exit code is not 0. The host does not know
        # this argument, so it is removed here, and step 4 checks the exit code.
        is_checked = operation.takes_check and arguments.pop(CHECK.name) is True

        # 2. Refuse calls beyond the limits, and changes where only reads are allowed.
        self._count_call(operation)
        if tool_schema.may_change(operation.name, arguments):
            self._require_permission_to_change(f"{operation.name} may change something")

        # 3. Make the call, and check its result, which enters here.
        result = self._result_of_call(operation, arguments)

        # 4. Check the exit code.
        if is_checked:
            check_exit(operation, arguments, result)
        return result.body

    def _count_call(self, operation: Operation) -> None:
        """Count a call. Raises `CallError` if it is beyond the limits.

        Calls that a function of the benchmark makes have a limit of their own, and may not be
        of another function.
        """
        if self._activity.in_function:
            self._count_function_calls(1)
            if operation.is_function:
                raise CallError(PERMISSION_DENIED, "a function calls no other function")
        else:
            self.calls += 1

        if self.calls > self._limits.step_calls:
            text = f"a step makes at most {self._limits.step_calls} calls"
            raise CallError(RESOURCE_EXHAUSTED, text)
        if self._conversation.passed_bytes > self._limits.step_bytes:
            text = (
                f"the calls of a step pass at most {self._limits.step_bytes} bytes to and fro; "
                "go on in the next step"
            )
            raise CallError(RESOURCE_EXHAUSTED, text)

    def _count_function_calls(self, calls: int) -> None:
        """Count calls of the function that runs. Raises `CallError` if there are too many."""
        self.function_calls += calls
        if self.function_calls > bounds.MOST_FUNCTION_CALLS:
            text = (
                f"the function needs more than {bounds.MOST_FUNCTION_CALLS} calls: "
                "read what it needs by hand"
            )
            raise CallError(RESOURCE_EXHAUSTED, text)

    def _result_of_call(
        self, operation: Operation, arguments: dict[str, Plain]
    ) -> ResultFields:
        """Make a call at the host, and return its checked result. Raises `CallError`.

        The time of a call counts as time of the step. But an operation may declare
        `longest_s`, such as 120 for a search that takes minutes. Up to 120 seconds of its call
        do not count: the step's deadline is moved by as much as the call took, at most to the end of
        the trial.
        """

        def call() -> Mapping[str, Plain]:
            return self._state.host.call(
                operation.name, arguments, in_verify=self._activity.in_verify
            )

        conversation = self._conversation
        began = time.monotonic()
        # The host is told by when the call must have ended, so that it can give up a slow one.
        ends_at = max(conversation.deadline, began + operation.longest_s)
        self._state.end_calls_at(ends_at)
        try:
            return plain_result(operation.name, call)
        finally:
            self._state.end_calls_at(math.inf)
            if operation.longest_s:
                elapsed_s = time.monotonic() - began
                conversation.extend(min(elapsed_s, operation.longest_s))

    def _call_all(self, request: CallsRequest) -> bytes:
        """Make the calls that a function requests together, and return their outcomes as JSON.

        The functions are the benchmark's own, so the calls are not checked further. The outcomes
        are a list of encoded replies, in the order of the calls.
        """
        if not self._activity.in_function:
            msg = "calls of a function that does not run"
            raise Forged(msg)
        calls = [decode_call(call) for call in request.calls]
        self._count_function_calls(len(calls))

        host = self._state.host
        host_calls = [(call.operation, call.named) for call in calls]
        self._state.end_calls_at(self._conversation.deadline)
        try:
            outcomes = guarded("calls", lambda: host.call_all(host_calls))
        finally:
            self._state.end_calls_at(math.inf)

        bodies = []
        for call, outcome in zip(calls, outcomes, strict=True):
            bodies.append(_outcome_body(call.operation, outcome))
        # The bodies are JSON already, so the list is put together as text.
        return b"[" + b",".join(bodies) + b"]"

    # Citations and the answer

    def _cite(self, request: CiteRequest) -> bytes:
        """Return the cited path as JSON, in its own spelling: `docs/A.md` -> `"/docs/a.md"`.

        Raises `Refusal` if the host does not accept it as a source.
        """
        self._require_permission_to_change("cite is not possible there")
        host = self._state.host
        spelling = guarded("citing", lambda: str(host.cite(*request)))
        return json_bytes(spelling)

    def _answer(self, request: AnswerRequest) -> bytes:
        """Submit the answer in the scratchpad to the host, which may call `verify` meanwhile.

        Returns null as JSON if the host accepts the answer, and raises `Refusal` if not. An
        accepted answer is the last one: all later requests are refused.
        """
        self._require_permission_to_change("answer is not possible there")
        host = self._state.host
        verify = Verify(*request, self._ask_verify)
        scratchpad = self._state.flat_scratchpad
        guarded("answering", lambda: host.answer(scratchpad, verify))
        self._state.has_answered = True
        return b"null"

    def _require_permission_to_change(self, fault: str) -> None:
        """Raise `CallError` if calls may only read at the moment. `fault` ends its message."""
        if not self._activity.may_only_read:
            return
        place = "a function" if self._activity.in_function else "verify"
        text = f"inside {place} harness calls only read; {fault}"
        raise CallError(PERMISSION_DENIED, text)


def _outcome_body(name: str, outcome: Mapping[str, Plain] | CallError) -> bytes:
    """Return the result or the error of one of several calls as JSON. `name`: its operation."""
    if isinstance(outcome, CallError):
        return reply_bytes(Failed.of(outcome))
    return returned_bytes(check_result(name, outcome).body)
