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

import hashlib
import math
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Final, TypeAlias

from controlplane.agent.events import (
    Citation,
    CitationAnswered,
    ConversationOpened,
    EndpointLearned,
    Judged,
    ModelAsked,
    ModelReplied,
    Noticed,
    SaidMessage,
    StepDone,
    now_ms,
)
from controlplane.agent.evidence.origins.policy import ProvenancePolicy
from controlplane.agent.evidence.recorder import Recorder
from controlplane.agent.evidence.tape import RecordedSideReplies, recorded_reply
from controlplane.agent.gated_exit import GatedExit
from controlplane.agent.limits.spending import LeftOpen, wait_for_turn
from controlplane.agent.limits.trial_limits import (
    DEFAULT_LIMITS,
    TrialClock,
    TrialLimits,
    UsedLimits,
)
from controlplane.agent.model import (
    SIDE_ROLES,
    ModelError,
    ModelRequest,
    OutOfBudget,
    Reply,
    ReplyFields,
    ReplyPermit,
)
from controlplane.agent.record.trial_step import TrialStep
from controlplane.agent.reply.reply import action_call
from controlplane.agent.retry import RunBudget, TrialRetry
from controlplane.agent.trial_gates import GateSettings, is_pre_call_rule_on
from controlplane.gates.quoting import quote
from controlplane.gates.submission import Submission
from controlplane.sandbox.interface import (
    Plain,
    ToolSchema,
    bounds,
    parsed_result,
)

# What a trial gets at its start: its identity, its request and its limits.
#
# For example, the trial `t-3` of the task `loans-1` must carry out "Renew my loan l-7". It may
# make 5,000 calls, and its scripts see the time 2031-05-02 14:30.

_SEED_BYTES: Final = 6
"""Bytes of a trial's seed. All JSON readers keep a number of 48 bits exactly, but not of 64."""


@dataclass(frozen=True, slots=True)
class TrialContext:
    """The identity, the request and the limits of a trial, all known at its start."""

    trial_id: str
    task_id: str
    instruction: str
    """The request that the trial must carry out."""
    now: datetime | None
    """The time that scripts see at the start; None if the environment has no clock."""
    number: int = 1
    """The trial's number among the trials of the same task in the run, from 1."""
    origin: str = ""
    """The id of the trial whose first steps this one relives, before it goes on in another way
    (a *fork* of that trial); empty if it is not a fork."""
    limits: TrialLimits = DEFAULT_LIMITS
    """The numbers of all its limits, such as its calls and its seconds."""
    context_tokens: int | None = None
    """Tokens that fit into the model's context, as its endpoint says; None if unknown."""
    is_resumed: bool = False
    """True if an earlier attempt has begun the trial, for example before its process was
    killed. The environment still has the changes that it made."""

    @property
    def now_text(self) -> str:
        """The time at the start in ISO 8601; empty if the environment has no clock."""
        return "" if self.now is None else self.now.isoformat()

    @property
    def seed(self) -> int:
        """The seed of random numbers in scripts. A fork has the seed of its origin."""
        digest = hashlib.sha256((self.origin or self.trial_id).encode()).digest()
        return int.from_bytes(digest[:_SEED_BYTES], "big")


# How a run checks the calls of its trials that change something, as the user has chosen.
#
# A trial calls `send_money(recipient="GB33...")`. If only a mail has this account, its author may
# want to trick the model. If the request has it, or another text of the user, the call is sent.


@dataclass(frozen=True, slots=True)
class CallSettings:
    """How a run checks calls by where the values of their arguments come from."""

    provenance: ProvenancePolicy = field(default_factory=ProvenancePolicy)
    """What happens to a call with a value that only a mail or other running text has. By default,
    it is sent."""
    user_texts: tuple[str, ...] = ()
    """Texts of the user that the model of every trial reads beside its request, such as hints.
    Calls may use values from them, like those from the request."""

    def apply_to(self, recorder: Recorder) -> None:
        """Let the recorder of a trial check its calls like this, from the first one on."""
        recorder.call_origins.policy = self.provenance
        for text in self.user_texts:
            recorder.call_origins.add_request(text)


