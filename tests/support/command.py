"""Runs `controlplane ...` and other programs as a user would, and returns what they printed.

Three ways: `run_controlplane` starts a process and waits for it; `start_controlplane` starts one
and leaves it running, for a test that stops or kills it; `run_in_process` calls the command line
inside the test's own process, which saves a second. None of them sees the environment variables
of whoever runs the tests.
"""

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
class CommandResult:
    """How a program ended (`code` is its exit code), and what it wrote to its two streams."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


CommandRunner = Callable[..., CommandResult]
"""The type of the fixture `run_command_here`: `run_command_here("run", "--seed", "7", HOME="/x")`
runs a command with these words and environment variables in the test's process."""


def check_error_line(result: CommandResult, code: int, *says: str) -> None:
    """Assert that a command failed with `code` and a single short line on standard error.

    The line has every text of `says` in it.
    """
    lines = result.err.strip().splitlines()
    assert len(lines) == 1, result.err
    assert lines[0].startswith("controlplane: ")
    assert [say for say in says if say not in lines[0]] == [], lines[0]
    assert result.code == code, lines[0]
    assert len(lines[0]) < 500


def clean_environment(**changes: str) -> dict[str, str]:
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


def run_controlplane(
    *arguments: str | Path, cwd: Path, **changes: str
) -> CommandResult:
    """Run `controlplane` in a process of its own to its end.

    `run_controlplane("show", "last", cwd=folder, HOME="/x")` runs `controlplane show last` in
    `folder`, with one environment variable set.
    """
    return wait_for_exit(start_controlplane(*arguments, cwd=cwd, **changes))


def wait_for_exit(
    process: subprocess.Popen[str], *, within_s: float = 120
) -> CommandResult:
    """Wait until a started command ends; kill it after `within_s` seconds."""
    with process:
        try:
            out, err = process.communicate(timeout=within_s)
        except BaseException:
            process.kill()
            raise
    return CommandResult(process.returncode, out or "", err)


def run_program(
    words: Sequence[str | Path], cwd: Path = ROOT, *, text: str = "", **changes: str
) -> CommandResult:
    """Run any program to its end, with `text` as its standard input."""
    done = subprocess.run(
        words,
        cwd=cwd,
        env=clean_environment(**changes),
        input=text,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return CommandResult(done.returncode, done.stdout, done.stderr)


def run_python(*words: str | Path, cwd: Path = ROOT, **changes: str) -> CommandResult:
    """Run the Python of the tests to its end: `run_python("-c", "print(1)")`."""
    return run_program([sys.executable, *words], cwd, **changes)


def run_on_full_disk(words: Sequence[str], cwd: Path) -> CommandResult:
    """Run a program whose standard output is a device on which no space is left."""
    if not Path("/dev/full").exists():
        pytest.skip("this system has no device that is always full")
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            words,
            cwd=cwd,
            env=clean_environment(),
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    return CommandResult(done.returncode, "", done.stderr)


def start_controlplane(
    *arguments: str | Path, cwd: Path, **changes: str
) -> subprocess.Popen[str]:
    """Start `controlplane` and leave it running; see `run_controlplane` for the arguments."""
    return start_in_environment(arguments, cwd=cwd, env=clean_environment(**changes))


def start_in_environment(
    arguments: Sequence[str | Path], *, env: dict[str, str], **given: Any
) -> subprocess.Popen[str]:
    """Start `controlplane` with exactly these environment variables, and leave it running.

    Where they allow it, the process is forked from one that has imported the product already,
    which saves the time of the imports. `given` are further arguments of `Popen`.
    """
    given = {
        "stdout": subprocess.PIPE,
        "stderr": subprocess.PIPE,
        "text": True,
        **given,
    }
    if can_fork(env, clean_environment()):
        return ForkedCommand([*map(str, arguments)], env=env, **given)
    return subprocess.Popen(command(arguments), env=env, **given)


def command(arguments: Sequence[str | Path]) -> list[str]:
    """Return the words that start `controlplane` with these arguments."""
    return [sys.executable, "-m", "controlplane", *map(str, arguments)]


def wait_until(holds: Callable[[], bool], *, within_s: float = 20) -> None:
    """Wait until `holds()` is true; fail after `within_s` seconds."""
    deadline = time.monotonic() + within_s
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def write_config(path: Path, text: str, **options: str) -> None:
    """Write the configuration `text` to `path` and trust it."""
    path.write_text(text, **options)
    trust(path, path.read_bytes())


CANARY_API_KEY = "sk-canary-76543210fedcba98"


def no_run_has_started(folder: Path) -> bool:
    """Return whether no run has written a journal below this folder: journals are named by
    their date, such as `20261129-...jsonl`."""
    return not list(folder.rglob("2*.jsonl"))


def run_in_process(*arguments: str | Path, cwd: Path, **changes: str) -> CommandResult:
    """Run `controlplane` inside the process of the test, with its folder and environment
    changed for as long as it lasts; see `run_controlplane` for the arguments."""
    out, err = io.StringIO(), io.StringIO()
    code = 0
    with (
        contextlib.chdir(cwd),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        mock.patch.dict(os.environ, clean_environment(**changes), clear=True),
        mock.patch.object(sys, "path", list(sys.path)),
        mock.patch.object(sys, "argv", ["controlplane", *map(str, arguments)]),
    ):
        try:
            main()
        except SystemExit as end:
            code = (
                end.code if isinstance(end.code, int) else 0 if end.code is None else 1
            )
    return CommandResult(code, out.getvalue(), err.getvalue())
