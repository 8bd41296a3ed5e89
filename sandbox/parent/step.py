"""One step of a trial, as the parent sees it: the task, the answers to requests, the end."""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

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
from controlplane.sandbox.interface.exit_codes import check_exit
from controlplane.sandbox.interface.host import Host, Verify, VerifyReply
from controlplane.sandbox.interface.json_documents import json_bytes
from controlplane.sandbox.interface.limits import Limits
from controlplane.sandbox.interface.messages.child_messages import ChildMessage
from controlplane.sandbox.interface.messages.child_requests import (
    AnswerRequest,
    CallRequest,
    CallsRequest,
    CiteRequest,
    NamedCall,
    Request,
)
from controlplane.sandbox.interface.messages.child_results import (
    FunctionFault,
    FunctionFields,
    StepReport,
    VerifyResult,
)
from controlplane.sandbox.interface.messages.frames import (
    Closed,
    Forged,
    TooLong,
    limit_wait,
    send_body,
    send_frame,
)
from controlplane.sandbox.interface.messages.message_fields import (
    MessageFields,
    read_message,
)
from controlplane.sandbox.interface.messages.parent_messages import (
    NOT_ACCEPTED,
    UNBOUND,
    ParentMessage,
    RunFunction,
    RunStep,
    answer_bytes,
    refusal_bytes,
)
from controlplane.sandbox.interface.messages.tagged_values import TAG, Damaged, flatten
from controlplane.sandbox.interface.operations import Operation
from controlplane.sandbox.interface.parameters import CHECK, Plain
from controlplane.sandbox.interface.results import ResultFields, guarded, plain_result
from controlplane.sandbox.interface.tool_schema import ToolSchema
from controlplane.sandbox.parent.trial_process import TrialProcess

# Whose code makes the requests of a step: the script, its `verify`, or another function.


class _Callers:
    """Whose code makes the requests at the moment. Both flags are false for the script itself.

    If `verify` calls a function of the benchmark, both are true.
    """

    def __init__(self) -> None:
        self.in_function = False
        """True while a function of the benchmark runs."""
        self.in_verify = False
        """True while the script's `verify` runs."""

    @contextlib.contextmanager
    def during_function(self) -> Iterator[None]:
        """Within the block, a function of the benchmark makes the requests."""
        self.in_function = True
        try:
            yield
        finally:
            self.in_function = False

    @contextlib.contextmanager
    def during_verify(self) -> Iterator[None]:
        """Within the block, the script's `verify` makes the requests."""
        self.in_verify = True
        try:
            yield
        finally:
            self.in_verify = False

    @property
    def may_only_read(self) -> bool:
        """True while a function of the benchmark, or the script's `verify`, runs."""
        return self.in_function or self.in_verify

    def require_permission_to_change(self, fault: str) -> None:
        """Raise `CallError` if calls may only read at the moment. `fault` ends its message."""
        if not self.may_only_read:
            return
        place = "a function" if self.in_function else "verify"
        text = f"inside {place} harness calls only read; {fault}"
        raise CallError(PERMISSION_DENIED, text)


# The time of a step.
#
# A script is ended by timers in its own process. The parent waits a little longer than they, by
# `SCRIPT_GRACE_S`, so that the process can still say that its time is over.


class _StepDeadline:
    """When a step must have ended."""

    def __init__(self, step_wall_s: float) -> None:
        self._step_wall_s = step_wall_s
        self.moment = 0.0
        """The deadline, on `time.monotonic()`."""
        self.restart()

    def restart(self) -> None:
        """Let the time of the step begin now."""
        self.moment = time.monotonic() + self._step_wall_s + bounds.SCRIPT_GRACE_S

    def extend(self, seconds: float) -> None:
        """Give the step more time, because the time of a call does not count."""
        self.moment += seconds

    @property
    def for_sending(self) -> float:
        """The deadline of the step, but at least `SCRIPT_GRACE_S` from now.

        Even if the time of the step is over,
        the child can then be told why its call failed.
        """
        return max(self.moment, _end_of_grace())

    def leave_time_for_last_messages(self) -> None:
        """Extend the deadline to `SCRIPT_GRACE_S` from now if it is earlier."""
        self.moment = self.for_sending

    @contextlib.contextmanager
    def replaced_by(self, moment: float) -> Iterator[None]:
        """Within the block, let the step have another deadline."""
        moment_before = self.moment
        self.moment = moment
        try:
            yield
        finally:
            self.moment = moment_before


def _end_of_grace() -> float:
    """Return the time at which a grace that begins now is over."""
    return time.monotonic() + bounds.SCRIPT_GRACE_S


