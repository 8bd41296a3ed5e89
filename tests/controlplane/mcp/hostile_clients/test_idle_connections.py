"""No client of `controlplane mcp docs` can block or fill the server for others.

Cancelled calls and closed inputs end their scripts. Lines that are too long, questions beyond the
limit and unusable messages are refused, and the next message is answered. Unread replies do not
keep the server from ending, and idle connections do not keep other clients out.
"""

import json
import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from http import HTTPStatus
from pathlib import Path
from typing import Any

import httpx2
import pytest

from controlplane.errors import Interrupted
from controlplane.mcp.serving.http_serving import served_over_http
from controlplane.mcp.serving.offered_server import offered_server
from controlplane.sandbox.interface import bounds
from tests.sandbox.parent.processes import descendants, wait_until_gone
from tests.support.command import (
    PATIENCE_S,
    clean_environment,
    start_in_environment,
    wait_until,
)

# A client of `controlplane mcp docs` that talks to it in JSON lines, as it likes.
#
#     client = Client(folder)
#     client.call_tool(1, "begin", question="?")      sends {"jsonrpc": "2.0", "id": 1, ...}
#     client.reply()                                  returns {"id": 1, "result": {...}}
#
# MCP's own library would send only what is right, and read each reply at once.


class Client:
    """Starts `controlplane mcp docs`. Reads a reply only when a test calls `reply()`."""

    def __init__(self, folder: Path, *, may_fork: bool = True) -> None:
        self.folder = folder
        (folder / "docs").mkdir()
        (folder / "docs/loans.md").write_text("loan-02: kept until 2026-03-01\n")
        self.process = start_in_environment(
            ["mcp", "docs"],
            cwd=folder,
            env=clean_environment(),
            may_fork=may_fork,
            stdin=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=False,
        )
        client_info = {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "c", "version": "1"},
        }
        self.send(id=0, method="initialize", params=client_info)
        assert "protocolVersion" in self.reply()["result"]
        self.send(method="notifications/initialized")

    def send(self, **message: object) -> None:
        """Send one message: `send(id=1, method="tools/list")`."""
        self.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")

    def write(self, data: bytes) -> None:
        """Send bytes as they are, whether they are messages or not."""
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def call_tool(self, number: int, name: str, **arguments: str) -> None:
        """Send a call of a tool of the server. `number` is the id of its reply."""
        self.send(
            id=number,
            method="tools/call",
            params={"name": name, "arguments": arguments},
        )

    def cancel(self, number: int) -> None:
        """Say that the result of this call is not wanted any more."""
        self.send(method="notifications/cancelled", params={"requestId": number})

    def reply(self) -> dict[str, Any]:
        """Return the next message of the server."""
        assert self.process.stdout is not None
        message: dict[str, Any] = json.loads(self.process.stdout.readline())
        return message

    def close_input(self) -> None:
        """Close the server's standard input, which asks the server to end."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.stdin = None  # `communicate` would flush a closed file.


@contextmanager
def running_client(folder: Path, *, may_fork: bool = True) -> Iterator[Client]:
    """Yield a client with a running server, which is killed after the block."""
    client = Client(folder, may_fork=may_fork)
    try:
        yield client
    finally:
        client.process.kill()
        client.process.communicate()


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Client]:
    """A client with a running server of its own."""
    with running_client(tmp_path) as client:
        yield client


@pytest.fixture
def client_of_new_python(tmp_path: Path) -> Iterator[Client]:
    """A client whose server is no fork, and so ends as that of a user."""
    with running_client(tmp_path, may_fork=False) as client:
        yield client


# What a running server of `controlplane mcp docs` has replied and written, and how much memory it took.
#
#     text_of_call(client, 2)    ->    "question_id 3f2a... The files of ..."
#     journal_text(client)       ->    the lines of its journal, the record of what has happened
#     error_of_script(client, "while True: pass")    ->    "the client left"
#     peak_memory_kib(client)    ->    91_240
#
# A call has a number, by which its reply is found.


def journal_text(client: Client) -> str:
    """Return what the client's server has written to its only journal so far."""
    (journal,) = (client.folder / "runs").glob("*.jsonl")
    return journal.read_text()


def error_of_script(client: Client, code: str) -> str:
    """Return what the journal says of the end of a script with this code."""
    for line in journal_text(client).splitlines():
        event = json.loads(line)
        if event["type"] == "step" and event["code"] == code:
            return str(event["error"])
    return "the script has not ended"


