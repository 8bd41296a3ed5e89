"""The environment of one trial: a shell and files in its container.

It keeps no state of its own, so a resumed run can continue with the same container.
"""

from __future__ import annotations

import hashlib
import math
import posixpath
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Final

from controlplane.agent.loop import LeftOpen
from controlplane.benchmarks.containers.container import (
    COMMAND_TIMEOUT_S,
    MISSING,
    NOT_ALLOWED,
    READ_FILE,
    TIMEOUT_EXIT_CODE,
    WRITE_FILE,
    WRONG_KIND,
    CommandInterrupted,
    CommandPlace,
    CommandResult,
    Container,
    TaskCommand,
    own_program,
    run_command,
    show_nothing,
)
from controlplane.benchmarks.containers.container_settings import ContainerError
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

# Runs the commands of an agent in the shell of its container.
#
# A script calls `harness.shell("make test")`, and gets the output and the exit code.

_OUTPUT_BYTES: Final = 60_000
"""The most bytes of stdout, and of stderr, in a result. The middle of a longer output is left
out, and the result names the file in the container that has all of it."""
_RUN_IN_SHELL: Final = 'if command -v bash >/dev/null 2>&1; then exec bash -c "$1"; else exec sh -c "$1"; fi'
"""Runs its argument in bash, or in sh if the image has no bash."""


# Short programs for the files of a container.
#
# A program runs as `sh -c PROGRAM sh PATH ...` and first names its arguments: `$1` is PATH. If
# it cannot do its work, it exits with one of the codes below. The programs need only a shell
# and the usual small commands, because an image may have no Python.

_BAD_PATTERN: Final = 6
"""The regular expression is wrong. The program prints the reason, which completes the error."""
_FAILURES: Final = {
    WRONG_KIND: (
        error_codes.FAILED_PRECONDITION,
        "is of the wrong kind (a folder, or no folder)",
    ),
    MISSING: (error_codes.NOT_FOUND, "does not exist"),
    NOT_ALLOWED: (error_codes.PERMISSION_DENIED, "cannot be opened or changed"),
}
"""The error code and text for the exit codes that concern the path."""
_DIRECT_ENTRIES: Final = "* .[!.]* ..?*"
"""Shell patterns for all names in a folder, except for `.` and `..`, the folder and its parent.

`*` finds `a`, `.[!.]*` finds `.a`, and `..?*` finds `..a`.
"""
_LIST_FOLDER: Final = f"""
folder=$1; bytes=$2
if [ ! -d "$folder" ]; then
  [ -e "$folder" ] && exit {WRONG_KIND}
  exit {MISSING}
fi
cd "$folder" || exit {NOT_ALLOWED}
for name in {_DIRECT_ENTRIES}; do
  # The shell leaves a pattern without a match as it is, so "$name" may be the pattern itself.
  # Skip it, because no such file exists (-e). A link to a missing file (-L) is an entry, too.
  [ -e "$name" ] || [ -L "$name" ] || continue
  kind=f; [ -d "$name" ] && kind=d
  printf '%s/%s\\0' "$name" "$kind"
done | head -c "$bytes"
"""
"""Prints each entry of a folder as `NAME/d` for a folder or `NAME/f` otherwise, ended by NUL.

A longer listing is cut to a number of bytes.
"""
READ_LINES: Final = f"""
file=$1; bytes=$2; sed_program=$3
[ -d "$file" ] && exit {WRONG_KIND}
[ -e "$file" ] || exit {MISSING}
# Checked here, because the next line exits with the code of `head`, even if `sed` cannot read
# the file.
[ -r "$file" ] || exit {NOT_ALLOWED}
sed -n "$sed_program" "$file" | head -c "$bytes"
"""
"""Prints the lines that a sed program selects, such as `10,20p`, up to a number of bytes."""
_DELETE_FILE: Final = f"""
file=$1
[ -d "$file" ] && exit {WRONG_KIND}
[ -e "$file" ] || [ -L "$file" ] || exit {MISSING}
rm -f "$file" || exit {NOT_ALLOWED}
"""
_STAT_FILE: Final = f"""
path=$1
[ -e "$path" ] || [ -L "$path" ] || exit {MISSING}
kind=f; [ -d "$path" ] && kind=d
access=r; [ -w "$path" ] && access=w
printf '%s%s' $kind $access
"""
"""Prints two letters: `d` for a folder or `f` otherwise, then `w` if it is writable or else `r`."""
_SKIP_SYSTEM_FOLDERS: Final = r"\( -path /proc -o -path /sys -o -path /dev \) -prune"
"""An expression of `find`. Whatever follows `-o` applies to all other paths."""
_FIND_PATHS: Final = f"""
root=$1; name=$2; bytes=$3
[ -e "$root" ] || exit {MISSING}
shift 3  # The words that remain are the wanted kind: `-type f`, `-type d`, or none.
find "$root" {_SKIP_SYSTEM_FOLDERS} -o "$@" -name "$name" -print0 2>/dev/null | head -c "$bytes"
"""
"""Prints the paths below a folder whose name matches a pattern, each ended by NUL."""
_SEARCH_LINES: Final = f"""
root=$1; pattern=$2; lines=$3; bytes=$4
[ -e "$root" ] || exit {MISSING}
# grep exits with 1 if nothing matches, and with 2 if the pattern is wrong.
printf '' | grep -E -e "$pattern"
[ $? -le 1 ] || exit {_BAD_PATTERN}
find "$root" {_SKIP_SYSTEM_FOLDERS} -o -type f -exec grep -nHIE -e "$pattern" {{}} + 2>/dev/null \
  | head -n "$lines" | head -c "$bytes"
"""
"""Prints the matching lines of all text files below a folder as `PATH:NUMBER:LINE`."""


