"""What a program that works on a trial is told: by variables, and by a file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

from controlplane.agent.loop import TrialSession
from controlplane.mcp.server_specs import environment_for_solvers

MOST_VARIABLE_CHARS: Final = 20_000
"""The largest number of characters in an environment variable. Longer instructions are cut
there, but standard input always has the whole instruction."""


def client_configuration(address: str, token: str) -> bytes:
    """Return the configuration file by which MCP clients find the trial's server."""
    server = {
        "type": "http",
        "url": address,
        "headers": {"Authorization": f"Bearer {token}"},
    }
    return json.dumps({"mcpServers": {"trial": server}}).encode()


def program_variables(
    session: TrialSession, config: Path, address: str, token: str
) -> dict[str, str]:
    """Return the program's environment variables.

    `config` is the file with the `client_configuration`.
    """
    trial_variables = {
        "CONTROLPLANE_MCP_CONFIG": str(config),
        "CONTROLPLANE_MCP_URL": address,
        "CONTROLPLANE_MCP_TOKEN": token,
        "CONTROLPLANE_INSTRUCTION": session.instruction,
        "CONTROLPLANE_TRIAL": session.trial.trial_id,
        "CONTROLPLANE_RESUMED": _flag_text(session.trial.is_resumed),
    }
    variables = environment_for_solvers()
    for name, text in trial_variables.items():
        shortened = text[:MOST_VARIABLE_CHARS].replace("\0", "")
        variables[name] = shortened.encode("utf-8", "replace").decode()
    return variables


def _flag_text(flag: bool) -> str:
    return "1" if flag else ""
