"""An agent, `silent_solver`, that ends each trial without an answer, and a model that is not asked."""

from controlplane.solver import SolverSpec


class SilentSolver:
    """Ends each trial without an answer."""

    def solve(self, session: object) -> str:
        return "nothing to do"


SOLVER = SolverSpec(lambda tools: SilentSolver(), roles=())
"""What `agent="tests.controlplane.lifecycle.resources.silent_solver"` finds by this name."""
