"""A failure of the server of a model affects all trials, so the run waits until it recovers.

The error of the request says that it may be tried again (`retryable`) and that other trials would
meet it (`affects_all`). Its message has the status and what the server says: the message of an error
in JSON, or the title of a page. 502 and `<title>Bad Gateway</title>` -> "(502: Bad Gateway)".
"""

import pytest

from tests.agent.endpoint.errors.failed_request import error_after
from tests.support.endpoints import error_response, http_response


@pytest.mark.parametrize(
    ("response", "expected_texts"),
    [
        pytest.param(error_response(500, "boom"), ["500: boom"], id="failure"),
        pytest.param(http_response(503, ""), ["(503)"], id="overloaded"),
        pytest.param(
            http_response(523, "<title>Origin is unreachable</title>"),
            ["(523: Origin is unreachable)"],
            id="failure that Cloudflare reports",
        ),
        pytest.param(http_response(599, ""), ["(599)"], id="unknown status"),
        pytest.param(
            http_response(
                502, "<html><title>502 Bad Gateway</title><body>x</body></html>"
            ),
            ["(502: 502 Bad Gateway)"],
            id="failure as a page",
        ),
        pytest.param(
            error_response(200, "Provider returned error", code=502),
            ["502: Provider returned error"],
            id="failure with the status 200",
        ),
    ],
)
def test_failure_that_the_server_reports_is_tried_again(
    response: bytes, expected_texts: list[str]
) -> None:
    error = error_after(response)

    assert error.retryable
    assert error.affects_all
    for text in expected_texts:
        assert text in str(error)
