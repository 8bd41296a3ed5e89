"""Chooses the form in which a model is asked for its next reply.

A form is a *reply mode* (JSON by a schema, a tool call, any JSON, or text), and whether the script
has to be in a *fence* (```). A model may fail in one form, and succeed in another.

| replies in a row | form of the next reply |
|---|---|
| 3 with the same fault, such as no JSON | the next reply mode |
| 2 scripts in JSON with a syntax error | text, with the script in a fence |
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

FAULTS_BEFORE_SWITCH: Final = 3
BROKEN_SCRIPTS_BEFORE_FENCE: Final = 2
FENCE_NOTE: Final = f"<note>\nFrom here on reply with {FENCED_FORM}.\n</note>\n"


@dataclass(frozen=True, slots=True)
class FormChoice:
    """The form in which a model is asked for its next reply, and whether it is new."""

    may_change: bool = True
    """False if the user chose the form."""
    form: ReplyForm = DEFAULT_FORM
    faults: FormFaults = NO_FAULTS
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
        reply_mode = step.solve_reply.reply_mode  # empty if it is unknown

        # 1. If the script was the second in a row that is broken, ask for a fence. After a third
        #    one, do not ask again: the model was asked for fences already, in vain.
        may_be_json = reply_mode not in ("", ReplyMode.TEXT)
        is_second = faults.broken_scripts.times == BROKEN_SCRIPTS_BEFORE_FENCE
        if may_be_json and step.summary.code and is_second:
            form = ReplyForm(ReplyMode.TEXT, is_fenced=True)
            reason = "scripts in JSON strings were no Python"
            return self._changed(faults, form, reason, FENCE_NOTE)

        # 2. If the same fault has come too often, ask in the next reply mode, and count anew.
        next_mode = mode_after(reply_mode)
        if faults.same_fault.times >= FAULTS_BEFORE_SWITCH and next_mode is not None:
            faults = replace(faults, same_fault=NO_REPEATS)
            form = replace(self.form, mode=next_mode)
            return self._changed(faults, form, "the same fault three times in a row")
        return same_form

    def _changed(
        self, faults: FormFaults, form: ReplyForm, reason: str, note: str = ""
    ) -> FormChoice:
        """Return the choice of another form. The user is told of a new reply mode."""
        notice = ""
        if form.mode != self.form.mode:
            notice = f"{reason}; asking in reply mode {form.mode} from here on"
        return FormChoice(self.may_change, form, faults, note, notice)
