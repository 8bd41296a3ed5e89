"""The thinking and the tokens of a reply of OpenAI's Responses API, the newer of two protocols.

Both are read alike in each *reply mode*, that is, however the model is asked for its next script.
`item` is the part of the reply that has the script.
"""

import pytest

from controlplane.agent.model import ReplyMode
from tests.agent.endpoint.responses.reply_modes import REPLY_MODES
from tests.agent.endpoint.responses.responses_items import (
    THOUGHT_ITEM,
    ask_for_action,
    response_with,
)
from tests.support.endpoints import model_server


@pytest.mark.parametrize(("mode", "item"), REPLY_MODES)
def test_summary_of_a_thought_is_read(mode: ReplyMode, item: dict[str, object]) -> None:
    with model_server(response_with(THOUGHT_ITEM, item)) as server:
        reply = ask_for_action(server.url, mode)

    assert reply.reasoning == "hm"


@pytest.mark.parametrize(("mode", "item"), REPLY_MODES)
def test_tokens_are_read(mode: ReplyMode, item: dict[str, object]) -> None:
    """Cached tokens are among those of the input, and tokens of thoughts among those of the
    output."""
    usage = {
        "input_tokens": 11,
        "output_tokens": 7,
        "input_tokens_details": {"cached_tokens": 5},
        "output_tokens_details": {"reasoning_tokens": 3},
    }

    with model_server(response_with(item, usage=usage)) as server:
        reply = ask_for_action(server.url, mode)

    assert reply.usage.prompt_tokens == 11
    assert reply.usage.completion_tokens == 7
    assert reply.usage.cached_tokens == 5
    assert reply.usage.reasoning_tokens == 3
