"""Runs the command line as a user would, in a process of its own."""

import contextlib
import io
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from controlplane.__main__ import main
from controlplane.configuration.config_trust import trust
from tests.support.forked_command import ROOT, ForkedCommand, can_fork


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
    assert [say for say in says if say not in lines[0]] == [], lines[0]
    assert result.code == code, lines[0]
    assert len(lines[0]) < 500


def environment(**changes: str) -> dict[str, str]:
    """Return a bare environment: no key, no model, no configuration of whoever runs the tests."""
    given = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(ROOT),
        "HOME": "/nonexistent",
        "COLUMNS": "100",
    }
    return (
        given
        | {"XDG_STATE_HOME": os.environ.get("XDG_STATE_HOME", "/nonexistent")}
        | changes
    )


def controlplane(*arguments: str | Path, cwd: Path, **changes: str) -> Result:
    return finished(started(*arguments, cwd=cwd, **changes))


def finished(process: subprocess.Popen[str], *, within_s: float = 120) -> Result:
    """Wait for a command's end, and return what came of it."""
    with process:
        try:
            out, err = process.communicate(timeout=within_s)
        except BaseException:
            process.kill()
            raise
    return Result(process.returncode, out or "", err)


def ran(
    words: Sequence[str | Path], cwd: Path = ROOT, *, text: str = "", **changes: str
) -> Result:
    """Return what comes of any program, with `text` as its standard input."""
    done = subprocess.run(
        words,
        cwd=cwd,
        env=environment(**changes),
        input=text,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return Result(done.returncode, done.stdout, done.stderr)


def python(*words: str | Path, cwd: Path = ROOT, **changes: str) -> Result:
    """Return what comes of a program of Python, such as `-c CODE`."""
    return ran([sys.executable, *words], cwd, **changes)


def on_a_full_disk(words: Sequence[str], cwd: Path) -> Result:
    """What comes of a command whose standard output takes nothing."""
    if not Path("/dev/full").exists():
        pytest.skip("this system has no device that is always full")
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            words,
            cwd=cwd,
            env=environment(),
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    return Result(done.returncode, "", done.stderr)


def started(*arguments: str | Path, cwd: Path, **changes: str) -> subprocess.Popen[str]:
    return launched(arguments, cwd=cwd, env=environment(**changes))


def launched(
    arguments: Sequence[str | Path], *, env: dict[str, str], **given: Any
) -> subprocess.Popen[str]:
    """Start a command; forked from a process with its imports if it can be."""
    given = {
        "stdout": subprocess.PIPE,
        "stderr": subprocess.PIPE,
        "text": True,
        **given,
    }
    if can_fork(env, environment()):
        return ForkedCommand([*map(str, arguments)], env=env, **given)
    return subprocess.Popen(command(arguments), env=env, **given)


def command(arguments: Sequence[str | Path]) -> list[str]:
    return [sys.executable, "-m", "controlplane", *map(str, arguments)]


def wait_until(holds: Callable[[], bool], *, within_s: float = 20) -> None:
    """Wait for something to be so, not for ever."""
    deadline = time.monotonic() + within_s
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def write_config(path: Path, text: str, **options: str) -> None:
    """Write the configuration `text` to `path` and trust it."""
    path.write_text(text, **options)
    trust(path, path.read_bytes())


KEY = "sk-canary-76543210fedcba98"


def nothing_began(folder: Path) -> bool:
    return not list(folder.rglob("2*.jsonl"))


def inside(*arguments: str | Path, cwd: Path, **changes: str) -> Result:
    out, err = io.StringIO(), io.StringIO()
    code = 0
    with (
        contextlib.chdir(cwd),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        mock.patch.dict(os.environ, environment(**changes), clear=True),
        mock.patch.object(sys, "path", list(sys.path)),
        mock.patch.object(sys, "argv", ["controlplane", *map(str, arguments)]),
    ):
        try:
            main()
        except SystemExit as end:
            code = (
                end.code if isinstance(end.code, int) else 0 if end.code is None else 1
            )
    return Result(code, out.getvalue(), err.getvalue())
