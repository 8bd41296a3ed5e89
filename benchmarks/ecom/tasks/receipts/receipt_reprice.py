"""The task to say if the items of a scanned receipt cost about the same today.

"Would these items cost the same today, give or take 2 euros?" The agent reads the scan, which may
be worn, finds today's prices, and compares the totals. The price of one line has changed,
often so that the difference is just within the limit or just above it.
"""

from __future__ import annotations

from dataclasses import replace
from math import ceil

from controlplane.benchmarks.ecom.tasks.scans.sales_slips import (
    SlipLine,
    add_receipt,
    slip_subtotal,
)
from controlplane.benchmarks.ecom.tasks.truth import Truth, truth_with_exact_message
from controlplane.benchmarks.ecom.world.branch_stock import some_store
from controlplane.benchmarks.ecom.world.sign_in import sign_in_anyone
from controlplane.benchmarks.ecom.world.world import World


def receipt_reprice(world: World, _case: str) -> Truth:
    """Ask if a receipt costs about the same today: within a limit in euros, without tax.

    Right: answer with the world's word for yes or no, and cite the receipt, the branch
    and every product. The price of one line has changed, often by nearly the limit.
    """
    # 1. Draw the receipt's lines, all at today's prices.
    rng = world.rng
    sign_in_anyone(world, or_guest=True)
    store = some_store(world)
    products = world.catalogue.some_products(world.rng, rng.randint(2, 4))
    lines = []
    for product in products:
        lines.append(
            SlipLine(product, rng.randint(1, 3), product.price_cents, product.sku)
        )

    # 2. Give one line an older price, so that the totals differ by about the limit.
    limit_euros = rng.randint(1, 4)
    limit_cents = limit_euros * 100
    is_within = rng.random() < 0.5
    lines[0] = _repriced(world, lines[0], limit_cents, is_within=is_within)
    rng.shuffle(lines)
    price_today = sum(line.count * line.product.price_cents for line in lines)
    difference = abs(price_today - slip_subtotal(lines))
    is_about_the_same = difference <= limit_cents

    # 3. Add the scan of the receipt. `wear` is the chance of most scanning errors.
    upload = add_receipt(world, store, lines, wear=0.45)
    bought = "\n".join(f"{world.path(line.product)}\t{line.count}" for line in lines)
    return truth_with_exact_message(
        world.wording("receipt-reprice", path=upload, limit=limit_euros),
        world.policy.answers.word(is_about_the_same),
        must_cite=(upload, *world.paths(store, *products)),
        for_tests={"bought": bought, "limit": str(limit_cents)},
    )


def _repriced(
    world: World, line: SlipLine, limit_cents: int, *, is_within: bool
) -> SlipLine:
    """Return a line whose old price makes the receipt's total differ from today's.

    `line` has today's price. The difference is at most the limit if `is_within`, else more,
    often by a few cents.
    """
    rng = world.rng
    if is_within:
        difference = limit_cents - rng.choice((0, 3, 60))
        difference_each = difference // line.count
    else:
        difference = limit_cents + rng.choice((4, 30, 250))
        # Rounded up, so that it stays above.
        difference_each = ceil(difference / line.count)
    # A cheap product always had a higher price: a lower one could be close to 0 or below.
    is_cheap = line.each_cents < 3 * difference_each
    was_dearer = is_cheap or rng.random() < 0.5
    if was_dearer:
        return replace(line, each_cents=line.each_cents + difference_each)
    return replace(line, each_cents=line.each_cents - difference_each)
