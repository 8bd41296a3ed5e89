"""Questions and tasks whose answers come from the tools of an MCP server.

`ask "Until when?" notes.md --mcp loans="python server.py"` lets the model's script call the
tools of that server, as `harness.loans.loan(number=2)`. The tests use a scripted model: its
only reply is written beside them.
"""

import json
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from controlplane.errors import Unreachable, UsageError
from tests.support.command import (
    ROOT,
    CommandResult,
    check_error_line,
    run_in_process,
    write_config,
)
from tests.support.terminal import Terminal

EXIT_SUCCESS = 0

LOANS_SERVER = ROOT / "tests/support/plain_loans.py"
"""A server with 10,000 loans. Every twelfth is kept until 2026-03-01, the third one first."""

ANSWERING_SCRIPT = """
# Count the loans that are kept until 2026-03-01.
rows = harness.loans.rows().data["rows"]
rows_of_day = [row for row in rows if row["kept_until"] == "2026-03-01"]
print(len(rows_of_day))

# The fields of a row can be read in two ways.
first_row = harness.loans.rows().rows[0]
assert first_row.kept_until == first_row["kept_until"]

# The tool `echo` returns its argument. A script must not cite what it has said itself.
echo = harness.loans.echo("kept until 2099-01-01")
try:
    scratchpad.cite(echo.call_path, "what it says of loan-2", "kept until 2099-01-01")
    print("accepted")
except CitationError:
    print("refused")

# Answer, and cite the loan.
loan = harness.loans.loan(number=2)
scratchpad.cite(loan.call_path, "loan-2 is kept until 2026-03-01", "kept until 2026-03-01")
scratchpad["answer"] = "Until 2026-03-01."
scratchpad["outcome"] = "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: "2026-03-01" in sp["answer"])
"""
"""The only reply of the model. It prints the number of the loans, and whether it can cite `echo`."""


def write_reply(folder: Path, script: str) -> None:
    """Write the file `replies.toml`: the reply of the scripted model, with this script."""
    text = f"[[reply]]\ncode = {json.dumps(script)}\n"
    (folder / "replies.toml").write_text(text)


def ask_with_server(command: str) -> list[str]:
    """Return the words of a question to the scripted model with the server `loans`."""
    return [
        "ask",
        "Until when?",
        "notes.md",
        f"--mcp=loans={command}",
        "--model=scripted:replies.toml",
    ]


class AnsweredQuestion(NamedTuple):
    """A question that was answered, and the folder in which its journal is."""

    folder: Path
    answer: CommandResult
    """What `ask` printed."""


@pytest.fixture(scope="module")
def answered_question(tmp_path_factory: pytest.TempPathFactory) -> AnsweredQuestion:
    """A question that `ANSWERING_SCRIPT` answered by a server, which was deleted afterwards."""
    folder = tmp_path_factory.mktemp("question")
    (folder / "notes.md").write_text("nothing\n")
    (folder / "server.py").write_text(LOANS_SERVER.read_text())
    write_reply(folder, ANSWERING_SCRIPT)

    question = ask_with_server(f"{sys.executable} server.py")
    answer = run_in_process(
        *question, "--json", cwd=folder, OPENAI_API_KEY="s3cret-key"
    )

    (folder / "server.py").unlink()
    return AnsweredQuestion(folder, answer)


class TestAnsweredQuestion:
    """A script answers a question by the tools `rows`, `loan` and `echo` of a server.

    1. `ask "Until when?" notes.md --mcp="loans=python server.py"` runs the script above.
    2. The script prints how many of 10,000 loans are kept until 2026-03-01, and whether it may
       cite `echo`. It answers "Until 2026-03-01.", and cites the call of `loan`.
    3. The file of the server is deleted.
    """

    def test_answer_may_rest_on_the_result_of_a_tool(
        self, answered_question: AnsweredQuestion
    ) -> None:
        """The script cites the call of `loan`, by its path. A result has no lines, as a file
        has."""
        answer = answered_question.answer

        assert answer.code == EXIT_SUCCESS, answer.err + answer.out
        (citation,) = answer.json["citations"]
        assert citation["path"].startswith("/mcp/loans/calls/loan/")
        assert citation["line"] is None

    def test_script_computes_with_the_whole_result_of_a_tool(
        self, answered_question: AnsweredQuestion
    ) -> None:
        """Of the 10,000 loans, every twelfth is kept until 2026-03-01: the third, the 15th and so
        on."""
        output = output_of_first_step(answered_question.folder)

        printed_number, _ = output.splitlines()
        assert printed_number == "834"  # len(range(3, 10_001, 12))

    def test_script_must_not_cite_what_it_has_said_itself(
        self, answered_question: AnsweredQuestion
    ) -> None:
        """The tool `echo` returns its argument. The script tries to cite this as what loan-2
        says."""
        output = output_of_first_step(answered_question.folder)

        _, citation_of_echo = output.splitlines()
        assert citation_of_echo == "refused"

    def test_journal_is_replayed_without_the_server(
        self, answered_question: AnsweredQuestion
    ) -> None:
        """The server is deleted. The script runs again, and gets the results from the journal."""
        replay = run_in_process(
            "replay", "last", "--verify", cwd=answered_question.folder
        )

        assert replay.code == EXIT_SUCCESS, replay.out

    def test_journal_has_neither_keys_nor_the_command_of_a_server(
        self, answered_question: AnsweredQuestion
    ) -> None:
        """A journal may be shared, and its reader must not start programs that it names."""
        path = answered_question.folder / answered_question.answer.json["journal"]

        journal = path.read_text()

        assert "s3cret" not in journal
        assert "server.py" not in journal


