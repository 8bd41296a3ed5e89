"""One step on the parent's side: reads what the child sends, checks it, answers it. It trusts nothing that it reads."""

from __future__ import annotations

import signal
import time
from typing import Any, Final

from sandbox.interface.call_results import guarded, result_text
from sandbox.interface.error_codes import FAILED_PRECONDITION, PERMISSION_DENIED, RESOURCE_EXHAUSTED
from sandbox.interface.host import Ending, Refusal, StepResult, Verify, VerifyReply
from sandbox.interface.operations import CallError, Plain
from sandbox.interface.scratchpad_values import MAX_PARTS, TAG, Damaged, check, flatten
from sandbox.parent.child_messages import read_message
from sandbox.parent.request_checks import check_arguments, zone_data
from sandbox.parent.server_process import ChildEnd
from sandbox.parent.trial_child import Trial
from sandbox.process.frames import (
    Closed,
    Forged,
    Overdue,
    json_text,
    limit_wait,
    send_body,
    send_frame,
)

SPARE_REQUESTS: Final = 100
"""Requests beyond its calls that a step may make, refused ones included, before it is ended."""
GRACE_S: Final = 0.05
"""Seconds after its deadline in which a child may hand over output and scratchpad before it is killed."""
MOST_PARTS: Final = MAX_PARTS + 100
"""Lists and mappings that one message may hold: those of a scratchpad, and of a call."""
MOST_VALUES: Final = 400_000
"""Values that one message may hold: reading it then takes a few dozen MiB at the most."""
MOST_LEVELS: Final = 200
"""Levels of nesting: more than a scratchpad ever has (three for each of its own), and little enough for recursion."""
_OVER_ITS_LAST: Final = (0, -signal.SIGPROF)
"""The exit codes of a child that ends over what the step before left in it: by itself, or while finalizers run."""
_FORGED: Final = "the script's process sent what it may not send ({}) and was ended"


