"""The ids of trials, which hold all that a new process needs to start a trial; the version of the worlds."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

WORLD_VERSION: Final = "c9772e669c0c"
"""A digest of sampled worlds and truths, checked by a test: another version gives other worlds from the same seed."""
TRIAL: Final = re.compile(
    r"(?P<task>[a-z-]+\.[1-9]\d{0,3})-r(?P<repeat>0|[1-9]\d*)-s(?P<seed>0|-?[1-9]\d*)-(?P<profile>[a-z]+)"
    r"-(?P<token>[0-9a-f]{8})(?:-c(?P<copy>[1-9]\d*))?"
)


@dataclass(frozen=True, slots=True)
class TrialId:
    """A trial: its task, the number of its try, the run's seed, its worlds' profile, and the run's random token."""

    task_id: str
    repeat: int
    seed: int
    profile: str
    token: str
    copy: int = 0
    """Number of the trial among several trials of that try."""

    def __str__(self) -> str:
        copy = f"-c{self.copy}" if self.copy else ""
        return f"{self.task_id}-r{self.repeat}-s{self.seed}-{self.profile}-{self.token}{copy}"

    @property
    def world_seed(self) -> str:
        """The seed of the trial's world: neither profile nor token, so that equal seeds ask the same everywhere."""
        return f"{self.seed}|{self.task_id}|{self.repeat}"

    @classmethod
    def parse(cls, text: str) -> TrialId | None:
        """Return the id that the text spells, or None."""
        match = TRIAL.fullmatch(text)
        if match is None:
            return None
        numbers = int(match["repeat"]), int(match["seed"])
        return cls(match["task"], *numbers, match["profile"], match["token"], int(match["copy"] or 0))
