"""The environment of one trial: a shell and files in its container.

It keeps no state of its own: each call runs a short program in the container. A resumed
run can therefore continue with the same container.
"""

from __future__ import annotations

import hashlib
import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Final

from controlplane.agent.loop import LeftOpen
from controlplane.benchmarks.containers.container_command import (
    TIMEOUT_EXIT_CODE,
    CommandPlace,
    TaskCommand,
    run_command,
    show_nothing,
)
from controlplane.benchmarks.containers.container_runtime import (
    CommandInterrupted,
    CommandResult,
    Container,
    ContainerError,
)
from controlplane.sandbox.interface import (
    CallError,
    Effect,
    Operation,
    Parameter,
    Plain,
    ResultField,
    ToolSchema,
    bound_arguments,
    error_codes,
)
from controlplane.sandbox.interface.file_operations import (
    DELETE,
    FIND,
    LIST,
    READ,
    SEARCH,
    STAT,
    WRITE,
)

OUTPUT_BYTES: Final = 60_000
"""The most bytes of each output of a shell command in a result. A file has the whole
output."""
READ_BYTES: Final = 400_000
"""The most bytes of a file that one read returns."""
LISTED_BYTES: Final = 400_000
"""The most bytes of a listing that one call returns."""
MAX_LINE_CHARS: Final = 500
"""The most characters of a matching line that a search returns."""
DEFAULT_MAX_MATCHES: Final = 1_000
"""The most matching lines that a search without a limit returns."""
DEFAULT_SHELL_TIMEOUT_S: Final = 600
GRACE_S: Final = 30.0
"""Seconds that a call may take in addition to the command that it runs."""

RUN_IN_SHELL: Final = 'if command -v bash >/dev/null 2>&1; then exec bash -c "$1"; else exec sh -c "$1"; fi'
"""Runs its argument in bash, or in sh if the image has no bash."""

# The programs below run in the container as `sh -c PROGRAM sh PATH ...`. Each first
# names its arguments. If it cannot do its work, it exits with one of these codes:
WRONG_KIND: Final = 3
MISSING: Final = 4
NOT_ALLOWED: Final = 5
BAD_PATTERN: Final = 6
FAILURES: Final = {
    WRONG_KIND: (
        error_codes.FAILED_PRECONDITION,
        "is of the wrong kind (a folder, or no folder)",
    ),
    MISSING: (error_codes.NOT_FOUND, "does not exist"),
    NOT_ALLOWED: (error_codes.PERMISSION_DENIED, "cannot be opened or changed"),
}
"""The error code and text for the exit codes that concern the path."""
DIRECT_ENTRIES: Final = "* .[!.]* ..?*"
"""Shell patterns for all names in a folder: `a`, `.a` and `..a`, but neither `.` nor
`..`."""
LIST_FOLDER: Final = f"""
folder=$1
if [ ! -d "$folder" ]; then
  [ -e "$folder" ] && exit {WRONG_KIND}
  exit {MISSING}
fi
cd "$folder" || exit {NOT_ALLOWED}
for name in {DIRECT_ENTRIES}; do
  # A pattern without a match stays as it is, so skip names that do not exist. A link to a missing
  # file has a name, too.
  [ -e "$name" ] || [ -L "$name" ] || continue
  kind=f; [ -d "$name" ] && kind=d
  printf '%s%s\\0' "$kind" "$name"
done
"""
"""Prints each entry of a folder as `dNAME` for a folder or `fNAME` otherwise, ended by
NUL."""
READ_FILE: Final = f"""
file=$1; bytes=$2
[ -d "$file" ] && exit {WRONG_KIND}
[ -e "$file" ] || exit {MISSING}
head -c "$bytes" "$file" || exit {NOT_ALLOWED}
"""
"""Prints the first bytes of a file."""
READ_LINES: Final = f"""
file=$1; bytes=$2; sed_program=$3
[ -d "$file" ] && exit {WRONG_KIND}
[ -e "$file" ] || exit {MISSING}
sed -n "$sed_program" "$file" | head -c "$bytes" || exit {NOT_ALLOWED}
"""
"""Prints the lines that a sed program selects, such as `10,20p`, up to a number of
bytes."""
WRITE_FILE: Final = f"""
file=$1
[ -d "$file" ] && exit {WRONG_KIND}
mkdir -p "$(dirname "$file")" && cat >"$file" || exit {NOT_ALLOWED}
"""
"""Writes the input to a file, whose folder is created if it is missing."""
DELETE_FILE: Final = f"""
file=$1
[ -d "$file" ] && exit {WRONG_KIND}
[ -e "$file" ] || [ -L "$file" ] || exit {MISSING}
rm -f "$file" || exit {NOT_ALLOWED}
"""
STAT_FILE: Final = f"""
path=$1
[ -e "$path" ] || [ -L "$path" ] || exit {MISSING}
kind=f; [ -d "$path" ] && kind=d
access=r; [ -w "$path" ] && access=w
printf '%s%s' $kind $access
"""
"""Prints two letters: `d` for a folder or `f` otherwise, then `w` if it is writable or
else `r`."""
SKIP_SYSTEM_FOLDERS: Final = r"\( -path /proc -o -path /sys -o -path /dev \) -prune"
"""An expression of `find`. Whatever follows `-o` applies to all other paths."""
FIND_PATHS: Final = f"""
root=$1; name=$2; bytes=$3
[ -e "$root" ] || exit {MISSING}
shift 3  # The words that remain are the wanted kind: `-type f`, `-type d`, or none.
find "$root" {SKIP_SYSTEM_FOLDERS} -o "$@" -name "$name" -print0 2>/dev/null | head -c "$bytes"
"""
"""Prints the paths below a folder whose name matches a pattern, each ended by NUL."""
SEARCH_LINES: Final = f"""
root=$1; pattern=$2; lines=$3; bytes=$4
[ -e "$root" ] || exit {MISSING}
# grep exits with 1 if nothing matches, and with 2 if the pattern is wrong.
printf '' | grep -E -e "$pattern"
[ $? -le 1 ] || exit {BAD_PATTERN}
find "$root" {SKIP_SYSTEM_FOLDERS} -o -type f -exec grep -nHIE -e "$pattern" {{}} + 2>/dev/null \
  | head -n "$lines" | head -c "$bytes"
"""
"""Prints the matching lines of all text files below a folder as `PATH:NUMBER:LINE`."""


