"""What the parts behind the model mend of its faults."""

import pytest

from agent.exoskeleton import Part
from benchmarks.ecom.ecom_benchmark import TrialId
from benchmarks.ecom.tasks.generation import generate_task
from benchmarks.ecom.world.generator import WorldSettings
from tests.bench.trial_tokens import LEAST_KEPT, LONGEST_TURNS, MOST_TOKENS, TokenUse, played_requests
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


@pytest.fixture(scope="module")
def used(request: pytest.FixtureRequest) -> list[TokenUse]:
    """What tasks of twelve families cost; with `--heavy`, every task of a run."""
    limit = None if request.config.getoption("--heavy") else 12
    played = played_requests([1], "mixed", turns=LONGEST_TURNS, limit=limit)
    return [each.used(LONGEST_TURNS) for each in played]


def test_the_longest_trial_stays_within_its_tokens_and_most_of_them_are_kept(used):
    longest = max(used, key=lambda each: each.tokens)
    assert longest.tokens <= MOST_TOKENS
    assert longest.share >= LEAST_KEPT


def test_all_trials_together_keep_as_much(used):
    assert len(used) > 9
    assert sum(each.kept for each in used) / sum(each.tokens for each in used) >= LEAST_KEPT