def peak_memory_kib(client: Client) -> int:
    """Return the most memory that the process of the server had so far, in KiB."""
    status = Path(f"/proc/{client.process.pid}/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0])


def text_of_call(client: Client, number: int) -> str:
    """Return the text that a call of a tool returned, and drop the messages before it."""
    message = client.reply()
    while message["id"] != number:
        message = client.reply()
    text: str = message["result"]["content"][0]["text"]
    return text


# A script without end is stopped as soon as nobody waits for its result.
#
# A client of `controlplane mcp docs` calls the tool `execute_script` with `while True: pass`, and
# then cancels the call, or goes. Otherwise the script would end after 20 s of CPU time.

ENDLESS = "while True: pass"


@pytest.fixture
def client_with_endless_script(client_of_new_python: Client) -> Client:
    """A client whose call 2 runs a script without end, after a call 1 that has returned."""
    client = client_of_new_python
    client.call_tool(1, "execute_script", code="print(1)")
    assert client.reply()["id"] == 1
    client.call_tool(2, "execute_script", code=ENDLESS)
    wait_until(lambda: ENDLESS in journal_text(client))
    return client


def test_call_that_is_cancelled_at_once_does_not_delay_the_next(
    client: Client,
) -> None:
    """The first call starts a run in the server, and is cancelled before the run is there."""
    client.call_tool(1, "execute_script", code=ENDLESS)
    client.cancel(1)
    client.call_tool(2, "execute_script", code="print('next')")

    assert "next" in text_of_call(client, 2)


def test_running_script_ends_when_its_call_is_cancelled(
    client_with_endless_script: Client,
) -> None:
    """Otherwise the next call would have to wait for the script."""
    client = client_with_endless_script

    client.cancel(2)
    client.call_tool(3, "execute_script", code="print('next')")

    assert "next" in text_of_call(client, 3)
    assert error_of_script(client, ENDLESS) == "the client cancelled this call"


def test_server_ends_when_its_input_closes_although_a_script_runs(
    client_with_endless_script: Client,
) -> None:
    """No process may stay behind when the client has gone."""
    client = client_with_endless_script
    processes_of_scripts = descendants(client.process.pid)
    assert processes_of_scripts

    client.close_input()

    # The second code: the script did not end soon enough, and the process ended all the same.
    assert client.process.wait(PATIENCE_S) in (0, Interrupted.exit_code)
    wait_until_gone(processes_of_scripts)
    assert error_of_script(client, ENDLESS) == "the client left"


# A client sends `controlplane mcp docs` lines that are far too long, and the server stays small.
#
# The server answers questions about the folder `docs`. Its client writes one JSON message a line:
#
#     {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": "xxxxx..."}
#
# A line of 60 MB gets the reply "... longer than 4,000,000 bytes", with the same `id`.


def test_lines_that_are_too_long_or_have_too_many_values_are_refused(
    client: Client,
) -> None:
    """All lines go to one server, because its memory is compared at the end."""
    peak_before_kib = peak_memory_kib(client)
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
        client.write(
            b'{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":%b}\n'
            % (number, params)
        )
        reply = client.reply()
        assert reply["id"] == number
        assert expected_error in str(reply["error"])

    # The server keeps at most 4 MB of a line, and a parser needs a multiple of that.
    assert peak_memory_kib(client) - peak_before_kib < 25_000


# A client opens more questions than `controlplane mcp docs` allows, and one is refused.
#
# Each tool call `begin(question="?")` opens a question about the folder `docs`, which takes memory and
# a process. The last one gets "... questions are open".


@pytest.mark.second_tier
def test_one_question_too_many_is_refused(client: Client) -> None:
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


# A client makes 400 calls and reads no reply, and the server ends all the same.
#
# The server is `controlplane mcp docs`, whose client writes calls to its standard input. Each reply
# has 90,000 characters, and the pipe to the client takes 65,536 bytes: the server is stuck in its
# first reply. Each test runs with all calls waiting, and with half of them cancelled.

EXIT_CODES = (0, Interrupted.exit_code)
"""The second code: a script did not end soon enough, and the process ended all the same."""


def start_400_calls(client: Client, *, cancels_half: bool) -> None:
    """Start calls whose replies the client does not read, and wait until the server is at work.

    The long texts of the replies let its memory grow. Once it has grown by 1,000 KiB, the server
    is at work.
    """
    peak_before_kib = peak_memory_kib(client)
    for number in range(1, 401):
        client.call_tool(number, "execute_script", code="print('x' * 90_000)")
        if cancels_half and number % 2 == 0:
            client.cancel(number)
    wait_until(lambda: peak_memory_kib(client) > peak_before_kib + 1_000)


with_and_without_cancelled_calls = pytest.mark.parametrize(
    "cancels_half",
    [
        pytest.param(False, id="no call cancelled"),
        pytest.param(True, id="half of the calls cancelled"),
    ],
)


@pytest.mark.second_tier
@with_and_without_cancelled_calls
def test_server_with_400_unread_replies_ends_by_a_signal(
    client_of_new_python: Client, cancels_half: bool
) -> None:
    """The server cannot write its replies, since the pipe to the client is full."""
    client = client_of_new_python
    start_400_calls(client, cancels_half=cancels_half)

    client.process.send_signal(signal.SIGTERM)

    assert client.process.wait(30) in EXIT_CODES


@pytest.mark.second_tier
@with_and_without_cancelled_calls
def test_server_with_400_unread_replies_ends_when_its_input_closes(
    client_of_new_python: Client, cancels_half: bool
) -> None:
    """The client has gone, and nobody will read the replies."""
    client = client_of_new_python
    start_400_calls(client, cancels_half=cancels_half)

    client.close_input()

    assert client.process.wait(30) in EXIT_CODES


# A message that `controlplane mcp docs` cannot use does not keep it from answering the next one.
#
# The server answers questions about the folder `docs`. Its client writes one JSON message a line, and
# the reply to `{"jsonrpc": "2.0", "id": 3, "method": "tools/list"}` has the same `id`.


def test_lines_without_a_usable_id_get_no_reply(client: Client) -> None:
    """A reply could not name the request that it answers."""
    client.write(b"[1, 2]\n")
    client.write(b"\xff\xfe{{{\n")
    client.write(b'{"jsonrpc":"2.0","id":null,"method":"tools/call"}\n')
    client.send(id=3, method="tools/list")

    first_reply = client.reply()

    assert first_reply["id"] == 3
    assert "execute_script" in str(first_reply["result"])


def test_argument_that_is_not_text_is_refused(client: Client) -> None:
    """Half of a surrogate pair can be written in JSON, and is not a character."""
    client.call_tool(2, "submit_answer", answer="\ud800", question_id="\ud800")
    client.send(id=3, method="tools/list")

    refusal = client.reply()
    next_reply = client.reply()

    assert refusal["id"] == 2
    assert "cannot be read" in str(refusal["error"])
    assert next_reply["id"] == 3
    assert "execute_script" in str(next_reply["result"])


# Idle connections to an MCP server over HTTP do not keep other clients out.
#
# Of 300 connections, two stop in the middle of a request, and 298 send nothing. Two further
# clients get a reply all the same.


HALF_OF_A_HEAD = b"POST /mcp HTTP/1.1\r\nhost: x\r\n"

BEGINNING_OF_A_BODY = (
    HALF_OF_A_HEAD + b"authorization: Bearer open-sesame\r\ncontent-length: 9\r\n\r\n{"
)


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


def test_idle_connections_do_not_keep_other_clients_of_an_http_server_out() -> None:
    """The server refuses both requests: the first is longer than 4 MB, and the second lacks the
    token."""
    server = offered_server([], lambda *_: "", instructions="", reading=())
    body_of_4_2_mb = b"[" + b"{}," * 1_400_000 + b"{}]"
    with served_over_http(server, "open-sesame") as url:
        port = httpx2.URL(url).port
        assert port is not None
        with idle_connections(port, count=300) as connections:
            connections[0].sendall(BEGINNING_OF_A_BODY)
            connections[1].sendall(HALF_OF_A_HEAD)

            reply_to_long_body = httpx2.post(
                url,
                content=body_of_4_2_mb,
                headers={
                    "Authorization": "Bearer open-sesame",
                    "Content-Type": "application/json",
                },
            )
            reply_without_token = httpx2.post(url, json={})

    assert reply_to_long_body.status_code == HTTPStatus.REQUEST_ENTITY_TOO_LARGE
    assert reply_without_token.status_code == HTTPStatus.UNAUTHORIZED
