"""A run may ask several models, each of which its endpoint has to have.

An agent asks models in roles: `solve` is its main task, and `classify` a smaller one, for which the
user may name a smaller model.
"""

import json
import socket
from pathlib import Path

from controlplane.agent.model import Message
from controlplane.configuration.run_settings import RunSettings
from controlplane.errors import UsageError
from controlplane.lifecycle.resources.opening_resources import open_resources
from controlplane.lifecycle.resources.run_spec import RunSpec
from tests.support.byte_server import ByteServer
from tests.support.command import check_error_line, run_in_process
from tests.support.endpoints import completion_json, http_response, model_server


def test_each_role_is_asked_at_its_own_endpoint() -> None:
    """Nothing asks in the third role, whose endpoint is known all the same."""
    with (
        model_server(http_response(200, completion_json("big"))) as big_server,
        model_server(http_response(200, completion_json("small"))) as small_server,
    ):
        settings = RunSettings(
            agent="exoskeleton",
            model="m",
            base_url=big_server.url,
            role={
                "classify": {
                    "model": "s",
                    "base_url": small_server.url,
                    "reasoning_effort": "low",
                },
                "check_draft": {
                    "model": "unused",
                    "base_url": "http://127.0.0.1:9/v1",
                },
            },
        )
        message: Message = {"role": "user", "content": "u"}
        with open_resources(RunSpec(settings)) as resources:
            assert resources.model is not None
            solve_reply = resources.model.complete([message], "solve")
            classify_reply = resources.model.complete([message], "classify")

    assert solve_reply.text == "big"
    assert classify_reply.text == "small"
    (small_request,) = [request.body for request in small_server.asked]
    assert small_request["model"] == "s"
    assert small_request["reasoning_effort"] == "low"
    assert len(resources.models.endpoints) == 3


def test_a_model_that_its_endpoint_does_not_list_is_refused_before_the_run(
    tmp_path: Path,
) -> None:
    """The user mistyped the name, `smal-1`."""
    models = {"data": [{"id": "small-1"}, {"id": "large-1"}]}
    response = http_response(200, json.dumps(models))

    def list_models(connection: socket.socket, request: bytes) -> None:
        connection.sendall(response)

    with ByteServer(list_models) as server:
        refused = run_in_process(
            "run",
            "--benchmark",
            "tests.support.phonebook",
            "--model",
            "smal-1",
            cwd=tmp_path,
            OPENAI_BASE_URL=f"{server.url}/v1",
        )

    check_error_line(
        refused,
        UsageError.exit_code,
        "the endpoint has no model 'smal-1'; did you mean 'small-1'?; "
        "name one of its models with --model",
    )
    assert not (tmp_path / "runs").exists()
