"""Begins a trial in its environment, as far as its beginning is not recorded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from controlplane.agent.evidence.calls.live_calls import LiveCalls
from controlplane.agent.evidence.tape.tape import Tape
from controlplane.sandbox.interface import Plain


@dataclass(frozen=True, slots=True)
class TapedStart:
    """Begins one trial."""

    tape: Tape
    live: LiveCalls

    def clock(self) -> datetime | None:
        """Return the time that scripts see at the start: recorded, or from the environment."""
        if self.tape.record.has_begun:
            return self.tape.record.now
        return self.live.clock()

    def begin_ahead(self, operation: str, arguments: Mapping[str, Plain]) -> None:
        """Begin an initial call early, unless the initial prompt with its calls is recorded."""
        if self.tape.record.initial_prompt is None:
            self.live.begin_ahead(operation, arguments)
