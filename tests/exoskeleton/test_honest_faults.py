"""What the parts behind the model mend of its faults."""

import pytest

from agent.exoskeleton import Part
from benchmarks.ecom.ecom_benchmark import TrialId
from benchmarks.ecom.tasks.posing import pose_task
from benchmarks.ecom.world.generator import WorldSettings
from tests.support.honest_faults import FAULTS, fault_of, formatted, misspelt, with_fault
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
        ("archive-fraud.5", "forgotten", Part.LEDGER),
        ("sku-lookup.7", "spelling", Part.REFERENCES),
        ("sku-lookup.2", "forgotten", Part.REFERENCES),
        ("sku-lookup.1", "wording", Part.FORMATTER),
    ],
)
def test_a_part_mends_a_fault_that_costs_the_answer_without_it(task_id, fault, part):
    key = TrialId(task_id, 0, 1, SETTINGS.profile, "t").world_seed
    task = pose_task(task_id, key, SETTINGS)
    assert fault_of(task.instruction) == fault
    every = frozenset(Part)
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
