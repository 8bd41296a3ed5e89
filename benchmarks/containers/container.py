"""A running container, in which commands run.

Every method calls the program `podman` or `docker`, such as `podman exec NAME ls`.
"""

from __future__ import annotations

import io
import math
import os
import secrets
import subprocess
import tarfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Final

from controlplane.benchmarks.containers.container_settings import (
    ContainerError,
    check_user,
    check_workdir,
    variable_flags,
)
from controlplane.mcp.programs import end_children, kill_all
from controlplane.sandbox.files import PERMISSIONS

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
_ASKED_AGAIN_S: Final = 10.0
"""Seconds for which a command that fails for a moment is run again. On a busy machine, podman takes
seconds for a container's end."""
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
        while another process removes one. So a command is run again, for `_ASKED_AGAIN_S`, unless it
        succeeds, or says that what it is about is not there. A listing is not about one thing.
        """
        asked_until = time.monotonic() + _ASKED_AGAIN_S
        while True:
            result = self.run(
                *arguments, while_waiting=while_waiting, output_bytes=output_bytes
            )
            has_ended = result.timed_out or result.was_endless
            is_absent = result.says_absent and not is_listing
            is_final = result.exit_code == 0 or has_ended or is_absent
            if is_final or time.monotonic() >= asked_until:
                return result
            time.sleep(_TRY_PAUSE_S)

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


# The shell programs that run, end and watch one command in a container.
#
# They run in the container by `own_program(PROGRAM, FOLDER, BYTES, ...)`, so in a program, `$1`
# is FOLDER, `$2` is BYTES, and `$task_path` is the PATH of the task's commands:
#
# - FOLDER belongs to one command. Its files are `stdout` and `stderr`, which the command writes,
#   and `group`, which has the id of the command's process group.
# - BYTES is the largest number of bytes of each output to print.

_RUN_COMMAND: Final = """
folder=$1; bytes=$2
shift 2  # The words that remain are the command.

# The process of this program leads the group of all processes that the command starts. Without its
# folder, the command does not run. Then exit with 125, as `docker run` does for its own failures.
mkdir -p /tmp && mkdir -m 700 "$folder" && echo $$ > "$folder/group" || exit 125

own_path=$PATH
PATH=$task_path
"$@" >"$folder/stdout" 2>"$folder/stderr"
code=$?
PATH=$own_path

# Print a file, or only its start and its end if it is too long.
show() {
  size=$(wc -c <"$1")
  if [ "$size" -le "$bytes" ]; then cat "$1"; return; fi
  head -c $((bytes / 2)) "$1"
  printf '\\n[%s bytes in all, the middle is left out: the whole is in %s]\\n' "$size" "$1"
  tail -c $((bytes / 2)) "$1"
}
show "$folder/stdout"
show "$folder/stderr" >&2

# Remove the folder, unless it has an output that was shown only in part and may be read later.
if [ $(wc -c <"$folder/stdout") -le "$bytes" ] && [ $(wc -c <"$folder/stderr") -le "$bytes" ]
then rm -rf "$folder"; fi
exit $code
"""
"""Runs the command that follows FOLDER and BYTES, waits for it, and prints its outputs."""
_END_COMMAND: Final = """
folder=$1; bytes=$2

# A number with a minus is a process group: all processes that the command has started.
kill -KILL -- "-$(cat "$folder/group")" 2>/dev/null

# Print the start of an output.
show_start() {
  size=$(wc -c <"$1")
  head -c "$bytes" "$1"
  if [ "$size" -gt "$bytes" ]; then printf '\\n[%s bytes in all, in %s]\\n' "$size" "$1"; fi
}
show_start "$folder/stdout"
show_start "$folder/stderr" >&2
exit 0
"""
"""Ends a command that has exceeded its time limit, and prints what it has written so far."""
_SHOW_OUTPUT: Final = """
folder=$1; bytes=$2
# An output may be missing or empty.
if [ -s "$folder/stdout" ]; then tail -c "$bytes" "$folder/stdout"; fi
if [ -s "$folder/stderr" ]; then tail -c "$bytes" "$folder/stderr"; fi
exit 0
"""
"""Prints the end of each output of a running command."""
_END_NOTICED_WITHIN_S: Final = 10.0
_END_PAUSE_S: Final = 0.2
"""Between two questions whether a container has ended."""


@dataclass(frozen=True, slots=True)
class CommandPlace:
    """The user, folder and variables of a container's commands."""

    user: str = ""
    """A name or an id; empty for root."""
    workdir: str = ""
    """Empty for that of the image."""
    variables: Mapping[str, str] = field(default_factory=dict)


