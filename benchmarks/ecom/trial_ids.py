"""The ids of trials, such as `sku-lookup.3-r0-s7-prod-00c0ffee`.

An id has all that is needed to generate the trial's world again, in another process or a
later run: the task, its try, the run's seed and the profile. The last part names the run.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

TRIAL_ID: Final = re.compile(
    r"(?P<task>[a-z-]+\.[1-9]\d{0,3})"  # `sku-lookup.3`
    r"-r(?P<repeat>0|[1-9]\d*)"  # `-r0`: the first try of the task
    r"-s(?P<seed>0|-?[1-9]\d*)"  # `-s7`: the run's seed
    r"-(?P<profile>[a-z]+)"  # `-prod`: how hard the world is
    r"-(?P<token>[0-9a-f]{8})"  # `-00c0ffee`: the run's random token
    r"(?:-c(?P<copy>[1-9]\d*))?"  # `-c1`: a second trial of the same try
)
"""The id of a trial, such as `sku-lookup.3-r0-s7-prod-00c0ffee`."""


@dataclass(frozen=True, slots=True)
class TrialId:
    """A trial's id. It has everything that a new process needs to generate the trial again."""

    task_id: str
    repeat: int
    """The number of the task's try, from 0."""
    seed: int
    """The run's seed."""
    profile: str
    """The profile of the run's worlds."""
    token: str
    """The run's random token."""
    copy: int = 0
    """The number of the trial among those of one try, from 0. They have the same world."""

    def __str__(self) -> str:
        text = f"{self.task_id}-r{self.repeat}-s{self.seed}-{self.profile}-{self.token}"
        if self.copy:
            text += f"-c{self.copy}"
        return text

    @property
    def world_seed(self) -> str:
        """The seed of the trial's world.

        It has no profile and no token, so that runs
        with equal seeds have the same tasks.
        """
        return f"{self.seed}|{self.task_id}|{self.repeat}"

    @classmethod
    def parse(cls, text: str) -> TrialId | None:
        """Return the trial id that a text represents; None if the text is not a trial id."""
        match = TRIAL_ID.fullmatch(text)
        if match is None:
            return None
        return cls(
            task_id=match["task"],
            repeat=int(match["repeat"]),
            seed=int(match["seed"]),
            profile=match["profile"],
            token=match["token"],
            copy=int(match["copy"] or 0),
        )
