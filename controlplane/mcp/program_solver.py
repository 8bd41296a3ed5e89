"""`--agent command:PROGRAM`: the user's own program works on each trial.

The program is started for each trial. It uses the tools of an MCP server that serves
this trial alone. Environment variables tell it the server's address.
"""

from __future__ import annotations

import json
import os
import secrets
import shlex
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import IO, Final

from controlplane.agent.loop import TrialSession
from controlplane.agent.model import ModelError
from controlplane.errors import UsageError, as_usage_error, extra_module
from controlplane.mcp.client_tools import CHANGING, trial_tools
from controlplane.mcp.offered_server import ServerOffer, offered_server
from controlplane.mcp.server_specs import environment_for_solvers, without_secrets
from controlplane.mcp.tool_turns import ServedSolver, ToolTurns
from controlplane.mcp.transports import served_over_http
from controlplane.sandbox.files import write_whole
from controlplane.sandbox.interface import bounds
from controlplane.solver import SolverSpec, SolverTools


def command_solver(command: str) -> SolverSpec:
    """Return the solver that starts the user's command for each trial. Raises
    `UsageError`."""
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

    return SolverSpec(open_solver, roles=(), plays_scripts=False)


EXIT_S: Final = 10.0
"""The time that a program has to exit after its trial is over."""
KILL_S: Final = 0.1
"""The time that a program has to exit if its trial was stopped."""
LAST_OUTPUT_S: Final = 1.0
"""The time for reading the rest of the output, which a child process may still hold
open."""
MOST_VARIABLE_CHARS: Final = 20_000
"""The largest number of characters in an environment variable. Standard input always
has the whole instruction."""
KEPT_OUTPUT_BYTES: Final = 4 * bounds.SHOWN_END_CHARS
"""The number of bytes kept of the end of the output. A character has at most four
bytes."""