ROOT: Final = CommandPlace(user="0:0")
_FIND_OWN_PROGRAMS: Final = """
task_path=$PATH
PATH="$PATH:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
"""
"""Begins a shell program of ours: a task may set a PATH in which `mkdir` and `cat` are missing."""


def own_program(program: str, *arguments: str) -> list[str]:
    """Return the words that run a shell program of ours in a container; `$1` is the first argument.

    It finds the usual programs whatever PATH the task sets, and has the task's in `$task_path`.
    """
    return ["/bin/sh", "-c", _FIND_OWN_PROGRAMS + program, "sh", *arguments]


# The programs that read and write a file in a container, and the exit codes that say why they cannot.

WRONG_KIND: Final = 3
"""The path is a folder where a file is needed, or the reverse."""
MISSING: Final = 4
NOT_ALLOWED: Final = 5
READ_FILE: Final = f"""
file=$1; bytes=$2
[ -d "$file" ] && exit {WRONG_KIND}
[ -e "$file" ] || exit {MISSING}
head -c "$bytes" "$file" || exit {NOT_ALLOWED}
"""
"""Prints the first bytes of a file."""
WRITE_FILE: Final = f"""
file=$1
[ -d "$file" ] && exit {WRONG_KIND}
mkdir -p "$(dirname "$file")" && cat >"$file" || exit {NOT_ALLOWED}
"""
"""Writes the input to a file, whose folder is created if it is missing."""


@dataclass(frozen=True, slots=True)
class ContainerFiles:
    """Files that were read out of a container."""

    contents: Mapping[str, bytes]
    """By their paths below the folder that was read; the path of a single file is empty."""
    is_cut: bool
    """True if there is more, which was too long."""
    modes: Mapping[str, int] = field(default_factory=dict)
    """Their permissions, by the same paths."""


