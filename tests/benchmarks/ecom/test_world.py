"""The worlds and tasks of the generated shop are sound, and the same seed gives the same ones.

Right answers score 1 and typical mistakes less, with the reason. Descriptions mean one set of
variants, payments and returns fit their baskets, and each record has its file. Pages and requests
have enough wordings, in two sets that differ.
"""

import json
from dataclasses import replace
from typing import NamedTuple

import pytest

from controlplane.benchmarks.ecom.record_store import record_text
from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from controlplane.benchmarks.ecom.tasks.families import FAMILIES
from controlplane.benchmarks.ecom.tasks.grader import grade
from controlplane.benchmarks.ecom.tasks.truth import WorldTask
from controlplane.benchmarks.ecom.world.generator import generate
from controlplane.benchmarks.ecom.world.names import wordings_by_name
from controlplane.benchmarks.ecom.world.pages import page_template
from controlplane.benchmarks.ecom.world.products import descriptions, product_lines
from controlplane.benchmarks.ecom.world.world import World, workspace_of
from tests.benchmarks.ecom.mistakes import all_mistakes
from tests.benchmarks.ecom.solutions.careless_solutions import answer_with, reference_of
from tests.benchmarks.ecom.variants import generate_variant, variant_ids
from tests.support.command import run_python

# Four generated worlds: shops with branches, products, baskets, payments, returns and staff.
#
# @pytest.mark.parametrize("world", WORLDS)
# def test_...(world: World) -> None:
#     world.baskets  # {"basket-0012": Basket(...), ...}

WORLDS = [generate(f"world|{number}") for number in range(4)]


# Right answers to the shop's tasks score 1, and typical mistakes less.
#
# A family generates tasks of one kind, such as the checkout of a basket, each with its truth: what the
# right answer is. A variant is one case of a family: `basket-checkout: one line is short`.


@pytest.fixture(scope="module", params=variant_ids())
def task(request: pytest.FixtureRequest) -> WorldTask:
    """A task of each variant in turn."""
    return generate_variant(request.param, seed="0")


def test_a_right_answer_scores_one(task: WorldTask) -> None:
    shop = EcomEnvironment(workspace_of(task.world))

    answer_with(reference_of(task.truth.family), shop, task.truth)

    reference_grade = grade(task.truth, shop)
    assert reference_grade.score == 1.0, (task.instruction, reference_grade.details)
    # The details are faults; those of a plan of deliveries say how good it is.
    if not task.truth.measure:
        assert not reference_grade.details


def test_every_mistake_scores_less_and_is_explained(task: WorldTask) -> None:
    """A mistake is a wrong answer, such as one that cites too little or changes too much. Every
    variant allows at least six."""
    workspace = workspace_of(task.world)

    mistakes_by_name = all_mistakes(task.truth)

    assert len(mistakes_by_name) >= 6, mistakes_by_name.keys()
    for name, mistake in mistakes_by_name.items():
        shop = EcomEnvironment(workspace)
        answer_with(mistake, shop, task.truth)
        mistake_grade = grade(task.truth, shop)
        assert mistake_grade.score < 1.0, (name, shop.submission)
        assert mistake_grade.details, name


# A description of a product in a request means one set of variants of a product line.
#
# The line of the tent Skerry has variants: for two persons (with the code 2P), for two with a
# footprint (2P-FOOT), for four (4P). A request describes a product in words that fit some of
# them: "Skerry tent, not the family size" fits 2P and 2P-FOOT.


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


def test_the_products_of_a_family_are_sorted_by_sku() -> None:
    """The catalogue may hold them in any order."""
    catalogue = generate("family").catalogue
    backwards = dict(reversed(catalogue.products.items()))
    families = {product.family_id for product in catalogue.products.values()}

    for family_id in families:
        family = replace(catalogue, products=backwards).family(family_id)

        skus = [product.sku for product in family]
        assert skus == sorted(skus)


def test_a_description_is_for_one_set_of_variants_of_one_line() -> None:
    """A customer's description must have one meaning, or no answer to the request is right."""
    meanings: dict[str, Description] = {}
    for description in all_descriptions():
        known_meaning = meanings.setdefault(description.text, description)
        assert known_meaning == description


def test_a_description_of_several_variants_does_not_contain_a_full_name() -> None:
    """Otherwise the description would seem to be for the variant with that name.

    A full name is, for example, "Nordvane Skerry two-person tent": brand, model and tail.
    """
    full_names = []
    for line in product_lines():
        for variant in line.variants:
            full_names.append(f"{line.brand} {line.model} {variant.tail}")

    for description in all_descriptions():
        if len(description.variants) == 1:
            continue
        words = set(description.text.lower().split())
        for full_name in full_names:
            words_of_name = set(full_name.lower().split())
            assert not words_of_name <= words, description


# Each statement of a shop's page has enough wordings, and the sets of wordings differ.
#
# A page on discounts states who may grant one. "Only managers grant discounts." and "A discount needs
# a manager." are two wordings of this statement.
#
# Wordings are in two sets, and a run takes all its texts from one set. The set `known` is for development.
# The set `unseen` is held out: a run with it shows whether a solver depends on the wordings that it was
# made for.

PAGE_KEYS = sorted(generate("world|0").names.pages)
"""The subjects of pages: `["brand", "checkout", ...]`."""

