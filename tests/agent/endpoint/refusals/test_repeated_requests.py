"""A request to a model's API is repeated without each field that the vendor refuses.

Vendors do not accept the same fields, and none says in advance which: 400 "Unsupported parameter:
'top_p'" -> the same request without `top_p`. Each `vendor` here is a server that refuses some fields,
or a way of asking for an action. `settings_with_all_fields` sets all of them.
"""

from contextlib import closing

import pytest

from controlplane.agent.endpoint import Endpoint
from controlplane.agent.reply.action_schema import SCHEMA
from tests.agent.endpoint.refusals.refusing_vendor import (
    Vendor,
    settings_with_all_fields,
)
from tests.agent.endpoint.refusals.refusing_vendors import VENDORS
from tests.support.endpoint_requests import MESSAGES, single_reply_of
from tests.support.endpoints import model_server


@pytest.mark.parametrize("vendor", VENDORS)
def test_request_is_repeated_without_each_refused_field(vendor: Vendor) -> None:
    """If the vendor refuses the way in which an action is requested (`json_schema` or `tools`),
    the endpoint tries another way."""
    with model_server(vendor.respond) as server:
        settings = settings_with_all_fields(server.url)
        reply = single_reply_of(settings, schema=SCHEMA)

    assert reply.reply_mode == vendor.accepted_mode
    *refused_requests, accepted_request = server.asked
    assert len(refused_requests) == len(vendor.refusals)
    vendor.assert_accepts(accepted_request.body)


@pytest.mark.parametrize("vendor", VENDORS)
def test_user_is_told_once_of_each_refused_field(vendor: Vendor) -> None:
    """The notices are in the first reply, and not in the second one."""
    with model_server(vendor.respond) as server:
        settings = settings_with_all_fields(server.url)
        with closing(Endpoint(settings)) as endpoint:
            first_reply = endpoint.complete(MESSAGES, "solve", SCHEMA)
            second_reply = endpoint.complete(MESSAGES, "solve", SCHEMA)

    assert len(first_reply.notices) == len(vendor.refusals)
    assert second_reply.notices == ()
