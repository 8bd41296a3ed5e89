"""Chooses the form in which a model is asked for its next reply.

A form has a *reply mode* (JSON by a schema, a tool call, any JSON, or text), and it says if
the script in the reply is in a *fence* (```). A model may fail in one form, and succeed in
another.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from controlplane.agent.events import StepDone
from controlplane.agent.loop.limits.repeat_count import NO_REPEATS, RepeatCount
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

    | replies in a row | form of the next reply |
    |---|---|
    | 3 with the same fault, such as no JSON | the next reply mode |
    | 2 scripts in JSON with a syntax error | text, with the script in a fence (```) |

    In JSON, a script is a string with escapes (`\\n`, `\\"`), which some models get wrong.
    """

    may_change: bool = True
    """False if the user chose the form."""
    form: ReplyForm = DEFAULT_FORM
    same_fault: RepeatCount = NO_REPEATS
    """Unusable replies in a row with the same fault. A new reply mode starts it again."""
    broken_scripts: RepeatCount = NO_REPEATS
    """Scripts in a row with a syntax error."""
    note_to_model: str = ""
    """Asks for a script in a fence, if the last reply caused that; else empty."""
    notice_to_user: str = ""
    """Says that the last reply has changed the reply mode, and why; else empty."""

    def followed_by(self, step: TrialStep) -> FormChoice:
        """Return the choice after one more reply, which the step carried out.

        The third reply without JSON      -> the next reply mode, such as a tool call
        the second broken script in JSON  -> a script in a fence
        any other reply                   -> the same form; the counts go on
        """
        counted = self._counted(step.summary)
        if not self.may_change:
            return counted
        if counted._needs_fences(step):
            return counted._in_fences()
        next_mode = mode_after(step.solve_reply.reply_mode)
        is_stuck = counted.same_fault.times >= FAULTS_BEFORE_SWITCH
        if is_stuck and next_mode is not None:
            return counted._in_mode(next_mode)
        return counted

    def _needs_fences(self, step: TrialStep) -> bool:
        """Return True if the step's reply was the second in a row with a broken script in JSON.

        A third one does not count: the model was asked for fences already, in vain.
        """
        reply_mode = step.solve_reply.reply_mode  # empty if it is unknown
        may_be_json = reply_mode not in ("", ReplyMode.TEXT)
        has_json_script = may_be_json and bool(step.summary.code)
        return (
            has_json_script and self.broken_scripts.times == BROKEN_SCRIPTS_BEFORE_FENCE
        )

    def _counted(self, summary: StepDone) -> FormChoice:
        """Return the choice with the same form, after a step was counted.

        A script without a syntax error ends the first count, a usable reply the second one.
        Another fault than before begins it anew.
        """
        broken_scripts = self.broken_scripts
        if summary.code:
            is_broken = summary.ending == Ending.SYNTAX
            broken_scripts = broken_scripts.followed_by(is_broken)
        return FormChoice(
            may_change=self.may_change,
            form=self.form,
            broken_scripts=broken_scripts,
            same_fault=self.same_fault.followed_by(summary.fault),
        )

    def _in_fences(self) -> FormChoice:
        """Return the choice that asks for scripts in fences, within a text."""
        reason = "scripts in JSON strings were no Python"
        return replace(
            self,
            form=ReplyForm(ReplyMode.TEXT, is_fenced=True),
            note_to_model=FENCE_NOTE,
            notice_to_user=self._notice(ReplyMode.TEXT, reason),
        )

    def _in_mode(self, mode: ReplyMode) -> FormChoice:
        """Return the choice of another reply mode, in which no fault is counted yet."""
        reason = "the same fault three times in a row"
        return replace(
            self,
            form=replace(self.form, mode=mode),
            same_fault=NO_REPEATS,
            notice_to_user=self._notice(mode, reason),
        )

    def _notice(self, mode: ReplyMode, reason: str) -> str:
        """Return the notice for the user about a new reply mode; empty if it is not new."""
        if mode == self.form.mode:
            return ""
        return f"{reason}; asking in reply mode {mode} from here on"