class UserProgram:
    """A program of the user's that works on one trial through the trial's own MCP
    server.

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
        self._resources = ExitStack()
        """Ends the server, and removes the folder with its address, when the trial is
        over."""
        self._process: subprocess.Popen[bytes] | None = None
        self._started_s = 0.0
        """The time when the program was started, by `time.monotonic`."""
        self._output_end = bytearray()
        """The last part of the program's standard output and error."""
        self._listener: threading.Thread | None = None
        """The thread that reads the program's output."""

    def start(self, turns: ToolTurns, first_message: str) -> None:
        """Serve the trial's tools, and start the program.

        Raises `ModelError` if the program does not start.
        """
        self._turns = turns
        address = self._serve_tools(turns, first_message)
        folder = self._make_folder()
        config = folder / "mcp.json"
        write_whole(config, self._client_configuration(address), folder, mode=0o600)
        instruction = folder / "instruction"
        write_whole(
            instruction, first_message.encode("utf-8", "replace"), folder, mode=0o600
        )

        self._started_s = time.monotonic()
        process = self._start_process(instruction, self._variables(config, address))
        assert process.stdout is not None
        self._process = process
        self._listener = threading.Thread(
            target=self._keep_output_end, args=(process.stdout,), daemon=True
        )
        self._listener.start()

    def fault(self) -> Exception | None:
        """Return why no more calls will come; None while the program runs."""
        process = self._process
        if process is None or process.poll() is None:
            return None
        self._wait_for_output()
        code = process.returncode
        text = f"the program ended with exit code {code} and without an accepted answer"
        if code == 0:  # It has given up, like a model without an answer.
            return ModelError(text, retryable=False)
        # It has broken, and its trial counts as broken, too.
        lines = self._shown_output().strip().splitlines()
        if lines:
            text += f"; its last line: {lines[-1]}"
        return ChildProcessError(text)

    def stop(self) -> None:
        """End the program and all processes that it started, and record how it
        ended."""
        with self._resources:
            if self._process is None:
                return
            self._wait_for_exit(self._process)
            was_killed = self._process.poll() is None
            _kill_all(self._process)
            code = self._process.wait()
            self._wait_for_output()

        ending = "was killed" if was_killed else f"ended with exit code {code}"
        took_s = time.monotonic() - self._started_s
        output = self._shown_output().strip() or "(none)"
        self.session.notice(
            f"the program {ending} after {took_s:.1f} s; the end of its output: {output}"
        )

    # --- The program's files and variables ---

    def _serve_tools(self, turns: ToolTurns, first_message: str) -> str:
        """Serve the trial's tools, and return the address of the server."""
        tool_schema = self.session.tool_schema
        reading = set()
        for operation in tool_schema.operations:
            if operation.effect not in CHANGING:
                reading.add(operation.name)
        offer = ServerOffer(
            trial_tools(tool_schema), instructions=first_message, reading=reading
        )
        server = offered_server(offer, turns.result_of)
        return self._resources.enter_context(served_over_http(server, self.token))

    def _make_folder(self) -> Path:
        """Create a folder for the program's files. It is removed with the trial."""
        folder = tempfile.TemporaryDirectory(prefix="controlplane-")
        return Path(self._resources.enter_context(folder))

    def _client_configuration(self, address: str) -> bytes:
        """Return the configuration file by which MCP clients find the trial's
        server."""
        server = {
            "type": "http",
            "url": address,
            "headers": {"Authorization": f"Bearer {self.token}"},
        }
        return json.dumps({"mcpServers": {"trial": server}}).encode()

    def _variables(self, config: Path, address: str) -> dict[str, str]:
        """Return the program's environment variables."""
        session = self.session
        own_variables = {
            "CONTROLPLANE_MCP_CONFIG": str(config),
            "CONTROLPLANE_MCP_URL": address,
            "CONTROLPLANE_MCP_TOKEN": self.token,
            "CONTROLPLANE_INSTRUCTION": session.instruction,
            "CONTROLPLANE_TRIAL": session.trial.trial_id,
            "CONTROLPLANE_RESUMED": _flag_text(session.trial.is_resumed),
        }
        variables = environment_for_solvers()
        for name, text in own_variables.items():
            shortened = text[:MOST_VARIABLE_CHARS].replace("\0", "")
            variables[name] = shortened.encode("utf-8", "replace").decode()
        return variables

    # --- The process ---

    def _start_process(
        self, instruction: Path, variables: Mapping[str, str]
    ) -> subprocess.Popen[bytes]:
        """Start the program, with the instruction as its standard input. Raises
        `ModelError`."""
        try:
            with instruction.open("rb") as stdin:
                return subprocess.Popen(
                    self.words,
                    stdin=stdin,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT,
                    env=variables,
                    start_new_session=True,
                )
        except OSError as error:
            msg = f"the program {self.words[0]!r} cannot be started: {error.strerror}"
            raise ModelError(msg, retryable=False, affects_all=True) from error

    def _keep_output_end(self, output: IO[bytes]) -> None:
        """Read the program's output until it ends, and keep its last part. Runs in a
        thread."""
        with output:
            while True:
                part = os.read(output.fileno(), 1 << 16)
                if not part:
                    return
                self._output_end.extend(part)
                del self._output_end[:-KEPT_OUTPUT_BYTES]

    def _wait_for_output(self) -> None:
        """Wait a short time until all of the output is read."""
        if self._listener is not None:
            self._listener.join(LAST_OUTPUT_S)

    def _shown_output(self) -> str:
        """Return the last part of the output, without secrets."""
        text = bytes(self._output_end).decode("utf-8", "replace")
        return without_secrets(text, (self.token,))[-bounds.SHOWN_END_CHARS :]

    def _wait_for_exit(self, process: subprocess.Popen[bytes]) -> None:
        """Give the program time to exit by itself.

        If it was told that its trial is over, it may tidy up for `EXIT_S`, within the
        trial's own time. Otherwise, or if the run stops, it only has `KILL_S`.
        """
        was_told = self._turns is not None and self._turns.is_over
        wait_s = KILL_S
        if was_told and not self.session.stop.is_set():
            rest_of_trial_s = self.session.clock.deadline - time.monotonic()
            wait_s = max(KILL_S, min(EXIT_S, rest_of_trial_s))
        with suppress(subprocess.TimeoutExpired):
            process.wait(wait_s)


def _flag_text(flag: bool) -> str:
    """Return a flag as the text of an environment variable: `"1"`, or nothing."""
    return "1" if flag else ""


def _kill_all(process: subprocess.Popen[bytes]) -> None:
    """Kill a program and all its child processes, some of which may have a session of
    their own."""
    descendants = _processes_below(process.pid)
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    for descendant in descendants:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(descendant, signal.SIGKILL)


def _processes_below(process_id: int) -> list[int]:
    """Return the child processes of a process, and their child processes in turn.

    The list is empty on systems without /proc.
    """
    descendants: list[int] = []
    unread = [process_id]
    while unread:
        parent = unread.pop()
        for children_file in Path(f"/proc/{parent}/task").glob("*/children"):
            with suppress(OSError):
                children = [int(word) for word in children_file.read_text().split()]
                descendants += children
                unread += children
    return descendants
