"""A request to a model's API is repeated without each field that the vendor refuses.

Vendors do not say in advance which fields they accept:

    400 "Unsupported parameter: 'top_p'"    -> the same request without `top_p`

Each `vendor` here is a server that refuses some fields, one in each response. A vendor may also refuse a
way of asking for an action, such as a JSON schema. Then the next way is tried.
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
def test_request_is_repeated_without_each_refused_field(vendor: Vendor) -> None:
    """The request sets all fields (`opened_endpoint`), so each refusal of the vendor happens once."""
    with (
        model_server(vendor.respond) as server,
        opened_endpoint(server.url) as endpoint,
    ):
        reply = ask_for_action(endpoint)

    *refused_requests, accepted_request = server.asked
    assert len(refused_requests) == len(vendor.refusals)
    vendor.assert_accepts(accepted_request.body)
    way_of_asking = reply.reply_mode  # a JSON schema, a JSON object or a plain text
    assert way_of_asking == vendor.accepted_mode


@pytest.mark.parametrize("vendor", VENDORS)
def test_user_is_told_once_of_each_refused_field(vendor: Vendor) -> None:
    """The notices are in the first reply, and not in the second one."""
    with (
        model_server(vendor.respond) as server,
        opened_endpoint(server.url) as endpoint,
    ):
        first_reply = ask_for_action(endpoint)
        second_reply = ask_for_action(endpoint)

    assert len(first_reply.notices) == len(vendor.refusals)
    assert second_reply.notices == ()
