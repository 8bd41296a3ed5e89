"""Names of operations, rules and layers in a run's settings are checked before the run begins.

`--provenance off,write=block` protects calls of the operation `write`: one with a value that comes
only from a text, such as a mail, is not sent. `wirte=block` would protect nothing, so it is an
error with the nearest right name. `6/unowned-change` is a rule for answers, and `kernel` a layer
around scripts.
"""

import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

import controlplane
from controlplane import Task, TaskEnvironment, Tool
from controlplane.errors import UsageError
from tests.controlplane.mcp.small_servers import small_server
from tests.support.command import CommandRunner, check_error_line


@pytest.fixture
def model(tmp_path: Path) -> str:
    """The name of a model that is a script. It is not asked, as no run begins."""
    replies = "[[reply]]\nstate = 's'\ndone = true\ncode = 'print(1)'\n"
    (tmp_path / "replies.toml").write_text(replies)
    return "scripted:replies.toml"


# Names of a server's tools in a run's settings are checked before the run is recorded.
#
# The MCP server `loans` has the tool `extend`, which takes a `number`. `--deny loans.exten` would
# forbid nothing, so the run is refused: "did you mean 'loans.extend'". Names are misspelt in these
# options:
#
#     --allow TOOL                  scripts may call the tool
#     --deny TOOL                   scripts must not call the tool
#     --reads TOOL                  the tool changes nothing
#     --provenance RULE,TOOL=RULE   a rule for all tools, and another one for this tool; the rule
#                                   only:ARGUMENT checks no other argument of the tool

TOOL_EXTEND = """
def list_tools(request):
    extend = tool("extend")
    extend["inputSchema"]["properties"] = {"number": {"type": "integer"}}
    send_result(request, {"tools": [extend]})
"""
"""The function by which the server lists its only tool."""


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
    option: str,
    value: str,
    nearest_name: str,
    model: str,
    run_command_here: CommandRunner,
    tmp_path: Path,
) -> None:
    loans = small_server(tmp_path, TOOL_EXTEND)

    result = run_command_here(
        "run",
        "sku-lookup.1",
        "--model",
        model,
        "--mcp",
        f"loans={shlex.join([loans.command, *loans.args])}",
        option,
        value,
    )

    check_error_line(result, UsageError.exit_code, f"did you mean {nearest_name!r}")
    assert not (tmp_path / "runs").exists()


# The settings of a Python program's run may name a tool that only one of its tasks has.
#
# `controlplane.run([task_1, task_2], provenance="off,pay=block")` protects the tool `pay`. The
# settings hold for both tasks, so that a name is right if it is a tool of either.

AGENT = "tests.controlplane.lifecycle.resources.silent_solver"
"""An agent that ends each trial without an answer."""


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


def test_settings_may_name_a_tool_that_only_one_of_the_tasks_has(
    tmp_path: Path,
) -> None:
    run = controlplane.run(
        PAY_AND_LEND,
        agent=AGENT,
        provenance="off,pay=block,lend=only:amount",
        reads="lend",
        runs_dir=str(tmp_path),
    )

    assert len(run.trials) == 2
    assert run.error == ""


def test_a_name_that_no_task_of_a_program_has_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="did you mean 'lend'"):
        controlplane.run(
            PAY_AND_LEND,
            agent=AGENT,
            provenance="off,lned=block",
            runs_dir=str(tmp_path / "runs"),
        )

    assert not (tmp_path / "runs").exists()


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
def test_a_wrong_name_is_refused_with_the_right_ones(
    command: str,
    option: str,
    value: str,
    expected_hint: str,
    model: str,
    run_command_here: CommandRunner,
    tmp_path: Path,
) -> None:
    words = [command, "sku-lookup", "--model", model, option, value]
    if command == "improve":
        words += ["--with", model]  # It needs a second model.

    result = run_command_here(*words)

    check_error_line(result, UsageError.exit_code, expected_hint)
    assert not (tmp_path / "runs").exists()


def test_a_question_checks_the_names_of_its_own_operations(
    model: str, run_command_here: CommandRunner, tmp_path: Path
) -> None:
    """A question about files has the operations that read files, such as `read`."""
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
