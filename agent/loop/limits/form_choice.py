"""Chooses the form in which a model is asked for its next reply.

A form has a *reply mode* (JSON by a schema, a tool call, any JSON, or text), and it says if
the script in the reply is in a *fence* (```). A model may fail in one form, and succeed in
another.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from controlplane.agent.events import StepDone
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
    """The form in which a model is asked for its next reply, and what may change it.

    A form has a *reply mode*: JSON by a schema, a tool call, any JSON, or text.

    - After 3 replies in a row with the same fault, such as no JSON, the next reply mode is
      tried.
    - After 2 scripts in a row with a syntax error, the script is asked for in a fence. In JSON,
      it is a string with escapes (`\\n`, `\\"`), which some models get wrong.
    """

    may_change: bool = True
    """False if the user chose the form."""
    form: ReplyForm = DEFAULT_FORM
    same_fault: Streak = NO_STREAK
    """Unusable replies in a row with the same fault. A new reply mode starts it again."""
    broken_scripts: Streak = NO_STREAK
    """Scripts in a row with a syntax error."""
    note_to_model: str = ""
    """Asks for a script in a fence, if the last reply caused that; else empty."""
    notice_to_user: str = ""
    """Says that the last reply has changed the reply mode, and why; else empty."""

    def followed_by(self, step: TrialStep) -> FormChoice:
        """Return the choice after one more reply, which the step carried out.

        A reply that has a script has no fault, so it cannot change the form in both ways.
        """
        # 1. Count the fault of the reply, or the syntax error of its script.
        counted = self._counted(step.summary)
        if not self.may_change:
            return counted

        # 2. Ask for the next scripts in fences, if those in JSON strings are broken.
        reply_mode = step.solve_reply.reply_mode
        was_json = reply_mode not in ("", ReplyMode.TEXT)  # "" if the mode is unknown
        is_due = counted.broken_scripts.times == BROKEN_SCRIPTS_BEFORE_FENCE
        if step.summary.code and was_json and is_due:
            fenced = replace(counted, note_to_model=FENCE_NOTE)
            form = ReplyForm(ReplyMode.TEXT, is_fenced=True)
            return fenced._switched_to(form, "scripts in JSON strings were no Python")

        # 3. Try the next reply mode, if there is one.
        next_mode = mode_after(reply_mode)
        if counted.same_fault.times >= FAULTS_BEFORE_SWITCH and next_mode is not None:
            form = replace(self.form, mode=next_mode)
            without_streak = replace(counted, same_fault=NO_STREAK)
            return without_streak._switched_to(
                form, "the same fault three times in a row"
            )
        return counted

    def _counted(self, summary: StepDone) -> FormChoice:
        """Return the choice with the same form, after a step was counted."""
        broken_scripts = self.broken_scripts
        if summary.code:
            is_broken = summary.ending == Ending.SYNTAX
            broken_scripts = broken_scripts.followed_by(is_broken)  # False ends it.
        return FormChoice(
            may_change=self.may_change,
            form=self.form,
            same_fault=self.same_fault.followed_by(summary.fault),
            broken_scripts=broken_scripts,
        )

    def _switched_to(self, form: ReplyForm, reason: str) -> FormChoice:
        """Return the choice with another form. If the reply mode changes, tell the user why."""
        notice = ""
        if form.mode != self.form.mode:
            notice = f"{reason}; asking in reply mode {form.mode} from here on"
        return replace(self, form=form, notice_to_user=notice)
