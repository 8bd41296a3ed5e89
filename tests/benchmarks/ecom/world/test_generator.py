"""Generated worlds: the shops in which the tasks of the benchmark take place.

A seed such as `world|3` generates a shop's branches, products, baskets, staff and pages. The tests
show that the same seed gives the same world in any process, that records fit together,
and that a product's description means one set of variants.
"""

import json
from typing import NamedTuple

import pytest

from controlplane.benchmarks.ecom.record_names import record_text
from controlplane.benchmarks.ecom.world.generator import generate
from controlplane.benchmarks.ecom.world.products.line_descriptions import descriptions
from controlplane.benchmarks.ecom.world.products.product_lines import product_lines
from controlplane.benchmarks.ecom.world.rendered_world import workspace_of
from controlplane.benchmarks.ecom.world.world import World
from tests.support.command import run_python

PRINT_DIGEST_OF_TASKS = """
import hashlib
from controlplane.benchmarks.ecom.tasks.generated_tasks import generate_task
from controlplane.benchmarks.ecom.tasks.task_ids import task_ids
from controlplane.benchmarks.ecom.world.rendered_world import workspace_of

digest = hashlib.sha256()
every_fifth_of_60_tasks = task_ids()[:60:5]
for task_id in every_fifth_of_60_tasks:
    task = generate_task(task_id, "digest")
    truth = task.truth
    files = dict(workspace_of(task.world).files)
    parts = (
        task.instruction,
        truth.outcome,
        truth.message,
        truth.must_cite,
        truth.changes,
        sorted(truth.may_cite),
    )
    digest.update(repr((parts, files)).encode())
print(digest.hexdigest())
"""
"""A program that generates tasks of one seed, and prints a hash of all that is in them."""


class TestProcesses:
    """The same seed gives the same world in any process."""

    def test_worlds_do_not_depend_on_the_process_that_generates_them(self) -> None:
        """The order of sets and the local time differ between the two processes."""
        first = run_python("-c", PRINT_DIGEST_OF_TASKS, PYTHONHASHSEED="1", TZ="UTC")
        second = run_python(
            "-c", PRINT_DIGEST_OF_TASKS, PYTHONHASHSEED="2", TZ="Asia/Tokyo"
        )

        assert len(first.out.strip()) == 64  # hexadecimal digits of SHA-256
        assert second.out == first.out


WORLDS = [generate(f"world|{number}") for number in range(4)]


def records_by_root(world: World) -> dict:
    """Return the records of each kind, by id, by the folder in which their files must be.

    `{"/proc/carts": {"basket-0012": Basket(...), ...}, ...}`
    """
    roots = world.layout.roots
    return {
        roots.products: world.catalogue.products,
        roots.stores: world.stores,
        roots.baskets: world.baskets,
        roots.payments: world.payments,
        roots.returns: world.returns,
        roots.employees: world.employees,
    }


class TestRecords:
    """The records of a world fit together: products, branches, baskets, payments and returns.

    Each record has an id and a file: basket-0012 is in `/proc/carts/basket-0012.json`, say.
    """

    @pytest.mark.parametrize("world", WORLDS)
    def test_every_record_has_a_file_of_its_own_in_the_folder_of_its_kind(
        self, world: World
    ) -> None:
        """A world has products, branches, baskets, payments, returns and employees."""
        files = workspace_of(world).files
        groups = records_by_root(world)
        kinds = 6  # Products, branches and so on; no two kinds share a folder.
        assert len(groups) == kinds

        paths = []
        for root, records in groups.items():
            for record in records.values():
                path = world.path(record)
                assert path.startswith(f"{root}/")
                # A record is JSON, written in the one form that `record_text` gives.
                assert files[path] == record_text(json.loads(files[path]))
                paths.append(path)

        assert len(paths) > 300  # A world is large: the records were found.
        # No two paths are the same, not even on a disk that does not tell "A.json" from "a.json".
        paths_without_case = {path.casefold() for path in paths}
        assert len(paths_without_case) == len(paths)

    @pytest.mark.parametrize("world", WORLDS)
    def test_payments_and_returns_fit_the_baskets_that_they_are_for(
        self, world: World
    ) -> None:
        """A payment has the customer, branch and price of its basket, and at most one return."""
        for payment in world.payments.values():
            basket = world.baskets[payment.basket_id]
            assert payment.customer_id == basket.customer_id
            assert payment.store_id == basket.store_id
            assert payment.amount_cents == world.catalogue.price_of(basket.lines)

        returned_payments = [returned.payment_id for returned in world.returns.values()]
        assert len(set(returned_payments)) == len(returned_payments)
        for payment_id in returned_payments:
            assert payment_id in world.payments


class Description(NamedTuple):
    """A description, and the variants of a product line that it fits."""

    text: str
    line_code: str
    variants: frozenset[str]
    """The codes of the variants: `{"2P", "2P-FOOT"}`."""


def all_descriptions() -> list[Description]:
    """Return all descriptions of products that requests may have."""
    found = []
    for line in product_lines():
        for variants, phrases in descriptions(line.code).items():
            for phrase in phrases:
                found.append(Description(phrase.text, line.code, variants))
    return found


def words_of(text: str) -> set[str]:
    """Return the words of a text in small letters."""
    return set(text.lower().split())


class TestDescriptions:
    """A description of a product means one set of variants of a product line.

    The line of the tent Skerry has variants: for two persons (with the code 2P), for two with a
    footprint (2P-FOOT), for four (4P). A request describes a product in words that fit some of
    them: "Skerry tent, not the family size" fits 2P and 2P-FOOT.
    """

    def test_a_description_is_for_one_set_of_variants_of_one_line(self) -> None:
        """A customer's description must have one meaning, or no answer to the request is right."""
        meanings: dict[str, Description] = {}
        for description in all_descriptions():
            known_meaning = meanings.setdefault(description.text, description)
            assert known_meaning == description

    def test_a_description_of_several_variants_does_not_contain_a_full_name(
        self,
    ) -> None:
        """Otherwise the description would seem to be for the variant with that name.

        A full name is, for example, "Nordvane Skerry two-person tent": brand, model and tail.
        """
        words_of_names = []
        for line in product_lines():
            for variant in line.variants:
                full_name = f"{line.brand} {line.model} {variant.tail}"
                words_of_names.append(words_of(full_name))

        for description in all_descriptions():
            if len(description.variants) == 1:
                continue
            words = words_of(description.text)
            for words_of_name in words_of_names:
                assert not words_of_name <= words, description
