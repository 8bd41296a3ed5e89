"""The short programs that read the files of a container."""

import os
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from controlplane.benchmarks.harbor.files.file_programs import (
    MISSING,
    NOT_ALLOWED,
    READ_FILE,
    READ_LINES,
)

NOBODY = 65_534


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that every user may enter."""
    with tempfile.TemporaryDirectory(dir="/tmp") as name:
        Path(name).chmod(0o755)
        yield Path(name)


def run(program: str, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    """Run a program as a user who is not root, who may read every file."""
    user = NOBODY if os.geteuid() == 0 else None
    words = ["sh", "-c", program, "sh", *arguments]
    return subprocess.run(words, user=user, capture_output=True, check=False)


@pytest.mark.parametrize(
    ("program", "lines"), [(READ_FILE, []), (READ_LINES, ["1,2p"])]
)
def test_a_file_that_may_not_be_read_is_not_an_empty_file(
    folder: Path, program: str, lines: list[str]
) -> None:
    path = folder / "secret.txt"
    path.write_text("a\nb\nc\n")
    assert run(program, str(path), "100", *lines).stdout.startswith(b"a\nb\n")
    path.chmod(0)
    assert run(program, str(path), "100", *lines).returncode == NOT_ALLOWED
    path.unlink()
    assert run(program, str(path), "100", *lines).returncode == MISSING
