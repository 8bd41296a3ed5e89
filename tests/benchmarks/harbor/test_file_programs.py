"""Shell programs that read files inside a container, and say by exit codes why they cannot.

`harness.read("/app/a.txt")` of an agent runs such a program in the container of its task. A missing
file, one that may not be read, and an empty one must not look alike.
"""

import os
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from controlplane.benchmarks.harbor.files.file_programs import (
    MISSING,
    NOT_ALLOWED,
    READ_FILE,
    READ_LINES,
)

NOBODY = 65_534
"""The number of the user "nobody", who may read only what everybody may."""
MAX_BYTES = "100"
"""The most bytes that a program prints. The file of these tests has 6."""


@pytest.fixture
def path() -> Iterator[Path]:
    """A file of three lines, "a", "b" and "c", in a folder that every user may enter."""
    with tempfile.TemporaryDirectory(dir="/tmp") as name:
        folder = Path(name)
        folder.chmod(0o755)
        path = folder / "secret.txt"
        path.write_text("a\nb\nc\n")
        yield path


FIRST_TWO_LINES = "1,2p"
"""A program of sed that prints lines 1 and 2."""


class Reading(NamedTuple):
    """A program that reads a file, with its arguments after the path and the most bytes."""

    program: str
    further_arguments: tuple[str, ...] = ()

    def run_as_nobody(self, path: Path) -> subprocess.CompletedProcess[bytes]:
        """Run it on a file as a user who is not root, since root may read every file."""
        user = NOBODY if os.geteuid() == 0 else None
        arguments = [str(path), MAX_BYTES, *self.further_arguments]
        # The second `sh` is the name of the program, which comes before its arguments.
        words = ["sh", "-c", self.program, "sh", *arguments]
        return subprocess.run(words, user=user, capture_output=True, check=False)


both_programs = pytest.mark.parametrize(
    "reading",
    [
        pytest.param(Reading(READ_FILE), id="read a file"),
        pytest.param(Reading(READ_LINES, (FIRST_TWO_LINES,)), id="read lines"),
    ],
)


@both_programs
def test_a_file_is_read(path: Path, reading: Reading) -> None:
    """Both programs print at least the first two lines."""
    result = reading.run_as_nobody(path)

    assert result.stdout.startswith(b"a\nb\n")


@both_programs
def test_a_file_that_may_not_be_read_has_an_exit_code_of_its_own(
    path: Path, reading: Reading
) -> None:
    """An agent is told that it lacks the permission, and not that the file is missing."""
    path.chmod(0)

    result = reading.run_as_nobody(path)

    assert result.returncode == NOT_ALLOWED


@both_programs
def test_a_file_that_does_not_exist_has_an_exit_code_of_its_own(
    path: Path, reading: Reading
) -> None:
    path.unlink()

    result = reading.run_as_nobody(path)

    assert result.returncode == MISSING
