"""How much of a solver's requests the cache of a model's endpoint knows already.

An endpoint charges less for the beginning of a request if an earlier request began in the same
way. So a conversation should only grow at its end:

    request 1   "rules, task"
    request 2   "rules, task, result of a call"   "rules, task" is cached

The trials are those of the solver `Exoskeleton` in the embedded shop.
"""

from dataclasses import replace

from controlplane.agent.exoskeleton import Part
from controlplane.benchmarks.ecom.tasks.generated_tasks import generate_task
from controlplane.benchmarks.ecom.tasks.task_ids import task_ids
from controlplane.benchmarks.ecom.world.settings import PLAYED
from tests.exoskeleton.request_traffic import traffic_of_all
from tests.support.shop.shop_trials import play_shop_trial

REQUESTS_OF_TRIAL = 8
"""How many requests a trial may send to the model."""
QUICK_TASKS = 12
"""How many tasks are played without the option `--heavy`, which plays all."""
CHARS_PER_TOKEN = 4
"""How many characters a model's token has, roughly."""

# Limits just beyond what was measured when they were set. A change that costs more tokens, or
# makes requests begin differently, breaks one of them.
MOST_TOKENS_OF_A_TRIAL = 90_000
LEAST_CACHED_SHARE_OF_LONGEST_TRIAL = 0.86
LEAST_CACHED_SHARE_OF_ALL_TRIALS = 0.865


def requests_of(task_id: str) -> list[str]:
    """Play a task such as `sku-lookup.7`, and return the texts of the requests to the model.

    Empty if a check answers before the model. Otherwise the model reads files for eight turns.
    """
    world_seed = f"1|{task_id}|0"
    trial = play_shop_trial(
        task_id.rpartition(".")[0],
        generate_task(task_id, world_seed, replace(PLAYED, names="mixed")),
        key=world_seed,
        parts=frozenset(Part) - {Part.PREFLIGHT},
        turns=REQUESTS_OF_TRIAL,
    )
    return list(trial.requests[:REQUESTS_OF_TRIAL])


def test_a_cache_saves_most_of_the_tokens_that_trials_send(heavy: bool) -> None:
    """There is a limit for the longest trial, and one for all trials together."""
    played_task_ids = task_ids() if heavy else task_ids()[:QUICK_TASKS]
    trials = [requests_of(task_id) for task_id in played_task_ids]
    trials_with_model = [requests for requests in trials if requests]
    assert len(trials_with_model) >= 10  # nearly all; checks answer the others

    all_traffic = traffic_of_all(trials_with_model)

    longest = max(all_traffic, key=lambda traffic: traffic.sent)
    assert longest.sent / CHARS_PER_TOKEN <= MOST_TOKENS_OF_A_TRIAL
    assert longest.cached / longest.sent >= LEAST_CACHED_SHARE_OF_LONGEST_TRIAL
    sent = sum(traffic.sent for traffic in all_traffic)
    cached = sum(traffic.cached for traffic in all_traffic)
    assert cached / sent >= LEAST_CACHED_SHARE_OF_ALL_TRIALS
