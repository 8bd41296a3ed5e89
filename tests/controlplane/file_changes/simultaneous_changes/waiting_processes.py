"""Processes that each make a change as soon as all of them are told to start.

For example:

    processes = WaitingProcesses()
    processes.add(change, old_versions=folder / "kept")
    processes.run()    ->    [MADE]
"""

import os
from pathlib import Path

from controlplane.file_changes import ChangeRefused, FileChange, make_changes

MADE = 0
REFUSED = 1
FAILED = 2
"""The exit codes of the processes that make changes."""


class WaitingProcesses:
    """Processes that each make a change as soon as all of them are told to start."""

    def __init__(self) -> None:
        self.ids: list[int] = []
        # The processes wait to read from a pipe. It ends when this process closes the other end.
        self.start_reader, self.start_writer = os.pipe()

    def add(self, change: FileChange, old_versions: Path) -> None:
        """Start a process that waits, makes the change, and ends with one of the exit codes."""
        process_id = os.fork()
        if process_id:
            self.ids.append(process_id)
            return
        os.close(self.start_writer)
        os.read(self.start_reader, 1)
        try:
            make_changes({f"/{change.place.name}": change}, old_versions)
        except ChangeRefused:
            os._exit(REFUSED)
        except BaseException:  # noqa: BLE001 - the border of a process
            os._exit(FAILED)
        os._exit(MADE)

    def run(self) -> list[int]:
        """Let all make their changes, and return their exit codes."""
        os.close(self.start_reader)
        os.close(self.start_writer)
        exit_codes: list[int] = []
        for process_id in self.ids:
            _, status = os.waitpid(process_id, 0)
            exit_codes.append(os.waitstatus_to_exitcode(status))
        return exit_codes
