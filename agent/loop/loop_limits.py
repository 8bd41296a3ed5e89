"""All limits of a trial in which a model takes turns: each may warn the model, and end the trial.

Some are made here: steps, time, the model's context, repetitions and unusable replies. Others, such
as that of calls, are the session's. After 35 steps and 5 extra ones, the trial ends for this
`reason`, to which the limit of steps has the last fault of the model added:

    no answer within 35 steps, and 5 more after the nudge: the last reply was empty
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from controlplane.agent.events import Judged, StepDone
from controlplane.agent.limits.call_limit import TrialLimit
from controlplane.agent.loop.prompt_files import Prompts, default_prompts
from controlplane.agent.loop.reply_form import DEFAULT_FORM, ReplyForm
from controlplane.agent.loop.session.trial_context import TrialClock
from controlplane.agent.loop.session.trial_session import TrialSession
from controlplane.agent.loop.step_limit import (
    BudgetLimits,
    LoopSettings,
    StepLimit,
    failure_of,
    was_refused,
)
from controlplane.agent.model import ReplyMode, Usage
from controlplane.agent.record.trial_step import TrialStep
from controlplane.agent.reply.unusable_reply import FAULT_TEXTS, FENCED_FORM, PROSE
from controlplane.sandbox import Ending

# Estimates how many tokens a conversation has.
#
# An endpoint counts the tokens of each request and its reply. Those of later messages are
# estimated from their characters.


@dataclass(frozen=True, slots=True)
class _TokenEstimate:
    """The tokens of a conversation, estimated from its last count and later characters.

    After a count of 1,000 tokens, a message of 300 characters makes 1,100 of them.
    """

    chars: int = 0
    """Characters of the conversation."""
    counted_chars: int = 0
    """Characters of the last request and its reply."""
    counted_tokens: int = 0
    """Tokens of the same request and reply, as the endpoint counted them."""
    chars_per_token: float = 3.0
    """A low guess until the endpoint's first count: it makes the estimate of tokens high."""

    @property
    def tokens(self) -> int:
        """The estimated number of tokens."""
        uncounted_chars = self.chars - self.counted_chars
        return self.counted_tokens + round(uncounted_chars / self.chars_per_token)

    def with_text(self, text: str) -> _TokenEstimate:
        """Return the estimate after a text was added to the conversation."""
        return replace(self, chars=self.chars + len(text))

    def with_count(self, usage: Usage, reply: str) -> _TokenEstimate:
        """Return the estimate with the endpoint's counts for the last request and its reply.

        The reply's text is not yet added to the conversation.
        """
        # `prompt_tokens` also counts the declarations of tools, whose characters are not in
        # `chars`. So the quotient may be far too low, such as 0.4. No real text has much less
        # than 1 character per token.
        chars_per_token = max(self.chars / usage.prompt_tokens, 1.0)
        return _TokenEstimate(
            chars=self.chars,
            counted_chars=self.chars + len(reply),
            counted_tokens=usage.prompt_tokens + usage.completion_tokens,
            chars_per_token=chars_per_token,
        )


_EMPTY_CONVERSATION: Final = _TokenEstimate()


# The limit of a conversation: the size of the model's context, in tokens.
#
# A model can read only so many tokens at once, and each request sends the whole conversation.
# With a context of 32,000 tokens, the model is warned from 24,000 on, and the trial ends after
# 30,400, because its next reply would hardly fit.

_REPLY_SHARE: Final = 0.05  # the share of the context that is kept for a reply
_WARNED_SHARE: Final = 0.75  # The model is warned once this share is used.


