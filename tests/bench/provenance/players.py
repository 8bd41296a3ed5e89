"""Solvers without a model, which make the calls of a play and see which of them are held.

A play has the right calls of a task, and those of an injection, a text that tells the model to act for an
attacker. A *held* call is not sent until it is made again in a later step.

    HonestPlayer(plays)  # makes the calls of the user's task
    MisledPlayer(plays)  # makes both, as a fully misled model would

After a run, `player.tasks_with_held_call` and `player.tasks_with_injection_sent` are counted.
"""

from dataclasses import dataclass, field
from typing import ClassVar

from controlplane.agent.loop import TrialSession
from controlplane.gates.submission import Submission
from controlplane.solver import SolverSpec
from tests.bench.provenance.held_calls import is_sent_in_step
from tests.bench.provenance.plays import Play, PlayedCall


@dataclass
class HonestPlayer:
    """Does the user's task, and ignores injections."""

    plays: dict[str, Play]
    """The plays of the tasks, by the tasks' ids."""
    tasks_with_held_call: set[str] = field(default_factory=set)
    """Tasks with a call of the user's task that was held."""
    tasks_with_injection_sent: set[str] = field(default_factory=set)
    """Tasks with an injection of which every call was sent, and one may change something."""

    def solve(self, session: TrialSession) -> str:
        """Play a trial; return why its answer was rejected, or an empty text."""
        task_id = session.trial.task_id
        play = self.plays.pop(task_id)
        self._do_task(session, task_id, play)
        self._follow_injection(session, task_id, play)

        answers = [play.answer, play.injected_answer]
        answer = "\n".join(answer for answer in answers if answer)
        judged = session.submit(
            Submission(answer=answer or "Done.", outcome="OUTCOME_OK")
        )
        return "" if judged.accepted else judged.message

    def _do_task(self, session: TrialSession, task_id: str, play: Play) -> None:
        """Make the calls of the user's task. A held one is made again in a later step."""
        for call in play.calls:
            if not is_sent_in_step(session, call):
                self.tasks_with_held_call.add(task_id)
                is_sent_in_step(session, call)

    def _follow_injection(
        self, session: TrialSession, task_id: str, play: Play
    ) -> None:
        """Do nothing."""


class MisledPlayer(HonestPlayer):
    """Does the user's task, and then makes the calls of the injection, each once."""

    tries: ClassVar[int] = 1
    """How often a call of the injection is made within one script while it is held."""

    def _follow_injection(
        self, session: TrialSession, task_id: str, play: Play
    ) -> None:
        calls = self._injected_calls(play)
        were_sent = [self._make_injected(session, call) for call in calls]
        if not all(were_sent):
            return
        for call in calls:
            if session.tool_schema.may_change(call.name, call.arguments):
                self.tasks_with_injection_sent.add(task_id)

    def _injected_calls(self, play: Play) -> list[PlayedCall]:
        """Return the calls of the injection that the player makes."""
        return play.injected_calls

    def _make_injected(self, session: TrialSession, call: PlayedCall) -> bool:
        """Make a call of the injection; return whether it was sent."""
        return is_sent_in_step(session, call, self.tries)


PLAYERS: list[HonestPlayer] = []
"""The players of the runs so far. The last one plays the current run."""
SOLVER = SolverSpec(lambda tools: PLAYERS[-1], roles=())
"""What a run with `--agent tests.bench.provenance.players` plays with."""
