"""The task to write the stock of one product family at one branch to a CSV file.

Each product has a row: its SKU, the units for sale today, and the units that arrive on each
of three later days: `VH-TNT-SKERRY-2P,4,0,6,0`. The file must be the same as the right one,
character by character.
"""

from __future__ import annotations

from datetime import timedelta

from controlplane.benchmarks.ecom.tasks.truth import Truth, truth_with_exact_message
from controlplane.benchmarks.ecom.world.branch_stock import nickname, some_store
from controlplane.benchmarks.ecom.world.records import Delivery, Product, Stock
from controlplane.benchmarks.ecom.world.sign_in import sign_in_employee
from controlplane.benchmarks.ecom.world.world import World


def inventory_export(world: World, _case: str) -> Truth:
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
        exact_ends=True,  # The newline after the last row matters.
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
