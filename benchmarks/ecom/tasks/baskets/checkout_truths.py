"""The right answers to a request for the checkout of a basket.

There are three: the basket is checked out, its branch is short of a product, or it is not
active any more. Each cites the basket and the page on checkouts. `instruction` is the text of
the request, and `for_tests` has details of it that tests need (see `Truth`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from controlplane.benchmarks.ecom.tasks.refusals.record_states import state_of
from controlplane.benchmarks.ecom.tasks.truth import Truth, one_of
from controlplane.benchmarks.ecom.world.data import WORDS_FOR
from controlplane.benchmarks.ecom.world.pages import CHECKOUT
from controlplane.benchmarks.ecom.world.purchases import paths_of_products_and_branches
from controlplane.benchmarks.ecom.world.records import CHECKED_OUT, Basket, Product
from controlplane.benchmarks.ecom.world.rendered_world import text_of_record
from controlplane.benchmarks.ecom.world.world import World
from controlplane.gates.submission import UNSUPPORTED


def possible_checkout(
    world: World, basket: Basket, instruction: str, for_tests: Mapping[str, str]
) -> Truth:
    """Return the truth for the checkout of an active basket: check it out with the tool."""
    # This world's words for the state: in records, and in what the tool prints
    checked_out = world.names.state(CHECKED_OUT)
    printed_word = world.names.records.printed["checked_out"]
    truth = _checkout_truth(world, basket, instruction, for_tests)
    return replace(
        truth,
        message=f"Basket {basket.id} is {checked_out}.",
        required_statements=(
            one_of(basket.id),
            one_of(checked_out, printed_word, *WORDS_FOR["bought"]),
        ),
        changes={world.path(basket): text_of_record(world, basket, status=CHECKED_OUT)},
        calls=(("checkout", basket.id),),
    )


def short_checkout(
    world: World,
    basket: Basket,
    instruction: str,
    missing_product: Product,
    for_tests: Mapping[str, str],
) -> Truth:
    """Return the truth for a basket whose branch lacks a product: refuse, and name the product."""
    sku = missing_product.sku
    truth = _checkout_truth(world, basket, instruction, {**for_tests, "short": sku})
    return replace(
        truth,
        outcome=UNSUPPORTED,
        message=f"Basket {basket.id} cannot be checked out: {sku}.",
        required_statements=(one_of(sku, *missing_product.name_variants()),),
    )


def ended_checkout(
    world: World, basket: Basket, instruction: str, for_tests: Mapping[str, str]
) -> Truth:
    """Return the truth for a basket that is not active: refuse, and give its status."""
    state = world.names.state(basket.status)
    truth = _checkout_truth(world, basket, instruction, for_tests)
    return replace(
        truth,
        outcome=UNSUPPORTED,
        message=f"Basket {basket.id} cannot be checked out: {state}.",
        required_statements=(one_of(state),),
        given_state=state_of(world, basket),
    )


def _checkout_truth(
    world: World, basket: Basket, instruction: str, for_tests: Mapping[str, str]
) -> Truth:
    """Return the common part of the truths of all checkouts: the citations and `for_tests`."""
    path = world.path(basket)
    return Truth(
        instruction=instruction,
        message="",
        must_cite=(path,),
        must_cite_pages=world.page_paths(CHECKOUT),
        may_cite=paths_of_products_and_branches(world, basket),
        for_tests={
            "basket": path,
            "id": basket.id,
            "baskets": path,  # All baskets that the request may mean
            "short": "",  # The SKU of the line that is short; empty if none is
            **for_tests,
        },
    )
