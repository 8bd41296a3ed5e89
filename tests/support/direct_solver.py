"""A trivial solver: one call, one answer through the gated exit, no sandbox and no model."""

import re

from controlplane.agent.loop import TrialSession
from controlplane.gates.submission import Submission
from controlplane.solver import SolverSpec


class DirectSolver:
    def solve(self, session: TrialSession) -> str:
        found = re.search(r"number of (\w+)", session.instruction)
        assert found
        number = str(session.call("lookup", {"name": found[1]})["number"])
        judged = session.submit(
            Submission(answer=number, outcome="OUTCOME_OK", refs=(), from_script=False)
        )
        return "" if judged.accepted else judged.message


SOLVER = SolverSpec(lambda tools: DirectSolver(), roles=())
