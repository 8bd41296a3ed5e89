"""`--agent command:PROGRAM`: the user's own program works on each trial.

The program is started for each trial. It uses the tools of an MCP server that serves
this trial alone. Environment variables tell it the server's address.
"""

from __future__ import annotations

import secrets
import shlex
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from controlplane.agent.loop import TrialSession
from controlplane.agent.model import ModelError
from controlplane.errors import UsageError, as_usage_error, extra_module
from controlplane.mcp.programs.program_process import ProgramProcess
from controlplane.mcp.programs.program_variables import (
    client_configuration,
    program_variables,
)
from controlplane.mcp.server_specs import without_secrets
from controlplane.mcp.serving.client_tools import CHANGING, trial_tools
from controlplane.mcp.serving.http_serving import served_over_http
from controlplane.mcp.serving.offered_server import ServerOffer, offered_server
from controlplane.mcp.serving.tool_turns import ServedSolver, ToolTurns
from controlplane.sandbox.files import write_whole
from controlplane.sandbox.interface import bounds
from controlplane.solver import SolverSpec, SolverTools


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

    def open_solver(tools: SolverTools) -> ServedSolver:
        return ServedSolver(tools, program_for)

    # The program writes the scripts, so no model is asked (no `roles`), and no player that
    # writes scripts by rules can take a model's place.
    return SolverSpec(open_solver, roles=(), plays_scripts=False)


EXIT_S: Final = 10.0
"""The time that a program has to exit after its trial is over."""
KILL_S: Final = 0.1
"""The time that a program has to exit if its trial was stopped."""


class UserProgram:
    """A program of the user's that works on one trial through the trial's own MCP server.

    `start` starts it when the trial begins, and `stop` ends it with the trial.
    """

    def __init__(self, words: list[str], session: TrialSession) -> None:
        self.words = words
        """The command: the program and its arguments."""
        self.session = session
        self.token = secrets.token_urlsafe(24)
        """The token that the program has to send with each request to the server."""
        self._turns: ToolTurns | None = None
        """Passes the program's calls to the trial as its turns."""
        self._process: ProgramProcess | None = None
        self._resources = ExitStack()
        """Ends the server, and removes the folder with its address, when the trial is over."""

    def start(self, turns: ToolTurns, first_message: str) -> None:
        """Serve the trial's tools, and start the program.

        Raises `ModelError` if the program does not start.
        """
        self._turns = turns
        address = self._serve_tools(turns, first_message)
        folder = self._make_folder()
        config = folder / "mcp.json"
        content = client_configuration(address, self.token)
        write_whole(config, content, folder, mode=0o600)
        instruction = folder / "instruction"
        text = first_message.encode("utf-8", "replace")
        write_whole(instruction, text, folder, mode=0o600)
        variables = program_variables(self.session, config, address, self.token)
        self._process = ProgramProcess(self.words, instruction, variables)

    def fault(self) -> Exception | None:
        """Return the error for the trial to raise if no more calls will come; None if some may."""
        process = self._process
        if process is None or process.is_running:
            return None
        code = process.exit_code
        text = f"the program ended with exit code {code} and without an accepted answer"
        if code == 0:
            # The program has given up, like a model without an answer.
            return ModelError(text, retryable=False)
        # The program has crashed, so the trial counts as broken, not as unanswered.
        lines = self._shown_output(process).strip().splitlines()
        if lines:
            text += f"; its last line: {lines[-1]}"
        return ChildProcessError(text)

    def stop(self) -> None:
        """End the program and all processes that it started, and record how it ended."""
        process = self._process
        with self._resources:
            if process is None:
                return
            was_killed = process.end(self._exit_time_s())
            output = self._shown_output(process).strip() or "(none)"
        ending = f"ended with exit code {process.exit_code}"
        if was_killed:
            ending = "was killed"
        self.session.notice(
            f"the program {ending} after {process.elapsed_s:.1f} s; the end of its output: {output}"
        )

    def _exit_time_s(self) -> float:
        """Return how long the program may take to exit.

        A program that was told that its trial is over may tidy up in the rest of the
        trial's time. A program that was not told is killed, since it would go on.
        """
        was_told = self._turns is not None and self._turns.is_over
        if not was_told or self.session.stop.is_set():
            return KILL_S
        rest_of_trial_s = self.session.clock.deadline - time.monotonic()
        return max(KILL_S, min(EXIT_S, rest_of_trial_s))

    def _shown_output(self, process: ProgramProcess) -> str:
        """Return the last part of the output, without secrets."""
        text = without_secrets(process.output(), (self.token,))
        return text[-bounds.SHOWN_END_CHARS :]

    # --- What the program gets ---

    def _serve_tools(self, turns: ToolTurns, first_message: str) -> str:
        """Serve the trial's tools, and return the address of the server."""
        schema = self.session.tool_schema
        tools = trial_tools(schema)
        # Clients are told which tools change nothing.
        reading = set()
        for operation in schema.operations:
            if operation.effect not in CHANGING:
                reading.add(operation.name)
        offer = ServerOffer(tools, instructions=first_message, reading=reading)
        server = offered_server(offer, turns.result_of)
        return self._resources.enter_context(served_over_http(server, self.token))

    def _make_folder(self) -> Path:
        """Create a folder for the program's files. `stop` removes it."""
        folder = tempfile.TemporaryDirectory(prefix="controlplane-")
        return Path(self._resources.enter_context(folder))
