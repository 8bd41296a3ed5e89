"""The files that a verifier left in a container: the rewards, and the output of its tests.

A verifier writes a score to `reward.txt`, or several to `reward.json`. One command reads
both files and the end of the output, because a command in a container takes some tenths
of a second.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import Final

from controlplane.benchmarks.containers.container import Container
from controlplane.benchmarks.containers.runtime_program import (
    ContainerError,
    last_lines,
)

LOGS: Final = "/logs/verifier"
OUTPUT: Final = f"{LOGS}/test-stdout.txt"
"""The verifier's output, in the same place as in Harbor."""

MAX_REWARD_BYTES: Final = 100_000
READ_LOGS: Final = f"""
bytes=$1; separator=$2; shift 2
for name in "$@"; do
    path="{LOGS}/$name"
    if [ -f "$path" ]; then
        echo present
        head -c "$bytes" "$path"
    fi
    printf %s "$separator"
done
tail -c 4000 {OUTPUT}
"""
"""Prints files, each followed by a separator, and then the end of the output.

`$1` is the most bytes of a file, `$2` the separator; the names of the files follow. With `=`
as the separator, a reward.txt with `1` and no reward.json give:

    present
    1==the end of the output
"""


@dataclass(frozen=True, slots=True)
class VerifierLogs:
    """The files that a verifier left. A reward is None if its file is missing."""

    reward_text: bytes | None
    reward_json: bytes | None
    output_end: bytes
    """The end of the tests' output."""


def read_logs(container: Container) -> VerifierLogs:
    """Read the files that the verifier left. Raises `ContainerError` if that fails."""
    # The separator is created after the tests have run, so none of their files contains it.
    separator = secrets.token_hex(16)
    result = container.script(
        READ_LOGS, str(MAX_REWARD_BYTES), separator, "reward.txt", "reward.json"
    )
    try:
        printed_text, printed_json, output_end = result.stdout.split(separator.encode())
    except ValueError:  # There are not three parts: the command failed before the end.
        lines = last_lines(result.stderr)
        raise ContainerError("\n".join(["the reward cannot be read", *lines])) from None
    return VerifierLogs(_content(printed_text), _content(printed_json), output_end)


def _content(printed_file: bytes) -> bytes | None:
    """Return the content of a file as `READ_LOGS` prints it; None if the file is missing.

    The content is below the line `present`.
    """
    first_line, _, content = printed_file.partition(b"\n")
    return content if first_line == b"present" else None
