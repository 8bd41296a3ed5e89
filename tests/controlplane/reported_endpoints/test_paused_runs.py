"""Runs that pause, because every trial would meet the same fault, such as a wrong key.

The user is told what to correct, and no trial counts as failed. A wrong setting is refused before
the first request. `controlplane resume` continues a paused run.
"""

from controlplane.errors import Unreachable, UsageError
from tests.controlplane.reported_endpoints.case_checks import check_paused
from tests.controlplane.reported_endpoints.played_case import (
    OK,
    PlayedCase,
    plays,
    plays_each,
)

PAUSED_AFTER_RETRIES = {
    # Gemini answers a wrong key with 400 instead of 401.
    "a04-gemini-400-key": ["the key is refused"],
    # LM Studio answers 200 to a wrong path.
    "a09-lmstudio-200-wrong-path": ["OPENAI_BASE_URL", "/v1"],
    # The gateway compresses with Brotli, which was not asked for.
    "a22-br": ["br"],
    # HTTP_PROXY names a proxy that does not run.
    "a34-proxy-localhost": ["proxy"],
    # An HTML page with the status 200.
    "b72-html-page": ["OPENAI_BASE_URL"],
    # 403: the provider does not serve this country.
    "c32-403-region": ["region"],
    # 401 from a proxy, as HTML.
    "d20-401-transient-proxy": ["401"],
    # The model's chat template takes no system prompt.
    "d34-system-role": ["System role not supported"],
    # The model's chat template wants user and assistant to take turns.
    "d35-alternate-roles": ["roles must alternate"],
    # The endpoint requires `max_tokens`.
    "f11-max-tokens-required": ["--max-output-tokens"],
}
"""By case, parts of what the user is told."""


@plays_each(PAUSED_AFTER_RETRIES, "words")
def test_a_run_pauses_if_every_trial_would_fail(
    played: PlayedCase, words: list[str]
) -> None:
    """The user has to correct the key, the address or the model. No trial may count as failed."""
    check_paused(played, *words)


PAUSED_AT_ONCE = {
    "a06-openai-billing-hard-limit": ["no credit is left", "Billing hard limit"],
    "a40-429-insufficient": ["no credit is left"],
}
"""By case, parts of what the user is told."""


@plays_each(PAUSED_AT_ONCE, "words")
def test_a_run_pauses_at_once_if_no_credit_is_left(
    played: PlayedCase, words: list[str]
) -> None:
    """More requests than one cannot help if no money is left."""
    check_paused(played, *words, max_requests=1)


class TestOddServers:
    """A server streams although it was not asked to, or never answers.

    `played` is the run of one trial against such a server.
    """

    @plays("a17-sse-only")
    def test_a_server_that_always_streams_is_named_as_the_fault(
        self, played: PlayedCase
    ) -> None:
        """The address is right, so the message must not ask whether it is."""
        check_paused(played, "stream")
        assert "is OPENAI_BASE_URL" not in played.printed

    @plays("d02-hang-forever")
    def test_a_server_that_never_answers_is_given_up(self, played: PlayedCase) -> None:
        """The run pauses if its patience with the model (6 s) is over before the trial's time (8
        s). On a busy machine the trial may end first."""
        assert played.result.code in (OK, Unreachable.exit_code), played.summary
        assert "did not answer" in played.printed + played.notices


REFUSED_BEFORE_REQUEST = {
    # The address has a query, `?api-version=`, as Azure's has.
    "a24-azure-query": "query",
    # The address ends with /chat/completions, which the client adds itself.
    "a26-full-url": "/chat/completions",
    # The key has a curly quote in it.
    "a29-key-nonascii": "OPENAI_API_KEY",
    # ALL_PROXY names a SOCKS proxy, which is not supported.
    "a36-socks-proxy": "proxy",
}
"""By case, what the message of the error names."""


@plays_each(REFUSED_BEFORE_REQUEST, "word")
def test_a_wrong_setting_is_named_before_any_request(
    played: PlayedCase, word: str
) -> None:
    """It is a usage error, with the exit code 2."""
    assert played.result.code == UsageError.exit_code, played.summary
    assert word in played.printed, played.summary
    assert played.requests == []
