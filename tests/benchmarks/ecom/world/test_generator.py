"""Worlds are deterministic everywhere, differ from each other, and hang together."""

import json
import os
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

from benchmarks.ecom.runtime.shop_environment import EcomEnvironment
from benchmarks.ecom.runtime.workspace import record_text
from benchmarks.ecom.world.generator import World, WorldSettings, generate
from benchmarks.ecom.world.names import VOCABULARIES, choose_names
from benchmarks.ecom.world.shop_records import Discount, Verification

WORLDS = [generate(f"world|{number}") for number in range(8)]
HARD = generate("profiles", WorldSettings(profile="hard")).workspace()
PROD = generate("profiles").workspace()
ROOT = Path(__file__).parents[4]
DIGEST = """
import hashlib, sys
from benchmarks.ecom.tasks.generation import generate_task, task_ids
found = hashlib.sha256()
for task_id in task_ids()[:60:5]:
    task = generate_task(task_id, "digest")
    truth = task.truth
    shown = (task.instruction, truth.outcome, truth.message, truth.records, truth.changes, sorted(truth.tolerated))
    found.update(repr((shown, dict(task.world.workspace().files))).encode())
print(found.hexdigest())
"""
RECORD = {
    "id": "pay-1",
    "status": "awaiting_verification",
    "is_open": True,
    "fulfilment": "download",
    "discount": Discount(1, "x", "emp-1").data(),
    "verification": Verification("challenge_abandoned", 1, 3, "2027-01-01T00:00:00Z").data(),
    "inventory": [{"sku": "A", "on_hand": 1, "incoming": [{"quantity": 1, "arrives_in_days": 2}]}],
    "properties": {"status": "paid"},
}


def test_worlds_do_not_depend_on_the_process_that_makes_them() -> None:
    digests = {
        subprocess.run(
            [sys.executable, "-c", DIGEST],
            capture_output=True,
            text=True,
            check=True,
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": seed, "TZ": zone},
        ).stdout
        for seed, zone in (("1", "UTC"), ("2", "Asia/Tokyo"))
    }
    assert len(digests) == 1


@pytest.mark.parametrize("world", WORLDS[:4])
def test_records_lie_where_the_layout_says_and_hang_together(world: World) -> None:
    roots, files = world.layout.roots, world.workspace().files
    groups = {
        roots.products: world.catalogue.products,
        roots.stores: world.stores,
        roots.baskets: world.baskets,
        roots.payments: world.payments,
        roots.returns: world.returns,
        roots.employees: world.employees,
    }
    paths = [world.path(record) for records in groups.values() for record in records.values()]
    assert len(groups) == 6
    assert len(paths) == len({path.casefold() for path in paths}) > 300
    assert all(files[path] == record_text(json.loads(files[path])) for path in paths)
    for root, records in groups.items():
        assert all(world.path(record).startswith(root + "/") for record in records.values())
    for payment in world.payments.values():
        basket = world.baskets[payment.basket_id]
        assert (payment.customer_id, payment.store_id) == (basket.customer_id, basket.store_id)
        assert payment.amount_cents == world.subtotal(basket)
    returned = [entered.payment_id for entered in world.returns.values()]
    assert len(returned) == len({*returned} & {*world.payments})


@pytest.mark.parametrize("vocabulary", VOCABULARIES)
@pytest.mark.parametrize("seed", range(6))
def test_texts_under_the_names_of_a_world_are_known_again(vocabulary: str, seed: int) -> None:
    names = choose_names(Random(seed), vocabulary, "mixed")
    shown = names.records.in_file_names(RECORD)
    assert names.vocabulary == vocabulary
    assert names.records.in_code_names(shown) == RECORD
    assert (shown == RECORD) is False or vocabulary == "own"
    assert len({*names.documents.values()}) == len(names.documents)


def test_the_public_vocabulary_is_that_of_the_public_benchmark() -> None:
    names = choose_names(Random(1), "public", "mixed")
    shown = names.records.in_file_names(RECORD)
    assert shown["three_ds"]["status"] == "3ds-status2"
    assert (shown["status"], shown["fulfillment_type"]) == ("requires_3ds_action", 2)
    assert shown["inventory"][0]["incoming"][0] == {"quantity": 1, "arrival_in_days": 2}
    assert names.documents["verification"] == "/docs/payments/3ds.md"
    assert names.records.verb("restart") == "recover-3ds"
    assert names.layout.id_of("cust", 174) == "cust-0174"
    assert {choose_names(Random(seed), "mixed", "mixed").vocabulary for seed in range(20)} == {*VOCABULARIES}


def test_a_hard_world_cuts_what_finds_many_and_says_so() -> None:
    hard, prod = EcomEnvironment(HARD), EcomEnvironment(PROD)
    for operation, arguments, field in (
        ("find", {"name": "*.json", "root": "/proc", "limit": 0}, "paths"),
        ("search", {"pattern": "quantity", "root": "/proc", "limit": 500}, "matches"),
    ):
        cut = hard.call(operation, arguments)
        assert (len(cut[field]), cut["truncated"]) == (60, True)
        assert len(prod.call(operation, arguments)[field]) > 60
    few = hard.call("find", {"name": "*.md", "root": "/docs", "limit": 0})
    assert 10 < len(few["paths"]) < 60
    assert few["truncated"] is False


def test_a_hard_world_cuts_long_files_and_the_rest_is_read_by_its_lines() -> None:
    hard = EcomEnvironment(HARD)
    path = max(HARD.files, key=lambda each: HARD.files[each].count("\n"))
    text, parts = "", []
    while text.count("\n") < HARD.files[path].count("\n"):
        part = hard.call("read", {"path": path, "start_line": text.count("\n") + 1})
        parts.append((str(part["content"]).count("\n"), part["truncated"]))
        text += str(part["content"])
    assert text == HARD.files[path]
    assert parts[0] == (160, True)
    assert parts[-1][1] is False
    longest = max(PROD.files, key=lambda each: len(PROD.files[each]))
    assert EcomEnvironment(PROD).call("read", {"path": longest})["truncated"] is False
