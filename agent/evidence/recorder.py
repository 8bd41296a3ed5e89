"""Makes the calls of a trial, records them, and adds their results to the evidence.

Calls that only read may run side by side. They are recorded in the order in which they
were sent, whichever returns first, so the record is the same in each run.

A resumed or replayed trial repeats recorded steps. The *tape* holds them, so its calls
get their outcomes from the tape and do not reach the environment.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Final

from controlplane.agent.events import (
    CallEvent,
    CallFailure,
    CallRecord,
    Citation,
    Emit,
)
from controlplane.agent.evidence.call_checks import CallChecks
from controlplane.agent.evidence.call_origins import CallOrigins
from controlplane.agent.evidence.environment import (
    Environment,
    Functions,
    KnownCall,
    LiveCalls,
)
from controlplane.agent.evidence.evidence_log import EvidenceLog
from controlplane.agent.evidence.tape import Tape, TapedCalls, TapedJournal, TapedUser
from controlplane.agent.evidence.tape.tape import given_or_empty
from controlplane.agent.trial_record import TrialStep
from controlplane.gates.submission import quote
from controlplane.sandbox import Worker
from controlplane.sandbox.interface import (
    CallError,
    Operation,
    Plain,
    ToolSchema,
    argument_notes,
    bound_arguments,
    bounds,
    error_codes,
    plain_result,
)

SIDE_BY_SIDE: Final = 16
"""How many calls of one function may run at a time."""
MOST_ARGUMENT_CHARS: Final = 1_000_000
"""How many characters of arguments the current step holds in memory. The arguments of
later calls are only in the journal."""
CHARS_BESIDE_AN_ARGUMENT: Final = 60
"""An estimate of the memory that an argument takes besides its text, in characters."""


@dataclass(slots=True)
class CallUnderWay:
    """A call that was sent and is not recorded yet.

    `Recorder.send` creates it, and `Recorder.receive` waits for its outcome and records
    it.
    """

    number: int
    """The position of the call in its step, from 0."""
    call: CallRecord
    """The call without its outcome."""
    wait: Callable[[], CallRecord] | None
    """Waits for the outcome, and returns the call with it. None once it has been
    called."""
    is_running: bool
    """True if the call has started and runs beside others. False if `wait` makes it."""
    is_announced: bool
    """True if the journal has a line that announces the call."""
    finished: CallRecord | None = None
    """The call with its outcome. None until `wait` has returned it."""


@dataclass(frozen=True, slots=True)
class _RunningFunction:
    """A function of the benchmark that runs now. It may ask for calls."""

    number: int
    """The position of the function's own call in its step."""
    in_verify: bool
    """True if the `verify` function of a script has called it."""


