"""A small disk in memory."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture
def disk_of_32_kb(tmp_path: Path) -> Iterator[Path]:
    """Return the folder of a disk in memory, which is full before the run is over."""
    if os.geteuid() != 0:
        pytest.skip("only root can mount a disk")
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=32k", "tmpfs", folder],
        capture_output=True,
        text=True,
        check=False,
    )
    if mounted.returncode:
        pytest.skip(f"no disk can be mounted here: {mounted.stderr.strip()}")
    yield folder
    subprocess.run(["umount", "-l", folder], check=True)
