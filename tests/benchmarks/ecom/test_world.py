"""Worlds: deterministic everywhere, different from each other, and honest about their own parameters."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.ecom.world.documents import PATHS, documents
from benchmarks.ecom.world.generator import World, generate
from benchmarks.ecom.world.product_lines import product_lines
from benchmarks.ecom.world.shop_records import Product

ROOT = Path(__file__).parents[3]
WORLDS = [generate(f"world|{number}") for number in range(40)]
FUNCTION_WORDS = {"the", "with", "of"}
DIGEST = """
import hashlib, sys
from benchmarks.ecom.tasks.families import pose_task, task_ids
found = hashlib.sha256()
for task_id in task_ids():
    task = pose_task(task_id, "digest")
    truth = task.truth
    shown = (task.instruction, truth.outcome, truth.message, truth.records, truth.changes, sorted(truth.tolerated))
    found.update(repr((shown, dict(task.world.workspace().files))).encode())
print(found.hexdigest())
"""


def words(text: str) -> set[str]:
    return set(re.findall(r"[\w+-]+", text.lower().replace("_", " "))) - FUNCTION_WORDS


def shown(product: Product) -> set[str]:
    return words(product.name + " " + " ".join(f"{key} {value}" for key, value in product.properties.items()))


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


@pytest.mark.parametrize(
    "of",
    [
        lambda world: world.layout.products,
        lambda world: world.layout.stores,
        lambda world: world.layout.baskets,
        lambda world: world.layout.payments,
        lambda world: world.layout.returns,
        lambda world: world.layout.employees,
        lambda world: world.layout.separator,
        lambda world: world.policy.yes,
        lambda world: world.policy.threshold_cents,
        lambda world: world.policy.discount_role,
        lambda world: world.policy.verification_delay_min,
        lambda world: world.sql_is_up,
        lambda world: world.flat_paths_resolve,
    ],
)
def test_worlds_differ_in_layout_and_policy(of: object) -> None:
    assert callable(of)
    assert len({of(world) for world in WORLDS}) > 1


def test_no_two_worlds_share_their_clock_or_their_records() -> None:
    assert len({world.clock for world in WORLDS}) == len(WORLDS)
    assert len({json.dumps([each.data() for each in world.stores.values()]) for world in WORLDS}) == len(WORLDS)


@pytest.mark.parametrize("world", WORLDS[:10])
def test_every_record_lies_below_its_root_and_under_a_path_of_its_own(world: World) -> None:
    roots = world.layout.roots
    families = {
        roots.products: world.catalogue.products,
        roots.stores: world.stores,
        roots.baskets: world.baskets,
        roots.payments: world.payments,
        roots.returns: world.returns,
        roots.employees: world.employees,
    }
    assert len(families) == 6
    paths = [world.path(each) for records in families.values() for each in records.values()]
    assert len(paths) == len({path.casefold() for path in paths})
    for root, records in families.items():
        assert all(world.path(each).startswith(root + "/") for each in records.values())
    files = world.workspace().files
    assert all(json.loads(files[path]) for path in paths)


@pytest.mark.parametrize("world", WORLDS[:10])
def test_the_documents_state_the_parameters_of_their_world(world: World) -> None:
    policy, texts = world.policy, documents(world.policy, world.layout.roots, world.origin)
    assert set(texts) == set(PATHS)
    assert f"`{policy.yes}` for yes or `{policy.no}` for no" in texts["/AGENTS.MD"]
    assert world.layout.roots.baskets in texts["/AGENTS.MD"]
    assert f"{policy.high_percent} percent" in texts["/docs/discounts.md"]
    assert policy.refund_role in texts["/docs/returns.md"]
    assert f"{policy.verification_delay_min} minutes" in texts["/docs/payments/verification.md"]
    assert world.origin.first_branch in texts["/docs/company/origins.md"]
    assert not [path for path, text in texts.items() if "${" in text]


@pytest.mark.parametrize("world", WORLDS[:10])
def test_an_ambiguity_of_a_world_lists_every_product_that_its_phrase_fits(world: World) -> None:
    for each in world.catalogue.ambiguities:
        fitting = [sku for sku, product in world.catalogue.products.items() if words(each.phrase) <= shown(product)]
        assert tuple(sorted(fitting)) == each.skus


@pytest.mark.parametrize("world", WORLDS[:10])
def test_payments_and_returns_hang_together(world: World) -> None:
    for payment in world.payments.values():
        basket = world.baskets[payment.basket_id]
        assert (payment.customer_id, payment.store_id) == (basket.customer_id, basket.store_id)
        assert payment.amount_cents == world.subtotal(basket)
    returned = [each.payment_id for each in world.returns.values()]
    assert len(returned) == len(set(returned))
    assert set(returned) <= set(world.payments)


def test_a_phrase_fits_exactly_the_articles_it_is_meant_for() -> None:
    articles = {}
    for line in product_lines():
        for variant in line.variants:
            properties = {**line.shared, **variant.properties}
            shown = " ".join(f"{key} {value}" for key, value in properties.items() if value is not False)
            articles[line.code, variant.code] = words(f"{line.brand} {line.model} {variant.tail} {shown}")

    def fitting(phrase: str) -> list[tuple[str, str]]:
        wanted, _, unwanted = phrase.partition(" without ")
        return [each for each, known in articles.items() if words(wanted) <= known and not words(unwanted) & known]

    for line in product_lines():
        assert fitting(line.vague) == [(line.code, each) for each in line.vague_codes], line.vague
        assert len(line.vague_codes) > 1
        for variant in line.variants:
            assert fitting(variant.asked) == [(line.code, variant.code)], variant.asked
