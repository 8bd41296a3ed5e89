"""`Sandbox`: the parent's side of one trial. It trusts nothing that its child sends."""

from __future__ import annotations

import json
import re
import signal
import time
from base64 import b64encode
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self
from zoneinfo import TZPATH

from sandbox.harness import fits
from sandbox.host import Ending, Host, Limits, Refusal, StepResult, Verify, VerifyReply
from sandbox.operations import (
    FAILED_PRECONDITION,
    INVALID_ARGUMENT,
    NOT_FOUND,
    PERMISSION_DENIED,
    RESOURCE_EXHAUSTED,
    CallError,
    Effect,
    ExecutableKind,
    Operation,
    Plain,
    Surface,
)
from sandbox.plain import Damaged, flatten
from sandbox.server import UNKNOWN_END, ChildEnd, ChildProcess, ForkServer
from sandbox.setting import Setting
from sandbox.walls import ALL_WALLS, Wall
from sandbox.wire import Closed, Forged, Overdue, frame_limit, read_body, receive_body, send_frame

DEFAULT_LIMITS: Final = Limits()
_ZONE_KEY: Final = re.compile(r"[A-Za-z0-9_+-]+(/[A-Za-z0-9_+-]+)*")
SPARE_REQUESTS: Final = 100
"""How many requests beyond its calls a step may make, refused ones among them, before it is ended."""
GRACE_S: Final = 0.05
"""How long after its deadline a child may take to hand over output and scratchpad before it is killed."""


class Sandbox:
    """Runs the scripts of one trial, one after another, each with fresh names. A context manager."""

    def __init__(  # noqa: PLR0913 - what a trial is made of; all but two have a default or a name
        self,
        surface: Surface,
        host: Host,
        *,
        now: datetime,
        seed: int,
        limits: Limits = DEFAULT_LIMITS,
        walls: frozenset[Wall] = ALL_WALLS,
        server: ForkServer | None = None,
    ) -> None:
        self._surface = surface
        self._host = host
        self._now_us = _microseconds(now)
        self._seed = seed
        self._limits = limits
        self._walls = walls
        self._own_server = server is None
        self._server = ForkServer() if server is None else server
        self._child: ChildProcess | None = None
        self._scratchpad: dict[str, Plain] = {}
        self._steps = 0
        self._calls = 0
        self._cpu_s = 0.0
        self._answered = False
        self._frame_limit = frame_limit(limits)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def scratchpad(self) -> dict[str, Plain]:
        """The last snapshot, in the tagged form of `sandbox.plain`."""
        return self._scratchpad

    def restore(self, scratchpad_tagged: dict[str, Plain], *, steps_done: int | None = None) -> None:
        """Go on from a scratchpad of an earlier process; `steps_done` sets the number that pins the next step."""
        self._scratchpad = dict(scratchpad_tagged)
        if steps_done is not None:
            self._steps = steps_done

    def run(self, code: str, *, step: int | None = None) -> StepResult:
        """Run one script. `step` (from 1) pins its randomness; without it, the step after the last one."""
        self._steps = self._steps + 1 if step is None else step
        return _Step(self, code).run()

    def warm(self) -> None:
        """Have a child ready, so that the first step does not wait for one."""
        self._ready_child()

    def close(self) -> None:
        """End the child, and the server if it is the sandbox's own."""
        self._drop_child()
        if self._own_server:
            self._server.close()

    def _drop_child(self) -> ChildEnd:
        child, self._child = self._child, None
        if child is None:
            return UNKNOWN_END
        child.connection.close()
        end = self._server.end(child)
        self._cpu_s += end.cpu_s
        return end

    def _ready_child(self) -> ChildProcess:
        if self._child is None:
            child = self._server.spawn(with_kernel=Wall.KERNEL in self._walls)
            self._child = child
            left = replace(self._limits, trial_cpu_s=max(self._limits.trial_cpu_s - self._cpu_s, 0.0))
            setting = Setting(self._surface.operations, left, self._now_us, self._seed, self._walls)
            send_frame(child.connection, setting.message(), 1 << 24)
        return self._child