def shell_operation(longest_s: float) -> Operation:
    """Return the operation `shell`, whose commands may take as long as the trial."""
    return Operation(
        name="shell",
        parameters=(
            Parameter("command", "str"),
            Parameter("stdin", "str", ""),
            Parameter("workdir", "str", ""),
            Parameter("timeout_s", "int", DEFAULT_SHELL_TIMEOUT_S),
        ),
        fields=(ResultField("stdout"), ResultField("stderr"), ResultField("exit_code")),
        summary=(
            "run a command in the container's shell; after timeout_s it is ended with exit code "
            f"{TIMEOUT_EXIT_CODE}; for a service, end the command with &"
        ),
        effect=Effect.EXECUTES,  # A command may change anything.
        subject="command",
        exit_field="exit_code",
        longest_s=longest_s,
        is_trusted=True,
    )


def tool_schema_of(agent_timeout_s: float) -> ToolSchema:
    """Return the operations of a trial with this time limit."""
    search = SEARCH._replace(
        summary="lines that match an extended regular expression of grep",
        is_trusted=True,
    )
    files = (READ, WRITE, LIST, FIND, search, STAT, DELETE)
    return ToolSchema(
        operations=(shell_operation(agent_timeout_s + GRACE_S), *files),
        # The container is isolated, and programs are normally written from texts that
        # were read. So no call is blocked because of where its arguments come from.
        trusted_roots=("/",),
        citations="none",
    )