# Translates between a model's `Reply` and the event that records it, `ModelReplied`.
#
# A model writes its *action*, the script to run, as text or as the arguments of a tool call. In the
# event, the action is in the field `reply` in both cases:
#
#     the text `{"code": "1"}`             reply='{"code": "1"}', tool_call=False
#     a call `execute_script(code="1")`    reply='{"code": "1"}', tool_call=True
#
# `tool_calls` then has only the calls beside the action. A reply to others than the solver, such as a
# grader, has no action: its text and all calls are recorded as they are.

_Messages: TypeAlias = tuple[SaidMessage, ...]


def messages_of(request: ModelRequest) -> _Messages:
    """Return the messages of a request in their recorded form."""
    return tuple(SaidMessage.of(message) for message in request.messages)


def reply_of(replied: ModelReplied) -> Reply:
    """Return a recorded reply as a model gave it."""
    fields = {name: getattr(replied, name) for name in ReplyFields.model_fields}
    return Reply(text=replied.reply, **fields)


def _reply_event(
    reply: Reply, role: str, step: TrialStep, *, trial_id: str, elapsed_s: float
) -> ModelReplied:
    """Return the event that records a reply, which came after `elapsed_s`."""
    fields: dict[str, Any] = {
        name: getattr(reply, name) for name in ReplyFields.model_fields
    }
    number = 0
    action = None
    is_for_solver = role not in SIDE_ROLES
    if is_for_solver:
        number = len(step.replies)  # Replies to the solver are numbered in each step.
        action = action_call(reply)

    text = reply.text
    if action is not None:
        text = action.arguments
        calls_beside = [call for call in reply.tool_calls if call is not action]
        fields["tool_calls"] = tuple(calls_beside)
    return ModelReplied(
        trial_id=trial_id,
        step=step.number,
        number=number,
        role=role,
        elapsed_ms=round(elapsed_s * 1000, 3),
        reply=text,
        tool_call=action is not None,
        **fields,
    )


_Complete: TypeAlias = Callable[[ModelRequest], Reply]
"""Returns the reply to a request, as a model's `reply_to` does. Raises `ModelError`."""


_MAX_REASON_CHARS: Final = 4_000
"""Max characters of the reason for a citation. One or two sentences are usual."""


