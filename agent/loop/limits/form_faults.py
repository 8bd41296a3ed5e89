"""The faults in a model's replies for which it is asked in another form.

A form is, for example, JSON with the script as a string. Two things are counted:

    reply                                         same_fault    broken_scripts
    no JSON                                       1             0
    no JSON                                       2             0
    JSON with a script that has a syntax error    0             1
    empty                                         1             1
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
        broken_scripts = self.broken_scripts
        if summary.code:
            is_broken = summary.ending == Ending.SYNTAX
            broken_scripts = broken_scripts.followed_by(is_broken)
        return FormFaults(self.same_fault.followed_by(summary.fault), broken_scripts)


NO_FAULTS: Final = FormFaults()
