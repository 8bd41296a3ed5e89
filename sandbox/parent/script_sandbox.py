"""`Sandbox`: runs the scripts of one trial, and checks and answers messages of their untrusted process."""

from __future__ import annotations

import signal
import socket
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from datetime import datetime
from typing import Any, Final, NoReturn, TypeAlias

from controlplane.sandbox.interface import bounds
from controlplane.sandbox.interface import error_codes as codes
from controlplane.sandbox.interface.error_codes import CallError, Refusal
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
    ALL_LAYERS,
    CALL_ENDS,
    Ending,
    Host,
    Layer,
    Limits,
    Setting,
    StepResult,
    Verify,
    VerifyReply,
)
from controlplane.sandbox.interface.operations import (
    CHECK,
    Plain,
    UnboundArguments,
    bound_arguments,
    check_exit,
)
from controlplane.sandbox.interface.results import guarded, plain_result
from controlplane.sandbox.interface.tagged_values import TAG, Damaged, flatten
from controlplane.sandbox.interface.tool_schema import ToolSchema
from controlplane.sandbox.parent.fork_server import UNKNOWN_END, ChildEnd, ChildProcess, ForkServer

KnownCall: TypeAlias = tuple[str, Mapping[str, Plain], Mapping[str, Plain]]
"""An operation, its arguments and its result."""
DEFAULT_LIMITS: Final = Limits()
_REQUESTS: Final = {"call": "a call", "calls": "calls", "cite": "a citation", "answer": "an answer"}


class Sandbox(AbstractContextManager["Sandbox"]):
    """Runs the scripts of one trial, one after another, each with fresh names. A context manager for one thread."""

    def __init__(  # noqa: PLR0913 - the parts of a trial; all but two have a default or a name
        self,
        tool_schema: ToolSchema,
        host: Host,
        *,
        now: datetime | None,
        seed: int,
        limits: Limits = DEFAULT_LIMITS,
        isolation: frozenset[Layer] = ALL_LAYERS,
        server: ForkServer | None = None,
    ) -> None:
        self.tool_schema = tool_schema
        self.declared = {each.name: each for each in reversed(tool_schema.operations)}
        self.host = host
        self.limits = limits
        self.child: ChildProcess | None = None
        self.scratchpad: dict[str, Plain] = {}
        """The last snapshot, in the tagged form of `controlplane.sandbox.child.script_values`."""
        self.flat: dict[str, Plain] = {}
        """The last snapshot, flattened."""
        self.calls = 0
        self.cpu_s = 0.0
        """CPU seconds of the children that have ended."""
        self.answered = False
        self.interruption = ""
        """Why the script under way was interrupted; empty if it was not."""
        self._is_running = False
        self.on_text: Callable[[str, str], None] | None = None
        """Gets each script when it begins, and what it prints as it comes: one of both, and an empty text."""
        self._steps = 0
        self.step: Step | None = None
        """The step under way."""
        executables = {
            executable.path: executable.summary for executable in tool_schema.executables
        }
        self._setting = Setting(
            tool_schema.operations, limits, _microseconds(now), seed, isolation, executables
        )
        self._has_own_server = server is None
        self._server = ForkServer() if server is None else server

    def __exit__(self, *failure: object) -> None:
        self.close()

    def restore(self, scratchpad_tagged: dict[str, Plain]) -> None:
        """Continue from a scratchpad of an earlier process."""
        self.scratchpad, flat = dict(scratchpad_tagged), flatten(scratchpad_tagged)
        self.flat = flat if isinstance(flat, dict) else {}

    def run(self, code: str, *, step: int | None = None) -> StepResult:
        """Run one script. `step` (from 1) pins its randomness; the default is the step after the last one."""
        self._steps = self._steps + 1 if step is None else step
        if self.on_text is not None:
            self.on_text(code, "")
        self.interruption, self._is_running = "", True
        try:
            return Step(self, self._steps, code).run()
        finally:
            self._is_running = False

    def interrupt(self, reason: str) -> None:
        """End the script under way, if there is one, as a limit does. Any thread may call."""
        if self._is_running and (child := self.child) is not None:
            self.interruption = reason
            with suppress(OSError):
                child.connection.shutdown(socket.SHUT_RDWR)

    def compute(
        self, function: str, arguments: Mapping[str, Plain], known: Sequence[KnownCall] = ()
    ) -> dict[str, Plain]:
        """Return what a function of the benchmark (`module:name`) finds in the trial's child, by calls of the host.

        It need not make the calls whose results are `known`. A script that runs meanwhile waits. Raises `CallError`,
        and `SandboxBroken`.
        """
        given: list[Plain] = [
            function,
            dict(arguments),
            [[name, {**asked}, {**result}] for name, asked, result in known],
        ]
        return (self.step or Step(self, self._steps, "")).compute(given)

    def close(self) -> None:
        """End the child, and the server if it is the sandbox's own."""
        self.drop_child()
        if self._has_own_server:
            self._server.close()

    def ready_child(self) -> ChildProcess:
        """Return the trial's child, made anew if there is none; the next step does not wait for it then.

        Raises `Closed` and `SandboxBroken`."""
        if self.child is None:
            self.child = self._server.spawn(with_kernel=Layer.KERNEL in self._setting.isolation)
            left = self.limits._replace(trial_cpu_s=max(self.limits.trial_cpu_s - self.cpu_s, 0.0))
            send_frame(
                self.child.connection,
                self._setting._replace(limits=left).message(),
                bounds.MOST_REQUEST_BYTES,
            )
        return self.child

    def drop_child(self) -> ChildEnd:
        """End the trial's child, if it has one, and return how it ended."""
        child, self.child = self.child, None
        end = UNKNOWN_END if child is None else child.end()
        self.cpu_s += end.cpu_s
        return end


