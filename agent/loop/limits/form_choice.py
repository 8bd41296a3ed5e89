"""Chooses the form in which a model is asked for its next reply.

A model may fail in one form, such as a JSON object, and succeed in another, such as text.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from controlplane.agent.loop.limits.streak import NO_STREAK, Streak
from controlplane.agent.loop.reply_form import DEFAULT_FORM, ReplyForm, mode_after
from controlplane.agent.model import ReplyMode
from controlplane.agent.record.trial_step import TrialStep
from controlplane.agent.reply.unusable_reply import FENCED_FORM
from controlplane.sandbox import Ending

FAULTS_BEFORE_SWITCH: Final = 3
"""Another reply mode is tried after this many replies in a row with the same fault."""
BROKEN_SCRIPTS_BEFORE_FENCE: Final = 2
"""Scripts are asked for in fences after this many in a row with a syntax error."""

FENCE_NOTE: Final = f"<note>\nFrom here on reply with {FENCED_FORM}.\n</note>\n"


@dataclass(frozen=True, slots=True)
class FormChoice:
    """The form of the next reply, and the faults of the last ones that may change it."""

    may_change: bool = True
    """False if the user chose the form."""
    form: ReplyForm = DEFAULT_FORM
    same_fault: Streak = NO_STREAK
    """Unusable replies in a row with the same fault. A new reply mode starts it again."""
    broken_scripts: Streak = NO_STREAK
    """Scripts in a row with a syntax error."""
    note: str = ""
    """Asks the model for a script in a fence (```), if the last reply caused that."""

    def followed_by(self, step: TrialStep) -> FormChoice:
        """Return the choice after one more reply, which the step carried out."""
        reply_mode = step.solve_reply.reply_mode
        choice = replace(self, note="")
        if step.summary.code:
            has_syntax_error = step.summary.ending == Ending.SYNTAX
            choice = choice._after_script(reply_mode, has_syntax_error)
        same_fault = self.same_fault.followed_by(step.summary.fault)
        return replace(choice, same_fault=same_fault)._after_faults(reply_mode)

    def _after_script(self, reply_mode: str, has_syntax_error: bool) -> FormChoice:
        """Ask for scripts in fences (```) if they break in JSON strings, which need escapes."""
        broken_scripts = self.broken_scripts.followed_by(has_syntax_error)
        choice = replace(self, broken_scripts=broken_scripts)
        had_escapes = reply_mode not in ("", ReplyMode.TEXT)
        is_due = broken_scripts.times == BROKEN_SCRIPTS_BEFORE_FENCE
        if self.may_change and had_escapes and is_due:
            fenced = ReplyForm(ReplyMode.TEXT, is_fenced=True)
            return replace(choice, form=fenced, note=FENCE_NOTE)
        return choice

    def _after_faults(self, reply_mode: str) -> FormChoice:
        """Ask in the next reply mode, such as a tool call, after too many equal faults."""
        if not self.may_change or self.same_fault.times < FAULTS_BEFORE_SWITCH:
            return self
        next_mode = mode_after(reply_mode)
        if next_mode is None:
            return self
        form = replace(self.form, mode=next_mode)
        return replace(self, form=form, same_fault=NO_STREAK)
