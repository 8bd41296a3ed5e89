"""Each question of a client of `controlplane mcp docs` leaves a journal.

A journal is a file with all that happened, line by line. It can be shown and replayed like that of
a run, and the client can read it.
"""

import asyncio
from pathlib import Path

from tests.controlplane.mcp.client_here import client_here
from tests.controlplane.mcp.docs_client import (
    READ_LOANS,
    RIGHT_ANSWER,
    call_tool,
    client_of,
    write_docs,
)
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


def test_questions_of_a_server_process_leave_journals_that_can_be_replayed(
    tmp_path: Path,
) -> None:
    """`replay --verify` repeats a question, and compares the results with the journal."""
    folder = write_docs(tmp_path)

    async def ask_three_questions() -> None:
        async with client_of(folder) as client:
            # 1. Answered; the script opens the question, which has no text.
            await call_tool(client, "execute_script", **READ_LOANS)
            await call_tool(client, "submit_answer", **RIGHT_ANSWER)
            # 2. Answered.
            await call_tool(client, "begin", question="Until when?")
            await call_tool(client, "execute_script", **READ_LOANS)
            await call_tool(client, "submit_answer", **RIGHT_ANSWER)
            # 3. Still open when the client leaves.
            await call_tool(client, "begin", question="And who has it?")

    asyncio.run(ask_three_questions())

    runs = run_in_process("runs", "--json", cwd=folder).json
    assert [run["ended"] for run in runs] == ["finished", "finished", "finished"]
    states = []
    for run in runs:
        show = ["show", run["journal"], "--json"]
        (trial,) = run_in_process(*show, cwd=folder).json["trials"]
        states.append(trial["state"])
        verify = ["replay", run["journal"], "--verify", "--json"]
        replay = run_in_process(*verify, cwd=folder)
        assert replay.code == 0, replay.out
        assert replay.json["agrees"] is True, replay.out
    assert sorted(states) == ["answered", "answered", "fallback"]
