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
OWN = Prices(input=2.0, output=10.0, cached=0.5)
ASK = [Message(role="user", content="u \ud800")]
SAID = [
    Reply(
        text=f"reply {number}",
        cost_usd=0.5,
        usage=Usage(prompt_tokens=9),
        reasoning="hm",
        notices=("once",),
    )
    for number in range(9)
]
LOOK = Tool(name="look", description="", parameters={})


def priced(
    name: str, reply: Reply, base_url: str = "", prices: Prices | None = None
) -> Reply:
    return PricedModel(
        ModelWithReplies([reply], name), base_url=base_url, prices=prices
    ).complete([])


@pytest.mark.parametrize(
    ("prices", "cost_usd"),
    [
        (OWN, 0.0024),
        (Prices(input=2.0, output=10.0), 0.003),
        (Prices(input=0, output=0), 0.0),
    ],
)
def test_the_owners_prices_give_the_cost(prices: Prices, cost_usd: float) -> None:
    reply = priced("anything", Reply(text="", usage=USAGE), prices=prices)
    assert reply.cost_usd == pytest.approx(cost_usd)
    assert reply.cost_source == "profile"


def test_public_prices_of_the_vendor_at_that_address_come_last() -> None:
    reply = priced("gpt-4o", Reply(text="", usage=USAGE))
    # Published: 2.50 in, 1.25 from the cache, 10 out, in USD per million tokens.
    assert reply.cost_usd == pytest.approx((600 * 2.5 + 400 * 1.25 + 100 * 10) / 1e6)
    assert reply.cost_source == "genai-prices"


@pytest.mark.parametrize(
    ("name", "base_url"),
    [
        ("gpt-4o", "http://127.0.0.1:1234/v1"),
        ("gpt-4o", "http://localhost:1234/v1"),
        ("gpt-4o", "http://vllm.internal/v1"),
        ("gpt-4o", "http://10.0.0.7/v1"),
        ("no-such-model", ""),
        ("no-such-model", "https://gateway.example.com/v1"),
        ("", ""),
    ],
)
def test_an_unknown_price_is_unknown_and_not_zero(name: str, base_url: str) -> None:
    reply = priced(name, Reply(text="", usage=USAGE), base_url)
    assert (reply.cost_usd, reply.cost_source) == (None, "")
    assert public_price_source(name, base_url) == ""


@pytest.mark.parametrize("name", ["gpt-4o", "openai/gpt-4o"])
def test_a_gateway_has_the_list_price_which_is_told_apart(name: str) -> None:
    gateway = "https://gateway.example.com/v1"
    reply = priced(name, Reply(text="", usage=USAGE), gateway)

    assert reply.cost_usd == pytest.approx((600 * 2.5 + 400 * 1.25 + 100 * 10) / 1e6)
    assert reply.cost_source == "list price"
    assert public_price_source(name, gateway) == "list price"


def cached(model: ModelWithReplies, folder: Path, **settings: object) -> CachedModel:
    return CachedModel(model, folder, {"model": "m", "temperature": 0.0} | settings)


def test_an_empty_reply_is_not_kept(tmp_path: Path) -> None:
    model = CachedModel(ModelWithReplies(["", "\n", "text"]), tmp_path, {})
    assert [model.complete(ASK).text for _ in range(4)] == ["", "\n", "text", "text"]


def test_a_repeated_request_is_answered_from_the_cache_at_no_cost(
    tmp_path: Path,
) -> None:
    model = ModelWithReplies(SAID)
    first = cached(model, tmp_path).complete(ASK)
    again = cached(model, tmp_path).complete(ASK)

    assert (first.cached, first.cost_usd, first.notices) == (False, 0.5, ("once",))
    assert (again.cached, again.cost_usd, again.notices, again.usage) == (
        True,
        0.0,
        (),
        Usage(),
    )
    assert (again.text, again.reasoning, len(model.requests)) == (
        first.text,
        first.reasoning,
        1,
    )


OTHERS = [
    {"messages": [Message(role="user", content="v")]},
    {
        "messages": [
            Message(
                role="user",
                content="u \ud800",
                tool_calls=[ToolCall(name="look", arguments="", id="a")],
            )
        ]
    },
    {"role": "classify"},
    {"schema": {}},
    {"tools": [LOOK]},
    {"tools": [LOOK], "tool_choice": "look"},
]


@pytest.mark.parametrize("other", OTHERS)
def test_another_request_is_another_reply(other: dict, tmp_path: Path) -> None:
    model = ModelWithReplies(SAID)
    kept = cached(model, tmp_path)
    kept.complete(ASK)

    assert kept.complete(**{"messages": ASK} | other).text == "reply 1"


def script(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "replies.toml"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("not toml", "not a replies file"),
        ("[[reply]]\ncolour = 1\n", "colour"),
        (
            '[[reply]]\nwhen = "("\n',
            "when: Value error, is not a regular expression of RE2",
        ),
        ("", "reply"),
    ],
)
def test_a_file_that_is_no_script_is_refused_with_one_line(
    tmp_path: Path, text: str, says: str
) -> None:
    with pytest.raises(ValueError, match=says) as caught:
        ScriptedModel.from_file(script(tmp_path, text))
    assert "\n" not in str(caught.value)
