"""A request to change a candidate, and who can answer it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from controlplane.improving.candidates.candidate_id import Texts
from controlplane.improving.loop_lines import Proposed
from controlplane.journal.recorded_trial import RecordedTrial


@dataclass(frozen=True, slots=True)
class ProposalRequest:
    """A request to change a candidate."""

    texts: Texts
    """The candidate's texts."""
    names: Sequence[str]
    """The files that may change."""
    trials: Sequence[RecordedTrial]
    """The candidate's trials, the worst first."""
    complaint: str = ""
    """Why the last proposal was refused; empty if it was not."""


class Proposer(Protocol):
    """Proposes changes of a candidate."""

    def propose(self, request: ProposalRequest) -> Proposed:
        """Return new texts for some of the named files. Raises `ControlPlaneError`."""
