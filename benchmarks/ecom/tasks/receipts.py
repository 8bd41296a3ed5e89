"""Tasks about scanned receipts: if the items can be bought again, and their cost today."""

from __future__ import annotations

from dataclasses import replace
from math import ceil
from typing import Final

from controlplane.benchmarks.ecom.tasks.family import Bar, Family
from controlplane.benchmarks.ecom.tasks.scans import (
    SlipLine,
    add_receipt,
    slip_subtotal,
)
from controlplane.benchmarks.ecom.tasks.truth import TaskTruth, truth_with_exact_message
from controlplane.benchmarks.ecom.world.purchases import set_available, some_store
from controlplane.benchmarks.ecom.world.records import Delivery, SoldProduct
from controlplane.benchmarks.ecom.world.world import World, sign_in_anyone

# The task to say if everything on a scanned receipt can be bought again.
#
# "Can I buy exactly what is on this receipt again today? Yes or no only." The agent reads the
# scan, which may be worn and full of errors, finds the products, and looks at the stock of
# the branch.


def _receipt_rebuy(world: World, case: str) -> TaskTruth:
    """Ask if everything on a receipt can be bought again today at one branch.

    Right: answer with the world's word for yes if the branch can sell every line in
    full today, else with its word for no. Cite the receipt, the branch and every
    product. Prices do not matter.

    Wrong: count stock that arrives later, or trust an outdated code on the receipt.

    Cases: `named and legible`, `last upload, worn` (the request does not name the receipt,
    and the scan is worn).
    """
    # 1. Draw the receipt's lines, and the stock of their products.
    rng = world.rng
    sign_in_anyone(world, or_guest=True)
    store = some_store(world)
    lines = []
    for product in world.catalogue.some_products(world.rng, rng.randint(2, 4)):
        lines.append(_draw_line(world, product))

    is_possible = rng.random() < 0.5
    short_line = None
    if not is_possible:
        short_line = rng.choice(lines)
    for line in lines:
        if line is short_line:
            incoming = [Delivery(9, in_days=2)]
            set_available(
                world, store, line.product.sku, line.count - 1, incoming=incoming
            )
        else:
            available = line.count + rng.randint(0, 3)
            set_available(world, store, line.product.sku, available)

    # 2. Add the scan of the receipt. `wear` is the chance of most scanning errors.
    if case == "named and legible":
        wording = "receipt-rebuy"
        wear = 0.25
    else:
        wording = "receipt-rebuy-last"  # "Look at the last receipt upload."
        wear = 0.7
    upload = add_receipt(world, store, lines, wear=wear)
    products = [line.product for line in lines]
    bought = " ".join(f"{line.product.sku}={line.count}" for line in lines)
    return truth_with_exact_message(
        world.wording(wording, path=upload),
        world.policy.answers.word(is_possible),
        must_cite=(upload, *world.paths(store, *products)),
        for_tests={"store": world.path(store), "bought": bought},
    )


def _draw_line(world: World, product: SoldProduct) -> SlipLine:
    """Return a line of a receipt for a product.

    Three lines in ten have another price than today's, and two in ten an outdated code.
    """
    rng = world.rng
    price_then = product.price_cents
    has_other_price = rng.random() >= 0.7
    if has_other_price:
        price_then = product.price_cents * rng.randint(92, 108) // 100
    code = product.sku
    has_outdated_code = rng.random() >= 0.8
    if has_outdated_code:
        code_of_line = product.sku.rsplit("-", 1)[0]
        code = f"{code_of_line}-OLD"  # `VH-TNT-SKERRY-2P` -> `VH-TNT-SKERRY-OLD`
    count = rng.choice((1, 1, 2, 3, 5, 10, 12))  # Mostly few units
    return SlipLine(product, count, price_then, code)


# The task to say if the items of a scanned receipt cost about the same today.
#
# "Would these items cost the same today, give or take 2 euros?" The agent reads the scan, which may
# be worn, finds today's prices, and compares the totals. The price of one line has changed,
# often so that the difference is just within the limit or just above it.


def _receipt_reprice(world: World, _case: str) -> TaskTruth:
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


_PAGES: Final = "uploads stock checkout catalogue"
FAMILIES: Final = (
    Family(
        "receipt-rebuy",
        _receipt_rebuy,
        task_count=4,
        about="whether a receipt can be bought again",
        pages=_PAGES,
        cases={"named and legible": 1, "last upload, worn": 1},
        bar=Bar.EMBARGO,
    ),
    Family(
        "receipt-reprice",
        _receipt_reprice,
        task_count=1,
        about="what a receipt costs today",
        pages=_PAGES,
        bar=Bar.EMBARGO,
    ),
)
