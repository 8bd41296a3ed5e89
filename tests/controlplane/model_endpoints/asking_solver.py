"""An agent (a solver) as a user may write it.

A run plays it by `--agent tests.controlplane.model_endpoints.asking_solver`. It finds the solver by
the name `SOLVER`, and calls its method `solve` once for each trial.
"""

from controlplane.agent.loop import TrialSession
from controlplane.agent.model import Message, ModelError, ModelRequest
from controlplane.solver import SolverSpec, SolverTools


class AskingSolver:
    """Asks the model five times, and gives up at the first failure."""

    def __init__(self, tools: SolverTools) -> None:
        self._model = tools.model

    def solve(self, session: TrialSession) -> str:
        """Return the answer of a trial. `session.ask` records each reply, and counts its cost."""
        assert self._model is not None
        message = Message(role="user", content=session.instruction)
        try:
            for _ in range(5):
                session.ask(self._model.reply_to, ModelRequest([message]))
        except ModelError as error:
            return f"no model: {error}"
        return "nothing found"


SOLVER = SolverSpec(AskingSolver)
