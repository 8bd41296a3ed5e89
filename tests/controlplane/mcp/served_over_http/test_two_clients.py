"""Two clients of one server over HTTP work at once, each on a question of its own.

`controlplane mcp docs --http 127.0.0.1:8765` serves questions about files. Each question leaves a
journal, the record of what happened. Whoever knows the random id of the question can read it.
"""

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path
from signal import SIGTERM

import pytest

from tests.controlplane.mcp.docs_client import write_docs
from tests.controlplane.mcp.served_over_http.http_servers import http_server
from tests.controlplane.mcp.served_over_http.question_client import open_question_client
from tests.support.command import run_in_process


def test_two_clients_over_http_work_at_once_and_each_leaves_a_journal(
    tmp_path: Path,
) -> None:
    """Both have the question "Until when?" open. After each step of one, the other makes it."""
    from mcp import MCPError

    async def work_in_turn(url: str) -> None:
        async with AsyncExitStack() as open_clients:
            first = await open_question_client(url, open_clients)
            second = await open_question_client(url, open_clients)

            first_text = await first.begin()
            second_text = await second.begin()
            assert first.question_id in first_text
            assert second.question_id in second_text
            assert first.question_id != second.question_id

            assert "kept until 2026-03-01" in await first.read_loans()
            assert "kept until 2026-03-01" in await second.read_loans()

            assert "passed the gates" in await first.submit_answer()
            assert "passed the gates" in await second.submit_answer()

            # A client has to know the id: no journals are listed, and a guess is refused.
            journal_of_first = await first.journal(first.question_id)
            assert "kept until 2026-03-01" in journal_of_first
            assert (await first.client.list_resources()).resources == []
            refusal = "no question of yours has the journal 'journal://0'"
            with pytest.raises(MCPError, match=refusal):
                await first.journal("0")

    folder = write_docs(tmp_path)
    with http_server(folder) as server:
        asyncio.run(work_in_turn(server.url))
        server.process.send_signal(SIGTERM)
        assert server.process.wait(60) == 0  # The server ended well.

    runs = run_in_process("runs", "--json", cwd=folder).json
    assert len(runs) == 2
    assert run_in_process("replay", "last", "--verify", cwd=folder).code == 0
