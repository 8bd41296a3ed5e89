"""A client makes 400 calls and reads no reply, and the server ends all the same.

The server is `controlplane mcp docs`, whose client writes calls to its standard input. Each reply
has 90,000 characters, and the pipe to the client takes 65,536 bytes: the server is stuck in its
first reply. Each test runs with all calls waiting, and with half of them cancelled.
"""

import signal

import pytest

from controlplane.errors import Interrupted
from tests.controlplane.mcp.hostile_clients.jsonl_client import Client
from tests.controlplane.mcp.hostile_clients.server_state import peak_memory_kib
from tests.support.command import wait_until

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
