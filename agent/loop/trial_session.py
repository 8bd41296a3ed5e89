"""The session of one trial, through which its solver makes calls, cites, submits and
asks models.

The session records all of this in the journal. A resumed or replayed trial has a
*tape*, the record of its earlier attempts. The solver repeats its work. As long as the
tape has the answers, the session takes them from it. After the end of the tape, it asks
the models and the environment.
"""

from __future__ import annotations

import hashlib
import math
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
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
    ScriptMeasured,
    StepDone,
    now_ms,
)
from controlplane.agent.evidence.environment import Functions
from controlplane.agent.evidence.recorder import Recorder
from controlplane.agent.evidence.tape import TapedModels
from controlplane.agent.loop.script_feedback import find_note
from controlplane.agent.model import (
    ASIDE_ROLES,
    ModelError,
    ModelRequest,
    OutOfBudget,
    Reply,
    ReplyFields,
    ReplyPermit,
)
from controlplane.agent.reply import action_call
from controlplane.agent.retry import RunBudget
from controlplane.agent.submission import GatedExit, GateSettings
from controlplane.agent.trial_limits import (
    DEFAULT_MAX_CALLS,
    CallLimit,
    CostLimit,
    TrialLimit,
)
from controlplane.agent.trial_record import TrialStep
from controlplane.gates.submission import Submission, quote
from controlplane.sandbox.interface import (
    CallError,
    Effect,
    Operation,
    Plain,
    ToolSchema,
    bounds,
    error_codes,
    parsed_result,
)

CHECK: Final = "check"
"""The role of a short test request after an error. It shows if the endpoint works at
all."""
MOST_REASON_CHARS: Final = 4_000
"""Max characters of the reason for a citation. One or two sentences are usual."""
SEED_BYTES: Final = 6
"""Bytes of a trial's seed. All JSON readers keep a number of 48 bits exactly, but not
of 64."""

Complete: TypeAlias = Callable[[ModelRequest], Reply]
"""Returns the reply to a request, as a model's `reply_to` does. Raises `ModelError`."""
RecordRetry: TypeAlias = Callable[[str], None]
"""Records the retry of a request. The argument is the reason."""
CompleteWithRetries: TypeAlias = Callable[[ModelRequest, RecordRetry], Reply]
"""Returns the reply to a request, and records each retry. Raises `ModelError`."""


class LeftOpen(Exception):
    """Raised if the user or the run's budget stops a trial before its end. It can be
    resumed later."""

    leaves_step = True
    """Tells the sandbox to end the whole step. Another exception in a call only fails
    the call."""


@dataclass(frozen=True, slots=True)
class TrialContext:
    """The identity, the request and the limits of a trial, all known at its start."""

    trial_id: str
    task_id: str
    instruction: str
    """The request that the trial must carry out."""
    now: datetime | None
    """The time that scripts see at the start; None if there is no clock."""
    number: int = 1
    """The trial's number among the trials of the same task in the run, from 1."""
    origin: str = ""
    """The id of the trial from which this one was forked; empty if it is not a fork.
    Both have the same random seed."""
    time_limit_s: float = 0.0
    """Seconds that the trial may use. 0 if the task sets no limit, so that the run's
    limit holds."""
    max_calls: int = DEFAULT_MAX_CALLS
    """Calls that it may make."""
    max_cost_usd: float | None = None
    """Dollars that it may spend on models; None for no limit."""
    context_tokens: int | None = None
    """The tokens of the model's context, as its endpoint lists them; None if
    unknown."""
    is_resumed: bool = False
    """True if an earlier attempt has begun the trial. The environment still has its
    changes."""


