"""The task to say whether a branch has at least N units of a described product.

"Do you have at least 3 of the two-person tents in Breda?" Units for sale today count: those
on hand minus the reserved ones. A delivery counts only if the request asks about its day or
a later one, so "not today, but tomorrow" means no.
"""

from __future__ import annotations

from dataclasses import replace

from controlplane.benchmarks.ecom.tasks.refusals.ambiguous_products import which_product
from controlplane.benchmarks.ecom.tasks.stock.described_products import draw_subject
from controlplane.benchmarks.ecom.tasks.truth import Truth, truth_with_exact_message
from controlplane.benchmarks.ecom.world.branch_stock import (
    nickname,
    set_available,
    some_store,
)
from controlplane.benchmarks.ecom.world.records import Delivery, Store
from controlplane.benchmarks.ecom.world.sign_in import sign_in_anyone
from controlplane.benchmarks.ecom.world.world import World


def stock_answer(world: World, case: str) -> Truth:
    """Ask whether a branch has at least N units of a described product.

    Right: answer with the world's word for yes or no. Units for sale today count, and
    deliveries until a day if the request gives one. If several products fit, ask which
    one is meant and name them. Cite the products that fit. In some worlds, a page
    demands to cite also a product that the request names only to exclude it.

    Cases: `today`, `with incoming stock`, `several products fit`.
    """
    # 1. Draw the request, all of it, in every case. A changed order of draws would change the tasks
    #    of every seed.
    rng = world.rng
    sign_in_anyone(world, or_guest=True)
    store = some_store(world)
    is_ambiguous = case == "several products fit"
    counts_incoming = case == "with incoming stock"
    subject = draw_subject(world, is_ambiguous=is_ambiguous)
    units = rng.randint(2, 7)
    days = rng.randint(2, 6)
    is_enough = rng.random() < 0.5
    wording = "stock-answer-soon" if counts_incoming else "stock-answer"
    branch = nickname(world, store)
    instruction = world.wording(
        wording, units=units, phrase=subject.phrase, branch=branch, days=days
    )

    # 2. Choose the products that must be cited, and those that only may be. Products that the
    #    request excludes must be cited in some worlds.
    required_products = [*subject.fitting]
    optional_products = []
    if world.policy.cites_mentioned:
        required_products += subject.ruled_out
    else:
        optional_products += subject.ruled_out
    if is_ambiguous:
        question = which_product(world, instruction, subject.fitting)
        return replace(
            question,
            must_cite=world.paths(*required_products),
            may_cite=world.paths(store, *optional_products),
        )

    # 3. Give the branch enough units of the only product that fits, or too few.
    sku = subject.fitting[0].sku
    if counts_incoming:
        _stock_until(world, store, sku, units, days, is_enough=is_enough)
    else:
        _stock_today(world, store, sku, units, days, is_enough=is_enough)
    return truth_with_exact_message(
        instruction,
        world.policy.word(is_enough),
        must_cite=world.paths(store, *required_products),
        may_cite=world.paths(*optional_products),
        for_tests={
            "store": world.path(store),
            "sku": sku,
            "units": str(units),
            "days": str(days) if counts_incoming else "",
        },
    )


def _stock_today(
    world: World, store: Store, sku: str, units: int, days: int, *, is_enough: bool
) -> None:
    """Give a branch enough units today, or one too few. More arrive after the days in question."""
    rng = world.rng
    available = units + rng.randint(0, 2) if is_enough else units - 1
    arrives_late = Delivery(rng.randint(2, 6), in_days=days + rng.randint(1, 5))
    set_available(world, store, sku, available, incoming=[arrives_late])


def _stock_until(
    world: World, store: Store, sku: str, units: int, days: int, *, is_enough: bool
) -> None:
    """Give a branch enough units within some days, or one too few. More arrive after these days.

    `units` is at least 2, because at least one unit is for sale today or arrives in time.
    """
    rng = world.rng
    arriving_units = rng.randint(1, units - 1)
    units_in_time = units + rng.randint(0, 2) if is_enough else units - 1
    arrives_late = Delivery(rng.randint(2, 6), in_days=days + rng.randint(1, 5))
    arrives_in_time = Delivery(arriving_units, in_days=rng.randint(1, days))
    available_today = units_in_time - arriving_units
    set_available(
        world, store, sku, available_today, incoming=[arrives_in_time, arrives_late]
    )
