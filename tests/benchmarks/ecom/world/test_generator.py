"""Worlds are deterministic everywhere, differ from each other, and hang together."""

import json

import pytest

from benchmarks.ecom.workspace import record_text
from benchmarks.ecom.world.generator import World, generate
from tests.support.command import python

WORLDS = [generate(f"world|{number}") for number in range(8)]
DIGEST = """
import hashlib, sys
from benchmarks.ecom.ecom_benchmark import generate_task, task_ids
found = hashlib.sha256()
for task_id in task_ids()[:60:5]:
    task = generate_task(task_id, "digest")
    truth = task.truth
    shown = (task.instruction, truth.outcome, truth.message, truth.records, truth.changes, sorted(truth.tolerated))
    found.update(repr((shown, dict(task.world.workspace().files))).encode())
print(found.hexdigest())
"""


def test_worlds_do_not_depend_on_the_process_that_makes_them() -> None:
    digests = {
        python("-c", DIGEST, PYTHONHASHSEED=seed, TZ=zone).out for seed, zone in (("1", "UTC"), ("2", "Asia/Tokyo"))
    }
    assert [len(digest) for digest in digests] == [65]


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
