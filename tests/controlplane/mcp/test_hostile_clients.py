"""Clients of `controlplane mcp` that send too much, read nothing, or break off.

`controlplane mcp docs` serves questions about the folder `docs` on its standard input and
output, one JSON message a line. Whatever its client does, the server stays small, answers
the next message, and ends when it is asked to.
"""

import json
import signal
import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from http import HTTPStatus
from pathlib import Path
from typing import Any

import httpx2
import pytest

from controlplane.mcp.serving.http_serving import served_over_http
from controlplane.mcp.serving.offered_server import ServerOffer, offered_server
from controlplane.sandbox.interface import bounds
from tests.controlplane.mcp.jsonl_client import Client
from tests.support.command import PATIENCE_S, wait_until


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Client]:
    """A client with a running server, which is killed after the test."""
    client = Client(tmp_path)
    try:
        yield client
    finally:
        client.process.kill()
        client.process.communicate()


MAX_GROWTH_KIB = 25_000
"""The server keeps at most 4 MB of a line. With what a parser needs for them, its memory grows by
less than this."""


def reply_to_call(number: int, params: bytes, client: Client) -> dict[str, Any]:
    """Return the reply to a call of a tool whose `params`, given in JSON, may be wrong."""
    client.write(
        b'{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":%b}\n'
        % (number, params)
    )
    reply = client.reply()
    assert reply["id"] == number
    return reply


class TestUnusableMessages:
    """A message that cannot be used gets an error, and the next message is answered.

    A client writes one JSON message a line: `{"jsonrpc":"2.0","id":3,"method":"tools/list"}`.
    The reply has the same `id`.
    """

    def test_lines_that_are_too_long_or_have_too_many_values_are_refused(
        self, client: Client
    ) -> None:
        """The longest line has 60 MB, more than twice the memory by which the server may grow.

        All lines go to one server, because its memory is compared at the end.
        """
        peak_before_kib = client.peak_kib()
        long_text = b'"' + b"x" * 60_000_000 + b'"'
        many_objects = b"[" + b"{}," * 600_000 + b"{}]"
        deep_list = b"[" * 900_000 + b"]" * 900_000
        wrong_type = b"[1]"  # The protocol has an object here.
        for number, params, expected_error in (
            (1, long_text, "longer than 4,000,000 bytes"),
            (2, many_objects, "60,000 values"),
            (3, deep_list, "60,000 values"),
            (4, wrong_type, "cannot be read"),
        ):
            reply = reply_to_call(number, params, client)

            assert expected_error in str(reply["error"])

        assert client.peak_kib() - peak_before_kib < MAX_GROWTH_KIB

    def test_lines_without_a_usable_id_get_no_reply(self, client: Client) -> None:
        """A reply could not name the request that it answers."""
        client.write(b"[1, 2]\n")
        client.write(b"\xff\xfe{{{\n")
        client.write(b'{"jsonrpc":"2.0","id":null,"method":"tools/call"}\n')
        client.send(id=3, method="tools/list")

        first_reply = client.reply()

        assert first_reply["id"] == 3
        assert "execute_script" in str(first_reply["result"])

    def test_argument_that_is_not_text_is_refused(self, client: Client) -> None:
        """Half of a surrogate pair can be written in JSON, and is not a character."""
        client.call_tool(2, "submit_answer", answer="\ud800", question_id="\ud800")
        client.send(id=3, method="tools/list")

        refusal = client.reply()
        next_reply = client.reply()

        assert refusal["id"] == 2
        assert "cannot be read" in str(refusal["error"])
        assert next_reply["id"] == 3
        assert "execute_script" in str(next_reply["result"])

    @pytest.mark.second_tier
    def test_one_question_too_many_is_refused(self, client: Client) -> None:
        """An open question takes memory and a process, so that their number is limited."""
        one_too_many = bounds.MOST_OPEN_QUESTIONS + 1
        for number in range(one_too_many):
            client.call_tool(number + 1, "begin", question="?")

        refusals: list[object] = []
        for _ in range(one_too_many):
            result = client.reply()["result"]
            if result.get("isError"):
                refusals.append(result)

        (refusal,) = refusals
        assert "questions are open" in str(refusal)


SUCCESS_OR_INTERRUPTED = (0, 128 + signal.SIGINT)
"""The exit codes of a server that ends in order. The second one says that it was at work."""


def start_400_calls(client: Client, *, cancels_half: bool) -> None:
    """Start calls whose replies the client does not read, and wait until the server is at work.

    Each of the replies has 90,000 characters. A pipe takes 65,536 bytes, so that the server is
    stuck in its first reply. It is at work once its memory has grown by 1,000 KiB."""
    peak_before_kib = client.peak_kib()
    for number in range(1, 401):
        client.call_tool(number, "execute_script", code="print('x' * 90_000)")
        if cancels_half and number < 200:
            client.cancel(number)
    wait_until(lambda: client.peak_kib() > peak_before_kib + 1_000)


some_calls_are_cancelled = pytest.mark.parametrize(
    "cancels_half",
    [
        pytest.param(False, id="no call cancelled"),
        pytest.param(True, id="half of the calls cancelled"),
    ],
)
"""Runs a test with calls that all wait for their replies, and with half of them cancelled."""


