"""Two clients of one server over HTTP work at once, each on a question of its own.

`controlplane mcp docs --http 127.0.0.1:8765` serves questions about files. Each question leaves a
journal, the record of what happened. Whoever knows the random id of the question can read it.
"""

import asyncio
import subprocess
from collections.abc import Iterator
from contextlib import AsyncExitStack, contextmanager, suppress
from http import HTTPStatus
from pathlib import Path
from signal import SIGTERM
from typing import Any, NamedTuple

import httpx2
import pytest

from controlplane.errors import Unreachable, UsageError
from tests.controlplane.mcp.client_here import (
    READ_LOANS,
    RIGHT_ANSWER,
    question_id_of,
    text_of,
    write_docs,
)
from tests.support.command import check_error_line, run_in_process, start_controlplane
from tests.support.phonebook_model import free_port

# A running server of `controlplane mcp docs --http ADDRESS`, which answers questions about files.
#
# with http_server(folder) as server:
#     httpx2.post(server.url, json={})    ->    401, since the request has no token

# A client of a server over HTTP that works on one question: "Until when?".
#
#     client = await open_question_client(server.url, open_clients)
#     await client.begin()
#     await client.read_loans()
#     await client.submit_answer()
#
# It names the token of the server, and is closed with `open_clients`.

TOKEN = "open-sesame"

BEARER_TOKEN = {"Authorization": f"Bearer {TOKEN}"}
"""The header by which a client names the token."""


class QuestionClient:
    """A client that works on one question."""

    def __init__(self, client: Any) -> None:
        self.client = client
        self.question_id = ""

    async def begin(self) -> str:
        """Open the question, and return the text that opens it."""
        result = await self.client.call_tool("begin", {"question": "Until when?"})
        self.question_id = question_id_of(result)
        return text_of(result)

    async def read_loans(self) -> str:
        script = READ_LOANS | {"question_id": self.question_id}
        return text_of(await self.client.call_tool("execute_script", script))

    async def submit_answer(self) -> str:
        answer = RIGHT_ANSWER | {"question_id": self.question_id}
        return text_of(await self.client.call_tool("submit_answer", answer))

    async def journal(self, question_id: str) -> str:
        """Return the journal of a question."""
        resource = await self.client.read_resource(f"journal://{question_id}")
        text: str = resource.contents[0].text
        return text


async def open_question_client(
    url: str, open_clients: AsyncExitStack
) -> QuestionClient:
    """Return a client of the server at `url`, which is closed with `open_clients`."""
    from mcp import Client
    from mcp.client.streamable_http import streamable_http_client

    http = httpx2.AsyncClient(headers=BEARER_TOKEN, timeout=60)
    await open_clients.enter_async_context(http)
    transport = streamable_http_client(url, http_client=http)
    return QuestionClient(await open_clients.enter_async_context(Client(transport)))


class HttpServer(NamedTuple):
    """A running server."""

    address: str
    """Host and port: `127.0.0.1:8765`."""
    process: subprocess.Popen[str]

    @property
    def url(self) -> str:
        return f"http://{self.address}/mcp"


@contextmanager
def http_server(folder: Path) -> Iterator[HttpServer]:
    """Start `controlplane mcp docs --http ADDRESS` and wait until it serves. Kill it at the end."""
    address = f"127.0.0.1:{free_port()}"
    serve = ["mcp", "docs", "--http", address]
    with start_controlplane(
        *serve, cwd=folder, CONTROLPLANE_MCP_TOKEN=TOKEN
    ) as process:
        server = HttpServer(address, process)
        try:
            assert process.stderr is not None
            first_line = process.stderr.readline()
            assert first_line == (
                f"serving {server.url} for the token in CONTROLPLANE_MCP_TOKEN\n"
            )
            yield server
        finally:
            process.kill()


@pytest.fixture(scope="session")
def idle_http_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HttpServer]:
    """A server for tests whose requests are refused."""
    with http_server(write_docs(tmp_path_factory.mktemp("http"))) as server:
        yield server


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
