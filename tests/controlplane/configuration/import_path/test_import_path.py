"""Neither a command nor the completion in a shell looks for modules in the working folder.

Python puts the folder of a program, or "" for it, at the beginning of `sys.path`. The product takes
it off, so that a file of the user such as `logging.py` is not imported.
"""

from pathlib import Path

import pytest

from tests.support.command import run_python

pytestmark = pytest.mark.second_tier

LIST_RUNS_AND_PRINT_PATH = """
import sys
from controlplane.__main__ import main
sys.argv[1:] = ["runs"]
try:
    main()
finally:
    print(sys.path)
"""
"""Runs `controlplane runs`, and prints the import path afterwards."""

COMPLETE_IN_BASH = """
import sys
from controlplane.__main__ import main
sys.argv[0] = "controlplane"
main()
"""
"""What bash runs when the user presses Tab. Variables say what is typed already."""


def test_a_command_takes_the_working_folder_off_the_import_path(tmp_path: Path) -> None:
    program = run_python("-c", LIST_RUNS_AND_PRINT_PATH, cwd=tmp_path)

    assert str(tmp_path) not in program.out
    assert "''" not in program.out


def test_completion_in_a_shell_imports_no_module_of_the_folder(tmp_path: Path) -> None:
    """The user has typed `controlplane run --benchmark mine ` and presses Tab.

    The module `mine` would write a file if it were imported.
    """
    (tmp_path / "mine.py").write_text("open('ran', 'w').close()\n")

    completion = run_python(
        "-c",
        COMPLETE_IN_BASH,
        cwd=tmp_path,
        _CONTROLPLANE_COMPLETE="bash_complete",
        COMP_WORDS="controlplane run --benchmark mine ",
        COMP_CWORD="4",  # the number of the word to complete, from 0
    )

    assert completion.err == ""
    assert list(tmp_path.iterdir()) == [tmp_path / "mine.py"]
