"""How the model is asked for its next script.

This depends on its replies so far: after unusable ones, it is asked in another form; after
one that repeats the one before, at a higher temperature.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from controlplane.agent.loop.loop_limits import LoopLimits
from controlplane.agent.loop.reply_form import ReplyForm, RequestForm

REPETITION_TEMPERATURE: Final = 1.2
"""The least temperature after a repetition. At a lower one,
small models send the same script until the trial ends."""


@dataclass(frozen=True, slots=True)
class NextRequest:
    """The next request to the model."""

    limits: LoopLimits
    """They count the replies of the trial, and choose the form of the next one."""
    always_in_fences: bool
    """True if the user wants scripts in fences (```)."""

    @property
    def form(self) -> ReplyForm:
        """The form of the reply. It changes if replies in the earlier form were unusable."""
        return self.limits.unusable.form_choice.form

    @property
    def asks_for_fences(self) -> bool:
        """True if scripts are asked for in fences, so a reply may have other text."""
        return self.always_in_fences or self.form.is_fenced

    @property
    def leaves_out_reply(self) -> bool:
        """True if later requests leave out the last reply, because it failed like the one before.

        Small models repeat what they see twice. A line stands for the reply. If models are asked
        for fences, they would copy this line as if it were a reply, so nothing is left out.
        """
        return self.limits.repetition.is_same_failure and not self.asks_for_fences

    @property
    def arguments(self) -> RequestForm:
        """The arguments of the request: the form, and a temperature after a repetition."""
        arguments = self.form.arguments
        if self.limits.repetition.is_repeating:
            return {**arguments, "min_temperature": REPETITION_TEMPERATURE}
        return arguments
