"""`doctor` tells, before a run, whether it would work with the given options.

It asks the model's endpoint a few small questions, looks for the benchmark, the folder of the runs
and the price list, and prints a finding about each: "ok", "note" or "fault", with a remedy. Here
the endpoint is a server in the test's process. The exit code is 0 only if there is no fault.
"""

import json
import socket
from pathlib import Path

import pytest

from tests.support.command import CommandResult, run_in_process
from tests.support.endpoints import (
    ModelHttpRequest,
    completion_json,
    http_response,
    model_server,
)

REPLY = json.dumps({"state": "ready", "plan": [], "done": False, "code": "1"})
"""A reply in the form that the product asks models for: a script, and what it is to do."""
DOCTOR = ("doctor", "--isolation", "language", "--json")
DOCTOR_OF_MODEL = (*DOCTOR, "--benchmark", "tests.support.phonebook", "--model", "m")
NO_FAULT_WAS_FOUND = 0
A_FAULT_WAS_FOUND = 1
"""The exit code of the doctor if a run would not work."""


def findings_about(subject: str, result: CommandResult) -> list[tuple[str, str]]:
    """Return state and text of each finding about a subject, such as "reply mode":
    `[("ok", "schema works"), ("note", "tool breaks")]`."""
    findings = []
    for finding in result.json["findings"]:
        if finding["what"] == subject:
            findings.append((finding["state"], finding["text"]))
    return findings


def reply_in_every_mode(request: ModelHttpRequest, connection: socket.socket) -> bytes:
    """Serve a model that replies in the mode that a request asks for.

    A reply comes as a call of a tool if the request has tools, and otherwise as text, which may
    have to fit a JSON schema or be any JSON.
    """
    if "tools" in request.body:
        return http_response(200, completion_json(None, tool=REPLY))
    return http_response(200, completion_json(REPLY))


def test_every_reply_mode_is_tried_once(tmp_path: Path) -> None:
    """A reply mode is the way in which a model is made to reply with a script: by a JSON schema,
    as a call of a tool, as any JSON, or as plain text."""
    with model_server(reply_in_every_mode) as server:
        result = run_in_process(
            *DOCTOR_OF_MODEL, cwd=tmp_path, OPENAI_BASE_URL=server.url
        )

    assert result.code == NO_FAULT_WAS_FOUND, result.out
    assert findings_about("reply mode", result) == [
        ("ok", "schema works"),
        ("ok", "tool works"),
        ("ok", "json works"),
        ("ok", "text works"),
    ]
    requests_by_mode = 4
    requests_to_measure_the_speed = 1
    assert len(server.asked) == requests_by_mode + requests_to_measure_the_speed
    ((state, text),) = findings_about("speed", result)
    assert state == "ok"
    assert "tokens a second" in text
    assert findings_about("price", result) == [("note", "unknown for m")]


def test_every_request_limits_the_tokens_of_the_reply(tmp_path: Path) -> None:
    """A model that never stops would otherwise cost money for mere questions of the doctor."""
    with model_server(reply_in_every_mode) as server:
        run_in_process(*DOCTOR_OF_MODEL, cwd=tmp_path, OPENAI_BASE_URL=server.url)

    for request in server.asked:
        assert request.body["max_tokens"] > 0
        assert request.body["max_tokens"] <= 1_000


def test_the_time_to_read_the_first_message_is_reported(tmp_path: Path) -> None:
    """A local model may need a minute for the long first message of a trial."""
    with model_server(reply_in_every_mode) as server:
        result = run_in_process(
            *DOCTOR_OF_MODEL, cwd=tmp_path, OPENAI_BASE_URL=server.url
        )
    ((_, text),) = findings_about("first message", result)

    assert "tokens a second are read" in text


def close_connection_at_tools(
    request: ModelHttpRequest, connection: socket.socket
) -> bytes:
    """Send nothing and close the connection if the request has tools; reply otherwise."""
    if "tools" in request.body:
        return b""
    return reply_in_every_mode(request, connection)


def test_an_endpoint_that_breaks_in_one_reply_mode_is_no_fault(
    tmp_path: Path,
) -> None:
    """A run then uses one of the other modes."""
    with model_server(close_connection_at_tools) as server:
        result = run_in_process(
            *DOCTOR_OF_MODEL, cwd=tmp_path, OPENAI_BASE_URL=server.url
        )

    assert result.code == NO_FAULT_WAS_FOUND, result.out
    states = [state for state, _ in findings_about("reply mode", result)]
    # In the order schema, tool, json, text.
    assert states == ["ok", "note", "ok", "ok"]


def test_an_unknown_price_is_a_fault_if_the_cost_is_limited(tmp_path: Path) -> None:
    """Without prices, nobody could say when the limit of a dollar is reached."""
    limited = (*DOCTOR_OF_MODEL, "--run-cost", "1")
    prices = ("--prices", '{"input": 1, "output": 2}')
    with model_server(reply_in_every_mode) as server:
        url = server.url
        without_prices = run_in_process(*limited, cwd=tmp_path, OPENAI_BASE_URL=url)
        with_prices = run_in_process(
            *limited, *prices, cwd=tmp_path, OPENAI_BASE_URL=url
        )

    assert without_prices.code == A_FAULT_WAS_FOUND
    assert findings_about("price", without_prices) == [("fault", "unknown for m")]
    assert with_prices.code == NO_FAULT_WAS_FOUND
    state, _ = findings_about("price", with_prices)[0]
    assert state == "ok"


@pytest.mark.parametrize(
    ("options", "subject", "text_part"),
    [
        pytest.param(
            ("--base-url", "http://127.0.0.1:1/v1", "--model", "m"),
            "endpoint",
            "127.0.0.1:1",
            id="nothing listens at the address",
        ),
        pytest.param(("--model", "m"), "endpoint", "needs a key", id="no API key"),
        pytest.param(
            ("--benchmark", "no.such.module"),
            "platform",
            "no.such.module",
            id="no such benchmark",
        ),
        pytest.param(
            ("--runs-dir", "/dev/null/runs"),
            "disk",
            "cannot be written to",
            id="no folder for runs",
        ),
    ],
)
def test_a_missing_part_is_a_fault_with_a_remedy(
    options: tuple[str, ...], subject: str, text_part: str, tmp_path: Path
) -> None:
    """The finding names the part, says what is wrong, and what to do."""
    result = run_in_process(*DOCTOR, *options, cwd=tmp_path)
    faults = [
        finding for finding in result.json["findings"] if finding["state"] == "fault"
    ]

    assert result.code == A_FAULT_WAS_FOUND
    (fault,) = faults
    assert fault["what"] == subject
    assert text_part in fault["text"]
    assert fault["remedy"]
