"""The script `start`, the first command that a reader types after cloning the repository.

`./start run` makes a virtual environment in `.venv` if there is none, installs the product, and
runs `controlplane run`. Most tests run a copy of the script on a machine that lacks something:
their `PATH` leads to a folder with a few tools, and a shell script in place of Python.
"""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

TOOLS_OF_START = ("cat", "cmp", "cp", "dirname", "mkdir", "readlink", "rm", "sh")
"""The programs that `start` uses besides Python."""

CODE_UNUSABLE = 3
"""The exit code of `start` if something is missing that it needs."""

# Scripts in place of Python. `start` calls it as `python3 -c …` to ask for its version, as
# `python3 -m venv FOLDER` and as `python3 -m pip …`, so that the second word is `venv` or `pip`.

TOO_OLD_PYTHON = """#!/bin/sh
exit 1
"""
"""It fails at the first call, with which `start` asks whether its version is new enough."""

PYTHON_WITHOUT_VENV = """#!/bin/sh
[ "$2" = venv ] && exit 1
exit 0
"""
"""It fails at `python3 -m venv .venv`."""

PYTHON_WITHOUT_NETWORK = """#!/bin/sh
[ "$2" = pip ] && { echo "no network" >&2; exit 1; }
[ "$2" = venv ] && { mkdir -p "$3/bin" && cp "$0" "$3/bin/python"; }
exit 0
"""
"""It makes a virtual environment, with itself as its Python, and fails at `python3 -m pip ...`."""


def run_start(
    checkout: Path, python: str | None, called_as: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a copy of `start` in `checkout`, with this script for Python, or none at all.

    `called_as` is the path that is typed, if not that of the copy.
    """
    tools = checkout / "tools"
    tools.mkdir()
    for tool in TOOLS_OF_START:
        (tools / tool).symlink_to(shutil.which(tool) or tool)
    if python is not None:
        (tools / "python3").write_text(python)
        (tools / "python3").chmod(0o755)
    for name in ("start", "pyproject.toml", "constraints.txt"):
        shutil.copy(ROOT / name, checkout / name)
    return subprocess.run(
        ["/bin/sh", str(called_as or checkout / "start")],
        env={"PATH": str(tools)},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


@pytest.mark.parametrize(
    ("python", "message"),
    [
        pytest.param(None, "Python 3.11 or newer is needed", id="no Python"),
        pytest.param(
            TOO_OLD_PYTHON, "Python 3.11 or newer is needed", id="an old Python"
        ),
        pytest.param(
            PYTHON_WITHOUT_VENV, "apt-get install python3-venv", id="no module venv"
        ),
        pytest.param(PYTHON_WITHOUT_NETWORK, "is the network there?", id="no network"),
    ],
)
def test_a_missing_requirement_is_named_in_the_last_line(
    tmp_path: Path, python: str | None, message: str
) -> None:
    """Each case has another script in place of `python3`, which fails as Python does if something is
    missing. Nothing counts as installed: the file `.venv/.installed...`, by which the next `start`
    would know it, is not there."""
    result = run_start(tmp_path, python)

    assert result.returncode == CODE_UNUSABLE
    last_line = result.stderr.splitlines()[-1]
    assert last_line.startswith("start: ")
    assert message in last_line
    assert list(tmp_path.glob(".venv/.installed*")) == []


def test_a_link_to_the_script_installs_into_the_checkout(tmp_path: Path) -> None:
    """The user has a link to the script on their PATH. Nothing is installed beside the link."""
    folder_of_link = tmp_path / "bin"
    folder_of_link.mkdir()
    (folder_of_link / "start").symlink_to(tmp_path / "start")

    result = run_start(
        tmp_path, PYTHON_WITHOUT_NETWORK, called_as=folder_of_link / "start"
    )

    assert "is the network there?" in result.stderr
    assert (tmp_path / ".venv/bin/python").exists()
    assert [path.name for path in folder_of_link.iterdir()] == ["start"]


def test_an_environment_that_start_did_not_make_is_not_removed(tmp_path: Path) -> None:
    """The user is asked to remove the folder, as it may have something of theirs."""
    users_file = tmp_path / ".venv" / "mine.txt"
    users_file.parent.mkdir()
    users_file.write_text("kept")

    result = run_start(tmp_path, PYTHON_WITHOUT_VENV)

    assert result.returncode == CODE_UNUSABLE
    assert "remove the folder" in result.stderr
    assert users_file.read_text() == "kept"


@pytest.mark.skipif(
    not (ROOT / ".venv/.installed-test").exists(),
    reason="the tests were not started by ./start, which this is about",
)
def test_an_installed_checkout_runs_at_once_and_names_itself_in_its_output(
    tmp_path: Path,
) -> None:
    """The output names commands to copy. They have to begin as this one did: with `start`."""
    runs_folder = tmp_path / "runs"
    result = subprocess.run(
        [ROOT / "start", "run", "--limit", "2", "--runs-dir", runs_folder],
        env={"PATH": os.environ["PATH"], "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )

    assert result.returncode == 0, result.stderr
    assert "installing" not in result.stderr
    assert f"{ROOT}/start replay" in result.stdout