def output_of_first_step(folder: Path) -> str:
    """Return what the first script of the last question printed, from the journal."""
    trial = run_in_process("replay", "last", "--trial", "ask", "--json", cwd=folder)
    output: str = trial.json["steps"][0]["output"]
    return output


SCRIPT_THAT_EXTENDS_A_LOAN = """
try:
    print(harness.loans.extend(number=2).text)
except HarnessError as refusal:
    print(refusal)
"""
"""Prints the result of a call that changes a loan, or why the call was refused."""


class TestAskedUser:
    """A user at a terminal is asked before a script calls a tool that changes something.

    1. The script calls `harness.loans.extend(number=2)`, which extends a loan.
    2. The terminal asks "May the script call loans.extend(number=2)", and the user types y or n.
    3. The script prints the result, "extended 2", or the refusal, which names the option by which
       the user could allow the call from the start: `--allow loans.extend`.
    4. It goes on, and answers "Until 2026-03-01.".
    """

    @pytest.mark.parametrize(
        ("typed", "expected_output"),
        [
            pytest.param("y\n", "extended 2", id="yes, and the call is made"),
            pytest.param(
                "n\n",
                "--allow loans.extend",
                id="no, and the call is refused",
                marks=pytest.mark.heavy,
            ),
        ],
    )
    def test_user_at_a_terminal_is_asked_before_a_tool_changes_something(
        self, tmp_path: Path, typed: str, expected_output: str
    ) -> None:
        """The tool `extend` does not say that it only reads, and is not allowed by an option."""
        (tmp_path / "notes.md").write_text("nothing\n")
        # One script: it extends the loan, and then answers the question.
        write_reply(tmp_path, SCRIPT_THAT_EXTENDS_A_LOAN + ANSWERING_SCRIPT)

        question = ask_with_server(f"{sys.executable} {LOANS_SERVER}")
        with Terminal(*question, cwd=tmp_path, columns=120) as terminal:
            terminal.wait_for(
                r"May the script call loans\.extend\(number=2\)", timeout_s=60
            )
            terminal.type(typed)
            terminal.wait_for("Until 2026-03-01", timeout_s=60)
            exit_code = terminal.finish()

        assert exit_code == EXIT_SUCCESS
        assert expected_output in output_of_first_step(tmp_path)


LOAN_TASK = """
instruction = "Until when may loan-2 be kept?"
[mcp.loans]
[expected]
outcome = "OUTCOME_OK"
answer = "Until 2026-03-01."
"""
"""A task that needs an MCP server `loans`, and leaves it to the user which one that is."""

RUN_LOAN_TASK = [
    "run",
    "--benchmark",
    "folder:tasks",
    "--model",
    "scripted:replies.toml",
]
"""Plays the task with the scripted model."""


@pytest.fixture
def folder_with_task(tmp_path: Path) -> Path:
    """A folder with `LOAN_TASK`, and a reply of the model that solves it."""
    files = tmp_path / "tasks/loan/files"
    files.mkdir(parents=True)
    (files / "notes.md").write_text("nothing\n")
    (tmp_path / "tasks/loan/task.toml").write_text(LOAN_TASK)
    write_reply(tmp_path, ANSWERING_SCRIPT)
    return tmp_path


class TestTaskWithServer:
    """A task of a benchmark says that it needs a server, `[mcp.loans]`, and not which.

    The user names the server, by an option or in `controlplane.toml`. The scripted model solves
    the task by it.
    """

    def test_task_is_refused_without_the_server_that_it_needs(
        self, folder_with_task: Path
    ) -> None:
        """A task may be a download, so it must not start a server of its own choice."""
        result = run_in_process(*RUN_LOAN_TASK, "--json", cwd=folder_with_task)

        check_error_line(
            result,
            UsageError.exit_code,
            "tasks use the MCP server loans: name it with --mcp",
        )

    def test_task_uses_the_server_of_the_users_configuration(
        self, folder_with_task: Path
    ) -> None:
        """The file `controlplane.toml` says how the server `loans` is started."""
        config = (
            "[mcp.loans]\n"
            f"command = {json.dumps(sys.executable)}\n"
            f"args = [{json.dumps(str(LOANS_SERVER))}]\n"
        )
        write_config(folder_with_task / "controlplane.toml", config)

        run = run_in_process(*RUN_LOAN_TASK, "--json", cwd=folder_with_task)

        assert [trial["score"] for trial in run.json["trials"]] == [1.0], run.out

    def test_run_whose_server_did_not_start_can_be_resumed_with_another_one(
        self, folder_with_task: Path
    ) -> None:
        """The command of the server is not in the journal, so it is named again."""
        broken_server = "loans=/nowhere/server"
        working_server = f"loans={sys.executable} {LOANS_SERVER}"

        failed_run = run_in_process(
            *RUN_LOAN_TASK, "--mcp", broken_server, cwd=folder_with_task
        )
        resume = ["resume", "last", "--mcp", working_server, "--json"]
        resumed_run = run_in_process(*resume, cwd=folder_with_task)

        assert failed_run.code == Unreachable.exit_code
        scores = [trial["score"] for trial in resumed_run.json["trials"]]
        assert scores == [1.0], resumed_run.err
