"""A field that a model's API refused once is left out of all later requests.

What an endpoint has learned, such as "takes no `top_p`", is in `reply.learned`, and so in the
journal of the run. Each `vendor` here is a server that refuses some fields, or a way of asking for
an action, and accepts a request without them.
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
def test_refused_field_is_not_sent_again_by_the_same_endpoint(vendor: Vendor) -> None:
    """The endpoint has learned it from the first request, so the second one is accepted at
    once."""
    with model_server(vendor.respond) as server:
        settings = settings_with_all_fields(server.url)
        with closing(Endpoint(settings)) as endpoint:
            endpoint.complete(MESSAGES, "solve", SCHEMA)
            requests_for_first_reply = len(server.asked)
            second_reply = endpoint.complete(MESSAGES, "solve", SCHEMA)

    (request,) = server.asked[requests_for_first_reply:]
    vendor.assert_accepts(request.body)
    assert second_reply.reply_mode == vendor.accepted_mode
    assert second_reply.learned is None  # There was nothing new to learn.


@pytest.mark.parametrize("vendor", VENDORS)
def test_refused_field_is_not_sent_by_a_later_process(vendor: Vendor) -> None:
    """A process that resumes the run gives its endpoint what the earlier one has learned."""
    with model_server(vendor.respond) as server:
        settings = settings_with_all_fields(server.url)
        first_reply = single_reply_of(settings, schema=SCHEMA)
        assert first_reply.learned is not None
        requests_for_first_reply = len(server.asked)
        with closing(Endpoint(settings, first_reply.learned)) as later_endpoint:
            later_reply = later_endpoint.complete(MESSAGES, "solve", SCHEMA)

    (request,) = server.asked[requests_for_first_reply:]
    vendor.assert_accepts(request.body)
    assert later_reply.reply_mode == vendor.accepted_mode
    assert later_reply.notices == ()