class Step:
    """One script in its child: reads what the child sends, checks it, answers it."""

    def __init__(self, trial: Trial, code: str) -> None:
        self._trial = trial
        self._code = code
        self._limits = trial.setting.limits
        self._output: list[str] = []
        self._output_chars = 0
        self._calls = 0
        self._passed = 0
        """Bytes of messages in both directions."""
        self._request = 0
        self._in_verify = False
        self._is_heard = False
        """The child has sent something since it got the script."""
        self._is_second = False
        """The first child ended over what the step before left in it, and this is the second."""
        self._is_unheard = False
        """The child ended while it waited for an answer; the frames that it sent before are still to be read."""
        self._overrun = ""
        """The limit that ended the child, if it is known before the end is seen."""
        self._forged = ""
        """What the child must not have sent, if it is known before the end is seen."""
        self._started = time.monotonic()
        self._deadline = self._started + self._limits.step_wall_s + GRACE_S

    def run(self) -> StepResult:
        """Run the script and return how it ended."""
        if len(self._code) > self._limits.code_chars:
            return self._result(
                Ending.LIMIT, f"the script has {len(self._code)} characters; at most {self._limits.code_chars} are run"
            )
        if self._trial.cpu_s > self._limits.trial_cpu_s:
            return self._result(Ending.LIMIT, f"the trial used more than {self._limits.trial_cpu_s:g} s of CPU")
        try:
            return self._converse()
        except Overdue:
            self._trial.drop_child()
            return self._result(
                Ending.LIMIT, self._overrun or f"the step ran longer than {self._limits.step_wall_s:g} s"
            )
        except Forged as error:
            self._trial.drop_child()
            return self._result(Ending.KILLED, _FORGED.format(error))
        except (Closed, OSError):
            end = self._trial.drop_child()
            if end.code in _OVER_ITS_LAST and not self._is_heard and not self._is_second:
                self._is_second = True
                return self.run()
            return self._result(*self._death(end))
        except BaseException:
            self._trial.drop_child()  # The host failed in the middle of a request: the child would wait for its answer.
            raise

    def _converse(self) -> StepResult:
        """Give the script to a child, and serve its requests until it reports the end."""
        if self._trial.child is not None and self._trial.child.reader.has_more_to_say():
            self._trial.drop_child()  # What came after the end of its last step belongs to no step.
        child = self._trial.ready_child()
        if not self._is_second:
            self._deadline = time.monotonic() + self._limits.step_wall_s + GRACE_S
        limit_wait(child.connection, self._deadline)
        message: list[Plain] = ["step", self._trial.steps, self._code, self._trial.scratchpad]
        send_frame(child.connection, message, self._trial.frame_limit + 8 * self._limits.code_chars)
        while True:
            started = time.thread_time()
            frame = self._receive()
            if frame[0] == "end":
                return self._ended(frame)
            self._serve(frame)
            self._trial.share.take(time.thread_time() - started)

    def _death(self, end: ChildEnd) -> tuple[Ending, str]:
        """Return how a step ended whose child died, and why."""
        if self._overrun:
            return Ending.LIMIT, self._overrun
        if self._forged:
            return Ending.KILLED, _FORGED.format(self._forged)
        if end.code == -signal.SIGXCPU:
            return Ending.LIMIT, f"the trial used more than {self._limits.trial_cpu_s:g} s of CPU"
        if end.code == -signal.SIGVTALRM:
            return Ending.LIMIT, f"the step used more than {self._limits.step_cpu_s:g} s of CPU"
        why = "its server ended" if end.code is None else f"exit code {end.code}"
        if end.code is not None and end.code < 0:
            names = {each.value: each.name for each in signal.Signals}
            why = f"signal {-end.code}, {names.get(-end.code, 'real-time')}"
        return Ending.KILLED, f"the script's process died ({why}); what it had at its last call is kept"

    def _result(self, ending: Ending, error: str) -> StepResult:
        return StepResult(
            output="".join(self._output),
            error=error,
            ending=ending,
            scratchpad=self._trial.scratchpad,
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
            self._trial.drop_child()
        return self._result(ending, frame[4][: 8 * self._limits.output_chars])

    def _receive(self) -> list[Any]:
        """Return the next frame once its output and its snapshot are taken in."""
        child = self._trial.child
        if child is None:
            raise Closed
        body = child.reader.receive_body(self._trial.frame_limit, self._deadline)
        self._is_heard = True
        self._passed += len(body)
        if self._passed > 2 * self._limits.step_bytes:
            self._overrun = f"the step passed more than {self._limits.step_bytes} bytes"
            raise Overdue
        frame = read_message(body, most_parts=MOST_PARTS, most_values=MOST_VALUES, most_levels=MOST_LEVELS)
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
        most = self._limits.scratchpad_bytes
        if frame_bytes > most and len(json_text(snapshot)) > 2 * most:
            msg = f"a scratchpad of more than {most} bytes"
            raise Forged(msg)
        if not isinstance(snapshot, dict) or snapshot.get(TAG) not in (None, "dict"):
            msg = "a scratchpad that is no mapping"
            raise Forged(msg)
        try:
            check(snapshot)
        except (Damaged, RecursionError) as error:
            raise Forged(str(error)) from error
        self._trial.scratchpad = snapshot

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
            reply = f'["ok",{number},{self._answer_to(kind, frame[4], frame[5])}]'
        except CallError as error:
            reply = json_text(["fail", number, str(error.code), str(error.message)])
        except Refusal as error:
            reply = json_text(["fail", number, "refused", str(error)])
        try:
            self._send(number, reply)
        except Closed:
            if self._is_unheard or self._in_verify or self._trial.child is None:
                raise
            self._is_unheard = True
            self._deadline = max(self._deadline, time.monotonic() + GRACE_S)

    def _send(self, number: int, message: str) -> None:
        child = self._trial.child
        if child is None:
            raise Closed
        limit_wait(child.connection, max(self._deadline, time.monotonic() + GRACE_S))
        try:
            body = message.encode("utf-8", "replace")
            send_body(child.connection, body, self._limits.call_bytes)
            self._passed += len(body)
        except ValueError as error:
            self._passed += self._limits.call_bytes
            fallback: list[Plain] = ["fail", number, RESOURCE_EXHAUSTED, f"the result is too large: {error}"]
            send_frame(child.connection, fallback, self._limits.call_bytes)

    def _answer_to(self, kind: str, first: Any, second: Any) -> str:
        """Return what a request is answered with, as JSON."""
        if kind == "zone":
            return json_text(zone_data(first))
        if self._trial.answered:
            raise CallError(FAILED_PRECONDITION, "the answer was accepted; the trial is over")
        if kind == "call":
            return self._call(first, second)
        if self._in_verify:
            raise CallError(PERMISSION_DENIED, f"inside verify harness calls only read; {kind} is not possible there")
        if kind == "cite":
            match second:
                case str(reason) | [str(reason)]:
                    quote = ""
                case [str(reason), str(quote)]:
                    pass
                case _:
                    msg = "a citation of another form"
                    raise Forged(msg)
            if not isinstance(first, str):
                msg = "a citation of another form"
                raise Forged(msg)
            cited = guarded("citing", lambda: self._trial.host.cite(first, reason, quote))
            return json_text(cited if isinstance(cited, str) else str(cited))
        if not isinstance(first, bool) or not isinstance(second, bool):
            msg = "an answer of another form"
            raise Forged(msg)
        try:
            flat = flatten(self._trial.scratchpad)
        except Damaged as error:
            raise Forged(str(error)) from error
        verify = Verify(first, second, self._ask_verify)
        guarded("answering", lambda: self._trial.host.answer(flat if isinstance(flat, dict) else {}, verify))
        self._trial.answered = True
        return "null"

    def _call(self, name: Any, arguments: Any) -> str:
        operation = self._trial.surface.operation(name) if isinstance(name, str) else None
        if operation is None or not isinstance(arguments, dict):
            msg = "a call that is not declared"
            raise Forged(msg)
        check_arguments(operation, arguments)
        self._calls += 1
        self._trial.calls += 1
        if self._calls > self._limits.step_calls:
            raise CallError(RESOURCE_EXHAUSTED, f"a step makes at most {self._limits.step_calls} calls")
        if self._passed > self._limits.step_bytes:
            msg = f"the calls of a step pass at most {self._limits.step_bytes} bytes to and fro; go on in the next step"
            raise CallError(RESOURCE_EXHAUSTED, msg)
        if self._trial.calls > self._limits.trial_calls:
            raise CallError(RESOURCE_EXHAUSTED, f"a trial makes at most {self._limits.trial_calls} calls")
        if self._in_verify and self._trial.surface.may_change(operation.name, arguments):
            raise CallError(PERMISSION_DENIED, f"inside verify harness calls only read; {name} may change something")
        in_verify = self._in_verify
        return result_text(name, lambda: self._trial.host.call(name, arguments, in_verify=in_verify))

    def _ask_verify(self, blanked: bool) -> VerifyReply:
        """Have the child call its verify, and serve what that calls meanwhile."""
        before, own = self._deadline, time.monotonic() + self._limits.verify_s + GRACE_S
        self._deadline = min(before, own)
        self._in_verify = True
        try:
            self._send(self._request, json_text(["verify", self._request, blanked]))
            while True:
                frame = self._receive()
                if frame[0] == "verified":
                    if len(frame) != 5 or not isinstance(frame[3], bool) or not isinstance(frame[4], str):
                        msg = "a verify reply of another form"
                        raise Forged(msg)
                    return VerifyReply(frame[3], frame[4])
                if len(frame) == 7 and frame[0] == "end" and frame[3] == Ending.LIMIT and isinstance(frame[4], str):
                    raise Overdue(frame[4][:200])  # The step's own time was over first.
                if frame[0] == "end":
                    msg = "an end inside verify"
                    raise Forged(msg)
                self._serve(frame)
        except Overdue as overdue:
            late = ("verify", self._limits.verify_s) if own < before else ("the step", self._limits.step_wall_s)
            self._overrun = str(overdue) or f"{late[0]} ran longer than {late[1]:g} s"
            self._trial.drop_child()
            return VerifyReply(False, self._overrun)
        except Forged as error:
            self._forged = str(error)
            self._trial.drop_child()
            return VerifyReply(False, _FORGED.format(error))
        except (Closed, OSError):
            return VerifyReply(False, "the script's process died inside verify")
        finally:
            self._in_verify = False
            self._deadline = before
