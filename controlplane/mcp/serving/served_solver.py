"""A solver with which a program, instead of a model, works on each trial.

The program is the user's own agent, or an MCP client. It runs outside of the sandbox and
calls tools. Each call becomes a script of the trial's usual loop, so gates, budget,
journal and replay work as with a model.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from controlplane.agent.loop import CitedLoop, TrialSession
from controlplane.mcp.serving.call_queue import OVER
from controlplane.mcp.serving.calling_program import CallingProgram
from controlplane.mcp.serving.farewell import farewell
from controlplane.mcp.serving.tool_turns import ToolTurns
from controlplane.solver import SolverSpec, SolverTools


def solver_by_calls(
    program_for: Callable[[TrialSession], CallingProgram],
) -> SolverSpec:
    """Return a solver that lets a program, which `program_for` returns, work on each trial."""

    def open_solver(tools: SolverTools) -> ServedSolver:
        return ServedSolver(tools, program_for)

    # The program writes the scripts, so no model is asked (no `roles`), and no player that
    # writes scripts by rules can take a model's place.
    return SolverSpec(open_solver, roles=(), plays_scripts=False)


@dataclass(frozen=True, slots=True)
class ServedSolver:
    """A solver that lets a program work on each trial by calling tools."""

    tools: SolverTools
    """What the loop needs: the sandbox, its settings and the budget."""
    program_for: Callable[[TrialSession], CallingProgram]
    """Returns the program that works on a trial."""

    def solve(self, session: TrialSession) -> str:
        """Serve the trial until it is over. Return why there is no answer, or an empty text.

        Raises `LeftOpen` if the run stops before that, so that the trial can be resumed.
        """
        program = self.program_for(session)
        turns = ToolTurns(session, program)
        loop = CitedLoop(
            turns,
            self.tools.sandbox_server(),
            self.tools.loop,
            budget=self.tools.budget,
        )
        try:
            no_answer_reason = loop.solve(session)
            if no_answer_reason:
                turns.finish(f"{OVER} ({no_answer_reason})", failed=True)
            else:
                turns.finish(farewell(session), failed=False)
        except BaseException:
            turns.finish(OVER, failed=True)
            raise
        finally:
            program.stop()
        return no_answer_reason
