"""The turns of a trial: in each, a solver asks its model, and carries out the reply as one step.

A solver derives a class from `TurnLoop`, with three methods. `run` calls them like this:

    first_messages()     system: "You work on one request. ...", user: "What is the fee?"
    do_step(step)        the model replies with the script `print(6 + 6)`, which is run
    messages_of(step)    assistant: "print(6 + 6)", user: "<output>12</output>"
    do_step(step)        and so on, until the trial is over or a limit is used up

A model remembers nothing between two requests. So each request sends all messages so far.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from typing import TypedDict, Unpack

from controlplane.agent.events import Conversation, ModelReplied, StepDone
from controlplane.agent.limits.trial_limits import (
    FillPrompt,
    Limit,
    RepetitionLimit,
    ReplyForm,
    UnusableReplies,
)
from controlplane.agent.loop.prompts import LoopSettings
from controlplane.agent.loop.trial_session import TrialSession
from controlplane.agent.model import (
    TOOL_NAME,
    Message,
    Model,
    ModelRequest,
    ModelTool,
    OutOfTime,
    ReplyMode,
    script_tool,
)
from controlplane.agent.record.trial_step import TrialStep
from controlplane.agent.reply.reply import SCHEMA


class TurnLoop(ABC):
    """The turns of one trial, which have its `session`, its `limits` and the `conversation`."""

    def __init__(
        self,
        model: Model,
        session: TrialSession,
        settings: LoopSettings,
        *,
        may_change_form: bool = False,
    ) -> None:
        """With `may_change_form`, a model that fails in JSON, for example, may reply in text."""
        self.model = model
        self.session = session
        self.settings = settings
        self.prompts = settings.prompts
        self.conversation: Conversation = []
        """All messages so far."""
        self.limits = _LoopLimits(session, may_change_form=may_change_form)
        """Count the steps, warn the model, and end the trial."""

    def ask_model(self, **form: Unpack[_RequestForm]) -> ModelReplied:
        """Return the model's next reply in the conversation. The journal gets it, too.

        If an earlier attempt of the trial has recorded the reply, the model is not asked.
        Raises `ModelError`.
        """
        request = ModelRequest(self.conversation, "solve", **form)
        return self.session.ask(self.model.reply_to, request, is_conversation=True)

    def say(self, message: Message) -> None:
        """Add a message to the conversation, and count it towards the size of the context."""
        self.conversation.append(message)
        self.limits.context.add(message["content"])
        for call in message.get("tool_calls", ()):
            self.limits.context.add(call.arguments)

    @abstractmethod
    def first_messages(self) -> list[Message]:
        """Return the messages with which the conversation begins. This may already end the trial."""

    def restored_steps(self) -> Iterable[TrialStep]:
        """Yield the steps of an earlier attempt that need not be done again; none by default."""
        return ()

    @abstractmethod
    def do_step(self, step: TrialStep) -> None:
        """Ask the model, carry out its reply, and set `step.done`, the summary of the step."""

    @abstractmethod
    def messages_of(self, step: TrialStep) -> list[Message]:
        """Return the model's reply in a completed step, and what the model is told about it."""

    def run(self) -> str:
        """Work on the trial until it ends. Return `""` if it is over, or why it has no answer.

        Raises `ModelError` if the model fails, and `LeftOpen` if the trial was told to stop.
        """
        for message in self.first_messages():
            self.say(message)
        for step in self.restored_steps():
            self._count(step)
        while not self.session.is_over:
            reason = self.limits.reason
            if reason:
                return reason
            self.session.leave_if_stopped()
            try:
                with self.session.step() as step:
                    self.do_step(step)
                    if not self.session.is_over:
                        # The limits may warn the model: `2 steps are left`.
                        step.done = self.limits.summary_with_warnings(
                            step, self.prompts.filled
                        )
            except OutOfTime as error:  # The step is left open.
                return f"no answer within {self.session.clock.limit_s:g} s: {error}"
            # At the end of the block above, the session has written `step.done` to the journal.
            self._count(step)
            # After unusable replies, the model may be asked in another form from now on.
            notice = self.limits.unusable.notice_to_user
            if notice:
                self.session.notice(notice)
        return ""

    def _count(self, step: TrialStep) -> None:
        """Count a completed step, new or restored, and add it to the conversation."""
        self.limits.count(step)
        for message in self.messages_of(step):
            self.say(message)


