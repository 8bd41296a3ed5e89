"""`doctor` tells, before a run, how the model would reply, how fast it is, and what it costs.

Here the model replies in every mode in which it is asked. A reply mode is the way in which a model is
made to reply with a script: by a JSON schema, as a call of a tool, as any JSON, or as plain text.
"""

from pathlib import Path

from tests.controlplane.commands.doctor.examined_model import (
    examine,
    findings,
    reply_in_every_mode,
)
from tests.support.endpoints import model_server


def test_every_reply_mode_is_tried_once(tmp_path: Path) -> None:
    with model_server(reply_in_every_mode) as server:
        result = examine(server, tmp_path)

    assert result.code == 0, result.out
    assert findings(result)["reply mode"] == [
        "ok: schema works",
        "ok: tool works",
        "ok: json works",
        "ok: text works",
    ]
    requests_by_mode = 4
    requests_to_measure_the_speed = 1
    assert len(server.asked) == requests_by_mode + requests_to_measure_the_speed


def test_the_speed_of_a_model_and_an_unknown_price_are_reported(tmp_path: Path) -> None:
    with model_server(reply_in_every_mode) as server:
        result = examine(server, tmp_path)

    (speed,) = findings(result)["speed"]
    assert speed.startswith("ok: ")
    assert "tokens a second" in speed
    assert findings(result)["price"] == ["note: unknown for m"]


def test_every_request_limits_the_tokens_of_the_reply(tmp_path: Path) -> None:
    """A model that never stops would otherwise cost money for mere questions of the doctor."""
    with model_server(reply_in_every_mode) as server:
        examine(server, tmp_path)

    for request in server.asked:
        assert request.body["max_tokens"] > 0
        assert request.body["max_tokens"] <= 1_000


def test_the_time_to_read_the_first_message_is_reported(tmp_path: Path) -> None:
    """A local model may need a minute for the long first message of a trial."""
    with model_server(reply_in_every_mode) as server:
        result = examine(server, tmp_path)

    (first_message,) = findings(result)["first message"]
    assert "tokens a second are read" in first_message
