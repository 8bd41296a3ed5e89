"""Runs one command of podman or docker: of the one that `find_runtime` chose (`container_runtime`).

`ContainerError` is raised if the program itself fails; it has the last lines of the output.
"""

from __future__ import annotations

import math
import os
import subprocess
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Final

from controlplane.mcp.programs import end_children, kill_all

# Runs a program on this machine, such as podman, with limits of its time and its output.
#
# The output is taken while the program runs, and only its start and its end are kept, so a program
# that prints without end fills no memory. While it runs, a function of the caller is called
# again and again, which may stop it.

_WAIT_CHECK_S: Final = 0.2
"""Seconds between calls of `while_waiting` while a program runs."""
_LEFTOVER_S: Final = 1.0
"""Seconds without output after a program's end, until its output counts as ended, too.

A process that it has started may go on and keep the output open."""
_MOST_TRIES: Final = 5
_TRY_PAUSE_S: Final = 0.2
_ABSENT: Final = (b"no such", b"not found", b"not be found", b"not find", b"not exist")
"""What podman and docker say of a container, a path or a network that is not there."""
_OF_PROCESS: Final = b"/proc/"
"""What podman also says, with one of these texts, of a container that ends at this moment."""
_BUILD_END_S: Final = 5.0
"""Seconds that a build which is ended gets to remove its container and its processes."""
_PART_BYTES: Final = 1 << 16
KEPT_OUTPUT_BYTES: Final = 1_000_000
"""The most bytes of stdout, and of stderr, that are kept unless a caller needs more."""
MOST_PRINTED_BYTES: Final = 200_000_000
"""A program that prints more in all is ended. The log of a long build has some megabytes."""


@dataclass(frozen=True, slots=True)
class CommandResult:
    """The output of a command, and how it ended."""

    stdout: bytes
    stderr: bytes
    exit_code: int
    timed_out: bool = False
    left_out_bytes: int = 0
    """The bytes of both outputs that were not kept, from their middle."""
    was_endless: bool = False
    """True if the program was ended because it printed more than `MOST_PRINTED_BYTES`."""

    @property
    def says_absent(self) -> bool:
        """True if podman or docker failed because what it was asked for is not there."""
        said = self.stderr.lower()
        is_absent = any(text in said for text in _ABSENT) and _OF_PROCESS not in said
        return self.exit_code != 0 and is_absent


class _KeptOutput:
    """The start and the end of an output, within a number of bytes."""

    def __init__(self, most_bytes: int) -> None:
        self._end_bytes = most_bytes // 2
        self._start_bytes = most_bytes - self._end_bytes
        self._start = bytearray()
        self._end = bytearray()
        self.printed_bytes = 0

    def take(self, pipe: IO[bytes]) -> None:
        """Take all that comes out of a pipe, and drop what is then in the middle."""
        while part := os.read(pipe.fileno(), _PART_BYTES):
            self.printed_bytes += len(part)
            room = self._start_bytes - len(self._start)
            self._start += part[:room]
            self._end += part[room:]
            del self._end[: max(0, len(self._end) - self._end_bytes)]
        pipe.close()

    @property
    def content(self) -> bytes:
        """What was kept."""
        return b"".join((self._start, self._end))

    @property
    def left_out_bytes(self) -> int:
        """The bytes that were not kept."""
        return self.printed_bytes - len(self._start) - len(self._end)


def _send(pipe: IO[bytes], content: bytes) -> None:
    """Write the input of a program, which may end before it has read all of it."""
    with suppress(BrokenPipeError), pipe:
        pipe.write(content)