@dataclass(frozen=True, slots=True)
class Container:
    """A running container. `ContainerRuntime` creates it in `start` and `find`."""

    program: RuntimeProgram
    name: str
    place: CommandPlace = CommandPlace()
    """How the commands of its task start."""

    def run(
        self,
        command: Sequence[str],
        place: CommandPlace,
        *,
        stdin: bytes = b"",
        timeout_s: float = COMMAND_TIMEOUT_S,
        while_waiting: Callable[[], None] | None = None,
        output_bytes: int = KEPT_OUTPUT_BYTES,
    ) -> CommandResult:
        """Run a command in the container and wait for it. Raises `ContainerError`.

        `["ls", "/logs"]` -> a result with exit code, stdout and stderr. Of each output, the
        start and the end are kept, `output_bytes` in all, whatever the container's
        programs print. `while_waiting` is called again and again until the command ends.
        Unless it is given, `CommandInterrupted` is raised when the run is being stopped. A
        user, folder or variable that does not fit its grammar raises `TaskValueError`.

        After a timeout, or an exception from `while_waiting`, the command may still run
        in the container. The caller must end it there. If it was ended because it printed
        without end, the container was restarted.
        """
        check_user(place.user)
        check_workdir(place.workdir)
        options = ["--interactive"]
        if place.user:
            options.append(f"--user={place.user}")
        if place.workdir:
            options.append(f"--workdir={place.workdir}")
        with variable_flags(place.variables) as flags:
            # What follows the name belongs to the command, even if it begins with a dash.
            result = self.program.run(
                *("exec", *options, *flags, self.name, *command),
                stdin=stdin,
                timeout_s=timeout_s,
                while_waiting=while_waiting,
                output_bytes=output_bytes,
            )
        if result.was_endless:
            # It would go on in the container, and podman's own process here would read on. No
            # program of the container is trusted to end it.
            self.program.run("restart", "--time=0", self.name, while_waiting=go_on)
        return result

    def script(
        self,
        script: str,
        *arguments: str,
        timeout_s: float = COMMAND_TIMEOUT_S,
        output_bytes: int = KEPT_OUTPUT_BYTES,
    ) -> CommandResult:
        """Run a script with `sh` as root; `$1` is the first argument.

        Raises `ContainerError`, and `CommandInterrupted` if the run is being stopped.
        """
        command = own_program(script, *arguments)
        return self.run(command, ROOT, timeout_s=timeout_s, output_bytes=output_bytes)

    def is_running(self) -> bool | None:
        """Return True if its first process runs, as podman or docker knows; None if it is gone.

        Raises `ContainerError`, and `CommandInterrupted` if the run is being stopped.
        """
        words = ("inspect", "--type=container", "--format={{.State.Running}}")
        result = self.program.ask(*words, self.name)
        if result.says_absent:
            return None
        if result.exit_code != 0:
            lines = last_lines(result.stderr)
            raise ContainerError(
                "\n".join([f"{self.name} cannot be looked at", *lines])
            )
        return result.stdout.strip() == b"true"

    def goes_on(self) -> bool:
        """Return True if the container still runs after a command in it has failed.

        Podman and docker learn of a container's end some moments after its commands were ended with
        it, so they are asked for a while. Raises as `is_running` does.
        """
        asked_until = time.monotonic() + _END_NOTICED_WITHIN_S
        while self.is_running():
            if time.monotonic() >= asked_until:
                return True
            self.program.pause(_END_PAUSE_S)
        return False

    def copy_in(self, folder: Path, path: str) -> None:
        """Copy a local folder's contents to a path in the container. Raises `ContainerError`."""
        self.program.run_or_raise(
            "copy files into the container", "cp", f"{folder}/.", f"{self.name}:{path}"
        )

    def files_at(self, path: str, most_bytes: int) -> ContainerFiles | None:
        """Return the regular files at a path of the container; None if nothing is there.

        Podman or docker itself reads them, not a program of the container, which the agent may have
        replaced. Links and pipes are left out, and so is what is beyond `most_bytes`. Raises
        `ContainerError`, and `CommandInterrupted` if the run is being stopped.
        """
        words = ("cp", f"{self.name}:{path}", "-")
        result = self.program.ask(*words, output_bytes=2 * most_bytes)
        if not result.stdout:
            return None
        is_whole = result.exit_code == 0 and not result.timed_out
        is_cut = not is_whole or result.was_endless or bool(result.left_out_bytes)
        # Of a longer output, only the first half is known to be without a gap.
        archive = result.stdout[:most_bytes] if is_cut else result.stdout
        contents: dict[str, bytes] = {}
        modes: dict[str, int] = {}
        try:
            with tarfile.open(fileobj=io.BytesIO(archive), mode="r|") as tar:
                for member in tar:
                    file = tar.extractfile(member) if member.isreg() else None
                    if file is not None:
                        # Names begin with that of what was asked for: `verifier/reward.txt`.
                        name = member.name.partition("/")[2]
                        contents[name] = file.read()
                        modes[name] = member.mode & PERMISSIONS
        except (tarfile.TarError, OSError, ValueError):
            is_cut = True
        return ContainerFiles(contents, is_cut, modes)

    def connect_network(self, *, is_on: bool) -> None:
        """Connect the container to the network, or disconnect it. Raises `ContainerError`.

        The container must have been started with the runtime's default network.
        """
        default_network = "podman" if self.program.name == "podman" else "bridge"
        verb = "connect" if is_on else "disconnect"
        self.program.run_or_raise(
            f"{verb} the network", "network", verb, default_network, self.name
        )


