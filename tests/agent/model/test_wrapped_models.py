import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from agent.model import (
    TASK,
    TRY,
    CachedModel,
    Message,
    Model,
    ModelError,
    ModelRequest,
    PricedModel,
    Reply,
    ScriptedModel,
    Tool,
    ToolCall,
    public_price,
)
from agent.model.model_protocol import Usage
from controlplane.configuration.run_settings import Prices
from tests.support.single_trial import ListModel

USAGE = Usage(prompt_tokens=1000, completion_tokens=100, cached_tokens=400)
OWN = Prices(input=2.0, output=10.0, cached=0.5)
ASK = [Message(role="user", content="u \ud800")]
SAID = [
    Reply(text=f"reply {number}", cost_usd=0.5, usage=Usage(prompt_tokens=9), reasoning="hm", notices=("once",))
    for number in range(9)
]
LOOK = Tool(name="look", description="", parameters={})


class OneReply(Model):
    name = ""

    def __init__(self, name: str, reply: Reply) -> None:
        self.name = name
        self._reply = reply

    def reply_to(self, request: ModelRequest) -> Reply:
        return self._reply


def priced(name: str, reply: Reply, base_url: str = "", prices: Prices | None = None) -> Reply:
    return PricedModel(OneReply(name, reply), base_url=base_url, prices=prices).complete([])


@pytest.mark.parametrize(
    ("prices", "cost_usd"), [(OWN, 0.0024), (Prices(input=2.0, output=10.0), 0.003), (Prices(input=0, output=0), 0.0)]
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
    ("name", "base_url"), [("gpt-4o", "http://127.0.0.1:1234/v1"), ("no-such-model", ""), ("", "")]
)
def test_an_unknown_price_is_unknown_and_not_zero(name: str, base_url: str) -> None:
    reply = priced(name, Reply(text="", usage=USAGE), base_url)
    assert (reply.cost_usd, reply.cost_source) == (None, "")
    assert public_price(name, base_url) is None


@pytest.fixture(autouse=True)
def first_try() -> Iterator[None]:
    token = TRY.set(1)
    yield
    TRY.reset(token)


def cached(model: ListModel, folder: Path, **settings: object) -> CachedModel:
    return CachedModel(model, folder, {"model": "m", "temperature": 0.0} | settings)


def test_an_empty_reply_is_not_kept(tmp_path: Path) -> None:
    given = iter(("", "\n", "text"))

    class Failing(Model):
        name = "m"

        def reply_to(self, request: ModelRequest) -> Reply:
            return Reply(text=next(given))

    model = CachedModel(Failing(), tmp_path, {})
    assert [model.complete(ASK).text for _ in range(4)] == ["", "\n", "text", "text"]


def test_a_paid_reply_on_the_way_to_an_error_is_priced() -> None:
    class Refusing(Model):
        name = "m"

        def reply_to(self, request: ModelRequest) -> Reply:
            error = ModelError("refused")
            error.paid = Reply(text="x", usage=Usage(prompt_tokens=1_000_000, completion_tokens=0))
            raise error

    with pytest.raises(ModelError) as caught:
        PricedModel(Refusing(), prices=Prices(input=2, output=10)).complete(ASK)
    assert caught.value.paid is not None
    assert (caught.value.paid.cost_usd, caught.value.paid.cost_source) == (2.0, "profile")


def test_a_repeated_request_is_answered_from_the_cache_at_no_cost(tmp_path: Path) -> None:
    model = ListModel(SAID)
    first = cached(model, tmp_path).complete(ASK)
    again = cached(model, tmp_path).complete(ASK)
    assert (first.cached, first.cost_usd, first.notices) == (False, 0.5, ("once",))
    assert (again.cached, again.cost_usd, again.notices, again.usage) == (True, 0.0, (), Usage())
    assert (again.text, again.reasoning, len(model.requests)) == (first.text, first.reasoning, 1)


OTHERS = [
    {"messages": [Message(role="user", content="v")]},
    {"messages": [Message(role="user", content="u \ud800", tool_calls=[ToolCall(name="look", arguments="", id="a")])]},
    {"role": "classify"},
    {"schema": {}},
    {"tools": [LOOK]},
    {"tools": [LOOK], "tool_choice": "look"},
]


