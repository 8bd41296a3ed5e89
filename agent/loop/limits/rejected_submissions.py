"""The submissions (answers of a model) that the gates rejected, one after the other.

A model that submits the same answer again and again, and is told the same each time, is not
going to find a better one.
"""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.agent.events import Judged
from controlplane.agent.loop.limits.repeat_count import NO_REPEATS, RepeatCount


@dataclass(frozen=True, slots=True)
class RejectedSubmissions:
    """How many times in a row the same submission was rejected, and the last submission."""

    repeats: RepeatCount = NO_REPEATS
    """Rejections of the same submission with the same message."""
    last: Judged | None = None
    """The last submission, accepted or rejected; None if there was none."""

    def followed_by(self, judged: Judged) -> RejectedSubmissions:
        """Return the rejections after one more submission, which may be accepted."""
        if judged.accepted:
            return RejectedSubmissions(NO_REPEATS, judged)
        rejected = (judged.answer, judged.outcome, judged.refs, judged.message)
        return RejectedSubmissions(self.repeats.followed_by(rejected), judged)

    @property
    def last_fault(self) -> str:
        """What became of the last submission, in words."""
        if self.last is None:
            return "nothing was submitted"
        if self.last.accepted:  # If it had been taken, the trial would be over.
            return "the environment did not take the last submission"
        return f"the last submission was sent back by {self.rejected_by}"

    @property
    def rejected_by(self) -> str:
        """The gates and rules that rejected the last submission; empty without one.

        `gate 3 (paths), travel/dates`
        """
        if self.last is None:
            return ""
        names: list[str] = []
        for verdict in self.last.rejections:
            if verdict.gate:
                names.append(f"gate {verdict.gate} ({verdict.name})")
            else:
                names.append(verdict.name)
        return ", ".join(names)
