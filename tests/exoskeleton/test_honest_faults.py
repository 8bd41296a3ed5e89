"""What the parts behind the model mend of its faults, and how much of its requests a cache can keep."""

import os
from dataclasses import replace
from itertools import pairwise

import pytest

from agent.exoskeleton import Part
from benchmarks.ecom.ecom_benchmark import TrialId, generate_task, task_ids
from benchmarks.ecom.world.generator import PLAYED, WorldSettings
from tests.support.exoskeleton_trials import fault_of
from tests.support.shop_players import play

SETTINGS = WorldSettings()


@pytest.mark.parametrize(
    ("task_id", "fault", "part"),
    [
        ("archive-fraud.13", "forgotten", Part.EVIDENCE_STORE),
        ("sku-lookup.7", "spelling", Part.REFERENCES),
        ("sku-lookup.2", "forgotten", Part.REFERENCES),
        ("sku-lookup.1", "wording", Part.FORMATTER),
    ],
)
def test_a_part_mends_a_fault_that_costs_the_answer_without_it(task_id, fault, part):
    key = TrialId(task_id, 0, 1, SETTINGS.profile, "t").world_seed
    task = generate_task(task_id, key, SETTINGS)
    assert fault_of(task.instruction) == fault
    every = frozenset(Part) - {Part.PREFLIGHT}
    family = task_id.rpartition(".")[0]
    scores = [play(family, task, key, parts=parts, with_faults=True).score for parts in (every, every - {part})]
    assert scores[0] == 1.0 > scores[1]


def shared(pair: tuple[str, str]) -> int:
    return len(os.path.commonprefix(pair))  # noqa: RUF071 - characters are meant


def test_the_longest_trial_stays_within_its_tokens_and_most_of_them_are_kept_by_a_cache(heavy: bool) -> None:
    """Each task is played for eight turns, with reads of what it cites between; four characters are a token.

    A request keeps what stands at the start of the one before, a first one what another trial's begins with too.
    """
    settings, trials = replace(PLAYED, names="mixed"), []
    for task_id in task_ids()[: None if heavy else 12]:
        key = TrialId(task_id, 0, 1, settings.profile, "t").world_seed
        task, family = generate_task(task_id, key, settings), task_id.rpartition(".")[0]
        played = play(family, task, key, parts=frozenset(Part) - {Part.PREFLIGHT}, turns=8)
        trials.append(played.requests[:8])
    trials = sorted(filter(None, trials))
    assert len(trials) > 9
    neighbours = [0, *(shared((one[0], other[0])) for one, other in pairwise(trials)), 0]
    sent = [sum(map(len, requests)) for requests in trials]
    kept = [max(two) + sum(map(shared, pairwise(each))) for two, each in zip(pairwise(neighbours), trials, strict=True)]
    assert max(sent) // 4 <= 90_000
    assert kept[sent.index(max(sent))] / max(sent) >= 0.865
    assert sum(kept) / sum(sent) >= 0.865
