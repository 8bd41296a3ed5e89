"""A wrong setting, such as an address with a query, is refused before the first request.

It is a usage error, with the exit code 2, and the message names the setting: "OPENAI_API_KEY". A case
such as `a26-full-url` is a file with the user's variables.
"""

from controlplane.errors import UsageError
from tests.controlplane.reported_endpoints.played_case import PlayedCase, plays_each

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
    assert played.result.code == UsageError.exit_code, played.summary
    assert word in played.printed, played.summary
    assert played.requests == []
