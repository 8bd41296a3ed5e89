"""A model whose reply would take more than an hour is given up when the time of the trial is over.

The endpoint sends a byte every 0.1 s. The trial may take 2 s (`--trial-time`), and ends then, without
another request.
"""

import socket
import time
from pathlib import Path

import pytest

from tests.controlplane.model_endpoints.phonebook_endpoint import (
    PHONEBOOK_RUN,
    phonebook_endpoint,
)
from tests.support.endpoints import ModelHttpRequest, http_response


def hang(request: ModelHttpRequest, connection: socket.socket) -> bytes:
    """Send the beginning of a reply, and then a byte every 0.1 s for more than an hour."""
    pause_s = 0.1
    byte_count = 40_000
    whole_reply = http_response(200, " " * byte_count)
    connection.sendall(whole_reply[:-byte_count])
    for _ in range(byte_count):
        time.sleep(pause_s)
        connection.sendall(b" ")  # Raises `OSError` when the client has left.
    return b""


@pytest.mark.parametrize(
    "agent_options",
    [
        pytest.param([], id="default agent"),
        pytest.param(["--agent", "exoskeleton"], id="agent with tools"),
        pytest.param(
            ["--agent", "tests.controlplane.model_endpoints.asking_solver"],
            id="agent of a user, which asks the model by itself",
        ),
    ],
)
def test_the_time_of_a_trial_bounds_a_request_of_a_run(
    tmp_path: Path, agent_options: list[str]
) -> None:
    play = [*PHONEBOOK_RUN, "--limit", "1", "--trial-time", "2", "--json"]
    with phonebook_endpoint(tmp_path, hang) as endpoint:
        run = endpoint.command(*play, *agent_options)

    assert run.code in (0, 1), run.err
    assert len(endpoint.server.asked) == 1
    (trial,) = run.json["trials"]
    assert ("had not answered when the trial's time was over (--trial-time)") in trial[
        "reason"
    ]


def test_the_time_of_a_trial_bounds_a_request_of_a_question(tmp_path: Path) -> None:
    """`controlplane ask` answers a question about files, as a trial of its own."""
    (tmp_path / "a.md").write_text("Nothing.\n")
    ask = ["ask", "What is in it?", ".", "--model", "m", "--trial-time", "2"]

    with phonebook_endpoint(tmp_path, hang) as endpoint:
        asked = endpoint.command(*ask, "--json")

    assert asked.code in (0, 1), asked.err
    assert len(endpoint.server.asked) == 1
    assert (
        "had not answered when the trial's time was over (--trial-time)"
    ) in asked.json["reason"]
