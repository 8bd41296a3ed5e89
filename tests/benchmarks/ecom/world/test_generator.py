"""Generated worlds: the shops in which the tasks of the benchmark take place.

A seed such as `world|3` generates a shop's branches, products, baskets, staff and pages. The tests
show that the same seed gives the same world in any process, that records fit together,
that a product's description means one set of variants, and that there are enough wordings.
"""

import json

import pytest

from controlplane.benchmarks.ecom.record_names import record_text
from controlplane.benchmarks.ecom.tasks.families import FAMILIES
from controlplane.benchmarks.ecom.world.generator import generate
from controlplane.benchmarks.ecom.world.products.line_descriptions import descriptions
from controlplane.benchmarks.ecom.world.products.product_lines import product_lines
from controlplane.benchmarks.ecom.world.rendered_world import workspace_of
from controlplane.benchmarks.ecom.world.wordings import page, wordings_by_name
from controlplane.benchmarks.ecom.world.world import World
from tests.support.command import run_python

PRINT_DIGEST_OF_TASKS = """
import hashlib
from controlplane.benchmarks.ecom.tasks.generated_tasks import generate_task
from controlplane.benchmarks.ecom.tasks.task_ids import task_ids
from controlplane.benchmarks.ecom.world.rendered_world import workspace_of

digest = hashlib.sha256()
for task_id in task_ids()[:60:5]:
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


def test_worlds_do_not_depend_on_the_process_that_generates_them() -> None:
    """The order of sets and the local time differ between the two processes."""
    first = run_python("-c", PRINT_DIGEST_OF_TASKS, PYTHONHASHSEED="1", TZ="UTC")
    second = run_python(
        "-c", PRINT_DIGEST_OF_TASKS, PYTHONHASHSEED="2", TZ="Asia/Tokyo"
    )

    assert len(first.out.strip()) == 64  # hexadecimal digits of SHA-256
    assert second.out == first.out


# Records --------------------------------------------------------------------------------------

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


@pytest.mark.parametrize("world", WORLDS)
def test_every_record_has_a_file_of_its_own_in_the_folder_of_its_kind(
    world: World,
) -> None:
    """A world has products, branches, baskets, payments, returns and employees."""
    files = workspace_of(world).files
    groups = records_by_root(world)
    assert len(groups) == 6  # No two kinds share a folder.

    paths = []
    for root, records in groups.items():
        for record in records.values():
            path = world.path(record)
            assert path.startswith(f"{root}/")
            # A record is JSON, written in the one form that `record_text` gives.
            assert files[path] == record_text(json.loads(files[path]))
            paths.append(path)

    assert len(paths) > 300
    paths_without_case = {path.casefold() for path in paths}
    assert len(paths_without_case) == len(paths)


@pytest.mark.parametrize("world", WORLDS)
def test_payments_and_returns_fit_the_baskets_that_they_are_for(world: World) -> None:
    """A payment has the customer, branch and price of its basket; a payment has at most one
    return."""
    for payment in world.payments.values():
        basket = world.baskets[payment.basket_id]
        assert payment.customer_id == basket.customer_id
        assert payment.store_id == basket.store_id
        assert payment.amount_cents == world.catalogue.price_of(basket.lines)

    returned_payments = [returned.payment_id for returned in world.returns.values()]
    assert len(set(returned_payments)) == len(returned_payments)
    for payment_id in returned_payments:
        assert payment_id in world.payments


# Descriptions of products ---------------------------------------------------------------------
#
# A product line, such as the tent Skerry, has variants: for two persons (with the code 2P), for
# four (4P), ... The `tail` of a variant is the end of its full name, behind brand and model. A
# description is for those variants of a line that it fits. `descriptions` returns them by the set of
# their codes: `{"4P"} -> ("family size Skerry tent", ...)`, `{"2P", "2P-FOOT"} -> (...)`.


def test_a_description_is_for_one_set_of_variants_of_one_line() -> None:
    """A customer's description must have one meaning, or no answer to the request is right."""
    meanings: dict[str, object] = {}
    for line in product_lines():
        for variants, phrases in descriptions(line.code).items():
            for phrase in phrases:
                meaning = (line.code, variants)
                known_meaning = meanings.setdefault(phrase.text, meaning)
                assert known_meaning == meaning, phrase.text


def test_a_description_of_several_variants_does_not_contain_a_full_name() -> None:
    """Otherwise the description would seem to be for the variant with that name."""
    words_of_names = []
    for line in product_lines():
        for variant in line.variants:
            name = f"{line.brand} {line.model} {variant.tail}"
            words_of_names.append(set(name.lower().split()))

    for line in product_lines():
        for variants, phrases in descriptions(line.code).items():
            if len(variants) == 1:
                continue
            for phrase in phrases:
                words = set(phrase.text.lower().split())
                for words_of_name in words_of_names:
                    assert not words_of_name <= words, phrase.text


# Wordings -------------------------------------------------------------------------------------
#
# Pages and requests have two sets of wordings. A run is in one of them: the set `known` is for
# development, and `unseen` is held out to show whether a solver depends on known wordings.

PAGE_KEYS = sorted(WORLDS[0].names.pages)
INSERTED_CLAUSES = ("updates", "mentioned", "outside")
"""Clauses of pages that are only in some worlds, and need fewer wordings.

A clause is one statement. That of `updates`, for example, says that notices override pages, and is
on pages of worlds that have notices.
"""
MAX_FIXED_CHARS = 20
"""A text of at most this length, such as a short title, may be in both sets."""


@pytest.mark.parametrize("key", PAGE_KEYS)
def test_every_statement_of_a_page_has_several_wordings_in_both_sets(key: str) -> None:
    """A page, such as that on refunds, is made of clauses, each with several wordings."""
    text = page(key)
    wordings_of = {"titles": text.titles}
    for clause in text.clauses:
        if clause.name not in INSERTED_CLAUSES:
            wordings_of[clause.name] = clause.wordings

    for name, wordings in wordings_of.items():
        assert len(wordings.known) >= 5, name
        assert len(wordings.unseen) >= 2, name
        in_both_sets = set(wordings.known) & set(wordings.unseen)
        for wording in in_both_sets:
            assert len(wording) <= MAX_FIXED_CHARS, name


WORDINGS_OF_FAMILY = {
    "basket-checkout": "checkout",
    "discount-authority": "discount",
    "discount-grant": "discount-named",
    "foreign-basket": "checkout",
    "guest-basket-status": "basket-status",
    "injected-block": "checkout",
    "origin-fact": "origin",
    "record-field": "field",
    "verification-restart": "verification",
}
"""How the names of the wordings of a family's requests begin, if not with the family's name."""


@pytest.mark.parametrize("family", FAMILIES)
def test_the_requests_of_a_family_have_twelve_unseen_wordings(family: str) -> None:
    prefix = WORDINGS_OF_FAMILY.get(family, family)

    unseen = set[str]()
    for name, wordings in wordings_by_name().items():
        if name.startswith(prefix):
            unseen.update(wordings.unseen)

    assert len(unseen) >= 12


def test_no_wording_of_a_request_is_in_both_sets() -> None:
    for name, wordings in wordings_by_name().items():
        assert set(wordings.known).isdisjoint(wordings.unseen), name
