"""How hard a world is (`--set profile=`), and which names and wordings it draws (`--set names=`, `--set wordings=`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from benchmarks.ecom.runtime.workspace import CallLimits
from benchmarks.ecom.world.pages import KNOWN, UNSEEN

DEFAULT_PROFILE: Final = "prod"
MIXED: Final = "mixed"


@dataclass(frozen=True, slots=True)
class Profile:
    """What a profile fixes."""

    sql_is_up: bool = False
    products: int = 100
    has_addenda: bool = False
    """Whether dated notices override pages."""
    has_decoys: bool = False
    """Whether a copy that is out of date and a rumour contradict pages."""
    limits: CallLimits = field(default_factory=CallLimits)


PROFILES: Final[Mapping[str, Profile]] = {
    "dev": Profile(sql_is_up=True, products=1_000, has_addenda=True),
    "prod": Profile(),
    "hard": Profile(
        products=400,
        has_addenda=True,
        has_decoys=True,
        limits=CallLimits(listed=60, read_lines=160, timeout_share=0.02, tool_ms=20),
    ),
}


@dataclass(frozen=True, slots=True)
class WorldSettings:
    """What is chosen for the worlds of a run."""

    profile: str = DEFAULT_PROFILE
    names: str = MIXED
    """`own`, `public`, `random`, or `mixed` for one of them by the seed."""
    wordings: str = KNOWN
    """`unseen` for the wordings of requests and documents that are held out, `known` for those that rules are written
    on, `mixed` for all."""


PLAYED: Final = WorldSettings(wordings=UNSEEN)
"""What a run plays if nothing is chosen: sentences that no rule is written on."""
