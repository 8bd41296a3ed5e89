"""What broke in an HTTP exchange with an endpoint, and what the user can do about it.

    Breakage("cannot be reached (Connection refused)", "is the server running, and ...?")

The user reads both, after the endpoint's name.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

CHECK_ADDRESS: Final = "is OPENAI_BASE_URL right"
"""A question to the user, without its end: `is the server up, and is OPENAI_BASE_URL right?`"""


@dataclass(frozen=True, slots=True)
class Breakage:
    """What broke in an exchange with an endpoint, and what the user can do about it."""

    text: str
    """What happened, to follow the endpoint's name: `cannot be reached`."""
    remedy: str
    """What the user can do or check."""
    retryable: bool = True
    """True if the fault may pass, so that the same request is retried."""