class TestUnreadReplies:
    """A client makes 400 calls and reads no reply, and the server ends all the same.

    Each reply has 90,000 characters, and the pipe to the client takes 65,536 bytes: the server
    is stuck in its first reply. Each test runs with all calls waiting, and with half cancelled.
    """

    @pytest.mark.second_tier
    @some_calls_are_cancelled
    def test_server_with_400_unread_replies_ends_by_a_signal(
        self, client: Client, cancels_half: bool
    ) -> None:
        """The server cannot write its replies, since the pipe to the client is full."""
        start_400_calls(client, cancels_half=cancels_half)

        client.process.send_signal(signal.SIGTERM)

        assert client.process.wait(30) in SUCCESS_OR_INTERRUPTED

    @pytest.mark.second_tier
    @some_calls_are_cancelled
    def test_server_with_400_unread_replies_ends_when_its_input_closes(
        self, client: Client, cancels_half: bool
    ) -> None:
        """The client has gone, and nobody will read the replies."""
        start_400_calls(client, cancels_half=cancels_half)

        client.close_input()

        assert client.process.wait(30) in SUCCESS_OR_INTERRUPTED


ENDLESS_SCRIPT = "while True: pass"
"""It is ended at the latest when it has used 20 s of CPU time."""


@pytest.fixture
def client_with_endless_script(client: Client) -> Client:
    """A client whose call 2 runs a script without end, after a call 1 that has returned."""
    client.call_tool(1, "execute_script", code="print(1)")
    assert client.reply()["id"] == 1
    client.call_tool(2, "execute_script", code=ENDLESS_SCRIPT)
    wait_until(lambda: ENDLESS_SCRIPT in client.journal_text())
    return client


def error_of_endless_script(client: Client) -> str:
    """Return what the journal says of the script's end, once the server has ended."""
    for line in client.journal_text().splitlines():
        event = json.loads(line)
        if event["type"] == "step" and event["code"] == ENDLESS_SCRIPT:
            return str(event["error"])
    return "the script has not ended"


class TestEndlessScripts:
    """A script without end is stopped as soon as nobody waits for its result.

    A client calls `execute_script` with `while True: pass`, and then cancels the call, or
    goes. Otherwise the script would end after 20 s of CPU time.
    """

    def test_call_that_is_cancelled_while_its_question_opens_does_not_delay_the_next(
        self, client: Client
    ) -> None:
        """1. The client calls for an endless script. No question is open, so the server opens one
        first.
        2. Meanwhile, the client cancels the call: its script must not run.
        3. The next call has its reply at once."""
        client.call_tool(1, "execute_script", code="while True: pass")
        client.cancel(1)
        client.call_tool(2, "execute_script", code="print('next')")

        assert "next" in client.text_of_call(2)

    def test_running_script_ends_when_its_call_is_cancelled(
        self, client_with_endless_script: Client
    ) -> None:
        """Otherwise the next call would have to wait for the script."""
        client = client_with_endless_script

        client.cancel(2)
        client.call_tool(3, "execute_script", code="print('next')")

        assert "next" in client.text_of_call(3)
        assert error_of_endless_script(client) == "the client cancelled this call"

    def test_server_ends_when_its_input_closes_although_a_script_runs(
        self, client_with_endless_script: Client
    ) -> None:
        """No process may stay behind when the client has gone."""
        client = client_with_endless_script

        client.close_input()

        assert client.process.wait(PATIENCE_S) in SUCCESS_OR_INTERRUPTED
        assert error_of_endless_script(client) == "the client left"


TOKEN = "open-sesame"

BEARER_TOKEN = {"Authorization": f"Bearer {TOKEN}"}

JSON_BODY = {"Content-Type": "application/json"}
"""Headers of requests to a server over HTTP."""

HALF_OF_A_HEAD = b"POST /mcp HTTP/1.1\r\nhost: x\r\n"

BEGINNING_OF_A_BODY = (
    HALF_OF_A_HEAD + b"authorization: Bearer open-sesame\r\ncontent-length: 9\r\n\r\n{"
)
"""Requests that their client does not finish."""


def return_nothing(*_: object) -> str:
    """The function that a server needs for calls of its tools; no client calls one here."""
    return ""


@contextmanager
def idle_connections(port: int, count: int) -> Iterator[list[socket.socket]]:
    """Open connections to a server on this machine, and close them behind the block."""
    with ExitStack() as open_connections:
        connections: list[socket.socket] = []
        for _ in range(count):
            connection = socket.create_connection(("127.0.0.1", port), timeout=20)
            open_connections.enter_context(connection)
            connections.append(connection)
        yield connections


class TestIdleConnections:
    """Clients open connections to a server over HTTP, and send nothing, or half of a request.

    The server runs in the process of the test, without tools. Its address needs a token.
    """

    def test_idle_connections_do_not_keep_other_clients_of_an_http_server_out(
        self,
    ) -> None:
        """Of 300 connections, two stop in the middle of a request, and 298 send nothing.

        Two further clients get a reply all the same. The server refuses both requests: the first is
        longer than 4 MB, and the second lacks the token.
        """
        server = offered_server(ServerOffer(tools=[], instructions=""), return_nothing)
        body_of_4_2_mb = b"[" + b"{}," * 1_400_000 + b"{}]"
        with served_over_http(server, TOKEN) as url:
            port = httpx2.URL(url).port
            assert port is not None
            with idle_connections(port, count=300) as connections:
                connections[0].sendall(BEGINNING_OF_A_BODY)
                connections[1].sendall(HALF_OF_A_HEAD)

                reply_to_long_body = httpx2.post(
                    url, content=body_of_4_2_mb, headers=BEARER_TOKEN | JSON_BODY
                )
                reply_without_token = httpx2.post(url, json={}, headers=JSON_BODY)

        assert reply_to_long_body.status_code == HTTPStatus.REQUEST_ENTITY_TOO_LARGE
        assert reply_without_token.status_code == HTTPStatus.UNAUTHORIZED
