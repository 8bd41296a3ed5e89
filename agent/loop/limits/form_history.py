"""In which form a model is asked for its replies, and how the last ones failed in it.

A form is, for example, JSON by a schema, or text. After 3 replies with the same fault, the model is
asked in another form, where it has as many tries again:

    reply      asked for next        replies with the same fault
    no JSON    JSON by a schema      1
    no JSON    JSON by a schema      2
    no JSON    a tool call           0: the count of 3 begins anew
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from controlplane.agent.loop.limits.form_choice import FormChoice, next_choice
from controlplane.agent.loop.limits.form_faults import NO_FAULTS, FormFaults
from controlplane.agent.loop.limits.repeat_count import NO_REPEATS
from controlplane.agent.record.trial_step import TrialStep


@dataclass(frozen=True, slots=True)
class FormHistory:
    """The form of the next reply, and the faults of those before it."""

    may_change_form: bool = True
    """False if the user chose the form in which the model is asked."""
    choice: FormChoice = field(default_factory=FormChoice)
    """The form of the next reply, and whether the last reply has changed it."""
    faults: FormFaults = NO_FAULTS
    """How often the last replies had the same fault, or a script with a syntax error."""

    def followed_by(self, step: TrialStep) -> FormHistory:
        """Return the history after one more step."""
        faults = self.faults.followed_by(step.summary)
        if not self.may_change_form:
            return replace(self, faults=faults)
        reply_mode = step.solve_reply.reply_mode
        choice = next_choice(self.choice.form, reply_mode, faults)
        if choice.counts_anew:
            faults = replace(faults, same_fault=NO_REPEATS)
        return replace(self, choice=choice, faults=faults)
