"""One request for a discount: its basket, its asker, its obstacle and its right answer.

For example, an employee with the role for discounts asks for 10 percent off `basket-0012`.
That is right unless the basket belongs to another branch, has a discount already, has a
line that is out of stock, or is too small for 10 percent. The request never tells; only
the records do.
"""

from __future__ import annotations

from dataclasses import replace

from controlplane.benchmarks.ecom.tasks.discounts.discount_truths import (
    denied_to_customer,
    denied_to_employee,
    given_discount,
    refused_above_maximum,
    refused_by_records,
)
from controlplane.benchmarks.ecom.tasks.discounts.obstacles import Obstacle
from controlplane.benchmarks.ecom.tasks.discounts.priced_baskets import (
    add_priced_basket,
)
from controlplane.benchmarks.ecom.tasks.truth import Truth
from controlplane.benchmarks.ecom.world.branch_stock import set_available
from controlplane.benchmarks.ecom.world.pages import DISCOUNTS
from controlplane.benchmarks.ecom.world.purchases import paths_of_products_and_branches
from controlplane.benchmarks.ecom.world.records import (
    Basket,
    Delivery,
    Discount,
    Employee,
    Store,
)
from controlplane.benchmarks.ecom.world.sessions import session_of_customer
from controlplane.benchmarks.ecom.world.sign_in import sign_in_employee
from controlplane.benchmarks.ecom.world.world import World


def discount_truth(
    world: World, wording: str, obstacle: Obstacle, *, is_large: bool
) -> Truth:
    """Return the truth for one request for a discount: the request and its right answer.

    `wording` is the key of the request's text: `discount-maximum` asks for as much as
    possible, any other for a named percentage. `obstacle` is the reason to refuse, if there
    is one. A large basket is one whose subtotal reaches the threshold of the higher maximum.
    """
    # 1. Draw the basket, the request and the asker. A changed order of draws would change the tasks
    #    of every seed.
    rng = world.rng
    basket = add_priced_basket(world, is_large=is_large)
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
    truth = Truth(
        instruction=world.wording(wording, lead=lead.display_name, **request),
        message="",
        must_cite_pages=world.page_paths(DISCOUNTS),
        may_cite=paths_of_products_and_branches(world, basket),
        for_tests={**request, "case": obstacle.value, "maximum": str(maximum)},
    )
    if asker is None:
        return denied_to_customer(world, truth, basket)
    if obstacle is Obstacle.LACKS_ROLE:
        return denied_to_employee(world, truth, basket, asker)

    # The asker may give discounts, so the answer cites who asks, and the basket.
    truth = replace(truth, must_cite=world.paths(basket, asker))
    match obstacle:
        case Obstacle.NONE:
            discount = Discount(percent, reason, asker.id)
            return given_discount(world, truth, basket, discount)
        case Obstacle.ABOVE_MAXIMUM:
            return refused_above_maximum(truth, basket, maximum)
        case _:  # One of `RECORDED_OBSTACLES`
            return refused_by_records(world, truth, basket, obstacle, short_sku)


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
