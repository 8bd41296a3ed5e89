"""`controlplane mcp docs --http 127.0.0.1:8765` serves questions about files over HTTP.

Clients name the token of the server, which it has from the variable CONTROLPLANE_MCP_TOKEN
of its environment. Several of them can work at once, each on questions of its own.
"""

import asyncio
import subprocess
from collections.abc import Iterator
from contextlib import AsyncExitStack, contextmanager, suppress
from http import HTTPStatus
from pathlib import Path
from signal import SIGTERM
from typing import NamedTuple

import httpx2
import pytest

from controlplane.errors import Unreachable, UsageError
from tests.controlplane.mcp.docs_client import write_docs
from tests.controlplane.mcp.question_client import (
    BEARER_TOKEN,
    TOKEN,
    open_question_client,
)
from tests.support.byte_server import free_port
from tests.support.command import check_error_line, run_in_process, start_controlplane


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


@pytest.fixture(scope="module")
def idle_http_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HttpServer]:
    """A server for tests whose requests are refused."""
    with http_server(write_docs(tmp_path_factory.mktemp("http"))) as server:
        yield server


class TestRefusedRequests:
    """A server refuses requests without its token, and those of more than 4 MB.

    One server runs for all of these tests; it works on no question.
    """

    def test_request_without_the_token_of_the_server_is_refused(
        self, idle_http_server: HttpServer
    ) -> None:
        """The token is in the environment of the server, and clients send it in a header."""
        wrong_token = {"Authorization": "Bearer other"}

        reply_without_token = httpx2.post(idle_http_server.url, json={})
        reply_to_wrong_token = httpx2.post(
            idle_http_server.url, json={}, headers=wrong_token
        )

        assert reply_without_token.status_code == HTTPStatus.UNAUTHORIZED
        assert reply_to_wrong_token.status_code == HTTPStatus.UNAUTHORIZED

    def test_command_without_the_token_of_the_server_is_refused(
        self, idle_http_server: HttpServer, tmp_path: Path
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

    @pytest.mark.parametrize(
        "body",
        [
            pytest.param(b" " * 5_000_000, id="whole"),
            # Such a body has no header that says its length.
            pytest.param([b" " * 1_000_000] * 5, id="in chunks"),
        ],
    )
    def test_request_of_5_mb_is_refused(
        self, body: bytes | list[bytes], idle_http_server: HttpServer
    ) -> None:
        """The server may close the connection before it has read all."""
        content = body if isinstance(body, bytes) else iter(body)

        with suppress(httpx2.TransportError):
            reply = httpx2.post(
                idle_http_server.url, content=content, headers=BEARER_TOKEN
            )
            assert reply.status_code == HTTPStatus.REQUEST_ENTITY_TOO_LARGE

    def test_address_that_another_server_has_is_refused(
        self, idle_http_server: HttpServer, tmp_path: Path
    ) -> None:
        """The error is one line, and no traceback."""
        serve = ["mcp", "docs", "--http", idle_http_server.address]

        result = run_in_process(*serve, cwd=write_docs(tmp_path))

        check_error_line(result, UsageError.exit_code, "Address already in use")


def test_two_clients_over_http_work_at_once_and_each_leaves_a_journal(
    tmp_path: Path,
) -> None:
    """Each has the question "Until when?" open. They take each step in turn."""
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

            # A client can read the journal of its own question, and no other.
            assert (await first.client.list_resources()).resources == []
            own_journal = await first.journal(first.question_id)
            assert "kept until 2026-03-01" in own_journal
            refusal = "no question of yours has the journal 'journal://0'"
            with pytest.raises(MCPError, match=refusal):
                await first.journal("0")

    folder = write_docs(tmp_path)
    with http_server(folder) as server:
        asyncio.run(work_in_turn(server.url))
        server.process.send_signal(SIGTERM)
        assert server.process.wait(60) == 0  # success

    runs = run_in_process("runs", "--json", cwd=folder).json
    assert len(runs) == 2
    assert run_in_process("replay", "last", "--verify", cwd=folder).code == 0