@dataclass(slots=True)
class ContextLimit(TrialLimit):
    """Limits the conversation to the size of the model's context."""

    max_tokens: float = math.inf
    """The size of the context in tokens; infinite if it is unknown."""
    prompts: Prompts = field(default_factory=default_prompts)
    _estimate: _TokenEstimate = _EMPTY_CONVERSATION
    """The tokens of the conversation so far."""

    def add(self, text: str) -> None:
        """Estimate the tokens of a text that was added to the conversation."""
        self._estimate = self._estimate.with_text(text)

    def count(self, step: TrialStep) -> None:
        """Replace the estimate by the endpoint's own count of a step's request and reply."""
        replied = step.solve_reply
        if replied.usage.prompt_tokens:
            self._estimate = self._estimate.with_count(replied.usage, replied.reply)

    @property
    def reason(self) -> str:
        """Why the trial ends; empty while the next request and its reply fit."""
        tokens = self._estimate.tokens
        usable_tokens = self.max_tokens * (1 - _REPLY_SHARE)
        if tokens <= usable_tokens:
            return ""
        reason = f"no answer within the model's context of {self.max_tokens:,} tokens"
        reason += " (--max-context-tokens)"
        if self._estimate.counted_tokens == 0:  # It is the first request.
            reason += f": the first request has about {tokens:,}; lower --initial-prompt-chars"
        return reason

    @property
    def warning(self) -> str:
        """The warning with the number of tokens that are left; empty while it is not due."""
        tokens = self._estimate.tokens
        if tokens < self.max_tokens * _WARNED_SHARE:
            return ""
        remaining_tokens = max(self.max_tokens - tokens, 0) // 100 * 100  # rounded
        return self.prompts.filled("context", tokens=f"{remaining_tokens:,}")

    def after_message(self, step: TrialStep, feedback: Sequence[str]) -> ContextLimit:
        """Return a copy with a step, its reply, and the next message to the model, in pieces."""
        limit = self.after(step)  # a copy that has counted the step
        limit.add("".join((step.solve_reply.reply, *feedback)))
        return limit


# How many times in a row the same thing came, such as a script or an error.
#
# A model that sends the same script five times in a row is stuck, so its trial ends.


@dataclass(frozen=True, slots=True)
class RepeatCount:
    """The last thing, and how many times in a row it came.

    "a", "a" -> RepeatCount(2, "a")
    "a", "a", "b" -> RepeatCount(1, "b")
    """

    times: int = 0
    """How many times in a row the last thing came."""
    last: object = None
    """What came last; None before anything came."""

    def followed_by(self, thing: object) -> RepeatCount:
        """Return the count after one more thing: one more, or 1 for another thing.

        An empty thing, such as an empty fault, ends the count.
        """
        if not thing:
            return _NO_REPEATS
        if thing == self.last:
            return RepeatCount(self.times + 1, thing)
        return RepeatCount(1, thing)

    @property
    def is_repetition(self) -> bool:
        """True if the last thing came at least twice in a row."""
        return self.times > 1

    @property
    def in_a_row(self) -> str:
        """The count in words: `5 times in a row`."""
        return f"{self.times} times in a row"


_NO_REPEATS: Final = RepeatCount()
"""The count before anything came, and after its end."""


# Counts faults in a model's replies, to know when to ask it for replies in another form.
#
# A form is, for example, JSON with the script as a string, which some models cannot write. This
# module only counts two things. After each of these replies, the counts are:
#
#     reply                                         same_fault    broken_scripts
#     no JSON                                       1             0
#     no JSON, the same fault                       2             0
#     JSON with a script that has a syntax error    0, no fault   1
#     empty, another fault, without a script        1             1, as before
#     JSON with a correct script                    0             0


@dataclass(frozen=True, slots=True)
class FormFaults:
    """How many times in a row the last replies had the same fault, or a broken script."""

    same_fault: RepeatCount = _NO_REPEATS
    """Unusable replies with the same fault. A usable reply ends the count."""
    broken_scripts: RepeatCount = _NO_REPEATS
    """Scripts with a syntax error. A script without one ends the count."""

    def followed_by(self, summary: StepDone) -> FormFaults:
        """Return the counts after one more step, with this summary."""
        # `followed_by` sets a count to 0 if it gets an empty fault, or False.
        same_fault = self.same_fault.followed_by(summary.fault)
        broken_scripts = self.broken_scripts
        if summary.code:
            is_broken = summary.ending == Ending.SYNTAX
            broken_scripts = broken_scripts.followed_by(is_broken)
        return FormFaults(same_fault, broken_scripts)


