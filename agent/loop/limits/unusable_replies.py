"""The limit of unusable replies: those without an action, such as a script.

After a few of them, the model is asked for
another form of reply. After more, the trial ends.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import Final

from controlplane.agent.loop.limits.repetition import NO_STREAK, Streak
from controlplane.agent.loop.limits.turn_limits import BudgetLimits
from controlplane.agent.loop.reply_form import DEFAULT_FORM, ReplyForm, mode_after
from controlplane.agent.model import ReplyMode
from controlplane.agent.reply.unusable_reply import FAULT_TEXTS, FENCED_FORM, PROSE
from controlplane.agent.trial_limits import TrialLimit
from controlplane.agent.trial_record import TrialStep
from controlplane.sandbox import Ending

FAULTS_BEFORE_SWITCH: Final = 3
"""Another reply mode is tried after this many replies in a row with the same fault."""
BROKEN_SCRIPTS_BEFORE_FENCE: Final = 2
"""Scripts are asked for in fences after this many in a row with a syntax error."""

FENCE_NOTE: Final = f"<note>\nFrom here on reply with {FENCED_FORM}.\n</note>\n"


@dataclass(slots=True)
class UnusableReplies(TrialLimit):
    """Ends a trial after too many unusable replies, and chooses the form of the next reply."""

    limits: BudgetLimits = field(default_factory=BudgetLimits)
    may_switch: bool = True
    """True if the form may change; False if the user chose one."""
    form: ReplyForm = DEFAULT_FORM
    """The form of the next reply."""

    _faults: tuple[str, ...] = ()
    """The faults of the replies since the last usable one; empty if the last was usable."""
    _same_fault: Streak = NO_STREAK
    """Replies in a row with the same fault. A switch of the reply mode starts it again."""
    _was_usable: bool = False
    """True if any reply of the trial was usable."""
    _broken_scripts: Streak = NO_STREAK
    """Scripts in a row with a syntax error."""
    _warning: str = ""
    """The note that asks for a script in a fence (```); empty unless the last step caused it."""

    def count(self, step: TrialStep) -> None:
        done = step.summary
        reply_mode = step.solve_reply.reply_mode
        self._warning = ""
        if done.code:
            has_syntax_error = done.ending == Ending.SYNTAX
            self._broken_scripts = self._broken_scripts.followed_by(has_syntax_error)
            self._ask_for_fence_if_broken(reply_mode)
        self._count_fault(done.fault)
        self._switch_mode_if_stuck(reply_mode)

    def _count_fault(self, fault: str) -> None:
        """Count a reply by its fault, which is empty for a usable one."""
        self._same_fault = self._same_fault.followed_by(fault)
        if fault:
            self._faults = (*self._faults, fault)
        else:
            self._faults = ()
            self._was_usable = True

    def _ask_for_fence_if_broken(self, reply_mode: str) -> None:
        """Ask for scripts in fences (```) if they break in JSON strings, which need escapes."""
        has_escapes = reply_mode not in ("", ReplyMode.TEXT)
        is_due = self._broken_scripts.times == BROKEN_SCRIPTS_BEFORE_FENCE
        if self.may_switch and has_escapes and is_due:
            self.form = ReplyForm(ReplyMode.TEXT, is_fenced=True)
            self._warning = FENCE_NOTE

    def _switch_mode_if_stuck(self, reply_mode: str) -> None:
        """Ask in the next reply mode, such as a tool call, after too many equal faults in this."""
        if not self.may_switch or self._same_fault.times < FAULTS_BEFORE_SWITCH:
            return
        next_mode = mode_after(reply_mode)
        if next_mode is not None:
            self.form = replace(self.form, mode=next_mode)
            self._same_fault = NO_STREAK

    def warning(self, message: str) -> str:
        return self._warning

    @property
    def last_fault(self) -> str:
        """The faults of the last replies, in words; empty if the last one was usable.

        the last reply was empty
        every reply was a refusal
        each of the last 3 replies was unusable: 2 was empty, 1 was a refusal
        """
        if not self._faults:
            return ""
        if not self._was_usable:
            replies = "every reply"
        elif len(self._faults) == 1:
            replies = "the last reply"
        else:
            replies = f"each of the last {len(self._faults)} replies"
        return f"{replies} {faults_in_words(self._faults)}"

    @property
    def reason(self) -> str:
        if not self._faults:
            return ""
        max_replies = self.limits.unusable_replies
        if self._faults[-1] in PROSE:
            max_replies = self.limits.prose_replies
        has_too_many = len(self._faults) >= max_replies
        is_stuck = self._same_fault.times >= self.limits.same_faults
        return self.last_fault if has_too_many or is_stuck else ""


def faults_in_words(faults: tuple[str, ...]) -> str:
    """Return the predicate of a sentence about replies with these faults: `was empty`."""
    texts = Counter(FAULT_TEXTS.get(fault, "was unusable") for fault in faults)
    if len(texts) == 1:
        (text,) = texts
        return text
    counts = [f"{times} {text}" for text, times in texts.most_common()]
    return f"was unusable: {', '.join(counts)}"
