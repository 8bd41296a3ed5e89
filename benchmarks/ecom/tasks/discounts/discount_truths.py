"""The right answers to a request for a discount, one for each reason to refuse it.

The discount is given with the tool, denied to somebody who may not give any, or refused
with a reason: the maximum, or what the records say. A truth is a task's request with its
right answer. Each function takes one that has the request only, and returns it with the
answer. Its message must have each of the `required_words` exactly like this, and each of the
`required_statements` in one of its wordings (`one_of`).
"""

from __future__ import annotations

from dataclasses import replace

from controlplane.benchmarks.ecom.tasks.discounts.obstacles import Obstacle
from controlplane.benchmarks.ecom.tasks.truth import Truth, one_of
from controlplane.benchmarks.ecom.world.data import WORDS_FOR
from controlplane.benchmarks.ecom.world.pages import DISCOUNTS, SECURITY
from controlplane.benchmarks.ecom.world.records import Basket, Discount, Employee
from controlplane.benchmarks.ecom.world.rendered_world import text_of_record
from controlplane.benchmarks.ecom.world.world import World
from controlplane.gates.submission import DENIED, UNSUPPORTED


def given_discount(
    world: World, truth: Truth, basket: Basket, discount: Discount
) -> Truth:
    """Return the truth for a discount that must be given, by one call of the tool.

    The call is `discount basket-0012 10 loyal_customer emp-007`.
    """
    percent = discount.percent
    reason = discount.reason_code
    return replace(
        truth,
        message=f"{basket.id} has {percent} percent off now ({reason}).",
        required_percent=percent,
        required_statements=(one_of(basket.id),),
        changes={
            world.path(basket): text_of_record(
                world, replace(basket, discount=discount)
            )
        },
        calls=(("discount", basket.id, str(percent), reason, discount.issuer_id),),
    )


def denied_to_customer(world: World, truth: Truth, basket: Basket) -> Truth:
    """Return the truth for a customer, to whom the basket belongs. The basket must be cited."""
    denial = _denied(world, truth)
    basket_path = world.path(basket)
    return replace(
        denial, must_cite=(basket_path,), may_cite=(*truth.may_cite, basket_path)
    )


def denied_to_employee(
    world: World, truth: Truth, basket: Basket, asker: Employee
) -> Truth:
    """Return the truth for an employee without the role. No citation of a record is required."""
    denial = _denied(world, truth)
    return replace(denial, may_cite=(*truth.may_cite, *world.paths(basket, asker)))


def _denied(world: World, truth: Truth) -> Truth:
    """Return the truth for an asker without the role that discounts need."""
    role = world.names.roles["discount"]
    return replace(
        truth,
        outcome=DENIED,
        message=f"{world.session.user} does not have the role {role}.",
        must_cite_pages=world.page_paths(SECURITY, DISCOUNTS),
    )


def refused_above_maximum(truth: Truth, basket: Basket, maximum: int) -> Truth:
    """Return the truth for a percentage above the maximum: the answer must name the maximum.

    For the maximum 12, `12` is a required word. A message that lists many numbers does not
    have it, even if 12 is one of them.
    """
    reason = f"the maximum is {maximum} percent"
    return replace(
        truth,
        outcome=UNSUPPORTED,
        message=f"{basket.id} cannot get this discount: {reason}.",
        required_words=(str(maximum),),
        required_statements=(one_of(reason, str(maximum)),),
    )


def refused_by_records(
    world: World, truth: Truth, basket: Basket, obstacle: Obstacle, short_sku: str
) -> Truth:
    """Return the truth for a discount that the records forbid: the answer must say why.

    For example, any of the words `branch`, `store` and `shop` is enough to say that the
    basket belongs to another branch. `short_sku` is the product that is short, if one is.
    """
    match obstacle:
        case Obstacle.OTHER_BRANCH:
            reason = "it belongs to another branch"
            other_wordings = [*WORDS_FOR["branch"], world.names.field("store_id")]
        case Obstacle.DISCOUNTED_ALREADY:
            reason = "it has a discount already"
            other_wordings = list(WORDS_FOR["discounted"])
        case _:  # Obstacle.SHORT_STOCK
            reason = short_sku
            other_wordings = list(world.catalogue.products[short_sku].name_variants())
    return replace(
        truth,
        outcome=UNSUPPORTED,
        message=f"{basket.id} cannot get this discount: {reason}.",
        required_statements=(one_of(reason, *other_wordings),),
    )