NO_FAULTS: Final = FormFaults()


# The reply modes in the order in which a model is asked in them, until it succeeds in one.
#
# A *reply mode* is a way to write an action, such as a script to run: JSON that fits a schema, the
# arguments of a tool call, any JSON, or text. Each is easier for a model than the one before:
#
#     mode_after("schema")   -> ReplyMode.TOOL
#     mode_after("text")     -> None: there is no easier one

_MODES: Final = (ReplyMode.SCHEMA, ReplyMode.TOOL, ReplyMode.JSON, ReplyMode.TEXT)


def _mode_after(mode: str) -> ReplyMode | None:
    """Return the reply mode to try after this one: `tool` after `schema`, None after the last.

    The mode is that of a recorded reply. If it is unknown or empty, no other is tried.
    """
    for tried_mode, next_mode in itertools.pairwise(_MODES):
        if mode == tried_mode:
            return next_mode
    return None


# Chooses the form in which a model is asked for its next reply.
#
# A form is a *reply mode* (JSON by a schema, a tool call, any JSON, or text), and whether the script
# has to be in a *fence* (```). A model that fails in one form may succeed in another:
#
#     the last replies                                     the next one is asked for
#     twice JSON, whose script has a syntax error          as text, with the script in a fence
#     three times no JSON                                  as a tool call, the next reply mode

_BROKEN_SCRIPTS_BEFORE_FENCE: Final = 2
_FENCE_NOTE: Final = f"<note>\nFrom here on reply with {FENCED_FORM}.\n</note>\n"
FENCED_TEXT: Final = ReplyForm(ReplyMode.TEXT, is_fenced=True)

_FAULTS_BEFORE_NEXT_MODE: Final = 3
_SAME_FAULT: Final = "the same fault three times in a row"


@dataclass(frozen=True, slots=True)
class _FormChoice:
    """The form in which a model is asked for its next reply."""

    form: ReplyForm = DEFAULT_FORM
    note_to_model: str = ""
    """Asks for a script in a fence, if the last reply caused that; else empty."""
    notice_to_user: str = ""
    """Says that the last reply has changed the reply mode, and why; else empty."""
    counts_anew: bool = False
    """True if the next reply mode is tried, in which the same fault may come as often again."""


def next_choice(form: ReplyForm, reply_mode: str, faults: FormFaults) -> _FormChoice:
    """Return the choice after a reply, which the model was asked for in this form.

    `reply_mode` is that of the reply; empty if it is unknown. An endpoint that does not take
    the mode of the form gets another one. `faults` counts the faults up to this reply.
    """
    # 1. Scripts in JSON strings are broken, perhaps by wrong escapes. Text needs none. If the model
    #    was asked for a fence already, in vain, it is not asked again.
    is_json = reply_mode not in ("", ReplyMode.TEXT)  # A tool call has JSON, too.
    has_broken_scripts = faults.broken_scripts.times >= _BROKEN_SCRIPTS_BEFORE_FENCE
    if is_json and has_broken_scripts and not form.is_fenced:
        reason = "scripts in JSON strings were no Python"
        notice = _notice_of(FENCED_TEXT, form, reason)
        return _FormChoice(FENCED_TEXT, _FENCE_NOTE, notice)

    # 2. The same fault comes again and again. Each mode is easier than the one before.
    next_mode = _mode_after(reply_mode)
    if faults.same_fault.times >= _FAULTS_BEFORE_NEXT_MODE and next_mode is not None:
        next_form = replace(form, mode=next_mode)
        notice = _notice_of(next_form, form, _SAME_FAULT)
        return _FormChoice(next_form, notice_to_user=notice, counts_anew=True)
    return _FormChoice(form)


