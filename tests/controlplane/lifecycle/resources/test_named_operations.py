"""Names of operations, rules and layers in a run's settings are checked before the run begins.

`--provenance off,write=block` protects calls of `write`: one with a value that comes only from a
text, such as a mail, is not sent. Calls of all other operations are. A misspelt name, `wirte=block`,
would protect nothing, so that it is an error with the nearest right name, and no run starts.
"""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import controlplane
from controlplane import Task, TaskEnvironment, Tool
from controlplane.errors import UsageError
from controlplane.solver import SolverSpec
from tests.support.command import ROOT, CommandRunner, check_error_line


class SilentSolver:
    """Ends each trial without an answer."""

    def solve(self, session: object) -> str:
        return "nothing to do"


SOLVER = SolverSpec(lambda tools: SilentSolver(), roles=())
"""The agent of the runs below that do begin: `agent=__name__` finds it by this name."""


@pytest.fixture
def model(tmp_path: Path) -> str:
    """The name of a model that is a script. It is not asked, as no run begins."""
    replies = "[[reply]]\nstate = 's'\ndone = true\ncode = 'print(1)'\n"
    (tmp_path / "replies.toml").write_text(replies)
    return "scripted:replies.toml"


class TestNamesOfSettings:
    """A setting of `run`, `improve` or `ask` names an operation, a gate, a rule or a layer.

    `write` is an operation of the benchmark, `6/unowned-change` a rule of gate 6, a check of
    answers, and `kernel` a layer around scripts. No run is recorded if a name is wrong.
    """

    @pytest.mark.parametrize("command", ["run", "improve"])
    @pytest.mark.parametrize(
        ("option", "value", "expected_hint"),
        [
            ("--provenance", "off,wirte=block", "did you mean 'write'"),
            ("--provenance", "block,write=only:contnet", "did you mean 'content'"),
            ("--provenance", "blok", "did you mean 'block'"),
            ("--reads", "wirte", "did you mean 'write'"),
            ("--gates", "6/unownd-change=off", "did you mean '6/unowned-change'"),
            ("--gates", "9", "gates from 1 to 8"),
            ("--rule-sets", "ecmo", "use one of ecom"),
            ("--rule-sets", "ecom/cheklist=off", "did you mean 'ecom/checklist'"),
            ("--isolation", "kernl", "did you mean 'kernel'"),
        ],
    )
    def test_a_misspelt_name_is_refused_with_the_nearest(
        self,
        command: str,
        option: str,
        value: str,
        expected_hint: str,
        model: str,
        run_command_here: CommandRunner,
        tmp_path: Path,
    ) -> None:
        """`wirte` is not an operation, 6/unownd-change not a rule, and so on. No run is
        recorded."""
        words = [command, "sku-lookup", "--model", model, option, value]
        if command == "improve":
            words += ["--with", model]  # It needs a second model.

        result = run_command_here(*words)

        check_error_line(result, UsageError.exit_code, expected_hint)
        assert not (tmp_path / "runs").exists()

    def test_a_question_checks_the_names_of_its_own_operations(
        self, model: str, run_command_here: CommandRunner, tmp_path: Path
    ) -> None:
        """A question about files has the operations that read files, such as `read`. The setting
        below would protect `read` alone, and misspells it."""
        (tmp_path / "a.md").write_text("Loan 2 is due in May.\n")

        result = run_command_here(
            "ask",
            "When is loan 2 due?",
            "a.md",
            "--model",
            model,
            "--provenance",
            "off,reed=block",
        )

        check_error_line(result, UsageError.exit_code, "did you mean 'read'")
        assert not (tmp_path / "runs").exists()


LOANS_SERVER = f"loans={sys.executable} {ROOT / 'tests/support/loans_server.py'}"
"""A server with the name `loans`, whose tool `extend` has the argument `number`."""


class TestNamesOfServers:
    """A setting names tools of the MCP server `loans`, whose tool `extend` takes a `number`.

    `--allow` and `--deny` name tools that scripts may call, `--reads` tools that only read, and
    `only:number` the argument that `--provenance` looks at.
    """

    @pytest.mark.parametrize(
        ("option", "value", "nearest_name"),
        [
            ("--allow", "loans.exten", "loans.extend"),
            ("--deny", "loans.exten", "loans.extend"),
            ("--deny", "loan.extend", "loans"),
            ("--reads", "loans.exten", "loans.extend"),
            ("--provenance", "block,loans.exten=off", "loans.extend"),
            ("--provenance", "block,loans.extend=only:numbr", "number"),
        ],
    )
    def test_a_misspelt_name_of_a_tool_is_refused_with_the_nearest(
        self,
        option: str,
        value: str,
        nearest_name: str,
        model: str,
        run_command_here: CommandRunner,
        tmp_path: Path,
    ) -> None:
        """The names are known once the server is started, which is before the run is recorded."""
        result = run_command_here(
            "run",
            "sku-lookup.1",
            "--model",
            model,
            "--mcp",
            LOANS_SERVER,
            option,
            value,
        )

        check_error_line(result, UsageError.exit_code, f"did you mean {nearest_name!r}")
        assert not (tmp_path / "runs").exists()


def pay(amount: int) -> str:
    """Pay an amount."""
    return f"paid {amount}"


def lend(amount: int) -> str:
    """Lend an amount."""
    return f"lent {amount}"


def task_with_tool(task_id: str, function: Callable[[int], str]) -> Task:
    """Return a task whose only tool is this function, which changes something ("acts")."""
    return Task(
        task_id,
        "Do it.",
        environment=lambda: TaskEnvironment([Tool(function, "acts")]),
        grade=lambda end: 1,
    )


PAY_AND_LEND = [task_with_tool("bank.pay", pay), task_with_tool("desk.lend", lend)]
"""The first task has the tool `pay`, the second `lend`."""


class TestNamesOfTasks:
    """A Python program plays two tasks: the first has the tool `pay`, the second `lend`.

    The settings hold for both tasks, so that a name is right if it is one of either.
    """

    def test_settings_may_name_a_tool_that_only_one_of_the_tasks_has(
        self, tmp_path: Path
    ) -> None:
        """The first task has the tool `pay`, the second `lend`. Each name below is right for one of
        them:

        | setting | its meaning |
        |---|---|
        | `pay=block` | `pay` is protected with all its arguments |
        | `lend=only:amount` | `lend` is protected with this argument only |
        | `reads="lend"` | `lend` counts as a read |
        """
        run = controlplane.run(
            PAY_AND_LEND,
            agent=__name__,
            provenance="off,pay=block,lend=only:amount",
            reads="lend",
            runs_dir=str(tmp_path),
        )

        assert len(run.trials) == 2
        assert run.error == ""

    def test_a_name_that_no_task_of_a_program_has_is_refused(
        self, tmp_path: Path
    ) -> None:
        """`lned` is not a tool of any task; `lend` is one of the second."""
        with pytest.raises(UsageError, match="did you mean 'lend'"):
            controlplane.run(
                PAY_AND_LEND,
                agent=__name__,
                provenance="off,lned=block",
                runs_dir=str(tmp_path / "runs"),
            )

        assert not (tmp_path / "runs").exists()
