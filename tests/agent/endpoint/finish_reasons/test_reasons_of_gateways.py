"""Why a model's reply ended, as a gateway says, and beside it the vendor of the model.

A gateway sends requests to many vendors. The vendor knows better why its reply ended:
`stop` and `MAX_TOKENS` -> `length`, which means that the reply was cut off.
"""

import pytest

from controlplane.agent.endpoint.response_reading import finish_reason_of


def test_reason_of_the_vendor_takes_precedence_over_that_of_the_gateway() -> None:
    """The gateway says `stop`, and beside it the vendor's word, `MAX_TOKENS`."""
    finish_reason = finish_reason_of("stop", native="MAX_TOKENS")

    assert finish_reason.common == "length"
    assert finish_reason.native == "MAX_TOKENS"


@pytest.mark.parametrize("reported", ["length", "content_filter", "stop", "tool_calls"])
def test_reason_that_gateway_and_vendor_report_alike_is_kept_once(
    reported: str,
) -> None:
    finish_reason = finish_reason_of(reported, native=reported)

    assert finish_reason.common == reported
    assert finish_reason.native == ""
