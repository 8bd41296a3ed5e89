"""Names in settings are checked before a run creates
anything: a misspelt one switches no protection off."""

import sys
from pathlib import Path

import pytest

import controlplane
from controlplane import Task, TaskEnvironment, Tool
from controlplane.errors import UsageError
from controlplane.solver import SolverSpec
from tests.support.command import ROOT, CommandRunner, check_error_line

REPLIES = "[[reply]]\nstate = 's'\ndone = true\ncode = 'print(1)'\n"
SERVER = f"loans={sys.executable} {ROOT / 'tests/support/loans_server.py'}"


class Silent:
    """Ends each trial without an answer."""

    def solve(self, session: object) -> str:
        return "nothing to do"


SOLVER = SolverSpec(lambda tools: Silent(), roles=())


@pytest.mark.parametrize(
    ("options", "nearest"),
    [
        (("--provenance", "off,wirte=block"), "did you mean 'write'"),
        (("--provenance", "block,write=only:contnet"), "did you mean 'content'"),
        (("--provenance", "blok"), "did you mean 'block'"),
        (("--reads", "wirte"), "did you mean 'write'"),
        (("--gates", "6/unownd-change=off"), "did you mean '6/unowned-change'"),
        (("--gates", "9"), "gates from 1 to 8"),
        (("--rule-sets", "ecmo"), "use one of ecom"),
        (("--rule-sets", "ecom/cheklist=off"), "did you mean 'ecom/checklist'"),
        (("--isolation", "kernl"), "did you mean 'kernel'"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_a_misspelt_name_is_refused_with_the_nearest_and_nothing_begins(
    options: tuple[str, ...],
    nearest: str,
    run_command_here: CommandRunner,
    tmp_path: Path,
) -> None:
    (tmp_path / "replies.toml").write_text(REPLIES)
    for command in ("run", "improve"):
        words = [command, "sku-lookup", "--model", "scripted:replies.toml"]
        if command == "improve":
            words += ["--with", "scripted:replies.toml"]
        check_error_line(run_command_here(*words, *options), 2, nearest)

    assert not (tmp_path / "runs").exists()


def test_a_question_checks_the_names_of_its_own_operations(
    run_command_here: CommandRunner, tmp_path: Path
) -> None:
    (tmp_path / "replies.toml").write_text(REPLIES)
    (tmp_path / "a.md").write_text("Loan 2 is due in May.\n")
    words = ("ask", "When is loan 2 due?", "a.md", "--model", "scripted:replies.toml")
    check_error_line(
        run_command_here(*words, "--provenance", "off,reed=block"),
        2,
        "did you mean 'read'",
    )

    assert not (tmp_path / "runs").exists()


@pytest.mark.parametrize(
    ("options", "nearest"),
    [
        (("--allow", "loans.exten"), "'loans.extend'"),
        (("--deny", "loans.exten"), "'loans.extend'"),
        (("--deny", "loan.extend"), "'loans'"),
        (("--reads", "loans.exten"), "'loans.extend'"),
        (("--provenance", "block,loans.exten=off"), "'loans.extend'"),
        (("--provenance", "block,loans.extend=only:numbr"), "'number'"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_a_misspelt_name_of_a_tool_is_refused_and_nothing_begins(
    options: tuple[str, ...],
    nearest: str,
    run_command_here: CommandRunner,
    tmp_path: Path,
) -> None:
    (tmp_path / "replies.toml").write_text(REPLIES)
    words = ("run", "sku-lookup.1", "--model", "scripted:replies.toml", "--mcp", SERVER)
    check_error_line(run_command_here(*words, *options), 2, f"did you mean {nearest}")

    assert not (tmp_path / "runs").exists()


def environment_with(tool: str) -> TaskEnvironment:
    def act(amount: int) -> str:
        """Do it."""
        return f"done with {amount}"

    act.__name__ = tool
    return TaskEnvironment([Tool(act, "acts")])


TASKS = [
    Task(
        "bank.pay",
        "Pay.",
        environment=lambda: environment_with("pay"),
        grade=lambda end: 1,
    ),
    Task(
        "desk.lend",
        "Lend.",
        environment=lambda: environment_with("lend"),
        grade=lambda end: 1,
    ),
]


def test_a_name_that_one_of_the_tasks_has_holds_for_the_run(tmp_path: Path) -> None:
    run = controlplane.run(
        TASKS,
        agent=__name__,
        provenance="off,pay=block,lend=only:amount",
        reads="lend",
        runs_dir=str(tmp_path),
    )

    assert len(run.trials) == 2
    assert run.error == ""


def test_a_name_that_no_task_of_a_program_has_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="did you mean 'lend'"):
        controlplane.run(
            TASKS,
            agent=__name__,
            provenance="off,lned=block",
            runs_dir=str(tmp_path / "runs"),
        )

    assert not (tmp_path / "runs").exists()
