"""Starts `controlplane` commands as forks of a process that has imported the product already.

    command = ForkedCommand(["runs"], cwd=folder, env=environment, stdout=subprocess.PIPE)
    out, _ = command.communicate()

The *server* is the process that forks. Each command has a socket to it, its *line*, over which the
server sends the exit code when the command has ended.
"""

import select
import subprocess
from typing import Any

from tests.support.forks.fork_requests import request_fork
from tests.support.forks.popen_arguments import PIPE_ENDS, named_arguments
from tests.support.forks.server_lines import NUMBER

CODE_OF_LOST_COMMAND = -9
"""The exit code of a command whose server was killed before it could tell one."""


class ForkedCommand(subprocess.Popen[Any]):
    """A `Popen` of `controlplane`, whose `args` are the words behind `controlplane`.

    Three inner methods of `Popen` are overridden: the one that starts a process, and the two that
    learn of its end.
    """

    is_program = False
    """True if `args` are the path of a Python program and its words, in place of a command's."""

    def _execute_child(self, args: Any, *popen_arguments: Any) -> None:
        """Ask the server for a fork, where `Popen` would start a program."""
        passed = named_arguments(popen_arguments)
        self._line, self.pid = request_fork(args, passed, is_program=self.is_program)
        # What `Popen` itself does after the start of a process:
        self._child_created = True
        self._close_pipe_fds(*(passed[name] for name in PIPE_ENDS))

    def _internal_poll(self, *_: Any, **__: Any) -> int | None:
        """Return the exit code if the command has ended, as `Popen.poll` wants it."""
        if self.returncode is None and self._line_is_readable(timeout_s=0):
            exit_code = self._line.recv(NUMBER.size)
            if exit_code:
                (self.returncode,) = NUMBER.unpack(exit_code)
            else:
                self.returncode = CODE_OF_LOST_COMMAND
            self._line.close()
        return self.returncode

    def _wait(self, timeout: float | None) -> int:
        """Wait for the end of the command, as `Popen.wait` wants it."""
        if self.returncode is None and not self._line_is_readable(timeout_s=timeout):
            assert timeout is not None
            raise subprocess.TimeoutExpired(self.args, timeout)
        exit_code = self._internal_poll()
        assert exit_code is not None
        return exit_code

    def _line_is_readable(self, timeout_s: float | None) -> bool:
        """Wait until the server has sent something or is gone; return False if it takes longer."""
        readable, _, _ = select.select([self._line], [], [], timeout_s)
        return bool(readable)


class ForkedProgram(ForkedCommand):
    """A `Popen` of a Python program, whose `args` are its path and the words behind it."""

    is_program = True