# The printed text of a step, as the parent keeps it.
#
# The process of the script limits its output itself: it cuts out the middle of a long text, and
# puts a line in its place that says how many characters are missing. The parent does not trust
# that process, so it limits the text once more.

OnPrint: TypeAlias = Callable[[str], None]
"""Called with each printed text when it arrives."""

_CUT_NOTE_CHARS: Final = 200
"""The most characters of the line that says how many are missing. It comes on top of the limit."""


class _StepOutput:
    """The printed text of a step, up to a maximum."""

    def __init__(self, max_chars: int, on_print: OnPrint | None) -> None:
        self._remaining_chars = max_chars + _CUT_NOTE_CHARS
        self._on_print = on_print
        self._parts: list[str] = []

    def add(self, text: str) -> None:
        """Add a text, or its beginning if there is no room for all of it."""
        kept_text = text[: self._remaining_chars]
        self._parts.append(kept_text)
        self._remaining_chars -= len(kept_text)
        # Also if there is no room left for it: then it is reported as empty.
        if self._on_print is not None and text:
            self._on_print(kept_text)

    def text(self) -> str:
        """Return the whole text."""
        return "".join(self._parts)


# What the steps of a trial share on the parent's side, such as the scratchpad.


def _ignore_moment(moment: float) -> None:
    """Do nothing. The default of `TrialState.end_calls_at`."""


@dataclass(slots=True)
class TrialState:
    """What the steps of a trial share on the parent's side."""

    tool_schema: ToolSchema
    host: Host
    limits: Limits
    scratchpad: dict[str, Plain] = field(default_factory=dict)
    """The last scratchpad that the child sent, in encoded form (`tagged_values`)."""
    flat_scratchpad: dict[str, Plain] = field(default_factory=dict)
    """The same scratchpad in JSON's own types."""
    has_answered: bool = False
    end_calls_at: Callable[[float], None] = _ignore_moment
    """Tells the host how long its calls may wait: until a moment on `time.monotonic()`.

    It is called twice for each call of the host: before it, with the deadline of the
    step; and after it, with infinity, which removes the limit. A host whose calls need
    no limit ignores it.
    """

    def operation(self, name: str) -> Operation | None:
        """Return the operation that scripts may call by this name; None if there is none.

        The `checks` of the tool schema are not for scripts: our own program calls them.
        """
        operation = self.tool_schema.operation(name)
        if operation is None or operation in self.tool_schema.checks:
            return None
        return operation

    def keep_scratchpad(self, scratchpad: Any) -> None:
        """Keep the scratchpad that the child sent. Raises `Forged` if it is not one."""
        # A tag is a key that names the type of an encoded value, such as a date. A mapping
        # has none, or the tag `dict` if not all of its keys are texts.
        is_mapping = isinstance(scratchpad, dict)
        if not is_mapping or scratchpad.get(TAG) not in (None, "dict"):
            msg = "a scratchpad that is not a mapping"
            raise Forged(msg)
        try:
            flat = flatten(scratchpad)
        except (Damaged, RecursionError) as error:
            raise Forged(str(error)) from error
        assert isinstance(flat, dict)
        self.scratchpad = scratchpad
        self.flat_scratchpad = flat

    def restore_scratchpad(self, scratchpad: dict[str, Plain]) -> None:
        """Continue from a scratchpad in encoded form. Raises `Damaged`."""
        flat = flatten(scratchpad)
        self.scratchpad = dict(scratchpad)
        self.flat_scratchpad = flat if isinstance(flat, dict) else {}


# Sends and receives the messages of one step, and ends the step if they pass a limit.
#
# The parent (this process) sends a task to the child, the process of the script. The child sends
# requests, which the parent answers: `read /a.md`, and its text. The bytes of all messages are
# counted, and each wait has a deadline.


class LimitExceeded(Exception):
    """The step has exceeded a limit other than its deadline. The text says which."""


