"""The script solver, whose model writes a script in each turn.

It asks the model, runs the script and reports the output, until an answer is accepted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final

from controlplane.agent.events import ConversationOpened, ScriptMeasured, StepDone
from controlplane.agent.evidence.recorder import Recorder
from controlplane.agent.gated_exit import NotJudged
from controlplane.agent.loop.initial_prompt.initial_prompt import (
    PromptReader,
    build_initial_prompt,
)
from controlplane.agent.loop.loop_settings import LoopSettings
from controlplane.agent.loop.reply_form import RequestForm
from controlplane.agent.loop.script_feedback import (
    note_without_submission,
    step_feedback,
    was_refused,
)
from controlplane.agent.loop.script_host import sandbox_of
from controlplane.agent.loop.session.trial_session import TrialSession
from controlplane.agent.loop.turn_loop import TurnLoop
from controlplane.agent.model import Message, Model, Thought
from controlplane.agent.record.trial_step import TrialStep
from controlplane.agent.reply.action import Action
from controlplane.agent.reply.reply import action_of
from controlplane.agent.reply.unusable_reply import Fault, Unusable
from controlplane.agent.retry import RunBudget
from controlplane.gates.submission import OUTCOMES, Submission
from controlplane.sandbox import ForkServer, Sandbox, StepResult
from controlplane.sandbox.interface import CallError, Plain

REPETITION_TEMPERATURE: Final = 1.2
"""The least temperature after a repetition. At a lower one,
small models send the same script until the trial ends."""

LEFT_OUT_REPLY: Final = "(a script that failed like the one before)"
"""Replaces such a script in the conversation, because small models repeat what they see twice."""

MAX_CUT_OFF_CHARS: Final = 400
"""Later requests repeat this many characters of a reply that was cut off."""


@dataclass(frozen=True, slots=True)
class CitedLoop:
    """A solver with one model, scripts in a sandbox, and answers with citations."""

    model: Model
    server: ForkServer
    settings: LoopSettings = field(default_factory=LoopSettings)
    budget: RunBudget = field(default_factory=RunBudget)

    def solve(self, session: TrialSession) -> str:
        """Work on the trial, and return why it has no answer; empty if it has one.

        Raises the errors of `TurnLoop.run`.
        """
        settings = self.settings
        with sandbox_of(
            session, self.server, settings.limits, settings.isolation
        ) as box:
            turns = _ScriptTurns(self.model, session, settings, self.budget, box)
            turns.begin()
            return turns.run()


class _ScriptTurns(TurnLoop):
    """The turns of one trial, each of which runs one script."""

    def __init__(
        self,
        model: Model,
        session: TrialSession,
        settings: LoopSettings,
        run_budget: RunBudget,
        box: Sandbox,
    ) -> None:
        super().__init__(
            model,
            session,
            settings,
            run_budget,
            switches_reply_mode=settings.switches_reply_mode,
        )
        self.box = box

    # --- The beginning ---

    def begin(self) -> None:
        """Open the conversation, and restore the complete steps of an earlier attempt.

        A step's *scratchpad* is the data that its script left for the next scripts.
        """
        opened = self.session.open(self._initial_prompt)
        self._say("system", opened.system)
        self._say("user", "".join(opened.first_message))
        for step in self.session.earlier_steps.restored():
            self.count_step(step)  # for the limits
            self.box.restore(dict(step.summary.scratchpad))

    def _initial_prompt(self, recorder: Recorder) -> ConversationOpened:
        """Make the initial calls, and return the prompt that shows their results."""
        trial = self.session.trial
        settings = self.settings
        context_tokens = settings.context_tokens or trial.context_tokens
        return build_initial_prompt(
            trial.instruction,
            recorder,
            settings.initial_prompt_chars,
            prompts=settings.prompts,
            now=trial.now,
            reader=PromptReader(context_tokens, settings.replies_in_fences),
        )

    # --- A turn ---

    def take_turn(self) -> None:
        """Take one turn: ask the model, run the script of its reply, and record the step."""
        with self.session.step() as step:
            step.done = self._done_by_model()
            if self.limits.end_after(step):
                self._submit_last_answer(step.done.scratchpad)
            self.add_warnings(step)

        mode = self.limits.unusable.form.mode
        self.count_step(step)
        if self.limits.unusable.form.mode != mode:
            self._notice_new_mode()

    def _done_by_model(self) -> StepDone:
        """Ask the model, and run the script of its reply, if it has one."""
        replied = self.model.solve(self.conversation, **self._request_form())
        action = action_of(
            replied.reply,
            replied.finish_reason,
            other_calls=replied.tool_calls,
            reasoning=replied.reasoning,
        )
        if isinstance(action, Unusable):
            return self._done_without_script(action)
        other_actions = action.others + len(replied.tool_calls)
        return self._done_by_script(action, other_actions)

    def _request_form(self) -> RequestForm:
        """Return the reply's form for `solve`, with a temperature after a repetition."""
        form = self.limits.unusable.form.arguments
        if self.limits.repetition.is_repeating:
            return {**form, "min_temperature": REPETITION_TEMPERATURE}
        return form

    @property
    def _asks_for_fences(self) -> bool:
        """True if scripts are asked for in fences (```), so a reply may have other text."""
        return self.settings.replies_in_fences or self.limits.unusable.form.is_fenced

    def _notice_new_mode(self) -> None:
        """Tell the user why the model is asked in another reply mode, such as plain text.

        The mode changes for one of two reasons (see `UnusableReplies`).
        """
        form = self.limits.unusable.form
        reason = "the same fault three times in a row"
        if form.is_fenced:
            reason = "scripts in JSON strings were no Python"
        self.session.notice(f"{reason}; asking in reply mode {form.mode} from here on")

    def _done_without_script(self, unusable: Unusable) -> StepDone:
        """Return the step of a reply without an action, with the reason."""
        reason = unusable.reason
        if self._asks_for_fences:
            reason = unusable.reason_in_fences
        # A refusal of the request is a usable reply, so it counts as a step. The first unusable
        # replies of a trial are *refunded*: they do not count.
        is_unusable = unusable.fault is not Fault.REFUSED
        return StepDone(
            trial_id=self.session.trial.trial_id,
            step=self.session.trace.number,
            error=reason,
            fault=str(unusable.fault),
            scratchpad=self.box.scratchpad,
            feedback=(self.prompts.filled("unusable", reason=reason),),
            refunded=self.limits.steps.refunds_reply(is_unusable=is_unusable),
        )

    # --- A script ---

    def _done_by_script(self, action: Action, other_actions: int) -> StepDone:
        """Run the script of an action. Only the first action of a reply is run."""
        session = self.session
        number = session.trace.number
        result = self.box.run(action.code, step=number)
        peak_memory_bytes = self.box.peak_memory_bytes
        if peak_memory_bytes is not None:
            record_peak_memory(session.recorder, peak_memory_bytes)
        is_refused = was_refused(result.ending)
        return StepDone(
            trial_id=session.trial.trial_id,
            step=number,
            state=action.state,
            plan=action.plan,
            done=action.done,
            code=action.code,
            output=result.output,
            error=result.error,
            ending=str(result.ending),
            scratchpad=result.scratchpad,
            feedback=self._feedback(action, result, other_actions),
            elapsed_ms=result.elapsed_ms,
            refunded=self.limits.steps.refunds_script(is_refused=is_refused),
        )

    def _feedback(
        self, action: Action, result: StepResult, other_actions: int
    ) -> tuple[str, ...]:
        """Return the message after a script; empty if the trial is over."""
        session = self.session
        others_text = other_actions_text(other_actions)
        if session.is_over:
            if others_text:
                session.notice(others_text)  # The model gets no more messages.
            return ()

        step = session.trace
        feedback = step_feedback(step.number, result, step.submissions, session.notes)
        if not step.submissions:
            before = session.steps.last.scratchpad if session.steps.last else {}
            note = note_without_submission(
                action.code, before, result, has_calls=bool(step.calls)
            )
            if note:
                feedback += (note,)
        if others_text:
            note = f"<note>\n{others_text}: reply with one JSON object.\n</note>\n"
            feedback += (note,)
        return feedback

    def _submit_last_answer(self, scratchpad: Mapping[str, Plain]) -> None:
        """Submit the answer that the last step left, unless a script has submitted one.

        The gates judge it once, and the model cannot correct it.
        """
        session = self.session
        if session.is_over or session.exit.history.has_sendable:
            return
        submission = Submission.from_scratchpad(scratchpad, None, from_script=False)
        is_whole = bool(submission.answer_text) and submission.outcome in OUTCOMES
        if not is_whole:
            return
        # If the answer cannot be submitted, the trial ends without one.
        with suppress(NotJudged, CallError):
            session.submit(submission)
        session.notice(
            "the last step left an answer that no script submitted; the gates judged it"
        )

    # --- The conversation ---

    def add_to_conversation(self, step: TrialStep) -> None:
        """Add the model's reply, and the feedback on it, to the conversation."""
        done = step.summary
        replied = step.solve_reply
        reply = shown_reply(replied.reply, done.fault)
        # Don't show the model its failed script again, so that it does not repeat it. But a
        # model that replies in fences would copy the line that stands in its place.
        if self.limits.repetition.is_same_failure and not self._asks_for_fences:
            reply = LEFT_OUT_REPLY
        self._say("assistant", reply, replied.thinking)
        self._say("user", "".join(done.feedback))

    def _say(self, role: str, content: str, thinking: Sequence[Thought] = ()) -> None:
        message = Message(role=role, content=content)
        if thinking:
            message["thinking"] = thinking
        self.say(message)


def record_peak_memory(recorder: Recorder, peak_memory_bytes: int) -> None:
    """Record the peak memory of the process that ran the current step's script."""
    event = ScriptMeasured(
        trial_id=recorder.trial_id,
        step=recorder.trace.number,
        peak_memory_bytes=peak_memory_bytes,
    )
    recorder.journal.measured(event)


def other_actions_text(other_actions: int) -> str:
    """Return the sentence about actions of a reply that were not run; empty if there are none."""
    if not other_actions:
        return ""
    count = "two" if other_actions == 1 else str(other_actions + 1)
    return f"The reply held {count} actions. Only the first was run"


def shown_reply(reply: str, fault: str) -> str:
    """Return a reply as later requests show it, never empty.

    Each later request pays for the reply again. So of a reply that was cut off at its
    length limit, only the beginning is shown.
    """
    if not reply.strip():
        return "(an empty reply)"
    hidden = len(reply) - MAX_CUT_OFF_CHARS
    if fault != Fault.CUT_OFF or hidden <= 0:
        return reply
    return f"{reply[:MAX_CUT_OFF_CHARS]} [... {hidden:,} characters more, then cut off]"
