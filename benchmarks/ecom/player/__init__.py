"""The player by rules: an honest agent that sees messages alone, and knows of a world what its messages show.

It imports nothing of the benchmark around it. What it wants to know it asks for by a script; what it decides it takes
from the documents that turn one shows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from agent.model import Message, Reply


class Player:
    """A `Model` by deterministic rules. It keeps nothing between calls: every reply follows from the messages."""

    @property
    def name(self) -> str:
        """The name that journals and tables show."""
        return "baseline"

    def complete(self, messages: Sequence[Message], schema: Mapping[str, object], role: str) -> Reply:
        """Return the next turn as JSON text `{state, plan, done, code}`."""
        from benchmarks.ecom.player.turns import next_turn

        del schema, role
        return Reply(text=next_turn(messages))
