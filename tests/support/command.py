"""Runs the command line as a user would, in a process of its own."""

import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import pytest

ROOT = Path(__file__).parent.parent.parent


@dataclass(frozen=True)
class Result:
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Type = Callable[..., Result]
"""Types a command (its words, and variables by name) in the process of the test."""


def check_line(result: Result, code: int, *says: str) -> None:
    """One line on standard error, with every part of `says` in it, and the exit code."""
    lines = result.err.strip().splitlines()
    assert len(lines) == 1, result.err
    assert lines[0].startswith("controlplane: ")
    assert [each for each in says if each not in lines[0]] == [], lines[0]
    assert result.code == code, lines[0]
    assert len(lines[0]) < 500


def environment(**changes: str) -> dict[str, str]:
    """Return a bare environment: no key, no model, no configuration of whoever runs the tests."""
    given = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "HOME": "/nonexistent", "COLUMNS": "100"}
    return given | {"XDG_STATE_HOME": os.environ.get("XDG_STATE_HOME", "/nonexistent")} | changes


def controlplane(*arguments: str | Path, cwd: Path, **changes: str) -> Result:
    done = subprocess.run(
        command(arguments),
        cwd=cwd,
        env=environment(**changes),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return Result(done.returncode, done.stdout, done.stderr)


def on_a_full_disk(words: Sequence[str], cwd: Path) -> Result:
    """What comes of a command whose standard output takes nothing."""
    if not Path("/dev/full").exists():
        pytest.skip("this system has no device that is always full")
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            words, cwd=cwd, env=environment(), stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    return Result(done.returncode, "", done.stderr)


def limited(
    arguments: Sequence[str | Path],
    folder: Path,
    *,
    files: int = 1_000_000,
    file_bytes: int = resource.RLIM_INFINITY,
    output: IO[str] | int = subprocess.PIPE,
) -> Result:
    """What comes of a command that begins with so few open files, or with files of at most so many bytes."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (file_bytes, resource.RLIM_INFINITY))
        most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(files, most), most))

    done = subprocess.run(
        command(arguments),
        cwd=folder,
        env=environment(PYTHONDONTWRITEBYTECODE="1"),  # of code that is too long for its file a part would be kept
        stdout=output,
        stderr=subprocess.PIPE,
        text=True,
        timeout=120,
        check=False,
        preexec_fn=limit,
    )
    return Result(done.returncode, done.stdout or "", done.stderr)


def started(*arguments: str | Path, cwd: Path, **changes: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        command(arguments),
        cwd=cwd,
        env=environment(**changes),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def command(arguments: Sequence[str | Path]) -> list[str]:
    return [sys.executable, "-m", "controlplane", *map(str, arguments)]


def wait_until(holds: Callable[[], bool], *, within_s: float = 20) -> None:
    """Wait for something to be so, not for ever."""
    deadline = time.monotonic() + within_s
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.01)