@dataclass(slots=True)
class TrialClock:
    """Counts the time that a trial has used, over all its attempts.

    The time in which its model was down does not count. All moments are those of
    `time.monotonic`, in seconds.
    """

    limit_s: float = math.inf
    """Seconds that the trial may use."""
    call_ends_at: float = math.inf
    """The moment at which the current step ends. A call waits no longer than this."""
    _began: float = field(default_factory=time.monotonic)
    """The start of the trial, moved later by each pause: the used time is counted from
    here."""

    @property
    def used_s(self) -> float:
        """Seconds that the trial has used."""
        return time.monotonic() - self._began

    @property
    def deadline(self) -> float:
        """The moment at which the trial's time ends."""
        return self._began + self.limit_s

    def end_calls_at(self, moment: float) -> None:
        """Set the moment at which the current step, and any call in it, ends."""
        self.call_ends_at = moment

    def exclude(self, seconds: float) -> None:
        """Take seconds in which the trial only waited out of the used time."""
        self._began += seconds

    def continue_from(self, used_s: float) -> None:
        """Set the used time to its value at the end of a recorded step."""
        self._began = time.monotonic() - used_s


def _interrupt_nothing(reason: str) -> None:
    """Do nothing. `TrialSession.interrupt` is this function until a script sandbox
    replaces it."""


def _cut_result_note(
    declared: Operation,
    arguments: Mapping[str, Plain],
    result: Mapping[str, Plain],
    how_to_read_all: str,
) -> str:
    """Return the note about a result that was cut off; empty if the script needs none.

    For a file: `/docs/a.md goes on: read_all(path) gives the rest.` Here,
    `read_all(path)` is `how_to_read_all`.
    """
    path = arguments.get(
        declared.subject
    )  # `subject` is the name of the main argument.

    # 1. An operation that returns a long text in parts. `from_char` is the name of the argument for
    # a part's start. If a script does not set this argument, the sandbox fetches all
    # parts.
    start_name = declared.from_char
    if start_name:
        asks_for_later_part = bool(arguments.get(start_name))
        if not asks_for_later_part:
            return ""
        return f"{path} goes on: {start_name}={result.get('next_char')} gives the rest."

    # 2. A read of lines. A script that asked for certain lines knows that it has only these.
    if declared.effect is Effect.READS and "start_line" in arguments:
        asks_for_lines = bool(arguments["start_line"])
        if asks_for_lines:
            return ""
        return f"{path} goes on: {how_to_read_all} gives the rest."

    # 3. Any other operation.
    return (
        f"{declared.name} returned only a part of what there is (.truncated is true)."
    )


