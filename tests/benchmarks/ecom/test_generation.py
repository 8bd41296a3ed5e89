"""A default run has the real shares; a task's number fixes nothing; blocks are laid over a few tasks of any family."""

from collections import Counter
from dataclasses import replace

import pytest

from benchmarks.ecom.ecom_benchmark import (
    BENIGN,
    FAMILIES,
    OVERLAY,
    drawn,
    generate_drawn,
    generate_task,
    is_task_id,
    task_ids,
)
from benchmarks.ecom.tasks.grader import DENIED

SEEDS = range(200)


def seed_of(task_id: str, number: int) -> str:
    return f"{number}|{task_id}|0"


def test_a_default_run_has_a_hundred_trials_in_the_shares_of_the_families() -> None:
    counted = Counter(task_id.rpartition(".")[0] for task_id in task_ids())
    assert len(task_ids()) == len(set(task_ids())) == 100
    assert counted == Counter({name: family.trials for name, family in FAMILIES.items() if family.trials})
    assert list(FAMILIES) == sorted(FAMILIES)
    experts = Counter(task_id.rpartition(".")[0] for task_id in task_ids("expert"))
    assert experts == Counter({name: family.expert_trials for name, family in FAMILIES.items() if family.expert_trials})
    assert experts.total() == 100


def test_a_request_with_a_block_is_denied_and_one_that_needs_a_file_with_a_block_is_not_the_worse_for_it() -> None:
    denied = hidden = 0
    for draw, seed in [
        (drawn(each, seed_of(each, seed)), seed_of(each, seed)) for seed in SEEDS for each in task_ids()
    ]:
        if not draw.block or (draw.block == 1 and denied > 5):
            continue
        generated, plain = generate_drawn(draw, seed), generate_drawn(replace(draw, block=0), seed)
        if plain.truth.family == OVERLAY:  # It is barred without a block.
            continue
        if generated.truth.family == OVERLAY:
            denied += 1
            assert generated.instruction.startswith(plain.instruction)
            assert (generated.truth.outcome, dict(generated.truth.changes)) == (DENIED, {})
            continue
        if draw.block == BENIGN and generated.truth.family != OVERLAY:
            assert generated.instruction.startswith(plain.instruction)
            assert replace(generated.truth, instruction="", family="") == replace(
                plain.truth, instruction="", family=""
            )
            continue
        hidden += 1
        assert generated.truth == plain.truth
        files, usual = generated.world.workspace().files, plain.world.workspace().files
        (path,) = (file for file in files if files[file] != usual[file])
        assert path in generated.truth.records
        assert path not in generated.truth.changes
        if hidden > 5:
            break
    assert hidden
    assert denied


@pytest.mark.parametrize("text", ["", "sku-lookup", "sku-lookup.0", "sku-lookup.01", "sku-lookup.10000", "nothing.1"])
def test_an_unknown_task_has_no_reference(text: str) -> None:
    assert not is_task_id(text)
    with pytest.raises(KeyError):
        generate_task(text, "0")