CLAUSES_OF_SOME_SHOPS = ("updates", "mentioned", "outside")
"""Clauses (statements of a page) that only some shops have. They are not checked.

For example, `updates` says that notices override pages. Only shops with notices have it.
"""

of_each_page = pytest.mark.parametrize("key", PAGE_KEYS)


@of_each_page
def test_title_and_statements_have_several_wordings_in_both_sets(key: str) -> None:
    template = page_template(key)
    wordings_by_name = {"titles": template.titles}
    for clause in template.clauses:
        if clause.name not in CLAUSES_OF_SOME_SHOPS:
            wordings_by_name[clause.name] = clause.wordings

    for name, wordings in wordings_by_name.items():
        assert len(wordings.known) >= 5, name
        assert len(wordings.unseen) >= 2, name


@of_each_page
def test_no_wording_of_a_statement_is_in_both_sets(key: str) -> None:
    for clause in page_template(key).clauses:
        if clause.name not in CLAUSES_OF_SOME_SHOPS:
            known_and_unseen = set(clause.wordings.known) & set(clause.wordings.unseen)
            assert not known_and_unseen, clause.name


@of_each_page
def test_only_short_titles_are_in_both_sets(key: str) -> None:
    """There are few ways to say "Discounts" in a word or two. A solver cannot depend on these."""
    titles = page_template(key).titles

    for title in set(titles.known) & set(titles.unseen):
        assert len(title) <= 20


# Payments and returns of a generated shop fit the baskets that they are for.
#
# A basket was bought by a customer at a branch. Its payment has the same customer and branch, and
# its price. A return gives back the goods of one payment.


@pytest.mark.parametrize("world", WORLDS)
def test_payments_and_returns_fit_the_baskets_that_they_are_for(world: World) -> None:
    for payment in world.payments.values():
        basket = world.baskets[payment.basket_id]
        assert payment.customer_id == basket.customer_id
        assert payment.store_id == basket.store_id
        assert payment.amount_cents == world.catalogue.price_of(basket.lines)

    returned_payments = [returned.payment_id for returned in world.returns.values()]
    assert len(set(returned_payments)) == len(returned_payments)
    for payment_id in returned_payments:
        assert payment_id in world.payments


# Every record of a generated shop has a file of its own in the folder of its kind.
#
# A world is a generated shop. Its records are products, branches, baskets, payments, returns and
# employees. basket-0012 is in `/proc/carts/basket-0012.json`, say.


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
    files = workspace_of(world).files
    groups = records_by_root(world)
    assert len(groups) == 6  # No two kinds of records share a folder.

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


# The requests of each family of the shop's tasks have enough wordings.
#
# "Check out basket-0012" and "Please buy basket-0012" are two wordings of a request.
#
# Wordings are in two sets, and a run takes all its texts from one set. The set `known` is for development.
# The set `unseen` is held out: a run with it shows whether a solver depends on the wordings that it was
# made for.

GROUPS_OF_FAMILY = {
    "basket-checkout": "checkout",  # checkout, checkout-override
    "discount-authority": "discount",  # discount-named, discount-maximum, ...
    "discount-grant": "discount-named",
    "foreign-basket": "checkout",  # It asks for the checkout of another customer's basket.
    "guest-basket-status": "basket-status",
    "injected-block": "checkout",  # It asks for a checkout, and has a block of instructions.
    "origin-fact": "origin",  # origin-opened_on, origin-first_city, ...
    "record-field": "field",  # field-branch, field-product, ...
    "verification-restart": "verification",
}
"""How the names of a family's groups of wordings begin, if not with the family's name.

Most families have a group of their own name, or several: `staff-contact`, `staff-contact-lead`.
"""


@pytest.mark.parametrize("family", FAMILIES)
def test_the_requests_of_a_family_have_twelve_unseen_wordings(family: str) -> None:
    """The wordings of all groups of a family count together. The names of its groups begin alike."""
    start_of_names = GROUPS_OF_FAMILY.get(family, family)

    unseen = set[str]()
    for group_name, wordings in wordings_by_name().items():
        if group_name.startswith(start_of_names):
            unseen.update(wordings.unseen)

    assert len(unseen) >= 12


def test_no_wording_of_a_request_is_in_both_sets() -> None:
    for group_name, wordings in wordings_by_name().items():
        assert set(wordings.known).isdisjoint(wordings.unseen), group_name


# The same seed gives the same world in any process.
#
# A world is a generated shop, with its branches, products, baskets, staff and pages. A task is a
# request in a world of its own, with the truth from which its answer is graded.


PRINT_DIGEST_OF_TASKS = """
import hashlib
from controlplane.benchmarks.ecom.tasks.families import generate_task
from controlplane.benchmarks.ecom.tasks.families import task_ids
from controlplane.benchmarks.ecom.world.world import workspace_of

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


def test_worlds_do_not_depend_on_the_process_that_generates_them() -> None:
    """The order of sets and the local time differ between the two processes."""
    first = run_python("-c", PRINT_DIGEST_OF_TASKS, PYTHONHASHSEED="1", TZ="UTC")
    second = run_python(
        "-c", PRINT_DIGEST_OF_TASKS, PYTHONHASHSEED="2", TZ="Asia/Tokyo"
    )

    assert len(first.out.strip()) == 64  # hexadecimal digits of SHA-256
    assert second.out == first.out
