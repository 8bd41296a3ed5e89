"""The user's own program as the solver of each trial."""

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
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Final

from controlplane.agent.loop import TrialSession
from controlplane.agent.model import ModelError
from controlplane.errors import UsageError, as_usage_error, extra_module
from controlplane.mcp.server_specs import environment_for_solvers, without_secrets
from controlplane.mcp.serving.calls import ProgramCalls, changes_something, trial_tools
from controlplane.mcp.serving.http_serving import served_over_http
from controlplane.mcp.serving.offered_server import offered_server
from controlplane.mcp.serving.served_solver import solver_by_calls
from controlplane.sandbox.files import write_whole
from controlplane.sandbox.interface import bounds
from controlplane.solver import SolverSpec

# Kills a program with all the processes that it has started, directly or by others.
#
# A program in a session of its own is killed with its process group. A child process that has left
# that group, such as a daemon, is found by /proc.


def kill_all(process: subprocess.Popen[bytes]) -> None:
    """Kill a program and all its child processes, some of which may have a session of their own.

    Does nothing for processes that have ended.
    """
    # A child process of a dead parent can no longer be found, so all are listed first. A
    # negative id means the whole process group.
    _send_signal(signal.SIGKILL, [-process.pid, *_processes_below(process.pid)])


def end_children(process: subprocess.Popen[bytes], within_s: float) -> None:
    """Ask the child processes of a program to end, and wait until the program ends for that reason.

    Such a program cleans up after its child processes, as it could not if it was killed itself.
    """
    _send_signal(signal.SIGTERM, _processes_below(process.pid))
    with suppress(subprocess.TimeoutExpired):
        process.wait(within_s)


def _send_signal(number: int, process_ids: list[int]) -> None:
    """Send a signal to processes, of which some may have ended."""
    for process_id in process_ids:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(process_id, number)


