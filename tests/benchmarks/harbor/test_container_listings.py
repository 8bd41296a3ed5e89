"""Searches in the files of a container, by a short program that runs `grep` there.

The program needs only a shell and the usual commands, so these tests run it without a container.
"""

import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from controlplane.benchmarks.containers.container import CommandPlace
from controlplane.benchmarks.containers.runtime_program import CommandResult
from controlplane.benchmarks.harbor.terminal_environment import (
    ContainerListings,
    FileProgramRuns,
)


class ThisMachine:
    """Runs commands on this machine, and has the method of a container that runs them there."""

    def run(
        self,
        command: Sequence[str],
        place: CommandPlace,
        *,
        stdin: bytes,
        timeout_s: float,
    ) -> CommandResult:
        """Run a command in the folder and as the user of this process, whatever `place` says."""
        ended = subprocess.run(command, input=stdin, capture_output=True, check=False)
        return CommandResult(ended.stdout, ended.stderr, ended.returncode)


@pytest.mark.parametrize(
    ("content", "shown_text"),
    [
        pytest.param(b"seat 12\n", "seat 12", id="plain"),
        pytest.param(b"seat 12\r\n", "seat 12", id="line end of Windows"),
        pytest.param(b"\x0cseat 12\n", "\x0cseat 12", id="form feed before a section"),
        pytest.param(
            "seat 12\u2028row 4\n".encode(),
            "seat 12\u2028row 4",
            id="line separator of Unicode",
        ),
    ],
)
def test_a_match_has_the_text_of_its_whole_line(
    content: bytes, shown_text: str, tmp_path: Path
) -> None:
    """Only a line feed ends a line, as for `grep`. Source files may have form feeds."""
    path = tmp_path / "a.txt"
    path.write_bytes(content)
    programs = FileProgramRuns(ThisMachine(), user="", workdir="/")

    result = ContainerListings(programs).search("seat", root=str(tmp_path), limit=0)

    assert result["matches"] == [{"path": str(path), "line": 1, "text": shown_text}]
