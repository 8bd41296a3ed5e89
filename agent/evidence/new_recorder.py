"""Puts together the parts of a trial that make its calls, and learn from them.

recorder = new_recorder("t-3", environment, emit, tape=Tape())
recorder.calls.make("read", {"path": "/a.md"})   -> {"content": "fee: 7"}

The *tape* has the steps of an earlier process, which was killed. They are repeated, without making
their calls again. The tape of a new trial, `Tape()`, has none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from controlplane.agent.events import CallRecord, Emit
from controlplane.agent.evidence.calls import (
    CallLearner,
    LiveCalls,
    PreCallCheck,
    StepLog,
)
from controlplane.agent.evidence.checks import (
    CallChecks,
    EnvironmentCheck,
    Insistence,
    ListedArguments,
    OriginCheck,
    UserApproval,
)
from controlplane.agent.evidence.environment import Environment
from controlplane.agent.evidence.log.evidence_log import EvidenceLog
from controlplane.agent.evidence.origins.call_origins import CallOrigins
from controlplane.agent.evidence.sending import (
    CallJournal,
    CallSender,
    FunctionCaller,
    FunctionProcess,
    InnerCalls,
    TrialCalls,
)
from controlplane.agent.evidence.tape import Tape, TapeReader, TrialJournal
from controlplane.agent.evidence.tape.call_stops import CallStops, StopEvents
from controlplane.agent.evidence.tape.tape import TrialNotices, TrialStart
from controlplane.agent.evidence.tape.tape_reader import Approvals
from controlplane.agent.evidence.tape.trial_answers import TrialAnswers
from controlplane.agent.record.trial_step import TrialStep, calls_by_function
from controlplane.sandbox import Worker
from controlplane.sandbox.interface import ToolSchema

# Puts together the two checks of a call that may change something, such as `pay(amount=500)`.
#
#     `EnvironmentCheck`   the environment's own function objects: "the limit is 420"
#     `OriginCheck`        objects if the amount is only in a mail, which may want to trick the model
#
# If one of them objects, the call is *stopped*: it is not sent, and the model reads why. Then the
# model may insist by making the same call again, or the user is asked to approve the call.


def _new_checks(
    trial_id: str,
    journal: TrialJournal,
    learner: CallLearner,
    calls: TrialCalls,
) -> CallChecks:
    """Return the checks of a trial's changing calls.

    `learner` has what the trial knows, and `calls` makes the call of the environment's function.
    `journal` gets what the checks decide, unless an earlier process of the trial has recorded it.
    """
    step = learner.step
    call_origins = learner.call_origins
    # The calls that were stopped, which both checks must know: the model may make them again.
    stops = CallStops(StopEvents(trial_id, step), journal)
    environment_check = EnvironmentCheck(learner.pre_call_check, calls, stops)

    approvals = Approvals(trial_id, journal.reader, journal.emit)
    origin_check = OriginCheck(
        step,
        insistence=Insistence(call_origins),  # the model's
        approval=UserApproval(call_origins, approvals),
        stops=stops,
    )

    # Writes a path as listings show it, so that a repeated call is found to be the same.
    listed_arguments = ListedArguments(learner.tool_schema, learner.evidence_log)
    return CallChecks(
        listed_arguments=listed_arguments,
        call_origins=call_origins,
        environment_check=environment_check,
        origin_check=origin_check,
        stops=stops,
    )


# Adds recorded calls to a trial, without making them again.
#
# Without this, an answer could not cite what these calls have read. There are two uses:
#
# - A trial whose process was killed in step 3 goes on there. The scripts of steps 1 and 2 do not run
#   again, so `add` adds each of their calls, in order.
# - A recorded step runs again: step 3, or any step of a *replay*, which checks a recorded trial. If
#   its answer is rejected now, its own check `verify` does not run, so `add_calls_of_verify` adds
#   the recorded calls of that check.


@dataclass(frozen=True, slots=True)
class _RestoredCalls:
    """Adds recorded calls to the current step of one trial."""

    step: StepLog
    """The current step, which gets the calls."""
    reader: TapeReader
    """Has the recorded step."""
    learner: CallLearner
    """Learns from the outcome of each call."""

    def add(self, call: CallRecord, requested_calls: Sequence[CallRecord] = ()) -> None:
        """Add a recorded call at the end of the current step, and learn from its outcome.

        `requested_calls` are those that a function of the benchmark has asked for. They come
        between its call and its outcome:

            0  total_fee()      is added without its outcome
            1  read("/a.md")    was asked for by number 0: is added with its outcome
            0  total_fee()      gets its outcome
        """
        number = self.step.add_call(call)
        for requested_call in requested_calls:
            self.add(requested_call)
        self.step.add_outcome(number, call)
        self.learner.learn(call)

    def add_calls_of_verify(self) -> None:
        """Add the recorded calls of a script's `verify` that the step has not repeated yet.

        The step repeats its recorded calls in order, so the others follow those that it has:

            recorded          0  read("/a.md")    1  read("/b.md") in verify    2  read("/c.md")
            the step has      0  read("/a.md")
            added             1  read("/b.md")
        """
        recorded_calls = self.reader.recorded_step.calls
        not_repeated = recorded_calls[self.step.call_count :]
        for call in not_repeated:
            if not call.in_verify:
                break
            self.add(call)


# Takes over what the checks and the user decided about the calls of a recorded step.
#
# A check may have stopped a call, or the user refused it. Such a decision has the number of the call
# that was sent next. In this step, the transfer of 500 was stopped after one call was sent:
#
#     calls     number 0  read("/mail.md")
#               number 1  transfer(amount=50)
#     stopped   number 1  transfer(amount=500)   objection: 500 is only in the text of /mail.md
#
# So it is taken over after call 0, and before call 1. The order matters: the checks look up where
# 500 comes from, and then have to know the mail, and not what was read later.


def _remember_decisions(checks: CallChecks, recorded: TrialStep, number: int) -> None:
    """Take over what was decided in a step before its call with this number was sent.

    The checks remember it: if the model repeats a call that was stopped, it insists.
    """
    for approval in recorded.approvals:
        if approval.number == number:
            checks.remember_approval(approval)
    for stopped in recorded.stopped:
        if stopped.number == number:
            checks.remember_stop(stopped)


# Takes whole recorded steps over into a trial, without running their scripts again.
#
# A trial whose process was killed in step 3 goes on there. Its next process first takes over what
# steps 1 and 2 did, in the same order, so that it knows what the first process knew:
#
#     recorded                       the trial knows from now on
#     a script with its output       which values the script has computed
#     a call that a check stopped    that it may be sent if the model insists
#     read("/docs/fees.md")          that an answer may cite this file


@dataclass(frozen=True, slots=True)
class _RestoredSteps:
    """Takes over the recorded steps of one trial."""

    step_log: StepLog
    """What has happened in the current step: the one that is being taken over."""
    evidence_log: EvidenceLog
    calls: _RestoredCalls
    checks: CallChecks
    """Remembers what was decided about calls."""

    def restore(self, recorded: TrialStep) -> None:
        """Make a recorded step the current one, and learn from it as if it had just happened.

        From its submissions, which are only listed here, `GatedExit.restore` learns. Raises
        `ValueError` if the step was cut off.
        """
        self.step_log.begin(recorded.number)
        summary = recorded.summary
        script_output = summary.output if summary.code else ""
        self.evidence_log.add_script(summary.code, script_output)
        self._add_calls(recorded)
        # A citation of a file counts only after the call that has read the file.
        for citation in recorded.citations:
            self.evidence_log.add_citation(citation)
        current = self.step_log.trial_step
        current.citations.extend(recorded.citations)
        current.submissions.extend(recorded.submissions)
        current.replies.extend(recorded.replies)

    def _add_calls(self, recorded: TrialStep) -> None:
        """Add the calls of a step in order, each after what was decided before it was sent.

        A call that a check stopped is not among the calls. What was decided about it has the number
        of the next call. With the calls 0 and 1, this is the order:

            decisions 0, call 0, decisions 1, call 1, decisions 2
        """
        calls_of_functions = calls_by_function(recorded.calls)
        for number, call in enumerate(recorded.calls):
            _remember_decisions(self.checks, recorded, number)
            # A function of the environment may ask for calls, whose `outer` is its own number.
            # They are added together with the call of the function.
            is_of_function = call.outer is not None
            if not is_of_function:
                self.calls.add(call, calls_of_functions.get(number, ()))
        _remember_decisions(self.checks, recorded, len(recorded.calls))


# The parts of a trial that make its calls, write them to the journal, and learn from them.
#
# A script calls `write("/a.md", "fee 7")`. The parts handle this call in order:
#
#     checks            may stop the call, because it changes something
#     calls             gets the outcome of the call, and writes both to the journal
#     evidence_log      knows from now on that the trial has written /a.md
#     call_origins      knows from now on which texts the call has returned


@dataclass(frozen=True, slots=True)
class Recorder:
    """The parts, which their users call directly: `recorder.calls.make("read", ...)`."""

    # The trial, and what it repeats
    trial_id: str
    tool_schema: ToolSchema
    worker: Worker | None
    """A process that computes on texts from outside. Without it, this process does that."""
    tape: Tape
    """The recorded steps that the trial repeats. Empty in a new trial."""
    tape_reader: TapeReader
    """Finds what the tape has next."""

    # Makes calls
    pre_call_check: PreCallCheck  # a function of the environment that judges calls
    checks: CallChecks  # judge a call that may change something, also by this function
    calls: TrialCalls  # make calls of the environment, and of the benchmark's functions

    # Knows what the calls have shown
    step_log: StepLog  # what has happened in the current step
    evidence_log: EvidenceLog  # what was read, written and executed: may be cited
    call_origins: CallOrigins  # which text has the values of which arguments

    # Does what the tape does not have, and writes it to the journal
    start: TrialStart  # the time at the start
    journal: TrialJournal  # citations, submissions and whole steps
    notices: TrialNotices  # messages to the user
    answers: TrialAnswers
    emit: Emit  # writes any event, without a look at the tape

    # Takes over recorded steps, without making their calls again
    restored_calls: _RestoredCalls
    restored_steps: _RestoredSteps

    @property
    def current_step(self) -> TrialStep:
        """The events of the current step. Its calls are kept without their results."""
        return self.step_log.trial_step


# Puts together what makes the calls of a trial, and records them.
#
# A script's call takes one of two ways. Both end in the journal, which the `CallJournal` writes:
#
#     read("/a.md")   TrialCalls -> CallSender, which sends it to the environment
#     books_by("A")   TrialCalls -> FunctionCaller, which runs code of the benchmark
#
# While the function `books_by` runs, in a process of its own, it asks for further calls: its *inner
# calls*, such as `read("/books/b1.json")`. The `CallSender` sends them, too.


def _new_calls(
    trial_id: str,
    environment: Environment,
    reader: TapeReader,
    emit: Emit,
    learner: CallLearner,
) -> TrialCalls:
    """Return what makes the calls of a trial.

    `reader` has the recorded calls, if an earlier process of the trial was killed: they are neither
    made nor written again. `emit` writes an event to the journal. `learner` learns from the outcome
    of each call.
    """
    journal = CallJournal(trial_id, reader, emit, learner)
    sender = CallSender(journal, LiveCalls(environment))
    inner_calls = InnerCalls(sender, learner.tool_schema)
    functions = FunctionProcess(learner.pre_call_check)
    return TrialCalls(
        tool_schema=learner.tool_schema,
        sender=sender,
        function_caller=FunctionCaller(functions, inner_calls, journal),
        inner_calls=inner_calls,
    )


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
    # The current step, what the tape has of it, and the journal
    step = StepLog(schema)
    reader = TapeReader(tape, step)
    journal = TrialJournal(reader, emit)

    # `learner` adds each call to the evidence, and to the origins of values.
    evidence = EvidenceLog(schema)
    origins = CallOrigins(schema, evidence)
    check = PreCallCheck(schema)
    learner = CallLearner(schema, step, evidence, origins, check)

    # Makes calls, judges them before that, and takes over those on the tape
    calls = _new_calls(trial_id, environment, reader, emit, learner)
    checks = _new_checks(trial_id, journal, learner, calls)
    restored_calls = _RestoredCalls(step, reader, learner)
    return Recorder(
        trial_id=trial_id,
        tool_schema=schema,
        worker=worker,
        emit=emit,
        tape=tape,
        tape_reader=reader,
        step_log=step,
        evidence_log=evidence,
        call_origins=origins,
        pre_call_check=check,
        checks=checks,
        calls=calls,
        start=TrialStart(tape, calls.sender.live),
        journal=journal,
        notices=TrialNotices(tape, emit),
        answers=TrialAnswers(reader, environment, emit),
        restored_calls=restored_calls,
        restored_steps=_RestoredSteps(step, evidence, restored_calls, checks),
    )
