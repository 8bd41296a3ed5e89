"""Tasks about the stock of a branch: units for sale today, deliveries, and tables of stock."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta
from enum import StrEnum
from random import Random
from typing import Final

from controlplane.benchmarks.ecom.tasks.family import Bar, Family
from controlplane.benchmarks.ecom.tasks.refusals import which_product
from controlplane.benchmarks.ecom.tasks.truth import TaskTruth, truth_with_exact_message
from controlplane.benchmarks.ecom.world.products import describe, describe_several
from controlplane.benchmarks.ecom.world.purchases import (
    nickname,
    set_available,
    some_store,
)
from controlplane.benchmarks.ecom.world.records import (
    Delivery,
    SoldProduct,
    Stock,
)
from controlplane.benchmarks.ecom.world.world import (
    World,
    sign_in_anyone,
    sign_in_employee,
)

# What a question about stock asks for: the products that its description means.
#
# "The two-person tent, but not VH-TNT-SKERRY-2P": the words fit two products, and the request
# excludes one of them by its SKU. Other requests fit exactly one product, or leave open which
# of two is meant. The excluded products are kept, because some worlds demand to cite them.


@dataclass(frozen=True, slots=True)
class _StockSubject:
    """The products that a question about stock asks for."""

    phrase: str
    """The words of the request: `'the two-person tent', but not VH-TNT-SKERRY-2P`."""
    fitting: list[SoldProduct]
    """The products that these words mean."""
    ruled_out: list[SoldProduct]
    """Products that these words mention only to exclude them."""


def _draw_subject(world: World, *, is_ambiguous: bool) -> _StockSubject:
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
            return _StockSubject(f"'{described.text}'", list(described.products), [])
        product = world.catalogue.some_products(world.rng, 1)[0]
        return _StockSubject(f"'{describe(catalogue, rng, product)}'", [product], [])

    # Describe two products if one is meant, else three, and exclude one of them.
    count = 3 if is_ambiguous else 2
    described = describe_several(catalogue, rng, most=count, is_on_shelf=True)
    while len(described.products) < count:  # It may fit two although three are needed.
        described = describe_several(catalogue, rng, most=count, is_on_shelf=True)
    ruled_out, *fitting = rng.sample(described.products, len(described.products))
    phrase = world.wording("excluded", asked=described.text, sku=ruled_out.sku)
    return _StockSubject(phrase, fitting, [ruled_out])


# Conditions that a question sets for the stock of a product at a branch.
#
# "At least 3 units can be sold today." Units for sale today are those on hand minus the
# reserved ones. Stocks are drawn so that they meet a condition or narrowly miss it: with 4
# units on hand and 2 reserved, only 2 can be sold, one too few.


class ConditionKind(StrEnum):
    """What a question asks of the stock of each product. N is a number of units."""

    AVAILABLE = "available"
    """At least N units can be sold today."""
    HELD = "held"
    """At least N units are on hand, but reservations leave fewer than N for sale."""
    SOON = "soon"
    """Fewer than N units can be sold today, and at least N within some days."""
    NONE_LEFT = "none"
    """No unit can be sold today, whatever N is."""


@dataclass(frozen=True, slots=True)
class StockCondition:
    """A condition with its numbers, such as "at least 3 units within 2 days" (`SOON`, 3, 2)."""

    kind: ConditionKind
    units: int
    days: int

    def is_met_by(self, stock: Stock) -> bool:
        """Return True if a stock meets the condition."""
        match self.kind:
            case ConditionKind.AVAILABLE:
                return stock.available >= self.units
            case ConditionKind.HELD:
                return stock.on_hand >= self.units > stock.available
            case ConditionKind.SOON:
                return stock.available < self.units <= stock.within(self.days)
            case ConditionKind.NONE_LEFT:
                return stock.available == 0

    def draw_stock(self, rng: Random, *, is_met: bool) -> Stock:
        """Return a stock that meets the condition, or one that narrowly misses it."""
        reserved = rng.randint(1, 4)
        enough = self.units
        one_too_few = self.units - 1
        match self.kind:
            case ConditionKind.AVAILABLE:
                if is_met:
                    for_sale = enough + rng.randint(0, 4)
                    return Stock(on_hand=for_sale + reserved, reserved=reserved)
                # More units arrive later, but that does not count.
                delivery = Delivery(5, in_days=rng.randint(1, 5))
                return Stock(one_too_few + reserved, reserved, [delivery])

            case ConditionKind.HELD:
                if is_met:  # With the reserved units, there are enough on hand.
                    return Stock(on_hand=one_too_few + reserved, reserved=reserved)
                if rng.random() < 0.5:  # Enough can be sold in spite of reservations.
                    return Stock(on_hand=enough + reserved, reserved=reserved)
                return Stock(on_hand=one_too_few, reserved=0)  # Too few are on hand.

            case ConditionKind.SOON:
                # Today one unit is missing. A delivery brings it in time, or too late.
                if is_met:
                    in_days = rng.randint(1, self.days)
                else:
                    in_days = self.days + rng.randint(1, 4)
                delivery = Delivery(rng.randint(1, 4), in_days)
                return Stock(one_too_few + reserved, reserved, [delivery])

            case ConditionKind.NONE_LEFT:
                if is_met:
                    # As many are reserved as are on hand, or even one more.
                    reserved_too_many = rng.choice((0, 1))
                    return Stock(reserved, reserved=reserved + reserved_too_many)
                return Stock(on_hand=reserved + 1, reserved=reserved)


# The task to write the stock of one product family at one branch to a CSV file.
#
# Each product has a row: its SKU, the units for sale today, and the units that arrive on each
# of three later days: `VH-TNT-SKERRY-2P,4,0,6,0`. The file must be the same as the right one,
# character by character.


def _inventory_export(world: World, _case: str) -> TaskTruth:
    """Ask, as an employee, for a CSV export of one product family's stock at one branch.

    Right: write the file with the requested header and a row for each product of the
    family, sorted by SKU. A row has the units for sale today, then the units that
    arrive on each later date.
    """
    # 1. Give all products of the family a stock with deliveries, but leave the last one as it is:
    #    it may have no row in the branch's stock, and then has no units.
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

    # 2. Build the request and the right file.
    path = f"/exports/stock-{rng.getrandbits(24):06x}.csv"
    world.directories.append("/exports")
    today = world.clock.date()
    dates = [today + timedelta(days=day) for day in (0, *later_days)]
    header = ",".join(["SKU", *(date.isoformat() for date in dates)])
    rows = [header]
    for product in family:
        stock = store.inventory.get(product.sku, Stock(on_hand=0, reserved=0))
        cells = [product.sku, str(stock.available)]
        for day in later_days:
            deliveries = [item for item in stock.incoming if item.in_days == day]
            cells.append(str(sum(delivery.quantity for delivery in deliveries)))
        rows.append(",".join(cells))
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
        exact_ends=True,  # The newline after the last row matters.
        for_tests={"store": world.path(store), "path": path},
    )


# The task to say whether a branch has at least N units of a described product.
#
# "Do you have at least 3 of the two-person tents in Breda?" Units for sale today count: those
# on hand minus the reserved ones. A delivery counts only if the request asks about its day or
# a later one, so "not today, but tomorrow" means no.

_WITH_INCOMING_STOCK: Final = "with incoming stock"
_SEVERAL_PRODUCTS_FIT: Final = "several products fit"


def _stock_answer(world: World, case: str) -> TaskTruth:
    """Ask whether a branch has at least N units of a described product.

    Right: answer with the world's word for yes or no. Units for sale today count, and
    deliveries until a day if the request gives one. Cite the branch and the product. If
    several products fit, ask which one is meant, and cite all of them instead.

    Cases: `today`, `with incoming stock`, `several products fit`.
    """
    # 1. Draw the request. All parts are drawn in every case, and in this order. Another order would
    #    change the tasks of every seed.
    rng = world.rng
    sign_in_anyone(world, or_guest=True)
    store = some_store(world)
    subject = _draw_subject(world, is_ambiguous=case == _SEVERAL_PRODUCTS_FIT)
    units = rng.randint(2, 7)
    days = rng.randint(2, 6)  # Until then a delivery counts if the request names them.
    is_enough = rng.random() < 0.5
    counts_incoming = case == _WITH_INCOMING_STOCK
    text = world.wording(
        "stock-answer-soon" if counts_incoming else "stock-answer",
        units=units,
        phrase=subject.phrase,
        branch=nickname(world, store),
        days=days,
    )
    must_cite = [*subject.fitting]
    may_cite = []
    # "The two-person tent, but not the green one" names the green one only to exclude it. A
    # page of some worlds demands to cite it all the same.
    if world.policy.answers.cites_mentioned:
        must_cite += subject.ruled_out
    else:
        may_cite += subject.ruled_out

    if case == _SEVERAL_PRODUCTS_FIT:
        question = which_product(world, text, subject.fitting)
        # The branch need not be cited: nobody knows yet whose stock to look up there.
        return replace(
            question,
            must_cite=world.paths(*must_cite),
            may_cite=world.paths(store, *may_cite),
        )

    # 2. Give the branch enough units of the product, or one too few. Units for sale today count. So
    #    do those that arrive within the days that the request names, and at least one does: so it
    #    is for 2 units or more. Others arrive after these days.
    arriving_units = rng.randint(1, units - 1) if counts_incoming else 0
    units_in_time = units - 1
    if is_enough:
        units_in_time = units + rng.randint(0, 2)
    late_units = rng.randint(2, 6)
    incoming = [Delivery(late_units, in_days=days + rng.randint(1, 5))]
    if counts_incoming:
        in_time = Delivery(arriving_units, in_days=rng.randint(1, days))
        incoming.insert(0, in_time)
    sku = subject.fitting[0].sku
    set_available(world, store, sku, units_in_time - arriving_units, incoming=incoming)
    return truth_with_exact_message(
        text,
        world.policy.answers.word(is_enough),
        must_cite=world.paths(store, *must_cite),
        may_cite=world.paths(*may_cite),
        for_tests={
            "store": world.path(store),
            "sku": sku,
            "units": str(units),
            "days": str(days) if counts_incoming else "",
        },
    )


# The task to count the products that meet a stock condition at one branch.
#
# "How many of these six products have at least 3 units in Breda? Answer `count=%d`." The
# right answer is the number in the requested format, `count=4`. A product that the branch's
# file does not list has no units there.

_COUNT_FORMATS: Final = {
    '"%d" (without the quotes)': "%d",
    "<COUNT:%d>": "<COUNT:%d>",
    "[QTY:%d]": "[QTY:%d]",
    "count=%d": "count=%d",
}
"""How a request shows the format of its answer, and the format itself: `count=%d` -> `count=4`."""


def _stock_count(world: World, case: str) -> TaskTruth:
    """Ask how many of six named products meet a stock condition at one branch.

    Right: give the number in the requested format, and cite the branch and all six
    products. A product without a row in the branch's stock has no units.

    Cases: `available`, `held`, `soon` (see `ConditionKind`). 40 percent of the requests of
    the first case ask for the opposite: how many products have no unit for sale.
    """
    # 1. Draw the question.
    rng = world.rng
    kind = ConditionKind(case)
    if case == "available" and rng.random() < 0.4:
        kind = ConditionKind.NONE_LEFT
    sign_in_anyone(world, or_guest=True)
    store = some_store(world)
    products = world.catalogue.some_products(world.rng, 6)
    units = rng.randint(2, 5)
    days = rng.randint(2, 6)
    condition = StockCondition(kind, units, days)

    # 2. Give each product a stock that meets the condition, or narrowly misses it.
    for product in products:
        is_met = rng.random() < 0.45  # So the count is rarely 0 or 6.
        store.inventory[product.sku] = condition.draw_stock(rng, is_met=is_met)
    if case == "available" and rng.random() < 0.5:
        # The branch lists no stock of the first product, so it has no unit of it.
        del store.inventory[products[0].sku]

    # 3. Count the products that meet it.
    count = 0
    for product in products:
        # A product without a row has no units.
        stock = store.inventory.get(product.sku, Stock(on_hand=0, reserved=0))
        if condition.is_met_by(stock):
            count += 1

    # 4. Build the truth.
    shown_format, answer_format = rng.choice(list(_COUNT_FORMATS.items()))
    skus = [product.sku for product in products]
    condition_text = world.wording(f"condition-{kind}", units=units, days=days)
    instruction = world.wording(
        "stock-count",
        condition=condition_text,
        branch=nickname(world, store),
        skus=", ".join(skus),
        template=shown_format,
    )
    return truth_with_exact_message(
        instruction,
        answer_format % count,
        must_cite=world.paths(store, *products),
        for_tests={
            "store": world.path(store),
            "skus": " ".join(skus),
            "pattern": answer_format,
            "case": kind.value,
            "units": str(units),
            "days": str(days),
        },
    )


FAMILIES: Final = (
    Family(
        "inventory-export",
        _inventory_export,
        task_count=1,
        about="a table of a product family's stock",
        pages="stock catalogue",
        bar=Bar.STAFF_ONLY,
    ),
    Family(
        "stock-answer",
        _stock_answer,
        task_count=4,
        about="whether a branch has enough of a product",
        pages="stock catalogue",
        cases={"today": 7, "with incoming stock": 1, "several products fit": 3},
    ),
    Family(
        "stock-count",
        _stock_count,
        task_count=4,
        about="how many products meet a stock condition",
        pages="stock catalogue",
        cases={"available": 1, "held": 1, "soon": 1},
        bar=Bar.EMBARGO,
    ),
)
