"""On a system where it cannot run, the product says so in one line, in place of a traceback.

It needs Python 3.11, its installed dependencies, and `os.fork`, which Windows does not have.
`python3.10 -m controlplane run` prints that this is Python 3.10, and that `./start` helps.
"""

import ast
import sys
from pathlib import Path

import pytest

from controlplane.errors import UsageError
from tests.support.command import ROOT, check_error_line, run_python

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


class TestUnsupportedSystems:
    """The product runs on an old Python, on Windows, or without its dependencies.

    `RUN_AFTER` is a program that runs `controlplane run` after a change that makes this system
    look like another one.
    """

    @pytest.mark.parametrize(
        ("python_arguments", "error_parts"),
        [
            pytest.param(
                ["-c", OLD_PYTHON],
                ["Python 3.10.4", "./start"],
                id="old Python",
            ),
            pytest.param(
                ["-c", SYSTEM_WITHOUT_FORK],
                ["cannot fork", "Windows", "WSL"],
                id="Windows",
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
        self, python_arguments: list[str], error_parts: list[str], tmp_path: Path
    ) -> None:
        """In place of a traceback, the user reads what is missing, and which command helps."""
        result = run_python(*python_arguments, cwd=tmp_path)

        check_error_line(result, UsageError.exit_code, *error_parts)


def packages_imported_at_the_top(file: Path) -> set[str]:
    """Return the packages that a file imports when it is imported itself: `{"os", "json"}`.

    An import inside a function does not count. The file is parsed as Python 3.8 does; raises
    `SyntaxError` for what came later.
    """
    modules: list[str] = []
    tree = ast.parse(file.read_text(), feature_version=(3, 8))
    for statement in tree.body:
        if isinstance(statement, ast.Import):
            modules += [alias.name for alias in statement.names]
        elif isinstance(statement, ast.ImportFrom):
            modules.append(statement.module or "")
    return {module.partition(".")[0] for module in modules}


class TestFirstModules:
    """The modules that run first tell that the Python is too old, so it must understand them.

    They must not import a library, or use syntax, that came later.
    """

    @pytest.mark.parametrize(
        "file_name", ["controlplane/__init__.py", "controlplane/__main__.py"]
    )
    def test_an_old_python_can_import_what_tells_that_it_is_old(
        self, file_name: str
    ) -> None:
        """These two files run first, and print that the Python is too old. So they may import only
        what an old one has: the product itself, and the standard library without `tomllib`, which
        is new in Python 3.11."""
        modules_of_old_python = sys.stdlib_module_names - {"tomllib"}

        imported = packages_imported_at_the_top(ROOT / file_name)

        assert imported - {"controlplane"} <= modules_of_old_python
