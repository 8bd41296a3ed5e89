"""The session of one trial, by which its solver does everything that the journal records.

A *trial* is one attempt to carry out a user's request, such as "What does a lost book cost?":

    with session.step() as step:                          begins a turn of the solver
        session.ask(model.reply_to, request)              the model wants to read a file
        session.call("read", {"path": "/docs/fees.md"})   {"content": "A lost book costs 9 EUR."}
        session.check_citation("/docs/fees.md", "has the fee")
        session.submit(Submission(answer="9 EUR", ...))
        step.done = StepDone(...)                         what only the solver knows

At the end of the block, the step is written. If the trial is resumed or replayed, the solver does
the same again, and gets the recorded results until the record ends.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from typing import Any, Final, TypeAlias

from controlplane.agent.events import (
    Citation,
    CitationAnswered,
    EndpointLearned,
    Judged,
    ModelAsked,
    ModelReplied,
    Noticed,
    StepDone,
    now_ms,
)
from controlplane.agent.evidence.recorder import Recorder
from controlplane.agent.evidence.tape import recorded_reply
from controlplane.agent.gated_exit import GatedExit
from controlplane.agent.judging import GateSettings
from controlplane.agent.limits.spending import LeftOpen, Spending, wait_for_turn
from controlplane.agent.limits.trial_limits import CostLimit, TrialClock, UsedLimits
from controlplane.agent.loop.session.reply_events import (
    Messages,
    messages_of,
    reply_event,
)
from controlplane.agent.loop.session.trial_context import TrialContext
from controlplane.agent.model import (
    ModelError,
    ModelRequest,
    OutOfBudget,
    Reply,
    ReplyPermit,
)
from controlplane.agent.pre_call_rule import is_pre_call_rule_on
from controlplane.agent.record.trial_step import TrialStep
from controlplane.agent.retry import RunBudget, TrialRetry
from controlplane.gates.quoting import quote
from controlplane.gates.submission import Submission
from controlplane.sandbox.interface import (
    Plain,
    ToolSchema,
    bounds,
    parsed_result,
)

# Decides whether a path may be cited as a source of the answer: only if the trial has read it.
#
#     cite "docs/fees.md", which was read     spelling="/docs/fees.md"
#     cite "/docs/new.md", which was not      error="`/docs/new.md` was not read ..."
#
# Both outcomes are recorded. A script could make up a path of any length, which would fill the
# record. So `_refuse_long` is called first, before anything is recorded, and then `_with_outcome`.

_MAX_REASON_CHARS: Final = 4_000
"""Max characters of the reason for a citation. One or two sentences are usual."""


def _refuse_long(path: str, reason: str) -> None:
    """Raise `ValueError` if the path or the reason of a citation is too long to be recorded."""
    if len(path) > bounds.MOST_PATH_CHARS or len(reason) > _MAX_REASON_CHARS:
        msg = (
            f"a path has at most {bounds.MOST_PATH_CHARS} characters, "
            f"a reason {_MAX_REASON_CHARS}: {quote(path)}"
        )
        raise ValueError(msg)


def _with_outcome(citation: Citation, recorder: Recorder) -> Citation:
    """Return a citation with its outcome: path and line of the cited text, or why it is refused."""
    citations = recorder.evidence_log.citations  # It knows what the trial has read.
    try:
        place = citations.check(citation.path, citation.reason, citation.quote)
    except ValueError as refusal:
        return citation.model_copy(update={"error": str(refusal)})
    return citation.model_copy(update={"spelling": place.spelling, "line": place.line})


# Counts the completed steps of a trial in its limits, and the time that they have used.
#
# A step is completed when it ends, or when it is restored from an earlier attempt at the trial:
#
#     completed.add(step 1)    with 4 calls and 12 s   -> the trial has used 4 calls and 12 s
#     completed.add(step 2)    with 7 calls and 40 s   -> 11 calls and 40 s


class _CompletedSteps:
    """What the completed steps of one trial have used."""

    def __init__(self, clock: TrialClock, limits: UsedLimits) -> None:
        self.clock = clock
        self.limits = limits
        self.last: StepDone | None = None
        """The last step as the journal has it; None before the first one."""

    def add(self, step: TrialStep, summary: StepDone) -> None:
        """Complete a step with its summary, as the journal has it."""
        step.done = summary
        self.limits.count(step)
        self.last = summary
        # If an earlier attempt has recorded the step, the clock goes on from the time it had used.
        self.clock.continue_from(summary.used_ms / 1000)


# The summary of a step, with which the journal records its end.
#
# It has the calls, citations, submissions and replies of the step, and what the solver adds, such
# as the script that was run.


def _step_summary(step: TrialStep, trial_id: str, used_s: float) -> StepDone:
    """Return the summary of a step that ends.

    The solver may have set its own fields of the summary in `step.done`, such as the script.
    They are kept, and the calls, replies and other things that the step has are added.
    `used_s` are the seconds that the trial has used so far.
    """
    identity: dict[str, Any] = {"trial_id": trial_id, "step": step.number}
    summary_of_solver = step.done or StepDone(**identity)
    return summary_of_solver.model_copy(
        update={
            **identity,
            "at_ms": now_ms(),
            "used_ms": round(used_s * 1000, 1),
            **step.summary_fields,
        }
    )


# Begins the steps of a trial, and writes them to the journal when they end.
#
# A step is one turn of the solver, with its replies, calls, citations and submissions. A solver
# may mark its steps by `with session.step():`. Any other one is in a step all the same:
#
#     read("/a.md")      `begin`: step 1 begins
#     read("/b.md")      `begin`: step 1 is open, so nothing is done
#     the trial ends     `end`: step 1 is written to the journal


class _TrialSteps:
    """Begins and ends the steps of one trial, one at a time."""

    def __init__(
        self, recorder: Recorder, clock: TrialClock, completed: _CompletedSteps
    ) -> None:
        """Each step that ends is added to `completed`, which counts it."""
        self.recorder = recorder
        self.clock = clock
        self.completed = completed
        self._is_open = False

    def begin(self) -> None:
        """Begin the next step, unless one is open. Each call, citation and so on does this first."""
        if not self._is_open:
            self.recorder.step_log.begin_next()
            self._is_open = True

    def end(self) -> None:
        """Write the open step to the journal, if there is one, and complete it."""
        if not self._is_open:
            return
        self._is_open = False
        recorder = self.recorder
        used_s = self.clock.used_s
        step = recorder.current_step
        summary = _step_summary(step, recorder.trial_id, used_s)
        # An earlier attempt at the trial may have recorded this step. Then nothing is written, and
        # the recorded summary is returned, which counts.
        counting_summary = recorder.journal.write_step(summary)
        self.completed.add(step, counting_summary)

    @contextmanager
    def step(self) -> Iterator[TrialStep]:
        """Do one step in a `with` block, and write it to the journal, unless an exception ends it."""
        # A call before this block has begun a step of its own, which ends now.
        self.end()
        self.begin()
        try:
            yield self.recorder.current_step
        except BaseException:
            self._is_open = False
            raise
        self.end()


# The citations of a trial: the sources that its answer names, such as `/docs/fees.md`.
#
# Only what the trial has read may be cited. Each citation has a reason, and it may quote the
# words of the source that support the answer:
#
#     check("docs/fees.md", "the fee")  -> "/docs/fees.md", if the trial has read this file
#     check("/docs/new.md", "the fee")  raises ValueError: it was not read


@dataclass(frozen=True, slots=True)
class _JournalledCitations:
    """Checks the citations of one trial, and writes each with its outcome to the journal.

    A trial that is resumed, or replayed to verify it, repeats the citations of its earlier
    attempt. Then the recorded outcomes count: they are what the script saw.
    """

    recorder: Recorder
    """Knows what the trial has read, and records the citations."""
    steps: _TrialSteps
    """Begins a step if none is open, because a citation belongs to a step."""

    def check(self, path: str, reason: str, quotation: str = "") -> str:
        """Check and record a citation, and return the spelling of `path` in the listings.

        Raises `ValueError` with the reason if the path may not be cited.
        """
        _refuse_long(path, reason)
        self.steps.begin()
        step = self.recorder.current_step
        citation = Citation(
            path=path, reason=reason, quote=quotation, after_calls=len(step.calls)
        )
        event = CitationAnswered(
            trial_id=self.recorder.trial_id,
            step=step.number,
            number=len(step.citations),
            citation=_with_outcome(citation, self.recorder),
        )
        # Nothing is written if an earlier attempt has recorded this citation. Then the recorded one
        # counts.
        counting = self.recorder.journal.write(event, event.citation)
        self.recorder.evidence_log.add_citation(counting)
        if counting.error:
            raise ValueError(counting.error)
        return counting.spelling


# What a trial may spend on its models: its own limit in dollars, and what the run has left.
#
# A trial that has used up its own limit (`--trial-cost`) ends. If the run has used up its limit
# (`--run-cost`), all trials are left open, and can be resumed with a higher limit.


class _TrialBudget:
    """Allows or refuses the requests of one trial to its models."""

    def __init__(
        self,
        trial_id: str,
        cost_limit: CostLimit,
        run_spending: Spending,
        stop: threading.Event,
        paid_replies: Iterable[ModelReplied],
    ) -> None:
        """`run_spending` is shared by all trials. `stop` is set to end the run early.

        `paid_replies` are those that an earlier attempt of the trial has paid for.
        """
        self.trial_id = trial_id
        self.cost_limit = cost_limit
        self.run_spending = run_spending
        self.stop = stop
        self.refused_by_run = ""
        """Why the run refused a request of this trial; empty if it refused none."""
        for replied in paid_replies:
            self.count(replied)

    def wait_for_turn(self, tell: Callable[[str], None]) -> None:
        """Wait until the trial may send a request. Raises `LeftOpen` if it should stop.

        Until the run knows what a reply costs, its trials ask one after the other. `tell` gets a
        line for the user if it takes long.
        """
        if not wait_for_turn(self.run_spending, self.trial_id, self.stop, tell):
            raise LeftOpen

    def raise_if_spent(self) -> None:
        """Raise an error if nothing more may be spent.

        `LeftOpen` says that the run has spent its budget, `OutOfBudget` that the trial has.
        """
        stop_reason = self.run_spending.end.reason
        if stop_reason:
            self.refused_by_run = stop_reason
            raise LeftOpen(stop_reason)
        if self.cost_limit.reason:
            raise OutOfBudget(self.cost_limit.reason)

    def count(self, replied: ModelReplied) -> None:
        """Count what a reply cost the trial. For the run, it is counted elsewhere: when the
        reply is written to the journal.
        """
        self.cost_limit.count_reply(replied)


# Writes the replies of models to the journal, with what they cost.
#
# A reply may come with remarks of the model's client, which are written before it:
#
#     notice            "gpt-x does not take tools; asking for JSON from here on"
#     endpoint_learned  tools: false
#     model_replied     step 3  cost_usd 0.02
#
# What a reply costs is counted for the trial by `budget.count`, and for the whole run by `emit`,
# which adds each event to the run's totals.


@dataclass(frozen=True, slots=True)
class _ReplyLog:
    """Writes the replies to one trial."""

    recorder: Recorder
    """Writes the journal (`emit`), and has the current step."""
    budget: _TrialBudget
    """Counts what the trial pays for replies."""

    def write(self, reply: Reply, role: str, sent_at: float) -> ModelReplied:
        """Write a reply and its remarks, count its cost, and return its event.

        The request was sent at `sent_at`, a moment of `time.perf_counter`.
        """
        trial_id = self.recorder.trial_id
        for notice in reply.notices:
            self.notice(notice)
        if reply.learned is not None:
            learned = EndpointLearned(trial_id=trial_id, capabilities=reply.learned)
            self.recorder.emit(learned)

        replied = reply_event(
            reply,
            role,
            self.recorder.current_step,
            trial_id=trial_id,
            elapsed_s=time.perf_counter() - sent_at,
        )
        self.budget.count(replied)
        self.recorder.emit(replied)
        return replied

    def notice(self, text: str, *, retry: bool = False) -> None:
        """Write a notice for the user. `retry` is true if a request is sent again.

        A resumed trial does not repeat the notices of its earlier attempt.
        """
        event = Noticed(trial_id=self.recorder.trial_id, text=text, retry=retry)
        self.recorder.notices.write(event)


# Makes the requests of a trial to models, and writes them to the journal.
#
# A request may be paid for even if the process ends before the reply. So each writes two events:
#
#     model_asked    step 3  messages 7      before the model is asked
#     model_replied  step 3  cost_usd 0.02   after it

# Returns the reply to a request, as a model's `reply_to` does. Raises `ModelError`.
Complete: TypeAlias = Callable[[ModelRequest], Reply]


@dataclass(frozen=True, slots=True)
class _ModelRequests:
    """Makes and records the requests of a trial's solver, and of others, such as a grader."""

    trial: TrialContext
    recorder: Recorder
    budget: _TrialBudget
    """Refuses a request if the trial or the run has spent its budget."""
    replies: _ReplyLog
    clock: TrialClock
    """Has the moment at which the trial's time ends."""
    retry: TrialRetry
    """Sends a request again if it fails for a moment."""

    def ask(
        self,
        complete: Complete,
        request: ModelRequest,
        messages: Messages,
        *,
        longest_wait_s: float = math.inf,
    ) -> ModelReplied:
        """Return the reply of `complete` to a request, as the event that is written.

        `messages` are the new ones of the request, which the journal does not have yet. If it
        fails for a moment, it is sent again, for at most `longest_wait_s` seconds.
        Raises `ModelError` if the request fails, `OutOfBudget` if the trial has spent its budget,
        and `LeftOpen` if all trials of the run together have spent theirs.
        """
        self.budget.raise_if_spent()
        self._write_and_count(request, messages)
        # Now that this request counts, the run may have spent too much.
        self.budget.raise_if_spent()

        def send() -> Reply:
            return complete(self._dated(request))

        sent_at = time.perf_counter()
        reply = self.retry.reply_to(send, request.role, longest_wait_s)
        return self.replies.write(reply, request.role, sent_at)

    def _dated(self, request: ModelRequest) -> ModelRequest:
        """Return a request as it is sent now, with the moment by which the reply has to come."""
        trial = self.trial
        is_grading = request.role == "grade"  # after the trial, so without its deadline
        trial_ends_at = math.inf if is_grading else self.clock.deadline
        run_ends_at = time.monotonic() + self.budget.run_spending.end.seconds_left
        return replace(
            request,
            task_id=trial.task_id,
            trial_id=trial.trial_id,
            try_number=trial.number,
            deadline=min(trial_ends_at, run_ends_at),
            # Sending the request uses up its permit. Sent a second time, it would bring a reply
            # that nobody counts.
            permit=ReplyPermit(),
        )

    def _write_and_count(self, request: ModelRequest, messages: Messages) -> None:
        """Write that a model is about to be asked. `emit` also counts the request for the run."""
        event = ModelAsked(
            trial_id=self.trial.trial_id,
            step=self.recorder.current_step.number,
            messages=len(request.messages),
            role=request.role,
            texts=messages,
        )
        self.recorder.emit(event)