class Conversation:
    """Exchanges the messages of one step with the child, the untrusted process of the script.

    The parent gives a task (`begin`), and then receives requests and answers them until the
    child reports the end. Any message of the child may also bring printed text and the current
    scratchpad; these are kept here.
    """

    def __init__(
        self, state: TrialState, process: TrialProcess, on_print: OnPrint | None
    ) -> None:
        self._state = state
        self._limits = state.limits
        self._process = process
        self._has_hung_up = False
        """True if the child has closed its end of the connection.
        Messages that it sent before that can still be read."""
        self.output = _StepOutput(self._limits.output_chars, on_print)
        self.deadline = _StepDeadline(self._limits.step_wall_s)
        self.passed_bytes = 0
        """Bytes of all messages in both directions."""

    # Tasks

    def begin(self, task: RunStep | RunFunction) -> None:
        """Start the child if there is none, and give it the task of the step.

        The time of the step begins now.
        """
        child = self._process.ready()
        # The time that the child took to start is not counted.
        self.deadline.restart()
        limit_wait(child.connection, self.deadline.moment)
        send_frame(child.connection, task.encode(), bounds.MOST_REQUEST_BYTES)

    def interpose(self, task: RunFunction) -> None:
        """Give the child another task while its script waits for the answer to a request."""
        connection = self._process.connected().connection
        send_frame(connection, task.encode(), bounds.MOST_REQUEST_BYTES)

    def send(self, message: ParentMessage) -> None:
        """Send a short message, of at most as many bytes as a call may have."""
        connection = self._process.connected().connection
        limit_wait(connection, self.deadline.for_sending)
        send_frame(connection, message.encode(), self._limits.call_bytes)

    # Receiving

    def receive(self) -> ChildMessage:
        """Return the child's next message after keeping its printed text and its scratchpad.

        Raises `Closed`, `Forged`, `Overdue`, and `LimitExceeded` after too many bytes.
        """
        reader = self._process.connected().reader
        body = reader.receive_body(self._limits.frame_bytes, self.deadline.moment)

        # `step_bytes` is the limit that a script is told. Beyond it, its calls are refused,
        # so that the script can end by itself. A script that goes on is ended at twice the
        # limit.
        self.passed_bytes += len(body)
        if self.passed_bytes > 2 * self._limits.step_bytes:
            msg = f"the step passed more than {self._limits.step_bytes} bytes"
            raise LimitExceeded(msg)

        message = ChildMessage.decode(MessageFields(read_message(body)))
        self.output.add(message.printed)
        if message.scratchpad is not None:
            self._state.keep_scratchpad(message.scratchpad)
        return message

    # Answering

    def send_answer(self, body: bytes, max_bytes: int, *, may_hang_up: bool) -> None:
        """Send the answer to a request, or a refusal if the answer is too long.

        Raises `Closed` if the child no longer reads. With `may_hang_up`, the child may end
        without reading its answer. The first `Closed` is then ignored, so that the caller
        can still receive what the child sent before, such as its last output.
        """
        try:
            self._send_answer(body, max_bytes)
        except Closed:
            if not may_hang_up or self._has_hung_up:
                raise
            if self._process.child is None:
                # The parent itself ended the child, so nothing can be received.
                raise
            self._has_hung_up = True
            self.deadline.leave_time_for_last_messages()

    def _send_answer(self, body: bytes, max_bytes: int) -> None:
        """Send the answer, or a refusal in its place. Raises `Closed`."""
        connection = self._process.connected().connection
        limit_wait(connection, self.deadline.for_sending)
        try:
            send_body(connection, body, max_bytes)
            self.passed_bytes += len(body)
        except TooLong as error:
            # Count it as the longest permitted answer. If it did not count, a script could
            # request such results without end.
            self.passed_bytes += max_bytes
            text = f"the result is too large: {error}"
            refusal = refusal_bytes(RESOURCE_EXHAUSTED, text)
            send_body(connection, refusal, self._limits.call_bytes)


# Makes the calls of a step at the host, the environment's own code.
#
# The host is told by when each call must have ended, so that it can give up a slow one in time.


class _HostCalls:
    """Makes the calls of one step at the host: the environment's code, which answers calls.

    Before each call, the host is told the moment by which it has to end.
    """

    def __init__(self, state: TrialState, deadline: _StepDeadline) -> None:
        self._state = state
        self._deadline = deadline

    def call(
        self, operation: Operation, arguments: dict[str, Plain], *, in_verify: bool
    ) -> ResultFields:
        """Make a call, and return its result. Raises `CallError`.

        The time of a call counts as time of the step. But an operation may declare
        `longest_s`, such as 120 for a search that takes minutes. Up to 120 seconds of its call
        do not count: the step's deadline is moved by as much as the call took.
        """
        host = self._state.host

        def call() -> Mapping[str, Plain]:
            return host.call(operation.name, arguments, in_verify=in_verify)

        began = time.monotonic()
        call_deadline = max(self._deadline.moment, began + operation.longest_s)
        try:
            with self._calls_ending_by(call_deadline):
                return plain_result(operation.name, call)
        finally:
            # Extend the step by the time of the call, but by no more than `longest_s`.
            elapsed_s = time.monotonic() - began
            self._deadline.extend(min(elapsed_s, operation.longest_s))

    def call_all(self, calls: Sequence[NamedCall]) -> bytes:
        """Make several calls that only read, and return their outcomes as a list in JSON.

        Each outcome is an encoded `Answered` or `Refused`, in the order of the calls.
        """
        host = self._state.host
        host_calls = [(call.operation, call.arguments) for call in calls]
        with self._calls_ending_by(self._deadline.moment):
            outcomes = guarded("calls", lambda: host.call_all(host_calls))

        bodies = []
        for call, outcome in zip(calls, outcomes, strict=True):
            bodies.append(_outcome_body(call.operation, outcome))
        # The bodies are JSON already, so the list is put together as text.
        return b"[" + b",".join(bodies) + b"]"

    @contextlib.contextmanager
    def _calls_ending_by(self, moment: float) -> Iterator[None]:
        """Tell the host to end its calls by `moment` (on `time.monotonic`) within the block."""
        self._state.end_calls_at(moment)
        try:
            yield
        finally:
            self._state.end_calls_at(math.inf)


