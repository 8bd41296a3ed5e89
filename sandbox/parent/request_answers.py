"""Answers the requests of a child: makes its calls, cites, and submits.

Every call is counted and checked here before the host sees it. While a function of the
benchmark or the script's `verify` runs, calls may only read.
"""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Final

from controlplane.sandbox.interface import bounds
from controlplane.sandbox.interface.child_messages import (
    AnswerRequest,
    CallRequest,
    CallsRequest,
    CiteRequest,
    Request,
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
from controlplane.sandbox.interface.operations import (
    CHECK,
    Operation,
    Plain,
    UnboundArguments,
    bound_arguments,
    check_exit,
)
from controlplane.sandbox.interface.parent_messages import (
    NOT_ACCEPTED,
    UNBOUND,
    answer_bytes,
    refusal_bytes,
)
from controlplane.sandbox.interface.results import ResultFields, guarded, plain_result
from controlplane.sandbox.parent.conversation import (
    Conversation,
    LimitPassed,
    TrialState,
)

_MAX_REFUSED_REQUESTS: Final = 100
"""The most requests that are refused after the last permitted call of a step.
Then the step is ended, because a script that ignores so many refusals
would not stop by itself."""


class RequestAnswers:
    """Answers the requests of one step.

    To answer a request is to reply to it. The answer of the trial, which a script submits,
    comes as an `AnswerRequest`.
    """

    def __init__(
        self,
        state: TrialState,
        conversation: Conversation,
        run_verify: Callable[[bool], VerifyReply],
    ) -> None:
        """`run_verify` calls the script's `verify` in the child, as `Verify.ask` describes."""
        self._state = state
        self._conversation = conversation
        self._run_verify = run_verify
        self._requests = 0
        """All requests of the step: calls, citations and answers."""
        self.calls = 0
        """Calls of the script and its `verify`."""
        self._in_function = False
        """True while a function of the benchmark runs."""
        self._function_calls = 0
        """Calls of the function of the benchmark that runs now."""
        self._in_verify = False
        """True while the script's `verify` runs."""

    @contextlib.contextmanager
    def during_function(self) -> Iterator[None]:
        """Within the block, a function of the benchmark makes the requests."""
        self._in_function = True
        self._function_calls = 0
        try:
            yield
        finally:
            self._in_function = False

    @contextlib.contextmanager
    def during_verify(self) -> Iterator[None]:
        """Within the block, the script's `verify` makes the requests."""
        self._in_verify = True
        try:
            yield
        finally:
            self._in_verify = False

    @property
    def may_only_read(self) -> bool:
        """True while a function of the benchmark, or the script's `verify`, runs."""
        return self._in_function or self._in_verify

    @property
    def max_answer_bytes(self) -> int:
        """The most bytes of a reply. A function of the benchmark may read more than a script."""
        if self._in_function:
            return bounds.MOST_REQUEST_BYTES
        return self._state.limits.call_bytes

    def answer(self, request: Request, number: int) -> bytes:
        """Return the message that answers a request, or that says why it is refused.

        Raises `Forged` for a request that a genuine child never makes, and
        `LimitPassed` after too many requests.
        """
        self._count_request(number)
        try:
            return answer_bytes(self._result_of(request))
        except UnboundArguments as error:
            return refusal_bytes(UNBOUND, error.message)
        except CallError as error:
            return refusal_bytes(str(error.code), str(error.message))
        except Refusal as error:
            return refusal_bytes(NOT_ACCEPTED, str(error))

    def _count_request(self, number: int) -> None:
        """Check that requests are numbered 1, 2, 3 … and that there are not too many."""
        next_number = self._requests + 1
        if number != next_number:
            msg = "a repeated or skipped request"
            raise Forged(msg)
        self._requests = next_number

        max_calls = self._state.limits.step_calls
        if self._requests > max_calls + _MAX_REFUSED_REQUESTS:
            msg = f"the step made more than {max_calls} calls"
            raise LimitPassed(msg)

    def _result_of(self, request: Request) -> bytes:
        """Return the result of a request as JSON. Raises `CallError`, `Refusal` or `Forged`."""
        host = self._state.host
        if self._state.has_answered:
            raise CallError(
                FAILED_PRECONDITION, "the answer was accepted; the trial is over"
            )

        match request:
            case CallRequest():
                return self._call(request)
            case CallsRequest():
                return self._calls(request)
            case CiteRequest(path, reason, quote):
                self._require_permission_to_change("cite is not possible there")
                # The host returns the path as the record itself spells it.
                spelled_path = guarded(
                    "citing", lambda: str(host.cite(path, reason, quote))
                )
                return json_bytes(spelled_path)
            case AnswerRequest(is_callable, takes_one_argument):
                self._require_permission_to_change("answer is not possible there")
                verify = Verify(is_callable, takes_one_argument, self._run_verify)
                scratchpad = self._state.flat_scratchpad
                guarded("answering", lambda: host.answer(scratchpad, verify))
                self._state.has_answered = True
                return b"null"

    def _require_permission_to_change(self, fault: str) -> None:
        """Raise `CallError` if calls may only read at the moment. `fault` ends its message."""
        if not self.may_only_read:
            return
        place = "a function" if self._in_function else "verify"
        text = f"inside {place} harness calls only read; {fault}"
        raise CallError(PERMISSION_DENIED, text)

    # One call

    def _call(self, request: CallRequest) -> bytes:
        """Make the call of a script, a function or `verify`, and return its result as JSON."""
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
        #    The calls of a function have a limit of their own.
        if self._in_function:
            self._count_function_calls(1)
            if operation.is_function:
                raise CallError(PERMISSION_DENIED, "a function calls no other function")
        else:
            self.calls += 1
        self._check_limits_of_step()
        if self._state.tool_schema.may_change(operation.name, arguments):
            self._require_permission_to_change(f"{operation.name} may change something")

        # 3. Make the call.
        result = self._timed_call(operation, arguments)
        if is_checked:
            check_exit(operation, arguments, result)
        return result.body

    def _check_limits_of_step(self) -> None:
        """Raise `CallError` if the step made too many calls, or they passed too many bytes."""
        limits = self._state.limits
        if self.calls > limits.step_calls:
            text = f"a step makes at most {limits.step_calls} calls"
            raise CallError(RESOURCE_EXHAUSTED, text)
        if self._conversation.passed_bytes > limits.step_bytes:
            text = (
                f"the calls of a step pass at most {limits.step_bytes} bytes to and fro; "
                "go on in the next step"
            )
            raise CallError(RESOURCE_EXHAUSTED, text)

    def _timed_call(
        self, operation: Operation, arguments: dict[str, Plain]
    ) -> ResultFields:
        """Make a call of the host.

        An operation with `longest_s` has time of its own: it may take that long even if
        the step ends sooner, and its time does not count as time of the step.
        """
        host = self._state.host
        conversation = self._conversation

        def call() -> Mapping[str, Plain]:
            return host.call(operation.name, arguments, in_verify=self._in_verify)

        began = time.monotonic()
        call_deadline = max(conversation.deadline, began + operation.longest_s)
        try:
            with self._calls_ending_by(call_deadline):
                return plain_result(operation.name, call)
        finally:
            # Extend the step by the time of the call, but by no more than `longest_s`.
            elapsed_s = time.monotonic() - began
            conversation.extend_deadline(min(elapsed_s, operation.longest_s))

    @contextlib.contextmanager
    def _calls_ending_by(self, moment: float) -> Iterator[None]:
        """Set the deadline of the host's calls in the block (on `time.monotonic`)."""
        self._state.end_calls_at(moment)
        try:
            yield
        finally:
            self._state.end_calls_at(math.inf)

    # Several calls of a function

    def _calls(self, request: CallsRequest) -> bytes:
        """Make the calls that a function requests together, and return their outcomes as JSON.

        Each outcome is an encoded `Answered` or `Refused`, in the order of the calls.
        """
        if not self._in_function:
            msg = "calls of a function that does not run"
            raise Forged(msg)
        self._count_function_calls(len(request.calls))

        host = self._state.host
        calls = [(call.operation, call.arguments) for call in request.calls]
        with self._calls_ending_by(self._conversation.deadline):
            outcomes = guarded("calls", lambda: host.call_all(calls))

        bodies = []
        for call, outcome in zip(request.calls, outcomes, strict=True):
            bodies.append(_outcome_body(call.operation, outcome))
        # The bodies are JSON already, so the list is put together as text.
        return b"[" + b",".join(bodies) + b"]"

    def _count_function_calls(self, calls: int) -> None:
        """Count calls of the function that runs. Raises `CallError` if there are too many."""
        self._function_calls += calls
        if self._function_calls > bounds.MOST_FUNCTION_CALLS:
            maximum = f"{bounds.MOST_FUNCTION_CALLS} calls"
            text = f"the function needs more than {maximum}: read what it needs by hand"
            raise CallError(RESOURCE_EXHAUSTED, text)


def _outcome_body(name: str, outcome: Mapping[str, Plain] | CallError) -> bytes:
    """Return the outcome of one of several calls as JSON."""
    if isinstance(outcome, CallError):
        return refusal_bytes(str(outcome.code), str(outcome.message))
    return answer_bytes(plain_result(name, lambda: outcome).body)
