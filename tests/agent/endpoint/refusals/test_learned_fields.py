"""A field that a model's API refused once is left out of all later requests.

What an endpoint has learned, such as "takes no `top_p`", is in `reply.learned`, and so in the
journal of the run. Each `vendor` here is a server that refuses some fields, or a way of asking for
an action, and accepts a request without them. `opened_endpoint` sets all fields.
"""

import pytest

from tests.agent.endpoint.refusals.action_requests import (
    ask_for_action,
    opened_endpoint,
)
from tests.agent.endpoint.refusals.refusing_vendor import Vendor
from tests.agent.endpoint.refusals.refusing_vendors import VENDORS
from tests.support.endpoints import model_server


@pytest.mark.parametrize("vendor", VENDORS)
def test_refused_field_is_not_sent_again_by_the_same_endpoint(vendor: Vendor) -> None:
    with (
        model_server(vendor.respond) as server,
        opened_endpoint(server.url) as endpoint,
    ):
        ask_for_action(endpoint)
        requests_for_first_reply = len(server.asked)
        second_reply = ask_for_action(endpoint)

    (request,) = server.asked[requests_for_first_reply:]
    vendor.assert_accepts(request.body)
    assert second_reply.reply_mode == vendor.accepted_mode
    assert second_reply.learned is None  # There was nothing new to learn.


@pytest.mark.parametrize("vendor", VENDORS)
def test_refused_field_is_not_sent_by_a_later_process(vendor: Vendor) -> None:
    """A process that resumes the run gives its endpoint what the earlier one has learned."""
    with model_server(vendor.respond) as server:
        with opened_endpoint(server.url) as endpoint:
            learned = ask_for_action(endpoint).learned
        assert learned is not None
        requests_for_first_reply = len(server.asked)
        with opened_endpoint(server.url, learned) as later_endpoint:
            later_reply = ask_for_action(later_endpoint)

    (request,) = server.asked[requests_for_first_reply:]
    vendor.assert_accepts(request.body)
    assert later_reply.reply_mode == vendor.accepted_mode
    assert later_reply.notices == ()
