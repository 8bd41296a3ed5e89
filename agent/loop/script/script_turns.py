"""The turns of one trial, in each of which the model writes a script."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from controlplane.agent.events import ConversationOpened
from controlplane.agent.evidence.recorder import Recorder
from controlplane.agent.loop.initial_prompt.initial_prompt import (
    PromptReader,
    build_initial_prompt,
)
from controlplane.agent.loop.loop_settings import LoopSettings
from controlplane.agent.loop.reply_form import ReplyForm, RequestForm
from controlplane.agent.loop.script.script_step import ScriptStep
from controlplane.agent.loop.script.shown_replies import LEFT_OUT_REPLY, shown_reply
from controlplane.agent.loop.script.unsubmitted_answer import submit_left_answer
from controlplane.agent.loop.session.trial_session import TrialSession
from controlplane.agent.loop.turn_loop import TurnLoop
from controlplane.agent.model import Message, Model, Thought
from controlplane.agent.record.trial_step import TrialStep
from controlplane.agent.retry.run_budget import RunBudget
from controlplane.sandbox import Sandbox

REPETITION_TEMPERATURE: Final = 1.2
"""The least temperature after a repetition. At a lower one,
small models send the same script until the trial ends."""


class ScriptTurns(TurnLoop):
    """The turns of one trial. `limits` also choose the form of the next reply."""

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
        """The sandbox in which the scripts run."""

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

    def take_turn(self) -> None:
        """Take one turn: ask the model, run the script of its reply, and record the step."""
        with self.session.step() as step:
            replied = self.model.solve(self.conversation, **self._request_form())
            script_step = ScriptStep(
                self.session,
                self.box,
                self.limits.steps,
                self.prompts,
                self._asks_for_fences,
            )
            step.done = script_step.done_by(replied)
            if self.limits.end_after(step):
                submit_left_answer(self.session, step.done.scratchpad)
            self.add_warnings(step)

        form = self._form
        self.count_step(step)
        if self._form.mode != form.mode:
            self.session.notice(notice_of_mode(self._form))

    @property
    def _form(self) -> ReplyForm:
        """The form in which the model is asked for its next reply."""
        return self.limits.unusable.form

    def _request_form(self) -> RequestForm:
        """Return the reply's form for `solve`, with a temperature after a repetition."""
        form = self._form.arguments
        if self.limits.repetition.is_repeating:
            return {**form, "min_temperature": REPETITION_TEMPERATURE}
        return form

    @property
    def _asks_for_fences(self) -> bool:
        """True if scripts are asked for in fences (```), so a reply may have other text."""
        return self.settings.replies_in_fences or self._form.is_fenced

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


def notice_of_mode(form: ReplyForm) -> str:
    """Return the notice for the user that the model is asked in another reply mode.

    The mode changes for one of two reasons (see `FormChoice`).
    """
    reason = "the same fault three times in a row"
    if form.is_fenced:
        reason = "scripts in JSON strings were no Python"
    return f"{reason}; asking in reply mode {form.mode} from here on"
