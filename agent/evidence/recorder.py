"""The parts of a trial that make its calls, write them to the journal, and learn from them.

    recorder = new_recorder("t-3", environment, emit, tape=Tape())
    recorder.calls.make("read", {"path": "/a.md"})   -> {"content": "fee: 7"}

The *tape* has the steps of an earlier process, which was killed. They are relived, without making
their calls again. The tape of a new trial, `Tape()`, has none.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial

from controlplane.agent.events import AnswerDone, AnswerSent, CallFailure, Emit
from controlplane.agent.evidence.call_checks import CallChecks
from controlplane.agent.evidence.calls import Calls
from controlplane.agent.evidence.environment import Environment
from controlplane.agent.evidence.evidence_log import EvidenceLog
from controlplane.agent.evidence.origins.call_origins import CallOrigins
from controlplane.agent.evidence.tape import (
    StepLog,
    Tape,
    TapeReader,
    TrialJournal,
    TrialNotices,
)
from controlplane.agent.record.trial_step import TrialStep, calls_by_function
from controlplane.sandbox import Worker
from controlplane.sandbox.interface import CallError, Plain, ToolSchema, guarded

# What became of an answer that a trial sends to its environment.
#
# An environment takes one answer, and refuses others. Each answer has two lines in the journal:
#
#     answer_sent  step 3  "The fee is 7 EUR."
#     answer_done  step 3                         the environment took it, or why it refused it
#
# If the process of the trial was killed, the next one relives the step (one reply of the model). If
# it finds both lines, nothing is sent. If it finds only the first, the answer may not have arrived,
# so it is sent again.


@dataclass(frozen=True, slots=True)
class _AnswerOutcome:
    """What became of an answer: whether the environment took it, or why it did not."""

    result: AnswerDone
    """The event that says whether the environment took the answer."""
    error: CallError | None
    """Why the environment did not take the answer; None if it has one. “Already exists” is no
    refusal: an earlier attempt had sent the answer."""
    was_sent_now: bool
    """False if the answer was not sent, because its step is recorded."""

    @classmethod
    def recorded(cls, result: AnswerDone) -> _AnswerOutcome:
        """Return what became of an answer when its step was recorded."""
        error = None
        if result.error is not None and not result.is_taken:
            error = CallError(result.error.code, result.error.message)
        return cls(result, error, was_sent_now=False)


@dataclass(frozen=True, slots=True)
class Recorder:
    """The parts, which their users call directly: `recorder.calls.make("read", ...)`."""

    trial_id: str
    environment: Environment
    tool_schema: ToolSchema
    """The environment's declaration."""
    worker: Worker | None
    """A process that computes on texts from outside. Without it, this process does that."""
    tape: Tape
    """The recorded steps that the trial relives. Empty in a new trial."""
    tape_reader: TapeReader
    """Finds what the tape has next."""
    checks: CallChecks
    """Judge a call that may change something."""
    calls: Calls
    """Makes calls of the environment, and of the benchmark's functions."""

    # Knows what the calls have shown
    step_log: StepLog  # what has happened in the current step
    evidence_log: EvidenceLog  # what was read, written and executed: may be cited
    call_origins: CallOrigins  # which text has the values of which arguments

    # Does what the tape does not have, and writes it to the journal
    journal: TrialJournal  # citations, submissions and whole steps
    notices: TrialNotices  # messages to the user
    emit: Emit  # writes any event, without a look at the tape

    @property
    def current_step(self) -> TrialStep:
        """The events of the current step. Its calls are kept without their results."""
        return self.step_log.trial_step

    def start_time(self) -> datetime | None:
        """Return the time that scripts see at the start: recorded, or from the environment.

        None if the environment has no clock. A time without a time zone is in UTC. A resumed
        trial sees the same time as before.
        """
        if self.tape.record.has_begun:
            return self.tape.record.start_time
        with suppress(CallError):
            # `guarded` turns any exception of the environment into a `CallError`.
            now = guarded("now", self.environment.now)
            if isinstance(now, datetime):
                return now if now.tzinfo else now.replace(tzinfo=UTC)
        return None

    def begin_early(self, operation: str, arguments: Mapping[str, Plain]) -> None:
        """Start a call of the initial prompt before its turn, so that it runs beside other work.

        `Calls.send` takes it over, once the initial prompt makes the same call. Does nothing if
        the initial prompt is recorded: then the results of its calls are recorded, too.
        """
        if self.tape.record.initial_prompt is None:
            self.calls.sender.send_early(operation, arguments)

    def send_answer(self, answer: AnswerSent) -> _AnswerOutcome:
        """Send an answer to the environment, unless the current step is recorded to have done so.

        A *late* answer comes after all steps.
        """
        is_written = False
        if not answer.late:
            # 2 if two answers of this step were refused: then the third recorded result is next.
            number = len(self.current_step.entries_of(AnswerDone))
            result = self.tape_reader.entry_at(number, AnswerDone)
            if result is None and self.tape_reader.is_complete:
                # The step has ended without this answer, or is replayed, so nothing may be sent or
                # written. The trial goes on as if the answer were taken.
                result = AnswerDone(trial_id=answer.trial_id, step=answer.step)
            if result is not None:
                return _AnswerOutcome.recorded(result)
            is_written = self.tape_reader.entry_at(number, AnswerSent) is not None

        if not is_written:
            self.emit(answer)
        refusal: CallError | None = None
        failure: CallFailure | None = None
        make = partial(
            self.environment.answer, answer.message, answer.outcome, answer.refs
        )
        try:
            # `guarded` turns any exception of the environment into a `CallError`.
            guarded("answer", make)
        except CallError as error:
            refusal = error
            failure = CallFailure(code=str(error.code), message=str(error.message))
        result = AnswerDone(
            trial_id=answer.trial_id, step=answer.step, error=failure, late=answer.late
        )
        self.emit(result)
        error_now = None if result.is_taken else refusal
        return _AnswerOutcome(result, error_now, was_sent_now=True)

    def restore(self, recorded: TrialStep) -> None:
        """Make a recorded step the current one, and learn from it as if it had just happened.

        Its script does not run again. From its submissions, which are only listed here,
        `GatedExit.restore` learns. Raises `ValueError` if the step was interrupted.
        """
        self.step_log.begin(recorded.number)
        summary = recorded.summary
        script_output = summary.output if summary.code else ""
        self.evidence_log.add_script(summary.code, script_output)
        self._restore_calls(recorded)
        # A citation of a file counts only after the call that has read the file.
        for citation in recorded.citations:
            self.evidence_log.add_citation(citation)
        current = self.step_log.trial_step
        current.citations.extend(recorded.citations)
        current.submissions.extend(recorded.submissions)
        current.replies.extend(recorded.replies)

    def _restore_calls(self, recorded: TrialStep) -> None:
        """Add the calls of a step in order, each after what was decided before it was sent.

        A call that a check stopped is not among the calls. What was decided about it has the number
        of the next call. With the calls 0 and 1, this is the order:

            decisions 0, call 0, decisions 1, call 1, decisions 2

        The order matters: the checks look up where the values of a call come from, and then have to
        know what was read before, and not what was read later.
        """
        calls_of_functions = calls_by_function(recorded.calls)
        for number, call in enumerate(recorded.calls):
            self._restore_decisions(recorded, number)
            # A function of the environment may ask for calls, whose `outer` is its own number.
            # They are added together with the call of the function.
            is_of_function = call.outer is not None
            if not is_of_function:
                self.calls.restore(call, calls_of_functions.get(number, ()))
        self._restore_decisions(recorded, len(recorded.calls))

    def _restore_decisions(self, recorded: TrialStep, number: int) -> None:
        """Take over what checks and the user decided before the call of this number was sent.

        If the model repeats a call that was stopped, it insists.
        """
        for approval in recorded.approvals:
            if approval.number == number:
                self.checks.restore_approval(approval)
        for stopped in recorded.stopped:
            if stopped.number == number:
                self.checks.restore_stop(stopped)


def new_recorder(
    trial_id: str,
    environment: Environment,
    emit: Emit,
    *,
    tape: Tape,
    worker: Worker | None = None,
) -> Recorder:
    """Return the recorder of a trial. `emit` writes an event to the journal, a file."""
    schema = environment.tool_schema
    step = StepLog()
    reader = TapeReader(tape, step)
    journal = TrialJournal(reader, emit)
    evidence = EvidenceLog(schema)
    origins = CallOrigins(schema, evidence)
    checks = CallChecks(trial_id, schema, evidence, origins, journal)
    return Recorder(
        trial_id=trial_id,
        environment=environment,
        tool_schema=schema,
        worker=worker,
        tape=tape,
        tape_reader=reader,
        checks=checks,
        calls=Calls(trial_id, environment, journal, checks, evidence, origins),
        step_log=step,
        evidence_log=evidence,
        call_origins=origins,
        journal=journal,
        notices=TrialNotices(tape, emit),
        emit=emit,
    )
