"""Tasks about the stock of a branch: units for sale today, deliveries, and tables of stock.

For example, "Do you have at least 3 of the two-person tents in Breda?" Units for sale
today are those on hand minus the reserved ones. A delivery counts only if the request
asks about its day or a later one, so "not today, but tomorrow" means no.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta
from enum import StrEnum
from typing import Final

from controlplane.benchmarks.ecom.tasks.refusals import which_product
from controlplane.benchmarks.ecom.tasks.truth import Truth, truth_with_exact_message
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

    Cases: `available`, `held`, `soon` (see `StockCondition`). 40 percent of the requests of
    the first case ask for the opposite: how many products have no unit for sale.
    """
    # 1. Draw the question.
    rng = world.rng
    condition = StockCondition(case)
    if case == "available" and rng.random() < 0.4:
        condition = StockCondition.NONE_LEFT
    sign_in_anyone(world, or_guest=True)
    store = some_store(world)
    products = world.catalogue.some_products(world.rng, 6)
    units = rng.randint(2, 5)
    days = rng.randint(2, 6)

    # 2. Give each product a stock that meets the condition, or narrowly misses it.
    for product in products:
        is_met = rng.random() < 0.45  # So the count is rarely 0 or 6.
        stock = _draw_stock(world, condition, units, days, is_met=is_met)
        store.inventory[product.sku] = stock
    has_product_without_row = case == "available" and rng.random() < 0.5
    if has_product_without_row:
        del store.inventory[products[0].sku]

    # 3. Count the products that meet it. One may have lost its row, so ask the stock itself.
    count = 0
    for product in products:
        stock = store.inventory.get(product.sku, Stock(0, 0))
        if condition.is_met_by(stock, units, days):
            count += 1

    # 4. Build the truth. The request shows a format, such as `count=%d`, and the answer is
    #    the format with the count filled in: `count=4`.
    requested_format = rng.choice(COUNT_FORMATS)
    answer_format = requested_format
    if requested_format == QUOTED_FORMAT:
        answer_format = "%d"
    skus = [product.sku for product in products]
    condition_text = world.wording(f"condition-{condition}", units=units, days=days)
    instruction = world.wording(
        "stock-count",
        condition=condition_text,
        branch=nickname(world, store),
        skus=", ".join(skus),
        template=requested_format,
    )
    return truth_with_exact_message(
        instruction,
        answer_format % count,
        must_cite=world.paths(store, *products),
        for_tests={
            "store": world.path(store),
            "skus": " ".join(skus),
            "pattern": answer_format,
            "case": condition.value,
            "units": str(units),
            "days": str(days),
        },
    )


def _draw_stock(
    world: World, condition: StockCondition, units: int, days: int, *, is_met: bool
) -> Stock:
    """Return a stock that meets a condition, or one that narrowly misses it.

    The units for sale today are those on hand minus the reserved ones.
    """
    rng = world.rng
    reserved = rng.randint(1, 4)
    one_too_few = units - 1
    match condition:
        case StockCondition.AVAILABLE:
            # Enough units can be sold today.
            if is_met:
                for_sale = units + rng.randint(0, 4)
                return Stock(on_hand=for_sale + reserved, reserved=reserved)
            # One unit is missing today; more arrive later.
            delivery = Delivery(5, in_days=rng.randint(1, 5))
            return Stock(one_too_few + reserved, reserved, [delivery])
        case StockCondition.HELD:
            # Only because of reservations, too few can be sold today.
            if is_met:
                return Stock(on_hand=one_too_few + reserved, reserved=reserved)
            if rng.random() < 0.5:  # Enough can be sold in spite of reservations.
                return Stock(on_hand=units + reserved, reserved=reserved)
            return Stock(on_hand=one_too_few, reserved=0)  # Too few even without any.
        case StockCondition.SOON:
            # Too few can be sold today, but enough within some days.
            due = rng.randint(1, days) if is_met else days + rng.randint(1, 4)
            delivery = Delivery(rng.randint(1, 4), in_days=due)
            return Stock(one_too_few + reserved, reserved, [delivery])
        case StockCondition.NONE_LEFT:
            # No unit can be sold today; `units` has no part in it.
            if is_met:  # As many are reserved as are on hand, or even one more.
                return Stock(on_hand=reserved, reserved=reserved + rng.choice((0, 1)))
            return Stock(on_hand=reserved + 1, reserved=reserved)


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

    Cases: `today`, `with incoming stock`, `several products fit`.
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
    instruction = world.wording(
        wording, units=units, phrase=subject.phrase, branch=branch, days=days
    )

    # 2. Choose the products that must be cited, and those that only may be.
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

    # 3. Give the branch enough units, or too few.
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


