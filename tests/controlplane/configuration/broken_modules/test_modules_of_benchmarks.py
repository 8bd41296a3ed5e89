"""A module that the user names as a benchmark, and that is not a working one, is refused in one line.

`run --benchmark mine` imports the user's `mine.py`, which should have a function `open_benchmark`.
In the messages below, "…" stands for any text.
"""

import sys
from pathlib import Path

import pytest

from tests.support.command import CommandRunner, check_refused


@pytest.mark.parametrize(
    ("source", "message"),
    [
        pytest.param(
            "def x(:\n",
            "mine … cannot be imported: SyntaxError … line 1",
            id="not Python",
        ),
        pytest.param(
            "\nraise RuntimeError('boom')\n",
            "mine … cannot be imported: RuntimeError: boom … line 2",
            id="it raises",
        ),
        pytest.param(
            "undefined_name\n",
            "mine … cannot be imported: NameError … undefined_name",
            id="an undefined name",
        ),
        pytest.param(
            "import nonexistent_package\n",
            "mine … needs the package 'nonexistent_package', which is not installed",
            id="a missing package",
        ),
        pytest.param(
            "from json import nonexistent_name\n",
            "mine … cannot be imported: ImportError … nonexistent_name",
            id="a missing import",
        ),
        pytest.param(
            "def open_benchmark(argument, settings, context):\n"
            "    raise KeyError('world')\n",
            "mine … cannot be opened: KeyError … line 2",
            id="it raises when the benchmark is opened",
        ),
        pytest.param(
            "OPTIONS = {'size': 'how many'}\nopen_benchmark = print\n",
            "OPTIONS of the module … mine … 'size'",
            id="options of another form",
        ),
        pytest.param(
            "x = 1\n",
            "mine … is not a benchmark: it has no open_benchmark(argument, settings, context)",
            id="no benchmark",
        ),
    ],
)
def test_a_module_that_is_not_a_working_benchmark_is_refused(
    source: str, message: str, run_command_here: CommandRunner, tmp_path: Path
) -> None:
    sys.modules.pop("mine", None)  # the module of another case
    (tmp_path / "mine.py").write_text(source)

    refused = run_command_here("run", "--benchmark", "mine")

    check_refused(refused, tmp_path, message)
