"""Models that wrap another model, and a model that replays a file.

- `PricedModel` adds the cost to each reply: by the user's prices, or by public ones.
- `CachedModel` keeps replies in files, so that a repeated request costs nothing.
- `ScriptedModel` replies from a TOML file, and refuses a file that it cannot use.
"""

from pathlib import Path

import pytest

from controlplane.agent.model import (
    CachedModel,
    Message,
    PricedModel,
    Prices,
    Reply,
    ScriptedModel,
    Tool,
    ToolCall,
    Usage,
    public_price_source,
)
from tests.support.single_trial import ModelWithReplies

USAGE = Usage(prompt_tokens=1000, completion_tokens=100, cached_tokens=400)
"""Of the 1000 tokens of the request, 400 came from the provider's prompt cache."""

# The public prices of gpt-4o: USD 2.50 for a million tokens of requests, 1.25 for cached ones,
# and 10 for a million tokens of replies.
GPT_4O_COST_USD = (600 * 2.5 + 400 * 1.25 + 100 * 10) / 1e6
"""What `USAGE` costs at these prices."""


def priced_reply(
    model_name: str, *, base_url: str = "", prices: Prices | None = None
) -> Reply:
    """Return a reply that used `USAGE`, with the cost that `PricedModel` has added.

    Without `base_url`, the model is at OpenAI's address.
    """
    model = ModelWithReplies([Reply(text="", usage=USAGE)], model_name)
    priced_model = PricedModel(model, base_url=base_url, prices=prices)
    return priced_model.complete([])


@pytest.mark.parametrize(
    ("prices", "expected_usd"),
    [
        pytest.param(
            Prices(input=2.0, output=10.0, cached=0.5),
            (600 * 2.0 + 400 * 0.5 + 100 * 10.0) / 1e6,
            id="own price for cached tokens",
        ),
        pytest.param(
            Prices(input=2.0, output=10.0),
            (1000 * 2.0 + 100 * 10.0) / 1e6,
            id="cached tokens cost the same",
        ),
        pytest.param(Prices(input=0, output=0), 0.0, id="free"),
    ],
)
def test_cost_follows_the_prices_that_the_user_has_set(
    prices: Prices, expected_usd: float
) -> None:
    reply = priced_reply("anything", prices=prices)

    assert reply.cost_usd == pytest.approx(expected_usd)
    assert reply.cost_source == "profile"


def test_cost_follows_the_public_prices_if_the_user_has_set_none() -> None:
    """The package `genai-prices` has the public prices of many models."""
    reply = priced_reply("gpt-4o")

    assert reply.cost_usd == pytest.approx(GPT_4O_COST_USD)
    assert reply.cost_source == "genai-prices"


@pytest.mark.parametrize(
    ("model_name", "base_url"),
    [
        pytest.param("gpt-4o", "http://127.0.0.1:1234/v1", id="own machine"),
        pytest.param("gpt-4o", "http://localhost:1234/v1", id="own machine by name"),
        pytest.param("gpt-4o", "http://vllm.internal/v1", id="private network by name"),
        pytest.param("gpt-4o", "http://10.0.0.7/v1", id="private network"),
        pytest.param("no-such-model", "", id="unknown model"),
        pytest.param(
            "no-such-model",
            "https://gateway.example.com/v1",
            id="unknown model of a gateway",
        ),
        pytest.param("", "", id="no name"),
    ],
)
def test_unknown_cost_is_none_and_not_zero(model_name: str, base_url: str) -> None:
    """The user's own server may be called gpt-4o, too, but has no public price."""
    reply = priced_reply(model_name, base_url=base_url)

    assert reply.cost_usd is None
    assert reply.cost_source == ""
    assert public_price_source(model_name, base_url) == ""


@pytest.mark.parametrize("model_name", ["gpt-4o", "openai/gpt-4o"])
def test_cost_at_a_gateway_is_marked_as_the_list_price(model_name: str) -> None:
    """A gateway passes requests on to vendors, and may charge another price than they do."""
    gateway_url = "https://gateway.example.com/v1"

    reply = priced_reply(model_name, base_url=gateway_url)

    assert reply.cost_usd == pytest.approx(GPT_4O_COST_USD)
    assert reply.cost_source == "list price"
    assert public_price_source(model_name, gateway_url) == "list price"


