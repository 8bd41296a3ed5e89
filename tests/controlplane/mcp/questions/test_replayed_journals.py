"""The journals of questions to a server in a process of its own can be replayed.

`replay --verify` repeats a question, and compares the results with the journal. The client asks three
questions about the folder `docs`, of which it answers two.
"""

import asyncio
from pathlib import Path

from tests.controlplane.mcp.docs_client import (
    READ_LOANS,
    RIGHT_ANSWER,
    call_tool,
    client_of,
    write_docs,
)
from tests.support.command import run_in_process


def test_questions_of_a_server_process_leave_journals_that_can_be_replayed(
    tmp_path: Path,
) -> None:
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
