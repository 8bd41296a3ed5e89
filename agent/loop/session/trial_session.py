"""The session of one trial, through which its solver makes calls, cites, submits and asks models.

The session records all of this in the journal. A resumed or replayed trial has a
*tape*, the record of its earlier attempts. The solver repeats its work, and gets the
recorded answers until the tape ends.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Final

from controlplane.agent.events import (
    Citation,
    CitationAnswered,
    ConversationOpened,
    Judged,
    ModelReplied,
    ScriptMeasured,
    StepDone,
)
from controlplane.agent.evidence.environment import Functions
from controlplane.agent.evidence.recorder import Recorder
from controlplane.agent.gated_exit import GatedExit
from controlplane.agent.limits.call_limit import CallLimit
from controlplane.agent.limits.trial_limit import TrialLimit
from controlplane.agent.loop.session.call_notes import cut_result_note, find_note
from controlplane.agent.loop.session.trial_context import (
    LeftOpen,
    TrialClock,
    TrialContext,
)
from controlplane.agent.loop.session.trial_models import (
    Complete,
    CompleteWithRetries,
    TrialModels,
)
from controlplane.agent.loop.session.trial_steps import TrialSteps
from controlplane.agent.model import ModelRequest, Reply
from controlplane.agent.record.trial_step import TrialStep
from controlplane.agent.retry import RunBudget
from controlplane.agent.submission import GateSettings
from controlplane.gates.submission import Submission, quote
from controlplane.sandbox.interface import (
    CallError,
    Operation,
    Plain,
    bounds,
    error_codes,
    parsed_result,
)

MOST_REASON_CHARS: Final = 4_000
"""Max characters of the reason for a citation. One or two sentences are usual."""


def _interrupt_nothing(reason: str) -> None:
    """Do nothing, because there is no sandbox."""


class TrialSession:
    """The interface between a trial and its solver.

    Used by one thread at a time. Each call, citation, submission or request to a model
    belongs to a step, and begins one if none is open.
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
        self.trial = trial
        self.instruction = trial.instruction
        self.tool_schema = recorder.tool_schema
        """The environment's declaration."""
        self._recorder = recorder

        now = trial.now.isoformat() if trial.now else ""
        self.exit = GatedExit(recorder, trial.instruction, gates or GateSettings(), now)
        """The gates, which check answers, and the answer that was sent."""
        self.has_pre_call_check = self.exit.settings.has_pre_call_check(
            recorder.tool_schema
        )
        """True if the environment checks each changing call before it is sent."""
        self._tell_recorder_of_user()

        self.clock = clock or TrialClock()
        self.stop = stop or threading.Event()
        """Set when the trial should stop after its current step."""
        spending = (budget or RunBudget()).spending
        self.models = TrialModels(trial, recorder, self.clock, spending, self.stop)
        self.call_limit = CallLimit(trial.max_calls)
        self.cost_limit = self.models.cost_limit
        self.limits: tuple[TrialLimit, ...] = (
            self.exit.limit,
            self.call_limit,
            self.cost_limit,
        )
        """The limits that hold for every solver. Each completed step counts in them."""
        self.steps = TrialSteps(trial.trial_id, recorder, self.clock, self.limits)

        self.interrupt: Callable[[str], None] = _interrupt_nothing
        """Ends the running script for a reason, from any thread."""
        self._has_initial_prompt = False

    def _tell_recorder_of_user(self) -> None:
        """Tell the recorder which texts are the user's. A call may rely on what they say."""
        settings = self.exit.settings
        recorder = self._recorder
        recorder.evidence_log.encoded_results.add_known_text(self.instruction)
        recorder.call_origins.policy = settings.provenance
        for text in (self.instruction, *settings.asked):
            recorder.call_origins.add_request(text)

    @property
    def rules(self) -> str:
        """The text of the workspace's rules; empty until it is read."""
        return self.exit.rules

    @property
    def is_over(self) -> bool:
        """True if an answer was sent, or if the environment has ended the trial."""
        return self.exit.is_closed

    @property
    def has_submitted_answer(self) -> bool:
        """True if a submission had an answer, with which the trial may end even if it was rejected."""
        return self.exit.history.last_sendable is not None

    @property
    def trace(self) -> TrialStep:
        """What has happened in the current step; between two steps, in the last one."""
        return self._recorder.trace

    @property
    def notes(self) -> list[str]:
        """Notes for the solver about the calls of the current step."""
        return self._recorder.step.notes

    # --- Begin, and steps of an earlier attempt ---

    def open(
        self, build: Callable[[Recorder], ConversationOpened]
    ) -> ConversationOpened:
        """Return the recorded initial prompt of an earlier attempt, or else that of `build`.

        `build` makes the initial calls, which belong to step 0.
        """
        recorder = self._recorder
        recorder.step.begin(0)
        opened = recorder.journal.opening(
            lambda: build(recorder), recorder.restored_calls.add
        )
        self._has_initial_prompt = True
        self.exit.rules = opened.rules
        return opened

    def whole_steps(self) -> Iterator[TrialStep]:
        """Restore and yield the recorded steps, without executing anything again.

        A step that was cut off, and so has no recorded end, is not among them.
        """
        for step in self._recorder.tape.record.all_steps.whole:
            self.restore_step(step)
            yield step

    def restore_step(self, step: TrialStep) -> None:
        """Restore the session's state after a recorded step.

        The order matters: citations depend on the calls before them, and submissions on both.
        """
        done = step.summary
        recorder = self._recorder
        recorder.step.begin(step.number)
        self.record_script(done.code, done.output if done.code else "")
        recorder.restored_calls.add_step(step)
        for call in step.calls:
            self._close_if_environment_ended(call.operation, call.result or {})
        for citation in step.citations:
            recorder.add_citation(citation)
        for judged in step.submissions:
            self.exit.take_submission(judged)
        for answered in step.answers:
            self.exit.take_answer(answered)
        self.trace.replies.extend(step.replies)
        self.steps.finish(done)

    def record_script(self, code: str, printed: str) -> None:
        """Keep a script's code and output. Without code, add to the last script's output."""
        self._recorder.evidence_log.record_script(code, printed)

    def measure_script(self, peak_memory_bytes: int) -> None:
        """Record the peak memory of the process that runs the trial's scripts."""
        event = ScriptMeasured(
            trial_id=self.trial.trial_id,
            step=self.trace.number,
            peak_memory_bytes=peak_memory_bytes,
        )
        self._recorder.journal.measured(event)

    # --- Steps ---

    def step(self) -> AbstractContextManager[TrialStep]:
        """Do one step, and record it. The solver may set the fields that it knows:

            with session.step() as step:
                result = box.run(code)
                step.done = StepDone(trial_id=..., step=step.number, code=code)

        If an exception ends the step, it is not recorded as done, and a later attempt of the
        trial continues it.
        """
        return self.steps.step()

    def end_step(self) -> None:
        """Record the current step. Between two steps, do nothing."""
        self.steps.end()

    @property
    def last_step(self) -> StepDone | None:
        """The last step as recorded in the journal; None before the first one."""
        return self.steps.last

    # --- Calls ---

    def call(
        self,
        operation: str,
        arguments: Mapping[str, Plain] | None = None,
        *,
        in_verify: bool = False,
        in_script: bool = False,
        is_raw: bool = False,
    ) -> dict[str, Any]:
        """Make a call and return its result.

        Raises `CallError` if the call fails or is not allowed.

        - `in_verify`: a script's `verify`, which checks the answer, makes the call. It
          may only read.
        - `in_script`: a script makes the call. The model may get notes about it.
        - `is_raw`: the result is not parsed. Scripts parse it themselves.
        """
        self.steps.begin()
        arguments = arguments or {}
        origins = {}
        if self.tool_schema.may_change(operation, arguments):
            origins = self._recorder.checks.check_change(
                operation,
                arguments,
                has_pre_call_check=self.has_pre_call_check,
                in_verify=in_verify,
                in_script=in_script,
            )
        result = self._result_of(
            operation, arguments, in_verify=in_verify, origins=origins
        )

        declared = self.tool_schema.operation(operation)
        if declared is not None:
            self._keep_rules(declared, arguments, result)
        self._close_if_environment_ended(operation, result)
        if in_script:
            self._add_notes(operation, arguments, result)
        is_parsed_by_caller = in_script or is_raw
        if is_parsed_by_caller or declared is None:
            return result
        parsed: dict[str, Any] = parsed_result(declared, result)
        return parsed

    def _result_of(
        self,
        operation: str,
        arguments: Mapping[str, Plain],
        *,
        in_verify: bool,
        origins: Mapping[str, str],
    ) -> dict[str, Plain]:
        """Make a call, if the trial has one left. Raises `CallError`."""
        refusal = self.call_limit.refusal(self.trace)
        if not refusal:
            return self._recorder.calls.make(
                operation, arguments, in_verify=in_verify, origins=origins
            )
        # The refused call is recorded. If an earlier attempt with a higher limit has made
        # the call, this returns the recorded result.
        return self._recorder.calls.refuse(
            operation,
            arguments,
            error_codes.RESOURCE_EXHAUSTED,
            refusal,
            in_verify=in_verify,
        )

    def _keep_rules(
        self,
        declared: Operation,
        arguments: Mapping[str, Plain],
        result: Mapping[str, Plain],
    ) -> None:
        """Keep the workspace's rules if a call reads them, because the gates need them.

        If there is an initial prompt, its calls have read them already.
        """
        path = self.tool_schema.rules_document
        if self._has_initial_prompt or self.rules or not path:
            return
        if arguments.get(declared.subject) == path:
            self.exit.rules = str(result.get(declared.json_field, ""))

    def _add_notes(
        self,
        operation: str,
        arguments: Mapping[str, Plain],
        result: Mapping[str, Plain],
    ) -> None:
        """Add notes about a call for the model, such as that its result is cut, each once."""
        can_read = self.tool_schema.operation("read") is not None
        notes = (
            cut_result_note(self.tool_schema, operation, arguments, result),
            find_note(operation, arguments, result, can_read),
        )
        for note in notes:
            if note and note not in self.notes:
                self.notes.append(note)

    def repeat_call(
        self, operation: str, arguments: Mapping[str, Plain], *, in_verify: bool
    ) -> None:
        """Make a recorded call again for a replay, without the checks. Raises `CallError`."""
        self.steps.begin()
        result = self._recorder.calls.make(operation, arguments, in_verify=in_verify)
        self._close_if_environment_ended(operation, result)

    def call_all(
        self, calls: Sequence[tuple[str, Mapping[str, Plain]]]
    ) -> list[Mapping[str, Plain] | CallError]:
        """Make calls for a running function of the environment.

        Return their results or errors, in order.
        """
        return self._recorder.functions.call_all(calls)

    def use_functions(self, functions: Functions) -> None:
        """Let `functions`, such as the sandbox, run the functions that the environment declares."""
        self._recorder.functions.runner = functions

    def _close_if_environment_ended(
        self, operation: str, result: Mapping[str, Plain]
    ) -> None:
        """Close the trial without an answer if a result says that it has ended."""
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
        self.steps.begin()
        event = CitationAnswered(
            trial_id=self.trial.trial_id,
            step=self.trace.number,
            number=len(self.trace.citations),
            citation=self._checked_citation(path, reason, quotation),
        )
        # If an earlier attempt has recorded this citation, its answer counts.
        citation = self._recorder.journal.citation(event).citation
        self._recorder.add_citation(citation)
        if citation.error:
            raise ValueError(citation.error)
        return citation.spelling

    def _checked_citation(self, path: str, reason: str, quotation: str) -> Citation:
        """Return a citation with the evidence log's answer: the right spelling, or an error."""
        spelling = ""
        line = 0
        error = ""
        try:
            spelling, line = self._recorder.evidence_log.check_citation(
                path, reason, quotation
            )
        except ValueError as refusal:
            error = str(refusal)
        return Citation(
            path=path,
            reason=reason,
            spelling=spelling,
            error=error,
            quote=quotation,
            line=line,
            after_calls=len(self.trace.calls),
        )

    def submit(self, submission: Submission) -> Judged:
        """Judge `submission`, and send it if the gates accept it.

        Raises `CallError` if the environment refuses the answer, and `NotJudged` if the
        step or the trial has no submission left.
        """
        self.steps.begin()
        return self.exit.submit(submission)

    # --- Requests to models ---

    def ask(
        self,
        complete: Complete,
        request: ModelRequest,
        *,
        is_conversation: bool = False,
    ) -> ModelReplied:
        """Return the reply to a request of the solver: the recorded one, or that of `complete`.

        With `is_conversation`, the messages are not recorded, because the journal
        already has the initial prompt and the steps.

        Raises `ModelError` if the request fails or is recorded as failed, `OutOfBudget`
        if the trial has spent its budget, and `LeftOpen` if the run has.
        """
        self.steps.begin()
        return self.models.ask(complete, request, is_conversation=is_conversation)

    def ask_aside(self, complete: CompleteWithRetries, request: ModelRequest) -> Reply:
        """Return the reply to a side request: the recorded one, or that of `complete`.

        It is outside of the conversation, and need not belong to a step: the benchmark
        grades a trial, or a second model reads the answer. Raises the errors of `ask`.
        """
        return self.models.ask_aside(complete, request)

    # --- Notices, and leaving ---

    def notice(self, text: str, *, retry: bool = False) -> None:
        """Record a notice for the user. `retry`: it is about a repeated request."""
        self.models.notice(text, retry=retry)

    def leave_if_stopped(self) -> None:
        """Raise `LeftOpen` if the trial should stop here. Call this between steps."""
        if self.stop.is_set():
            raise LeftOpen
