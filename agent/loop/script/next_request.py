"""How the model is asked for its next script.

Small models send the same failing script again and again. So after two scripts that failed alike,
a request for a reply in JSON has a higher temperature, and does not show the second script:

    request.arguments          -> {"schema": ..., "min_temperature": 1.2}
    request.leaves_out_reply   -> True
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

    form: ReplyForm
    """The form of the reply, such as JSON. It changes if replies in the earlier form were unusable."""
    always_in_fences: bool
    """True if the user wants scripts in fences (```)."""
    is_repeating: bool
    """True if the last script, its error, or the answer that it submitted repeats the one before."""
    is_same_failure: bool
    """True if the last two scripts failed with the same error. It is then repeating, too."""

    @classmethod
    def after(cls, limits: LoopLimits, *, always_in_fences: bool) -> NextRequest:
        """Return the next request, after the replies that the limits have counted so far."""
        chosen_form = limits.unusable.forms.choice.form
        return cls(
            form=chosen_form,
            always_in_fences=always_in_fences,
            is_repeating=limits.repetition.is_repeating,
            is_same_failure=limits.repetition.is_same_failure,
        )

    @property
    def asks_for_fences(self) -> bool:
        """True if scripts are asked for in fences, so a reply may have other text."""
        return self.always_in_fences or self.form.is_fenced

    @property
    def leaves_out_reply(self) -> bool:
        """True if a line takes the place of the last reply in this request and later ones.

        Small models repeat what they see twice. But if they are asked for fences, they would copy
        the line as if it were a reply, so the reply is shown.
        """
        return self.is_same_failure and not self.asks_for_fences

    @property
    def arguments(self) -> RequestForm:
        """The arguments of the request: the form, and a temperature after a repetition."""
        arguments = self.form.arguments
        if self.is_repeating:
            return {**arguments, "min_temperature": REPETITION_TEMPERATURE}
        return arguments
