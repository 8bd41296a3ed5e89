"""One line of what was found, with its remedy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

State: TypeAlias = Literal["ok", "note", "fault"]


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What was found of one thing that a run needs."""

    what: str
    """walls, disk, platform, endpoint, reply mode, speed, price."""
    state: State
    """`fault`: a run would not work; `note`: it would, and something is worth knowing."""
    text: str
    remedy: str = ""
    """What to do about it; empty if nothing is to be done."""