def _result_of(
    process: subprocess.Popen[bytes],
    stdin: bytes,
    output_bytes: int,
    ends_at: float,
    while_waiting: Callable[[], None],
) -> CommandResult:
    """Take the output of a program until it ends, or exceeds a limit. Raises what `while_waiting` does."""
    stdout, stderr = _KeptOutput(output_bytes), _KeptOutput(output_bytes)
    readers = [
        threading.Thread(target=stdout.take, args=[process.stdout], daemon=True),
        threading.Thread(target=stderr.take, args=[process.stderr], daemon=True),
    ]
    writer = threading.Thread(target=_send, args=[process.stdin, stdin], daemon=True)
    for thread in (*readers, writer):
        thread.start()
    silent_since = math.inf
    printed_bytes = 0
    exit_code = -1
    is_late = is_endless = False
    while not (is_late or is_endless):
        wait_s = min(_WAIT_CHECK_S, max(ends_at - time.monotonic(), 0.0))
        reading = [reader for reader in readers if reader.is_alive()]
        if reading:
            reading[0].join(wait_s)
        else:  # The program has closed its outputs, and may go on.
            with suppress(subprocess.TimeoutExpired):
                process.wait(wait_s)
        now = time.monotonic()
        if stdout.printed_bytes + stderr.printed_bytes > printed_bytes:
            printed_bytes = stdout.printed_bytes + stderr.printed_bytes
            silent_since = math.inf
        if process.poll() is not None:
            silent_since = min(silent_since, now)
            is_read = not any(reader.is_alive() for reader in readers)
            if is_read or now - silent_since > _LEFTOVER_S:
                exit_code = process.returncode
                break
        is_late = now >= ends_at
        is_endless = printed_bytes > MOST_PRINTED_BYTES
        while_waiting()
    notice = ""
    if is_endless:
        notice = f"\n[ended: it printed more than {MOST_PRINTED_BYTES:,} bytes]\n"
    return CommandResult(
        stdout.content,
        stderr.content + notice.encode(),
        exit_code,
        timed_out=is_late,
        left_out_bytes=stdout.left_out_bytes + stderr.left_out_bytes,
        was_endless=is_endless,
    )


COMMAND_TIMEOUT_S: Final = 120.0
"""Seconds for a short command, such as `podman rm`. Builds and pulls get more, and so does
a command of a task."""
_LAST_LINES: Final = 12
"""The number of output lines of a failed command in an error message."""
_LAST_LINE_CHARS: Final = 300


class CommandInterrupted(Exception):
    """The run is being stopped, so a task's command was interrupted."""


class ContainerError(Exception):
    """The container runtime failed. The message has the last lines of its output."""


