"""The script `start`, the first command that a reader types after cloning, names what is missing.

`./start run` makes a virtual environment in `.venv` if there is none, and installs the product. On
a machine without Python, say, its last line is "start: Python 3.11 or newer is needed …". Each case
has another script in place of `python3`, which fails as Python does if something is missing.
"""

from pathlib import Path

import pytest

from tests.start.start_script import (
    PYTHON_WITHOUT_NETWORK,
    PYTHON_WITHOUT_VENV,
    TOO_OLD_PYTHON,
    run_start,
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
    result = run_start(tmp_path, python)

    assert result.returncode == 3
    last_line = result.stderr.splitlines()[-1]
    assert last_line.startswith("start: ")
    assert message in last_line
    # By this file, the next `start` would know that all is installed.
    assert list(tmp_path.glob(".venv/.installed*")) == []
