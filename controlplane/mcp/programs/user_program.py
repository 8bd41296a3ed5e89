"""A program of the user's that works on one trial through the trial's own MCP server."""

from __future__ import annotations

import time
from contextlib import ExitStack
from typing import Final

from controlplane.agent.loop import TrialSession
from controlplane.agent.model import ModelError
from controlplane.mcp.program_secrets import without_secrets
from controlplane.mcp.programs.program_process import ProgramProcess
from controlplane.mcp.programs.program_variables import program_variables
from controlplane.mcp.programs.trial_access import served_trial
from controlplane.mcp.serving.trial_calls import TrialCalls
from controlplane.sandbox.interface import bounds

EXIT_S: Final = 10.0
"""The time that a program has to exit after its trial is over."""
KILL_S: Final = 0.1
"""The time that a program has to exit if its trial was stopped."""


class UserProgram:
    """A program that works on one trial. It is a `CallingProgram`.

    `start` starts it when the trial begins, and `stop` ends it with the trial.
    """

    def __init__(self, words: list[str], session: TrialSession) -> None:
        self.words = words
        """The command: the program and its arguments."""
        self.session = session
        self._calls: TrialCalls | None = None
        """The calls that the program makes in the trial; None before the start."""
        self._process: ProgramProcess | None = None
        self._token = ""
        """By it, the trial's server knows the program. It must not appear in any output."""
        self._resources = ExitStack()
        """Ends the trial's server when the trial is over."""

    def start(self, calls: TrialCalls, first_message: str) -> None:
        """Serve the trial's tools, and start the program.

        Raises `ModelError` if the program does not start.
        """
        self._calls = calls
        serving = served_trial(self.session.tool_schema, calls, first_message)
        access = self._resources.enter_context(serving)
        self._token = access.token
        variables = program_variables(self.session, access)
        self._process = ProgramProcess(self.words, access.instruction, variables)

    def fault(self) -> Exception | None:
        """Return the error that ends the trial if the program has ended; None while it runs.

        The trial's loop asks while it waits for the program's next call.
        """
        process = self._process
        if process is None or process.is_running:
            return None
        return _fault_of(process.exit_code, self._shown_output(process))

    def stop(self) -> None:
        """End the program and all processes that it started, and record how it ended."""
        process = self._process
        with self._resources:
            if process is None:
                return
            was_killed = process.end(_exit_time_s(self.session, self._calls))
            output = self._shown_output(process).strip() or "(none)"
        ending = f"ended with exit code {process.exit_code}"
        if was_killed:
            ending = "was killed"
        self.session.notice(
            f"the program {ending} after {process.elapsed_s:.1f} s; the end of its output: {output}"
        )

    def _shown_output(self, process: ProgramProcess) -> str:
        """Return the last part of the output. The trial's token and other secrets are removed."""
        text = without_secrets(process.output(), (self._token,))
        return text[-bounds.SHOWN_END_CHARS :]


def _fault_of(exit_code: int | None, output: str) -> Exception:
    """Return the error of a trial whose program has ended without an accepted answer.

    `output` is the end of what the program printed.
    """
    text = (
        f"the program ended with exit code {exit_code} and without an accepted answer"
    )
    if exit_code == 0:
        # The program has given up, like a model without an answer.
        return ModelError(text, retryable=False)
    # The program has crashed, so the trial counts as broken, not as unanswered.
    lines = output.strip().splitlines()
    if lines:
        text += f"; its last line: {lines[-1]}"
    return ChildProcessError(text)


def _exit_time_s(session: TrialSession, calls: TrialCalls | None) -> float:
    """Return how long a program may take to exit.

    A program that was told that its trial is over may tidy up in the rest of the
    trial's time. A program that was not told is killed, since it would go on.
    """
    was_told = calls is not None and calls.are_over
    if not was_told or session.stop.is_set():
        return KILL_S
    rest_of_trial_s = session.clock.deadline - time.monotonic()
    return max(KILL_S, min(EXIT_S, rest_of_trial_s))
