"""A stand-in for the function `verify`, by which a script checks its own answer.

A script ends with `harness.answer(scratchpad, verify)`. Gate 7 calls `verify` with the submitted
scratchpad, and then with a blanked copy, whose answer is empty. A sound one says yes and then no:
a function that says yes to both has checked nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from controlplane.gates.submission import Probe


class VerifyAnswer(NamedTuple):
    """What one call of a script's `verify` function returned, or the error that it ended with."""

    says_yes: bool
    error: str = ""


@dataclass
class ScriptedVerify:
    """Stands in for the script's own `verify` function, which gate 7 calls to check the answer.

    Gate 7 asks it twice: about the submitted scratchpad, and about a blanked copy without an
    answer. By default it replies as it should: yes to the first, and no to the blanked copy.
    """

    is_callable: bool = True
    takes_one_argument: bool = True
    as_submitted: VerifyAnswer = field(
        default_factory=lambda: VerifyAnswer(says_yes=True)
    )
    blanked: VerifyAnswer = field(default_factory=lambda: VerifyAnswer(says_yes=False))
    asked: list[bool] = field(default_factory=list)
    """The calls so far: True for each that passed the blanked copy."""

    def ask(self, blanked: bool) -> VerifyAnswer:
        self.asked.append(blanked)
        return self.blanked if blanked else self.as_submitted

    @property
    def probe(self) -> Probe:
        """The handle by which gates call this function."""
        return Probe(self.is_callable, self.takes_one_argument, self.ask)