@pytest.mark.parametrize("other", OTHERS)
def test_another_request_is_another_reply(other: dict, tmp_path: Path) -> None:
    model = ListModel(SAID)
    kept = cached(model, tmp_path)
    kept.complete(ASK)
    assert kept.complete(**{"messages": ASK} | other).text == "reply 1"


def test_another_setting_or_try_is_another_reply(tmp_path: Path) -> None:
    model = ListModel(SAID)
    cached(model, tmp_path).complete(ASK)
    assert cached(model, tmp_path, temperature=1.0).complete(ASK).text == "reply 1"
    TRY.set(2)
    assert cached(model, tmp_path).complete(ASK).text == "reply 2"
    assert cached(model, tmp_path).complete(ASK).cached


@pytest.mark.parametrize("damage", [b"", b"{", b"[]", b'{"text": 3}', b"[" * 100_000, b"\xff"])
def test_a_kept_reply_that_cannot_be_read_is_asked_for_anew(damage: bytes, tmp_path: Path) -> None:
    model = ListModel(SAID)
    cached(model, tmp_path).complete(ASK)
    (kept,) = tmp_path.rglob("*.json")
    kept.write_bytes(damage)
    assert cached(model, tmp_path).complete(ASK).text == "reply 1"
    assert cached(model, tmp_path).complete(ASK).text == "reply 1"


def conversation(instruction: str, turns: int) -> list[Message]:
    messages = [Message(role="system", content="s"), Message(role="user", content=instruction)]
    for _ in range(turns):
        messages += [Message(role="assistant", content="x"), Message(role="user", content="out")]
    return messages


def script(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "replies.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_replies_come_in_order_for_the_trials_they_fit(tmp_path: Path) -> None:
    model = ScriptedModel.from_file(
        script(
            tmp_path,
            """
            [[reply]]
            code = "print(1)"
            state = "first"
            [[reply]]
            when = "basket"
            text = "no JSON at all"
            [[reply]]
            code = "print(3)"
            """,
        )
    )
    first = json.loads(model.complete(conversation("count", 0), "solve").text)
    assert first == {"state": "first", "plan": [], "done": False, "code": "print(1)"}
    assert json.loads(model.complete(conversation("count", 1), "solve").text)["code"] == "print(3)"
    assert model.complete(conversation("the basket", 1), "solve").text == "no JSON at all"


@pytest.mark.parametrize(("system", "said"), [("s", "plain"), ("Count twice, s", "counted twice")])
def test_a_reply_may_depend_on_the_system_prompt(system: str, said: str, tmp_path: Path) -> None:
    text = "[[reply]]\nsystem = 'Count twice'\ntext = 'counted twice'\n[[reply]]\ntext = 'plain'\n"
    messages = [Message(role="system", content=system), *conversation("x", 0)[1:]]
    assert ScriptedModel.from_file(script(tmp_path, text)).complete(messages, "solve").text == said


def test_replies_of_other_tasks_are_left_out(tmp_path: Path) -> None:
    replies = {"one": "for one", "two": "for two", "": "for all"}
    text = "".join(f'[[reply]]\ntask = "{task}"\ntext = "{said}"\n' for task, said in replies.items())
    model = ScriptedModel.from_file(script(tmp_path, text))
    token = TASK.set("two")
    assert [model.complete(conversation("x", turn), "solve").text for turn in (0, 1)] == ["for two", "for all"]
    with pytest.raises(ModelError, match="no reply for turn 3"):
        model.complete(conversation("x", 2), "solve")
    TASK.reset(token)


def test_a_script_that_has_ended_is_a_failure_of_this_trial_alone(tmp_path: Path) -> None:
    model = ScriptedModel.from_file(script(tmp_path, '[[reply]]\ncode = "1"\n'))
    with pytest.raises(ModelError, match="no reply for turn 2") as caught:
        model.complete(conversation("x", 1), "solve")
    assert not caught.value.retryable
    assert not caught.value.affects_all


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("not toml", "not a replies file"),
        ("[[reply]]\ncolour = 1\n", "colour"),
        ('[[reply]]\nwhen = "("\n', "when: Value error, is not a regular expression of RE2"),
        ("", "reply"),
    ],
)
def test_a_file_that_is_no_script_is_refused_with_one_line(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(ValueError, match=says) as caught:
        ScriptedModel.from_file(script(tmp_path, text))
    assert "\n" not in str(caught.value)
