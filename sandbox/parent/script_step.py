"""One script in its child: receives, checks and answers the messages of an untrusted process."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from controlplane.sandbox.interface import bounds
from controlplane.sandbox.interface.error_codes import (
    FAILED_PRECONDITION,
    INTERNAL,
    PERMISSION_DENIED,
    RESOURCE_EXHAUSTED,
    CallError,
    Refusal,
)
from controlplane.sandbox.interface.frames import (
    UNBOUND,
    Closed,
    Forged,
    Overdue,
    json_bytes,
    limit_wait,
    read_message,
    send_body,
    send_frame,
)
from controlplane.sandbox.interface.host import (
    CALL_ENDS,
    Ending,
    Host,
    Limits,
    StepResult,
    Verify,
    VerifyReply,
)
from controlplane.sandbox.interface.operations import (
    CHECK,
    Operation,
    Plain,
    UnboundArguments,
    bound_arguments,
    check_exit,
)
from controlplane.sandbox.interface.results import ResultFields, guarded, plain_result
from controlplane.sandbox.interface.tagged_values import TAG, Damaged, flatten
from controlplane.sandbox.interface.tool_schema import ToolSchema
from controlplane.sandbox.parent.child_process import ChildEnd
from controlplane.sandbox.parent.trial_process import TrialProcess

_REQUESTS: Final = {"call": "a call", "calls": "calls", "cite": "a citation", "answer": "an answer"}
"""The kinds of requests, and what each is called in a fault."""

_WITH_SNAPSHOT: Final = ("call", "cite", "answer", "keep", "end")
"""The kinds of messages whose third part may be a snapshot of the scratchpad."""

_CHILD_ENDINGS: Final = (
    Ending.FINISHED,
    Ending.RAISED,
    Ending.SYNTAX,
    Ending.REFUSED,
    Ending.LIMIT,
)
"""The endings that a child may report; only the parent says `killed`."""

_MAX_FURTHER_REQUESTS: Final = 100
"""Requests beyond its calls, refused ones among them, after which a step is ended."""

_OUTPUT_SLACK_CHARS: Final = 200
"""Kept beyond the allowance of output: the line that says how much was cut out."""

_ERROR_CHARS_PER_OUTPUT: Final = 8
"""An error may have this many times the characters of the output: its traceback quotes the script."""

_MAX_REASON_CHARS: Final = 200


class StepEnd(NamedTuple):
    """How a step ends, and why."""

    ending: Ending
    error: str


@dataclass(slots=True)
class TrialState:
    """What the steps of a trial share on the parent's side."""

    tool_schema: ToolSchema
    host: Host
    limits: Limits
    scratchpad: dict[str, Plain] = field(default_factory=dict)
    """The last snapshot, tagged."""
    flat_scratchpad: dict[str, Plain] = field(default_factory=dict)
    """The last snapshot in JSON's own types."""
    calls: int = 0
    has_answered: bool = False

    def operation(self, name: str) -> Operation | None:
        """Return the operation that scripts may call by this name."""
        operation = self.tool_schema.operation(name)
        if operation is None or operation in self.tool_schema.checks:
            return None
        return operation


class KeptOutput:
    """The printed text of a step, within its allowance."""

    def __init__(self, max_chars: int, on_text: Callable[[str, str], None] | None) -> None:
        self._remaining_chars = max_chars
        self._on_text = on_text
        self._parts: list[str] = []

    def add(self, text: str) -> None:
        """Keep a text, as far as there is room."""
        kept_text = text[: self._remaining_chars]
        self._parts.append(kept_text)
        self._remaining_chars -= len(kept_text)
        if self._on_text is not None and text:
            self._on_text("", kept_text)

    def text(self) -> str:
        """Return all that was kept."""
        return "".join(self._parts)


