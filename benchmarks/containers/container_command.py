"""Runs one command in a container as a task means it: its own process group, and bounded output.

The outputs of the command go to files in the container. So a command that it leaves in the
background keeps nobody waiting, what is too long to be returned can be read later, and what was
printed so far can be shown while the command runs.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from controlplane.benchmarks.containers.container_runtime import CommandResult, Container

TIMEOUT_EXIT_CODE: Final = 124
"""The exit code of a command that was ended because its time was over, as of `timeout`."""
SHOWN_OUTPUT_BYTES: Final = 600
"""Bytes of each output of a running command that the live page shows: some lines."""
FIRST_LOOK_S: Final = 2.0
"""Seconds after which the output of a running command is shown; most commands end before."""
LOOK_SHARE: Final = 0.1
"""Looks at the output take at most this share of a command's time: a slow look is made less often."""
LOOK_TIMEOUT_S: Final = 10.0

# The programs below run in the container, by `sh -c PROGRAM sh FOLDER BYTES ...`. FOLDER holds, for
# one command, the files `stdout`, `stderr`, and `group` with the id of its process group. BYTES is
# how much of each output is printed.
RUN_COMMAND: Final = """
folder=$1; bytes=$2
shift 2  # What remains is the command.

# The process of this program leads the group of all processes that the command starts.
# Without the folder the command does not run: 125, as `docker run` exits for its own failures.
mkdir -p /tmp && mkdir -m 700 "$folder" && echo $$ > "$folder/group" || exit 125

"$@" >"$folder/stdout" 2>"$folder/stderr"
code=$?
show() {
  size=$(wc -c <"$1")
  if [ "$size" -le "$bytes" ]; then cat "$1"; return; fi
  head -c $((bytes / 2)) "$1"
  printf '\\n[%s bytes in all, the middle is left out: the whole is in %s]\\n' "$size" "$1"
  tail -c $((bytes / 2)) "$1"
}
show "$folder/stdout"; show "$folder/stderr" >&2

# An output that was shown in part is kept, so that it can be read.
if [ $(wc -c <"$folder/stdout") -le "$bytes" ] && [ $(wc -c <"$folder/stderr") -le "$bytes" ]
then rm -rf "$folder"; fi
exit $code
"""
"""Runs a command, whose words follow FOLDER and BYTES, and prints the beginning and the end of each output."""
END_COMMAND: Final = """
folder=$1; bytes=$2
kill -KILL -- "-$(cat "$folder/group")" 2>/dev/null
for name in stdout stderr; do
  size=$(wc -c <"$folder/$name"); target=1; [ $name = stderr ] && target=2
  head -c "$bytes" "$folder/$name" >&$target
  [ "$size" -gt "$bytes" ] && printf '\\n[%s bytes in all, in %s]\\n' "$size" "$folder/$name" >&$target
done
exit 0
"""
"""Ends the process group of a command whose time is over, and prints the beginning of each output."""
SHOW_OUTPUT: Final = """
folder=$1; bytes=$2
[ -s "$folder/stdout" ] && tail -c "$bytes" "$folder/stdout"
[ -s "$folder/stderr" ] && tail -c "$bytes" "$folder/stderr"
exit 0
"""
"""Prints the end of each output of a command that is still running."""


@dataclass(frozen=True, slots=True)
class CommandPlace:
    """As whom, where and with which variables commands run in a container."""

    user: str
    """Empty for root."""
    workdir: str
    variables: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TaskCommand:
    """A command of an agent, a tool or a grader."""

    words: Sequence[str]
    """The program and its arguments, such as `["bash", "-c", "make test"]`."""
    place: CommandPlace
    timeout_s: float
    output_bytes: int
    """The most bytes of each output that its result holds."""
    stdin: bytes = b""


def show_nothing(text: str) -> None:
    """Show a text to nobody."""


def run_command(
    container: Container,
    command: TaskCommand,
    show_output: Callable[[str], None] = show_nothing,
) -> CommandResult:
    """Run a command and wait for it; when its time is over, its process group is ended.

    `show_output` is called now and then with the end of what a long command has printed, and with
    an empty text when the command ends. Raises `ContainerError`, and `CommandInterrupted` if the
    run is being stopped; the command then goes on in the container.
    """
    call_folder = f"/tmp/shell-{secrets.token_hex(6)}"
    output_bytes = str(command.output_bytes)
    watch = _OutputWatch(container, call_folder, show_output)
    try:
        result = container.run(
            ["sh", "-c", RUN_COMMAND, "sh", call_folder, output_bytes, *command.words],
            stdin=command.stdin,
            user=command.place.user,
            workdir=command.place.workdir,
            variables=command.place.variables,
            timeout_s=command.timeout_s,
            while_waiting=watch.look_if_due,
        )
    finally:
        watch.end()
    if not result.timed_out:
        return result

    ended = container.script(END_COMMAND, call_folder, output_bytes)
    notice = f"[ended: it took longer than {command.timeout_s:.0f} s]\n".encode()
    return CommandResult(ended.stdout, ended.stderr + notice, TIMEOUT_EXIT_CODE, timed_out=True)


class _OutputWatch:
    """Shows the output of a running command, now and then, to those who watch the run."""

    def __init__(
        self, container: Container, call_folder: str, show_output: Callable[[str], None]
    ) -> None:
        self.container = container
        self.call_folder = call_folder
        """The folder in the container with the files `stdout` and `stderr` of the command."""
        self.show_output = show_output
        self.shown_text = ""
        self.next_look_at = time.monotonic() + FIRST_LOOK_S

    def look_if_due(self) -> None:
        """Show the output if it changed since the last look.

        Raises `CommandInterrupted` if the run is being stopped.
        """
        self.container.runtime.raise_if_stopped()
        looked_at = time.monotonic()
        if looked_at < self.next_look_at:
            return
        result = self.container.script(
            SHOW_OUTPUT, self.call_folder, str(SHOWN_OUTPUT_BYTES), timeout_s=LOOK_TIMEOUT_S
        )
        look_s = time.monotonic() - looked_at
        self.next_look_at = time.monotonic() + max(FIRST_LOOK_S, look_s / LOOK_SHARE)
        text = result.stdout.decode("utf-8", "replace")
        if result.exit_code == 0 and text != self.shown_text:
            self.shown_text = text
            self.show_output(text)

    def end(self) -> None:
        """Show nothing any more."""
        if self.shown_text:
            self.show_output("")
