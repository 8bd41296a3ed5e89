"""A finding of `controlplane doctor`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

State: TypeAlias = Literal["ok", "note", "unknown", "fault"]


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """The finding on one thing that a run needs. With `--json` it is printed with these fields."""

    what: str
    """The thing: isolation, disk, platform (the benchmark), model, endpoint, and so on."""
    state: State
    """`fault`: a run would not work; `note`: a run would work, but something is worth knowing;
    `unknown`: nobody can say before a run."""
    text: str
    """What was found, in one line."""
    remedy: str = ""
    """What the user can do about it; empty if nothing has to be done."""
