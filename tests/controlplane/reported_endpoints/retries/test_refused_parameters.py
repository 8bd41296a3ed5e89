"""An endpoint refuses a parameter of the request, which the next one leaves out.

    request 1   with `response_format`    422 "loc": ["body", "response_format"]
    request 2   without it                a right reply

`played.requests` are the bodies of the requests, in order. A case such as `f12-parallel` is a file with
an endpoint's replies.
"""

from tests.controlplane.reported_endpoints.case_checks import check_solved
from tests.controlplane.reported_endpoints.played_case import PlayedCase, plays


@plays("d31-422-detail-list")
def test_a_refused_response_format_is_left_out_of_the_next_request(
    played: PlayedCase,
) -> None:
    """The refusal, 422, names the parameter in a list: `"loc": ["body", "response_format"]`."""
    check_solved(played, max_requests=2)
    assert "response_format" in played.requests[0]


@plays("f12-parallel")
def test_a_refused_parallel_tool_calls_is_left_out_and_the_tools_stay(
    played: PlayedCase,
) -> None:
    """The endpoint takes tools, but not the parameter `parallel_tool_calls`."""
    assert played.result.code == 0, played.summary
    assert "parallel_tool_calls" not in played.requests[1]
    assert "tools" in played.requests[1]


@plays("f10-deprecated-temp")
def test_one_of_two_parameters_that_exclude_each_other_is_left_out(
    played: PlayedCase,
) -> None:
    """The endpoint takes `temperature` or `top_p`, and not both."""
    check_solved(played, max_requests=2)
    kept_parameters = played.requests[1].keys() & {"temperature", "top_p"}
    assert len(kept_parameters) == 1
