"""Asks how many of six named products meet a stock condition at one branch, in a given format."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from benchmarks.ecom.tasks.shares import Variant
from benchmarks.ecom.tasks.task import Truth
from benchmarks.ecom.tasks.task_setup import cite_records, nickname, sign_in_anyone, some_products, some_store
from benchmarks.ecom.world.generator import World
from benchmarks.ecom.world.pages import Wordings
from benchmarks.ecom.world.shop_records import Stock

VARIANTS: Final = (
    Variant("available today, or nothing"),
    Variant("held back by reservations"),
    Variant("short now, enough soon"),
)
FORMATS: Final = ('"%d" (without the quotes)', "<COUNT:%d>", "[QTY:%d]", "count=%d")


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition on a stock row: its words, and the test. Both take `units` and `days`."""

    words: Wordings[str]
    holds: Callable[[Stock, int, int], bool]


CONDITIONS: Final[Mapping[int, Condition]] = {
    1: Condition(
        Wordings(
            ("have at least {units} units available today",),
            ("could be sold {units} times or more today",),
        ),
        lambda row, units, days: row.available >= units,
    ),
    2: Condition(
        Wordings(
            ("have at least {units} units physically on hand and yet fewer than {units} available today",),
            ("would have at least {units} units if the physical stock counted, but have fewer available today",),
        ),
        lambda row, units, days: row.on_hand >= units > row.available,
    ),
    3: Condition(
        Wordings(
            (
                "have fewer than {units} units available today but reach {units} once incoming stock due within {days} "
                "days is counted as well",
            ),
            ("cannot supply {units} units today, but can if you include deliveries due within {days} days",),
        ),
        lambda row, units, days: row.available < units <= row.within(days),
    ),
    4: Condition(
        Wordings(
            ("have not a single unit available today",),
            ("are not available at all today",),
        ),
        lambda row, units, days: row.available == 0,
    ),
}
QUESTION: Final = Wordings(
    ("How many of these SKUs {condition} at {branch}: {skus}? Answer exactly in the format {template}.",),
    ("At {branch}, how many of the following {condition}? {skus}. Give the number in exactly this form: {template}.",),
)


def _row(world: World, wish: bool, case: int, units: int, days: int) -> Stock:
    """Return a row that meets the condition, or misses it in a way that invites a miscount."""
    rng = world.rng
    reserved = rng.randint(1, 4)
    match case:
        case 1:
            free = units + rng.randint(0, 4) if wish else units - 1
            return Stock(free + reserved, reserved, [] if wish else [(5, rng.randint(1, 5))])
        case 2:
            free = units - 1 if wish else units
            return Stock(free + reserved, reserved) if wish or rng.random() < 0.5 else Stock(units - 1, 0)
        case 3:
            due = rng.randint(1, days) if wish else days + rng.randint(1, 4)
            return Stock(units - 1 + reserved, reserved, [(rng.randint(1, 4), due)])
        case _:
            return Stock(reserved, reserved + rng.choice((0, 1))) if wish else Stock(reserved + 1, reserved)


def pose(world: World, variant: int) -> Truth:
    """Ask for the number of products that meet a condition at a branch."""
    rng = world.rng
    case = 4 if variant == 1 and rng.random() < 0.4 else variant
    sign_in_anyone(world)
    store = some_store(world)
    products = some_products(world, 6)
    units, days = rng.randint(2, 5), rng.randint(2, 6)
    for product in products:
        store.inventory[product.sku] = _row(world, rng.random() < 0.45, case, units, days)
    if variant == 1 and rng.random() < 0.5:
        store.inventory.pop(products[0].sku)
    condition = CONDITIONS[case]
    rows = [store.inventory.get(product.sku, Stock(0, 0)) for product in products]
    count = sum(condition.holds(row, units, days) for row in rows)
    template = FORMATS[rng.randrange(len(FORMATS))]
    skus = ", ".join(product.sku for product in products)
    instruction = world.say(QUESTION).format(
        condition=world.say(condition.words).format(units=units, days=days),
        branch=nickname(world, store),
        skus=skus,
        template=template,
    )
    pattern = template.split('"')[1] if '"' in template else template
    return Truth(
        instruction=instruction,
        message=pattern % count,
        is_exact=True,
        records=cite_records(world, [store, *products]),
        inputs={
            "store": world.path(store),
            "skus": " ".join(product.sku for product in products),
            "pattern": pattern,
            "case": str(case),
            "units": str(units),
            "days": str(days),
        },
    )
