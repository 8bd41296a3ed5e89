"""The doctor says what a run needs and does not find, and exits with 0 only if a run would work."""

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
DOCTOR = ("doctor", "--isolation", "language", "--json")
DOCTOR_OF_MODEL = (*DOCTOR, "--benchmark", "tests.support.phonebook", "--model", "m")
A_FAULT_WAS_FOUND = 1
"""The exit code of the doctor if a run would not work."""


def findings_about(subject: str, result: CommandResult) -> list[tuple[str, str]]:
    """Return state and text of each finding: `[("ok", "schema works"), ...]`."""
    return [
        (finding["state"], finding["text"])
        for finding in result.json["findings"]
        if finding["what"] == subject
    ]


def taking_all(asked: ModelHttpRequest, connection: socket.socket) -> bytes:
    """Reply rightly in each reply mode."""
    if "tools" in asked.body:
        return http_response(200, completion_json(None, tool=REPLY))
    return http_response(200, completion_json(REPLY))


def test_every_reply_mode_is_tried_once(tmp_path: Path) -> None:
    with model_server(taking_all) as server:
        result = run_in_process(
            *DOCTOR_OF_MODEL, cwd=tmp_path, OPENAI_BASE_URL=server.url
        )
    assert result.code == 0, result.out
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


def test_every_question_is_limited_in_tokens(tmp_path: Path) -> None:
    with model_server(taking_all) as server:
        run_in_process(*DOCTOR_OF_MODEL, cwd=tmp_path, OPENAI_BASE_URL=server.url)

    for request in server.asked:
        assert 0 < request.body["max_tokens"] <= 1_000


def test_the_time_of_the_first_message_is_told(tmp_path: Path) -> None:
    with model_server(taking_all) as server:
        result = run_in_process(
            *DOCTOR_OF_MODEL, cwd=tmp_path, OPENAI_BASE_URL=server.url
        )
    ((_, text),) = findings_about("first message", result)

    assert "tokens a second are read" in text


def breaking_at_tools(asked: ModelHttpRequest, connection: socket.socket) -> bytes:
    """Break the connection off if the request has tools, and answer otherwise."""
    if "tools" in asked.body:
        return b""
    return taking_all(asked, connection)


def test_a_mode_that_breaks_does_not_condemn_an_endpoint_that_works_in_another(
    tmp_path: Path,
) -> None:
    with model_server(breaking_at_tools) as server:
        result = run_in_process(
            *DOCTOR_OF_MODEL, cwd=tmp_path, OPENAI_BASE_URL=server.url
        )
    assert result.code == 0, result.out
    states = [state for state, _ in findings_about("reply mode", result)]
    # In the order schema, tool, json, text.
    assert states == ["ok", "note", "ok", "ok"]


def test_an_unknown_price_is_a_fault_where_dollars_are_limited(tmp_path: Path) -> None:
    limited = (*DOCTOR_OF_MODEL, "--run-cost", "1")
    prices = ("--prices", '{"input": 1, "output": 2}')
    with model_server(taking_all) as server:
        url = server.url
        without_prices = run_in_process(*limited, cwd=tmp_path, OPENAI_BASE_URL=url)
        with_prices = run_in_process(
            *limited, *prices, cwd=tmp_path, OPENAI_BASE_URL=url
        )

    assert without_prices.code == A_FAULT_WAS_FOUND
    assert findings_about("price", without_prices) == [("fault", "unknown for m")]
    assert with_prices.code == 0
    state, _ = findings_about("price", with_prices)[0]
    assert state == "ok"


@pytest.mark.parametrize(
    ("options", "subject", "text_part"),
    [
        (
            ("--base-url", "http://127.0.0.1:1/v1", "--model", "m"),
            "endpoint",
            "127.0.0.1:1",
        ),
        (("--model", "m"), "endpoint", "needs a key"),
        (("--benchmark", "no.such.module"), "platform", "no.such.module"),
        (("--runs-dir", "/dev/null/runs"), "disk", "cannot be written to"),
    ],
)
def test_a_missing_part_is_a_fault_with_a_remedy(
    options: tuple[str, ...], subject: str, text_part: str, tmp_path: Path
) -> None:
    result = run_in_process(*DOCTOR, *options, cwd=tmp_path)
    faults = [
        finding for finding in result.json["findings"] if finding["state"] == "fault"
    ]

    assert result.code == A_FAULT_WAS_FOUND
    (fault,) = faults
    assert fault["what"] == subject
    assert text_part in fault["text"]
    assert fault["remedy"]
