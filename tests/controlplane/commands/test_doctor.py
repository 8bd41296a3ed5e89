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
    ModelServer,
    completion_json,
    http_response,
    model_server,
)

REPLY = json.dumps({"state": "ready", "plan": [], "done": False, "code": "1"})
"""A reply in the form that the product asks models for: a script, and what it is to do."""
DOCTOR = ("doctor", "--isolation", "language", "--json")
"""The command, without layers of isolation that not every machine has."""
NO_FAULT_WAS_FOUND = 0
A_FAULT_WAS_FOUND = 1
"""The exit code of the doctor if a run would not work."""


def findings(result: CommandResult) -> dict[str, list[str]]:
    """Return what the doctor found out about each subject, with its state: "ok", "note" or "fault".

    `{"reply mode": ["ok: schema works", "note: tool breaks"], "price": ["note: unknown for m"]}`
    """
    texts: dict[str, list[str]] = {}
    for finding in result.json["findings"]:
        text = f"{finding['state']}: {finding['text']}"
        texts.setdefault(finding["what"], []).append(text)
    return texts


def examine(server: ModelServer, folder: Path, *options: str) -> CommandResult:
    """Run `doctor` for the model "m", which a server serves, and a benchmark of the tests."""
    run = ("--benchmark", "tests.support.phonebook", "--model", "m")
    return run_in_process(
        *DOCTOR, *run, *options, cwd=folder, OPENAI_BASE_URL=server.url
    )


def reply_in_every_mode(request: ModelHttpRequest, connection: socket.socket) -> bytes:
    """Serve a model that replies in the mode that a request asks for.

    A reply comes as a call of a tool if the request has tools, and otherwise as text, which may
    have to fit a JSON schema or be any JSON.
    """
    if "tools" in request.body:
        return http_response(200, completion_json(None, tool=REPLY))
    return http_response(200, completion_json(REPLY))


class TestWorkingModel:
    """The endpoint serves a model "m" that replies in every way in which it is asked.

    A reply mode is the way in which a model is made to reply with a script: by a JSON schema,
    as a call of a tool, as any JSON, or as plain text.
    """

    def test_every_reply_mode_is_tried_once(self, tmp_path: Path) -> None:
        with model_server(reply_in_every_mode) as server:
            result = examine(server, tmp_path)

        assert result.code == NO_FAULT_WAS_FOUND, result.out
        assert findings(result)["reply mode"] == [
            "ok: schema works",
            "ok: tool works",
            "ok: json works",
            "ok: text works",
        ]
        requests_by_mode = 4
        requests_to_measure_the_speed = 1
        assert len(server.asked) == requests_by_mode + requests_to_measure_the_speed

    def test_the_speed_of_a_model_and_an_unknown_price_are_reported(
        self, tmp_path: Path
    ) -> None:
        with model_server(reply_in_every_mode) as server:
            result = examine(server, tmp_path)

        (speed,) = findings(result)["speed"]
        assert speed.startswith("ok: ")
        assert "tokens a second" in speed
        assert findings(result)["price"] == ["note: unknown for m"]

    def test_every_request_limits_the_tokens_of_the_reply(self, tmp_path: Path) -> None:
        """A model that never stops would otherwise cost money for mere questions of the doctor."""
        with model_server(reply_in_every_mode) as server:
            examine(server, tmp_path)

        for request in server.asked:
            assert request.body["max_tokens"] > 0
            assert request.body["max_tokens"] <= 1_000

    def test_the_time_to_read_the_first_message_is_reported(
        self, tmp_path: Path
    ) -> None:
        """A local model may need a minute for the long first message of a trial."""
        with model_server(reply_in_every_mode) as server:
            result = examine(server, tmp_path)

        (first_message,) = findings(result)["first message"]
        assert "tokens a second are read" in first_message


def close_connection_at_tools(
    request: ModelHttpRequest, connection: socket.socket
) -> bytes:
    """Send nothing and close the connection if the request has tools; reply otherwise."""
    if "tools" in request.body:
        return b""
    return reply_in_every_mode(request, connection)


class TestFaultsAndNotes:
    """What keeps a run from working is a fault; what a run can do without is a note.

    `findings(result)` has the texts by subject: `{"price": ["note: unknown for m"]}`.
    """

    def test_an_endpoint_that_breaks_in_one_reply_mode_is_no_fault(
        self, tmp_path: Path
    ) -> None:
        """A run then uses one of the other modes."""
        with model_server(close_connection_at_tools) as server:
            result = examine(server, tmp_path)

        assert result.code == NO_FAULT_WAS_FOUND, result.out
        schema, tool, json_mode, text = findings(result)["reply mode"]
        assert tool.startswith("note: ")
        for working_mode in (schema, json_mode, text):
            assert working_mode.startswith("ok: ")

    def test_an_unknown_price_is_a_fault_if_the_cost_is_limited(
        self, tmp_path: Path
    ) -> None:
        """Without prices, nobody could say when the limit of a dollar is reached."""
        with model_server(reply_in_every_mode) as server:
            result = examine(server, tmp_path, "--run-cost", "1")

        assert result.code == A_FAULT_WAS_FOUND
        assert findings(result)["price"] == ["fault: unknown for m"]

    def test_a_limited_cost_is_no_fault_with_prices(self, tmp_path: Path) -> None:
        """The prices are those of a million tokens, in dollars."""
        prices = ("--prices", '{"input": 1, "output": 2}')
        with model_server(reply_in_every_mode) as server:
            result = examine(server, tmp_path, "--run-cost", "1", *prices)

        assert result.code == NO_FAULT_WAS_FOUND
        assert findings(result)["price"][0].startswith("ok: ")


class TestMissingParts:
    """A part that a run needs is missing: a fault with a remedy.

    The parts are an endpoint that answers, a key, the benchmark and a folder for the journals. A
    fault is an object: `{"state": "fault", "what": "disk", "text": "...", "remedy": "..."}`.
    """

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
        self, options: tuple[str, ...], subject: str, text_part: str, tmp_path: Path
    ) -> None:
        """The finding names the part, says what is wrong, and what to do."""
        result = run_in_process(*DOCTOR, *options, cwd=tmp_path)

        assert result.code == A_FAULT_WAS_FOUND
        all_findings = result.json["findings"]
        (fault,) = [finding for finding in all_findings if finding["state"] == "fault"]
        assert fault["what"] == subject
        assert text_part in fault["text"]
        assert fault["remedy"]
