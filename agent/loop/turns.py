"""The turns of a trial: in each, a solver asks its model, and carries out the reply as one step.

A solver derives a class from `TurnLoop`, with three methods. `run` calls them like this:

    first_messages()     system: "You work on one request. ...", user: "What is the fee?"
    do_step(step)        the model replies with the script `print(6 + 6)`, which is run
    messages_of(step)    assistant: "print(6 + 6)", user: "<output>12</output>"
    do_step(step)        and so on, until the trial is over or a limit is used up

A model remembers nothing between two requests. So each request sends all messages so far.
"""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final, TypedDict, Unpack

from controlplane.agent.events import Conversation, Judged, ModelReplied, StepDone
from controlplane.agent.limits.trial_limits import FillPrompt, Limit, TrialLimits
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
from controlplane.agent.reply.unusable_reply import FAULT_TEXTS, FENCED_FORM, PROSE
from controlplane.sandbox import Ending


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
    """Set after a reply that repeats the one before (see `RepetitionLimit.is_repeating`)."""


@dataclass(frozen=True, slots=True)
class ReplyForm:
    """The form of a reply: its reply mode, and how the script is written in it."""

    mode: ReplyMode | None = None
    """How the model writes its action; None if the endpoint chooses."""
    is_fenced: bool = False
    """True if scripts are asked for in ```python fences."""

    @property
    def arguments(self) -> _RequestForm:
        """The arguments of a request for a reply of this form."""
        match self.mode:
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


DEFAULT_FORM: Final = ReplyForm()


# Repetition and unusable replies: two limits of a trial whose model gets nowhere.
#
# Both change how the model is asked before they end the trial: with a higher temperature, in
# another form, or without its last reply. A trial ends for the `reason`
#
#     the model wrote the same script 5 times in a row, each time refused before it ran

# How many times in a row the same thing came, such as a script or an error.
#
# A model that sends the same script five times in a row is stuck, so its trial ends.


@dataclass(frozen=True, slots=True)
class _RepetitionCount:
    """The last thing, and how many times in a row it came.

    "a", "a" -> _RepetitionCount(2, "a")
    "a", "a", "b" -> _RepetitionCount(1, "b")
    """

    times: int = 0
    """How many times in a row the last thing came."""
    last: object = None
    """What came last; None before anything came."""

    def followed_by(self, thing: object) -> _RepetitionCount:
        """Return the count after one more thing: one more, or 1 for another thing.

        An empty thing, such as an empty fault, ends the count.
        """
        if not thing:
            return _NO_REPETITION
        if thing == self.last:
            return _RepetitionCount(self.times + 1, thing)
        return _RepetitionCount(1, thing)

    @property
    def is_repetition(self) -> bool:
        """True if the last thing came at least twice in a row."""
        return self.times > 1

    @property
    def in_a_row(self) -> str:
        """The count in words: `5 times in a row`."""
        return f"{self.times} times in a row"


_NO_REPETITION: Final = _RepetitionCount()
"""The count before anything came, and after its end."""


# The reply modes in the order in which a model is asked in them, until it succeeds in one.
#
# A *reply mode* is a way to write an action, such as a script to run: JSON that fits a schema, the
# arguments of a tool call, any JSON, or text. Each is easier for a model than the one before:
#
#     mode_after("schema")   -> ReplyMode.TOOL
#     mode_after("text")     -> None: there is no easier one


def _mode_after(mode: str) -> ReplyMode | None:
    """Return the reply mode to try after this one: `tool` after `schema`, None after the last.

    The mode is that of a recorded reply. If it is unknown or empty, no other is tried.
    """
    for tried_mode, next_mode in itertools.pairwise(ReplyMode):
        if mode == tried_mode:
            return next_mode
    return None


# The limit of repetition: how many times in a row a model may do the same thing in vain.
#
# | what comes again | in vain, because | the trial ends after |
# |---|---|---|
# | a script | it is refused before it runs, for its syntax | `max_same` |
# | a script | it prints the same each time | `max_runs` |
# | a submission (an answer) | the gates, rules for answers, reject it | `max_same` |
#
# Before that, a note tells the model to do something else. After five steps with these scripts, one a
# line, the counts of scripts are:
#
#     script                failures   refusals   runs
#     a: KeyError: 'fee'    1          0          1
#     b: KeyError: 'fee'    2          0          1
#     c: prints 3           0          0          1
#     c: prints 3           0          0          2
#     d: wrong syntax       1          1          1     refused, which is a failure, too

_RUNS_BEFORE_WARNING: Final = 3
"""A script may poll (read until something changes), so a few equal runs are fine."""

_SAME_FAILURE_NOTE: Final = (
    "<note>\nThis script failed like the one before: {failure}\n"
    "Change the line that failed, or find the answer in another way.\n</note>\n"
)
_SAME_OUTPUT_NOTE: Final = (
    f"<note>\nThis script ran {_RUNS_BEFORE_WARNING} times in a row with the same "
    "output: do something else.\n</note>\n"
)