@dataclass(frozen=True, slots=True)
class RuntimeProgram:
    """The program `podman` or `docker`. It may be used from many threads at once."""

    path: str
    stop_signal: threading.Event = field(default_factory=threading.Event)
    """Is set when the run is being stopped."""

    @property
    def name(self) -> str:
        """`podman` or `docker`."""
        return Path(self.path).name

    def raise_if_stopped(self) -> None:
        """Raise `CommandInterrupted` if the run is being stopped."""
        if self.stop_signal.is_set():
            raise CommandInterrupted

    def pause(self, seconds: float) -> None:
        """Wait. Raises `CommandInterrupted` as soon as the run is being stopped."""
        self.stop_signal.wait(seconds)
        self.raise_if_stopped()

    def run(
        self,
        *arguments: str,
        stdin: bytes = b"",
        timeout_s: float = COMMAND_TIMEOUT_S,
        while_waiting: Callable[[], None] | None = None,
        output_bytes: int = KEPT_OUTPUT_BYTES,
    ) -> CommandResult:
        """Run the program and return its result, even if it fails. Kill it after `timeout_s`.

        Its environment is that of the user: no task adds to it. Of each output, at most
        `output_bytes` are kept: its start and its end. `while_waiting` is called repeatedly
        while the program runs. If it raises an exception, the program is killed and the
        exception is raised again. Unless it is given, `CommandInterrupted` is raised as soon
        as the run is being stopped; what has to be done all the same passes `go_on`. Raises
        `ContainerError` if the program cannot be started.
        """
        if while_waiting is None:
            while_waiting = self.raise_if_stopped
            self.raise_if_stopped()
        for word in arguments:
            _check_word(word)
        try:
            process = subprocess.Popen(
                [self.path, *arguments],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                # The program leads a process group of its own. So Ctrl-C in the terminal does
                # not reach it, and it can be killed with the processes that it started.
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            msg = f"{self.path} cannot be run: {error}"
            raise ContainerError(msg) from error

        ends_at = time.monotonic() + timeout_s
        try:
            return _result_of(process, stdin, output_bytes, ends_at, while_waiting)
        finally:
            # A build that is killed would leave its container, and the command that it runs.
            if process.poll() is None and "build" in arguments[:1]:
                end_children(process, _BUILD_END_S)
            if process.poll() is None:
                kill_all(process)
                process.wait()

    def run_or_raise(
        self,
        purpose: str,
        *arguments: str,
        timeout_s: float = COMMAND_TIMEOUT_S,
        while_waiting: Callable[[], None] | None = None,
    ) -> CommandResult:
        """Run the program and return its result. Raises `ContainerError` if it fails.

        `purpose` completes the message of this error: `pull the image x` -> `podman
        could not pull the image x`.
        """
        result = self.run(
            *arguments,
            timeout_s=timeout_s,
            while_waiting=while_waiting,
        )
        return self._good(purpose, result, timeout_s)

    def _good(
        self, purpose: str, result: CommandResult, timeout_s: float = COMMAND_TIMEOUT_S
    ) -> CommandResult:
        """Return a result. Raises `ContainerError` if the command has failed."""
        if result.exit_code == 0 and not result.timed_out:
            return result
        msg = f"{self.name} could not {purpose}"
        if result.timed_out:
            msg += f" within {timeout_s:g} s"
        output = last_lines(result.stdout + result.stderr)
        raise ContainerError("\n".join([msg, *output]))

    def ask(
        self,
        *arguments: str,
        while_waiting: Callable[[], None] | None = None,
        output_bytes: int = KEPT_OUTPUT_BYTES,
        is_listing: bool = False,
    ) -> CommandResult:
        """Run a command that may fail for a moment only, and return its last result.

        Podman cannot copy from a container at the moment at which it ends, nor list containers
        while another process removes one. So a command is run again, up to `_MOST_TRIES` times,
        unless it succeeds, or says that what it is about is not there. A listing is not about
        one thing.
        """
        for _ in range(_MOST_TRIES):
            result = self.run(
                *arguments, while_waiting=while_waiting, output_bytes=output_bytes
            )
            has_ended = result.timed_out or result.was_endless
            is_absent = result.says_absent and not is_listing
            if result.exit_code == 0 or has_ended or is_absent:
                break
            time.sleep(_TRY_PAUSE_S)
        return result

    def listed(self, purpose: str, *arguments: str) -> list[str]:
        """Return the words that a listing prints. Raises `ContainerError` if it fails."""
        result = self._good(purpose, self.ask(*arguments, is_listing=True))
        return result.stdout.decode("utf-8", "replace").split()


def go_on() -> None:
    """Do nothing: as `while_waiting` of what cleans up while the run is being stopped."""


def is_gone(process_id: str) -> bool:
    """Return True if a process has ended. A text that is no number names none, and is not gone."""
    if not (process_id.isascii() and process_id.isdigit()):
        return False
    try:
        os.kill(int(process_id), 0)  # The signal 0 only checks if the process exists.
    except (ProcessLookupError, OverflowError):
        return True
    except PermissionError:
        return False
    return False


def _check_word(word: str) -> None:
    """Raise `ContainerError` for an argument that no program can be given."""
    try:
        has_nul = b"\0" in os.fsencode(word)
    except UnicodeEncodeError:
        has_nul = True
    if has_nul:
        msg = f"an argument has a NUL character or half of a surrogate pair: {word[:80]!a}"
        raise ContainerError(msg)


def last_lines(output: bytes) -> list[str]:
    """Return the last lines of a command's output, each shortened to a fixed length.

    The very last line goes first: programs say there why they have failed, and a table has room
    for the first words alone.
    """
    lines = output.decode("utf-8", "replace").rstrip().splitlines()[-_LAST_LINES:]
    return [line[:_LAST_LINE_CHARS] for line in (*lines[-1:], *lines[:-1])]
