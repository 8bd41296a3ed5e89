"""A default run has the real shares; a task's number fixes nothing; blocks are laid over a few tasks of any family."""

import json
from collections import Counter, defaultdict
from dataclasses import replace

import pytest

from benchmarks.ecom.tasks.generation import (
    BENIGN,
    FAMILIES,
    OVERLAY,
    drawn,
    generate_drawn,
    generate_task,
    is_task_id,
    task_ids,
)
from benchmarks.ecom.tasks.task import DENIED
from tests.benchmarks.ecom.reference_solutions import first_task, generate_variant, variant_ids

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


def test_a_number_fixes_no_answer() -> None:
    answers = defaultdict(set)
    for task_id in ("product-existence.1", "product-existence.2"):
        for seed in range(8):
            task = generate_task(task_id, seed_of(task_id, seed))
            answers[task_id].add(task.truth.message == task.world.policy.yes)
    assert set(map(frozenset, answers.values())) == {frozenset((True, False))}


def test_a_block_is_laid_over_a_few_tasks_of_any_family() -> None:
    draws = [drawn(task_id, seed_of(task_id, seed)) for task_id in task_ids() for seed in SEEDS]
    blocked = [draw for draw in draws if draw.block]
    assert sum(draw.block != BENIGN for draw in blocked) / len(draws) == pytest.approx(0.036, abs=0.004)
    assert {each.family for each in blocked} == {name for name, family in FAMILIES.items() if family.trials}


def test_a_request_with_a_block_is_denied_and_one_that_needs_a_file_with_a_block_is_not_the_worse_for_it() -> None:
    denied = hidden = 0
    for draw, seed in [
        (drawn(each, seed_of(each, seed)), seed_of(each, seed)) for seed in SEEDS for each in task_ids()
    ]:
        if not draw.block or (draw.block == 1 and denied > 15):
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
        if hidden > 15:
            break
    assert hidden
    assert denied


def test_every_variant_is_found_by_some_number_of_its_family() -> None:
    numbers = {each: int(first_task(each, 5).rpartition(".")[2]) for each in variant_ids()}
    assert max(numbers.values()) < 150


@pytest.mark.parametrize("text", ["", "sku-lookup", "sku-lookup.0", "sku-lookup.01", "sku-lookup.10000", "nothing.1"])
def test_an_unknown_task_has_no_reference(text: str) -> None:
    assert not is_task_id(text)
    with pytest.raises(KeyError):
        generate_task(text, "0")


EXACT = ("exact property match; requested quantity available today", "exact property match; branch has insufficient")


def test_a_row_of_a_crosslist_follows_from_specs_opening_and_stock() -> None:
    seen = set()
    for seed in range(16):
        task = generate_variant("crosslist#1", f"crosslist {seed}")
        store = next(each for each in task.world.stores.values() if task.world.path(each) == task.truth.inputs["store"])
        paths = {task.world.path(each): each for each in task.world.catalogue.products.values()}
        (text,) = task.truth.changes.values()
        header, *rows = [line.split("\t") for line in text.splitlines()]
        for row, line in zip(rows, json.loads(task.truth.inputs["lines"]), strict=True):
            cells, product, wanted = dict(zip(header, row, strict=True)), paths[line["path"]], line["count"]
            is_match = all(product.properties.get(key) == value for key, value in line["specs"].items())
            free = store.inventory[product.sku].available if is_match else 0
            served = min(free, wanted) if store.is_open else 0
            assert cells["requested_description"] == product.name
            assert cells["matched_sku"] == (product.sku if is_match else "")
            numbers = [cells["available_today"], cells["fulfillable_qty"], cells["short_qty"]]
            assert numbers == [str(free), str(served), str(wanted - served)]
            reason = "closed" if not store.is_open else EXACT[free < wanted]
            assert (reason if is_match else "do not exactly match") in cells["reason"]
            seen.add((is_match, store.is_open, free >= wanted))
    assert len(seen) >= 6
