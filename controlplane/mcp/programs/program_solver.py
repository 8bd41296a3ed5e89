"""`--agent command:PROGRAM`: the user's own program works on each trial."""

from __future__ import annotations

import shlex

from controlplane.agent.loop import TrialSession
from controlplane.errors import UsageError, as_usage_error, extra_module
from controlplane.mcp.programs.user_program import UserProgram
from controlplane.mcp.serving.served_solver import solver_by_calls
from controlplane.solver import SolverSpec


def command_solver(command: str) -> SolverSpec:
    """Return the solver that starts the user's command for each trial. Raises `UsageError`."""
    with as_usage_error("--agent command: the command cannot be read", ValueError):
        words = shlex.split(command)
    if not words:
        msg = '--agent command: names no program; write --agent "command:PROGRAM ARGUMENT ..."'
        raise UsageError(msg)
    extra_module("mcp", "serving tools", "mcp")

    def program_for(session: TrialSession) -> UserProgram:
        return UserProgram(words, session)

    return solver_by_calls(program_for)
