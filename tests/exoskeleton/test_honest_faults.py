"""What the parts behind the model mend of its faults."""

import pytest

from agent.exoskeleton import Part
from benchmarks.ecom.ecom_benchmark import TrialId
from benchmarks.ecom.tasks.generation import generate_task
from benchmarks.ecom.world.generator import WorldSettings
from tests.bench.trial_tokens import LEAST_KEPT, LONGEST_TURNS, MOST_TOKENS, TokenUse, played_requests, with_shared
from tests.support.exoskeleton_trials import FAULTS, fault_of, formatted, misspelt, with_fault
from tests.support.shop_players import play

SETTINGS = WorldSettings()
COMPLETION = {
    "outcome": "OUTCOME_OK",
    "message": "5",
    "records": [{"path": "/proc/a/x/one.json", "reason": "the one"}, {"path": "/proc/b/two.json", "reason": "the two"}],
}


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


def test_every_fault_changes_a_completion_in_its_own_way():
    spoiled = {fault: with_fault(COMPLETION, fault, ["/docs/a.md", "/proc/c/three.json"]) for fault in FAULTS}
    paths = {name: [one["path"] for one in each["records"]] for name, each in spoiled.items()}
    assert paths["too_much"][2:] == ["/proc/c/three.json"]
    assert paths["spelling"] == ["/proc/a/one", "/proc/b/two"]
    assert paths["forgotten"] == ["/proc/b/two.json"]
    assert formatted(f"<message>\n{spoiled['wording']['message']}\n</message>") == '{"message": "5"}'
    assert with_fault(COMPLETION, "", []) == COMPLETION
    assert misspelt("/exports/a.tsv#row=7") == "/exports/a.tsv#row=7"


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


def test_a_first_request_keeps_what_another_trial_begins_with_and_a_later_one_the_request_before():
    first, second = with_shared([("a", ["tools one", "tools one more.."]), ("b", ["tools 222"])])
    assert (first.shared_first, second.shared_first) == (6, 6)
    assert first.used(2) == TokenUse(tokens=(9 + 16) // 4, kept=(6 + 9) // 4, family="a")
