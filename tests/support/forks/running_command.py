"""A command that was forked for a test, and has not ended yet, as the forking process knows it.

    select.select([command], [], [])     # waits for its end
    command.report_end()                 # sends the test its exit code

The connection to the test is the command's line, a socket.
"""

import contextlib
import os
import socket
from dataclasses import dataclass

from tests.support.forks.server_lines import NUMBER


@dataclass(frozen=True, eq=False)
class RunningCommand:
    """A forked command that has not ended yet.

    `select` can wait for its end, because `fileno` returns a descriptor that becomes readable.
    """

    pid: int
    pidfd: int
    """A descriptor of the process, which becomes readable when the process has ended."""
    line: socket.socket
    """The connection to the test that started the command."""

    def fileno(self) -> int:
        return self.pidfd

    def report_end(self) -> None:
        """Send the test the exit code of the process, which has ended, and close the line."""
        _, status = os.waitpid(self.pid, 0)
        exit_code = os.waitstatus_to_exitcode(status)
        with contextlib.suppress(OSError):  # The test may not wait for it any more.
            self.line.sendall(NUMBER.pack(exit_code))
        self.close()

    def close(self) -> None:
        """Close what this process has of the command; the command itself goes on."""
        os.close(self.pidfd)
        self.line.close()
