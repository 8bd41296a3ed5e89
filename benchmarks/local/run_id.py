"""The id of a run, which holds all that a new process needs to continue it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

RUN: Final = re.compile(
    r"(?P<benchmark>[a-z]+)-s(?P<seed>0|-?[1-9]\d*)-n(?P<trials>[1-9]\d*)-(?P<token>[0-9a-f]{8})", re.ASCII
)


@dataclass(frozen=True, slots=True)
class RunId:
    """A run: its benchmark, its seed, its number of trials, and a random token that tells it from other runs."""

    benchmark: str
    seed: int
    trials: int
    token: str

    def __str__(self) -> str:
        return f"{self.benchmark}-s{self.seed}-n{self.trials}-{self.token}"

    @classmethod
    def parse(cls, text: str) -> RunId | None:
        """Return the id that the text spells, or None."""
        match = RUN.fullmatch(text)
        return cls(match["benchmark"], int(match["seed"]), int(match["trials"]), match["token"]) if match else None
