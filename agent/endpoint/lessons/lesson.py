"""What one refusal shows about an endpoint: for example, that it takes no `seed`."""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.agent.model import Capabilities


@dataclass(frozen=True, slots=True)
class Lesson:
    """What one refusal shows about an endpoint."""

    capabilities: Capabilities
    """The capabilities of the endpoint, without the refused part."""
    notice: str
    """For the user, after the endpoint's name: `takes no seed; leaving it out from here on`."""
