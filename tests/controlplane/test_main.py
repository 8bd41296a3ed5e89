"""What a command that cannot run says, and with which exit code."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.command import ROOT, Result, Type, check_line, environment
from tests.support.phonebook import PLAYED as PHONEBOOK


def test_a_traceback_is_shown_on_request_alone_and_changes_no_exit_code(type_in: Type) -> None:
    for arguments in (("--debug", "run", "--gates", "9"), ("run", "--gates", "9", "--debug")):
        result = type_in(*arguments)
        assert result.err.startswith("Traceback")
        assert result.err.splitlines()[-1].startswith("controlplane: --gates: '9' is not a gate")
        assert result.code == 2


BREAKING = """
from tests.support.phonebook import *

def open_benchmark(argument, settings, context):
    opened = Phonebook(0.0)
    opened.end_trial = lambda trial_id: 1 / 0
    return opened
"""


RAISE = "(_ for _ in ()).throw(Exception('\\x1b[31m\\u061c'))"


@pytest.mark.parametrize("text", [BREAKING.replace("1 / 0", RAISE), f"def open_benchmark(*_): {RAISE}"])
def test_a_traceback_does_not_steer_the_terminal(text: str, type_in: Type, tmp_path: Path) -> None:
    name = "marked_" + str(len(text))
    (tmp_path / f"{name}.py").write_text(text)
    shown = type_in("run", "ada", "--benchmark", name, *PHONEBOOK[2:], "--debug").err
    assert "Traceback" in shown
    assert not {"\x1b", "\u061c"} & {*shown}


START = (
    "import sys, os, runpy; {}; sys.argv = ['controlplane', 'run']; runpy.run_module('controlplane', None, '__main__')"
)
WRONG_SYSTEMS = [
    (["-c", START.format("sys.version_info = (3, 10, 4); sys.version = '3.10.4 (main)'")], "Python 3.10.4", "./start"),
    (["-c", START.format("del os.fork")], "cannot fork", "Windows", "WSL"),
    (["-S", "-m", "controlplane", "run"], "the package", "is not installed here", "./start"),
]


@pytest.mark.parametrize(("arguments", "says"), [(system[0], system[1:]) for system in WRONG_SYSTEMS])
def test_a_system_that_will_not_do_is_told_at_once(arguments: list[str], says: tuple[str, ...], tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, *arguments], cwd=tmp_path, env=environment(), capture_output=True, text=True, check=False
    )
    check_line(Result(done.returncode, done.stdout, done.stderr), 2, *says)


def test_an_old_python_gets_as_far_as_being_told_so() -> None:
    for name in ("controlplane/__init__.py", "controlplane/__main__.py"):
        tree = ast.parse((ROOT / name).read_text(), feature_version=(3, 8))
        imported = [each for each in tree.body if isinstance(each, ast.Import | ast.ImportFrom)]
        names = {
            alias.name if isinstance(each, ast.Import) else each.module for each in imported for alias in each.names
        }
        assert names <= sys.stdlib_module_names - {"tomllib"}