def _draw_subject(world: World, *, is_ambiguous: bool) -> StockSubject:
    """Return what the request asks for: several products if it `is_ambiguous`, else one.

    In about a third of the requests, the description alone tells what is meant: `the
    two-person tent`. In the others, it fits one product more, which the request excludes
    by its SKU: `the two-person tent, but not VH-TNT-SKERRY-2P`.
    """
    rng = world.rng
    catalogue = world.catalogue
    is_plain_description = rng.random() < 0.35
    if is_plain_description:
        if is_ambiguous:
            described = describe_several(catalogue, rng, is_on_shelf=True)
            return StockSubject(f"'{described.text}'", list(described.products), [])
        product = world.catalogue.some_products(world.rng, 1)[0]
        return StockSubject(f"'{describe(catalogue, rng, product)}'", [product], [])

    # Describe two products if one is meant, else three, and exclude one of them.
    count = 3 if is_ambiguous else 2
    described = describe_several(catalogue, rng, most=count, is_on_shelf=True)
    while len(described.products) < count:
        # The description fits two products, but three are needed. Draw again.
        described = describe_several(catalogue, rng, most=count, is_on_shelf=True)
    ruled_out, *fitting = rng.sample(described.products, len(described.products))
    phrase = world.wording("excluded", asked=described.text, sku=ruled_out.sku)
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


def inventory_export(world: World, _case: str) -> Truth:
    """Ask, as an employee, for a CSV export of one product family's stock at one branch.

    Right: write the file with the requested header and a row for each product of the
    family, sorted by SKU. A row has the units for sale today, then the units that
    arrive on each later date.
    """
    # 1. Give all products of the family but one a stock with deliveries.
    rng = world.rng
    sign_in_employee(world)
    store = some_store(world)
    (product_of_family,) = world.catalogue.some_products(world.rng, 1)
    family = world.catalogue.family(product_of_family.family_id)
    later_days = sorted(rng.sample(range(1, 9), 3))
    for product in family[:-1]:
        incoming = []
        for day in rng.sample(later_days, 2):
            incoming.append(Delivery(rng.randint(1, 9), in_days=day))
        on_hand = rng.randint(0, 9)
        store.inventory[product.sku] = Stock(on_hand, rng.randint(0, 4), incoming)

    # 2. Build the request and the right file. The last product may have no row in the stock.
    path = f"/exports/stock-{rng.getrandbits(24):06x}.csv"
    world.directories.append("/exports")
    today = world.clock.date()
    dates = [today + timedelta(days=day) for day in (0, *later_days)]
    header = ",".join(["SKU", *(date.isoformat() for date in dates)])
    rows = [header]
    for product in family:
        stock = store.inventory.get(product.sku, Stock(0, 0))
        rows.append(_export_row(product, stock, later_days))
    instruction = world.wording(
        "inventory-export",
        path=path,
        branch=nickname(world, store),
        family=family[0].family_id,
        header=header,
    )
    return truth_with_exact_message(
        instruction,
        path,
        must_cite=world.paths(store, *family),
        may_cite=(path,),
        changes={path: "\n".join(rows) + "\n"},
        exact_ends=True,
        for_tests={"store": world.path(store), "path": path},
    )


def _export_row(product: Product, stock: Stock, later_days: list[int]) -> str:
    """Return a product's row: its SKU, the units for sale today, those that arrive on each day."""
    cells = [product.sku, str(stock.available)]
    for day in later_days:
        arriving = [
            delivery.quantity for delivery in stock.incoming if delivery.in_days == day
        ]
        cells.append(str(sum(arriving)))
    return ",".join(cells)