# The form in which a model is asked for its action, such as a script to run.
#
# A model writes it as JSON that fits a schema, as the arguments of a tool call, as any JSON, or as
# text. Not every model succeeds in every form.


class _RequestForm(TypedDict, total=False):
    """Those arguments of a `ModelRequest` that depend on the replies so far."""

    schema: Mapping[str, object] | None
    """The JSON schema of the reply; `{}` for any JSON, None for plain text."""
    tools: tuple[ModelTool, ...]
    tool_choice: str
    """The name of the tool that the model must call."""
    min_temperature: float
    """Above 0 after a repetition (see `RepetitionLimit.is_repeating`)."""


def request_form(form: ReplyForm) -> _RequestForm:
    """Return the arguments of a request for a reply of this form."""
    match form.mode:
        case ReplyMode.TOOL:
            return {
                "schema": SCHEMA,
                "tools": (script_tool(SCHEMA),),
                "tool_choice": TOOL_NAME,
            }
        case ReplyMode.JSON:
            return {"schema": {}}  # any JSON
        case ReplyMode.TEXT:
            return {"schema": None}  # plain text
        case _:  # `SCHEMA`, or None
            return {"schema": SCHEMA}


# All limits of a trial in which a model takes turns: those of the session, and of vain turns.
#
# The message to the model about a step ends with their warnings, and only then is the step counted. So
# each limit is asked what it would say `after` the step. In step 8 of 12, with the output `21`:
#
#     feedback so far                   with the warnings
#     "<output step=8>21</output>"      "<output step=8>21</output>", "4 steps are left."


class _LoopLimits:
    """The limits of one trial."""

    def __init__(self, session: TrialSession, *, may_change_form: bool) -> None:
        """`may_change_form` is true if a model that fails in JSON, for example, may reply in text."""
        limits = session.trial.limits
        self.repetition = RepetitionLimit(limits.same_refusals, limits.same_scripts)
        self.unusable = UnusableReplies(limits, may_change_form)
        self.context = session.limits.context
        self._all_but_context: tuple[Limit, ...] = (
            self.repetition,
            self.unusable,
            *session.limits.all_but_context,
        )
        self._all = (*self._all_but_context, self.context)
        """All limits. The first one that is used up gives the reason for the trial's end."""

    def count(self, step: TrialStep) -> None:
        """Count a completed step. The session has counted it in its own limits."""
        self.repetition.count(step)
        self.unusable.count(step)

    def summary_with_warnings(self, step: TrialStep, fill: FillPrompt) -> StepDone:
        """Return the summary of a step, with the warnings in its feedback to the model."""
        feedback = list(step.summary.feedback)
        for limit in self._all_but_context:
            warning = limit.after(step).warning(fill)
            if warning:
                feedback.append(warning)

        # The feedback, with these warnings, takes room in the model's context. So that limit comes
        # last.
        warning = self.context.after_message(step, feedback).warning(fill)
        if warning:
            feedback.append(warning)
        return step.summary.model_copy(update={"feedback": tuple(feedback)})

    def is_last_answer_due(self, step: TrialStep) -> bool:
        """Return True if a limit ends the trial with this step, and lets it submit a left answer.

        A script may leave an answer in its data, for the next script to submit. If there is no next
        script, the answer is submitted without one, but not for every limit.
        """
        for limit in self._all:
            ends_trial = limit.submits_left_answer and limit.after(step).reason
            if ends_trial:
                return True
        return False

    @property
    def reason(self) -> str:
        """Why the trial takes no further turn; empty while all limits hold."""
        for limit in self._all:
            reason = limit.reason
            if reason and limit.names_last_fault:
                # What was wrong with the last replies or, if they were usable, with the submission
                last_fault = self.unusable.last_fault or self.repetition.last_fault
                return f"{reason}: {last_fault}"
            if reason:
                return reason
        return ""
