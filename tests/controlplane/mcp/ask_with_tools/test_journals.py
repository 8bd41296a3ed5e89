"""The journal of a question has the results of tools, and not what would be needed to call them again.

A journal is the record of a question, which may be shared. `replay --verify` needs no server, and finds
neither keys of the user nor the command that started the server.
"""

from pathlib import Path

from tests.controlplane.mcp.ask_with_tools.loans_questions import (
    PLAIN_LOANS,
    question_words,
)
from tests.support.command import run_in_process


def test_journal_is_replayed_without_the_server(tmp_path: Path) -> None:
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


def test_journal_has_neither_keys_nor_the_command_of_a_server(tmp_path: Path) -> None:
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
