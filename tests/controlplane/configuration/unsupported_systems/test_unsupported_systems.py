"""On a system where it cannot run, the product says so in one line, in place of a traceback.

It needs Python 3.11, its installed dependencies, and `os.fork`, which Windows does not have.
`python3.10 -m controlplane run` prints that this is Python 3.10, and that `./start` helps.
"""

from pathlib import Path

import pytest

from controlplane.errors import UsageError
from tests.support.command import check_error_line, run_python

RUN_AFTER = """
import sys, os, runpy
{change}
sys.argv = ['controlplane', 'run']
runpy.run_module('controlplane', None, '__main__')
"""
"""A program that runs `controlplane run` after a change that makes this system look like another."""

OLD_PYTHON = RUN_AFTER.format(
    change="sys.version_info = (3, 10, 4); sys.version = '3.10.4 (main)'"
)
SYSTEM_WITHOUT_FORK = RUN_AFTER.format(change="del os.fork")


@pytest.mark.parametrize(
    ("python_arguments", "error_parts"),
    [
        pytest.param(["-c", OLD_PYTHON], ["Python 3.10.4", "./start"], id="old Python"),
        pytest.param(
            ["-c", SYSTEM_WITHOUT_FORK], ["cannot fork", "Windows", "WSL"], id="Windows"
        ),
        pytest.param(
            # `-S` leaves out the installed packages.
            ["-S", "-m", "controlplane", "run"],
            ["the package", "is not installed here", "./start"],
            id="missing dependencies",
        ),
    ],
)
def test_a_system_that_is_not_supported_is_named_in_one_line(
    python_arguments: list[str], error_parts: list[str], tmp_path: Path
) -> None:
    result = run_python(*python_arguments, cwd=tmp_path)

    check_error_line(result, UsageError.exit_code, *error_parts)
