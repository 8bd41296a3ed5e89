"""Tasks about discounts: who may give one, how much, and on which basket."""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from typing import Final

from controlplane.benchmarks.ecom.tasks.family import Family
from controlplane.benchmarks.ecom.tasks.truth import TaskTruth, one_of
from controlplane.benchmarks.ecom.world.names import WORDS_FOR
from controlplane.benchmarks.ecom.world.pages import DISCOUNTS, SECURITY
from controlplane.benchmarks.ecom.world.purchases import (
    add_basket,
    paths_of_products_and_branches,
    set_available,
    some_store,
)
from controlplane.benchmarks.ecom.world.records import (
    Basket,
    Delivery,
    Discount,
    Employee,
    Store,
)
from controlplane.benchmarks.ecom.world.world import (
    World,
    session_of_customer,
    sign_in_employee,
    text_of_record,
)
from controlplane.sandbox.interface.outcomes import DENIED, UNSUPPORTED

# The obstacles to a discount: the reasons why a request for one must be refused.
#
# Some are in the person who asks (a customer, or an employee without the role), one is in the
# percentage, and some are in the records of the basket and its branch. A task draws one
# obstacle, or none; the records are changed to fit, and the right answer follows from it.


class Obstacle(StrEnum):
    """A reason why a discount is forbidden."""

    NONE = ""
    """Nothing forbids it: the discount must be given."""
    ASKED_BY_CUSTOMER = "customer"
    """A customer asks, but only employees may give discounts."""
    LACKS_ROLE = "role"
    """An employee asks, but without the role for discounts."""
    ABOVE_MAXIMUM = "limit"
    """The percentage is too high for the basket's subtotal."""
    OTHER_BRANCH = "branch"
    """The basket belongs to another branch than the asker."""
    DISCOUNTED_ALREADY = "discounted"
    """The basket has a discount, and may have only one."""
    SHORT_STOCK = "short"
    """The branch has too few units of a product in the basket."""


_RECORDED_OBSTACLES: Final = (
    Obstacle.OTHER_BRANCH,
    Obstacle.DISCOUNTED_ALREADY,
    Obstacle.SHORT_STOCK,
)
"""The obstacles in the records of the basket and its branch."""


# Baskets whose subtotal is close to the threshold of the higher maximum discount.
#
# With a threshold of EUR 500, a basket of EUR 499.99 may get at most 5 percent, one of EUR
# 500.00 up to 10. So many baskets are exactly at the threshold or one cent below or above it:
# for that, the price of one product in the basket is changed.

_SMALLEST_PRICE_CENTS: Final = 500
"""The least price of a product whose price is changed to bring a subtotal to the threshold."""


def _add_priced_basket(world: World, *, is_large: bool) -> Basket:
    """Add an active basket with a subtotal above or below a threshold.

    From the threshold on, the basket is large, and its maximum discount is higher. The
    subtotal is often exactly at the threshold or one cent away. The branch can sell every
    line today.
    """
    rng = world.rng
    threshold = world.policy.discounts.threshold_cents
    if is_large:
        lowest = threshold
        highest = threshold * 3 // 2  # 150 % of the threshold
    else:
        lowest = threshold * 3 // 5  # 60 % of the threshold
        highest = threshold - 1
    store = some_store(world)
    skus = [product.sku for product in world.catalogue.shelf]
    # Draw the lines until their price is in this range.
    lines: dict[str, int] = {}
    while not lowest <= world.catalogue.price_of(lines) <= highest:
        chosen = rng.sample(skus, rng.randint(1, 3))
        lines = {sku: rng.randint(1, 2) for sku in chosen}

    single_skus = [sku for sku, count in lines.items() if count == 1]
    if single_skus and rng.random() < 0.6:
        _move_to_threshold(world, lines, single_skus[0], is_large=is_large)
    for sku, count in lines.items():
        set_available(world, store, sku, count + rng.randint(0, 4))
    return add_basket(world, world.new_id("cust"), store, lines)


def _move_to_threshold(
    world: World, lines: dict[str, int], sku: str, *, is_large: bool
) -> None:
    """Change one product's price so that the subtotal is at the threshold or one cent away.

    At the threshold and one cent above it, a basket is large and the higher maximum
    discount applies; one cent below, the lower one. If the product would become too cheap,
    its price stays. The basket has one unit of it.
    """
    product = world.catalogue.products[sku]
    threshold = world.policy.discounts.threshold_cents
    if is_large:
        wanted_subtotal = threshold + world.rng.choice((0, 1))
    else:
        wanted_subtotal = threshold - 1
    price_of_other_lines = world.catalogue.price_of(lines) - product.price_cents
    new_price = wanted_subtotal - price_of_other_lines
    if new_price > _SMALLEST_PRICE_CENTS:
        product.price_cents = new_price


# One request for a discount: its basket, its asker, its obstacle and its right answer.
#
# For example, an employee with the role for discounts asks for 10 percent off `basket-0012`.
# That is right unless the basket belongs to another branch, has a discount already, has a
# line that is out of stock, or is too small for 10 percent. The request never tells; only
# the records do.