# A lone surrogate (\ud800) cannot be encoded as UTF-8. Models do send such text.
QUESTION = [Message(role="user", content="u \ud800")]


def numbered_reply(number: int) -> Reply:
    """Return a reply with every field that the cache treats in a special way."""
    return Reply(
        text=f"reply {number}",
        cost_usd=0.5,
        usage=Usage(prompt_tokens=9),
        reasoning="hm",
        notices=("once",),
    )


def cached_model(model: ModelWithReplies, folder: Path) -> CachedModel:
    """Return a model that keeps its replies in a folder, for one model and temperature."""
    return CachedModel(model, folder, {"model": "m", "temperature": 0.0})


def test_empty_reply_is_not_cached(tmp_path: Path) -> None:
    """The same request is sent again until a reply has text. That reply is cached."""
    model = cached_model(ModelWithReplies(["", "\n", "text"]), tmp_path)

    texts = [model.complete(QUESTION).text for _ in range(4)]

    assert texts == ["", "\n", "text", "text"]


def test_first_reply_keeps_its_cost_and_notices(tmp_path: Path) -> None:
    """The first reply to a request is the model's own, and has to be paid."""
    model = ModelWithReplies([numbered_reply(0)])

    reply = cached_model(model, tmp_path).complete(QUESTION)

    assert not reply.cached
    assert reply.cost_usd == 0.5
    assert reply.notices == ("once",)


def test_repeated_request_is_answered_from_the_cache_at_no_cost(tmp_path: Path) -> None:
    """The cache is in a folder, so that another process with the same settings uses it."""
    model = ModelWithReplies([numbered_reply(0), numbered_reply(1)])
    cached_model(model, tmp_path).complete(QUESTION)

    repeated_reply = cached_model(model, tmp_path).complete(QUESTION)

    assert repeated_reply.cached
    assert repeated_reply.text == "reply 0"
    assert repeated_reply.reasoning == "hm"
    assert repeated_reply.cost_usd == 0.0
    assert repeated_reply.usage == Usage()
    assert repeated_reply.notices == ()
    assert len(model.requests) == 1


LOOK_TOOL = Tool(name="look", description="", parameters={})
MESSAGE_WITH_CALL = Message(
    role="user",
    content="u \ud800",
    tool_calls=[ToolCall(name="look", arguments="", id="a")],
)


@pytest.mark.parametrize(
    "other_request",
    [
        pytest.param(
            {"messages": [Message(role="user", content="v")]}, id="other text"
        ),
        pytest.param({"messages": [MESSAGE_WITH_CALL]}, id="with a tool call"),
        pytest.param({"messages": QUESTION, "role": "classify"}, id="other role"),
        pytest.param({"messages": QUESTION, "schema": {}}, id="with a schema"),
        pytest.param({"messages": QUESTION, "tools": [LOOK_TOOL]}, id="with a tool"),
        pytest.param(
            {"messages": QUESTION, "tools": [LOOK_TOOL], "tool_choice": "look"},
            id="with a chosen tool",
        ),
    ],
)
def test_request_that_differs_in_any_part_is_not_answered_from_the_cache(
    other_request: dict, tmp_path: Path
) -> None:
    """Another request might get another reply."""
    model = cached_model(
        ModelWithReplies([numbered_reply(0), numbered_reply(1)]), tmp_path
    )
    model.complete(QUESTION)

    reply = model.complete(**other_request)

    assert reply.text == "reply 1"


@pytest.mark.parametrize(
    ("file_text", "expected_error"),
    [
        pytest.param("not toml", "not a replies file", id="not TOML"),
        pytest.param("[[reply]]\ncolour = 1\n", "colour", id="unknown field"),
        pytest.param(
            '[[reply]]\nwhen = "("\n',
            "when: Value error, is not a regular expression of RE2",
            id="broken pattern",
        ),
        pytest.param("", "reply", id="no reply"),
    ],
)
def test_unusable_file_of_replies_is_refused_with_one_line(
    file_text: str, expected_error: str, tmp_path: Path
) -> None:
    path = tmp_path / "replies.toml"
    path.write_text(file_text, encoding="utf-8")

    with pytest.raises(ValueError, match=expected_error) as caught:
        ScriptedModel.from_file(path)

    assert "\n" not in str(caught.value)
