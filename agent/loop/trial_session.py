"""One trial as a solver uses it: its calls, citations, submissions and model requests, all of them journalled.

The session owns the current step, the evidence and the gated exit. Calls and requests in the record of an earlier
attempt are answered from it, so a solver does the same work in a first attempt, in a resumed one and in a replay.
"""

from __future__ import annotations

import hashlib
import math
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Final, TypedDict

from controlplane.agent.events import (
    Citation,
    CitationAnswered,
    ConversationOpened,
    EndpointLearned,
    Judged,
    ModelAsked,
    ModelReplied,
    Noticed,
    ResumeState,
    SaidMessage,
    StepDone,
    StepTrace,
)
from controlplane.agent.evidence.recorder import Functions, Recorder
from controlplane.agent.model import (
    ASIDE_ROLES,
    ASKING,
    DEADLINE,
    TASK,
    TRY,
    Message,
    ModelError,
    ModelRequest,
    OutOfBudget,
    Reply,
    ReplyFields,
)
from controlplane.agent.reply import action_call
from controlplane.agent.retry import RunBudget, TrialSpending
from controlplane.agent.submission import GatedExit, GateSettings
from controlplane.gates.submission import Submission, quote
from controlplane.sandbox.interface import CallError, Effect, Operation, Plain, ToolSchema, bounds

CHECK: Final = "check"
"""The role of a request that shows whether every trial meets an error."""


class LeftOpen(Exception):
    """A solver stopped because it was told to; the trial can be taken up again."""

    leaves_step = True


@dataclass(frozen=True, slots=True)
class TrialContext:
    """One trial: its ids, its instruction and its clock."""

    trial_id: str
    task_id: str
    instruction: str
    now: datetime | None
    """The clock that scripts see at the start; None if there is no clock."""
    number: int = 1
    """The number of the trial among those of its task in the run, from 1."""


class StepFields(TypedDict, total=False):
    """Fields of `StepDone` that a solver fills in. The session knows the others."""

    state: str
    plan: tuple[str, ...]
    done: bool
    code: str
    output: str
    error: str
    fault: str
    ending: str
    scratchpad: dict[str, Plain]
    feedback: tuple[str, ...]
    elapsed_ms: float
    refunded: bool


def _note_of_cut(
    declared: Operation, given: Mapping[str, Plain], result: Mapping[str, Plain], read_all: str
) -> str:
    """Return the note of a step about a result that was cut off; empty if the script gets the rest by itself."""
    if declared.from_char:
        if not given.get(declared.from_char):
            return ""
        rest = f"{declared.from_char}={result.get('next_char')}"
        return f"{given[declared.subject]} goes on: {rest} gives the rest."
    if declared.effect is Effect.READS and "start_line" in given:
        if given["start_line"]:
            return ""
        return f"{given[declared.subject]} goes on: {read_all} gives the rest."
    return f"{declared.name} returned only a part of what there is (.truncated is true)."


