"""`doctor` calls a fault what keeps a run from working, and a note what a run can do without.

It asks the model's endpoint a few small questions, and prints its findings by subject. The exit code
is 0 if there is no fault, and otherwise 1:

    {"price": ["note: unknown for m"]}     with `--run-cost 1`: "fault: unknown for m"
"""

import socket
from pathlib import Path

from tests.controlplane.commands.doctor.examined_model import (
    examine,
    findings,
    reply_in_every_mode,
)
from tests.support.endpoints import ModelHttpRequest, model_server


def close_connection_at_tools(
    request: ModelHttpRequest, connection: socket.socket
) -> bytes:
    """Send nothing and close the connection if the request has tools; reply otherwise."""
    if "tools" in request.body:
        return b""
    return reply_in_every_mode(request, connection)


def test_an_endpoint_that_breaks_in_one_reply_mode_is_no_fault(tmp_path: Path) -> None:
    """A run then uses one of the other modes."""
    with model_server(close_connection_at_tools) as server:
        result = examine(server, tmp_path)

    assert result.code == 0, result.out
    schema, tool, json_mode, text = findings(result)["reply mode"]
    assert tool.startswith("note: ")
    for working_mode in (schema, json_mode, text):
        assert working_mode.startswith("ok: ")


def test_an_unknown_price_is_a_fault_if_the_cost_is_limited(tmp_path: Path) -> None:
    """Without prices, nobody could say when the limit of a dollar is reached."""
    with model_server(reply_in_every_mode) as server:
        result = examine(server, tmp_path, "--run-cost", "1")

    assert result.code == 1
    assert findings(result)["price"] == ["fault: unknown for m"]


def test_a_limited_cost_is_no_fault_with_prices(tmp_path: Path) -> None:
    """The prices are those of a million tokens, in dollars."""
    prices = ("--prices", '{"input": 1, "output": 2}')
    with model_server(reply_in_every_mode) as server:
        result = examine(server, tmp_path, "--run-cost", "1", *prices)

    assert result.code == 0
    assert findings(result)["price"][0].startswith("ok: ")