# Asks the models of one trial for its solver, unless an earlier attempt has their replies.
#
# A trial whose process was killed is *resumed*: it repeats the replies that its earlier attempt has
# recorded (its tape), so that nothing is paid for twice. Only then are models asked:
#
#     ask, 1st time   the recorded reply of step 1
#     ask, 2nd time   nothing is recorded: the model replies, and the journal gets its reply


@dataclass(frozen=True, slots=True)
class SolverRequests:
    """Asks models for the solver of one trial."""

    recorder: Recorder
    """Has the current step, to which the replies belong, and the recorded replies."""
    requests: _ModelRequests
    """Makes the requests, writes them to the journal, and counts what they cost."""

    def ask(
        self,
        complete: Complete,
        request: ModelRequest,
        *,
        is_conversation: bool,
        longest_wait_s: float,
    ) -> ModelReplied:
        """Return the reply to a request: the recorded one, or else that of `complete`.

        After failures that may pass, `complete` is called again, for at most `longest_wait_s`
        seconds. `is_conversation` is true if the messages are the conversation of the trial. Then
        the journal does not get them, because the initial prompt and the steps have them.

        Raises `ModelError` if the request fails, or is recorded as failed, `OutOfBudget` if
        the trial has spent its budget, and `LeftOpen` if the run has.
        """
        step = self.recorder.current_step
        replied = recorded_reply(self.recorder.tape_reader, request.role)
        if replied is None:
            messages = () if is_conversation else messages_of(request)
            replied = self._ask_now(
                complete, request, messages, longest_wait_s=longest_wait_s
            )
        step.replies.append(replied)
        return replied

    def _ask_now(
        self,
        complete: Complete,
        request: ModelRequest,
        messages: Messages,
        *,
        longest_wait_s: float,
    ) -> ModelReplied:
        """Ask for a reply, and return its event. The `messages` are written with the request."""
        # Until the run knows what a reply costs, its trials ask one after the other. To wait for
        # another trial is not this one's time.
        requests = self.requests
        waits_since = time.monotonic()
        requests.budget.wait_for_turn(requests.replies.notice)
        requests.clock.exclude(time.monotonic() - waits_since)
        asked_at = time.perf_counter()
        try:
            return self.requests.ask(
                complete, request, messages, longest_wait_s=longest_wait_s
            )
        except ModelError as error:
            # To find out why it refuses the request, the endpoint may have been sent a short test.
            # Its reply costs, too, and is written in the role `check`.
            if error.test_reply is not None:
                self.requests.replies.write(error.test_reply, "check", asked_at)
            raise


