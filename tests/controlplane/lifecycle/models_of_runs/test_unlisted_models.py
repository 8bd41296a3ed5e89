"""A run is refused before it begins if the endpoint does not list its model.

The user mistyped the name of the model, `--model smal-1`. The endpoint lists `small-1` and
`large-1`, so that the error is "the endpoint has no model 'smal-1'; did you mean 'small-1'?".
"""

import json
import socket
from pathlib import Path

from controlplane.errors import UsageError
from tests.support.byte_server import ByteServer
from tests.support.command import check_error_line, run_in_process
from tests.support.endpoints import http_response


def test_a_model_that_its_endpoint_does_not_list_is_refused_before_the_run(
    tmp_path: Path,
) -> None:
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
