"""Three families of tasks about discounts, which differ in what may forbid the discount.

"Please give 10 percent off basket-0012." May the asker give discounts? Do the records of
the basket and its branch allow one? Is the percentage within the maximum? Each function
draws an obstacle (a reason to refuse) by its cases, and lets `discount_truth` build the rest.
"""

from __future__ import annotations

from controlplane.benchmarks.ecom.tasks.discounts.discount_request import discount_truth
from controlplane.benchmarks.ecom.tasks.discounts.obstacles import (
    RECORDED_OBSTACLES,
    Obstacle,
)
from controlplane.benchmarks.ecom.tasks.truth import Truth
from controlplane.benchmarks.ecom.world.world import World


def discount_authority(world: World, case: str) -> Truth:
    """Ask for a discount, as somebody who may lack the authority to give it.

    Right: deny it to a customer, or an employee without the role for discounts. Refuse
    it if the records forbid it. Otherwise give it once, with the tool.

    Cases: `asked by a customer`, `role is missing`, `records forbid it`, `allowed`.
    """
    # Drawn for every case, so that the later draws are the same in all of them.
    recorded_obstacle = world.rng.choice(RECORDED_OBSTACLES)
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
    return discount_truth(world, wording, obstacle, is_large=is_large)


def discount_grant(world: World, case: str) -> Truth:
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
            obstacle = rng.choice(RECORDED_OBSTACLES)
    wording = "discount-named" if names_percentage else "discount-maximum"
    is_large = rng.random() < 0.5  # Large baskets have a higher maximum discount.
    return discount_truth(world, wording, obstacle, is_large=is_large)


def discount_limit(world: World, case: str) -> Truth:
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
    return discount_truth(world, "discount-limit", obstacle, is_large=is_large)
