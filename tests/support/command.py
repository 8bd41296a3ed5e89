"""Runs `controlplane ...` and other programs as a user would, and returns what they printed.

    result = run_controlplane("show", "last", cwd=folder)
    assert result.code == 0
    assert "answered" in result.out

`run_controlplane` starts a process and waits for it. `start_controlplane` leaves it running, for
a test that stops or kills it. `run_in_process` calls the command line inside the test's process,
which saves a second. None of them sees the environment variables of whoever runs the tests.
"""

import contextlib
import io
import json
import os
import re
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
from controlplane.configuration.config_file import trust
from controlplane.errors import UsageError
from tests.support.forks.forked_process import ForkedCommand, can_fork, exit_code_of
from tests.support.product_files import ROOT

LONGEST_RUN_S = 120
"""How long a test waits for a program, in seconds, before it kills the program."""

LONGEST_ERROR_LINE = 500
"""A user still reads an error line of fewer characters than this."""

CANARY_API_KEY = "sk-canary-76543210fedcba98"
"""An API key that no output, journal or error may ever show: tests search for it."""


@dataclass(frozen=True)
class CommandResult:
    """How a program ended (`code` is its exit code), and what it wrote to its two streams."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Return the standard output as parsed JSON, as after `controlplane show --json`."""
        return json.loads(self.out)


CommandRunner = Callable[..., CommandResult]
"""The type of the fixture `run_command_here`: `run_command_here("run", "--seed", "7", HOME="/x")`
runs a command with these words and environment variables in the test's process."""


# Run `controlplane`, and check how it failed.


def run_controlplane(
    *arguments: str | Path, cwd: Path, **variables: str
) -> CommandResult:
    """Run `controlplane` in a process of its own to its end.

    `run_controlplane("show", "last", cwd=folder, HOME="/x")` runs `controlplane show last` in
    `folder`, with one environment variable set.
    """
    return wait_for_exit(start_controlplane(*arguments, cwd=cwd, **variables))


def start_controlplane(
    *arguments: str | Path, cwd: Path, **variables: str
) -> subprocess.Popen[str]:
    """Start `controlplane` and leave it running; see `run_controlplane` for the arguments.

    `process = start_controlplane("run", cwd=folder)`, and then `process.send_signal(SIGINT)`
    """
    return start_in_environment(arguments, cwd=cwd, env=clean_environment(**variables))


def start_in_environment(
    arguments: Sequence[str | Path],
    *,
    env: dict[str, str],
    may_fork: bool = True,
    **popen_options: Any,
) -> subprocess.Popen[str]:
    """Start `controlplane` with exactly these environment variables, and leave it running.

    The process is a fork of a server that has imported the product already, which saves the time
    of the imports. The server has the clean environment; if `env` differs from it in a variable
    that Python reads at its start, such as `PYTHONUTF8`, a new Python is started instead.

    A fork does not end quite as a user's process does: it does not close the server of its
    scripts, and skips the end of Python itself. A test of the end passes `may_fork=False`.
    """
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    options.update(popen_options)
    if may_fork and can_fork(env, usual=clean_environment()):
        words = [str(argument) for argument in arguments]
        return ForkedCommand(words, env=env, **options)
    return subprocess.Popen(command(arguments), env=env, **options)


def command(arguments: Sequence[str | Path]) -> list[str]:
    """Return the words that start `controlplane` with these arguments.

    `command(["runs"])` -> `["/usr/bin/python3", "-m", "controlplane", "runs"]`
    """
    words = [str(argument) for argument in arguments]
    return [sys.executable, "-m", "controlplane", *words]


def wait_for_exit(
    process: subprocess.Popen[str], *, within_s: float = LONGEST_RUN_S
) -> CommandResult:
    """Wait until a started command ends; kill it and raise `TimeoutExpired` after `within_s`."""
    with process:
        try:
            out, err = process.communicate(timeout=within_s)
        except BaseException:
            process.kill()
            raise
    if out is None:  # The test has sent the output elsewhere.
        out = ""
    return CommandResult(process.returncode, out, err)


