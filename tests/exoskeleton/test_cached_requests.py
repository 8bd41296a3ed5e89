"""How much of a solver's requests the cache of a model's endpoint knows already.

An endpoint charges less for the beginning of a request if an earlier request began in the same
way. So a conversation should only grow at its end:

    request 1   "rules, task"
    request 2   "rules, task, result of a call"   "rules, task" is cached

The trials are those of the solver `Exoskeleton` in the embedded shop.
"""

from controlplane.agent.exoskeleton import Part
from controlplane.benchmarks.ecom.tasks.generated_tasks import generate_task, task_ids
from controlplane.benchmarks.ecom.world.names import PLAYED
from tests.exoskeleton.request_traffic import traffic_of_all
from tests.support.shop.shop_trials import play_shop_trial

CHARS_PER_TOKEN = 4
"""How many characters a model's token has, roughly."""


def requests_of(task_id: str) -> list[str]:
    """Play a task such as `sku-lookup.7`, and return the texts of its eight requests to the model."""
    family, _, _number = task_id.rpartition(".")
    seed = f"1|{task_id}|0"  # as the first trial of a run with `--seed 1` has it
    trial = play_shop_trial(
        family,
        generate_task(task_id, seed, PLAYED),
        key=seed,
        # Otherwise checks would answer some requests, and no model would be asked.
        parts=frozenset(Part) - {Part.PREFLIGHT},
        turns=8,
    )
    assert len(trial.requests) == 8
    return list(trial.requests)


def test_a_cache_saves_most_of_the_tokens_that_trials_send(heavy: bool) -> None:
    """The limits are just beyond what was measured when they were set. A change that costs more
    tokens, or makes requests begin differently, breaks one of them."""
    # All tasks with the option `--heavy`, and the first of them without.
    played_task_ids = task_ids() if heavy else task_ids()[:12]
    trials = [requests_of(task_id) for task_id in played_task_ids]

    all_traffic = traffic_of_all(trials)

    longest = max(all_traffic, key=lambda traffic: traffic.sent)
    assert longest.sent / CHARS_PER_TOKEN <= 90_000
    assert longest.cached / longest.sent >= 0.86
    sent = sum(traffic.sent for traffic in all_traffic)
    cached = sum(traffic.cached for traffic in all_traffic)
    assert cached / sent >= 0.865
