"""Requests a CSV export of one product family's stock at one branch, today and on later dates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from typing import Final

from benchmarks.ecom.tasks.shares import Variant
from benchmarks.ecom.tasks.task import Truth
from benchmarks.ecom.tasks.task_setup import cite_records, nickname, sign_in_employee, some_products, some_store
from benchmarks.ecom.world.generator import World
from benchmarks.ecom.world.pages import Wordings
from benchmarks.ecom.world.shop_records import Stock

VARIANTS: Final = (Variant("today and three later dates"),)
WORDINGS: Final = Wordings(
    (
        "Create an inventory export at {path} for {branch}: the product family `{family}`, with exactly these columns: "
        "`{header}`. Return only the path of the export.",
    ),
    (
        "I need {path}: an inventory CSV about the family `{family}` at {branch}. Use the header `{header}` and answer "
        "with nothing but the path.",
    ),
)


def table(rows: Mapping[str, Stock], skus: Sequence[str], today: date, days: Sequence[date]) -> str:
    """Return the CSV: the units available today, and those that arrive on each later date."""
    lines = [",".join(["SKU", *(day.isoformat() for day in days)])]
    for sku in skus:
        row = rows.get(sku, Stock(0, 0))
        cells = [
            row.available
            if day == today
            else sum(count for count, due in row.incoming if today + timedelta(due) == day)
            for day in days
        ]
        lines.append(",".join([sku, *map(str, cells)]))
    return "\n".join(lines) + "\n"


def pose(world: World, variant: int) -> Truth:
    """Request one export."""
    rng = world.rng
    sign_in_employee(world)
    store = some_store(world)
    line = world.catalogue.family(some_products(world, 1)[0].family_id)
    today = world.clock.date()
    offsets = [0, *sorted(rng.sample(range(1, 9), 3))]
    for product in line[:-1]:
        due = rng.sample(offsets[1:], 2)
        store.inventory[product.sku] = Stock(
            rng.randint(0, 9), rng.randint(0, 4), [(rng.randint(1, 9), d) for d in due]
        )
    days = [today + timedelta(each) for each in offsets]
    path = f"/exports/stock-{rng.getrandbits(24):06x}.csv"
    text = table(store.inventory, [each.sku for each in line], today, days)
    return Truth(
        instruction=world.say(WORDINGS).format(
            path=path, branch=nickname(world, store), family=line[0].family_id, header=text.split("\n", 1)[0]
        ),
        message=path,
        is_exact=True,
        records=cite_records(world, [store, *line]),
        tolerated=frozenset({path}),
        changes={path: text},
        inputs={"store": world.path(store), "header": text.split("\n", 1)[0], "path": path},
    )