# The files of a container, as scripts read, change, list and search them.

_MAX_FAULT_CHARS: Final = 500
"""The most characters of a program's own error in a message."""
_READ_BYTES: Final = 400_000
"""The most bytes of a file that one read returns."""
_LISTED_BYTES: Final = 400_000
"""The most bytes of a listing that one call returns."""
_MAX_LINE_CHARS: Final = 500
"""The most characters of a matching line that a search returns."""
_DEFAULT_MAX_MATCHES: Final = 1_000
"""The most matching lines that a search without a limit returns."""
_KIND_OPTIONS: Final = {"files": ("-type", "f"), "dirs": ("-type", "d")}
"""The words of `find` that select a kind of path; none for any kind."""


def _check(result: CommandResult, path: str) -> None:
    """Raise `CallError` if a program has failed. `path` is as the script wrote it."""
    if result.timed_out:
        msg = f"{path}: it took too long"
        raise CallError(error_codes.FAILED_PRECONDITION, msg)
    if result.left_out_bytes:
        msg = f"{path}: the container's programs print more than they were asked for"
        raise CallError(error_codes.INTERNAL, msg)
    if result.exit_code == 0:
        return
    if result.exit_code in _FAILURES:
        code, text = _FAILURES[result.exit_code]
        raise CallError(code, f"{path} {text}")
    fault = result.stderr.decode("utf-8", "replace").strip()[:_MAX_FAULT_CHARS]
    if result.exit_code == _BAD_PATTERN:
        msg = f"the pattern is refused: {fault}"
        raise CallError(error_codes.INVALID_ARGUMENT, msg)
    raise CallError(error_codes.INTERNAL, f"{path}: {fault}")


def _texts(listing: bytes) -> Sequence[str]:
    """Return the texts of a listing in order, each ended by NUL. An incomplete last text is left out."""
    texts = listing.split(b"\0")[:-1]
    return sorted(text.decode("utf-8", "replace") for text in texts if text)


# The operations of a trial in a container: a shell and files.
#
# Scripts call them as `harness.shell("make test")` and `harness.read("/app/main.py")`.

_DEFAULT_SHELL_TIMEOUT_S: Final = 600
GRACE_S: Final = 30.0
"""Seconds that a call may take in addition to the command that it runs."""


def _shell_operation(longest_s: float) -> Operation:
    """Return the operation `shell`. A command may take `longest_s`, as long as the trial."""
    return Operation(
        name="shell",
        parameters=(
            Parameter("command", "str"),
            Parameter("stdin", "str", ""),
            Parameter("workdir", "str", ""),
            Parameter("timeout_s", "int", _DEFAULT_SHELL_TIMEOUT_S),
        ),
        fields=(ResultField("stdout"), ResultField("stderr"), ResultField("exit_code")),
        summary=(
            "run a command in the container's shell; after timeout_s it is ended with exit code "
            f"{TIMEOUT_EXIT_CODE}; for a service, end the command with &"
        ),
        effect=Effect.EXECUTES,  # A command may change anything.
        subject="command",  # The parameter with what is executed.
        exit_field="exit_code",  # The result field that tells whether the command failed.
        longest_s=longest_s,
        is_trusted=True,  # Later calls may use its output; see `tool_schema_of`.
    )


def tool_schema_of(agent_timeout_s: float) -> ToolSchema:
    """Return the operations of a trial whose agent has this time limit, in seconds."""
    search = SEARCH._replace(
        summary="lines that match an extended regular expression of grep",
        is_trusted=True,
    )
    files = (READ, WRITE, LIST, FIND, search, STAT, DELETE)
    return ToolSchema(
        operations=(_shell_operation(agent_timeout_s + GRACE_S), *files),
        # Other benchmarks block calls whose arguments come from untrusted files. Here all
        # files are trusted: programs are normally written from texts that were read, and
        # the container is isolated.
        trusted_roots=("/",),
        citations="none",
    )


