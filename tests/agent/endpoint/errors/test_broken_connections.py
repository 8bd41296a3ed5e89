"""A connection to a model's server that breaks off is no fault of the trial that uses it.

The server may be restarting. So the run waits until it recovers (the error `affects_all`), and asks
again (it is `retryable`).
"""

import pytest

from tests.agent.endpoint.errors.failed_request import error_after


@pytest.mark.parametrize(
    ("response", "expected_texts"),
    [
        pytest.param(
            b"HTTP/1.1 200 OK\r\ncontent-length: 900\r\n\r\n{",
            ["broke off", "is the server still running?"],
            id="incomplete body",
        ),
        pytest.param(b"", ["broke off"], id="closed connection"),
        pytest.param(b"SSH-2.0-OpenSSH\r\n\r\n", ["broke off"], id="another protocol"),
    ],
)
def test_connection_that_breaks_off_is_tried_again(
    response: bytes, expected_texts: list[str]
) -> None:
    error = error_after(response)

    assert error.retryable
    assert error.affects_all
    for text in expected_texts:
        assert text in str(error)
