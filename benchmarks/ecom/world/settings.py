"""How difficult the worlds of a run are, and which names and wordings they have.

The user chooses both by options: `--set profile=hard --set names=public`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from controlplane.benchmarks.ecom.workspace import CallLimits
from controlplane.benchmarks.ecom.world.names.vocabularies import MIXED
from controlplane.benchmarks.ecom.world.wordings import KNOWN, UNSEEN


@dataclass(frozen=True, slots=True)
class Profile:
    """How difficult the worlds of a run are."""

    sql_is_up: bool = False
    """True if the tool for SQL queries works. If not, it reports an outage."""
    products: int = 100
    """About how many products the shop sells."""
    has_addenda: bool = False
    """True if dated notices override pages."""
    has_decoys: bool = False
    """True if an outdated copy and a rumour contradict pages."""
    limits: CallLimits = field(default_factory=CallLimits)
    """How much a call may list or read, how many calls of tools time out, and how long they take."""


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
    """The user's settings for the worlds of a run."""

    profile: str = "prod"
    names: str = MIXED
    """`own`, `public`, `random`, or `mixed` to let the seed choose one of them."""
    wordings: str = KNOWN
    """The wordings of requests and pages.

    `known` are those that rules are written for, `unseen` are kept for testing, and
    `mixed` means all.
    """


DEFAULTS: Final = WorldSettings()
"""The settings of a world that is generated without any, as tests do."""
PLAYED: Final = WorldSettings(wordings=UNSEEN)
"""The settings of a run without options: only wordings that no rule is written for."""