class TrialSession:
    """What a solver does and knows in one trial. Used by one thread at a time.

    All that the solver does is limited, and written to the journal.
    """

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
        self.clock = clock or TrialClock(trial.limits.time_s)
        self.limits = UsedLimits(trial.limits, self.clock)
        """What the trial may still use. Completed steps, of any solver, count towards them."""
        self.stop = stop or threading.Event()
        """Set when the trial should stop after its current step."""
        self.interrupt: Callable[[str], None] = lambda reason: None
        """Ends the running script for a reason, such as `the client left`. Used by any thread.
        It does nothing until a sandbox, the process that runs scripts, sets it."""

        self.recorder = recorder
        """Makes calls, writes the journal, and learns from results what the trial has read."""
        self.tool_schema: ToolSchema = recorder.tool_schema
        """The environment's declaration."""
        recorder.calls.limits = self.limits
        # Calls may use values of the request, such as an account: the user has written them.
        recorder.call_origins.add_request(trial.instruction)
        # Words of the request are not the script's own, even if it passes them to a call.
        recorder.evidence_log.add_given_text(trial.instruction)
        # The environment may check calls before they are sent, unless the user has switched it off.
        recorder.checks.pre_call_check.is_on = is_pre_call_rule_on(
            recorder.tool_schema.pre_call_check, gates
        )

        self.gated_exit = GatedExit(
            recorder,
            trial.instruction,
            gates,
            trial.now_text,
            self.limits.submissions,
        )
        """Has the gates judge an answer, and sends it if they accept it."""

        self.last_step: StepDone | None = None
        """The last completed step as the journal has it; None before the first one."""
        self._is_step_open = False
        self._run_spending = run_budget.spending
        self._retry = TrialRetry(run_budget, self.stop, self.clock.exclude, self.notice)
        """Sends a request again if it fails for a moment."""
        self.refused_by_run = ""
        """Why the run refused a request of this trial; empty if it refused none."""
        self._recorded_side_replies = RecordedSideReplies(recorder.tape)
        # An earlier attempt at the trial may have paid for replies already.
        for replied in recorder.tape.record.paid_replies:
            self.limits.cost.count_reply(replied)

    def open_prompt(
        self, build: Callable[[Recorder], ConversationOpened]
    ) -> ConversationOpened:
        """Return the initial prompt: that of an earlier attempt, or else a new one from `build`.

        `build` makes the calls whose results the prompt shows. They belong to step 0.
        """
        recorder = self.recorder
        recorder.step_log.begin(0)
        opened = recorder.tape.record.initial_prompt
        if opened is None:
            opened = build(recorder)
            recorder.emit(opened)
        else:
            # The calls are not made again, but the answer may cite what they have read.
            for call in opened.calls:
                recorder.calls.restore(call)
        # Answers are judged by the workspace's rules as they were at the start, whatever later
        # calls read.
        self.gated_exit.keep_initial_rules(opened.rules)
        return opened

    def restored_steps(self) -> Iterator[TrialStep]:
        """Restore the steps that an earlier attempt has recorded one by one, and yield each.

        An unfinished step, which has no recorded end, is left out.
        """
        for step in self.recorder.tape.record.whole_steps:
            self.restore_step(step)
            yield step

    def restore_step(self, step: TrialStep) -> None:
        """Make a recorded step the current one, and take all that happened in it.

        Nothing is executed again.
        """
        # 1. Its script, calls, citations and replies
        self.recorder.restore(step)
        # 2. Its submissions and answers
        self.gated_exit.restore(step)
        # 3. It counts in the limits.
        self._complete_step(self.recorder.current_step, step.summary)

    # The steps of a trial: one turn of its solver each, with its replies, calls, citations and submissions.
    #
    # A solver may mark its steps by `with session.step():`. Any other one is in a step all the same:
    #
    #     read("/a.md")      `begin_step`: step 1 begins
    #     read("/b.md")      `begin_step`: step 1 is open, so nothing is done
    #     the trial ends     `end_step`: step 1 is written to the journal
    #
    # A step is completed when it ends, or when it is restored from an earlier attempt at the trial. Then
    # it counts: after steps with 4 calls and 7 calls, the trial has used 11.

    @contextmanager
    def step(self) -> Iterator[TrialStep]:
        """Do one step in a `with` block. An exception leaves the step open for a later attempt."""
        # A call before this block has begun a step of its own, which ends now.
        self.end_step()
        self.begin_step()
        try:
            yield self.recorder.current_step
        except BaseException:
            self._is_step_open = False
            raise
        self.end_step()

    def begin_step(self) -> None:
        """Begin the next step, unless one is open. Each call, citation and so on does this first."""
        if not self._is_step_open:
            self.recorder.step_log.begin_next()
            self._is_step_open = True

    def end_step(self) -> None:
        """Write the open step to the journal, if there is one, and complete it."""
        if not self._is_step_open:
            return
        self._is_step_open = False
        step = self.recorder.current_step
        # The solver may have set its own fields, such as the script that was run. They are kept.
        identity: dict[str, Any] = {
            "trial_id": self.trial_id,
            "step": step.number,
        }
        summary_of_solver = step.done or StepDone(**identity)
        summary = summary_of_solver.model_copy(
            update={
                **identity,
                "at_ms": now_ms(),
                "used_ms": round(self.clock.used_s * 1000, 1),
                **step.summary_fields,
            }
        )
        # An earlier attempt at the trial may have recorded this step. Then nothing is written, and
        # the recorded summary is returned, which counts.
        self._complete_step(step, self.recorder.journal.write_step(summary))

    def _complete_step(self, step: TrialStep, summary: StepDone) -> None:
        """Count a step that has ended, new or restored, with its summary as the journal has it."""
        step.done = summary
        self.limits.count(step)
        self.last_step = summary
        # If an earlier attempt has recorded the step, the clock goes on from the time it had used.
        self.clock.continue_from(summary.used_ms / 1000)

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
        self.begin_step()  # Each call belongs to a step.
        result = self.recorder.calls.make(
            operation, arguments, in_script=in_script, in_verify=in_verify
        )
        self.gated_exit.learn_call(operation, arguments, result)
        return result

    def check_citation(self, path: str, reason: str, quotation: str = "") -> str:
        """Check and record a citation, and return the spelling of `path` in the listings.

        Only what the trial has read may be cited. Each citation has a reason, and it may quote the
        words of the source that support the answer:

            check_citation("docs/fees.md", "the fee")  -> "/docs/fees.md", if it was read
            check_citation("/docs/new.md", "the fee")  raises ValueError: it was not read

        Raises `ValueError` with the reason if the path may not be cited.
        """
        # A script could make up a path of any length, which would fill the record.
        if len(path) > bounds.MOST_PATH_CHARS or len(reason) > _MAX_REASON_CHARS:
            msg = (
                f"a path has at most {bounds.MOST_PATH_CHARS} characters, "
                f"a reason {_MAX_REASON_CHARS}: {quote(path)}"
            )
            raise ValueError(msg)

        self.begin_step()
        step = self.recorder.current_step
        evidence_log = self.recorder.evidence_log
        try:
            place = evidence_log.citations.check(path, reason, quotation)
        except ValueError as refusal:
            outcome: dict[str, Any] = {"error": str(refusal)}
        else:
            outcome = {"spelling": place.spelling, "line": place.line}
        event = CitationAnswered(
            trial_id=self.trial_id,
            step=step.number,
            number=len(step.citations),
            citation=Citation(
                path=path,
                reason=reason,
                quote=quotation,
                after_calls=len(step.calls),
                **outcome,
            ),
        )
        # Nothing is written if an earlier attempt has recorded this citation. Then the recorded one
        # counts: it is what the script saw.
        counting = self.recorder.journal.write(event, event.citation)
        evidence_log.add_citation(counting)
        if counting.error:
            raise ValueError(counting.error)
        return counting.spelling

    def submit(self, submission: Submission) -> Judged:
        """Judge a submission, and send it if it is accepted. Raises `CallError`, `NotJudged`."""
        self.begin_step()
        return self.gated_exit.submit(submission)

    # The requests of a trial to models, of its solver and of others, such as a grader.
    #
    # A request may be paid for even if the process ends before the reply. So each writes two events, and
    # between them what the model's client remarks:
    #
    #     model_asked        step 3  messages 7      before the model is asked
    #     notice             "gpt-x does not take tools; asking for JSON from here on"
    #     endpoint_learned   tools: false
    #     model_replied      step 3  cost_usd 0.02   after it
    #
    # A trial whose process was killed is *resumed*: it relives the replies that its earlier attempt has
    # recorded, so that nothing is paid for twice. Only then are models asked.
    #
    # What a reply costs counts for the trial, whose own limit (`--trial-cost`) ends it, and for the run:
    # once that has used up its limit (`--run-cost`), all trials are left open, and can be resumed.

    def ask(
        self,
        complete: _Complete,
        request: ModelRequest,
        *,
        is_conversation: bool = False,
        longest_wait_s: float = math.inf,
    ) -> ModelReplied:
        """Ask a model, by its function `complete`, which is called again after failures that pass.

        It is called again for `longest_wait_s` seconds, and not longer than the settings say.
        `is_conversation` is true if the messages are the conversation of the trial. Then the
        journal does not get them, because the initial prompt and the steps have them.

        Raises `ModelError` if the request fails, `OutOfBudget` if the trial has spent its budget,
        and `LeftOpen` if the run has, or is stopped.
        """
        self.begin_step()
        replied = recorded_reply(self.recorder.tape_reader, request.role)
        if replied is None:
            self._wait_for_turn()
            messages = () if is_conversation else messages_of(request)
            asked_at = time.perf_counter()
            try:
                replied = self._ask(complete, request, messages, longest_wait_s)
            except ModelError as error:
                # To find out why it refuses the request, the endpoint may have been sent a short
                # test. Its reply costs, too, and is written in the role `check`.
                if error.test_reply is not None:
                    self._write_reply(error.test_reply, "check", asked_at)
                raise
        self.recorder.current_step.replies.append(replied)
        return replied

    def ask_for_others(self, complete: _Complete, request: ModelRequest) -> Reply:
        """Return the reply to a request that is not the solver's, such as one of a grader.

        If an earlier attempt of the trial has made the same request, its reply is recorded, and is
        used. Raises `ModelError` if the request fails, and the errors of `_ask`.
        """
        messages = messages_of(request)
        replied = self._recorded_side_replies.recorded_reply(request.role, messages)
        if replied is None:
            replied = self._ask(complete, request, messages, math.inf)
        return reply_of(replied)

    def notice(self, text: str, *, retry: bool = False) -> None:
        """Write a notice for the user. `retry` is true if a request is sent again.

        A resumed trial does not relive the notices of its earlier attempt.
        """
        event = Noticed(trial_id=self.trial_id, text=text, retry=retry)
        self.recorder.notices.write(event)

    def _wait_for_turn(self) -> None:
        """Wait until the trial may ask a model. Raises `LeftOpen` if the run stops.

        Until the run knows what a reply costs, its trials ask one after the other. To wait for
        another trial is not this one's time.
        """
        since = time.monotonic()
        trial_id = self.trial_id
        if not wait_for_turn(self._run_spending, trial_id, self.stop, self.notice):
            raise LeftOpen
        self.clock.exclude(time.monotonic() - since)

    def _ask(
        self,
        complete: _Complete,
        request: ModelRequest,
        messages: _Messages,
        longest_wait_s: float,
    ) -> ModelReplied:
        """Return the reply of `complete` to a request, as the event that is written.

        `messages` are the new ones of the request, which the journal does not have yet. If it
        fails for a moment, it is sent again, for at most `longest_wait_s` seconds.
        Raises `ModelError` if the request fails, `OutOfBudget` if the trial has spent its budget,
        and `LeftOpen` if all trials of the run together have spent theirs.
        """
        self._raise_if_spent()
        event = ModelAsked(
            trial_id=self.trial_id,
            step=self.recorder.current_step.number,
            messages=len(request.messages),
            role=request.role,
            texts=messages,
        )
        self.recorder.emit(event)  # This also counts the request for the run.
        # Now that this request counts, the run may have spent too much.
        self._raise_if_spent()

        def send() -> Reply:
            return complete(self._dated(request))

        sent_at = time.perf_counter()
        reply = self._retry.reply_to(send, request.role, longest_wait_s)
        return self._write_reply(reply, request.role, sent_at)

    def _raise_if_spent(self) -> None:
        """Raise an error if nothing more may be spent.

        `LeftOpen` says that the run has spent its budget, `OutOfBudget` that the trial has.
        """
        stop_reason = self._run_spending.end.reason
        if stop_reason:
            self.refused_by_run = stop_reason
            raise LeftOpen(stop_reason)
        if self.limits.cost.reason:
            raise OutOfBudget(self.limits.cost.reason)

    def _dated(self, request: ModelRequest) -> ModelRequest:
        """Return a request as it is sent now, with the moment by which the reply has to come."""
        trial = self.trial
        is_grading = request.role == "grade"  # after the trial, so without its deadline
        trial_ends_at = math.inf if is_grading else self.clock.deadline
        run_ends_at = time.monotonic() + self._run_spending.end.seconds_left
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

    def _write_reply(self, reply: Reply, role: str, sent_at: float) -> ModelReplied:
        """Write a reply and its remarks, count its cost, and return its event.

        The request was sent at `sent_at`, a moment of `time.perf_counter`.
        """
        trial_id = self.trial_id
        for notice in reply.notices:
            self.notice(notice)
        if reply.learned is not None:
            learned = EndpointLearned(trial_id=trial_id, capabilities=reply.learned)
            self.recorder.emit(learned)

        replied = _reply_event(
            reply,
            role,
            self.recorder.current_step,
            trial_id=trial_id,
            elapsed_s=time.perf_counter() - sent_at,
        )
        self.limits.cost.count_reply(replied)
        self.recorder.emit(replied)  # This also counts the cost for the run.
        return replied

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
    def rules(self) -> str:
        """The text of the workspace's rules; empty until it is read."""
        return self.gated_exit.rules

    @property
    def is_over(self) -> bool:
        """True if an answer was sent, or if the environment has ended the trial."""
        return self.gated_exit.is_closed