# Shows the output of a running command in a container from time to time.
#
# A command such as `make test` may run for minutes, and the user wants to see its last lines
# meanwhile. Each look runs a program in the container, so there are not too many of them.

_SHOWN_OUTPUT_BYTES: Final = 600
"""The most bytes of stdout, and of stderr, that the user sees of a running command: a few lines."""
_FIRST_LOOK_S: Final = 2.0
"""Seconds until the output of a running command is first shown. Most commands end sooner."""
_LOOK_SHARE: Final = 0.1
"""The largest share of a command's time for looks at its output while it runs.

If a look takes 1 second, the next one follows after 10.
"""
_LOOK_TIMEOUT_S: Final = 10.0


class _OutputWatch:
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
        self.next_look_at = time.monotonic() + _FIRST_LOOK_S

    def look_if_due(self) -> None:
        """Show the output if it has changed since the last look.

        Raises `CommandInterrupted` if the run is being stopped.
        """
        self.container.program.raise_if_stopped()
        looked_at = time.monotonic()
        if looked_at < self.next_look_at:
            return
        result = self.container.script(
            _SHOW_OUTPUT,
            self.command_folder,
            str(_SHOWN_OUTPUT_BYTES),
            timeout_s=_LOOK_TIMEOUT_S,
            output_bytes=2 * _SHOWN_OUTPUT_BYTES,
        )
        look_s = time.monotonic() - looked_at
        pause_s = max(_FIRST_LOOK_S, look_s / _LOOK_SHARE)
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


# Runs one command of a task in a container, with a time limit and limited output.
#
# A command such as `make test &` may start processes that go on in the background, or print
# more than a model can read. So its output goes to files in the container: background
# processes do not block the call, the output can be shown while the command runs, and what
# is too long can be read later. All its processes are in one group, which can be ended.

_NOTICE_BYTES: Final = 1_000
"""The most bytes of what the programs below add to a long output."""
TIMEOUT_EXIT_CODE: Final = 124
"""The exit code of a command that was ended after its time limit, as for `timeout`."""


@dataclass(frozen=True, slots=True)
class TaskCommand:
    """A command of an agent, a tool or a grader."""

    words: Sequence[str]
    """The program and its arguments: `["bash", "-c", "make test"]`."""
    place: CommandPlace
    timeout_s: float
    output_bytes: int
    """The most bytes of each output in the result."""
    stdin: bytes = b""


def run_command(
    container: Container,
    command: TaskCommand,
    show_output: Callable[[str], None] = show_nothing,
) -> CommandResult:
    """Run a command and wait for it. After its time limit, end its process group.

    `show_output` is called repeatedly with the end of a long command's output,
    and with an empty text when the command ends. Raises `ContainerError`,
    and `CommandInterrupted` if the run is being stopped; the command then
    continues in the container.
    """
    command_folder = f"/tmp/shell-{secrets.token_hex(6)}"
    output_bytes = str(command.output_bytes)
    arguments = [command_folder, output_bytes, *command.words]
    # The programs in the container keep to `output_bytes`, unless somebody has replaced them.
    most_bytes = command.output_bytes + _NOTICE_BYTES
    watch = _OutputWatch(container, command_folder, show_output)
    try:
        result = container.run(
            own_program(_RUN_COMMAND, *arguments),
            command.place,
            stdin=command.stdin,
            timeout_s=command.timeout_s,
            while_waiting=watch.look_if_due,
            output_bytes=most_bytes,
        )
    finally:
        watch.end()
    if not result.timed_out:
        return result

    # The time-out has ended only the runtime's program on this machine, not the command
    # in the container. Its outputs are in its folder.
    ended = container.script(
        _END_COMMAND, command_folder, output_bytes, output_bytes=most_bytes
    )
    notice = f"[ended: it took longer than {command.timeout_s:.0f} s]\n".encode()
    return CommandResult(
        ended.stdout, ended.stderr + notice, TIMEOUT_EXIT_CODE, timed_out=True
    )
