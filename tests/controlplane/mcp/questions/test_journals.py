"""Each question of a client of `controlplane mcp docs` leaves a journal, which the client can read.

A journal is a file with all that happened, line by line. It says what was asked, and how the question
has ended: "answered", or "fallback" if the client has left without an answer.
"""

from pathlib import Path

from tests.controlplane.mcp.client_here import client_here
from tests.support.command import run_in_process


def test_client_can_read_the_journals_of_its_questions(tmp_path: Path) -> None:
    """The server lists them as resources, the newest first, with the question as title."""
    with client_here(tmp_path, {"a.md": "fee: 7\n"}) as client:
        client.call("begin", question="What is the fee?")
        client.call("begin", question="And who pays it?")

        newest, oldest = client.resources()
        journal = client.read(oldest.uri)

    assert newest.title == "And who pays it?"
    assert oldest.title == "What is the fee?"
    assert '"type":"run_opened"' in journal


def test_journal_says_what_was_asked(tmp_path: Path) -> None:
    with client_here(tmp_path, {"a.md": "fee: 7\n"}) as client:
        client.call("begin", question="What is the fee?")

    show = ["replay", "last", "--trial", "ask", "--json"]
    assert run_in_process(*show, cwd=tmp_path).json["instruction"] == "What is the fee?"


def test_question_that_is_open_when_the_client_leaves_ends_without_its_answer(
    tmp_path: Path,
) -> None:
    """The harness submits an answer of its own, a fallback."""
    with client_here(tmp_path, {"a.md": "fee: 7\n"}) as client:
        client.call("begin", question="What is the fee?")

    (trial,) = run_in_process("show", "last", "--json", cwd=tmp_path).json["trials"]
    assert trial["state"] == "fallback"
