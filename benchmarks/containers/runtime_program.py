"""Runs the program podman or docker, which manages the containers of this machine.

`ContainerError` is raised if the program itself fails; it has the last lines of the output.
"""

from __future__ import annotations

import os
import selectors
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
_MOST_LISTINGS: Final = 5
_LISTING_PAUSE_S: Final = 0.2
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


class _KeptOutput:
    """The start and the end of an output, within a number of bytes."""

    def __init__(self, most_bytes: int) -> None:
        self._end_bytes = most_bytes // 2
        self._start_bytes = most_bytes - self._end_bytes
        self._start = bytearray()
        self._end = bytearray()
        self.left_out_bytes = 0

    def add(self, part: bytes) -> None:
        """Add the next part of the output, and drop what is then in the middle."""
        room = self._start_bytes - len(self._start)
        self._start += part[:room]
        self._end += part[room:]
        excess = len(self._end) - self._end_bytes
        if excess > 0:
            del self._end[:excess]
            self.left_out_bytes += excess

    @property
    def content(self) -> bytes:
        return b"".join((self._start, self._end))


class _RunningProgram:
    """A running program, whose pipes are read and written as they become ready.

    A program that still runs when the block ends is killed, with all that it has started.
    """

    def __init__(
        self,
        process: subprocess.Popen[bytes],
        stdin: bytes,
        output_bytes: int,
        end_s: float,
    ) -> None:
        self._process = process
        self._end_s = end_s
        self._unsent = memoryview(stdin)
        self._stdout = _KeptOutput(output_bytes)
        self._stderr = _KeptOutput(output_bytes)
        self._printed_bytes = 0
        self._pipes = selectors.DefaultSelector()
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        self._add_pipe(process.stdin, selectors.EVENT_WRITE, None)
        self._add_pipe(process.stdout, selectors.EVENT_READ, self._stdout)
        self._add_pipe(process.stderr, selectors.EVENT_READ, self._stderr)

    def _add_pipe(self, pipe: IO[bytes], event: int, kept: _KeptOutput | None) -> None:
        os.set_blocking(pipe.fileno(), False)
        self._pipes.register(pipe, event, kept)

    def __enter__(self) -> _RunningProgram:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process.poll() is None and self._end_s:
            end_children(self._process, self._end_s)
        if self._process.poll() is None:
            kill_all(self._process)
            self._process.wait()
        for key in list(self._pipes.get_map().values()):
            self._close(key)
        self._pipes.close()

    def result(
        self, timeout_s: float, while_waiting: Callable[[], None] | None
    ) -> CommandResult:
        """Take the output until the program ends, or exceeds a limit."""
        ends_at = time.monotonic() + timeout_s
        next_check_at = time.monotonic() + _WAIT_CHECK_S
        silent_since: float | None = None
        while True:
            now = time.monotonic()
            if self._process.poll() is not None:
                if silent_since is None:
                    silent_since = now
                if self._is_over(now - silent_since):
                    return self._result(self._process.returncode)
            if now >= ends_at:
                return self._result(-1, timed_out=True)
            if self._printed_bytes > MOST_PRINTED_BYTES:
                notice = (
                    f"\n[ended: it printed more than {MOST_PRINTED_BYTES:,} bytes]\n"
                )
                self._stderr.add(notice.encode())
                return self._result(-1, was_endless=True)
            if now >= next_check_at:
                next_check_at = now + _WAIT_CHECK_S
                if while_waiting is not None:
                    while_waiting()
            if self._exchange(min(_WAIT_CHECK_S, ends_at - now)):
                silent_since = None

    def _is_over(self, silent_s: float) -> bool:
        """Return True if a program that has ended has no more output."""
        for key in self._pipes.get_map().values():
            if key.data is not None:
                return silent_s > _LEFTOVER_S
        return True

    def _exchange(self, wait_s: float) -> bool:
        """Wait until a pipe is ready, and read or write there. Return False if none was."""
        if not self._pipes.get_map():  # The program has closed them, and goes on.
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(wait_s)
            return False
        ready = self._pipes.select(wait_s)
        for key, _ in ready:
            try:
                if key.data is None:
                    is_open = self._write(key.fd)
                else:
                    is_open = self._read(key.fd, key.data)
            except BlockingIOError:
                continue
            if not is_open:
                self._close(key)
        return bool(ready)

    def _write(self, descriptor: int) -> bool:
        """Send a part of the input. Return False if there is no more, or nobody reads it."""
        if self._unsent:
            try:
                sent_bytes = os.write(descriptor, self._unsent[:_PART_BYTES])
            except BrokenPipeError:
                return False
            self._unsent = self._unsent[sent_bytes:]
        return bool(self._unsent)

    def _read(self, descriptor: int, kept: _KeptOutput) -> bool:
        """Take a part of an output. Return False at its end."""
        part = os.read(descriptor, _PART_BYTES)
        self._printed_bytes += len(part)
        kept.add(part)
        return bool(part)

    def _close(self, key: selectors.SelectorKey) -> None:
        self._pipes.unregister(key.fileobj)
        pipe: IO[bytes] = key.fileobj  # type: ignore[assignment] # As `_add_pipe` has it.
        pipe.close()

    def _result(
        self, exit_code: int, *, timed_out: bool = False, was_endless: bool = False
    ) -> CommandResult:
        return CommandResult(
            self._stdout.content,
            self._stderr.content,
            exit_code,
            timed_out,
            self._stdout.left_out_bytes + self._stderr.left_out_bytes,
            was_endless,
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

        # A build that is killed would leave its container, and the command that it runs.
        end_s = _BUILD_END_S if "build" in arguments[:1] else 0.0
        with _RunningProgram(process, stdin, output_bytes, end_s) as program:
            return program.result(timeout_s, while_waiting)

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
        if result.exit_code == 0 and not result.timed_out:
            return result
        msg = f"{self.name} could not {purpose}"
        if result.timed_out:
            msg += f" within {timeout_s:g} s"
        output = last_lines(result.stdout + result.stderr)
        raise ContainerError("\n".join([msg, *output]))

    def listed(self, purpose: str, *arguments: str) -> list[str]:
        """Return the words that a listing prints. Raises `ContainerError` if it fails.

        A listing of podman fails if another process removes one of the images or containers
        meanwhile, so it is asked again, up to `_MOST_LISTINGS` times.
        """
        failures = 0
        while True:
            try:
                result = self.run_or_raise(purpose, *arguments)
            except ContainerError:
                failures += 1
                if failures == _MOST_LISTINGS:
                    raise
                time.sleep(_LISTING_PAUSE_S)
            else:
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
