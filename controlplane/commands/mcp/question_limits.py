"""The limits of a question to `controlplane mcp`, in place of those of a run with a model."""

from __future__ import annotations

from typing import Final

SESSION_S: Final = 86_400.0
"""A day: the time limit of a question, whose client may wait for a person between two calls."""
MOST_CLIENT_STEPS: Final = 100_000
"""The most calls of a client for one question: more than any client makes.
Models have a low limit because they cost money. The user pays for the client anyway."""
