"""Shell programs that read files inside a container, and say by exit codes why they cannot.

`harness.read("/app/a.txt")` of an agent runs such a program in the container of its task. A missing
file, one that may not be read, and an empty one must not look alike. Here, the programs read a
file of this machine with the lines "a", "b" and "c".
"""

import os
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from controlplane.benchmarks.harbor.terminal_environment import (
    MISSING,
    NOT_ALLOWED,
    READ_FILE,
    READ_LINES,
)

both_programs = pytest.mark.parametrize(
    "program",
    [
        pytest.param(READ_FILE, id="read a file"),
        pytest.param(READ_LINES, id="read lines"),
    ],
)


@pytest.fixture
def path() -> Iterator[Path]:
    """A file of the lines "a", "b" and "c", in a folder that every user may enter."""
    with tempfile.TemporaryDirectory(dir="/tmp") as name:
        folder = Path(name)
        folder.chmod(0o755)
        path = folder / "secret.txt"
        path.write_text("a\nb\nc\n")
        yield path


def run_as_nobody(program: str, path: Path) -> subprocess.CompletedProcess[bytes]:
    """Run a program on a file as the user "nobody", since root may read every file.

    Both programs print at most 100 bytes, and `READ_LINES` prints lines 1 and 2.
    """
    nobody = 65_534 if os.geteuid() == 0 else None
    max_bytes, lines = "100", "1,2p"
    words = ["sh", "-c", program, "name of the program", str(path), max_bytes, lines]
    return subprocess.run(words, user=nobody, capture_output=True, check=False)


@both_programs
def test_a_file_is_read(path: Path, program: str) -> None:
    assert run_as_nobody(program, path).stdout.startswith(b"a\nb\n")


@both_programs
def test_a_file_that_may_not_be_read_has_an_exit_code_of_its_own(
    path: Path, program: str
) -> None:
    path.chmod(0)

    assert run_as_nobody(program, path).returncode == NOT_ALLOWED


@both_programs
def test_a_file_that_does_not_exist_has_an_exit_code_of_its_own(
    path: Path, program: str
) -> None:
    path.unlink()

    assert run_as_nobody(program, path).returncode == MISSING
