"""Sums of tokens and dollars."""

from agent.events import ModelReplied
from agent.model.model_protocol import Usage
from controlplane.journal.run_summary import RunSummary
from controlplane.journal.spent import Spent, total
from controlplane.view.result_json import roles_object


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


def test_what_each_role_took_is_summed_up_by_trial_and_run() -> None:
    summary = RunSummary()
    for trial_id, role in (("a", "solve"), ("a", "format"), ("b", "solve")):
        summary.fold(reply(0.25).model_copy(update={"trial_id": trial_id, "role": role}))
    told = {role: (each.replies, each.tokens, each.cost_usd) for role, each in summary.by_role.items()}
    assert told == {"solve": (2, 30, 0.5), "format": (1, 15, 0.25)}
    assert {role: each.replies for role, each in summary.trials["a"].by_role.items()} == {"solve": 1, "format": 1}
    assert roles_object(summary.by_role)["format"] == {"replies": 1, "tokens": 15, "cost_usd": 0.25}
