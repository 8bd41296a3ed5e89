"""A program of the user's as a process: its output, and its end."""

from __future__ import annotations

import os
import subprocess
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import IO, Final

from controlplane.agent.model import ModelError
from controlplane.mcp.programs.process_tree import kill_all
from controlplane.sandbox.interface import bounds

LAST_OUTPUT_S: Final = 1.0
"""The time for reading the rest of the output. A child process may keep it open for longer."""
KEPT_OUTPUT_BYTES: Final = 4 * bounds.SHOWN_END_CHARS
"""The number of bytes kept of the end of the output. A character has at most four bytes."""


class ProgramProcess:
    """A running program, and the last part of what it printed."""

    def __init__(
        self, words: list[str], stdin: Path, variables: Mapping[str, str]
    ) -> None:
        """Start a program, with a file as its standard input. Raises `ModelError`."""
        self._started_s = time.monotonic()
        try:
            with stdin.open("rb") as file:
                self._process = subprocess.Popen(
                    words,
                    stdin=file,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT,
                    env=variables,
                    start_new_session=True,
                )
        except OSError as error:
            msg = f"the program {words[0]!r} cannot be started: {error.strerror}"
            raise ModelError(msg, retryable=False, affects_all=True) from error
        assert self._process.stdout is not None
        self._output = bytearray()
        self._reader = threading.Thread(
            target=self._read, args=(self._process.stdout,), daemon=True
        )
        self._reader.start()

    @property
    def exit_code(self) -> int | None:
        """The exit code; None while the program runs."""
        return self._process.poll()

    @property
    def is_running(self) -> bool:
        return self.exit_code is None

    @property
    def elapsed_s(self) -> float:
        return time.monotonic() - self._started_s

    def output(self) -> str:
        """Return the last part of the output of a program that has ended."""
        self._reader.join(LAST_OUTPUT_S)
        return bytes(self._output).decode("utf-8", "replace")

    def end(self, wait_s: float) -> bool:
        """Give the program time to exit, and then kill what still runs of it.

        It may have started further processes, which are killed even if it has exited itself.
        Return True if the program itself had to be killed.
        """
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(wait_s)
        is_killed = self.is_running
        kill_all(self._process)
        self._process.wait()
        return is_killed

    def _read(self, output: IO[bytes]) -> None:
        """Read the output until it ends, and keep its last part. Runs in a thread."""
        with output:
            while True:
                part = os.read(output.fileno(), 1 << 16)
                if not part:
                    return
                self._output.extend(part)
                del self._output[:-KEPT_OUTPUT_BYTES]