def _outcome_body(name: str, outcome: Mapping[str, Plain] | CallError) -> bytes:
    """Return the result or the error of one of several calls as JSON. `name`: its operation."""
    if isinstance(outcome, CallError):
        return refusal_bytes(str(outcome.code), str(outcome.message))
    return answer_bytes(plain_result(name, lambda: outcome).body)


# Counts the requests of a step, and refuses those beyond its limits.

_MAX_REFUSED_REQUESTS: Final = 100
"""The most requests that are refused after the last permitted call of a step.
Then the step is ended, because a script that ignores so many refusals
would not stop by itself."""


class _RequestCounts:
    """The numbers of requests in one step."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._requests = 0
        """All requests of the step: calls, citations and answers. The child numbers them."""
        self.calls = 0
        """Calls of the script and its `verify`, also refused ones."""
        self._function_calls = 0
        """Calls of the function of the benchmark that runs now, or ran last."""

    def count_request(self, number: int) -> None:
        """Check that requests are numbered 1, 2, 3 … and that there are not too many.

        Raises `Forged` and `LimitExceeded`.
        """
        next_number = self._requests + 1
        if number != next_number:
            msg = "a repeated or skipped request"
            raise Forged(msg)
        self._requests = next_number

        max_calls = self._limits.step_calls
        if self._requests > max_calls + _MAX_REFUSED_REQUESTS:
            msg = f"the step made more than {max_calls} calls"
            raise LimitExceeded(msg)

    def count_call(self) -> None:
        """Count a call of the script or its `verify`. `check_limits` refuses it if need be."""
        self.calls += 1

    def begin_function(self) -> None:
        """Count the calls of another function from now on."""
        self._function_calls = 0

    def count_function_calls(self, calls: int) -> None:
        """Count calls of the function that runs. Raises `CallError` if there are too many."""
        self._function_calls += calls
        if self._function_calls > bounds.MOST_FUNCTION_CALLS:
            maximum = f"{bounds.MOST_FUNCTION_CALLS} calls"
            text = f"the function needs more than {maximum}: read what it needs by hand"
            raise CallError(RESOURCE_EXHAUSTED, text)

    def check_limits(self, passed_bytes: int) -> None:
        """Raise `CallError` if the step made too many calls, or they passed too many bytes."""
        if self.calls > self._limits.step_calls:
            text = f"a step makes at most {self._limits.step_calls} calls"
            raise CallError(RESOURCE_EXHAUSTED, text)
        if passed_bytes > self._limits.step_bytes:
            text = (
                f"the calls of a step pass at most {self._limits.step_bytes} bytes to and fro; "
                "go on in the next step"
            )
            raise CallError(RESOURCE_EXHAUSTED, text)


# The calls that a child requests: bound, counted and checked before the host sees them.
#
# While a function of the benchmark or the script's `verify` runs, calls may only read.


class _CheckedCalls:
    """Checks and makes the calls of one step that the child, an untrusted process, requests.

    A script's `harness.read("/a.md")` comes as a `CallRequest`. A call that is not allowed
    raises `CallError`, which the script sees; one that no genuine child makes raises
    `Forged`, which ends the child.
    """

    def __init__(
        self,
        state: TrialState,
        conversation: Conversation,
        callers: _Callers,
        counts: _RequestCounts,
    ) -> None:
        self._state = state
        self._conversation = conversation
        self._callers = callers
        """Says who makes the calls now: the script, its `verify`, or a function."""
        self._counts = counts
        self._host_calls = _HostCalls(state, conversation.deadline)

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


# Answers the requests of a child: makes its calls, cites, and submits.


class _RequestAnswers:
    """Replies to the requests that the child, an untrusted process, sends during one step.

    A request is to make a call, to cite a path as a source, or to submit the answer of the
    trial (`AnswerRequest`). `answer` means the reply to any of them.
    """

    def __init__(
        self,
        state: TrialState,
        conversation: Conversation,
        callers: _Callers,
        run_verify: Callable[[bool], VerifyReply],
    ) -> None:
        """`run_verify` calls the script's `verify` in the child, as `Verify.ask` describes."""
        self._state = state
        self._callers = callers
        self._run_verify = run_verify
        self.counts = _RequestCounts(state.limits)
        """How many requests and calls the step has made; raises if there are too many."""
        self._calls = _CheckedCalls(state, conversation, callers, self.counts)

    @property
    def max_answer_bytes(self) -> int:
        """The most bytes of a reply. A function of the benchmark may read more than a script."""
        if self._callers.in_function:
            return bounds.MOST_REQUEST_BYTES
        return self._state.limits.call_bytes

    def answer(self, request: Request, number: int) -> bytes:
        """Return the message that answers a request, or that says why it is refused.

        Raises `Forged` for a request that a genuine child never makes, and
        `LimitExceeded` after too many requests.
        """
        self.counts.count_request(number)
        try:
            return answer_bytes(self._result_of(request))
        except UnboundArguments as error:
            return refusal_bytes(UNBOUND, error.message)
        except CallError as error:
            return refusal_bytes(str(error.code), str(error.message))
        except Refusal as error:
            return refusal_bytes(NOT_ACCEPTED, str(error))

    def _result_of(self, request: Request) -> bytes:
        """Return the result of a request as JSON. Raises `CallError`, `Refusal` or `Forged`."""
        if self._state.has_answered:
            raise CallError(
                FAILED_PRECONDITION, "the answer was accepted; the trial is over"
            )
        match request:
            case CallRequest():
                return self._calls.call(request)
            case CallsRequest():
                return self._calls.call_all(request)
            case CiteRequest():
                return self._cite(request)
            case AnswerRequest():
                return self._submit(request)

    def _cite(self, request: CiteRequest) -> bytes:
        """Return the cited path as JSON, in its own spelling: `docs/A.md` -> `"/docs/a.md"`.

        Raises `Refusal` if the host does not accept it as a source.
        """
        self._callers.require_permission_to_change("cite is not possible there")
        host = self._state.host

        def cite() -> str:
            return str(host.cite(request.path, request.reason, request.quote))

        return json_bytes(guarded("citing", cite))

    def _submit(self, request: AnswerRequest) -> bytes:
        """Submit the answer in the scratchpad to the host, which may call `verify` meanwhile.

        Returns null as JSON if the host accepts the answer, and raises `Refusal` if not. An
        accepted answer is the last one: all later requests are refused.
        """
        self._callers.require_permission_to_change("answer is not possible there")
        host = self._state.host
        verify = Verify(
            request.verify_is_callable,
            request.verify_takes_one_argument,
            self._run_verify,
        )
        scratchpad = self._state.flat_scratchpad
        guarded("answering", lambda: host.answer(scratchpad, verify))
        self._state.has_answered = True
        return b"null"


