"""The task to write a crosslist: a table that answers a competitor's scanned request.

The request asks for 4 units of `Skerry two-person tent; seasons=3`. The crosslist has a row
that names the shop's product with exactly these properties, and how many of the 4 units
the branch can hand over today.
"""

from __future__ import annotations

import json
from typing import Final

from controlplane.benchmarks.ecom.tasks.crosslists.crosslist_rows import crosslist_text
from controlplane.benchmarks.ecom.tasks.crosslists.requested_lines import (
    draw_requested_lines,
)
from controlplane.benchmarks.ecom.tasks.scans.purchase_requests import (
    RequestLine,
    request_text,
)
from controlplane.benchmarks.ecom.tasks.truth import Truth
from controlplane.benchmarks.ecom.world.branch_stock import set_available, some_store
from controlplane.benchmarks.ecom.world.pages import CROSSLIST
from controlplane.benchmarks.ecom.world.records import Delivery, Store
from controlplane.benchmarks.ecom.world.sign_in import sign_in_employee
from controlplane.benchmarks.ecom.world.world import World

OPEN_BRANCHES: Final = 0.75
"""The share of crosslists for a branch that is open."""
UNITS_TO_SPARE: Final = 4
"""The units that a branch has beyond the requested ones if it has more than enough."""
DELIVERED_UNITS: Final = 6
"""The units of each product that arrive later. They must not be counted."""


def crosslist(world: World, _case: str) -> Truth:
    """Ask, as an employee, for the crosslist of a scanned request, for one branch.

    Right: write a table with a row for each requested line. If the product has every
    requested specification, the row names it and gives the units that the branch can
    sell today, or 0 if it is closed. Otherwise the row says that the properties differ,
    and that no unit is served.

    Wrong: take a similar product, such as the same tent for four seasons, or count stock
    that arrives later. There is only one case.
    """
    # 1. Draw the requested lines, and the branch's stock of their products.
    rng = world.rng
    sign_in_employee(world)
    store = some_store(world, is_open=rng.random() < OPEN_BRANCHES)
    lines = draw_requested_lines(world)
    for line in lines:
        _draw_stock(world, store, line)

    # 2. Add the scanned request. Its path and that of the table have random parts: `12ab34cd`.
    random_part = f"{rng.getrandbits(32):08x}"
    scan_path = world.names.upload("competitor_purchase_request", random_part)
    world.files[scan_path] = request_text(world, store, lines)
    table_path = f"/exports/crosslist-{rng.getrandbits(24):06x}.tsv"
    world.directories.append("/exports")

    # 3. Build the truth: the answer is the path of the table only, and the table is the only file
    #    that changes.
    products = [line.product for line in lines]
    lines_as_data = [_line_as_data(world, line) for line in lines]
    return Truth(
        instruction=world.wording("crosslist", upload=scan_path, path=table_path),
        message=table_path,
        is_exact=True,
        changes={table_path: crosslist_text(store, lines)},
        must_cite=(scan_path,),
        must_cite_pages=world.page_paths(CROSSLIST),
        may_cite=(table_path, *world.paths(store, *products)),
        for_tests={
            "path": table_path,
            "store": world.path(store),
            "lines": json.dumps(lines_as_data),
        },
    )


def _draw_stock(world: World, store: Store, line: RequestLine) -> None:
    """Give the branch units of a line's product: some for sale today, and some that arrive later."""
    rng = world.rng
    none = 0
    one_too_few = line.count - 1  # Also none if one unit is requested.
    just_enough = line.count
    more_than_enough = line.count + UNITS_TO_SPARE
    available = rng.choice((none, one_too_few, just_enough, more_than_enough))
    delivery = Delivery(DELIVERED_UNITS, in_days=rng.randint(1, 4))
    set_available(world, store, line.product.sku, available, incoming=[delivery])


def _line_as_data(world: World, line: RequestLine) -> dict[str, object]:
    """Return a requested line as the tests need it."""
    return {
        "code": line.competitor_code,
        "path": world.path(line.product),
        "specs": dict(line.specs),
        "count": line.count,
    }
