"""Shows the output of a running command in a container from time to time.

A command such as `make test` may run for minutes, and the user wants to see its last lines
meanwhile. Each look runs a program in the container, so there are not too many of them.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

from controlplane.benchmarks.containers.command_programs import SHOW_OUTPUT
from controlplane.benchmarks.containers.container import Container

SHOWN_OUTPUT_BYTES: Final = 600
"""The most bytes of stdout, and of stderr, that the user sees of a running command: a few lines."""
FIRST_LOOK_S: Final = 2.0
"""Seconds until the output of a running command is first shown. Most commands end sooner."""
LOOK_SHARE: Final = 0.1
"""The largest share of a command's time for looks at its output while it runs.

If a look takes 1 second, the next one follows after 10.
"""
LOOK_TIMEOUT_S: Final = 10.0


class OutputWatch:
    """Shows the output of one running command from time to time.

    Each look runs a program in the container. If a look takes long, the next one is later,
    so that looks take at most a tenth of the time.
    """

    def __init__(
        self,
        container: Container,
        command_folder: str,
        show_output: Callable[[str], None],
    ) -> None:
        self.container = container
        self.command_folder = command_folder
        """The folder in the container that has the command's files `stdout` and `stderr`."""
        self.show_output = show_output
        self.shown_text = ""
        """The output that was shown last."""
        self.next_look_at = time.monotonic() + FIRST_LOOK_S

    def look_if_due(self) -> None:
        """Show the output if it has changed since the last look.

        Raises `CommandInterrupted` if the run is being stopped.
        """
        self.container.program.raise_if_stopped()
        looked_at = time.monotonic()
        if looked_at < self.next_look_at:
            return
        result = self.container.script(
            SHOW_OUTPUT,
            self.command_folder,
            str(SHOWN_OUTPUT_BYTES),
            timeout_s=LOOK_TIMEOUT_S,
            output_bytes=2 * SHOWN_OUTPUT_BYTES,
        )
        look_s = time.monotonic() - looked_at
        pause_s = max(FIRST_LOOK_S, look_s / LOOK_SHARE)
        self.next_look_at = time.monotonic() + pause_s
        text = result.stdout.decode("utf-8", "replace")
        if result.exit_code == 0 and text != self.shown_text:
            self.shown_text = text
            self.show_output(text)

    def end(self) -> None:
        """Stop showing output: an empty text removes what is shown."""
        if self.shown_text:
            self.show_output("")


def show_nothing(text: str) -> None:
    """Do nothing: takes the place of a function that shows output, if nobody is to see it."""