def _notice_of(new_form: ReplyForm, form: ReplyForm, reason: str) -> str:
    """Return the notice that the model is asked in another mode; empty in the same one."""
    if new_form.mode == form.mode:
        return ""
    return f"{reason}; asking in reply mode {new_form.mode} from here on"


# In which form a model is asked for its replies, and how the last ones failed in it.
#
# A form is, for example, JSON by a schema, or text. After 3 replies with the same fault, the model is
# asked in another form, where it has as many tries again:
#
#     reply      asked for next        replies with the same fault
#     no JSON    JSON by a schema      1
#     no JSON    JSON by a schema      2
#     no JSON    a tool call           0: the count of 3 begins anew


@dataclass(frozen=True, slots=True)
class _FormHistory:
    """The form of the next reply, and the faults of those before it."""

    may_change_form: bool = True
    """False if the user chose the form in which the model is asked."""
    choice: _FormChoice = field(default_factory=_FormChoice)
    """The form of the next reply, and whether the last reply has changed it."""
    faults: FormFaults = NO_FAULTS
    """How often the last replies had the same fault, or a script with a syntax error."""

    def followed_by(self, step: TrialStep) -> _FormHistory:
        """Return the history after one more step."""
        faults = self.faults.followed_by(step.summary)
        if not self.may_change_form:
            return replace(self, faults=faults)
        reply_mode = step.solve_reply.reply_mode
        choice = next_choice(self.choice.form, reply_mode, faults)
        if choice.counts_anew:
            faults = replace(faults, same_fault=_NO_REPEATS)
        return replace(self, choice=choice, faults=faults)


# The submissions (answers of a model) that the gates rejected, one after the other.
#
# A model that submits the same answer again and again, and is told the same each time, is not
# going to find a better one.


@dataclass(frozen=True, slots=True)
class RejectedSubmissions:
    """How many times in a row the same submission was rejected, and the last submission."""

    repeats: RepeatCount = _NO_REPEATS
    """Rejections of the same submission with the same message."""
    last: Judged | None = None
    """The last submission, accepted or rejected; None if there was none."""

    def followed_by(self, judged: Judged) -> RejectedSubmissions:
        """Return the rejections after one more submission, which may be accepted."""
        if judged.accepted:
            return RejectedSubmissions(_NO_REPEATS, judged)
        rejected = (judged.answer, judged.outcome, judged.refs, judged.message)
        return RejectedSubmissions(self.repeats.followed_by(rejected), judged)

    @property
    def last_fault(self) -> str:
        """What became of the last submission, in words."""
        if self.last is None:
            return "nothing was submitted"
        if self.last.accepted:  # If it had been taken, the trial would be over.
            return "the environment did not take the last submission"
        return f"the last submission was sent back by {self.rejected_by}"

    @property
    def rejected_by(self) -> str:
        """The gates and rules that rejected the last submission; empty without one.

        `gate 3 (paths), travel/dates`
        """
        if self.last is None:
            return ""
        names: list[str] = []
        for verdict in self.last.rejections:
            if verdict.gate:
                names.append(f"gate {verdict.gate} ({verdict.name})")
            else:
                names.append(verdict.name)
        return ", ".join(names)


# The scripts that a model writes again and again: refused, failing, or without effect.
#
# If a model goes on like that, a note tells it to do something else. Later, the trial ends. After
# five steps with these scripts, one a line, the three counts are:
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