@dataclass(slots=True)
class RepetitionLimit(Limit):
    """Ends a trial whose model does the same thing in vain, again and again.

    Before that, the next request is changed: see `is_repeating` and `is_same_failure`.
    """

    max_same: int
    """Max refusals of the same script, and rejections of the same submission."""
    max_runs: int = 0
    """Max runs of the same script with the same output; 0 for no limit."""
    _failures: _RepetitionCount = _NO_REPETITION
    """Scripts that failed with the same error. One that did not fail ends the count. Different
    scripts that fail alike change the next request, but do not end the trial."""
    _refusals: _RepetitionCount = _NO_REPETITION
    """Scripts with the same code that were refused before they ran. Any other ends the count."""
    _runs: _RepetitionCount = _NO_REPETITION
    """Scripts with the same code and the same output. A script that submits an answer,
    or a step without a script, leaves the count as it is."""
    _rejections: _RepetitionCount = _NO_REPETITION
    """Rejections of the same submission with the same message."""
    _last_submission: Judged | None = None
    """The last submission, accepted or rejected; None if there was none."""
    _note: str = ""
    """The note for the model after the last step; empty if it repeated nothing."""

    def count(self, step: TrialStep) -> None:
        """Count the step's script and its last submission."""
        script = step.summary  # Its `code` is empty if the step has no script.
        failure = script.failure
        self._failures = self._failures.followed_by(failure)
        refused_code = script.code if script.was_refused else ""
        self._refusals = self._refusals.followed_by(refused_code)
        counts_as_run = bool(script.code) and not step.submissions
        if counts_as_run:
            run = (script.code, script.output + script.error)
            self._runs = self._runs.followed_by(run)

        self._note = ""
        if self._failures.is_repetition:  # at least the second time in a row
            self._note = _SAME_FAILURE_NOTE.format(failure=failure)
        elif counts_as_run and self._runs.times == _RUNS_BEFORE_WARNING:
            self._note = _SAME_OUTPUT_NOTE
        if step.submissions:
            self._count_submission(step.submissions[-1])

    def _count_submission(self, judged: Judged) -> None:
        """Count a submission. An accepted one ends the count of rejections."""
        self._last_submission = judged
        rejected: object = None
        if not judged.accepted:
            rejected = (judged.answer, judged.outcome, judged.refs, judged.message)
        self._rejections = self._rejections.followed_by(rejected)

    def warning(self, fill: FillPrompt) -> str:
        """Return the note about the script of the last step; empty if it repeated nothing."""
        return self._note

    @property
    def is_repeating(self) -> bool:
        """True if an error, a script or a submission has come twice in a row.

        The next request then has a higher temperature, so that the model writes something else.
        """
        counts = (self._failures, self._refusals, self._runs, self._rejections)
        return any(count.is_repetition for count in counts)

    @property
    def is_same_failure(self) -> bool:
        """True if the last two scripts failed with the same error.

        The next request then leaves out the last reply, so that the model does not copy it.
        """
        return self._failures.is_repetition

    @property
    def reason(self) -> str:
        """Why the trial ends: `the model wrote the same script 5 times in a row, ...`."""
        if self._refusals.times >= self.max_same:
            return (
                f"the model wrote the same script {self._refusals.in_a_row}, "
                "each time refused before it ran"
            )
        if self.max_runs and self._runs.times >= self.max_runs:
            return (
                f"the model ran the same script {self._runs.in_a_row}, "
                "each time with the same output"
            )
        if self._rejections.times >= self.max_same:
            return (
                f"the model submitted the same answer {self._rejections.in_a_row}, "
                f"each time sent back by {self._rejected_by}"
            )
        return ""

    @property
    def last_fault(self) -> str:
        """What became of the last submission, in words."""
        if self._last_submission is None:
            return "nothing was submitted"
        if self._last_submission.accepted:
            # If it had been taken, the trial would be over.
            return "the environment did not take the last submission"
        return f"the last submission was sent back by {self._rejected_by}"

    @property
    def _rejected_by(self) -> str:
        """The gates and rules that rejected the last submission: `gate 3 (paths), travel/dates`.

        Empty without one.
        """
        if self._last_submission is None:
            return ""
        names: list[str] = []
        for verdict in self._last_submission.rejections:
            if verdict.gate:
                names.append(f"gate {verdict.gate} ({verdict.name})")
            else:
                names.append(verdict.name)
        return ", ".join(names)


# The limit of unusable replies: those without an action, such as a script.
#
# The *fault* of a reply says why it is unusable: it is empty, or plain text. A trial ends after
#
# - `unusable_replies`, 10 of them in a row (`prose_replies` if the last one is plain text)
# - `same_faults`, 5 of them in a row with the same fault
#
# Before that, the model is asked in another form. A form is a *reply mode* (JSON by a schema, a tool
# call, any JSON, or text), and whether the script has to be in a *fence* (```). A model that fails in
# one form may succeed in another:
#
#     the last replies                                     the next one is asked for
#     twice JSON, whose script has a syntax error          as text, with the script in a fence
#     three times no JSON                                  as a tool call, the next reply mode
#
# In the next reply mode, the second count begins anew, and the first goes on.