# The parts of a session, by which a solver (the loop around a model) works on a request.
#
# All that it does is limited, and written to the journal. So it does it only by these parts:
#
# | the solver | part |
# |---|---|
# | asks the model for the next action | `solver_requests` |
# | calls `read("/docs/fees.md")` | `make_call` |
# | cites `/docs/fees.md` as a source | `citations` |
# | hands in its answer, `420 EUR` | `gated_exit` |


class _SessionParts:
    """The parts of one trial's session, which limit and write down what its solver does."""

    def __init__(
        self,
        trial: TrialContext,
        recorder: Recorder,
        run_budget: RunBudget,
        gates: GateSettings | None = None,
        *,
        stop: threading.Event | None = None,
        clock: TrialClock | None = None,
    ) -> None:
        """`gates` judge the answers, by default all of them. `run_budget` limits the whole run."""
        gates = gates or GateSettings()

        self.trial = trial
        self.clock = clock or TrialClock()
        self.limits = UsedLimits(trial.limits, self.clock)
        """What the trial may still use. Completed steps, of any solver, count towards them."""
        self.stop = stop or threading.Event()
        """Set when the trial should stop after its current step."""
        self.interrupt: Callable[[str], None] = lambda reason: None
        """Ends the running script for a reason, such as `the client left`. Used by any thread.
        It does nothing until a sandbox, the process that runs scripts, sets it."""

        self.recorder = recorder
        """Makes calls, writes the journal, and learns from results what the trial has read."""
        # Calls may use values of the request, such as an account: the user has written them.
        recorder.call_origins.add_request(trial.instruction)
        # Words of the request are not the script's own, even if it passes them to a call.
        recorder.evidence_log.add_given_text(trial.instruction)
        # The environment may check calls before they are sent, unless the user has switched it off.
        recorder.checks.pre_call_check.is_on = is_pre_call_rule_on(
            recorder.tool_schema.pre_call_check, gates
        )

        gated_exit = GatedExit(
            recorder,
            trial.instruction,
            gates,
            trial.now_text,
            self.limits.submissions,
        )
        self.gated_exit = gated_exit
        """Has the gates judge an answer, and sends it if they accept it."""
        # An earlier attempt at the trial may have paid for replies already.
        paid_replies = recorder.tape.record.paid_replies
        self.budget = _TrialBudget(
            trial.trial_id,
            self.limits.cost,
            run_budget.spending,
            self.stop,
            paid_replies,
        )
        self.replies = _ReplyLog(recorder, self.budget)
        """Writes the replies of models, and notices for the user."""
        retry = TrialRetry(
            run_budget, self.stop, self.clock.exclude, self.replies.notice
        )
        self.requests = _ModelRequests(
            trial, recorder, self.budget, self.replies, self.clock, retry
        )
        """Asks models, for the solver and for others, and writes both sides."""
        self.solver_requests = SolverRequests(recorder, self.requests)
        """Asks models for the solver, or repeats a recorded reply."""

        # All that a solver does belongs to a step.
        self.completed_steps = _CompletedSteps(self.clock, self.limits)
        self.steps = _TrialSteps(recorder, self.clock, self.completed_steps)
        recorder.calls.limits = self.limits
        self.citations = _JournalledCitations(recorder, self.steps)