class TrialSession:
    """A trial as its solver works with it. Used by one thread at a time."""

    def __init__(
        self,
        trial: TrialContext,
        recorder: Recorder,
        gates: GateSettings | None = None,
        *,
        resume_state: ResumeState | None = None,
        stop: threading.Event | None = None,
        budget: RunBudget | None = None,
    ) -> None:
        self.trial = trial
        self.instruction = trial.instruction
        self.tool_schema: ToolSchema = recorder.tool_schema
        """The environment's declaration."""
        self.resume_state = resume_state or ResumeState()
        self.stop = stop or threading.Event()
        """Set if the trial is to be left open after its current step."""
        self.deadline = math.inf
        """The moment, by `time.monotonic`, at which the trial's time is over; no request to a model outlives it."""
        self.exit = GatedExit(
            recorder,
            trial.instruction,
            gates or GateSettings(),
            trial.now.isoformat() if trial.now else "",
            earlier=self.resume_state.answer,
        )
        self._recorder = recorder
        recorder.evidence_log.taint.know(trial.instruction)
        recorder.call_origins.policy = self.exit.settings.provenance
        for asked in (trial.instruction, *self.exit.settings.asked):
            recorder.call_origins.add_request(asked)
        self._emit = recorder.emit
        self._run_spending = (budget or RunBudget()).spending
        self._spending = TrialSpending(self._run_spending.limits.trial_cost_usd)
        self.asides = {key: list(replies) for key, replies in self.resume_state.asides.items()}
        """Recorded replies to requests of the benchmark, each of which answers one request."""
        for replied in (
            replied for replies in self.resume_state.replies.values() for replied in replies
        ):
            self._spending.count_reply(replied.known_cost_usd)
        self.cut_off = ""
        """The reason why the run's budget ended work on the trial, which stays open; empty if it did not."""
        self._rules_path = recorder.tool_schema.rules_document or None
        self._is_opened = False
        self._is_in_step = False
        self.last_step: StepFields = StepFields()
        """What the solver said of the last step."""
        self.interrupt: Callable[[str], None] = lambda reason: None
        """Ends the script under way, from any thread; the argument says why."""

    @property
    def rules(self) -> str:
        """The workspace's rules as the gates see them: from the initial prompt or, without one, as a call first read
        them."""
        return self.exit.rules

    @property
    def is_over(self) -> bool:
        """True if an answer was sent, in this attempt or an earlier one."""
        return self.exit.is_closed or self.exit.earlier is not None

    @property
    def seed(self) -> int:
        """The seed of the randomness that scripts see; a fork has that of the trial from which it was forked."""
        origin = self.resume_state.origin or self.trial.trial_id
        return int.from_bytes(hashlib.sha256(origin.encode()).digest()[:6], "big")

    @property
    def has_record(self) -> bool:
        """True if an earlier attempt began the next step."""
        return self.resume_state.record_of(self._recorder.trace.number + 1) is not None

    @property
    def recorded_step(self) -> StepDone | None:
        """The current step as an earlier attempt ended it; None if no attempt did."""
        return self.trace.record.done

    @property
    def trace(self) -> StepTrace:
        """The current step; between two steps, the last one."""
        return self._recorder.trace

    def open(self, build: Callable[[Recorder], ConversationOpened]) -> ConversationOpened:
        """Return the initial prompt: from the record, or as `build` makes it from the initial calls."""
        if self.resume_state.initial_prompt is not None:
            return self.take_initial_prompt(self.resume_state.initial_prompt)
        self._recorder.begin_step(0)
        opened = build(self._recorder)
        self._emit(opened)
        self._is_opened, self.exit.rules = True, opened.rules
        return opened

    def take_initial_prompt(self, opened: ConversationOpened) -> ConversationOpened:
        """Take a recorded initial prompt as evidence, without making its calls."""
        self._recorder.begin_step(0)
        self._recorder.add_calls(opened.calls)
        self._is_opened, self.exit.rules = True, opened.rules
        return opened

    def take_recorded(self, done: StepDone) -> None:
        """Restore evidence and submissions to their state after a recorded step, without running the step again."""
        self._recorder.begin_step(done.step)
        self._recorder.add_calls(done.calls)
        for stopped in self.resume_state.stopped.get(done.step, ()):
            self._recorder.checks.add_stopped(stopped)
        self._recorder.add_citations(done.citations)
        self.take_script(done.code, done.output if done.code else "")
        for judged in done.verdicts:
            self.exit.count_submission(judged, done.step)
        for call in done.calls:
            self._note_end(call.operation, call.result or {})

    def take_script(self, code: str, printed: str) -> None:
        """Take a script, and what one printed, into account: an answer tells what was typed or computed."""
        self._recorder.evidence_log.record_script(code, printed)

    @contextmanager
    def step(self) -> Iterator[StepFields]:
        """Do one step, and record it at its end with the fields that the solver fills in.

        A step that an exception ends is not recorded as done: a later attempt continues it.
        """
        self.end_step()
        self._begin_step()
        fields = StepFields()
        try:
            yield fields
        except BaseException:
            self._is_in_step = False
            raise
        self._end_step(fields)

    def call(
        self,
        operation: str,
        arguments: Mapping[str, Plain] | None = None,
        *,
        in_verify: bool = False,
        read_all: str = "",
        in_script: bool = False,
    ) -> dict[str, Plain]:
        """Make a call, or take its recorded result. Raises `CallError`.

        What a script is told of its call (`in_script`) reaches the model after the step. If `read_all` is given, a note
        of the step says that it reads the rest of a file whose beginning was read.
        """
        self._begin_step()
        given = arguments or {}
        if self.tool_schema.may_change(operation, given):
            is_on = self.exit.settings.has_pre_call_check(self.tool_schema)
            self._recorder.checks.check_change(
                operation,
                given,
                has_pre_call_check=is_on,
                in_verify=in_verify,
                in_script=in_script,
            )
        result = self._recorder.call(operation, given, in_verify=in_verify)
        declared = self.tool_schema.operation(operation)
        if (
            not (self._is_opened or self.rules)
            and declared
            and given.get(declared.subject) == self._rules_path
        ):
            self.exit.rules = str(result.get(declared.json_field, ""))
        self._note_end(operation, result)
        if read_all and declared and result.get("truncated") is True:
            note = _note_of_cut(declared, given, result, read_all)
            if note and note not in self.trace.notes:
                self.trace.notes.append(note)
        return result

    def call_all(
        self, calls: Sequence[tuple[str, Mapping[str, Plain]]]
    ) -> list[Mapping[str, Plain] | CallError]:
        """Make the calls of the environment's function that is computed, and return their outcomes."""
        return self._recorder.call_all(calls)

    def use_functions(self, functions: Functions) -> None:
        """Have the environment's functions run by `functions` from now on."""
        self._recorder.functions = functions

    def _note_end(self, operation: str, result: Mapping[str, Plain]) -> None:
        """End the trial without an answer if the environment says with a call's result that it is over."""
        if self.tool_schema.ends_trial(operation, result) and not self.exit.is_closed:
            self.exit.end_without_answer()

    def check_citation(self, path: str, reason: str, quotation: str = "") -> str:
        """Return the spelling under which `path` may be cited. Raises `ValueError` with the reason if it may not."""
        if len(path) > bounds.MOST_PATH_CHARS or len(reason) > 4_000:
            msg = f"a path has at most {bounds.MOST_PATH_CHARS} characters, a reason 4000: {quote(path)}"
            raise ValueError(msg)
        self._begin_step()
        trace = self.trace
        number = len(trace.citations)
        try:
            (spelling, line), fault = (
                self._recorder.evidence_log.check_citation(path, reason, quotation),
                "",
            )
        except ValueError as error:
            (spelling, line), fault = ("", 0), str(error)
        citation = Citation(
            path=path,
            reason=reason,
            spelling=spelling,
            error=fault,
            quote=quotation,
            line=line,
            after_calls=len(trace.calls),
        )
        recorded = trace.record.citations[number] if number < len(trace.record.citations) else None
        if recorded is not None and recorded != citation:
            trace.differs(f"citations[{number}]", recorded, citation)
        if recorded is not None and (recorded.path, recorded.reason, recorded.quote) == (
            path,
            reason,
            quotation,
        ):
            citation = recorded
        else:
            self._emit(
                CitationAnswered(
                    trial_id=self.trial.trial_id,
                    step=trace.number,
                    number=number,
                    citation=citation,
                )
            )
        trace.citations.append(citation)
        if citation.error:
            raise ValueError(citation.error)
        return citation.spelling

    def submit(self, submission: Submission) -> Judged:
        """Judge `submission` and send it if the gates accept it.

        Raises `CallError` if the environment refuses it, and `NotJudged` beyond the limits of a step and a trial.
        """
        self._begin_step()
        return self.exit.submit(submission)

    def ask(
        self,
        complete: Callable[[], Reply],
        messages: Sequence[Message],
        *,
        role: str = "solve",
        is_conversation: bool = False,
    ) -> ModelReplied:
        """Return the model's reply to `messages` as `complete` gives it, or the recorded one.

        With `is_conversation` the messages are those of the initial prompt and of the steps, which the journal holds
        already.
        Raises `ModelError`, also if the recorded request had failed; `OutOfBudget` if the trial's limits are spent, and
        `LeftOpen` if the run's are.
        """
        self._begin_step()
        trace = self.trace
        number, replies = len(trace.replies), trace.record.replies
        if number < len(replies) and replies[number].role == role:
            trace.replies.append(replies[number])
            return replies[number]
        if number < len(replies) or trace.record.done is not None:
            msg = f"the record holds no reply in the role {role}: the request had failed"
            raise ModelError(msg)
        if not self._run_spending.wait_for_turn(self.trial.trial_id, self.stop):
            raise LeftOpen
        self._announce(
            role, len(messages), () if is_conversation else tuple(map(SaidMessage.of, messages))
        )
        DEADLINE.set(self.deadline)
        ASKING.set(True)
        started = time.perf_counter()
        try:
            reply = complete()
        except ModelError as error:
            if error.paid is not None:
                self._record(error.paid, CHECK, started)
            raise
        finally:
            ASKING.set(False)
        replied = self._record(reply, role, started)
        trace.replies.append(replied)
        return replied

    def ask_aside(
        self,
        complete: Callable[[ModelRequest, Callable[[str], None]], Reply],
        request: ModelRequest,
    ) -> Reply:
        """Return the reply to a request of the benchmark: the recorded one of the same messages, or as `complete` gives
        it, journalled and counted; it also takes the function that records a retry. Raises as `ask` does."""
        texts = tuple(map(SaidMessage.of, request.messages))
        if recorded := self.asides.get((request.role, texts)):
            kept = recorded.pop(0)
            return Reply(
                text=kept.reply, **{name: getattr(kept, name) for name in ReplyFields.model_fields}
            )
        deadline = DEADLINE.set(math.inf if request.role == "grade" else self.deadline)
        try:
            self._announce(request.role, len(texts), texts)
            started = time.perf_counter()
            reply = complete(request, partial(self.notice, retry=True))
        finally:
            DEADLINE.reset(deadline)
        self._record(reply, request.role, started)
        return reply

    def _announce(self, role: str, messages: int, texts: tuple[SaidMessage, ...]) -> None:
        """Record that a model is asked, if the limits allow it. Raises `OutOfBudget` and `LeftOpen`."""
        self._check_spending()
        self._emit(
            ModelAsked(
                trial_id=self.trial.trial_id,
                step=self.trace.number,
                messages=messages,
                role=role,
                texts=texts,
            )
        )
        self._check_spending()  # which now includes this request
        TASK.set(self.trial.task_id)
        TRY.set(self.trial.number)

    def _check_spending(self) -> None:
        self.cut_off = self._run_spending.used_up
        if self.cut_off:
            raise LeftOpen(self.cut_off)
        if self._spending.used_up:
            raise OutOfBudget(self._spending.used_up)

    def _record(self, reply: Reply, role: str, started: float) -> ModelReplied:
        """Record a reply, with what it teaches about the endpoint and says to the user, and count its cost."""
        for notice in reply.notices:
            self.notice(notice)
        if reply.learned is not None:
            self._emit(EndpointLearned(trial_id=self.trial.trial_id, capabilities=reply.learned))
        is_aside = role in ASIDE_ROLES
        carrier = None if is_aside else action_call(reply)
        replied = ModelReplied(
            trial_id=self.trial.trial_id,
            step=self.trace.number,
            number=0 if is_aside else len(self.trace.replies),
            role=role,
            reply=carrier.arguments if carrier else reply.text,
            tool_call=carrier is not None,
            **{name: getattr(reply, name) for name in ReplyFields.model_fields}
            | {"tool_calls": tuple(call for call in reply.tool_calls if call is not carrier)},
            elapsed_ms=round((time.perf_counter() - started) * 1000, 3),
        )
        self._emit(replied)
        self._spending.count_reply(replied.known_cost_usd)
        return replied

    def notice(self, text: str, *, retry: bool = False) -> None:
        """Record something worth knowing; `retry` for a request that is repeated."""
        self._emit(Noticed(trial_id=self.trial.trial_id, text=text, retry=retry))

    def leave_if_stopped(self) -> None:
        """Raise `LeftOpen` if the trial is to be left open. Call it between two steps."""
        if self.stop.is_set():
            raise LeftOpen

    def end_step(self) -> None:
        """Record the step of work done outside of `step`, if there is any."""
        if self._is_in_step:
            self._end_step({})

    def _begin_step(self) -> None:
        if not self._is_in_step:
            number = self.trace.number + 1
            self._recorder.begin_step(number, self.resume_state.record_of(number))
            self._is_in_step = True

    def _end_step(self, fields: StepFields) -> None:
        trace, self.last_step = self.trace, fields
        self._is_in_step = False
        if trace.record.done is not None:
            return
        self._emit(
            StepDone(
                trial_id=self.trial.trial_id,
                step=trace.number,
                calls=tuple(trace.calls),
                citations=tuple(trace.citations),
                verdicts=tuple(trace.submissions),
                **trace.reply_fields,
                **fields,
            )
        )
