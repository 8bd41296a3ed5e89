"""What the user reads if a request to a model's endpoint fails.

Every error is one line with a remedy: "the key is refused (401: ...); set OPENAI_API_KEY". Two flags
say what the run does next:

| `retryable` | `affects_all` | for example         | what the run does                       |
| ----------- | ------------- | ------------------- | --------------------------------------- |
| no          | yes           | the key is wrong    | it stops, for the user to correct this  |
| no          | no            | too long a prompt   | it ends this trial                      |
| yes         | yes           | the server is down  | it waits until the server recovers      |
| yes         | no            | a malformed reply   | it asks again in this trial             |
"""

import pytest

from controlplane.agent.model import ModelError
from tests.support.endpoint_requests import CANARY_API_KEY, error_of_request
from tests.support.endpoints import error_response, http_response, model_server


def error_after(response: bytes) -> ModelError:
    """Return the error of a request that a server answers with `response`.

    `error_of_request` checks that the error is a short line without the user's key.
    """
    with model_server(response) as server:
        error = error_of_request(server.url)
    assert f"127.0.0.1:{server.port}/v1" in str(error)
    assert len(server.asked) == 1
    return error


class TestErrorsOfSettings:
    """An error that only the user can correct stops the run.

    To try again would not help, and all other trials would meet the same error. The message has the
    status, what the server says, and what the user can change.
    """

    @pytest.mark.parametrize(
        ("response", "expected_texts"),
        [
            pytest.param(
                error_response(401, f"Incorrect API key provided: {CANARY_API_KEY}"),
                ["the key is refused", "OPENAI_API_KEY", "[key]"],
                id="wrong key",
            ),
            pytest.param(
                error_response(200, "no key", code=401),
                ["the key is refused"],
                id="wrong key with the status 200",
            ),
            pytest.param(
                error_response(403, "not for you"),
                ["the key is refused (403: not for you)", "OPENAI_API_KEY"],
                id="key without the right",
            ),
            pytest.param(
                error_response(402, "Insufficient credits"),
                ["no credit is left", "402"],
                id="no credit",
            ),
            pytest.param(
                error_response(
                    429, "You exceeded your current quota", code="insufficient_quota"
                ),
                ["no credit is left"],
                id="no quota",
            ),
            pytest.param(
                error_response(404, "model not found"),
                ["no model 'm'", "--model", "OPENAI_BASE_URL"],
                id="unknown model",
            ),
            pytest.param(
                http_response(404, "404 page not found"),
                ["404 page not found", "/v1"],
                id="wrong path",
            ),
            pytest.param(
                http_response(405, "no"),
                ["no requests are taken", "/v1"],
                id="wrong method",
            ),
            pytest.param(
                http_response(302, "", {"location": "https://elsewhere.test/"}),
                ["elsewhere.test", "OPENAI_BASE_URL"],
                id="redirect",
            ),
        ],
    )
    def test_error_that_only_the_user_can_correct_stops_the_run(
        self, response: bytes, expected_texts: list[str]
    ) -> None:
        error = error_after(response)

        assert not error.retryable
        assert error.affects_all
        for text in expected_texts:
            assert text in str(error)


class TestErrorsOfConversations:
    """An error that is due to one conversation ends only its trial.

    The conversation is refused for its content or its length. Those of other trials may be shorter,
    or have other contents, so the run goes on.
    """

    @pytest.mark.parametrize(
        ("response", "expected_texts"),
        [
            pytest.param(
                error_response(403, "Input was flagged by moderation"),
                ["403: Input was flagged"],
                id="refused content",
            ),
            pytest.param(
                error_response(400, "the request exceeds the available context size"),
                ["--initial-prompt-chars", "context"],
                id="too long for llama.cpp",
            ),
            pytest.param(
                error_response(400, "This model's maximum context length is 8 tokens"),
                ["--initial-prompt-chars"],
                id="too long for OpenAI",
            ),
        ],
    )
    def test_error_due_to_the_conversation_ends_only_this_trial(
        self, response: bytes, expected_texts: list[str]
    ) -> None:
        error = error_after(response)

        assert not error.retryable
        assert not error.affects_all
        for text in expected_texts:
            assert text in str(error)