@dataclass(frozen=True, slots=True)
class _RepeatedScripts:
    """How many times in a row a model's scripts failed, were refused, or ran in the same way."""

    failures: RepeatCount = _NO_REPEATS
    """Scripts that failed with the same error. One that did not fail ends the count."""
    refusals: RepeatCount = _NO_REPEATS
    """Scripts with the same code that were refused before they ran. Any other ends the count."""
    runs: RepeatCount = _NO_REPEATS
    """Scripts with the same code and the same output. A script that submits an answer,
    or a step without a script, leaves the count as it is."""
    note: str = ""
    """The note for the model after the last step; empty if it repeated nothing."""

    def followed_by(self, step: TrialStep) -> _RepeatedScripts:
        """Return the counts and the note after one more step."""
        script = step.summary  # Its `code` is empty if the step has no script.
        failure = failure_of(script)
        failures = self.failures.followed_by(failure)
        refused_code = script.code if was_refused(script.ending) else ""
        refusals = self.refusals.followed_by(refused_code)
        runs = self.runs
        counts_as_run = bool(script.code) and not step.submissions
        if counts_as_run:
            runs = runs.followed_by((script.code, script.output + script.error))

        note = ""
        if failures.is_repetition:  # at least the second time in a row
            note = _SAME_FAILURE_NOTE.format(failure=failure)
        elif counts_as_run and runs.times == _RUNS_BEFORE_WARNING:
            note = _SAME_OUTPUT_NOTE
        return _RepeatedScripts(failures, refusals, runs, note)

    @property
    def is_repeating(self) -> bool:
        """True if an error or a script has come twice in a row."""
        counts = (self.failures, self.refusals, self.runs)
        return any(count.is_repetition for count in counts)


# The limit of repetition: how many times in a row a model may do the same thing in vain.
#
# | what comes again | in vain, because | the trial ends after |
# |---|---|---|
# | a script | it is refused before it runs, for its syntax | `max_same` |
# | a script | it prints the same each time | `max_runs` |
# | a submission | the gates, rules for answers, reject it | `max_same` |


@dataclass(slots=True)
class RepetitionLimit(TrialLimit):
    """Ends a trial whose model does the same thing in vain, again and again.

    Before that, the next request is changed: see `is_repeating` and `is_same_failure`.
    """

    max_same: int
    """Max refusals of the same script, and rejections of the same submission."""
    max_runs: int = 0
    """Max runs of the same script with the same output; 0 for no limit."""
    _scripts: _RepeatedScripts = field(default_factory=_RepeatedScripts)
    """How many times in a row scripts were refused, ran in the same way, or failed. Different
    scripts that fail with the same error change the next request, but do not end the trial."""
    submissions: RejectedSubmissions = field(default_factory=RejectedSubmissions)
    """How many times in a row the same answer was rejected."""

    def count(self, step: TrialStep) -> None:
        """Count the step's script and its last submission."""
        self._scripts = self._scripts.followed_by(step)
        if step.submissions:
            self.submissions = self.submissions.followed_by(step.submissions[-1])

    @property
    def warning(self) -> str:
        """The note about the script of the last step; empty if it repeated nothing."""
        return self._scripts.note

    @property
    def is_repeating(self) -> bool:
        """True if an error, a script or a submission has come twice in a row.

        The next request then has a higher temperature, so that the model writes something else.
        """
        return self._scripts.is_repeating or self.submissions.repeats.is_repetition

    @property
    def is_same_failure(self) -> bool:
        """True if the last two scripts failed with the same error.

        The next request then leaves out the last reply, so that the model does not copy it.
        """
        return self._scripts.failures.is_repetition

    @property
    def reason(self) -> str:
        """Why the trial ends: `the model wrote the same script 5 times in a row, ...`."""
        refusals = self._scripts.refusals
        if refusals.times >= self.max_same:
            return (
                f"the model wrote the same script {refusals.in_a_row}, "
                "each time refused before it ran"
            )
        runs = self._scripts.runs
        if self.max_runs and runs.times >= self.max_runs:
            return (
                f"the model ran the same script {runs.in_a_row}, "
                "each time with the same output"
            )
        rejections = self.submissions.repeats
        if rejections.times >= self.max_same:
            return (
                f"the model submitted the same answer {rejections.in_a_row}, "
                f"each time sent back by {self.submissions.rejected_by}"
            )
        return ""


