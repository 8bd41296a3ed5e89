"""The environment variables of a program that works on a trial."""

from __future__ import annotations

from typing import Final

from controlplane.agent.loop import TrialSession
from controlplane.mcp.program_secrets import environment_for_solvers
from controlplane.mcp.programs.trial_access import TrialAccess

MOST_VARIABLE_CHARS: Final = 20_000
"""The largest number of characters in an environment variable. Longer instructions are cut
there, but standard input always has the whole instruction."""


def program_variables(session: TrialSession, access: TrialAccess) -> dict[str, str]:
    """Return the environment variables of a program that works on a trial."""
    trial_variables = {
        "CONTROLPLANE_MCP_CONFIG": str(access.config),
        "CONTROLPLANE_MCP_URL": access.address,
        "CONTROLPLANE_MCP_TOKEN": access.token,
        "CONTROLPLANE_INSTRUCTION": session.instruction,
        "CONTROLPLANE_TRIAL": session.trial_id,
        "CONTROLPLANE_RESUMED": _flag_text(session.trial.is_resumed),
    }
    variables = environment_for_solvers()
    for name, text in trial_variables.items():
        shortened = text[:MOST_VARIABLE_CHARS].replace("\0", "")
        variables[name] = shortened.encode("utf-8", "replace").decode()
    return variables


def _flag_text(flag: bool) -> str:
    return "1" if flag else ""