class TestFailuresOfServers:
    """A failure of the server affects all trials, so the run waits until it recovers.

    The message has the status and what the server says: the message of an error in JSON, or the
    title of a page.
    """

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
        self, response: bytes, expected_texts: list[str]
    ) -> None:
        error = error_after(response)

        assert error.retryable
        assert error.affects_all
        for text in expected_texts:
            assert text in str(error)

    @pytest.mark.parametrize(
        ("response", "expected_texts"),
        [
            pytest.param(
                error_response(429, "slow down"),
                ["too many requests", "--concurrency", "slow down"],
                id="too many requests",
            ),
            pytest.param(
                http_response(429, "no", {"retry-after": "\u00d9"}),
                ["too many requests"],
                id="unreadable header",
            ),
        ],
    )
    def test_too_many_requests_are_tried_again(
        self, response: bytes, expected_texts: list[str]
    ) -> None:
        """The header `retry-after` may say when. Here it is missing, or is not a number."""
        error = error_after(response)

        assert error.retryable
        assert error.affects_all
        for text in expected_texts:
            assert text in str(error)


SIGN_IN_PAGE = (
    "<!DOCTYPE html><html><head><title>Sign in</title></head>"
    "<body><h1>Welcome</h1></body></html>"
)


class TestForeignBodies:
    """A body that is not a completion (a model's reply) is reported, and asked for again.

    Somebody else may have answered, such as the login page of a network. So the message says what
    came instead.
    """

    @pytest.mark.parametrize(
        ("response", "expected_texts"),
        [
            pytest.param(
                http_response(200, SIGN_IN_PAGE, {"content-type": "text/html"}),
                ["other than a chat completion", "'Sign in'", "OPENAI_BASE_URL"],
                id="page to sign in",
            ),
            pytest.param(
                http_response(200, ""),
                ["other than a chat completion", "an empty body"],
                id="empty body",
            ),
            pytest.param(
                http_response(200, '{"models": []}'),
                ["other than a chat completion", "it has no choices", "/v1"],
                id="JSON of another kind",
            ),
            pytest.param(
                http_response(200, "[" * 100_000),
                ["other than a chat completion"],
                id="deeply nested JSON",
            ),
            pytest.param(
                http_response(200, b"\xff\xfe\x00" + CANARY_API_KEY.encode()),
                ["other than a chat completion"],
                id="bytes that are not text",
            ),
            pytest.param(
                http_response(200, "{}", {"content-encoding": "br"}),
                ["content-encoding is 'br'"],
                id="unsupported compression",
            ),
        ],
    )
    def test_body_that_is_not_a_completion_is_tried_again(
        self, response: bytes, expected_texts: list[str]
    ) -> None:
        error = error_after(response)

        assert error.retryable
        assert error.affects_all
        for text in expected_texts:
            assert text in str(error)


class TestBrokenConnections:
    """A connection that breaks off is no fault of this trial: the server may be restarting.

    The run waits until the server recovers, and asks again.
    """

    @pytest.mark.parametrize(
        ("response", "expected_texts"),
        [
            pytest.param(
                b"HTTP/1.1 200 OK\r\ncontent-length: 900\r\n\r\n{",
                ["broke off", "is the server still running?"],
                id="incomplete body",
            ),
            pytest.param(b"", ["broke off"], id="closed connection"),
            pytest.param(
                b"SSH-2.0-OpenSSH\r\n\r\n", ["broke off"], id="another protocol"
            ),
        ],
    )
    def test_connection_that_breaks_off_is_tried_again(
        self, response: bytes, expected_texts: list[str]
    ) -> None:
        error = error_after(response)

        assert error.retryable
        assert error.affects_all
        for text in expected_texts:
            assert text in str(error)


# More values than we read from a reply
JSON_OF_100_000_OBJECTS = f"[{'{},' * 100_000}{{}}]"


class TestBadReplies:
    """A reply that the model spoilt is asked for again, in this trial only.

    The server works, and the model may write a better reply next time.
    """

    @pytest.mark.parametrize(
        ("response", "expected_text"),
        [
            pytest.param(
                error_response(
                    400, "Failed to generate JSON", code="json_validate_failed"
                ),
                "no proper form",
                id="invalid JSON of the model",
            ),
            pytest.param(
                http_response(200, f'{{"choices": {JSON_OF_100_000_OBJECTS}}}'),
                "it holds too many values",
                id="too many values",
            ),
        ],
    )
    def test_bad_reply_of_the_model_is_tried_again_in_this_trial(
        self, response: bytes, expected_text: str
    ) -> None:
        error = error_after(response)

        assert error.retryable
        assert not error.affects_all
        assert expected_text in str(error)
