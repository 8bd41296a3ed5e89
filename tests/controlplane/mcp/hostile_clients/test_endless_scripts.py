"""A script without end is stopped as soon as nobody waits for its result.

A client of `controlplane mcp docs` calls the tool `execute_script` with `while True: pass`, and
then cancels the call, or goes. Otherwise the script would end after 20 s of CPU time.
"""

import pytest

from controlplane.errors import Interrupted
from tests.controlplane.mcp.hostile_clients.jsonl_client import Client
from tests.controlplane.mcp.hostile_clients.server_state import (
    error_of_script,
    journal_text,
    text_of_call,
)
from tests.sandbox.parent.fork_server.processes import descendants, wait_until_gone
from tests.support.command import PATIENCE_S, wait_until

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
