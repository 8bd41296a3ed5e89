"""Why a reply of OpenAI's Responses API ended.

The protocol says for example "incomplete" and "max_output_tokens", where the older one says
"length". Our name is that of the older protocol. The vendor's word is kept beside it if it differs.
"""

import pytest

from tests.agent.endpoint.responses.responses_items import (
    TEXT_ITEM,
    ask_for_action,
    response_with,
)
from tests.support.endpoints import model_server


@pytest.mark.parametrize(
    ("response", "finish_reason", "native_reason"),
    [
        pytest.param(response_with(TEXT_ITEM), "stop", "", id="complete"),
        pytest.param(
            response_with(
                TEXT_ITEM,
                status="incomplete",
                incomplete_details={"reason": "max_output_tokens"},
            ),
            "length",
            "max_output_tokens",
            id="cut off",
        ),
        pytest.param(
            response_with(
                status="incomplete",
                incomplete_details={"reason": "content_filter"},
            ),
            "content_filter",
            "",
            id="withheld by a filter",
        ),
        pytest.param(
            response_with(
                {"type": "message", "content": [{"type": "refusal", "refusal": "no"}]}
            ),
            "refusal",
            "",
            id="refused",
        ),
    ],
)
def test_finish_reason_is_named_as_in_the_older_protocol(
    response: bytes, finish_reason: str, native_reason: str
) -> None:
    with model_server(response) as server:
        reply = ask_for_action(server.url)

    assert reply.finish_reason == finish_reason
    assert reply.native_finish_reason == native_reason
