"""Tasks about the stock of a branch: units for sale today, deliveries, and tables of stock.

Units for sale today are on hand and not reserved. A delivery counts from its day on.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta
from enum import StrEnum
from typing import Final

from controlplane.benchmarks.ecom.tasks.refusals import which_product
from controlplane.benchmarks.ecom.tasks.truth import Truth, exact
from controlplane.benchmarks.ecom.world.branch_stock import (
    nickname,
    set_available,
    some_store,
)
from controlplane.benchmarks.ecom.world.products.customer_descriptions import (
    describe,
    describe_several,
)
from controlplane.benchmarks.ecom.world.records import Delivery, Product, Stock, Store
from controlplane.benchmarks.ecom.world.sign_in import sign_in_anyone, sign_in_employee
from controlplane.benchmarks.ecom.world.world import World

QUOTED_FORMAT: Final = '"%d" (without the quotes)'
COUNT_FORMATS: Final = (QUOTED_FORMAT, "<COUNT:%d>", "[QTY:%d]", "count=%d")
"""The formats in which a request asks for a number. The first asks for the number alone."""


class StockCondition(StrEnum):
    """The condition that a question sets for the stock of each product. N is a number of units."""

    AVAILABLE = "available"
    """At least N units can be sold today."""
    HELD = "held"
    """At least N units are on hand, but fewer than N of them are not reserved."""
    SOON = "soon"
    """Fewer than N units can be sold today, and at least N within some days."""
    NONE_LEFT = "none"
    """No unit can be sold today."""

    def is_met_by(self, stock: Stock, units: int, days: int) -> bool:
        """Return True if a stock meets the condition for this many units, within these days."""
        match self:
            case StockCondition.AVAILABLE:
                return stock.available >= units
            case StockCondition.HELD:
                return stock.on_hand >= units > stock.available
            case StockCondition.SOON:
                return stock.available < units <= stock.within(days)
            case StockCondition.NONE_LEFT:
                return stock.available == 0


def stock_count(world: World, case: str) -> Truth:
    """Ask how many of six named products meet a stock condition at one branch.

    Right: give the number in the requested format, and cite the branch and all six
    products. A product without a row in the branch's stock has no units.
    """
    rng = world.rng
    condition = StockCondition(case)
    # 40 percent of the tasks about available units ask for products without any.
    if case == "available" and rng.random() < 0.4:
        condition = StockCondition.NONE_LEFT
    sign_in_anyone(world, or_guest=True)
    store = some_store(world)
    products = world.catalogue.some_products(world.rng, 6)
    units = rng.randint(2, 5)
    days = rng.randint(2, 6)
    for product in products:
        is_met = rng.random() < 0.45  # So the count is rarely 0 or 6.
        stock = _draw_stock(world, condition, units, days, is_met=is_met)
        store.inventory[product.sku] = stock
    has_product_without_row = case == "available" and rng.random() < 0.5
    if has_product_without_row:
        del store.inventory[products[0].sku]

    count = 0
    for product in products:
        stock = store.inventory.get(product.sku, Stock(0, 0))
        if condition.is_met_by(stock, units, days):
            count += 1

    # The request shows the template. The answer is the pattern with the count filled in.
    template = rng.choice(COUNT_FORMATS)
    pattern = template
    if template == QUOTED_FORMAT:
        pattern = "%d"  # Without the template's quotes and remark
    skus = [product.sku for product in products]
    condition_text = world.say(f"condition-{condition}", units=units, days=days)
    instruction = world.say(
        "stock-count",
        condition=condition_text,
        branch=nickname(world, store),
        skus=", ".join(skus),
        template=template,
    )
    return exact(
        instruction,
        pattern % count,
        records=world.paths(store, *products),
        inputs={
            "store": world.path(store),
            "skus": " ".join(skus),
            "pattern": pattern,
            "case": condition.value,
            "units": str(units),
            "days": str(days),
        },
    )


def _draw_stock(
    world: World, condition: StockCondition, units: int, days: int, *, is_met: bool
) -> Stock:
    """Return a stock that meets a condition, or one that narrowly misses it.

    The units that are for sale are those on hand minus the reserved ones.
    """
    rng = world.rng
    reserved = rng.randint(1, 4)
    one_too_few = units - 1
    match condition:
        case StockCondition.AVAILABLE:
            if is_met:
                available = units + rng.randint(0, 4)
                return Stock(available + reserved, reserved)
            # One unit is missing today; more arrive later.
            delivery = Delivery(5, in_days=rng.randint(1, 5))
            return Stock(one_too_few + reserved, reserved, [delivery])
        case StockCondition.HELD:
            if is_met:
                return Stock(one_too_few + reserved, reserved)
            if rng.random() < 0.5:  # Enough units are left in spite of reservations.
                return Stock(units + reserved, reserved)
            return Stock(one_too_few, 0)  # Too few, but without any reservation.
        case StockCondition.SOON:
            due = rng.randint(1, days) if is_met else days + rng.randint(1, 4)
            delivery = Delivery(rng.randint(1, 4), in_days=due)
            return Stock(one_too_few + reserved, reserved, [delivery])
        case StockCondition.NONE_LEFT:
            if is_met:  # More may be reserved than is on hand.
                return Stock(reserved, reserved + rng.choice((0, 1)))
            return Stock(reserved + 1, reserved)


@dataclass(frozen=True, slots=True)
class StockSubject:
    """The products that a question about stock asks for."""

    phrase: str
    """The description in the request."""
    fitting: list[Product]
    """The products that the description means."""
    ruled_out: list[Product]
    """Products that the description mentions only to exclude them."""


def stock_answer(world: World, case: str) -> Truth:
    """Ask whether a branch has at least N units of a described product.

    Right: answer with the world's word for yes or no. Units for sale today count, and
    deliveries until a day if the request gives one. If several products fit, ask which
    one is meant and name them. Cite the products that fit. In some worlds, a page
    demands to cite also a product that the request names only to exclude it.
    """
    # 1. Draw the request, all of it, in every case. A changed order of draws would change the tasks
    #    of every seed.
    rng = world.rng
    sign_in_anyone(world, or_guest=True)
    store = some_store(world)
    is_ambiguous = case == "several products fit"
    counts_incoming = case == "with incoming stock"
    subject = _draw_subject(world, is_ambiguous=is_ambiguous)
    units = rng.randint(2, 7)
    days = rng.randint(2, 6)
    is_enough = rng.random() < 0.5
    wording = "stock-answer-soon" if counts_incoming else "stock-answer"
    branch = nickname(world, store)
    instruction = world.say(
        wording, units=units, phrase=subject.phrase, branch=branch, days=days
    )

    # 2. Choose the products that must be cited, and those that may be.
    if world.policy.cites_mentioned:
        cited = [*subject.fitting, *subject.ruled_out]
        tolerated = []
    else:
        cited = subject.fitting
        tolerated = subject.ruled_out
    if is_ambiguous:
        question = which_product(world, instruction, subject.fitting)
        return replace(
            question,
            records=world.paths(*cited),
            tolerated=world.paths(store, *tolerated),
        )

    # 3. Give the branch enough units, or too few.
    sku = subject.fitting[0].sku
    if counts_incoming:
        _stock_until(world, store, sku, units, days, is_enough=is_enough)
    else:
        _stock_today(world, store, sku, units, days, is_enough=is_enough)
    return exact(
        instruction,
        world.policy.word(is_enough),
        records=world.paths(store, *cited),
        tolerated=world.paths(*tolerated),
        inputs={
            "store": world.path(store),
            "sku": sku,
            "units": str(units),
            "days": str(days) if counts_incoming else "",
        },
    )


def _draw_subject(world: World, *, is_ambiguous: bool) -> StockSubject:
    """Return a subject that several products fit if `is_ambiguous`, else one of one product."""
    rng = world.rng
    catalogue = world.catalogue
    is_plain_description = rng.random() < 0.35
    if is_plain_description:
        if is_ambiguous:
            request = describe_several(catalogue, rng, is_on_shelf=True)
            return StockSubject(f"'{request.text}'", list(request.products), [])
        product = world.catalogue.some_products(world.rng, 1)[0]
        return StockSubject(f"'{describe(catalogue, rng, product)}'", [product], [])

    # A description that several products fit. The request excludes one of them by its SKU.
    wanted_products = 3 if is_ambiguous else 2
    request = describe_several(catalogue, rng, most=wanted_products, is_on_shelf=True)
    while len(request.products) < wanted_products:
        # Some product lines have no description that fits so few products. Allow more products.
        request = describe_several(catalogue, rng, is_on_shelf=True)
    ruled_out, *fitting = rng.sample(request.products, len(request.products))
    phrase = world.say("excluded", asked=request.text, sku=ruled_out.sku)
    return StockSubject(phrase, fitting, [ruled_out])


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
    """Give a branch enough units within some days, or one too few. More arrive after these days."""
    rng = world.rng
    arriving_units = rng.randint(1, units - 1)
    reached = units + rng.randint(0, 2) if is_enough else units - 1
    arrives_late = Delivery(rng.randint(2, 6), in_days=days + rng.randint(1, 5))
    arrives_in_time = Delivery(arriving_units, in_days=rng.randint(1, days))
    available = reached - arriving_units
    set_available(
        world, store, sku, available, incoming=[arrives_in_time, arrives_late]
    )


def inventory_export(world: World, case: str) -> Truth:
    """Ask, as an employee, for a CSV export of one product family's stock at one branch.

    Right: write the file with the requested header and a row for each product of the
    family, sorted by SKU. A row has the units for sale today, then the units that
    arrive on each later date.
    """
    rng = world.rng
    sign_in_employee(world)
    store = some_store(world)
    (product_of_family,) = world.catalogue.some_products(world.rng, 1)
    family = world.catalogue.family(product_of_family.family_id)
    later_days = sorted(rng.sample(range(1, 9), 3))
    *most_products, _ = (
        family  # The last one keeps its stock, so it may have no row there.
    )
    for product in most_products:
        incoming = []
        for day in rng.sample(later_days, 2):
            incoming.append(Delivery(rng.randint(1, 9), in_days=day))
        on_hand = rng.randint(0, 9)
        store.inventory[product.sku] = Stock(on_hand, rng.randint(0, 4), incoming)
    path = f"/exports/stock-{rng.getrandbits(24):06x}.csv"
    world.directories.append("/exports")

    today = world.clock.date()
    dates = [today + timedelta(days=day) for day in (0, *later_days)]
    header = ",".join(["SKU", *(date.isoformat() for date in dates)])
    rows = [header]
    for product in family:
        stock = store.inventory.get(product.sku, Stock(0, 0))
        rows.append(_export_row(product, stock, later_days))
    instruction = world.say(
        "inventory-export",
        path=path,
        branch=nickname(world, store),
        family=family[0].family_id,
        header=header,
    )
    return exact(
        instruction,
        path,
        records=world.paths(store, *family),
        tolerated=(path,),
        changes={path: "\n".join(rows) + "\n"},
        exact_ends=True,
        inputs={"store": world.path(store), "path": path},
    )


def _export_row(product: Product, stock: Stock, later_days: list[int]) -> str:
    cells = [product.sku, str(stock.available)]
    for day in later_days:
        arriving = [
            delivery.quantity for delivery in stock.incoming if delivery.in_days == day
        ]
        cells.append(str(sum(arriving)))
    return ",".join(cells)
