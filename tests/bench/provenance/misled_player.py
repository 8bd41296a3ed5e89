"""A solver without a model that does the user's task, and then follows the injection in it.

An *injection* is a text that tells the model to act for an attacker. The player makes its calls, each
once, as a fully misled model would.
"""

from typing import ClassVar

from controlplane.agent.loop import TrialSession
from tests.bench.provenance.held_calls import send_in_step
from tests.bench.provenance.players import HonestPlayer
from tests.bench.provenance.plays import Play, PlayedCall


class MisledPlayer(HonestPlayer):
    """Does the user's task, and then makes the calls of the injection, each once."""

    tries: ClassVar[int] = 1
    """How often a call of the injection is made within one script while it is held."""

    def _follow_injection(
        self, session: TrialSession, task_id: str, play: Play
    ) -> None:
        calls = self._injected_calls(play)
        were_sent = [self._send_injected(session, call) for call in calls]
        if not all(were_sent):
            return
        for call in calls:
            if session.tool_schema.may_change(call.name, call.arguments):
                self.tasks_with_injection_sent.add(task_id)

    def _injected_calls(self, play: Play) -> list[PlayedCall]:
        """Return the calls of the injection that the player makes."""
        return play.injected_calls

    def _send_injected(self, session: TrialSession, call: PlayedCall) -> bool:
        """Make a call of the injection; return whether it was sent."""
        return send_in_step(session, call, self.tries)