class _Step:
    """One script in its child: reads what the child sends, checks it, answers it."""

    def __init__(self, box: Sandbox, code: str) -> None:
        self._box = box
        self._code = code
        self._limits = box._limits
        self._output: list[str] = []
        self._output_chars = 0
        self._calls = 0
        self._request = 0
        self._in_verify = False
        self._overrun = ""
        self._started = time.monotonic()
        self._deadline = self._started + self._limits.step_wall_s + GRACE_S

    def run(self) -> StepResult:
        """Run it to its end, whatever that is."""
        if len(self._code) > self._limits.code_chars:
            return self._result(
                Ending.LIMIT, f"the script has {len(self._code)} characters; at most {self._limits.code_chars} are run"
            )
        if self._box._cpu_s > self._limits.trial_cpu_s:
            return self._result(Ending.LIMIT, f"the trial used more than {self._limits.trial_cpu_s:g} s of CPU")
        try:
            child = self._box._ready_child()
            child.connection.settimeout(self._limits.step_wall_s)
            message: list[Plain] = ["step", self._box._steps, self._code, self._box._scratchpad]
            send_frame(child.connection, message, self._box._frame_limit + 8 * self._limits.code_chars)
            while True:
                frame = self._receive()
                if frame[0] == "end":
                    return self._ended(frame)
                self._serve(frame)
        except Overdue:
            self._box._drop_child()
            return self._result(
                Ending.LIMIT, self._overrun or f"the step ran longer than {self._limits.step_wall_s:g} s"
            )
        except Forged as error:
            self._box._drop_child()
            return self._result(
                Ending.KILLED, f"the script's process sent what it may not send ({error}) and was ended"
            )
        except (Closed, OSError):
            return self._result(*self._death(self._box._drop_child()))

    def _death(self, end: ChildEnd) -> tuple[Ending, str]:
        """Return how the step ended that lost its child, and why."""
        if self._overrun:
            return Ending.LIMIT, self._overrun
        if end.code == -signal.SIGXCPU:
            return Ending.LIMIT, f"the trial used more than {self._limits.trial_cpu_s:g} s of CPU"
        if end.code == -signal.SIGVTALRM:
            return Ending.LIMIT, f"the step used more than {self._limits.step_cpu_s:g} s of CPU"
        why = "its server ended" if end.code is None else f"exit code {end.code}"
        if end.code is not None and end.code < 0:
            why = f"signal {-end.code}, {signal.Signals(-end.code).name}"
        return (
            Ending.KILLED,
            f"the script's process died ({why}); what it printed and kept before its last call is here",
        )

    def _result(self, ending: Ending, error: str) -> StepResult:
        return StepResult(
            output="".join(self._output),
            error=error,
            ending=ending,
            scratchpad=self._box._scratchpad,
            calls=self._calls,
            elapsed_ms=(time.monotonic() - self._started) * 1000,
        )

    def _ended(self, frame: list[Any]) -> StepResult:
        types = (str, str, bool)
        if len(frame) != 7 or any(type(each) is not kind for each, kind in zip(frame[4:], types, strict=True)):
            msg = "an end of another form"
            raise Forged(msg)
        if frame[3] not in (Ending.FINISHED, Ending.RAISED, Ending.SYNTAX, Ending.REFUSED, Ending.LIMIT):
            msg = "an unknown end"
            raise Forged(msg)
        self._print(frame[5])
        ending = Ending(frame[3])
        if ending is Ending.LIMIT or frame[6]:
            self._box._drop_child()
        return self._result(ending, frame[4][: 8 * self._limits.output_chars])

    def _receive(self) -> list[Any]:
        """Return the next frame once its output and its snapshot are taken in."""
        child = self._box._child
        if child is None:
            raise Closed
        body = receive_body(child.connection, self._box._frame_limit, self._deadline)
        frame = read_body(body)
        if len(frame) < 2 or not isinstance(frame[0], str) or not isinstance(frame[1], str):
            msg = "a frame of another form"
            raise Forged(msg)
        self._print(frame[1])
        if frame[0] in ("call", "cite", "answer", "keep", "end") and len(frame) > 2:
            self._keep(frame[2], len(body))
        return frame

    def _print(self, text: str) -> None:
        if self._output_chars + len(text) > self._limits.output_chars + 200:
            text = text[: max(0, self._limits.output_chars + 200 - self._output_chars)]
        self._output_chars += len(text)
        self._output.append(text)

    def _keep(self, snapshot: Any, frame_bytes: int) -> None:
        if snapshot is None:
            return
        if (
            frame_bytes > self._limits.scratchpad_bytes
            and len(json.dumps(snapshot)) > 2 * self._limits.scratchpad_bytes
        ):
            msg = f"a scratchpad of more than {self._limits.scratchpad_bytes} bytes"
            raise Forged(msg)
        if not isinstance(snapshot, dict):
            msg = "a scratchpad that is no mapping"
            raise Forged(msg)
        try:
            flatten(snapshot)
        except (Damaged, RecursionError) as error:
            raise Forged(str(error)) from error
        self._box._scratchpad = snapshot

    def _serve(self, frame: list[Any]) -> None:
        kind = frame[0]
        if kind in ("out", "keep"):
            return
        if kind not in ("call", "cite", "answer", "zone") or len(frame) != 6 or frame[3] != self._request + 1:
            msg = "an unknown or repeated request"
            raise Forged(msg)
        self._request += 1
        if self._request > self._limits.step_calls + SPARE_REQUESTS:
            self._overrun = f"the step made more than {self._limits.step_calls} calls"
            raise Overdue
        number = self._request
        try:
            reply: list[Plain] = ["ok", number, self._answer_to(kind, frame[4], frame[5])]
        except CallError as error:
            reply = ["fail", number, error.code, error.message]
        except Refusal as error:
            reply = ["fail", number, "refused", str(error)]
        self._send(reply)

    def _send(self, message: list[Plain]) -> None:
        child = self._box._child
        if child is None:
            raise Closed
        try:
            send_frame(child.connection, message, self._limits.call_bytes)
        except ValueError as error:
            fallback: list[Plain] = ["fail", message[1], RESOURCE_EXHAUSTED, f"the result is too large: {error}"]
            send_frame(child.connection, fallback, self._limits.call_bytes)

    def _answer_to(self, kind: str, first: Any, second: Any) -> Plain:
        if kind == "zone":
            return zone_data(first)
        if self._box._answered:
            raise CallError(FAILED_PRECONDITION, "the answer was accepted; the trial is over")
        if kind == "call":
            return self._call(first, second)
        if self._in_verify:
            raise CallError(PERMISSION_DENIED, f"inside verify harness calls only read; {kind} is not possible there")
        if kind == "cite":
            if not isinstance(first, str) or not isinstance(second, str):
                msg = "a citation of another form"
                raise Forged(msg)
            return self._box._host.cite(first, second)
        if not isinstance(first, bool) or not isinstance(second, bool):
            msg = "an answer of another form"
            raise Forged(msg)
        flat = flatten(self._box._scratchpad)
        self._box._host.answer(flat if isinstance(flat, dict) else {}, Verify(first, second, self._ask_verify))
        self._box._answered = True
        return None

    def _call(self, name: Any, arguments: Any) -> dict[str, Plain]:
        operation = self._box._surface.operation(name) if isinstance(name, str) else None
        if operation is None or not isinstance(arguments, dict):
            msg = "a call that is not declared"
            raise Forged(msg)
        check_arguments(operation, arguments)
        self._calls += 1
        self._box._calls += 1
        if self._calls > self._limits.step_calls:
            raise CallError(RESOURCE_EXHAUSTED, f"a step makes at most {self._limits.step_calls} calls")
        if self._box._calls > self._limits.trial_calls:
            raise CallError(RESOURCE_EXHAUSTED, f"a trial makes at most {self._limits.trial_calls} calls")
        if self._in_verify and self._may_change(operation, arguments):
            raise CallError(PERMISSION_DENIED, f"inside verify harness calls only read; {name} may change something")
        return self._box._host.call(operation.name, arguments, in_verify=self._in_verify)

    def _may_change(self, operation: Operation, arguments: dict[str, Plain]) -> bool:
        if operation.effect is Effect.EXECUTES:
            path = arguments.get(operation.subject)
            return self._box._surface.executable_kind(str(path)) is not ExecutableKind.READS
        return operation.effect in (Effect.WRITES, Effect.DELETES)

    def _ask_verify(self, blanked: bool) -> VerifyReply:
        """Have the child call its verify, and serve what that calls meanwhile."""
        before = self._deadline
        self._deadline = min(before, time.monotonic() + self._limits.verify_s + GRACE_S)
        self._in_verify = True
        try:
            self._send(["verify", self._request, blanked])
            while True:
                frame = self._receive()
                if frame[0] == "verified":
                    if len(frame) != 5 or not isinstance(frame[3], bool) or not isinstance(frame[4], str):
                        msg = "a verify reply of another form"
                        raise Forged(msg)
                    return VerifyReply(frame[3], frame[4])
                if frame[0] == "end":
                    msg = "an end inside verify"
                    raise Forged(msg)
                self._serve(frame)
        except Overdue:
            self._overrun = f"verify ran longer than {self._limits.verify_s:g} s"
            self._box._drop_child()
            return VerifyReply(False, self._overrun)
        finally:
            self._in_verify = False
            self._deadline = before


