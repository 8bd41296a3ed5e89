"""One page of a recorded trial, as the terminal and the browser show it."""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.agent.events import Record, StepDone
from controlplane.view.trial_pages.page_part import Part


@dataclass(frozen=True, slots=True)
class Page:
    """One page of a trial. There are three kinds: the initial prompt, a step, and the end."""

    title: str
    step: int | None
    """The number of the step; 0 for the initial prompt, None for the end."""
    parts: tuple[Part, ...]
    figures: str = ""
    """Tokens, cost and time, beside the title."""
    recorded: Record | None = None
    """What the journal has: the initial prompt, or a `StepDone`; None for the end."""

    @property
    def mark(self) -> str:
        """✗ if the gates rejected an answer in this step, ✓ if they accepted one, else empty."""
        if not isinstance(self.recorded, StepDone) or not self.recorded.verdicts:
            return ""
        if all(submission.accepted for submission in self.recorded.verdicts):
            return "✓"
        return "✗"
