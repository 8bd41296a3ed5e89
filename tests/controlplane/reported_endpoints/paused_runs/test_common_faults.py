"""A run pauses if every trial would meet the same fault, such as a wrong key.

The user is told what to correct, and no trial counts as failed. `controlplane resume` continues a paused
run. A case such as `b72-html-page` is a file with an endpoint's replies; a comment says what is odd.
"""

import pytest

from tests.controlplane.reported_endpoints.case_checks import check_paused
from tests.controlplane.reported_endpoints.played_case import PlayedCase, plays_each

PAUSED_AFTER_RETRIES = {
    # Gemini answers a wrong key with 400 instead of 401.
    "a04-gemini-400-key": ["the key is refused"],
    # LM Studio answers 200 to a wrong path.
    "a09-lmstudio-200-wrong-path": ["OPENAI_BASE_URL", "/v1"],
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


PAUSED_AFTER_PATIENCE = {
    # The gateway compresses with Brotli, which was not asked for.
    "a22-br": ["br"],
    # HTTP_PROXY names a proxy that does not run.
    "a34-proxy-localhost": ["proxy"],
}
"""By case, parts of what the user is told."""


@pytest.mark.parametrize("patience_s", [0.2])
@plays_each(PAUSED_AFTER_PATIENCE, "words")
def test_a_run_pauses_if_its_patience_with_the_endpoint_is_over(
    played: PlayedCase, words: list[str]
) -> None:
    """The request is sent again until then, because such a fault may pass."""
    check_paused(played, *words, "given up at try")


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
