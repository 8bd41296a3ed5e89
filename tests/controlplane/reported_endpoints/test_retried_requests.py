"""Requests that are sent again, because the endpoint's refusal may pass.

    request 1   429 "Please try again in 3.2s."   the run waits
    request 2   a right reply                     the trial is solved

Some endpoints refuse a parameter, such as `response_format`. The next request leaves it out.
"""

from tests.controlplane.reported_endpoints.case_checks import (
    check_solved,
    check_trial_ended,
)
from tests.controlplane.reported_endpoints.played_case import (
    OK,
    PlayedCase,
    plays,
    plays_each,
)

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


class TestRefusedParameters:
    """An endpoint refuses a parameter of the request, which the next one leaves out.

    `played.requests` are the bodies of the requests, in order. A case such as `f12-parallel` is
    a
    file with an endpoint's replies.
    """

    @plays("d31-422-detail-list")
    def test_a_refused_response_format_is_left_out_of_the_next_request(
        self, played: PlayedCase
    ) -> None:
        """The refusal, 422, names the parameter in a list: `"loc": ["body", "response_format"]`."""
        check_solved(played, max_requests=2)
        assert "response_format" in played.requests[0]

    @plays("f12-parallel")
    def test_a_refused_parallel_tool_calls_is_left_out_and_the_tools_stay(
        self, played: PlayedCase
    ) -> None:
        """The endpoint takes tools, but not the parameter `parallel_tool_calls`."""
        assert played.result.code == OK, played.summary
        assert "parallel_tool_calls" not in played.requests[1]
        assert "tools" in played.requests[1]

    @plays("f10-deprecated-temp")
    def test_one_of_two_parameters_that_exclude_each_other_is_left_out(
        self, played: PlayedCase
    ) -> None:
        """The endpoint takes `temperature` or `top_p`, and not both."""
        check_solved(played, max_requests=2)
        kept_parameters = played.requests[1].keys() & {"temperature", "top_p"}
        assert len(kept_parameters) == 1


class TestWordsLikeParameters:
    """An error has a word that only looks like a refused parameter: the trial ends.

    `played.requests[-1]` is the last request, which still has the parameter.
    """

    @plays("c38-max-tokens-too-large")
    def test_a_limit_beyond_the_context_ends_the_trial_and_changes_no_parameter(
        self, played: PlayedCase
    ) -> None:
        """The error names `max_tokens`, but the endpoint does know it. The notice that it is left
        out "from here on" would be wrong."""
        check_trial_ended(played, "context")
        assert "from here on" not in played.notices

    @plays("f06-flagged-url-reasoning")
    def test_a_link_about_reasoning_is_not_taken_for_a_refused_parameter(
        self, played: PlayedCase
    ) -> None:
        """One conversation is flagged. The error links to a page whose address has "reasoning"."""
        check_trial_ended(played, "flagged")
        assert "reasoning_effort" in played.requests[-1]

    @plays("f08-seed-word")
    def test_the_word_seed_in_an_error_is_not_taken_for_a_refused_parameter(
        self, played: PlayedCase
    ) -> None:
        """The conversation is too long, and is about "seed documents"."""
        check_trial_ended(played, "longer than the model's context")
        assert "seed" in played.requests[-1]