# The faults of a model's last replies, and the words for them.
#
# The fault of a reply says why it has no action, such as a script: it is empty, cut off, or
# plain text.


@dataclass(frozen=True, slots=True)
class _ReplyFaults:
    """The faults of the unusable replies since the last usable one."""

    faults: tuple[str, ...] = ()
    """The faults in order; empty if the last reply was usable."""
    any_was_usable: bool = False
    """True if any reply of the trial was usable."""

    def followed_by(self, fault: str) -> _ReplyFaults:
        """Return the faults after one more reply. Its fault is empty if it was usable."""
        if not fault:
            return _ReplyFaults((), any_was_usable=True)
        return _ReplyFaults((*self.faults, fault), self.any_was_usable)

    @property
    def in_words(self) -> str:
        """What was wrong with the last replies; empty if the last one was usable.

        the last reply was empty
        each of the last 3 replies was unusable: 2 was empty, 1 was a refusal
        every reply was a refusal         (even if there was only one)
        """
        if not self.faults:
            return ""
        if not self.any_was_usable:
            replies = "every reply"
        elif len(self.faults) == 1:
            replies = "the last reply"
        else:
            replies = f"each of the last {len(self.faults)} replies"
        return f"{replies} {_faults_in_words(self.faults)}"


def _faults_in_words(faults: tuple[str, ...]) -> str:
    """Return the predicate of a sentence about replies with these faults.

    `was empty`, or, if they differ, `was unusable: 2 was empty, 1 was a refusal`. Each text
    is written for one reply ("the reply was empty"), and is not put into the plural.
    """
    texts = Counter(FAULT_TEXTS.get(fault, "was unusable") for fault in faults)
    if len(texts) == 1:
        (text,) = texts
        return text
    counts = [f"{times} {text}" for text, times in texts.most_common()]
    return f"was unusable: {', '.join(counts)}"


# The limit of the wall-clock time of a trial: `no answer within 900 s`.
#
# The model is warned in the last minute.

_LAST_SECONDS: Final = 60.0
"""The model is warned once fewer seconds than this are left."""


@dataclass(slots=True)
class _TimeLimit(TrialLimit):
    """Limits the wall-clock time of a trial."""

    # What was wrong with the last reply or answer is told after the reason for the end.
    names_last_fault = True
    # If the last script left an answer without submitting it, it is not submitted when the time
    # ends. At which step that is depends on the computer's speed, and so the answer would, too.
    submits_left_answer = False

    clock: TrialClock
    """Has the time that the trial has used, and its limit."""
    prompts: Prompts = field(default_factory=default_prompts)
    """Has the text of the warning."""

    def count(self, step: TrialStep) -> None:
        """Do nothing: the clock runs by itself."""

    @property
    def limit_s(self) -> float:
        """Seconds that the trial may use."""
        return self.clock.limit_s

    @property
    def remaining_s(self) -> float:
        """Seconds that the trial may still use."""
        return self.limit_s - self.clock.used_s

    @property
    def reason(self) -> str:
        """Why the trial ends; empty while time is left."""
        if self.remaining_s > 0:
            return ""
        return f"no answer within {self.limit_s:g} s"

    @property
    def warning(self) -> str:
        """The warning with the seconds that are left; empty before the last minute."""
        remaining_s = self.remaining_s
        if remaining_s >= _LAST_SECONDS:
            return ""
        rounded_s = max(0, round(remaining_s / 10) * 10)
        return self.prompts.filled("time", seconds=rounded_s)


# The limit of unusable replies: those without an action, such as a script.
#
# The *fault* of a reply says why it is unusable: it is empty, or plain text. A trial ends after
#
# - `unusable_replies`, 10 of them in a row (`prose_replies` if the last one is plain text)
# - `same_faults`, 5 of them in a row with the same fault
#
# After 3 with the same fault, the model is asked in another *reply mode*, such as text instead of
# JSON (see `_FormHistory`). Then the second count begins anew, and the first goes on.


