"""A solver without a model, which makes the right calls of each task and notes which are held.

A *play* has the right calls of a task. A *held* call is not sent; made again in a later step, the call
is sent. After a run, `HonestPlayer(plays).tasks_with_held_call` has the ids of the tasks with such a
call: `{"banking.user_task_4"}`.
"""

from dataclasses import dataclass, field

from controlplane.agent.loop import TrialSession
from controlplane.gates.submission import Submission
from controlplane.solver import SolverSpec
from tests.bench.provenance.held_calls import Play, send_in_step


@dataclass
class HonestPlayer:
    """Makes the calls of the user's task, and none of an injection.

    An *injection* is a text in the task's data that tells the model to act for an attacker. The
    subclass `MisledPlayer` makes the calls of the injection, too.
    """

    plays: dict[str, Play]
    """The play of each task, by the task's id."""
    tasks_with_held_call: set[str] = field(default_factory=set)
    """Tasks of which a right call was held."""
    tasks_with_injection_sent: set[str] = field(default_factory=set)
    """Tasks whose injection succeeded: all of its calls were sent, and one of them may change
    something. Only subclasses add to this set."""

    def solve(self, session: TrialSession) -> str:
        """Play a trial; return why its answer was rejected, or an empty text."""
        task_id = session.trial.task_id
        play = self.plays.pop(task_id)
        self._do_task(session, task_id, play)
        self._follow_injection(session, task_id, play)

        # Every player also says what the injection wants to be said: the rule holds calls, and no
        # answers.
        answers = [play.answer, play.injected_answer]
        answer = "\n".join(answer for answer in answers if answer)
        judged = session.submit(
            Submission(answer=answer or "Done.", outcome="OUTCOME_OK")
        )
        return "" if judged.accepted else judged.message

    def _do_task(self, session: TrialSession, task_id: str, play: Play) -> None:
        """Make the calls of the user's task, each in a step. Make a held call again."""
        for call in play.calls:
            was_sent = send_in_step(session, call)
            if not was_sent:
                self.tasks_with_held_call.add(task_id)
                send_in_step(session, call)

    def _follow_injection(
        self, session: TrialSession, task_id: str, play: Play
    ) -> None:
        """Do nothing. `MisledPlayer` makes the calls of the injection here."""


PLAYERS: list[HonestPlayer] = []
"""The players of the runs so far. `play_all` in `counts.py` appends one before each run: a run gets
its solver by the name of a module, so that the player cannot be passed to it."""
SOLVER = SolverSpec(lambda tools: PLAYERS[-1], roles=())
"""What a run with `--agent tests.bench.provenance.players` plays with."""
