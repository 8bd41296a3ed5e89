"""Worlds: what a seed draws, the catalogue in it,
and documents under the names of each vocabulary."""

import json

import pytest

from controlplane.benchmarks.ecom.record_names import record_text
from controlplane.benchmarks.ecom.tasks.families import FAMILIES
from controlplane.benchmarks.ecom.world.generator import generate
from controlplane.benchmarks.ecom.world.names import VOCABULARIES
from controlplane.benchmarks.ecom.world.products.line_descriptions import descriptions
from controlplane.benchmarks.ecom.world.products.product_lines import product_lines
from controlplane.benchmarks.ecom.world.rendered_world import workspace_of
from controlplane.benchmarks.ecom.world.settings import WorldSettings
from controlplane.benchmarks.ecom.world.wordings import page, wordings_by_name
from controlplane.benchmarks.ecom.world.world import World
from tests.support.command import run_python

WORLDS = [generate(f"world|{number}") for number in range(8)]
DIGEST = """
import hashlib, sys
from controlplane.benchmarks.ecom.tasks.families import generate_task, task_ids
from controlplane.benchmarks.ecom.world.rendered_world import workspace_of
found = hashlib.sha256()
for task_id in task_ids()[:60:5]:
    task = generate_task(task_id, "digest")
    truth = task.truth
    shown = (task.instruction, truth.outcome, truth.message, truth.must_cite, truth.changes, sorted(truth.may_cite))
    found.update(repr((shown, dict(workspace_of(task.world).files))).encode())
print(found.hexdigest())
"""


def test_worlds_do_not_depend_on_the_process_that_makes_them() -> None:
    digests = {
        run_python("-c", DIGEST, PYTHONHASHSEED=seed, TZ=zone).out
        for seed, zone in (("1", "UTC"), ("2", "Asia/Tokyo"))
    }

    assert [len(digest) for digest in digests] == [65]


@pytest.mark.parametrize("world", WORLDS[:4])
def test_records_lie_where_the_layout_says_and_hang_together(world: World) -> None:
    roots, files = world.layout.roots, workspace_of(world).files
    groups = {
        roots.products: world.catalogue.products,
        roots.stores: world.stores,
        roots.baskets: world.baskets,
        roots.payments: world.payments,
        roots.returns: world.returns,
        roots.employees: world.employees,
    }
    paths = [
        world.path(record) for records in groups.values() for record in records.values()
    ]

    assert len(groups) == 6
    assert len(paths) == len({path.casefold() for path in paths}) > 300
    assert all(files[path] == record_text(json.loads(files[path])) for path in paths)
    for root, records in groups.items():
        assert all(
            world.path(record).startswith(root + "/") for record in records.values()
        )
    for payment in world.payments.values():
        basket = world.baskets[payment.basket_id]
        assert (payment.customer_id, payment.store_id) == (
            basket.customer_id,
            basket.store_id,
        )
        assert payment.amount_cents == world.catalogue.price_of(basket.lines)
    returned = [entered.payment_id for entered in world.returns.values()]
    assert len(returned) == len({*returned} & {*world.payments})


def test_no_description_means_two_things_or_is_the_whole_name_of_one_of_several() -> (
    None
):
    meant: dict[str, object] = {}
    names = [
        {*f"{line.brand} {line.model} {variant.tail}".lower().split()}
        for line in product_lines()
        for variant in line.variants
    ]
    for line in product_lines():
        for target, phrases in descriptions(line.code).items():
            for phrase in phrases:
                assert meant.setdefault(phrase.text, (line.code, target)) == (
                    line.code,
                    target,
                ), phrase.text
                if len(target) > 1:
                    assert not [
                        name for name in names if name <= {*phrase.text.lower().split()}
                    ], phrase.text


NAMED = [
    generate(f"documents|{number}", WorldSettings(names=VOCABULARIES[number % 3]))
    for number in range(6)
]
KEYS = sorted(NAMED[0].names.pages)


@pytest.mark.parametrize("key", KEYS)
def test_a_document_has_five_titles_and_wordings_of_each_clause_and_two_held_out(
    key: str,
) -> None:
    found = page(key)
    inserted = ("updates", "mentioned", "outside")
    said = {
        clause.name: clause.wordings
        for clause in found.clauses
        if clause.name not in inserted
    } | {"titles": found.titles}

    assert not [
        name
        for name, each in said.items()
        if len(each.known) < 5 or len(each.unseen) < 2
    ]
    for each in said.values():
        assert not {text for text in {*each.known} & {*each.unseen} if len(text) > 20}


def test_a_family_has_twelve_held_out_wordings_and_none_of_them_is_known() -> None:
    found = wordings_by_name()
    for family in FAMILIES:
        prefixes = {
            "foreign-basket": "checkout",
            "basket-checkout": "checkout",
            "guest-basket-status": "basket-status",
        }
        prefix = prefixes.get(family, family)
        prefix = {
            "record-field": "field",
            "origin-fact": "origin",
            "discount-authority": "discount",
        }.get(prefix, prefix)
        prefix = {"discount-grant": "discount-named", "injected-block": "checkout"}.get(
            prefix, prefix
        )
        prefix = {"verification-restart": "verification"}.get(prefix, prefix)
        unseen = {
            text
            for name, each in found.items()
            if name.startswith(prefix)
            for text in each.unseen
        }
        assert len(unseen) >= 12, family
    for name, each in found.items():
        assert not {*each.known} & {*each.unseen}, name
