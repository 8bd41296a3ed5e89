"""What a command tells of an error in a module that the user names.

`run --benchmark mine` imports the user's `mine.py`, and `--agent` and `--rule-sets` import modules,
too. If one raises, the command ends with a line such as "... KeyError: 'x' (mine.py, line 1)", and
with a traceback only under `--debug`.
"""

import logging
import sys
from pathlib import Path

import pytest

from controlplane.errors import UsageError
from tests.support.command import (
    ROOT,
    CommandRunner,
    check_error_line,
    check_refused,
    run_in_process,
)
from tests.support.phonebook import PHONEBOOK_WITH_PLAYER


class TestErrorsAtImport:
    """A module that the user names raises an error when it is imported, or exits.

    The user's `leaving.py` has the benchmark, the agent, or a set of rules for answers.
    """

    @pytest.mark.parametrize(
        ("option", "name"),
        [
            ("--benchmark", "leaving"),
            ("--agent", "leaving"),
            ("--rule-sets", "leaving:RULE_SET"),
        ],
    )
    @pytest.mark.parametrize(
        ("source", "error"),
        [
            pytest.param("raise SystemExit(0)\n", "SystemExit: 0", id="exits"),
            pytest.param("{}['x']\n", "KeyError: 'x'", id="raises"),
        ],
    )
    def test_an_error_at_the_import_of_a_module_names_its_line(
        self, option: str, name: str, source: str, error: str, tmp_path: Path
    ) -> None:
        """The user's module `leaving.py` has the benchmark, the agent or a set of rules for
        answers.

        Even if it exits, the command must not end without a message.
        """
        sys.modules.pop("leaving", None)  # the module of another case
        (tmp_path / "leaving.py").write_text(source, encoding="utf-8")

        result = run_in_process("run", option, name, "--limit", "1", cwd=tmp_path)

        check_error_line(result, UsageError.exit_code, f"{error} (leaving.py, line 1)")


class TestModulesOfBenchmarks:
    """A module that the user names as a benchmark, `mine.py`, is not a working one.

    In a message, "…" stands for any text.
    """

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
        self, source: str, message: str, run_command_here: CommandRunner, tmp_path: Path
    ) -> None:
        """The user's `mine.py` has this source."""
        sys.modules.pop("mine", None)  # the module of another case
        (tmp_path / "mine.py").write_text(source)

        refused = run_command_here("run", "--benchmark", "mine")

        check_refused(refused, tmp_path, message)


SOLVER_THAT_OPENS_NONE = """
from controlplane.solver import SolverSpec

def open_agent(tools):
    return None

SOLVER = SolverSpec(open_agent, roles=())
"""
"""A module for `--agent` that has a `SOLVER`, as it should, but forgets to return an agent."""


class TestAgents:
    """A module that the user names as an agent, by `--agent`, does not give one.

    The module has a `SOLVER` with a function that opens the agent, an object with a method
    `solve`, which works on a task.
    """

    def test_an_agent_that_cannot_solve_is_refused_before_the_run_begins(
        self, tmp_path: Path
    ) -> None:
        """An agent is an object with a method `solve`."""
        module = tmp_path / "forgetful_solver.py"
        module.write_text(SOLVER_THAT_OPENS_NONE, encoding="utf-8")

        options = ("--limit", "1", "--agent", "forgetful_solver")
        refused = run_in_process("run", *options, cwd=tmp_path)

        message = "the agent 'forgetful_solver' opens None, which has no solve(session)"
        check_error_line(refused, UsageError.exit_code, message)


MESSAGE_THAT_STEERS = r"\x1b[31m\u061c"
"""A text as it stands in the source of a module, with a backslash: Python makes an escape sequence
of it, which turns a terminal red, and an invisible character, which turns a text's direction."""

BREAKS_AT_THE_END_OF_A_TRIAL = f"""
from tests.support.phonebook import Phonebook

class BrokenPhonebook(Phonebook):
    def end_trial(self, trial_id):
        raise Exception('{MESSAGE_THAT_STEERS}')

def open_benchmark(argument, settings, context):
    return BrokenPhonebook(delay_s=0.0)
"""
"""A benchmark that raises such a message when a trial ends."""

BREAKS_AT_ITS_OPENING = f"""
def open_benchmark(argument, settings, context):
    raise Exception('{MESSAGE_THAT_STEERS}')
"""
"""A benchmark that raises such a message when it is opened."""


class TestTracebacks:
    """With `--debug`, a command prints the traceback of an error in the user's module.

    The message of the error may steer a terminal: `\\x1b[31m` turns it red, and `\\u061c` changes
    the direction of the text. The user's benchmark raises such an error when it is opened, or when
    a trial ends. The option holds for one command, also in a process with several.
    """

    @pytest.mark.parametrize(
        ("module", "source"),
        [
            pytest.param(
                "broken_end", BREAKS_AT_THE_END_OF_A_TRIAL, id="end of a trial"
            ),
            pytest.param("broken_opening", BREAKS_AT_ITS_OPENING, id="opening"),
        ],
    )
    def test_a_traceback_does_not_steer_the_terminal(
        self, module: str, source: str, run_command_here: CommandRunner, tmp_path: Path
    ) -> None:
        """The traceback has the message of the user's error, with these characters in another form."""
        (tmp_path / f"{module}.py").write_text(source)
        model = f"scripted:{ROOT}/tests/support/phonebook.toml"

        result = run_command_here(
            "run", "ada", "--benchmark", module, "--model", model, "--debug"
        )

        assert "Traceback" in result.err
        assert "\x1b" not in result.err
        assert "\u061c" not in result.err

    def test_the_option_debug_holds_for_its_command_only(
        self, run_command_here: CommandRunner
    ) -> None:
        """The next command in the same process must not print tracebacks."""
        run_command_here("run", "ada", *PHONEBOOK_WITH_PLAYER, "--debug")

        assert not logging.getLogger("controlplane").isEnabledFor(logging.DEBUG)