class Recorder:
    """Makes the calls of one trial and records them.

    Created when a trial starts, and used by one thread at a time. A call of the solver
    goes through three methods:
    1. `send` announces the call in the journal and begins it.
    2. `receive` waits for its outcome and writes the outcome to the journal.
    3. `add_call` adds the call to the evidence.

    `call` does all three.
    """

    def __init__(
        self,
        trial_id: str,
        environment: Environment,
        emit: Emit,
        *,
        worker: Worker | None = None,
        tape: Tape | None = None,
    ) -> None:
        """`tape` has the recorded steps that the trial repeats. By default there are
        none."""
        self.trial_id = trial_id
        self.environment = environment
        self.tool_schema: ToolSchema = environment.tool_schema
        self.worker = worker
        """A process that computes on texts from outside. Without it, this process does
        that."""

        self.tape = given_or_empty(tape)
        self.emit = emit
        """Writes every event to the journal. For events that are never repeated from
        the tape."""
        self.journal = TapedJournal(self.tape, emit)
        """Writes only those events to the journal that the tape does not have."""
        self.calls_made = TapedCalls(self.tape, LiveCalls(environment))
        """Makes a call in the environment, unless the tape has its outcome."""

        self.evidence_log = EvidenceLog(self.tool_schema)
        """What the trial has read, written and executed so far."""
        self.checks = CallChecks(
            self.tool_schema,
            self.evidence_log,
            self,
            self.journal,
            TapedUser(self.tape),
        )
        """Judges a call that may change something before it is sent."""

        self.trace = TrialStep()
        """What has happened in the current step."""
        self.notes: list[str] = []
        """Messages to the model about the calls of the current step."""
        self._under_way_count = 0
        """How many calls of the current step were sent and are not received yet."""
        self._argument_room = MOST_ARGUMENT_CHARS
        """How many more characters of arguments the current step may hold."""
        self._running_function: _RunningFunction | None = None
        """The function that runs now, if any. All calls that arrive meanwhile come from
        it."""

    @property
    def call_origins(self) -> CallOrigins:
        """Finds where the arguments of the trial's calls come from."""
        return self.checks.call_origins

    @property
    def functions(self) -> Functions | None:
        """Runs the environment's functions. None if no function can be called."""
        return self.calls_made.live.functions

    @functions.setter
    def functions(self, functions: Functions | None) -> None:
        self.calls_made.live.functions = functions

    @property
    def calls(self) -> list[CallRecord]:
        """The calls of the current step, without their results."""
        return self.trace.calls

    def begin_step(self, number: int) -> None:
        """Start a step."""
        self.trace = TrialStep(number)
        self.notes = []
        self._under_way_count = 0
        self._argument_room = MOST_ARGUMENT_CHARS

    @property
    def _next_number(self) -> int:
        """The number of the next call in its step. Calls that are under way have
        numbers, too."""
        return len(self.calls) + self._under_way_count

    # --- Making calls ---

    def call(
        self,
        operation: str,
        arguments: Mapping[str, Plain],
        *,
        in_verify: bool = False,
        origins: Mapping[str, str] | None = None,
    ) -> dict[str, Plain]:
        """Make a call, record it, and return its result. Raises `CallError`.

        `origins` says where each argument of a changing call comes from: `{"amount":
        "asked"}`.
        """
        plain_arguments = dict(arguments)
        declared = self.tool_schema.operation(operation)
        path = plain_arguments.get(declared.subject) if declared else None
        if isinstance(path, str) and len(path) > bounds.MOST_PATH_CHARS:
            msg = (
                f"a path has at most {bounds.MOST_PATH_CHARS} characters: {quote(path)}"
            )
            code = error_codes.INVALID_ARGUMENT
            # This always raises `CallError`, so the call ends here.
            self.refuse(operation, plain_arguments, code, msg, in_verify=in_verify)

        # 1. A call that a running function asks for. `call_all` checks that it only reads.
        if self._running_function is not None:
            outcome = self.call_all([(operation, plain_arguments)])[0]
            if isinstance(outcome, CallError):
                raise outcome
            return dict(outcome)

        # 2. A call of a function of the benchmark. Only functions have `finds`, the place of their
        # code: `module:name`.
        if declared is not None and declared.finds:
            return self._call_function(declared, plain_arguments, in_verify=in_verify)

        # 3. A call of the environment.
        sent = self.send(
            operation, plain_arguments, in_verify=in_verify, origins=origins
        )
        return self.receive(sent)

    def refuse(
        self,
        operation: str,
        arguments: Mapping[str, Plain],
        code: str,
        reason: str,
        *,
        in_verify: bool,
    ) -> None:
        """Record a call that is not sent, and raise its refusal as `CallError`.

        It is recorded so that a replay refuses it, too.
        """
        refused = CallRecord(
            operation=operation,
            arguments=dict(arguments),
            in_verify=in_verify,
            state="not_made",
            error=CallFailure(code=code, message=reason),
        )
        number = self._next_number
        refused = self.calls_made.refused(self.trace.number, number, refused)
        self._write_call(number, refused, was_announced=False)
        self.add_call(refused)  # This raises, because the call has an error.

    def send(
        self,
        operation: str,
        arguments: Mapping[str, Plain],
        *,
        in_verify: bool = False,
        runs_beside_others: bool = False,
        origins: Mapping[str, str] | None = None,
    ) -> CallUnderWay:
        """Send a call, and return it. `receive` waits for its outcome.

        With `runs_beside_others`, which is only for calls that read, the call starts at
        once if the environment allows several calls at a time. Otherwise `receive`
        makes the call.

        Raises `CallError` if this is a replay, and the call differs from the recorded
        one.
        """
        call = self._new_call(
            operation, arguments, in_verify=in_verify, origins=origins
        )
        number = self._next_number
        recorded = self.calls_made.recorded(self.trace.number, number, call)
        is_announced = self._announce(number, call)
        wait = self.calls_made.begin(
            call, recorded, runs_beside_others=runs_beside_others
        )
        self._under_way_count += 1
        is_running = runs_beside_others and self.tool_schema.reads_side_by_side
        return CallUnderWay(number, call, wait, is_running, is_announced)

    def _new_call(
        self,
        operation: str,
        arguments: Mapping[str, Plain],
        *,
        in_verify: bool,
        origins: Mapping[str, str] | None = None,
    ) -> CallRecord:
        """Return a call that is about to be made."""
        function_number = None
        if self._running_function is not None:
            function_number = self._running_function.number
        return CallRecord(
            operation=operation,
            arguments=dict(arguments),
            in_verify=in_verify,
            outer=function_number,
            origins=dict(origins or {}),
            state="under_way",
        )

    def _announce(self, number: int, call: CallRecord) -> bool:
        """Announce a call in the journal. Return False if it needs no announcement.

        If the process ends before the outcome is recorded, the announcement tells the
        next attempt that the call may have happened. A call that only reads is not
        announced: it can be made again.
        """
        declared = self.tool_schema.operation(call.operation)
        may_change = self.tool_schema.may_change(call.operation, call.arguments)
        is_function = declared is not None and bool(
            declared.finds
        )  # It makes calls of its own.
        is_plain_read = declared is not None and not may_change and not is_function
        if is_plain_read:
            return False
        self._write_call(number, call, was_announced=False)
        return True

    def begin_ahead(self, operation: str, arguments: Mapping[str, Plain]) -> None:
        """Begin a call that only reads, before the step that makes it. This saves
        waiting time.

        Records nothing. Does nothing if the environment does not allow calls side by
        side.
        """
        self.calls_made.begin_ahead(operation, arguments)

    def receive(
        self, sent: CallUnderWay, *, shown_chars: int | None = None
    ) -> dict[str, Plain]:
        """Wait for a call, record its outcome, and return its result. Raises
        `CallError`.

        Calls are received in the order in which they were sent. `shown_chars` is the
        number of characters of the result that the initial prompt shows.
        """
        record = self.outcome(sent)
        if shown_chars is not None:
            record = record.changed(shown_chars=shown_chars)
        self._under_way_count -= 1
        self._write_call(sent.number, record, was_announced=sent.is_announced)
        return self.add_call(record)

    def outcome(self, sent: CallUnderWay) -> CallRecord:
        """Wait for a call, and return it with its outcome. `receive` records the
        outcome later."""
        if sent.finished is None:
            assert sent.wait is not None
            wait = sent.wait
            sent.wait = None  # It is called only once, even if it raises.
            sent.finished = wait()
        return sent.finished

    def await_calls(self, calls: Iterable[CallUnderWay]) -> None:
        """Wait for calls whose results are no longer needed, because the trial's work
        has ended."""
        for call in calls:
            if call.is_running and call.wait is not None:
                # The error that ended the trial is reported, not this one.
                with suppress(Exception):
                    self.outcome(call)
        self.calls_made.live.await_ahead()

    def _write_call(
        self, number: int, call: CallRecord, *, was_announced: bool
    ) -> None:
        """Write a call to the journal: its announcement, or the call with its
        outcome."""
        event = CallEvent.of(
            call,
            trial_id=self.trial_id,
            step=self.trace.number,
            number=number,
            was_announced=was_announced,
        )
        self.journal.call(event)

    # --- Functions: calls that make calls of their own ---

    def _call_function(
        self, declared: Operation, arguments: dict[str, Plain], *, in_verify: bool
    ) -> dict[str, Plain]:
        """Make a call of a function, and return its result. Raises `CallError`.

        A function may make calls that only read. The record of a step has the
        function's call first, because it is announced before the function runs. The
        calls that the function makes are added to the evidence before it, because they
        end before it.
        """
        # 1. Announce the call, and reserve its place in the step: the next calls come after it.
        call = self._new_call(declared.name, arguments, in_verify=in_verify)
        number = len(self.calls)
        taped = self.calls_made.taped_function(self.trace.number, number, call)
        self._announce(number, call)
        self.calls.append(call)

        # 2. Run the function, or repeat the recorded calls that it made.
        def run() -> dict[str, Plain]:
            return self._function_result(declared, arguments)

        def repeat_read(read: CallRecord) -> None:
            self.call_all([(read.operation, read.arguments)])

        with self._calls_come_from(_RunningFunction(number, in_verify)):
            finished = self.calls_made.run_function(call, taped, run, repeat_read)

        # 3. Record its outcome.
        self._write_call(number, finished, was_announced=True)
        return self.add_call(finished, number=number)

    @contextmanager
    def _calls_come_from(self, function: _RunningFunction) -> Iterator[None]:
        """Treat the calls that arrive inside the context as calls of a function."""
        self._running_function = function
        try:
            yield
        finally:
            self._running_function = None

    def _function_result(
        self, declared: Operation, arguments: dict[str, Plain]
    ) -> dict[str, Plain]:
        """Run a function in its process, and return its result. Raises `CallError`."""
        functions = self.functions
        if functions is None:
            msg = f"there is no process here that could run {declared.name}"
            raise CallError(error_codes.INTERNAL, msg)
        # The pre-call check need not read again what the initial prompt has read.
        known_calls: tuple[KnownCall, ...] = ()
        if declared.name == self.checks.check_name:
            known_calls = self.checks.shown_files
        function_name = declared.finds  # as `module:name`

        def compute() -> Mapping[str, Plain]:
            return functions.compute(function_name, arguments, known_calls)

        # `plain_result` turns any exception into a `CallError`.
        return plain_result(declared.name, compute)

    def call_all(
        self, calls: Sequence[tuple[str, Mapping[str, Plain]]]
    ) -> list[Mapping[str, Plain] | CallError]:
        """Make the calls that a function asks for, and return the result or the error
        of each.

        If the environment allows it, up to `SIDE_BY_SIDE` of them run at a time. A
        failed call does not end the others, so its error is returned and not raised.
        """
        outcomes: list[Mapping[str, Plain] | CallError] = []
        sent_or_refused: list[CallUnderWay | CallError] = []
        """The calls in order. An error stands for a call that is not allowed."""
        try:
            for operation, arguments in calls:
                if len(sent_or_refused) >= SIDE_BY_SIDE:
                    # All calls before the last `SIDE_BY_SIDE` have ended. Wait for the
                    # first of these, so that the next call can start.
                    oldest_running = sent_or_refused[-SIDE_BY_SIDE]
                    self._wait_for(oldest_running)
                sent_or_refused.append(self._send_for_function(operation, arguments))
            for call in sent_or_refused:
                outcomes.append(self._received_or_error(call))
        finally:
            self.await_calls(
                call for call in sent_or_refused if isinstance(call, CallUnderWay)
            )
        return outcomes

    def _wait_for(self, call: CallUnderWay | CallError) -> None:
        """Wait until a call has ended. It keeps its outcome, and `receive` records it
        later."""
        if isinstance(call, CallUnderWay):
            self.outcome(call)

    def _received_or_error(
        self, call: CallUnderWay | CallError
    ) -> Mapping[str, Plain] | CallError:
        """Record the outcome of a call, and return its result or its error."""
        if isinstance(call, CallError):
            return call
        try:
            return self.receive(call)
        except CallError as error:
            return error

    def _send_for_function(
        self, operation: str, arguments: Mapping[str, Plain]
    ) -> CallUnderWay | CallError:
        """Send a call that a function asks for. If it is not allowed, return an error
        instead.

        A function may only read, and may not call another function.
        """
        declared = self.tool_schema.operation(operation)
        whole_arguments: Mapping[str, Plain] = {}
        try:
            if declared is not None:
                whole_arguments = bound_arguments(declared, (), dict(arguments))
        except CallError as error:
            return error
        may_change = self.tool_schema.may_change(operation, whole_arguments)
        is_function = declared is not None and bool(declared.finds)
        if declared is None or is_function or may_change:
            msg = f"{operation} is not declared to only read"
            return CallError(error_codes.PERMISSION_DENIED, msg)
        function = self._running_function
        in_verify = function is not None and function.in_verify
        return self.send(
            operation, whole_arguments, in_verify=in_verify, runs_beside_others=True
        )

    # --- Adding calls to the evidence ---

    def add_call(
        self, record: CallRecord, *, number: int | None = None
    ) -> dict[str, Plain]:
        """Add a call with its outcome to the evidence, and return its result. Raises
        `CallError`.

        `number` is given for the call of a function. That call is in `calls` already,
        at this position, because the calls that the function made come after it.
        """
        self._keep_in_step(record, number)

        # 1. A refused call, and a call of the pre-call check, are not evidence.
        if record.state == "not_made":
            _raise_failure(record)
        if self._is_of_check(record):
            return self._add_call_of_check(record)

        # 2. Learn first where the values in the result come from. Files that the trial wrote do not
        # count, and `evidence_log.record` is about to add a file that this call wrote.
        self.checks.keep_shown_file(record)
        self.call_origins.learn(record)
        error = (
            CallError(record.error.code, record.error.message) if record.error else None
        )
        notes = self.evidence_log.record(
            record.operation,
            record.arguments,
            record.result,
            error,
            shown_chars=record.shown_chars,
        )

        # 3. Tell the model about the call.
        self.notes.extend(notes)
        self._note_arguments(record)
        _raise_failure(record)
        return record.result or {}

    def _keep_in_step(self, record: CallRecord, number: int | None) -> None:
        """Add a call to the calls of the step, or put it at position `number`.

        The result is left out to save memory: it is in the journal and in the evidence.
        Once the step holds too many arguments, the arguments are left out, too.
        """
        self._argument_room -= _size_of(record.arguments)
        kept = record
        if record.result:
            kept = kept.changed(result={})
        if self._argument_room < 0:
            kept = kept.changed(arguments={})
        if number is None:
            self.calls.append(kept)
        else:
            self.calls[number] = kept

    def _note_arguments(self, record: CallRecord) -> None:
        """Note which arguments do not fit their schema, if the tool itself validates
        arguments."""
        declared = self.tool_schema.operation(record.operation)
        if declared is None:
            return
        for note in argument_notes(declared, record.arguments):
            if note not in self.notes:
                self.notes.append(note)

    def _is_of_check(self, record: CallRecord) -> bool:
        """Return True if a call is the pre-call check, or if the pre-call check made
        it.

        The pre-call check is a function of the environment that judges changing calls.
        """
        outermost = record
        if record.outer is not None:
            # A function made this call. `outer` is the number of the function's own
            # call.
            outermost = self.calls[record.outer]
        check_name = self.checks.check_name  # empty if there is no such check
        return bool(check_name) and outermost.operation == check_name

    def _add_call_of_check(self, record: CallRecord) -> dict[str, Plain]:
        """Return the result of the pre-call check, or of a call that it made. Raises
        `CallError`.

        Files that the check reads are not evidence. Its objection is recorded as a
        function result.
        """
        _raise_failure(record)
        result = record.result or {}
        if record.operation == self.checks.check_name and result.get("value"):
            self.evidence_log.record_function_result(
                record.operation, record.arguments, record.result
            )
        return result

    # --- Adding what an earlier attempt recorded ---
    #
    # `add_call` adds a call that was made now. The methods `restore_...` add recorded
    # ones.

    def restore_calls(self, step: TrialStep) -> None:
        """Add the recorded calls of a whole step to the evidence, without making them.

        The recorded decisions about a call (approved, stopped) are added before the
        call itself.
        """
        reads_by_function = step.inner_calls  # by the number of the function's own call
        for number, record in enumerate(step.calls):
            self._restore_decisions(step, number)
            is_made_by_function = record.outer is not None
            if is_made_by_function:
                continue  # It is added with the call of its function.
            if number in reads_by_function:
                self._restore_function_call(number, record, reads_by_function[number])
            else:
                self.restore_call(record)
        # A stopped call is not in `calls`. If the step ended with one, it has the next
        # number.
        self._restore_decisions(step, len(step.calls))

    def _restore_function_call(
        self, number: int, record: CallRecord, reads: Sequence[CallRecord]
    ) -> None:
        """Add a recorded call of a function, and the calls that the function made
        (`reads`).

        The order is the same as in `_call_function`.
        """
        self.calls.append(record)
        for read in reads:
            self.restore_call(read)
        with suppress(CallError):
            self.add_call(record, number=number)

    def _restore_decisions(self, step: TrialStep, number: int) -> None:
        """Add the recorded decisions of the user and the checks about the call of this
        number."""
        for approval in step.approvals:
            if approval.number == number:
                self.checks.remember_approval(approval)
        for stopped in step.stopped:
            if stopped.number == number:
                self.checks.remember_stop(stopped)

    def restore_call(self, record: CallRecord) -> None:
        """Add one recorded call to the evidence, without making it."""
        with suppress(CallError):
            self.add_call(record)

    def add_citation(self, citation: Citation) -> None:
        """Add a citation to the step, and its quotation to the evidence."""
        self.trace.citations.append(citation)
        if citation.quote and citation.spelling:
            self.evidence_log.add_quotation(citation.spelling, citation.quote)

    def restore_calls_of_verify(self) -> None:
        """Add the recorded calls of a script's `verify` to the evidence, if the step
        has them next.

        `verify` is the script's own check of its answer. It runs only if the gates
        accept the answer. In a replay with stricter gates it may not run, but its
        recorded calls are still evidence.
        """
        for call in self.calls_made.calls_of_verify(self.trace.number, len(self.calls)):
            self.restore_call(call)


def _size_of(arguments: Mapping[str, object]) -> int:
    """Return an estimate of the memory that a call's arguments take, in characters."""
    size = 0
    for argument in arguments.values():
        items = argument if isinstance(argument, list) else [argument]
        for item in items:
            size += CHARS_BESIDE_AN_ARGUMENT
            if isinstance(item, str):
                size += len(item)
    return size


def _raise_failure(record: CallRecord) -> None:
    """Raise the failure of a call as `CallError`. Do nothing if the call succeeded.

    The caller must not keep the error in a variable. The error's traceback refers to
    the caller's variables, so they would keep each other in memory, with all arguments
    of the call.
    """
    if record.error is not None:
        raise CallError(record.error.code, record.error.message)
