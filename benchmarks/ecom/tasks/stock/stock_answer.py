"""The task to say whether a branch has at least N units of a described product.

"Do you have at least 3 of the two-person tents in Breda?" Units for sale today count: those
on hand minus the reserved ones. A delivery counts only if the request asks about its day or
a later one, so "not today, but tomorrow" means no.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from controlplane.benchmarks.ecom.tasks.refusals.ambiguous_products import which_product
from controlplane.benchmarks.ecom.tasks.stock.described_products import (
    StockSubject,
    draw_subject,
)
from controlplane.benchmarks.ecom.tasks.truth import Truth, truth_with_exact_message
from controlplane.benchmarks.ecom.world.branch_stock import (
    nickname,
    set_available,
    some_store,
)
from controlplane.benchmarks.ecom.world.records import Delivery, Store
from controlplane.benchmarks.ecom.world.sign_in import sign_in_anyone
from controlplane.benchmarks.ecom.world.world import World

WITH_INCOMING_STOCK: Final = "with incoming stock"
SEVERAL_PRODUCTS_FIT: Final = "several products fit"


@dataclass(frozen=True, slots=True)
class StockRequest:
    """What a user asks: "Are there at least 3 of the two-person tents in Breda in 4 days?"."""

    text: str
    store: Store
    subject: StockSubject
    """The products that the words of the request mean, and those that it excludes."""
    units: int
    days: int
    """The days until which a delivery counts. Only requests `with incoming stock` name them."""
    is_enough: bool
    """True if the answer shall be yes."""


def stock_answer(world: World, case: str) -> Truth:
    """Ask whether a branch has at least N units of a described product.

    Right: answer with the world's word for yes or no. Units for sale today count, and
    deliveries until a day if the request gives one. Cite the branch and the product. If
    several products fit, ask which one is meant, and cite all of them instead.

    Cases: `today`, `with incoming stock`, `several products fit`.
    """
    sign_in_anyone(world, or_guest=True)
    request = _draw_request(world, case)
    must_cite = [*request.subject.fitting]
    may_cite = []
    # "The two-person tent, but not the green one" names the green one only to exclude it. A
    # page of some worlds demands to cite it all the same.
    if world.policy.answers.cites_mentioned:
        must_cite += request.subject.ruled_out
    else:
        may_cite += request.subject.ruled_out

    if case == SEVERAL_PRODUCTS_FIT:
        question = which_product(world, request.text, request.subject.fitting)
        # The branch need not be cited: nobody knows yet whose stock to look up there.
        return replace(
            question,
            must_cite=world.paths(*must_cite),
            may_cite=world.paths(request.store, *may_cite),
        )

    counts_incoming = case == WITH_INCOMING_STOCK
    if counts_incoming:
        _stock_until(world, request)
    else:
        _stock_today(world, request)
    return truth_with_exact_message(
        request.text,
        world.policy.answers.word(request.is_enough),
        must_cite=world.paths(request.store, *must_cite),
        may_cite=world.paths(*may_cite),
        for_tests={
            "store": world.path(request.store),
            "sku": request.subject.fitting[0].sku,
            "units": str(request.units),
            "days": str(request.days) if counts_incoming else "",
        },
    )


def _draw_request(world: World, case: str) -> StockRequest:
    """Draw a request for a case.

    All parts are drawn in every case, and in this order. Another order would change the
    tasks of every seed.
    """
    rng = world.rng
    store = some_store(world)
    subject = draw_subject(world, is_ambiguous=case == SEVERAL_PRODUCTS_FIT)
    units = rng.randint(2, 7)
    days = rng.randint(2, 6)
    is_enough = rng.random() < 0.5
    wording = "stock-answer"
    if case == WITH_INCOMING_STOCK:
        wording = "stock-answer-soon"
    branch = nickname(world, store)
    text = world.wording(
        wording, units=units, phrase=subject.phrase, branch=branch, days=days
    )
    return StockRequest(text, store, subject, units, days, is_enough)


def _stock_today(world: World, request: StockRequest) -> None:
    """Give a branch enough units of the product today, or one too few.

    More arrive after the days in question.
    """
    rng = world.rng
    available = request.units - 1
    if request.is_enough:
        available = request.units + rng.randint(0, 2)
    late_units = rng.randint(2, 6)
    arrives_late = Delivery(late_units, in_days=request.days + rng.randint(1, 5))
    sku = request.subject.fitting[0].sku
    set_available(world, request.store, sku, available, incoming=[arrives_late])


def _stock_until(world: World, request: StockRequest) -> None:
    """Give a branch enough units of the product within the days in question, or one too few.

    At least one unit arrives in time; so a request is for 2 units or more. Others arrive
    after these days.
    """
    rng = world.rng
    arriving_units = rng.randint(1, request.units - 1)
    units_in_time = request.units - 1
    if request.is_enough:
        units_in_time = request.units + rng.randint(0, 2)
    late_units = rng.randint(2, 6)
    arrives_late = Delivery(late_units, in_days=request.days + rng.randint(1, 5))
    arrives_in_time = Delivery(arriving_units, in_days=rng.randint(1, request.days))
    set_available(
        world,
        request.store,
        request.subject.fitting[0].sku,
        units_in_time - arriving_units,
        incoming=[arrives_in_time, arrives_late],
    )
