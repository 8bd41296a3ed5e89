"""Requests are sent again if the endpoint's refusal may pass.

    request 1   429 "Please try again in 3.2s."   the run waits
    request 2   a right reply                     the trial is solved

A case such as `c35-524` is a file with an endpoint's replies that users of public projects have reported.
"""

from tests.controlplane.reported_endpoints.case_checks import check_solved
from tests.controlplane.reported_endpoints.played_case import PlayedCase, plays_each

SOLVED_AFTER_REFUSALS = {
    # The provider refuses `response_format`; the refusal is in the error's metadata.
    "a02-openrouter-raw-schema": 3,
    # 429 without the header Retry-After: "Please try again in 3.2s."
    "a37-retry-hint-body": 2,
    # 524 from a gateway, twice, as an HTML page.
    "c35-524": 3,
    # `finish_reason` is "error", and the reply is half an object.
    "c40-finish-error-noerror": 3,
    # Half characters (lone surrogates) in a reply that the next request repeats.
    "d01-surrogates-everywhere": 2,
    # 429 with a date in the past as Retry-After.
    "d04-retry-date": 2,
    # 400 `tool_use_failed`: the provider could not read the model's own call.
    "d22-tool_use_failed": 2,
    # 500 "Failed to parse input": llama.cpp could not read the model's own reply.
    "d23-llamacpp-500-parse": 2,
    # 200 with an error whose code is the text "429".
    "d28-200-warning-code-int-string": 2,
    # 400 that names `response_format` in a list of errors.
    "d32-400-errors-array": 2,
    # 429 "Request too large", but the request is below the limit that it names.
    "e02-429-request-too-large-transient": 2,
    # 429: too many tokens in this minute.
    "e03-anthropic-429-in-body-400": 2,
    # The reply is only line ends, beside its reasoning.
    "e14-content-whitespace": 2,
}
"""By case, how many requests the trial may send. The last one gets a right reply."""


@plays_each(SOLVED_AFTER_REFUSALS, "max_requests")
def test_a_refusal_that_may_pass_is_followed_by_another_request(
    played: PlayedCase, max_requests: int
) -> None:
    """The request is sent again, later or in another form."""
    check_solved(played, max_requests=max_requests)
