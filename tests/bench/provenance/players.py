"""A solver without a model, which makes the calls of a play and sees which of them are held.

A play has the right calls of a task, and those of an injection, a text that tells the model to act
for an attacker. A *held* call is not sent until it is made again in a later step. After a run,
`HonestPlayer(plays).tasks_with_held_call` has the tasks with such a call.
"""

from dataclasses import dataclass, field

from controlplane.agent.loop import TrialSession
from controlplane.gates.submission import Submission
from controlplane.solver import SolverSpec
from tests.bench.provenance.held_calls import is_sent_in_step
from tests.bench.provenance.plays import Play


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


PLAYERS: list[HonestPlayer] = []
"""The players of the runs so far. The last one plays the current run."""
SOLVER = SolverSpec(lambda tools: PLAYERS[-1], roles=())
"""What a run with `--agent tests.bench.provenance.players` plays with."""
