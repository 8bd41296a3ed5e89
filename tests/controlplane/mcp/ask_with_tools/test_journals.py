"""The journal of a question, its record, has the results of tools, but no keys and commands of the user.

    ask "Until when?" notes.md --mcp="loans=python plain_loans.py"
    replay last --verify

The second command runs the recorded scripts again, without a server for the loans: calls get their
recorded results. A journal may be shared, so that it must not contain what is secret.
"""

from pathlib import Path

from tests.controlplane.mcp.ask_with_tools.loans_questions import (
    PLAIN_LOANS,
    question_words,
)
from tests.support.command import run_in_process


def test_journal_is_replayed_without_the_server(tmp_path: Path) -> None:
    """The script calls a tool of the server, and submits an answer. The function beside the
    answer is a check of the model's own."""
    script = """
print(harness.loans.loan(number=2).text)
scratchpad["answer"] = "Nothing else."
scratchpad["outcome"] = "OUTCOME_NONE_UNSUPPORTED"
harness.answer(scratchpad, lambda scratchpad: "else" in scratchpad["answer"])
"""
    server = tmp_path / "server.py"
    server.write_text(PLAIN_LOANS.read_text())
    asked = run_in_process(*question_words(tmp_path, script, server), cwd=tmp_path)
    assert asked.code == 0, asked.err

    server.unlink()
    replay = run_in_process("replay", "last", "--verify", cwd=tmp_path)

    assert replay.code == 0, replay.out


def test_journal_has_neither_keys_nor_the_command_of_a_server(tmp_path: Path) -> None:
    """The only step calls the tool. It gives no answer, as the result of the tool is enough."""
    script = "print(harness.loans.loan(number=2).text)"
    asked = run_in_process(
        *question_words(tmp_path, script, server=PLAIN_LOANS),
        "--max-steps=1",
        cwd=tmp_path,
        OPENAI_API_KEY="s3cret-key",
    )

    (journal,) = tmp_path.glob("runs/*.jsonl")
    text = journal.read_text()
    assert "loan-2 may be kept until" in text, asked.err
    assert "s3cret" not in text
    assert PLAIN_LOANS.name not in text  # the command "python plain_loans.py"