def _discount_truth(
    world: World, wording: str, obstacle: Obstacle, *, is_large: bool
) -> TaskTruth:
    """Return the truth for one request for a discount: the request and its right answer.

    `wording` is the key of the request's text: `discount-maximum` asks for as much as
    possible, any other for a named percentage. `obstacle` is the reason to refuse, if there
    is one. A large basket is one whose subtotal reaches the threshold of the higher maximum.
    """
    # 1. Draw the basket, the request and the asker. A changed order of draws would change the tasks
    #    of every seed.
    rng = world.rng
    basket = _add_priced_basket(world, is_large=is_large)
    reason = rng.choice(world.names.reason_codes)
    maximum = world.policy.discounts.highest_percent(
        world.catalogue.price_of(basket.lines)
    )
    percent = maximum
    if wording != "discount-maximum":  # The request names a percentage.
        percent = rng.randint(1, maximum)
    if obstacle is Obstacle.ABOVE_MAXIMUM:
        percent = _percent_above(world, maximum)
    branch = world.stores[basket.store_id]
    asker = _sign_in_asker(world, basket, branch, obstacle)

    # 2. Put the obstacle into the records. The SKU is drawn for every obstacle, so that the draws
    #    after it stay the same.
    short_sku = rng.choice(list(basket.lines))
    if obstacle is Obstacle.DISCOUNTED_ALREADY:
        earlier_reason = rng.choice(world.names.reason_codes)
        basket.discount = Discount(1, earlier_reason, world.session.user)
    elif obstacle is Obstacle.SHORT_STOCK:
        one_too_few = basket.lines[short_sku] - 1
        later = Delivery(5, in_days=2)
        set_available(world, branch, short_sku, one_too_few, incoming=[later])

    # 3. Build the truth: the request, then the answer, which depends on the obstacle.
    request = {
        "basket": basket.id,
        "percent": str(percent),
        "reason": reason,
        "issuer": world.session.user,
    }
    lead = _lead_of(world, branch)
    truth = TaskTruth(
        instruction=world.wording(wording, lead=lead.display_name, **request),
        message="",
        must_cite_pages=world.page_paths(DISCOUNTS),
        may_cite=paths_of_products_and_branches(world, basket),
        for_tests={**request, "case": obstacle.value, "maximum": str(maximum)},
    )

    # 4. Deny it to somebody without the role. A customer, to whom the basket belongs, must cite it.
    if asker is None or obstacle is Obstacle.LACKS_ROLE:
        role = world.names.roles["discount"]
        known = (basket,) if asker is None else (basket, asker)
        return replace(
            truth,
            outcome=DENIED,
            message=f"{world.session.user} does not have the role {role}.",
            must_cite_pages=world.page_paths(SECURITY, DISCOUNTS),
            must_cite=world.paths(basket) if asker is None else (),
            may_cite=(*truth.may_cite, *world.paths(*known)),
        )

    # 5. The asker may give discounts, so the answer cites who asks, and the basket. Without an
    #    obstacle, one call of the tool gives the discount.
    truth = replace(truth, must_cite=world.paths(basket, asker))
    if obstacle is Obstacle.NONE:
        discounted = replace(basket, discount=Discount(percent, reason, asker.id))
        return replace(
            truth,
            message=f"{basket.id} has {percent} percent off now ({reason}).",
            required_percent=percent,
            required_statements=(one_of(basket.id),),
            changes={world.path(basket): text_of_record(world, discounted)},
            calls=(("discount", basket.id, str(percent), reason, asker.id),),
        )

    # 6. Otherwise the answer must say why not, in one of these wordings: `branch`, `store` and
    #    `shop` each say that the basket belongs to another branch.
    match obstacle:
        case Obstacle.ABOVE_MAXIMUM:
            why_not = f"the maximum is {maximum} percent"
            other_wordings = [str(maximum)]
            # A message that lists many numbers does not have this word.
            truth = replace(truth, required_words=(str(maximum),))
        case Obstacle.OTHER_BRANCH:
            why_not = "it belongs to another branch"
            other_wordings = [*WORDS_FOR["branch"], world.names.field("store_id")]
        case Obstacle.DISCOUNTED_ALREADY:
            why_not = "it has a discount already"
            other_wordings = list(WORDS_FOR["discounted"])
        case _:  # Obstacle.SHORT_STOCK
            why_not = short_sku
            other_wordings = list(world.catalogue.products[short_sku].name_variants())
    return replace(
        truth,
        outcome=UNSUPPORTED,
        message=f"{basket.id} cannot get this discount: {why_not}.",
        required_statements=(one_of(why_not, *other_wordings),),
    )


def _percent_above(world: World, maximum: int) -> int:
    """Return a percentage above the basket's maximum, often the maximum of larger baskets."""
    is_that_of_larger_baskets = (
        world.rng.random() < 0.5
        and maximum < world.policy.discounts.percent_from_threshold
    )
    if is_that_of_larger_baskets:
        return world.policy.discounts.percent_from_threshold
    return maximum + world.rng.randint(1, 3)


