"""`ask` with an MCP server: the model's script may call the tools of that server.

    controlplane ask "Until when?" notes.md --mcp "loans=python server.py"

The script calls a tool as `harness.loans.loan(number=2)`. The server of the tests has 10,000 loans, of
which every twelfth is kept until 2026-03-01, and the third one first.
"""

import json
import sys
from pathlib import Path

import pytest

from tests.support.command import ROOT, CommandResult, run_in_process
from tests.support.terminal import Terminal

PLAIN_LOANS = ROOT / "tests/support/plain_loans.py"
"""The program of the server."""


def question_words(folder: Path, script: str, server: Path = PLAIN_LOANS) -> list[str]:
    """Return the words of a question to a model whose only reply is this script."""
    (folder / "notes.md").write_text("nothing\n")
    reply = f"[[reply]]\ncode = {json.dumps(script)}\n"
    (folder / "replies.toml").write_text(reply)
    mcp = f"--mcp=loans={sys.executable} {server}"
    return ["ask", "Until when?", "notes.md", mcp, "--model=scripted:replies.toml"]


def ask_with_tools(folder: Path, script: str) -> CommandResult:
    return run_in_process(*question_words(folder, script), "--json", cwd=folder)


def test_answer_may_rest_on_the_result_of_a_tool(tmp_path: Path) -> None:
    """The script cites the call by its path. A result has no lines, as a file has."""
    script = """
loan = harness.loans.loan(number=2)
scratchpad.cite(loan.call_path, "loan-2 is kept until 2026-03-01", "kept until 2026-03-01")
scratchpad["answer"] = "Until 2026-03-01."
scratchpad["outcome"] = "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: "2026-03-01" in sp["answer"])
"""

    asked = ask_with_tools(tmp_path, script)

    assert asked.code == 0, asked.err + asked.out
    (citation,) = asked.json["citations"]
    assert citation["path"].startswith("/mcp/loans/calls/loan/")
    assert citation["line"] is None


def test_script_computes_with_the_whole_result_of_a_tool(tmp_path: Path) -> None:
    """The fields of a row can be read in two ways."""
    script = """
loans = harness.loans.rows()
by_key = [row for row in loans.data["rows"] if row["kept_until"] == "2026-03-01"]
by_name = [row for row in loans.rows if row.kept_until == "2026-03-01"]
scratchpad.cite(loans.call_path, "the loans that are kept until 2026-03-01")
scratchpad["answer"] = f"{len(by_key)} and {len(by_name)} loans."
scratchpad["outcome"] = "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: "loans" in sp["answer"])
"""

    asked = ask_with_tools(tmp_path, script)

    # The third, the 15th, ... of 10,000 loans: len(range(3, 10_001, 12)) == 834
    assert asked.json["answer"] == "834 and 834 loans.", asked.out


def test_script_must_not_cite_what_it_has_said_itself(tmp_path: Path) -> None:
    """The tool `echo` returns its argument."""
    script = """
echo = harness.loans.echo("kept until 2099-01-01")
try:
    scratchpad.cite(echo.call_path, "what it says of loan-2", "kept until 2099-01-01")
    scratchpad["answer"] = "It was cited."
except CitationError:
    scratchpad["answer"] = "It was not cited."
scratchpad["outcome"] = "OUTCOME_NONE_UNSUPPORTED"
harness.answer(scratchpad, lambda sp: "cited" in sp["answer"])
"""

    asked = ask_with_tools(tmp_path, script)

    assert asked.json["answer"] == "It was not cited.", asked.out


class TestJournal:
    """The journal has the results of calls, and not what would be needed to make them again."""

    def test_journal_is_replayed_without_the_server(self, tmp_path: Path) -> None:
        script = """
print(harness.loans.loan(number=2).text)
scratchpad["answer"] = "Nothing else."
scratchpad["outcome"] = "OUTCOME_NONE_UNSUPPORTED"
harness.answer(scratchpad, lambda sp: "else" in sp["answer"])
"""
        server = tmp_path / "server.py"
        server.write_text(PLAIN_LOANS.read_text())
        asked = run_in_process(*question_words(tmp_path, script, server), cwd=tmp_path)
        assert asked.code == 0, asked.err

        server.unlink()
        replay = run_in_process("replay", "last", "--verify", cwd=tmp_path)

        assert replay.code == 0, replay.out

    def test_journal_has_neither_keys_nor_the_command_of_a_server(
        self, tmp_path: Path
    ) -> None:
        """A journal may be shared, and its reader must not start programs that it names."""
        asked = run_in_process(
            *question_words(tmp_path, "print(harness.loans.loan(number=2).text)"),
            "--max-steps",
            "1",
            cwd=tmp_path,
            OPENAI_API_KEY="s3cret-key",
        )

        (journal,) = tmp_path.glob("runs/*.jsonl")
        text = journal.read_text()
        assert "loan-2 may be kept until" in text, asked.err
        assert "s3cret" not in text
        assert "plain_loans.py" not in text


@pytest.mark.parametrize(
    ("typed", "printed"),
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
    typed: str, printed: str, tmp_path: Path
) -> None:
    """The tool `extend` does not say that it only reads. A refusal names the option by which the
    user could allow the call from the start. In both cases the script goes on."""
    script = """
try:
    print(harness.loans.extend(number=2).text)
except HarnessError as refusal:
    print(refusal)

loan = harness.loans.loan(number=2)
scratchpad.cite(loan.call_path, "loan-2 is kept until 2026-03-01", "kept until 2026-03-01")
scratchpad["answer"] = "Until 2026-03-01."
scratchpad["outcome"] = "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: "2026-03-01" in sp["answer"])
"""
    question = question_words(tmp_path, script)
    with Terminal(*question, cwd=tmp_path, columns=120) as terminal:
        terminal.wait_for(
            r"May the script call loans\.extend\(number=2\)", timeout_s=60
        )
        terminal.type(typed)
        terminal.wait_for("Until 2026-03-01", timeout_s=60)
        exit_code = terminal.finish()

    assert exit_code == 0
    replay = ("replay", "last", "--trial", "ask", "--json")
    (step,) = run_in_process(*replay, cwd=tmp_path).json["steps"]
    assert printed in step["output"]