def run_in_process(
    *arguments: str | Path, cwd: Path, **variables: str
) -> CommandResult:
    """Run `controlplane` inside the process of the test; see `run_controlplane`.

    Folder, environment, `sys.argv`, `sys.path` and standard streams are those of the command
    while it runs, and are restored afterwards.
    """
    out = io.StringIO()
    err = io.StringIO()
    command_line = ["controlplane", *(str(argument) for argument in arguments)]
    code = 0
    with (
        contextlib.chdir(cwd),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        mock.patch.dict(os.environ, clean_environment(**variables), clear=True),
        mock.patch.object(sys, "path", list(sys.path)),
        mock.patch.object(sys, "argv", command_line),
    ):
        try:
            main()
        except SystemExit as end:
            code = exit_code_of(end)
    return CommandResult(code, out.getvalue(), err.getvalue())


def check_error_line(result: CommandResult, code: int, *expected_texts: str) -> None:
    """Assert that a command failed with `code` and a single short line on standard error.

    The line begins with `controlplane: ` and has each of the `expected_texts` in it.
    """
    lines = result.err.strip().splitlines()
    assert len(lines) == 1, result.err
    error_line = lines[0]
    assert error_line.startswith("controlplane: ")
    for text in expected_texts:
        assert text in error_line
    assert result.code == code, error_line
    assert len(error_line) < LONGEST_ERROR_LINE


def check_refused(result: CommandResult, folder: Path, message: str) -> None:
    """Assert that a command with wrong options was refused before a run has started in `folder`.

    It printed a single line with the message, in which "…" stands for any text: "--limit: … not -3".
    The line does not show the key of the tests, `CANARY_API_KEY`.
    """
    check_error_line(result, UsageError.exit_code)
    parts = [re.escape(part.strip()) for part in message.split("…")]
    assert re.search(".*".join(parts), result.err), result.err
    assert CANARY_API_KEY not in result.err
    assert no_run_has_started(folder)


# Run other programs.


def clean_environment(**variables: str) -> dict[str, str]:
    """Return a bare environment: no key, no model, no configuration of whoever runs the tests.

    `clean_environment(HOME="/x")` sets, or replaces, one variable.
    """
    environment = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(ROOT),
        "HOME": "/nonexistent",
        "COLUMNS": "100",
        "XDG_STATE_HOME": os.environ.get("XDG_STATE_HOME", "/nonexistent"),
    }
    environment.update(variables)
    return environment


def run_program(
    words: Sequence[str | Path], cwd: Path = ROOT, *, text: str = "", **variables: str
) -> CommandResult:
    """Run any program to its end, with `text` as its standard input.

    `run_program(["git", "apply"], folder, text=patch, HOME="/x")`
    """
    completed = subprocess.run(
        words,
        cwd=cwd,
        env=clean_environment(**variables),
        input=text,
        capture_output=True,
        text=True,
        timeout=LONGEST_RUN_S,
        check=False,
    )
    return CommandResult(completed.returncode, completed.stdout, completed.stderr)


def run_python(*words: str | Path, cwd: Path = ROOT, **variables: str) -> CommandResult:
    """Run the Python of the tests to its end: `run_python("-c", "print(1)")`."""
    return run_program([sys.executable, *words], cwd, **variables)


def run_on_full_disk(words: Sequence[str], cwd: Path) -> CommandResult:
    """Run a program whose standard output is a device on which no space is left."""
    full_device = Path("/dev/full")
    if not full_device.exists():
        pytest.skip("this system has no device that is always full")
    with full_device.open("wb") as output:
        completed = subprocess.run(
            words,
            cwd=cwd,
            env=clean_environment(),
            stdout=output,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    return CommandResult(completed.returncode, "", completed.stderr)


# Wait, configure, and look for runs.


PATIENCE_S = 120
"""How long to wait for what usually comes within a second: enough for a very busy machine."""


def wait_until(condition: Callable[[], bool], *, within_s: float = PATIENCE_S) -> None:
    """Wait until `condition()` is true; fail after `within_s` seconds.

    `wait_until(lambda: journal.exists())`
    """
    deadline = time.monotonic() + within_s
    while not condition():
        assert time.monotonic() < deadline, f"still not true after {within_s} s"
        time.sleep(0.01)


def write_config(path: Path, text: str, **write_options: str) -> None:
    """Write the configuration `text` to `path`, and trust it as `controlplane trust` does.

    `write_options` are those of `Path.write_text`, such as `encoding="utf-16"`.
    """
    path.write_text(text, **write_options)
    trust(path, path.read_bytes())


def no_run_has_started(folder: Path) -> bool:
    """Return True if no run has written a journal below this folder: journals are named by
    their date, such as `20261129-...jsonl`."""
    return not list(folder.rglob("2*.jsonl"))
