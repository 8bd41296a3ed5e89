"""Chooses the form in which a model is asked for its next reply.

A form is a *reply mode* (JSON by a schema, a tool call, any JSON, or text), and whether the script
has to be in a *fence* (```). A model that fails in one form may succeed in another:

    the last replies                                     the next one is asked for
    twice JSON, whose script has a syntax error          as text, with the script in a fence
    three times no JSON                                  as a tool call, the next reply mode
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from controlplane.agent.loop.limits.form_faults import FormFaults
from controlplane.agent.loop.reply_form import DEFAULT_FORM, ReplyForm
from controlplane.agent.loop.reply_modes import mode_after
from controlplane.agent.model import ReplyMode
from controlplane.agent.reply.unusable_reply import FENCED_FORM

BROKEN_SCRIPTS_BEFORE_FENCE: Final = 2
FENCE_NOTE: Final = f"<note>\nFrom here on reply with {FENCED_FORM}.\n</note>\n"
FENCED_TEXT: Final = ReplyForm(ReplyMode.TEXT, is_fenced=True)

FAULTS_BEFORE_NEXT_MODE: Final = 3
SAME_FAULT: Final = "the same fault three times in a row"


@dataclass(frozen=True, slots=True)
class FormChoice:
    """The form in which a model is asked for its next reply."""

    form: ReplyForm = DEFAULT_FORM
    note_to_model: str = ""
    """Asks for a script in a fence, if the last reply caused that; else empty."""
    notice_to_user: str = ""
    """Says that the last reply has changed the reply mode, and why; else empty."""
    counts_anew: bool = False
    """True if the next reply mode is tried, in which the same fault may come as often again."""


def next_choice(form: ReplyForm, reply_mode: str, faults: FormFaults) -> FormChoice:
    """Return the choice after a reply, which the model was asked for in this form.

    `reply_mode` is that of the reply; empty if it is unknown. An endpoint that does not take
    the mode of the form gets another one. `faults` counts the faults up to this reply.
    """
    # 1. Scripts in JSON strings are broken, perhaps by wrong escapes. Text needs none. If the model
    #    was asked for a fence already, in vain, it is not asked again.
    is_json = reply_mode not in ("", ReplyMode.TEXT)  # A tool call has JSON, too.
    has_broken_scripts = faults.broken_scripts.times >= BROKEN_SCRIPTS_BEFORE_FENCE
    if is_json and has_broken_scripts and not form.is_fenced:
        reason = "scripts in JSON strings were no Python"
        notice = _notice_of(FENCED_TEXT, form, reason)
        return FormChoice(FENCED_TEXT, FENCE_NOTE, notice)

    # 2. The same fault comes again and again. Each mode is easier than the one before.
    next_mode = mode_after(reply_mode)
    if faults.same_fault.times >= FAULTS_BEFORE_NEXT_MODE and next_mode is not None:
        next_form = replace(form, mode=next_mode)
        notice = _notice_of(next_form, form, SAME_FAULT)
        return FormChoice(next_form, notice_to_user=notice, counts_anew=True)
    return FormChoice(form)


def _notice_of(new_form: ReplyForm, form: ReplyForm, reason: str) -> str:
    """Return the notice that the model is asked in another mode; empty in the same one."""
    if new_form.mode == form.mode:
        return ""
    return f"{reason}; asking in reply mode {new_form.mode} from here on"
