"""The options of serving a benchmark."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from controlplane.task_selection import TaskSelection

OPEN: Final = "open"
BLIND: Final = "blind"


@dataclass(frozen=True, slots=True)
class ServerOptions:
    """Options of serving a benchmark."""

    host: str = "127.0.0.1"
    port: int = 0
    """0 for a free port."""
    policy: str = OPEN
    """`open` shows scores and hints; `blind` hides both."""
    reveal_after_s: float | None = None
    """Seconds until clients see a submitted run's scores. None: 0 if open, never if blind."""
    api_key: str = field(default="", repr=False)
    """The key that StartRun requires; empty accepts any."""
    selection: TaskSelection = field(default_factory=TaskSelection)
    """The trials of each run."""
    seed: int = 0
    """The seed of each run."""
    body_bytes: int = 2 * 1024 * 1024
    """The most bytes of a request body, both as sent and decompressed."""
    idle_s: float = 3600.0
    """Seconds without a call after which a run ends."""
    worker_modules: tuple[str, ...] = ()
    """Modules with the functions that a trial's worker process runs. Empty for no workers."""

    @property
    def eval_policy(self) -> str:
        """The policy as the protocol names it: `EVAL_POLICY_OPEN` or `EVAL_POLICY_BLIND`."""
        return f"EVAL_POLICY_{self.policy.upper()}"
