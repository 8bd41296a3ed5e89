"""A request to cite a file as a source of the answer, and whether it was allowed.

A file may be cited only if a call of the trial has shown what is in it:

    Citation(path="docs/fees.md", reason="has the fee", spelling="/docs/fees.md")
    Citation(path="/docs/new.md", reason="has the fee", error="`/docs/new.md` was not read ...")
"""

from __future__ import annotations

from controlplane.agent.events.record import Text
from controlplane.agent.events.step_entry import StepEntry
from controlplane.agent.model import Count


class Citation(StepEntry):
    """One request to cite a path as a source, and its answer: `spelling`, or `error`."""

    name_in_differences = "citations[{number}]"

    path: Text
    """The path as requested."""
    reason: Text
    """The reason for the citation."""
    spelling: Text = ""
    """The path as the listings spell it, which is cited; empty if the citation was refused."""
    error: Text = ""
    """Why the citation was refused; empty if it was allowed."""
    quote: Text = ""
    """The passage quoted from there; empty without a quotation."""
    line: int = 0
    """The line on which the quotation begins, counted
    from 1; 0 without one, or if that is unknown."""
    after_calls: Count = 0
    """Number of calls that the step made before."""

    @property
    def action(self) -> tuple[str, str, str]:
        """What the script asked to cite."""
        return self.path, self.reason, self.quote