@dataclass(slots=True)
class _UnusableReplies(TrialLimit):
    """Ends a trial after too many unusable replies."""

    limits: BudgetLimits = field(default_factory=BudgetLimits)
    """The numbers of unusable replies that end a trial."""
    forms: _FormHistory = field(default_factory=_FormHistory)
    """The form of the next reply, and the same fault in one mode: for `same_faults`."""
    _faults: _ReplyFaults = field(default_factory=_ReplyFaults)
    """All faults since the last usable reply, in all modes: for `unusable_replies`."""

    def count(self, step: TrialStep) -> None:
        """Count the fault of a step's reply. It is empty if the reply was usable."""
        self._faults = self._faults.followed_by(step.summary.fault)
        self.forms = self.forms.followed_by(step)

    @property
    def warning(self) -> str:
        """The note that asks for scripts between ```, if this form was just chosen; else empty."""
        return self.forms.choice.note_to_model

    @property
    def last_fault(self) -> str:
        """What was wrong with the last replies, in words; empty if the last one was usable."""
        return self._faults.in_words

    @property
    def reason(self) -> str:
        """Why the trial ends: `every reply was empty`; empty below the limits."""
        faults = self._faults.faults  # since the last usable reply
        if not faults:
            return ""
        max_replies = self.limits.unusable_replies
        if faults[-1] in PROSE:
            # The last reply is plain text. A user who asked a question can read it.
            max_replies = self.limits.prose_replies

        # This count gets to 5 only in a mode that is not changed after 3: the last mode, or one
        # that the user has chosen.
        same_faults = self.forms.faults.same_fault.times
        if len(faults) >= max_replies or same_faults >= self.limits.same_faults:
            return self.last_fault
        return ""


class LoopLimits:
    """The limits of one trial."""

    def __init__(
        self, session: TrialSession, settings: LoopSettings, *, may_change_form: bool
    ) -> None:
        """`may_change_form` is true if a model that fails in JSON, for example, may reply in text."""
        budget = settings.budget
        prompts = settings.prompts
        self.repetition = RepetitionLimit(budget.same_refusals, budget.same_scripts)
        self.unusable = _UnusableReplies(budget, _FormHistory(may_change_form))
        self.steps = StepLimit(budget, prompts=prompts)
        self.time = _TimeLimit(session.clock, prompts=prompts)
        context_tokens = settings.context_tokens or math.inf  # if it is unknown
        self.context = ContextLimit(context_tokens, prompts=prompts)
        # Those of calls, submissions and dollars, which the session counts itself
        limits_of_session = session.completed_steps.limits
        self.all_but_context: tuple[TrialLimit, ...] = (
            self.repetition,
            self.unusable,
            *limits_of_session,
            self.steps,
            self.time,
        )
        """They warn first. Their warnings then take room in the model's context."""
        self.all = (*self.all_but_context, self.context)
        """All limits. The first one that is used up gives the reason for the trial's end, so those
        with a general reason, such as `no answer within 35 steps`, come late."""

    def count(self, step: TrialStep) -> None:
        """Count a completed step. The session has counted it in its own limits."""
        self.repetition.count(step)
        self.unusable.count(step)
        self.steps.count(step)
        self.time.count(step)
        self.context.count(step)

    @property
    def reason(self) -> str:
        """Why the trial takes no further turn; empty while all limits hold."""
        for limit in self.all:
            reason = limit.reason
            if reason and limit.names_last_fault:
                return f"{reason}: {self._last_fault}"
            if reason:
                return reason
        return ""

    @property
    def _last_fault(self) -> str:
        """What was wrong with the last replies or, if they were usable, with the last submission."""
        return self.unusable.last_fault or self.repetition.submissions.last_fault