def _processes_below(process_id: int) -> list[int]:
    """Return the child processes of a process, their child processes, and so on.

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


# A program of the user's that works on one trial through the trial's own MCP server.

_LAST_OUTPUT_S: Final = 1.0
"""The time for reading the rest of the output. A child process may keep it open for longer."""
_KEPT_OUTPUT_BYTES: Final = 4 * bounds.SHOWN_END_CHARS
"""The number of bytes kept of the end of the output. A character has at most four bytes."""
_EXIT_S: Final = 10.0
"""The time that a program has to exit after its trial is over."""
_KILL_S: Final = 0.1
"""The time that a program has to exit if its trial was stopped."""
_MOST_VARIABLE_CHARS: Final = 20_000
"""The largest number of characters in an environment variable. Longer instructions are cut
there, but standard input always has the whole instruction."""


class _UserProgram:
    """A program that works on one trial.

    `start` starts it when the trial begins, and `stop` ends it with the trial.
    """

    def __init__(self, words: list[str], session: TrialSession) -> None:
        self.words = words
        """The command: the program and its arguments."""
        self.session = session
        self._calls: ProgramCalls
        """The calls that the program makes in the trial; set by `start`."""
        self._process: subprocess.Popen[bytes] | None = None
        self._started_s = 0.0
        self._output = bytearray()
        """The last part of what the program has printed."""
        self._reader = threading.Thread(target=self._read_output, daemon=True)
        self._token = secrets.token_urlsafe(24)
        """By it, the trial's server knows the program. It must not appear in any output."""
        self._resources = ExitStack()
        """Ends the trial's server when the trial is over."""

    def start(self, calls: ProgramCalls, first_message: str) -> None:
        """Serve the trial's tools, and start the program.

        Raises `ModelError` if the program does not start.
        """
        self._calls = calls
        tool_schema = self.session.tool_schema
        # A client may call a tool that changes nothing without asking its user.
        reading_tools = {
            operation.name
            for operation in tool_schema.operations
            if not changes_something(operation)
        }
        offered = offered_server(
            trial_tools(tool_schema),
            calls.result_of,
            instructions=first_message,
            reading=reading_tools,
        )
        serving = served_over_http(offered, self._token)
        address = self._resources.enter_context(serving)

        # The files by which MCP clients find the server, and with the message that a model would get.
        temporary = tempfile.TemporaryDirectory(prefix="controlplane-")
        folder = Path(self._resources.enter_context(temporary))
        config = folder / "mcp.json"
        server = {
            "type": "http",
            "url": address,
            "headers": {"Authorization": f"Bearer {self._token}"},
        }
        content = json.dumps({"mcpServers": {"trial": server}}).encode()
        write_whole(config, content, folder, mode=0o600)
        instruction = folder / "instruction"
        text = first_message.encode("utf-8", "replace")
        write_whole(instruction, text, folder, mode=0o600)

        variables = environment_for_solvers()
        trial_variables = {
            "CONTROLPLANE_MCP_CONFIG": str(config),
            "CONTROLPLANE_MCP_URL": address,
            "CONTROLPLANE_MCP_TOKEN": self._token,
            "CONTROLPLANE_INSTRUCTION": self.session.instruction,
            "CONTROLPLANE_TRIAL": self.session.trial_id,
            "CONTROLPLANE_RESUMED": _flag_text(self.session.trial.is_resumed),
        }
        for name, value in trial_variables.items():
            shortened = value[:_MOST_VARIABLE_CHARS].replace("\0", "")
            variables[name] = shortened.encode("utf-8", "replace").decode()

        self._started_s = time.monotonic()
        try:
            with instruction.open("rb") as stdin:
                self._process = subprocess.Popen(
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
        self._reader.start()

    def fault(self) -> Exception | None:
        """Return the error that ends the trial if the program has ended; None while it runs.

        The trial's loop asks while it waits for the program's next call.
        """
        if self._process is None or self._process.poll() is None:
            return None
        exit_code = self._process.returncode
        text = f"the program ended with exit code {exit_code} and without an accepted answer"
        if exit_code == 0:
            # The program has given up, like a model without an answer.
            return ModelError(text, retryable=False)
        # The program has crashed, so the trial counts as broken, not as unanswered.
        lines = self._last_output().splitlines()
        if lines:
            text += f"; its last line: {lines[-1]}"
        return ChildProcessError(text)

    def stop(self) -> None:
        """End the program and all processes that it started, and record how it ended."""
        process = self._process
        with self._resources:
            if process is None:
                return
            # A program that was told that its trial is over may tidy up in the rest of the trial's
            # time. A program that was not told is killed, since it would go on.
            exit_s = _KILL_S
            if self._calls.are_over and not self.session.stop.is_set():
                rest_of_trial_s = self.session.clock.deadline - time.monotonic()
                exit_s = max(_KILL_S, min(_EXIT_S, rest_of_trial_s))
            with suppress(subprocess.TimeoutExpired):
                process.wait(exit_s)

            # The processes that it has started are killed even if it has exited itself.
            was_killed = process.poll() is None
            kill_all(process)
            process.wait()
            output = self._last_output() or "(none)"
        ending = f"ended with exit code {process.returncode}"
        if was_killed:
            ending = "was killed"
        elapsed_s = time.monotonic() - self._started_s
        self.session.notice(
            f"the program {ending} after {elapsed_s:.1f} s; the end of its output: {output}"
        )

    def _last_output(self) -> str:
        """Return the last part of the output of a program that has ended, without secrets."""
        self._reader.join(_LAST_OUTPUT_S)
        text = without_secrets(self._output.decode("utf-8", "replace"), [self._token])
        return text[-bounds.SHOWN_END_CHARS :].strip()

    def _read_output(self) -> None:
        """Read the output until it ends, and keep its last part. Runs in a thread."""
        assert self._process is not None
        assert self._process.stdout is not None
        with self._process.stdout as output:
            while True:
                part = os.read(output.fileno(), 1 << 16)
                if not part:
                    return
                self._output.extend(part)
                del self._output[:-_KEPT_OUTPUT_BYTES]


def _flag_text(flag: bool) -> str:
    return "1" if flag else ""


# `--agent command:PROGRAM`: the user's own program works on each trial.


def command_solver(command: str) -> SolverSpec:
    """Return the solver that starts the user's command for each trial. Raises `UsageError`."""
    with as_usage_error("--agent command: the command cannot be read", ValueError):
        words = shlex.split(command)
    if not words:
        msg = '--agent command: names no program; write --agent "command:PROGRAM ARGUMENT ..."'
        raise UsageError(msg)
    extra_module("mcp", "serving tools", "mcp")

    def program_for(session: TrialSession) -> _UserProgram:
        return _UserProgram(words, session)

    return solver_by_calls(program_for)