class TerminalEnvironment:
    """The shell and files of one trial. Used by one thread at a time.

    Created when the trial starts. The trial then sets `ends_at` and `show_output`, makes its
    calls, and ends with one answer.
    """

    def __init__(
        self, container: Container, place: CommandPlace, agent_timeout_s: float
    ) -> None:
        self.tool_schema = tool_schema_of(agent_timeout_s)
        self.ends_at = math.inf
        """When the trial's time is over, by `time.monotonic`. Commands end by then."""
        self.is_answered = False
        self.show_output: Callable[[str], None] = show_nothing
        """Shows the user the last part of a running command's output.

        Called with an empty text when the command ends.
        """
        self.container = container
        self._place = place
        self._is_open = True

    def now(self) -> datetime | None:
        """Return None: scripts have no clock. Commands use the container's clock."""
        return None

    def call(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain]:
        """Make one call and return its result fields.

        Raises `CallError`, and `LeftOpen` if the run is being stopped.
        """
        if not self._is_open:
            raise CallError(error_codes.FAILED_PRECONDITION, "this trial has ended")
        declared = self.tool_schema.operation(operation)
        if declared is None:
            msg = f"there is no operation {operation[:60]!r}"
            raise CallError(error_codes.UNIMPLEMENTED, msg)
        values: dict[str, Any] = bound_arguments(declared, (), dict(arguments))
        for name, value in values.items():
            # The input of a program may have any character.
            if name not in ("stdin", "content") and "\0" in str(value):
                msg = f"{name} has a NUL character"
                raise CallError(error_codes.INVALID_ARGUMENT, msg)
        try:
            result: dict[str, Plain] = getattr(self, f"_{operation}")(**values)
        except CommandInterrupted as interruption:
            # `LeftOpen` ends the trial for now. The journal has the call without a result, and a
            # resumed run goes on from there.
            raise LeftOpen from interruption
        except ContainerError as error:
            raise CallError(error_codes.INTERNAL, str(error)) from error
        return result

    def answer(self, message: str, outcome: str, refs: Sequence[str]) -> None:
        """Note that there is an answer. Raises `CallError` for a second one.

        What it says does not matter here: the verifier looks at the container alone.
        """
        if self.is_answered:
            msg = "this trial has its answer already"
            raise CallError(error_codes.ALREADY_EXISTS, msg)
        self.is_answered = True

    def close(self) -> None:
        """Refuse all later calls."""
        self._is_open = False

    # Each of these methods is an operation, and returns its result fields.

    def _shell(
        self, command: str, stdin: str, workdir: str, timeout_s: int
    ) -> dict[str, Plain]:
        """Run a command until it ends, or until its own time or the trial's time is over.

        A relative `workdir` starts at the task's working directory.
        """
        task_command = TaskCommand(
            words=["/bin/sh", "-c", _RUN_IN_SHELL, "sh", command],
            place=replace(self._place, workdir=self._absolute(workdir)),
            timeout_s=min(float(max(timeout_s, 1)), self._remaining_s()),
            output_bytes=_OUTPUT_BYTES,
            stdin=stdin.encode("utf-8", "replace"),
        )
        # If this is interrupted, it is unknown how much the command has done.
        result = run_command(self.container, task_command, self.show_output)
        return {
            "stdout": result.stdout.decode("utf-8", "replace"),
            "stderr": result.stderr.decode("utf-8", "replace"),
            "exit_code": result.exit_code,
        }

    def _read(self, path: str, start_line: int, end_line: int) -> dict[str, Plain]:
        """Return the content of a file or of some lines. Line numbers below 1 mean no limit.

        The hash is of the whole file, so it is empty if only a part is returned.
        """
        # Read one byte more than is returned, to know if the file is longer.
        max_bytes = str(_READ_BYTES + 1)
        is_whole = start_line <= 0 and end_line <= 0
        if is_whole:
            printed = self._output(READ_FILE, path, max_bytes)
        else:
            last = str(end_line) if end_line > 0 else "$"
            lines = f"{max(start_line, 1)},{last}p"  # `10,20p` prints lines 10 to 20.
            printed = self._output(READ_LINES, path, max_bytes, lines)
        is_truncated = len(printed) > _READ_BYTES
        digest = ""
        if is_whole and not is_truncated:
            digest = hashlib.sha256(printed).hexdigest()
        return {
            "path": self._absolute(path),
            "content": printed[:_READ_BYTES].decode("utf-8", "replace"),
            "truncated": is_truncated,
            "sha256": digest,
        }

    def _write(self, path: str, content: str, if_match_sha256: str) -> dict[str, Plain]:
        """Write a file. If `if_match_sha256` is not empty, the file must still have this hash.

        It is the hash that `read` has returned. `read` returns none of a file that is
        longer than `_READ_BYTES`.
        """
        if if_match_sha256:
            current = self._read(path, start_line=0, end_line=0)["sha256"]
            if current != if_match_sha256:
                msg = f"{path} has changed since it was read"
                raise CallError(error_codes.FAILED_PRECONDITION, msg)
        self._output(WRITE_FILE, path, stdin=content.encode("utf-8", "replace"))
        return {"path": self._absolute(path)}

    def _delete(self, path: str) -> dict[str, Plain]:
        self._output(_DELETE_FILE, path)
        return {"path": self._absolute(path)}

    def _stat(self, path: str) -> dict[str, Plain]:
        """Return whether a path is a folder, and whether it can be written."""
        # `d` for a folder or else `f`, then `w` if it can be written or else `r`: `b"fw"`.
        letters = self._output(_STAT_FILE, path)
        is_folder = letters.startswith(b"d")
        return {
            "path": self._absolute(path),
            "is_dir": is_folder,
            "content_type": "" if is_folder else "application/octet-stream",
            "writable": letters.endswith(b"w"),
        }

    def _list(self, path: str) -> dict[str, Plain]:
        """Return the entries of a folder. Those beyond `_LISTED_BYTES`, some 10,000, are left out.

        The operation `list` has no result field that could say so.
        """
        folder = self._absolute(path).rstrip("/")
        listing = self._output(_LIST_FOLDER, path, str(_LISTED_BYTES))
        entries: list[Plain] = []
        # `src/d` is the folder `src`, and `a.md/f` the file `a.md`.
        for name, kind in sorted(text.rsplit("/", 1) for text in _texts(listing)):
            entries.append(
                {"name": name, "path": f"{folder}/{name}", "is_dir": kind == "d"}
            )
        return {"entries": entries}

    def _find(self, name: str, root: str, kind: str, limit: int) -> dict[str, Plain]:
        """Return the paths below a folder whose name matches a pattern.

        A limit below 1 means no limit.
        """
        options = _KIND_OPTIONS.get(kind, ())
        printed = self._output(_FIND_PATHS, root, name, str(_LISTED_BYTES), *options)
        paths = _texts(printed)
        is_cut = 0 < limit < len(paths)
        return {
            "paths": [*(paths[:limit] if is_cut else paths)],
            "truncated": is_cut or len(printed) >= _LISTED_BYTES,
        }

    def _search(self, pattern: str, root: str, limit: int) -> dict[str, Plain]:
        """Return the lines of files below a folder that match a pattern.

        A limit below 1 means `_DEFAULT_MAX_MATCHES`.
        """
        max_matches = limit if limit > 0 else _DEFAULT_MAX_MATCHES
        # Ask for one line more than is returned, to know if there are more.
        max_lines = str(max_matches + 1)
        printed = self._output(
            _SEARCH_LINES, root, pattern, max_lines, str(_LISTED_BYTES)
        )
        matches: list[Plain] = []
        # Only a line feed ends a line: a form feed may be part of its text.
        for line in printed.decode("utf-8", "replace").split("\n"):
            # `/app/main.py:12:import os`. A line whose path has a colon is left out.
            path, _, rest = line.partition(":")
            number, _, text = rest.partition(":")
            if number.isascii() and number.isdigit():
                text = text.removesuffix("\r")[:_MAX_LINE_CHARS]
                matches.append({"path": path, "line": int(number), "text": text})
        is_truncated = len(matches) > max_matches or len(printed) >= _LISTED_BYTES
        return {"matches": matches[:max_matches], "truncated": is_truncated}

    def _output(
        self, program: str, path: str, *arguments: str, stdin: bytes = b""
    ) -> bytes:
        """Run a program for a path and return its output.

        It says by its exit code why it fails, which becomes `/app/main.py does not exist`.
        """
        result = self.container.run(
            own_program(program, self._absolute(path), *arguments),
            CommandPlace(self._place.user),
            stdin=stdin,
            timeout_s=min(COMMAND_TIMEOUT_S, self._remaining_s()),
        )
        _check(result, path)
        return result.stdout

    def _absolute(self, path: str) -> str:
        """Return a path as an absolute one. A relative path starts at the working directory."""
        if path in ("", "."):
            return self._place.workdir
        return posixpath.join(self._place.workdir, path)

    def _remaining_s(self) -> float:
        """Return the seconds that are left of the trial's time. Raises `CallError` if none is."""
        remaining_s = self.ends_at - time.monotonic()
        if remaining_s <= 0:
            msg = "the time of this trial is over"
            raise CallError(error_codes.FAILED_PRECONDITION, msg)
        return remaining_s