class Step:
    """One script in its child, or one function of the benchmark there."""

    def __init__(
        self,
        state: TrialState,
        process: TrialProcess,
        on_text: Callable[[str, str], None] | None,
    ) -> None:
        limits = state.limits
        self._state = state
        self._limits = limits
        self._process = process
        self._output = KeptOutput(limits.output_chars + _OUTPUT_SLACK_CHARS, on_text)

        self._started = time.monotonic()
        self._deadline = self._started + limits.step_wall_s + bounds.SCRIPT_GRACE_S
        self._requests = 0
        self._calls = 0
        self._passed_bytes = 0
        """Bytes of messages in both directions."""

        self._in_verify = False
        self._function_calls: int | None = None
        """Calls of the function that is computed; None if none is."""
        self._is_unheard = False
        """True if the child ended while it waited for an answer; the messages that it sent before
        are still to be read."""
        self._early_end: StepEnd | None = None
        """How the step ends, if known before the end of its child is seen."""

    # A script, from its first message to its end

    def run(self, number: int, code: str) -> StepResult:
        """Run a script and return how it ended. `number` pins its randomness."""
        max_chars = self._limits.code_chars
        if len(code) > max_chars:
            text = f"the script has {len(code)} characters; at most {max_chars} are run"
            return self._result(StepEnd(Ending.LIMIT, text))
        if self._process.overrun:
            return self._result(StepEnd(Ending.LIMIT, self._process.overrun))

        try:
            return self._converse(number, code)
        except (Overdue, Forged, Closed, OSError) as error:
            return self._result(self._end_lost_child(error))
        except BaseException:
            # The host failed during a request: the child would wait for its answer.
            self._process.end()
            raise

    def _converse(self, number: int, code: str) -> StepResult:
        """Give the script to the child, and serve its requests until it reports the end."""
        child = self._process.child
        if child is not None and child.reader.has_unread():
            self._process.end()  # Messages after the end of its last step belong to no step.
        self._begin(["step", number, code, self._state.scratchpad])

        message = self._receive()
        while message[0] != "end":
            self._serve(message)
            message = self._receive()
        return self._reported_result(message)

    def _begin(self, message: list[Plain]) -> None:
        """Send a step's first message to the child."""
        child = self._process.ready()
        self._deadline = time.monotonic() + self._limits.step_wall_s + bounds.SCRIPT_GRACE_S
        limit_wait(child.connection, self._deadline)
        send_frame(child.connection, message, bounds.MOST_REQUEST_BYTES)

    def _reported_result(self, message: list[Any]) -> StepResult:
        """Return the result of a step whose child reports the end.

        Raises `Forged` for a report that no child of ours sends.
        """
        match message:
            case ["end", _, _, str(ending), str(error), str(end_of_output), bool(is_spent)]:
                pass
            case _:
                msg = "an end of another form"
                raise Forged(msg)
        if ending not in _CHILD_ENDINGS:
            msg = "an unknown end"
            raise Forged(msg)

        self._output.add(end_of_output)

        # The next step gets a new process: this one ended itself, or has no memory left.
        if ending == Ending.LIMIT or is_spent:
            self._process.end()

        max_chars = _ERROR_CHARS_PER_OUTPUT * self._limits.output_chars
        return self._result(StepEnd(Ending(ending), error[:max_chars]))

    def _result(self, end: StepEnd) -> StepResult:
        """Return the result of the step with what came from the child until now."""
        return StepResult(
            output=self._output.text(),
            error=end.error,
            ending=end.ending,
            scratchpad=self._state.scratchpad,
            calls=self._calls,
            elapsed_ms=(time.monotonic() - self._started) * 1000,
        )

    # A function of the benchmark

    def compute(self, request: list[Plain], *, is_alone: bool) -> dict[str, Plain]:
        """Have the child run a function, and meanwhile serve its calls. Raises `CallError`.

        `request` has the function's name, its arguments and the calls that it need not make.
        Unless it `is_alone`, a script waits for the answer to its call meanwhile.
        """
        if self._process.overrun:
            raise CallError(RESOURCE_EXHAUSTED, self._process.overrun)

        self._function_calls = 0
        try:
            if is_alone:
                self._begin(["function", *request])
            else:
                self._interpose(["run", self._requests, *request])
            return self._function_result()
        except (Overdue, Forged, Closed, OSError) as error:
            end = self._end_lost_child(error)
            code = RESOURCE_EXHAUSTED if end.ending is Ending.LIMIT else INTERNAL
            raise CallError(code, end.error) from None
        except _FunctionFailed:
            raise  # Its process goes on.
        except BaseException:
            # The host failed during a call: the child would wait for its answer.
            self._process.end()
            raise
        finally:
            self._function_calls = None

    def _interpose(self, message: list[Plain]) -> None:
        """Send the child another task while its script waits for an answer."""
        connection = self._process.connected().connection
        send_frame(connection, message, bounds.MOST_REQUEST_BYTES)

    def _function_result(self) -> dict[str, Plain]:
        """Serve the calls of the function, and return the fields of its result.

        Raises `_FunctionFailed` with the function's own error.
        """
        match self._reply("found"):
            case [dict(fields), None]:
                return fields
            case [None, [str(code), str(message)]]:
                raise _FunctionFailed(code, message[: bounds.MOST_REFUSAL_CHARS])
            case _:
                msg = "what a function found in another form"
                raise Forged(msg)

    def _reply(self, kind: str) -> list[Plain]:
        """Serve the child's calls until its reply of this kind, and return the reply's parts."""
        while True:
            match self._receive():
                case [str(name), _, _, *parts] if name == kind:
                    return parts
                case ["end", _, _, Ending.LIMIT, str(reason), _, _]:
                    # The time of the whole step ended first.
                    raise Overdue(reason[:_MAX_REASON_CHARS])
                case ["end", *_]:
                    msg = f"an end before {kind}"
                    raise Forged(msg)
                case message:
                    self._serve(message)

    # The end of a child that reports none

    def _end_lost_child(self, error: Exception) -> StepEnd:
        """End a child that overran, sent a forbidden message or is gone.

        Returns how its step ends.
        """
        child_end = self._process.end()
        if self._early_end is None:
            self._early_end = self._end_after(error, child_end)
        return self._early_end

    def _end_after(self, error: Exception, child_end: ChildEnd) -> StepEnd:
        """Return how a step ends by the parent's `error` and its child's exit code."""
        # The parent ended the child.
        if isinstance(error, Forged):
            text = f"the script's process sent what it may not send ({error}) and was ended"
            return StepEnd(Ending.KILLED, text)
        if isinstance(error, Overdue):
            text = str(error) or f"the step ran longer than {self._limits.step_wall_s:g} s"
            return StepEnd(Ending.LIMIT, text)
        if self._process.interruption:
            return StepEnd(Ending.LIMIT, self._process.interruption)

        # The kernel ended the child: each limit of CPU time has a signal of its own.
        if child_end.code == -signal.SIGXCPU:
            text = f"the trial used more than {self._limits.trial_cpu_s:g} s of CPU"
            return StepEnd(Ending.LIMIT, text)
        if child_end.code == -signal.SIGVTALRM:
            text = f"the step used more than {self._limits.step_cpu_s:g} s of CPU"
            return StepEnd(Ending.LIMIT, text)

        reason = _death_reason(child_end.code)
        text = f"the script's process died ({reason}); what it had at its last call is kept"
        return StepEnd(Ending.KILLED, text)

    # Messages

    def _receive(self) -> list[Any]:
        """Return the next message after taking in its output and its snapshot."""
        reader = self._process.connected().reader
        body = reader.receive_body(self._limits.frame_bytes, self._deadline)
        self._passed_bytes += len(body)
        # A step is told at its limit, and ended at twice as much.
        if self._passed_bytes > 2 * self._limits.step_bytes:
            msg = f"the step passed more than {self._limits.step_bytes} bytes"
            raise Overdue(msg)

        # Every message has its kind and the text printed before it; some have a snapshot, too.
        message = read_message(body)
        if len(message) < 2 or not isinstance(message[0], str) or not isinstance(message[1], str):
            msg = "a frame of another form"
            raise Forged(msg)
        self._output.add(message[1])

        may_have_snapshot = message[0] in _WITH_SNAPSHOT and len(message) > 2
        if may_have_snapshot and message[2] is not None:
            self._keep_snapshot(message[2])
        return message

    def _keep_snapshot(self, snapshot: Any) -> None:
        """Take over the scratchpad that a child sent. Raises `Forged` if it is not one."""
        if not isinstance(snapshot, dict) or snapshot.get(TAG) not in (None, "dict"):
            msg = "a scratchpad that is not a mapping"
            raise Forged(msg)
        try:
            flat = flatten(snapshot)
        except (Damaged, RecursionError) as error:
            raise Forged(str(error)) from error
        assert isinstance(flat, dict)
        self._state.scratchpad = snapshot
        self._state.flat_scratchpad = flat

    def _serve(self, message: list[Any]) -> None:
        """Answer a request; other messages need no answer."""
        kind = message[0]
        if kind in ("out", "keep"):
            return
        self._count_request(message)
        reply = self._reply_to(self._requests, kind, message[4:])
        self._send_reply(self._requests, reply)

    def _count_request(self, message: list[Any]) -> None:
        """Count a request. Raises `Forged` if its number is not the next one, and `Overdue`."""
        next_number = self._requests + 1
        if message[0] not in _REQUESTS or len(message) < 4 or message[3] != next_number:
            msg = "an unknown or repeated request"
            raise Forged(msg)
        self._requests = next_number
        if self._requests > self._limits.step_calls + _MAX_FURTHER_REQUESTS:
            msg = f"the step made more than {self._limits.step_calls} calls"
            raise Overdue(msg)

    def _reply_to(self, number: int, kind: str, parts: list[Any]) -> bytes:
        """Return the message that answers a request, or that says why it is refused."""
        try:
            answer = self._answer_to(kind, parts)
        except UnboundArguments as error:
            return json_bytes(["fail", number, UNBOUND, error.message])
        except CallError as error:
            return json_bytes(["fail", number, str(error.code), str(error.message)])
        except Refusal as error:
            return json_bytes(["fail", number, "refused", str(error)])
        return b'["ok",%d,%b]' % (number, answer)  # The answer is JSON already.

    def _send_reply(self, number: int, reply: bytes) -> None:
        """Send the answer to a request. Raises `Closed` if nobody will read it.

        A child that is gone may have sent more messages before its end. Once in a step they are
        read for a moment, since they may have the end of its output.
        """
        try:
            self._send(number, reply)
        except Closed:
            if self._is_unheard or self._only_reads or self._process.child is None:
                raise
            self._is_unheard = True
            self._deadline = max(self._deadline, time.monotonic() + bounds.SCRIPT_GRACE_S)

    def _send(self, number: int, body: bytes) -> None:
        """Send a message that belongs to request `number`, or a refusal if it is too long."""
        connection = self._process.connected().connection
        # Even after the deadline a child may be told why its call failed.
        limit_wait(connection, max(self._deadline, time.monotonic() + bounds.SCRIPT_GRACE_S))

        is_for_function = self._function_calls is not None
        max_bytes = bounds.MOST_REQUEST_BYTES if is_for_function else self._limits.call_bytes
        try:
            send_body(connection, body, max_bytes)
            self._passed_bytes += len(body)
        except ValueError as error:
            self._passed_bytes += max_bytes
            text = f"the result is too large: {error}"
            refusal: list[Plain] = ["fail", number, RESOURCE_EXHAUSTED, text]
            send_frame(connection, refusal, self._limits.call_bytes)

    # Requests

    @property
    def _only_reads(self) -> str:
        """What the child is in, if that only reads; else empty."""
        if self._function_calls is not None:
            return "a function"
        if self._in_verify:
            return "verify"
        return ""

    def _answer_to(self, kind: str, parts: list[Any]) -> bytes:
        """Return the answer to a request as JSON.

        Raises `CallError` or `Refusal`, which the script gets as an exception, and `Forged` for a
        request of a form that no child of ours sends.
        """
        host = self._state.host
        if self._state.has_answered:
            raise CallError(FAILED_PRECONDITION, "the answer was accepted; the trial is over")

        if kind == "call":
            return self._call(parts)
        if kind == "calls":
            return self._calls_of_function(parts)

        # A function of the benchmark, and `verify`, may neither cite nor submit.
        if self._only_reads:
            text = (
                f"inside {self._only_reads} harness calls only read; {kind} is not possible there"
            )
            raise CallError(PERMISSION_DENIED, text)

        match kind, *parts:
            case "cite", str(path), str(reason):
                spelling = guarded("citing", lambda: str(host.cite(path, reason, "")))
                return json_bytes(spelling)
            case "cite", str(path), [str(reason), str(quote)]:
                spelling = guarded("citing", lambda: str(host.cite(path, reason, quote)))
                return json_bytes(spelling)
            case "answer", bool(is_callable), bool(takes_one):
                return self._answer(Verify(is_callable, takes_one, self._ask_verify))
            case _:
                msg = f"{_REQUESTS[kind]} of another form"
                raise Forged(msg)

    def _call(self, parts: list[Any]) -> bytes:
        """Make a call of the script, or of a function or `verify` in it.

        Its parts are the operation, the positional arguments and the named ones.
        """
        name, positional, named = parts if len(parts) == 3 else (None, None, None)
        operation = self._state.operation(name) if isinstance(name, str) else None
        if operation is None or not isinstance(positional, list) or not isinstance(named, dict):
            msg = "a call that is not declared"
            raise Forged(msg)
        arguments = bound_arguments(operation, positional, named, with_check=True)

        # `check=True` is for this side alone: the host does not know the argument.
        is_checked = operation.takes_check and arguments.pop(CHECK.name) is True

        self._count_call(operation)
        if self._only_reads and self._state.tool_schema.may_change(operation.name, arguments):
            place = self._only_reads
            text = f"inside {place} harness calls only read; {operation.name} may change something"
            raise CallError(PERMISSION_DENIED, text)

        result = self._timed_call(operation, arguments)
        if is_checked:
            check_exit(operation, arguments, result)
        return result.body

    def _count_call(self, operation: Operation) -> None:
        """Count a call. Raises `CallError` if there are too many."""
        limits = self._limits
        if self._function_calls is None:
            self._calls += 1
            self._state.calls += 1
        else:
            self._count_function_calls(1)
            if operation.finds:
                raise CallError(PERMISSION_DENIED, "a function calls no other function")

        text = ""
        if self._calls > limits.step_calls:
            text = f"a step makes at most {limits.step_calls} calls"
        elif self._passed_bytes > limits.step_bytes:
            text = (
                f"the calls of a step pass at most {limits.step_bytes} bytes to and fro; "
                "go on in the next step"
            )
        elif self._state.calls > limits.trial_calls:
            text = f"a trial makes at most {limits.trial_calls} calls"
        if text:
            raise CallError(RESOURCE_EXHAUSTED, text)

    def _timed_call(self, operation: Operation, arguments: dict[str, Plain]) -> ResultFields:
        """Make a call of the host.

        An operation with `longest_s` has time of its own, by which the step's deadline moves on.
        """
        host = self._state.host

        def call() -> Mapping[str, Plain]:
            return host.call(operation.name, arguments, in_verify=self._in_verify)

        began = time.monotonic()
        token = CALL_ENDS.set(max(self._deadline, began + operation.longest_s))
        try:
            return plain_result(operation.name, call)
        finally:
            CALL_ENDS.reset(token)
            elapsed_s = time.monotonic() - began
            self._deadline += min(elapsed_s, operation.longest_s)

    def _count_function_calls(self, calls: int) -> None:
        """Count calls of the function. Raises `CallError` if there are too many."""
        self._function_calls = (self._function_calls or 0) + calls
        if self._function_calls > bounds.MOST_FUNCTION_CALLS:
            maximum = f"{bounds.MOST_FUNCTION_CALLS} calls"
            text = f"the function needs more than {maximum}: read what it needs by hand"
            raise CallError(RESOURCE_EXHAUSTED, text)

    def _calls_of_function(self, parts: list[Any]) -> bytes:
        """Make the calls that a function asks for side by side, and return their outcomes."""
        if self._function_calls is None or len(parts) != 1 or not isinstance(parts[0], list):
            msg = "calls of another form"
            raise Forged(msg)
        calls = _requested_calls(parts[0])
        self._count_function_calls(len(calls))

        host = self._state.host
        token = CALL_ENDS.set(self._deadline)
        try:
            outcomes = guarded("calls", lambda: host.call_all(calls))
        finally:
            CALL_ENDS.reset(token)

        bodies = []
        for (name, _), outcome in zip(calls, outcomes, strict=True):
            bodies.append(_outcome_body(name, outcome))
        return b"[%b]" % b",".join(bodies)

    def _answer(self, verify: Verify) -> bytes:
        """Submit the scratchpad's answer. Raises `Refusal`."""
        host = self._state.host
        guarded("answering", lambda: host.answer(self._state.flat_scratchpad, verify))
        self._state.has_answered = True
        return b"null"

    def _ask_verify(self, is_blank: bool) -> VerifyReply:
        """Have the child call the script's `verify`, and meanwhile serve its calls.

        A `verify` that raises, overruns or breaks its process says no.
        """
        # `verify` has a shorter time of its own within that of the step.
        step_deadline = self._deadline
        verify_deadline = time.monotonic() + self._limits.verify_s + bounds.SCRIPT_GRACE_S
        self._deadline = min(step_deadline, verify_deadline)

        self._in_verify = True
        try:
            return self._verify_reply(is_blank)
        except (Overdue, Forged, Closed, OSError) as error:
            # With a text, it is another limit of the step that was overrun.
            has_passed_deadline = isinstance(error, Overdue) and not str(error)
            if has_passed_deadline and verify_deadline < step_deadline:
                text = f"verify ran longer than {self._limits.verify_s:g} s"
                self._early_end = StepEnd(Ending.LIMIT, text)
            return VerifyReply(False, self._end_lost_child(error).error)
        finally:
            self._in_verify = False
            self._deadline = step_deadline

    def _verify_reply(self, is_blank: bool) -> VerifyReply:
        """Ask the child what `verify` says. Raises as receiving a message does."""
        self._send(self._requests, json_bytes(["verify", self._requests, is_blank]))
        match self._reply("verified"):
            case [bool(says_yes), str(error_text)]:
                return VerifyReply(says_yes, error_text)
            case _:
                msg = "a verify reply of another form"
                raise Forged(msg)


def _requested_calls(requests: list[Any]) -> list[tuple[str, Mapping[str, Plain]]]:
    """Return operations with their arguments. Raises `Forged` for requests of another form."""
    calls: list[tuple[str, Mapping[str, Plain]]] = []
    for request in requests:
        match request:
            case [str(name), dict(arguments)]:
                calls.append((name, arguments))
            case _:
                msg = "calls of another form"
                raise Forged(msg)
    return calls


def _outcome_body(name: str, outcome: Mapping[str, Plain] | CallError) -> bytes:
    """Return the outcome of one of several calls as JSON."""
    if isinstance(outcome, CallError):
        return json_bytes(["fail", str(outcome.code), str(outcome.message)])
    return b'["ok",%b]' % plain_result(name, lambda: outcome).body


def _death_reason(exit_code: int | None) -> str:
    """Return how a process died that no limit ended."""
    if exit_code is None:
        return "its server ended"
    if exit_code >= 0:
        return f"exit code {exit_code}"
    number = -exit_code
    try:
        name = signal.Signals(number).name
    except ValueError:
        name = "real-time"
    return f"signal {number}, {name}"


class _FunctionFailed(CallError):
    """A function reported its failure; its process goes on."""
