"""The doctor says what a run needs and does not find, and exits with 0 only if a run would work."""

import json
import socket
from pathlib import Path

import pytest

from tests.support.command import Result, inside
from tests.support.endpoints import Asked, completion, model_server, response

REPLY = json.dumps({"state": "ready", "plan": [], "done": False, "code": "1"})
MODEL = (
    "doctor",
    "--benchmark",
    "tests.support.phonebook",
    "--model",
    "m",
    "--isolation",
    "language",
    "--json",
)


def found(result: Result, what: str) -> list[tuple[str, str]]:
    return [
        (finding["state"], finding["text"])
        for finding in result.json["findings"]
        if finding["what"] == what
    ]


def taking_all(asked: Asked, connection: socket.socket) -> bytes:
    del connection
    return response(
        200,
        completion(None, tool=REPLY) if "tools" in asked.body else completion(REPLY),
    )


def test_every_reply_mode_is_tried_once(tmp_path: Path) -> None:
    with model_server(taking_all) as server:
        result = inside(*MODEL, cwd=tmp_path, OPENAI_BASE_URL=server.url)
    assert result.code == 0, result.out
    assert found(result, "reply mode") == [
        ("ok", f"{mode} works") for mode in ("schema", "tool", "json", "text")
    ]
    # one in each mode, and one to measure the speed of reading
    assert len(server.asked) == 5
    ((state, text),) = found(result, "speed")
    assert state == "ok"
    assert "tokens a second" in text
    assert found(result, "price") == [("note", "unknown for m")]


def test_every_question_is_limited_in_tokens(tmp_path: Path) -> None:
    with model_server(taking_all) as server:
        inside(*MODEL, cwd=tmp_path, OPENAI_BASE_URL=server.url)
    assert all(0 < asked.body["max_tokens"] <= 1_000 for asked in server.asked)


def test_the_time_of_the_first_message_is_told(tmp_path: Path) -> None:
    with model_server(taking_all) as server:
        result = inside(*MODEL, cwd=tmp_path, OPENAI_BASE_URL=server.url)
    ((_, text),) = found(result, "first message")

    assert "tokens a second are read" in text


def breaking_at_tools(asked: Asked, connection: socket.socket) -> bytes:
    """Break the connection off if the request has tools, and answer otherwise."""
    if "tools" in asked.body:
        return b""
    return taking_all(asked, connection)


def test_a_mode_that_breaks_does_not_condemn_an_endpoint_that_works_in_another(
    tmp_path: Path,
) -> None:
    with model_server(breaking_at_tools) as server:
        result = inside(*MODEL, cwd=tmp_path, OPENAI_BASE_URL=server.url)
    assert result.code == 0, result.out
    states = [state for state, _ in found(result, "reply mode")]
    assert states == ["ok", "note", "ok", "ok"]


def test_an_unknown_price_is_a_fault_where_dollars_are_limited(tmp_path: Path) -> None:
    with model_server(taking_all) as server:
        limited = inside(
            *MODEL, "--run-cost", "1", cwd=tmp_path, OPENAI_BASE_URL=server.url
        )
        prices = ("--prices", '{"input": 1, "output": 2}')
        priced = inside(
            *MODEL, "--run-cost", "1", *prices, cwd=tmp_path, OPENAI_BASE_URL=server.url
        )

    assert (limited.code, found(limited, "price")) == (1, [("fault", "unknown for m")])
    assert (priced.code, found(priced, "price")[0][0]) == (0, "ok")


@pytest.mark.parametrize(
    ("options", "what", "says"),
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
    options: tuple[str, ...], what: str, says: str, tmp_path: Path
) -> None:
    result = inside(
        "doctor", "--isolation", "language", *options, "--json", cwd=tmp_path
    )
    faults = [
        finding for finding in result.json["findings"] if finding["state"] == "fault"
    ]

    assert result.code == 1
    assert [fault["what"] for fault in faults] == [what]
    assert says in faults[0]["text"]
    assert faults[0]["remedy"]