# The exchange of one step: answers the child's requests until it sends a result.

Result: TypeAlias = VerifyResult | FunctionFields | FunctionFault | StepReport
"""A message with which the child ends what it was told to do."""


class Exchange:
    """Receives the child's messages during one step, and answers its requests."""

    def __init__(
        self,
        state: TrialState,
        conversation: Conversation,
        run_verify: Callable[[bool], VerifyReply],
    ) -> None:
        """`run_verify` calls the script's `verify` in the child: see `Verify.ask` in `host`."""
        self.conversation = conversation
        self.callers = _Callers()
        self._answers = _RequestAnswers(state, conversation, self.callers, run_verify)
        self.counts = self._answers.counts

    def next_result(self) -> Result:
        """Answer requests until a result comes."""
        while True:
            message = self.conversation.receive()
            match message.body:
                case None:
                    continue  # The message only brought text or a scratchpad.
                case CallRequest() | CallsRequest() | CiteRequest() | AnswerRequest():
                    answer = self._answers.answer(message.body, message.request_number)
                    self._send(answer)
                case result:
                    return result

    def _send(self, answer: bytes) -> None:
        # A script may end without reading its last answer. A function or `verify`, during
        # which requests may only read, waits for every answer.
        is_script = not self.callers.may_only_read
        max_bytes = self._answers.max_answer_bytes
        self.conversation.send_answer(answer, max_bytes, may_hang_up=is_script)
