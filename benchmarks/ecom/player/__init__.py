"""The rule-based player: an honest agent that knows of a world only what its messages show.

The player imports nothing of the benchmark around it. Scripts look up what it needs to know, and the documents that
turn one shows decide what it does.
"""

from __future__ import annotations

from agent.model import AnsweringModel, ModelError, ModelRequest, Reply


class Player(AnsweringModel):
    """A `Model` of deterministic rules. It keeps no state between calls: every reply follows from the messages."""

    name = "baseline"

    def reply_to(self, request: ModelRequest) -> Reply:
        """Return the next turn as JSON text `{state, plan, done, code}`. Raises `ModelError` if no answer is left."""
        from benchmarks.ecom.player.turns import NoAnswerLeft, next_turn

        try:
            return Reply(text=next_turn(request.messages))
        except NoAnswerLeft as left:
            raise ModelError(str(left), retryable=False) from left
