"""Makes the calls of one trial: each is checked, sent or relived, written down, and learnt from.

    calls.make("read", {"path": "/a.md"})     is sent to the environment -> {"content": "fee: 7"}
    calls.make("books_by", {"author": "A"})   runs code of the benchmark -> {"value": ["/books/b1.json"]}

`Calls.make` has the order of all that may happen to a call.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Final, Protocol, TypeAlias

from controlplane.agent.events import CallEvent, CallRecord
from controlplane.agent.evidence.call_checks import CallChecks, ChangingCall
from controlplane.agent.evidence.environment import Environment, SideBySide
from controlplane.agent.evidence.evidence_log import EvidenceLog
from controlplane.agent.evidence.origins.call_origins import CallOrigins
from controlplane.agent.evidence.tape import TrialJournal
from controlplane.agent.limits.trial_limits import TrialClock, TrialLimits, UsedLimits
from controlplane.gates.quoting import quote
from controlplane.sandbox.interface import (
    CallError,
    Operation,
    Plain,
    argument_notes,
    bound_arguments,
    bounds,
    error_codes,
    guarded,
    plain_result,
)
from controlplane.sandbox.interface.messages import KnownCall

# Sends calls to an environment, and waits for their outcomes.
#
# Most calls are made one after the other. If the environment allows several at a time, reads run
# side by side:
#
#     code                      one at a time            several at a time
#     a = begin(read of /a.md)                           the read starts
#     b = begin(read of /b.md)                           the read starts, too
#     a.outcome()               the read is made         waits for the first read
#     b.outcome()               the read is made         waits for the second read
#
# Nothing is written to the journal here.

_Compute: TypeAlias = Callable[[], Mapping[str, Plain]]
"""Makes a call, or waits for one that runs, and returns its result. May raise anything."""


class CallUnderWay:
    """A call that was sent, and is waited for at most once.

    A call that changes something must not be made twice. So its outcome is kept once it is there.
    """

    __slots__ = ("_compute", "_is_waited_for", "_outcome", "_started_at", "call")

    def __init__(
        self,
        call: CallRecord,
        compute: _Compute | None = None,
        *,
        outcome: CallRecord | None = None,
        started_at: float | None = None,
    ) -> None:
        """`started_at`, a moment of `time.perf_counter`, is given if the call runs already.

        A call whose `outcome` is known, for example from the journal, has no `compute`.
        """
        self.call = call
        """The call with its number in the step, and without its outcome."""
        self._compute = compute
        self._started_at = started_at
        self._outcome = outcome
        self._is_waited_for = False
        """True once somebody has begun to wait, even if the user has interrupted the wait."""

    @property
    def number(self) -> int:
        """The position of the call in its step, from 0."""
        return self.call.number

    def outcome(self) -> CallRecord:
        """Make the call or wait for it, unless that was done, and return it with its outcome.

        Must not be called again after an exception, such as an interrupt by the user.
        """
        if self._outcome is None:
            assert not self._is_waited_for, "the wait for this call was interrupted"
            assert self._compute is not None, "a call without an outcome can be made"
            self._is_waited_for = True
            started_at = self._started_at or time.perf_counter()
            try:
                # Turns any exception, and a result that is not JSON, into a `CallError`.
                result = plain_result(self.call.operation, self._compute)
                outcome = self.call.made(result, _ms_since(started_at))
            except CallError as error:
                outcome = self.call.failed(error, _ms_since(started_at))
            self._outcome = outcome
        return self._outcome

    def result(self) -> Mapping[str, Plain]:
        """Wait for the call like `outcome`, and return its result; empty if it failed."""
        return self.outcome().result or {}

    def await_end(self) -> None:
        """End a call whose outcome nobody needs. One that does not run yet is not made."""
        runs = self._started_at is not None
        if runs and self._outcome is None and not self._is_waited_for:
            with suppress(Exception):
                self.outcome()
        self._is_waited_for = True


def _ms_since(started_at: float) -> float:
    """Return the milliseconds since a moment of `time.perf_counter`."""
    return round((time.perf_counter() - started_at) * 1000, 3)


class _CallSender:
    """Sends the calls of one trial to its environment."""

    def __init__(self, environment: Environment) -> None:
        self.environment = environment
        self._side_by_side: SideBySide | None = None
        """The environment if it allows several reads at a time."""
        is_declared = environment.tool_schema.reads_side_by_side
        if is_declared and isinstance(environment, SideBySide):
            self._side_by_side = environment
        self._early_calls: dict[tuple[str, str], CallUnderWay] = {}
        """The calls of the initial prompt that were started before their turn."""

    def send(self, call: CallRecord, *, runs_beside_others: bool) -> CallUnderWay:
        """Send a call.

        With `runs_beside_others`, which is only for calls that read, the call starts now if the
        environment allows several at a time. Otherwise it is made when its outcome is wanted.
        """
        early = self._early_calls.pop(_early_key(call), None)
        if early is not None:
            early.call = call
            return early
        if runs_beside_others and self._side_by_side is not None:
            return _started_call(call, self._side_by_side)
        # The environment gets a copy, since its code may change it.
        arguments = {name: _copy_of(value) for name, value in call.arguments.items()}
        make = partial(self.environment.call, call.operation, arguments)
        return CallUnderWay(call, make)

    def send_early(self, operation: str, arguments: Mapping[str, Plain]) -> None:
        """Start a call of the initial prompt before its turn. A later `send` takes it over.

        Does nothing if the call may change something, or if calls run one at a time.
        """
        call = CallRecord.planned(self.environment.tool_schema, operation, arguments)
        if self._side_by_side is not None and not call.may_change:
            self._early_calls[_early_key(call)] = _started_call(
                call, self._side_by_side
            )

    def await_early_calls(self) -> None:
        """Wait for early calls that no `send` took over, because the trial ends."""
        for early in self._early_calls.values():
            early.await_end()
        self._early_calls.clear()


def _started_call(call: CallRecord, environment: SideBySide) -> CallUnderWay:
    """Start a call that only reads, which then runs beside others."""
    started_at = time.perf_counter()
    begin = partial(environment.begin, call.operation, dict(call.arguments))
    try:
        # `guarded` turns any exception into a `CallError`.
        wait_for_result = guarded(call.operation, begin)
    except CallError as error:
        return CallUnderWay(call, outcome=call.failed(error, _ms_since(started_at)))
    return CallUnderWay(call, wait_for_result, started_at=started_at)


def _early_key(call: CallRecord) -> tuple[str, str]:
    """Return the key of an early call: `("read", "{'path': '/a.md'}")`.

    If the same arguments come in another order, the key differs. The call is then made
    twice, which does no harm, because it only reads.
    """
    return call.operation, str(call.arguments)


def _copy_of(value: Plain) -> Plain:
    """Return a copy of plain data, of which nothing is shared."""
    if isinstance(value, dict):
        return {name: _copy_of(part) for name, part in value.items()}
    if isinstance(value, list):
        return [_copy_of(part) for part in value]
    return value


_Request: TypeAlias = tuple[str, Mapping[str, Plain]]
"""The operation that a function asks for, with its arguments."""
Answer: TypeAlias = Mapping[str, Plain] | CallError
"""The result of a call, or its error."""

_MOST_AT_A_TIME: Final = 16
"""How many of a function's reads may run at a time. They neither take as long as a hundred reads
in a row, nor flood the environment."""


class _FunctionRunner(Protocol):
    """Runs the functions that a benchmark declares, in another process (`sandbox.Sandbox`)."""

    def compute(
        self,
        function: str,
        arguments: Mapping[str, Plain],
        known_calls: Sequence[KnownCall] = (),
    ) -> Mapping[str, Plain]:
        """Return the result of a function, given as `module:name`. Raises `CallError`.

        The function cannot reach the environment. If it calls `read("/a.md")`, the trial makes
        this call for it, and sends the result to its process. For `known_calls`, the process has
        the results from the start, and does not ask.
        """
        ...


class Calls:
    """Makes the calls of one trial. Used by one thread at a time."""

    def __init__(
        self,
        trial_id: str,
        environment: Environment,
        journal: TrialJournal,
        checks: CallChecks,
        evidence_log: EvidenceLog,
        call_origins: CallOrigins,
    ) -> None:
        self.limits = UsedLimits(TrialLimits(), TrialClock())
        """What the trial may still use. The session sets its own before the first call."""
        self.function_runner: _FunctionRunner | None = None
        """The other process, in which functions run. None if no function can be called."""
        self.sender = _CallSender(environment)
        self.checks = checks
        self._trial_id = trial_id
        self._tool_schema = environment.tool_schema
        self._reader = journal.reader
        """Has the recorded calls, if an earlier process of the trial was killed."""
        self._step = journal.reader.step_log
        self._emit = journal.emit
        self._evidence_log = evidence_log
        self._call_origins = call_origins
        self._function: CallRecord | None = None
        """The call of the function that runs now. The journal names it with each inner call."""

    def make(
        self,
        operation: str,
        arguments: Mapping[str, Plain],
        *,
        in_script: bool = False,
        in_verify: bool = False,
    ) -> dict[str, Plain]:
        """Make a call, and return its result. Raises `CallError` if it is refused, stopped or fails.

        `in_script` is true if a script of the model makes the call; other solvers make theirs
        without a script. `in_verify` is true as well if the script's function `verify` makes it:
        its check of the answer, which may only read.

        What precedes the call, in order:

        1. of a script: no answer is accepted yet, the call is declared, its arguments fit, it changes
           nothing within `verify`, the step has calls and bytes left (`sandbox/parent/requests.py`)
        2. the length of its path, and the trial's limit of calls
        3. if it may change something: the environment's own check, where its values come from, and
           the user (`agent/evidence/call_checks.py`)
        4. of a tool of an MCP server: whether the user allows it, asked by
           `controlplane/mcp/tool_environment.py` and answered by `tool_access.py` beside it
        """
        if self._function is not None:
            # A function asks for this call, while the script that called it waits.
            return self.receive(self.send(self._inner_call(operation, arguments)))

        call = CallRecord.planned(
            self._tool_schema, operation, arguments, in_verify=in_verify
        )

        # Refusals that ask nobody. They are in the journal, but the environment never gets them.
        refused = self._too_long(call) or self._beyond_limit(call)
        if refused is not None:
            return self.receive(self.send(refused))

        # What changes something is checked by the environment's function, and by where its values
        # come from. The user is asked last.
        if call.may_change:
            changing = self.checks.changing_call(call)
            objection = self._environment_objection(changing, in_verify=in_verify)
            if not objection:
                # The environment's check is a call as well, and may have been the trial's last.
                refused = self._beyond_limit(call)
                if refused is not None:
                    return self.receive(self.send(refused))
            objections = [objection]
            # `verify` may change nothing, wherever its values come from: the sandbox sees to that.
            if not in_verify:
                objections.append(
                    self.checks.origin_objection(
                        changing, in_script=in_script, may_ask_user=not objection
                    )
                )
            message = "\n".join(filter(None, objections))
            if message:
                raise CallError(error_codes.FAILED_PRECONDITION, message)
            # If a similar call was stopped before, write what the model did instead.
            self.checks.stops.note_sent(changing.operation, changing.arguments)
            call = call.changed(origins=changing.described_origins)

        # The record answers, or the environment, or a function of the benchmark.
        return self.receive(self.send(call))

    # Refusals and checks

    def _too_long(self, call: CallRecord) -> CallRecord | None:
        """Return a call as refused if its path is too long; None if it is not."""
        declared = self._tool_schema.operation(call.operation)
        path = None if declared is None else call.arguments.get(declared.subject)
        if not isinstance(path, str) or len(path) <= bounds.MOST_PATH_CHARS:
            return None
        reason = (
            f"a path has at most {bounds.MOST_PATH_CHARS} characters: {quote(path)}"
        )
        return call.refused(error_codes.INVALID_ARGUMENT, reason)

    def _beyond_limit(self, call: CallRecord) -> CallRecord | None:
        """Return a call as refused if the trial has no calls left; None if it has.

        A step that is relived goes by its record, whatever the limit is now.
        """
        step = self._step.trial_step
        reason = self.limits.call_refusal(step, call.operation, call.arguments)
        refused = call.refused(error_codes.RESOURCE_EXHAUSTED, reason)
        is_refused = self._reader.refuses_call(refused, is_beyond_limit=bool(reason))
        return refused if is_refused else None

    def _environment_objection(self, call: ChangingCall, *, in_verify: bool) -> str:
        """Return the objection of the environment's own check; empty if there is none."""
        objection_now = ""
        if self.checks.is_environment_asked(call):
            # The check is a function, and called like others.
            question = CallRecord.planned(
                self._tool_schema,
                self.checks.pre_call_check.name,
                {"operation": call.operation, "arguments": call.arguments},
                in_verify=in_verify,
            )
            try:
                value = self.receive(self.send(question)).get("value")
            except CallError:
                value = ""  # The check itself has failed, so it does not object.
            objection_now = value if isinstance(value, str) else ""
        return self.checks.environment_objection(call, objection_now)

    # Sending and receiving

    def send(
        self, call: CallRecord, *, runs_beside_others: bool = False
    ) -> CallUnderWay:
        """Give a call its number, and send it. `receive` waits for its outcome.

        A call that may change something is written to the journal before: if the process is killed
        while it deletes a file, the next one has to know that the file may be gone. If an earlier
        process has recorded the call, or if it is refused, it is not sent.

        With `runs_beside_others`, which is only for calls that read, the call starts at once if
        the environment allows several calls at a time.

        Raises `CallError` in a replay, if the call differs from the recorded one.
        """
        recorded = self._reader.outcome_of(call)
        call = self._step.add_call(call)
        is_in_journal = self._reader.entry_at(call.number, CallRecord) is not None
        if self._is_announced(call) and not is_in_journal:
            self._write(call, was_announced=False)

        declared = self._tool_schema.operation(call.operation)
        is_function = declared is not None and declared.is_function
        if recorded is not None:
            if is_function:
                # It does not run, but its reads count: an answer may cite what they have read.
                self._relive_calls_of(call)
            outcome = recorded.changed(number=call.number, may_change=call.may_change)
            return CallUnderWay(call, outcome=outcome)
        if not call.was_sent:
            return CallUnderWay(call, outcome=call)
        if declared is not None and is_function:
            return CallUnderWay(call, partial(self._compute, declared, call))
        return self.sender.send(call, runs_beside_others=runs_beside_others)

    def receive(
        self, sent: CallUnderWay, *, shown_chars: int | None = None
    ) -> dict[str, Plain]:
        """Wait for a call, write its outcome, learn from it, and return its result.

        `shown_chars` is the number of characters of the result that the initial prompt shows;
        None for a call of a script, which gets the whole result. Raises `CallError`.
        """
        outcome = sent.outcome()
        if shown_chars is not None:
            outcome = outcome.changed(shown_chars=shown_chars)
        recorded = self._reader.entry_at(outcome.number, CallRecord)
        if recorded is None or recorded.is_under_way:
            self._write(outcome, was_announced=self._is_announced(sent.call))
        self._step.add_outcome(outcome)
        self._learn(outcome)
        if outcome.error is not None:
            # It is not kept in a variable: by its traceback, the error refers to this frame, and
            # the frame would refer to the error, so that neither is freed at once.
            raise CallError(outcome.error.code, outcome.error.message)
        return outcome.result or {}

    def await_end(self, calls: Iterable[CallUnderWay]) -> None:
        """Wait until no call runs: neither these, nor those that were started early."""
        for call in calls:
            call.await_end()
        self.sender.await_early_calls()

    def _is_announced(self, call: CallRecord) -> bool:
        """Return True if a call is written before it is sent: it may change something, or is a
        function, which makes calls of its own.
        """
        if not call.was_sent:
            return False
        declared = self._tool_schema.operation(call.operation)
        return call.may_change or (declared is not None and declared.is_function)

    def _write(self, call: CallRecord, *, was_announced: bool) -> None:
        """Write a call to the journal, as far as it has come."""
        event = CallEvent(
            trial_id=self._trial_id,
            step=self._step.number,
            was_announced=was_announced,
            **vars(call),
        )
        self._emit(event)

    def _learn(self, call: CallRecord) -> None:
        """Learn from a call of the current step, which has its outcome.

        Nothing is learnt from a call that was refused before it was sent: it has no result. The
        model does not see what the environment's check reads, so nothing is learnt from that.
        But the objection of the check is shown to the model, so it may support an answer.
        """
        check = self.checks.pre_call_check
        if not call.was_sent or check.is_operation(self._step.function_of(call)):
            return
        if check.is_operation(call.operation):
            if call.result and call.result.get("value"):
                self._evidence_log.add_function_result(
                    call.operation, call.arguments, call.result
                )
            return

        # The check gets the results of the calls for the initial prompt: those of step 0.
        check.learn(call, is_of_initial_prompt=self._step.number == 0)
        # The origins come first: they look up which files the trial wrote before this call.
        self._call_origins.learn(call)
        self._step.notes += self._evidence_log.add_call(call)
        declared = self._tool_schema.operation(call.operation)
        if declared is not None:
            self._step.add_new_notes(argument_notes(declared, call.arguments))

    # Functions of the benchmark
    #
    # A function, such as `books_by(author)`, is code of the benchmark. In the journal, its call has
    # two lines, its start and its end. The reads that it asks for, its *inner calls*, are between:
    #
    #     number 3  books_by("Ann Miller")            starts
    #     number 4  read("/books/b1.json"), outer=3   read for number 3
    #     number 3  books_by("Ann Miller")            ends: {"value": ["/books/b1.json"]}

    def make_all(self, requests: Sequence[_Request]) -> list[Answer]:
        """Make the calls that a function asks for, and return an answer for each, in order.

        They may only read, and run side by side if the environment allows it. They are neither
        checked nor limited, as the solver cannot know how many there are.
        """
        running: list[CallUnderWay] = []  # the calls that were sent, in order
        begun: list[CallUnderWay | CallError] = []
        try:
            for operation, arguments in requests:
                try:
                    call = self._inner_call(operation, arguments)
                except CallError as error:
                    begun.append(error.with_traceback(None))  # refers to no frame
                    continue
                if len(running) >= _MOST_AT_A_TIME:
                    # Wait until the oldest of those that run has ended.
                    running[-_MOST_AT_A_TIME].outcome()
                sent = self.send(call, runs_beside_others=True)
                running.append(sent)
                begun.append(sent)
            return [self._answer_to(call) for call in begun]
        finally:
            self.await_end(running)  # After an exception, some still run.

    def _inner_call(self, operation: str, arguments: Mapping[str, Plain]) -> CallRecord:
        """Return the call that a function asks for. Raises `CallError` if it is refused.

        ("read", {"path": "/books/b1.json"})   -> the call, which is sent
        ("write", {"path": "/a.md", ...})      -> CallError: write is not declared to only read
        ("read", {"file": "/books/b1.json"})   -> CallError: read has no argument file
        """
        declared = self._tool_schema.operation(operation)
        may_read = declared is not None and not declared.is_function
        if declared is not None and may_read:
            arguments = bound_arguments(declared, (), dict(arguments))
        call = CallRecord.planned(
            self._tool_schema,
            operation,
            arguments,
            in_verify=self._function is not None and self._function.in_verify,
            outer=None if self._function is None else self._function.number,
        )
        if not may_read or call.may_change:
            msg = f"{operation} is not declared to only read"
            raise CallError(error_codes.PERMISSION_DENIED, msg)
        too_long = self._too_long(call)
        if too_long is not None and too_long.error is not None:
            raise CallError(too_long.error.code, too_long.error.message)
        return call

    def _answer_to(self, call: CallUnderWay | CallError) -> Answer:
        """Wait for a call, write its outcome, and return its result or its error."""
        if isinstance(call, CallError):
            return call
        try:
            return self.receive(call)
        except CallError as error:
            return error

    def _compute(self, declared: Operation, call: CallRecord) -> Mapping[str, Plain]:
        """Run a function in its process, and return its result. Raises `CallError`."""
        if self.function_runner is None:
            msg = f"there is no process here that could run {declared.name}"
            raise CallError(error_codes.INTERNAL, msg)
        known_calls = self.checks.pre_call_check.known_calls_of(declared.name)
        self._function = call
        try:
            return self.function_runner.compute(
                declared.finds,  # `library.functions:books_by`
                dict(call.arguments),
                known_calls,
            )
        finally:
            self._function = None

    def _relive_calls_of(self, function: CallRecord) -> None:
        """Add the recorded reads of a function, which is itself recorded and does not run."""
        self._function = function
        try:
            for read in self._reader.calls_of_function(function.number):
                self.make_all([(read.operation, read.arguments)])
        finally:
            self._function = None

    # Recorded calls

    def relive(self, recorded: CallRecord) -> dict[str, Plain]:
        """Make a recorded call of a solver again, and return its result. Raises `CallError`.

        It is neither checked nor limited: it has passed that in its trial, in which the calls of
        the environment's check are recorded, too.
        """
        call = CallRecord.planned(
            self._tool_schema,
            recorded.operation,
            recorded.arguments,
            in_verify=recorded.in_verify,
        )
        return self.receive(self.send(call))

    def restore(
        self, recorded: CallRecord, inner_calls: Sequence[CallRecord] = ()
    ) -> None:
        """Add a recorded call at the end of the current step, and learn from its outcome.

        `inner_calls` are those that a function of the benchmark has asked for. They come between
        its call and its outcome.
        """
        call = self._step.add_call(recorded.decided_by(self._tool_schema))
        for inner_call in inner_calls:
            self.restore(inner_call)
        self._step.add_outcome(call)
        self._learn(call)

    def restore_calls_of_verify(self) -> None:
        """Add the recorded calls of a script's `verify` that the step has not relived yet.

        If an answer is rejected now, its own check `verify` does not run. The step relives its
        recorded calls in order, so the others follow those that it has:

            recorded          0  read("/a.md")    1  read("/b.md") in verify    2  read("/c.md")
            the step has      0  read("/a.md")
            added             1  read("/b.md")
        """
        not_relived = self._reader.recorded_step.calls[self._step.call_count :]
        for call in not_relived:
            if not call.in_verify:
                break
            self.restore(call)
