"""Counts faults in a model's replies, to know when to ask it for replies in another form.

A form is, for example, JSON with the script as a string, which some models cannot write. This
module only counts two things. After each of these replies, the counts are:

    reply                                         same_fault    broken_scripts
    no JSON                                       1             0
    no JSON, the same fault                       2             0
    JSON with a script that has a syntax error    0, no fault   1
    empty, another fault, without a script        1             1, as before
    JSON with a correct script                    0             0
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from controlplane.agent.events import StepDone
from controlplane.agent.loop.limits.repeat_count import NO_REPEATS, RepeatCount
from controlplane.sandbox import Ending


@dataclass(frozen=True, slots=True)
class FormFaults:
    """How many times in a row the last replies had the same fault, or a broken script."""

    same_fault: RepeatCount = NO_REPEATS
    """Unusable replies with the same fault. A usable reply ends the count."""
    broken_scripts: RepeatCount = NO_REPEATS
    """Scripts with a syntax error. A script without one ends the count."""

    def followed_by(self, summary: StepDone) -> FormFaults:
        """Return the counts after one more step, with this summary."""
        # `followed_by` sets a count to 0 if it gets an empty fault, or False.
        same_fault = self.same_fault.followed_by(summary.fault)
        broken_scripts = self.broken_scripts
        if summary.code:
            is_broken = summary.ending == Ending.SYNTAX
            broken_scripts = broken_scripts.followed_by(is_broken)
        return FormFaults(same_fault, broken_scripts)


NO_FAULTS: Final = FormFaults()
