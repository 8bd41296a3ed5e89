"""Sums of tokens and dollars."""

from agent.events import ModelReplied
from agent.model.model_protocol import Usage
from controlplane.journal.spent import Spent, total


def reply(cost_usd: float | None, prompt: int = 10, cached: int = 0, mode: str = "schema") -> ModelReplied:
    usage = Usage(prompt_tokens=prompt, completion_tokens=prompt and 5, cached_tokens=cached)
    return ModelReplied(trial_id="a", step=1, reply="", usage=usage, cost_usd=cost_usd, reply_mode=mode)


def spent_on(*replies: ModelReplied) -> Spent:
    spent = Spent()
    for each in replies:
        spent.add(each)
    return spent


def test_one_unknown_price_makes_the_sum_unknown() -> None:
    known, unknown = spent_on(reply(0.5), reply(0.25)), spent_on(reply(0.5), reply(None))
    assert (known.cost_usd, unknown.cost_usd, unknown.known_usd) == (0.75, None, 0.5)
    assert total([known, unknown]).cost_usd is None
    assert total([known, known]).cost_usd == 1.5


def test_what_asks_no_endpoint_costs_nothing() -> None:
    assert spent_on(reply(None, prompt=0, mode="")).cost_usd == 0.0


def test_an_endpoint_that_counts_nothing_is_not_free() -> None:
    assert spent_on(reply(None, prompt=0)).cost_usd is None


def test_the_cached_share_is_that_of_the_requests() -> None:
    assert spent_on(reply(0.1, prompt=30, cached=20), reply(0.1, prompt=10)).cached_share == 0.5
    assert Spent().cached_share is None
