"""A script without end is stopped as soon as nobody waits for its result.

A client of `controlplane mcp docs` calls the tool `execute_script` with `while True: pass`, and
then cancels the call, or goes. Otherwise the script would end after 20 s of CPU time.
"""

import json

import pytest

from controlplane.errors import Interrupted
from tests.controlplane.mcp.hostile_clients.jsonl_client import Client
from tests.controlplane.mcp.hostile_clients.server_state import (
    journal_text,
    text_of_call,
)
from tests.support.command import PATIENCE_S, wait_until


@pytest.fixture
def client_with_endless_script(client: Client) -> Client:
    """A client whose call 2 runs a script without end, after a call 1 that has returned."""
    client.call_tool(1, "execute_script", code="print(1)")
    assert client.reply()["id"] == 1
    client.call_tool(2, "execute_script", code="while True: pass")
    wait_until(lambda: "while True: pass" in journal_text(client))
    return client


def error_of_endless_script(client: Client) -> str:
    """Return what the journal says of the script's end, once the server has ended."""
    for line in journal_text(client).splitlines():
        event = json.loads(line)
        if event["type"] == "step" and event["code"] == "while True: pass":
            return str(event["error"])
    return "the script has not ended"


def test_call_that_is_cancelled_at_once_does_not_delay_the_next(
    client: Client,
) -> None:
    """The first call starts a run in the server, and is cancelled before the run is there."""
    client.call_tool(1, "execute_script", code="while True: pass")
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
    assert error_of_endless_script(client) == "the client cancelled this call"


def test_server_ends_when_its_input_closes_although_a_script_runs(
    client_with_endless_script: Client,
) -> None:
    """No process may stay behind when the client has gone."""
    client = client_with_endless_script

    client.close_input()

    # The second code: the script did not end soon enough, and the process ended all the same.
    assert client.process.wait(PATIENCE_S) in (0, Interrupted.exit_code)
    assert error_of_endless_script(client) == "the client left"
