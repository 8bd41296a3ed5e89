"""What vendors send beside the text, in every spelling; and whatever else arrives is a reply or a `ValueError`."""

import contextlib
import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agent.endpoint.protocols import finish_reasons, reply_of, reply_of_response
from agent.model import Reply

ENDS = [
    *(
        (word, "", "length")
        for word in ("length", "max_tokens", "MAX_TOKENS", "model_length", "FINISH_REASON_MAX_TOKENS")
    ),
    *((word, "", "content_filter") for word in ("content_filter", "SAFETY", "RECITATION", "refusal", "sensitive")),
    *((word, "", word) for word in ("stop", "tool_calls", "end_turn", "eos", "function_call", "STOP")),
    ("stop", "MAX_TOKENS", "length"),
    ("", "", "stop"),
]


@pytest.mark.parametrize(("said", "native", "reason"), ENDS)
def test_an_end_is_told_in_one_spelling_for_every_vendor(said: str, native: str, reason: str) -> None:
    found, own = finish_reasons(said, native)
    assert found == reason
    assert own == ("" if said in (reason, "") and not native else native or said)


def completion(usage: object, **more: object) -> Reply:
    document = {"choices": [{"message": {"content": "x"}}], "usage": usage} | more
    return reply_of(json.dumps(document).encode())


@pytest.mark.parametrize(
    ("usage", "cached"),
    [
        ({"prompt_tokens_details": {"cached_tokens": 5}}, 5),
        ({"prompt_cache_hit_tokens": 6, "prompt_cache_miss_tokens": 2}, 6),
        ({"cached_tokens": 7}, 7),
        ({"prompt_tokens_details": None}, 0),
    ],
)
def test_cached_tokens_are_found_where_vendors_put_them(usage: dict[str, object], cached: int) -> None:
    assert completion(usage).usage.cached_tokens == cached


@pytest.mark.parametrize("count", [None, "11", -3, True, 1e400, 10**30, 1e300, [], {}, 2.0])
def test_counts_and_costs_of_a_wrong_type_cost_no_reply(count: object) -> None:
    text = json.dumps({"choices": [{"message": {"content": "x"}}], "usage": {"prompt_tokens": count, "cost": count}})
    reply = reply_of(text.encode())
    assert reply.text == "x"
    assert reply.usage.prompt_tokens in (0, 1, 2)
    assert reply.cost_usd in (None, 11.0, 2.0)


NAMES = [
    *("choices", "message", "content", "tool_calls", "function", "name", "arguments", "usage", "cost"),
    *("output", "type", "text", "status", "summary", "reasoning_details", "prompt_tokens_details"),
]
ANY = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.floats() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=4),
    max_leaves=14,
)


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(ANY, ANY, ANY)
def test_whatever_an_endpoint_sends_is_a_reply_or_a_value_error(message: object, usage: object, item: object) -> None:
    chat = ({"choices": [{"message": message}], "usage": usage}, {"choices": item}, item)
    new = ({"output": [{"type": "message", "content": message}, item], "usage": usage}, {"output": item}, item)
    for read, documents in ((reply_of, chat), (reply_of_response, new)):
        for document in documents:
            with contextlib.suppress(ValueError):
                assert isinstance(read(json.dumps(document).encode()), Reply)
