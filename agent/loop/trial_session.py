"""One trial as a solver uses it: its calls, citations, submissions and model requests, all of them journalled.

A trial that is resumed or replayed has a tape, which holds what the journal recorded of it. The solver does the same
work again, and the session answers from the tape as far as it goes; after that, models and environment are asked.
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
from functools import partial
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
from controlplane.agent.trial_limits import DEFAULT_MAX_CALLS, CallLimit, CostLimit, TrialLimit
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
"""The role of a request that shows whether every trial meets an error."""
MOST_REASON_CHARS: Final = 4_000
"""Max characters of the reason for a citation; honest ones have one or two sentences."""
SEED_BYTES: Final = 6
"""Bytes of a trial's seed: 48 bits, which every reader of JSON keeps exactly."""

Complete: TypeAlias = Callable[[ModelRequest], Reply]
"""Gives the reply to a request, as the `reply_to` of a model does. Raises `ModelError`."""
RecordRetry: TypeAlias = Callable[[str], None]
"""Records that a request is sent again, and why."""
CompleteWithRetries: TypeAlias = Callable[[ModelRequest, RecordRetry], Reply]
"""Gives the reply to a request, and tells of each retry. Raises `ModelError`."""


class LeftOpen(Exception):
    """A solver stopped because the user or the run's budget told it to; the trial can be resumed."""

    leaves_step = True
    """If it is raised in a call, the call has not failed: it leaves the whole step."""


@dataclass(frozen=True, slots=True)
class TrialContext:
    """What is known of a trial at its start: which one it is, and what it may use."""

    trial_id: str
    task_id: str
    instruction: str
    """The request that the trial is to carry out."""
    now: datetime | None
    """The clock that scripts see at the start; None if there is no clock."""
    number: int = 1
    """The number of the trial among those of its task in the run, from 1."""
    origin: str = ""
    """The trial from which it was forked, whose randomness its scripts keep; empty if it was not forked."""
    time_limit_s: float = 0.0
    """Seconds that its task allows, in place of the run's limit; 0: the run's."""
    max_calls: int = DEFAULT_MAX_CALLS
    """Calls that it may make."""
    max_cost_usd: float | None = None
    """Dollars that it may spend on models; None: without a limit."""
    context_tokens: int | None = None
    """The tokens of the model's context, as its endpoint lists them; None if unknown."""
    is_resumed: bool = False
    """True if an earlier attempt opened the conversation, so that its changes are in effect."""


@dataclass(slots=True)
class TrialClock:
    """The time that a trial has used, over all attempts, without the time in which its model was down.

    All moments are those of `time.monotonic`, in seconds.
    """

    limit_s: float = math.inf
    """Seconds that the trial may use."""
    call_ends_at: float = math.inf
    """The moment at which the step of the call under way ends; no call waits for longer."""
    _began: float = field(default_factory=time.monotonic)
    """The moment at which the trial would have begun if it had run without pauses."""

    @property
    def used_s(self) -> float:
        """Seconds that the trial has used."""
        return time.monotonic() - self._began

    @property
    def deadline(self) -> float:
        """The moment at which the trial's time is over."""
        return self._began + self.limit_s

    def end_calls_at(self, moment: float) -> None:
        """Set the moment at which the call under way ends with its step."""
        self.call_ends_at = moment

    def exclude(self, seconds: float) -> None:
        """Leave seconds out of the used time, in which the trial only waited."""
        self._began += seconds

    def go_on_from(self, used_s: float) -> None:
        """Set the used time, to what it was at the end of a recorded step."""
        self._began = time.monotonic() - used_s


def _cut_result_note(
    declared: Operation,
    arguments: Mapping[str, Plain],
    result: Mapping[str, Plain],
    read_all: str,
) -> str:
    """Return the note about a result that was cut off, such as `/docs/a.md goes on: read_all(path) gives the rest.`

    It is empty if the script gets the rest by itself: from an operation that reads from a character on, which is
    called again for the rest, or since it reads from line to line.
    """
    if declared.from_char:
        if arguments.get(declared.from_char):
            rest = f"{declared.from_char}={result.get('next_char')}"
            return f"{arguments[declared.subject]} goes on: {rest} gives the rest."
        return ""
    if declared.effect is Effect.READS and "start_line" in arguments:
        if arguments["start_line"]:
            return ""
        return f"{arguments[declared.subject]} goes on: {read_all} gives the rest."
    return f"{declared.name} returned only a part of what there is (.truncated is true)."


