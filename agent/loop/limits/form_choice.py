"""Chooses the form in which a model is asked for its next reply.

A form is a *reply mode* (JSON by a schema, a tool call, any JSON, or text), and whether the script
has to be in a *fence* (```). A model that fails in one form may succeed in another:

    the last replies                            the next one is asked for
    3 times no JSON                             as a tool call, the next reply mode
    JSON with a script with a syntax error, 2x  as text, with the script in a fence
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from controlplane.agent.loop.limits.form_faults import NO_FAULTS, FormFaults
from controlplane.agent.loop.limits.repeat_count import NO_REPEATS
from controlplane.agent.loop.reply_form import DEFAULT_FORM, ReplyForm
from controlplane.agent.loop.reply_modes import mode_after
from controlplane.agent.model import ReplyMode
from controlplane.agent.record.trial_step import TrialStep
from controlplane.agent.reply.unusable_reply import FENCED_FORM

BROKEN_SCRIPTS_BEFORE_FENCE: Final = 2
FENCE_NOTE: Final = f"<note>\nFrom here on reply with {FENCED_FORM}.\n</note>\n"
FENCED_TEXT: Final = ReplyForm(ReplyMode.TEXT, is_fenced=True)

FAULTS_BEFORE_NEXT_MODE: Final = 3
SAME_FAULT: Final = "the same fault three times in a row"


@dataclass(frozen=True, slots=True)
class FormChoice:
    """The form in which a model is asked for its next reply, and what the last reply changed."""

    may_change: bool = True
    """False if the user chose the form."""
    form: ReplyForm = DEFAULT_FORM
    faults: FormFaults = NO_FAULTS
    """How often in a row the last replies had the same fault, or a broken script."""
    note_to_model: str = ""
    """Asks for a script in a fence, if the last reply caused that; else empty."""
    notice_to_user: str = ""
    """Says that the last reply has changed the reply mode, and why; else empty."""

    def followed_by(self, step: TrialStep) -> FormChoice:
        """Return the choice after one more reply, which the step carried out."""
        faults = self.faults.followed_by(step.summary)
        same_form = FormChoice(self.may_change, self.form, faults)
        if not self.may_change:
            return same_form

        # 1. Scripts in JSON strings are broken, perhaps by wrong escapes. Text needs none.
        mode = step.solve_reply.reply_mode  # that of this reply; empty if it is unknown
        is_json = mode not in ("", ReplyMode.TEXT)
        if is_json and faults.broken_scripts.times >= BROKEN_SCRIPTS_BEFORE_FENCE:
            reason = "scripts in JSON strings were no Python"
            notice = self._notice_of(ReplyMode.TEXT, reason)
            return FormChoice(True, FENCED_TEXT, faults, FENCE_NOTE, notice)

        # 2. The same fault comes again and again. It is counted anew in the next reply mode.
        next_mode = mode_after(mode)
        if faults.same_fault.times >= FAULTS_BEFORE_NEXT_MODE and next_mode is not None:
            form = replace(self.form, mode=next_mode)
            faults = replace(faults, same_fault=NO_REPEATS)
            notice = self._notice_of(next_mode, SAME_FAULT)
            return FormChoice(True, form, faults, notice_to_user=notice)
        return same_form

    def _notice_of(self, mode: ReplyMode, reason: str) -> str:
        """Return the notice that the model is asked in another mode; empty in the same one."""
        if mode == self.form.mode:
            return ""
        return f"{reason}; asking in reply mode {mode} from here on"