class TrialSession:
    """The interface between a trial and its solver: makes calls, cites, submits and
    asks models.

    Created when an attempt at a trial starts, and used by one thread at a time. Each
    call, citation, submission or request belongs to a step, and begins one if there is
    none. `step` and `end_step` end a step, and record it. The session answers from the
    tape, the record of earlier attempts, as long as it can.
    """

    def __init__(
        self,
        trial: TrialContext,
        recorder: Recorder,
        gates: GateSettings | None = None,
        *,
        stop: threading.Event | None = None,
        budget: RunBudget | None = None,
        clock: TrialClock | None = None,
    ) -> None:
        """`recorder` makes and records the calls. `budget` is that of the whole run."""
        # 1. The trial and its record.
        self.trial = trial
        self.instruction = trial.instruction
        self.tool_schema: ToolSchema = recorder.tool_schema
        """The environment's declaration."""
        self._rules_path = recorder.tool_schema.rules_document
        """Empty if the workspace has no rules document."""
        self._recorder = recorder
        self._emit = recorder.emit
        """Writes a new event to the journal. Events that the tape may already have go
        through `_recorder.journal` instead."""
        self._models = TapedModels(recorder.tape)
        """The models' replies that the tape has."""

        # 2. The exit: the gates, which check answers, and the answer that was sent.
        self.exit = GatedExit(
            recorder,
            trial.instruction,
            gates or GateSettings(),
            trial.now.isoformat() if trial.now else "",
        )
        self.has_pre_call_check = self.exit.settings.has_pre_call_check(
            recorder.tool_schema
        )
        """True if the environment checks each changing call before it is sent."""
        self._tell_recorder_of_user()

        # 3. The limits that end the trial.
        self.call_limit = CallLimit(trial.max_calls)
        self.cost_limit = CostLimit(trial.max_cost_usd)
        for replied in recorder.tape.record.paid_replies:
            self.cost_limit.count_reply(replied)
        self.limits: tuple[TrialLimit, ...] = (
            self.exit.limit,
            self.call_limit,
            self.cost_limit,
        )
        """The limits that hold for every solver. The session counts each completed step
        in them."""
        self.clock = clock or TrialClock()
        """Counts the time that the trial has used. Requests to models end at its
        limit."""

        # 4. What stops the trial before its end. It can be resumed later.
        self.stop = stop or threading.Event()
        """Set when the trial should stop after its current step."""
        self._run_spending = (budget or RunBudget()).spending
        self.cut_off = ""
        """The reason why the run's budget stopped the trial; empty if it did not."""
        self.interrupt: Callable[[str], None] = _interrupt_nothing
        """Ends the running script for a reason, from any thread. `sandbox_of` sets
        it."""

        # 5. The current position in the trial.
        self._has_initial_prompt = False
        self._is_in_step = False
        self.last_step: StepDone | None = None
        """The last step as recorded in the journal; None before the first one."""

    def _tell_recorder_of_user(self) -> None:
        """Tell the recorder the user's texts, and the user's policy for origins.

        An origin is the text from which an argument of a changing call comes. The
        user's own texts are trusted.
        """
        settings = self.exit.settings
        recorder = self._recorder
        recorder.evidence_log.own_words.add_known_text(self.instruction)
        recorder.call_origins.policy = settings.provenance
        for text in (self.instruction, *settings.asked):
            recorder.call_origins.add_request(text)

    @property
    def rules(self) -> str:
        """The text of the workspace's rules, for the gates; empty until it is read.

        It comes from the initial prompt or, without such a prompt, from the first call
        that reads it.
        """
        return self.exit.rules

    @property
    def is_over(self) -> bool:
        """True if an answer was sent, or if the environment has ended the trial."""
        return self.exit.is_closed

    @property
    def seed(self) -> int:
        """The random seed of scripts. A fork has the seed of the trial from which it
        was forked."""
        first_trial_id = self.trial.origin or self.trial.trial_id
        digest = hashlib.sha256(first_trial_id.encode()).digest()
        return int.from_bytes(digest[:SEED_BYTES], "big")

    @property
    def trace(self) -> TrialStep:
        """What has happened in the current step; between two steps, in the last one."""
        return self._recorder.trace

    @property
    def notes(self) -> list[str]:
        """Notes for the solver about the calls of the current step."""
        return self._recorder.notes

    # --- Begin, and steps of an earlier attempt ---

    def open(
        self, build: Callable[[Recorder], ConversationOpened]
    ) -> ConversationOpened:
        """Return the recorded initial prompt, or else build one.

        `build` makes the initial calls, which belong to step 0, and returns the prompt.
        """
        recorder = self._recorder
        recorder.begin_step(0)
        opened = recorder.journal.opening(
            lambda: build(recorder), recorder.restore_call
        )
        self._has_initial_prompt = True
        self.exit.rules = opened.rules
        return opened

    def whole_steps(self) -> Iterator[TrialStep]:
        """Restore the recorded steps one after another, and yield each of them.

        Nothing is executed again. A step without a recorded end is not yielded: the
        solver does it again.
        """
        for step in self._recorder.tape.record.whole_steps:
            self.restore_step(step)
            yield step

    def restore_step(self, step: TrialStep) -> None:
        """Restore the session's state after a recorded step, without executing the step
        again.

        The order is that of a step: calls, then citations, then submissions, because
        each may depend on those before.
        """
        done = step.done
        assert done is not None  # because only completed steps are restored
        recorder = self._recorder
        recorder.begin_step(step.number)
        if done.code:
            self.record_script(done.code, done.output)
        else:
            self.record_script("", "")
        recorder.restore_calls(step)
        for call in step.calls:
            self._close_if_environment_ended(call.operation, call.result or {})
        for citation in step.citations:
            recorder.add_citation(citation)
        for judged in step.submissions:
            self.exit.take_submission(judged)
        for answered in step.answers:
            self.exit.take_answer(answered)
        for replied in step.replies:
            self.trace.replies.append(replied)
        self._finish_step(done)

    def record_script(self, code: str, printed: str) -> None:
        """Keep a script's code and output. Without `code`, add to the last script's
        output."""
        self._recorder.evidence_log.record_script(code, printed)

    def measure_script(self, peak_memory_bytes: int) -> None:
        """Record the peak memory of the process that runs the trial's scripts."""
        trace = self.trace
        event = ScriptMeasured(
            trial_id=self.trial.trial_id,
            step=trace.number,
            peak_memory_bytes=peak_memory_bytes,
        )
        self._recorder.journal.measured(event)

    def _finish_step(self, done: StepDone) -> None:
        """Count a step, new or recorded, in all limits, and set the clock to its
        end."""
        self.trace.done = done
        for limit in self.limits:
            limit.count(self.trace)
        self.last_step = done
        self.clock.continue_from(done.used_ms / 1000)

    # --- Steps ---

    @contextmanager
    def step(self) -> Iterator[TrialStep]:
        """Do one step. The solver may set `done` of the yielded step to the fields that
        it knows:

            with session.step() as step:
                result = box.run(code)
                step.done = StepDone(trial_id=trial_id, step=step.number, code=code, output=result.output)

        The session adds the calls, citations, submissions and replies, and records the
        step at its end. A step that an exception ends is not recorded as done. A later
        attempt continues it.
        """
        self.end_step()
        self._begin_step()
        try:
            yield self.trace
        except BaseException:
            self._is_in_step = False
            raise
        self.end_step()

    def end_step(self) -> None:
        """Record the current step with everything that happened in it. Between two
        steps, do nothing."""
        if not self._is_in_step:
            return
        self._is_in_step = False
        trace = self.trace

        # 1. The solver has set some fields, mostly about its script. The session adds the others.
        solver_part = trace.done
        if solver_part is None:
            solver_part = StepDone(trial_id=self.trial.trial_id, step=trace.number)
        session_fields = {
            "trial_id": self.trial.trial_id,
            "step": trace.number,
            "at_ms": now_ms(),
            "calls": tuple(trace.calls),
            "citations": tuple(trace.citations),
            "verdicts": tuple(trace.submissions),
            "used_ms": round(self.clock.used_s * 1000, 1),
            **trace.reply_fields,  # The text, tokens and cost of the model's reply.
        }
        new_step = solver_part.model_copy(update=session_fields)

        # 2. Record the step. If the tape has it already, the recorded step counts instead.
        final_step = self._recorder.journal.step(new_step)
        self._finish_step(final_step)

    def _begin_step(self) -> None:
        """Begin the next step, unless a step has begun already."""
        if not self._is_in_step:
            self._recorder.begin_step(self.trace.number + 1)
            self._is_in_step = True

    # --- Calls ---

    def call(
        self,
        operation: str,
        arguments: Mapping[str, Plain] | None = None,
        *,
        in_verify: bool = False,
        read_all: str = "",
        in_script: bool = False,
        is_raw: bool = False,
    ) -> dict[str, Any]:
        """Make a call and return its result. Raises `CallError` if the call fails or is
        not allowed.

        - `in_verify`: the script's `verify`, which checks the answer, makes the call.
          It may only read.
        - `in_script`: a sandboxed script makes the call. The result is not parsed,
          because the sandbox parses it. A `find` with a wrong name gets a note for the
          model.
        - `is_raw`: the result is not parsed either, because another caller wants it as
          recorded.
        - `read_all`: the code that reads a whole text, such as `read_all(path)`. If the
          result was cut off, a note for the model has this code.
        """
        # 1. Make the call, if it is allowed. A call that may change something is checked first:
        # `origins` then says from which text each argument comes.
        self._begin_step()
        arguments = arguments or {}
        if self.tool_schema.may_change(operation, arguments):
            origins = self._recorder.checks.check_change(
                operation,
                arguments,
                has_pre_call_check=self.has_pre_call_check,
                in_verify=in_verify,
                in_script=in_script,
            )
        else:
            origins = {}
        self._refuse_beyond_limit(operation, arguments, in_verify=in_verify)
        result = self._recorder.call(
            operation, arguments, in_verify=in_verify, origins=origins
        )

        # 2. The result may be the rules, or say that the environment has ended the trial.
        declared = self.tool_schema.operation(operation)
        if declared is not None:
            self._learn_rules(declared, arguments, result)
        self._close_if_environment_ended(operation, result)

        # 3. Tell the model of a result that was cut off, or of a `find` with a wrong name.
        if read_all and declared is not None and result.get("truncated") is True:
            self._add_note(_cut_result_note(declared, arguments, result, read_all))
        if in_script:
            can_read = self.tool_schema.operation("read") is not None
            self._add_note(find_note(operation, arguments, result, can_read))

        # 4. Return the result.
        if in_script or is_raw or declared is None:
            return result
        parsed: dict[str, Any] = parsed_result(declared, result)
        return parsed

    def _refuse_beyond_limit(
        self, operation: str, arguments: Mapping[str, Plain], *, in_verify: bool
    ) -> None:
        """If the trial has no call left, record the refusal of a call, and raise
        `CallError`."""
        refusal = self.call_limit.refusal(self.trace)
        if refusal:
            self._recorder.refuse(
                operation,
                arguments,
                error_codes.RESOURCE_EXHAUSTED,
                refusal,
                in_verify=in_verify,
            )

    def _learn_rules(
        self,
        declared: Operation,
        arguments: Mapping[str, Plain],
        result: Mapping[str, Plain],
    ) -> None:
        """Keep the rules if a call reads them for the first time, and no initial prompt
        did."""
        if self._has_initial_prompt or self.rules or not self._rules_path:
            return
        if arguments.get(declared.subject) == self._rules_path:
            self.exit.rules = str(result.get(declared.json_field, ""))

    def _add_note(self, note: str) -> None:
        """Add a note for the model about the calls of this step, unless the step has
        the same note."""
        if note and note not in self.notes:
            self.notes.append(note)

    def repeat_call(
        self, operation: str, arguments: Mapping[str, Plain], *, in_verify: bool
    ) -> None:
        """Make a recorded call again for a replay, without the checks. Raises
        `CallError`."""
        self._begin_step()
        result = self._recorder.call(operation, arguments, in_verify=in_verify)
        self._close_if_environment_ended(operation, result)

    def call_all(
        self, calls: Sequence[tuple[str, Mapping[str, Plain]]]
    ) -> list[Mapping[str, Plain] | CallError]:
        """Make calls for a running function of the environment, and return their
        outcomes in order.

        The outcome of a failed call is its error.
        """
        return self._recorder.functions.call_all(calls)

    def use_functions(self, functions: Functions) -> None:
        """From now on, run the environment's functions by `functions`, such as the
        sandbox."""
        self._recorder.functions.runner = functions

    def _close_if_environment_ended(
        self, operation: str, result: Mapping[str, Plain]
    ) -> None:
        """Close the trial without an answer if a call's result says that it has
        ended."""
        if self.tool_schema.ends_trial(operation, result) and not self.exit.is_closed:
            self.exit.end_without_answer()

    # --- Citations and submissions ---

    def check_citation(self, path: str, reason: str, quotation: str = "") -> str:
        """Record a citation, and return the spelling with which `path` must be cited.

        Raises `ValueError` with the reason if the path may not be cited.
        """
        if len(path) > bounds.MOST_PATH_CHARS or len(reason) > MOST_REASON_CHARS:
            msg = (
                f"a path has at most {bounds.MOST_PATH_CHARS} characters, "
                f"a reason {MOST_REASON_CHARS}: {quote(path)}"
            )
            raise ValueError(msg)
        self._begin_step()

        # 1. Ask the evidence log, which knows what was read, for the path's spelling and for the
        # line of the quotation.
        spelling = ""
        line = 0
        fault = ""
        try:
            spelling, line = self._recorder.evidence_log.check_citation(
                path, reason, quotation
            )
        except ValueError as error:
            fault = str(error)

        # 2. Record the answer.
        trace = self.trace
        new_citation = Citation(
            path=path,
            reason=reason,
            spelling=spelling,
            error=fault,
            quote=quotation,
            line=line,
            after_calls=len(trace.calls),
        )
        event = CitationAnswered(
            trial_id=self.trial.trial_id,
            step=trace.number,
            number=len(trace.citations),
            citation=new_citation,
        )
        # If the tape has this citation, the trial goes on with the recorded answer.
        final_citation = self._recorder.journal.citation(event).citation
        self._recorder.add_citation(final_citation)

        # 3. Give the answer.
        if final_citation.error:
            raise ValueError(final_citation.error)
        return final_citation.spelling

    def submit(self, submission: Submission) -> Judged:
        """Judge `submission`, and send it if the gates accept it.

        Raises `CallError` if the environment refuses the answer, and `NotJudged` if the
        step or the trial has no submission left.
        """
        self._begin_step()
        return self.exit.submit(submission)

    # --- Requests to models ---

    def ask(
        self,
        complete: Complete,
        request: ModelRequest,
        *,
        is_conversation: bool = False,
    ) -> ModelReplied:
        """Return the reply to a request of the solver: the recorded one, or else the
        one from `complete`.

        `complete` gets the request with this trial's ids. With `is_conversation`, the
        messages are not recorded, because the journal already has the initial prompt
        and the steps.

        Raises `ModelError` if the request fails or is recorded as failed, `OutOfBudget`
        if the trial has spent its budget, and `LeftOpen` if the run has.
        """
        self._begin_step()
        trace = self.trace
        new_messages: tuple[
            SaidMessage, ...
        ] = ()  # those that the journal does not have yet
        if not is_conversation:
            new_messages = messages_of(request)

        def ask_model() -> ModelReplied:
            return self._reply_from_model(complete, request, new_messages)

        replied = self._models.reply(
            trace.number, len(trace.replies), request.role, ask_model
        )
        self._recorder.journal.reply(replied)
        trace.replies.append(replied)
        return replied

    def _reply_from_model(
        self,
        complete: Complete,
        request: ModelRequest,
        new_messages: tuple[SaidMessage, ...],
    ) -> ModelReplied:
        """Return a model's reply to a request of the current step, and count its cost.
        `ask` records it."""
        # 1. Wait until the run may ask, and announce the request.
        may_ask = self._run_spending.wait_for_turn(self.trial.trial_id, self.stop)
        if not may_ask:
            raise LeftOpen
        self._announce_request(request, new_messages)

        # 2. Ask the model. The permit allows one reply, because further ones would not be counted.
        request = replace(
            self._of_this_trial(request),
            deadline=self.clock.deadline,
            permit=ReplyPermit(),
        )
        started_at = time.perf_counter()
        try:
            reply = complete(request)
        except ModelError as error:
            if (
                error.paid is not None
            ):  # The endpoint was tested by a request that costs money.
                self._record_paid_check(error.paid, started_at)
            raise

        # 3. Count the reply.
        self._record_notices(reply)
        replied = self._reply_event(reply, request.role, started_at)
        self.cost_limit.count_reply(replied)
        return replied

    def _record_paid_check(self, reply: Reply, started_at: float) -> None:
        """Record and count a reply that was paid for although the request failed.

        After an error, an endpoint may get a short test request, whose reply also costs
        money.
        """
        self._record_notices(reply)
        paid = self._reply_event(reply, CHECK, started_at)
        self._emit(paid)
        self.cost_limit.count_reply(paid)

    def ask_aside(self, complete: CompleteWithRetries, request: ModelRequest) -> Reply:
        """Return the reply to a side request: the recorded one, or else the one from
        `complete`.

        A side request is outside of the solver's conversation. The benchmark grades a
        trial with it, or a second model reads the answer. It need not belong to a step.
        It is recorded and counted like other requests. Raises the errors of `ask`.
        """
        messages = messages_of(request)

        def ask_model() -> ModelReplied:
            return self._side_reply_from_model(complete, request, messages)

        return reply_of(self._models.side_reply(request.role, messages, ask_model))

    def _side_reply_from_model(
        self,
        complete: CompleteWithRetries,
        request: ModelRequest,
        messages: tuple[SaidMessage, ...],
    ) -> ModelReplied:
        """Return a model's reply to a side request, and record and count it."""
        self._announce_request(request, messages)
        # Grading happens after the trial, so the trial's deadline does not apply.
        deadline = math.inf if request.role == "grade" else self.clock.deadline
        request = replace(self._of_this_trial(request), deadline=deadline)
        started_at = time.perf_counter()
        reply = complete(request, self._record_retry)
        self._record_notices(reply)
        replied = self._reply_event(reply, request.role, started_at)
        self._emit(replied)
        self.cost_limit.count_reply(replied)
        return replied

    def _of_this_trial(self, request: ModelRequest) -> ModelRequest:
        """Return a request with the ids and the number of this trial."""
        return replace(
            request,
            task_id=self.trial.task_id,
            trial_id=self.trial.trial_id,
            try_number=self.trial.number,
        )

    def _announce_request(
        self, request: ModelRequest, new_messages: tuple[SaidMessage, ...]
    ) -> None:
        """Record that a model is asked. Raises `OutOfBudget` or `LeftOpen` if the
        budget is spent."""
        self._check_spending()
        self._emit(
            ModelAsked(
                trial_id=self.trial.trial_id,
                step=self.trace.number,
                messages=len(request.messages),
                role=request.role,
                texts=new_messages,
            )
        )
        # Check again: writing the event has counted the request, and other trials may
        # have asked at the same time.
        self._check_spending()

    def _check_spending(self) -> None:
        """Raise `LeftOpen` if the run has spent its budget, `OutOfBudget` if the trial
        has."""
        self.cut_off = self._run_spending.used_up
        if self.cut_off:
            raise LeftOpen(self.cut_off)
        if self.cost_limit.reason:
            raise OutOfBudget(self.cost_limit.reason)

    def _record_notices(self, reply: Reply) -> None:
        """Record a reply's notices for the user, and what it shows about the
        endpoint."""
        for notice in reply.notices:
            self.notice(notice)
        if reply.learned is not None:
            self._emit(
                EndpointLearned(
                    trial_id=self.trial.trial_id, capabilities=reply.learned
                )
            )

    def _reply_event(self, reply: Reply, role: str, started_at: float) -> ModelReplied:
        """Return the event of a reply to a request that was sent at `started_at`."""
        # A solver's model may write its action, such as a script, as the arguments of a
        # tool call. They are then recorded as the reply, and the call is left out of
        # the calls.
        is_side_request = role in ASIDE_ROLES
        call_with_action = None if is_side_request else action_call(reply)

        # Replies and their events share the fields of `ReplyFields`, such as the
        # tokens.
        shared_fields = {
            name: getattr(reply, name) for name in ReplyFields.model_fields
        }
        shared_fields["tool_calls"] = tuple(
            call for call in reply.tool_calls if call is not call_with_action
        )
        return ModelReplied(
            trial_id=self.trial.trial_id,
            step=self.trace.number,
            number=0 if is_side_request else len(self.trace.replies),
            role=role,
            reply=reply.text
            if call_with_action is None
            else call_with_action.arguments,
            tool_call=call_with_action is not None,
            elapsed_ms=round((time.perf_counter() - started_at) * 1000, 3),
            **shared_fields,
        )

    # --- Notices, and leaving ---

    def notice(self, text: str, *, retry: bool = False) -> None:
        """Record a notice for the user. `retry` is True if it is about a repeated
        request."""
        event = Noticed(trial_id=self.trial.trial_id, text=text, retry=retry)
        self._recorder.journal.notice(event)

    def _record_retry(self, reason: str) -> None:
        self.notice(reason, retry=True)

    def leave_if_stopped(self) -> None:
        """Raise `LeftOpen` if the trial should stop here. Call this between two
        steps."""
        if self.stop.is_set():
            raise LeftOpen


def messages_of(request: ModelRequest) -> tuple[SaidMessage, ...]:
    """Return the messages of a request in their recorded form."""
    return tuple(SaidMessage.of(message) for message in request.messages)


def reply_of(replied: ModelReplied) -> Reply:
    """Return a recorded reply as a model gave it."""
    fields = {name: getattr(replied, name) for name in ReplyFields.model_fields}
    return Reply(text=replied.reply, **fields)
