"""A running server of `controlplane mcp docs --http ADDRESS`, which answers questions about files.

with http_server(folder) as server:
    httpx2.post(server.url, json={})    ->    401, since the request has no token
"""

import subprocess
from collections.abc import Iterator
from contextlib import AsyncExitStack, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import httpx2

from tests.controlplane.mcp.client_here import (
    READ_LOANS,
    RIGHT_ANSWER,
    question_id_of,
    text_of,
)
from tests.support.command import start_controlplane
from tests.support.phonebook_model import free_port

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
