"""The submissions (answers of a model) that the gates rejected, one after the other."""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.agent.events import Judged
from controlplane.agent.loop.limits.streak import NO_STREAK, Streak


@dataclass(frozen=True, slots=True)
class RejectedSubmissions:
    """How many times in a row the same submission was rejected, and by which gates."""

    streak: Streak = NO_STREAK
    """The same submission, rejected each time."""
    rejected_by: str = ""
    """The gates that rejected the last submission; empty if it was accepted."""

    def followed_by(self, judged: Judged) -> RejectedSubmissions:
        """Return the rejections after one more submission, which may be accepted."""
        if judged.accepted:
            return RejectedSubmissions(NO_STREAK, rejecting_gates(judged))
        rejected = (judged.answer, judged.outcome, judged.refs, judged.message)
        streak = self.streak.followed_by(rejected)
        return RejectedSubmissions(streak, rejecting_gates(judged))

    @property
    def last_fault(self) -> str:
        """What became of the last submission, in words."""
        if not self.rejected_by:
            return "nothing was submitted"
        return f"the last submission was sent back by {self.rejected_by}"


def rejecting_gates(judged: Judged) -> str:
    """Return the gates and rules that reject a submission: `gate 3 (paths), travel/dates`."""
    names: list[str] = []
    for verdict in judged.rejections:
        if verdict.gate:
            names.append(f"gate {verdict.gate} ({verdict.name})")
        else:
            names.append(verdict.name)
    return ", ".join(names)
