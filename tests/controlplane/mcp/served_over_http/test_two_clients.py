"""Two clients of one server over HTTP work at once, each on a question of its own.

`controlplane mcp docs --http 127.0.0.1:8765` serves questions about files. Each question leaves a
journal, the record of what happened. Whoever knows the random id of the question can read it.
"""

import asyncio
from contextlib import AsyncExitStack, suppress
from http import HTTPStatus
from pathlib import Path
from signal import SIGTERM

import httpx2
import pytest

from controlplane.errors import Unreachable, UsageError
from tests.controlplane.mcp.client_here import write_docs
from tests.controlplane.mcp.served_over_http.http_servers import (
    BEARER_TOKEN,
    HttpServer,
    http_server,
    open_question_client,
)
from tests.support.command import check_error_line, run_in_process

# A server of `controlplane mcp docs --http ADDRESS` refuses requests of more than 4 MB.
#
# A request of 5 MB gets the status 413, whether it says its length or comes in chunks.


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(b" " * 5_000_000, id="whole"),
        # Such a body has no header that says its length.
        pytest.param([b" " * 1_000_000] * 5, id="in chunks"),
    ],
)
def test_request_of_5_mb_is_refused(
    body: bytes | list[bytes], idle_http_server: HttpServer
) -> None:
    """The server may close the connection before it has read all."""
    content = body if isinstance(body, bytes) else iter(body)

    with suppress(httpx2.TransportError):
        reply = httpx2.post(idle_http_server.url, content=content, headers=BEARER_TOKEN)
        assert reply.status_code == HTTPStatus.REQUEST_ENTITY_TOO_LARGE


# `controlplane mcp docs --http ADDRESS` is refused in one line if another server has the address.
#
# controlplane: ... Address already in use


def test_address_that_another_server_has_is_refused(
    idle_http_server: HttpServer, tmp_path: Path
) -> None:
    """The error is one line, and no traceback."""
    serve = ["mcp", "docs", "--http", idle_http_server.address]

    result = run_in_process(*serve, cwd=write_docs(tmp_path))

    check_error_line(result, UsageError.exit_code, "Address already in use")


# A server of `controlplane mcp docs --http 127.0.0.1:8765` refuses requests without its token.
#
# The server answers questions about files. It has the token from the variable CONTROLPLANE_MCP_TOKEN of
# its environment, and clients send it in a header: `Authorization: Bearer open-sesame`.


def test_request_without_the_token_of_the_server_is_refused(
    idle_http_server: HttpServer,
) -> None:
    wrong_token = {"Authorization": "Bearer other"}

    reply_without_token = httpx2.post(idle_http_server.url, json={})
    reply_to_wrong_token = httpx2.post(
        idle_http_server.url, json={}, headers=wrong_token
    )

    assert reply_without_token.status_code == HTTPStatus.UNAUTHORIZED
    assert reply_to_wrong_token.status_code == HTTPStatus.UNAUTHORIZED


def test_command_without_the_token_of_the_server_is_refused(
    idle_http_server: HttpServer, tmp_path: Path
) -> None:
    """`controlplane mcp call` calls a tool of a running server. Here its variable for the token
    is empty."""
    result = run_in_process(
        "mcp",
        "call",
        "execute_script",
        "{}",
        cwd=tmp_path,
        CONTROLPLANE_MCP_URL=idle_http_server.url,
        CONTROLPLANE_MCP_TOKEN="",
    )

    check_error_line(
        result, Unreachable.exit_code, "its token is not CONTROLPLANE_MCP_TOKEN"
    )


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