def check_arguments(operation: Operation, arguments: dict[str, Any]) -> None:
    """Raise `CallError` unless the arguments are exactly those that the operation declares, each of its type."""
    if set(arguments) != {each.name for each in operation.parameters}:
        raise CallError(
            INVALID_ARGUMENT, f"{operation.name} takes {', '.join(each.name for each in operation.parameters)}"
        )
    for each in operation.parameters:
        if not fits(each.type, arguments[each.name]):
            raise CallError(INVALID_ARGUMENT, f"{operation.name}: {each.name} is of type {each.type}")


def zone_data(key: object) -> str:
    """Return the compiled data of a time zone in base64. Raises `CallError` for an unknown key."""
    if isinstance(key, str) and _ZONE_KEY.fullmatch(key) and len(key) < 100:
        for folder in TZPATH:
            try:
                data = Path(folder, key).read_bytes()
            except OSError:
                continue
            if data.startswith(b"TZif"):
                return b64encode(data).decode("ascii")
    msg = "no such time zone"
    raise CallError(NOT_FOUND, msg)


def _microseconds(now: datetime) -> int:
    if now.tzinfo is None:
        msg = "now must be timezone-aware"
        raise ValueError(msg)
    whole = now.astimezone(now.tzinfo)
    return int(whole.timestamp()) * 1_000_000 + whole.microsecond