class TrialSession:
    """A trial as its solver works with it: makes its calls, cites, submits and asks models, and records all of it.

    Used by one thread at a time. A call, citation, submission or request begins a step if none is under way; `step`
    and `end_step` end it. What the trial's tape holds of an earlier attempt is answered from there.
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
        """`recorder` makes and records the calls; `budget` is the run's, from which the trial's requests are paid."""
        self.trial = trial
        self.instruction = trial.instruction
        self.tool_schema: ToolSchema = recorder.tool_schema
        """The environment's declaration."""
        self._recorder = recorder
        self._emit = recorder.emit
        """Writes an event to the journal, whether or not the tape has it."""
        self._models = TapedModels(recorder.tape)
        """Answers a request from the tape, else by the function that it is given."""
        self._rules_path = recorder.tool_schema.rules_document or None

        # The way out.
        self.exit = GatedExit(
            recorder,
            trial.instruction,
            gates or GateSettings(),
            trial.now.isoformat() if trial.now else "",
        )
        self.has_pre_call_check = self.exit.settings.has_pre_call_check(recorder.tool_schema)
        """The environment's check judges changing calls."""

        # What the user says is asked for: it may stand in the arguments of changing calls.
        recorder.evidence_log.own_words.add_known_text(trial.instruction)
        recorder.call_origins.policy = self.exit.settings.provenance
        for request in (trial.instruction, *self.exit.settings.asked):
            recorder.call_origins.add_request(request)

        # What ends the trial, or leaves it open.
        self.call_limit = CallLimit(trial.max_calls)
        self.cost_limit = CostLimit(trial.max_cost_usd)
        for replied in recorder.tape.record.paid_replies:
            self.cost_limit.count_reply(replied)
        self.limits: tuple[TrialLimit, ...] = (self.exit.limit, self.call_limit, self.cost_limit)
        """The limits that hold for every solver. The session counts each whole step in them."""
        self.clock = clock or TrialClock()
        """The time that the trial has used; no request to a model outlives its limit."""
        self.stop = stop or threading.Event()
        """Set if the trial is to be left open after its current step."""
        self._run_spending = (budget or RunBudget()).spending
        self.cut_off = ""
        """The reason why the run's budget ended work on the trial, which stays open; empty if it did not."""
        self.interrupt: Callable[[str], None] = lambda reason: None
        """Ends the script under way, from any thread; the argument says why. The runner of scripts sets it."""

        # Where the trial is.
        self._has_initial_prompt = False
        self._is_in_step = False
        self.last_step: StepDone | None = None
        """The last step as it stands in the journal; None before the first one."""

    @property
    def rules(self) -> str:
        """The text of the workspace's rules, by which the gates judge: as the initial prompt has it or, without such a
        prompt, as a call first read it; empty before that."""
        return self.exit.rules

    @property
    def is_over(self) -> bool:
        """True if an answer was sent, or the environment has ended the trial."""
        return self.exit.is_closed

    @property
    def seed(self) -> int:
        """The seed of the randomness that scripts see; a fork has that of the trial from which it was forked."""
        origin = self.trial.origin or self.trial.trial_id
        digest = hashlib.sha256(origin.encode()).digest()
        return int.from_bytes(digest[:SEED_BYTES], "big")

    @property
    def trace(self) -> TrialStep:
        """The current step; between two steps, the last one."""
        return self._recorder.trace

    @property
    def notes(self) -> list[str]:
        """Notes for the solver about the calls of the current step."""
        return self._recorder.notes

    # --- Begin, and steps of an earlier attempt ---

    def open(self, build: Callable[[Recorder], ConversationOpened]) -> ConversationOpened:
        """Return the initial prompt: the recorded one, else the one that `build` makes after its initial calls.

        The initial calls are those of step 0.
        """
        recorder = self._recorder
        recorder.begin_step(0)
        opened = recorder.journal.opening(lambda: build(recorder), recorder.take_call)
        self._has_initial_prompt = True
        self.exit.rules = opened.rules
        return opened

    def whole_steps(self) -> Iterator[TrialStep]:
        """Take the recorded steps into account, one after another, without doing them again.

        Only steps that were recorded to their end are yielded. The solver does the rest of a broken-off step itself.
        """
        for step in self._recorder.tape.record.whole_steps:
            self.take_step(step)
            yield step

    def take_step(self, step: TrialStep) -> None:
        """Take a recorded step into account without doing it again: the state is then as after living it."""
        done = step.done
        assert done is not None  # since the step is whole
        recorder = self._recorder
        recorder.begin_step(step.number)
        self.take_script(done.code, done.output if done.code else "")
        recorder.take_calls(step)
        for call in step.calls:
            self._note_end(call.operation, call.result or {})
        for citation in step.citations:
            recorder.take_citation(citation)
        for judged in step.submissions:
            self.exit.take_submission(judged)
        for answered in step.answers:
            self.exit.take_answer(answered)
        for replied in step.replies:
            self.trace.replies.append(replied)
        self._take_end(done)

    def take_script(self, code: str, printed: str) -> None:
        """Keep the code of a script, or what one printed, as evidence of what the model typed and what it computed."""
        self._recorder.evidence_log.record_script(code, printed)

    def measure_script(self, peak_memory_bytes: int) -> None:
        """Record the most memory that the process of the step's script has taken."""
        trace = self.trace
        event = ScriptMeasured(
            trial_id=self.trial.trial_id, step=trace.number, peak_memory_bytes=peak_memory_bytes
        )
        self._recorder.journal.measured(event)

    def _take_end(self, done: StepDone) -> None:
        """Take the end of a step into account, just lived or recorded: count the step in all limits."""
        self.trace.done = done
        for limit in self.limits:
            limit.count(self.trace)
        self.last_step = done
        self.clock.go_on_from(done.used_ms / 1000)

    # --- Steps ---

    @contextmanager
    def step(self) -> Iterator[TrialStep]:
        """Do one step. Its solver may set `done` of the yielded step, with what it knows of the step:

            with session.step() as step:
                result = box.run(code)
                step.done = StepDone(trial_id=trial_id, step=step.number, code=code, output=result.output)

        The session adds the calls, citations, submissions and replies, and records the step at its end.
        A step that an exception ends is not recorded as done: a later attempt continues it.
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
        """Record the step under way with everything that happened in it; do nothing between two steps."""
        if not self._is_in_step:
            return
        self._is_in_step = False
        trace = self.trace
        # The solver may have said what it knows of the step; the session adds the rest.
        solver_fields = trace.done
        if solver_fields is None:
            solver_fields = StepDone(trial_id=self.trial.trial_id, step=trace.number)
        session_fields = {
            "trial_id": self.trial.trial_id,
            "step": trace.number,
            "at_ms": now_ms(),
            "calls": tuple(trace.calls),
            "citations": tuple(trace.citations),
            "verdicts": tuple(trace.submissions),
            "used_ms": round(self.clock.used_s * 1000, 1),
        }
        done = solver_fields.model_copy(update=session_fields | trace.reply_fields)
        self._take_end(self._recorder.journal.step(done))

    def _begin_step(self) -> None:
        """Begin the next step, unless one is under way."""
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
        """Make a call and return its result. Raises `CallError`, also if the call is not allowed.

        - `in_verify`: the script's `verify` makes the call, in which only reading is allowed
        - `in_script`: a sandboxed script makes the call. The result has the fields as they were recorded, since the
          script's side parses them; the model is told after the step if the call found nothing
        - `is_raw`: the result has the fields as they were recorded
        - `read_all`: the model is told after the step that this expression reads the rest, if the result was cut off
        """
        self._begin_step()
        given = arguments or {}
        origins = self._check_call(operation, given, in_verify=in_verify, in_script=in_script)
        result = self._recorder.call(operation, given, in_verify=in_verify, origins=origins)
        declared = self.tool_schema.operation(operation)
        if declared is not None:
            self._learn_rules(declared, given, result)
        self._note_end(operation, result)

        if read_all and declared is not None and result.get("truncated") is True:
            self._add_note(_cut_result_note(declared, given, result, read_all))
        if in_script:
            can_read = self.tool_schema.operation("read") is not None
            self._add_note(find_note(operation, given, result, can_read))

        if in_script or is_raw or declared is None:
            return result
        parsed: dict[str, Any] = parsed_result(declared, result)
        return parsed

    def _check_call(
        self, operation: str, arguments: Mapping[str, Plain], *, in_verify: bool, in_script: bool
    ) -> dict[str, str]:
        """Return where each argument of a call comes from, such as `{"args": "asked", "path": "rules"}`.

        The origins are empty for a call that only reads. Raises `CallError` if the call is not allowed; the refusal is
        recorded.
        """
        origins: dict[str, str] = {}
        if self.tool_schema.may_change(operation, arguments):
            origins = self._recorder.checks.check_change(
                operation,
                arguments,
                has_pre_call_check=self.has_pre_call_check,
                in_verify=in_verify,
                in_script=in_script,
            )
        refusal = self.call_limit.refusal(self.trace)
        if refusal:
            # This raises the refusal as `CallError`.
            self._recorder.refuse(
                operation, arguments, error_codes.RESOURCE_EXHAUSTED, refusal, in_verify=in_verify
            )
        return origins

    def _learn_rules(
        self, declared: Operation, arguments: Mapping[str, Plain], result: Mapping[str, Plain]
    ) -> None:
        """Take the workspace's rules from the first call that reads them, if no initial prompt did."""
        if self._has_initial_prompt or self.rules:
            return
        if arguments.get(declared.subject) == self._rules_path:
            self.exit.rules = str(result.get(declared.json_field, ""))

    def _add_note(self, note: str) -> None:
        """Tell the model something about the calls of this step, once."""
        if note and note not in self.notes:
            self.notes.append(note)

    def repeat_call(
        self, operation: str, arguments: Mapping[str, Plain], *, in_verify: bool
    ) -> None:
        """Make a recorded call once more, for a replay; the checks before a call are left out. Raises `CallError`."""
        self._begin_step()
        result = self._recorder.call(operation, arguments, in_verify=in_verify)
        self._note_end(operation, result)

    def call_all(
        self, calls: Sequence[tuple[str, Mapping[str, Plain]]]
    ) -> list[Mapping[str, Plain] | CallError]:
        """Make calls for the function of the environment that is being computed, and return their outcomes in order.

        A call that fails has its error as outcome.
        """
        return self._recorder.call_all(calls)

    def use_functions(self, functions: Functions) -> None:
        """Have the environment's functions run by `functions` from now on."""
        self._recorder.functions = functions

    def _note_end(self, operation: str, result: Mapping[str, Plain]) -> None:
        """End the trial without an answer if the environment says with a call's result that it is over."""
        if self.tool_schema.ends_trial(operation, result) and not self.exit.is_closed:
            self.exit.end_without_answer()

    # --- Citations and submissions ---

    def check_citation(self, path: str, reason: str, quotation: str = "") -> str:
        """Record a citation, and return the spelling under which `path` may be cited.

        Raises `ValueError` with the reason if it may not be cited.
        """
        if len(path) > bounds.MOST_PATH_CHARS or len(reason) > MOST_REASON_CHARS:
            msg = (
                f"a path has at most {bounds.MOST_PATH_CHARS} characters, "
                f"a reason {MOST_REASON_CHARS}: {quote(path)}"
            )
            raise ValueError(msg)
        self._begin_step()

        # 1. Ask the evidence log for the spelling, and for the line of the quotation.
        spelling = ""
        line = 0
        fault = ""
        try:
            spelling, line = self._recorder.evidence_log.check_citation(path, reason, quotation)
        except ValueError as error:
            fault = str(error)

        # 2. Record the answer. In a repeated step, the recorded answer counts.
        trace = self.trace
        citation = Citation(
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
            citation=citation,
        )
        answered = self._recorder.journal.citation(event).citation
        self._recorder.take_citation(answered)

        # 3. Give the answer.
        if answered.error:
            raise ValueError(answered.error)
        return answered.spelling

    def submit(self, submission: Submission) -> Judged:
        """Judge `submission` and send it if the gates accept it.

        Raises `CallError` if the environment refuses it, and `NotJudged` beyond the limits of a step and a trial.
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
        """Return the solver's reply to a request: the recorded one, else the one that `complete` gives.

        `complete` gets the request with the trial that asks, and may get one reply. With `is_conversation` the
        messages are those of the initial prompt and of the steps, which the journal holds already.
        Raises `ModelError`, also if the recorded request had failed; `OutOfBudget` if the trial's limits are spent, and
        `LeftOpen` if the run's are.
        """
        self._begin_step()
        trace = self.trace
        texts: tuple[SaidMessage, ...] = ()  # what the journal does not have yet
        if not is_conversation:
            texts = texts_of(request)

        def ask_now() -> ModelReplied:
            return self._reply_from_model(complete, request, texts)

        replied = self._models.reply(trace.number, len(trace.replies), request.role, ask_now)
        self._recorder.journal.reply(replied)
        trace.replies.append(replied)
        return replied

    def _reply_from_model(
        self, complete: Complete, request: ModelRequest, texts: tuple[SaidMessage, ...]
    ) -> ModelReplied:
        """Have a model reply to a request of the current step. The cost of the reply is counted; `ask` records it."""
        is_allowed = self._run_spending.wait_for_turn(self.trial.trial_id, self.stop)
        if not is_allowed:
            raise LeftOpen
        self._announce(request, texts)
        request = replace(
            self._of_this_trial(request), deadline=self.clock.deadline, permit=ReplyPermit()
        )

        started = time.perf_counter()
        try:
            reply = complete(request)
        except ModelError as error:
            if error.paid is not None:
                # The endpoint was asked something on the way to the error, which has its price.
                paid = self._reply_event(error.paid, CHECK, started)
                self._emit(paid)
                self.cost_limit.count_reply(paid)
            raise
        replied = self._reply_event(reply, request.role, started)
        self.cost_limit.count_reply(replied)
        return replied

    def ask_aside(self, complete: CompleteWithRetries, request: ModelRequest) -> Reply:
        """Return the reply to a side request, of the benchmark or for a second reader: the recorded one, else the one
        that `complete` gives.

        A side request is no part of the solver's conversation, and may come outside of a step, as in grading. It is
        journalled and counted like the others. Raises as `ask` does.
        """
        texts = texts_of(request)

        def ask_now() -> ModelReplied:
            return self._side_reply_from_model(complete, request, texts)

        return reply_of(self._models.side_reply(request.role, texts, ask_now))

    def _side_reply_from_model(
        self, complete: CompleteWithRetries, request: ModelRequest, texts: tuple[SaidMessage, ...]
    ) -> ModelReplied:
        """Have a model reply to a side request, and record and count the reply."""
        self._announce(request, texts)
        # A trial is graded after its time.
        deadline = math.inf if request.role == "grade" else self.clock.deadline
        request = replace(self._of_this_trial(request), deadline=deadline)
        started = time.perf_counter()
        reply = complete(request, partial(self.notice, retry=True))
        replied = self._reply_event(reply, request.role, started)
        self._emit(replied)
        self.cost_limit.count_reply(replied)
        return replied

    def _of_this_trial(self, request: ModelRequest) -> ModelRequest:
        """Return a request that names this trial as the one that asks."""
        return replace(
            request,
            task_id=self.trial.task_id,
            trial_id=self.trial.trial_id,
            try_number=self.trial.number,
        )

    def _announce(self, request: ModelRequest, texts: tuple[SaidMessage, ...]) -> None:
        """Record that a model is asked, if the limits allow it. Raises `OutOfBudget` and `LeftOpen`."""
        self._check_spending()
        # The run counts the request as soon as the event is written.
        self._emit(
            ModelAsked(
                trial_id=self.trial.trial_id,
                step=self.trace.number,
                messages=len(request.messages),
                role=request.role,
                texts=texts,
            )
        )
        # Together with requests of other trials, this one may be too much.
        self._check_spending()

    def _check_spending(self) -> None:
        """Raise `LeftOpen` if the run has spent its budget, `OutOfBudget` if the trial has."""
        self.cut_off = self._run_spending.used_up
        if self.cut_off:
            raise LeftOpen(self.cut_off)
        if self.cost_limit.reason:
            raise OutOfBudget(self.cost_limit.reason)

    def _reply_event(self, reply: Reply, role: str, started: float) -> ModelReplied:
        """Return the event of a reply; record what it teaches about the endpoint and says to the user."""
        for notice in reply.notices:
            self.notice(notice)
        if reply.learned is not None:
            self._emit(EndpointLearned(trial_id=self.trial.trial_id, capabilities=reply.learned))

        # The action of a solver may come as the arguments of one tool call instead of as text.
        is_aside = role in ASIDE_ROLES
        carrier = None if is_aside else action_call(reply)
        shared_fields = {name: getattr(reply, name) for name in ReplyFields.model_fields}
        shared_fields["tool_calls"] = tuple(
            call for call in reply.tool_calls if call is not carrier
        )
        return ModelReplied(
            trial_id=self.trial.trial_id,
            step=self.trace.number,
            number=0 if is_aside else len(self.trace.replies),
            role=role,
            reply=reply.text if carrier is None else carrier.arguments,
            tool_call=carrier is not None,
            elapsed_ms=round((time.perf_counter() - started) * 1000, 3),
            **shared_fields,
        )

    # --- Notices, and leaving ---

    def notice(self, text: str, *, retry: bool = False) -> None:
        """Record something worth knowing; `retry` for a request that is repeated."""
        event = Noticed(trial_id=self.trial.trial_id, text=text, retry=retry)
        self._recorder.journal.notice(event)

    def leave_if_stopped(self) -> None:
        """Raise `LeftOpen` if the trial is to be left open. Call it between two steps."""
        if self.stop.is_set():
            raise LeftOpen


def texts_of(request: ModelRequest) -> tuple[SaidMessage, ...]:
    """Return the messages of a request in their recorded form."""
    return tuple(SaidMessage.of(message) for message in request.messages)


def reply_of(replied: ModelReplied) -> Reply:
    """Return a recorded reply as a model gave it."""
    fields = {name: getattr(replied, name) for name in ReplyFields.model_fields}
    return Reply(text=replied.reply, **fields)