class TerminalEnvironment:
    """The shell and files of one trial.

    Created when the trial starts; used by one thread at a time.
    """

    def __init__(
        self, container: Container, place: CommandPlace, agent_timeout_s: float
    ) -> None:
        self.container = container
        self.tool_schema = tool_schema_of(agent_timeout_s)
        self.ends_at = math.inf
        """When the trial's time is over, by `time.monotonic`. The trial sets it."""
        self.is_answered = False
        self.show_output: Callable[[str], None] = show_nothing
        """Called with the end of a running command's output, and with an empty text
        when it ends."""
        self._place = place
        self._is_open = True

    def now(self) -> datetime | None:
        """Return None: scripts get no clock, and commands use the container's."""
        return None

    def call(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        """Make one call and return its result fields. Raises `CallError`."""
        if not self._is_open:
            raise CallError(error_codes.FAILED_PRECONDITION, "this trial has ended")
        declared = self.tool_schema.operation(operation)
        if declared is None:
            msg = f"there is no operation {operation[:60]!r}"
            raise CallError(error_codes.UNIMPLEMENTED, msg)
        values: dict[str, Any] = bound_arguments(declared, (), dict(arguments))
        try:
            return self._result_of(operation, values)
        except ContainerError as error:
            raise CallError(error_codes.INTERNAL, str(error)) from error

    def answer(self, message: str, outcome: str, refs: Sequence[str]) -> None:
        """Record the answer, which ends the work. Raises `CallError` for a second
        answer."""
        if self.is_answered:
            raise CallError(
                error_codes.ALREADY_EXISTS, "this trial has its answer already"
            )
        self.is_answered = True

    def close(self) -> None:
        """Refuse all later calls."""
        self._is_open = False

    def _result_of(self, operation: str, values: dict[str, Any]) -> dict[str, Plain]:
        """Return the result of an operation. `values` has all its arguments."""
        match operation:
            case "shell":
                return self._shell(**values)
            case "read":
                return self._read(**values)
            case "write":
                return self._write(**values)
            case "list":
                return self._list(**values)
            case "find":
                return self._find(**values)
            case "search":
                return self._search(**values)
            case "stat":
                return self._stat(**values)
            case _:
                return self._delete(**values)

    # The shell

    def _shell(
        self, command: str, stdin: str, workdir: str, timeout_s: int
    ) -> dict[str, Plain]:
        """Run a command until it ends, or until its own time or the trial's time is
        over.

        A relative `workdir` starts at the task's working directory.
        """
        if "\0" in command:
            raise CallError(
                error_codes.INVALID_ARGUMENT, "a command has no NUL character"
            )
        remaining_s = self.ends_at - time.monotonic()
        if remaining_s <= 0:
            raise CallError(
                error_codes.FAILED_PRECONDITION, "the time of this trial is over"
            )
        limit_s = min(float(max(timeout_s, 1)), remaining_s)

        task_command = TaskCommand(
            words=["sh", "-c", RUN_IN_SHELL, "sh", command],
            place=replace(self._place, workdir=self._absolute(workdir or ".")),
            timeout_s=limit_s,
            output_bytes=OUTPUT_BYTES,
            stdin=stdin.encode("utf-8", "replace"),
        )
        try:
            result = run_command(self.container, task_command, self.show_output)
        except CommandInterrupted as interruption:
            # Leave the call open in the journal: it is unknown how much the command has
            # done.
            raise LeftOpen from interruption
        return {
            "stdout": result.stdout.decode("utf-8", "replace"),
            "stderr": result.stderr.decode("utf-8", "replace"),
            "exit_code": result.exit_code,
        }

    # Files

    def _read(self, path: str, start_line: int, end_line: int) -> dict[str, Plain]:
        absolute = self._absolute(path)
        is_whole = start_line <= 0 and end_line <= 0
        printed_bytes = str(
            READ_BYTES + 1
        )  # One more than returned shows that the file is longer.
        if is_whole:
            result = self._file_script(READ_FILE, path, absolute, printed_bytes)
        else:
            last_line = str(end_line) if end_line > 0 else "$"
            sed_program = (
                f"{max(start_line, 1)},{last_line}p"  # `10,20p` prints lines 10 to 20.
            )
            result = self._file_script(
                READ_LINES, path, absolute, printed_bytes, sed_program
            )
        content = result.stdout[:READ_BYTES]
        is_truncated = len(result.stdout) > READ_BYTES
        digest = ""
        if is_whole and not is_truncated:
            digest = hashlib.sha256(content).hexdigest()
        return {
            "path": absolute,
            "content": content.decode("utf-8", "replace"),
            "truncated": is_truncated,
            "sha256": digest,
        }

    def _write(self, path: str, content: str, if_match_sha256: str) -> dict[str, Plain]:
        absolute = self._absolute(path)
        if if_match_sha256:
            current_sha256 = self._read(path, start_line=0, end_line=0)["sha256"]
            is_unchanged = current_sha256 == if_match_sha256
        else:
            is_unchanged = True  # The script does not ask for a check.
        if not is_unchanged:
            msg = f"{path} has changed since it was read"
            raise CallError(error_codes.FAILED_PRECONDITION, msg)
        data = content.encode("utf-8", "replace")
        self._file_script(WRITE_FILE, path, absolute, stdin=data)
        return {"path": absolute}

    def _delete(self, path: str) -> dict[str, Plain]:
        absolute = self._absolute(path)
        self._file_script(DELETE_FILE, path, absolute)
        return {"path": absolute}

    def _stat(self, path: str) -> dict[str, Plain]:
        absolute = self._absolute(path)
        letters = self._file_script(STAT_FILE, path, absolute).stdout  # Such as `b"fw"`
        is_folder = letters.startswith(b"d")
        content_type = ""
        if not is_folder:
            content_type = "application/octet-stream"
        return {
            "path": absolute,
            "is_dir": is_folder,
            "content_type": content_type,
            "writable": letters.endswith(b"w"),
        }

    def _list(self, path: str) -> dict[str, Plain]:
        absolute = self._absolute(path)
        listing = self._file_script(LIST_FOLDER, path, absolute).stdout[:LISTED_BYTES]
        # `dsrc` is the folder `src`, and `fa.md` the file `a.md`.
        names_and_kinds = sorted((text[1:], text[0]) for text in _texts(listing))
        entries: list[Plain] = []
        for name, kind in names_and_kinds:
            entry_path = f"{absolute.rstrip('/')}/{name}"
            entries.append({"name": name, "path": entry_path, "is_dir": kind == "d"})
        return {"entries": entries}

    def _find(self, name: str, root: str, kind: str, limit: int) -> dict[str, Plain]:
        absolute = self._absolute(root)
        kind_arguments = []
        if kind == "files":
            kind_arguments = ["-type", "f"]
        elif kind == "dirs":
            kind_arguments = ["-type", "d"]
        result = self._file_script(
            FIND_PATHS, root, absolute, name, str(LISTED_BYTES), *kind_arguments
        )
        paths = sorted(_texts(result.stdout))
        is_truncated = len(result.stdout) >= LISTED_BYTES
        if 0 < limit < len(paths):
            paths = paths[:limit]
            is_truncated = True
        return {"paths": list(paths), "truncated": is_truncated}

    def _search(self, pattern: str, root: str, limit: int) -> dict[str, Plain]:
        absolute = self._absolute(root)
        max_matches = limit if limit > 0 else DEFAULT_MAX_MATCHES
        printed_lines = str(
            max_matches + 1
        )  # One more than returned shows that there are more.
        result = self._file_script(
            SEARCH_LINES, root, absolute, pattern, printed_lines, str(LISTED_BYTES)
        )
        matches: list[Plain] = []
        for line in result.stdout.decode("utf-8", "replace").splitlines():
            # `/app/main.py:12:import os`. A line whose path has a colon is left out.
            path, _, rest = line.partition(":")
            number, _, text = rest.partition(":")
            if number.isascii() and number.isdigit():
                matches.append(
                    {"path": path, "line": int(number), "text": text[:MAX_LINE_CHARS]}
                )
        is_truncated = len(matches) > max_matches or len(result.stdout) >= LISTED_BYTES
        return {"matches": matches[:max_matches], "truncated": is_truncated}

    def _file_script(
        self, script: str, path: str, *arguments: str, stdin: bytes = b""
    ) -> CommandResult:
        """Run one of the programs above as the agent's user. Raises `CallError` if it
        fails.

        `path` is the path as the script wrote it, for messages. `arguments` go to the
        program.
        """
        if any("\0" in argument for argument in arguments):
            raise CallError(
                error_codes.INVALID_ARGUMENT, "an argument has a NUL character"
            )
        result = self.container.run(
            ["sh", "-c", script, "sh", *arguments], stdin=stdin, user=self._place.user
        )
        if result.timed_out:
            raise CallError(
                error_codes.FAILED_PRECONDITION, f"{path}: it took too long"
            )
        if result.exit_code == BAD_PATTERN:
            fault = result.stderr.decode("utf-8", "replace").strip()[:MAX_LINE_CHARS]
            raise CallError(
                error_codes.INVALID_ARGUMENT, f"the pattern is refused: {fault}"
            )
        if result.exit_code in FAILURES:
            code, text = FAILURES[result.exit_code]
            raise CallError(code, f"{path} {text}")
        if result.exit_code != 0:
            fault = result.stderr.decode("utf-8", "replace").strip()[:MAX_LINE_CHARS]
            raise CallError(error_codes.INTERNAL, f"{path}: {fault}")
        return result

    def _absolute(self, path: str) -> str:
        """Return a path as an absolute one. A relative path starts at the working
        directory."""
        if path in ("", "."):
            return self._place.workdir
        if path.startswith("/"):
            return path
        return f"{self._place.workdir.rstrip('/')}/{path}"


def _texts(listing: bytes) -> list[str]:
    """Return the texts of a listing, each ended by NUL. An incomplete last text is left
    out."""
    complete = listing[: listing.rfind(b"\0") + 1]
    return [part.decode("utf-8", "replace") for part in complete.split(b"\0") if part]