_BROKEN_SCRIPTS_BEFORE_FENCE: Final = 2
_FENCE_NOTE: Final = f"<note>\nFrom here on reply with {FENCED_FORM}.\n</note>\n"
FENCED_TEXT: Final = ReplyForm(ReplyMode.TEXT, is_fenced=True)

_FAULTS_BEFORE_NEXT_MODE: Final = 3


@dataclass(slots=True)
class UnusableReplies(Limit):
    """Ends a trial after too many unusable replies, and chooses the form of the next one."""

    limits: TrialLimits = field(default_factory=TrialLimits)
    """The numbers of unusable replies that end a trial."""
    may_change_form: bool = True
    """False if the user chose the form in which the model is asked."""
    form: ReplyForm = DEFAULT_FORM
    """The form of the next reply."""
    note_to_model: str = ""
    """Asks for a script in a fence, if the last reply caused that; else empty."""
    notice_to_user: str = ""
    """Says that the last reply has changed the reply mode, and why; else empty."""
    _same_fault: _RepetitionCount = _NO_REPETITION
    """Unusable replies with the same fault, in one mode. A usable reply ends the count."""
    _broken_scripts: _RepetitionCount = _NO_REPETITION
    """Scripts with a syntax error. A script without one ends the count."""
    _faults: tuple[str, ...] = ()
    """All faults since the last usable reply, in all modes."""
    _any_was_usable: bool = False
    """True if any reply of the trial was usable."""

    def count(self, step: TrialStep) -> None:
        """Count the fault of a step's reply. It is empty if the reply was usable."""
        summary = step.summary
        if summary.fault:
            self._faults = (*self._faults, summary.fault)
        else:
            self._faults = ()
            self._any_was_usable = True

        # `followed_by` sets a count to 0 if it gets an empty fault, or False.
        self._same_fault = self._same_fault.followed_by(summary.fault)
        if summary.code:
            is_broken = summary.ending == Ending.SYNTAX
            self._broken_scripts = self._broken_scripts.followed_by(is_broken)
        self.note_to_model = ""
        self.notice_to_user = ""
        if self.may_change_form:
            self._choose_form(step.solve_reply.reply_mode)

    def _choose_form(self, reply_mode: str) -> None:
        """Choose an easier form for the next reply, if replies in this one keep failing.

        `reply_mode` is the mode in which the last reply was asked for, which is another than the
        form's if the endpoint lacks that one. It is empty if the model offers no choice.
        """
        is_json = reply_mode not in ("", ReplyMode.TEXT)  # A tool call has JSON, too.
        are_broken = self._broken_scripts.times >= _BROKEN_SCRIPTS_BEFORE_FENCE
        next_mode = _mode_after(reply_mode)
        if is_json and are_broken and not self.form.is_fenced:
            # Scripts in JSON strings are broken, perhaps by wrong escapes. Text needs none. If the
            # model was asked for a fence already, in vain, it is not asked again.
            form = FENCED_TEXT
            reason = "scripts in JSON strings were no Python"
            self.note_to_model = _FENCE_NOTE
        elif self._same_fault.times >= _FAULTS_BEFORE_NEXT_MODE and next_mode:
            # The same fault comes again and again. Each mode is easier than the one before.
            form = replace(self.form, mode=next_mode)
            reason = "the same fault three times in a row"
            self._same_fault = _NO_REPETITION  # It may come as often in that mode.
        else:
            return
        if form.mode != self.form.mode:
            self.notice_to_user = (
                f"{reason}; asking in reply mode {form.mode} from here on"
            )
        self.form = form

    def warning(self, fill: FillPrompt) -> str:
        """Return the note that asks for scripts between ```, if this form was just chosen; else empty."""
        return self.note_to_model

    @property
    def reason(self) -> str:
        """Why the trial ends: `every reply was empty`; empty below the limits."""
        if not self._faults:
            return ""
        max_replies = self.limits.unusable_replies
        if self._faults[-1] in PROSE:
            # The last reply is plain text. A user who asked a question can read it.
            max_replies = self.limits.prose_replies

        # The count of the same fault gets to 5 only in a mode that is not changed after 3: the last
        # mode, or one that the user has chosen.
        is_same = self._same_fault.times >= self.limits.same_faults
        if is_same or len(self._faults) >= max_replies:
            return self.last_fault
        return ""

    @property
    def last_fault(self) -> str:
        """What was wrong with the last replies; empty if the last one was usable.

        the last reply was empty
        each of the last 3 replies was unusable: 2 was empty, 1 was a refusal
        every reply was a refusal         (even if there was only one)
        """
        if not self._faults:
            return ""
        if not self._any_was_usable:
            replies = "every reply"
        elif len(self._faults) == 1:
            replies = "the last reply"
        else:
            replies = f"each of the last {len(self._faults)} replies"

        # Each text is written for one reply ("the reply was empty"), and is not put into the plural.
        texts = Counter(
            FAULT_TEXTS.get(fault, "was unusable") for fault in self._faults
        )
        if len(texts) == 1:
            (text,) = texts
            return f"{replies} {text}"
        counts = [f"{times} {text}" for text, times in texts.most_common()]
        return f"{replies} was unusable: {', '.join(counts)}"


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
