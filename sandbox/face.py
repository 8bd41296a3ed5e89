"""The public names of `sandbox`, which its `__init__` takes from here at their first use."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Final, NamedTuple

from controlplane.sandbox.files.file_paths import content_type, normal_path
from controlplane.sandbox.files.file_tree import FileTree
from controlplane.sandbox.interface import bounds
from controlplane.sandbox.interface.error_codes import (
    INTERNAL,
    RESOURCE_EXHAUSTED,
    CallError,
    Refusal,
)
from controlplane.sandbox.interface.host import (
    Ending,
    Host,
    StepResult,
    Verify,
    VerifyReply,
)
from controlplane.sandbox.interface.isolation_layers import (
    ALL_LAYERS,
    Layer,
    parse_isolation,
)
from controlplane.sandbox.interface.limits import Limits, WorkerLimits
from controlplane.sandbox.interface.messages.child_results import (
    FunctionFault,
    FunctionFields,
    StepReport,
    VerifyResult,
)
from controlplane.sandbox.interface.messages.frames import Closed, Forged, Overdue
from controlplane.sandbox.interface.messages.parent_messages import (
    KnownCall,
    RunFunction,
    RunStep,
    RunVerify,
    Setting,
)
from controlplane.sandbox.interface.parameters import Plain
from controlplane.sandbox.interface.tool_schema import ToolSchema
from controlplane.sandbox.parent.child_process import ChildEnd, SandboxBroken
from controlplane.sandbox.parent.fork_server import (
    ForkServer,
    IsolationReport,
    missing_layer,
    working_layers,
)
from controlplane.sandbox.parent.step import (
    Conversation,
    Exchange,
    LimitExceeded,
    OnPrint,
    TrialState,
)
from controlplane.sandbox.parent.trial_process import TrialProcess
from controlplane.sandbox.parent.worker import Worker

# How a step ends if its child is lost: it exceeded its time, broke the rules, or died.

CHILD_FAILURES: Final = (Overdue, LimitExceeded, Forged, Closed, OSError)
"""Raised if the child exceeded its time (`Overdue`) or another limit (`LimitExceeded`), sent a
forbidden message (`Forged`), or is gone (`Closed`, `OSError`). The step then ends."""

_MAX_REASON_CHARS: Final = 200


class EndedStep(NamedTuple):
    """How a step ended, and why: `StepEnd(Ending.LIMIT, "the step ran longer than 60 s")`."""

    ending: Ending
    """For example `LIMIT` (beyond a limit) or `KILLED` (the child died, or broke the rules)."""
    error: str
    """The reason, as the model is shown it."""


class LostChild:
    """Ends the child of a step, its process, after a failure, and says how the step ends.

    The first reason counts. If the child is lost while it runs a function or the script's
    `verify`, the request of the script that waits for it fails, too, but that is only a
    consequence.
    """

    def __init__(self, process: TrialProcess, limits: Limits) -> None:
        self._process = process
        self._limits = limits
        self._step_end: EndedStep | None = None
        """How the step ends; None while the child is alive."""

    def end_child(self, failure: Exception) -> EndedStep:
        """End a child that exceeded its time, sent a forbidden message or is gone.

        `failure` is one of `CHILD_FAILURES`. Returns how the step ends; if an earlier failure
        has decided that already, as it did.
        """
        child_end = self._process.end()
        if self._step_end is None:
            self._step_end = self._end_after(failure, child_end)
        return self._step_end

    def set_time_over(self, text: str) -> None:
        """Decide that the step ends because its time is over, before its child is ended.

        `text` is the reason. It is more precise than `end_child` could know, which is called
        next.
        """
        self._step_end = EndedStep(Ending.LIMIT, text)

    def _end_after(self, failure: Exception, child_end: ChildEnd) -> EndedStep:
        """Return how a step ends, given the failure of its child and how the child ended."""
        # 1. The parent has a reason of its own to end the child.
        if isinstance(failure, Forged):
            text = f"the script's process sent what it may not send ({failure}) and was ended"
            return EndedStep(Ending.KILLED, text)
        if isinstance(failure, LimitExceeded):
            return EndedStep(Ending.LIMIT, str(failure))
        if isinstance(failure, Overdue):
            text = f"the step ran longer than {self._limits.step_wall_s:g} s"
            return EndedStep(Ending.LIMIT, text)
        if self._process.interruption:
            return EndedStep(Ending.LIMIT, self._process.interruption)

        # 2. The kernel ended the child: each limit of CPU time has its own signal.
        if child_end.code == -signal.SIGXCPU:
            text = f"the trial used more than {self._limits.trial_cpu_s:g} s of CPU"
            return EndedStep(Ending.LIMIT, text)
        if child_end.code == -signal.SIGVTALRM:
            text = f"the step used more than {self._limits.step_cpu_s:g} s of CPU"
            return EndedStep(Ending.LIMIT, text)

        # 3. The child died.
        reason = _death_reason(child_end.code)
        text = f"the script's process died ({reason}); what it had at its last call is kept"
        return EndedStep(Ending.KILLED, text)


def unexpected_message() -> Forged:
    """Return the exception for a result of the child that nothing has requested.

    For example, the child sends a reply of `verify` although `verify` was not called.
    """
    return Forged("a message that nobody waits for")


def early_end(report: StepReport) -> Exception:
    """Return the exception if the child ends the step while a function or `verify` runs.

    A genuine child does so only if the time of the step is over. Any other end is forged.
    Both exceptions are among `CHILD_FAILURES`, for which the step ends.
    """
    if report.ending is Ending.LIMIT:
        return LimitExceeded(report.error[:_MAX_REASON_CHARS])
    return Forged("the end of a step that still runs")


def _death_reason(exit_code: int | None) -> str:
    """Return how a process died: `-11` -> `signal 11, SIGSEGV`."""
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


# Runs a function of the benchmark in the child of a trial.


class _FunctionFailed(CallError):
    """A function of the benchmark reported an error. Its process can still be used."""


class FunctionRun:
    """Runs one function of the benchmark in the child of a trial, an untrusted process.

    A function computes a result by calls of its own, such as the sum of a column over many
    files. It runs alone, or while a script that called it waits for the result.
    """

    def __init__(
        self, process: TrialProcess, exchange: Exchange, lost_child: LostChild
    ) -> None:
        self._process = process
        self._exchange = exchange
        self._lost_child = lost_child

    def compute(self, task: RunFunction, *, is_alone: bool) -> dict[str, Plain]:
        """Run a function in the child, and return the fields of its result.

        If `is_alone`, no script is running. Otherwise the running script called the function
        and waits for its result. Raises `CallError` if the function fails, or if its child is
        lost: the child is then ended.
        """
        if self._process.overrun:  # the trial has used all its CPU time
            raise CallError(RESOURCE_EXHAUSTED, self._process.overrun)

        conversation = self._exchange.conversation
        try:
            with self._exchange.callers.during_function():
                self._exchange.counts.begin_function()
                if is_alone:
                    conversation.begin(task)
                else:
                    conversation.interpose(task)
                return self._result()
        except CHILD_FAILURES as error:
            end = self._lost_child.end_child(error)
            code = RESOURCE_EXHAUSTED if end.ending is Ending.LIMIT else INTERNAL
            raise CallError(code, end.error) from None
        except _FunctionFailed:
            # The function has ended properly, so its process goes on. (The next case would end it.)
            raise
        except BaseException:
            # The host failed during a call. The child waits for an answer that never comes.
            self._process.end()
            raise

    def _result(self) -> dict[str, Plain]:
        """Answer the calls of a function until it returns. Raises `_FunctionFailed` if it fails."""
        match self._exchange.next_result():
            case FunctionFields(fields):
                return fields
            case FunctionFault(code, text):
                raise _FunctionFailed(code, text[: bounds.MOST_REFUSAL_CHARS])
            case StepReport() as report:
                # The step ended before its function did.
                raise early_end(report)
            case _:
                raise unexpected_message()


# Calls the `verify` of a submitted answer, the script's own check, in the child.


class VerifyRun:
    """Calls `verify`, which has a shorter time of its own within the time of the step."""

    def __init__(
        self, exchange: Exchange, lost_child: LostChild, verify_s: float
    ) -> None:
        self._exchange = exchange
        self._lost_child = lost_child
        self._verify_s = verify_s

    def ask(self, is_blank: bool) -> VerifyReply:
        """Call the script's `verify` in the child, and meanwhile answer its calls.

        The reply is negative if `verify` raises an exception, exceeds its time, or breaks
        its process.
        """
        deadline = self._exchange.conversation.deadline
        step_ends_at = deadline.moment
        verify_ends_at = time.monotonic() + self._verify_s + bounds.SCRIPT_GRACE_S
        try:
            with (
                self._exchange.callers.during_verify(),
                deadline.replaced_by(min(step_ends_at, verify_ends_at)),
            ):
                return self._reply(is_blank)
        except CHILD_FAILURES as error:
            if isinstance(error, Overdue) and verify_ends_at < step_ends_at:
                # It would otherwise be said that the step ran too long.
                text = f"verify ran longer than {self._verify_s:g} s"
                self._lost_child.set_time_over(text)
            end = self._lost_child.end_child(error)
            return VerifyReply(False, end.error)

    def _reply(self, is_blank: bool) -> VerifyReply:
        """Ask the child to call `verify`, and answer requests until the reply comes."""
        self._exchange.conversation.send(RunVerify(is_blank))
        match self._exchange.next_result():
            case VerifyResult(reply):
                return reply
            case StepReport() as report:
                # The step ended before `verify` did.
                raise early_end(report)
            case _:
                raise unexpected_message()


# One step of a trial: runs a script, or a function of the benchmark, in the trial's child.
#
# The child is an untrusted process. `Step` gives it the task, answers its requests until
# it reports the end, and reports how the step ended, even if the child exceeded its time,
# died or sent a forbidden message.

_ERROR_CHARS_PER_OUTPUT_CHAR: Final = 8
"""The longest error, as a multiple of the longest output.
It is long because a traceback quotes the script."""


class Step:
    """Runs one script, or one function of the benchmark, in the child of a trial.

    The child is an untrusted process. While the script runs, its requests are answered. It may
    die, exceed its time or send forbidden messages: the step then ends, and the trial goes on.
    """

    def __init__(
        self, state: TrialState, process: TrialProcess, on_print: OnPrint | None
    ) -> None:
        self._state = state
        self._limits = state.limits
        self._process = process
        self._started = time.monotonic()
        self._conversation = Conversation(state, process, on_print)
        self._exchange = Exchange(state, self._conversation, self._run_verify)
        self._lost_child = LostChild(process, state.limits)

    def run(self, number: int, code: str) -> StepResult:
        """Run a script and return its output, and how it ended. `number` pins its randomness.

        What goes wrong in the child is part of the result. Errors of the host are raised.
        """
        end = self._refusal(code)
        if end is None:
            end = self._end_of(RunStep(number, code, self._state.scratchpad))
        return StepResult(
            output=self._conversation.output.text(),
            error=end.error,
            ending=end.ending,
            scratchpad=self._state.scratchpad,
            calls=self._exchange.counts.calls,
            elapsed_ms=(time.monotonic() - self._started) * 1000,
        )

    def compute(self, task: RunFunction, *, is_alone: bool) -> dict[str, Plain]:
        """Run a function in the child, as `FunctionRun.compute` describes."""
        run = FunctionRun(self._process, self._exchange, self._lost_child)
        return run.compute(task, is_alone=is_alone)

    def _run_verify(self, is_blank: bool) -> VerifyReply:
        """Call `verify`, by which the script checks its answer, in the child.

        `is_blank` is true for the call with a blank answer, to which it should say no.
        """
        run = VerifyRun(self._exchange, self._lost_child, self._limits.verify_s)
        return run.ask(is_blank)

    def _refusal(self, code: str) -> EndedStep | None:
        """Return the end of a step whose script is not run; None if it may be run.

        It is not run if it is too long, or if the trial has used all its CPU time.
        """
        max_code_chars = self._limits.code_chars
        if len(code) > max_code_chars:
            text = f"the script has {len(code)} characters; at most {max_code_chars} are run"
            return EndedStep(Ending.LIMIT, text)
        if self._process.overrun:
            return EndedStep(Ending.LIMIT, self._process.overrun)
        return None

    def _end_of(self, task: RunStep) -> EndedStep:
        """Run a script in the child, and return how it ended, also if the child is lost."""
        try:
            report = self._report_of(task)
        except CHILD_FAILURES as error:
            return self._lost_child.end_child(error)
        except BaseException:
            # The host failed during a request. The child waits for an answer that never comes.
            self._process.end()
            raise

        # The next step gets a new process if this one ended itself or has no memory left.
        if report.ending is Ending.LIMIT or report.is_spent:
            self._process.end()

        self._conversation.output.add(report.end_of_output)
        max_error_chars = _ERROR_CHARS_PER_OUTPUT_CHAR * self._limits.output_chars
        return EndedStep(report.ending, report.error[:max_error_chars])

    def _report_of(self, task: RunStep) -> StepReport:
        """Run a script in the child, and return the child's report of its end.

        Raises one of `CHILD_FAILURES` if the child is lost.
        """
        child = self._process.child
        if child is not None and child.reader.has_unread():
            # A genuine child sends nothing between steps, so the child is compromised.
            self._process.end()

        self._conversation.begin(task)
        result = self._exchange.next_result()
        if not isinstance(result, StepReport):
            raise unexpected_message()
        return result


# `Sandbox`: runs the scripts of one trial in an untrusted process.

DEFAULT_LIMITS: Final = Limits()


class Sandbox(AbstractContextManager["Sandbox"]):
    """Runs the scripts of one trial, one after another, in an untrusted process (the child).

    Each script is one step. It begins without the variables of the one before, and keeps
    values in its scratchpad, a dict. `sandbox.run("print(1 + 1)").output` is `2` with a line
    feed. A context manager for one thread.
    """

    def __init__(  # noqa: PLR0913 - the parts of a trial; all but the first two are passed by name
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
        """Fix the time of scripts at `now` (None: there is no clock), and their `seed`.

        `host` answers the calls that `tool_schema` declares. The child comes from `server`; without
        one, the sandbox starts its own.
        """
        self._own_server: ForkServer | None = None
        if server is None:
            self._own_server = ForkServer()
            server = self._own_server
        self._steps = 0
        """The number of the last step."""
        self._running_step: Step | None = None
        """The step whose script runs now; None between the steps."""
        self.on_script: Callable[[str, str], None] | None = None
        """Called as `on_script(code, "")` when a script begins: its output is empty so far."""
        self.on_print: Callable[[str], None] | None = None
        """Called with each text that a script prints."""

        executables = {tool.path: tool.summary for tool in tool_schema.executables}
        setting = Setting(
            tool_schema.operations,
            limits,
            _microseconds(now),
            seed,
            isolation,
            executables,
        )
        self._process = TrialProcess(server, setting)
        self._state = TrialState(tool_schema, host, limits)

    def report_call_ends(self, end_calls_at: Callable[[float], None]) -> None:
        """Have `end_calls_at` called before and after each call of a script.

        It gets the moment, on `time.monotonic()`, by which the call has to end, so that the
        host can give up a slow one in time. After the call it gets infinity.
        """
        self._state.end_calls_at = end_calls_at

    def __exit__(self, *failure: object) -> None:
        self.close()

    @property
    def scratchpad(self) -> dict[str, Plain]:
        """The last scratchpad of the scripts, in encoded form: `{"due": {"$": "date", ...}}`."""
        return self._state.scratchpad

    @property
    def flat_scratchpad(self) -> dict[str, Plain]:
        """The last scratchpad of the scripts, in JSON's own types: `{"due": "2026-01-01"}`."""
        return self._state.flat_scratchpad

    def restore(self, scratchpad_tagged: dict[str, Plain]) -> None:
        """Give the next script a scratchpad of an earlier process, for example of a resumed run.

        `scratchpad_tagged` is in encoded form (`tagged_values`), such as `{"due": {"$":
        "date", "v": "2026-01-01"}}`. If it is not a mapping but, for example, a date,
        `flat_scratchpad` is empty. Raises `Damaged` for another form.
        """
        self._state.restore_scratchpad(scratchpad_tagged)

    def run(self, code: str, *, step: int | None = None) -> StepResult:
        """Run one script, and return its output and how it ended: its errors are not raised.

        `step` is its number, from 1, which pins its randomness. The default is the next one.
        """
        self._steps = self._steps + 1 if step is None else step
        if self.on_script is not None:
            self.on_script(code, "")
        # Forget why the last script was interrupted, if it was.
        self._process.interruption = ""
        self._running_step = Step(self._state, self._process, self.on_print)
        try:
            return self._running_step.run(self._steps, code)
        finally:
            self._running_step = None

    @property
    def peak_memory_bytes(self) -> int | None:
        """The most memory, in bytes, that the trial's process has used so far.

        None if there is no process, or if the system does not report it.
        """
        child = self._process.child
        if child is None:
            return None
        return child.peak_memory_bytes()

    def interrupt(self, reason: str) -> None:
        """End the running script, if there is one, as if it had passed a limit.

        Any thread may call this.
        """
        if self._running_step is not None:
            self._process.interrupt(reason)

    def compute(
        self,
        function: str,
        arguments: Mapping[str, Plain],
        known_calls: Sequence[KnownCall] = (),
    ) -> dict[str, Plain]:
        """Run a function of the benchmark (`module:name`), and return the fields of its result.

        The function runs in the trial's child, and makes calls as a script does. It gets the
        results of the `known_calls` without making them again. Raises `CallError` and
        `SandboxBroken`.
        """
        task = RunFunction(function, dict(arguments), list(known_calls))

        # 1. A script has called the function: the host got the call, and calls this method,
        #    while the script waits in the same child.
        if self._running_step is not None:
            return self._running_step.compute(task, is_alone=False)

        # 2. No script runs: the agent itself wants the result.
        return Step(self._state, self._process, None).compute(task, is_alone=True)

    def ready_child(self) -> None:
        """Start the trial's child if there is none, so that the next step need not wait for it.

        Raises `Closed` and `SandboxBroken`.
        """
        self._process.ready()

    def close(self) -> None:
        """End the child, and the server if it is the sandbox's own."""
        self._process.end()
        if self._own_server is not None:
            self._own_server.close()


def _microseconds(now: datetime | None) -> int | None:
    """Return the microseconds since 1970; None if there is no clock."""
    if now is None:
        return None
    if now.tzinfo is None:
        msg = "now must be timezone-aware"
        raise ValueError(msg)
    return int(now.timestamp()) * 1_000_000 + now.microsecond