def _microseconds(now: datetime | None) -> int | None:
    if now is None:
        return None
    if now.tzinfo is None:
        msg = "now must be timezone-aware"
        raise ValueError(msg)
    return int(now.timestamp()) * 1_000_000 + now.microsecond


class Step:
    """One script in its child: reads, checks and answers the child's messages."""

    def __init__(self, box: Sandbox, number: int, code: str) -> None:
        self._box = box
        self._number = number
        self._code = code
        self._limits = box.limits
        self._frame_bytes = box.limits.frame_bytes
        self._output: list[str] = []
        self._output_chars = 0
        self._calls = 0
        self._passed = 0
        """Bytes of messages in both directions."""
        self._request = 0
        self._in_verify = False
        self._function_calls: int | None = None
        """Calls of the function that is computed; None if none is."""
        self._is_unheard = False
        """True if the child ended while it waited for an answer; the frames sent before are still to be read."""
        self._early_end: tuple[Ending, str] | None = None
        """The end of the step, if known before the end of its child is seen."""
        self._started = time.monotonic()
        self._deadline = self._started + self._limits.step_wall_s + bounds.SCRIPT_GRACE_S

    def run(self) -> StepResult:
        """Run the script and return how it ended."""
        limits = self._limits
        if len(self._code) > limits.code_chars:
            text = (
                f"the script has {len(self._code)} characters; at most {limits.code_chars} are run"
            )
            return self._result(Ending.LIMIT, text)
        if self._box.cpu_s > limits.trial_cpu_s:
            return self._result(
                Ending.LIMIT, f"the trial used more than {limits.trial_cpu_s:g} s of CPU"
            )
        try:
            return self._converse()
        except (Overdue, Forged, Closed, OSError) as error:
            return self._result(*self._lost(error))
        except BaseException:
            self._box.drop_child()  # The host failed during a request: the child would wait for its answer.
            raise

    def _converse(self) -> StepResult:
        """Give the script to a child, and serve its requests until it reports the end."""
        box = self._box
        if box.child is not None and box.child.reader.has_unread():
            box.drop_child()  # Messages after the end of its last step belong to no step.
        self._give(["step", self._number, self._code, box.scratchpad])
        box.step = self
        try:
            while (frame := self._receive())[0] != "end":
                self._serve(frame)
        finally:
            box.step = None
        return self._ended(frame)

    def _give(self, message: list[Plain]) -> None:
        """Send a step's first message to the trial's child."""
        child = self._box.ready_child()
        self._deadline = time.monotonic() + self._limits.step_wall_s + bounds.SCRIPT_GRACE_S
        limit_wait(child.connection, self._deadline)
        send_frame(child.connection, message, bounds.MOST_REQUEST_BYTES)

    def compute(self, given: list[Plain]) -> dict[str, Plain]:
        """Have the child run a function, and meanwhile serve its calls. Raises `CallError`."""
        box, is_alone = self._box, self._box.step is None
        if box.cpu_s > self._limits.trial_cpu_s:
            msg = f"the trial used more than {self._limits.trial_cpu_s:g} s of CPU"
            raise CallError(codes.RESOURCE_EXHAUSTED, msg)
        self._function_calls = 0
        try:
            if is_alone:
                self._give(["function", *given])
            else:
                send_frame(
                    self._connected().connection,
                    ["run", self._request, *given],
                    bounds.MOST_REQUEST_BYTES,
                )
            return self._found()
        except (Overdue, Forged, Closed, OSError) as error:
            ending, text = self._lost(error)
            code = codes.RESOURCE_EXHAUSTED if ending is Ending.LIMIT else codes.INTERNAL
            raise CallError(code, text) from None
        except _FunctionFailed:
            raise
        except BaseException:
            box.drop_child()
            raise
        finally:
            self._function_calls = None

    def _found(self) -> dict[str, Plain]:
        match self._reply("found"):
            case [dict(fields), None]:
                return fields
            case [None, [str(code), str(message)]]:
                raise _FunctionFailed(code, message[: bounds.MOST_REFUSAL_CHARS])
            case _:
                msg = "what a function found in another form"
                raise Forged(msg)

    def _reply(self, kind: str) -> list[Plain]:
        """Serve the child's calls until its reply of this kind, and return the parts of the reply."""
        while True:
            match self._receive():
                case [str(name), _, _, *parts] if name == kind:
                    return parts
                case ["end", _, _, Ending.LIMIT, str(reason), _, _]:
                    raise Overdue(reason[:200])  # The step's own time ended first.
                case ["end", *_]:
                    _refuse(f"an end before {kind}")
                case frame:
                    self._serve(frame)

    def _lost(self, error: Exception) -> tuple[Ending, str]:
        """End a child that overran, sent a forbidden message or is gone, and return how the step ends."""
        end = self._box.drop_child()
        if self._early_end is not None:
            return self._early_end
        if isinstance(error, Forged):
            lost = (
                Ending.KILLED,
                f"the script's process sent what it may not send ({error}) and was ended",
            )
        elif isinstance(error, Overdue):
            lost = (
                Ending.LIMIT,
                str(error) or f"the step ran longer than {self._limits.step_wall_s:g} s",
            )
        elif self._box.interruption:
            lost = Ending.LIMIT, self._box.interruption
        else:
            lost = self._death(end)
        self._early_end = lost
        return lost

    def _death(self, end: ChildEnd) -> tuple[Ending, str]:
        if end.code == -signal.SIGXCPU:
            return Ending.LIMIT, f"the trial used more than {self._limits.trial_cpu_s:g} s of CPU"
        if end.code == -signal.SIGVTALRM:
            return Ending.LIMIT, f"the step used more than {self._limits.step_cpu_s:g} s of CPU"
        why = "its server ended" if end.code is None else f"exit code {end.code}"
        if end.code is not None and end.code < 0:
            names = {number.value: number.name for number in signal.Signals}
            why = f"signal {-end.code}, {names.get(-end.code, 'real-time')}"
        return (
            Ending.KILLED,
            f"the script's process died ({why}); what it had at its last call is kept",
        )

    def _result(self, ending: Ending, error: str) -> StepResult:
        elapsed_ms = (time.monotonic() - self._started) * 1000
        return StepResult(
            "".join(self._output), error, ending, self._box.scratchpad, self._calls, elapsed_ms
        )

    def _ended(self, frame: list[Any]) -> StepResult:
        match frame:
            case ["end", _, _, str(name), str(error), str(rest), bool(is_spent)]:
                pass
            case _:
                _refuse("an end of another form")
        if name not in (
            Ending.FINISHED,
            Ending.RAISED,
            Ending.SYNTAX,
            Ending.REFUSED,
            Ending.LIMIT,
        ):
            _refuse("an unknown end")
        self._print(rest)
        ending = Ending(name)
        if ending is Ending.LIMIT or is_spent:
            self._box.drop_child()
        return self._result(ending, error[: 8 * self._limits.output_chars])

    def _connected(self) -> ChildProcess:
        if self._box.child is None:
            raise Closed
        return self._box.child

    def _receive(self) -> list[Any]:
        """Return the next frame after taking in its output and its snapshot."""
        body = self._connected().reader.receive_body(self._frame_bytes, self._deadline)
        self._passed += len(body)
        if self._passed > 2 * self._limits.step_bytes:
            msg = f"the step passed more than {self._limits.step_bytes} bytes"
            raise Overdue(msg)
        frame = read_message(body)
        if len(frame) < 2 or not isinstance(frame[0], str) or not isinstance(frame[1], str):
            _refuse("a frame of another form")
        self._print(frame[1])
        if (
            frame[0] in ("call", "cite", "answer", "keep", "end")
            and len(frame) > 2
            and frame[2] is not None
        ):
            self._keep(frame[2])
        return frame

    def _print(self, text: str) -> None:
        room = max(0, self._limits.output_chars + 200 - self._output_chars)
        self._output.append(text[:room])
        self._output_chars += len(self._output[-1])
        if self._box.on_text is not None and text:
            self._box.on_text("", self._output[-1])

    def _keep(self, snapshot: Any) -> None:
        if not isinstance(snapshot, dict) or snapshot.get(TAG) not in (None, "dict"):
            _refuse("a scratchpad that is not a mapping")
        try:
            flat = flatten(snapshot)
        except (Damaged, RecursionError) as error:
            _refuse(str(error))
        assert isinstance(flat, dict)
        self._box.scratchpad, self._box.flat = snapshot, flat

    def _serve(self, frame: list[Any]) -> None:
        kind = frame[0]
        if kind in ("out", "keep"):
            return
        if kind not in _REQUESTS or len(frame) < 4 or frame[3] != self._request + 1:
            _refuse("an unknown or repeated request")
        self._request = number = self._request + 1
        # Max requests beyond its calls that a step may make, including refused ones, before it is ended.
        if number > self._limits.step_calls + 100:
            msg = f"the step made more than {self._limits.step_calls} calls"
            raise Overdue(msg)
        try:
            reply = b'["ok",%d,%b]' % (number, self._answer_to(kind, frame[4:]))
        except CallError as error:
            code = UNBOUND if isinstance(error, UnboundArguments) else str(error.code)
            reply = json_bytes(["fail", number, code, str(error.message)])
        except Refusal as error:
            reply = json_bytes(["fail", number, "refused", str(error)])
        try:
            self._send(number, reply)
        except Closed:
            if self._is_unheard or self._only_reads or self._box.child is None:
                raise
            self._is_unheard = True
            self._deadline = max(self._deadline, time.monotonic() + bounds.SCRIPT_GRACE_S)

    def _send(self, number: int, body: bytes) -> None:
        connection = self._connected().connection
        limit_wait(connection, max(self._deadline, time.monotonic() + bounds.SCRIPT_GRACE_S))
        most = (
            self._limits.call_bytes if self._function_calls is None else bounds.MOST_REQUEST_BYTES
        )
        try:
            send_body(connection, body, most)
            self._passed += len(body)
        except ValueError as error:
            self._passed += most
            fallback: list[Plain] = [
                "fail",
                number,
                codes.RESOURCE_EXHAUSTED,
                f"the result is too large: {error}",
            ]
            send_frame(connection, fallback, self._limits.call_bytes)

    def _answer_to(self, kind: str, parts: list[Any]) -> bytes:
        box = self._box
        if box.answered:
            raise CallError(codes.FAILED_PRECONDITION, "the answer was accepted; the trial is over")
        if kind == "call":
            return self._call(*(parts if len(parts) == 3 else (None, None, None)))
        if kind == "calls":
            return self._calls_of_function(*parts)
        if self._in_verify or self._function_calls is not None:
            msg = f"inside {self._only_reads} harness calls only read; {kind} is not possible there"
            raise CallError(codes.PERMISSION_DENIED, msg)
        match kind, *parts:
            case "cite", str(path), str(reason):
                return json_bytes(guarded("citing", lambda: str(box.host.cite(path, reason, ""))))
            case "cite", str(path), [str(reason), str(quote)]:
                return json_bytes(
                    guarded("citing", lambda: str(box.host.cite(path, reason, quote)))
                )
            case "answer", bool(is_callable), bool(takes_one):
                return self._answer(Verify(is_callable, takes_one, self._ask_verify))
            case _:
                return _refuse(f"{_REQUESTS[kind]} of another form")

    def _call(self, name: Any, given: Any, named: Any) -> bytes:
        box, limits = self._box, self._limits
        declared = box.declared.get(name) if isinstance(name, str) else None
        if declared is None or not isinstance(given, list) or not isinstance(named, dict):
            _refuse("a call that is not declared")
        arguments = bound_arguments(declared, given, named, with_check=True)
        is_checked = declared.takes_check and arguments.pop(CHECK.name) is True
        if self._function_calls is None:
            self._calls += 1
            box.calls += 1
        else:
            self._count_of_function(1)
            if declared.finds:
                raise CallError(codes.PERMISSION_DENIED, "a function calls no other function")
        if self._calls > limits.step_calls:
            raise CallError(
                codes.RESOURCE_EXHAUSTED, f"a step makes at most {limits.step_calls} calls"
            )
        if self._passed > limits.step_bytes:
            msg = f"the calls of a step pass at most {limits.step_bytes} bytes to and fro; go on in the next step"
            raise CallError(codes.RESOURCE_EXHAUSTED, msg)
        if box.calls > limits.trial_calls:
            raise CallError(
                codes.RESOURCE_EXHAUSTED, f"a trial makes at most {limits.trial_calls} calls"
            )
        if self._only_reads and box.tool_schema.may_change(name, arguments):
            msg = f"inside {self._only_reads} harness calls only read; {name} may change something"
            raise CallError(codes.PERMISSION_DENIED, msg)
        began = time.monotonic()
        before = CALL_ENDS.set(max(self._deadline, began + declared.longest_s))
        try:
            fields = plain_result(
                name, lambda: box.host.call(name, arguments, in_verify=self._in_verify)
            )
        finally:
            CALL_ENDS.reset(before)
            self._deadline += min(time.monotonic() - began, declared.longest_s)
        if is_checked:
            check_exit(declared, arguments, fields)
        return fields.body

    @property
    def _only_reads(self) -> str:
        """What the child is in, if that only reads; else empty."""
        return (
            "a function"
            if self._function_calls is not None
            else "verify"
            if self._in_verify
            else ""
        )

    def _count_of_function(self, calls: int) -> None:
        self._function_calls = (self._function_calls or 0) + calls
        if self._function_calls > bounds.MOST_FUNCTION_CALLS:
            msg = f"the function needs more than {bounds.MOST_FUNCTION_CALLS} calls: read what it needs by hand"
            raise CallError(codes.RESOURCE_EXHAUSTED, msg)

    def _calls_of_function(self, given: Any = None, *rest: Any) -> bytes:
        """Make the calls that a function asks for side by side, and return their outcomes."""
        if self._function_calls is None or rest or not isinstance(given, list):
            _refuse("calls of another form")
        calls: list[tuple[str, Mapping[str, Plain]]] = []
        for one in given:
            match one:
                case [str(name), dict(arguments)]:
                    calls.append((name, arguments))
                case _:
                    _refuse("calls of another form")
        self._count_of_function(len(calls))
        before = CALL_ENDS.set(self._deadline)
        try:
            outcomes = guarded("calls", lambda: self._box.host.call_all(calls))
        finally:
            CALL_ENDS.reset(before)
        return b"[%b]" % b",".join(
            _outcome(name, outcome) for (name, _), outcome in zip(calls, outcomes, strict=True)
        )

    def _answer(self, verify: Verify) -> bytes:
        guarded("answering", lambda: self._box.host.answer(self._box.flat, verify))
        self._box.answered = True
        return b"null"

    def _ask_verify(self, blanked: bool) -> VerifyReply:
        """Have the child call its verify, and meanwhile serve the calls of verify."""
        before, own = (
            self._deadline,
            time.monotonic() + self._limits.verify_s + bounds.SCRIPT_GRACE_S,
        )
        self._deadline = min(before, own)
        self._in_verify = True
        try:
            self._send(self._request, json_bytes(["verify", self._request, blanked]))
            match self._reply("verified"):
                case [bool(says_yes), str(error)]:
                    return VerifyReply(says_yes, error)
                case _:
                    _refuse("a verify reply of another form")
        except (Overdue, Forged, Closed, OSError) as error:
            if own < before and isinstance(error, Overdue) and not str(error):
                self._early_end = (
                    Ending.LIMIT,
                    f"verify ran longer than {self._limits.verify_s:g} s",
                )
            return VerifyReply(False, self._lost(error)[1])
        finally:
            self._in_verify = False
            self._deadline = before


def _outcome(name: str, outcome: Mapping[str, Plain] | CallError) -> bytes:
    if isinstance(outcome, CallError):
        return json_bytes(["fail", str(outcome.code), str(outcome.message)])
    return b'["ok",%b]' % plain_result(name, lambda: outcome).body


class _FunctionFailed(CallError):
    """A function reported its failure; its process goes on."""


def _refuse(fault: str) -> NoReturn:
    raise Forged(fault)
