"""The error of a request to a model's API, if the server answers otherwise than with a reply.

    error = error_after(error_response(500, "boom"))

The error's message is one line, with "500: boom" and the server's address.
"""

from controlplane.agent.model import ModelError
from tests.support.endpoint_requests import error_of_request
from tests.support.endpoints import model_server


def error_after(response: bytes) -> ModelError:
    """Return the error of a request that a server answers with `response`.

    `error_of_request` checks that the error is a short line without the user's key.
    """
    with model_server(response) as server:
        error = error_of_request(server.url)
    assert f"127.0.0.1:{server.port}/v1" in str(error)
    assert len(server.asked) == 1
    return error