class TrialSession(_SessionParts):
    """What a solver does and knows in one trial. Used by one thread at a time."""

    def step(self) -> AbstractContextManager[TrialStep]:
        """Do one step in a `with` block. An exception leaves the step open for a later attempt."""
        return self.steps.step()

    def call(
        self, operation: str, arguments: Mapping[str, Plain] | None = None
    ) -> dict[str, Any]:
        """Make a call and return its result. Raises `CallError` if it fails or is not allowed."""
        result = self.make_call(operation, arguments or {})
        declared = self.tool_schema.operation(operation)
        return result if declared is None else parsed_result(declared, result)

    def make_call(
        self,
        operation: str,
        arguments: Mapping[str, Plain],
        *,
        in_script: bool = False,
        in_verify: bool = False,
    ) -> dict[str, Plain]:
        """Make a call, and return its result as the environment sends it (see `Calls.make`)."""
        self.steps.begin()  # Each call belongs to a step.
        result = self.recorder.calls.make(
            operation, arguments, in_script=in_script, in_verify=in_verify
        )
        self.gated_exit.rules.learn_call(operation, arguments, result)
        self.gated_exit.outlet.learn_call(operation, result)
        return result

    def check_citation(self, path: str, reason: str, quotation: str = "") -> str:
        """Return the cited path as listings spell it. Raises `ValueError` if it may not be cited."""
        return self.citations.check(path, reason, quotation)  # begins a step

    def submit(self, submission: Submission) -> Judged:
        """Judge a submission, and send it if it is accepted. Raises `CallError`, `NotJudged`."""
        self.steps.begin()
        return self.gated_exit.submit(submission)

    def ask(
        self,
        complete: Complete,
        request: ModelRequest,
        *,
        is_conversation: bool = False,
        longest_wait_s: float = math.inf,
    ) -> ModelReplied:
        """Ask a model, by its function `complete`, which is called again after failures that pass.

        It is called again for `longest_wait_s` seconds, and not longer than the settings say.
        Raises the errors of `SolverRequests.ask`.
        """
        self.steps.begin()
        return self.solver_requests.ask(
            complete,
            request,
            is_conversation=is_conversation,
            longest_wait_s=longest_wait_s,
        )

    def notice(self, text: str, *, retry: bool = False) -> None:
        """Write a notice for the user to the journal. `retry`: a request is sent again."""
        self.replies.notice(text, retry=retry)

    def leave_if_stopped(self) -> None:
        """Raise `LeftOpen` if the trial should stop here. Call this between steps."""
        if self.stop.is_set():
            raise LeftOpen

    @property
    def trial_id(self) -> str:
        """The id of the trial: `t-3`."""
        return self.trial.trial_id

    @property
    def instruction(self) -> str:
        """The request that the trial must carry out."""
        return self.trial.instruction

    @property
    def tool_schema(self) -> ToolSchema:
        """The environment's declaration."""
        return self.recorder.tool_schema

    @property
    def rules(self) -> str:
        """The text of the workspace's rules; empty until it is read."""
        return self.gated_exit.rules.text

    @property
    def is_over(self) -> bool:
        """True if an answer was sent, or if the environment has ended the trial."""
        return self.gated_exit.outlet.is_closed