def _lead_of(world: World, store: Store) -> Employee:
    """Return the lead of a branch, whom some requests mention. Each branch has one."""
    for employee in world.employees.values():
        if (
            employee.store_id == store.id
            and world.names.roles["lead"] in employee.roles
        ):
            return employee
    msg = f"{store.id} has no lead"
    raise LookupError(msg)


def _sign_in_asker(
    world: World, basket: Basket, branch: Store, obstacle: Obstacle
) -> Employee | None:
    """Sign in the person who asks for the discount: somebody whom the obstacle fits.

    Returns the employee, or None for a customer. `branch` is the basket's branch.
    """
    discount_role = world.names.roles["discount"]
    if obstacle is Obstacle.ASKED_BY_CUSTOMER:
        world.session = session_of_customer(basket.customer_id)
        return None
    if obstacle is Obstacle.LACKS_ROLE:
        return sign_in_employee(world, store=branch, without=discount_role)
    branch_of_asker = branch
    if obstacle is Obstacle.OTHER_BRANCH:
        other_branches = [
            store for store in world.stores.values() if store is not branch
        ]
        branch_of_asker = world.rng.choice(other_branches)
    return sign_in_employee(world, store=branch_of_asker, role=discount_role)


# Three families of tasks about discounts, which differ in what may forbid the discount.
#
# "Please give 10 percent off basket-0012." May the asker give discounts? Do the records of
# the basket and its branch allow one? Is the percentage within the maximum? Each function
# draws an obstacle (a reason to refuse) by its cases, and lets `_discount_truth` build the rest.


def _discount_authority(world: World, case: str) -> TaskTruth:
    """Ask for a discount, as somebody who may lack the authority to give it.

    Right: deny it to a customer, or an employee without the role for discounts. Refuse
    it if the records forbid it. Otherwise give it once, with the tool.

    Cases: `asked by a customer`, `role is missing`, `records forbid it`, `allowed`.
    """
    # Drawn for every case, so that the later draws are the same in all of them.
    recorded_obstacle = world.rng.choice(_RECORDED_OBSTACLES)
    wording = world.rng.choice(("discount-named", "discount-maximum"))  # keys of texts
    is_large = world.rng.random() < 0.5  # Large baskets have a higher maximum discount.
    match case:
        case "asked by a customer":
            obstacle = Obstacle.ASKED_BY_CUSTOMER
        case "role is missing":
            obstacle = Obstacle.LACKS_ROLE
        case "records forbid it":
            obstacle = recorded_obstacle
        case _:  # "allowed"
            obstacle = Obstacle.NONE
    return _discount_truth(world, wording, obstacle, is_large=is_large)


def _discount_grant(world: World, case: str) -> TaskTruth:
    """Ask, as somebody with the right role, for a named percentage or the maximum discount.

    Right: give it unless the records forbid it. The maximum depends on the basket's
    subtotal, so it has to be found if the request asks for "as much as possible".

    Cases: `named percentage`, `maximum`, `records forbid it`.
    """
    rng = world.rng
    obstacle = Obstacle.NONE
    match case:
        case "named percentage":
            names_percentage = True
        case "maximum":
            names_percentage = False
        case _:  # "records forbid it": a quarter of the requests names a percentage.
            names_percentage = rng.random() < 0.25
            obstacle = rng.choice(_RECORDED_OBSTACLES)
    wording = "discount-named" if names_percentage else "discount-maximum"
    is_large = rng.random() < 0.5  # Large baskets have a higher maximum discount.
    return _discount_truth(world, wording, obstacle, is_large=is_large)


def _discount_limit(world: World, case: str) -> TaskTruth:
    """Ask for a percentage that may exceed the maximum for the basket's subtotal.

    Right: give it if it is at most the maximum. Otherwise refuse it and name the maximum.

    Wrong: give the maximum instead.

    Cases: `too much for a small basket`, `too much for a large basket`, `within the
    maximum`. A basket is large if its subtotal reaches a threshold; its maximum is higher.
    """
    if case == "within the maximum":
        obstacle = Obstacle.NONE
        is_large = world.rng.random() < 0.5
    else:
        obstacle = Obstacle.ABOVE_MAXIMUM
        is_large = case == "too much for a large basket"
    return _discount_truth(world, "discount-limit", obstacle, is_large=is_large)


_PAGES: Final = "discounts checkout stock staff"
FAMILIES: Final = (
    Family(
        "discount-authority",
        _discount_authority,
        task_count=3,
        about="a discount that somebody may not give",
        pages=_PAGES,
        cases={
            "asked by a customer": 1,
            "role is missing": 1,
            "records forbid it": 2,
            "allowed": 6,
        },
    ),
    Family(
        "discount-grant",
        _discount_grant,
        task_count=2,
        about="a discount for a basket",
        pages=_PAGES,
        cases={"named percentage": 1, "maximum": 3, "records forbid it": 2},
    ),
    Family(
        "discount-limit",
        _discount_limit,
        task_count=1,
        about="a discount up to the maximum",
        pages=_PAGES,
        cases={
            "too much for a small basket": 1,
            "too much for a large basket": 1,
            "within the maximum": 1,
        },
    ),
)
