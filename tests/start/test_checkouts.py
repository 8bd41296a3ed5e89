"""The script `start` installs into the checkout that it belongs to, and removes nothing of the user.

`./start run` makes a virtual environment in `.venv` if there is none, installs the product, and
runs `controlplane run`. `run_start(folder, python)` copies the script into a folder and runs the copy,
with the text `python` as the program `python3`. So nothing is really installed.
"""

import os
import subprocess
from pathlib import Path

import pytest

from tests.start.start_script import (
    PYTHON_WITHOUT_NETWORK,
    PYTHON_WITHOUT_VENV,
    TOO_OLD_PYTHON,
    is_installed,
    run_start,
)
from tests.support.product_files import ROOT

# The script `start`, the first command that a reader types after cloning, names what is missing.
#
# `./start run` makes a virtual environment in `.venv` if there is none, and installs the product. On
# a machine without Python, say, its last line is "start: Python 3.11 or newer is needed …". Each case
# has another script in place of `python3`, which fails as Python does if something is missing.


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
    result = run_start(tmp_path, python)

    assert result.returncode == 3
    last_line = result.stderr.splitlines()[-1]
    assert last_line.startswith("start: ")
    assert message in last_line
    # By this file, the next `start` would know that all is installed.
    assert list(tmp_path.glob(".venv/.installed*")) == []


def test_a_link_to_the_script_installs_into_the_checkout(tmp_path: Path) -> None:
    """The user has a link to the script on their PATH. Nothing is installed beside the link.

    This `python3` makes the folder `.venv`, but then fails to install.
    """
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
    """This `python3` fails to make an environment. The user's file may not go with the rest."""
    users_file = tmp_path / ".venv" / "mine.txt"
    users_file.parent.mkdir()
    users_file.write_text("kept")

    result = run_start(tmp_path, PYTHON_WITHOUT_VENV)

    assert result.returncode == 3
    assert "remove the folder" in result.stderr
    assert users_file.read_text() == "kept"


@pytest.mark.skipif(
    not is_installed(),
    reason="the tests were not started by ./start, or their requirements have changed since",
)
def test_an_installed_checkout_runs_at_once_and_names_itself_in_its_output(
    tmp_path: Path,
) -> None:
    """The output names commands to copy. They have to begin as this one did: with `start`."""
    runs_folder = tmp_path / "runs"
    result = subprocess.run(
        [ROOT / "start", "run", "--limit", "1", "--runs-dir", runs_folder],
        env={"PATH": os.environ["PATH"], "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )

    assert result.returncode == 0, result.stderr
    assert "installing" not in result.stderr
    assert f"{ROOT}/start replay" in result.stdout
