"""A running container, in which commands run.

Every method calls the program `podman` or `docker`, such as `podman exec NAME ls`.
"""

from __future__ import annotations

import io
import secrets
import tarfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from controlplane.benchmarks.containers.container_settings import variable_flags
from controlplane.benchmarks.containers.runtime_program import (
    COMMAND_TIMEOUT_S,
    KEPT_OUTPUT_BYTES,
    CommandResult,
    ContainerError,
    RuntimeProgram,
    go_on,
    last_lines,
)
from controlplane.benchmarks.containers.task_values import check_user, check_workdir
from controlplane.sandbox.files import PERMISSIONS

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
_END_NOTICED_WITHIN_S: Final = 5.0
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
